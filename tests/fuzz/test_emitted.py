"""Random signatures through emitted objects with C at both ends, on this machine and under emulators.

    C main --c--> out_<i> --packed--> mid_<i> --c--> callee_<i>, which is C

callee_<i> folds what it was given into a checksum and returns one of its arguments; main knows both. No Python is in
the program. Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=500 pytest tests/fuzz/test_emitted.py
"""

from __future__ import annotations

import importlib.util
import random
import struct
from pathlib import Path

import pytest
from support.cross import MACHINES
from support.native import HEAD, SCALARS, STRUCTS, goes_out, prototype
from support.values import cases, random_value, seed

from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

spec = importlib.util.spec_from_file_location("against_cc", Path(__file__).with_name("test_against_cc.py"))
assert spec and spec.loader
against_cc = importlib.util.module_from_spec(spec)
spec.loader.exec_module(against_cc)

MAIN = r"""
#include <inttypes.h>
#include <stdio.h>

static double f64_of(uint64_t bits) { double x; memcpy(&x, &bits, sizeof x); return x; }
static float f32_of(uint32_t bits) { float x; memcpy(&x, &bits, sizeof x); return x; }
static int failures;

static void report(const char* what, int i) {
  jf_error* error = (jf_error*)jf_error_take();
  printf("case %d: %s %s %s\n", i, what, error ? error->kind->data : "", error ? error->message->data : "");
  jf_object_release((jf_object*)error);
  failures++;
}
static void same_bits(int i, const void* got, const void* wanted, size_t size) {
  if (memcmp(got, wanted, size) != 0) report("another result", i);
}
static void same_text(int i, int32_t code, jf_value* got, const void* data, size_t size) {
  static const jf_call_info info = {"main", 0, 0, NULL, "text", NULL};
  union { jf_span text; jf_ucs4_span ucs4; } span;
  jf_temps temps = {NULL};
  int32_t status = code == JF_SMALL_UCS4   ? jf_lift_ucs4(&info, -1, got, &span.ucs4, &temps)
                   : code == JF_SMALL_BYTES ? jf_lift_bytes(&info, -1, got, &span.text, &temps)
                                            : jf_lift_str(&info, -1, got, &span.text, &temps);
  size_t bytes = status == 0 ? (code == JF_SMALL_UCS4 ? 4 * span.ucs4.size : span.text.size) : 0;
  if (status != 0 || bytes != size || memcmp(span.text.data, data, size) != 0) report("another text", i);
  jf_temps_release(&temps);
  jf_any_release(got);
}
"""


def c_text(data: bytes) -> str:
    return '"' + "".join([f"\\{byte:03o}" for byte in data]) + '"'


def literals(type_, value, words: int) -> list[str]:
    """The C arguments for a value; *words*: bits of a pointer."""
    core = type_.inner if type_.is_optional else type_
    if value is None:
        return ["NULL", "0"] if core.name in ("str", "ucs4", "bytes") else ["NULL"]
    if core.name in ("str", "bytes"):
        data = value.encode() if isinstance(value, str) else value
        return [c_text(data), str(len(data))]
    if core.name == "cstr":
        return [c_text(value.encode())]
    if core.name == "ucs4":
        return [f"(const char32_t[]){{{', '.join([f'0x{ord(c):x}' for c in value] + ['0'])}}}", str(len(value))]
    if core.name == "ptr":
        return [f"(void*)(uintptr_t)0x{value:x}ull"]
    if core.name == "dtype":
        text = f"(DLDataType){{{value.code}, {value.bits}, {value.lanes}}}"
    elif core.name == "device":
        text = f"(DLDevice){{{value.dlpack_device_type()}, {value.index}}}"
    elif core.name == "f64":
        text = f"f64_of(0x{struct.unpack('<Q', struct.pack('<d', value))[0]:x}ull)"
    elif core.name == "f32":
        text = f"f32_of(0x{struct.unpack('<I', struct.pack('<f', value))[0]:x}u)"
    elif core.name == "f16":
        text = f"(uint16_t)0x{struct.unpack('<H', struct.pack('<e', value))[0]:x}"
    elif core.name == "bf16":
        text = f"(uint16_t)0x{struct.unpack('<I', struct.pack('<f', value))[0] >> 16:x}"
    else:
        text = f"({SCALARS[core.name]})0x{int(value) & 0xFFFFFFFFFFFFFFFF:x}ull"
    if type_.is_optional:
        return [f"&({STRUCTS.get(core.name) or SCALARS[core.name]}[]){{{text}}}[0]"]
    return [text]


