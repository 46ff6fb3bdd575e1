"""Fields of objects of registered classes, read and written in their places (library/instances.py).

What the class of an object is now is compared with what was seen at this place of the code before; where it is another,
script_field.c goes Python's way.
"""

from __future__ import annotations

import sys

from jitffi.base import layout
from jitffi.base.layout import HOST
from jitffi.scripts.library import instances
from jitffi.scripts.lower.containers import fragments, items, lists, maps
from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.emit import NULL, V, const, double
from jitffi.scripts.lower.function.values import TEXTS, Value, local, volatile
from jitffi.scripts.lower.numbers import as_float
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, BYTES, FLOAT, OBJECT, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


def read(b: Body, value: Value, name: str, type_: Type) -> Value | None:
    """The number, or what lies in a slot, in that field, which inference has taken for one of *type_*; None where it is
    none."""
    field = instances.find(value.type, name)
    if field is None or not field.is_value or field.type != type_:
        return None
    if field.kind == instances.SLOT:
        return _read_slot(b, value, field)
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


def _read_slot(b: Body, value: Value, field: instances.Field) -> Value:
    """Text, or what may be None, where it lies."""
    e, found, done = b.e, b.e.alloca("ptr", field.name), b.e.label("field")
    cache = b.module.python_cache()

    def slow() -> None:
        slot = b.frame.temp_slot(0)
        b.frame.call("core_op_slot_field", value.ssa, b.module.python_attribute(field.name), _word(field), cache, slot)
        e.store(slot, found)

    e.store(_place(b, value, field, cache, slow, done), found)
    e.br(done)
    e.at(done)
    place = e.load("ptr", found, 0, "slot")
    if field.type == STR:
        return items.read_str(b, place)
    if field.type == BYTES:
        is_heap = e.icmp("eq", e.load("i32", place, 0, "code"), const("i32", layout.OBJECT), "is.heap")
        return items.read_bytes(b, e.select(is_heap, e.load("ptr", place, layout.SLOT_PAYLOAD, "heap"), place, "bytes"))
    return Value(field.type, place, volatile())


def read_container(b: Body, value: Value, name: str, type_: Type) -> Value | None:
    """The container or array in that field; None where it is none of the type that inference has taken it for."""
    field = instances.find(value.type, name)
    if field is None or not field.is_container or field.type != type_:
        return None
    e, found, done = b.e, b.e.alloca("ptr", name), b.e.label("field")
    cache = b.module.python_cache()

    kind = const("i32", field.array)

    def slow() -> None:
        cell = b.frame.temp_owner(type_.kind)
        given = value.ssa, b.module.python_attribute(name), _word(field)
        if field.array:
            e.store(b.frame.call("core_op_array_field", *given, kind, cache), cell)
        else:
            e.store(b.frame.call("core_op_container_field", *given, cache), cell)
        e.store(e.load("ptr", cell, 0, "owned"), found)

    if field.array:
        _find_array(b, value, field, cache, slow, done, found)
    else:
        place = _place(b, value, field, cache, slow, done)
        e.store(b.frame.call("core_op_container_at", place, const("i32", field.shape)), found)
        e.br(done)
    e.at(done)
    return Value(type_, e.load("ptr", found, 0, name), volatile())


def _find_array(
    b: Body, value: Value, field: instances.Field, cache: V, slow: Callable[[], None], done: str, found: V
) -> None:
    """Where another array is there than code was made for, *slow* looks at it, too."""
    e, other, on = b.e, b.e.label("other.array"), b.e.label("array")

    def go_on() -> None:
        e.br(other)

    place = _place(b, value, field, cache, go_on, other)
    array = b.frame.call("core_op_array_at", place, const("i32", field.array))
    e.branch(e.is_null(array), other, on, likely=False)
    e.at(other)
    slow()
    e.br(done)
    e.at(on)
    e.store(array, found)
    e.br(done)


def leave_unset(b: Body, node: tree.Expr, then: str, other: str) -> None:
    """Go to *other*, as for None, where nothing has been put into the field yet; where the class is another one by now,
    to where Python says."""
    if not isinstance(node, tree.Item) or not isinstance(node.index, tree.MemberName):
        return
    if not isinstance(node.value, tree.Local):  # what else there is would be evaluated twice
        return
    name, value = node.index.name, b.storage.lasting(b.expr(node.value))
    field = instances.find(value.type, name)
    if field is None:
        return
    e, cache, on = b.e, b.module.python_cache(), b.e.label("is.set")

    def slow() -> None:
        given = value.ssa, b.module.python_attribute(name), _word(field), cache
        found = b.storage.new_object(OBJECT, b.frame.call("core_op_object_field", *given))
        is_true = b.frame.call("core_op_truth", found.ssa)
        e.branch(e.icmp("ne", is_true, const("i32", 0), "is.true"), then, other)

    place = _place(b, value, field, cache, slow, on)
    e.branch(e.is_null(e.load("ptr", place, 0, "held")), other, on, likely=False)
    e.at(on)


registry.UNSET.append(leave_unset)


