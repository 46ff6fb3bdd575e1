"""What a packed entry accepts and what a packed callee may return: each code of a slot at each type (ABI section 5)."""

from __future__ import annotations

import ctypes
import functools
import struct

import pytest
from support.adapters import function_at
from support.leaks import live_objects, settle
from support.native import HEAD
from support.values import ALL, edges, ids, same

import jitffi
from jitffi.signature.model import TYPES, Param, Signature

# name: (C code that makes the slot, the value that it is; no value: nobody may take it)
TEXT = "\u00e9\u20ac"
SLOTS = {
    "null": ("(jf_view){.type_code = JF_NULL}", None),
    "int": ("(jf_view){.type_code = JF_INT, .v_int64 = -7}", -7),
    "int_large": ("(jf_view){.type_code = JF_INT, .v_int64 = INT64_C(1) << 40}", 1 << 40),
    "uint": ("(jf_view){.type_code = JF_UINT, .v_uint64 = UINT64_MAX}", (1 << 64) - 1),
    "float": ("(jf_view){.type_code = JF_FLOAT, .v_float64 = 1.5}", 1.5),
    "float_large": ("(jf_view){.type_code = JF_FLOAT, .v_float64 = -1e300}", -1e300),
    "bool": ("(jf_view){.type_code = JF_BOOL, .v_int64 = 1}", True),
    "handle": ("(jf_view){.type_code = JF_HANDLE, .v_handle = (void*)4096}", 4096),
    "raw_str": ('(jf_view){.type_code = JF_RAW_STR, .v_raw_str = "raw"}', "raw"),
    "str_view": ("(jf_view){.type_code = JF_STR_VIEW, .v_span = &text}", "a text of sixteen"),
    "byte_array": ("(jf_view){.type_code = JF_BYTE_ARRAY, .v_span = &text}", b"a text of sixteen"),
    "small_str": ('(jf_view){.type_code = JF_SMALL_STR, .small_len = 3, .v_bytes = "abc"}', "abc"),
    "small_nul": ('(jf_view){.type_code = JF_SMALL_STR, .small_len = 3, .v_bytes = "a\\0b"}', "a\0b"),
    "small_bytes": ('(jf_view){.type_code = JF_SMALL_BYTES, .small_len = 2, .v_bytes = "\\xff"}', b"\xff\0"),
    "small_ucs4": ("(jf_view){.type_code = JF_SMALL_UCS4, .small_len = 2, .v_char32 = {0xe9, 0x20ac}}", TEXT),
    "ucs4_view": ("(jf_view){.type_code = JF_UCS4_VIEW, .v_ucs4_span = &ucs4_text}", TEXT * 2),
    "any_ptr_str": ("pointer_to(JF_SMALL_STR)", "twelve chars"),
    "any_ptr_bytes": ("pointer_to(JF_SMALL_BYTES)", b"twelve chars"),
    "heap_str": ("object(jf_str_new(text.data, text.size))", "a text of sixteen"),
    "heap_bytes": ("object(jf_bytes_new(text.data, text.size))", b"a text of sixteen"),
    "heap_ucs4": ("object(jf_ucs4_new(ucs4, 4))", TEXT * 2),
    "boxed_int": ("box((jf_view){.type_code = JF_INT, .v_int64 = -7})", -7),
    "boxed_uint": ("box((jf_view){.type_code = JF_UINT, .v_uint64 = UINT64_MAX})", (1 << 64) - 1),
    "boxed_float": ("box((jf_view){.type_code = JF_FLOAT, .v_float64 = 1.5})", 1.5),
    "boxed_bool": ("box((jf_view){.type_code = JF_BOOL, .v_int64 = 1})", True),
    "boxed_handle": ("box((jf_view){.type_code = JF_HANDLE, .v_handle = (void*)4096})", 4096),
    "function": ("function()", jitffi.Function),
    "dtype": ("(jf_view){.type_code = JF_DTYPE, .v_dtype = {2, 32, 1}}", jitffi.DataType("float32")),
    "device": ("(jf_view){.type_code = JF_DEVICE, .v_device = {1, 0}}", jitffi.Device("cpu")),
    "boxed_dtype": ("box((jf_view){.type_code = JF_DTYPE, .v_dtype = {0, 8, 4}})", jitffi.DataType("int8x4")),
    "boxed_device": ("box((jf_view){.type_code = JF_DEVICE, .v_device = {2, 1}})", jitffi.Device("cuda:1")),
    "name_of_dtype": ('(jf_view){.type_code = JF_RAW_STR, .v_raw_str = "int8x4"}', "int8x4"),
    "name_of_device": ('(jf_view){.type_code = JF_RAW_STR, .v_raw_str = "cuda:1"}', "cuda:1"),
    "list": ("object(list())", [1, 2]),
    "map": ("object(map())", {"a": 1}),
    "tuple": ("object(tuple())", (1, "b")),
    "set": ("object(set())", {"a"}),
    "unknown": ("(jf_view){.type_code = -77}", TypeError),
    "zero": ("(jf_view){.type_code = 0}", TypeError),
    "unknown_object": ("(jf_view){.type_code = 9, .v_int64 = 0}", TypeError),
}

