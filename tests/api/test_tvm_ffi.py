"""Functions, values and errors between tvm-ffi and jitffi, in one process."""

from __future__ import annotations

import builtins
import ctypes
import json
import sys
import threading

import pytest

import jitffi
from jitffi import _core

tvm_ffi = pytest.importorskip("tvm_ffi")


def theirs(name, shown="theirs"):
    return jitffi.from_tvm_ffi(tvm_ffi.get_global_func(name), shown)


PLAIN = [None, True, False, 0, 1, -(2**63), 2**63 - 1, 1.5, float("inf"), "", "seven..", "eight...", "ä" * 100, "a\0b"]
BYTES = [b"", b"seven..", b"eight...", b"a\0b" * 50]


@pytest.mark.parametrize("value", PLAIN + BYTES, ids=repr)
def test_numbers_and_text_through_their_function_and_through_ours(value):
    there, here = theirs("testing.echo")(value), jitffi.to_tvm_ffi(lambda x: x)(value)
    assert (type(there), there) == (type(value), value)
    assert here == value and isinstance(here, type(value))


def test_data_types_devices_shapes():
    echo = theirs("testing.echo")
    for value in (jitffi.DataType("float32"), jitffi.Device("cpu:0"), jitffi.Shape([1, 2, 3]), jitffi.Shape([])):
        assert echo(value) == value and type(echo(value)) is type(value)
    ours = jitffi.to_tvm_ffi(lambda x: x)
    for value in (tvm_ffi.dtype("bfloat16"), tvm_ffi.Device("cpu", 0), tvm_ffi.Shape((3, 4))):
        assert ours(value) == value and type(ours(value)) is type(value)


def test_containers_are_copied_in_order():
    nested = [1, "a word that is long", [b"bytes", None], {"key": [2.5]}]
    assert jitffi.to_plain(theirs("testing.echo")(nested)) == nested
    many = {f"key {i}": i for i in range(40)}
    assert list(theirs("testing.echo")(many).items()) == list(many.items())
    kinds = []
    ours = jitffi.to_tvm_ffi(lambda x: kinds.append(type(x).__name__) or x)
    assert list(ours(tvm_ffi.List([1, 2]))) == [1, 2] and dict(ours(tvm_ffi.Dict({"a": 1}))) == {"a": 1}
    assert dict(ours(many)) == many and list(ours([])) == [] and dict(ours({})) == {}
    assert kinds == ["List", "Map", "Map", "List", "Map"]


def test_what_is_nested_too_deep_or_too_large_and_objects_that_come_back_as_themselves():
    deep = jitffi.List()
    for _ in range(1000):
        deep = jitffi.List([deep])
    with pytest.raises(RecursionError, match="nested too deep"):
        theirs("testing.echo")(deep)
    if hasattr(ctypes.CDLL(tvm_ffi.libinfo.find_libtvm_ffi()), "TVMFFIBigIntFromByteArray"):
        for value in (2**63, 2**64 - 1):
            assert theirs("testing.echo")(value) == value == jitffi.to_tvm_ffi(lambda x: x)(value)
        with pytest.raises(OverflowError, match="out of the range of 64 bits"):
            jitffi.to_tvm_ffi(lambda x: x)(2**64)
    else:
        with pytest.raises(OverflowError, match=r"2\*\*63"):
            theirs("testing.echo")(2**63)
    given = object()
    assert theirs("testing.echo")(given) is given


def test_arrays_share_their_memory():
    np = pytest.importorskip("numpy")
    given = np.arange(6, dtype="float32").reshape(2, 3)
    there = theirs("testing.echo")(jitffi.from_dlpack(given))
    assert type(there) is jitffi.NDArray and np.shares_memory(np.from_dlpack(there), given)
    here = jitffi.to_tvm_ffi(lambda x: x)(tvm_ffi.from_dlpack(given))
    assert type(here) is tvm_ffi.Tensor and np.shares_memory(np.from_dlpack(here), given)
    del given
    assert np.from_dlpack(here)[1, 2] == np.from_dlpack(there)[1, 2] == 5


