"""jitffi/signature/text.py: signature texts are read, and what is wrong with one is shown."""

from __future__ import annotations

import copy
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from jitffi import DataType, Device
from jitffi.base.errors import SignatureError
from jitffi.signature.model import KEYWORDS, TYPES, WIDE_NAMES, Param, Signature, Type, func, optional
from jitffi.signature.text import parse, parse_named, parse_type


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("()->void", "() -> void"),
        (" ( i64 , x :f64,\n\t) -> optional [ any ] ", "(i64, x: f64) -> optional[any]"),
        ("(x: f64, y: f64 = 1) -> f64", "(x: f64, y: f64 = 1.0) -> f64"),
        ("(f64=-inf,f64=nan,f64=+.5,f64=1e-5,f64=- inf) -> void", None),
        ("(i64=-0x1F, i64=1_000, i64=0b11, i64=0o17, i64=- 1) -> void",
         "(i64 = -31, i64 = 1000, i64 = 3, i64 = 15, i64 = -1) -> void"),
        ("(i8 = True, bool = False, ptr = None, any = None) -> void",
         "(i8 = 1, bool = False, ptr = None, any = None) -> void"),
        ("(f: func[(i64,)->void], func) -> func[()->func]", "(f: func[(i64) -> void], func) -> func[() -> func]"),
        ("(i64: i64, func: func, match: any) -> void", "(i64: i64, func: func, match: any) -> void"),
        ("(\u00e9t\u00e9: i8, \ufb01: i8) -> i8", "(\u00e9t\u00e9: i8, fi: i8) -> i8"),
        (r"""(str = "it's", bytes = B'\x00\377"', any = b'', str = 'a\
b\t\N{BULLET}\u00e9\U0001F600\101') -> void""", None),
        ("(b: bytes, B: bytes = b'->=') -> bytes", "(b: bytes, B: bytes = b'->=') -> bytes"),
    ],
)  # fmt: skip
def test_texts_are_read(text, canonical):
    sig = parse(text)
    if canonical:
        assert str(sig) == canonical
    assert parse(str(sig)) == sig


def test_literals_mean_what_python_means():
    texts = [r"'\a\b\f\n\r\t\v\\\'\"'", r"'\0\12\377\x7f\u20ac\U0010ffff'", r"b'\xff\0\n'",
             r'"\N{LATIN SMALL LETTER A}"',
             "0x_ff", "1_0.5e+3", "00", ".5", "1.", "1e5", "1E-5", "True", "None", "'\u20ac # , ) -> '"]  # fmt: skip
    for text in texts:
        default = parse(f"(any = {text}) -> void").params[0].default
        assert repr(default) == repr(eval(text)), text


@pytest.mark.parametrize(
    ("text", "name", "sig"),
    [
        ("add: (i64) -> i64", "add", "(i64) -> i64"),
        ("add(i64) -> i64", "add", "(i64) -> i64"),
        (" lambda :()->void", "lambda", "() -> void"),
        ("() -> void", None, "() -> void"),
    ],
)
def test_names_may_come_first(text, name, sig):
    assert parse_named(text) == (name, Signature.parse(sig))


def show(call, text):
    with pytest.raises(SignatureError) as caught:
        call(text)
    return caught.value


