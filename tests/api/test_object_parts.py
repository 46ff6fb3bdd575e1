"""Objects as dicts and tuples, what their methods take, keys of types, and what stands for objects of a type."""

import collections

import numpy as np
import pytest

import jitffi


@jitffi.register_object("tests.parts.Point")
class Point:
    x: int
    y: str = ""

    def area(self, width: int) -> float:
        return self.x * width + 0.5


Pair = collections.namedtuple("Pair", "left right")


@jitffi.register_object("tests.parts.Bag")
class Bag:
    points: list[Point]
    by_name: dict[str, Point]
    pair: tuple[Point, int]
    other: object
    shape: jitffi.Shape


def test_objects_as_dicts_and_tuples():
    other = collections.defaultdict(list, {"z": [Point(4)]})
    bag = Bag([Point(1)], {"k": Point(2, "é" * 40)}, (Point(3), 4), other, (1, 2))
    first, second = {"x": 1, "y": ""}, {"x": 2, "y": "é" * 40}
    made = jitffi.asdict(bag)
    assert made == {
        "points": [first],
        "by_name": {"k": second},
        "pair": ({"x": 3, "y": ""}, 4),
        "other": {"z": [{"x": 4, "y": ""}]},
        "shape": (1, 2),
    }
    assert type(made["points"]) is list and type(made["by_name"]) is dict
    assert made["other"].default_factory is list
    assert jitffi.astuple(bag)[:3] == ([(1, "")], {"k": (2, "é" * 40)}, ((3, ""), 4))
    bag.other = Pair(Point(5), {6})
    assert jitffi.asdict(bag)["other"] == Pair({"x": 5, "y": ""}, {6})
    assert list(jitffi.asdict(Point(1), dict_factory=collections.OrderedDict)) == ["x", "y"]
    assert jitffi.astuple(Point(1), tuple_factory=list) == [1, ""]
    bag.other = bag
    with pytest.raises(RecursionError):
        jitffi.asdict(bag)


def test_what_is_derived_from_a_class_without_fields_and_repr_has_its_own():
    hidden = jitffi.register_object("tests.parts.Hidden", repr=False)(type("Hidden", (jitffi.Object,), {}))
    shown = jitffi.register_object("tests.parts.Shown")(type("Shown", (hidden,), {"__annotations__": {"x": int}}))
    assert jitffi.asdict(hidden()) == {} and jitffi.astuple(hidden()) == ()
    assert repr(shown(1)) == "Shown(x=1)" and repr(hidden()).startswith("<Hidden at 0x")


@pytest.mark.parametrize("value", [3, Point, [Point(1)]])
def test_what_is_no_object_with_fields(value):
    got = "a class" if value is Point else type(value).__name__
    with pytest.raises(TypeError, match=f"astuple: expected an object with fields, got {got}"):
        jitffi.astuple(value)


def test_methods_tell_what_they_take():
    (method,) = jitffi.type_info(Point).methods
    assert str(method.signature) == "(self: any, width: i64) -> f64"

    @jitffi.register_object("tests.parts.Large")
    class Large:
        def much(self, k: int = 10**30):
            return k

    assert jitffi.type_info(Large).methods[0].signature is None
    assert "tests.parts.Point" in jitffi.list_type_keys() and "list" in jitffi.list_type_keys()


def test_keys_are_qualified_names():
    @jitffi.register_object("tests.parts.<locals>.Inner.17")
    class Inner:
        x: int

    @jitffi.register_object("tests.parts.Outer")
    class Outer:
        inner: Inner
        others: list[Inner]

    made = Outer(Inner(1), [Inner(2)])
    assert made.others[0].x == 2 and jitffi.type_info(Outer).fields[1].type == "list[tests.parts.<locals>.Inner.17]"
    with pytest.raises(TypeError, match="expected "):
        Outer(Inner(1), [3])
    for key in ("a..b", "shop.", ".a", "a.<locals>"):
        with pytest.raises(jitffi.SignatureError):
            jitffi.Signature.parse(f"(x: list[{key}]) -> i64")


@jitffi.register_object("tests.parts.Code")
class Code(jitffi.IntEnum):
    LOW = 10


@jitffi.register_object("tests.parts.Name")
class Name(jitffi.StrEnum):
    ADD = jitffi.member(value="+")


@jitffi.register_object("tests.parts.Op")
class Op:
    name: Name
    code: Code | None = None


@jitffi.function
def both(name: Name, codes: list[Code]) -> jitffi.Tuple:
    return name, codes


def test_values_stand_for_members():
    op = Op("+", 10)
    assert op.name is Name.ADD and op.code is Code.LOW
    name, codes = both("+", [10, Code.LOW])
    assert name is Name.ADD and codes[0] is Code.LOW and codes[1] is Code.LOW
    for bad in ("ADD", 10, True, None, b"+", ["+"]):
        with pytest.raises(TypeError, match=r"tests\.parts\.Op\.name: expected "):
            op.name = bad
        with pytest.raises(TypeError, match=r"argument 1 'name': expected tests\.parts\.Name"):
            both(bad, [])
    with pytest.raises(TypeError, match="expected a member of Code, got True"):
        op.code = True


def test_a_changed_table_of_members_gives_no_other_objects():
    Name.__jitffi_values__["point"] = Point(1)
    try:
        with pytest.raises(TypeError, match=r"expected tests\.parts\.Name, got Point"):
            Op("point")
        with pytest.raises(TypeError, match=r"argument 1 'name': expected tests\.parts\.Name"):
            both("point", [])
    finally:
        del Name.__jitffi_values__["point"]


@jitffi.function
def same(array: jitffi.NDArray) -> jitffi.NDArray:
    return array


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


def test_arrays_are_parameters():
    array = np.arange(3.0)
    assert np.shares_memory(same(array).numpy(), array)
    assert np.shares_memory(same(Exporter(array)).numpy(), array)
    own = jitffi.from_dlpack(array)
    assert same(own) is own
    for bad in ([1.0], 1.0, None, np.ndarray, Exporter):
        with pytest.raises(TypeError, match="same: argument 1 'array': expected ndarray, got "):
            same(bad)
    assert jitffi.type_schema(jitffi.NDArray) == {"type": "ffi.Tensor"}
    assert jitffi.convert(None, "optional[ndarray]") is None


def test_an_exporter_that_fails():
    class Failing:
        def __dlpack__(self, **options):
            raise BufferError("no memory")

    with pytest.raises(BufferError, match="no memory"):
        same(Failing())
    with pytest.raises(BufferError):
        same(np.array(["x"]))
