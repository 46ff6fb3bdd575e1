"""Array and FrozenMap of C++ are Python's Tuple and FrozenMap: as arguments, results, items and fields."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from support.cxx import compiled
from support.leaks import assert_nothing_stays

import jitffi


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "frozen.cxx"
    return str(compiled(source, tmp_path_factory.mktemp("frozen") / "frozen.so", "-shared", "-fPIC"))


@pytest.fixture(scope="module")
def frozen(path):
    return jitffi.load_module(path)


def test_what_cxx_says_of_them(frozen):
    assert frozen.problems() == ""
    assert str(frozen.signatures["total"]) == "(jitffi.FrozenMap[str, i64]) -> i64"
    assert str(frozen.signatures["backwards"]) == "(tuple[i64, ...]) -> tuple[i64, ...]"
    fields = {field.name: field.type for field in jitffi.type_info("frozen.Call").fields}
    assert fields == {
        "attrs": "jitffi.FrozenMap[str, any]",
        "args": "tuple[str, ...]",
        "maybe": "optional[jitffi.FrozenMap]",
    }


def test_they_are_pythons(frozen):
    given = jitffi.FrozenMap({"ab": 2, "c": 3})
    assert frozen.total(given) == 7 and frozen.same(given) is given
    made = getattr(frozen, "with")(given, "new", [1])
    assert type(made) is jitffi.FrozenMap and made == {"ab": 2, "c": 3, "new": [1]} and len(given) == 2
    assert frozen.backwards((1, 2, 3)) == (3, 2, 1) and frozen.early() == {"early": 1}
    call = frozen.call(("x", "y"))
    assert call.attrs == {"count": 2} and call.args == ("x", "y", "end") and call.maybe is None
    call.attrs = call.maybe = given
    assert call.attrs is given and {call.maybe: 1}[given] == 1
    call.attrs = {"a": 1}
    assert type(call.attrs) is jitffi.FrozenMap and call.attrs == {"a": 1}
    changing = jitffi.Map(ab=2)
    for each in ({"ab": 2}, changing, changing.copy()._move()):
        assert frozen.total(each) == 4 and frozen.same(changing) == {"ab": 2} != frozen.same({})
    with pytest.raises(TypeError, match=r"Call.attrs: expected jitffi.FrozenMap\[str, any\], got list"):
        call.attrs = []
    with pytest.raises(TypeError, match=r"Call.attrs: expected jitffi.FrozenMap\[str, any\], got dict with key int 1"):
        call.attrs = {1: 2}
    with pytest.raises(TypeError, match=r"total: argument 1: expected .*, got dict with key int 1"):
        frozen.total({1: 1})
    with pytest.raises(TypeError, match=r"total: argument 1: expected .*, got jitffi.FrozenMap with key int 1"):
        frozen.total(jitffi.FrozenMap({1: 1}))


def test_whoever_defines_the_type_first_it_is_one(path):
    program = "import jitffi, sys; module = jitffi.load_module(sys.argv[1]); made = module.early(); print(made)"
    program += "; assert type(made) is jitffi.FrozenMap and {made: 2}[jitffi.FrozenMap(early=1)] == 2"
    program += "; assert module.keyed()[made] == module.keyed()[jitffi.FrozenMap(early=1)] == 5"
    done = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("FrozenMap({'early': 1})\n", "")


def test_nothing_stays(frozen):
    def once():
        call = frozen.call(("x",))
        call.maybe = jitffi.FrozenMap({"self": call})
        with pytest.raises(TypeError):
            frozen.total(jitffi.FrozenMap({1: 1}))
        assert frozen.same(call.attrs) == {"count": 1}

    assert_nothing_stays(once)
