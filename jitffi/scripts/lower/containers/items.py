"""Items of lists, tuples and maps: how one is read where it lies, and how a value becomes one.

An item is an address: of a slot (its code is negative) or of an object. What is read from there is volatile: it is good
until anything else runs, and `Storage.materialise` makes it last.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers import fragments
from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import NULL, READ_ATTRIBUTES, SLOT_ATTRIBUTES, P, V, captured, const
from jitffi.scripts.lower.function.values import OBJECTS, Value, bool_, char, float_, text, volatile
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, BYTES, STR, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeGuard

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.frame import Frame

#: The codes of objects, by the kind of type whose values they are.
CODES = {
    "list": layout.LIST, "set": layout.SET, "dict": layout.MAP, "tuple": layout.TUPLE, "func": layout.FUNCTION,
}  # fmt: skip
#: Offsets in a heap str or bytes (abi.h, jf_str).
TEXT_DATA, TEXT_SIZE = 16, 24
HEAP_BYTES = 35


def call_fragment(b: Body, name: str, result: str, *args: V) -> V:
    """Call a function of fragments.py."""
    return b.e.call(result, b.module.fragment(name), list(args))


def slot_of(frame: Frame, item: V) -> P:
    """The address of a slot for an item: the item itself, or one of this scope that borrows the object."""
    e = frame.e
    code = e.load("i32", item, 0, "code")
    memory = frame.scratch(layout.SLOT_SIZE)
    own_code = e.icmp("sle", code, const("i32", 3), "own.code")  # of S1: the object's own code stands in the slot
    slot_code = e.select(own_code, code, const("i32", layout.OBJECT))
    e.store(e.zext(slot_code, "i64"), memory)
    e.store_word(item, memory)
    is_slot = e.icmp("slt", code, const("i32", 0), "is.slot")
    return P(e.select(is_slot, item, memory, "slot").text, READ_ATTRIBUTES)


def _name(b: Body) -> str:
    """What messages call it: what it is converted for, where that has a name."""
    return "item" if b.naming == "value" else b.naming


def mistyped(b: Body, item: V, type_: Type) -> None:
    """Close this block: what an annotation has promised of a container's items does not hold."""
    function, name = b.module.c_string(b.frame.function_name), b.module.c_string(_name(b))
    got = slot_of(b.frame, item)
    b.frame.call("jf_script_mistyped", function, name, b.module.c_string(conversion.worded(type_)), got)


def expect(b: Body, item: V, code: int, type_: Type) -> None:
    """Fail unless the item's code is this one."""
    e = b.e
    on, cold = e.label("typed"), e.label("mistyped")
    is_it = e.icmp("eq", e.load("i32", item, 0, "code"), const("i32", code), "is." + type_.kind)
    e.branch(is_it, on, cold, likely=True)
    e.at(cold)
    mistyped(b, item, type_)
    e.at(on)


def read_number(b: Body, at: V, type_: Type, otherwise: Callable[[], None]) -> Value:
    """The INT, U64 or FLOAT that a slot, or an item, holds: a bool is good for an int, an int for a float. `otherwise`
    closes the block where it is something else."""
    e, kind = b.e, type_.kind
    code = e.load("i32", at, 0, "code")
    quick, other, wrong, done = e.label(kind), e.label("no." + kind), e.label("mistyped"), e.label("number")
    own = layout.FLOAT if kind == "float" else layout.INT
    if kind != "u64":
        is_own = e.icmp("eq", code, const("i32", own), "is." + kind)
        e.branch(is_own, quick if kind == "float" else done, other, likely=True)
        e.at(other)
    if kind == "int":
        e.branch(e.icmp("eq", code, const("i32", layout.BOOL)), done, wrong)
    elif kind == "u64":
        whole = e.label("whole")
        e.switch(code, wrong, [(layout.INT, whole), (layout.UINT, done), (layout.BOOL, done)])
        e.at(whole)
        e.branch(e.icmp("slt", e.load("i64", at, 8, "int"), const("i64", 0)), wrong, done)
    else:
        whole, large = e.label("whole"), e.label("large")
        e.switch(code, wrong, [(layout.INT, whole), (layout.BOOL, whole), (layout.UINT, large)])
        ways = []
        for block, how in ((quick, ""), (whole, "sitofp"), (large, "uitofp")):
            e.at(block)
            found = e.load("i64" if how else "double", at, 8, kind)
            ways.append((e.cast(how, found, "double") if how else found, block))
            e.br(done)
    e.at(wrong)
    otherwise()
    e.at(done)
    return float_(e.phi(ways, "float")) if kind == "float" else Value(type_, e.load("i64", at, 8, "int"))


def expect_length(b: Body, object_: V, type_: Type, otherwise: Callable[[], None]) -> None:
    """Fail where a tuple has not as many items as its type; `otherwise` closes the block."""
    if type_.kind != "tuple" or type_.args is None:
        return
    e = b.e
    on, cold = e.label("all"), e.label("mistyped")
    size = e.load_size(object_, fragments.SIZE, "size")
    e.branch(e.icmp("eq", size, const("i64", len(type_.args)), "has.all"), on, cold, likely=True)
    e.at(cold)
    otherwise()
    e.at(on)


