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

OWNED_SOURCE = """
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct thing { int32_t number; };
static int32_t alive;
struct thing* thing_new(int32_t number);
struct thing* thing_new(int32_t number) {
  if (number < 0) return NULL;
  struct thing* made = malloc(sizeof *made);
  made->number = number;
  alive++;
  return made;
}
int32_t thing_free(struct thing* t);
int32_t thing_free(struct thing* t) {
  printf("free %d\\n", t->number);
  fflush(stdout);
  free(t);
  return --alive;
}
void things(int32_t a, int32_t b, struct thing** one, struct thing** two);
void things(int32_t a, int32_t b, struct thing** one, struct thing** two) { *one = thing_new(a), *two = thing_new(b); }
struct thing* thing_after(void (*f)(void), int32_t number);
struct thing* thing_after(void (*f)(void), int32_t number) { f(); return thing_new(number); }
char* text(const char* given);
char* text(const char* given) { alive++; return strdup(given); }
void text_free(char* text);
void text_free(char* text) { alive--; free(text); }
int32_t living(void);
int32_t living(void) { return alive; }
"""
THING = "owned[ptr[struct thing], thing_free]"
OWNED = {
    "thing_new": f"(number: i32) -> optional[{THING}]",
    "things": f"(i32, i32, out[{THING}], two: out[{THING}]) -> void",
    "thing_after": f"(func[() -> void], i32) -> {THING}",
    "text": "(given: const i8[*]) -> owned[cstr, elsewhere:text_free]",
    "thing_free": "(ptr[struct thing]) -> i32",
    "living": "() -> i32",
}
OWNED_PROGRAM = """
import demo

def refused(call, *arguments):
    try:
        print("not refused", call(*arguments))
    except Exception as error:
        print(f"{type(error).__name__}: {error}")

def raises():
    raise KeyError("callback")

t = demo.thing_new(1)
print(type(t), t.type, demo.thing_new(-1), demo.living())
number = t.cast("ptr[i32]")
del t
print(number[0])
del number
with demo.thing_new(2) as t:
    print(demo.living())
refused(t.cast, "ptr[i32]")
print([each.cast("ptr[i32]")[0] for each in demo.things(3, 4)])
refused(demo.things, 5, -1)
refused(demo.things, -1, 6)
refused(demo.thing_after, raises, 7)
print(demo.text(b"text\\0"))
refused(demo.text, b"\\xff\\0")
print(demo.living())
last = demo.thing_new(8)
"""
OWNED_EXPECTED = f"""\
<class 'owned.Pointer'> ptr[struct thing] None 1
1
free 1
1
free 2
ValueError: ptr[struct thing]: what it points at was closed
free 3
free 4
[3, 4]
free 5
ValueError: things: argument 'two': expected out[{THING}], got NULL
free 6
ValueError: things: parameter 3: expected out[{THING}], got NULL
free 7
KeyError: 'callback'
text
UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte
0
free 8
"""


def test_what_a_module_owns_is_freed_by_the_function_of_that_name(tmp_path):
    extension(tmp_path, "owned", OWNED, OWNED_SOURCE)
    program = OWNED_PROGRAM.replace("demo", "owned")
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (OWNED_EXPECTED, "")


def test_pointers_go_in_and_out_of_a_module(tmp_path):
    extension(tmp_path, "demo", SIGNATURES, SOURCE)
    done = subprocess.run([sys.executable, "-c", PROGRAM], cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == (EXPECTED, "")
