"""Scripts that are left to the interpreter: what nobody compiles is called as the Python function that it is."""

from __future__ import annotations

from types import FunctionType

from jitffi import _core
from jitffi.base.errors import ScriptError
from jitffi.scripts.api import checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.api.script import Script

#: Flags of code: generator, coroutine, asynchronous generator.
_NEVER = 0x20 | 0x80 | 0x200
_NATIVE_INTS = range(-(2**63), 2**64)


def is_plain(function: Any) -> bool:
    """Whether the look of a callable does not tell yet that it cannot be compiled."""
    if type(function) is not FunctionType:
        return False
    code = function.__code__
    if code.co_flags & _NEVER:
        return False
    return all(map(_is_taken, (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())))


def _is_taken(value: Any) -> bool:
    """Whether a default can be an argument of native code."""
    if type(value) is int:
        return value in _NATIVE_INTS
    if type(value) is str:
        return value.isascii() or not any("\ud800" <= each <= "\udfff" for each in value)
    return type(value) is not tuple or all(map(_is_taken, value))


def leave(script: Script, why: ScriptError | None) -> None:
    """Let calls of the script be calls of its Python function from now on. None: nobody has read its source yet."""
    script._given.left = why or True
    _core.script_left(script)


def reason(script: Script) -> ScriptError | None:
    """Why it is left to the interpreter; None where it is not, so far."""
    given = script._given
    if given.left is True:
        given.left = _find_reason(given.function)
    return given.left or None


def _find_reason(function: Any) -> ScriptError:
    if not isinstance(function, FunctionType):
        kind = type(function).__name__
        return ScriptError(f"a {kind} is no Python function", (None, None, None, None, None, None))
    try:
        checked.check(function)
    except ScriptError as error:
        return error.with_traceback(None)
    raise AssertionError(f"{function.__name__} can be compiled, and is left to the interpreter")


def refuse(script: Script) -> None:
    """ScriptError where it is left to the interpreter, for who needs its code."""
    why = reason(script)
    if why is not None:
        raise why