#: The types that take each of the containers, but for the plain ones.
HOLDS = {
    "list": ("list[i64]", "list[u8]", "list[f64]", "list[f32]", "list[any]", "list[optional[i64]]"),
    "map": ("map[str, i64]",),
    "tuple": ("tuple[i64, str]",),
    "set": ("set[str]",),
}

SOURCE = (
    HEAD
    + r"""
#include "jitffi/containers.h"

static jf_span text = {"a text of sixteen", 17};
static const jf_char32 ucs4[4] = {0xe9, 0x20ac, 0xe9, 0x20ac};
static jf_ucs4_span ucs4_text = {ucs4, 4};

static jf_view object(jf_object* made) { return (jf_view){.type_code = JF_OBJECT, .v_object = made}; }
static jf_view box(jf_view view) { return object(jf_any_to_object(&view, NULL)); }
static jf_view pointer_to(int32_t code) {
  static struct { jf_any slot; char more[8]; } wide[2];
  jf_any* slot = &wide[code == JF_SMALL_STR].slot;
  slot->type_code = code;
  slot->small_len = 12;
  memcpy((char*)slot + 8, "twelve chars", 13);
  return (jf_view){.type_code = JF_ANY_PTR, .v_handle = slot};
}
static const jf_view one = {.type_code = JF_INT, .v_int64 = 1};
static jf_object* list(void) {
  const jf_view views[] = {one, {.type_code = JF_INT, .v_int64 = 2}};
  return jf_list_of(views, 2, -1);
}
static jf_object* map(void) {
  const jf_view key = {.type_code = JF_RAW_STR, .v_raw_str = "a"};
  jf_object* made = jf_map_new(1, -1);
  return jf_map_set(made, &key, &one) == 0 ? made : NULL;
}
static jf_object* set(void) {
  const jf_view item = {.type_code = JF_RAW_STR, .v_raw_str = "a"};
  jf_object* set = jf_set_new(0, -1);
  jf_set_add(set, &item);
  return set;
}
static jf_object* tuple(void) {
  const jf_view views[] = {one, {.type_code = JF_RAW_STR, .v_raw_str = "b"}};
  return jf_tuple_new(views, 2);
}
static int32_t answer(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  *out = (jf_value){.type_code = JF_INT, .v_int64 = 42};
  return 0;
}
static jf_view function(void) {
  return (jf_view){.type_code = JF_FUNCTION, .v_object = jf_function_new(answer, NULL, NULL, NULL)};
}
static jf_view make(int32_t which) {
  switch (which) {
"""
    + "\n".join(f"    case {i}: return {code};" for i, (code, _) in enumerate(SLOTS.values()))
    + r"""
  }
  return (jf_view){.type_code = JF_NULL};
}
static void drop(jf_view* view) {
  if (view->type_code == JF_OBJECT || view->type_code == JF_FUNCTION) jf_object_release(view->v_object);
}

/* Calls f with the slot `which`. */
int32_t feed(jf_function* f, int32_t which, jf_value* out) {
  jf_view view = make(which);
  int32_t status = f->call(f, 1, &view, out);
  drop(&view);
  return status;
}

/* Calls f with nothing. */
int32_t feed_nothing(jf_function* f, jf_value* out) { return f->call(f, 0, NULL, out); }

/* Returns the slot `which` as a value. */
int32_t next;
int32_t give(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  jf_view view = make(next);
  if (view.type_code == -77 || view.type_code == 0 || view.type_code == 9) {
    *out = view;
    return 0;
  }
  if (view.type_code == JF_OBJECT) { /* a box is no value; who returns one all the same is understood */
    out->type_code = JF_OBJECT;
    out->small_len = 0;
    out->v_object = view.v_object;
    return 0;
  }
  int32_t status = jf_any_retain(&view, out);
  drop(&view);
  return status;
}
void choose(int32_t which) { next = which; }
"""
)


