"""Parameters of C++ functions and methods that have names and defaults: keywords, in messages and in what is told."""

import traceback
from pathlib import Path

import pytest
from support.cxx import compiled
from support.leaks import assert_nothing_stays

import jitffi


@pytest.fixture(scope="module")
def args(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "args.cxx"
    return jitffi.load_module(str(compiled(source, tmp_path_factory.mktemp("args") / "args.so", "-shared", "-fPIC")))


def test_names_and_defaults(args):
    assert args.problems() == ""
    join = jitffi.get_global_func("args.join")
    assert join(["a", "b"], by="-") == "a-b" == join(parts=["a", "b", "c"], most=2, by="-")
    assert join(["a", "b"]) == "a, it's a separator that is longer than a slot, b"
    native = jitffi.get_global_func("args.native")
    assert native(1) == -9 and native(b=1, a=3) == 2 and jitffi.Function(native)(5) == -5
    point = jitffi.type_info("args.Point").cls
    assert point(1.0).moved(dx=1) == 7.0 == point(y=2, x=1).moved(1, dy=1.5)
    assert (point.both(), point.both(b=False), point.both(5)) == (1, -1, 5)
    with pytest.raises(TypeError, match=r"args.Point.moved: argument 1 'dx': expected f64, got str 'x'"):
        point(1).moved("x")
    with pytest.raises(TypeError, match=r"args.Point.moved: argument 2 'dy': expected f64, got str 'x'"):
        point(1).moved(1, dy="x")
    with pytest.raises(TypeError, match=r"args.Point.moved: argument 1 'dx' is missing"):
        point(1).moved()
    with pytest.raises(TypeError, match="dz"):
        point(1).moved(1, dz=2)


def test_they_are_told(args):
    told = {each.name: str(jitffi.Function(each.function).signature) for each in jitffi.type_info("args.Point").methods}
    assert told["moved"] == "(self: object, dx: f64, dy: f64 = 1.5) -> f64"
    assert told["both"] == "(a: i32 = 1, b: bool = True) -> i32"


def test_exports_and_methods_that_are_global(args):
    assert str(args.signatures["scaled"]) == "(x: f64, by: f64 = 2.0) -> f64"
    assert args.scaled(3) == 6.0 == args.scaled(by=3, x=2) == args.scaled(2, 3)
    with pytest.raises(TypeError, match=r"scaled: argument 2 'by': expected f64, got str 'x'"):
        args.scaled(1, by="x")
    moved = jitffi.get_global_func("args.moved")
    point = jitffi.type_info("args.Point").cls(1.0)
    assert moved(point, 1) == 10.0 == moved(point, dx=1, dy=3)
    with pytest.raises(TypeError, match=r"args.moved: argument 2 'dx': expected f64, got str 'x'"):
        moved(point, "x")  # a function like any other, as C++ says, too


def test_what_is_refused_while_a_library_is_loaded(args):
    assert args.unnamed(3, 1) == 2.0 and str(args.signatures["unnamed"]) == "(f64, f64) -> f64"
    assert "args.refused" not in jitffi.list_global_func_names()


def test_tracebacks_show_where_a_function_that_throws_is_registered(args):
    for function, name in (
        (jitffi.get_global_func("args.lost"), "args.lost(i: i32)"),
        (args.lost_too, "lost_too(i: i32)"),
        (args.lost_unnamed, "lost_unnamed(i32)"),
    ):
        with pytest.raises(IndexError, match="not here") as caught:
            function(1)
        entries = traceback.extract_tb(caught.value.__traceback__)
        places = [each for each in entries if each.filename.endswith("args.cxx")]
        assert [each.name for each in places] == [f"{name} -> i32"]
        assert places[0].line.endswith(f"/* line of {name.partition('(')[0]} */")


def test_nothing_stays(args):
    join = jitffi.get_global_func("args.join")

    def once():
        join(["a"] * 3, most=1)
        assert args.problems() == ""

    assert_nothing_stays(once)
