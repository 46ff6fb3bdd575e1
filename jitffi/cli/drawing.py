"""`inspect --layout`: where a convention puts each parameter, the result and a failure, drawn as text.

    entry python   PyObject* hypot(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)
      args[0]        x: f64          float, int, __float__
      args[1]        y: f64          float, int, __float__
      returns        f64             float; NULL with an exception set

    callee c       double hypot(double x, double y)
      xmm0           x: f64          double
      ...

One function a convention, by its name; each returns the prototype and the rows below it.
"""

from __future__ import annotations

import platform
from collections.abc import Callable

from jitffi.base.layout import SLOT_SIZE
from jitffi.signature import spelling
from jitffi.signature.model import Param, Signature, Type

#: Where it is, what of the signature is there, and in which form.
Place = tuple[str, str, str]

#: Where the first arguments of a C call are (System V psABI 3.2.3, AAPCS64 6.8.2), and where the others begin.
_REGISTERS = {
    "x86_64": (("rdi", "rsi", "rdx", "rcx", "r8", "r9"), tuple(f"xmm{i}" for i in range(8)), "rsp", 8),
    "aarch64": (tuple(f"x{i}" for i in range(8)), tuple(f"v{i}" for i in range(8)), "sp", 0),
}

#: What a Python argument may be, and what a result is; what is not here is an int.
_PYTHON_TAKES = {
    "bool": "bool", "f16": "float, int", "bf16": "float, int", "f32": "float, int", "f64": "float, int",
    "ptr": "None, int, buffer", "cstr": "str", "str": "str", "bytes": "bytes, buffer", "func": "callable",
    "any": "anything", "object": "Object", "list": "List, list, tuple", "map": "Map, dict", "tuple": "Tuple, tuple",
    "ucs4": "str", "dtype": "DataType, str, NumPy's", "device": "Device, str", "module": "Module",
}  # fmt: skip
_PYTHON_GIVES = {
    "void": "None", "bool": "bool", "f16": "float", "bf16": "float", "f32": "float", "f64": "float",
    "ptr": "int, or None for NULL", "cstr": "str", "str": "str", "bytes": "bytes", "func": "a function",
    "any": "whatever it is", "object": "Object", "list": "List", "map": "Map", "tuple": "Tuple",
    "ucs4": "str", "dtype": "DataType", "device": "Device", "module": "Module",
}  # fmt: skip

#: What stands in a slot: the name of its type code and the field of its payload; what is not here is an int.
_SLOT_HOLDS = {
    "void": "null", "bool": "bool, v_int64", "f16": "float, v_float64", "bf16": "float, v_float64",
    "f32": "float, v_float64", "f64": "float, v_float64", "ptr": "handle, v_handle", "cstr": "raw str, v_raw_str",
    "str": "any code of text", "bytes": "any code of bytes", "func": "function, v_object", "any": "any code",
    "object": "object, v_object", "list": "list, v_object", "map": "map, v_object", "tuple": "tuple, v_object",
    "ucs4": "any code of text", "dtype": "data type, v_dtype", "device": "device, v_device",
    "module": "module, v_object",
}  # fmt: skip


def draw(name: str, sig: Signature, entry: str, callee: str | None) -> str:
    """Return the drawing of both conventions; of the entry's alone where there is no *callee*.

    >>> print(draw("inc", Signature.parse("(i64) -> i64"), "packed", "python"))
    inc: (i64) -> i64
    <BLANKLINE>
    entry packed   int32_t inc(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)
      args + 0     1: i64         int, v_int64
      out          i64            int, v_int64
      returns      0              or -1 with the last error set and *out null
    <BLANKLINE>
    callee python  PyObject* inc(PyObject* self, PyObject* const* args, Py_ssize_t nargs)
      args[0]      1: i64         int
      returns      i64            int; NULL with an exception set
    """
    parts = [f"{name}: {sig}"]
    for half, convention in (("entry", entry), ("callee", callee)):
        if convention is None:
            continue
        prototype, places = _DRAWINGS[convention](name, sig)
        width = max(len(what) for _, what, _ in places) if places else 0
        rows = [f"  {where:<13}{what:<{max(width + 1, 14)}} {form}".rstrip() for where, what, form in places]
        parts.append("\n".join([f"{half + ' ' + convention:<15}{prototype}", *rows]))
    return "\n\n".join(parts)


