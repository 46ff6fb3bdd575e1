"""Typed pointers in emitted modules: the class is the module's own, and its types are texts."""

from __future__ import annotations

import subprocess
import sys

import pytest
from support.extension import COMPILER, extension

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")

SOURCE = """
#include <stddef.h>
#include <stdint.h>
struct thing { int32_t number; };
static struct thing things[2] = {{5}, {7}};
struct thing* thing(int32_t i);
struct thing* thing(int32_t i) { return i < 2 ? &things[i] : NULL; }
int32_t number(struct thing* t);
int32_t number(struct thing* t) { return t != NULL ? t->number : -1; }
double* find(double* x, uint64_t n, double v);
double* find(double* x, uint64_t n, double v) {
  for (uint64_t i = 0; i < n; i++)
    if (x[i] == v) return x + i;
  return NULL;
}
"""
SIGNATURES = {
    "thing": "(i: i32) -> ptr[struct thing]",
    "number": "(t: optional[ptr[struct thing]]) -> i32",
    "find": "(x: ptr[f64], n: u64, v: f64) -> optional[ptr[f64]]",
}
PROGRAM = """
import array, demo, sys

def refused(call, *arguments):
    try:
        print("not refused", call(*arguments))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

t = demo.thing(1)
print(type(t), t.type, demo.number(t), demo.number(None))
x = array.array("d", [1, 2, 3])
p = demo.find(x, 3, 2.0)
p[0] = 8
print(p[1], x[1], demo.find(p, 2, 3.0) - p, demo.find(x, 3, 9.0), p.cast("ptr[const u8]").type)
refused(demo.thing, 2)
refused(demo.number, p)
refused(p.cast, "nothing")
refused(p.__setitem__, 0, "x")
print("jitffi" in sys.modules)
"""
EXPECTED = """\
<class 'demo.Pointer'> ptr[struct thing] 7 -1
3.0 8.0 1 None ptr[const u8]
ValueError: thing: result: expected ptr[struct thing], got NULL
TypeError: number: argument 1 't': expected optional[ptr[struct thing]], got a Pointer of type ptr[f64]
TypeError: expected the type of a pointer, ptr[T], got nothing
TypeError: ptr[f64]: item 0: expected f64, got str 'x'
False
"""


def test_pointers_go_in_and_out_of_a_module(tmp_path):
    extension(tmp_path, "demo", SIGNATURES, SOURCE)
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (EXPECTED, "")
