"""Random signatures of up to twenty arguments, with the C compiler at the other end, in both directions.

One C library holds the other end of all cases: callee_<i> folds what it was given into a checksum and returns one of
its arguments, forward_<i> passes everything on to a function pointer. Python computes the checksum from the values that
it sent. Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=1000 pytest tests/fuzz/test_against_cc.py
"""

from __future__ import annotations

import random
import struct
from collections.abc import Sequence

import pytest
from support.adapters import function_at
from support.native import HEAD, STRUCTS, arguments, goes_out, prototype
from support.values import cases, random_value, same, seed

import jitffi
from jitffi.signature.model import TYPES, Param, Signature, Type, func, optional
from jitffi.types.table import row

INTEGERS = [f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)]
FLOATS = ["f32", "f64", "longdouble"]
USUAL = [*INTEGERS, *FLOATS[:2] * 3, "bool", "f16", "bf16", "ptr", "str", "ucs4", "bytes", "cstr", "dtype", "device"]
WEIGHTED = [*USUAL, *["longdouble", "c64", "c128"] * 2, "i128", "u128"]
NONE = 0xDEAD
PRIME = 0x100000001B3
WORD = (1 << 64) - 1

FOLD = """
static inline uint64_t fold(uint64_t sum, uint64_t word) { return (sum ^ word) * 0x100000001b3u + 1; }
static inline uint64_t fold_double(uint64_t sum, double x) {
  uint64_t word;
  memcpy(&word, &x, sizeof word);
  return fold(sum, word);
}
static inline uint64_t fold_bytes(uint64_t sum, const char* data, size_t size) {
  sum = fold(sum, size);
  for (size_t i = 0; i < size; i++) sum = fold(sum, (unsigned char)data[i]);
  return sum;
}
"""


def random_type(rng: random.Random, names: Sequence[str] = WEIGHTED) -> Type:
    type_ = TYPES[rng.choice(names)]
    return optional(type_) if rng.random() < 0.15 else type_


def random_signature(rng: random.Random, names: Sequence[str] = WEIGHTED) -> tuple[Signature, int]:
    """A signature that begins with a pointer to the checksum, and which argument its result is; -1: there is none."""
    count = rng.choice((rng.randint(0, 6), rng.randint(0, 20)))
    types = [TYPES["ptr"], *[random_type(rng, names) for _ in range(count)]]
    returned = [i for i, type_ in enumerate(types) if i and not row(type_).c_result_refused]
    which = rng.choice(returned) if returned and rng.random() < 0.9 else -1
    result = types[which] if which > 0 else TYPES["void"]
    return Signature([Param(None, type_) for type_ in types], result), which


def fold_code(type_: Type, name: str) -> str:
    core = type_.inner if type_.is_optional else type_
    if type_.is_optional:
        by_address = row(type_).c_result_refused or core.name in STRUCTS
        present = fold_code(core, f"(*{name})" if by_address else name)
        return f"if ({name} == NULL) sum = fold(sum, {NONE}); else {{ {present} }}"
    if core.name in ("str", "bytes"):
        return f"sum = fold_bytes(sum, {name}, {name}_size);"
    if core.name == "ucs4":
        return f"sum = fold(sum, {name}_size); for (size_t i = 0; i < {name}_size; i++) sum = fold(sum, {name}[i]);"
    if core.name == "dtype":
        return "".join(f"sum = fold(sum, {name}.{field});" for field in ("code", "bits", "lanes"))
    if core.name == "device":
        return "".join(f"sum = fold(sum, (uint64_t){name}.{field});" for field in ("device_type", "device_id"))
    if core.name == "cstr":
        return f"sum = fold_bytes(sum, {name}, strlen({name}));"
    if core.name in FLOATS:
        return f"sum = fold_double(sum, {name});"
    if core.name in ("c64", "c128"):
        return f"sum = fold_double(fold_double(sum, __real__ {name}), __imag__ {name});"
    if core.name in ("i128", "u128"):
        return f"sum = fold(fold(sum, (uint64_t){name}), (uint64_t)((unsigned __int128){name} >> 64));"
    if core.name == "ptr":  # whose sign GCC extends to a wider integer (its manual, "Arrays and Pointers")
        return f"sum = fold(sum, (uint64_t)(uintptr_t){name});"
    return f"sum = fold(sum, (uint64_t){name});"


