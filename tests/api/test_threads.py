"""Threads: compiling and calling at once, calls without the interpreter's lock, callbacks on threads that C started.

Each test runs one function of this file in a fresh process, with a timeout: what goes wrong here hangs or crashes.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest

import jitffi

SOURCE = r"""
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

typedef int64_t (*callback)(int64_t);

struct job {
  pthread_t thread;
  callback f;
  int64_t from, count, total;
  volatile int32_t is_done;
};

static void* run(void* given) {
  struct job* job = given;
  for (int64_t i = 0; i < job->count; i++) job->total += job->f(job->from + i);
  job->is_done = 1;
  return NULL;
}

/* The sum of f(0) to f(threads * count - 1), `count` of them on each of `threads` threads at once. */
int64_t sum(callback f, int32_t threads, int64_t count) {
  struct job* jobs = calloc((size_t)threads, sizeof *jobs);
  int64_t total = 0;
  for (int32_t i = 0; i < threads; i++) {
    jobs[i].f = f;
    jobs[i].from = i * count;
    jobs[i].count = count;
    pthread_create(&jobs[i].thread, NULL, run, &jobs[i]);
  }
  for (int32_t i = 0; i < threads; i++) {
    pthread_join(jobs[i].thread, NULL);
    total += jobs[i].total;
  }
  free(jobs);
  return total;
}

/* The same, one thread after the other. */
int64_t sum_in_turn(callback f, int32_t threads, int64_t count) {
  int64_t total = 0;
  for (int32_t i = 0; i < threads; i++) {
    struct job job = {.f = f, .from = i * count, .count = count};
    pthread_create(&job.thread, NULL, run, &job);
    pthread_join(job.thread, NULL);
    total += job.total;
  }
  return total;
}

struct pair {
  callback f, g;
  int64_t total;
};
static void* run_both(void* given) {
  struct pair* pair = given;
  pair->total = pair->f(1);
  pair->total += pair->g(2);
  return NULL;
}
/* f(1) + g(2), on one thread of its own. */
int64_t sum_of_both(callback f, callback g) {
  struct pair pair = {f, g, 0};
  pthread_t thread;
  pthread_create(&thread, NULL, run_both, &pair);
  pthread_join(thread, NULL);
  return pair.total;
}

static struct job started;
void start(callback f, int64_t count) {
  started = (struct job){.f = f, .count = count};
  pthread_create(&started.thread, NULL, run, &started);
}
int32_t is_done(void) { return started.is_done; }
int64_t join(void) {
  pthread_join(started.thread, NULL);
  return started.total;
}

/* A gate that somebody else must open. */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static int64_t opened;
int64_t wait_for(int64_t count) {
  pthread_mutex_lock(&mutex);
  while (opened < count) pthread_cond_wait(&changed, &mutex);
  pthread_mutex_unlock(&mutex);
  return opened;
}
void open_gate(void) {
  pthread_mutex_lock(&mutex);
  opened++;
  pthread_cond_broadcast(&changed);
  pthread_mutex_unlock(&mutex);
}

int64_t apply(callback f, int64_t x) { return f(x); }
int64_t twice(int64_t x) { return 2 * x; }
"""
SUM = "(f: func[(i64) -> i64], threads: i32, count: i64) -> i64"
THREADS = 8


def in_threads(work, count: int = THREADS) -> None:
    """Run work(i) on *count* threads that start together; the first exception of any is raised."""
    barrier = threading.Barrier(count)
    errors: list[BaseException] = []

    def body(i: int) -> None:
        barrier.wait()
        try:
            work(i)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=body, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def resident() -> int:
    """Bytes of memory in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


# -- compiling and calling at once -------------------------------------------------------------------------------------


def compile_and_call(path: str) -> None:
    """Different and equal signatures, bound, called, dropped, while better code is installed behind them."""
    from jitffi.adapters import tiers

    lib = jitffi.load_library(path)
    kept: list = []

    def work(i: int) -> None:
        for round_ in range(4):
            for count in range(1, 6):
                # Every thread makes these, each in its own order.
                n = (count + i) % 5 + 1
                params = ", ".join(f"p{k}: i64" for k in range(n))
                f = jitffi.function(f"({params}) -> i64")(lambda *args: sum(args))
                assert f(*range(n)) == f(**{f"p{k}": k for k in range(n)}) == n * (n - 1) // 2
                assert (
                    ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_int64] * n)(jitffi.Function(f).native_address)(
                        *range(n)
                    )
                    == n * (n - 1) // 2
                )
            # These are this thread's own.
            own = jitffi.function(f"({'i8, ' * i}f64, {'i16, ' * round_}i64) -> i64")(lambda *args: args[-1])
            assert own(*[0] * i, 0.5, *[0] * round_, round_) == round_
            twice = lib.bind("twice", "(x: i64) -> i64")
            assert twice(21) == twice(x=21) == 42
            if round_ % 4 == i % 4:
                kept.append(twice)
                tiers.drain()

    in_threads(work)
    assert all(twice(4) == 8 for twice in kept)
    tiers.drain()
    assert all(twice(4) == twice(x=4) == 8 for twice in kept)


