"""Calls of native functions, callables and registered functions from scripts."""

# ruff: noqa

from __future__ import annotations

import math

import pytest

import jitffi
from tests.scripts import alike
from tests.scripts.alike import cases

_libc = jitffi.load_library(None)
labs = _libc.bind("labs", "(i64) -> i64")
abs_ = _libc.bind("abs", "(i32) -> i32")
atoi = _libc.bind("atoi", "(cstr) -> i32")
memchr = _libc.bind("strtol", "(cstr, ptr, i32) -> i64")
repeated = jitffi.function("(a: i64, b: str) -> str")(lambda a, b: b * a)
size = jitffi.function("(a: i64, b: bytes) -> i64")(lambda a, b: a + len(b))
fails = jitffi.function("(a: i64) -> i64")(lambda a: 1 // a)
both = jitffi.function("(a: bool, b: f64) -> bool")(lambda a, b: a and b > 1)
listed = jitffi.function("(list[str]) -> i64")(lambda items: sum(map(len, items)))


@pytest.fixture(scope="module", autouse=True)
def _registered():
    jitffi.register_global_func(
        "tests.scripts.upper", lambda x: x.upper() if isinstance(x, str) else None, override=True
    )
    yield
    jitffi.remove_global_func("tests.scripts.upper")


@cases((-5,), (7,), (True,))
def ints(x):
    return labs(x) + abs_(-3)


@cases((-5,), (2**31 - 1,), (2**31,), (-(2**40),), (1.5,), ("a",))
def narrow(x):
    return abs_(x)


@cases(("12",), ("x",), (5,), ("3é",))
def c_strings(s):
    return atoi(s)


@cases((3, "é"), (2, "a"), (0, ""), ("a", 2), (200, "xyé"))
def texts(n, s):
    t = repeated(n, s)
    return t + s + t[1:]


@cases((3, b"ab"), (0, b""), (1, "a"))
def bytes_(n, s):
    return size(n, s)


@cases((True, 2.0), (True, 1), (False, 5.0), (1, 2.0), (True, "a"))
def truth(a, b):
    return both(a, b)


@cases((1,), (0,))
def failing(n):
    return fails(n)


@cases(("a",), ("é",), (5,))
def registered(x):
    return jitffi.get_global_func("tests.scripts.upper")(x)


@cases((math.sqrt, 4.0), (math.sqrt, -1.0), (len, "abc"), (str.upper, "ab"))
def values(f, x):
    first = f(x)
    return [first, f(x)]


@pytest.mark.parametrize("function", alike.functions(globals()), ids=lambda f: f.__name__)
def test_call(function):
    alike.check(function)


def _missing(x):
    return jitffi.get_global_func("tests.scripts.missing")(x)


def test_a_name_that_is_not_registered():
    with pytest.raises(ValueError, match="tests.scripts.missing"):
        jitffi.script(_missing)(1)


def _of_list(a):
    return listed(a)


def test_containers_are_shared():
    assert jitffi.script(_of_list)(["a", "bc"]) == 3
    with pytest.raises(TypeError):
        jitffi.script(_of_list)([1])


def _calls(f):
    return f()


def test_what_cannot_be_called():
    for value, name in ((5, "int"), ("a", "str"), (None, "NoneType")):
        with pytest.raises(TypeError, match=f"'{name}' object is not callable"):
            jitffi.script(_calls)(value)


def sorted_by(items, key):
    items.sort(key=key)
    return items


@pytest.mark.parametrize("change", [lambda items: items.append(9), lambda items: items.clear()])
def test_list_that_its_key_changes_is_not_sorted_for_ever(change):
    script = jitffi.script(sorted_by)
    items = jitffi.List([3, 1, 2])
    with pytest.raises(ValueError, match="^list modified during sort$"):
        script(items, lambda _item: change(items))
    items = jitffi.List([3, 1, 2])
    assert list(script(items, lambda item: item)) == [1, 2, 3]
