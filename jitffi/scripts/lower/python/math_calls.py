"""Calls of `math`'s functions with numbers of the script: without objects, but for what Python has to say itself."""

from __future__ import annotations

from jitffi.scripts.library.math_functions import BY_C, ROWS
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import V, const, double
from jitffi.scripts.lower.function.values import Value, bool_, float_, int_
from jitffi.scripts.lower.numbers import as_float, as_int

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

_NUMBERS: Final = {name: i for i, name in enumerate(BY_C)}
_INFINITY: Final = double(float("inf"))
#: Below it a float's floor is an int of 64 bits.
_LIMIT: Final = double(2.0**63)
_INTRINSICS: Final = {"sqrt": "llvm.sqrt", "fabs": "llvm.fabs"}


def call(b: Body, name: str, values: list[Value], by_python: Callable[[], Value]) -> Value:
    """*by_python*: what Python's function gives, an object, or the exception."""
    e, row = b.e, ROWS[name]
    if row.result.kind == "bool":
        return bool_(_tested(b, name, values[0]))
    if row.result.kind == "int" and values[0].kind != "float":
        return int_(as_int(b, values[0]))
    x, *more = [as_float(b, each) for each in values]
    result, is_plain = _rounded(b, name, x) if row.result.kind == "int" else _computed(b, name, x, *more)
    join, plain, other, done = Join(b, row.result), e.label(name), e.label("by.python"), e.label("computed")
    e.branch(is_plain, plain, other, likely=True)
    e.at(plain)
    join.set(int_(e.cast("fptosi", result, "i64")) if row.result.kind == "int" else float_(result))
    e.br(done)
    e.at(other)
    if row.result.kind == "int":
        large, none = e.label("large"), e.label("no.int")
        e.branch(e.fcmp("olt", e.intrinsic("llvm.fabs", "double", result), _INFINITY), large, none)
        e.at(large)
        b.frame.call("jf_script_overflow")
        e.at(none)
    with b.frame.sometimes():
        join.set(conversion.convert(b, by_python(), row.result))
    e.br(done)
    e.at(done)
    return join.get()


def _computed(b: Body, name: str, x: V, y: V | None = None) -> tuple[V, V]:
    """The result, and whether it is one: neither an infinity nor no number, of which Python may make an exception."""
    e = b.e
    if name in _INTRINSICS:
        result = e.intrinsic(_INTRINSICS[name], "double", x)
    else:
        given = double(0.0) if y is None else y
        result = b.frame.call("core_op_math", const("i32", _NUMBERS[name]), x, given)
    is_plain = e.fcmp("olt", e.intrinsic("llvm.fabs", "double", result), _INFINITY)
    if ROWS[name].wants:
        is_plain = e.and_(is_plain, e.fcmp("ogt", x, double(0.0)))
    return result, is_plain


def _rounded(b: Body, name: str, x: V) -> tuple[V, V]:
    result = b.e.intrinsic(f"llvm.{name}", "double", x)
    return result, b.e.fcmp("olt", b.e.intrinsic("llvm.fabs", "double", result), _LIMIT)


def _tested(b: Body, name: str, value: Value) -> V:
    e, x = b.e, as_float(b, value)
    if name == "isnan":
        return e.fcmp("uno", x, x)
    size = e.intrinsic("llvm.fabs", "double", x)
    return e.fcmp("oeq" if name == "isinf" else "olt", size, _INFINITY)
