"""fork: children of a process with live functions, with the compile worker at work, with threads inside native calls.

Each test runs one function of this file in a fresh process, with a timeout: what goes wrong here hangs. Every child
compiles and calls, and ends as a process ends, through atexit; the parent goes on afterwards.
"""

from __future__ import annotations

import array
import ctypes
import gc
import multiprocessing
import os
import sys
import threading
import traceback
import warnings
from pathlib import Path

import pytest

import jitffi

SOURCE = r"""
#include <pthread.h>
#include <stdint.h>

typedef int64_t (*callback)(int64_t);
int64_t twice(int64_t x) { return 2 * x; }
int64_t apply(callback f, int64_t x) { return f(x); }

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int opened, waiting;
void wait_for_gate(void) {
  pthread_mutex_lock(&mutex);
  waiting++;
  pthread_cond_broadcast(&changed);
  while (!opened) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
void wait_for_waiters(int32_t count) {
  pthread_mutex_lock(&mutex);
  while (waiting < count) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
}
void open_gate(void) {
  pthread_mutex_lock(&mutex);
  opened = 1;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

struct call { callback f; int64_t x, result; };
static void* run(void* given) {
  struct call* call = given;
  call->result = call->f(call->x);
  return 0;
}
int64_t apply_on_a_thread(callback f, int64_t x) {
  struct call call = {f, x, 0};
  pthread_t thread;
  pthread_create(&thread, 0, run, &call);
  pthread_join(thread, 0);
  return call.result;
}
"""