def call_one_function(path: str) -> None:
    """One function with keywords, defaults and a callback, called in every way by all."""
    lib = jitffi.load_library(path)
    add = jitffi.function("(a: i64, b: i64 = 2, c: str = 'x') -> str")(lambda a, b, c: f"{a}{b}{c}")
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")

    def work(i: int) -> None:
        for k in range(500):
            assert add(i) == f"{i}2x" and add(c="y", a=k) == f"{k}2y" and add(i, b=k) == f"{i}{k}x"
            assert add(a=i, b=k, c="z") == f"{i}{k}z"
            assert apply(lambda x: x + i, k) == k + i  # noqa: B023
            if k % 100 == 0:
                try:
                    add(i, "wrong")
                except TypeError as error:
                    assert "argument 2 'b': expected i64, got str 'wrong'" in str(error)
                else:
                    raise AssertionError("accepted")

    in_threads(work)


def use_the_registry(path: str) -> None:
    def work(i: int) -> None:
        for k in range(300):
            jitffi.register_global_func("shared", lambda i=i, k=k: (i, k)[1], override=True)
            jitffi.register_global_func(f"own.{i}", lambda k=k: k, override=True)
            assert jitffi.get_global_func(f"own.{i}")() == k
            assert 0 <= jitffi.get_global_func("shared")() < 300
            assert f"own.{i}" in jitffi.list_global_func_names()
            jitffi.remove_global_func(f"own.{i}")
            assert jitffi.get_global_func(f"own.{i}", allow_missing=True) is None

    in_threads(work)


# -- without the lock --------------------------------------------------------------------------------------------------


def release_the_lock(path: str) -> None:
    """Each call waits for a gate that only another Python thread opens: with the lock held nobody would."""
    lib = jitffi.load_library(path)
    wait = lib.bind("wait_for", "(count: i64) -> i64", nogil=True)
    open_gate = lib.bind("open_gate", "() -> void")

    def work(i: int) -> None:
        open_gate()
        assert wait(THREADS) == THREADS

    in_threads(work)


# -- callbacks on threads of C -----------------------------------------------------------------------------------------


def call_back_from_foreign_threads(path: str) -> None:
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)
    idents = set()

    def callback(x: int) -> int:
        idents.add(threading.get_ident())
        return x

    assert total(callback, THREADS, 500) == sum(range(THREADS * 500))
    assert len(idents) == THREADS and threading.get_ident() not in idents


def call_back_while_python_threads_run(path: str) -> None:
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)

    def work(i: int) -> None:
        if i % 2:
            assert total(lambda x: x * i, 3, 100) == i * sum(range(300))
        else:
            assert sum(k % 7 for k in range(200_000)) == sum(range(7)) * (200_000 // 7) + sum(range(200_000 % 7))

    in_threads(work)


def call_by_ctypes(path: str) -> None:
    """ctypes releases the lock around the call, and knows nothing of us; nor do its threads."""

    @jitffi.function("(i64) -> i64")
    def square(x):
        return x * x

    address = jitffi.Function(square).native_address
    direct = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)
    c_sum = ctypes.CDLL(path).sum
    c_sum.argtypes, c_sum.restype = [ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64], ctypes.c_int64

    def work(i: int) -> None:
        assert [direct(k) for k in range(1000)] == [k * k for k in range(1000)]
        assert c_sum(address, 2, 50) == sum(k * k for k in range(100))

    in_threads(work)


def raise_on_a_foreign_thread(path: str) -> None:
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)
    error = LookupError("on a thread of C")

    def callback(x: int) -> int:
        if x == 5:
            raise error
        return x

    for _ in range(50):
        try:
            total(callback, 1, 10)
        except LookupError as caught:
            names = []
            traceback = caught.__traceback__
            while traceback:
                names.append(traceback.tb_frame.f_code.co_name)
                traceback = traceback.tb_next
            assert caught is error and names[::2] == ["raise_on_a_foreign_thread", "callback"], names
            assert len(names) == 3 and names[1].startswith("sum("), names
            error.__traceback__ = None
        else:
            raise AssertionError("the error is lost")
        assert total(lambda x: x, 2, 10) == sum(range(20))


