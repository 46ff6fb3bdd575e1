"""Corners where what is kept, counted or told apart was once wrong: each test is a defect that was found."""

from __future__ import annotations

import ctypes
import functools
import gc
import os
import sys
import textwrap
import weakref

import pytest

import jitffi
from jitffi.adapters import cache
from jitffi.base import config

SOURCE = r"""
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

typedef int64_t (*int_callback)(int64_t);
typedef double (*float_callback)(double);
static int_callback kept_int;
static float_callback kept_float;

int64_t apply(int_callback f, int64_t x) { return f(x); }
void keep_both(int_callback f, float_callback g) { kept_int = f, kept_float = g; }
void keep_one(int_callback f) { kept_int = f; }
int64_t call_int(int64_t x) { return kept_int(x); }
double call_float(double x) { return kept_float(x); }
void nap(int64_t microseconds) { usleep(microseconds); }

/* Calls whatever pointer stands there, from threads of its own, for ever. */
static void* volatile current;
static void* call_for_ever(void* ignored) {
  for (;;) {
    int_callback f = (int_callback)current;
    if (f) f(1);
  }
  return ignored;
}
void start_calling(int32_t threads) {
  pthread_t thread;
  while (threads-- > 0) pthread_create(&thread, 0, call_for_ever, 0);
}
void set_current(void* f) { current = f; }

/* Lets go of an object without the lock, then fails with the errno that is given. */
int32_t release_and_fail(void (*release)(void*), void* object, int32_t code) {
  release(object);
  errno = code;
  return -1;
}
"""


@pytest.fixture(scope="module")
def path(build_library):
    return build_library(SOURCE)


@pytest.fixture(scope="module")
def lib(path):
    return jitffi.load_library(path)


# -- what is kept --------------------------------------------------------------------------------------------------


def test_one_callable_kept_at_two_types(lib):
    """The wrapper of the second type does not take the place of the first, which C still holds."""
    keep = lib.bind("keep_both", "(f: func[(i64) -> i64], g: func[(f64) -> f64]) -> void", keep_callbacks=True)
    keep(*[lambda x: x + 1] * 2)
    gc.collect()
    assert lib.bind("call_int", "(i64) -> i64")(1) == 2
    assert lib.bind("call_float", "(f64) -> f64")(1.5) == 2.5


def test_a_function_kept_that_came_through_a_packed_call(lib):
    """keep_callbacks holds for packed callers as for those from Python."""
    keep = jitffi.Function(lib.bind("keep_one", "(f: func[(i64) -> i64]) -> void", keep_callbacks=True))
    packed = jitffi.Function.from_packed(keep.packed_address, signature="(func) -> void", self_handle=keep.handle)
    twice = jitffi.function("(i64) -> i64")(lambda x: 2 * x)
    assert jitffi.Function(twice).native_address
    packed(twice)
    gone = weakref.ref(jitffi.Function(twice))
    del twice
    gc.collect()
    assert gone() is not None
    assert lib.bind("call_int", "(i64) -> i64")(21) == 42


@pytest.mark.parametrize("callee", ["python", "packed"])
def test_a_function_whose_handle_was_asked_for_dies(callee):
    function = jitffi.function("(a: i64) -> i64")(lambda a: a)
    made = jitffi.Function(function)
    if callee == "packed":
        made = jitffi.Function.from_packed(made.packed_address, signature="(a: i64) -> i64", self_handle=made.handle)
    assert made.handle
    gone = weakref.ref(made)
    del made, function
    gc.collect()
    assert gone() is None


# -- what is told apart --------------------------------------------------------------------------------------------


def test_a_method_of_a_function_is_not_the_function():
    made = jitffi.Function(jitffi.function("(i64) -> i64")(lambda x: x))
    with pytest.raises(TypeError, match="expected a Function or its builtin"):
        jitffi.Function(made.__sizeof__)
    assert jitffi.convert(made.__sizeof__)() == made.__sizeof__()