def fork(child) -> int:
    """Run child() in a child process, which then ends by itself; return its process id."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    try:
        child()
    except BaseException:
        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)
    # As a process ends, but for what the parent's frames would do after this call.
    threading._shutdown()
    import atexit

    atexit._run_exitfuncs()
    os._exit(0)


def join(*pids: int) -> None:
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids]
    assert codes == [0] * len(codes), codes


def new_signature(number: int) -> str:
    """A signature that no other number gives."""
    types = ["i8", "i16", "i32", "i64", "f32", "f64", "u16", "u8"]
    digits = [number // len(types) ** k % len(types) for k in range(5)]
    return f"({', '.join(types[d] for d in digits)}, x: i64) -> i64"


def compile_and_call(number: int) -> None:
    last = jitffi.function(new_signature(number))(lambda *args: args[-1])
    assert last(1, 1, 1, 1, 1, x=number) == number
    address = jitffi.Function(last).native_address
    assert jitffi.Function.from_native(address, new_signature(number))(1, 1, 1, 1, 1, number) == number


# -- programs ----------------------------------------------------------------------------------------------------------


def live_functions(path: str) -> None:
    """What the parent made works in the child, and the child makes its own."""
    lib = jitffi.load_library(path)
    twice, apply = lib.bind("twice", "(x: i64) -> i64"), lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")
    add = jitffi.function("(a: i64, b: i64 = 2) -> i64")(lambda a, b: a + b)
    jitffi.register_global_func("test.add", add)

    def child() -> None:
        assert twice(21) == 42 and apply(lambda x: x + 1, 1) == 2 and add(a=1) == 3
        assert jitffi.get_global_func("test.add")(1, 1) == 2
        jitffi.register_global_func("test.child", lambda: 5)
        assert jitffi.get_global_func("test.child")() == 5
        assert lib.bind("twice", "(i64) -> i64")(2) == 4
        compile_and_call(os.getpid())
        try:
            apply(lambda x: 1 // 0, 1)
        except ZeroDivisionError:
            pass
        else:
            raise AssertionError("the error is lost")

    join(*[fork(child) for _ in range(2)])
    child()
    assert "test.child" in jitffi.list_global_func_names()


def nothing_compiled_yet(path: str) -> None:
    join(*[fork(lambda k=k: compile_and_call(k)) for k in range(3)])
    compile_and_call(7)


def worker_at_work(path: str) -> None:
    """Right after compiles: the worker is waiting, or inside LLVM."""
    from jitffi.adapters import tiers

    for round_ in range(3):
        for number in range(5 * round_, 5 * round_ + 5):
            compile_and_call(number)
        pid = fork(lambda round_=round_: compile_and_call(1000 + round_))
        drainer = threading.Thread(target=tiers.drain)
        drainer.start()
        second = fork(lambda round_=round_: compile_and_call(2000 + round_))
        drainer.join()
        join(pid, second)


def other_threads_compile(path: str) -> None:
    lib = jitffi.load_library(path)
    twice = lib.bind("twice", "(x: i64) -> i64")
    stop = threading.Event()
    errors = []

    def work(start: int) -> None:
        number = start
        try:
            while not stop.is_set():
                compile_and_call(number)
                number += 4
                jitffi.register_global_func(f"test.{number}", lambda: 0)
                jitffi.remove_global_func(f"test.{number}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()

    def child() -> None:
        assert twice(21) == 42
        for number in range(30000, 30002):
            compile_and_call(number)
        jitffi.register_global_func("test.child", twice)

    for _ in range(8):
        join(fork(child))
    stop.set()
    for thread in threads:
        thread.join()
    assert not errors, errors


def first_compile_of_another_thread(path: str) -> None:
    """LLVM is being loaded: the fork waits, or the child loads it itself."""
    started = threading.Event()

    def work() -> None:
        started.set()
        compile_and_call(1)

    thread = threading.Thread(target=work)
    thread.start()
    started.wait()
    pids = [fork(lambda k=k: compile_and_call(k)) for k in range(2, 6)]
    thread.join()
    join(*pids)


def inside_a_callback(path: str) -> None:
    """The child comes back through the native frames, and may raise through them."""
    lib = jitffi.load_library(path)
    for nogil in (False, True):
        apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64", nogil=nogil)
        parent = os.getpid()

        def callback(x: int) -> int:
            pid = os.fork()
            if not pid:
                compile_and_call(5)
                raise LookupError(x)
            return pid

        try:
            pid = apply(callback, 7)  # noqa: B023
        except LookupError as error:
            assert os.getpid() != parent and error.args == (7,)
            assert apply(lambda x: x, 3) == 3
            os._exit(0)
        join(pid)


def inside_a_callback_on_a_foreign_thread(path: str) -> None:
    lib = jitffi.load_library(path)
    apply = lib.bind("apply_on_a_thread", "(f: func[(i64) -> i64], x: i64) -> i64", nogil=True)
    plain = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")

    def callback(x: int) -> int:
        def child() -> None:
            compile_and_call(5)
            assert plain(lambda x: x + 1, 1) == 2
            # A thread that the child starts is as good as one of the parent's.
            assert apply(lambda x: x + 1, 1) == 2

        return fork(child)

    join(apply(callback, 7))
    assert apply(lambda x: x, 3) == 3


def other_threads_inside_native_calls(path: str) -> None:
    """They are not in the child: errors of the child's own threads find the child's own calls."""
    lib = jitffi.load_library(path)
    wait = lib.bind("wait_for_gate", "() -> void", nogil=True)
    threads = [threading.Thread(target=wait) for _ in range(3)]
    for thread in threads:
        thread.start()
    lib.bind("wait_for_waiters", "(i32) -> void", nogil=True)(3)

    def child() -> None:
        apply = lib.bind("apply_on_a_thread", "(f: func[(i64) -> i64], x: i64) -> i64", nogil=True)
        assert apply(lambda x: x + 1, 1) == 2
        try:
            apply(lambda x: 1 // 0, 1)
        except ZeroDivisionError:
            return
        raise AssertionError("the error is lost")

    join(fork(child), fork(child))
    lib.bind("open_gate", "() -> void")()
    for thread in threads:
        thread.join()
    child()


def with_a_pending_error(path: str) -> None:
    """An error that waits in the parent waits in both."""
    lib = jitffi.load_library(path)

    @jitffi.function("(i64) -> i64")
    def failing(x):
        raise LookupError(x)

    ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(jitffi.Function(failing).native_address)(5)
    twice = lib.bind("twice", "(i64) -> i64")

    def child() -> None:
        try:
            twice(1)
        except LookupError as error:
            assert error.args == (5,)
        else:
            raise AssertionError("the error is lost")
        assert twice(2) == 4

    join(fork(child))
    child()


def pool_of_processes(path: str) -> None:
    compile_and_call(1)
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(work_of_the_pool, [(path, k) for k in range(12)]) == [2 * k for k in range(12)]
    compile_and_call(2)


def work_of_the_pool(given: tuple[str, int]) -> int:
    path, number = given
    compile_and_call(100 + number)
    numbers = array.array("q", [3, 1, 2])
    qsort = jitffi.load_library(None).bind("qsort", "(ptr, u64, u64, func[(ptr, ptr) -> i32]) -> void")
    value = ctypes.c_int64.from_address
    qsort(numbers, 3, 8, lambda a, b: value(a).value - value(b).value)
    assert numbers.tolist() == [1, 2, 3]
    gc.collect()
    return int(jitffi.load_library(path).bind("twice", "(i64) -> i64")(number))


# -- each in a process of its own --------------------------------------------------------------------------------------

PROGRAMS = [
    live_functions,
    nothing_compiled_yet,
    worker_at_work,
    other_threads_compile,
    first_compile_of_another_thread,
    inside_a_callback,
    inside_a_callback_on_a_foreign_thread,
    other_threads_inside_native_calls,
    with_a_pending_error,
    pool_of_processes,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_fork(build_library, run_python, program):
    """Without a cache: children compile what they call."""
    run_python(Path(__file__), program.__name__, build_library(SOURCE), env={"JITFFI_CACHE_DIR": ""})


@pytest.mark.parametrize("program", [live_functions, worker_at_work, other_threads_compile], ids=lambda p: p.__name__)
def test_fork_with_a_cache(build_library, run_python, tmp_path, program):
    """Parent and children fill it, at exit too."""
    run_python(Path(__file__), program.__name__, build_library(SOURCE), env={"JITFFI_CACHE_DIR": str(tmp_path)})


if __name__ == "__main__":
    warnings.filterwarnings("ignore", "This process .* is multi-threaded", DeprecationWarning)
    globals()[sys.argv[1]](sys.argv[2])