def container_in(b: Body, node: tree.Item, container: Value) -> Value | None:
    """The container that an item of one in a field is, where it lies; None where Python finds the item."""
    e, held = b.e, instances.container_of(container.type.args[-1].key) if container.type.args else None
    if held is None or node.type != held[1]:
        return None
    if container.kind == "dict":
        place = e.offset(maps.seek(b, container, maps.key_of(b, container, node.index)), maps.value_offset(b), "place")
    elif container.kind == "list" and node.index.type.kind in ("int", "bool"):
        at = lists.place_of(b, container.ssa, b.expr(node.index), "list index out of range")
        place = e.index(e.load("ptr", container.ssa, fragments.ITEMS, "items"), b.abi.pointer_bytes, at, "place")
    else:
        return None
    return Value(node.type, b.frame.call("core_op_container_at", place, const("i32", held[0])), volatile())


def read_object(b: Body, value: Value, name: str, type_: Type) -> Value | None:
    """The object in that field; None where it is none of the type that inference has taken it for."""
    field = instances.find(value.type, name)
    if field is None or field.is_value or field.is_container or field.type != type_:
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
    """Whether a value was written to such a field."""
    field = instances.find(value.type, name)
    if field is None or not instances.takes(field, given.kind):
        return False
    e, done, other = b.e, b.e.label("written"), b.e.label("other")
    cache = b.module.python_cache()
    number = _narrowed(b, field, given, other) if field.element else None
    if number is None:
        _go_on_as_it_is(b, field, given, other)

    def slow() -> None:
        e.br(other)

    place = _place(b, value, field, cache, slow, done)
    if number is not None:
        e.store(number, place, 0, align=1)
    else:
        _write_slot(b, given, place)
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        python = boxed(b, given).ssa
        b.frame.call("core_op_set_field", value.ssa, b.module.python_attribute(name), python, _word(field), cache)
    e.br(done)
    e.at(done)
    return True


def _go_on_as_it_is(b: Body, field: instances.Field, given: Value, other: str) -> None:
    """What is no ASCII lies in a field as UTF-8, which Python makes, at *other*, as of what is not of the field's
    type."""
    e = b.e
    if given.kind == "any":
        code = e.load("i32", given.ssa, 0, "code")
        is_none = e.icmp("eq", code, const("i32", layout.NULL), "is.none")
        _go_on(b, e.or_(is_none, e.icmp("eq", code, const("i32", instances.CODES[field.inner]), "is.it")), other)
    elif given.kind == "str":
        _go_on(b, b.e.not_(given.wide), other)
    elif given.kind == "char":
        _go_on(b, b.e.icmp("ult", given.ssa, const("i32", 128), "is.ascii"), other)


def _write_slot(b: Body, given: Value, place: V) -> None:
    """A copy in the place of what is there, which is released."""
    e, written = b.e, b.e.label("written.slot")
    words = _words_of(given.const)
    made = b.frame.temp_slot(0) if words is None else NULL
    if words is None:
        b.storage.put(_copied(given), made)
    code, held = e.load("i32", place, 0, "code"), e.load("ptr", place, layout.SLOT_PAYLOAD, "held")
    if words is None:
        e.copy(place, made, layout.SLOT_SIZE)
        b.frame.null_slot(made)
    else:
        e.store(const("i64", words[0]), place)
        e.store(const("i64", words[1]), place, layout.SLOT_PAYLOAD)
    release = e.label("release")
    e.branch(e.icmp("eq", code, const("i32", layout.OBJECT), "is.heap"), release, written, likely=False)
    e.at(release)
    b.frame.call("jf_object_release", held)
    e.br(written)
    e.at(written)


def _copied(given: Value) -> Value:
    """The same, for who may not move it."""
    if given.kind not in TEXTS:
        return Value(given.type, given.v, local(None))
    return Value(given.type, given.v, local(None), data=given.data, size=given.size, wide=given.wide)


def _words_of(constant: object) -> tuple[int, int] | None:
    """The slot of a short text that is known; None of others."""
    if not isinstance(constant, str) or not constant.isascii() or not 1 < len(constant) < layout.SLOT_PAYLOAD:
        return None
    code = layout.SMALL_STR & 0xFFFFFFFF
    return code | len(constant) << 32, int.from_bytes(constant.encode(), sys.byteorder)


def _word(field: instances.Field) -> V:
    """As script_field.c has it."""
    return const("i64", field.kind | field.offset << 8 | field.shape << 40)


def _place(b: Body, value: Value, field: instances.Field, cache: V, slow: Callable[[], None], done: str) -> V:
    """The address of the field, where the class is what it was. What *slow* writes for where it is not goes on at
    *done*, or leads elsewhere."""
    e = b.e
    same, there, other = e.label("same.class"), e.label("there"), e.label("other.class")
    e.branch(is_seen(b, value, cache), same, other, likely=True)
    e.at(same)
    native = e.load("ptr", value.ssa, HOST["wrapper.object"], "native")
    place = e.offset(native, field.offset, "field")
    is_there = e.icmp("ne", native, NULL, "is.there")
    if field.type in (STR, BYTES) and field.kind == instances.SLOT:  # which native code may have left empty
        look = e.label("look")
        e.branch(is_there, look, other, likely=True)
        e.at(look)
        is_there = e.icmp("ne", e.load("i32", place, 0, "code"), const("i32", layout.NULL), "is.filled")
    e.branch(is_there, there, other, likely=True)
    e.at(other)
    slow()
    if e.is_open:
        e.br(done)
    e.at(there)
    return place


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