def raise_on_many_foreign_threads(path: str) -> None:
    """One error comes out of the call, the others are reported: none is lost."""
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)
    reported = []
    sys.unraisablehook = lambda args: reported.append(args.exc_value)

    def callback(x: int) -> int:
        raise LookupError(x)

    try:
        total(callback, THREADS, 1)
    except LookupError as error:
        raised = [error, *reported]
    assert sorted(error.args[0] for error in raised) == list(range(THREADS))
    assert total(lambda x: 1, THREADS, 10) == THREADS * 10


def raise_to_the_call_that_waits(path: str) -> None:
    """Each of the Python threads gets an error of a thread that C started for one of them, and none is left over."""
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)
    reported, raised = [], []
    sys.unraisablehook = lambda args: reported.append(args.exc_value)

    def work(i: int) -> None:
        def callback(x: int) -> int:
            raise LookupError(i)

        for _ in range(50):
            try:
                total(callback, 1, 1)
            except LookupError as error:
                raised.append(error.args[0])

    in_threads(work, 4)
    assert len(raised) + len(reported) == 4 * 50
    assert total(lambda x: x, 1, 3) == 3


def raise_while_nobody_waits(path: str) -> None:
    """C's thread works for no call of ours: the error is reported as one that nobody could take."""
    lib = jitffi.load_library(path)
    reported = []
    sys.unraisablehook = lambda args: reported.append(args.exc_value)

    @jitffi.function("(i64) -> i64", on_error=-1)
    def callback(x):
        if x % 2:
            raise LookupError(x)
        return 100

    lib.bind("start", "(f: func[(i64) -> i64], count: i64) -> void")(callback, 4)
    assert ctypes.CDLL(path).join() == 100 - 1 + 100 - 1
    assert [error.args[0] for error in reported] == [1, 3]
    assert lib.bind("twice", "(i64) -> i64")(4) == 8


def call_dead_closures_from_foreign_threads(path: str) -> None:
    lib = jitffi.load_library(path)
    total = lib.bind("sum", "(f: ptr, threads: i32, count: i64) -> i64", nogil=True)
    both = lib.bind("sum_of_both", "(f: ptr, g: ptr) -> i64", nogil=True)
    dead = jitffi.Function(jitffi.function("(i64) -> i64")(lambda x: x)).native_address
    gc.collect()
    live = jitffi.Function(jitffi.function("(i64) -> i64")(lambda x: x + 5))
    assert total(dead, 4, 100) == 0
    assert total(live.native_address, 4, 10) == sum(range(40)) + 5 * 40
    try:  # the live one runs, and brings the dead one's error along
        both(dead, live.native_address)
    except RuntimeError as error:
        assert "called after its Function was released" in str(error)
    else:
        raise AssertionError("the error is lost")


def keep_the_thread_state(path: str) -> None:
    """A foreign thread's state stays until the thread ends: what Python keeps there stays, and then goes."""
    lib = jitffi.load_library(path)
    total = lib.bind("sum_in_turn", SUM, nogil=True)
    local = threading.local()
    seen: list[list[int]] = []
    gone = []

    class Token:
        pass

    def callback(x: int) -> int:
        if not hasattr(local, "calls"):
            local.calls = []
            local.token = Token()
            gone.append(weakref.ref(local.token))
            seen.append(local.calls)
        local.calls.append(x)
        return 0

    total(callback, 5, 20)
    assert seen == [list(range(20 * i, 20 * i + 20)) for i in range(5)]
    end = time.monotonic() + 10
    while any(ref() for ref in gone) and time.monotonic() < end:
        time.sleep(0.001)  # the thread that lets the states go waits for the interpreter's lock
    assert not any(ref() for ref in gone), "what belonged to the threads went with them"


def join_with_the_lock(path: str) -> None:
    """A thread that is about to end does not wait for the interpreter's lock, which who joins it may hold."""
    lib = jitffi.load_library(path)
    start = lib.bind("start", "(f: func[(i64) -> i64], count: i64) -> void", keep_callbacks=True)
    is_done, join = lib.bind("is_done", "() -> i32"), lib.bind("join", "() -> i64")
    for _ in range(50):
        start(abs, 3)
        while not is_done():  # no callback is left
            time.sleep(0)
        assert join() == 3


