"""Every scalar type through C functions that a C compiler built: as argument and result, 0 to 20 of them, and back.

The C functions write down what they were given, byte for byte, so that what arrived is compared and not what came back.
"""

from __future__ import annotations

import ctypes
import math
import random
import struct

import pytest

import jitffi

INF, NAN = math.inf, math.nan
#: C's name, struct's letter, and values at the edges.
SCALARS = {
    "bool": ("_Bool", "?", [True, False]),
    "i8": ("int8_t", "b", [0, 1, -1, 127, -128]),
    "i16": ("int16_t", "h", [0, 1, -1, 2**15 - 1, -(2**15)]),
    "i32": ("int32_t", "i", [0, 1, -1, 2**31 - 1, -(2**31)]),
    "i64": ("int64_t", "q", [0, 1, -1, 2**63 - 1, -(2**63), 2**31, -(2**31) - 1]),
    "u8": ("uint8_t", "B", [0, 1, 255, 128]),
    "u16": ("uint16_t", "H", [0, 1, 2**16 - 1, 2**15]),
    "u32": ("uint32_t", "I", [0, 1, 2**32 - 1, 2**31]),
    "u64": ("uint64_t", "Q", [0, 1, 2**64 - 1, 2**63]),
    "f32": ("float", "f", [0.0, -0.0, 1.5, INF, -INF, NAN, 3.4028234663852886e38, 1e-45]),
    "f64": ("double", "d", [0.0, -0.0, 1.5, INF, -INF, NAN, 1.7976931348623157e308, 5e-324]),
    "ptr": ("void*", "Q", [None, 1, 2**64 - 1, 2**47]),
}
INTS = {name: row for name, row in SCALARS.items() if name[0] in "iu"}
MOST = 20


def raw(name: str, value) -> bytes:
    return struct.pack("<" + SCALARS[name][1], 0 if value is None else value)


HEAD = """
#include <stdint.h>
#include <string.h>
static char seen[1024];
static size_t at;
void* notes(void) { return seen; }
int64_t optional(const int8_t* a, const double* b, const _Bool* c) {
  return (a ? *a : 1000) + (b ? (int64_t)*b : 2000) + (c ? *c : 4000);
}
int64_t digits(int32_t a, int32_t b, int32_t c) { return a + 10 * b + 100 * c; }
"""
C = {name: row[0] for name, row in SCALARS.items()} | {"void": "void"}
#: Orders of types that fill both kinds of registers and go on, on the stack, with narrow ones between wide ones.
MIXES = {f"mixed{seed}": random.Random(seed).choices(list(SCALARS), k=MOST) for seed in range(12)} | {
    "alternating": ["i64", "f64"] * 10,
    "floats_then_ints": ["f64"] * 10 + ["i64"] * 10,
    "narrow_on_the_stack": ["i64"] * 6 + ["f64"] * 8 + ["i8", "f32", "u8", "bool", "i16", "f32"],
    "single_and_double": ["f32", "f64"] * 10,
    "last_register": ["i64"] * 5 + ["i8", "i8", "i8"] + ["f32"] * 7 + ["f32", "f32"],
}


def take(name: str, types: list[str], result: str) -> str:
    """C: write the arguments down and return the last one."""
    params = ", ".join(f"{C[t]} a{i}" for i, t in enumerate(types)) or "void"
    writes = "".join(f" memcpy(seen + at, &a{i}, sizeof a{i}); at += sizeof a{i};" for i in range(len(types)))
    last = f"a{len(types) - 1}" if result != "void" else ""
    return f"{C[result]} {name}({params}) {{ at = 0;{writes} return {last}; }}\n"


def give(name: str, types: list[str]) -> str:
    """C: call back with what is written down and return what comes back, of the first one's type."""
    reads = [f" {C[t]} a{i}; memcpy(&a{i}, seen + at, sizeof a{i}); at += sizeof a{i};" for i, t in enumerate(types)]
    params, args = ", ".join(C[t] for t in types), ", ".join(f"a{i}" for i in range(len(types)))
    return f"{C[types[0]]} {name}({C[types[0]]} (*f)({params})) {{ at = 0;{''.join(reads)} return f({args}); }}\n"