def folded(total: int, type_: Type, value: object) -> int:
    """What the C code of `fold_code` makes of *value*."""
    core = type_.inner if type_.is_optional else type_

    def fold(total: int, word: int) -> int:
        return ((total ^ word & WORD) * PRIME + 1) & WORD

    if value is None:
        return fold(total, NONE if type_.is_optional else 0)
    if isinstance(value, (jitffi.DataType, jitffi.Device)):
        is_dtype = isinstance(value, jitffi.DataType)
        fields = (value.code, value.bits, value.lanes) if is_dtype else (value.dlpack_device_type(), value.index)
        for field in fields:
            total = fold(total, field)
        return total
    if isinstance(value, str) and core.name == "ucs4":
        total = fold(total, len(value))
        for character in value:
            total = fold(total, ord(character))
        return total
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        total = fold(total, len(data))
        for byte in data:
            total = fold(total, byte)
        return total
    if core.name in ("f16", "bf16"):
        bits = struct.pack("e", value) if core.name == "f16" else struct.pack("f", value)[2:]
        return fold(total, int.from_bytes(bits, "little"))
    if isinstance(value, complex):
        return folded(folded(total, TYPES["f64"], value.real), TYPES["f64"], value.imag)
    if isinstance(value, float):
        return fold(total, int.from_bytes(struct.pack("d", value), "little"))
    assert isinstance(value, int)
    total = fold(total, value)
    return fold(total, value >> 64) if core.name in ("i128", "u128") else total


def c_case(i: int, sig: Signature, which: int) -> str:
    lines = [f"/* {sig} */", f"{prototype(f'callee_{i}', sig)} {{", "  uint64_t sum = 0;"]
    lines += [f"  {fold_code(p.type, f'a{k}')}" for k, p in enumerate(sig.params) if k]
    lines.append("  *(uint64_t*)a0 = sum;")
    if which > 0:
        core = sig.result.inner if sig.result.is_optional else sig.result
        code = "JF_SMALL_STR" if core.name == "str" else "JF_SMALL_BYTES"
        out = f"put_text(out, {code}, a{which}, a{which}_size)"
        if core.name == "ucs4":
            out = f"put_ucs4(out, a{which}, a{which}_size)"
        elif core.name in STRUCTS:
            address = f"{'' if sig.result.is_optional else '&'}a{which}"
            out = f"put_struct(out, JF_{core.name.upper()}, {address}, sizeof({STRUCTS[core.name]}))"
        lines.append(f"  return {out if goes_out(sig.result) else f'a{which}'};")
    lines.append("}")
    forward = Signature([Param(None, func(sig)), *sig.params], sig.result)
    names = ["f", *[f"a{k}" for k in range(len(sig.params))]]
    passed = [arguments(p.type, name) for p, name in zip(sig.params, names[1:], strict=True)]
    passed += ["out"] if goes_out(sig.result) else []
    returned = "return " if which > 0 else ""
    lines.append(f"{prototype(f'forward_{i}', forward, names)} {{ {returned}f({', '.join(passed)}); }}")
    return "\n".join(lines)


@pytest.fixture(scope="module")
def fuzzed(build_library):
    """(library, [(signature, which argument comes back)])"""
    rng = random.Random(seed())
    signatures = [random_signature(rng) for _ in range(cases(80))]
    source = HEAD + FOLD + "\n".join(c_case(i, sig, which) for i, (sig, which) in enumerate(signatures))
    return jitffi.load_library(build_library(source, runtime=True)), signatures


def values_for(rng: random.Random, sig: Signature) -> list[object]:
    return [random_value(rng, p.type) for p in sig.params[1:]]


@pytest.mark.parametrize("level", [0, 2])
def test_python_calls_c(fuzzed, level):
    library, signatures = fuzzed
    rng = random.Random(seed() + level)
    for i, (sig, which) in enumerate(signatures):
        address = jitffi.Function(library.bind(f"callee_{i}", "() -> void")).native_address
        call = function_at(f"callee_{i}", sig, "python", "c", address, level)
        for _ in range(3):
            memory, values = bytearray(8), values_for(rng, sig)
            case = f"JITFFI_FUZZ_SEED={seed()} case {i} level {level}: {sig} with {values}"
            got = call(memory, *values)
            total = 0
            for param, value in zip(sig.params[1:], values, strict=True):
                total = folded(total, param.type, value)
            assert int.from_bytes(memory, "little") == total, case
            assert same(got, values[which - 1] if which > 0 else None), case


@pytest.mark.parametrize("level", [0, 2])
def test_c_calls_python(fuzzed, level):
    library, signatures = fuzzed
    rng = random.Random(seed() + level)
    for i, (sig, which) in enumerate(signatures):
        seen: list[object] = []

        def callback(*args, seen=seen, which=which):
            seen.extend(args)
            return args[which] if which > 0 else None

        function = function_at(f"callback_{i}", sig, "c", "python", callback, level)
        forward = Signature([Param(None, TYPES["ptr"]), *sig.params], sig.result)
        call = library.bind(f"forward_{i}", forward)
        for _ in range(3):
            values = [rng.getrandbits(64) or None, *values_for(rng, sig)]
            case = f"JITFFI_FUZZ_SEED={seed()} case {i} level {level}: {sig} with {values}"
            seen.clear()
            got = call(function._native, *values)
            assert len(seen) == len(values) and all(map(same, seen, values)), f"{case}, got {seen}"
            assert same(got, values[which] if which > 0 else None), f"{case}, got {got}"
