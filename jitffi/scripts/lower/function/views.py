"""Values as what runtime functions read: addresses of texts, and of slots that borrow."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.function.emit import FALSE, READ_ATTRIBUTES, P, V, captured, const
from jitffi.scripts.lower.function.values import OBJECTS, OUTLIVES, Value, local, text
from jitffi.scripts.tree.types import ANY, BYTES, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.frame import Frame
    from jitffi.scripts.lower.function.values import Keep
    from jitffi.scripts.tree.types import Type

OBJECT_CODE = const("i64", layout.OBJECT & 0xFFFFFFFF)
FUNCTION_CODE = const("i64", layout.FUNCTION)


class Views:
    """Of values in a frame."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.module = frame.module
        self.abi = frame.abi
        self.e = frame.e

    # -- addresses ---------------------------------------------------------------------------------------

    def text(self, value: Value) -> P:
        """The address of a jf_text of a STR, BYTES or CHAR; good until the scope's end."""
        if value.kind == "char":
            value = self.char_text(value)
        if value.v is not None:
            return P(value.v.text, READ_ATTRIBUTES)
        memory = self.frame.scratch(24)
        self.write_text(value, memory)
        return P(memory.text, READ_ATTRIBUTES)

    def write_text(self, value: Value, memory: V) -> None:
        """The three fields of a jf_text."""
        size = self.abi.pointer_bytes
        self.e.store(value.data, memory)
        self.e.store_size(value.size, memory, size)
        self.e.store(self.e.zext(value.wide, "i32"), memory, 2 * size)

    def read_text(self, type_: Type, memory: V, keep: Keep) -> Value:
        """The STR or BYTES that a call has left in the jf_text at *memory*."""
        e, size = self.e, self.abi.pointer_bytes
        data = e.load("ptr", memory, 0, "data")
        wide = FALSE
        if type_ == STR:
            wide = e.icmp("ne", e.load("i32", memory, 2 * size, "wide"), const("i32", 0), "is.wide")
        return text(type_, data, e.load_size(memory, size), wide, keep)

    def char_text(self, value: Value) -> Value:
        """A STR of one character, in memory of this scope."""
        if isinstance(value.const, str):
            return self.literal(value.const)
        memory = self.frame.scratch(8)
        self.e.store(value.ssa, memory)
        wide = self.e.icmp("ugt", value.ssa, const("i32", 127), "is.wide")
        return text(STR, memory, const("i64", 1), wide, local(None))

    def literal(self, constant: str | bytes) -> Value:
        """A text of the object's constants."""
        address, data, size, wide = self.module.text(constant)
        kind = STR if isinstance(constant, str) else BYTES
        return Value(
            kind,
            address,
            OUTLIVES,
            data=data,
            size=const("i64", size),
            wide=const("i1", int(wide)) if wide else FALSE,
            const=constant,
        )

    def view(self, value: Value) -> P:
        """The address of a slot that borrows the value, good until the scope's end. Of an ANY its own slot, of any pad:
        where 16 bytes are needed (arrays of views) take `view_at`."""
        if value.kind == "any":
            return P(value.ssa.text, READ_ATTRIBUTES)
        if value.kind == "object":
            return self.object_view(value)
        memory = self.frame.scratch(layout.SLOT_SIZE)
        self.view_at(value, memory)
        return P(memory.text, READ_ATTRIBUTES)

    def object_view(self, value: Value, symbol: str = "core_op_view") -> P:
        """What an object of Python's is for native operations: numbers and text where they lie, else itself."""
        slot, span = self.frame.temp_slot(), self.frame.scratch(16)
        if value.keep.kind == "volatile":
            self.frame.retain("object", value.ssa)
            self.e.store(value.ssa, self.frame.temp_reference())
        self.frame.call(symbol, value.ssa, slot, span)
        return P(slot.text, READ_ATTRIBUTES)

    def shown(self, value: Value) -> P:
        """A view for who writes the text of it: a List or Map of Python's is shown as that, not as what is in it."""
        return self.object_view(value, "core_op_view_shown") if value.kind == "object" else self.view(value)

    def views(self, values: list[Value]) -> P:
        """The address of an array of views."""
        memory = self.frame.scratch(layout.SLOT_SIZE * max(len(values), 1))
        for i, value in enumerate(values):
            self.view_at(value, self.e.offset(memory, layout.SLOT_SIZE * i))
        return P(memory.text, READ_ATTRIBUTES)

    def view_at(self, value: Value, memory: V) -> None:
        """Write a view of 16 bytes."""
        e, kind = self.e, value.kind
        if kind == "object":
            value, kind = Value(ANY, self.object_view(value), local(None)), "any"
        if kind == "any":
            # An owned slot of any pad: what is small and longer than 16 bytes is borrowed by address.
            self.e.call("void", self.module.fragment("any.view"), [captured(value.ssa), captured(memory)])
        elif kind in ("str", "char"):
            address = self.text(value)
            wide = self.char_text(value).wide if kind == "char" else value.wide
            utf8, ucs4 = (const("i64", code & 0xFFFFFFFF) for code in (layout.STR_VIEW, layout.UCS4_VIEW))
            e.store(utf8 if wide.text == "false" else e.select(wide, ucs4, utf8, "code"), memory)
            e.store_word(address, memory)
        elif kind == "bytes":
            e.store(const("i64", layout.BYTE_ARRAY & 0xFFFFFFFF), memory)
            e.store_word(self.text(value), memory)
        else:
            self._write_plain(value, memory)

    def _write_plain(self, value: Value, slot: V) -> None:
        """A slot of a scalar, None, or an object without counting it."""
        e, kind = self.e, value.kind
        if kind in OBJECTS:
            e.store(FUNCTION_CODE if kind == "func" else OBJECT_CODE if kind != "array" else self._code(value), slot)
            e.store_word(value.ssa, slot)
            return
        if kind == "u64":
            large, other = (const("i64", each & 0xFFFFFFFF) for each in (layout.UINT, layout.INT))
            e.store(e.select(e.icmp("slt", value.ssa, const("i64", 0), "is.large"), large, other, "code"), slot)
            e.store(value.ssa, slot, 8)
            return
        code = {"int": layout.INT, "float": layout.FLOAT, "bool": layout.BOOL}.get(kind, layout.NULL)
        e.store(const("i64", code & 0xFFFFFFFF), slot)
        if kind in ("none", "never"):
            e.store(const("i64", 0), slot, 8)
        else:
            e.store(e.zext(value.ssa, "i64") if kind == "bool" else value.ssa, slot, 8)

    def _code(self, array: Value) -> V:
        """Of an nd-array, which has the code of its own in slots, as all of S1 have, or is of a subtype."""
        self.module.keeps_arrays = True
        code = self.e.load("i32", array.ssa, 0, "array.code")
        own = self.e.icmp("sle", code, const("i32", layout.NDARRAY), "own.code")
        return self.e.select(own, self.e.zext(code, "i64"), OBJECT_CODE)
