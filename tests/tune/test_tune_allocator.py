"""count(): what is asked of the runtime's allocator, exactly, and how it is put in and taken out."""

from __future__ import annotations

import threading
import tracemalloc

import pytest

import jitffi
from jitffi import _core
from jitffi.adapters import tiers
from jitffi.tune.worker.instruments import count
from tests.support.leaks import live_objects

HEADER = 48  # of a text on the heap; and a NUL
SOURCE = r"""
#include <jitffi/containers.h>
jf_object* texts(int64_t count, int64_t size) {
  static const char letters[5000] = {1};
  jf_span text = {letters, (size_t)size};
  const jf_view view = {JF_STR_VIEW, 0, {.v_span = &text}};
  jf_object* list = jf_list_new((size_t)count, 0);
  for (int64_t i = 0; i < count; i++) jf_list_append(list, &view);
  return list;
}
static void* own_allocate(size_t size, void* context) { (void)context; return __builtin_malloc(size); }
static void own_release(void* memory, void* context) { (void)context; __builtin_free(memory); }
void own_allocator(void) { jf_set_allocator(own_allocate, own_release, NULL); }
int64_t is_own(void) {
  void* (*allocate)(size_t, void*);
  void (*release)(void*, void*);
  void* context;
  jf_get_allocator(&allocate, &release, &context);
  return allocate == own_allocate ? 1 : allocate ? -1 : 0;
}
void no_allocator(void) { jf_set_allocator(NULL, NULL, NULL); }
"""


@pytest.fixture(scope="module")
def native(build_library):
    cdef = "void own_allocator(void); long is_own(void); void no_allocator(void);"
    return jitffi.load_library(build_library(SOURCE, runtime=True), cdef=cdef)


@pytest.fixture(scope="module")
def texts(native):
    return native.bind("texts", "(i64, i64) -> list")


@pytest.fixture(autouse=True)
def nobody_else_allocates():
    """What the thread of better code still has to do for tests before these, it has done."""
    tiers.drain()


@pytest.mark.parametrize("size", [20, 4096 - HEADER - 1, 4096 - HEADER, 4900])
def test_a_library_that_is_loaded_shares_the_counted_runtime(texts, size):
    texts(1, size)
    one = count(lambda: texts(1, size))
    assert count(lambda: texts(7, size)).allocations - one.allocations == 6
    assert count(lambda: texts(1, size + 8)).allocated_bytes - one.allocated_bytes == 8
    assert one.allocated_bytes > HEADER + size


def test_the_peak_is_the_most_at_a_time(texts):
    one = count(lambda: texts(1, 4000)).peak_bytes
    in_turn = count(lambda: [texts(1, 4000) and None for _ in range(10)]).peak_bytes
    at_once = count(lambda: [texts(1, 4000) for _ in range(10)]).peak_bytes
    assert 4000 < one < 4500
    assert one <= in_turn < 1.5 * one
    assert 9.5 * one < at_once < 10.5 * one


def test_blocks_from_before_and_for_later(texts):
    before, kept = [texts(100, 40)], []

    def change():
        before.clear()
        kept.append(texts(100, 40))

    alive = live_objects()
    counts = count(change)
    assert counts.allocations == 102
    assert counts.peak_bytes < 200  # what was freed made room for it
    assert live_objects() == alive
    kept.clear()
    assert live_objects() == alive - 101


def test_python_memory_is_counted_beside():
    counts = count(lambda: bytes(1 << 20))
    assert (counts.allocations, counts.peak_bytes) == (0, 0)
    assert 1 << 20 <= counts.python_peak_bytes < (1 << 20) + 10000
    assert not tracemalloc.is_tracing()


def test_tracing_goes_on_where_it_was_on():
    tracemalloc.start()
    try:
        held = bytes(1 << 20)
        assert count(lambda: None).python_peak_bytes < 1 << 19
        assert tracemalloc.is_tracing()
        assert len(held) == 1 << 20
    finally:
        tracemalloc.stop()


def test_exceptions_restore_all(native):
    def fail():
        assert native.is_own() == -1
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        count(fail)
    assert native.is_own() == 0
    assert not tracemalloc.is_tracing()
    with pytest.raises(TypeError, match="not callable"):
        count(3)
    assert count(lambda: jitffi.String("x" * 200)).allocations == 1


def test_a_count_contains_no_other(native):
    with pytest.raises(RuntimeError, match="counted already"):
        count(lambda: count(lambda: None))
    assert native.is_own() == 0
    assert count(lambda: None).allocations == 0


def test_another_allocator_is_not_replaced(native):
    native.own_allocator()
    try:
        with pytest.raises(RuntimeError, match="another allocator is set"):
            count(lambda: None)
        assert native.is_own() == 1
    finally:
        native.no_allocator()
    try:
        count(native.own_allocator)  # nor one that is set meanwhile
        assert native.is_own() == 1
    finally:
        native.no_allocator()


def test_other_threads_may_allocate_all_the_time():
    stop, rounds = threading.Event(), []

    @jitffi.script(nogil=True)
    def work(text: str) -> int:
        total = 0
        for _ in range(200):
            total += len(text.split())
        return total

    text = "several longish-words-that-do-not-fit " * 20
    work(text)

    def run():
        while not stop.is_set():
            rounds.append(work(text))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(300):
            assert count(lambda: work(text)).allocations >= 200
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert set(rounds) == {200 * 40}


def test_scripts_allocate_less_the_larger_their_pads():
    def words(text):
        return text.split()

    text = "internationalisation of words " * 50  # 20 characters, 2 and 5
    found = []
    for pad in (0, 1, 2, 15):
        split = jitffi.script(pad=pad)(words)
        split(text)
        found.append(count(lambda split=split: split(text)).allocations)
    assert found[0] == found[1] == found[2] + 50 == found[3] + 50


def test_the_extension_takes_a_function():
    with pytest.raises(TypeError):
        _core.count_allocations()
