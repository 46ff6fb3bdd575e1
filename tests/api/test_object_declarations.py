"""Classes with fields: what is declared, again or in another way, what is known of it, and what is refused."""

import dataclasses
import functools
import typing

import numpy as np
import pytest
from numpy.typing import NDArray

import jitffi


@jitffi.register_object("tests.declared.Point", order=True)
class Point(jitffi.Object):
    """A place."""

    x: jitffi.f64
    y: jitffi.f64 = 1.0

    def norm(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5

    @staticmethod
    def origin():
        return Point(0.0, 0.0)


@jitffi.register_object("tests.declared.Frozen", frozen=True)
class Frozen:
    a: int
    b: tuple[int, ...] = ()


def test_declared_again():
    def declare(default, *, more=False):
        @jitffi.register_object("tests.Again")
        class Again:
            a: int = default
            if more:
                b: int = 0

            def say(self):
                return default

        return Again

    first = declare(1)
    one = first()
    assert declare(1) is first and one.say() == 1
    for options in ({"default": 2}, {"default": 1, "more": True}):
        with pytest.raises(ValueError, match="tests.Again is registered already"):
            declare(**options)


def test_texts_are_those_of_the_field_whichever_were_read_before():
    @jitffi.register_object("tests.Texts")
    class Texts:
        text: str
        maybe: str | None = None
        value: object = None

    size_of = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 40, 64, 65, 200]
    texts = [character * size for size in size_of for character in ("a", "b", "é", "語", "\0")]
    texts += [f"{'x' * 8}{middle}{'y' * 8}" for middle in ("left", "rite", "é")]  # the ends alike
    made = [Texts(text, text, text) for text in texts]
    for _ in range(3):
        assert [(each.text, each.maybe, each.value) for each in made] == [(text, text, text) for text in texts]
    for each, text in zip(made, reversed(texts), strict=True):
        each.text = each.maybe = each.value = text
        assert (each.text, each.maybe, each.value) == (text, text, text)
    made[0].maybe = made[0].value = None
    assert (made[0].maybe, made[0].value) == (None, None)
    with pytest.raises(TypeError, match="Texts"):
        made[0].text = 5


def test_methods_are_replaced():
    def declare(value):
        class Renewed:
            a: int = 0

        if value:
            Renewed.say = lambda self: value
        return jitffi.register_object("tests.Renewed")(Renewed)

    cls = declare(1)
    one = cls()
    assert one.say() == 1
    declare(2)
    assert one.say() == 2 and [each.name for each in jitffi.type_info(cls).methods] == ["say"]
    declare(0)
    assert not hasattr(one, "say") and jitffi.type_info(cls).methods == ()


def test_annotations_of_typing():
    T = typing.TypeVar("T")
    Number = typing.NewType("Number", int)

    @jitffi.register_object("tests.declared.Typing")
    class Typing(jitffi.Object, typing.Generic[T]):
        item: T
        number: Number = 3
        fixed: typing.Final[int] = 4
        word: typing.Literal["a", "b"] = "a"
        either: typing.Literal[1, "a", None] = None
        items: typing.Sequence[int] = ()
        more: typing.MutableSequence[str] | None = None
        names: typing.Mapping[str, float] = jitffi.field(default_factory=dict)
        parent: typing.Self | None = None

    one = Typing(1.5, items=[1, 2], parent=Typing(None))
    assert (one.item, one.number, one.fixed, one.word, one.items) == (1.5, 3, 4, "a", (1, 2))
    assert [each.type for each in jitffi.type_info(Typing).fields] == [
        "any", "i64", "i64", "str", "i64 | str | null", "tuple[i64, ...]", "optional[list[str]]", "map[str, f64]",
        "optional[tests.declared.Typing]",
    ]  # fmt: skip


def test_types_of_ours_are_told_by_key_and_class():
    for key, cls in {"str": jitffi.String, "ucs4": jitffi.UCS4String, "bytes": jitffi.Bytes, "list": jitffi.List,
                     "function": jitffi.Function, "module": jitffi.Module, "error": jitffi.Error}.items():  # fmt: skip
        assert jitffi.type_info(cls).key == key and jitffi.type_info(key).cls is cls


def test_methods_that_wrap_others_are_called_themselves():
    def twice(function):
        @functools.wraps(function)
        def call(self):
            return 2 * function(self)

        return call

    @jitffi.register_object("tests.declared.Wrapping")
    class Wrapping:
        x: int

        @twice
        def plain(self):
            return self.x

        @twice
        @jitffi.script
        def compiled(self):
            return self.x

    for each in jitffi.type_info(Wrapping).methods:
        assert each.function(Wrapping(3)) == 6


