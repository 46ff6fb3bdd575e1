"""Pickling: bound functions by library and name, whatever they are called; what cannot be found again says so."""

from __future__ import annotations

import copy
import functools
import itertools
import multiprocessing
import pathlib
import pickle
import shutil
import types

import pytest

import jitffi

#: C functions called like what a Function has, or Python gives to every object.
NAMES = [
    "plain", "signature", "handle", "native_address", "packed_address", "inspect_llvm", "from_native", "from_packed",
    "name", "self", "bind", "__name__", "__self__", "__doc__", "__class__", "__dict__", "__reduce__", "__reduce_ex__",
    "__getattr__", "__getstate__", "__init__", "__new__", "__call__", "__module__", "__qualname__", "__slots__",
    "_native", "_packed", "_callable", "_sig", "_origin", "_compiled", "_callee", "_options", "_conventions",
    "_builtin", "_make_native", "_make_python", "_signature_text", "_core", "\u00fcnicode",
]  # fmt: skip


def source() -> str:
    """C: each function returns its own number; the names are symbols only, since C has its own use for some."""
    lines = ["#include <stdint.h>", "#include <errno.h>", "int32_t fail(int32_t code) { errno = code; return -1; }"]
    for number, name in enumerate(NAMES):
        lines.append(f'int64_t function{number}(int64_t x) __asm__("{name}");')
        lines.append(f"int64_t function{number}(int64_t x) {{ return 1000 * x + {number}; }}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def path(build_library):
    return build_library(source())


@pytest.fixture(scope="module")
def lib(path):
    return jitffi.load_library(path)


def back(thing, protocol: int = pickle.HIGHEST_PROTOCOL):
    return pickle.loads(pickle.dumps(thing, protocol))


@pytest.mark.parametrize("name", NAMES)
def test_bound_function_of_any_name(lib, name):
    bound = lib.bind(name, "(x: i64 = 7) -> i64")
    number = NAMES.index(name)
    for thing, protocol in itertools.product((bound, jitffi.Function(bound)), range(pickle.HIGHEST_PROTOCOL + 1)):
        found = back(thing, protocol)
        assert type(found) is type(thing)
        assert found(5) == 5000 + number and found() == 7000 + number and found(x=1) == 1000 + number
        assert jitffi.Function(found).__name__ == name
    assert back(bound).__name__ == name
    assert str(jitffi.Function(back(bound)).signature) == "(x: i64 = 7) -> i64"


@pytest.mark.parametrize("name", ["plain", "signature", "_sig"])
def test_python_pickler_and_copies(lib, name):
    bound = lib.bind(name, "(x: i64) -> i64")
    assert pickle._loads(pickle._dumps(bound))(1) == bound(1)
    assert copy.copy(bound) is bound and copy.deepcopy(bound) is bound
    assert copy.copy(jitffi.Function(bound))(1) == copy.deepcopy([jitffi.Function(bound)])[0](1) == bound(1)
    assert back(functools.partial(bound, 3))() == bound(3)


def test_other_builtins_are_pickled_as_ever(lib):
    lib.bind("signature", "(i64) -> i64")
    assert back(len) is len
    assert back([1, 2].index)(2) == 1
    assert back({"a": 1}.get)("a") == 1


def test_options_come_along(lib):
    failing = back(lib.bind("fail", "(code: i32) -> i32", errno=True, nogil=True))
    with pytest.raises(FileNotFoundError):
        failing(2)
    assert jitffi.Function(failing)._options == jitffi.Function(
        lib.bind("fail", "(code: i32) -> i32", errno=True, nogil=True)
    )._options  # fmt: skip


def test_libraries_by_name_path_and_none(path, lib):
    assert back(jitffi.load_library("libm.so.6").bind("hypot", "(f64, f64) -> f64"))(3, 4) == 5
    assert back(jitffi.load_library(None).bind("labs", "(i64) -> i64"))(-3) == 3
    assert back(lib).bind("plain", "(i64) -> i64")(1) == 1000
    declared = back(jitffi.load_library(path, cdef="int64_t plain(int64_t x);"))
    assert declared.plain(x=2) == 2000 and back(declared.plain)(x=3) == 3000


def test_relative_path_is_found_from_elsewhere(path, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    shutil.copy(path, tmp_path / "here" / "own.so")
    monkeypatch.chdir(tmp_path / "here")
    forms = ("./own.so", "../here/own.so", pathlib.Path("own.so"))
    dumps = [pickle.dumps(jitffi.load_library(form).bind("plain", "(i64) -> i64")) for form in forms]
    monkeypatch.chdir(tmp_path)
    assert [pickle.loads(dump)(4) for dump in dumps] == [4000] * 3


def test_library_that_is_gone(path, tmp_path):
    shutil.copy(path, tmp_path / "gone.so")
    dump = pickle.dumps(jitffi.load_library(tmp_path / "gone.so").bind("plain", "(i64) -> i64"))
    (tmp_path / "gone.so").unlink()
    with pytest.raises(OSError, match=r"gone\.so"):
        pickle.loads(dump)


def unfindable(lib) -> dict[str, object]:
    address = jitffi.Function(lib.bind("plain", "(i64) -> i64")).native_address
    jitffi.register_global_func("test.pickle", lambda x: x, override=True)
    try:
        return {
            "decorated": jitffi.function("(i64) -> i64")(lambda x: x),
            "named": jitffi.function("(i64) -> i64", name="signature")(lambda x: x),
            "converted": jitffi.convert(lambda x: x),
            "from_native": jitffi.Function.from_native(address, "(i64) -> i64", name="native"),
            "global": jitffi.get_global_func("test.pickle"),
        }
    finally:
        jitffi.remove_global_func("test.pickle")


@pytest.mark.parametrize("kind", ["decorated", "named", "converted", "from_native", "global"])
def test_what_cannot_be_found_again_says_so(lib, kind):
    function = unfindable(lib)[kind]
    for thing in (function, jitffi.Function(function)):
        for dumps in (pickle.dumps, pickle._dumps):
            with pytest.raises(TypeError, match=r"cannot pickle <jitffi\.Function .*bound from a library"):
                dumps(thing)


def test_signatures_and_errors(lib):
    sig = jitffi.Signature.parse("(x: optional[func[(i64) -> void]], y: f64 = -0.0) -> cstr")
    assert back(sig) == sig and back(sig.params[0].type) is sig.params[0].type
    try:
        lib.bind("plain", "(i65) -> i64")
    except jitffi.SignatureError as error:
        assert str(back(error)) == str(error) and "^^^" in str(error)


def call(function, argument):
    return function(argument), type(function).__name__


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_functions_in_other_processes(lib, method):
    names = ["plain", "signature", "handle", "native_address", "__name__", "_compiled"]
    bound = [lib.bind(name, "(x: i64) -> i64") for name in names]
    assert all(type(f) is types.BuiltinFunctionType for f in bound)
    with multiprocessing.get_context(method).Pool(1) as pool:
        for name, function in zip(names, bound, strict=True):
            wanted = 9000 + NAMES.index(name)
            assert pool.apply(call, (function, 9)) == (wanted, "builtin_function_or_method")
            assert pool.apply(call, (jitffi.Function(function), 9)) == (wanted, "Function")
            assert pool.map(function, [1, 2]) == [function(1), function(2)]
