"""out[T] and inout[T] of structs: what C writes is an instance, and what a callable returns is written."""

from __future__ import annotations

import pytest
from support.extension import HOST, compile_c, linker

import jitffi

SOURCE = """
typedef struct { double x; float w; signed char k; } P;
typedef struct { P many[9]; } Large;
int make(P* p) { *p = (P){1, 2, 3}; return 7; }
void leave(P* p) { (void)p; }
void bump(P* p) { p->x += 1; }
void large(Large* p) { p->many[8].k = 5; }
int ask(int (*f)(P*)) { P p = {0}; int r = f(&p); return r * 100 + (int)p.x + p.k; }
double change(void (*f)(P*)) { P p = {5, 6, 7}; f(&p); return p.x * 10 + p.k; }
"""

P = jitffi.struct("outs.P", "x: f64, w: f32, k: i8")


@pytest.fixture(scope="module")
def lib(tmp_path_factory):
    folder = tmp_path_factory.mktemp("struct_outs")
    linker.link([compile_c(folder / "outs.o", SOURCE)], folder / "outs.so", kind="so", target=HOST)
    return jitffi.load_library(folder / "outs.so")


def test_what_is_written_is_an_instance(lib):
    assert lib.bind("make", "(p: out[outs.P]) -> i32")() == (7, P(1, 2, 3))
    assert lib.bind("leave", "(p: out[outs.P]) -> void")() == P()
    before = P(1)
    assert lib.bind("bump", "(p: inout[outs.P]) -> void")(before) == P(2)
    assert before == P(1)
    jitffi.struct("outs.Large", "many: outs.P[9]")
    assert lib.bind("large", "(p: out[outs.Large]) -> void")().many[8].k == 5


def test_what_callables_return_is_written(lib):
    assert lib.bind("ask", "(func[(out[outs.P]) -> i32]) -> i32")(lambda: (3, P(40, 0, 2))) == 342
    assert lib.bind("change", "(func[(inout[outs.P]) -> void]) -> f64")(lambda p: P(p.x * 2, 0, p.k + 1)) == 108


def test_what_is_none_is_refused(lib):
    with pytest.raises(TypeError, match="bump: argument 1 'p': expected inout"):
        lib.bind("bump", "(p: inout[outs.P]) -> void")(3)
    with pytest.raises(TypeError, match="expected out"):
        lib.bind("ask", "(func[(out[outs.P]) -> i32]) -> i32")(lambda: (3, 4))
