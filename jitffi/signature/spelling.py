"""How C spells the types of a signature (ABI section 8): types, parameters, whole prototypes.

    str f(i64 a, func[(f64) -> void] g)   ->   int32_t f(int64_t a, void (*g)(double), jf_value* out)

A type with a place for a name in it, as a pointer to a function, has `(*)` where the name goes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from jitffi.signature.cnames import can_name_parameter
from jitffi.signature.model import Signature, Type
from jitffi.signature.plain import plain_types
from jitffi.types.table import row

#: Which header has a word; what begins with jf_ is in ours, which has the others but bool's and DLPack's.
_SIZE = {"size_t": "<stddef.h>", "DLTensor": "<dlpack/dlpack.h>"}


def prototype(name: str, sig: Signature) -> str:
    """Return the prototype of a function in the C convention, without a semicolon.

    >>> prototype("f", Signature.parse("(str, new: func[(f64) -> func[() -> i8]]) -> str"))
    'int32_t f(const char* a1, size_t a1_size, int8_t (*(*new_)(double))(void), jf_value* out)'
    """
    result, _ = c_result(sig.result)
    found = [spell(*part) for part in parameters(sig)]
    return spell(result, f"{name}({', '.join(_with_ellipsis(sig, found)) or 'void'})")


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
    return [_direct(type_), *["size_t"] * (len(row(type_).parts) - 1)]


def c_result(type_: Type) -> tuple[str, bool]:
    """Return the C function's result, and whether the signature's goes through an out-slot."""
    found = row(type_)
    return ("int32_t", True) if found.in_slot else (found.c_result or _direct(type_), False)


def spell(type_: str, name: str) -> str:
    """Return the declaration of *name* as of that type.

    >>> spell("void (*)(int)", "f"), spell("double", "x")
    ('void (*f)(int)', 'double x')
    """
    return type_.replace("(*)", f"(*{name})", 1) if "(*)" in type_ else f"{type_} {name}"


def _direct(type_: Type) -> str:
    sig = type_.inner.signature if type_.is_optional else type_.signature
    if sig is None:
        return row(type_).c
    result, through_out = c_result(sig.result)
    types = [c for p in sig.params for c in c_types(p.type)] + ["jf_value*"] * through_out
    return spell(result, f"(*)({', '.join(_with_ellipsis(sig, types)) or 'void'})")


def _with_ellipsis(sig: Signature, parts: list[str]) -> list[str]:
    """The parts of a prototype, of those behind `...` that alone."""
    if sig.fixed is None:
        return parts
    return [*parts[: sum([len(c_types(p.type)) for p in sig.params[: sig.fixed]])], "..."]


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
    known = _SIZE | {row(type_).c: row(type_).c_header for type_ in plain_types() if row(type_).c_header}
    found = {header for word, header in known.items() if word in words}
    if any(word.startswith("jf_") for word in words):
        more = {"jf_legacy_value": '"jitffi/legacy.h"', "jf_tvmffi_any": '"jitffi/tvm_ffi.h"'}
        others = [header for word, header in more.items() if word in words]
        return ['"jitffi/runtime.h"', *others, *sorted(found & {"<stdbool.h>", "<dlpack/dlpack.h>"})]
    return sorted(found)
