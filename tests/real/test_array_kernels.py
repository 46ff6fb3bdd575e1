"""Kernels of other compilers over arrays: llvmlite's builder and numba's cfunc, with lengths and strides filled in."""

from __future__ import annotations

import inspect

import numpy as np
import pytest
from llvmlite import ir

import jitffi

SAXPY = "(n: u64, a: f32, x: const f32[n], y: f32[n]) -> void"
COLUMNS = "(m: i64, n: i64, x: const f64[m @ ld, n], ld: i64, sums: f64[n]) -> void"


def built_saxpy() -> ir.Module:
    """y += a x, as a code generator writes it."""
    module = ir.Module()
    i64, f32 = ir.IntType(64), ir.FloatType()
    pointer = f32.as_pointer()
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [i64, f32, pointer, pointer]), "saxpy")
    n, a, x, y = function.args
    entry, head, body, done = (function.append_basic_block(name) for name in ("entry", "head", "body", "done"))
    ir.IRBuilder(entry).branch(head)
    code = ir.IRBuilder(head)
    at = code.phi(i64)
    at.add_incoming(i64(0), entry)
    code.cbranch(code.icmp_unsigned("<", at, n), body, done)
    code = ir.IRBuilder(body)
    target = code.gep(y, [at])
    code.store(code.fadd(code.load(target), code.fmul(a, code.load(code.gep(x, [at])))), target)
    at.add_incoming(code.add(at, i64(1)), body)
    code.branch(head)
    ir.IRBuilder(done).ret_void()
    return module


def check_saxpy(saxpy) -> None:
    assert str(inspect.signature(saxpy)) == "(a, x, y, *, n=None)"
    for length in (0, 1, 7, 1000):
        x, y = np.arange(length, dtype=np.float32), np.ones(length, np.float32)
        assert saxpy(2.0, x, y) is None
        assert (y == 1 + 2 * x).all()
    saxpy(1.0, x, y, n=10)
    assert (y[:10] == 1 + 3 * x[:10]).all() and (y[10:] == 1 + 2 * x[10:]).all()
    kept = y.copy()
    for wrong, words in (
        (x.astype(np.float64), r"argument 2 'x': expected const f32\[n\], got float64\[1000\]"),
        (x[::-1], "argument 2 'x'"),
        (x[:999], r"argument 3 'y': n is 1000 here and 999 in 'x'"),
        (x.astype(">f4"), "argument 2 'x'"),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            saxpy(1.0, wrong, y)
    fixed = kept.view()
    fixed.flags.writeable = False
    with pytest.raises(TypeError, match=r"argument 3 'y': expected f32\[n\], got read-only float32\[1000\]"):
        saxpy(1.0, x, fixed)
    assert (y == kept).all()


def test_a_kernel_of_llvmlite():
    check_saxpy(jitffi.Function.from_ir(built_saxpy(), "saxpy", SAXPY))


def test_a_kernel_is_emitted_with_its_signature(tmp_path, run_python):
    kernel = jitffi.Function.from_ir(built_saxpy(), "saxpy", SAXPY)
    jitffi.emit(kernel, tmp_path / "kernels.so", entry="python")
    program = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import numpy as np, kernels
x, y = np.arange(5, dtype="f4"), np.ones(5, "f4")
kernels.saxpy(2.0, x, y)
print(y.tolist())
try: kernels.saxpy(2.0, x, y[:3])
except ValueError as error: print(error)
"""
    said = "[1.0, 3.0, 5.0, 7.0, 9.0]\nsaxpy: argument 3 'y': n is 3 here and 5 in 'x'\n"
    assert run_python(program) == said


def test_kernels_of_numba():
    numba = pytest.importorskip("numba")
    types = numba.types

    def saxpy(n, a, x, y):
        xs, ys = numba.carray(x, n), numba.carray(y, n)
        for i in range(n):
            ys[i] += a * xs[i]

    def columns(m, n, x, ld, sums):
        rows, totals = numba.carray(x, m * ld), numba.carray(sums, n)
        for j in range(n):
            totals[j] = 0
            for i in range(m):
                totals[j] += rows[i * ld + j]

    floats, doubles = types.CPointer(types.float32), types.CPointer(types.float64)
    made = numba.cfunc(types.void(types.uint64, types.float32, floats, floats))(saxpy)
    check_saxpy(jitffi.Function.from_ir(made.inspect_llvm(), made._wrapper_name, SAXPY))
    made = numba.cfunc(types.void(types.int64, types.int64, doubles, types.int64, doubles))(columns)
    totals = jitffi.Function.from_ir(made.inspect_llvm(), made._wrapper_name, COLUMNS)
    x, sums = np.random.default_rng(1).random((20, 30)), np.empty(8)
    totals(x[3:17, 4:12], sums)
    np.testing.assert_allclose(sums, x[3:17, 4:12].sum(0))
    with pytest.raises(ValueError, match="n is 8 here and 9 in 'x'"):
        totals(x[:, :9], sums)
