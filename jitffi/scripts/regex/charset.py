"""Sets of characters: exact below 256, above that ranges and Unicode's classes.

    bits        a bit for each code point below 256 (128 of an alphabet that is ASCII)
    above       what holds beyond: (negated, ranges, classes)

Whether two sets are disjoint is asked by the planner, which may be told "no" where they are after all. Everything else
is exact.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any, Final

#: No stub names them.
_sre: Any = import_module("_sre")
_casefix: Any = import_module("re._casefix")

#: (negated, ranges, classes). Classes are "word", "digit", "space", and these with "!" in front.
Above = tuple[bool, tuple[tuple[int, int], ...], tuple[str, ...]]

NOTHING: Final[Above] = (False, (), ())
EVERYTHING: Final[Above] = (True, (), ())
LAST: Final = 0x10FFFF
#: No character beyond has another case (Unicode 16, UnicodeData.txt: the last is U+1E943); a test looks at all.
CASED: Final = 0x1F000
ASCII: Final = (1 << 128) - 1
BYTE: Final = (1 << 256) - 1


class CharSet:
    """An immutable set."""

    __slots__ = ("above", "bits")

    def __init__(self, bits: int, above: Above = NOTHING) -> None:
        self.bits: Final = bits
        self.above: Final = above

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CharSet) and (self.bits, self.above) == (other.bits, other.above)

    def __hash__(self) -> int:
        return hash((self.bits, self.above))

    def __repr__(self) -> str:
        return f"CharSet({self.ranges_below()}, {self.above})"

    def __or__(self, other: CharSet) -> CharSet:
        """At least what is in either: exact where none is negated."""
        a, b = self.above, other.above
        if a == b or b == NOTHING:
            above = a
        elif a == NOTHING:
            above = b
        elif a[0] or b[0]:
            above = EVERYTHING
        else:
            above = (False, merged([*a[1], *b[1]]), tuple(dict.fromkeys([*a[2], *b[2]])))
        return CharSet(self.bits | other.bits, above)

    def complement(self, all_: CharSet) -> CharSet:
        """What else there is in an alphabet."""
        if all_.above == NOTHING:
            return CharSet(all_.bits & ~self.bits)
        negated, ranges, classes = self.above
        return CharSet(all_.bits & ~self.bits, (not negated, ranges, classes))

    @property
    def is_empty(self) -> bool:
        return not self.bits and self.above == NOTHING

    @property
    def single(self) -> int | None:
        """The only character in it."""
        if self.above == NOTHING:
            return self.bits.bit_length() - 1 if self.bits and not self.bits & (self.bits - 1) else None
        negated, ranges, classes = self.above
        if self.bits or negated or classes or len(ranges) != 1 or ranges[0][0] != ranges[0][1]:
            return None
        return ranges[0][0]

    def ranges_below(self) -> list[tuple[int, int]]:
        """Of the code points below 256: first and last."""
        return runs(self.bits)

    def is_disjoint(self, other: CharSet) -> bool:
        """False where it is not known."""
        return not self.bits & other.bits and _disjoint(self.above, other.above)

    def __contains__(self, code: int) -> bool:
        if code < 256:
            return bool(self.bits >> code & 1)
        negated, ranges, classes = self.above
        inside = any(first <= code <= last for first, last in ranges) or any(is_of(code, each) for each in classes)
        return inside != negated


def runs(bits: int) -> list[tuple[int, int]]:
    """The ranges of ones."""
    found: list[tuple[int, int]] = []
    at = 0
    while bits >> at:
        at += (bits >> at & -(bits >> at)).bit_length() - 1
        length = (~(bits >> at) & (bits >> at) + 1).bit_length() - 1
        found.append((at, at + length - 1))
        at += length
    return found


def merged(ranges: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Sorted, and as few as can be."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def _disjoint(a: Above, b: Above) -> bool:
    if NOTHING in (a, b):
        return True
    if a[0] and b[0]:
        return False
    if b[0]:
        a, b = b, a
    if a[0]:  # what is in b must be excluded by a
        return all(_covered(each, a[1]) for each in b[1]) and all(_wider(each) & set(a[2]) for each in b[2])
    if a[1] and b[2] or b[1] and a[2]:
        return False
    apart = all(last < first2 or last2 < first for first, last in a[1] for first2, last2 in b[1])
    return apart and all(_excludes(x, y) for x in a[2] for y in b[2])


def _covered(range_: tuple[int, int], ranges: tuple[tuple[int, int], ...]) -> bool:
    return any(first <= range_[0] and range_[1] <= last for first, last in ranges)


def _wider(class_: str) -> set[str]:
    """The classes that it is part of."""
    return {"digit": {"digit", "word"}, "!word": {"!word", "!digit"}}.get(class_, {class_})


def _excludes(a: str, b: str) -> bool:
    if a.startswith("!") and b.startswith("!"):
        return False
    if a.startswith("!"):
        a, b = b, a
    if b.startswith("!"):
        return b[1:] in _wider(a)
    return {a, b} in ({"word", "space"}, {"digit", "space"})


def is_of(code: int, class_: str) -> bool:
    """Whether a character is of a class, as Unicode has it."""
    if class_.startswith("!"):
        return not is_of(code, class_[1:])
    char = chr(code)
    if class_ == "word":
        return char.isalnum() or char == "_"
    return char.isdecimal() if class_ == "digit" else char.isspace()


# -- from patterns -----------------------------------------------------------------------------------------------------


class Folding:
    """How a pattern compares cases: not at all, as ASCII, or as Unicode. `_sre` itself says what is the lower case."""

    def __init__(self, ignores: bool, is_unicode: bool) -> None:
        self.ignores: Final = ignores
        self.is_unicode: Final = is_unicode

    def lower(self, code: int) -> int:
        return int(_sre.unicode_tolower(code) if self.is_unicode else _sre.ascii_tolower(code))

    def is_cased(self, code: int) -> bool:
        return bool(_sre.unicode_iscased(code) if self.is_unicode else _sre.ascii_iscased(code))

    def others(self, lower: int) -> tuple[int, ...]:
        """What is the same as a lower case letter besides."""
        return tuple(_casefix._EXTRA_CASES.get(lower, ())) if self.is_unicode else ()


@cache
def changed(is_unicode: bool) -> dict[int, int]:
    """Each character that has another lower case, and that."""
    folding = Folding(True, is_unicode)
    return {code: low for code in range(CASED if is_unicode else 128) if (low := folding.lower(code)) != code}


def charset(ranges: list[tuple[int, int]], classes: list[str], negated: bool, folding: Folding) -> CharSet:
    """What a set of a pattern matches: *ranges* and *classes* as written ("ascii word" is of ASCII alone)."""
    plain = merged(ranges)
    if folding.ignores and any(_has_case(folding, first, last) for first, last in plain):
        plain = _folded(plain, folding)
    bits, above = 0, [(max(first, 256), last) for first, last in plain if last > 255]
    for first, last in plain:
        if first < 256:
            bits |= (1 << min(last, 255) + 1) - (1 << first)
    for each in classes:
        bits |= _class_bits(each)
    wide = [each for each in classes if not each.startswith("ascii ")]
    everything = any(each.startswith("ascii !") for each in classes)
    if everything:
        beyond: Above = EVERYTHING
    elif not above and len(wide) == 1 and wide[0].startswith("!"):
        beyond = (True, (), (wide[0][1:],))
    else:
        beyond = (False, tuple(above), tuple(dict.fromkeys(wide)))
    if negated:
        return CharSet(~bits & BYTE, (not beyond[0], *beyond[1:]))
    return CharSet(bits, beyond)


@cache
def _class_bits(class_: str) -> int:
    name = class_.removeprefix("ascii ")
    limit = 128 if name != class_ else 256
    name, wanted = name.removeprefix("!"), not name.startswith("!")
    inside = sum([1 << code for code in range(limit) if is_of(code, name)])
    if name == "space" and limit == 128:
        inside &= ~(0xF << 28)  # of ASCII's and of bytes, U+001C to U+001F are no spaces
    return inside if wanted else ~inside & BYTE


def _has_case(folding: Folding, first: int, last: int) -> bool:
    return any(map(folding.is_cased, range(first, min(last, CASED) + 1)))


def _folded(ranges: tuple[tuple[int, int], ...], folding: Folding) -> tuple[tuple[int, int], ...]:
    """All whose lower case is that of one in the ranges, or counts as the same."""
    low = set()
    table = changed(folding.is_unicode)
    for first, last in ranges:
        for code in range(first, min(last, CASED) + 1):
            low.add(table.get(code, code))
    low |= {other for code in low for other in folding.others(code)}
    found = [code for code in low if code not in table]
    found += [code for code, lower in table.items() if lower in low]
    beyond = [(max(first, CASED + 1), last) for first, last in ranges if last > CASED]
    return merged([(code, code) for code in found] + beyond)
