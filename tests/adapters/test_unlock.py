"""Calls without the interpreter's lock take a list or map only as its sole holder."""

from __future__ import annotations

import ctypes
import gc
import threading

import pytest
from support.leaks import live_objects

import jitffi

SOURCE = """
#include "jitffi/containers.h"
int64_t size_of_list(jf_object* list) { return list ? (int64_t)jf_list_size(list) : -1; }
int64_t size_of_map(jf_object* map) { return (int64_t)jf_map_size(map); }
int64_t size_of_any(const jf_view* value) { return jf_any_size(value); }
/* Waits until the caller has put 1 into *flag, adding cycles to the list and taking them out again meanwhile. */
int64_t work_until(jf_object* list, volatile int64_t* flag) {
  flag[1] = 1;
  while (!flag[0]) {
    jf_object* inner = jf_list_new(0, -1);
    jf_view view = {JF_OBJECT, 0, {.v_object = inner}};
    jf_list_append(list, &view);
    jf_object_release(inner);
    jf_list_clear(list);
  }
  return (int64_t)jf_list_size(list);
}
int64_t size_of_object(jf_object* object) {
  jf_view view = {JF_OBJECT, 0, {.v_object = object}};
  return jf_any_size(&view);
}
"""


@pytest.fixture(scope="module")
def library(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


@pytest.mark.parametrize("type_", ["list", "list[i64]", "optional[list]", "any", "object"])
def test_a_shared_list_is_refused(library, type_):
    symbol = {"any": "size_of_any", "object": "size_of_object"}.get(type_, "size_of_list")
    size = library.bind(symbol, f"(xs: {type_}) -> i64", nogil=True)
    assert size([1, 2, 3]) == 3
    shared, before = jitffi.List([1, 2]), live_objects()
    with pytest.raises(ValueError, match=r"argument 1 'xs': expected a list .* without the GIL.* list"):
        size(shared)
    assert shared == [1, 2]
    assert live_objects() == before
    assert library.bind(symbol, f"(xs: {type_}) -> i64")(shared) == 2


def test_a_moved_one_is_taken(library):
    size = library.bind("size_of_list", "(list[i64]) -> i64", nogil=True)
    before = live_objects()
    mine = jitffi.List([1, 2])
    assert size(mine._move()) == 2
    with pytest.raises(ValueError, match="was moved"):
        len(mine)
    assert live_objects() == before
    mine = jitffi.List([1, 2])
    holder = jitffi.List([mine])
    with pytest.raises(ValueError, match="without the GIL"):
        size(mine._move())
    assert mine == [1, 2] and holder == [[1, 2]]
    alone = jitffi.List([3])
    with pytest.raises(TypeError):
        size(alone._move(), 1)
    with pytest.raises(ValueError, match="without the GIL"):
        size(alone)


def test_a_move_counts_for_one_call(library):
    typed = library.bind("size_of_list", "(list, i64) -> i64", nogil=True)
    untyped = library.bind("size_of_object", "(object) -> i64", nogil=True)
    mine = jitffi.List([1])
    with pytest.raises(TypeError):
        typed(mine._move(), "no int")
    with pytest.raises(ValueError, match="without the GIL"):
        untyped(mine)
    assert mine == [1]


def test_maps_and_r_values(library):
    size = library.bind("size_of_map", "(map) -> i64", nogil=True)
    assert size({"a": 1}) == 1
    anything = library.bind("size_of_any", "(any) -> i64", nogil=True)
    assert anything("abc") == 3
    mine = jitffi.List([1])
    with pytest.raises(ValueError, match="cannot be moved"):
        anything(mine._move())
    assert mine == [1]


def test_none_is_no_list(library):
    assert library.bind("size_of_list", "(optional[list]) -> i64", nogil=True)(None) == -1


def test_nothing_inside_may_be_shared(library):
    size = library.bind("size_of_list", "(list) -> i64", nogil=True)
    anything = library.bind("size_of_any", "(any) -> i64", nogil=True)
    inner, table = jitffi.List([1]), jitffi.Map({1: 2})
    before = live_objects()
    for shared in (inner, table):
        for argument in ([shared], [[shared]], [{"a": shared}], [(1, shared)], [1, [2, (3, {"b": [shared]})]]):
            with pytest.raises(ValueError, match="without the GIL.* one inside that is shared"):
                size(argument)
        holder = jitffi.List([shared])
        with pytest.raises(ValueError, match="one inside that is shared"):
            size(holder._move())
        assert holder == [shared]
    holder = None
    key = jitffi.Tuple([inner])
    for argument in (key, (key,), {"a": key}):
        with pytest.raises(ValueError, match="one inside that is shared"):
            anything(argument)
    one = jitffi.List([])
    one.append(one)
    with pytest.raises(ValueError, match="shared"):
        size(one._move())
    assert one[0] is one
    one.clear()
    one = key = argument = None
    assert (inner, table) == ([1], {1: 2})
    assert live_objects() == before


def test_what_is_made_for_the_call_may_hold_anything(library):
    size = library.bind("size_of_list", "(list) -> i64", nogil=True)
    anything = library.bind("size_of_any", "(any) -> i64", nogil=True)
    before = live_objects()
    plain, text = jitffi.Tuple([1, (2, 3)]), jitffi.String("a text that is no small one")
    assert size([[1], {"a": [2]}, (3, [4]), plain, plain, text, object(), [plain, text]]) == 8
    assert anything(plain) == 2 and anything((plain, [plain], text)) == 3
    mine = jitffi.List([[1], {"a": [plain]}])
    assert size(mine._move()) == 2
    # a shared tuple shares what is inside, if nobody else holds that
    holds = jitffi.Tuple([[1]])
    with pytest.raises(ValueError, match="one inside that is shared"):
        anything(holds)
    plain = text = mine = holds = None
    assert live_objects() == before


def test_no_cycles_are_looked_for_meanwhile(library):
    work = library.bind("work_until", "(list, ptr) -> i64", nogil=True)
    flag = (ctypes.c_int64 * 2)()
    results = []
    thread = threading.Thread(target=lambda: results.append(work([], ctypes.addressof(flag))))
    ring = jitffi.List()
    ring.append(ring)
    ring = None
    thread.start()
    while not flag[1]:
        pass
    for _ in range(100):
        assert jitffi.count_cycles() == jitffi.collect_cycles() == 0
    gc.collect()
    flag[0] = 1
    thread.join()
    assert results == [0]
    assert jitffi.collect_cycles() == 1
