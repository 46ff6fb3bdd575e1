"""The kinds of errors that stand for Python's classes, in native code and in Python."""

from __future__ import annotations

import builtins

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar, overload

    _C = TypeVar("_C", bound=type[BaseException])
    ExceptionClass = type[BaseException]


def _check(kind: object, cls: object) -> None:
    if not isinstance(kind, str):
        raise TypeError(f"register_error: expected the kind as str, got {type(kind).__name__}")
    if not isinstance(cls, type) or not issubclass(cls, BaseException):
        what = cls.__name__ if isinstance(cls, type) else type(cls).__name__
        raise TypeError(f"register_error: expected a class of exceptions, got {what}")
    if not kind or "\0" in kind:
        raise ValueError(f"a kind is neither empty nor has it an embedded NUL: {kind!r}")
    kind.encode()  # lone surrogates are UnicodeEncodeErrors here


def _is_builtin(kind: str, cls: type[BaseException]) -> bool:
    """Whether the kind stands for that class without a registration; ValueError where only one of the two does."""
    own = getattr(builtins, kind, None)
    if own is cls:
        return True
    if isinstance(own, type) and issubclass(own, BaseException):
        raise ValueError(f"the kind {kind!r} is the built-in class's")
    if getattr(builtins, cls.__name__, None) is cls:
        raise ValueError(f"the kind of {cls.__name__} is its name: register a class derived from it")
    return False


def _enter(kind: str, cls: type[BaseException], override: bool) -> None:
    _check(kind, cls)
    if _is_builtin(kind, cls):
        return
    classes, kinds = _core.error_registry()
    before, known = classes.get(kind), kinds.get(id(cls))
    if before is cls:
        return
    if before is not None and not override:
        raise ValueError(f"the kind {kind!r} stands for {before.__qualname__}; override=True replaces it")
    if known is not None and not override:
        raise ValueError(f"{cls.__qualname__} is registered as {known!r}; override=True replaces that")
    if before is not None:
        kinds.pop(id(before), None)
    classes[kind] = cls
    kinds[id(cls)] = kind
    if known is not None:
        del classes[known]


if TYPE_CHECKING:

    @overload
    def register_error(kind: _C, cls: None = None, *, override: bool = False) -> _C: ...
    @overload
    def register_error(kind: str, cls: None = None, *, override: bool = False) -> Callable[[_C], _C]: ...
    @overload
    def register_error(kind: str, cls: _C, *, override: bool = False) -> _C: ...


def register_error(kind: str | ExceptionClass, cls: ExceptionClass | None = None, *, override: bool = False) -> Any:
    """Register the class *cls* of exceptions for errors of that *kind* and return it; without *cls*, a decorator.

    An exception of the class, or of one derived from it that has no kind itself, has that kind in native code; an
    error of the kind that native code makes becomes `cls(message)` in Python, or a RuntimeError that names both where
    the class does not take one text. Alone as a decorator it uses the class's own name. Classes are kept for good.
    ValueError where the kind or the class is taken and *override* is not set, and for built-in ones; TypeError for
    other types.

    >>> import jitffi
    >>> @jitffi.register_error("demo.Full")
    ... class Full(Exception): pass
    >>> jitffi.Error.of(Full("no room"))
    Error('demo.Full', 'no room')
    >>> jitffi.Error("demo.Full", "no room").exception
    Full('no room')
    """
    if isinstance(kind, type):
        _enter(kind.__name__, kind, override)
        return kind

    def register(given: _C) -> _C:
        _enter(kind, given, override)
        return given

    return register if cls is None else register(cls)
