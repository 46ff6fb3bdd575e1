"""`template % values` and `template.format(values)`: as f-strings, of values that are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.scripts.lower.dynamic import BINARY_OPS
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed, constant, owned_object
from jitffi.scripts.lower.python.own import display_of, kept
from jitffi.scripts.lower.text import texts
from jitffi.scripts.lower.text.formats import converted, formatted
from jitffi.scripts.lower.text.texts import as_text
from jitffi.scripts.tree.templates import Piece, Template
from jitffi.scripts.tree.types import FLOAT, INT, STR

if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import V

_WHOLE = ("int", "bool")


@expression(Template)
def template(b: Body, node: Template) -> Value:
    values = [b.storage.lasting(each) for each in b.exprs(node.args)]
    if "never" in [each.kind for each in values]:
        return conversion.never(b)
    if node.alone and values[0].kind in ("object", "any", "tuple"):
        return _by_python(b, node.whole, boxed(b, values[0]).ssa)
    pieces = [b.storage.literal(part) if isinstance(part, str) else _piece(b, part, values) for part in node.parts]
    if not pieces:
        return b.storage.literal("")
    return as_text(b, pieces[0]) if len(pieces) == 1 else texts.build(b, pieces, node)


def _piece(b: Body, part: Piece, values: list[Value]) -> Value:
    value = values[part.index]
    if not part.percent:
        value = converted(b, value, part.conversion)
        return formatted(b, value, b.storage.literal(part.spec) if part.spec else None)
    if value.kind in _WHOLE and part.conversion in "dxXo":
        spec = None if part.spec == "d" else b.storage.literal(part.spec)  # as they are, digits are written in place
        return formatted(b, conversion.convert(b, value, INT), spec)
    if value.kind in ("float", *_WHOLE) and part.conversion in "eEfFgG":
        return formatted(b, conversion.convert(b, value, FLOAT), b.storage.literal(part.spec))
    one = display_of(b, [b.storage.lasting(kept(b, value))], "tuple")
    return _by_python(b, part.percent, one.ssa)


def _by_python(b: Body, whole: str, values: V) -> Value:
    number = const("i32", BINARY_OPS["%"])
    found = owned_object(b, b.frame.call("core_op_binary", number, constant(b, whole).ssa, values))
    return conversion.convert(b, b.storage.lasting(found), STR)