def comparison(i: int, type_, value, words: int) -> list[str]:
    """C that compares `got` with the value that went in."""
    core = type_.inner if type_.is_optional else type_
    given = literals(type_, value, words)
    if core.name in ("str", "ucs4", "bytes"):
        code = {"str": "JF_SMALL_STR", "ucs4": "JF_SMALL_UCS4", "bytes": "JF_SMALL_BYTES"}[core.name]
        if value is None:
            return [f'if (out.type_code != JF_NULL) report("no null", {i});']
        scale = "4 * " if core.name == "ucs4" else ""
        return [f"same_text({i}, {code}, &out, {given[0]}, {scale}{given[1]});"]
    if core.name in STRUCTS:
        if value is None:
            return [f'if (out.type_code != JF_NULL) report("no null", {i});']
        text = literals(core, value, words)[0]
        return [f"{STRUCTS[core.name]} wanted = {text}; same_bits({i}, out.v_bytes, &wanted, sizeof wanted);"]
    if core.name == "cstr":
        if value is None:
            return [f'if (got != NULL) report("no NULL", {i});']
        return [f'if (got == NULL || strcmp(got, {given[0]}) != 0) report("another text", {i});']
    kind = "const void*" if core.name == "ptr" else SCALARS[core.name]
    return [f"{kind} wanted = {given[0]}; same_bits({i}, &got, &wanted, sizeof wanted);"]


def call_code(i: int, sig: Signature, which: int, values: list[object], words: int) -> str:
    """A block of main: one call, and what must have come of it."""
    total = 0
    for param, value in zip(sig.params[1:], values, strict=True):
        total = against_cc.folded(total, param.type, value)
    given = ["&sum"]
    for param, value in zip(sig.params[1:], values, strict=True):
        given += literals(param.type, value, words)
    lines = ["uint64_t sum = 0;"]
    if goes_out(sig.result):
        lines += ["jf_value out = {.type_code = JF_NULL};", f"int32_t status = out_{i}({', '.join([*given, '&out'])});"]
        lines += [f'if (status != 0) report("failed", {i}); else {{']
    else:
        result = prototype("f", sig).split(" f(")[0]
        lines.append(f"{'' if which <= 0 else result + ' got = '}out_{i}({', '.join(given)});")
        lines.append(f'if (jf_error_is_pending()) report("failed", {i}); else {{')
    lines.append(f'if (sum != 0x{total:x}ull) report("arguments arrived as others", {i});')
    if which > 0:
        lines += comparison(i, sig.result, values[which - 1], words)
    return "  {\n    " + "\n    ".join([*lines, "}"]) + "\n  }"


def value_for(rng, type_, words: int):
    value = random_value(rng, type_)
    if value != value:
        return 0.5  # what a machine makes of a NaN's sign where it converts one is its own business
    core = type_.inner if type_.is_optional else type_
    return value & (1 << words) - 1 or None if core.name == "ptr" and value is not None else value


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", [0, 2])
def test_c_calls_c_through_two_emitted_objects(machine, level, tmp_path):
    where = MACHINES[machine]
    where.need()
    rng = random.Random(seed() + level)
    target = Target.of(where.triple)
    words = target.pointer_bits
    signatures = [
        against_cc.random_signature(rng, against_cc.USUAL) for _ in range(cases(40 if machine == "host" else 12))
    ]
    parts, calls = [HEAD, against_cc.FOLD, MAIN], []
    for i, (sig, which) in enumerate(signatures):
        parts.append(against_cc.c_case(i, sig, which).partition("\n}\n")[0] + "\n}")
        parts.append(prototype(f"out_{i}", sig) + ";")
        values = [[value_for(rng, p.type, words) for p in sig.params[1:]] for _ in range(3)]
        calls += [call_code(i, sig, which, each, words) for each in values]
    # Functions of their own, so that no frame holds the literals of all.
    for n, start in enumerate(range(0, len(calls), 10)):
        parts.append(f"static void part_{n}(void) {{\n" + "\n".join(calls[start : start + 10]) + "\n}")
    parts.append("int main(void) {")
    parts += [f"  part_{n}();" for n in range(len(range(0, len(calls), 10)))]
    parts.append(
        '  printf("%d failures, %lld objects left\\n", failures, (long long)jf_live_objects());\n  return 0;\n}'
    )
    (tmp_path / "main.c").write_text("\n".join(parts))
    objects = []
    for i in range(len(signatures)):
        for name, entry, callee, far in (
            (f"out_{i}", "c", "packed", f"mid_{i}"),
            (f"mid_{i}", "packed", "c", f"callee_{i}"),
        ):
            text = adapter_modules.module_text(
                {name: signatures[i][0]}, entry=entry, callee=callee, callee_name=far, target=target
            )
            objects.append(tmp_path / f"{name}.o")
            objects[-1].write_bytes(object_files.compile_text(text, target, level, "o"))
    program = tmp_path / "program"
    where.compile(program, [tmp_path / "main.c", *objects], "-O1", "-w")
    said = where.run(program)
    assert said == "0 failures, 0 objects left\n", f"JITFFI_FUZZ_SEED={seed()} on {machine} at level {level}: {said}"