def test_type_info():
    info = jitffi.type_info("tests.declared.Point")
    assert (info.key, info.cls, info.doc, info.size) == ("tests.declared.Point", Point, "A place.", 32)
    assert [(each.name, each.type, each.offset) for each in info.fields] == [("x", "f64", 16), ("y", "f64", 24)]
    assert info.fields[1].default == 1.0 and not info.fields[0].has_default
    assert {each.name: each.is_static for each in info.methods} == {"norm": False, "origin": True}
    assert info.methods[0].function(Point(3, 4)) == 5.0
    assert jitffi.type_info(Frozen).frozen and jitffi.type_info(Frozen).parent.key == "object"
    with pytest.raises(KeyError, match=r"tests\.Nothing"):
        jitffi.type_info("tests.Nothing")
    with pytest.raises(TypeError):
        jitffi.type_info(int)


@pytest.mark.parametrize(
    ("annotations", "defaults", "kind", "message"),
    [
        ({"a": complex}, {}, TypeError, "tests.Bad.a: no field is of type c128"),
        ({"a": "nothing"}, {}, TypeError, "tests.Bad.a: cannot evaluate the annotation 'nothing'"),
        ({"a": list}, {"a": []}, ValueError, "tests.Bad.a: all objects would share the default"),
        ({"a": int}, {"a": "x"}, TypeError, "tests.Bad.a: expected i64, got str 'x'"),
        ({"a": 3}, {}, TypeError, "tests.Bad.a: no field has the annotation 3"),
    ],
)
def test_refused_declarations(annotations, defaults, kind, message):
    cls = type("Bad", (), {"__annotations__": annotations, **defaults})
    with pytest.raises(kind) as caught:
        jitffi.register_object("tests.Bad")(cls)
    assert message in str(caught.value)


def test_refused_options():
    with pytest.raises(TypeError, match="slots"):
        jitffi.register_object("tests.Bad", slots=True)
    with pytest.raises(TypeError, match="expected the key"):
        jitffi.register_object(Point)
    with pytest.raises(ValueError, match="structure"):
        jitffi.register_object("tests.Bad", structure="star")
    with pytest.raises(ValueError, match="'i64' belongs to a type of signatures"):
        jitffi.register_object("i64")(type("Bad", (), {}))
    with pytest.raises(TypeError, match="List has no fields"):

        @jitffi.register_object("tests.Bad")
        class Bad(jitffi.List):
            a: int


def test_each_object_has_a_set_of_its_own_of_a_default_that_is_frozen():
    @jitffi.register_object("tests.declared.Tagged")
    class Tagged:
        tags: set[int] = frozenset({1})

    one, other = Tagged(), Tagged()
    one.tags.add(2)
    assert one.tags == {1, 2} and other.tags == {1}


def test_fields_of_dataclasses_are_fields():
    @jitffi.register_object("tests.declared.OfDataclasses")
    class OfDataclasses:
        number: int = dataclasses.field(default=3)
        items: list[int] = dataclasses.field(default_factory=list, repr=False, metadata={"unit": "mm"})
        other: int = dataclasses.field(kw_only=True, compare=False)

    one = OfDataclasses(other=1)
    assert repr(one) == "OfDataclasses(number=3, other=1)" and one.items == [] and one == OfDataclasses(3, [], other=2)
    assert jitffi.type_info(OfDataclasses).fields[1].metadata == {"unit": "mm"}


@jitffi.register_object("tests.declared.Arrays")
class Arrays:
    a: NDArray[np.float64]
    more: list[NDArray[np.float32]] = jitffi.field(default_factory=list)
    any: np.ndarray | None = None


def test_elements_of_arrays_are_checked() -> None:
    x = np.arange(6.0).reshape(2, 3)
    made = Arrays(x, [np.ones(2, "f4")], np.arange(3))
    x[1, 2] = 7
    assert made.a[1, 2] == 7 and made.a is made.a and isinstance(made.a, jitffi.NDArray)
    assert [each.type for each in jitffi.type_info(Arrays).fields[:2]] == ["tensor[f64]", "list[tensor[f32]]"]
    with pytest.raises(TypeError, match=r"a: expected tensor\[f64\], got numpy.ndarray, whose elements are float32"):
        made.a = np.ones(2, "f4")
    with pytest.raises(TypeError, match=r"got jitffi.NDArray, whose elements are int64"):
        Arrays(jitffi.from_dlpack(np.arange(3)))
    with pytest.raises(TypeError, match=r"got list with numpy.ndarray at \[1\], whose elements are float64"):
        Arrays(x, [np.ones(1, "f4"), x])
    with pytest.raises(TypeError, match="expected tensor.f64., got None"):
        Arrays(None)
    assert made.a.shape == (2, 3) and jitffi.from_json(jitffi.to_json(made)).a[1, 2] == 7


def test_fields_have_no_number_of_dimensions() -> None:
    for said in ("f64[*, *]", "tensor[f64, n, 3]"):
        with pytest.raises(TypeError, match="says of arrays what their elements are"):
            jitffi.register_object("tests.declared.Dims")(
                type("Dims", (), {"__annotations__": {"a": typing.Annotated[typing.Any, said]}, "__module__": __name__})
            )
