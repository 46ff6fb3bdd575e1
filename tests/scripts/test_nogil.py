"""`nogil=True`: scripts that run without the interpreter's lock, and take it where they meet Python."""

from __future__ import annotations

import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import jitffi


def spin(n):
    a = 0
    i = 0
    while i < n:
        a = (a * 31 + i) % 1000003
        i += 1
    return a


@jitffi.script(nogil=True)
def words(text):
    found = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found


@jitffi.script(nogil=True)
def mapped(function, n):
    total = 0
    for i in range(n):
        total += function(i)
    return total


@jitffi.script(nogil=True)
def shown(text):
    print(text)
    return len(text)


@jitffi.script(nogil=True)
def filled(items, n):
    for i in range(n):
        items.append(i)
    return items


@jitffi.script(nogil=True)
def picked(items, i):
    return items[i]


def waiting(x, n):
    x[1] = 1
    i = 0
    while x[0] == 0 and i < n:
        i += 1
    return i


def _rounds(n, nogil):
    """How many rounds the script went through until it saw what this thread does once it sees the script at work."""
    script = jitffi.script(waiting, nogil=nogil)
    script(np.ones(2, np.int64), 1)
    x, done = np.zeros(2, np.int64), []
    thread = threading.Thread(target=lambda: done.append(script(x, n)))
    thread.start()
    while not x[1]:
        time.sleep(0)
    x[0] = 1
    thread.join()
    return done[0]


def test_another_thread_runs_meanwhile():
    many = 1 << 34  # seconds, of which it takes a moment
    assert _rounds(many, nogil=True) < many


def test_no_other_thread_runs_while_the_lock_is_held():
    assert _rounds(1 << 20, nogil=False) == 1 << 20


def test_results_and_errors_are_the_same():
    assert words("a b a é") == {"a": 2, "b": 1, "é": 1}
    assert jitffi.script(spin, nogil=True)(999) == spin(999)
    with pytest.raises(IndexError):
        picked([1, 2], 2)
    with pytest.raises(TypeError, match="positional argument"):
        picked([1, 2])


def test_many_threads_give_the_right_results():
    texts = [" ".join(f"w{i % k}" for i in range(2000)) for k in range(1, 17)]
    found = {}

    def work(i):
        for _ in range(20):
            found[i] = words(texts[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for i, text in enumerate(texts):
        assert found[i] == {word: text.split().count(word) for word in set(text.split())}


def test_python_callables_take_the_lock():
    seen = []

    def add(i):
        seen.append(threading.get_ident())
        return i

    found, together = [], threading.Barrier(4)

    def run():
        together.wait()  # what ends before another begins leaves it its number
        found.append(mapped(add, 300))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [sum(range(300))] * 4 and len(set(seen)) == 4 and len(seen) == 1200


def test_an_exception_of_a_callable_comes_out():
    def fail(i):
        raise LookupError(i)

    with pytest.raises(LookupError) as caught:
        mapped(fail, 3)
    assert [frame.name for frame in caught.traceback][1:] == ["mapped", "fail"]


def test_python_objects_are_dropped_with_the_lock():
    class Value:
        pass

    for _ in range(100):
        value = Value()
        assert picked([Value(), value], 1) is value


def test_print_takes_the_lock(capsys):
    threads = [threading.Thread(target=shown, args=(f"é{i}" * 10,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(capsys.readouterr().out.splitlines()) == [f"é{i}" * 10 for i in range(8)]


def test_a_list_that_others_have_is_refused():
    items = jitffi.List([1])
    with pytest.raises(ValueError, match="only reference"):
        filled(items, 3)
    assert filled([1], 2) == [1, 0, 1]


def test_a_list_that_is_moved_in_is_taken():
    items = jitffi.List([1])
    assert filled(items._move(), 2) == [1, 0, 1]
    with pytest.raises(ValueError, match="moved"):
        len(items)


def test_a_move_that_failed_takes_nothing_later():
    items = jitffi.List([1])
    with pytest.raises(OverflowError):
        filled(items._move(), 1 << 70)
    with pytest.raises(ValueError, match="only reference"):
        filled(items, 2)
    assert items == [1]


def test_scripts_in_scripts():
    assert mapped(jitffi.script(square, nogil=True), 4) == 14
    assert mapped(jitffi.script(square), 4) == 14


def square(x):
    return x * x


@jitffi.script(nogil=True)
def borrowed(function, n):
    items = ["a" * 50]
    function(items)
    for i in range(n):
        items.append("x" * 40 + str(i))
        if len(items) > 20:
            items.clear()
    return len(items)


def test_list_that_python_has_kept_is_changed_under_the_lock():
    kept, done = [], []
    borrowed(kept.append, 1)
    kept.clear()
    thread = threading.Thread(target=lambda: done.append(borrowed(kept.append, 50_000)))
    thread.start()
    while not kept:
        pass
    while thread.is_alive():  # two threads in one list would crash
        kept[0].append("y" * 40)
        kept[0].clear()
    thread.join()
    assert 0 <= done[0] <= 21


@jitffi.script(nogil=True)
def asked(function, n):
    items = function([n])
    items.append(n)
    return len(items) + sum(items)


def test_locks_are_balanced_where_scripts_are_in_scripts():
    given = jitffi.List([1])
    assert asked(lambda items: given, 2) == 5

    def again(items):
        return [asked(lambda each: [asked(lambda x: x, 1)], 3), mapped(lambda x: x, 3)]

    for _ in range(3):
        assert asked(again, 1) == 3 + asked(lambda each: [asked(lambda items: items, 1)], 3) + 3 + 1
        assert mapped(lambda x: asked(lambda each: each, x), 3) == sum(2 + 2 * x for x in range(3))
    with pytest.raises(ZeroDivisionError):
        asked(lambda items: [len(items) // 0], 1)
    done = []
    thread = threading.Thread(target=lambda: done.append(asked(again, 1)))
    thread.start()
    thread.join()
    assert done == [asked(again, 1)]


def test_a_fork_waits_for_compiling(run_python):
    program = """
import os, sys, threading
sys.path.insert(0, {folder!r})
import jitffi
from forked import added, doubled
begin = threading.Barrier(3)

def work(value):
    begin.wait()
    assert added(value, value) == value + value

threads = [threading.Thread(target=work, args=(value,)) for value in (1, "a")]
for thread in threads:
    thread.start()
begin.wait()
child = os.fork()
if child == 0:
    os._exit(0 if (doubled(4), added(1.5, 1)) == (8, 2.5) else 1)
for thread in threads:
    thread.join()
print(os.waitpid(child, 0)[1])
"""
    with tempfile.TemporaryDirectory() as folder:
        source = "import jitffi\n\n@jitffi.script\ndef added(a, b):\n    return a + b\n\n"
        source += "@jitffi.script\ndef doubled(x):\n    return x * 2\n"
        Path(folder, "forked.py").write_text(source)
        assert run_python(program.format(folder=folder), env={"JITFFI_CACHE_DIR": ""}) == "0\n"
