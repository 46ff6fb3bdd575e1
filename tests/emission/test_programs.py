"""C programs of emitted objects and the runtime, without Python: errors, defaults, callbacks, text that stays. On this
machine and under emulators."""

from __future__ import annotations

import pytest
from support.cross import MACHINES
from support.native import HEAD

from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

MAIN = r"""
#include "jitffi/containers.h"
#include "jitffi/text.h"
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>

#define PACKED(name) int32_t __jf_##name(jf_function* self, int32_t n, const jf_view* args, jf_value* out)

static void show(const char* what) {
  jf_error* error = (jf_error*)jf_error_take();
  printf("%s: %s: %s\n", what, error ? error->kind->data : "no error", error ? error->message->data : "");
  jf_object_release((jf_object*)error);
}
static jf_view integer(int64_t value) {
  jf_view view = {.type_code = JF_INT};
  view.v_int64 = value;
  return view;
}
static jf_view object(void* pointer) {
  jf_view view = {.type_code = ((jf_object*)pointer)->type_code < 4 ? ((jf_object*)pointer)->type_code : JF_OBJECT};
  view.v_object = pointer;
  return view;
}
static jf_value nothing(void) { return (jf_value){.type_code = JF_NULL}; }

/* -- what emitted entries call -- */
int32_t narrow(int8_t x, const char* text, size_t size) { return (int32_t)(x + (int)size + (text[size] == 0)); }
int64_t defaults(int64_t a, float b, const char* c, size_t c_size, const char* d, DLDataType e, DLDevice f,
                 const int16_t* g, jf_object* h, uint64_t i, _Bool j, const char* k, size_t k_size, void* l) {
  assert(b == 1.5f && c_size == 3 && memcmp(c, "x\0y", 3) == 0 && strcmp(d, "cs") == 0);
  assert(e.code == 0 && e.bits == 8 && e.lanes == 4 && f.device_type == 2 && f.device_id == -1);
  assert(g == NULL && h->type_code == JF_TUPLE && ((jf_tuple*)h)->size == 0 && i == UINT64_MAX && j);
  assert(k_size == 300 && k[299] == 'b' && l == (void*)(uintptr_t)4096);
  return a;
}
int64_t apply(int64_t (*f)(int64_t, const char*, size_t), int64_t x) { return f(x, "text", 4) + 1; }
const char* through(const char* (*f)(int32_t)) { return f(7); }
int64_t total(jf_object* list, jf_object* map) {
  int64_t sum = (int64_t)(map ? ((jf_map*)map)->size : 0);
  for (size_t i = 0; i < ((jf_list*)list)->size; i++) sum += ((jf_list*)list)->items[i].slot->v_int64;
  return sum;
}
int32_t quiet(int32_t x); /* a C entry, whose callee fails for negative ones */
int32_t loud(int32_t x) { return quiet(x) + quiet(1); }

PACKED(quiet) {
  static int calls;
  calls++;
  assert(self == NULL && n == 1);
  if (args->v_int64 >= 0) {
    out->type_code = JF_INT;
    out->v_int64 = args->v_int64 * 10 + calls;
    return 0;
  }
  jf_error_format("ValueError", "call %d: negative", calls);
  return -1;
}
const char* name_of(int32_t x); /* C entries */
int32_t spell(int32_t x, jf_value* out);
PACKED(name_of) {
  (void)self, (void)n;
  char text[64];
  int size = snprintf(text, sizeof text, "number %lld", (long long)args->v_int64);
  return jf_out_str(out, text, (size_t)size);
}
PACKED(spell) { return __jf_name_of(self, n, args, out); }
int32_t wrong(int32_t x, jf_value* out);
PACKED(wrong) { /* promised text */
  (void)self, (void)n;
  jf_object* list = jf_list_new(0, 1);
  out->small_len = 0;
  *out = object(list);
  return args->v_int64 == 0 ? 0 : -1;
}
int32_t number_of(const char* text, size_t size);
PACKED(number_of) {
  (void)self, (void)n, (void)args;
  return jf_out_str(out, "no number", 9);
}
static int32_t plus(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  assert(n == 2 && args[1].type_code == JF_STR_VIEW && args[1].v_span->size == 4);
  if (args->v_int64 > 100) {
    jf_error_set("ValueError", "too large");
    return -1;
  }
  out->type_code = JF_INT;
  out->v_int64 = args->v_int64 + 1000;
  return 0;
}
static int64_t plain(int64_t x, const char* text, size_t size) { return x + text[0] + (int64_t)size; }
static int32_t named(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  return __jf_name_of(self, n, args, out);
}

/* Whole slots, and what points at them: pointers of 4 bytes leave the upper half of a payload zero. */
int32_t pick(const jf_view* value, jf_value* out); /* C entries */
jf_object* same(jf_object* value);
void* where(void* p, const int32_t* x);
PACKED(pick) {
  (void)self;
  assert(n == 1);
  return jf_any_retain(args, out);
}
PACKED(same) {
  uint64_t payload;
  memcpy(&payload, &args->v_int64, sizeof payload);
  assert(payload == (uint64_t)(uintptr_t)args->v_object && args->small_len == 0);
  return __jf_pick(self, n, args, out);
}
PACKED(where) {
  (void)self;
  assert(n == 2 && args[1].type_code == (args[0].type_code == JF_NULL ? JF_INT : JF_NULL));
  assert(args[0].v_int64 == (int64_t)(uintptr_t)args[0].v_handle);
  *out = args[0];
  return 0;
}
jf_object* share(jf_object* value) { /* called by packed entries */
  jf_object_retain(value);
  return value;
}
void* forward(void* p) { return p; }
PACKED(share); PACKED(forward);

static void slots(void) {
  jf_value out = nothing();
  jf_object* text = jf_str_new("some text that takes the heap", 29);
  jf_view view = object(text);
  assert(pick(&view, &out) == 0 && out.type_code == JF_OBJECT && out.v_object == text && text->ref_count == 2);
  jf_any_release(&out);
  jf_object* got = same(text);
  assert(got == text && text->ref_count == 2);
  jf_object_release(got);
  int32_t number = 7;
  assert(where(NULL, &number) == NULL && where(&number, NULL) == &number);
  memset(&out, 0xFF, sizeof out);
  out = nothing();
  assert(__jf_share(NULL, 1, &view, &out) == 0 && out.type_code == JF_OBJECT);
  assert(out.v_int64 == (int64_t)(uintptr_t)text && text->ref_count == 2);
  jf_any_release(&out);
  view = (jf_view){.type_code = JF_HANDLE};
  view.v_handle = &number;
  memset(&out.v_int64, 0xFF, 8); /* as no caller should leave it */
  assert(__jf_forward(NULL, 1, &view, &out) == 0 && out.type_code == JF_HANDLE);
  assert(out.v_int64 == (int64_t)(uintptr_t)&number);
  jf_object_release(text);
}

PACKED(narrow); PACKED(defaults); PACKED(apply); PACKED(through); PACKED(total); PACKED(loud);
extern const char __jfsig_defaults[], __jfsig_narrow[];
extern const uint32_t __jfabi;

int main(void) {
  jf_value out = nothing();
  jf_span words = {"ab", 2};
  jf_view args[4] = {integer(5), {.type_code = JF_STR_VIEW}, {.type_code = JF_NULL}, {.type_code = JF_NULL}};
  args[1].v_span = &words;
  printf("%s | %d\n", __jfsig_narrow, __jfabi == jf_abi_version());

  /* arguments */
  assert(__jf_narrow(NULL, 2, args, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 8);
  args[0] = integer(-128);
  assert(__jf_narrow(NULL, 2, args, &out) == 0 && out.v_int64 == -125);
  out = nothing();
  args[0] = integer(128);
  assert(__jf_narrow(NULL, 2, args, &out) != 0 && out.type_code == JF_NULL);
  show("range");
  assert(__jf_narrow(NULL, 1, args, &out) != 0);
  show("arity");
  args[0] = args[1];
  assert(__jf_narrow(NULL, 2, args, &out) != 0);
  show("type");

  /* defaults */
  args[0] = integer(42);
  assert(__jf_defaults(NULL, 1, args, &out) == 0 && out.v_int64 == 42);
  args[1] = (jf_view){.type_code = JF_FLOAT};
  args[1].v_float64 = 1.5;
  assert(__jf_defaults(NULL, 2, args, &out) == 0 && out.v_int64 == 42);
  out = nothing();
  assert(__jf_defaults(NULL, 0, args, &out) != 0);
  show("too few");
  printf("%s\n", strstr(__jfsig_defaults, "e: dtype = 'int8x4'") ? "signature has its defaults" : __jfsig_defaults);

  /* callbacks: a C function, and a function object where there are closures */
  args[0] = (jf_view){.type_code = JF_HANDLE};
  args[0].v_handle = (void*)plain;
  args[1] = integer(3);
  assert(__jf_apply(NULL, 2, args, &out) == 0 && out.v_int64 == 3 + 't' + 4 + 1);
  jf_object* function = jf_function_new(plus, NULL, NULL, NULL);
  args[0] = object(function);
  out = nothing();
  if (__jf_apply(NULL, 2, args, &out) == 0) {
    assert(out.v_int64 == 1004);
    args[1] = integer(101);
    out = nothing();
    assert(__jf_apply(NULL, 2, args, &out) != 0 && out.type_code == JF_NULL);
    show("closure");
    jf_object* namer = jf_function_new(named, NULL, NULL, NULL);
    args[0] = object(namer);
    for (int i = 0; i < 3; i++) {
      assert(__jf_through(NULL, 1, args, &out) == 0 && out.type_code == JF_OBJECT);
      assert(strcmp(((jf_str*)out.v_object)->data, "number 7") == 0);
      jf_any_release(&out);
    }
    jf_object_release(namer);
  } else {
    show("no closures");
  }
  assert(((jf_object*)function)->ref_count == 1);
  jf_object_release(function);
  args[0] = integer(4096);
  assert(__jf_apply(NULL, 2, args, &out) != 0);
  show("address as int");

  /* containers */
  jf_object* list = jf_list_new(2, 1);
  jf_view item = integer(4);
  assert(jf_list_append(list, &item) == 0 && jf_list_append(list, &item) == 0);
  args[0] = object(list);
  for (int i = 0; i < 3; i++) {
    assert(__jf_total(NULL, 1, args, &out) == 0 && out.v_int64 == 8);
    out = nothing();
  }
  args[1] = object(list);
  assert(__jf_total(NULL, 2, args, &out) != 0);
  show("container");
  item = (jf_view){.type_code = JF_BOOL};
  assert(jf_list_append(list, &item) == 0);
  item = (jf_view){.type_code = JF_FLOAT};
  assert(jf_list_append(list, &item) == 0);
  assert(__jf_total(NULL, 1, args, &out) != 0);
  show("item");
  jf_object_release(list);

  /* a C entry cannot fail: its error waits for the adapter that called into C, and nothing runs until then */
  assert(quiet(4) == 41);
  assert(quiet(-1) == 0 && jf_error_is_pending());
  assert(quiet(5) == 0);
  show("pending");
  assert(quiet(5) == 53);
  args[0] = integer(-2);
  assert(__jf_loud(NULL, 1, args, &out) != 0 && !jf_error_is_pending());
  show("raised");
  args[0] = integer(2);
  assert(__jf_loud(NULL, 1, args, &out) == 0 && out.v_int64 == 25 + 16);

  /* text results */
  const char* first = name_of(12);
  assert(strcmp(first, "number 12") == 0);
  const char* second = name_of(1234567);
  assert(strcmp(second, "number 1234567") == 0);
  out = nothing();
  assert(spell(3, &out) == 0 && out.type_code == JF_OBJECT && strcmp(((jf_str*)out.v_object)->data, "number 3") == 0);
  jf_any_release(&out);
  struct { jf_value slot; char more[24]; } padded = {{.type_code = JF_NULL, .small_len = 32}, {0}};
  assert(spell(3, &padded.slot) == 0 && padded.slot.type_code == JF_SMALL_STR && padded.slot.small_len == 8);
  for (int i = 0; i < 2; i++) {
    out = nothing();
    assert(wrong(i, &out) != 0 && out.type_code == JF_NULL);
    show("wrong");
  }
  assert(number_of("x", 1) == 0);
  show("result");
  slots();
  printf("%lld objects left\n", (long long)jf_live_objects());
  return 0;
}
"""

