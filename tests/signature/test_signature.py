"""jitffi/signature/model.py: types, parameters and signatures as values."""

from __future__ import annotations

import copy
import keyword
import pickle
import subprocess
import sys

import pytest
from support.bare import PRELUDE

from jitffi.signature import model
from jitffi.signature.defaults import convert
from jitffi.signature.model import NO_DEFAULT, TYPES, Param, Signature, Type, func, optional
from jitffi.signature.parameters import find_fault
from jitffi.signature.text import parse, parse_type

SIG = parse("(a: i64, f: func[(x: f64 = 1) -> void], optional[cstr] = None) -> optional[func[() -> any]]")

# Without site-packages nothing is loaded that we did not ask for; the package itself must be found all the same.


def test_types_stand_in_the_order_of_the_specification():
    order = "void bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 ptr cstr str ucs4 bytes"
    order += " dtype device func module any object list map tuple set longdouble i128 u128 c64 c128"
    assert " ".join(TYPES).startswith(order)  # others come with their rows


@pytest.mark.parametrize(
    "text",
    [
        *TYPES,
        "optional[i64]",
        "optional[any]",
        "func[(i64, x: f64 = -0.0) -> void]",
        "list[i64]",
        "map[str, list[optional[any]]]",
        "tuple[i8, str]",
        "tuple[optional[tuple[i8]], ...]",
    ],
)
def test_equal_types_are_one_object(text):
    ty = parse_type(text)
    assert str(ty) == ty.text == text
    assert parse_type(text) is ty
    assert Type(ty.name, ty.args) is ty
    assert eval(repr(ty), {"Type": Type, "Signature": Signature}) is ty
    for copied in (copy.copy(ty), copy.deepcopy(ty), *(pickle.loads(pickle.dumps(ty, v)) for v in range(6))):
        assert copied is ty


def test_pickled_types_are_the_same_in_another_process():
    script = (
        "import pickle, sys; t = pickle.load(sys.stdin.buffer); t.args[0]; print(pickle.loads(pickle.dumps(t)) is t, t)"
    )
    ran = subprocess.run([sys.executable, "-c", script], input=pickle.dumps(optional(func(SIG))), capture_output=True)
    assert ran.stdout.decode().strip() == f"True optional[func[{SIG}]]", ran.stderr.decode()


def test_type_properties():
    ty = optional(func(SIG))
    assert ty.is_optional and ty.inner is func(SIG)
    assert ty.inner.signature is SIG or ty.inner.signature == SIG
    assert ty.signature is None and TYPES["func"].signature is None and not TYPES["i8"].is_optional
    with pytest.raises(TypeError, match="i8 is not optional"):
        _ = TYPES["i8"].inner


def test_none_makes_a_type_optional():
    assert TYPES["i32"] | None is optional(TYPES["i32"])
    assert None | TYPES["i32"] is optional(TYPES["i32"])
    with pytest.raises(TypeError):
        TYPES["i32"] | 1


@pytest.mark.parametrize(
    ("name", "args", "error", "message"),
    [
        ("i63", (), ValueError, "unknown type name 'i63'"),
        ("optional", (), TypeError, "optional takes one type"),
        ("optional", ("i64",), TypeError, "optional takes one type, got"),
        ("optional", (TYPES["void"],), ValueError, "void can have no None"),
        ("optional", (optional(TYPES["i8"]),), ValueError, r"optional\[optional\[i8\]\] is no type"),
        ("func", (TYPES["i8"],), TypeError, "func takes one signature"),
        ("i64", (TYPES["i8"],), TypeError, "i64 takes no arguments"),
        ("list", (TYPES["i8"], TYPES["i8"]), TypeError, "list takes one type, got"),
        ("list", (TYPES["i8"], ...), TypeError, "list takes one type, got"),
        ("map", (TYPES["i8"],), TypeError, "map takes two types, the keys' and the values'"),
        ("tuple", (...,), TypeError, "tuple takes types, or one and ..., got"),
        ("map", (TYPES["list"], TYPES["i8"]), ValueError, "list cannot be the type of a map's keys: it has no hash"),
        ("list", (TYPES["void"],), ValueError, r"list\[...\] cannot hold void: it has no values"),
    ],
)
def test_what_is_no_type_is_refused(name, args, error, message):
    with pytest.raises(error, match=message):
        Type(name, args)


