"""How C spells the types of a signature (ABI section 8): types, parameters, whole prototypes.

    str f(i64 a, func[(f64) -> void] g)   ->   int32_t f(int64_t a, void (*g)(double), jf_value* out)

A type with a place for a name in it, as a pointer to a function, has `(*)` where the name goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitffi.signature.cnames import can_name_parameter
from jitffi.signature.model import Signature, Type

#: What is not here is a pointer to an object.
_TYPES = {
    "void": "void", "bool": "bool", "i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "i64": "int64_t",
    "u8": "uint8_t", "u16": "uint16_t", "u32": "uint32_t", "u64": "uint64_t", "f16": "uint16_t", "bf16": "uint16_t",
    "f32": "float", "f64": "double", "ptr": "void*", "cstr": "const char*", "any": "const jf_view*",
    "dtype": "jf_dtype", "device": "jf_device",
}  # fmt: skip
#: Two parameters, the data and its size; through `out` as results.
_SPANS = {"str": "const char*", "ucs4": "const jf_char32*", "bytes": "const char*"}
#: By value as arguments, through `out` as results.
_STRUCTS = ("dtype", "device")
_NUMBERS = ("bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64")

#: Which header has a type; that with ours has all of the others but bool.
_HEADERS = {"bool": "<stdbool.h>", "size_t": "<stddef.h>"}
_HEADERS.update({word: "<stdint.h>" for word in _TYPES.values() if word.startswith(("int", "uint"))})
_OURS = frozenset(("jf_object", "jf_function", "jf_view", "jf_value", "jf_dtype", "jf_device", "jf_char32"))


def prototype(name: str, sig: Signature) -> str:
    """Return the prototype of a function in the C convention, without a semicolon.

    >>> prototype("f", Signature.parse("(str, new: func[(f64) -> func[() -> i8]]) -> str"))
    'int32_t f(const char* a1, size_t a1_size, int8_t (*(*new_)(double))(void), jf_value* out)'
    """
    result, _ = c_result(sig.result)
    return spell(result, f"{name}({', '.join([spell(*part) for part in parameters(sig)]) or 'void'})")


def parameters(sig: Signature) -> list[tuple[str, str]]:
    """Return the C parameters as (type, name); the last is `out` where the result goes through it.

    Names are the signature's as far as C and C++ can have them; no two are alike.

    >>> parameters(Signature.parse("(out: i8, x: bytes, x_size: u8) -> any"))
    [('int8_t', 'out'), ('const char*', 'x'), ('size_t', 'x_size_'), ('uint8_t', 'x_size'), ('jf_value*', 'out_')]
    """
    taken = {p.name for p in sig.params if p.name is not None and can_name_parameter(p.name)}
    named = [_parameter_name(i, p.name, taken) for i, p in enumerate(sig.params)]
    found: list[tuple[str, str]] = []
    for p, name in zip(sig.params, named, strict=True):
        types = c_types(p.type)
        found.append((types[0], name))
        found += [(more, _free(f"{name}_size", taken)) for more in types[1:]]
    if c_result(sig.result)[1]:
        found.append(("jf_value*", _free("out", taken)))
    return found


def c_types(type_: Type) -> list[str]:
    """Return the C types of the one or two parameters that a type is passed in."""
    inner = type_.inner if type_.is_optional else type_
    if inner.name in _SPANS:
        return [_SPANS[inner.name], "size_t"]
    if type_.is_optional and inner.name in (*_NUMBERS, *_STRUCTS):
        return [f"const {_TYPES[inner.name]}*"]
    return [_direct(inner)]


def c_result(type_: Type) -> tuple[str, bool]:
    """Return the C function's result, and whether the signature's goes through an out-slot."""
    inner = type_.inner if type_.is_optional else type_
    if inner.name in (*_SPANS, *_STRUCTS, "any") or (type_.is_optional and inner.name in _NUMBERS):
        return "int32_t", True
    return _direct(inner), False


def spell(type_: str, name: str) -> str:
    """Return the declaration of *name* as of that type.

    >>> spell("void (*)(int)", "f"), spell("double", "x")
    ('void (*f)(int)', 'double x')
    """
    return type_.replace("(*)", f"(*{name})", 1) if "(*)" in type_ else f"{type_} {name}"


def _direct(type_: Type) -> str:
    sig = type_.signature
    if sig is None:
        return _TYPES.get(type_.name, "jf_object*")
    result, through_out = c_result(sig.result)
    types = [c for p in sig.params for c in c_types(p.type)] + ["jf_value*"] * through_out
    return spell(result, f"(*)({', '.join(types) or 'void'})")


def _parameter_name(index: int, name: str | None, taken: set[str]) -> str:
    if name is None or not name.isascii() or name.startswith("__") or name[:2].isupper() and name[0] == "_":
        return _free(f"a{index + 1}", taken)
    return name if can_name_parameter(name) else _free(f"{name}_", taken)


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def headers(declarations: Iterable[str]) -> list[str]:
    """Return the headers that these declarations need; to C++ `<stdbool.h>` is needless and harmless.

    >>> headers(["int32_t f(bool x);", "double g(const char* x, size_t x_size);"]), headers(["void h(void);"])
    (['<stdbool.h>', '<stddef.h>', '<stdint.h>'], [])
    """
    words = {word for text in declarations for word in re.findall(r"\w+", text)}
    if words & _OURS:
        return ['"jitffi/runtime.h"', *(["<stdbool.h>"] if "bool" in words else [])]
    found = {header for word, header in _HEADERS.items() if word in words}
    return sorted(found)
