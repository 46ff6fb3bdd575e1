"""The contract of every row of the types: edge values survive native code each way, all else is refused by name."""

from __future__ import annotations

import ctypes
import re
import struct

import numpy
import pytest
from support.adapters import FarEnds, function_at
from support.native import echo_signature, echo_source
from support.values import ALL, WIDE, edges, ids, same

import jitffi
from jitffi.base import config
from jitffi.signature.model import PLAIN_NAMES, TYPES, WIDE_NAMES, Signature, optional
from jitffi.types import table
from jitffi.types.scalar import KINDS
from jitffi.types.table import row

INTEGERS = [f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64, 128)]
FLOATS = ["f16", "bf16", "f32", "f64", "longdouble"]


@pytest.fixture(scope="module")
def ends(build_library):
    types = [*ALL, *WIDE, *map(optional, WIDE)]
    return FarEnds(jitffi.load_library(build_library(echo_source(types), runtime=True)), types)


def echo(ends, type_):
    return ends.library.bind(ends.symbol("echo", type_), echo_signature(type_))


def packed_echo(ends, type_):
    sig = Signature.parse(f"(x: {type_}) -> {type_}")
    return jitffi.Function.from_packed(ends.address("packed_echo"), name="packed_echo", signature=sig)


def rest(sig):
    """Values for the parameters behind the first."""
    return [edges(p.type)[0] for p in sig.params[1:]]


def test_every_type_of_a_signature_has_a_row():
    assert {*PLAIN_NAMES, *WIDE_NAMES, "optional"} <= {*table.names()}
    for type_ in [*ALL, *WIDE]:
        assert row(type_).edge and row(type_).refused, type_


BESIDE_SLOTS = [*ALL, *WIDE, *map(optional, WIDE)]


@pytest.mark.parametrize("type_", BESIDE_SLOTS, ids=ids(BESIDE_SLOTS))
def test_edge_values_come_back_from_c(ends, type_):
    sig = echo_signature(type_)
    kept = function_at("kept", sig, "python", "c", ends.address(ends.symbol("echo", type_)), level=2)
    for call in (echo(ends, type_), kept):
        for value in edges(type_):
            others = rest(sig)
            expected = others[0] if value is None and others else value
            assert same(call(value, *others), expected), value


@pytest.mark.parametrize("type_", ALL, ids=ids(ALL))
def test_edge_values_come_back_from_packed(ends, type_):
    call = packed_echo(ends, type_)
    for value in edges(type_):
        assert same(call(value), value), value


@pytest.mark.parametrize("type_", BESIDE_SLOTS, ids=ids(BESIDE_SLOTS))
def test_edge_values_reach_a_callback_and_come_back(ends, type_):
    sig, seen = echo_signature(type_), []
    call = ends.library.bind(
        ends.symbol("call", type_), f"(func[{sig}], {', '.join(p.type.text for p in sig.params)}) -> {sig.result}"
    )

    def callback(value, *others):
        seen.append(value)
        return others[0] if value is None and others else value

    for value in edges(type_):
        others = rest(sig)
        expected = others[0] if value is None and others else value
        assert same(call(callback, value, *others), expected), value
        assert same(seen.pop(), value), value


WITHOUT_POINTERS = [type_ for type_ in ALL if "func[" not in type_.text]


@pytest.mark.parametrize("type_", WITHOUT_POINTERS, ids=ids(WITHOUT_POINTERS))
def test_every_value_is_right_without_a_signature(type_):
    """Packed by what it is, a value is what the type takes and gives; but a C function pointer is an address."""
    sig = Signature.parse(f"({type_}) -> {type_}")
    function = jitffi.Function(jitffi.function(sig)(lambda value: value))
    call = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    for value in edges(type_):
        assert same(call(value), value), value


# -- refusals ------------------------------------------------------------------------------------------------------


def check_message(caught, where, type_, value):
    """The message is "<where>expected <type>..., got <class> <value>"; a class with a form of its own has a note."""
    error = caught.value
    if isinstance(error, UnicodeEncodeError):
        assert error.__notes__ == [where.removesuffix(": ")]
        return
    inner = type_.inner if type_.is_optional else type_
    name = "None" if value is None else type(value).__name__
    pattern = rf"{re.escape(where)}expected (optional\[)?{re.escape(str(inner))}\]?( .*)?, got (jitffi\.)?{name}\b"
    assert re.match(pattern, str(error)), error
    if isinstance(value, (int, float)) and abs(value) < 1 << 64:
        assert str(error).endswith((repr(value), ")")), error


REFUSED = [(type_, value, error) for type_ in BESIDE_SLOTS for value, error in row(type_).refused]
REFUSED_IDS = [f"{type_.text}-{type(value).__name__}{i}" for i, (type_, value, _) in enumerate(REFUSED)]