PACKED_ENTRIES = {
    "narrow": "(x: i8, text: str) -> i32",
    "defaults": "(a: i64, b: f32 = 1.5, c: str = 'x\\x00y', d: cstr = 'cs', e: dtype = 'int8x4', "
    "f: device = 'cuda:-1', g: optional[i16] = None, h: tuple = (), i: u64 = 18446744073709551615, j: bool = True, "
    f"k: bytes = b'{'b' * 300}', l: ptr = 4096) -> i64",
    "apply": "(f: func[(i64, str) -> i64], x: i64) -> i64",
    "through": "(f: func[(i32) -> cstr]) -> cstr",
    "total": "(list: list[i64], map: optional[map[str, i64]] = None) -> i64",
    "loud": "(x: i32) -> i32",
    "share": "(value: object) -> object",
    "forward": "(p: ptr) -> ptr",
}
C_ENTRIES = {
    "quiet": "(x: i32) -> i32",
    "name_of": "(x: i32) -> cstr",
    "spell": "(x: i32) -> str",
    "number_of": "(text: str) -> i32",
    "wrong": "(x: i32) -> str",
    "pick": "(value: any) -> any",
    "same": "(value: object) -> object",
    "where": "(p: ptr, x: optional[i32]) -> ptr",
}
EXPECTED = """\
(x: i8, text: str) -> i32 | 1
range: OverflowError: narrow: argument 1 'x': expected i8 (-128 to 127), got int 128
arity: TypeError: narrow: expected 2 arguments, got 1
type: TypeError: narrow: argument 1 'x': expected i8, got str 'ab'
too few: TypeError: defaults: expected 1 to 12 arguments, got 0
signature has its defaults
{closures}
address as int: TypeError: apply: argument 1 'f': expected func[(i64, str) -> i64], got int 4096
container: TypeError: total: argument 2 'map': expected optional[map[str, i64]], got list
item: TypeError: total: argument 1 'list': expected list[i64], got list with float 0.0 at [3]
pending: ValueError: call 2: negative
raised: ValueError: call 4: negative
wrong: TypeError: wrong: result: expected str, got list
wrong: no error:{space}
result: TypeError: number_of: result: expected i32, got str 'no number'
0 objects left
"""
CLOSURES = "closure: ValueError: too large"
NO_CLOSURES = (
    "no closures: TypeError: apply: argument 1 'f': expected func[(i64, str) -> i64], got a function object, "
    "which cannot be made a C function here: pass a C function's address"
)


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize("level", [0, 2])
def test_a_program_without_python(machine, level, tmp_path):
    where = MACHINES[machine]
    where.need()
    target = Target.of(where.triple)
    objects = []
    for entry, callee, texts in (("packed", "c", PACKED_ENTRIES), ("c", "packed", C_ENTRIES)):
        sigs = {name: Signature.parse(text) for name, text in texts.items()}
        text = adapter_modules.module_text(sigs, entry=entry, callee=callee, target=target)
        objects.append(tmp_path / f"{entry}.o")
        objects[-1].write_bytes(object_files.compile_text(text, target, level, "o"))
    (tmp_path / "main.c").write_text(HEAD + MAIN)
    where.compile(tmp_path / "program", [tmp_path / "main.c", *objects], "-O1", "-w")
    said = where.run(tmp_path / "program")
    assert said == EXPECTED.format(space=" ", closures=NO_CLOSURES if machine in ("wasm32", "arm") else CLOSURES)
