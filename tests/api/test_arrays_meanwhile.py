"""What other code may do to an array in the middle of a call: while a later argument is converted, in a callback, on
another thread. NumPy's resize() counts references, so a call has to have one where such code may run.

Results are named before they are asserted: pytest would keep the arguments in an assert.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from support.extension import HOST, compile_c, linker

import jitffi

SOURCE = """
#include <stdint.h>
#include <unistd.h>
double sum(uint64_t n, const double* x, double first) {
  for (uint64_t i = 0; i < n; i++) first += x[i];
  return first;
}
int64_t two(int64_t n, const double* x, const double* y) { return n + (x[n - 1] != y[n - 1]); }
void ask(int64_t n, double* x, void (*f)(int64_t, double*)) { if (f) f(n, x); }
static int32_t inside, changed;
void wait(int64_t n, double* x) {
  for (__atomic_store_n(&inside, 1, __ATOMIC_SEQ_CST); !__atomic_load_n(&changed, __ATOMIC_SEQ_CST);) usleep(1000);
  x[n - 1] += 1;
  inside = changed = 0;
}
int32_t is_inside(void) { return __atomic_load_n(&inside, __ATOMIC_SEQ_CST); }
void go_on(void) { __atomic_store_n(&changed, 1, __ATOMIC_SEQ_CST); }
"""
COUNT = 1000


@pytest.fixture(scope="module")
def lib(tmp_path_factory: pytest.TempPathFactory) -> jitffi.Library:
    folder: Path = tmp_path_factory.mktemp("meanwhile")
    linker.link([compile_c(folder / "meanwhile.o", SOURCE)], folder / "meanwhile.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "meanwhile.so")


class Only:
    """One array that a list has, and that is resized where something is asked of this object."""

    def __init__(self) -> None:
        self.arrays = [np.ones(COUNT)]
        self.other = np.ones(COUNT)
        self.refused: list[str] = []

    @property
    def array(self) -> np.ndarray:
        return self.arrays[0]

    def resize(self, *_: object) -> None:
        try:
            self.arrays.pop().resize(1)
        except ValueError as error:
            self.refused.append(str(error))

    def __float__(self) -> float:
        self.resize()
        return 0.0

    def __index__(self) -> int:
        self.resize()
        return COUNT

    @property
    def __array_interface__(self) -> dict[str, object]:
        self.resize()
        return self.other.__array_interface__


def test_arrays_are_read_behind_numbers(lib) -> None:
    """What is there when all numbers are converted counts."""
    total = lib.bind("sum", "(n: u64, x: const f64[n], first: f64) -> f64")
    only = Only()
    result = total(only.array, only)
    assert result == (COUNT if only.refused else 1)


def test_arrays_are_held_while_others_are_asked(lib) -> None:
    two = lib.bind("two", "(n: i64, x: const f64[n], y: const f64[n]) -> i64")
    only = Only()
    result = two(only.array, only)
    assert result == COUNT
    assert "cannot resize" in only.refused[0]


@pytest.mark.parametrize("type_", ["ptr[const f64]", "optional[ptr[const f64]]", "optional[const f64[*]]"])
def test_pointers_are_held_while_others_are_asked(lib, type_) -> None:
    two = lib.bind("two", f"(i64, {type_}, {type_}) -> i64")
    only = Only()
    result = two(COUNT, only.array, only)
    assert result == COUNT
    assert "cannot resize" in only.refused[0]


def test_arrays_are_held_while_a_given_length_is_asked(lib) -> None:
    total = lib.bind("sum", "(n: u64, x: const f64[n], first: f64) -> f64")
    only = Only()
    result = total(only.array, 0.0, n=only)
    assert result == COUNT
    assert "cannot resize" in only.refused[0]


@pytest.mark.parametrize("func", ["func[(n: i64, x: f64[n]) -> void]", "optional[func[(n: i64, x: f64[n]) -> void]]"])
def test_arrays_are_held_while_callbacks_run(lib, func) -> None:
    ask = lib.bind("ask", f"(n: i64, x: f64[n], f: {func}) -> void")
    only = Only()
    ask(only.array, only.resize)
    assert "cannot resize" in only.refused[0]


@contextlib.contextmanager
def meanwhile(lib: jitffi.Library, change: Callable[[], object]) -> Iterator[None]:
    """What is called in here waits in C until another thread has made a change."""
    is_inside, go_on = lib.bind("is_inside", "() -> i32"), lib.bind("go_on", "() -> void")

    def run() -> None:
        try:
            while not is_inside():
                time.sleep(0.001)
            change()
        finally:
            go_on()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    yield
    thread.join()


def test_arrays_are_held_while_other_threads_run(lib) -> None:
    wait = lib.bind("wait", "(n: i64, x: f64[n]) -> void", nogil=True)
    only = Only()
    with meanwhile(lib, only.resize):
        wait(only.array)
    assert "cannot resize" in only.refused[0]


def test_shapes_that_change_on_other_threads_are_not_seen(lib) -> None:
    wait = lib.bind("wait", "(n: i64, x: f64[n]) -> void", nogil=True)
    x = np.zeros(COUNT)

    def change() -> None:
        x.shape = 10, COUNT // 10

    with meanwhile(lib, change):
        wait(x)
    assert x.shape == (10, COUNT // 10) and x.reshape(-1)[-1] == 1


def smaller(x: np.ndarray) -> None:
    x.resize(1, refcheck=False)


def restored(x: np.ndarray) -> None:
    x.__setstate__((1, (1,), x.dtype, False, bytes(8)))


@pytest.mark.parametrize("change", [smaller, restored])
def test_a_copy_with_less_memory_is_not_written_back(lib, change) -> None:
    ask = lib.bind("ask", "(n: i64, x: f64[n], f: func[(n: i64, x: f64[n]) -> void]) -> void")
    x = np.arange(4.0)
    with pytest.raises(ValueError, match=r"^ask\.f: argument 2 'x': the callable has made the array smaller$"):
        ask(x, change)
    assert x.tolist() == [0, 1, 2, 3]


def test_a_copy_of_another_shape_is_written_back(lib) -> None:
    ask = lib.bind("ask", "(n: i64, x: f64[n], f: func[(n: i64, x: f64[n]) -> void]) -> void")
    x = np.arange(4.0)

    def change(x: np.ndarray) -> None:
        x *= 2
        x.shape = 2, 2
        x.flags.writeable = False

    ask(x, change)
    assert x.tolist() == [0, 2, 4, 6]
