"""C's side of a call: how a C compiler spells each type (ABI section 8), and the functions at the far end of the tests.

The spellings are written down here a second time, from the specification and not from the code generator: what a C
compiler makes of them is the other opinion that each test needs.
"""

from __future__ import annotations

from jitffi.signature.model import Signature, Type
from jitffi.types.table import row

SCALARS = {
    "bool": "_Bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t", "u8": "uint8_t",
    "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "f16": "uint16_t", "bf16": "uint16_t", "f32": "float",
    "f64": "double", "longdouble": "long double", "i128": "__int128", "u128": "unsigned __int128",
    "c64": "float _Complex", "c128": "double _Complex",
}  # fmt: skip
POINTERS = {
    "ptr": "void*", "cstr": "const char*", "object": "jf_object*", "func": "jf_object*", "any": "const jf_view*",
    "list": "jf_object*", "map": "jf_object*", "tuple": "jf_object*", "set": "jf_object*",
    "module": "jf_object*",
}  # fmt: skip
SPANS = {"str": "const char*", "ucs4": "const char32_t*", "bytes": "const char*"}
STRUCTS = {"dtype": "DLDataType", "device": "DLDevice"}
OUT = ("str", "ucs4", "bytes", "dtype", "device", "any")
BY_VALUE = {**SCALARS, **STRUCTS}
OBJECTS = ("object", "func", "module", "list", "map", "tuple", "set")


def _core(type_: Type) -> Type:
    return type_.inner if type_.is_optional else type_


def parameters(type_: Type, name: str) -> list[str]:
    """The C parameters of one parameter of a signature, as declarations."""
    core = _core(type_)
    if core.signature is not None:
        return [_pointer_to_function(core.signature, name)]
    if core.name in SPANS:
        return [f"{SPANS[core.name]} {name}", f"size_t {name}_size"]
    if core.name in POINTERS:
        return [f"{_pointer(core)} {name}"]
    return [f"const {BY_VALUE[core.name]}* {name}" if type_.is_optional else f"{BY_VALUE[core.name]} {name}"]


def arguments(type_: Type, name: str) -> str:
    """What passes that parameter on."""
    return f"{name}, {name}_size" if _core(type_).name in SPANS else name


def goes_out(type_: Type) -> bool:
    """Whether a result goes through `out`."""
    return _core(type_).name in OUT


def _result(type_: Type) -> str:
    """The C result; a pointer to a function must be named by a typedef of the caller's."""
    core = _core(type_)
    if goes_out(type_):
        return "int32_t"
    return "void" if core.name == "void" else _pointer(core) or SCALARS[core.name]


def _pointer(type_: Type) -> str | None:
    """What C calls a pointer, or None for other types."""
    if type_.name != "ptr" or not type_.args:
        return POINTERS.get(type_.name)
    pointee, is_const = type_.args
    spelled = _pointer(pointee) or {"struct": pointee.text, "void": "void"}.get(pointee.name) or SCALARS[pointee.name]
    return f"{'const ' * is_const}{spelled}*"


def _list(sig: Signature, names: list[str]) -> str:
    declared = [text for p, name in zip(sig.params, names, strict=True) for text in parameters(p.type, name)]
    return ", ".join([*declared, *(["jf_value* out"] if goes_out(sig.result) else [])]) or "void"


def _pointer_to_function(sig: Signature, name: str) -> str:
    return f"{_result(sig.result)} (*{name})({_list(sig, [f'x{i}' for i in range(len(sig.params))])})"


def prototype(symbol: str, sig: Signature, names: list[str] | None = None) -> str:
    """The declaration of a C function of this signature; parameters are called a0, a1, ... unless named."""
    names = names or [f"a{i}" for i in range(len(sig.params))]
    return f"{_result(sig.result)} {symbol}({_list(sig, names)})"


