"""Tests of characters in IR: one, a row of sixteen bytes or eight code points at once, and runs of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi.ir.builder import FALSE, TRUE, Builder, V, const
from jitffi.runtime.script_entry_points import SCRIPT_FUNCTIONS
from jitffi.scripts.regex.charset import EVERYTHING, LAST, NOTHING, Above, CharSet, merged, runs

if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit
    from jitffi.scripts.regex.nodes import Alphabet

#: Ranges that are compared one by one; more are a table's.
MOST_RANGES: Final = 4
#: JF_IS_* of script.h.
_CLASS_FLAGS: Final = {"word": 1 | 2 | 4 | 8, "digit": 2, "space": 16}


def call(unit: Unit, e: Builder, symbol: str, *args: V) -> V:
    """Call a function of the runtime."""
    row = SCRIPT_FUNCTIONS[symbol]
    attributes = [e.abi.extension(each.type, "signext") for each in args]
    return e.write_call(("call",), row.result, unit.declare(symbol, row.declaration(e.abi)), list(args), attributes)


class Chars:
    """Of one function on a text: where that lies, and what its characters are."""

    def __init__(self, unit: Unit, builder: Builder, alphabet: Alphabet, data: V) -> None:
        self.unit: Final = unit
        self.e: Final = builder
        self.alphabet: Final = alphabet
        self.data: Final = data
        self.machine: Final = alphabet.machine
        self.lanes: Final = alphabet.lanes
        self._last: Final = LAST if alphabet.is_wide else alphabet.mask.bit_length() - 1

    def address(self, at: V, offset: int = 0) -> V:
        e, width = self.e, self.alphabet.width
        place = e.index(self.data, width, at, "place")
        return e.offset(place, offset * width)

    def load(self, at: V, offset: int = 0) -> V:
        """The character at an index."""
        return self.e.load(self.machine, self.address(at, offset), 0, "char")

    # -- one ---------------------------------------------------------------------------------------------

    def is_in(self, char: V, chars: CharSet) -> V:
        """An i1."""
        e = self.e
        if chars.is_empty:
            return FALSE
        if chars == self.alphabet.all:
            return TRUE
        pair = self.pair(chars)
        if pair is not None:
            return e.icmp("eq", e.or_(char, const(self.machine, 32)), const(self.machine, pair), "is.letter")
        ranges = self._ranges(chars)
        if ranges is not None and len(ranges) <= MOST_RANGES:
            return self._in_ranges(char, ranges)
        if ranges is not None and len(outside := self._complement(ranges)) <= MOST_RANGES:
            return e.not_(self._in_ranges(char, outside))
        if not self.alphabet.is_wide:
            return self._in_table(char, chars.bits)
        return self._in_wide(char, chars)

    def pair(self, chars: CharSet) -> int | None:
        """The lower case of a set of two letters of ASCII."""
        low = chars.bits.bit_length() - 1
        is_pair = chars.above == NOTHING and 97 <= low <= 122 and chars.bits == 1 << low | 1 << low - 32
        return low if is_pair else None

    def _ranges(self, chars: CharSet, superset: bool = False) -> list[tuple[int, int]] | None:
        """All of it as ranges; None where classes are in it, which as a *superset* count as everything above."""
        negated, above, classes = chars.above
        if classes and superset:
            negated, above, classes = EVERYTHING
        if classes:
            return None
        if negated:
            above = tuple(self._complement([(0, 255), *above]))
        return list(merged([*runs(chars.bits), *above]))

    def _complement(self, ranges: list[tuple[int, int]]) -> list[tuple[int, int]]:
        found, at = [], 0
        for first, last in ranges:
            if first > at:
                found.append((at, first - 1))
            at = last + 1
        return [*found, (at, self._last)] if at <= self._last else found

    def _in_ranges(self, char: V, ranges: list[tuple[int, int]]) -> V:
        e, found = self.e, FALSE
        for first, last in ranges:
            if first == last:
                hit = e.icmp("eq", char, const(self.machine, first))
            else:
                base = e.sub(char, const(self.machine, first)) if first else char
                hit = e.icmp("ule", base, const(self.machine, last - first))
            found = hit if found is FALSE else e.or_(found, hit)
        return found

    def _in_table(self, char: V, bits: int) -> V:
        e = self.e
        table = self.unit.data(bytes([bits >> code & 1 for code in range(256)]))
        row = e.load("i8", e.index(table, 1, e.zext(char, "i64"), "row"), 0, "row")
        return e.icmp("ne", row, const("i8", 0), "is.in")

    def _in_wide(self, char: V, chars: CharSet) -> V:
        """By a table below 256, above by a function of the set's."""
        e = self.e
        negated, ranges, classes = chars.above
        low, high, done = e.label("latin"), e.label("beyond"), e.label("told")
        e.branch(e.icmp("ult", char, const("i32", 256)), low, high)
        e.at(low)
        below = self._in_table(char, chars.bits)
        at_low = e.here
        e.br(done)
        e.at(high)
        above = TRUE if negated else FALSE
        if ranges or classes:
            above = e.write_call(("call",), "i1", above_function(self.unit, e, chars.above), [char], [""])
        e.br(done)
        e.at(done)
        return e.phi([(below, at_low), (above, high)], "is.in")

    # -- many at once ------------------------------------------------------------------------------------

    def is_quick(self, chars: CharSet, superset: bool = False) -> bool:
        """Whether a row is tested in a few instructions. *superset*: more may be found than is in it."""
        ranges = self._ranges(chars, superset)
        if ranges is None:
            return False
        return min(len(ranges), len(self._complement(ranges))) <= MOST_RANGES

    def row(self, at: V, chars: CharSet, offset: int = 0, superset: bool = False) -> V:
        """<lanes x i1>: which of the characters from *at* on are in the set."""
        e, vector = self.e, f"<{self.lanes} x {self.machine}>"
        place = self.address(at, offset)
        row = e.value(vector, "row", f"load {vector}, ptr {place.text}, align {self.alphabet.width}")
        pair = self.pair(chars)
        if pair is not None:
            folded = e.value(vector, "folded", f"or {row}, {self._splat(32)}")
            return self._compared("eq", folded, pair)
        ranges = self._ranges(chars, superset)
        assert ranges is not None
        outside = self._complement(ranges)
        if len(outside) < len(ranges):
            return self._flipped(self._row_in(row, outside))
        return self._row_in(row, ranges)

    def _row_in(self, row: V, ranges: list[tuple[int, int]]) -> V:
        e, found = self.e, None
        for first, last in ranges:
            if first == last:
                hit = self._compared("eq", row, first)
            else:
                base = e.value(row.type, "base", f"sub {row}, {self._splat(first)}") if first else row
                hit = self._compared("ule", base, last - first)
            found = hit if found is None else e.value(hit.type, "either", f"or {found}, {hit.text}")
        bits = f"<{self.lanes} x i1>"
        return found if found is not None else V(bits, "zeroinitializer")

    def _compared(self, predicate: str, row: V, code: int) -> V:
        return self.e.value(f"<{self.lanes} x i1>", "hits", f"icmp {predicate} {row}, {self._splat(code)}")

    def _flipped(self, hits: V) -> V:
        ones = "<" + ", ".join(["i1 true"] * self.lanes) + ">"
        return self.e.value(hits.type, "misses", f"xor {hits}, {ones}")

    def _splat(self, code: int) -> str:
        return "<" + ", ".join([f"{self.machine} {code}"] * self.lanes) + ">"

    def both(self, a: V, b: V) -> V:
        return self.e.value(a.type, "both", f"and {a}, {b.text}")

    def mask(self, hits: V) -> V:
        """A row's hits as the bits of an i32."""
        machine = f"i{self.lanes}"
        return self.e.zext(self.e.value(machine, "mask", f"bitcast {hits} to {machine}"), "i32")

    def first_of(self, mask: V) -> V:
        """The place of the first hit, i64; there is one."""
        return self.e.zext(self.e.intrinsic("llvm.cttz", "i32", mask, TRUE), "i64")

    def skip(self, start: V, limit: V, chars: CharSet) -> V:
        """The first index from *start* on whose character is not in the set, or *limit*."""
        e = self.e
        if chars == self.alphabet.all:
            return e.intrinsic("llvm.smax", "i64", start, limit)
        place = e.alloca("i64", "run")
        e.store(start, place)
        one, done = e.label("run.one"), e.label("run.end")
        if self.is_quick(chars):
            self._skip_rows(place, limit, chars, one, done)
        else:
            e.br(one)
        e.at(one)
        at, more, on = e.load("i64", place, 0, "at"), e.label("run.more"), e.label("run.on")
        e.branch(e.icmp("slt", at, limit), more, done)
        e.at(more)
        e.branch(self.is_in(self.load(at), chars), on, done)
        e.at(on)
        e.store(e.add(at, const("i64", 1)), place)
        e.br(one)
        e.at(done)
        return e.load("i64", place, 0, "end.of.run")

    def _skip_rows(self, place: V, limit: V, chars: CharSet, one: str, done: str) -> None:
        e = self.e
        rows, some, on, stop = e.label("run.rows"), e.label("run.row"), e.label("run.next"), e.label("run.stop")
        last = e.sub(limit, const("i64", self.lanes), "last.row")
        e.br(rows)
        e.at(rows)
        at = e.load("i64", place, 0, "at")
        e.branch(e.icmp("sle", at, last), some, one)
        e.at(some)
        misses = self.mask(self._flipped(self.row(at, chars)))
        e.branch(e.icmp("eq", misses, const("i32", 0)), on, stop)
        e.at(on)
        e.store(e.add(at, const("i64", self.lanes)), place)
        e.br(rows)
        e.at(stop)
        e.store(e.add(at, self.first_of(misses)), place)
        e.br(done)