def fitted(b: Body, value: Value, type_: Type) -> Value:
    """What is put into a container whose items are of that type: an int becomes a float where there are floats."""
    if not becomes_float(value.type, type_):
        return value
    if value.parts is None:
        return conversion.convert(b, value, type_)
    assert type_.args
    return Value(type_, None, parts=[fitted(b, *each) for each in zip(value.parts, type_.args, strict=True)])


def becomes_float(given: Type, wanted: Type) -> bool:
    """Whether a value is an int, or a tuple with one, where a float is to be."""
    if given.kind == wanted.kind == "tuple" and given.args and wanted.args:
        return len(given.args) == len(wanted.args) and any(map(becomes_float, given.args, wanted.args))
    return wanted.kind == "float" and given.kind in ("int", "bool")


def read(b: Body, item: V, type_: Type, keep: P | None = None) -> Value:
    """The value of an item that is of *type_*, as inference or an annotation says: one look at its code tells. *keep*:
    a null slot for text that has to be made; None: a temporary."""
    e, kind = b.e, type_.kind
    if kind in ("int", "u64", "float"):
        return read_number(b, item, type_, lambda: mistyped(b, item, type_))
    if kind == "array":
        return registry.CONVERT["any", "array"](b, Value(ANY, slot_of(b.frame, item), volatile()), type_)
    if kind == "bool":
        expect(b, item, layout.BOOL, type_)
        return bool_(e.trunc(e.load("i64", item, 8, "payload"), "i1"))
    if kind == "vector":  # in a list that nobody else sees (vectors.py of inference), so there is nothing else in it
        return Value(type_, item, volatile())
    if kind in OBJECTS:
        expect(b, item, CODES[kind], type_)
        expect_length(b, item, type_, lambda: mistyped(b, item, type_))
        return Value(type_, item, volatile())
    if kind == "char":
        return read_char(b, item)
    if kind == "str":
        return read_str(b, item, keep)
    if kind == "bytes":
        return read_bytes(b, item)
    if kind == "none":
        return Value(type_, None)
    if kind == "object":  # in a field of a registered class: what it is said to be is looked at where it is used
        return b.storage.new_object(type_, b.frame.call("core_op_object_item", item))
    return Value(ANY, slot_of(b.frame, item), volatile(item))


def read_char(b: Body, item: V) -> Value:
    """A CHAR; anything but one in a slot takes a call."""
    e = b.e
    found = e.alloca("i32", "char")
    quick = call_fragment(b, "item.char", "i32", item)
    e.store(quick, found)
    slow, done = e.label("char.slow"), e.label("char.read")
    e.branch(e.icmp("slt", quick, const("i32", 0)), slow, done, likely=False)
    e.at(slow)
    wide = b.frame.scratch(8)
    b.frame.call("jf_op_ord", slot_of(b.frame, item), wide)
    e.store(e.trunc(e.load("i64", wide, 0), "i32"), found)
    e.br(done)
    e.at(done)
    return char(e.load("i32", found, 0, "char"))


def read_str(b: Body, item: V, keep: P | None = None) -> Value:
    """A STR; the item can also be the address of any slot."""
    e, keep = b.e, keep or b.frame.temp_slot(0)
    out = b.frame.scratch(32)
    status = call_fragment(b, "item.text", "i32", item, out, captured(keep))
    on, bad, no_str = e.label("text"), e.label("no.text"), e.label("no.str")
    e.branch(e.icmp("eq", status, const("i32", 0)), on, bad, likely=True)
    e.at(bad)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), no_str)
    e.at(no_str)
    mistyped(b, item, STR)
    e.at(on)
    wide = e.icmp("ne", e.load("i32", out, 16, "wide"), const("i32", 0), "is.wide")
    held = e.load("ptr", out, 24, "heap")
    return text(STR, e.load("ptr", out, 0, "data"), e.load("i64", out, 8, "size"), wide, volatile(held))


def read_bytes(b: Body, item: V) -> Value:
    """A BYTES: in a slot, or a heap object."""
    e = b.e
    code = e.load("i32", item, 0, "code")
    small, heap, other, done = e.label("small"), e.label("heap"), e.label("mistyped"), e.label("bytes")
    e.switch(code, other, [(layout.SMALL_BYTES, small), (HEAP_BYTES, heap)])
    e.at(other)
    mistyped(b, item, BYTES)
    e.at(small)
    small_data = e.offset(item, layout.SLOT_PAYLOAD, "data")
    small_size = e.zext(e.load("i32", item, layout.SLOT_SMALL_LEN), "i64")
    e.br(done)
    e.at(heap)
    heap_data, heap_size = e.load("ptr", item, TEXT_DATA), e.load_size(item, TEXT_SIZE)
    at_heap = e.here
    e.br(done)
    e.at(done)
    data = e.phi([(small_data, small), (heap_data, at_heap)], "data")
    size = e.phi([(small_size, small), (heap_size, at_heap)], "size")
    held = e.phi([(NULL, small), (item, at_heap)], "heap")
    return text(BYTES, data, size, const("i1", 0), volatile(held))


