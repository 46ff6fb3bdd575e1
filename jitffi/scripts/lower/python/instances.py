"""Fields of objects of registered classes that are numbers, read and written in their places (library/instances.py).

What the class of an object is now is compared with what was seen at this place of the code before; where it is another,
script_field.c goes Python's way.
"""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.library import instances
from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.function.emit import NULL, V, const, double
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.numbers import as_float
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.tree.types import BOOL, FLOAT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


def read(b: Body, value: Value, name: str, type_: Type) -> Value | None:
    """The number in that field, which inference has taken for one of *type_*; None where it is none."""
    field = instances.find(value.type, name)
    if field is None or not field.element or field.type != type_:
        return None
    e, wide = b.e, "double" if field.type == FLOAT else "i64"
    found, done = e.alloca(wide, name), e.label("field")
    cache = b.module.python_cache()

    def slow() -> None:
        given = value.ssa, b.module.python_attribute(name), _word(field), cache, found
        b.frame.call("core_op_field", *given)

    place = _place(b, value, field, cache, slow, done)
    e.store(_widened(b, field, e.load(instances.NUMBERS[field.element][1], place, 0, name, align=1), wide), found)
    e.br(done)
    e.at(done)
    number = e.load(wide, found, 0, name)
    return Value(field.type, e.trunc(number, "i1") if field.type == BOOL else number)


def read_object(b: Body, value: Value, name: str, type_: Type) -> Value | None:
    """The object in that field; None where it is none of the type that inference has taken it for."""
    field = instances.find(value.type, name)
    if field is None or field.element or field.type != type_:
        return None
    e, done = b.e, b.e.label("field")
    found, cache = b.frame.temp_owner("object"), b.module.python_cache()

    def slow() -> None:
        e.store(
            b.frame.call("core_op_object_field", value.ssa, b.module.python_attribute(name), _word(field), cache), found
        )

    place = _place(b, value, field, cache, slow, done)
    e.store(b.frame.call("core_op_object_at", place), found)
    e.br(done)
    e.at(done)
    return b.storage.from_cell(type_, found)


def write(b: Body, value: Value, name: str, given: Value) -> bool:
    """Whether a number was written to such a field."""
    field = instances.find(value.type, name)
    if field is None or not instances.takes(field, given.kind):
        return False
    e, done, other = b.e, b.e.label("written"), b.e.label("other")
    cache = b.module.python_cache()
    number = _narrowed(b, field, given, other)

    def slow() -> None:
        e.br(other)

    place = _place(b, value, field, cache, slow, done)
    e.store(number, place, 0, align=1)
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        python = boxed(b, given).ssa
        b.frame.call("core_op_set_field", value.ssa, b.module.python_attribute(name), python, _word(field), cache)
    e.br(done)
    e.at(done)
    return True


def _word(field: instances.Field) -> V:
    """As script_field.c has it."""
    kind = instances.NUMBERS[field.element][0] if field.element else instances.OBJECT
    return const("i64", kind | field.offset << 8)


def _place(b: Body, value: Value, field: instances.Field, cache: V, slow: Callable[[], None], done: str) -> V:
    """The address of the field, where the class is what it was. What *slow* writes for where it is not goes on at
    *done*, or leads elsewhere."""
    e = b.e
    same, there, other = e.label("same.class"), e.label("there"), e.label("other.class")
    e.branch(is_seen(b, value, cache), same, other, likely=True)
    e.at(same)
    native = e.load("ptr", value.ssa, HOST["wrapper.object"], "native")
    e.branch(e.icmp("ne", native, NULL, "is.there"), there, other, likely=True)
    e.at(other)
    slow()
    if e.is_open:
        e.br(done)
    e.at(there)
    return e.offset(native, field.offset, "field")


def is_seen(b: Body, value: Value, cache: V) -> V:
    """Whether the class of an object is as it was when script_field.c has noted it."""
    e = b.e
    version = e.load("i32", e.load("ptr", value.ssa, HOST["object.type"], "class"), HOST["type.version"], "version")
    seen = e.xor(e.load("i32", cache, 0, "seen"), const("i32", -1), "seen")
    return e.icmp("eq", version, seen, "is.seen")


def _widened(b: Body, field: instances.Field, number: V, wide: str) -> V:
    """What lies in memory, as a script has it."""
    if field.type == FLOAT:
        return b.e.cast("fpext", number, wide)
    return b.e.cast("sext" if field.element.startswith("i") else "zext", number, wide)


def _narrowed(b: Body, field: instances.Field, given: Value, other: str) -> V:
    """A number as it lies in memory. One that is beyond the field is Python's to refuse, at *other*."""
    e, machine = b.e, instances.NUMBERS[field.element][1]
    if field.type == BOOL:
        return e.zext(given.ssa, "i8")
    if field.type == FLOAT:
        wide = as_float(b, given)
        if field.element == "f64":
            return wide
        narrow = e.cast("fptrunc", wide, machine)
        infinity = double(float("inf"))
        is_infinite = e.fcmp("oeq", e.intrinsic("llvm.fabs", "double", e.cast("fpext", narrow, "double")), infinity)
        _go_on(b, e.not_(is_infinite), other)
        return narrow
    if given.kind == "u64":
        return given.ssa
    whole = lists.as_int(b, given)
    narrow = whole if machine == "i64" else e.trunc(whole, machine)
    if field.element == "u64":
        _go_on(b, e.icmp("sge", whole, const("i64", 0), "fits"), other)
    elif machine != "i64":
        _go_on(b, e.icmp("eq", _widened(b, field, narrow, "i64"), whole, "fits"), other)
    return narrow


def _go_on(b: Body, fits: V, other: str) -> None:
    on = b.e.label("fits")
    b.e.branch(fits, on, other, likely=True)
    b.e.at(on)