def conventions() -> tuple[str, ...]:
    """Return the names of the conventions that can be drawn."""
    return tuple(_DRAWINGS)


def _label(index: int, param: Param) -> str:
    return str(param) if param.name is not None else f"{index + 1}: {param}"


def _labels(sig: Signature) -> list[str]:
    return [_label(i, p) for i, p in enumerate(sig.params)]


# -- c ---------------------------------------------------------------------------------------------------------


def _c(name: str, sig: Signature) -> tuple[str, list[Place]]:
    declared = spelling.parameters(sig)
    labels: list[str] = []
    for label, param in zip(_labels(sig), sig.params, strict=True):
        labels += [label, "  its size"] if len(spelling.c_types(param.type)) == 2 else [label]
    result, through_out = spelling.c_result(sig.result)
    if through_out:
        labels.append(f"result: {sig.result}")
    places = [
        (where, label, spelling.spell(*part))
        for where, label, part in zip(_registers([part[0] for part in declared]), labels, declared, strict=True)
    ]
    places.append(("returns", "0" if through_out else str(sig.result), _c_returned(sig.result, result, through_out)))
    return spelling.prototype(name, sig), places


def _c_returned(type_: Type, result: str, through_out: bool) -> str:
    if through_out:
        return "or non-zero with the last error set and *out null"
    if result == "jf_object*":
        return f"{result}, owned; NULL with the last error set"
    return f"{result}; an error becomes pending"


def _registers(types: list[str], machine: str = platform.machine()) -> list[str]:
    """Say where each argument of these C types is; by number on a machine whose rules are not known here.

    >>> _registers(["double"] + ["int64_t"] * 10, "aarch64")[::4]
    ['v0', 'x3', 'x7']
    >>> _registers(["int64_t"] * 10, "aarch64")[8:], _registers(["int64_t"] * 8, "x86_64")[5:]
    (['sp + 0', 'sp + 8'], ['r9', 'rsp + 8', 'rsp + 16'])
    """
    if machine not in _REGISTERS:
        return [f"argument {i + 1}" for i in range(len(types))]
    *registers, pointer, stack = _REGISTERS[machine]
    general, vector = map(list, registers)
    places = []
    for type_ in types:
        free = vector if type_ in ("float", "double") else general
        if free:
            places.append(free.pop(0))
        else:
            places.append(f"{pointer} + {stack}")
            stack += 8
    return places


# -- packed ----------------------------------------------------------------------------------------------------


def _packed(name: str, sig: Signature) -> tuple[str, list[Place]]:
    places = [
        (f"args + {SLOT_SIZE * i}", label, _slot(p.type))
        for i, (label, p) in enumerate(zip(_labels(sig), sig.params, strict=True))
    ]
    places.append(("out", str(sig.result), _slot(sig.result)))
    places.append(("returns", "0", "or -1 with the last error set and *out null"))
    return f"int32_t {name}(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)", places


def _slot(type_: Type) -> str:
    if type_.is_optional:
        return f"null, or {_slot(type_.inner)}"
    if type_.signature is not None:
        return "handle or function"
    return _SLOT_HOLDS.get(type_.name, "int, v_int64")


# -- python ----------------------------------------------------------------------------------------------------


def _python(name: str, sig: Signature) -> tuple[str, list[Place]]:
    places = [
        (f"args[{i}]", label, _takes(p.type)) for i, (label, p) in enumerate(zip(_labels(sig), sig.params, strict=True))
    ]
    places.append(("returns", str(sig.result), f"{_gives(sig.result)}; NULL with an exception set"))
    keywords = ", PyObject* kwnames" if any(p.name is not None for p in sig.params) else ""
    return f"PyObject* {name}(PyObject* self, PyObject* const* args, Py_ssize_t nargs{keywords})", places


def _takes(type_: Type) -> str:
    return f"None, {_takes(type_.inner)}" if type_.is_optional else _PYTHON_TAKES.get(type_.name, "int")


def _gives(type_: Type) -> str:
    return f"{_gives(type_.inner)}, or None" if type_.is_optional else _PYTHON_GIVES.get(type_.name, "int")


_DRAWINGS: dict[str, Callable[[str, Signature], tuple[str, list[Place]]]] = {
    "c": _c,
    "packed": _packed,
    "python": _python,
}