# -- into containers ------------------------------------------------------------------------------------------------


def stored(b: Body, value: Value) -> P:
    """A view from which a container makes an item: ASCII text is narrow, and an object that a temporary owns is moved
    (to be told by `done` after the call has succeeded)."""
    if value.kind == "str" and value.wide.text != "false":
        return _narrowed(b, value)
    if value.kind == "char" and not isinstance(value.const, str):
        slot = P(b.frame.scratch(layout.SLOT_SIZE).text, SLOT_ATTRIBUTES)
        b.e.store(const("i64", 8 << 32 | layout.NULL & 0xFFFFFFFF), slot)
        b.e.store(const("i64", 0), slot, 8)
        b.frame.call("jf_char_out", value.ssa, slot)
        return slot
    b.module.keeps_arrays |= value.kind == "array"
    if is_movable(value):
        assert value.keep.place
        view = b.frame.scratch(layout.SLOT_SIZE)
        b.e.store(const("i64", layout.RVALUE & 0xFFFFFFFF), view)
        b.e.store_word(value.keep.place, view)
        return P(view.text)
    return b.storage.view(value)


def stored_at(b: Body, value: Value, memory: V) -> None:
    """The same into an array of views, all of 16 bytes; nothing is moved."""
    if value.kind == "char" or (value.kind == "str" and value.wide.text != "false"):
        # By way of an owned slot, which may be longer than 16 bytes.
        b.frame.call("jf_any_view", stored(b, value), memory)
    else:
        b.storage.view_at(value, memory)


def stored_views(b: Body, values: list[Value]) -> P:
    """The same of several: an array of views."""
    views = b.frame.scratch(layout.SLOT_SIZE * max(len(values), 1))
    for i, value in enumerate(values):
        stored_at(b, value, b.e.offset(views, layout.SLOT_SIZE * i))
    return views


#: Tuples of more are made of views, and always (jf_tuple_of_parts).
MOST_PARTS = 8


def is_unmade(node: tree.Expr) -> TypeGuard[tree.TupleOf]:
    """A tuple that a dict can be asked for, and a list can be given, without one."""
    return isinstance(node, tree.TupleOf) and 0 < len(node.items) <= MOST_PARTS


def unmade(b: Body, node: tree.TupleOf) -> Value:
    """Its parts alone, good while other things are evaluated."""
    return Value(node.type, None, parts=b.exprs(node.items))


def parts_of(b: Body, values: list[Value]) -> tuple[P, V, V]:
    """What jf_tuple_of_parts takes: addresses of up to 8 views, slots and objects; how many; which of them bring their
    reference along, to be told by `parts_taken` after the call has succeeded."""
    parts = b.frame.scratch(b.abi.pointer_bytes * len(values))
    moved = 0
    for i, value in enumerate(values):
        b.e.store(_part(b, value), parts, b.abi.pointer_bytes * i)
        moved |= is_movable(value) << i
    return parts, b.frame.size_arg(const("i64", len(values))), const("i32", moved)


def parts_taken(b: Body, values: list[Value]) -> None:
    for value in filter(is_movable, values):
        assert value.keep.place
        b.e.store(NULL, value.keep.place)
        b.frame.moved(value.keep.place)


def _part(b: Body, value: Value) -> V:
    if value.kind in OBJECTS:
        b.module.keeps_arrays |= value.kind == "array"
        return value.ssa
    if value.kind != "any":
        return stored(b, value)
    if value.keep.object is not None:
        return value.keep.object
    is_object = b.e.icmp("sgt", b.e.load("i32", value.ssa, 0, "code"), const("i32", 0), "is.object")
    return b.e.select(is_object, b.e.load("ptr", value.ssa, 8, "object"), value.ssa, "part")


def is_movable(value: Value) -> bool:
    """It is an object, and the reference to it is in a cell of ours that nobody needs any more."""
    return value.kind in OBJECTS and value.keep.kind == "owned" and value.keep.place is not None


def done(b: Body, value: Value) -> None:
    """What `stored` has given was taken."""
    if is_movable(value):
        assert value.keep.place
        b.frame.moved(value.keep.place)


def _narrowed(b: Body, value: Value) -> P:
    """A view of text that may be wide: only an owned copy is sure to be narrow where it can."""
    e = b.e
    place = e.alloca("ptr", "view")
    wide, narrow, on = e.label("wide"), e.label("narrow"), e.label("view")
    slot = b.frame.temp_slot(max(3, b.frame.temporary_pad))
    e.branch(value.wide, wide, narrow, likely=False)
    e.at(wide)
    b.frame.call("jf_text_out", b.storage.text(value), slot)
    e.store(slot, place)
    e.br(on)
    e.at(narrow)
    e.store(b.storage.view(value), place)
    e.br(on)
    e.at(on)
    return P(e.load("ptr", place, 0, "view").text, READ_ATTRIBUTES)
