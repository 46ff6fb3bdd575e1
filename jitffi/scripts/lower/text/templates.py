"""`template % values` and `template.format(values)`: as f-strings, of values that are there."""

from __future__ import annotations

from jitffi.scripts.lower.dynamic import BINARY_OPS
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import FALSE, const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value, text
from jitffi.scripts.lower.python.boxing import boxed, constant, owned_object
from jitffi.scripts.lower.python.own import display_of, kept
from jitffi.scripts.lower.text import texts
from jitffi.scripts.lower.text.formats import converted, formatted
from jitffi.scripts.lower.text.texts import as_text
from jitffi.scripts.tree.templates import Piece, Template
from jitffi.scripts.tree.types import BYTES, FLOAT, INT, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import V

_WHOLE = ("int", "u64", "bool")


@expression(Template)
def template(b: Body, node: Template) -> Value:
    values = [b.storage.lasting(each) for each in b.exprs(node.args)]
    if "never" in [each.kind for each in values]:
        return conversion.never(b)
    if node.alone and values[0].kind in ("object", "any", "tuple"):
        return _by_python(b, node.whole, boxed(b, values[0]).ssa)
    if isinstance(node.whole, bytes):
        return _of_bytes(b, node, values)
    pieces = [b.storage.literal(part) if isinstance(part, str) else _piece(b, part, values) for part in node.parts]
    if not pieces:
        return b.storage.literal("")
    return as_text(b, pieces[0]) if len(pieces) == 1 else texts.build(b, pieces, node)


def _of_bytes(b: Body, node: Template, values: list[Value]) -> Value:
    pieces = []
    for part in node.parts:
        if isinstance(part, str):
            pieces.append(b.storage.literal(part.encode("latin-1")))
        elif part.percent and values[part.index].kind in ("float", *_WHOLE):
            number = as_text(b, _piece(b, part, values))
            pieces.append(text(BYTES, number.data, number.size, FALSE, number.keep))
        else:
            pieces.append(_bytes(b, part, values[part.index]))
    return texts.build(b, [*pieces, *[b.storage.literal(b"") for _ in range(2 - len(pieces))]], node)


def _bytes(b: Body, part: Piece, value: Value) -> Value:
    if value.kind == "bytes" and not part.percent:
        return value
    one = display_of(b, [b.storage.lasting(kept(b, value))], "tuple")
    return _by_python(b, (part.percent or "%s").encode(), one.ssa)


def _piece(b: Body, part: Piece, values: list[Value]) -> Value:
    value = values[part.index]
    if value.kind == "u64" and part.percent and part.conversion in "dxXo":
        return formatted(b, value, b.storage.literal(part.spec))
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


def _by_python(b: Body, whole: str | bytes, values: V) -> Value:
    number = const("i32", BINARY_OPS["%"])
    found = owned_object(b, b.frame.call("core_op_binary", number, constant(b, whole).ssa, values))
    return conversion.convert(b, b.storage.lasting(found), BYTES if isinstance(whole, bytes) else STR)