def test_functions_are_callbacks_both_ways():
    ours = jitffi.to_tvm_ffi(lambda callback, x: callback(x) + 1)
    assert ours(lambda x: x * 2, 20) == 41
    give = jitffi.to_tvm_ffi(lambda: lambda x: x + 1)
    assert isinstance(give(), tvm_ffi.Function) and give()(1) == 2
    call = jitffi.from_tvm_ffi(tvm_ffi.convert(lambda callback, x: callback(x)))
    assert call(lambda x: x * 3, 5) == 15


def test_a_function_that_came_from_there_goes_back_as_itself():
    function = tvm_ffi.get_global_func("testing.echo")
    assert jitffi.to_tvm_ffi(jitffi.from_tvm_ffi(function)).same_as(function)


def test_any_number_of_arguments():
    ours = jitffi.to_tvm_ffi(lambda *args: list(args))
    there = jitffi.from_tvm_ffi(ours)
    for count in (0, 1, 8, 9, 50):
        args = [f"argument {i}" for i in range(count)]
        assert list(ours(*args)) == list(there(*args)) == args


def test_errors_keep_kind_message_and_traceback_both_ways():
    def fails(kind):
        raise getattr(builtins, kind)(f"of {kind}")

    for kind in (KeyError, ValueError, OverflowError, ZeroDivisionError, KeyboardInterrupt, SystemExit):
        with pytest.raises(kind, match=f"of {kind.__name__}"):
            jitffi.to_tvm_ffi(fails)(kind.__name__)
        with pytest.raises(kind, match=f"of {kind.__name__}"):
            jitffi.from_tvm_ffi(tvm_ffi.convert(fails))(kind.__name__)
    with pytest.raises(ValueError, match="there") as caught:
        theirs("testing.test_raise_error")("ValueError", "there")
    assert "testing" in jitffi.Error.of(caught.value).traceback

    def deep():
        raise IndexError("deep")

    with pytest.raises(IndexError, match="deep"):
        jitffi.to_tvm_ffi(lambda callback: callback())(deep)


def test_errors_are_values():
    error = theirs("testing.echo")(jitffi.Error("ValueError", "as a value"))
    assert (error.kind, error.message) == ("ValueError", "as a value")


def test_other_objects_come_back_as_themselves():
    testing = pytest.importorskip("tvm_ffi.testing")
    pair = testing.create_object("testing.TestIntPair", a=1, b=2)
    held = []
    ours = jitffi.to_tvm_ffi(lambda x: held.append(x) or x)
    back = ours(pair)
    assert back.same_as(pair) and back.b == 2
    assert theirs("testing.echo")(held[0]) is not None


def test_registered_there_by_name_and_called_from_both():
    jitffi.to_tvm_ffi(lambda a, b: a + b, "jitffi.test.add")
    try:
        assert tvm_ffi.get_global_func("jitffi.test.add")(3, 4) == 7
        with pytest.raises(RuntimeError, match=r"jitffi\.test\.add"):
            jitffi.to_tvm_ffi(lambda: 0, "jitffi.test.add")
        jitffi.to_tvm_ffi(lambda a, b: a - b, "jitffi.test.add", override=True)
        assert theirs("jitffi.test.add")(3, 4) == -1
    finally:
        tvm_ffi.remove_global_func("jitffi.test.add")


def test_its_tools_read_the_types_of_what_is_registered():
    hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")
    jitffi.to_tvm_ffi(hypot, "jitffi.test.hypot")
    jitffi.to_tvm_ffi(lambda: 1, "jitffi.test.untyped")
    try:
        schema = json.loads(tvm_ffi.get_global_func_metadata("jitffi.test.hypot")["type_schema"])
        number = {"type": "float"}
        assert schema == {"type": "ffi.Function", "named_args": {"return": [number], "params": [number, number]}}
        assert tvm_ffi.get_global_func_metadata("jitffi.test.untyped") == {}
    finally:
        for name in ("hypot", "untyped"):
            tvm_ffi.remove_global_func(f"jitffi.test.{name}")


def test_a_function_of_c_is_called_there_by_its_types():
    hypot = jitffi.load_library("libm.so.6").bind("hypot", "(f64, f64) -> f64")
    assert jitffi.to_tvm_ffi(hypot)(3, 4.0) == 5.0
    with pytest.raises(TypeError, match="expected f64, got str"):
        jitffi.to_tvm_ffi(hypot)("x", 4.0)