def test_nesting_has_a_limit():
    ty = TYPES["func"]
    with pytest.raises(ValueError, match="nested more than 32 deep"):
        for _ in range(40):
            ty = func(Signature([Param(None, ty)], TYPES["void"]))
    assert ty.depth == 32
    assert parse_type(str(ty)) is ty


@pytest.mark.parametrize("value", [TYPES["i8"], SIG.params[0], SIG], ids=["Type", "Param", "Signature"])
def test_values_are_immutable(value):
    for name in (*type(value).__slots__, "other"):
        with pytest.raises(AttributeError, match=f"immutable: cannot set '{name}'"):
            setattr(value, name, None)
        with pytest.raises(AttributeError, match=f"immutable: cannot delete '{name}'"):
            delattr(value, name)
    assert not hasattr(value, "__dict__")


@pytest.mark.parametrize("value", [SIG, *SIG.params, NO_DEFAULT, parse("(x: f64 = nan) -> void")])
def test_values_survive_copy_and_pickle(value):
    for copied in (copy.copy(value), copy.deepcopy(value), *(pickle.loads(pickle.dumps(value, v)) for v in range(6))):
        assert copied == value and hash(copied) == hash(value) and repr(copied) == repr(value)
        assert (value is NO_DEFAULT) == (copied is NO_DEFAULT)


def test_a_signature_is_its_text():
    assert Signature.parse(str(SIG)) == SIG
    assert eval(repr(SIG)) == SIG
    assert {SIG: 1}[parse(str(SIG))] == 1
    assert str(SIG) != SIG and SIG.params[0] != "a: i64"
    # Equal to Python, but not the same default.
    assert parse("(f64 = 0.0) -> void") != parse("(f64 = -0.0) -> void")
    assert parse("(any = 1) -> void") != parse("(any = True) -> void")
    assert parse("(f64 = nan) -> void") == parse("(f64 = nan) -> void")


def test_types_are_what_machine_code_depends_on():
    one = parse("(x: f64, g: optional[func[(a: i64 = 1) -> void]] = None) -> f64")
    assert one.types == "(f64, optional[func[(i64) -> void]]) -> f64"
    assert parse("() -> func[(n: i8) -> void]").types == "() -> func[(i8) -> void]"
    assert parse(one.types).types == one.types


def test_required_parameters_are_counted():
    assert parse("() -> void").num_required == 0
    assert parse("(i8, x: i8, y: i8 = 1, z: i8 = 2) -> void").num_required == 2


def test_signatures_refuse_what_python_would():
    i8 = TYPES["i8"]
    with pytest.raises(ValueError, match="two parameters named 'x'"):
        Signature([Param("x", i8), Param("x", i8)], i8)
    with pytest.raises(ValueError, match="parameter 2 has no default"):
        Signature([Param(None, i8, 1), Param("x", i8)], i8)
    with pytest.raises(TypeError, match="expected a Param"):
        Signature([i8], i8)
    with pytest.raises(TypeError, match="expected a Type for the result"):
        Signature([], None)
    assert find_fault((Param(None, i8), Param(None, i8, 3))) is None


def test_parameters_refuse_what_python_would():
    i8 = TYPES["i8"]
    for name in ("", "1", "a b", "a.b", "def", "None", "\u00b2"):
        with pytest.raises(ValueError, match="is not an identifier|is a Python keyword"):
            Param(name, i8)
    assert Param("match", i8).name == "match"
    assert Param("\ufb01", i8).name == "fi"  # as Python itself stores it
    with pytest.raises(ValueError, match="'if' is a Python keyword"):
        Param("\U0001d422\U0001d41f", i8)
    with pytest.raises(ValueError, match="cannot be void"):
        Param("x", TYPES["void"])
    with pytest.raises(TypeError, match="expected a Type"):
        Param("x", "i8")
    with pytest.raises(TypeError, match="expected str"):
        Param(1, i8)


def test_keywords_are_pythons():
    assert set(keyword.kwlist) == model.KEYWORDS


class Index:
    def __index__(self):
        return 7


