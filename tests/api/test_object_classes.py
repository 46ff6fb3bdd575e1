"""Classes with fields: what a declaration gives, what is refused, how instances are made, compared, copied."""

import copy
import dataclasses
import inspect
import pickle

import pytest

import jitffi


@jitffi.register_object("tests.Point", order=True)
class Point(jitffi.Object):
    """A place."""

    x: jitffi.f64
    y: jitffi.f64 = 1.0

    def norm(self) -> float:
        return (self.x**2 + self.y**2) ** 0.5

    @staticmethod
    def origin():
        return Point(0.0, 0.0)


@jitffi.register_object("tests.Everything")
class Everything:
    b: bool = False
    i8: jitffi.i8 = -1
    u8: jitffi.u8 = 255
    i16: jitffi.i16 = -2
    u16: jitffi.u16 = 65535
    i32: jitffi.i32 = -3
    u32: jitffi.u32 = 2**32 - 1
    i64: int = -4
    u64: jitffi.u64 = 2**64 - 1
    f16: jitffi.f16 = 0.5
    bf16: jitffi.bf16 = 0.25
    f32: jitffi.f32 = 1.5
    f64: float = 2.5
    text: str = "a text that no slot has room for"
    data: bytes = b"bytes"
    items: list[int] = jitffi.field(default_factory=list)
    table: dict[str, float] = jitffi.field(default_factory=dict)
    pair: tuple[int, str] = (1, "a")
    any: object = None
    maybe: int | None = None
    maybe_text: str | None = None
    function: jitffi.Function | None = None
    dtype: jitffi.DataType = jitffi.DataType("int8")
    device: jitffi.Device = jitffi.Device("cpu")
    point: Point | None = None
    shape: jitffi.Shape | None = None
    array: jitffi.NDArray | None = None


@jitffi.register_object("tests.Frozen", frozen=True)
class Frozen:
    a: int
    b: tuple[int, ...] = ()


@jitffi.register_object("tests.Keywords", kw_only=True)
class Keywords:
    a: int
    b: int = jitffi.field(default=2, kw_only=False)
    c: int = jitffi.field(init=False, default=3, repr=False)
    _: dataclasses.KW_ONLY
    d: int = 4


@jitffi.register_object("tests.Named")
class Named(Point):
    name: str = "none"

    def norm(self) -> float:
        return super().norm() + 1


@jitffi.register_object("tests.Own")
class Own:
    a: int
    b: int = 5

    def __init__(self, text, *, twice=False):
        self.a = int(text) * (2 if twice else 1)


@jitffi.register_object("tests.Loose", attributes=True)
class Loose:
    a: int = 0

    def __post_init__(self):
        self.b = self.a + 1


def test_made_by_position_and_name():
    assert repr(Point(3)) == "Point(x=3.0, y=1.0)" and Point(y=2, x=1) == Point(1.0, 2.0)
    assert Point(0, 4).norm() == 4.0 and Point.origin().x == 0.0
    assert str(inspect.signature(Point)) == "(x: 'f64', y: 'f64' = 1.0)"
    match Point(1, 2):
        case Point(x, y):
            assert (x, y) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("args", "names", "message"),
    [
        ((), {}, "tests.Point: missing required argument 'x'"),
        ((1, 2, 3), {}, "tests.Point: expected at most 2 positional arguments, got 3"),
        ((1,), {"x": 2}, "tests.Point: argument 'x' is given by position and by name"),
        ((1,), {"z": 2}, "tests.Point: there is no argument 'z'"),
        (("a",), {}, "tests.Point.x: expected f64, got str 'a'"),
        ((None,), {}, "tests.Point.x: expected f64, got None"),
    ],
)
def test_refused_arguments(args, names, message):
    with pytest.raises(TypeError) as caught:
        Point(*args, **names)
    assert str(caught.value) == message


