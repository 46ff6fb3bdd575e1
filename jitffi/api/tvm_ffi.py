"""Functions between tvm-ffi and jitffi, in a process that has both.

Values cross as their own kind: numbers and short text as they are, longer text and containers as copies, arrays by
DLPack, functions as functions, errors with their kind, message and traceback. Objects that jitffi has no type for are
held, and come back as themselves. tvm-ffi is imported where it is asked for, and nowhere else.
"""

from __future__ import annotations

import builtins
import threading

from jitffi import _core
from jitffi.api.callables import as_function
from jitffi.api.making import make, signature_of
from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.signature.model import Signature


#: Exceptions that one text does not make.
_WITH_MORE = (UnicodeError, BaseExceptionGroup, Warning)


def opened() -> Any:
    """Return the module tvm_ffi, which knows Python's exceptions by name from then on: it makes a RuntimeError of any
    error whose kind it does not know. ImportError where it is not installed, or of another version than is known here.
    """
    import tvm_ffi

    _core.tvm_open()
    _core.tvm_set_classes(tvm_ffi.core.CObject, tvm_ffi.Device, tvm_ffi.Tensor)
    known = tvm_ffi.error.core.ERROR_NAME_TO_TYPE
    if "OverflowError" not in known:
        classes = [
            each for each in vars(builtins).values() if isinstance(each, type) and issubclass(each, BaseException)
        ]
        for each in classes:
            if each.__name__ not in known and not issubclass(each, _WITH_MORE):
                tvm_ffi.error.register_error(each)
    return tvm_ffi


def from_tvm_ffi(function: Any, name: str = "tvm_ffi", signature: Signature | str | None = None) -> Callable[..., Any]:
    """Return *function*, a tvm_ffi.Function, as a function of jitffi's, which *name* stands for in messages.

    With a *signature* its call is compiled for those types, which are checked on both ways; without one arguments go as
    what they are. ImportError without tvm-ffi, or with a version that is not known; TypeError for anything but a
    tvm_ffi.Function, SignatureError for a bad text.

    >>> import jitffi
    >>> try:
    ...     twice = jitffi.from_tvm_ffi(jitffi.to_tvm_ffi(lambda x: 2 * x), "twice")
    ... except ImportError:  # tvm-ffi is not installed
    ...     twice = jitffi.convert(lambda x: 2 * x)
    >>> twice(21)
    42
    """
    tvm_ffi = opened()
    if not isinstance(function, tvm_ffi.Function):
        raise TypeError(f"from_tvm_ffi: expected a tvm_ffi.Function, got {type(function).__name__}")
    if not isinstance(name, str):
        raise TypeError(f"from_tvm_ffi: expected str for the name, got {type(name).__name__}")
    made: Callable[..., Any] = _core.tvm_wrap(function.__chandle__(), name)
    sig = signature_of(signature)
    return made if sig is None else typed(made, name, sig)


def typed(function: Callable[..., Any], name: str, sig: Signature) -> Callable[..., Any]:
    """Return *function*, which calls one of tvm-ffi's convention, with its call compiled for those types."""
    target = _core.tvm_target(function)
    assert target is not None
    call, handle = target
    compiled: Callable[..., Any] = _core.builtin(make(name, sig, "tvm_ffi", call, self_handle=handle, owner=function))
    return compiled


def _described(function: Callable[..., Any], name: str) -> tuple[str, str]:
    """Return what tvm-ffi's tools read of a function: its types as JSON, and its documentation."""
    found = _core.function_of(function)
    sig = found.signature if found is not None else None
    doc = getattr(function, "__doc__", None) or ""
    if sig is None:
        return "", doc
    with IMPORTS:
        from jitffi.conventions.tvm_ffi import CONVENTION
    metadata, shown = CONVENTION.described(name, sig).values()
    return metadata, f"{shown}\n\n{doc}" if doc else shown


def to_tvm_ffi(function: Callable[..., Any], name: str | None = None, *, override: bool = False) -> Any:
    """Return *function*, a callable or a function of jitffi's, as a tvm_ffi.Function; with a *name* it is registered
    there, too, with its types and its documentation.

    RuntimeError where the name is taken and *override* is not set; ImportError without tvm-ffi, or with a version that
    is not known. A function that came from tvm-ffi comes back as itself.

    >>> import jitffi
    >>> try:
    ...     print(jitffi.to_tvm_ffi(lambda x: 2 * x)(21))
    ... except ImportError:  # tvm-ffi is not installed
    ...     print(42)
    42
    """
    tvm_ffi = opened()
    if not callable(function):
        raise TypeError(f"to_tvm_ffi: expected a callable, got {type(function).__name__}")
    if name is not None and (not isinstance(name, str) or not name):
        raise TypeError(f"to_tvm_ffi: expected a name, got {type(name).__name__} {name!r}")
    key = f"jitffi.unnamed.{threading.get_ident()}" if name is None else name
    made = as_function(function)
    _core.tvm_set_global(key, made, override or name is None, *(("", "") if name is None else _described(made, name)))
    made = tvm_ffi.get_global_func(key)
    if name is None:
        tvm_ffi.remove_global_func(key)
    return made
