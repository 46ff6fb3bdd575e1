"""Relocations: what a linker writes into code and data once it knows where everything is, per machine.

S is the symbol's address, A the addend, P the address of the place, G that of the symbol's entry in the table of
addresses (GOT), which begins at GOT. (System V psABI for AMD64, 4.4; ELF for the Arm 64-bit Architecture, 5.7.)
"""

from __future__ import annotations

import struct

from jitffi.link.objects import AARCH64, X86_64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Writer = Callable[[bytearray, int, int, int], None]  # memory, position in it, place P, value


class OutOfReach(ValueError):
    """The value does not fit into the place."""


class Machine:
    """How one machine's object files are linked.

    `forms` leads from a relocation's type to the letter of its formula and the writer of its value:
    "a" S + A; "p" S + A - P; "c" the same for a call, which may go through a stub; "g" G + A - P; "o" S + A - GOT;
    "b" GOT + A - P; "e" G + A - GOT; "s" the symbol's size + A; "q" pages S + A - P; "h" pages G + A - P; "l" G + A;
    "n" nothing.
    """

    __slots__ = ("forms", "is_thread_local", "stub", "stub_size", "width")

    def __init__(
        self, forms: dict[int, tuple[str, Writer]], width: Callable[[int], int], is_thread_local: Callable[[int], bool],
        stub: Callable[[int, int | None, int], bytes], stub_size: int,
    ) -> None:  # fmt: skip
        self.forms = forms
        self.width = width
        self.is_thread_local = is_thread_local
        self.stub = stub
        self.stub_size = stub_size


def _fitting(form: str, low: int, high: int) -> Writer:
    packing = struct.Struct(form)

    def write(memory: bytearray, at: int, place: int, value: int) -> None:
        if not low <= value <= high:
            raise OutOfReach
        packing.pack_into(memory, at, value & (1 << 8 * packing.size) - 1)

    return write


def _nothing(memory: bytearray, at: int, place: int, value: int) -> None:
    pass


_S8, _S16 = _fitting("<B", -(1 << 7), (1 << 7) - 1), _fitting("<H", -(1 << 15), (1 << 15) - 1)
_A8, _A16 = _fitting("<B", -(1 << 7), (1 << 8) - 1), _fitting("<H", -(1 << 15), (1 << 16) - 1)
_S32, _U32 = _fitting("<I", -(1 << 31), (1 << 31) - 1), _fitting("<I", 0, (1 << 32) - 1)
_A32 = _fitting("<I", -(1 << 31), (1 << 32) - 1)
_W64 = _fitting("<Q", -(1 << 64), (1 << 65) - 1)  # addresses wrap

# -- AMD64 ------------------------------------------------------------------------------------------------------------

_X86_FORMS: dict[int, tuple[str, Writer]] = {
    0: ("n", _nothing), 1: ("a", _W64), 2: ("p", _S32), 4: ("c", _S32), 9: ("g", _S32), 10: ("a", _U32),
    11: ("a", _S32), 12: ("a", _A16), 13: ("p", _S16), 14: ("a", _A8), 15: ("p", _S8), 24: ("p", _W64),
    25: ("o", _W64), 26: ("b", _S32),
    27: ("e", _W64), 28: ("g", _W64), 29: ("b", _W64), 31: ("o", _W64), 32: ("s", _U32), 33: ("s", _W64),
    41: ("g", _S32), 42: ("g", _S32),
}  # fmt: skip
_X86_TLS = frozenset((16, 17, 18, 19, 20, 21, 22, 23, 34, 35, 36))
_X86_WIDTHS = {0: 0, 12: 2, 13: 2, 14: 1, 15: 1, **dict.fromkeys((1, 24, 25, 27, 28, 29, 31, 33), 8)}


def _x86_stub(target: int, third: int | None, fourth: int) -> bytes:
    """jmp to *target*; where *third* is given, with rsi = 0 and rdx = third, or rcx = third where that is *fourth*."""
    code = b""
    if third is not None:
        code = b"\x48\xb9" if fourth else b"\x31\xf6\x48\xba"  # mov rcx, imm64; xor esi, esi; mov rdx, imm64
        code += third.to_bytes(8, "little")
    return code + b"\x48\xb8" + target.to_bytes(8, "little") + b"\xff\xe0"  # mov rax, imm64; jmp rax


# -- AArch64 ----------------------------------------------------------------------------------------------------------


def _word(memory: bytearray, at: int) -> int:
    return int.from_bytes(memory[at : at + 4], "little")


