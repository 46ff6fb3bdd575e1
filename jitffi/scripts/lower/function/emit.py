"""The builder of scripts' functions: instructions (ir/builder.py), and how scripts use memory and calls.

Sizes are i64 here whatever size_t is; `load_size` and `store_size` know what lies in memory.
"""

from __future__ import annotations

from jitffi.ir.builder import FALSE, NULL, TRUE, Builder, V, const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.cabi import CABI

__all__ = [
    "CAPACITY",
    "DATA",
    "FALSE",
    "KINDS",
    "NULL",
    "NUMBERS",
    "READ_ATTRIBUTES",
    "SIZE",
    "SLOT_ATTRIBUTES",
    "TRUE",
    "Emit",
    "P",
    "V",
    "captured",
    "const",
    "double",
]

#: Kinds of memory for LLVM's alias analysis ("tbaa" of its Language Reference): the numbers in vectors, where they are,
#: and how many they are and there is room for. None is ever another, and without them each store of a number would have
#: the fields of all vectors read again. An access without a kind can be to any memory. Lines of metadata are numbered
#: from 20 on, since a module's flags are behind those of `branch` (ir/builder.py).
NUMBERS, DATA, SIZE, CAPACITY = [f", !tbaa !{20 + i}" for i in range(4)]
KINDS = (
    '!30 = !{!"jitffi"}',
    *[f'!{40 + i} = !{{!"{name}", !30, i64 0}}' for i, name in enumerate(("numbers", "data", "size", "capacity"))],
    *[f"!{20 + i} = !{{!{40 + i}, !{40 + i}, i64 0}}" for i in range(4)],
)

SLOT_ATTRIBUTES = "nocapture noundef nonnull"
READ_ATTRIBUTES = "nocapture noundef nonnull readonly"


class P(V):
    """An address, and what holds of it where it is an argument: "nocapture readonly", say."""

    __slots__ = ("attributes",)

    def __init__(self, text: str, attributes: str = "") -> None:
        super().__init__("ptr", text)
        self.attributes = attributes


def captured(value: V) -> V:
    """An argument that the callee may leave addresses of somewhere."""
    return P(value.text, value.attributes.replace("nocapture", "").strip()) if isinstance(value, P) else value


def double(value: float) -> V:
    """A constant, to the last bit."""
    import struct

    return V("double", "0x" + struct.pack(">d", value).hex().upper())


class Emit(Builder):
    """Builds the body of one function of a script."""

    STEP = "getelementptr inbounds"

    def __init__(self, abi: CABI) -> None:
        super().__init__(abi)
        self._comment = ""

    def comment(self, text: str) -> None:
        """For people; what is said twice in a row is said once."""
        line = f"  ; {text}"
        if text and self._comment != line:
            self._lines.append(line)
            self._comment = line

    @property
    def frame_size(self) -> int:
        """Bytes of all that, in which those that come to stand in registers count, too."""
        counts = [line.partition("alloca [")[2].partition(" x ")[0] for line in self._allocas]
        return sum([8 * int(count or 1) for count in counts])

    def load_size(self, pointer: V, offset: int = 0, name: str = "size", kind: str = "") -> V:
        """A size_t, as i64."""
        return self.zext(self.load(self.abi.size, pointer, offset, name, kind=kind), "i64")

    def store_size(self, value: V, pointer: V, offset: int = 0, kind: str = "") -> None:
        assert value.type == "i64", value
        self.store(value if self.abi.size == "i64" else self.trunc(value, "i32"), pointer, offset, kind=kind)

    def store_word(self, pointer: V, slot: V, offset: int = 8) -> None:
        """The payload of a slot that is a pointer: eight bytes on every target."""
        self.store(pointer, slot, offset)
        if self.abi.pointer_bytes == 4:
            self.store(const("i32", 0), slot, offset + 4)

    # -- calls -------------------------------------------------------------------------------------------

    def call(self, result: str, target: V, args: list[V], convention: str = "", attributes: str = "") -> V:
        """A call with the extensions of C's convention for i32s (of signed types), and the addresses' attributes."""
        extension = self.abi.extension
        given = [v.attributes if isinstance(v, P) else extension(v.type, "signext") for v in args]
        of_result = extension(result, "signext") if result.startswith("i") else ""
        return self.write_call(("call", convention, of_result), result, target, args, given, attributes)
