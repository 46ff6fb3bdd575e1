"""C++ and Python in one process: each calls the other, and gets its values, functions and exceptions back."""

from __future__ import annotations

import gc
import threading
import traceback
from pathlib import Path

import numpy
import pytest
from support.cxx import compiled
from support.leaks import live_objects

import jitffi


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plugin")
    source = Path(__file__).parent / "programs" / "plugin.cxx"
    return str(compiled(source, folder / "plugin.so", "-shared", "-fPIC"))


@pytest.fixture(scope="module")
def plugin(path):
    return jitffi.load_module(path)


def test_exports_say_their_types(plugin):
    assert {name: str(sig) for name, sig in plugin.signatures.items()} == {
        "add": "(i64, i64) -> i64", "count": "None", "echo": "(any) -> any",
        "either": "(i64 | str | list[i32] | null) -> i64 | str | list[i32] | null", "kind": "(error) -> str",
        "maybe": "(optional[plugin.Point]) -> f64", "total": "(list[plugin.Point]) -> f64",
        "fail": "(str) -> void", "no_file": "(i32) -> void",
        "double_in_place": "(tensor) -> void", "join": "(list[str], str) -> str", "keep_array": "(tensor) -> tensor",
        "load": "(str) -> module", "made": "(str) -> error",
        "raise_given": "(error) -> void", "refuse": "(str) -> void", "refuse_because": "(str) -> void",
        "on_thread": "(func[(i32) -> i32], i32) -> i32", "turned": "(shape) -> shape",
        "scale": "(f64, f64) -> f64", "sizes": "(map[str, bytes]) -> map[str, i64]",
    }  # fmt: skip
    assert (plugin.add(2, 3), plugin.scale(1.5, 2), plugin.count(1, "x", None)) == (5, 3.0, 3)
    assert plugin.join(["a", "\u00f6", "c" * 20], ", ") == "a, \u00f6, " + "c" * 20
    assert dict(plugin.sizes({"a": b"", "b": b"123"})) == {"a": 0, "b": 3}
    with pytest.raises(TypeError, match="expected i64, got str"):
        plugin.add("2", 3)
    assert plugin.turned((2, 3)) == jitffi.Shape((3, 2))
    with pytest.raises(IndexError, match="no such place"):
        plugin.fail("no such place")
    with pytest.raises(FileNotFoundError, match="open: No such file") as caught:
        plugin.no_file(2)
    assert caught.value.errno == 2


VALUES = [
    None,
    True,
    3,
    -(2**63),
    2**64 - 1,
    2.5,
    "",
    "short",
    "text that is too long for a slot",
    "w\u00f6rd",
    b"",
    b"bytes" * 9,
]


@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_values_come_back(plugin, value):
    back = plugin.echo(value)
    assert back == value and type(back) is type(value)


def test_python_functions_are_called(plugin):
    heard = []
    jitffi.get_global_func("plugin.callhello")(heard.append)
    assert heard == ["hello world"]
    apply = jitffi.get_global_func("plugin.apply")
    assert apply(lambda *args: len(args), [1, "two", None]) == 3
    assert jitffi.get_global_func("plugin.adder")(5)(37) == 42


class Mine(Exception):
    pass


def test_a_thread_of_cxx_calls_python_while_its_caller_waits(plugin):
    threads = []

    def seen(x):
        threads.append(threading.get_ident())
        return plugin.on_thread(seen, x) if len(threads) < 2 else 1 // x

    assert plugin.on_thread(seen, 1) == 1 and len(set(threads)) == 2 and threading.get_ident() not in threads
    threads.clear()
    with pytest.raises(ZeroDivisionError):
        plugin.on_thread(seen, 0)


def test_an_exception_passes_through_as_the_same_object(plugin):
    rethrow = jitffi.get_global_func("plugin.rethrow")
    raised = Mine("of Python", 3)

    def fails():
        raise raised

    with pytest.raises(Mine) as caught:
        rethrow(fails)
    assert caught.value is raised
    assert rethrow(lambda: {}["x"]).startswith("caught ")


