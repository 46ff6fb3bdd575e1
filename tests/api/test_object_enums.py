"""Fields that are members of enumerations: ints, texts or anything to native code, members to Python."""

import copy
import enum
import pickle

import pytest

import jitffi


class Level(enum.IntEnum):
    LOW = 10
    HIGH = 20


class Opcode(enum.StrEnum):
    ADD = "+"
    MUL = "*"


class Colour(enum.Enum):
    RED = (1, 0, 0)


class Side(enum.Enum):
    LEFT = -1
    RIGHT = 1


class Unit(enum.Enum):
    METRE = "m"


class Rights(enum.Flag):
    READ = 1
    WRITE = 2


@jitffi.register_object("tests.enums.Instruction")
class Instruction:
    level: Level
    opcode: Opcode = Opcode.ADD
    colour: Colour | None = None
    maybe: Level | None = None


def test_members_and_what_they_stand_for():
    one = Instruction(20, "*")
    assert one.level is Level.HIGH and one.opcode is Opcode.MUL and one.colour is None
    one.level, one.opcode, one.colour, one.maybe = Level.LOW, Opcode.ADD, Colour.RED, 20
    assert (one.level, one.opcode, one.colour, one.maybe) == (Level.LOW, Opcode.ADD, Colour.RED, Level.HIGH)
    assert one.maybe is Level.HIGH and Instruction(Level.LOW).opcode is Opcode.ADD
    one.maybe = None
    assert one.maybe is None


def test_native_code_sees_ints_and_texts():
    types = [each.type for each in jitffi.type_info(Instruction).fields]
    assert types == ["i64", "str", "any", "optional[i64]"]
    assert repr(Instruction(10)).startswith("Instruction(level=10, opcode='+'")


def test_members_that_are_no_numbers_themselves_stand_for_their_values():
    @jitffi.register_object("tests.enums.Plain")
    class Plain:
        side: Side
        unit: Unit = Unit.METRE
        rights: Rights | None = Rights.READ

    one = Plain(Side.RIGHT)
    assert [each.type for each in jitffi.type_info(Plain).fields] == ["i64", "str", "optional[i64]"]
    assert (one.side, one.unit, one.rights) == (Side.RIGHT, Unit.METRE, Rights.READ)
    one.side, one.rights = -1, Rights.READ | Rights.WRITE
    assert one.side is Side.LEFT and one.rights == Rights(3) and jitffi.from_json(jitffi.to_json(one)) == one
    with pytest.raises(TypeError, match=r"tests\.enums\.Plain\.side: expected a member of Side, got 7"):
        one.side = 7
    with pytest.raises(TypeError, match=r"tests\.enums\.Plain\.side: expected a member of Side, got 7"):
        Plain(7, Unit.METRE, None)
    for made in (copy.deepcopy(one), jitffi.from_bytes(jitffi.to_bytes(one))):
        assert made == one and made.unit is Unit.METRE


@pytest.mark.parametrize(
    ("name", "value"), [("level", 15), ("level", None), ("opcode", "/"), ("colour", 3), ("maybe", "x")]
)
def test_refused(name, value):
    one = Instruction(10)
    before = getattr(one, name)
    with pytest.raises(TypeError, match=rf"tests\.enums\.Instruction\.{name}: expected"):
        setattr(one, name, value)
    assert getattr(one, name) == before


def test_copies():
    one = Instruction(Level.HIGH, colour=Colour.RED)
    for made in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert made == one and made.level is Level.HIGH and made.colour is Colour.RED


def test_parameters_and_results_of_functions():
    seen = []

    @jitffi.function
    def turn(side: Side, level: Level = Level.LOW, unit: Unit | None = None, colour: Colour | None = None) -> Side:
        seen.append((side, level, unit, colour))
        return Side(-side.value)

    assert turn(Side.LEFT) is Side.RIGHT and turn(-1, unit=Unit.METRE, level=20) is Side.RIGHT
    assert turn(Side.RIGHT, Level.HIGH, "m", colour=Colour.RED) is Side.LEFT
    assert seen == [
        (Side.LEFT, Level.LOW, None, None),
        (Side.LEFT, Level.HIGH, Unit.METRE, None),
        (Side.RIGHT, Level.HIGH, Unit.METRE, Colour.RED),
    ]
    native = jitffi.Function(turn)
    assert jitffi.Function.from_packed(native.packed_address, self_handle=native.handle)(1) == -1
    assert [param.type.text for param in native.signature.params[:2]] == ["i64", "i64"]
    with pytest.raises(TypeError, match=r"turn: argument 1 'side': expected i64, got Unit"):
        turn(Unit.METRE)
    with pytest.raises(ValueError, match="7 is not a valid Side"):
        turn(7)
    assert [
        jitffi.convert(Side.LEFT, Side),
        jitffi.convert(Unit.METRE, Unit | None),
        jitffi.convert(None, Unit | None),
    ] == [
        -1,
        "m",
        None,
    ]
    assert jitffi.convert(Colour.RED, Colour) is Colour.RED
