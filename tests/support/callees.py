"""The C functions that deploy/hundred.sigs names, and a C program that calls what is emitted for them.

Each function remembers its arguments, which `last_arguments` gives back, and returns the first of the result's type, or
a constant. The program makes the calls that Python's tests make, and prints what comes out: the same on every machine.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jitffi
from jitffi import DataType, Device
from jitffi.signature import signature_lists as named
from jitffi.signature.model import TYPES, Signature, Type
from support import native
from support.adapters import carries
from support.values import edges

FILE = Path(__file__).resolve().parents[1] / "deploy" / "hundred.sigs"
#: What a function returns that gets nothing of its result's type: in C, and as Python sees it.
CONSTANTS: dict[str, tuple[str, Any]] = {
    "bool": ("1", True), "f16": ("0x4100", 2.5), "bf16": ("0x4020", 2.5), "f32": ("2.5f", 2.5), "f64": ("2.5", 2.5),
    "ptr": ("(void*)4096", 4096), "cstr": ('"constant"', "constant"),
    **dict.fromkeys(("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64"), ("42", 42)),
}  # fmt: skip
OUT_CONSTANTS: dict[str, tuple[str, Any]] = {
    "str": ('jf_out_str(out, "constant", 8)', "constant"),
    "bytes": ('jf_out_bytes(out, "constant", 8)', b"constant"),
    "ucs4": ("give_ucs4(out)", "constant"),
    "dtype": ("give(out, view_dtype(&(jf_dtype){2, 32, 1}))", DataType("float32")),
    "device": ("give(out, view_device(&(jf_device){1, 0}))", Device("cpu:0")),
    "any": ("give(out, view_int(42))", 42),
}
#: The numbers that callbacks get, and what Python's and C's callback make of them.
CALLBACK_ARGUMENT = 20

HEAD = r"""
#include "jitffi/containers.h"
#include "jitffi/module.h"
#include "jitffi/runtime.h"
#include "hundred.h"

#include <string.h>
#include <uchar.h>

/* By layout the same; so that the definitions here are compared with the header's declarations. */
typedef jf_dtype DLDataType;
typedef jf_device DLDevice;

static jf_view view_null(void) {
  jf_view view;
  memset(&view, 0, sizeof view);
  view.type_code = JF_NULL;
  return view;
}
static jf_view view_word(int32_t code, uint64_t word) {
  jf_view view = view_null();
  view.type_code = code;
  view.v_uint64 = word;
  return view;
}
static jf_view view_bool(_Bool value) { return view_word(JF_BOOL, value); }
static jf_view view_int(int64_t value) { return view_word(JF_INT, (uint64_t)value); }
static jf_view view_uint(uint64_t value) { return view_word(value > INT64_MAX ? JF_UINT : JF_INT, value); }
static jf_view view_float(double value) {
  jf_view view = view_word(JF_FLOAT, 0);
  view.v_float64 = value;
  return view;
}
static jf_view view_pointer(int32_t code, const void* pointer) {
  return pointer == NULL ? view_null() : view_word(code, JF_POINTER_WORD(pointer));
}
static jf_view view_address(const void* pointer) {
  return pointer == NULL ? view_null() : view_uint(JF_POINTER_WORD(pointer));
}
static jf_view view_object(jf_object* object) {
  return view_pointer(object != NULL && object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT, object);
}
static jf_view view_dtype(const jf_dtype* type) {
  if (type == NULL) return view_null();
  jf_view view = view_word(JF_DTYPE, 0);
  view.v_dtype = *type;
  return view;
}
static jf_view view_device(const jf_device* device) {
  if (device == NULL) return view_null();
  jf_view view = view_word(JF_DEVICE, 0);
  view.v_device = *device;
  return view;
}
static int32_t give(jf_value* out, jf_view view) { return jf_any_retain(&view, out); }
static jf_object* retained(jf_object* object) {
  jf_object_retain(object);
  return object;
}
"""

MEMORY = r"""
static int32_t give_ucs4(jf_value* out) {
  return jf_out_ucs4(out, (const jf_char32[]){'c', 'o', 'n', 's', 't', 'a', 'n', 't'}, 8);
}
/* What a packed function makes of a number. */
static jf_value called(jf_object* function, int64_t value) {
  jf_value out = view_null();
  jf_view view = view_int(value);
  jf_function* callee = (jf_function*)function;
  if (callee != NULL) callee->call(callee, 1, &view, &out);
  return out;
}
static jf_object* last;
static void remember(const jf_view* views, size_t count) {
  jf_object_release(last);
  last = jf_list_of(views, count, -1);
}
jf_object* last_arguments(void) {
  jf_object* result = last;
  last = NULL;
  return result != NULL ? result : jf_list_new(0, -1);
}
int32_t fail(const char* kind, const char* message, jf_value* out) {
  (void)out;
  jf_error_set(kind, message);
  return -1;
}
"""


def signatures() -> dict[str, Signature]:
    """The hundred, by name."""
    return named.read((f"@{FILE}",))


def _core(type_: Type) -> Type:
    return type_.inner if type_.is_optional else type_


def _given(sig: Signature) -> int | None:
    """Which parameter comes back: the first of the result's type, or of what that may be missing."""
    return next((i for i, p in enumerate(sig.params) if p.type == sig.result), None)