@pytest.mark.parametrize(
    ("text", "caret", "message"),
    [
        ("add(i64, f63) -> f64", "f63", "unknown type 'f63'; did you mean 'f64'? known: void, bool, i8"),
        ("(int) -> void", "int", "unknown type 'int'; did you mean 'i64'?"),
        ("(uint8_t) -> void", "uint8_t", "did you mean 'u8'?"),
        ("(float32) -> void", "float32", "did you mean 'f32'?"),
        ("(optinal[i8]) -> void", "optinal", "did you mean 'optional'?"),
        ("(zzzzzzzz) -> void", "zzzzzzzz", "unknown type 'zzzzzzzz'; known: void"),
        ("(x: list[]) -> void", "]", "expected a type, got ']'"),
        ("(x: list[i8, i8]) -> void", "list", r"list[...] takes one type, got 2"),
        ("(x: map[i8]) -> void", "map", "map[...] takes two types, the keys' and the values', got 1"),
        ("(x: map[list, i8]) -> void", "map", "list cannot be the type of a map's keys: it has no hash"),
        ("(x: map[tuple[map], i8]) -> void", "map", "tuple[map] cannot be the type of a map's keys"),
        ("(x: tuple[...]) -> void", "...", "expected a type, got '...'"),
        ("(x: tuple[i8, i8, ...]) -> void", "...", "expected a type, got '...'"),
        ("(x: list[i8, ...]) -> void", "...", "expected a type, got '...'"),
        ("(x: list[cstr]) -> void", "list", "list[...] cannot hold cstr: text in a container is str"),
        ("(x: list[void]) -> void", "list", "list[...] cannot hold void: it has no values"),
        ("(x: list[i8] = None) -> void", "None", "bad default: a parameter of type list[i8] takes no default"),
        ("(str[3]) -> void", "[", "str takes no [...]"),
        ("(optional) -> void", ")", "expected '[' and a type after 'optional'"),
        ("(optional[void]) -> void", "void]", "optional[void] is no type"),
        ("(optional[i8) -> void", ")", "expected ']' to close 'optional[', got ')'"),
        ("(func[i8]) -> void", "i8", "expected '(' and the parameters, got 'i8'"),
        ("(func[() -> i8) -> void", ") -> void", "expected ']' to close 'func['"),
        ("(func[(i8, f63) -> i8]) -> void", "f63", "unknown type 'f63'"),
        ("(i8, void) -> void", "void)", "a parameter cannot be void; no parameters are written ()"),
        ("(x: i8, y: i8, x: i8) -> void", "x: i8) ", "two parameters named 'x'"),
        ("(i8 = 1, y: i8) -> void", "y", "parameter 2 has no default, but parameter 1 before it has"),
        ("(def: i8) -> void", "def", "'def' is a Python keyword"),
        ("(def: i8 = 300) -> void", "def", "'def' is a Python keyword"),
        ("(3: i8) -> void", "3", "'3' is not an identifier"),
        ("(x: i8 = 300) -> void", "300", "bad default: 300 is out of range for i8: -128 to 127"),
        ("(x: i8 = 'a') -> void", "'a'", "bad default: expected i8, got str 'a'"),
        ("(f: func = None) -> void", "None", "bad default: a parameter of type func takes no default"),
        ("(x: i8 = y) -> void", "y", "expected a default, an int, a float"),
        ("(x: f64 = 1e400) -> void", "1e400", "expected a default, an int, a float"),
        ("(x: i8 = 012) -> void", "012", "expected a default"),
        ("(x: i8 = \u0661) -> void", "\u0661", "expected a default"),
        ("(x: i8 = --1) -> void", "--1", "expected a default"),
        ("(x: i8 = 1 2) -> void", "2", "expected ')' or ',' after the parameter, got '2'"),
        ("(x: i8 = ) -> void", ") ->", "expected a default"),
        (r"(str = '\q') -> void", r"\q", r"no such escape: '\\q'"),
        (r"(str = '\x4') -> void", r"\x4'", "no such escape"),
        (r"(bytes = b'\u00e9') -> void", r"\u", "no such escape"),
        (r"(str = '\U00110000') -> void", r"\U00110000", "no such escape"),
        (r"(str = '\N{NO SUCH}') -> void", r"\N{NO SUCH}", "no such escape"),
        ("(bytes = b'\u00e9') -> void", "b'\u00e9'", "bytes take ASCII characters and escapes only"),
        ("(str = 'abc) -> void", "'abc) -> void", "the string is not closed; expected ' at its end"),
        ("(cstr = 'a\\0') -> void", "'a", "bad default: a cstr cannot hold a NUL"),
        ("(i8) void", "void", "expected '->' and the result's type after the parameters, got 'void'"),
        ("(i8) -> i8 garbage", "garbage", "unexpected 'garbage' after the end"),
        ("(i8)) -> i8", ") ->", "expected '->'"),
        ("(,) -> i8", ",", "expected a type, got ','"),
        ("(i8,,i8) -> i8", ",i8", "expected a type, got ','"),
        ("(i8\0) -> i8", "\0", "expected ')' or ',' after the parameter, got '\\x00'"),
        ("i8 -> i8", "->", "expected '(' and the parameters, got '->'"),
        ("int add(int, int)", "add", "C prototypes are read by Signature.from_c"),
        ("9(i8) -> i8", "9", "expected '(' and the parameters, got '9'"),
    ],
)
def test_errors_point_at_the_culprit(text, caret, message):
    error = show(parse_named, text)
    assert message in str(error).split("\n")[0]
    assert (error.column, error.line, error.text) == (text.index(caret), 1, text)
    first, shown, carets = str(error).split("\n")
    assert len(shown) == len(text) and carets.strip("^ ") == "" and carets.index("^") == error.column


