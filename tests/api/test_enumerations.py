"""Enumerations whose members are objects, declared in Python."""

import copy
import enum
import pickle
import re
from typing import ClassVar

import pytest

import jitffi


@jitffi.register_object("tests.enumerations.Op")
class Op(jitffi.Enum):
    arity: int = 2
    names: list[str] = jitffi.field(default_factory=list)

    ADD = jitffi.member()
    NEG = jitffi.member(1, ["minus"])
    NOOP: ClassVar["Op"]

    def is_unary(self):
        return self.arity == 1


@jitffi.register_object("tests.enumerations.Level")
class Level(jitffi.IntEnum):
    LOW = -(1 << 63)
    HIGH = 20
    BEST = enum.auto()
    TOP = 20


@jitffi.register_object("tests.enumerations.Space")
class Space(jitffi.StrEnum):
    SHARED = "smem"
    GLOBAL = jitffi.member(value="gmem")


@jitffi.register_object("tests.enumerations.Place")
class Place:
    level: Level
    space: Space | None = Space.SHARED
    ops: list[Op] = jitffi.field(default_factory=list)


def test_members():
    assert list(Op) == [Op.NOOP, Op.ADD, Op.NEG] and len(Op) == 3 and Op.NEG in Op
    assert [(each.name, each.value, each.arity) for each in Op] == [("NOOP", 0, 2), ("ADD", 1, 2), ("NEG", 2, 1)]
    assert Op["NEG"] is Op(2) is Op(Op.NEG) is Op.get("NEG") is Op.get(2) is Op.NEG and Op.NEG.is_unary()
    assert isinstance(Op.ADD, Op) and isinstance(Op.ADD, jitffi.Enum) and bool(Op)
    assert repr(Op.NEG) == "Op.NEG" and repr(jitffi.List([Op.NEG])) == "List([Op.NEG])"
    assert Op.ADD != Op.NEG and Op.ADD != 0 and {Op.ADD: 1}[Op.ADD] == 1


def test_members_are_equal_to_their_values():
    assert Level.HIGH == 20 and Level.HIGH != 3 and hash(Level.HIGH) == hash(20)
    assert Level.LOW < Level.HIGH <= Level.BEST and Level.BEST.value == 21
    assert Level.TOP is Level.HIGH and list(Level) == [Level.LOW, Level.HIGH, Level.BEST] and Level["TOP"] is Level.HIGH
    assert Level("BEST") is Level.BEST and Op("NEG") is Op.NEG
    assert Space.GLOBAL == "gmem" and str(Space.GLOBAL) == "gmem" and Space("smem") is Space.SHARED
    assert jitffi.Map({Space.GLOBAL: 1})[Space.GLOBAL] == 1 and range(30)[Level.HIGH] == 20


def test_a_member_is_itself_wherever_it_comes_from():
    for each in (Op.NEG, Level.LOW, Space.GLOBAL):
        assert copy.copy(each) is copy.deepcopy([each])[0] is each
        assert pickle.loads(pickle.dumps(each)) is each
        assert jitffi.from_json(jitffi.to_json(each)) is each
        assert jitffi.from_bytes(jitffi.to_bytes(jitffi.List([each, each])))[1] is each
    place = Place(20, "gmem", [Op.ADD, Op.NOOP])
    read = jitffi.from_json(jitffi.to_json(place)), jitffi.from_bytes(jitffi.to_bytes(place))
    for made in (*read, copy.deepcopy(place)):
        assert made.level is Level.HIGH and made.space is Space.GLOBAL and made.ops[1] is Op.NOOP
        assert jitffi.structural_equal(made, place)


def test_fields_take_members_and_values():
    place = Place(Level.LOW)
    assert place.space is Space.SHARED
    place.level, place.space = 21, None
    assert place.level is Level.BEST and place.space is None
    with pytest.raises(TypeError, match=r"Place\.level: expected a member of .*Level, got 5"):
        place.level = 5
    assert place.level is Level.BEST


def test_what_is_refused():
    unknown = (lambda: Op(9), lambda: Op("SUB"), lambda: Space("SHARED"))
    for wrong, error in (
        *((each, ValueError) for each in unknown),
        (lambda: Op["SUB"], KeyError),
        (lambda: Op.get("SUB"), KeyError),
        (lambda: Level(1 << 63), OverflowError),
    ):
        with pytest.raises(error):
            wrong()
    with pytest.raises(TypeError, match=r"Op: expected the value of a member, by position, got \(1, name='ADD'\)"):
        Op(1, name="ADD")
    with pytest.raises(AttributeError, match="read-only"):
        Op.ADD.arity = 3
    with pytest.raises(TypeError, match="is no enumeration"):
        iter(Place)
    with pytest.raises(AttributeError, match="cannot delete member 'ADD'"):
        del Op.ADD
    with pytest.raises(AttributeError, match="cannot reassign member 'ADD'"):
        Op.ADD = Op.NEG
    assert Op.ADD.arity == 2 and bool(Place)


