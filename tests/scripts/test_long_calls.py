"""First calls that go on for long are given up, and code makes them again: all happens once, whatever comes between."""

from __future__ import annotations

import collections
import re
import signal
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api import first_calls, repeats
from tests.scripts.short_calls import be_hot, has_code

WORD = re.compile(r"\w+")


@pytest.fixture(autouse=True)
def hot(monkeypatch: pytest.MonkeyPatch) -> None:
    be_hot(monkeypatch)


#: Rounds of seconds in the interpreter, and far more than can be gone through before a call is given up.
MANY = 60_000_000


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
    return collections.Counter(word for _ in range(150) for word in words)


def numbers(text, n):
    while n > 0:
        n -= 1
    words = [re.sub(r"(\d)", lambda match: match[1] * 2, word) for word in WORD.findall(text)]
    return [(each.start(), each.group()) for each in re.finditer("[0-9]+", " ".join(words))]


def test_patterns_may_go_through_text() -> None:
    script, text = jitffi.script(numbers), "a1, b22, c "
    assert script(text, 5) == numbers(text, 5) == [(1, "11"), (5, "2222")] and not has_code(script)
    assert script(text, MANY) == numbers(text, 5) and has_code(script)


@pytest.mark.parametrize("function", [collatz, halved])
def test_a_long_call_is_made_by_code(function: Any) -> None:
    script = jitffi.script(function)
    assert script(5) == function(5) and not has_code(script)
    assert script(MANY) == (6 if function is collatz else MANY) and has_code(script)


def test_in_functions_of_the_library_as_well() -> None:
    script, words = jitffi.script(counts), ["a", "b"] * 50_000
    assert script(words) == {"a": 7_500_000, "b": 7_500_000} and has_code(script)


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


def test_also_while_the_text_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    def handle(number: int, frame: Any) -> None:
        raise TimeoutError

    monkeypatch.setattr(repeats, "look_at", lambda function: time.sleep(0.3))
    before = signal.signal(signal.SIGALRM, handle)
    script = jitffi.script(collatz)
    try:
        with pytest.raises(TimeoutError):
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            script(5)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert script(5) == 4


def test_also_after_a_fork_and_at_exit(run_python: Callable[..., str]) -> None:
    program = (
        "import os, time, jitffi\n@jitffi.script\ndef f(n):\n    while n > 3:\n        n -= 2\n    return n\n"
        "f(5)\nchild = os.fork()\nos.write(1, b'%d %d;' % (f(120_000_000), bool(f._variants)))\n"
        "if child:\n    assert os.waitpid(child, 0)[1] == 0\n"
    )
    assert run_python(program, env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": "hot"}) == "2 1;" * 2
