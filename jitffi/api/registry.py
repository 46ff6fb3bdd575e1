"""The global registry: functions under a name, for Python and native code alike."""

from __future__ import annotations

from jitffi import _core
from jitffi._core import Map
from jitffi.api.callables import as_function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, Literal, TypeVar, overload

    _F = TypeVar("_F", bound=Callable[..., Any])


def _name(name: str) -> str:
    if not isinstance(name, str):
        raise TypeError(f"expected the function's global name as str, got {type(name).__name__}")
    if not name or "\0" in name:
        raise ValueError(f"a global name is neither empty nor has it an embedded NUL: {name!r}")
    return name


if TYPE_CHECKING:

    @overload
    def register_global_func(
        name: _F, function: None = None, override: bool = False, metadata: Mapping[str, Any] | None = None
    ) -> _F: ...
    @overload
    def register_global_func(
        name: str, function: None = None, override: bool = False, metadata: Mapping[str, Any] | None = None
    ) -> Callable[[_F], _F]: ...
    @overload
    def register_global_func(
        name: str, function: _F, override: bool = False, metadata: Mapping[str, Any] | None = None
    ) -> _F: ...


def register_global_func(
    name: str | Callable[..., Any],
    function: Callable[..., Any] | None = None,
    override: bool = False,
    metadata: Mapping[str, Any] | None = None,
) -> Any:
    """Register *function* under *name* and return it; without *function*, a decorator.

    Any callable: one without a signature takes whatever it is given. Alone as a decorator it uses the function's own
    name. ValueError where the name is taken and *override* is not set. The registry keeps the function alive, and
    *metadata* with it, which `get_global_func_metadata` gives.

    >>> import jitffi
    >>> @jitffi.register_global_func("demo.twice")
    ... def twice(x):
    ...     return 2 * x
    >>> jitffi.get_global_func("demo.twice")(21)
    42
    >>> jitffi.remove_global_func("demo.twice")
    """
    if callable(name):
        return register_global_func(name.__name__, name, override, metadata)
    text = _name(name)

    def register(callable_: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(callable_):
            raise TypeError(f"register_global_func: expected a callable, got {type(callable_).__name__}")
        told = None if metadata is None else Map(metadata)
        _core.global_set(text, as_function(callable_), override)
        if told is not None:
            _core.global_set_metadata(text, told)
        return callable_

    return register if function is None else register(function)


if TYPE_CHECKING:

    @overload
    def get_global_func(name: str, allow_missing: Literal[False] = False) -> Callable[..., Any]: ...
    @overload
    def get_global_func(name: str, allow_missing: bool) -> Callable[..., Any] | None: ...


def get_global_func(name: str, allow_missing: bool = False) -> Any:
    """Return the function registered under *name* as a builtin. ValueError, or None with *allow_missing*, where there
    is none.

    >>> import jitffi
    >>> jitffi.get_global_func("demo.none", allow_missing=True) is None
    True
    """
    found = _core.global_get(_name(name))
    if found is None and not allow_missing:
        from difflib import get_close_matches

        near = get_close_matches(name, list_global_func_names(), 1)
        raise ValueError(f"unknown global function {name!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    return found


def list_global_func_names() -> list[str]:
    """Return the names of all registered functions, sorted.

    >>> import jitffi
    >>> add = jitffi.register_global_func("demo.add", lambda a, b: a + b)
    >>> "demo.add" in jitffi.list_global_func_names()
    True
    >>> jitffi.remove_global_func("demo.add")
    """
    names: list[str] = _core.global_list()
    return names


def remove_global_func(name: str) -> None:
    """Forget *name*; whoever holds its function keeps it. ValueError where there is none.

    >>> import jitffi
    >>> jitffi.remove_global_func("demo.none")
    Traceback (most recent call last):
        ...
    ValueError: unknown global function 'demo.none'
    """
    _core.global_remove(_name(name))