@pytest.mark.parametrize(("type_", "value", "error"), REFUSED, ids=REFUSED_IDS)
def test_refused_arguments(ends, type_, value, error):
    sig = echo_signature(type_)
    names = ", ".join(f"p{i}: {p.type}" for i, p in enumerate(sig.params))
    bound = ends.library.bind(ends.symbol("echo", type_), f"({names}) -> {sig.result}")
    with pytest.raises(error) as caught:
        bound(value, *rest(sig))
    check_message(caught, f"{bound.__name__}: argument 1 'p0': ", type_, value)
    if type_ not in ALL:
        return
    with pytest.raises(error) as caught:
        packed_echo(ends, type_)(x=value)
    check_message(caught, "packed_echo: argument 1 'x': ", type_, value)


RESULTS = [(*each, name) for each, name in zip(REFUSED, REFUSED_IDS, strict=True) if each[0] in (*ALL, *WIDE)]


@pytest.mark.parametrize(("type_", "value", "error"), [each[:3] for each in RESULTS], ids=[each[3] for each in RESULTS])
def test_refused_results_of_a_callback(type_, value, error):
    sig = Signature.parse(f"() -> {type_}")
    function = jitffi.Function(jitffi.function(sig, name="giver")(lambda: value))
    calls = [function]
    if type_ in ALL:
        calls.append(jitffi.Function.from_packed(function.packed_address, self_handle=function.handle))
    if not row(type_).c_result_refused:
        calls.append(jitffi.Function.from_native(function.native_address, sig))
    for call in calls:
        with pytest.raises(error) as caught:
            call()
        check_message(caught, "giver: result: ", type_, value)


# -- integers: the drill of CPython's own tests of its conversions ---------------------------------------------------


class Int(int):
    pass


class Index:
    def __init__(self, value):
        self.value = value

    def __index__(self):
        return self.value


class BadIndex:
    def __index__(self):
        return "7"


class RaisingIndex:
    def __index__(self):
        raise KeyError("from __index__")


def limits(name):
    bits = int(name[1:])
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if name[0] == "i" else (0, (1 << bits) - 1)


@pytest.fixture(params=INTEGERS)
def integer(request, ends):
    return request.param, echo(ends, TYPES[request.param])


def test_integers_are_taken_from_whatever_is_one(integer):
    name, call = integer
    low, high = limits(name)
    for value in {low, low + 1, -1, 0, 1, 5, high - 1, high}:
        if low <= value <= high:
            for form in (int, Int, Index, numpy.array([value]).astype(object).item):
                assert call(form(value) if form in (int, Int, Index) else form()) == value
    assert call(True) == 1 and call(False) == 0
    assert type(call(Int(5))) is type(call(True)) is int


def test_integers_beyond_the_range_overflow(integer):
    name, call = integer
    low, high = limits(name)
    for value in (low - 1, high + 1, low - (1 << 64), high + (1 << 64), 1 << 1000):
        for form in (int, Int, Index):
            with pytest.raises(OverflowError, match=rf"expected {name} \({low} to {high}\), got "):
                call(form(value))


@pytest.mark.parametrize("value", [1.0, 1.5, float("nan"), "1", b"1", None, 1j, [], object(), numpy.float64(1), int])
def test_integers_refuse_what_is_none(integer, value):
    name, call = integer
    with pytest.raises(TypeError, match=rf"argument 1: expected {name}, got "):
        call(value)


def test_integers_of_numpy(integer):
    name, call = integer
    low, high = limits(name)
    for kind in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        info = numpy.iinfo(kind)
        for value in (int(info.min), 0, 1, int(info.max)):
            scalar = numpy.array([value], kind)[0]
            if low <= value <= high:
                assert call(scalar) == value
            else:
                with pytest.raises(OverflowError):
                    call(scalar)
    with pytest.raises(TypeError):
        call(numpy.bool_(True))


def test_results_of_c_are_cut_to_their_width(build_library):
    """What lies above a narrow result in its register is nobody's business (System V psABI 3.2.3)."""
    widths = {name: f"{'u' if name[0] == 'u' else ''}int{name[1:]}_t" for name in INTEGERS if int(name[1:]) < 64}
    source = "#include <stdint.h>\n" + "\n".join(
        f"{c} cut_{name}(uint64_t x) {{ return ({c})x; }}\n"
        f"int64_t give_{name}(int64_t (*f)({c}), uint64_t x) {{ return f(({c})x); }}"
        for name, c in widths.items()
    )
    library = jitffi.load_library(build_library(source))
    for name, c in widths.items():
        cut = library.bind(f"cut_{name}", f"(u64) -> {name}")
        give = library.bind(f"give_{name}", f"(func[({name}) -> i64], u64) -> i64")
        for wide in (0x0123456789ABCDEF, 0xFFFFFFFFFFFFFF80, 0x80, 0xFFFFFFFF0000007F, 0x8000, 0x80000000):
            expected = getattr(ctypes, f"c_{c.removesuffix('_t')}")(wide).value
            assert cut(wide) == expected and give(lambda x: x, wide) == expected, name


def test_errors_of_an_index_pass_unchanged(integer):
    _, call = integer
    with pytest.raises(KeyError, match="from __index__"):
        call(RaisingIndex())
    with pytest.raises(TypeError, match="returned non-int|must return an int"):
        call(BadIndex())


