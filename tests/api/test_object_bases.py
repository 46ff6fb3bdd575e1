"""Registered classes whose bases are abstract, generic, protocols, or have a metaclass; what only constructors take."""

from __future__ import annotations

import abc
import copy
import dataclasses
import gc
import inspect
import pickle
import typing
import weakref
from collections.abc import MutableSequence
from dataclasses import InitVar

import pytest

import jitffi
from jitffi import _core

T = typing.TypeVar("T")


class Shape(abc.ABC):
    @abc.abstractmethod
    def area(self) -> float: ...

    @property
    def double(self) -> float:
        return 2 * self.area()


@jitffi.register_object("tests.bases.Square")
class Square(jitffi.Object, Shape):
    side: float
    other: typing.Any = None

    def area(self) -> float:
        return self.side**2


@jitffi.register_object("tests.bases.Named")
class Named(Square):
    name: str = "n"

    def area(self) -> float:
        return super().area() + 1


class InPython(Named):
    extra = None


@jitffi.function
def area_of(shape: Square) -> float:
    return shape.area()


@pytest.mark.parametrize("cls", [Square, Named, InPython])
def test_classes_with_abstract_bases_are_as_others(cls):
    made = cls(2.0)
    assert isinstance(made, Shape) and area_of(made) == made.area() == made.double / 2
    for again in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert again == made and type(again) is cls
    assert jitffi.List([made])[0] is made
    gone = weakref.ref(made)
    made.other = made
    del made
    gc.collect()
    assert gone() is None


def test_native_types_below_abstract_ones():
    above = jitffi.type_info(Square)
    field = ("radius", "f64", None, above.size, 12, 2, 2.5)
    _core.type_define("tests.bases.Circle", None, above.code, above.size + 8, 0, 0, 0, (field,))
    circle = jitffi.type_info("tests.bases.Circle").cls(side=1.0)
    assert circle.radius == 2.5 and isinstance(circle, Shape) and area_of(circle) == 1.0


def test_abstract_classes_have_no_objects():
    @jitffi.register_object("tests.bases.Abstract")
    class Abstract(jitffi.Object, Shape):
        side: float

    with pytest.raises(TypeError, match="abstract class Abstract .*area"):
        Abstract(1.0)
    with pytest.raises(TypeError, match="abstract class Below .*area"):
        type("Below", (Abstract,), {})(1.0)


def test_containers_of_ones_own_and_protocols():
    @typing.runtime_checkable
    class HasArea(typing.Protocol):
        def area(self) -> float: ...

    @jitffi.register_object("tests.bases.Numbers")
    class Numbers(jitffi.Object, HasArea, MutableSequence[int]):
        items: list[int]

        def __getitem__(self, index):
            return self.items[index]

        def __setitem__(self, index, value):
            self.items[index] = value

        def __delitem__(self, index):
            del self.items[index]

        def __len__(self):
            return len(self.items)

        def insert(self, index, value):
            self.items.insert(index, value)

        def area(self) -> float:
            return float(sum(self))

    one = Numbers([1])
    one.extend([2, 3])
    assert list(reversed(one)) == [3, 2, 1] and one.area() == 6 and isinstance(one, HasArea)
    assert not isinstance(jitffi.List(), HasArea)


def test_metaclasses_decide_on_calls():
    class Single(type):
        made: typing.ClassVar[dict] = {}

        def __call__(cls, *args):
            if cls not in cls.made:
                cls.made[cls] = super().__call__(*args)
            return cls.made[cls]

    @jitffi.register_object("tests.bases.Only")
    class Only(metaclass=Single):
        number: int

    only = Only(3)
    assert all(Only(number) is only for number in range(2000)) and only.number == 3


class Refusing(type):
    def __new__(mcs, name, bases, namespace):
        if not issubclass(mcs, type(jitffi.FrozenMap)):
            return super().__new__(mcs, name, bases, namespace)
        if name == "Raises":
            raise KeyError(name)
        return Square


@pytest.mark.parametrize(("name", "error"), [("Raises", KeyError), ("Other", TypeError)])
def test_metaclasses_that_make_no_class(name, error):
    made = Refusing(name, (), {"__annotations__": {"x": int}})
    with pytest.raises(error, match="Raises|Other: the metaclass has not made a new class"):
        jitffi.register_object(f"tests.bases.{name}")(made)
    assert Square(1.0).side == 1


class Changing(type):
    """What gives its classes another base or places of their own once they are registered."""

    def __new__(mcs, name, bases, namespace):
        if issubclass(mcs, type(jitffi.FrozenMap)):
            bases = (Scaled, *bases[1:]) if name == "Rebased" else bases
            namespace["__slots__"] = ("place",) if name == "Slotted" else ()
        return super().__new__(mcs, name, bases, namespace)


@pytest.mark.parametrize(
    ("name", "reason"), [("Rebased", "the fields of tests.bases.Scaled"), ("Slotted", "__slots__")]
)
def test_metaclasses_that_make_classes_of_another_layout(name, reason):
    made = Changing(name, (), {"__annotations__": {"x": int}})
    with pytest.raises(TypeError, match=f"tests.bases.{name}: its class .*{reason}"):
        jitffi.register_object(f"tests.bases.{name}")(made)


@jitffi.register_object("tests.bases.Box")
class Box(jitffi.Object, typing.Generic[T]):
    value: T
    next: Box[T] | None = None