# -- C functions -------------------------------------------------------------------------------------------------


def _numbers(sig: Signature) -> str:
    return ", ".join(str(CALLBACK_ARGUMENT + i) for i in range(len(sig.params)))


def _remembered(type_: Type, name: str) -> tuple[str, str]:
    """A statement that comes before, or "", and an expression of the view that is remembered."""
    core = _core(type_)
    if core.signature is not None:
        call = f"{name}({_numbers(core.signature)})"
        if core.signature.result.name == "void":
            return f"if ({name} != NULL) {call};", f"view_bool({name} != NULL)"
        return "", f"{'view_float' if core.signature.result.name[0] == 'f' else 'view_int'}({call})"
    if core.name == "func":
        return f"jf_value {name}_value = called({name}, {CALLBACK_ARGUMENT});", f"{name}_value"
    if core.name in ("str", "bytes"):
        code = "JF_STR_VIEW" if core.name == "str" else "JF_BYTE_ARRAY"
        return f"jf_span {name}_span = {{{name}, {name}_size}};", _span(code, name)
    if core.name == "ucs4":
        return f"jf_ucs4_span {name}_span = {{{name}, {name}_size}};", _span("JF_UCS4_VIEW", name)
    if core.name == "cstr":
        return "", f"view_pointer(JF_RAW_STR, {name})"
    if core.name == "ptr":
        return "", f"view_address({name})"
    if core.name == "any":
        return "", f"*{name}"
    if core.name in ("dtype", "device"):
        return "", f"view_{core.name}({'' if type_.is_optional else '&'}{name})"
    if core.name == "module":
        return "", f"view_pointer(JF_RAW_STR, jf_module_name({name}))"
    if core.name in ("object", "list", "map", "tuple", "set"):
        return "", f"view_object({name})"
    value = f"*{name}" if type_.is_optional else name
    kind = {"b": "bool", "i": "int", "u": "uint", "f": "float"}[core.name[0]]
    if core.name in ("f16", "bf16"):
        kind, value = "float", f"jf_f64_from_{core.name}({value})"
    made = f"view_{kind}({value})"
    return "", f"{name} == NULL ? view_null() : {made}" if type_.is_optional else made


def _span(code: str, name: str) -> str:
    return f"{name} == NULL ? view_null() : view_pointer({code}, &{name}_span)"


def _returned(sig: Signature) -> str:
    core, given = _core(sig.result), _given(sig)
    if core.name == "void":
        return "return;"
    if given is None:
        if core.name in ("list", "object"):
            return "return retained(last);"
        return f"return {(CONSTANTS.get(core.name) or OUT_CONSTANTS[core.name])[0]};"
    name = f"a{given}"
    if core.name in ("str", "bytes", "ucs4"):
        out = f"jf_out_{core.name}(out, {name}, {name}_size)"
        return f"return {name} == NULL ? 0 : {out};"
    if native.goes_out(sig.result):
        return f"return give(out, {_remembered(sig.params[given].type, name)[1]});"
    return f"return retained({name});" if core.name in native.OBJECTS else f"return {name};"


def source() -> str:
    """All functions in one C file, without the head, which includes what was emitted with the signatures."""
    parts = [MEMORY]
    for name, sig in signatures().items():
        if name in ("last_arguments", "fail"):
            continue
        kept = [_remembered(p.type, f"a{i}") for i, p in enumerate(sig.params)]
        before = " ".join([statement for statement, _ in kept if statement])
        views = ", ".join([view for _, view in kept])
        remember = f"remember((const jf_view[]){{{views}}}, {len(kept)});" if kept else "remember(NULL, 0);"
        after = " ".join(
            [f"jf_any_release(&a{i}_value);" for i, p in enumerate(sig.params) if _core(p.type).name == "func"
             and _core(p.type).signature is None]
        )  # fmt: skip
        parts.append(f"{native.prototype(name, sig)} {{ {before} {remember} {after} {_returned(sig)} }}")
    return "\n".join(parts)