def end_a_thousand_threads(path: str) -> None:
    from jitffi.adapters import tiers

    lib = jitffi.load_library(path)
    total = lib.bind("sum_in_turn", SUM, nogil=True)
    local = threading.local()

    def callback(x: int) -> int:
        local.x = x
        return x

    total(callback, 300, 1)
    tiers.drain()  # the worker's memory is none of the threads'
    gc.collect()
    before = resident()
    assert total(callback, 1000, 2) == sum(range(2000))
    gc.collect()
    # A thread's state takes some 20 kilobytes.
    assert resident() - before < 4_000_000, resident() - before


def call_native_code_from_a_callback_on_a_foreign_thread(path: str) -> None:
    lib = jitffi.load_library(path)
    total = lib.bind("sum", SUM, nogil=True)
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")
    raised = []

    def innermost(x: int) -> int:
        if x % 10 == 3:
            raise KeyError(x)
        return x

    def callback(x: int) -> int:
        try:
            return apply(innermost, x)
        except KeyError as error:
            raised.append(error.args[0])
            return 0

    assert total(callback, 4, 10) == sum(x for x in range(40) if x % 10 != 3)
    assert sorted(raised) == [3, 13, 23, 33]


def drop_the_function_on_a_foreign_thread(path: str) -> None:
    """The last reference may go while the callback runs."""
    lib = jitffi.load_library(path)
    total = lib.bind("sum", "(f: ptr, threads: i32, count: i64) -> i64", nogil=True)
    for _ in range(50):
        box = []

        @jitffi.function("(i64) -> i64")
        def callback(x):
            box.clear()  # noqa: B023
            return x + 1

        box.append(callback)
        address = jitffi.Function(callback).native_address
        del callback
        assert total(address, 1, 1) == 1


def drop_a_function_that_threads_call(path: str) -> None:
    """A call that waits for the lock finds its Function dead when it gets it, and fails as later calls do."""
    lib = jitffi.load_library(path)
    start, join = lib.bind("start", "(f: ptr, count: i64) -> void"), lib.bind("join", "() -> i64", nogil=True)
    reported = []
    sys.unraisablehook = lambda args: reported.append(args.exc_value)
    for _ in range(15):
        called = threading.Event()

        @jitffi.function("(i64) -> i64")
        def callback(x):
            called.set()  # noqa: B023
            return 1

        start(jitffi.Function(callback).native_address, 1000)
        called.wait()
        del callback
        gc.collect()
        reused = [jitffi.Function(jitffi.function("(i64) -> i64")(lambda x: 1000)).native_address for _ in range(3)]
        try:
            assert 1 <= join() <= 1000 and reused
        except RuntimeError as error:
            reported.append(error)
    assert all("its Function was released" in str(error) for error in reported), reported


def exit_while_threads_call_back(path: str) -> None:
    """The process ends while C's thread calls back; the callbacks then fail quietly instead of crashing."""
    lib = jitffi.load_library(path)
    called = threading.Event()

    @jitffi.function("(i64) -> i64")
    def callback(x):
        called.set()
        return x

    start = lib.bind("start", "(f: func[(i64) -> i64], count: i64) -> void", keep_callbacks=True)
    globals()["kept_until_the_end"] = start
    start(callback, 2**62)
    called.wait()


# -- each in a process of its own --------------------------------------------------------------------------------------

PROGRAMS = [
    compile_and_call,
    call_one_function,
    use_the_registry,
    release_the_lock,
    call_back_from_foreign_threads,
    call_back_while_python_threads_run,
    call_by_ctypes,
    raise_on_a_foreign_thread,
    raise_on_many_foreign_threads,
    raise_to_the_call_that_waits,
    raise_while_nobody_waits,
    call_dead_closures_from_foreign_threads,
    keep_the_thread_state,
    join_with_the_lock,
    end_a_thousand_threads,
    call_native_code_from_a_callback_on_a_foreign_thread,
    drop_the_function_on_a_foreign_thread,
    drop_a_function_that_threads_call,
    exit_while_threads_call_back,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
@pytest.mark.parametrize("cache", ["cached", "uncached"])
def test_threads(build_library, run_python, program, cache):
    run_python(
        Path(__file__),
        program.__name__,
        build_library(SOURCE),
        env={"JITFFI_CACHE_DIR": ""} if cache == "uncached" else {},
    )


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2])