HEAD = r"""
#include "jitffi/runtime.h"

#include <string.h>
#include <uchar.h>

/* dlpack.h 1.1 */
typedef struct {
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
} DLDataType;
typedef struct {
  int device_type; /* an enum */
  int32_t device_id;
} DLDevice;

/* An out-slot written by the rules of the ABI, section 4, in place as far as it has room. */
static inline int32_t put_text(jf_value* out, int32_t code, const char* data, size_t size) {
  size_t capacity = out->small_len < 8 ? 8 : out->small_len > 128 ? 128 : (size_t)out->small_len & ~(size_t)7;
  if (data == NULL) {
    out->small_len = 0;
    return 0;
  }
  if (size < capacity) {
    out->type_code = code;
    out->small_len = (int32_t)size;
    out->v_int64 = 0;
    memcpy((char*)out + 8, data, size);
    ((char*)out + 8)[size] = 0;
    return 0;
  }
  jf_object* text = code == JF_SMALL_STR ? jf_str_new(data, size) : jf_bytes_new(data, size);
  out->small_len = 0;
  if (text == NULL) return -1;
  out->type_code = JF_OBJECT;
  out->v_object = text;
  return 0;
}

static inline int32_t put_ucs4(jf_value* out, const char32_t* data, size_t size) {
  size_t capacity = out->small_len < 8 ? 8 : out->small_len > 128 ? 128 : (size_t)out->small_len & ~(size_t)7;
  out->small_len = 0;
  if (data == NULL) return 0;
  if (size <= capacity / 4) {
    out->type_code = JF_SMALL_UCS4;
    out->small_len = (int32_t)size;
    memcpy((char*)out + 8, data, 4 * size);
    return 0;
  }
  jf_object* text = jf_ucs4_new(data, size);
  if (text == NULL) return -1;
  out->type_code = JF_OBJECT;
  out->v_object = text;
  return 0;
}

/* A struct of at most 8 bytes; NULL: null. */
static inline int32_t put_struct(jf_value* out, int32_t code, const void* data, size_t size) {
  out->small_len = 0;
  if (data == NULL) return 0;
  out->type_code = code;
  memcpy(out->v_bytes, data, size);
  return 0;
}

static inline int32_t put_view(jf_value* out, const jf_view* view) {
  if (view == NULL) {
    out->small_len = 0;
    return 0;
  }
  switch (view->type_code) {
    case JF_NULL:
    case JF_INT:
    case JF_FLOAT:
    case JF_BOOL:
    case JF_HANDLE:
    case JF_UINT:
    case JF_DTYPE:
    case JF_DEVICE:
      *out = *view;
      return 0;
    case JF_SMALL_STR:
    case JF_SMALL_BYTES:
      return put_text(out, view->type_code, view->v_bytes, (size_t)view->small_len);
    case JF_STR_VIEW:
      return put_text(out, JF_SMALL_STR, view->v_span->data, view->v_span->size);
    case JF_BYTE_ARRAY:
      return put_text(out, JF_SMALL_BYTES, view->v_span->data, view->v_span->size);
    case JF_RAW_STR:
      return put_text(out, JF_SMALL_STR, view->v_raw_str, strlen(view->v_raw_str));
    default:
      return jf_any_retain(view, out);
  }
}

static inline jf_object* retained(jf_object* object) {
  if (object != NULL && object->deleter != NULL) __atomic_fetch_add(&object->ref_count, 1, __ATOMIC_RELAXED);
  return object;
}
"""

PACKED = r"""
int32_t packed_echo(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  if (num_args == 1) return put_view(out, args);
  if (num_args == 2) return put_view(out, args[0].type_code == JF_NULL ? &args[1] : &args[0]);
  if (num_args == 0) return put_view(out, NULL);
  jf_error_set("ValueError", "packed_echo takes up to two arguments");
  return -1;
}

/* Calls what it was told to: a packed caller that is none of ours. */
static jf_function* forward_to;
void set_forward(void* function) { forward_to = function; }
int32_t packed_forward(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  return forward_to->call(forward_to, num_args, args, out);
}

/* The same with an out-slot of its own, of 16 bytes: longer text takes the heap. */
int32_t packed_forward_small(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_value small = {.type_code = JF_NULL};
  int32_t status = forward_to->call(forward_to, num_args, args, &small);
  *out = small;
  return status;
}
"""


def echo_signature(type_: Type) -> Signature:
    """(T) -> T; for optional scalars, which C cannot return, (optional[T], T) -> T: the first unless it is None."""
    if type_.name == "void":
        return Signature.parse("() -> void")
    if row(type_).c_result_refused:
        return Signature.parse(f"(optional[{type_.inner}], {type_.inner}) -> {type_.inner}")
    return Signature.parse(f"({type_}) -> {type_}")


def call_signature(sig: Signature) -> Signature:
    """The signature of C's caller of a function of *sig*: its address, then its arguments."""
    return Signature.parse("(" + ", ".join(["ptr", *[p.type.text for p in sig.params]]) + f") -> {sig.result}")


def _echo(type_: Type) -> str:
    if type_.name == "void":
        return "return;"
    if row(type_).c_result_refused:
        return "return a0 != NULL ? *a0 : a1;"
    name = _core(type_).name
    if name in STRUCTS:
        address = "a0" if type_.is_optional else "&a0"
        return f"return put_struct(out, JF_{name.upper()}, {address}, sizeof({STRUCTS[name]}));"
    if name == "ucs4":
        return "return put_ucs4(out, a0, a0_size);"
    if name in SPANS:
        return f"return put_text(out, {'JF_SMALL_STR' if name == 'str' else 'JF_SMALL_BYTES'}, a0, a0_size);"
    if name == "any":
        return "return put_view(out, a0);"
    return "return retained(a0);" if name in OBJECTS else "return a0;"


def echo_source(types: list[Type]) -> str:
    """For each type echo_<i>, which gives its argument back, and call_<i>, which calls a C function of that kind."""
    parts = [HEAD, PACKED]
    for i, type_ in enumerate(types):
        sig = echo_signature(type_)
        passed = [arguments(p.type, f"a{k}") for k, p in enumerate(sig.params)]
        passed += ["out"] if goes_out(sig.result) else []
        returned = "" if sig.result.name == "void" else "return "
        names = ["f", *[f"a{k}" for k in range(len(sig.params))]]
        parts.append(f"/* {sig} */")
        if _core(type_).signature is not None:
            parts.append(f"typedef {_pointer_to_function(_core(type_).signature, f'type_{i}')};")
            parts.append(f"type_{i} echo_{i}(type_{i} a0) {{ return a0; }}")
            parts.append(f"type_{i} call_{i}(void* f, type_{i} a0) {{ return ((type_{i} (*)(type_{i}))f)(a0); }}")
            continue
        pointer = _pointer_to_function(sig, "")
        parts.append(f"{prototype(f'echo_{i}', sig)} {{ {_echo(type_)} }}")
        parts.append(
            f"{prototype(f'call_{i}', call_signature(sig), names)} {{ {returned}(({pointer})f)({', '.join(passed)}); }}"
        )
    return "\n".join(parts)
