"""Random operations on List, Map, String, UCS4String and Bytes, beside Python's list, dict, str and bytes.

Each example is a tape of bytes that the operations read their choices from: hypothesis can shrink it, and a long one
costs little to draw. What is compared: every result, every exception's class, and the whole content now and then.
"""

from __future__ import annotations

import gc
import math

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import jitffi
from jitffi._core import live_objects

#: With about 2.5 bytes an operation: a hundred thousand operations or more, for each kind.
EXAMPLES, TAPE = 130, 2000
#: Without shrinking, which takes minutes for tapes as long as these.
MODEL = settings(
    phases=[Phase.reuse, Phase.generate],
    max_examples=EXAMPLES,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    print_blob=True,
    report_multiple_bugs=False,
)

TEXTS = ["", "a", "\0", "\x7f", "\xe9", "abc", "seven c", "eight ch", "x" * 15, "x" * 16, "\u20ac" * 5, "\u20ac" * 6,
         "\U0001f600", "\U0001f600ab", "y" * 200, "abcabcabc", " a b  c ", "Stra\xdfe", "\u65e5\u672c"]  # fmt: skip
BYTES = [text.encode() for text in TEXTS]
NUMBERS = [0, 1, -1, 2, 127, -128, -129, 1023, 1024, 1 << 31, -(1 << 63), (1 << 63) - 1, 1 << 63, (1 << 64) - 1]
FLOATS = [0.0, -0.0, 1.0, 2.5, -1.5, 1e300, math.inf, 1024.0, float(1 << 53)]
#: Everything that is hashable and has an order only among its own kind.
VALUES = [
    None,
    True,
    False,
    *NUMBERS,
    *FLOATS,
    *TEXTS,
    *BYTES,
    (),
    (1,),
    (1, "a"),
    (1.0, "a"),
]


class Tape:
    """Choices, read from bytes; `done` when there are no more."""

    def __init__(self, content: bytes) -> None:
        self._content, self._at = content, 0

    def __repr__(self) -> str:
        return f"Tape of {len(self._content)} bytes"

    @property
    def done(self) -> bool:
        return self._at >= len(self._content)

    def below(self, n: int) -> int:
        if self.done:
            return 0
        self._at += 1
        return self._content[self._at - 1] % n

    def of(self, choices):
        return choices[self.below(len(choices))]

    def index(self, size: int) -> int:
        """Mostly inside, sometimes just outside."""
        return self.below(2 * size + 5 if size < 120 else 250) - size - 2

    def slice(self, size: int) -> slice:
        def edge():
            return None if self.below(4) == 0 else self.index(size)

        return slice(edge(), edge(), self.of([None, None, 1, 2, -1, -2, 3, 7, -5]))


def outcome(operation, *args):
    """Its result, or the class of what it raised."""
    try:
        return "result", operation(*args)
    except (IndexError, KeyError, ValueError, TypeError, OverflowError, MemoryError, StopIteration) as error:
        return "error", type(error)


def plain(value):
    """A result as Python's own containers, so that both sides compare with all types known."""
    if isinstance(value, (jitffi.List, getattr(jitffi, "Map", jitffi.Tuple), jitffi.Tuple)):
        return value.to_python()
    if isinstance(value, (jitffi.String, jitffi.UCS4String)):
        return str(value)
    if type(value) in (list, tuple):
        return type(value)([plain(each) for each in value])
    return bytes(value) if isinstance(value, jitffi.Bytes) else value


def exact(value):
    """Equal only where value, class and sign are: 1 is not 1.0 and not True."""
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [exact(each) for each in value]
    if isinstance(value, dict):
        return "dict", [(exact(k), exact(v)) for k, v in value.items()]
    return type(value).__name__, repr(value)


def agree(operation, ours, model, *args):
    """Do it to both; the results must be the same."""
    got, expected = outcome(operation, ours, *args), outcome(operation, model, *args)
    assert got[0] == expected[0], (got, expected, args)
    if got[0] == "error":
        assert got[1] is expected[1], (got, expected, args)
    elif expected[1] is model and isinstance(model, (list, dict)):
        assert got[1] is ours
    else:
        assert exact(plain(got[1])) == exact(expected[1]), args


TAPES = st.binary(min_size=TAPE, max_size=TAPE).map(Tape)


@pytest.fixture(autouse=True)
def _nothing_is_left():
    gc.collect()
    before = live_objects()
    yield
    gc.collect()
    assert live_objects() == before


# -- list ----------------------------------------------------------------------------------------------------------


def set_item(seq, i, value):
    seq[i] = value


def del_item(seq, i):
    del seq[i]


def iadd(seq, items):
    seq += items
    return seq


def imul(seq, n):
    seq *= n
    return seq


def sort(seq, key, reverse):
    seq.sort(key=key, reverse=reverse)


