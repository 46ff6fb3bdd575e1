"""Python callables as functions: with a signature by decorator, without one by conversion."""

from __future__ import annotations

import functools

from jitffi import _core
from jitffi.api.functions import Function
from jitffi.api.making import make, signature_of
from jitffi.api.native_functions import from_handle
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late
from jitffi.signature.model import Param, Signature, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar, overload

    from jitffi._core import List, Map, Set, Tuple

    _P = ParamSpec("_P")
    _R = TypeVar("_R")
    _T = TypeVar("_T")
    _K = TypeVar("_K")
    _Plain = TypeVar("_Plain", None, bool, int, float, str, bytes)

    from jitffi.api import enum_functions
else:
    enum_functions = late("jitffi.api.enum_functions")

#: As `convert` without a type.
_UNTYPED = object()

if TYPE_CHECKING:

    @overload
    def convert(value: _Plain) -> _Plain: ...
    @overload
    def convert(value: list[_T]) -> List[_T]: ...
    @overload
    def convert(value: dict[_K, _T]) -> Map[_K, _T]: ...
    @overload
    def convert(value: tuple[_T, ...]) -> Tuple[_T]: ...
    @overload
    def convert(value: set[_T]) -> Set[_T]: ...
    @overload
    def convert(value: Callable[_P, _R]) -> Callable[_P, _R]: ...
    @overload
    def convert(value: Any, type_: type[_T]) -> _T: ...
    @overload
    def convert(value: Any, type_: Any = ...) -> Any: ...


def convert(value: Any, type_: Any = _UNTYPED) -> Any:
    """Return *value* as native code sees it: a callable becomes a function that takes whatever it is given, a list,
    tuple, dict or set a `List`, `Tuple`, `Map` or `Set`, a number of NumPy's one of Python's, a NumPy array an
    `NDArray` of its memory.

    With *type_*, an annotation, a `Type` or the text of one, it is what a function gets whose parameter has that type:
    converted, checked to the innermost item, or refused by the same TypeError, ValueError or OverflowError. The first
    conversion to a type compiles such a function. SignatureError or TypeError for what is no type.

    Functions, plain values (None, bool, int, float, str, bytes) and native objects are returned as they are, and so is
    what native code only holds for Python. OverflowError for an int of more than 64 bits.

    >>> import jitffi
    >>> jitffi.convert(lambda x, y: x + y)(1, 2)
    3
    >>> jitffi.convert([1, {"two": (2,)}])
    List([1, {'two': (2,)}])
    >>> jitffi.convert([1, True], list[float])
    List([1.0, 1.0])
    >>> jitffi.convert({"a": [1, "x"]}, "map[str, list[i64]]")
    Traceback (most recent call last):
    TypeError: convert: argument 1: expected map[str, list[i64]], got dict with str 'x' at ['a'][1]
    """
    if type_ is not _UNTYPED:
        return _converter(_type_of(type_))(
            enum_functions.stands_for(value, type_) if hasattr(value, "_value_") else value
        )
    if callable(value) and not isinstance(value, _core.Object):
        return as_function(value)
    if isinstance(value, int) and not -(1 << 63) <= value < 1 << 64:
        raise OverflowError(f"convert: an int of more than 64 bits: {value if value.bit_length() < 200 else '...'}")
    if value is None or isinstance(value, (bool, int, float, str, bytes, _core.Object)):
        return value
    containers: dict[type, Any] = {list: _core.List, tuple: _core.Tuple, dict: _core.Map, set: _core.Set}
    container = containers.get(type(value))
    return _core.List((value,))[0] if container is None else container(value)


def as_function(value: Callable[..., Any]) -> Any:
    """The builtin of a function, or of one that calls *value*."""
    found = _core.function_of(value)
    if found is not None:
        return found._builtin()
    return _core.builtin(make(getattr(value, "__name__", None) or type(value).__name__, None, "python", value))


def _type_of(given: Any) -> Type:
    """The type that *given* says; what is only None has the type of null."""
    if isinstance(given, Type):
        return given
    with IMPORTS:
        from jitffi.signature.annotations import convert as type_of_annotation
        from jitffi.signature.text import parse_type
    if given is None or given is type(None):
        return parse_type("null")
    if isinstance(given, str):
        return parse_type(given)
    try:
        return type_of_annotation(given, _converter.__wrapped__)
    except (TypeError, ValueError, NameError) as error:
        raise TypeError(f"convert: argument 2: expected a type, got {given!r}: {error}") from None


@functools.lru_cache(maxsize=1024)
def _converter(type_: Type) -> Function:
    """The function that a value goes through: no conversion is written twice."""
    return make("convert", Signature([Param(None, type_)], type_), "python", lambda value: value)


if TYPE_CHECKING:

    @overload
    def function(signature: Callable[_P, _R], /) -> Callable[_P, _R]: ...
    @overload
    def function(
        signature: Signature | str | None = None, *, on_error: object = 0, name: str | None = None,
        pad: int | None = None,
    ) -> Callable[[Callable[_P, _R]], Callable[_P, _R]]: ...  # fmt: skip


def function(
    signature: Signature | str | Callable[..., Any] | None = None, *, on_error: object = 0, name: str | None = None,
    pad: int | None = None,
) -> Any:  # fmt: skip
    """Decorate a Python function so that native code can call it: ``Function(f).native_address`` is a C function
    pointer.

    *signature* is one, its text, or nothing: then the annotations are read. *on_error* is what a C caller gets where
    the function raised: the error itself comes out of the call that entered native code. *name* is what messages call
    it, in place of the function's own. *pad* is that of `Library.bind`, for calls from Python. What is returned keeps
    the Python function alive, and its address is good as long as it lives. SignatureError for a bad text, TypeError for
    what is no callable, for an *on_error* that is not of the result's type, and for annotations that no signature can
    hold.

    >>> import jitffi
    >>> @jitffi.function("(i64, i64) -> i64", on_error=-1)
    ... def add(a, b):
    ...     return a + b
    >>> add(3, 4)
    7
    """
    if callable(signature) and not isinstance(signature, Signature):
        return function()(signature)
    sig = signature_of(signature)

    def decorate(callable_: Callable[..., Any]) -> Any:
        if not callable(callable_):
            raise TypeError(f"function: expected a callable, got {type(callable_).__name__}")
        own = name or getattr(callable_, "__name__", None) or type(callable_).__name__
        the_sig = Signature.of(callable_) if sig is None else sig
        doc = getattr(callable_, "__doc__", None) or ""
        enums = enum_functions.classes_of(callable_) if sig is None else []
        callee = enum_functions.called(callable_, enums) if enums else callable_
        made = make(own, the_sig, "python", callee, on_error=on_error, doc=doc, pad=pad)
        if enums:
            outer = make(own, the_sig, "python", callee, on_error=on_error, doc=doc, pad=pad, entry=False)
            enum_functions.enter(outer, _core.builtin(made), enums)
            made = outer
        return _core.builtin(made)

    return decorate


# The extension asks for these, and loads this module where it needs them.
_core.set_hooks(from_handle, as_function)
