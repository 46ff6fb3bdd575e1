"""One program on every machine: each function is entered as C calls it, packed into slots, unpacked, and done in C.

    main -> add (emitted: C's convention to packed) -> __jf_add (emitted: packed to C's) -> add_impl

The same with each other convention in the place of packed.

Every scalar type, structs, text, lists, callbacks, arrays, and errors. On wasm32 in Node, and in wasmtime where that is
installed.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from support.cross import MACHINES, run_in_wasmtime

import jitffi
from jitffi.conventions.table import CONVENTIONS

SCALARS = {
    "bool": "_Bool", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
    "u32": "uint32_t", "i64": "int64_t", "u64": "uint64_t", "f32": "float", "f64": "double", "ptr": "void*",
}  # fmt: skip
OTHERS = {
    "place": "(p: conformance.Point, by: f64) -> conformance.Point",
    "box": "(small: conformance.Small, tall: conformance.Tall) -> conformance.Tall",
    "greet": "(name: str, times: i32) -> str",
    "upper": "(text: cstr) -> cstr",
    "blob": "(data: bytes) -> bytes",
    "sum": "(values: list[i64]) -> i64",
    "each": "(f: func[(i32, f64) -> f64], n: i32) -> f64",
    "dot": "(x: const f64[n], y: const f64[n], n: i64) -> f64",
    "scale": "(x: tensor[f32, n], by: f32) -> void",
    "maybe": "(x: optional[i32], y: optional[f64]) -> f64",
    "same": "(x: any) -> any",
    "fail": "(x: i32) -> i32",
}
SIGNATURES = {**{f"id_{name}": f"(x: {name}) -> {name}" for name in SCALARS}, **OTHERS}

#: By layout the same as DLPack's own header, which is not everywhere.
DLPACK = """
#include "jitffi/ndarray.h"
typedef jf_dltensor DLTensor;
typedef jf_dtype DLDataType;
typedef jf_device DLDevice;
"""
IMPL = r"""
#include "made.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include <stdio.h>
#include <string.h>

typedef conformance_Point Point;
typedef conformance_Small Small;
typedef conformance_Tall Tall;
static int failed;
#define CHECK(what) ((what) ? (void)0 : (void)(failed++, printf("line %d: %s\n", __LINE__, #what)))
#define SAME(type, ...) { type given[] = {__VA_ARGS__}; \
  for (unsigned i = 0; i < sizeof given / sizeof *given; i++) CHECK(ID(given[i]) == given[i]); }

Point place_impl(Point p, double by) { return (Point){p.x + by, p.kind * 2, p.weight / 2}; }
Tall box_impl(Small small, Tall tall) {
  for (int i = 0; i < 5; i++) tall.values[i] += small.a * small.b;
  return tall;
}
int32_t greet_impl(const char* name, size_t size, int32_t times, jf_value* out) {
  char text[200];
  int at = 0;
  for (int32_t i = 0; i < times; i++) at += snprintf(text + at, sizeof text - (size_t)at, "%.*s ", (int)size, name);
  return jf_out_str(out, text, (size_t)at);
}
const char* upper_impl(const char* text) {
  static char found[64];
  size_t i = 0;
  for (; text[i] && i < 63; i++) found[i] = text[i] >= 'a' && text[i] <= 'z' ? (char)(text[i] - 32) : text[i];
  found[i] = 0;
  return found;
}
int32_t blob_impl(const char* data, size_t size, jf_value* out) { return jf_out_bytes(out, data, size); }
int64_t sum_impl(jf_object* list) {
  int64_t sum = 0;
  for (size_t i = 0; i < jf_list_size(list); i++) {
    jf_view item;
    if (jf_list_peek(list, (int64_t)i, &item) == 0) sum += item.v_int64;
  }
  return sum;
}
double each_impl(double (*f)(int32_t, double), int32_t n) {
  double sum = 0;
  for (int32_t i = 0; i < n; i++) sum = f(i, sum);
  return sum;
}
double dot_impl(const double* x, const double* y, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; i++) sum += x[i] * y[i];
  return sum;
}
void scale_impl(DLTensor* x, float by) {
  for (int64_t i = 0; i < x->shape[0]; i++) ((float*)x->data)[i] *= by;
}
double maybe_impl(const int32_t* x, const double* y) { return (x ? *x : -1) + (y ? *y : -0.5); }
int32_t same_impl(const jf_view* x, jf_value* out) { return jf_any_retain(x, out); }
int32_t fail_impl(int32_t x) {
  if (x < 0) {
    jf_error_format("ValueError", "%d is negative", (int)x);
    jf_error_mark_pending();
  }
  return x + 1;
}
static double callback(int32_t i, double sum) { return sum + i * 0.5; }
static void error_is(const char* kind, const char* message) {
  jf_error* error = (jf_error*)jf_error_take();
  CHECK(error && strcmp(error->kind->data, kind) == 0);
  CHECK(error && strcmp(error->message->data, message) == 0);
  if (error && strcmp(error->message->data, message)) printf("%s\n", error->message->data);
  jf_object_release((jf_object*)error);
}

