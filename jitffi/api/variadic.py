"""Variadic C functions: which type a variable argument is passed as, and the Function for the types of a call.

    printf = lib.bind("printf", "(format: cstr, ...) -> i32")
    printf("%d %s", 7, "x")         enters (cstr, ..., i32, cstr) -> i32, which stays with printf

runtime_c/python/package/variadic.c finds the Function of a call, and knows what Python's own classes are passed as.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.adapters import batches
from jitffi.base.off_thread import run
from jitffi.signature.model import NO_DEFAULT, Param, Signature
from jitffi.signature.parameters import promoted
from jitffi.signature.text import parse_type
from jitffi.signature.typed import TypedComplex, TypedFloat, TypedInt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.adapters.code_store import Request
    from jitffi.api.functions import Function

_POINTER = "ptr[const void]"


def equip(function: Function, request: Request, options: dict[str, Any]) -> None:
    """Let each call of *function* enter a Function for the types of its arguments, which is made with *options*."""
    run(batches.check, request)
    sig = request.sig
    function._variadic = options
    positional = len(sig.params) if sig.in_order else len(sig.order.positional)
    _core.set_variadic(function, positional, "k" in request.options)


def _variant(function: Function, texts: tuple[str, ...]) -> Function:
    """The Function for variable arguments of these types."""
    from jitffi.api.making import make

    sig = function._sig
    assert sig is not None
    by_position = range(len(sig.params)) if sig.in_order else sig.order.positional
    params = list(sig.params)
    if texts:
        for i in by_position:  # what comes behind them has no default, and is given by position
            params[i] = Param(params[i].name, params[i].type, NO_DEFAULT)
    made = Signature([*params, *[Param(None, parse_type(text)) for text in texts]], sig.result, sig.fixed)
    return make(function.__name__, made, "c", function._native, variant=True, **function._variadic)


def _kind_of(value: object) -> str | Exception:
    """The text of the type that *value* is passed as, or the exception that says that there is none."""
    if isinstance(value, (TypedInt, TypedFloat, TypedComplex)):
        return _known(promoted(value.type.text), value)
    if isinstance(value, float):
        return "f64"
    if isinstance(value, int):
        number = int(value)
        return "i32" if -1 << 31 <= number < 1 << 31 else "i64" if -1 << 63 <= number < 1 << 63 else _unsigned(number)
    if isinstance(value, (str, bytes)):
        return "cstr"
    if isinstance(value, complex):
        return _known("c128", value)
    return _kind_of_other(value)


def _known(name: str, value: object) -> str | Exception:
    """*name*, unless C functions take no such type."""
    try:
        Param(None, parse_type(name))
    except ValueError:
        return TypeError(f"expected what C can be given, got {type(value).__name__}")
    return name


def _unsigned(number: int) -> str | Exception:
    if 0 <= number < 1 << 64:
        return "u64"
    return OverflowError(f"expected -9223372036854775808 to 18446744073709551615, got int {number}")


def _kind_of_other(value: object) -> str | Exception:
    function = _core.function_of(value)
    if function is not None:
        if function._sig is None:
            return TypeError("expected a function with a signature: C functions have their types")
        return f"func[{function._sig}]"
    cls = type(value)
    scalar = _numpy_scalar(value)
    if scalar:
        return scalar
    if cls.__module__ == "ctypes" and hasattr(value, "value") and not hasattr(value, "contents"):
        if cls.__name__ not in ("c_void_p", "c_char_p", "c_wchar_p"):
            return TypeError(
                f"expected what says its type, got {cls.__name__}: jitffi.i32(x.value), or ctypes.byref(x)"
            )
        return _POINTER
    if callable(value) and not hasattr(value, "_flags_") and cls.__module__ != "_cffi_backend":
        return TypeError(
            f"expected what C can be given, got {cls.__name__}: a callable has an address that lasts with "
            "jitffi.function(signature)(callable)"
        )
    if hasattr(cls, "__index__") and not hasattr(cls, "__len__"):
        return TypeError(f"expected what says its type, got {cls.__name__}: jitffi.i32(x), or int(x)")
    if isinstance(value, (list, tuple, dict, set, frozenset)):
        return TypeError(f"expected what C can be given, got {cls.__name__}: a NumPy array is passed by its address")
    return _POINTER


def _numpy_scalar(value: Any) -> str | Exception | None:
    """The type of one of NumPy's scalars; None for what is none."""
    cls = type(value)
    if cls.__module__ != "numpy" or not any(base.__name__ == "generic" for base in cls.__mro__):
        return None
    dtype = value.dtype
    if dtype.kind == "b":
        return TypeError("expected what says its type, got numpy.bool: bool(x)")
    names = {"i": f"i{8 * dtype.itemsize}", "u": f"u{8 * dtype.itemsize}", "c": f"c{8 * dtype.itemsize}"}
    name = names.get(dtype.kind, "longdouble" if dtype.char == "g" else "f64" if dtype.kind == "f" else "")
    return _known(promoted(name), value)


_core.set_variadic_hooks(_kind_of, _variant)
