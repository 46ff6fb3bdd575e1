"""Structs in emitted Python modules: their classes, by value and by reference, in arrays and callbacks; stubs."""

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
#include <stdint.h>
typedef struct { double x, y; } point;
typedef struct { point a, b; int32_t kind; unsigned flag : 3; const char* name; int16_t codes[3]; } line;
typedef union { uint32_t all; uint8_t bytes[4]; } word;
double norm(point p) { return p.x * p.x + p.y * p.y; }
point moved(point p, double by) { p.x += by; return p; }
double sum(const point* p) { return p->x + p->y; }
void make(point* p) { p->x = 1; p->y = 2; }
void turn(point* p) { double x = p->x; p->x = -p->y; p->y = x; }
double many(const point* p, uint64_t n) { double s = 0; for (uint64_t i = 0; i < n; i++) s += p[i].x; return s; }
void fill(uint64_t n, point* p) { for (uint64_t i = 0; i < n; i++) p[i] = (point){(double)i, 1}; }
line join(point a, point b) { return (line){a, b, 7, 5, "joined", {1, 2, 3}}; }
point* find(line* l) { return &l->b; }
point ask(point (*f)(point), point p) { return f(p); }
uint32_t first(word w) { return w.bytes[0]; }
"""
SIGNATURES = [
    "norm: (p: emitted.Point) -> f64",
    "moved: (p: emitted.Point, by: f64 = 1.0) -> emitted.Point",
    "sum: (p: ptr[const emitted.Point]) -> f64",
    "make: (p: out[emitted.Point]) -> void",
    "turn: (p: inout[emitted.Point]) -> void",
    "many: (p: const emitted.Point[n], n: u64) -> f64",
    "fill: (n: u64, p: out[emitted.Point[n]]) -> void",
    "join: (a: emitted.Point, b: emitted.Point) -> emitted.Line",
    "find: (l: ptr[emitted.Line]) -> ptr[emitted.Point]",
    "ask: (f: func[(emitted.Point) -> emitted.Point], p: emitted.Point) -> emitted.Point",
    "first: (w: emitted.Word) -> u32",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where demo.so is, and its stub."""
    made: Path = tmp_path_factory.mktemp("emitted_structs")
    jitffi.struct("emitted.Point", "x: f64, y: f64 = 2.0")
    jitffi.struct(
        "emitted.Line", "a: emitted.Point, b: emitted.Point, kind: i32, flag: u32:3, name: cstr, codes: i16[3]"
    )
    jitffi.union("emitted.Word", "all: u32, bytes: u8[4]")
    c = compile_c(made / "points.o", SOURCE)
    jitffi.emit(SIGNATURES, made / "demo.so", entry="python", callee="c", link=[c], stub=made / "demo.pyi")
    return made


def run(folder: Path, program: str) -> None:
    text = f"import sys\nsys.path.insert(0, {str(folder)!r})\nimport demo\nPoint = demo.Point\n{program}"
    command = [sys.executable, "-X", "faulthandler", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd="/")
    assert (done.returncode, done.stderr) == (0, "")