# -- values ------------------------------------------------------------------------------------------------------


def _is_short(value: Any) -> bool:
    return len(repr(value)) < 400 and not isinstance(value, type)


def _callback(sig: Signature) -> tuple[Callable[..., Any], Any]:
    """A Python function of that signature, and what C makes of calling it."""
    if sig.result.name == "void":
        return (lambda: None), True
    if sig.result.name == "f64":
        return (lambda x, n: x / n), CALLBACK_ARGUMENT / (CALLBACK_ARGUMENT + 1)
    return (lambda x: 2 * x), 2 * CALLBACK_ARGUMENT


def choices(type_: Type) -> list[tuple[Any, Any]]:
    """Values of one parameter, each with what is remembered of it."""
    core = _core(type_)
    missing = [(None, None)] if type_.is_optional else []
    if core.signature is not None:
        function, result = _callback(core.signature)
        return [(function, result)] + ([(None, False)] if type_.is_optional else [])
    if core.name == "func":
        return [(lambda x: 3 * x, 3 * CALLBACK_ARGUMENT), *missing]
    if core.name == "module":
        return [(jitffi.system_library(), "system")]
    given = [value for value in edges(core) if value is not None or core.name in ("ptr", "any")]
    return [(value, value) for value in given if _is_short(value)] + missing


def cases(sig: Signature) -> list[tuple[tuple[Any, ...], list[Any], Any]]:
    """Arguments, what is remembered of them, and the result; each value of each parameter is there at least once."""
    columns = [choices(p.type) for p in sig.params]
    found = []
    for k in range(max(map(len, columns), default=1)):
        picked = [column[(k + 3 * i) % len(column)] for i, column in enumerate(columns)]
        kept = [seen for _, seen in picked]
        found.append((tuple(given for given, _ in picked), kept, _result(sig, kept)))
    return found


def _result(sig: Signature, kept: list[Any]) -> Any:
    given, core = _given(sig), _core(sig.result)
    if core.name == "void":
        return None
    if given is not None:
        return kept[given]
    if core.name == "list":
        return kept
    return (CONSTANTS.get(core.name) or OUT_CONSTANTS[core.name])[1]


# -- a program in C ----------------------------------------------------------------------------------------------

PROGRAM = r"""
#include <stdio.h>
#include <stdlib.h>

static int32_t thrice(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self;
  if (count != 1 || args->type_code != JF_INT) return -1;
  *out = view_int(3 * args->v_int64);
  return 0;
}
static int64_t twice(int64_t x) { return 2 * x; }
static double divide(double x, int32_t n) { return x / n; }
static void nothing_to_do(void) {}

static jf_object* thrice_function;
static jf_value printed = {.type_code = JF_NULL};
static void print(const jf_value* value) {
  jf_any_release(&printed);
  printed = view_null();
  if (jf_any_repr(value, &printed) != 0) exit(3);
  if (printed.type_code == JF_SMALL_STR)
    fputs(printed.v_bytes, stdout);
  else
    fputs(((const jf_str*)printed.v_object)->data, stdout);
}

/* What was made for one call. */
static jf_object* made[64];
static size_t made_count;
static jf_object* keep(jf_object* object) {
  if (object == NULL || made_count == sizeof made / sizeof made[0]) exit(4);
  made[made_count++] = object;
  return object;
}

static void check(const char* name, jf_packed_call call, int32_t count, const jf_view* args) {
  jf_value out = view_null(), kept = view_null();
  printf("%s ", name);
  if (call(NULL, count, args, &out) != 0 || __jf_last_arguments(NULL, 0, NULL, &kept) != 0) {
    const jf_error* error = (const jf_error*)jf_error_take();
    printf("%s: %s\n", error->kind->data, error->message->data);
    jf_object_release((jf_object*)error);
  } else {
    print(&out);
    putchar(' ');
    print(&kept);
    putchar('\n');
    jf_any_release(&out);
    jf_any_release(&kept);
  }
  while (made_count > 0) jf_object_release(made[--made_count]);
}

static jf_object* list_of(const jf_view* views, size_t count) { return keep(jf_list_of(views, count, -1)); }
static jf_object* tuple_of(const jf_view* views, size_t count) { return keep(jf_tuple_new(views, count)); }
__attribute__((unused)) static jf_object* map_of(const jf_view* views, size_t count) {
  jf_object* map = keep(jf_map_new(count, -1));
  for (size_t i = 0; i < 2 * count; i += 2)
    if (jf_map_set(map, &views[i], &views[i + 1]) != 0) exit(4);
  return map;
}
"""
_C_CALLBACKS = {"(i64) -> i64": "twice", "(f64, i32) -> f64": "divide", "() -> void": "nothing_to_do"}


