"""Calls without the interpreter's lock take a list or map only as its sole holder."""

from __future__ import annotations

import pytest
from support.leaks import live_objects

import jitffi

SOURCE = """
#include "jitffi/containers.h"
int64_t size_of_list(jf_object* list) { return list ? (int64_t)jf_list_size(list) : -1; }
int64_t size_of_map(jf_object* map) { return (int64_t)jf_map_size(map); }
int64_t size_of_any(const jf_view* value) { return jf_any_size(value); }
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
