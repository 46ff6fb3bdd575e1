"""Enumerations that C++ declares, in Python, and Python's members in C++."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import ClassVar

import pytest
from support.cxx import compiled

import jitffi


@pytest.fixture(scope="module")
def module(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "enumeration.cxx"
    made = compiled(source, tmp_path_factory.mktemp("enumeration") / "enumeration.so", "-shared", "-fPIC")
    return jitffi.load_module(str(made))


def test_members_of_a_native_enumeration(module):
    unit = jitffi.type_info("tests.cxx.Unit").cls
    jitffi.register_global_func("tests.cxx.member", lambda name: unit[name], override=True)
    assert [(each.name, each.value, each.grams) for each in unit] == [("GRAM", 0, 1.0), ("KILO", 1, 1000.0)]
    assert unit(1) is unit.KILO is unit["KILO"] is module.kilo() is copy.deepcopy(unit.KILO) and unit.KILO.is_large()
    assert issubclass(unit, jitffi.Enum) and repr(unit.KILO) == "Unit.KILO" and module.grams(unit.KILO) == 1000
    assert jitffi.from_json(jitffi.to_json(unit.KILO)) is unit.KILO
    assert jitffi.from_bytes(jitffi.to_bytes([unit.KILO]))[0] is unit.KILO is pickle.loads(pickle.dumps(unit.KILO))
    with pytest.raises(ValueError, match="has no member 'TON'"):
        jitffi.from_json(jitffi.to_json(unit.KILO).replace("KILO", "TON"))
    with pytest.raises(AttributeError):
        unit.KILO.grams = 3
    jitffi.remove_global_func("tests.cxx.member")


def test_a_class_in_python_adds_to_it(module):
    @jitffi.register_object("tests.cxx.Sign")
    class Sign(jitffi.Enum):
        PLUS: ClassVar[Sign]
        value: int | str  # told again, for who reads it

        def opposite(self):
            return Sign("-" if self is Sign.PLUS else "+")

    assert Sign.PLUS.opposite() is Sign.MINUS and Sign("+") is Sign.PLUS and len(Sign) == 2
    with pytest.raises(ValueError, match="has no member 'TIMES'"):
        jitffi.register_object("tests.cxx.Sign")(type("Sign", (jitffi.Enum,), {"TIMES": jitffi.member()}))


def test_members_of_python_in_native_code(module):
    @jitffi.register_object("tests.cxx.Level")
    class Level(jitffi.IntEnum):
        LOW = 1

    assert module.name_of(Level.LOW) == "LOW"
