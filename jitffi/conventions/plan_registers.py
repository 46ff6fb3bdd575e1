"""Where a plan has its values: in words of its own, and in the registers and on the stack of a C call.

    words of the values     one after the other; what is behind the first of several is aligned to sixteen bytes
    words of the call       core_native_call's (runtime_c/python/package/native_call.h): x8, general, vector, stack

Registers are those of x86-64 (System V psABI 3.2.3) and AArch64 (AAPCS64 6.8.2) on Linux.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.by_value import Passing, Piece

# Words of a call (native_call.h), from the register for large results on.
INDIRECT, GENERAL, VECTORS, STACK = 0, 1, 9, 25
#: How many general registers take arguments; vector registers are eight.
MACHINES = {"x86-64": 6, "aarch64": 8}
#: What needs more memory has compiled code.
_MOST_WORDS = 512


class NoPlan(Exception):
    """The types, or the machine, have no plan."""


class Registers:
    """Where the arguments of one call go: moves from the words of values to those of the call."""

    def __init__(self, machine: str) -> None:
        self.is_x86 = machine == "x86-64"
        self.moves: list[int] = []
        self.count = 0
        self.stack = 0
        self._general, self._vector = MACHINES[machine], 8
        self._most_general = self._general

    @property
    def num_vectors(self) -> int:
        return 8 - self._vector

    def move(self, place: int, is_behind: bool, offset: int, size: int, word: int) -> None:
        self.moves += (place, is_behind, offset, size, word)
        self.count += 1

    def word(self, is_vector: bool) -> int:
        """Take the next register of a kind, or the next word of the stack."""
        if is_vector and self._vector:
            self._vector -= 1
            return VECTORS + 2 * (7 - self._vector)
        if not is_vector and self._general:
            self._general -= 1
            return GENERAL + self._most_general - 1 - self._general
        self.stack += 1
        return STACK + self.stack - 1

    def on_stack(self, place: int, size: int, align: int, is_behind: bool = True) -> None:
        if align > 16:
            raise NoPlan
        if align == 16:
            self.stack += self.stack % 2
        self.move(place, is_behind, 0, size, STACK + self.stack)
        self.stack += -(-size // 8)

    def wide(self, place: int) -> None:
        """An integer of 128 bits: two registers, of AArch64 an even one and the next, or the stack whole."""
        if not self.is_x86:
            self._general -= self._general % 2
        if self._general >= 2:
            for at in range(2):
                self.move(place, False, 8 * at, 8, self.word(False))
            return
        if not self.is_x86:
            self._general = 0
        self.on_stack(place, 16, 16, is_behind=False)

    def quad(self, place: int) -> None:
        """A number of 128 bits of AArch64: a vector register, or the stack."""
        if self._vector:
            self.move(place, False, 0, 16, self.word(True))
        else:
            self.on_stack(place, 16, 16, is_behind=False)

    def pieces(self, place: int, passing: Passing, size: int) -> None:
        for piece in passing.pieces:
            is_vector, count, step = words_of(piece)
            if count > (self._vector if is_vector else self._general) and not self.is_x86:
                # Of AArch64: what does not fit goes to the stack whole, and so does all of that kind behind it.
                self._vector, self._general = (0, self._general) if is_vector else (self._vector, 0)
                self.on_stack(place, size, 16 if piece.type.endswith(("fp128", "fp128]")) else 8)
                continue
            for i in range(count):
                at = piece.offset + i * step
                self.move(place, True, at, min(step, size - at), self.word(is_vector))


def words_of(piece: Piece) -> tuple[bool, int, int]:
    """Whether the words that a piece of a struct is passed in are vector registers' kind, how many there are, and the
    bytes of each."""
    element, count = piece.type, 1
    if element.startswith("["):
        number, _, element = element[1:-1].partition(" x ")
        count = int(number)
    step = piece.size // count
    if step > 8 and element not in ("x86_fp80", "fp128"):
        raise NoPlan
    return element in ("double", "float", "half", "bfloat", "fp128"), count, step


class Words:
    """The memory of one call's native values."""

    def __init__(self) -> None:
        self.count = 0

    def take(self, count: int, has_more_behind: bool) -> int:
        """The first of *count* words; *has_more_behind*: what is behind the first is aligned to sixteen bytes."""
        if has_more_behind and not self.count % 2:
            self.count += 1
        at = self.count
        self.count += count
        if self.count > _MOST_WORDS:
            raise NoPlan
        return at
