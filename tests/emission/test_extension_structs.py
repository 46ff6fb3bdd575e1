"""Declared structs in emitted modules that bring no class of them: pointers pass, what needs the class is refused."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from support.extension import COMPILER, compile_c

import jitffi

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler")

SOURCE = """
struct point { double x, y; };
static struct point one = {1, 2};
struct point* origin(void);
struct point* origin(void) { return &one; }
double sum(const struct point* p);
double sum(const struct point* p) { return p->x + p->y; }
void make(struct point* p);
void make(struct point* p) { *p = one; }
"""
SIGNATURES = [
    "origin: () -> ptr[emitted.Point]",
    "sum: (p: ptr[emitted.Point]) -> f64",
    "make: (p: out[emitted.Point]) -> void",
]
PROGRAM = """
import demo
p = demo.origin()
print(demo.sum(p), p.type)
for call in (demo.make, lambda: p[0], lambda: p.x):
    try:
        print("not refused", call())
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)
"""


def test_what_needs_the_class_of_a_struct_is_refused_by_an_emitted_module(tmp_path: Path) -> None:
    jitffi.struct("emitted.Point", "x: f64, y: f64")
    c = compile_c(tmp_path / "points.o", SOURCE)
    jitffi.emit(SIGNATURES, tmp_path / "demo.so", entry="python", callee="c", link=[c])
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{PROGRAM}"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[:2] == ["3.0 ptr[emitted.Point]", "TypeError"]
    assert "not refused" not in done.stdout