def test_every_kind_of_field():
    one = Everything()
    assert (one.b, one.i8, one.u8, one.i16, one.u16, one.i32, one.u32) == (False, -1, 255, -2, 65535, -3, 2**32 - 1)
    assert (one.i64, one.u64, one.f16, one.bf16, one.f32, one.f64) == (-4, 2**64 - 1, 0.5, 0.25, 1.5, 2.5)
    assert (one.text, one.data) == ("a text that no slot has room for", b"bytes")
    assert one.items == [] and one.table == {} and one.pair == (1, "a") and one.any is None
    one.items, one.table, one.any = [1, 2], {"a": 1}, {"k": [one]}
    assert one.items == [1, 2] and one.table == {"a": 1.0} and one.any["k"][0] is one
    one.maybe, one.maybe_text, one.point, one.function = 3, "t", Point(1), len
    assert (one.maybe, one.maybe_text, one.point.x) == (3, "t", 1.0) and one.function("abc") == 3
    one.maybe = one.maybe_text = one.point = one.function = None
    assert one.maybe is one.maybe_text is one.point is one.function is None
    one.shape = jitffi.Shape([1, 2])
    assert one.shape == (1, 2) and str(one.dtype) == "int8"


@pytest.mark.parametrize(
    ("name", "value", "kind", "message"),
    [
        ("u8", 256, OverflowError, "tests.Everything.u8: expected u8 (0 to 255), got int 256"),
        ("i64", 2**63, OverflowError, "tests.Everything.i64: expected i64"),
        ("f32", 1e39, OverflowError, "tests.Everything.f32: expected f32"),
        ("b", 2, TypeError, "tests.Everything.b: expected bool, got int 2"),
        ("text", 3, TypeError, "tests.Everything.text: expected str, got int 3"),
        ("text", "\ud800", UnicodeEncodeError, "surrogates"),
        ("items", ["a"], TypeError, "tests.Everything.items: expected list[i64], got list with str 'a' at [0]"),
        ("items", None, TypeError, "tests.Everything.items: expected list[i64], got None"),
        ("maybe", "a", TypeError, "tests.Everything.maybe: expected optional[i64], got str 'a'"),
        ("point", 3, TypeError, "tests.Everything.point: expected optional[tests.Point], got int 3"),
        ("pair", (1,), TypeError, "tests.Everything.pair: expected tuple[i64, str], got tuple of 1 item"),
    ],
)
def test_refused_values(name, value, kind, message):
    one = Everything()
    before = getattr(one, name)
    with pytest.raises(kind) as caught:
        setattr(one, name, value)
    assert message in str(caught.value)
    assert getattr(one, name) == before


def test_no_other_attributes():
    with pytest.raises(AttributeError):
        Point(1).z = 3
    with pytest.raises(AttributeError, match="fields cannot be deleted"):
        del Point(1).x
    loose = Loose(4)
    loose.c = 7
    assert (loose.b, loose.c, loose.__dict__) == (5, 7, {"b": 5, "c": 7})


def test_keywords_and_what_init_leaves_out():
    one = Keywords(1, a=2, d=5)
    assert (one.a, one.b, one.c, one.d) == (2, 1, 3, 5) and repr(one) == "Keywords(a=2, b=1, d=5)"
    with pytest.raises(TypeError, match="there is no argument 'c'"):
        Keywords(a=1, c=2)