def test_an_exception_class_with_a_name_that_is_no_str(lib):
    class Meta(type):
        def __getattribute__(cls, name):
            return 5 if name == "__qualname__" else super().__getattribute__(name)

    class Odd(Exception, metaclass=Meta):
        pass

    error = Odd("x")

    def fail(x):
        raise error

    with pytest.raises(Odd) as caught:
        lib.bind("apply", "(func[(i64) -> i64], i64) -> i64")(fail, 1)
    assert caught.value is error


def test_a_library_whose_path_is_no_utf8(tmp_path):
    with pytest.raises(OSError, match="no-such"):
        jitffi.load_library(str(tmp_path / "no-such-\udcff.so"))


# -- depth, errno, ends --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [lambda f: f, jitffi.Function], ids=["builtin", "Function"])
def test_recursion_without_a_python_frame_ends(lib, form):
    apply = form(lib.bind("apply", "(func[(i64) -> i64], i64) -> i64"))
    endless = functools.partial(apply)
    endless.__setstate__((apply, (endless,), {}, {}))
    with pytest.raises(RecursionError):
        endless(1)


def test_errno_outlives_what_is_released_after_the_call(lib):
    """Objects that C let go of without the lock are dropped when it is taken again: their destructors change errno."""
    runtime = ctypes.CDLL(str(config.library_file()))
    fail = lib.bind("release_and_fail", "(ptr, ptr, i32) -> i32", nogil=True, errno=True)
    seen = []

    class Noisy:
        def __del__(self):
            seen.append(os.path.exists("/no such path"))  # ENOENT

    function = jitffi.function("() -> object")(lambda: Noisy())
    address = jitffi.Function(function).native_address
    made = ctypes.CFUNCTYPE(ctypes.c_void_p)(address)()
    with pytest.raises(OSError, match=os.strerror(5)):
        fail(runtime.jf_object_release, made, 5)
    assert seen == [False]


def test_a_native_call_after_a_daemon_thread_was_ended_inside_one(run_python, path):
    program = """
    import sys, threading, time, jitffi
    nap = jitffi.load_library(sys.argv[1]).bind("nap", "(i64) -> void", nogil=True)
    nap(0)  # what its first call imports cannot be imported that late
    class Late:
        def __init__(self):
            self.sleep, self.nap, self.write = time.sleep, nap, sys.stdout.write
        def __del__(self):
            self.sleep(0.1)
            for _ in range(9):
                self.nap(1)
            self.write("late")
    threading.Thread(target=nap, args=(30000,), daemon=True).start()
    time.sleep(0.01)
    sys.late = Late()
    """
    assert run_python(textwrap.dedent(program), path, env={"MALLOC_PERTURB_": "170"}) == "late"


def test_first_call_of_a_function_that_is_called_like_an_attribute(run_python):
    program = """
    import jitffi
    labs = jitffi.Function(jitffi.load_library(None).bind("labs", "(i64) -> i64"))
    names = {name for of in (labs, type(labs)) for name in (*dir(of), *vars(of), *type(labs).__annotations__)}
    assert "_compiled" in names
    for count, name in enumerate(sorted(names)):
        types = f"(i64{', bool = False' * (count % 7)}{', i8 = 0' * (count // 7)}) -> i64"
        assert jitffi.Function.from_native(labs.native_address, types, name=name)(-3) == 3, name
    """
    run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": ""})


def test_what_is_being_bound_may_be_compiled_with_anothers_first_call(run_python):
    """As on another thread, at any line of the binding."""
    program = """
    import sys, jitffi
    def lines(frame, event, arg):
        global count
        if event == "line" and frame.f_code.co_filename.endswith(("entries.py", "batches.py")):
            count += 1
            if count == at:
                sys.settrace(None)
                assert other(-1) == 1
        return lines
    lib = jitffi.load_library(None)
    warm = lib.bind("labs", "(i64) -> i64")
    for at in range(1, 25):
        other = jitffi.Function.from_native(jitffi.Function(warm).native_address, f"(i64{', i8 = 0' * at}) -> i64")
        count = 0
        sys.settrace(lines)
        function = lib.bind("labs", f"(i64{', i16 = 0' * at}) -> i64")
        sys.settrace(None)
        assert function(-5) == 5
    assert 5 < count < at, count  # at the last ones there were no more lines
    """
    run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": ""})