@pytest.fixture(scope="module")
def native(build_library):
    settle()
    return jitffi.load_library(build_library(SOURCE, runtime=True))


def is_c_function(type_):
    return (type_.inner if type_.is_optional else type_).signature is not None


def expected(type_, name):
    """What a parameter of *type_* makes of the slot *name*: a value or an exception's class."""
    value = SLOTS[name][1]
    kind = type_.inner.name if type_.is_optional else type_.name
    if value is None and (type_.is_optional or kind in ("any", "ptr")):
        return None
    if value is TypeError or value is None:
        return TypeError
    if kind in ("any", "object"):
        return value
    if kind == "func":
        if is_c_function(type_) and name == "handle":
            return value
        return value if value is jitffi.Function else TypeError
    if kind == "module":
        return TypeError
    if kind in HOLDS:
        text = type_.inner.text if type_.is_optional else type_.text
        return value if name == kind and (text == kind or text in HOLDS[kind]) else TypeError
    if kind == "bool":
        return value if isinstance(value, bool) else TypeError
    if kind == "ptr":
        number = type(value) is int
        return value & (1 << 64) - 1 if number else TypeError
    if kind in ("dtype", "device"):
        return as_struct({"dtype": jitffi.DataType, "device": jitffi.Device}[kind], value)
    if kind in ("str", "ucs4", "cstr"):
        wrong = ValueError if kind == "cstr" and name == "small_nul" else value
        return wrong if isinstance(value, str) else TypeError
    if kind == "bytes":
        return value if isinstance(value, bytes) else TypeError
    if "handle" in name or not isinstance(value, (int, float)):
        return TypeError
    if kind in ("f16", "bf16", "f32", "f64", "longdouble"):
        return as_float(kind, value)
    return as_integer(kind, value)


def as_struct(cls, value):
    if isinstance(value, str):
        try:
            return cls(value)
        except ValueError:
            return ValueError
    return value if isinstance(value, cls) else TypeError


def as_float(kind, value):
    most = {"f16": 65504.0, "bf16": 3.4e38, "f32": 3.4e38, "f64": 1.8e308, "longdouble": 1.8e308}[kind]
    if abs(value) > most:
        return OverflowError
    if kind == "bf16":  # cut off, which rounds the values here as they should be
        return struct.unpack("f", struct.pack("I", struct.unpack("I", struct.pack("f", value))[0] & 0xFFFF0000))[0]
    return float(value) if kind in ("f16", "f64", "longdouble") else ctypes.c_float(value).value


def as_integer(kind, value):
    bits = int(kind[1:])
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if kind[0] == "i" else (0, (1 << bits) - 1)
    if isinstance(value, float):
        return TypeError
    return int(value) if low <= value <= high else OverflowError