def test_frozen():
    one = Frozen(1, (2, 3))
    assert hash(one) == hash(Frozen(1, (2, 3))) and one in {Frozen(1, (2, 3))}
    with pytest.raises(dataclasses.FrozenInstanceError, match="tests.Frozen.a: it is read-only"):
        one.a = 2
    with pytest.raises(AttributeError):
        one.__init__(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(Point(1))


def test_an_init_of_the_class_goes_on_with_the_one_that_sets_the_fields():
    @jitffi.register_object("tests.classes.Ranged", frozen=True)
    class Ranged:
        low: int
        high: int = 10

        def __init__(self, text):
            self.__jitffi_init__(*map(int, text.split("-")))

        def __post_init__(self):
            assert self.low <= self.high

    assert (Ranged("3-4").high, Ranged("3").high) == (4, 10) and Ranged.__ffi_init__ is Ranged.__jitffi_init__
    with pytest.raises(TypeError, match="tests.classes.Ranged: expected at most 2 positional arguments"):
        Ranged("1-2-3")
    with pytest.raises(AttributeError, match="frozen"):
        Ranged("1").__ffi_init__(1)


def test_init_sets_the_fields_of_an_object_that_lies_in_native_memory():
    one = jitffi.from_json(jitffi.to_json(Keywords(7, a=1)))
    one.__init__(8, a=2)
    assert one == Keywords(8, a=2)


def test_what_is_derived_from_a_frozen_class_has_fields_of_its_own():
    @jitffi.register_object("tests.classes.OfFrozen")
    class Open(Frozen):
        c: int = 0

    @jitffi.register_object("tests.classes.FrozenOfOpen", frozen=True)
    class Closed(Open):
        d: int = 0

    one, closed = Open(1, (2, 3)), Closed(1, (2, 3))
    one.c = 5
    for each, names in ((one, ("a", "b")), (closed, ("a", "b", "c", "d"))):
        for name in names:
            with pytest.raises(dataclasses.FrozenInstanceError, match=f"{name}: it is read-only"):
                setattr(each, name, getattr(each, name))
    assert [field.frozen for field in jitffi.type_info(Open).fields] == [True, True, False]
    assert not jitffi.type_info(Open).frozen and jitffi.type_info(Closed).frozen
    assert hash(closed) == hash(Closed(1, (2, 3)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_inheritance():
    one = Named(3, 4, "n")
    assert one.norm() == 6.0 and isinstance(one, Point) and repr(one) == "Named(x=3.0, y=4.0, name='n')"
    assert jitffi.type_info(Named).parent.key == "tests.Point"
    assert Named(1, 1) != Point(1, 1)

    class Derived(Named):
        __slots__ = ("more",)

        def __init__(self, x):
            super().__init__(x, name="derived")
            self.more = [self]

    two = Derived(5)
    assert (two.x, two.name, two.more[0]) == (5.0, "derived", two)
    with pytest.raises(AttributeError):
        two.other = 1


def test_other_defaults_of_inherited_fields():
    @jitffi.register_object("tests.Defaulted")
    class Defaulted(Named):
        x: jitffi.f64 = 7.0
        name: str = "other"
        more: int

    assert repr(Defaulted(3)) == "Defaulted(x=7.0, y=1.0, name='other', more=3)" and Named(1).name == "none"
    with pytest.raises(TypeError, match="an ancestor's field can get another default"):

        @jitffi.register_object("tests.Defaulted2")
        class Defaulted2(Named):
            x: int = 7


def test_own_constructor():
    assert (Own("4").a, Own("4", twice=True).a, Own("1").b) == (4, 8, 5)
    with pytest.raises(ValueError, match="invalid literal"):
        Own("x")


def test_order_and_equality():
    assert Point(1) < Point(2) <= Point(2) and Point(1, 2) > Point(1, 1) and Point(1) != 1
    assert sorted([Point(3), Point(1), Point(2)])[0].x == 1.0
    with pytest.raises(TypeError):
        Frozen(1) < Frozen(2)  # noqa: B015
    assert jitffi.List([Point(1)]) == [Point(1)] and jitffi.List([Point(1)]) != [Point(2)]


@jitffi.register_object("tests.Folded")
class Folded:
    name: str

    def __eq__(self, other):
        return isinstance(other, Folded) and self.name.lower() == other.name.lower()

    def __hash__(self):
        return hash(self.name.lower())

    def __repr__(self):
        return f"<{self.name}>"


def test_containers_ask_the_class():
    assert jitffi.List([Folded("A")]) == [Folded("a")]
    assert jitffi.Map({Folded("A"): 1})[Folded("a")] == 1
    assert repr(jitffi.List([Folded("A")])) == "List([<A>])"


@jitffi.register_object("tests.Unset")
class Unset:
    n: int
    items: list[int]
    text: str

    def __init__(self):
        """What is not set holds nothing."""


def test_copies():
    one = Everything(items=[1], any=Point(2))
    shallow, deep = copy.copy(one), copy.deepcopy(one)
    assert shallow == one and shallow is not one and shallow.items is one.items and shallow.any is one.any
    assert deep.items == [1] and deep.items is not one.items and deep.any is not one.any and deep.any == Point(2)
    assert pickle.loads(pickle.dumps(one)).any == Point(2)
    assert Point(1, 2).__replace__(y=5) == Point(1, 5) and Frozen(1).__replace__(a=2) == Frozen(2)
    with pytest.raises(TypeError, match="there is no field 'z'"):
        Point(1).__replace__(z=1)
    unset = Unset()
    for made in (copy.copy(unset), copy.deepcopy(unset), pickle.loads(pickle.dumps(unset)), unset.__replace__(n=3)):
        assert made.items is None and made.text is None and made.n in (0, 3)
    for store in (jitffi.to_json, jitffi.to_bytes):
        with pytest.raises(TypeError, match=rf"{store.__name__}: value\[0\]\.items: the field holds nothing"):
            store([unset])
    with pytest.raises(TypeError, match="Unset.items: expected list"):
        unset.__replace__(items=None)
    loose = copy.copy(Loose(1))
    assert loose.b == 2 and pickle.loads(pickle.dumps(loose)).b == 2


@jitffi.register_object("tests.Ring")
class Ring:
    next: "Ring | None" = None


def test_cycles_are_copied_and_shown():
    one = Ring()
    one.next = Ring(one)
    assert repr(one) == "Ring(next=Ring(next=Ring(...)))"
    for made in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert made.next.next is made and made is not one
    one.next = None


def test_a_frozen_field_is_set_by_its_member_alone():
    @jitffi.register_object("tests.classes.Frozen", frozen=True)
    class Frozen:
        x: float

    made = Frozen(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="tests.classes.Frozen.x: it is read-only"):
        made.x = 2.0
    Frozen.x.set(made, 3)
    assert made.x == 3.0 and type(made.x) is float
    with pytest.raises(TypeError, match=r"tests.classes.Frozen.x: expected f64, got str 'a'"):
        Frozen.x.set(made, "a")
    with pytest.raises(TypeError):
        Frozen.x.set(object(), 1)
    assert made.x == 3.0


class Located:
    line: int
    file: str = "-"
    _: dataclasses.KW_ONLY
    column: int = 0


class Typed(jitffi.Object):
    dtype: jitffi.DataType | None = None

    def shown(self):
        return f"{type(self).__name__}:{self.line}"


def test_fields_of_bases_that_are_not_registered():
    class Binary(Point):  # no type of its own
        left: "Point | None" = None

    @jitffi.register_object("tests.classes.Add")
    class Add(Typed, Binary, Located):
        carry: bool = False

    made = Add(1.0, 3, 2.0, left=Point(1), column=4)  # those without defaults first
    assert [each.name for each in jitffi.type_info(Add).fields] == [
        "x", "y", "line", "file", "column", "left", "dtype", "carry",
    ]  # fmt: skip
    assert (made.shown(), made.column, made.left, made.norm()) == ("Add:3", 4, Point(1), 5**0.5)
    assert isinstance(made, Located) and jitffi.type_info(Add).parent.key == "tests.Point"
    with pytest.raises(TypeError, match=r"Add.line: expected i64, got str 'x'"):
        made.line = "x"

    @jitffi.register_object("tests.classes.Increment")
    class Increment(Add):  # whose bases have declared theirs there
        file: str = "again"

    assert len(jitffi.type_info(Increment).fields) == 8 and Increment(1.0, line=2).file == "again"
    assert copy.deepcopy(made) == made and pickle.loads(pickle.dumps(Mixed(5, by=6))) == Mixed(5, by=6)


@jitffi.register_object("tests.classes.Mixed")
class Mixed(Located):
    by: int
