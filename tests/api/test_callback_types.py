"""Functions given as callbacks whose types are the same to C: pointers that are void on one side, NULL and const."""

from __future__ import annotations

import pytest
from support.leaks import assert_nothing_stays

import jitffi

SOURCE = """
typedef int each_fn(const void *item, void *user);
int each(const int *items, int n, each_fn *visit, void *user)
{
    int sum = 0;
    for (int i = 0; i < n; i++) sum += visit(items + i, user);
    return sum;
}
int same(int (*left)(const void *, void *), int (*right)(int *, void *)) { return (void *)left == (void *)right; }
int told(int (*tell)(const char *format, ...)) { return tell("%d", 5); }
typedef struct { int (*visit)(void *item); int (*tell)(void *user, const char *format, ...); } table;
int of_table(table *t, int item) { return t->visit(&item) + t->tell(0, "text", 1, 2.0); }
"""
CDEF = """
int each(const int *items, int n, int (*visit)(const void *, void *), void *user);
int same(int (*left)(const void *, void *), int (*right)(int *, void *));
int told(int (*tell)(const char *format, ...));
typedef struct { int (*visit)(void *item); int (*tell)(void *user, const char *format, ...); } table;
int of_table(table *t, int item);
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE), cdef=CDEF)


@jitffi.function("(item: ptr[i32], user: optional[ptr[f64]]) -> i32")
def item(item, user):
    return item.value


def test_a_function_knows_what_its_pointers_lead_to(lib):
    assert lib.each(jitffi.new("i32[3]", [3, 4, 5]), 3, item, None) == 12
    assert lib.same(item, item) == 1  # C has the Function's own address


@pytest.mark.parametrize(
    "types", ["(ptr, ptr) -> i32", "(ptr[const void], ptr) -> i32", "(optional[ptr[const i32]], ptr[u8]) -> i32"]
)
def test_types_that_are_the_same_to_c(types, lib):
    made = jitffi.function(types)(lambda item, user: 1)
    assert lib.same(made, made) == 1


@pytest.mark.parametrize(
    "types", ["(ptr[f64], ptr) -> i32", "(ptr, ptr[i32]) -> i64", "(ptr, u64) -> i32", "(ptr) -> i32", "() -> i32",
              "(ptr, ptr, ptr) -> i32", "(ptr[ptr[i32]], ptr) -> i32"],
)  # fmt: skip
def test_types_that_are_others_are_called_as_python_calls_them(types, lib):
    count = types.count("ptr,") + types.count(", ") + 1
    made = jitffi.function(types)((lambda *given: 1) if count != 2 else (lambda item, user: 1))
    assert lib.same(made, made) == 0


def test_where_c_passes_more(lib):
    texts = []
    tell = jitffi.function("(format: optional[cstr]) -> i32")(lambda text: texts.append(text) or 7)
    assert lib.told(tell) == 7 and texts == ["%d"]


def test_in_a_structs_members(lib):
    tell = jitffi.function("(user: ptr, format: cstr) -> i32")(lambda user, text: len(text))
    visit = jitffi.function("(item: ptr[i32]) -> i32")(lambda item: item.value)
    assert lib.of_table(lib.types.table(visit=visit, tell=tell), 2) == 6
    table = lib.types.table(visit=visit)
    with pytest.raises(TypeError, match=r"table.visit: expected .*its types are others"):
        table.visit = jitffi.function("(item: i64) -> i32")(abs)
    with pytest.raises(TypeError, match=r"table.tell: expected .*its types are others"):
        table.tell = jitffi.function("(user: ptr, format: ptr[i32]) -> i32")(lambda *given: 1)
    with pytest.raises(TypeError, match=r"table.tell: expected .*its types are others"):
        table.tell = jitffi.function("(user: ptr) -> i32")(lambda user: 1)


def test_nothing_stays(lib):
    items = jitffi.new("i32[2]", [3, 4])

    def work():
        made = jitffi.function("(item: ptr[i32], user: ptr) -> i32")(lambda item, user: item.value)
        assert lib.each(items, 2, made, None) == 7

    assert_nothing_stays(work)
