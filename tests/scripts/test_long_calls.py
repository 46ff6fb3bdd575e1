"""First calls that go on for long are given up, and code makes them again: which may be, and that all happens once."""

from __future__ import annotations

import collections
import heapq
import math
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api import first_calls, linear, repeats
from tests.scripts.short_calls import be_hot, has_code

TABLE = {"a": 1, "b": 2}
ROWS = [[1], [2]]
WORD = re.compile(r"\w+")
later: list[int] = []


@pytest.fixture(autouse=True)
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    be_hot(monkeypatch)


class PlainError(ValueError):
    """One of a module."""


class CountingError(ValueError):
    def __init__(self, text: str) -> None:
        later.append(1)
        super().__init__(text)


# -- what may be made again ------------------------------------------------------------------------------------------


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


# -- calls -----------------------------------------------------------------------------------------------------------

#: Rounds of a second in the interpreter.
MANY = 20_000_000


def collatz(n):
    longest = 0
    while n:
        n -= 1
        longest = max(longest, n % 7)
    return longest


def halved(n):
    x = n * 3
    try:
        while x > n:
            x -= 1
    except Exception:
        return -1
    return x


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def changes(xs, n):
    xs[0] += 1
    while n > 0:
        n -= 1
    return xs


def asks(words, n):
    while n > 0:
        n -= 1
    return len(words)


def counts(words):
    return collections.Counter(word for _ in range(20) for word in words)


def numbers(text, n):
    while n > 0:
        n -= 1
    words = [re.sub(r"(\d)", lambda match: match[1] * 2, word) for word in WORD.findall(text)]
    return [(each.start(), each.group()) for each in re.finditer("[0-9]+", " ".join(words))]


def test_patterns_may_go_through_text() -> None:
    script, text = jitffi.script(numbers), "a1, b22, c "
    assert script(text, 5) == numbers(text, 5) == [(1, "11"), (5, "2222")] and not has_code(script)
    assert script(text, MANY) == numbers(text, 5) and has_code(script)


@pytest.mark.parametrize(
    ("pattern", "wanted"),
    [
        (r"\w+", True), (r"[a-z]+|\d", True), (r"#(\d*)", True), (r"\d{4}-\d{2}", True), (rb"(?i)x+?", True),
        (r"\s+$", False), (r"(?:a|a)+$", False), (r"(?:ab|c)*", False), (r"<[^>]+>", False), (r"(\w+) (\w+)", False),
        (r"(a)\1", False), (r"(?=a*b)", False), (r"a{1,100}b", False), ("(", False), (r"(\w+\s?)*", False),
    ],
)  # fmt: skip
def test_patterns_that_go_through_text_once(pattern: Any, wanted: bool) -> None:
    assert linear.is_linear(pattern, 0) is wanted


@pytest.mark.parametrize("function", [collatz, halved])
def test_a_long_call_is_made_by_code(function: Any) -> None:
    script = jitffi.script(function)
    assert script(5) == function(5) and not has_code(script)
    assert script(MANY) == (6 if function is collatz else MANY) and has_code(script)


def test_in_functions_of_the_library_as_well() -> None:
    script, words = jitffi.script(counts), ["a", "b"] * 50_000
    assert script(words) == {"a": 1_000_000, "b": 1_000_000} and has_code(script)


def test_recursion_ends_in_code() -> None:
    namespace = {"jitffi": jitffi}
    exec("def fib(n):\n    return n if n < 2 else fib(n - 1) + fib(n - 2)\n", namespace)
    script = jitffi.script(fib)
    assert script(30) == 832040


def test_what_is_changed_is_changed_once() -> None:
    script, xs = jitffi.script(changes), [1]
    assert script(xs, MANY) is xs and xs == [2] and has_code(script)


@pytest.mark.parametrize("words", [["a", "b"], {"a": 1}, ("a", "b"), {"a", "b"}, "ab"])
def test_arguments_are_let_go(words: Any) -> None:
    script, before = jitffi.script(asks), sys.getrefcount(words)
    assert script(words, 5) == len(words) and not has_code(script)
    assert script(words, MANY) == len(words) and has_code(script)
    assert sys.getrefcount(words) == before


def test_lists_in_lists_are_left_to_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_calls, "ENOUGH", 2**62)
    script = jitffi.script(asks)
    assert script(["a"], 300_000) == 1 and not has_code(script)
    assert script([["a"]], 300_000) == 1 and has_code(script)


def test_on_another_thread_there_is_code_at_once() -> None:
    script, found = jitffi.script(collatz), []
    thread = threading.Thread(target=lambda: found.append((script(5), has_code(script))))
    thread.start()
    thread.join()
    assert found == [(4, True)]


#: In capitals, and filled later.
LATER: list[Any] = []


def reads_later(n):
    for each in LATER:
        each.append(1)
    while n > 0:
        n -= 1
    return n


def helper(n):
    return n


def calls_helper(n):
    n = helper(n)
    while n > 0:
        n -= 1
    return n


def test_what_names_stand_for_is_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(first_calls, "ENOUGH", 2**62)
    script, other = jitffi.script(reads_later), jitffi.script(calls_helper)
    assert (script(300_000), other(300_000), has_code(script), has_code(other)) == (0, 0, False, False)
    monkeypatch.setitem(globals(), "LATER", [[]])
    calls: list[int] = []
    monkeypatch.setitem(globals(), "helper", lambda n: calls.append(n) or n)
    assert (script(300_000), other(300_000), has_code(script), has_code(other)) == (0, 0, True, True)
    assert LATER == [[1]] and calls == [300_000]  # noqa: SIM300


def test_a_handler_that_calls_the_script_is_not_a_part_of_it() -> None:
    script, found = jitffi.script(collatz), []
    before = signal.signal(signal.SIGALRM, lambda number, frame: found.append(script(MANY)))
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    try:
        assert script(MANY) == 6
    finally:
        signal.signal(signal.SIGALRM, before)
    assert found == [6]


def test_signal_handlers_are_let_be() -> None:
    begun, ended = [], []

    def handle(number: int, frame: Any) -> None:
        begun.append(number)
        end = time.monotonic() + 0.2
        while time.monotonic() < end:
            pass
        ended.append(number)

    before = signal.signal(signal.SIGALRM, handle)
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    try:
        assert jitffi.script(collatz)(MANY) == 6
    finally:
        signal.signal(signal.SIGALRM, before)
    assert begun == ended == [signal.SIGALRM]


def test_what_a_handler_raises_comes_out() -> None:
    def handle(number: int, frame: Any) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, handle)
    script = jitffi.script(collatz)
    assert script(5) == 4
    try:
        with pytest.raises(TimeoutError):
            signal.setitimer(signal.ITIMER_REAL, 0.005)
            script(MANY)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert script(5) == 4


def test_also_after_a_fork_and_at_exit(run_python: Callable[..., str]) -> None:
    program = (
        "import os, time, jitffi\n@jitffi.script\ndef f(n):\n    while n > 3:\n        n -= 2\n    return n\n"
        "f(5)\nchild = os.fork()\nos.write(1, b'%d %d;' % (f(20_000_000), bool(f._variants)))\n"
        "if child:\n    assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert run_python(program, env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}) == "2 1;" * 2