def test_with_a_signature_the_call_is_compiled_and_checked():
    echo = tvm_ffi.get_global_func("testing.echo")
    number = jitffi.from_tvm_ffi(echo, "number", "(x: i64) -> i64")
    assert number(7) == number(x=7) == 7
    with pytest.raises(TypeError, match=r"number.*expected i64, got str"):
        number("7")
    with pytest.raises(TypeError, match="expected i64, got str"):
        jitffi.from_tvm_ffi(echo, "wrong", "(str) -> i64")("text")
    text = jitffi.from_tvm_ffi(echo, "text", "(str) -> str")
    assert [text(each) for each in ("", "short", "text that is long" * 9)] == ["", "short", "text that is long" * 9]
    values = jitffi.from_tvm_ffi(echo, "values", "(list[i64]) -> list[i64]")
    assert list(values([1, 2])) == [1, 2]
    with pytest.raises(ValueError, match="there"):
        jitffi.from_tvm_ffi(tvm_ffi.get_global_func("testing.test_raise_error"), "fails", "(str, str) -> void")(
            "ValueError", "there"
        )


def test_in_the_registry_it_is_a_function_as_any_other():
    jitffi.register_global_func("test.tvm.echo", theirs("testing.echo"))
    try:
        assert jitffi.get_global_func("test.tvm.echo")("text that is long") == "text that is long"
    finally:
        jitffi.remove_global_func("test.tvm.echo")


def test_nothing_is_left_behind():
    echo, ours = theirs("testing.echo"), jitffi.to_tvm_ffi(lambda x: x)

    def use():
        for value in ("text that is long", [1, ["two"]], {"a": b"three" * 9}, jitffi.Shape([1])):
            echo(value)
        for value in ("text that is long", [1, ["two"]], {"a": b"three" * 9}, lambda: 1):
            ours(value)
        with pytest.raises(OverflowError):
            ours(2**64)

    use()
    before = _core.live_objects()
    for _ in range(20):
        use()
    assert _core.live_objects() <= before + 2
    refs = sys.getrefcount(use)
    for _ in range(5):
        jitffi.to_tvm_ffi(use)
    assert sys.getrefcount(use) <= refs + 1


def test_from_several_threads():
    ours, wrong = jitffi.to_tvm_ffi(lambda x: [x]), []

    def work(k):
        for i in range(300):
            if list(ours(f"thread {k} {i}")) != [f"thread {k} {i}"]:
                wrong.append((k, i))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_what_is_no_function_of_theirs():
    with pytest.raises(TypeError, match=r"expected a tvm_ffi\.Function, got int"):
        jitffi.from_tvm_ffi(3)
    with pytest.raises(TypeError, match="expected a callable, got int"):
        jitffi.to_tvm_ffi(3)
    with pytest.raises(TypeError, match="to_tvm_ffi: expected a name, got int 3"):
        jitffi.to_tvm_ffi(lambda: 1, 3)
    with pytest.raises(TypeError, match="from_tvm_ffi: expected str for the name, got int"):
        jitffi.from_tvm_ffi(tvm_ffi.get_global_func("testing.echo"), 3)


OTHER_VERSION = """
import ctypes
from jitffi import _core
for library, text in (None, "is not loaded in this process"), ({path!r}, "tvm-ffi {version} has another ABI than 0.1"):
    if library:
        ctypes.CDLL(library, ctypes.RTLD_GLOBAL)
    try:
        _core.tvm_open()
    except ImportError as error:
        assert text in str(error), error
    else:
        assert False, text
"""


@pytest.mark.parametrize("version", ["0.2.7", "1.1.0", "0.0.9"])
def test_another_version_is_refused_by_name(version, build_library, run_python):
    numbers = " ".join([f"version[{i}] = {number};" for i, number in enumerate(version.split("."))])
    source = f"#include <stdint.h>\nvoid TVMFFIGetVersion(uint32_t* version) {{ {numbers} }}\n"
    run_python(OTHER_VERSION.format(path=str(build_library(source)), version=version))


def test_it_is_imported_where_it_is_asked_for_alone(run_python):
    run_python("import sys, jitffi\njitffi.List([1])\nassert 'tvm_ffi' not in sys.modules")
