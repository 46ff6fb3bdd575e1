"""`check=`: what a callable makes of a result and the arguments."""

from __future__ import annotations

import inspect
import os
import pickle

import pytest
from support.leaks import assert_nothing_stays

import jitffi


class LibraryError(Exception):
    pass


def no_negative(result, arguments):
    if result < 0:
        raise LibraryError(f"{arguments} gave {result}")
    return float(result)


@pytest.fixture(scope="module")
def libc():
    return jitffi.load_library(None, cdef="enum sign { MINUS = -1, PLUS = 1 }; enum sign abs(enum sign);")


def test_the_callable_gives_the_result(libc):
    labs = libc.bind("labs", "(x: i64) -> i64", check=no_negative)
    assert labs(-3) == 3.0 and type(labs(x=-3)) is float and str(inspect.signature(labs)) == "(x)"
    same = libc.bind("llabs", "(x: i64) -> i64", check=lambda result, arguments: (result, arguments))
    assert same(-4) == (4, (-4,)) and same(x=-4) == (4, (-4,))
    atoi = libc.bind("atoi", "(cstr) -> i32", check=no_negative)
    with pytest.raises(LibraryError, match=r"\('-7',\) gave -7"):
        atoi("-7")
    with pytest.raises(TypeError, match="atoi: argument 1: expected cstr, got int 3"):
        atoi(3)
    assert jitffi.Function(labs).native_address == jitffi.Function(libc.bind("labs", "(i64) -> i64")).native_address


def test_it_stands_behind_enums_variable_arguments_and_errno(libc):
    assert libc.bind("abs", check=lambda result, arguments: (result, arguments))(-1) == (libc.PLUS, (-1,))
    snprintf = libc.bind("snprintf", "(u8[n], n: u64, cstr, ...) -> i32", check=lambda result, arguments: arguments[2:])
    assert snprintf(bytearray(20), "%d %s", 3, "x") == ("%d %s", 3, "x")[1:]
    opened = libc.bind("open", "(cstr, i32, ...) -> i32", errno=True, check=lambda result, arguments: [result])
    with pytest.raises(FileNotFoundError):
        opened("/no/such/file", os.O_RDONLY)
    [descriptor] = opened("/dev/null", os.O_RDONLY)
    os.close(descriptor)


def test_declared_functions_have_it(libc):
    @libc.declare("(x: i64) -> i64", check=no_negative)
    def labs(x: int) -> float:
        """Absolute."""

    assert labs(-2) == 2.0 and labs.__doc__.endswith("Absolute.")
    assert pickle.loads(pickle.dumps(labs))(-2) == 2.0
    with pytest.raises(TypeError, match="labs: check is called with results, and is a int"):
        libc.bind("labs", "(i64) -> i64", check=3)


def test_nothing_stays(libc):
    def work():
        labs = libc.bind("labs", "(x: i64) -> i64", check=lambda result, arguments: (labs, result))
        assert labs(-3)[1] == 3
        failing = libc.bind("atoi", "(cstr) -> i32", check=no_negative)
        with pytest.raises(LibraryError):
            failing("-1")
        with pytest.raises(TypeError):
            failing(None)

    assert_nothing_stays(work)