def _field(bits: int, shift: int, low: int, scale: int = 0, checked: bool = True) -> Writer:
    """*bits* bits of the value, without its *scale* lowest, at bit *low* of the instruction; signed and checked."""

    def write(memory: bytearray, at: int, place: int, value: int) -> None:
        value >>= shift
        if checked and (not -(1 << bits + scale - 1) <= value < 1 << bits + scale - 1 or value & (1 << scale) - 1):
            raise OutOfReach
        mask = (1 << bits) - 1
        word = _word(memory, at) & ~(mask << low) | (value >> scale & mask) << low
        memory[at : at + 4] = word.to_bytes(4, "little")

    return write


def _low12(scale: int) -> Writer:
    """The lowest 12 bits, in units of 1 << scale, as the offset of an addition, load or store."""

    def write(memory: bytearray, at: int, place: int, value: int) -> None:
        value &= 0xFFF
        if value & (1 << scale) - 1:
            raise OutOfReach
        word = _word(memory, at) & ~(0xFFF << 10) | (value >> scale) << 10
        memory[at : at + 4] = word.to_bytes(4, "little")

    return write


def _adr(pages: bool, checked: bool = True) -> Writer:
    def write(memory: bytearray, at: int, place: int, value: int) -> None:
        value >>= 12 if pages else 0
        if checked and not -(1 << 20) <= value < 1 << 20:
            raise OutOfReach
        word = _word(memory, at) & ~(3 << 29 | 0x7FFFF << 5) | (value & 3) << 29 | (value >> 2 & 0x7FFFF) << 5
        memory[at : at + 4] = word.to_bytes(4, "little")

    return write


def _move(part: int, checked: bool) -> Writer:
    def write(memory: bytearray, at: int, place: int, value: int) -> None:
        if checked and not 0 <= value < 1 << 16 * (part + 1):
            raise OutOfReach
        word = _word(memory, at) & ~(0xFFFF << 5) | (value >> 16 * part & 0xFFFF) << 5
        memory[at : at + 4] = word.to_bytes(4, "little")

    return write


_ARM_FORMS: dict[int, tuple[str, Writer]] = {
    0: ("n", _nothing), 256: ("n", _nothing), 257: ("a", _W64), 258: ("a", _A32), 259: ("a", _A16), 260: ("p", _W64),
    261: ("p", _A32), 262: ("p", _A16), 263: ("a", _move(0, True)), 264: ("a", _move(0, False)),
    265: ("a", _move(1, True)),
    266: ("a", _move(1, False)), 267: ("a", _move(2, True)), 268: ("a", _move(2, False)), 269: ("a", _move(3, True)),
    273: ("p", _field(19, 0, 5, 2)), 274: ("p", _adr(False)), 275: ("q", _adr(True)), 276: ("q", _adr(True, False)),
    277: ("a", _low12(0)), 278: ("a", _low12(0)), 279: ("p", _field(14, 0, 5, 2)), 280: ("p", _field(19, 0, 5, 2)),
    282: ("c", _field(26, 0, 0, 2)), 283: ("c", _field(26, 0, 0, 2)), 284: ("a", _low12(1)), 285: ("a", _low12(2)),
    286: ("a", _low12(3)), 299: ("a", _low12(4)), 311: ("h", _adr(True)), 312: ("l", _low12(3)), 314: ("c", _S32),
}  # fmt: skip
_ARM_WIDTHS = {0: 0, 256: 0, 257: 8, 259: 2, 260: 8, 262: 2}


def _arm_stub(target: int, third: int | None, fourth: int) -> bytes:
    """As _x86_stub: x16 = target; x1 = 0, x2 = third, or x3 = third; br x16."""
    if third is None:
        code = [0x58000050, 0xD61F0200]  # ldr x16, .+8; br x16
    elif fourth:
        code = [0x58000083, 0x580000B0, 0xD61F0200, 0xD503201F]  # ldr x3, .+16; ldr x16, .+20; br x16; nop
    else:
        code = [0xD2800001, 0x58000062, 0x58000090, 0xD61F0200]  # mov x1, 0; ldr x2, .+12; ldr x16, .+16; br x16
    data = target.to_bytes(8, "little")
    if third is not None:
        data = third.to_bytes(8, "little") + data
    return b"".join(word.to_bytes(4, "little") for word in code) + data


MACHINES = {
    X86_64: Machine(_X86_FORMS, lambda kind: _X86_WIDTHS.get(kind, 4), _X86_TLS.__contains__, _x86_stub, 32),
    AARCH64: Machine(_ARM_FORMS, lambda kind: _ARM_WIDTHS.get(kind, 4), lambda kind: 512 <= kind < 1024, _arm_stub, 32),
}
