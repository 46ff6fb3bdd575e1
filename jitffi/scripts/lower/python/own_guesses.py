"""Items of lists whose items are taken to be of one type: they have been looked at when the call began, and stay."""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function.emit import FALSE, SLOT_ATTRIBUTES, P, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import OUTLIVES, Value, text
from jitffi.scripts.lower.function.variables import WIDE_PAD

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


@of_kind("convert", ("guess", "float"))
def _float(b: Body, item: Value, type_: Type) -> Value:
    return Value(type_, b.e.load("double", item.ssa, HOST["float.value"], "item"))


@of_kind("convert", ("guess", "int"))
def _int(b: Body, item: Value, type_: Type) -> Value:
    place = b.frame.scratch(8)
    b.frame.call("core_op_int", item.ssa, place)
    return Value(type_, b.e.load("i64", place, 0, "item"))


@of_kind("convert", ("guess", "str"))
def _str(b: Body, item: Value, type_: Type) -> Value:
    """Where it lies, if it is ASCII."""
    e = b.e
    join = Join(b, type_)
    join.p = b.frame.temp_slot(WIDE_PAD)
    ascii_, other, done = e.label("ascii"), e.label("other"), e.label("text")
    state = e.and_(e.load("i32", item.ssa, HOST["unicode.state"], "state"), const("i32", HOST["unicode.mask"]))
    e.branch(e.icmp("eq", state, const("i32", HOST["unicode.ascii"]), "is.ascii"), ascii_, other, likely=True)
    e.at(ascii_)
    size = e.load("i64", item.ssa, HOST["unicode.length"], "size")
    join.set(text(type_, e.offset(item.ssa, HOST["unicode.data"], "data"), size, FALSE, OUTLIVES))
    e.br(done)
    e.at(other)
    now = b.frame.scratch(24)
    b.frame.call("core_op_guessed_text", item.ssa, P(join.p.text, SLOT_ATTRIBUTES), now)
    join.set(b.storage.read_text(type_, now, OUTLIVES))  # or lies where the result's owner is
    e.br(done)
    e.at(done)
    found = join.get()
    found.origin = item.ssa
    return found