def test_functions_die_while_threads_of_c_call_them(run_python, path):
    """A call on its way into a closure finds a state that fails, not the NULL that no code looks out for."""
    program = """
    import os, sys, time
    import jitffi
    sys.unraisablehook = lambda *args: None
    lib = jitffi.load_library(sys.argv[1])
    set_current = lib.bind("set_current", "(ptr) -> void")
    lib.bind("start_calling", "(i32) -> void")(3)
    decorate = jitffi.function("(i64) -> i64")
    end = time.monotonic() + 2
    while time.monotonic() < end:
        made = jitffi.Function(decorate(lambda x: x))
        set_current(made.native_address)
        time.sleep(0.0003)
        del made
        time.sleep(0.0001)
    print("done", flush=True)
    os._exit(0)
    """
    assert run_python(textwrap.dedent(program), path) == "done\n"


def test_sub_interpreters_are_refused(run_python):
    if sys.version_info >= (3, 13):
        pytest.skip("made in another way from 3.13 on; those with a lock of their own refuse the module by themselves")
    program = """
    import _xxsubinterpreters as interpreters
    import jitffi
    jitffi.function("(i64) -> i64")(lambda x: x)
    other = interpreters.create(isolated=False)
    try:
        interpreters.run_string(other, "import jitffi; jitffi.convert(len)")
    except interpreters.RunFailedError as error:
        assert "jitffi does not support sub-interpreters" in str(error)
        print("refused")
    interpreters.destroy(other)
    call = jitffi.function("(func, any) -> any")(lambda f, x: f(x))
    print(call(lambda x: x + 1, 5))
    """
    assert run_python(textwrap.dedent(program)) == "refused\n6\n"


def test_an_entry_that_others_may_write_is_not_used(tmp_path, monkeypatch):
    monkeypatch.setenv("JITFFI_CACHE_DIR", str(tmp_path / "cache"))
    assert cache.store("a key", b"content")
    assert cache.load("a key") == b"content"
    # By name: the compile worker may have stored what another test left it to make.
    (tmp_path / "cache" / cache._file_of("a key")).chmod(0o666)
    assert cache.load("a key") is None


# -- compiling where not everything can be had -----------------------------------------------------------------------


def test_a_first_compile_at_exit(run_python):
    """From 3.12 on no thread can be started there."""
    program = """
    import atexit
    def late():
        import jitffi
        print(jitffi.function("(i64) -> i64")(lambda x: x + 1)(1))
    atexit.register(late)
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": ""}) == "2\n"


def test_compiling_without_a_thread_for_better_code(run_python):
    program = """
    import threading
    def start(self):
        raise RuntimeError("can't start new thread")
    threading.Thread.start = start
    import jitffi
    print(jitffi.function("(i64) -> i64")(lambda x: x + 1)(1))
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": ""}) == "2\n"


def test_the_worker_survives_what_it_cannot_map(run_python):
    program = """
    import jitffi
    from jitffi.adapters import tiers
    add = jitffi.function("(i64) -> i64")(lambda x: x + 1)
    assert add(1) == 2
    mapped, failed = tiers._mapped, []
    def fail(*args):
        if not failed:
            failed.append(args)
            raise OSError("mmap")
        return mapped(*args)
    tiers._mapped = fail
    import time
    while not failed:
        time.sleep(0.01)
    sub = jitffi.function("(f64) -> f64")(lambda x: x - 1)
    assert sub(1.0) == 0.0
    while jitffi.Function(sub)._compiled.level == 0:
        time.sleep(0.01)
    print(add(1))
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": ""}) == "2\n"


def test_a_first_call_that_makes_no_entry_ends(monkeypatch):
    monkeypatch.setattr(jitffi.Function, "_make_python", lambda self: None)
    made = jitffi.function("(x: u16, y: i8, z: f32, w: u16) -> i64")(lambda x, *rest: x)
    if hasattr(jitffi.Function(made), "_compiled"):
        pytest.skip("there was code for it")
    with pytest.raises(SystemError, match="was not made"):
        made(1, 2, 3, 4)
