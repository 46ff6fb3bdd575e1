"""What structs do when the classes and objects around them are unusual ones."""

from __future__ import annotations

import gc
import itertools
from typing import Annotated, Any

import pytest

import jitffi

KEYS = itertools.count()


def key() -> str:
    return f"struct_hostile.K{next(KEYS)}"


def declared(members: str) -> Any:
    return jitffi.struct(key(), members)


def test_classes_of_the_metaclass_are_structs() -> None:
    with pytest.raises(TypeError, match=r"classes of this metaclass derive from jitffi\.Struct"):
        type(jitffi.Struct)("Alone", (), {})


def test_what_is_behind_const_stays() -> None:
    cls = jitffi.struct("struct_hostile.Const", "x: i64")
    seen = jitffi.cast("ptr[const struct_hostile.Const]", cls(1)).value
    with pytest.raises(TypeError, match="behind a pointer to const"):
        seen.__init__(2)
    assert seen.x == 1


def test_integers_are_shifted_as_int_does_it() -> None:
    class Odd(int):
        def __rshift__(self, other: int) -> Any:
            return "nothing"

        __lshift__ = __rshift__

    assert declared("a: i128, b: u128")(Odd(-1 << 100), Odd(1 << 127)).__reduce__()[2][0] == (
        (-1 << 100).to_bytes(16, "little", signed=True) + (1 << 127).to_bytes(16, "little")
    )


class TestFinalisers:
    def test_they_run_once_for_each_instance(self) -> None:
        seen = []

        @jitffi.struct(key())
        class Counted:
            x: Annotated[int, "i64"]
            text: Annotated[Any, "cstr"] = None

            def __del__(self) -> None:
                seen.append((self.x, self.text))

        class Derived(Counted):
            pass

        for cls in (Counted, Derived):
            for given in ((1,), (2,), (3, "kept")):
                cls(*given)
            gc.collect()
            assert seen == [(1, None), (2, None), (3, "kept")], cls
            seen.clear()

    def test_they_may_come_and_go(self) -> None:
        cls, seen = declared("x: i64"), []
        cls(1)
        cls.__del__ = lambda self: seen.append(self.x)
        for number in (2, 3):
            cls(number)
        del cls.__del__
        cls(4)
        assert seen == [2, 3]

    def test_an_instance_may_live_on(self) -> None:
        cls, kept = declared("x: i64"), []
        cls.__del__ = lambda self: kept.append(self)
        cls(7)
        assert kept[0].x == 7
        kept.clear()
        assert not kept and cls().x == 0

    def test_a_long_chain_needs_no_stack(self) -> None:
        seen, name = [], key()
        cls = jitffi.struct(name, f"next: ptr[{name}]")
        cls.__del__ = lambda self: seen.append(1)
        first = None
        for _ in range(100_000):
            first = cls(first)
        del first
        assert len(seen) == 100_000


def test_a_class_that_is_being_made() -> None:
    said = []

    class Looks:
        def __set_name__(self, owner: type, name: str) -> None:
            field = vars(owner).get("x")
            if type(owner) is type(jitffi.Struct):
                said.extend([repr(field), field.__objclass__.__name__])
                with pytest.raises(TypeError, match="doesn't apply"):
                    field.__get__(other)
                with pytest.raises(TypeError, match="has no fields"):
                    owner()

    other = declared("x: i8")()

    @jitffi.struct(key())
    class Point:
        x: Annotated[int, "i64"]
        looks = Looks()

    assert said == ["<field x: i64 of an unfinished class>", "an unfinished class"]
    assert vars(Point)["x"].__objclass__ is Point


def test_a_key_has_one_class() -> None:
    name = key()

    class Declares:
        def __set_name__(self, owner: type, attribute: str) -> None:
            if type(owner) is type(jitffi.Struct):
                jitffi.new(name)

    with pytest.raises(ValueError, match="there is a class of"):

        @jitffi.struct(name)
        class Point:
            x: Annotated[int, "i64"]
            declares = Declares()


def test_methods_may_name_what_comes_later() -> None:
    @jitffi.struct(key())
    class Point:
        x: Annotated[int, "i64"]

        def twice(self) -> int:
            return later(self.x)

    def later(number: int) -> int:
        return 2 * number

    assert Point(3).twice() == 6


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, KeyboardInterrupt, ValueError])
def test_a_declaration_that_fails_is_none(error: type[BaseException]) -> None:
    class Fails:
        @property
        def __metadata__(self) -> Any:
            raise error

    name = key()
    with pytest.raises(error):
        jitffi.struct(name)(type("Point", (), {"__annotations__": {"x": Fails()}}))
    with pytest.raises(jitffi.SignatureError, match="unknown type"):
        jitffi.new(name)
    assert jitffi.struct(name, "y: i32")(5).y == 5


def test_nobody_finds_what_is_half_filled() -> None:
    cls = declared("n: i32[3], after: i64")

    class Looks:
        def __index__(self) -> int:
            found.extend([each for each in gc.get_objects() if isinstance(each, cls)])
            return 1

    found: list[Any] = []
    made = cls()
    made.n = [Looks(), 2, 3]
    assert made.n.tolist() == [1, 2, 3] and not found
