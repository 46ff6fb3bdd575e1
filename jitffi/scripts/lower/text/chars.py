"""CHAR: a str of one character in a register. Tests, case and conversion of it without a text around it.

What holds of ASCII is inlined; the rest is asked of the tables of Unicode (jf_char_flags).
"""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const
from jitffi.scripts.lower.function.values import Value, bool_, local, text
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

#: JF_IS_* of script.h: which of them make a method's answer.
ALPHA, DECIMAL, DIGIT, NUMERIC, SPACE, UPPER, LOWER, TITLE = 1, 2, 4, 8, 16, 32, 64, 128
PRINTABLE, IDENTIFIER_START = 256, 512
TESTS: Final = {
    "isalpha": ALPHA,
    "isdecimal": DECIMAL,
    "isdigit": DIGIT,
    "isnumeric": NUMERIC,
    "isalnum": ALPHA | DECIMAL | DIGIT | NUMERIC,
    "isspace": SPACE,
    "isupper": UPPER,
    "islower": LOWER,
    "istitle": UPPER | TITLE,
    "isprintable": PRINTABLE,
    "isidentifier": IDENTIFIER_START,
}
#: ASCII letters that lower and casefold, and upper, change; they differ from what they become in one bit.
_CASES: Final = {"lower": "A", "casefold": "A", "upper": "a", "swapcase": "", "title": "a", "capitalize": "a"}
#: More windows of 64 code points than this and a call is shorter.
MOST_WINDOWS: Final = 5


def flags(b: Body, c: V) -> V:
    """JF_IS_* of a code point, i32."""
    e = b.e
    ascii_, other, done = e.label("ascii"), e.label("unicode"), e.label("flags")
    e.branch(e.icmp("ult", c, const("i32", 128)), ascii_, other)
    e.at(ascii_)
    table = b.module.data_symbol("jf_ascii_flags")
    row = e.load("i16", e.index(table, 2, e.zext(c, "i64")), 0, "row")
    quick = e.zext(row, "i32")
    e.br(done)
    e.at(other)
    slow = b.frame.call("jf_char_flags", c)
    e.br(done)
    e.at(done)
    return e.phi([(quick, ascii_), (slow, other)], "flags")


def test(b: Body, name: str, c: V) -> V:
    """`c.isalpha()` and its like, an i1."""
    if name == "isascii":
        return b.e.icmp("ult", c, const("i32", 128), name)
    found = b.e.and_(flags(b, c), const("i32", TESTS[name]))
    return b.e.icmp("ne", found, const("i32", 0), name)


def is_one_of(b: Body, c: V, choices: str) -> V | None:
    """`c in choices` as an i1: bits of one word a window of 64 code points. None where they are too many."""
    found_in = windows(choices)
    if len(found_in) > MOST_WINDOWS:
        return None
    e, found = b.e, FALSE
    for first, bits in found_in:
        if bits & (bits - 1) == 0:
            hit = e.icmp("eq", c, const("i32", first + bits.bit_length() - 1))
        elif bits & (bits + 1) == 0:
            hit = e.icmp("ult", e.sub(c, const("i32", first)), const("i32", bits.bit_length()))
        else:
            at = e.sub(c, const("i32", first), "at")
            # Beyond the window the shift's low bits are of no use, but it must not be by more than 63.
            shift = e.and_(e.zext(at, "i64"), const("i64", 63))
            bit = e.trunc(e.binary("lshr", const("i64", _signed(bits)), shift), "i1", "bit")
            hit = e.and_(e.icmp("ult", at, const("i32", 64)), bit, "hit")
        found = hit if found is FALSE else e.or_(found, hit)
    return found


def windows(choices: str) -> list[tuple[int, int]]:
    """(first code point, bits) of as few windows as can be, from the left."""
    found: list[tuple[int, int]] = []
    for point in sorted(set(map(ord, choices))):
        if found and point - found[-1][0] < 64:
            first, bits = found[-1]
            found[-1] = (first, bits | 1 << (point - first))
        else:
            found.append((point, 1))
    return found


def _signed(word: int) -> int:
    return word - (1 << 64) if word >> 63 else word


def case(b: Body, name: str, value: Value) -> Value | None:
    """`c.lower()` and its like: a STR, since "ß".upper() has two characters. ASCII is done here."""
    if name not in _CASES:
        return None
    e, c = b.e, value.ssa
    first = _CASES[name]
    ascii_, other, done = e.label("ascii"), e.label("unicode"), e.label("cased")
    memory, slot = b.frame.scratch(8), b.frame.temp_slot(1)
    e.branch(e.icmp("ult", c, const("i32", 128)), ascii_, other, likely=True)
    e.at(ascii_)
    folded = e.or_(c, const("i32", 32)) if not first else c
    from_first = e.sub(folded, const("i32", ord(first or "a")))
    is_letter = e.icmp("ult", from_first, const("i32", 26), "is.letter")
    e.store(e.xor(c, e.select(is_letter, const("i32", 32), const("i32", 0))), memory)
    e.br(done)
    e.at(other)
    b.frame.call(f"jf_text_{name}", b.storage.text(value), slot)
    made = b.storage.result_text(STR, slot)
    at_made = e.here
    e.br(done)
    e.at(done)
    data = e.phi([(memory, ascii_), (made.data, at_made)], "data")
    size = e.phi([(const("i64", 1), ascii_), (made.size, at_made)], "size")
    wide = e.phi([(FALSE, ascii_), (made.wide, at_made)], "is.wide")
    return text(STR, data, size, wide, local(None))


def method(b: Body, name: str, value: Value) -> Value | None:
    """A method without arguments of a CHAR; None: as of any text."""
    if name in TESTS or name == "isascii":
        return bool_(test(b, name, value.ssa))
    return case(b, name, value)


def compare(b: Body, op: str, left: V, right: V) -> V:
    """Two characters."""
    predicate = {"==": "eq", "!=": "ne", "<": "ult", "<=": "ule", ">": "ugt", ">=": "uge"}[op]
    if left.text == right.text:
        return TRUE if op in ("==", "<=", ">=") else FALSE
    return b.e.icmp(predicate, left, right)