PROGRAMS = {
    "classes": """
assert repr(Point(1)) == "Point(x=1.0, y=2.0)" and Point.__module__ == "demo" and Point.__doc__.startswith("struct")
assert Point.size == 16 and Point(y=3) == Point(0, 3) and issubclass(Point, demo.Struct)
p = Point(3, 4)
p.x = 5
assert p.x == 5.0 and Point.__match_args__ == ("x", "y")
try:
    p.x = "5"
except TypeError as error:
    assert str(error) == "emitted.Point.x: expected f64, got str '5'", error
else:
    raise AssertionError
""",
    "by value": """
assert demo.norm(Point(3, 4)) == 25 and demo.moved(Point(1)) == Point(2) and demo.moved(Point(1), by=4.0).x == 5
line = demo.join(Point(3, 4), Point(9))
assert (line.a.x, line.b.y, line.kind, line.flag, line.name, list(line.codes)) == (3, 2, 7, 5, "joined", [1, 2, 3])
assert demo.first(demo.Word(0x01020304)) in (1, 4)
for bad in (None, 1, (1, 2), line):
    try:
        demo.norm(bad)
    except TypeError as error:
        assert str(error).startswith("norm: argument 1 'p': expected emitted.Point, got "), error
    else:
        raise AssertionError(bad)
""",
    "by reference": """
p = Point(3, 4)
assert demo.sum(p) == 7 and demo.make() == Point(1, 2) and demo.turn(p) == Point(-4, 3) and p == Point(3, 4)
line = demo.join(p, Point(9))
found = demo.find(line)
found.value.x = 8
assert line.b.x == 8 and found[0] == Point(8) and repr(found).startswith("<Pointer ptr[emitted.Point]")
del line
assert found[0].x == 8  # what it points into is kept
""",
    "arrays": """
import numpy as np
a = Point.array(3)
a["x"] = [1, 2, 3]
assert demo.many(a) == 6 and Point.dtype.names == ("x", "y") and demo.many(np.zeros(2, Point.dtype)) == 0
made = demo.fill(4)
assert made["x"].tolist() == [0, 1, 2, 3] and made.dtype == Point.dtype
try:
    demo.many(np.zeros(2))
except TypeError as error:
    assert "expected const emitted.Point[n], got float64[2]" in str(error), error
else:
    raise AssertionError
""",
    "callbacks": """
import gc
assert demo.ask(lambda p: Point(p.y, p.x), Point(5, 6)) == Point(6, 5)
try:
    demo.ask(lambda p: 3, Point(5, 6))
except TypeError as error:
    assert "expected emitted.Point, got int 3" in str(error), error
else:
    raise AssertionError
before = len(gc.get_objects())
for _ in range(1000):
    demo.ask(lambda p: Point(p.y, p.x), Point(5, 6))
gc.collect()
assert len(gc.get_objects()) < before + 100
""",
    "copies": """
import copy, pickle
assert pickle.loads(pickle.dumps([Point(7)])) == [Point(7)] and copy.copy(Point(7)) == Point(7)
line = demo.join(Point(1), Point(2))
assert copy.deepcopy(line) == line
try:
    pickle.dumps(line)  # it has an address
except TypeError as error:
    assert "Line" in str(error), error
else:
    raise AssertionError
""",
    "again": """
import importlib
del sys.modules["demo"]
again = importlib.import_module("demo")
assert again is not demo and again.Point is Point and again.norm(Point(3, 4)) == 25
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_structs_of_a_module(folder: Path, name: str) -> None:
    run(folder, PROGRAMS[name])


def test_an_instance_of_another_modules_class(folder: Path) -> None:
    """One of the same layout is taken, as those of NumPy and ctypes are; another is refused, and never misread."""
    run(folder, """
import jitffi
theirs = jitffi.struct("emitted.Point", "x: f64, y: f64 = 2.0")(3, 4)
assert demo.norm(theirs) == 25 and demo.moved(theirs, 1) == Point(4, 4)
for members in ("x: f64, y: f32", "y: f64, x: f64", "x: f64", "x: i64, y: f64"):
    try:
        demo.norm(jitffi.struct(f"emitted.Other{len(members)}{members[0]}{members[3]}", members)())
    except TypeError as error:
        assert "expected emitted.Point, got Other" in str(error), error
    else:
        raise AssertionError(members)
""")  # fmt: skip


def test_stubs_have_the_classes(folder: Path) -> None:
    text = (folder / "demo.pyi").read_text()
    assert "class Point:\n    x: float\n    y: float\n" in text and "name: str | None" in text
    assert "def moved(p: Point, by: SupportsFloat = 1.0) -> Point: ..." in text
    command = [sys.executable, "-m", "mypy", "--strict", "demo.pyi"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder)
    assert done.returncode == 0 or "No module named mypy" in done.stderr, done.stdout
