"""What is left to the interpreter: it is called as the Python function that it is, and `inspect_types` says why."""

from __future__ import annotations

import asyncio
import functools
import inspect
import pickle

import pytest

import jitffi
from tests.support import leaks


@jitffi.script
def first(words, other=None):
    """The first of them."""
    found = other
    try:
        found = words[0]
    except* IndexError:
        pass
    return found


@jitffi.script
def calls_it(words):
    yield first(words)


@jitffi.script
def of_all(*words, sep=" ", **more):
    return sep.join(words), more


def test_its_results_are_pythons():
    words = ["to", "be"]
    assert first(words) == "to" and first([], 3) == 3 and first(words=[], other=4) == 4
    assert first.__wrapped__(words) == "to" and first.__doc__ == "The first of them."
    assert list(calls_it(words)) == ["to"]
    assert of_all("a", "b", sep="-", x=1) == ("a-b", {"x": 1})
    with pytest.raises(TypeError, match=r"first\(\) missing 1 required positional argument: 'words'"):
        first()
    assert repr(of_all) == "<jitffi.Script of_all(*words, sep, **more)>"


def test_the_reason_is_told():
    for _ in range(2):  # before the first call, and after it
        head, _, line, why, *rest = first.inspect_types().splitlines()
        assert head.startswith("first(words, other): left to the interpreter") and "test_left.py, line " in head
        assert line.strip().endswith("try:") and why.startswith("line ") and "scripts have no except*" in why
        assert not rest
        first([])
    text = calls_it.inspect_types()
    assert text.startswith("calls_it(words): left to the interpreter") and "scripts have no generators" in text
    for show in (first.inspect_llvm, first.inspect_asm):
        with pytest.raises(jitffi.ScriptError, match="scripts have no except"):
            show()


def test_strict_scripts_are_refused():
    for options in ({"strict": True}, {"nogil": True}, {"signature": "(list[str], any) -> any"}):
        with pytest.raises(jitffi.ScriptError, match="scripts have no except"):
            jitffi.script(first, **options)
        with pytest.raises(jitffi.ScriptError, match="scripts have no except"):
            jitffi.script(**options)(first.__wrapped__)
    with pytest.raises(TypeError, match="strict is a bool, got int"):
        jitffi.script(strict=1)
    strict = jitffi.script(compiled, strict=True)
    assert jitffi.script(strict, strict=True) is strict and jitffi.script(strict) is strict
    assert pickle.loads(pickle.dumps(strict))("a") == "aa"


def compiled(x):
    return x + x


def test_files_are_refused(tmp_path):
    with pytest.raises(jitffi.ScriptError, match="scripts have no except"):
        jitffi.emit(first, tmp_path / "first.o")


def test_other_callables():
    double = jitffi.script(lambda x: x * 2)
    assert double(4) == 8 and "a lambda is no script" in double.inspect_types()
    assert jitffi.script(len)([1]) == 1 and "builtin_function_or_method" in jitffi.script(len).inspect_types()
    assert jitffi.script(functools.partial(int, base=2))("11") == 3
    space: dict = {}
    exec("def f(x): return x + 1", space)
    made = jitffi.script(space["f"])
    assert made(1) == 2 and "no source text" in made.inspect_types()
    with pytest.raises(TypeError, match="type A"):
        jitffi.script(type("A", (), {}))


class Point:
    def __init__(self, x):
        self.x = x

    @jitffi.script
    def plus(self, y):
        return self.x + y

    @jitffi.script
    @staticmethod
    def made(x):
        return Point(x)

    @jitffi.script
    @classmethod
    def zero(cls):
        return cls(0)

    @staticmethod
    @jitffi.script
    def two():
        return Point(2)


def test_methods_are_attributes_of_their_class():
    assert Point(3).plus(4) == 7 and Point.plus(Point(1), 1) == 2
    assert Point.made(5).x == 5 and Point.zero().x == 0 and Point(1).zero().x == 0 and Point.two().x == 2
    bound = jitffi.script(Point(3).plus)
    assert bound(1) == 4 and "plus(self, y)" in bound.inspect_types()
    assert isinstance(vars(Point)["made"], staticmethod) and isinstance(Point.made, jitffi.Script)


@jitffi.script
def numbers(n):
    yield from range(n)


@jitffi.script
async def later(x):
    return x


def test_generators_and_coroutines():
    assert list(numbers(3)) == [0, 1, 2]
    assert asyncio.run(later(3)) == 3
    assert inspect.iscoroutinefunction(later) and inspect.isgeneratorfunction(numbers)
    assert "scripts have no generators" in numbers.inspect_types()
    assert "scripts have no async" in later.inspect_types()


def test_native_code_calls_it():
    @jitffi.script
    def each(function, words):
        return [function(word) for word in words]

    @jitffi.script
    def left(word):
        del word
        return 1

    assert each(left, ["a", "b"]) == [1, 1]
    assert each(first, ["ab", "", "c"]) == ["a", None, "c"]


def test_nothing_is_left_behind():
    def run():
        def local(x):
            with x:
                return x

        script = jitffi.script(local)
        for _ in range(3):
            with pytest.raises((TypeError, AttributeError)):  # 3.11 has the one
                script(1)

    run()
    before = leaks.live_objects()
    run()
    assert leaks.live_objects() == before


def test_recursion_ends():
    @jitffi.script
    def deep(n):
        try:
            return deep(n + 1)
        finally:
            pass

    with pytest.raises(RecursionError):
        deep(0)