def check(call, type_, name, where):
    wanted = expected(type_, name)
    if wanted is jitffi.Function:
        assert call()(*([1] if is_c_function(type_) else [])) == 42, name
    elif isinstance(wanted, type):
        with pytest.raises(wanted) as caught:
            call()
        if SLOTS[name][1] is not TypeError:  # nobody knows them: any class's text will do
            assert str(caught.value).startswith(where) and ", got " in str(caught.value), (name, caught.value)
    elif is_c_function(type_):
        assert jitffi.Function(call()).native_address == wanted if wanted is not None else call() is None
    else:
        assert same(call(), wanted), name


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("type_", ALL, ids=ids(ALL))
def test_what_a_packed_entry_accepts(native, type_, level):
    seen = []

    def callee(value):
        seen.append(value)

    sig = Signature.parse(f"(x: {type_}) -> void")
    function = function_at("f", sig, "packed", "python", callee, level)
    feed = native.bind("feed", "(ptr, i32) -> any")

    def call(which):
        seen.clear()
        assert feed(function.handle, which) is None
        return seen.pop()

    before = live_objects()
    for which, name in enumerate(SLOTS):
        check(functools.partial(call, which), type_, name, f"f: argument 1 'x': expected {type_}")
    assert live_objects() == before + 1  # the handle


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("type_", ALL, ids=ids(ALL))
def test_what_a_packed_callee_may_return(native, type_, level):
    address = jitffi.Function(native.bind("give", "() -> void")).native_address
    choose = native.bind("choose", "(i32) -> void")
    function = function_at("give", Signature.parse(f"() -> {type_}"), "python", "packed", address, level)
    before = live_objects()
    for which, name in enumerate(SLOTS):
        choose(which)
        check(function, type_, name, f"give: result: expected {type_}")
    assert live_objects() == before


WITH_DEFAULTS = [type_ for type_ in ALL if type_.is_optional or type_.name not in ("object", "func", "module")]


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("type_", WITH_DEFAULTS, ids=ids(WITH_DEFAULTS))
def test_a_packed_entry_fills_defaults_in(native, type_, level):
    feed_nothing = native.bind("feed_nothing", "(ptr) -> any")
    for default in edges(type_)[:8]:
        if callable(default) or default is not None and type_.text in ("optional[object]", "optional[module]"):
            continue  # no text can show them
        if isinstance(default, (list, dict, set)) or (isinstance(default, tuple) and default):
            continue  # one object would be shared by all calls
        seen = []
        sig = Signature([Param("x", type_, default), Param(None, TYPES["i8"], 3)], TYPES["void"])
        function = function_at("f", sig, "packed", "python", lambda *args, seen=seen: seen.append(args), level)
        assert feed_nothing(function.handle) is None
        assert same(seen[0][0], default) and seen[0][1] == 3
    too_many = Signature([Param("x", type_), Param(None, TYPES["i8"], 3)], TYPES["void"])
    function = function_at("f", too_many, "packed", "python", print, level)
    with pytest.raises(TypeError, match="f: expected 1 to 2 arguments, got 0"):
        feed_nothing(function.handle)


def test_out_slots_are_null_after_a_failure(build_library, native):
    source = r"""
    #include "jitffi/runtime.h"
    int32_t failing(jf_function* f) {
      jf_value out = {.type_code = JF_NULL, .small_len = 40, .v_int64 = 0};
      int32_t status = f->call(f, 0, NULL, &out);
      jf_error* error = (jf_error*)jf_error_take();
      int32_t fine = status != 0 && error != NULL && out.type_code == JF_NULL && out.v_int64 == 0;
      jf_object_release(&error->header);
      return fine;
    }
    """
    failing = jitffi.load_library(build_library(source, runtime=True)).bind("failing", "(ptr) -> i32")
    for type_ in ("str", "any", "i64", "object", "optional[f64]", "void", "cstr"):
        function = jitffi.Function(jitffi.function(f"() -> {type_}")(lambda: 1 / 0))
        assert failing(function.handle) == 1, type_
