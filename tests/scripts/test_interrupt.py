"""Ctrl-C ends a running script: loops of every kind and recursion, with the interpreter's lock and without."""

from __future__ import annotations

from collections.abc import Callable

import pytest

PROGRAM = """
import os, re, signal, sys, threading, time
import jitffi

def endless_while(n):
    i = 0
    while i < n:
        i += 1
    return i

def over_range(n):
    t = 0
    for i in range(n):
        t = t + i % 7
    return t

def over_text(n):
    t = 0
    for i in range(n):
        for ch in "abcabc":
            if ch == "a":
                t += 1
    return t

def over_list(n):
    items = [1, 2, "a"]
    t = 0
    while t < n:
        for x in items:
            t += 1
    return t

def over_dict(n):
    table = {i: i for i in range(1000)}
    t = 0
    for k in range(n):
        for a, b in table.items():
            t += 1
    return t

def backwards(n):
    t = 0
    for i in reversed(range(n)):
        t += i % 3
    return t

def comprehension(n):
    return len([i for i in range(n) if i % 999983 == 7])

def enumerated(n):
    t = 0
    for k, i in enumerate(range(n)):
        t += (k + i) % 2
    return t

def recursive(n):
    return 1 if n < 2 else recursive(n - 1) + recursive(n - 2)

def searching(n):
    return 1 if re.match(r"(a?)(?:a+)+\\1c", "a" * min(n, 90) + "bc") else 0

def inner(n):
    t = 0
    for i in range(1000):
        t += i * n % 3
    return t

def middle(n):
    t = 0
    for i in range(1000):
        t += inner(i)
    return t

def through_calls(n):
    t = 0
    for i in range(n):
        t += middle(i)
    return t

function = globals()[sys.argv[1]]
run = jitffi.script(function, nogil=sys.argv[2] == "nogil")
run(3)
# Another process interrupts, since no other thread runs while the script holds the lock.
if os.fork() == 0:
    time.sleep(0.2)
    os.kill(os.getppid(), signal.SIGINT)
    os._exit(0)
begun = time.monotonic()
try:
    run(90 if function is recursive else 10**12)
except KeyboardInterrupt as error:
    frame = error.__traceback__
    while frame.tb_next:
        frame = frame.tb_next
    code = frame.tb_frame.f_code
    first = globals()[code.co_name].__code__.co_firstlineno
    print("interrupted", 0 <= frame.tb_lineno - first < 10, run(3) == function(3))
os.wait()
"""
FUNCTIONS = ["endless_while", "over_range", "over_text", "over_list", "over_dict", "backwards", "comprehension"]
FUNCTIONS += ["enumerated", "recursive", "through_calls", "searching"]


@pytest.mark.parametrize("lock", ["gil", "nogil"])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_ctrl_c_ends_a_script(run_python: Callable[..., str], tmp_path: object, name: str, lock: str) -> None:
    path = f"{tmp_path}/program.py"
    with open(path, "w") as file:
        file.write(PROGRAM)
    assert run_python(f"import runpy, sys\nsys.argv[:] = {['x', name, lock]!r}\nrunpy.run_path({path!r})").split() == [
        "interrupted",
        "True",
        "True",
    ]


def test_another_handler_runs_when_the_script_returns(run_python: Callable[..., str]) -> None:
    program = """
        import os, signal, time
        import jitffi
        found = []
        signal.signal(signal.SIGINT, lambda *_: found.append(shared.pop()))
        shared = jitffi.List(["a" * 40, "b" * 40])

        @jitffi.script
        def watch(items, n):
            t = 0
            for i in range(n):
                for item in items:
                    t += len(item)
            return t

        watch(shared, 1)
        os.kill(os.getpid(), signal.SIGINT)
        if os.fork() == 0:
            time.sleep(0.1)
            os.kill(os.getppid(), signal.SIGINT)
            os._exit(0)
        before = len(found)
        n = 1000
        while len(found) < before + 1:
            print(watch(shared, n) == 40 * len(shared) * n or len(found) > before)
            n *= 2
        os.wait()
        print(len(found))
    """
    import textwrap

    lines = run_python(textwrap.dedent(program)).split()
    assert lines[-1] == "2" and set(lines[:-1]) == {"True"}