# -- floats, truth values, text ------------------------------------------------------------------------------------


@pytest.fixture(params=FLOATS)
def floating(request, ends):
    return request.param, echo(ends, TYPES[request.param])


class Float(float):
    pass


class HasFloat:
    def __float__(self):
        return 1.5


class RaisingFloat:
    def __float__(self):
        raise KeyError("from __float__")


def test_floats_are_taken_from_whatever_is_a_number(floating):
    name, call = floating
    forms = [1.5, Float(1.5), HasFloat(), numpy.float64(1.5), numpy.float32(1.5), numpy.float16(1.5)]
    assert [call(form) for form in forms] == [1.5] * len(forms)
    assert [call(form) for form in (True, 1, Int(1), Index(1), numpy.int8(1), numpy.uint64(1))] == [1.0] * 6
    assert {type(call(form)) for form in (1, Float(1.5), True)} == {float}
    with pytest.raises(KeyError, match="from __float__"):
        call(RaisingFloat())


def test_floats_refuse_what_is_no_real_number(floating):
    name, call = floating
    for value in ("1", b"1", None, 1j, numpy.complex64(1), numpy.str_("1"), [1.0], object()):
        with pytest.raises(TypeError, match=f"argument 1: expected {name}, got "):
            call(value)
    with pytest.raises(OverflowError, match=f"argument 1: expected {name}"):
        call(10**400)


def test_payloads_of_nan_survive(ends):
    for pattern in (0x7FF8000000000001, 0xFFF8DEADBEEF0001, 0x7FFFFFFFFFFFFFFF):
        nan = struct.unpack("d", struct.pack("Q", pattern))[0]
        assert struct.pack("d", echo(ends, TYPES["f64"])(nan)) == struct.pack("Q", pattern)
    narrow = struct.unpack("f", struct.pack("I", 0xFFC12345))[0]
    assert struct.pack("f", echo(ends, TYPES["f32"])(narrow)) == struct.pack("I", 0xFFC12345)


def test_f32_rounds_as_c_does(ends):
    call = echo(ends, TYPES["f32"])
    for value in (0.1, 1e-46, 7e-46, 1 + 2.0**-24, 1 + 3 * 2.0**-24, 3.4028235677973362e38, 16777217):
        assert call(value) == ctypes.c_float(value).value


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_every_half_comes_back(ends, name):
    """All 65536 bit patterns; signalling NaNs come back quiet, as in every conversion of hardware."""
    call = echo(ends, TYPES[name])
    for bits in range(1 << 16):
        if name == "f16":
            value = struct.unpack("e", struct.pack("H", bits))[0]
        else:
            value = struct.unpack("f", struct.pack("I", bits << 16))[0]
        got = call(value)
        assert same(got, value) or value != value and got != got, hex(bits)


def test_halves_round_to_even(ends):
    f16, bf16 = echo(ends, TYPES["f16"]), echo(ends, TYPES["bf16"])
    assert (f16(1 + 2.0**-11), f16(1 + 3 * 2.0**-11), f16(65519.99)) == (1.0, 1 + 2.0**-9, 65504.0)
    assert (bf16(1 + 2.0**-8), bf16(1 + 3 * 2.0**-8)) == (1.0, 1 + 2.0**-6)
    assert same(f16(-(2.0**-26)), -0.0) and same(f16(2.0**-25 * 1.0001), 2.0**-24)


def test_truth_is_told_by_bools_only(ends):
    call = echo(ends, TYPES["bool"])
    assert call(numpy.bool_(True)) is True and call(numpy.bool_(False)) is False
    for value in (numpy.int8(1), numpy.array(True), Int(1), "", Index(1)):
        with pytest.raises(TypeError, match="expected bool, got "):
            call(value)


def test_text_is_taken_from_subclasses(ends):
    class Text(str):
        pass

    for name in ("str", "cstr", "any", "object"):
        for text in ("ascii", "b\u00fccher", "\U0001f600" * 50):
            assert same(echo(ends, TYPES[name])(Text(text)), text)


def test_bytes_are_taken_from_contiguous_buffers(ends):
    call = echo(ends, TYPES["bytes"])
    data = bytes(range(200))
    array = numpy.frombuffer(data, numpy.uint8)
    own = (ctypes.c_ubyte * 200)(*data)
    for buffer in (data, bytearray(data), memoryview(data), array, array.reshape(2, 100), own):
        assert call(buffer) == data
    assert call(bytearray()) == call(memoryview(b"")) == b""
    with pytest.raises(TypeError, match="argument 1: expected bytes, got numpy.ndarray"):
        call(array[::2])
    held = bytearray(b"x" * 100)
    call(held)
    held.append(1)  # the buffer was given back


def test_kinds_are_the_headers():
    """The order that generated code passes to the runtime is the one of the enumeration in runtime.h."""
    header = (config.include_dir() / "jitffi" / "runtime.h").read_text()
    names = re.findall(r"\bJF_KIND_(\w+)\b(?=[,\n])", header)
    assert tuple(name.lower() for name in names) == KINDS