def test_types_of_cxx_in_signatures(plugin):
    @jitffi.register_object("plugin.Point")
    class Point:
        pass

    assert plugin.total([Point(1.5), Point(2)]) == 3.5 and plugin.maybe(None) == -1 and plugin.maybe(Point(3)) == 3
    with pytest.raises(
        TypeError, match=r"total: argument 1: expected list\[plugin.Point\], got list with int 3 at \[1\]"
    ):
        plugin.total([Point(1.5), 3])
    assert [plugin.either(value) for value in (3, "x", [1, 2], None)] == [3, "x", [1, 2], None]
    with pytest.raises(TypeError, match=r"expected i64 \| str \| list\[i32\] \| null, got float 2.5"):
        plugin.either(2.5)
    assert plugin.kind(KeyError("x")) == "KeyError"


def test_tracebacks_show_where_cxx_has_raised(plugin):
    with pytest.raises(KeyError) as caught:
        plugin.refuse("a word")
    entry = traceback.extract_tb(caught.value.__traceback__)[-1]
    assert entry.filename.endswith("plugin.cxx") and 'raise("KeyError"' in entry.line
    with pytest.raises(ValueError, match="outer") as caught:
        plugin.refuse_because("a word")
    cause = caught.value.__cause__
    assert isinstance(cause, KeyError)
    assert traceback.extract_tb(cause.__traceback__)[-1].filename.endswith("plugin.cxx")


def test_tracebacks_show_every_native_function_between(plugin):
    def fails():
        raise Mine

    def inner(*names):
        return jitffi.get_global_func("plugin.rethrow")(fails)

    apply, again = (jitffi.get_global_func(name) for name in ("plugin.apply", "plugin.rethrow"))
    with pytest.raises(Mine) as caught:
        apply(apply, [again, [fails]])
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)][1:]
    outer = "plugin.apply(func, list) -> any"
    assert names == [outer, outer, "plugin.rethrow(func) -> str", "fails"]
    with pytest.raises(Mine) as caught:
        jitffi.get_global_func("plugin.callhello")(inner)
    names = [entry.name for entry in traceback.extract_tb(caught.value.__traceback__)][1:]
    assert names == ["plugin.callhello(...) -> any", "inner", "plugin.rethrow(func) -> str", "fails"]


def test_errors_that_are_held_get_the_lines_of_those_that_are_raised(plugin):
    held = plugin.made("a word")
    assert held.traceback.startswith('  File "') and "plugin.cxx" in held.traceback
    apply, raising = jitffi.get_global_func("plugin.apply"), jitffi.convert(plugin.raise_given)
    for _ in range(2):  # and it stays as it is
        with pytest.raises(KeyError) as caught:
            apply(raising, [held])
        entries = traceback.extract_tb(caught.value.__traceback__)[1:]
        assert [each.name for each in entries[:2]] == ["plugin.apply(func, list) -> any", "raise_given(error) -> void"]
        assert entries[2].filename.endswith("plugin.cxx") and 'Error("KeyError"' in entries[2].line
    assert held.traceback.count("File") == 1


def test_arrays_are_lent_or_kept(plugin):
    lent = numpy.arange(3.0)
    plugin.double_in_place(lent)
    assert lent.tolist() == [0, 2, 4]
    kept = plugin.keep_array(lent)
    lent[0] = 9
    assert isinstance(kept, jitffi.NDArray) and numpy.asarray(kept).tolist() == [9, 2, 4]
    assert plugin.keep_array(kept) is kept
    with pytest.raises(TypeError, match="expected an array of float64, got int32"):
        plugin.double_in_place(numpy.zeros(3, "int32"))


def test_a_module_is_a_result(plugin, path):
    assert plugin.load(path).add(1, 2) == 3


def test_nothing_is_left(plugin):
    keep = jitffi.get_global_func("plugin.keep")
    adder = jitffi.get_global_func("plugin.adder")
    gc.collect()
    before = live_objects()
    for _ in range(3):
        keep([1, "text that is too long for a slot", len])
        keep(adder(3))
        assert keep(None)(1) == 4
        with pytest.raises(IndexError):
            plugin.fail("x" * 100)
    gc.collect()
    assert live_objects() == before


def test_functions_outlive_the_name(plugin):
    adder = jitffi.get_global_func("plugin.adder")
    add_one = adder(1)
    del adder
    assert [add_one(n) for n in range(3)] == [1, 2, 3]
    with pytest.raises(TypeError, match="expected i32, got str"):
        add_one("x")