static void others(void) {
  Point p = place((Point){1.5, -3, 5.0f}, 0.25);
  CHECK(p.x == 1.75 && p.kind == -6 && p.weight == 2.5f);
  Tall tall = box((Small){3, -2}, (Tall){{1, 2, 3, 4, 5}});
  CHECK(tall.values[0] == -5 && tall.values[4] == -1);
  for (int32_t times = 0; times < 9; times += 4) {
    jf_value out;
    jf_out_init(&out, 8);
    CHECK(greet("na\xC3\xAFve", 6, times, &out) == 0);
    CHECK(times ? out.type_code == JF_OBJECT : out.type_code == JF_SMALL_STR && out.small_len == 0);
    if (times) CHECK(((jf_str*)out.v_object)->size == (size_t)times * 7);
    jf_any_release(&out);
  }
  CHECK(strcmp(upper("shout"), "SHOUT") == 0);
  jf_value out;
  jf_out_init(&out, 8);
  CHECK(blob("a\0b", 3, &out) == 0 && out.type_code == JF_SMALL_BYTES && memcmp(out.v_bytes, "a\0b", 4) == 0);
  jf_object* list = jf_list_new(0, 1);
  for (int64_t i = 1; i <= 100; i++) {
    jf_view item = {.type_code = JF_INT};
    item.v_int64 = i << 33;
    CHECK(jf_list_append(list, &item) == 0);
  }
  CHECK(sum(list) == (int64_t)5050 << 33);
  jf_view view = {.type_code = JF_OBJECT};
  view.v_uint64 = JF_POINTER_WORD(list);
  jf_out_init(&out, 8);
#ifdef IS_TVM_FFI
  CHECK(same(&view, &out) == 0 && out.v_object != list && jf_list_size(out.v_object) == 100);
#else
  CHECK(same(&view, &out) == 0 && out.v_object == list && list->ref_count == 2);
#endif
  jf_any_release(&out);
  view = (jf_view){.type_code = JF_SMALL_STR, .small_len = 1, .v_bytes = "x"};
  CHECK(jf_list_append(list, &view) == 0);
  CHECK(sum(list) == 0);
  error_is("TypeError", "sum: argument 1 'values': expected list[i64], got list with str 'x' at [100]");
  jf_object_release(list);
  CHECK(each(callback, 5) == 5.0);
  double x[3] = {1, 2, 3}, y[3] = {4, 5, 6.5};
  CHECK(dot(x, y, 3) == 33.5);
  float f[4] = {1, 2, 3, 4};
  int64_t shape[1] = {4};
  DLTensor tensor = {f, {JF_CPU, 0}, 1, {JF_DL_FLOAT, 32, 1}, shape, NULL, 0};
  scale(&tensor, 0.5f);
  CHECK(f[0] == 0.5f && f[3] == 2.0f);
  tensor.dtype.bits = 64;
  scale(&tensor, 0.5f);
  error_is("TypeError", "scale: argument 1 'x': expected tensor[f32, n], got float64[4]");
  int32_t one = 1;
  CHECK(maybe(NULL, NULL) == -1.5 && maybe(&one, NULL) == 0.5 && maybe(&one, x) == 2.0);
  CHECK(fail(4) == 5 && !jf_error_is_pending());
  CHECK(fail(-4) == 0 && jf_error_is_pending() && fail(1) == 0);
  error_is("ValueError", "-4 is negative");
  CHECK(fail(1) == 2);
}
"""
SCALAR_VALUES = {
    "bool": "0, 1", "i8": "INT8_MIN, -1, INT8_MAX", "u8": "0, UINT8_MAX", "i16": "INT16_MIN, -1, INT16_MAX",
    "u16": "0, UINT16_MAX", "i32": "INT32_MIN, -1, INT32_MAX", "u32": "0, UINT32_MAX",
    "i64": "INT64_MIN, -1, INT64_MAX", "u64": "0, INT64_MAX, UINT64_MAX", "f32": "0.1f, -1e38f", "f64": "0.1, -1e300",
    "ptr": "NULL, &failed",
}  # fmt: skip


def source() -> str:
    """The program: the functions of C, and calls of what is emitted."""
    ids = [f"{c} id_{name}_impl({c} x) {{ return x; }}" for name, c in SCALARS.items()]
    calls = []
    for name, c in SCALARS.items():
        calls.append(f"#define ID id_{name}\n  SAME({c}, {SCALAR_VALUES[name]})\n#undef ID")
    end = 'printf("%d failed, %lld objects left\\n", failed, (long long)jf_live_objects());'
    main = "\n".join(["int main(void) {", *calls, "  others();", f"  {end}", "  return 0;", "}"])
    return "\n".join([IMPL, *ids, main, ""])


def declare() -> None:
    jitffi.struct("conformance.Point", "x: f64, kind: i32, weight: f32")
    jitffi.struct("conformance.Small", "a: i8, b: i16")
    jitffi.struct("conformance.Tall", "values: i64[5]")


BETWEEN = ["packed", *sorted(set(CONVENTIONS) - {"c", "packed", "python"})]
#: All of them on this machine, and on the others where JITFFI_TARGETS=all.
PROGRAMS = [
    (machine, between)
    for machine in MACHINES
    for between in BETWEEN[: None if machine == "host" or os.environ.get("JITFFI_TARGETS") == "all" else 1]
]


@pytest.fixture(scope="module", params=PROGRAMS, ids="-".join)
def program(request, tmp_path_factory) -> tuple[str, Path]:
    kind, between = request.param
    machine = MACHINES[kind]
    machine.need()
    declare()
    folder = tmp_path_factory.mktemp(f"{kind}-{between}")
    objects = [folder / "entered.o"]
    # What the header declares are C's entries; their callees are the other emitted ones.
    options = {"target": machine.triple}
    jitffi.emit(SIGNATURES, objects[0], entry="c", callee=between, header=folder / "made.h", **options)
    for name, sig in SIGNATURES.items():
        objects.append(folder / f"{name}.o")
        jitffi.emit({name: sig}, objects[-1], entry=between, callee_name=f"{name}_impl", **options)
    (folder / "dlpack").mkdir()
    (folder / "dlpack" / "dlpack.h").write_text(DLPACK)
    (folder / "program.c").write_text(source())
    strict = ["-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-I", str(folder)]
    strict += [f"-DIS_{between.upper()}"]
    machine.compile(folder / "program", [folder / "program.c", *objects], *strict)
    return kind, folder / "program"


def test_one_program_everywhere(program):
    name, path = program
    assert MACHINES[name].run(path) == "0 failed, 0 objects left\n"


@pytest.mark.parametrize("program", [each for each in PROGRAMS if each[0] == "wasm32"], ids="-".join, indirect=True)
def test_it_runs_in_wasmtime(program):
    said = run_in_wasmtime(program[1])
    if said is None:
        pytest.skip("no wasmtime")
    assert said == "0 failed, 0 objects left\n"