def above_function(unit: Unit, like: Builder, above: Above) -> V:
    """The function that tells what holds of a code point from 256 on; one a set and module."""
    text = f"regex.above{above!r}".replace('"', "").replace("'", "").replace(" ", "")
    symbol = V("ptr", f'@"{text}"')
    if text in unit.defined:
        return symbol
    head, attributes = unit.head(text, is_local=True)
    e = Builder(like.abi, "start", "char")
    e.will_lead_to("start")
    e.at("start")
    char = V("i32", "%char")
    negated, ranges, classes = above
    yes, no = e.label("yes"), e.label("no")
    for each in classes:
        other = e.label("other")
        e.branch(_is_of(unit, e, char, each), yes, other)
        e.at(other)
    _search(e, char, list(ranges), yes, no)
    e.at(yes)
    e.ret(FALSE if negated else TRUE)
    e.at(no)
    e.ret(TRUE if negated else FALSE)
    unit.functions.append(e.text(f"{head} i1 {symbol.text}(i32 %char) {attributes} {{", "start"))
    return symbol


def _is_of(unit: Unit, e: Builder, char: V, class_: str) -> V:
    """Whether a code point is of a class of Unicode's."""
    flags = call(unit, e, "jf_char_flags", char)
    bits = e.and_(flags, const("i32", _CLASS_FLAGS[class_.removeprefix("!")]))
    return e.icmp("eq" if class_.startswith("!") else "ne", bits, const("i32", 0), "is.of")


def _search(e: Builder, char: V, ranges: list[tuple[int, int]], yes: str, no: str) -> None:
    """Close the block: a binary search."""
    if len(ranges) > 1:
        middle = len(ranges) // 2
        low, high = e.label("low"), e.label("high")
        e.branch(e.icmp("ult", char, const("i32", ranges[middle][0])), low, high)
        e.at(low)
        _search(e, char, ranges[:middle], yes, no)
        e.at(high)
        _search(e, char, ranges[middle:], yes, no)
    elif ranges:
        first, last = ranges[0]
        e.branch(e.icmp("ule", e.sub(char, const("i32", first)), const("i32", last - first)), yes, no)
    else:
        e.br(no)