def through(name: str, t: str) -> str:
    """C: call back with the second argument."""
    return f"{C[t]} {name}({C[t]} (*f)({C[t]}), {C[t]} x) {{ return f(x); }}\n"


def add(name: str, t: str) -> str:
    return f"{C[t]} {name}({C[t]} a, {C[t]} b) {{ return a + b; }}\n"


@pytest.fixture(scope="module")
def lib(build_library):
    parts = [HEAD]
    for name in SCALARS:
        parts += [take(f"echo_{name}", [name], name), through(f"through_{name}", name)]
        parts += [take(f"take_{name}_{n}", [name] * n, "void") for n in range(MOST + 1)]
    for name, types in MIXES.items():
        parts += [take(name, types, types[-1]), give(f"give_{name}", types)]
    parts += [add(f"add_{name}", name) for name in INTS]
    return jitffi.load_library(build_library("".join(parts)))


@pytest.fixture(scope="module")
def notes(lib):
    """What the last C function wrote down."""
    return (ctypes.c_char * 1024).from_address(lib.bind("notes", "() -> ptr")())


def signature(types: list[str], result: str = "void") -> str:
    return f"({', '.join(types)}) -> {result}"


def same(name: str, got, wanted) -> bool:
    return type(got) is type(wanted) and raw(name, got) == raw(name, wanted)


@pytest.mark.parametrize("name", SCALARS)
def test_edge_values_go_and_come_back(lib, notes, name):
    echo = lib.bind(f"echo_{name}", signature([name], name))
    for value in SCALARS[name][2]:
        got = echo(value)
        assert notes.raw.startswith(raw(name, value)), value
        assert same(name, got, value), (value, got)


@pytest.mark.parametrize("name", SCALARS)
@pytest.mark.parametrize("count", range(MOST + 1))
def test_up_to_twenty_arguments(lib, notes, name, count):
    edges = SCALARS[name][2]
    function = lib.bind(f"take_{name}_{count}", signature([name] * count))
    for shift in range(len(edges)):
        values = [edges[(i + shift) % len(edges)] for i in range(count)]
        assert function(*values) is None
        assert notes.raw.startswith(b"".join(raw(name, value) for value in values)), values
    for wrong in ([0] * (count + 1), [0] * (count - 1) if count else [0]):
        with pytest.raises(
            TypeError, match=f"take_{name}_{count}: expected {count or 'no'} argument.*, got {len(wrong)}"
        ):
            function(*wrong)


@pytest.mark.parametrize("mix", MIXES)
def test_mixed_arguments_beyond_the_registers(lib, notes, mix):
    types = MIXES[mix]
    function = lib.bind(mix, signature(types, types[-1]))
    for shift in range(8):
        values = [SCALARS[t][2][(i + shift) % len(SCALARS[t][2])] for i, t in enumerate(types)]
        got = function(*values)
        assert notes.raw.startswith(b"".join(map(raw, types, values))), values
        assert same(types[-1], got, values[-1])


@pytest.mark.parametrize("mix", MIXES)
def test_mixed_arguments_of_a_callback(lib, notes, mix):
    types = MIXES[mix]
    function = lib.bind(f"give_{mix}", f"(func[{signature(types, types[0])}]) -> {types[0]}")
    for shift in range(8):
        values = [SCALARS[t][2][(i + shift) % len(SCALARS[t][2])] for i, t in enumerate(types)]
        content = b"".join(map(raw, types, values))
        notes[: len(content)] = content
        got = []

        def callback(*args):
            got.append(args)  # noqa: B023
            return args[0]

        result = function(callback)
        assert len(got) == 1 and len(got[0]) == len(types)
        assert all(map(same, types, got[0], values)), (got, values)
        assert same(types[0], result, values[0])


