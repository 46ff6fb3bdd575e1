"""A convention is one file (added/backwards.py, as it would lie in jitffi/conventions), and every part knows it."""

from __future__ import annotations

from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]

ADDED = f"""
import sys
import jitffi.conventions
jitffi.conventions.__path__.append({str(Path(__file__).parent / "added")!r})
sys.path.append({str(TESTS)!r})
import jitffi
from jitffi.adapters import adapter
assert list(adapter.CONVENTIONS) == ["c", "packed", "python", "backwards", "packed_legacy", "tvm_ffi"]
"""


def test_it_joins_all_others_in_both_directions(run_python):
    """A backwards callee is a packed function that takes its arguments the other way round, and so is an entry."""
    run_python(
        ADDED
        + """
from support.adapters import CONVENTIONS, code_at, function_at
from jitffi import _core
from jitffi.adapters.code_store import Request
from jitffi.api.making import make

F = jitffi.Function
TEXT = "(a: str, b: f64, c: optional[i64]) -> str"
sig, turned = jitffi.Signature.parse(TEXT), jitffi.Signature.parse("(optional[i64], f64, str) -> str")
said = lambda a, b, c: f"{a} {b} {c}"
back = F(jitffi.function(turned)(lambda c, b, a: said(a, b, c)))
plain = F(jitffi.function(sig)(said))

def callable_of(made, entry):
    if entry == "c":
        return F.from_native(made._native, sig, keep_alive=made)
    if entry == "packed":
        return F.from_packed(made._packed, signature=sig, self_handle=made.handle, keep_alive=made)
    if entry == "packed_legacy":
        return _core.legacy_function(made.entry_code.address, "f", made.handle, made, TEXT, False)
    if entry == "tvm_ffi":
        return _core.tvm_function(made.entry_code.address, "f", made.handle, made, TEXT)
    if entry == "backwards":
        last_first = F.from_packed(made._packed, signature=turned, self_handle=made.handle, keep_alive=made)
        return lambda a, b, c: last_first(c, b, a)
    return made

def adapted(entry, callee, level):
    target, more = {
        "python": (said, {}), "c": (plain.native_address, {}),
        "packed": (plain.packed_address, {"self_handle": plain.handle}),
        "backwards": (back.packed_address, {"self_handle": back.handle}),
        "packed_legacy": (_core.legacy_entries()[0], {"self_handle": plain.handle}),
        "tvm_ffi": (_core.tvm_entry(), {"self_handle": plain.handle}),
    }[callee]
    made = make("f", sig, {"backwards": "packed"}.get(callee, callee), target, entry=False, **more)
    code = code_at(Request(entry, callee, sig), level)
    if entry == "python":
        _core.set_python_entry(made, code, False)
    elif entry == "c":
        _core.set_c_entry(made, code, 2, True)
    elif entry in ("packed_legacy", "tvm_ffi"):
        made.entry_code = code
    else:
        _core.set_packed_entry(made, code)
    return callable_of(made, entry)

for entry in (*CONVENTIONS, "backwards"):
    for callee in (*CONVENTIONS, "backwards"):
        for level in (0, 2):
            call = adapted(entry, callee, level)
            for args in (("x", 1.5, 7), ("long " * 40, -0.0, None)):
                assert call(*args) == said(*args), (entry, callee, args)
            if entry != "c":
                try:
                    call("x", "y", 1)
                except TypeError as error:
                    assert "expected f64, got str 'y'" in str(error), (entry, callee, error)
                else:
                    raise AssertionError((entry, callee))
"""
    )


def test_in_files_headers_stubs_and_drawings(run_python, tmp_path):
    run_python(
        ADDED
        + f"""
import os
os.chdir({str(tmp_path)!r})
jitffi.emit("add: (a: i64, b: f64) -> f64", "add.o", entry="backwards", callee="c", header="add.h", stub="add.pyi")
header = open("add.h").read()
assert "int32_t __jfback_add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);" in header
assert "double add(int64_t a, double b);" in header
assert b"__jfback_add" in open("add.o", "rb").read()
assert "def add(a: SupportsIndex, b: SupportsFloat) -> float: ..." in open("add.pyi").read()

from jitffi.cli import drawing
drawn = drawing.draw("add", jitffi.Signature.parse("(a: i64, b: f64) -> f64"), "backwards", "c")
assert "args + 16    a: i64         int, v_int64" in drawn and "args + 0     b: f64         float, v_float64" in drawn

try:
    jitffi.emit("add: (i64) -> i64", "add.o", entry="forwards")
except ValueError as error:
    assert "known: c, packed, python, backwards" in str(error)
else:
    raise AssertionError
"""
    )


def test_a_command_takes_it_too(run_python):
    run_python(
        ADDED
        + """
from click.testing import CliRunner
from jitffi.cli.commands import jitffi as command
words = "--entry backwards --callee python --layout".split()
done = CliRunner().invoke(command, ["inspect", "(i64) -> i64", *words])
assert done.exit_code == 0 and "entry backwards" in done.output, done.output
"""
    )