def _literal(data: bytes) -> str:
    return '"' + "".join([f"\\{byte:03o}" for byte in data]) + '"'


def _view(type_: Type, value: Any) -> str:
    """A C expression of the view of a Python value."""
    core = _core(type_)
    if value is None:
        return "view_null()"
    if callable(value):
        if core.signature is not None:
            return f"view_pointer(JF_HANDLE, (void*)(uintptr_t){_C_CALLBACKS[str(core.signature)]})"
        return "view_pointer(JF_FUNCTION, thrice_function)"
    if core.name == "module":
        return "view_pointer(JF_MODULE, keep(jf_system_library(NULL)))"
    if isinstance(value, bool):
        return f"view_bool({int(value)})"
    if isinstance(value, int):
        return f"view_uint({value}u)" if value >= 0 else f"view_int({value + 1} - 1)"
    if isinstance(value, float):
        return f"view_float({_float(value)})"
    if isinstance(value, (str, bytes)):
        data = value.encode() if isinstance(value, str) else value
        code = "JF_STR_VIEW" if isinstance(value, str) else "JF_BYTE_ARRAY"
        return f"view_pointer({code}, &(jf_span){{{_literal(data)}, {len(data)}}})"
    if isinstance(value, DataType):
        code, bits, lanes = value.type_code, value.bits, value.lanes
        return f"view_dtype(&(jf_dtype){{{int(code)}, {bits}, {lanes}}})"
    if isinstance(value, Device):
        return f"view_device(&(jf_device){{{value.dlpack_device_type()}, {value.index}}})"
    if isinstance(value, dict):
        items = ", ".join([_view(TYPES["any"], each) for pair in value.items() for each in pair]) or "view_null()"
        return f"view_object(map_of((const jf_view[]){{{items}}}, {len(value)}))"
    items = ", ".join([_view(TYPES["any"], each) for each in value]) or "view_null()"
    make = "list_of" if isinstance(value, list) else "tuple_of"
    return f"view_object({make}((const jf_view[]){{{items}}}, {len(value)}))"


def _float(value: float) -> str:
    if value != value:
        return '__builtin_nan("")'
    if value in (float("inf"), float("-inf")):
        return f"{'-' * (value < 0)}__builtin_inf()"
    return value.hex()


def _is_portable(type_: Type, value: Any) -> bool:
    """Whether it is an address on every machine, and no character that only Python's repr knows nothing of."""
    return not (_core(type_).name == "ptr" and (value or 0) >= 1 << 32) and value != "\ud7ff\ue000"


def apart(name: str) -> str:
    """What a C function is called where an emitted one has its name."""
    return f"{name}_in_c"


def program(between: str | None = None) -> tuple[str, str]:
    """A C program with all functions in it, and what it prints. *between*: as far as that convention, without any
    library of others, carries the values; C's functions have names of their own then."""
    functions, calls, lines = [], [], []
    pair = ("packed", between or "c")
    for name, sig in signatures().items():
        if name in ("last_arguments", "fail"):
            continue
        own: list[str] = []
        for args, kept, result in cases(sig):
            given = list(zip(sig.params, args, strict=True))
            if not all(_is_portable(p.type, arg) and carries(pair, p.type, arg, False) for p, arg in given):
                continue
            views = ", ".join([_view(p.type, arg) for p, arg in zip(sig.params, args, strict=True)])
            array = f"(const jf_view[]){{{views}}}" if args else "NULL"
            own.append(f'  {{ check("{name}", __jf_{name}, {len(args)}, {array}); }}')
            lines.append(f"{name} {result!r} {kept!r}")
        # Each in a function of its own: small stacks have room for the values of one.
        functions.append(f"static void run_{name}(void) {{\n" + "\n".join(own) + "\n}")
        calls.append(f"  run_{name}();")
    calls.append('  check("two", __jf_two, 1, (const jf_view[]){view_int(1)});')
    lines.append("two TypeError: two: expected 2 arguments, got 1")
    start = "int main(void) {\n  thrice_function = (jf_object*)jf_function_new(thrice, NULL, NULL, NULL);\n"
    end = "  jf_any_release(&printed);\n  jf_object_release(thrice_function);\n  jf_object_release(last);\n"
    end += '  printf("%lld objects left\\n", (long long)jf_live_objects());\n  return 0;\n}\n'
    lines.append("0 objects left")
    renamed = [f"#define {name} {apart(name)}" for name in signatures()] if between else []
    text = "\n".join([HEAD, *renamed, source(), PROGRAM, *functions, start + "\n".join(calls), end])
    return text, "\n".join(lines) + "\n"
