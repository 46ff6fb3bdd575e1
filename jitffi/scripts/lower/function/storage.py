"""Where values go: addresses of them for calls, temporaries that own them, slots that keep them.

text(value), view(value)    in: the address that a runtime function reads
materialise(value)          the same value, good until the scope's end whatever runs
put(value, slot)            an owned copy in a null slot; an owned value is moved
reference(value)            a new reference to an object; an owned one is moved
read(slot, type)            a value of a type that is known to be in an owned slot
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.function import outlined
from jitffi.scripts.lower.function.emit import FALSE, NULL, SLOT_ATTRIBUTES, P, V, const
from jitffi.scripts.lower.function.values import (
    COUNTED,
    MACHINE,
    OBJECTS,
    TEXTS,
    Value,
    local,
    owned,
    text,
    volatile,
)
from jitffi.scripts.lower.function.views import OBJECT_CODE, Views
from jitffi.scripts.tree.types import ANY, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.frame import Frame
    from jitffi.scripts.lower.function.values import Keep
    from jitffi.scripts.tree.types import Type


class Storage(Views):
    """Values in the memory of a frame."""

    def within(self, frame: Frame) -> Storage:
        """The same in another frame of the module."""
        return Storage(frame)

    # -- keeping -----------------------------------------------------------------------------------------

    def heap_of(self, value: Value) -> V:
        """The heap string that a text lies in, or NULL where it is in a slot or unknown."""
        keep = value.keep
        if keep.object is not None:
            return keep.object
        if keep.place is None or value.kind not in TEXTS:
            return NULL
        e = self.e
        is_heap = e.icmp("eq", e.load("i32", keep.place, 0, "code"), const("i32", layout.OBJECT))
        return e.select(is_heap, e.load("ptr", keep.place, 8, "payload"), NULL, "heap")

    def materialise(self, value: Value) -> Value:
        """The same value, good until this scope's end whatever runs meanwhile: it outlives the call, or is owned."""
        if value.keep.kind in ("outlives", "owned"):
            return value
        if value.kind in COUNTED:
            cell = self.frame.temp_owner(value.kind)
            self.frame.retain(value.kind, value.ssa)
            self.e.store(value.ssa, cell)
            return Value(value.type, value.v, owned(cell))
        if value.kind == "any" and value.keep.kind == "volatile" and value.keep.object is not None:
            # As large as what it comes from, and as a variable that it may go to.
            slot = self.frame.temp_slot(max(self.frame.temporary_pad, self.module.pads.pool))
            self._take(value, value.keep.object, slot)
            return Value(ANY, slot, owned(slot))
        slot = self.frame.temp_slot()
        if value.kind in TEXTS:
            return self.materialise_text(value, slot)
        self.put(value, slot)
        return Value(ANY, slot, owned(slot))

    def _take(self, value: Value, item: V, slot: V) -> None:
        """`put` of an item of a container, where it lies: what is plain or counted takes no call."""
        e, pad = self.e, self.frame.pad_of(slot)
        other, taken = e.label("other"), e.label("taken")
        status = e.call("i32", self.module.fragment("any.take"), [item, slot, const("i32", pad)])
        e.branch(e.icmp("eq", status, const("i32", 0)), taken, other, likely=True)
        e.at(other)
        self.put(value, slot)
        e.br(taken)
        e.at(taken)

    def materialise_text(self, value: Value, slot: V) -> Value:
        """Make a null slot keep the characters: a copy in it, or one more reference to its heap string. It stays null
        where the text turns out to outlive the call."""
        e, place = self.e, value.keep.place
        if self.frame.outlines and value.keep.kind == "local" and place is not None:
            return outlined.materialise_text(self, value, slot, place)
        now = self.frame.scratch(24)
        self.write_text(value, now)
        symbol = "jf_text_hold" if value.kind == "str" else "jf_bytes_hold"
        held = e.label("held")
        if value.keep.kind == "local" and place is not None:
            some = e.label("materialise")
            e.branch(e.icmp("eq", e.load("i32", place, 0, "code"), const("i32", layout.NULL), "outlives"), held, some)
            e.at(some)
        self.frame.call(symbol, P(slot.text, SLOT_ATTRIBUTES), now, self.heap_of(value))
        e.br(held)
        e.at(held)
        return self.read_text(value.type, now, owned(slot))

    def lasting(self, value: Value) -> Value:
        """Good until the end of the scope unless variables are stored to: materialised, where it was volatile."""
        return self.materialise(value) if value.keep.kind == "volatile" else value

    def own(self, value: Value) -> Value:
        """As `materialise`, and owned: what `a, b = b, a` needs of its right sides. Scalars stay as they are."""
        if value.keep.kind == "outlives" and (value.kind in COUNTED or value.kind == "any"):
            return self.materialise(Value(value.type, value.v, volatile()))
        return self.materialise(value)

    def put(self, value: Value, slot: V) -> None:
        """An owned copy of *value* in a null slot that tells its capacity; what is owned is moved there."""
        kind, keep = value.kind, value.keep
        out = P(slot.text, SLOT_ATTRIBUTES)
        if kind in TEXTS:
            self._put_text(value, out)
        elif kind == "char":
            self.frame.call("jf_char_out", value.ssa, out)
        elif kind == "object":
            self.frame.call("core_op_put", value.ssa, out)
        elif kind in OBJECTS:
            self._write_plain(Value(value.type, self.reference(value)), slot)
        elif kind != "any":
            self._write_plain(value, slot)
        elif keep.kind == "owned" and keep.place is not None and keep.place.text == value.ssa.text:
            self.move_slot(value.ssa, slot)
            self.frame.moved(keep.place)
        else:
            self.frame.call("jf_any_retain", self.view(value), out)

    def _put_text(self, value: Value, out: P) -> None:
        """Where the text is all of a heap string that a temporary owns, that is moved; else it is copied."""
        place = value.keep.place
        symbol = "jf_text_out" if value.kind == "str" else "jf_bytes_to"
        if value.keep.kind != "owned" or place is None:
            self.frame.call(symbol, self.text(value), out)
            return
        self.put_from(value, place, out)

    def put_from(self, value: Value, place: V, out: P, pad: int | None = None) -> None:
        """The text in the slot *place* is moved to *out* if it is all of a heap string, else copied."""
        if self.frame.outlines:
            outlined.put_from(self, value, place, out, pad)
            return
        e = self.e
        symbol = "jf_text_out" if value.kind == "str" else "jf_bytes_to"
        heap, whole, copy, done = e.label("heap"), e.label("whole"), e.label("copy"), e.label("put")
        e.branch(e.icmp("eq", e.load("i32", place, 0, "code"), const("i32", layout.OBJECT)), heap, copy)
        e.at(heap)
        held = e.load("ptr", place, 8, "held")
        begins = e.icmp("eq", e.load("ptr", held, layout.STR_DATA, "begin"), value.data)
        e.branch(e.and_(begins, e.icmp("eq", e.load("i64", held, layout.STR_SIZE, "size"), value.size)), whole, copy)
        e.at(whole)
        e.store(OBJECT_CODE, out)
        e.store_word(held, out)
        self.frame.null_slot(place, pad)
        e.br(done)
        e.at(copy)
        self.frame.call(symbol, self.text(value), out)
        e.br(done)
        e.at(done)

    def move_slot(self, from_: V, to: V, pad: int | None = None) -> None:
        """An owned slot's value to a null slot that tells its capacity. *pad*: of the slot that it leaves null."""
        if self.frame.outlines:
            outlined.move_slot(self, from_, to, pad)
            return
        e = self.e
        code = e.load("i32", from_, 0, "code")
        small, plain, done = e.label("small"), e.label("plain"), e.label("moved")
        above = e.sub(code, const("i32", layout.SMALL_BYTES))
        e.branch(e.icmp("ult", above, const("i32", 3), "is.small"), small, plain)
        e.at(small)
        self.frame.call("jf_any_move", P(from_.text, SLOT_ATTRIBUTES), P(to.text, SLOT_ATTRIBUTES))
        e.br(done)
        e.at(plain)
        e.store(e.zext(code, "i64"), to)
        e.store(e.load("i64", from_, 8, "payload"), to, 8)
        e.br(done)
        e.at(done)
        self.frame.null_slot(from_, pad)

    def move_text(self, value: Value, to: V, pad: int | None = None) -> Value:
        """An owned text to a null slot: a heap string is moved there, of small text the part that is asked for; of
        text that outlives the call nothing."""
        e, place = self.e, value.keep.place
        assert place is not None and value.keep.kind == "owned", value
        if self.frame.outlines:
            return outlined.move_text(self, value, to, place, pad)
        heap, small, done = e.label("heap"), e.label("small"), e.label("kept")
        before, code = e.here, e.load("i32", place, 0, "code")
        e.switch(code, small, [(layout.OBJECT, heap), (layout.NULL, done)])
        e.at(heap)
        e.copy(to, place, layout.SLOT_SIZE)
        e.br(done)
        e.at(small)
        # What is no heap string keeps nothing but itself: its owner is nobody.
        copied = self.materialise_text(Value(value.type, None, data=value.data, size=value.size, wide=value.wide), to)
        there = e.here
        e.br(done)
        e.at(done)
        parts = [(value.data, copied.data), (value.size, copied.size), (value.wide, copied.wide)]
        data, size, wide = (a if a.text == c.text else e.phi([(a, before), (a, heap), (c, there)]) for a, c in parts)
        self.frame.null_slot(place, pad)
        self.frame.moved(place)
        return text(value.type, data, size, wide, owned(to))

    def reference(self, value: Value) -> V:
        """The object of a LIST, DICT, TUPLE, FUNC or OBJECT with a reference of the caller's own; a temporary's is
        moved."""
        if value.keep.kind == "owned" and value.keep.place is not None:
            self.e.store(NULL, value.keep.place)
            self.frame.moved(value.keep.place)
        elif value.keep.kind != "transferred":
            self.frame.retain(value.kind, value.ssa)
        return value.ssa

    def new_object(self, type_: Type, object_: V) -> Value:
        """A LIST, DICT, TUPLE, FUNC or OBJECT whose reference, which a call has just given us, this scope owns."""
        cell = self.frame.temp_owner(type_.kind)
        self.e.store(object_, cell)
        return Value(type_, object_, owned(cell))

    def from_cell(self, type_: Type, cell: V) -> Value:
        """The same of what a call has stored in a `temp_cell` or `temp_reference`."""
        return Value(type_, self.e.load("ptr", cell, 0, "object"), owned(cell))

    def any_in(self, slot: V) -> Value:
        """The ANY in a `temp_slot` that a call has filled."""
        return Value(ANY, slot, owned(slot))

    def read(self, slot: V, type_: Type, keep: Keep) -> Value:
        """The value of *type_* that is known to be in an owned slot: nothing is checked. *keep* says whose it is."""
        e, kind = self.e, type_.kind
        if kind == "any":
            return Value(ANY, slot, keep)
        if kind in ("none", "never"):
            return Value(type_, None)
        if kind == "bool":
            return Value(type_, e.trunc(e.load("i64", slot, 8, "payload"), "i1"))
        if kind in ("int", "u64", "float"):
            return Value(type_, e.load(MACHINE[kind], slot, 8, "payload"))
        if kind in OBJECTS:
            return Value(type_, e.load("ptr", slot, 8, "object"), keep)
        assert kind in TEXTS, type_
        return self.read_small_or_heap(slot, type_, keep)

    def read_small_or_heap(self, slot: V, type_: Type, keep: Keep) -> Value:
        """The text of an owned slot that a script's own function has filled: small, or a heap string that is ASCII,
        UCS4 or bytes."""
        if self.frame.outlines:
            return outlined.read_small_or_heap(self, slot, type_, keep)
        e = self.e
        code = e.load("i32", slot, 0, "code")
        heap, small, done = e.label("heap"), e.label("small"), e.label("text")
        e.branch(e.icmp("eq", code, const("i32", layout.OBJECT)), heap, small)
        e.at(heap)
        held = e.load("ptr", slot, 8, "held")
        heap_data, heap_size = (
            e.load("ptr", held, layout.STR_DATA, "data"),
            e.load("i64", held, layout.STR_SIZE, "size"),
        )
        heap_code = e.load("i32", held, 0, "heap.code")
        e.br(done)
        e.at(small)
        small_data = e.offset(slot, 8, "data")
        small_size = e.zext(e.load("i32", slot, 4, "small.size"), "i64")
        e.br(done)
        e.at(done)
        data = e.phi([(heap_data, heap), (small_data, small)], "data")
        size = e.phi([(heap_size, heap), (small_size, small)], "size")
        wide = FALSE
        if type_ == STR:
            held_code = e.phi([(heap_code, heap), (code, small)], "which")
            ucs4 = e.icmp("eq", held_code, const("i32", layout.UCS4))
            wide = e.or_(ucs4, e.icmp("eq", held_code, const("i32", layout.SMALL_UCS4)), "is.wide")
        return text(type_, data, size, wide, keep)

    def result_text(self, type_: Type, slot: V) -> Value:
        """The STR or BYTES that a function of the text library has put into the temp_slot *slot*."""
        return self.read(slot, type_, owned(slot))

    # -- values of any type ------------------------------------------------------------------------------

    def to_any(self, value: Value) -> Value:
        """A slot with an owned copy of it (moved, where it was owned)."""
        slot = self.frame.temp_slot()
        self.put(value, slot)
        return Value(ANY, slot, owned(slot))

    def borrowed_any(self, value: Value) -> Value:
        """A slot with a view of it, for who only reads."""
        return value if value.kind == "any" else Value(ANY, self.view(value), local(None))