@pytest.mark.parametrize(
    "text",
    ["(", "(i8", "(i8,", "(x:", "(x: i8 =", "(x: i8 = -", "(i8)", "(i8) ->", "(i8) -> optional", "(i8) -> optional["]
    + ["(x: optional[i8", "add", "add:"],
)
def test_a_text_that_ends_early_is_shown_to_its_end(text):
    assert show(parse_named, text).column == (len(text) if text[-1] != "-" else len(text) - 1)


def test_a_name_has_no_place_in_a_bare_signature():
    assert "there is no place for a name here" in show(parse, "add: (i64) -> i64").hint
    assert "there is no place for a name here" in show(parse, "add(i64) -> i64").hint


@pytest.mark.parametrize("call", [parse, parse_named, parse_type])
def test_empty_texts_and_other_objects_are_refused(call):
    for text in ("", " \n"):
        assert "the text is empty" in str(show(call, text))
    for value in (None, b"() -> void", 3):
        with pytest.raises(TypeError, match="expected str for a signature"):
            call(value)


@pytest.mark.parametrize("piece", ["optional[func[(", "func[() -> ", "(", "optional[", "func["])
def test_deep_nesting_is_an_error_of_the_signature(piece):
    error = show(parse, "(" + piece * 20_000)
    assert len(str(error)) < 1000


def test_the_deepest_nesting_can_be_read_back():
    text = "func[() -> " * 32 + "void" + "]" * 32
    assert str(parse_type(text)) == text
    assert "nested more than 32 deep" in str(show(parse_type, f"func[() -> {text}]"))


def test_the_issue_is_shown_as_a_user_sees_it():
    assert str(show(parse_named, "add(i64, f63) -> f64")).split("\n")[1:] == ["add(i64, f63) -> f64", "         ^^^"]


def test_errors_show_a_window_of_long_texts():
    text = "(" + "i64, " * 100 + "f63" + ", i64" * 100 + ") -> void"
    _, shown, carets = str(show(parse, text)).split("\n")
    assert shown.startswith("...") and shown.endswith("...") and len(shown) == 106
    assert shown[carets.index("^") : carets.rindex("^") + 1] == "f63"
    _, shown, carets = str(show(parse, text.replace("f63", "i64") + "x" * 200)).split("\n")
    assert shown[carets.index("^")] == "v" and len(shown) == 106


def test_errors_show_one_line_of_many():
    error = show(parse, "(i64,\n\tf63,\r\n i64) -> void")
    assert (error.line, error.column) == (2, 1)
    assert str(error).split("\n")[1:] == [" f63, ", " ^^^"]
    assert str(error).startswith("line 2: unknown type 'f63'")


def test_errors_survive_copy_and_pickle():
    error = show(parse, "(f63) -> void")
    for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
        assert type(other) is SignatureError and str(other) == str(error) and other.column == error.column
    assert isinstance(error, ValueError) and error.hint.startswith("did you mean")


NAMES = st.text(min_size=1, max_size=6).filter(str.isidentifier).filter(lambda s: s not in KEYWORDS) | st.sampled_from(
    "abxy"
)
PLAIN = st.sampled_from([t for t in TYPES.values() if t.name != "void"])
FLOATS = {"f16": 16, "bf16": 16, "f32": 32, "f64": 64}