@pytest.mark.parametrize("name", SCALARS)
def test_callback_takes_and_returns_edge_values(lib, name):
    through = lib.bind(f"through_{name}", f"(f: func[({name}) -> {name}], x: {name}) -> {name}")
    for value in SCALARS[name][2]:
        got = []
        result = through(lambda x: got.append(x) or x, value)  # noqa: B023
        assert same(name, got[0], value) and same(name, result, value), value


@pytest.mark.parametrize("name", INTS)
def test_narrow_arithmetic_wraps_in_c_only(lib, name):
    """A C function's result has undefined upper bits; what Python gets is the declared type's value."""
    add = lib.bind(f"add_{name}", signature([name, name], name))
    low, high = min(INTS[name][2]), max(INTS[name][2])
    if name in ("i32", "i64"):  # where overflow is undefined in C
        assert add(high - 1, 1) == high and add(low + 1, -1) == low
    else:
        assert add(high, 1) == low
        assert add(low, high) == low + high


@pytest.mark.parametrize("name", INTS)
def test_integers_out_of_range_are_refused(lib, name):
    echo = lib.bind(f"echo_{name}", f"(x: {name}) -> {name}")
    low, high = min(INTS[name][2]), max(INTS[name][2])
    for value in (low - 1, high + 1, 2**64, -(2**64), 10**100):
        shown = str(value) if abs(value) < 10**30 else f"int of {value.bit_length()} bits"
        with pytest.raises(OverflowError, match=rf"echo_{name}: argument 1 'x': expected {name} .*{shown}"):
            echo(value)
    for value in (1.0, "1", None, b"1", [1], 1j):
        with pytest.raises(TypeError, match=rf"echo_{name}: argument 1 'x': expected {name}, got"):
            echo(value)


def test_finite_float_beyond_single_is_refused(lib):
    echo = lib.bind("echo_f32", "(x: f32) -> f32")
    for value in (3.5e38, -3.5e38, 1e300, 10**39):
        with pytest.raises(OverflowError, match="echo_f32: argument 1 'x': expected f32"):
            echo(value)
    assert echo(0.1) == struct.unpack("f", struct.pack("f", 0.1))[0]


@pytest.mark.parametrize("name", ["f16", "bf16"])
def test_half_precision_is_its_bits_in_c(build_library, name):
    lib = jitffi.load_library(build_library("#include <stdint.h>\nuint16_t bits(uint16_t x) { return x; }\n"))
    to_bits, from_bits = lib.bind("bits", f"({name}) -> u16"), lib.bind("bits", f"(u16) -> {name}")
    for value in (0.0, -0.0, 1.0, -2.5, 0.333251953125, INF, -INF):
        bits = to_bits(value)
        if name == "f16":
            assert bits == struct.unpack("H", struct.pack("e", value))[0]
        elif value != 0.333251953125:
            assert bits == struct.unpack("I", struct.pack("f", value))[0] >> 16
        back = from_bits(bits)
        assert back == (value if name == "f16" or value != 0.333251953125 else 0.333984375)
        assert math.copysign(1, back) == math.copysign(1, value)
    assert math.isnan(from_bits(to_bits(NAN)))


def test_optional_scalars_are_pointers_in_c(lib):
    count = lib.bind("optional", "(a: optional[i8], b: optional[f64] = None, c: optional[bool] = None) -> i64")
    assert count(None) == 7000
    assert count(5, 7.9, True) == 5 + 7 + 1
    assert count(-128, c=False) == -128 + 2000
    with pytest.raises(OverflowError, match=r"optional: argument 1 'a': expected optional\[i8\]"):
        count(128)


def test_defaults_stand_for_what_is_left_out(lib):
    count = lib.bind("digits", "(a: i32, b: i32 = 2, c: i32 = 3) -> i64")
    assert count(1) == 321
    assert count(1, c=5) == 521
    assert count(1, 4) == 341
    assert count(c=7, a=1, b=0) == 701
    with pytest.raises(TypeError, match="digits: argument 1 'a' is missing"):
        count()
