"""Fields that are computed, and options of registered classes that say how objects are made and matched."""

import copy
import pickle

import pytest

import jitffi

computed: list[str] = []


@jitffi.register_object("tests.init_property.Square")
class Square:
    side: float = jitffi.field(metadata={"unit": "m"})

    @jitffi.init_property
    def area(self) -> float:
        """What it covers."""
        computed.append("area")
        return self.side**2

    def __post_init__(self):
        assert self.area == self.side**2


@jitffi.register_object("tests.init_property.Box", frozen=True)
class Box(Square):
    height: float = 1.0

    def __post_init__(self):
        assert self.parts[0] == self.area

    @jitffi.init_property
    def parts(self):
        return [self.area, self.height]

    @jitffi.init_property
    def area(self) -> float:
        return 2 * self.side


def test_a_field_is_computed_once():
    computed.clear()
    square = Square(3)
    assert square.area == square.area == 9.0 and computed == ["area"] and repr(square) == "Square(side=3.0)"
    square.side = 4.0
    assert square.area == 9.0 and square == Square(4.0)
    with pytest.raises(TypeError, match="no argument 'area'"):
        Square(3, area=1)


def test_of_derived_classes():
    box = Box(3)
    assert box.area == 6.0 and list(box.parts) == [6.0, 1.0]
    for made in (copy.copy(box), pickle.loads(pickle.dumps(box)), jitffi.from_json(jitffi.to_json(box))):
        assert list(made.parts) == [6.0, 1.0]
    assert list(box.__replace__(side=5.0).parts) == [10.0, 1.0]
    with pytest.raises(TypeError, match="there is no field 'area'"):
        box.__replace__(area=1.0)
    with pytest.raises(AttributeError, match="read-only"):
        box.area = 1.0


def test_what_is_told_of_it():
    side, area = jitffi.type_info(Square).fields
    assert (area.type, area.init, area.doc, dict(area.metadata)) == ("f64", False, "What it covers.", {})
    assert dict(side.metadata) == {"unit": "m"} and dict(jitffi.type_info(Box).fields[0].metadata) == {"unit": "m"}


def test_an_error_in_it_leaves_nothing_behind():
    @jitffi.register_object("tests.init_property.Failing")
    class Failing:
        items: list[int]

        @jitffi.init_property
        def first(self) -> int:
            return self.items[0]

    Failing([1])
    before = jitffi._core.live_objects()
    for _ in range(3):
        with pytest.raises(IndexError):
            Failing([])
    assert jitffi._core.live_objects() == before


def test_another_type_than_the_ancestor_has():
    with pytest.raises(TypeError, match=r"Wrong\.area: an ancestor's field .* it is f64"):

        @jitffi.register_object("tests.init_property.Wrong")
        class Wrong(Square):
            @jitffi.init_property
            def area(self) -> str:
                return ""


def test_without_a_constructor_and_without_patterns():
    @jitffi.register_object("tests.init_property.Bare", init=False, match_args=False)
    class Bare:
        x: int = 3

    with pytest.raises(TypeError, match="it cannot be constructed directly"):
        Bare()
    assert "__match_args__" not in vars(Bare) and Square.__match_args__ == ("side",)


def test_types_as_schemas():
    both = {
        "i64 | str | null": {
            "type": "Optional",
            "args": [{"type": "Variant", "args": [{"type": "int"}, {"type": "ffi.String"}]}],
        },
        "map[str, list[f64]]": {
            "type": "ffi.Map",
            "args": [{"type": "ffi.String"}, {"type": "ffi.Array", "args": [{"type": "float"}]}],
        },
        "tests.init_property.Square": {"type": "tests.init_property.Square"},
        "func[(i64) -> any]": {
            "type": "ffi.Function",
            "named_args": {"return": [{"type": "Any"}], "params": [{"type": "int"}]},
        },
    }
    for text, schema in both.items():
        assert jitffi.type_schema(text) == schema and str(jitffi.from_type_schema(schema)) == text
    assert jitffi.type_schema(Square) == {"type": "tests.init_property.Square"}
    with pytest.raises(ValueError, match="a schema is a dict"):
        jitffi.from_type_schema([])


def test_schemas_of_global_functions():
    jitffi.register_global_func("tests.schema.typed", jitffi.function("(i64) -> str")(str))
    jitffi.register_global_func("tests.schema.untyped", str)
    assert jitffi.get_global_func_metadata("tests.schema.typed")["signature"] == "(i64) -> str"
    assert jitffi.get_global_func_metadata("tests.schema.untyped") == {}
    for name in ("typed", "untyped"):
        jitffi.remove_global_func(f"tests.schema.{name}")