@pytest.mark.parametrize(
    ("base", "body", "error"),
    [
        (jitffi.IntEnum, {"BAD": "text"}, TypeError),
        (jitffi.StrEnum, {"BAD": 1}, TypeError),
        (jitffi.IntEnum, {"BAD": 1 << 63}, OverflowError),
        (jitffi.Enum, {"BAD": jitffi.member(1)}, TypeError),
        (jitffi.Enum, {"BAD": jitffi.member(colour=1)}, TypeError),
        (jitffi.Enum, {"BAD": jitffi.member(name="x")}, TypeError),
        (jitffi.Enum, {"__annotations__": {"arity": int}, "BAD": jitffi.member()}, TypeError),
    ],
)
def test_what_no_member_is(base, body, error, request):
    key = f"tests.enumerations.{request.node.callspec.id}"
    with pytest.raises(error, match=rf"{re.escape(key)}\.BAD: "):
        jitffi.register_object(key)(type("Bad", (base,), body))


def test_attributes_beside_the_fields():
    cost = Op.attribute("cost", default=-1)
    assert cost[Op.ADD] == -1 and Op.ADD not in cost and cost.get(Op.ADD) is None
    cost[Op.ADD] = 7
    assert cost[Op.ADD] == 7 and Op.ADD in cost and Op.attribute("cost")[Op.ADD] == 7
    with pytest.raises(KeyError):
        Op.attribute("none")[Op.ADD]
    with pytest.raises(TypeError, match="expected a member"):
        cost[Level.HIGH] = 1


def test_a_class_that_is_declared_again_has_the_same_members():
    before = Op.NEG
    again = type("Op", (jitffi.Enum,), {**_OP, "NEG": jitffi.member(1, ["negative"]), "SUB": jitffi.member()})
    assert jitffi.register_object("tests.enumerations.Op")(again) is Op
    assert Op.NEG is before and list(before.names) == ["negative"] and Op.SUB.value == 3


_OP = {
    "__annotations__": {"arity": int, "names": list[str]},
    "arity": 2,
    "names": jitffi.field(default_factory=list),
    "ADD": jitffi.member(),
    "NOOP": jitffi.member(),
}


def test_files_name_members():
    text = jitffi.to_json(Op.NEG)
    assert '"name": "NEG"' in text and "names" not in text
    with pytest.raises(ValueError, match="has no member 'GONE'"):
        jitffi.from_json(text.replace("NEG", "GONE"))
    with pytest.raises(ValueError, match="expected the name of a member"):
        jitffi.from_json(text.replace('"NEG"', "3"))
    with pytest.raises(ValueError, match="has no member 'NEX'"):
        jitffi.from_bytes(jitffi.to_bytes(Op.NEG).replace(b"NEG", b"NEX"))
    assert list(Op) and Op.NEG.name == "NEG"


def test_native_code_finds_members():
    methods = {each.name: each.function for each in jitffi.type_info(Op).methods}
    assert methods["__member__"]("ADD") is Op.ADD and methods["__members__"]()[2] is Op.NEG
    add = jitffi.function("(tests.enumerations.Op) -> str")(lambda op: op.name)
    assert add(Op.NOOP) == "NOOP"


@jitffi.register_object("tests.enumerations.Suffix")
class Suffix(jitffi.StrEnum):
    SHORT = "h"
    LONG = "a suffix that does not lie in a slot"


@jitffi.register_object("tests.enumerations.Named")
class Named:
    text: str
    texts: list[str]


def test_members_with_texts_are_these_texts_where_text_is_asked_for():
    for member in Suffix:
        for type_ in ("str", "cstr", "ucs4", "optional[str]", "i64 | str"):
            assert type(jitffi.convert(member, type_)) is str and jitffi.convert(member, type_) == member.value
        assert (
            jitffi.convert(member, "any") is member
            and jitffi.convert(member, "str | tests.enumerations.Suffix") is member
        )
        assert jitffi.convert([member, "x"], list[str]) == [member.value, "x"] and jitffi.List([member])[0] is member
        assert jitffi.convert({member: 1}, "map[str, i64]") == {member.value: 1}
        assert Named(member, [member]) == Named(member.value, [member.value])
    with pytest.raises(TypeError, match=r"expected list\[bytes\], got list with Suffix at \[0\]"):
        jitffi.convert([Suffix.SHORT], list[bytes])