def kinds(value):
    """A key by which everything has an order."""
    value = plain(value)
    return type(value).__name__, repr(value)


def list_step(tape: Tape, ours, model) -> None:
    n = len(model)
    op = tape.below(26)
    value = VALUES[tape.below(len(VALUES))]
    if op <= 4:
        agree(lambda s: s.append(value), ours, model)
    elif op == 5:
        agree(lambda s, i: s.insert(i, value), ours, model, tape.index(n))
    elif op == 6:
        agree(lambda s, i: s.pop(i), ours, model, tape.index(n))
    elif op == 7:
        agree(lambda s: s.pop(), ours, model)
    elif op == 8:
        agree(lambda s, i: s[i], ours, model, tape.index(n))
    elif op == 9:
        agree(set_item, ours, model, tape.index(n), value)
    elif op == 10:
        agree(del_item, ours, model, tape.index(n))
    elif op == 11:
        agree(lambda s, i: s[i], ours, model, tape.slice(n))
    elif op == 12:
        agree(del_item, ours, model, tape.slice(n))
    elif op == 13:
        agree(set_item, ours, model, tape.slice(n), [tape.of(VALUES) for _ in range(tape.below(5))])
    elif op == 14:
        where = tape.slice(n)
        agree(set_item, ours, model, where, [value] * len(range(*where.indices(n))))
    elif op == 15:
        agree(lambda s: s.remove(value), ours, model)
    elif op == 16:
        agree(lambda s: (value in s, s.count(value)), ours, model)
    elif op == 17:
        agree(lambda s, i, j: s.index(value, i, j), ours, model, tape.index(n), tape.index(n))
    elif op == 18:
        agree(lambda s: s.reverse(), ours, model)
    elif op == 19:
        agree(sort, ours, model, kinds, bool(tape.below(2)))
    elif op == 20:
        agree(lambda s: s.extend(s) if len(s) < 60 else s.clear(), ours, model)
    elif op == 21:
        agree(iadd, ours, model, [value, *[tape.of(VALUES) for _ in range(tape.below(4))]])
    elif op == 22:
        agree(imul, ours, model, tape.below(3) if n < 100 else 0)
    elif op == 23:
        agree(
            lambda s: (s * 2, s + [value], s == [*s], s < [value], s > []) if not s else (s * 2, s + [value]),
            ours,
            model,
        )
    elif op == 24:
        agree(lambda s: (s.copy(), list(reversed(s)), [*s], len(s), bool(s)), ours, model)
    else:
        agree(lambda s, v: s == v, ours, model, list(model) if tape.below(2) else [*model, value])


@MODEL
@given(TAPES)
def test_list(tape):
    ours, model = jitffi.List(pad=tape.below(16)), []
    while not tape.done:
        list_step(tape, ours, model)
        assert len(ours) == len(model)
        if tape.below(8) == 0:
            assert exact(ours.to_python()) == exact(model)
    assert exact(ours.to_python()) == exact(model)


@MODEL
@given(TAPES)
def test_list_of_one_kind_sorts(tape):
    while not tape.done:
        kind = tape.of([NUMBERS, FLOATS, NUMBERS + FLOATS + [True, False], TEXTS, BYTES, VALUES])
        model = [tape.of(kind) for _ in range(tape.below(40))]
        ours = jitffi.List(model)
        reverse = bool(tape.below(2))
        got, expected = outcome(sort, ours, None, reverse), outcome(sort, model, None, reverse)
        assert got == expected
        if got[0] == "result":
            assert exact(ours.to_python()) == exact(model)


# -- dict ----------------------------------------------------------------------------------------------------------


def map_step(tape: Tape, ours, model) -> None:
    op = tape.below(20)
    key, value = VALUES[tape.below(len(VALUES))], tape.of(VALUES)
    if op <= 5:
        agree(set_item, ours, model, key, value)
    elif op <= 8:
        agree(del_item, ours, model, key)
    elif op == 9:
        agree(lambda m: m[key], ours, model)
    elif op == 10:
        agree(lambda m: (m.get(key), m.get(key, "none"), key in m), ours, model)
    elif op == 11:
        agree(lambda m: m.setdefault(key, value), ours, model)
    elif op == 12:
        agree(lambda m: m.pop(key), ours, model)
    elif op == 13:
        agree(lambda m: m.pop(key, value), ours, model)
    elif op == 14:
        agree(lambda m: m.popitem(), ours, model)
    elif op == 15:
        agree(lambda m: m.update({key: value, 1: None}), ours, model)
    elif op == 16:
        agree(lambda m: (list(m), list(m.keys()), list(m.values()), list(m.items()), list(reversed(m))), ours, model)
    elif op == 17:
        agree(lambda m: (m.copy(), m | {key: value}, len(m), bool(m)), ours, model)
    elif op == 18:
        agree(lambda m, other: m == other, ours, model, {**model, key: value} if tape.below(2) else dict(model))
    elif tape.below(8) == 0:
        agree(lambda m: m.clear(), ours, model)