@jitffi.register_object("tests.bases.Boxes")
class Boxes:
    first: Box[int]
    names: jitffi.FrozenMap[str, int]
    rest: list[Box[int]] = jitffi.field(default_factory=list)


def test_parameters_of_classes_are_for_type_checkers_but_those_of_a_frozen_map():
    made = Boxes(Box[int](1, Box("a")), {"a": 1}, [Box(2)])
    assert [each.type for each in jitffi.type_info(Boxes).fields] == [
        "tests.bases.Box", "jitffi.FrozenMap[str, i64]", "list[tests.bases.Box]",
    ]  # fmt: skip
    assert type(made.names) is jitffi.FrozenMap and made.first.next.value == "a"

    def first(boxes: list[Box[int]], names: jitffi.FrozenMap[str, int] | None) -> Box[int]: ...

    text = "(boxes: list[tests.bases.Box], names: optional[jitffi.FrozenMap[str, i64]]) -> tests.bases.Box"
    assert str(jitffi.Signature.of(first)) == text


@jitffi.register_object("tests.bases.Scaled")
class Scaled:
    x: int
    factor: InitVar[int]
    y: int = 5
    shift: InitVar[int] = 0
    _: dataclasses.KW_ONLY
    loud: InitVar[bool] = False

    def __post_init__(self, factor, shift, loud):
        self.x = self.x * factor + shift
        self.y = 99 if loud else self.y


@jitffi.register_object("tests.bases.MoreScaled")
class MoreScaled(Scaled):
    name: str
    more: InitVar[str] = "m"

    def __post_init__(self, factor, shift, loud, more):
        super().__post_init__(factor, shift, loud)
        self.name += more


def test_what_only_the_constructor_takes():
    assert Scaled(1, 2, 3, 4) == Scaled(6, 1, 3) and Scaled(x=1, factor=3, loud=True).y == 99
    assert MoreScaled(1, 2, "a").name == "am" and MoreScaled(1, 2, "a", more="b").x == 2
    assert list(inspect.signature(MoreScaled).parameters) == ["x", "factor", "name", "y", "shift", "more", "loud"]
    made = MoreScaled(1, 2, "a")
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made.__replace__() == made

    @jitffi.register_object("tests.bases.Own")
    class Own(Scaled):
        def __init__(self):
            super().__init__(2, factor=3)

    assert Own().x == 6

    @jitffi.register_object("tests.bases.Loud")
    class Loud(Scaled):
        y: int = 7
        extra: InitVar[int]
        loud: bool = False

        def __post_init__(self, factor, shift, extra):
            self.x = self.x * factor + shift + extra

    assert list(inspect.signature(Loud).parameters) == ["x", "factor", "extra", "y", "shift", "loud"]
    assert (Loud(1, 2, 3).loud, Loud(1, 2, 3, loud=True).loud, Loud(1, 2, 3, 4).y) == (False, True, 4)


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((1,), {}, "Scaled: missing required argument 'factor'"),
        ((1, 2, 3, 4, 5), {}, "Scaled: expected at most 4 positional arguments, got 5"),
        ((1, 2), {"x": 2}, "Scaled: argument 'x' is given by position and by name"),
        ((1, 2), {"foo": 2}, "Scaled: there is no argument 'foo'"),
        (("a", 2), {}, "Scaled.x: expected i64, got str 'a'"),
    ],
)
def test_errors_of_such_constructors(args, named, message):
    with pytest.raises(TypeError, match=message):
        Scaled(*args, **named)


def test_a_constructor_without_fields_asks_for_what_it_takes_by_name():
    annotations = {"_": dataclasses.KW_ONLY, "loud": InitVar[bool]}
    loud = jitffi.register_object("tests.bases.LoudAlone")(type("LoudAlone", (), {"__annotations__": annotations}))
    with pytest.raises(TypeError, match="LoudAlone: missing required keyword-only argument 'loud'"):
        loud()
    assert isinstance(loud(loud=True), loud)


def test_what_only_constructors_take_has_rules():
    with pytest.raises(TypeError, match=r"Made\.x: what only the constructor takes has no default_factory"):

        @jitffi.register_object("tests.bases.Made")
        class Made:
            x: InitVar[list] = jitffi.field(default_factory=list)

    with pytest.raises(TypeError, match=r"Hidden\.x: an ancestor has a field of that name"):

        @jitffi.register_object("tests.bases.Hidden")
        class Hidden(Scaled):
            x: InitVar[int]


def test_constructors_stay_when_classes_are_declared_again():
    np = pytest.importorskip("numpy")

    def declared(default, **more):
        annotations = {"x": int, "start": InitVar[object], **more}
        namespace = {"__annotations__": annotations, "start": default, "__post_init__": lambda self, *given: None}
        return jitffi.register_object("tests.bases.Started")(type("Started", (), namespace))

    first = declared(np.zeros(3))
    assert declared(np.zeros(3)) is first
    for default, more in ((np.zeros(2), {}), (np.ones(3), {}), (None, {"other": InitVar[int]})):
        with pytest.raises(ValueError, match="registered already, and its constructor takes others: start"):
            declared(default, **more)
    with pytest.raises(ValueError, match="registered already, and its constructor takes others: start"):
        jitffi.register_object("tests.bases.Started")(type("Started", (), {"__annotations__": {"x": int}}))
