"""Builtins of ours are pickled by name, as CPython does it, but for those whose names their Functions use themselves.

A builtin pickles as `getattr(__self__, __name__)` (CPython, methodobject.c, meth_reduce). Our Function answers that
with the builtin, except under a name that it has for something else. Where such a function is made, copyreg is told.
"""

from __future__ import annotations

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.api.functions import Function

#: Names that `getattr(Function, name)` would find.
_APART: set[str] = set()


def make_picklable(function: Function) -> None:
    """Let the builtin of *function*, which is pickled, be found under its name."""
    name = function.__name__
    if not (hasattr(type(function), name) or name.startswith("_")):  # an underscore: what its own dict may hold
        return
    if not _APART:
        import copyreg
        import types

        copyreg.pickle(types.BuiltinFunctionType, _reduce_builtin)
    _APART.add(name)


def _reduce_builtin(builtin: Any) -> Any:
    found = _core.function_of(builtin)
    if found is None or builtin.__name__ not in _APART:
        return builtin.__reduce__()
    return _core.builtin, (found,)
