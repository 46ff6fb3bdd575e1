"""What a signal handler raises, wherever it comes: it arrives, and afterwards everything works.

JITFFI_INTERRUPTED_RUNS=300 makes so many runs of each kind, from the seed JITFFI_INTERRUPTED_SEED on.
"""

import os
import time
from pathlib import Path

import pytest

from jitffi.base import apart

PROGRAM = Path(__file__).with_name("interrupted.py")
RUNS = int(os.environ.get("JITFFI_INTERRUPTED_RUNS", "2"))
FIRST = int(os.environ.get("JITFFI_INTERRUPTED_SEED", time.time_ns() // 1_000_000 % 1_000_000))


@pytest.mark.parametrize("kind", ["calls", "callbacks", "scripts", "files", "others", "tuning"])
@pytest.mark.parametrize("cache", ["", "kept"])
def test_random_moments(run_python, tmp_path, kind, cache):
    for seed in range((RUNS + 1) // 2):
        seed += FIRST
        print("seed", seed)  # pytest shows it where this fails
        env = {"JITFFI_CACHE_DIR": cache and str(tmp_path / cache)}
        run_python(PROGRAM, str(seed), kind, str(tmp_path), env=env)


@pytest.fixture
def run_text(run_python):
    return lambda text: run_python(text, env={"JITFFI_CACHE_DIR": ""})


#: Raises in the main thread at an event within a function, of which all are counted, as a handler can anywhere.
AT_MOMENT = """
import sys
import jitffi

class Interrupted(BaseException):
    pass

count = 0

def trace(frame, event, arg):
    global count
    code = frame.f_code
    if code.co_filename.endswith("{file}") and code.co_name == "{function}":
        count += 1
        if count == {number}:
            raise Interrupted
    return trace

def call(type):  # each compiles
    return jitffi.function(f"({{type}}) -> {{type}}")(lambda x: x)(3)

sys.settrace(trace)
try:
    call("i64")
except Interrupted:
    pass
sys.settrace(None)
assert call("i64") == 3 and call("i32") == 3

import threading
results = []
thread = threading.Thread(target=lambda: results.append(call("i16")), daemon=True)
thread.start()
thread.join(20)
assert results == [3], "hangs"
"""


@pytest.mark.parametrize(
    ("file", "function", "number"),
    [
        ("types/row.py", "register", 11),  # some rows of types are registered
        ("types/text.py", "<module>", 20),
        ("threading.py", "__enter__", 12),  # the worker's lock is taken
        ("binding/ffi.py", "__enter__", 6),  # and llvmlite's
        ("binding/ffi.py", "__enter__", 46),
        ("binding/ffi.py", "__exit__", 2),
        ("adapters/tiers.py", "add", 4),
        ("llvm/target.py", "<module>", 9),
        ("jitffi/api/entries.py", "_install", 2),
        ("base/apart.py", "start", 4),  # work that is under way has no thread yet
        ("adapters/batches.py", "put", 6),
        ("adapters/batches.py", "compile_for", 5),
        ("<frozen importlib._bootstrap>", "__exit__", 2),
        ("<frozen importlib._bootstrap>", "_get_module_lock", 2),
    ],
)
def test_at_a_moment(run_text, file, function, number):
    run_text(AT_MOMENT.format(file=file, function=function, number=number))


WAITING = """
import os, signal, sys, threading, time, traceback
import jitffi
from jitffi.base import fork_locks, off_thread

class Alarm(Exception):
    pass

def handler(*_):
    raise Alarm

signal.signal(signal.SIGALRM, handler)
labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")
off_thread.run(lambda: None)
"""


def test_the_caller_is_interrupted_at_once_and_the_work_goes_on(run_text):
    run_text(
        WAITING
        + """
done = []
go_on, ended = threading.Event(), threading.Event()
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    off_thread.run(lambda: (go_on.wait(), done.append(threading.get_ident()), ended.set()))
except Alarm:
    assert not done
else:
    raise AssertionError("not interrupted")
go_on.set()
ended.wait()
assert done and done[0] != threading.get_ident()
assert labs(-3) == 3
"""
    )


def test_work_is_waited_for_at_exit(run_text):
    assert "done" in run_text(
        WAITING
        + """
signal.setitimer(signal.ITIMER_REAL, 0.05)
try:
    off_thread.run(lambda: (time.sleep(0.5), print("done", flush=True)))
except Alarm:
    pass
"""
    )


def test_what_has_not_begun_is_waited_for_together(monkeypatch):
    monkeypatch.setattr(apart, "_BEGUN", 0.1)
    monkeypatch.setattr(apart, "_under_way", {apart._Work(lambda: None) for _ in range(20)})
    before = time.monotonic()
    apart._finish()
    assert time.monotonic() - before < 1


def test_exceptions_come_back_as_themselves(run_text):
    run_text(
        WAITING
        + """
error = LookupError("x")

def fail():
    raise error

try:
    off_thread.run(fail)
except LookupError as found:
    assert found is error
    names = [frame.name for frame in traceback.extract_tb(found.__traceback__)]
    assert names[0] == "<module>" and names[-1] == "fail", names
"""
    )


def test_a_handler_that_forks_while_its_thread_waits(run_text):
    run_text(
        WAITING
        + """
def fork(*_):
    global pid
    import warnings
    warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on: of the threads that there are
    pid = os.fork()

signal.signal(signal.SIGALRM, fork)
signal.setitimer(signal.ITIMER_REAL, 0.05)
pid = None
assert off_thread.run(lambda: time.sleep(0.3) or 7) == 7
assert pid is not None and labs(-3) == 3
if pid == 0:
    os._exit(0)
signal.alarm(0)
assert os.waitpid(pid, 0)[1] == 0
"""
    )


def test_a_handler_that_compiles_while_its_thread_waits_or_has_a_lock(run_text):
    run_text(
        WAITING
        + """
others = []

def compiles(*_):
    others.append(jitffi.load_library(None).bind("strlen", "(cstr) -> u64")("abc"))

signal.signal(signal.SIGALRM, compiles)
for lock in (None, fork_locks.IMPORTS, fork_locks.LLVM, fork_locks.SCRIPTS):
    signal.setitimer(signal.ITIMER_REAL, 0.05)
    if lock is None:
        off_thread.run(time.sleep, 0.2)
    else:
        fork_locks.holding(lock, time.sleep, 0.2)
assert others == [3] * 4
"""
    )


def test_a_handler_that_calls_while_what_makes_threads_is_imported(run_text):
    run_text(
        """
import sys
from jitffi.base import off_thread

seen = []

def trace(frame, event, arg):
    if frame.f_code.co_filename.endswith("base/apart.py") and not seen:
        seen.append(off_thread.run(lambda: 3))

sys.settrace(trace)
assert off_thread.run(lambda: 4) == 4 and seen == [3]
"""
    )


def test_a_lock_of_the_interpreters_that_an_import_has_left(run_text):
    run_text(
        WAITING
        + """
import _imp
_imp.acquire_lock()  # as a handler leaves it that raises in an import
assert labs(-3) == 3 and not _imp.lock_held()
"""
    )


def test_threads_of_the_program_may_have_small_stacks(run_text):
    run_text(
        WAITING
        + """
import sys
# From 3.14 on CPython looks how much is left of a stack, and reads no source with so little.
SMALL = (64 if sys.version_info < (3, 14) else 256) << 10
threading.stack_size(SMALL)
parameters = ", ".join(["str", "f64", "i8", "any"] * 20)
results = []

def work():
    results.append(jitffi.function(f"({parameters}) -> i64")(lambda *args: len(args)))
    results.append(results[0](*["a", 1.0, 1, None] * 20))

thread = threading.Thread(target=work)
thread.start()
thread.join()
assert results[1] == 80 and threading.stack_size() == SMALL
"""
    )


def test_a_first_call_at_exit(run_text):
    assert "3" in run_text(
        WAITING
        + """
import atexit
atexit.register(lambda: print(labs(-3), flush=True))

class Late:
    def __del__(self):
        print(labs(-4), flush=True)

sys.late = Late()
"""
    )


def test_no_lock_is_lost_by_with(run_text):
    """On CPython 3.14 one of `_thread` is, in every other try."""
    run_text(
        """
import random, signal
from jitffi.base import fork_locks, off_thread

class Alarm(Exception):
    pass

def handler(*_):
    global armed
    if armed:
        armed = False
        raise Alarm

def use():
    while True:
        with fork_locks.IMPORTS:
            pass

armed = False
signal.signal(signal.SIGALRM, handler)
for _ in range(500):
    armed = True
    try:
        signal.setitimer(signal.ITIMER_REAL, random.uniform(1e-5, 1e-4))
        use()
    except Alarm:
        pass
    assert not fork_locks.is_mine(fork_locks.IMPORTS)
"""
    )
