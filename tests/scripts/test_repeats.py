"""Which calls of scripts can be given up and made again: what they change or keep of arguments, and what none does."""

from __future__ import annotations

import collections
import heapq
import math
import re
import time
from typing import Any

import pytest

from jitffi.scripts.api import linear, repeats

TABLE = {"a": 1, "b": 2}
ROWS = [[1], [2]]
later: list[int] = []


class PlainError(ValueError):
    """One of a module."""


class CountingError(ValueError):
    def __init__(self, text: str) -> None:
        later.append(1)
        super().__init__(text)


def own(text):
    found, counts, table = [], collections.Counter(), [[0] * 3 for _ in range(3)]
    for i, word in enumerate(text.split()):
        found.append(word)
        counts[word] += 1
        table[i % 3][0] = len(word)
    counts.update(found)
    for row in table:
        row.sort()
    return found, counts.most_common(1), table


def kept(text, table):
    return [text], table.get(text)


def renamed(xs, n):
    ys = xs if n else []
    ys.append(n)
    return ys


def by_item(xs):
    xs[0] = 1


def deleted(xs):
    del xs[0]


def in_place(xs, other):
    xs += other
    return xs


def counts_down(n, by):
    while n > 1:
        n -= 1
        n //= by
    return n


def method_kept(xs):
    add = xs.append
    add(1)


def heaped(xs, n):
    heap = list(xs)
    heapq.heappush(heap, n)
    heapq.heapify(xs)
    return heap


def of_class(xs):
    list.append(xs, 1)


def appends(xs, x):
    xs.append(x)
    return xs


def by_helper(xs, n):
    mine = appends([], n)
    return mine, appends(mine, 1), len(xs)


def helper_changes(xs):
    return appends(xs, 1)


def in_tuple(xs):
    pair = (xs, 1)
    pair[0].append(1)


def in_lambda(xs):
    get = lambda: xs  # noqa: E731
    get().append(1)


def inner_changes(xs):
    def add(x):
        xs.append(x)

    add(1)


def inner_own(text):
    found = []

    def add(x):
        found.append(x)

    add(text)
    return found


def matches(xs):
    match xs:
        case [first, *_]:
            return first
        case other:
            other.append(1)
    return None


def walrus(xs):
    return [(ys := xs), ys.append(1)]


def defaulted(xs):
    return {}.get(1, xs).append(1)


def tries(text):
    try:
        return int(text)
    except (ValueError, TypeError):
        raise PlainError(text) from None


def caught_with_argument(xs):
    try:
        raise ValueError(xs)
    except ValueError as error:
        error.args[0].append(1)


def reads_table(word):
    return TABLE.get(word, 0), math.sqrt(2), sorted(TABLE)


def shadowed(xs):
    return [len + 1 for len in xs], len(xs)


def catches_all(x):
    try:
        return own(x)
    except:  # noqa: E722
        return 0


def catches_base(x):
    try:
        return own(x)
    except BaseException:
        return 0


def at_last(x):
    try:
        return own(x)
    finally:
        later.append(1)


def prints(x):
    print(x)


def changes_table(x):
    TABLE[x] = 1


def of_rows(x):
    ROWS[x].append(1)


def table_of_helper():
    return TABLE


def changes_result():
    table_of_helper()["c"] = 3


def appends_later(x):
    later.append(x)


def mutable_default(x, seen=[]):  # noqa: B006
    seen.append(x)
    return len(seen)


def uses_default(x):
    return mutable_default(x)


def attributed(x):
    own.calls = x


def counting(x):
    raise CountingError(x)


def steps(xs):
    yield from xs


def unknown(x):
    return time.monotonic() + x


def sets_global(x):
    global later
    later = x


def by_key(xs, ys):
    return max(xs, ys, key=lambda each: each.pop())


def asserted(xs):
    try:
        assert not xs, xs
    except AssertionError as error:
        error.args[0].append(1)


def of_class_pattern(xs):
    match xs:
        case list(append=add):
            add(1)


def of_comprehension():
    return [ROWS.append(1) for ROWS in ROWS]  # noqa: F823


def of_module():
    heapq.__all__.append("x")


def by_alias():
    h = own
    h.calls += 1


def by_self(xs):
    return xs.count.__self__.append(1)


def by_slice(xs):
    slice(xs).stop.append(1)


def by_error(xs):
    try:
        return xs.real
    except AttributeError as error:
        return error.obj.append(1)


def by_method():
    c = collections.Counter()
    c.get = own
    return c.get("a b")


def by_flags(text):
    return re.compile("abc", re.DEBUG).match(text)


def backtracks(text):
    return re.sub(r"\s+$", "", text)


def loops_in_c(n):
    return len(",".join(map(str, range(n))))


def sums_in_c(n):
    return sum(range(n))


@pytest.mark.parametrize(
    ("function", "kept"),
    [
        (own, 0), (kept, 0b01), (renamed, 0b11), (by_item, 1), (deleted, 1), (in_place, 0b01), (counts_down, 0),
        (method_kept, 1), (heaped, 0b11), (of_class, 1), (by_helper, 0b10), (helper_changes, 1), (in_tuple, 1),
        (in_lambda, 1), (inner_changes, 1), (inner_own, 1), (matches, 1), (walrus, 1), (defaulted, 1), (tries, 1),
        (caught_with_argument, 1), (reads_table, 1), (by_key, 0b11), (asserted, 1),
    ],
)  # fmt: skip
def test_parameters_that_are_changed_or_kept(function: Any, kept: int) -> None:
    found = repeats.look_at(function)
    assert found is not None and found.kept == kept and found.is_as_seen()


@pytest.mark.parametrize(
    "function",
    [
        shadowed, catches_all, catches_base, at_last, prints, changes_table, of_rows, changes_result, appends_later,
        uses_default, attributed, counting, steps, unknown, sets_global, of_class_pattern, of_comprehension, of_module,
        by_alias, by_self, by_slice, by_error, by_method, by_flags, backtracks, loops_in_c, sums_in_c,
    ],
)  # fmt: skip
def test_what_else_has_effects_is_never_made_again(function: Any) -> None:
    assert repeats.look_at(function) is None


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\w+", True), (r"[a-z]+|\d", True), (r"#(\d*)", True), (r"\d{4}-\d{2}", True), (rb"(?i)x+?", True),
        (r"a{99,}", False),
        (r"\s+$", False), (r"(?:a|a)+$", False), (r"(?:ab|c)*", False), (r"<[^>]+>", False), (r"(\w+) (\w+)", False),
        (r"(a)\1", False), (r"(?=a*b)", False), (r"a{1,100}b", False), ("(", False), (r"(\w+\s?)*", False),
    ],
)  # fmt: skip
def test_patterns_that_go_through_text_once(pattern: Any, wanted: bool) -> None:
    assert linear.is_linear(pattern, 0) is wanted