INF = float("inf")


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("i8", -128, -128),
        ("i8", True, 1),
        ("i64", Index(), 7),
        ("u64", 2**64 - 1, 2**64 - 1),
        ("ptr", -(2**63), -(2**63)),
        ("ptr", None, None),
        ("any", None, None),
        ("any", b"x", b"x"),
        ("bool", False, False),
        ("f64", 3, 3.0),
        ("f64", 1.7976931348623157e308, 1.7976931348623157e308),
        ("f16", 65519.0, 65519.0),
        ("f32", 3.4028235e38, 3.4028235e38),
        ("bf16", -INF, -INF),
        ("cstr", "\u00e9", "\u00e9"),
        ("str", "a\0b", "a\0b"),
        ("tuple", (), ()),
        ("tuple[str, ...]", (), ()),
        ("optional[list[i64]]", None, None),
        ("bytes", b"\0", b"\0"),
        ("optional[i8]", None, None),
        ("optional[i8]", 5, 5),
        ("optional[func[() -> void]]", None, None),
        ("optional[object]", None, None),
    ],
)
def test_defaults_are_normalised(text, value, expected):
    result = convert(parse_type(text), value)
    assert result == expected and type(result) is type(expected)
    param = Param("x", parse_type(text), value)
    assert parse(f"({param}) -> void").params == (param,)


@pytest.mark.parametrize(
    ("text", "value", "error", "message"),
    [
        ("i8", 128, OverflowError, "128 is out of range for i8: -128 to 127"),
        ("u8", -1, OverflowError, "-1 is out of range for u8: 0 to 255"),
        ("any", 2**64, OverflowError, "out of range for any"),
        ("ptr", 10**3000, OverflowError, "an int of 9966 bits is out of range"),
        ("f16", 65520, OverflowError, "65520 is out of range for f16"),
        ("bf16", 3.4e38, OverflowError, "out of range for bf16"),
        ("f32", 1e39, OverflowError, "out of range for f32"),
        ("f64", 10**400, OverflowError, "an int of 1329 bits is out of range for f64"),
        ("i8", 1.0, TypeError, "expected i8, got float 1.0"),
        ("i8", "1", TypeError, "expected i8, got str '1'"),
        ("i8", None, TypeError, "expected i8, got None"),
        ("i8", int, TypeError, "expected i8, got type"),
        ("f64", "1", TypeError, "expected f64, got str '1'"),
        ("f64", 1j, TypeError, "expected f64, got complex 1j"),
        ("bool", 1, TypeError, "expected bool, got int 1"),
        ("str", b"", TypeError, "expected str, got bytes b''"),
        ("bytes", "", TypeError, "expected bytes, got str ''"),
        ("cstr", "a\0", ValueError, "cannot hold a NUL"),
        ("str", "\udc80", ValueError, "lone surrogate"),
        ("func", 1, TypeError, "a parameter of type func takes no default"),
        ("object", None, TypeError, "a parameter of type object takes no default"),
        ("list", None, TypeError, "a parameter of type list takes no default"),
        ("list[i64]", [], TypeError, r"a parameter of type list\[i64\] takes no \[\] as default, which every call"),
        ("tuple[i8]", (), TypeError, r"a parameter of type tuple\[i8\] takes no default"),
        ("tuple", (1,), TypeError, "a parameter of type tuple takes no default"),
        ("map", {}, TypeError, r"a parameter of type map takes no \{\} as default, which every call would share"),
        ("any", [], TypeError, r"expected None, bool, int, float, str or bytes, got list \[\]"),
        ("str", 7 * 10**60, TypeError, "expected str, got an int of 203 bits"),
    ],
)
def test_defaults_are_checked(text, value, error, message):
    with pytest.raises(error, match=message):
        Param("x", parse_type(text), value)


def test_nothing_heavy_is_imported():
    script = (
        PRELUDE + "import jitffi.base.errors, jitffi.signature.model, jitffi.signature.text as t\n"
        "t.parse('(x: f64, s: str = \"a\\\\n\") -> optional[func[(i64) -> void]]')\n"
        "print(*(m for m in set(sys.modules) - before if not m.startswith('jitffi')))"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True)
    loaded = set(ran.stdout.split())
    heavy = (
        "re typing dataclasses inspect enum functools collections difflib ctypes ast numpy pycparser llvmlite keyword"
    )
    assert ran.returncode == 0 and not loaded & set(heavy.split()), ran.stderr + ran.stdout
