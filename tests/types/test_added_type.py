"""A type is one file (added/fixed16.py, as it would lie in jitffi/types), and every part knows it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import type_table  # noqa: E402

ADDED = f"""
import sys
import jitffi.types
jitffi.types.__path__.append({str(Path(__file__).parent / "added")!r})
sys.path += [{str(ROOT / "tests")!r}, {str(ROOT / "docs" / "generators")!r}]
import jitffi
from fractions import Fraction
from jitffi import _core
from jitffi.signature.text import parse_type
"""


def test_in_signatures(run_python):
    run_python(
        ADDED
        + """
sig = jitffi.Signature.parse("(x: fixed16, y: fixed16) -> fixed16")
assert str(sig) == "(x: fixed16, y: fixed16) -> fixed16" and jitffi.Signature.parse(str(sig)) == sig
assert str(jitffi.Signature.parse("(x: fixed16 = 0.50001) -> void")) == "(x: fixed16 = 0.5000152587890625) -> void"
try:
    jitffi.Signature.parse("(x: fixed16 = 40000) -> void")
except jitffi.SignatureError as error:
    assert "40000 is out of range for fixed16" in str(error)
else:
    raise AssertionError
try:
    jitffi.Signature.parse("(q16_16) -> void")
except jitffi.SignatureError as error:
    assert "did you mean 'fixed16'?" in str(error) and ", fixed16" in str(error)
else:
    raise AssertionError
try:
    parse_type("list[fixed16]")
except jitffi.SignatureError as error:
    assert "a container holds what the runtime knows by name" in str(error)
else:
    raise AssertionError

def scale(x: Fraction, by: parse_type("fixed16") = Fraction(1, 4)) -> Fraction: ...
assert str(jitffi.Signature.of(scale)) == "(x: fixed16, by: fixed16 = 0.25) -> fixed16"
assert str(jitffi.Signature.from_c("fixed16_t half(fixed16_t x);")) == "(x: fixed16) -> fixed16"
assert str(jitffi.Signature.from_c("int32_t half(fixed16_t *x);")) == "(x: ptr) -> i32"
"""
    )


def test_between_all_pairs_of_conventions(run_python):
    """C's abs() of an int32_t is that of a fixed16, too."""
    run_python(
        ADDED
        + """
from support.adapters import PAIRS, function_at
from jitffi.types.table import row

F = jitffi.Function
for text in ("fixed16", "optional[fixed16]"):
    sig = jitffi.Signature.parse(f"({text}) -> fixed16")
    c = F(jitffi.load_library(None).bind("abs", "(fixed16) -> fixed16"))
    python = jitffi.function(sig)(lambda x: 0.0 if x is None else abs(x))
    packed = F(python)
    targets = {"python": lambda x: 0.0 if x is None else abs(x), "c": c.native_address, "packed": packed.packed_address}
    targets |= {"packed_legacy": packed, "tvm_ffi": packed}
    for entry, callee in PAIRS:
        if (text, callee) == ("optional[fixed16]", "c"):
            continue  # a pointer to one, which abs() does not take
        for level in (0, 2):
            more = {"self_handle": packed.handle} if callee == "packed" else {}
            made = function_at("f", sig, entry, callee, targets[callee], level, **more)
            call = made
            if entry == "c":
                call = F.from_native(made._native, sig, name="f", keep_alive=made)
            if entry == "packed":
                call = F.from_packed(made._packed, name="f", signature=sig, self_handle=made.handle, keep_alive=made)
            if entry == "packed_legacy":
                address = made.entry_code.address
                call = F(_core.legacy_function(address, "function", made.handle, made, str(sig), False))
            if entry == "tvm_ffi":
                call = F(_core.tvm_function(made.entry_code.address, "function", made.handle, made, str(sig)))
            for value in row(sig.params[0].type).edge:
                assert call(value) == abs(value or 0.0), (entry, callee, level, value, call(value))
            assert call(Fraction(-1, 3)) == round(65536 / 3) / 65536
            assert call(-3) == 3.0 and call(True) == 1.0
            for value, error in row(sig.params[0].type).refused:
                try:
                    call(value)
                except error as caught:
                    assert "argument 1: expected " + text in str(caught), caught
                else:
                    raise AssertionError((entry, callee, value))

@jitffi.function("(i64) -> fixed16", on_error=Fraction(-1, 2))
def fails(x):
    raise ValueError
address = F(fails).native_address
import ctypes
assert ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int64)(address)(1) == -32768
"""
    )


def test_in_files_drawings_documentation_and_scripts(run_python, tmp_path):
    run_python(
        ADDED
        + f"""
import os
os.chdir({str(tmp_path)!r})
from jitffi.cli import drawing
sig = jitffi.Signature.parse("(x: fixed16) -> fixed16")
drawn = drawing.draw("half", sig, "python", "packed")
assert "args[0]      x: fixed16     Fraction, float, int" in drawn and "float, v_float64" in drawn
assert "int32_t x" in drawing.draw("half", sig, "c", "python")

HALF = "half: (x: fixed16, y: optional[fixed16]) -> fixed16"
jitffi.emit(HALF, "half.o", entry="c", callee="packed", header="half.h")
assert "int32_t half(int32_t x, const int32_t* y);" in open("half.h").read()
jitffi.emit(HALF, "m.o", entry="python", stub="m.pyi")
stub = open("m.pyi").read()
assert "from fractions import Fraction" in stub
assert "def half(x: Fraction | SupportsFloat, y: Fraction | SupportsFloat | None) -> float: ..." in stub, stub
jitffi.emit("abs: (x: fixed16) -> fixed16", "fixed.so", entry="python")
sys.path.insert(0, "")
import fixed
assert fixed.abs(Fraction(-3, 2)) == 1.5

import type_table
assert "| `fixed16` | Fraction, float, int | `int32_t`, in 65536ths |" in type_table.markdown()

from jitffi.bind.write import pytypes
assert pytypes.given(parse_type("fixed16")) == "float"
from jitffi.scripts.analysis.evaluate_calls import native_type
assert str(native_type(parse_type("fixed16"))) == "float"

def typed(x): return x
try:
    jitffi.script(typed, signature="(fixed16) -> f64")
except TypeError as error:
    assert "a script has no type fixed16: its fractions are f64" in str(error)
else:
    raise AssertionError
""",
    )


def test_the_documentation_has_the_table_of_the_rows():
    """JITFFI_BLESS=1 writes it again."""
    page = ROOT / "docs" / "reference" / "signatures.md"
    text = page.read_text(encoding="utf-8")
    if os.environ.get("JITFFI_BLESS") == "1":
        begin = text.index(type_table.HEAD)
        text = text[:begin] + type_table.markdown() + text[text.index("\n\n", begin) :]
        page.write_text(text, encoding="utf-8")
    assert type_table.markdown() in text
