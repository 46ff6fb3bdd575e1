"""What depends on the processor, each once and without a compiler: the first to run on another machine."""

from __future__ import annotations

import ctypes
import threading
from array import array

import pytest

import jitffi

COMPARED = "(ptr, u64, u64, func[(optional[i64], optional[i64]) -> i32]) -> void"


@pytest.fixture(scope="module")
def process():
    return jitffi.load_library(None)


def test_an_exception_goes_through_frames_of_c(process):
    numbers = array("q", [30, 10, 20])
    qsort = process.bind("qsort", COMPARED)
    with pytest.raises(ZeroDivisionError):
        qsort(numbers, 3, 8, lambda a, b: a // 0)
    qsort(numbers, 3, 8, lambda a, b: a - b)
    assert numbers.tolist() == [10, 20, 30]


def test_arguments_in_registers_and_on_the_stack_arrive_in_a_callback():
    signature = f"({', '.join(['i64', 'f64', 'i8', 'f32'] * 5)}, text: str) -> f64"
    made = jitffi.function(signature)(lambda *given: sum(given[:-1]) + len(given[-1]))
    again = jitffi.Function.from_native(jitffi.Function(made).native_address, signature, keep_alive=made)
    assert again(*[-1, 2.5, -3, 4.25] * 5, "four") == 5 * 2.75 + 4


def test_a_thread_that_python_did_not_start_calls_back():
    seen = []

    @jitffi.function("(p: ptr) -> ptr")
    def body(p):
        seen.append((p, threading.get_ident()))
        return p

    library, thread, result = ctypes.CDLL(None), ctypes.c_ulong(), ctypes.c_void_p()
    address = ctypes.c_void_p(jitffi.Function(body).native_address)
    assert library.pthread_create(ctypes.byref(thread), None, address, ctypes.c_void_p(77)) == 0
    assert library.pthread_join(thread, ctypes.byref(result)) == 0
    assert result.value == 77 and seen[0][0] == 77 and seen[0][1] != threading.get_ident()


def test_a_function_pointer_that_is_called_too_late_gives_zero(process):
    made = jitffi.function("(x: i64) -> i64")(lambda x: x + 1)
    late = ctypes.PYFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(jitffi.Function(made).native_address)
    assert late(1) == 2
    del made
    call = process.bind("labs", "(i64) -> i64")
    assert late(1) == 0
    with pytest.raises(RuntimeError, match="released"):
        call(-1)


def test_scripts_run_without_the_lock_in_threads_and_raise_as_python_does():
    @jitffi.script(nogil=True)
    def squares(n):
        total = 0
        for i in range(n):
            total = total + i * i
        return total

    @jitffi.script
    def mean(xs):
        return sum(xs) / len(xs)

    found = []
    threads = [threading.Thread(target=lambda: found.append(squares(1000))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [sum(i * i for i in range(1000))] * 4
    assert mean([1.0, 2.0, 4.5]) == 2.5
    with pytest.raises(ZeroDivisionError):
        mean([])


def test_an_object_file_is_linked_in_memory(tmp_path):
    made = jitffi.emit(["long labs(long number);", "double hypot(double, double);"], tmp_path / "made.o")
    module = jitffi.load_module(made, link=["libm.so.6"])
    assert (module.labs(-7), module.hypot(3, 4)) == (7, 5.0)
    with pytest.raises(TypeError, match="labs: argument 1 'number'"):
        module.labs("seven")
