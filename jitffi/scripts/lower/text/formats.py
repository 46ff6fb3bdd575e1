"""F-strings, and what str(), repr(), int(), float() and the like make of values or of text.

The pieces of an f-string go into one text at its end: constants and STR as they lie, an INT as its digits in the frame.
Only what has a format of its own, or is of another type, is text of its own before.
"""

from __future__ import annotations

from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import FALSE, SLOT_ATTRIBUTES, P, const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value, local, text
from jitffi.scripts.lower.text import texts
from jitffi.scripts.lower.text.texts import as_text, is_text
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


@expression(tree.Format)
def format_(b: Body, node: tree.Format) -> Value:
    pieces: list[Value] = []
    for part in node.parts:
        pieces.append(b.storage.literal(part) if isinstance(part, str) else _field(b, part))
    if not pieces:
        return b.storage.literal("")
    if len(pieces) == 1:
        return as_text(b, pieces[0])
    return texts.build(b, pieces, node)


def _field(b: Body, field: tree.Field) -> Value:
    value = b.storage.lasting(b.expr(field.value))
    value = converted(b, value, field.conversion)
    spec = field.spec
    return formatted(b, value, format_(b, spec) if spec is not None and spec.parts else None)


def converted(b: Body, value: Value, conversion_: str) -> Value:
    """`!s`, `!r` or `!a` of it; "": itself."""
    return {"s": str_, "r": repr_, "a": ascii_}[conversion_](b, value) if conversion_ else value


def formatted(b: Body, value: Value, spec: Value | None = None) -> Value:
    """format(value, spec)"""
    if spec is None or spec.const == "":
        if value.kind not in ("any", "func", "object"):
            return str_(b, value)
        spec = b.storage.literal("")  # str() of it can be another text than format()
    if not is_text(spec):
        assert spec.kind == "any", spec
        spec = conversion.convert(b, spec, STR)
    slot = texts.new_slot(b)
    b.frame.call("jf_op_format", b.storage.shown(value), b.storage.text(spec), slot)
    return b.storage.result_text(STR, slot)


def str_(b: Body, value: Value) -> Value:
    """str(value), a STR or CHAR"""
    if is_text(value):
        return value
    if value.kind == "int":
        return _int(b, value)
    if value.kind == "bool":
        return _bool(b, value)
    if value.kind == "none":
        return b.storage.literal("None")
    return _made(b, "jf_op_str", value)


def repr_(b: Body, value: Value) -> Value:
    """repr(value), a STR"""
    return str_(b, value) if value.kind in ("int", "bool", "none") else _made(b, "jf_op_repr", value)


def ascii_(b: Body, value: Value) -> Value:
    """ascii(value), a STR"""
    return str_(b, value) if value.kind in ("int", "bool", "none") else _made(b, "jf_op_ascii", value)


def _made(b: Body, symbol: str, value: Value) -> Value:
    slot = texts.new_slot(b)
    b.frame.call(symbol, b.storage.shown(value), slot)
    return b.storage.result_text(STR, slot)


def _int(b: Body, value: Value) -> Value:
    if isinstance(value.const, int):
        return b.storage.literal(str(value.const))
    buffer, out = b.frame.scratch(24), P(b.frame.scratch(3 * b.abi.pointer_bytes).text, SLOT_ATTRIBUTES)
    b.frame.call("jf_text_of_int", value.ssa, buffer, out)
    found = b.storage.read_text(STR, out, local(None))
    return text(STR, found.data, found.size, FALSE, local(None))


def _bool(b: Body, value: Value) -> Value:
    yes, no, e = b.storage.literal("True"), b.storage.literal("False"), b.e
    size = e.select(value.ssa, const("i64", 4), const("i64", 5), "size")
    return text(STR, e.select(value.ssa, yes.data, no.data, "data"), size, FALSE, yes.keep)