@MODEL
@given(TAPES)
def test_map(tape):
    ours, model = jitffi.Map(), {}
    while not tape.done:
        map_step(tape, ours, model)
        assert len(ours) == len(model)
        if tape.below(8) == 0:
            assert exact(ours.to_python()) == exact(model)
    assert exact(ours.to_python()) == exact(model)


def test_keys_that_come_and_go_take_no_room_for_ever():
    ours, model = jitffi.Map(), {}
    for i in range(100_000):
        ours[i] = model[i] = str(i)
        if i >= 5:
            del ours[i - 5], model[i - 5]
    assert ours == model
    assert list(ours.items()) == list(model.items())


# -- text ----------------------------------------------------------------------------------------------------------

PREDICATES = [
    "isalpha",
    "isascii",
    "isdigit",
    "isspace",
    "isupper",
    "islower",
    "isidentifier",
    "isalnum",
    "isprintable",
]
CHANGES = [
    "upper",
    "lower",
    "strip",
    "lstrip",
    "rstrip",
    "title",
    "swapcase",
    "casefold",
    "capitalize",
    "splitlines",
    "split",
]


def text_step(tape: Tape, ours, model) -> None:
    n, op, other = len(model), tape.below(16), tape.of(TEXTS)
    if op == 0:
        agree(lambda s, i: s[i], ours, model, tape.index(n))
    elif op == 1:
        agree(lambda s, i: s[i], ours, model, tape.slice(n))
    elif op == 2:
        agree(lambda s, i, j: (s.find(other, i, j), s.rfind(other, i, j), s.count(other, i, j)), ours, model,
              tape.index(n), tape.index(n))  # fmt: skip
    elif op == 3:
        agree(lambda s: s.index(other), ours, model)
    elif op == 4:
        agree(lambda s: (s.startswith(other), s.endswith(other), other in s), ours, model)
    elif op == 5:
        agree(lambda s: (s + other, other + s, s * 2, 2 * s), ours, model)
    elif op == 6:
        agree(lambda s: (s == other, s != other, s < other, s <= other, other > s, other == s), ours, model)
    elif op == 7:
        agree(lambda s: (hash(s) == hash(str(s)), len(s), bool(s), list(s), str(s)), ours, model)
    elif op == 8:
        agree(lambda s: s.replace(other, "-"), ours, model)
    elif op == 9:
        agree(lambda s: s.split(other), ours, model)
    elif op == 10:
        agree(lambda s: (s.partition(other), s.rpartition(other)), ours, model)
    elif op == 11:
        agree(lambda s, name: getattr(s, name)(), ours, model, tape.of(PREDICATES))
    elif op == 12:
        agree(lambda s, name: getattr(s, name)(), ours, model, tape.of(CHANGES))
    elif op == 13:
        agree(lambda s: (s.encode(), s.encode("utf-16"), s.center(n + 3, "*"), s.zfill(7)), ours, model)
    elif op == 14:
        agree(
            lambda s: (s.join(["x", "y"]), s.removeprefix(other), s.removesuffix(other), s.expandtabs(3)), ours, model
        )
    else:
        agree(lambda s: {str(s): 1}[s], ours, model)


@pytest.mark.parametrize("kind", ["String", "UCS4String"])
@MODEL
@given(TAPES)
def test_text(kind, tape):
    model = ""
    while not tape.done:
        model = (model + tape.of(TEXTS))[-tape.of([300, 5, 17]) :]
        ours = getattr(jitffi, kind)(model)
        for _ in range(6):
            text_step(tape, ours, model)


def bytes_step(tape: Tape, ours, model, other: bytes) -> None:
    n = len(model)
    agree(lambda s, i: s[i], ours, model, tape.index(n))
    agree(lambda s, i: s[i], ours, model, tape.slice(n))
    agree(lambda s: (s.find(other), s.count(other), other in s, s + other, s * 2), ours, model)
    agree(lambda s: (s == other, s < other, s >= other, other == s), ours, model)
    agree(lambda s: (hash(s) == hash(bytes(s)), len(s), list(s), bytes(memoryview(s)), s.hex()), ours, model)
    agree(lambda s: (s.split(other), s.replace(other, b"-"), s.startswith(other)), ours, model)


@MODEL
@given(TAPES)
def test_bytes(tape):
    model = b""
    while not tape.done:
        model = (model + tape.of(BYTES))[-tape.of([300, 5, 17]) :]
        bytes_step(tape, jitffi.Bytes(model), model, tape.of(BYTES))