def defaults(ty):
    if ty.is_optional:
        return st.none() | defaults(ty.inner)
    if ty.name in FLOATS:
        return st.floats(width=FLOATS[ty.name]) | st.integers(-9, 9)
    if ty.name[0] in "iu" and ty.name != "ucs4":
        bits = int(ty.name[1:])
        low, high = (0, 2**bits - 1) if ty.name[0] == "u" else (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
        return st.integers(low, high)
    text = st.text(st.characters(exclude_categories=["Cs"]))
    drawn = {
        "bool": st.booleans(),
        "ptr": st.none() | st.integers(-(2**63), 2**64 - 1),
        "str": text,
        "ucs4": text,
        "dtype": st.builds(DataType, st.integers(0, 255), st.integers(0, 255), st.integers(0, 65535)),
        "device": st.builds(Device, st.integers(-(2**31), 2**31 - 1), st.integers(-(2**31), 2**31 - 1)),
        "cstr": text.map(lambda s: s.replace("\0", "")),
        "bytes": st.binary(),
        "any": st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.floats() | text | st.binary(),
    }
    return drawn.get(ty.name, st.nothing())


@st.composite
def params(draw, types):
    made = []
    for ty in draw(st.lists(types, max_size=4)):
        name = draw(st.none() | NAMES)
        takes_default = (made and made[-1].has_default) or draw(st.booleans())
        if takes_default and not defaults(ty).is_empty:
            p = Param(name, ty, draw(defaults(ty)))
        elif made and made[-1].has_default:
            continue
        else:
            p = Param(name, ty)
        if p.name is None or p.name not in [q.name for q in made]:
            made.append(p)
    return made


def signatures(types):
    results = types.filter(lambda ty: not (ty.is_optional and ty.inner.name in WIDE_NAMES[1:]))
    return st.builds(Signature, params(types), results | st.just(TYPES["void"]))


def container(name, inner):
    """A type of that name with *inner* in it, or *inner* where it cannot be."""
    try:
        if name == "map":
            return Type(name, (TYPES["str"], inner))
        return Type("tuple", (inner, ...)) if name == "tuple..." else Type(name, (inner,))
    except ValueError:
        return inner


TYPE = st.recursive(
    PLAIN,
    lambda inner: (
        signatures(inner).map(func)
        | inner.map(lambda ty: ty if ty.is_optional else optional(ty))
        | st.builds(container, st.sampled_from(("list", "map", "tuple", "tuple...")), inner)
    ),
    max_leaves=6,
)


@settings(max_examples=300, deadline=None)
@given(signatures(TYPE))
def test_signatures_round_trip(sig):
    text = str(sig)
    again = parse(text)
    assert again == sig and str(again) == text and again.types == sig.types
    assert [p.type for p in again.params] == [p.type for p in sig.params]
    assert parse_named(f"name: {text}") == ("name", sig)
    assert parse_type(f"optional[func[{text}]]") is optional(func(sig))


PIECES = [
    "(", ")", "[", "]", ",", ":", "=", "->", "-", " ", "\n", "'", '"', "b'", "\\", "\0", "{", "}", "...", "\\N{", "\\x",
    "1", "1.5", "-1", "0x", "1e5", "inf", "nan", "None", "True", "optional", "func", "void", "i64", "f64", "str",
    "list", "map", "tuple[", "x", "lambda", "\u00e9", "\u00b2", "\ud800",
]  # fmt: skip


@settings(max_examples=1000, deadline=None)
@given(st.text(max_size=40) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_any_text_is_read_or_refused(text):
    for call in (parse, parse_named, parse_type):
        try:
            result = call(text)
        except SignatureError as error:
            str(error).encode()  # what is shown can be printed
            assert 0 <= error.column <= len(text) and error.text in (text, "")
        else:
            assert call is parse_named or call(str(result)) == result


@settings(max_examples=500, deadline=None)
@given(signatures(TYPE), st.data())
def test_a_damaged_text_is_read_or_refused(sig, data):
    text = str(sig)
    at = data.draw(st.integers(0, len(text)))
    length = data.draw(st.integers(0, 3))
    damaged = text[:at] + data.draw(st.sampled_from(["", *PIECES])) + text[at + length :]
    try:
        result = parse(damaged)
    except SignatureError as error:
        str(error).encode()
    else:
        assert parse(str(result)) == result
