"""How a Script is made of a Python function: the object, what it has of the function, and how its calls find variants.

On the way of a warm start.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import pad_policy
from jitffi.base.annotations import annotations_of
from jitffi.base.errors import ScriptError
from jitffi.scripts.api import checked, dispatch, left, program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    from jitffi.scripts.api.program import ScriptOptions
    from jitffi.scripts.api.script import Script
    from jitffi.signature.model import Signature


def make(
    cls: type[Script],
    function: Any,
    pad: Any,
    nogil: bool,
    signature: Signature | str | None,
    returns: Literal["native", "python"] | None,
    strict: bool,
) -> Script:
    """A Script of a function, with checked options. ScriptError for what a *strict* one does not have."""
    given = program.given(function, pad, nogil, signature, strict)
    given.returns = returns or "python"
    sig = given.signature
    types = None if sig is None else (*[p.type.text for p in sig.params], sig.result.text)
    name = getattr(function, "__name__", type(function).__name__)
    made: Script = _core.new_function(
        cls, name, None, None if sig is None else dispatch.parameters(function), types,
        None if sig is None else sig.types, None, None, "python", function, 0, None, 0, False,
    )  # fmt: skip
    made._sig, made._callee, made._options, made._origin = sig, "python", "", None
    made._given, made._variants = given, {}
    made.__dict__.update(getattr(function, "__dict__", {}))
    made.__dict__["__name__"] = name
    for each in ("__module__", "__qualname__", "__doc__"):
        made.__dict__[each] = getattr(function, each, None if each == "__doc__" else name)
    made.__dict__["__annotations__"] = annotations_of(function)
    made.__dict__["__wrapped__"] = function
    if not strict and not left.is_plain(function):
        left.leave(made, None)
        return made
    _set_up(made, given)
    if strict:
        try:
            checked.check(function)
        except ScriptError as error:
            raise error.with_traceback(None) from None  # the way there is nothing of the user's
    return made


def _set_up(made: Script, given: ScriptOptions) -> None:
    """Let calls find variants."""
    function = given.function
    names, (values, shape) = dispatch.parameters(function), dispatch.shape(function)
    asked = dispatch.asked(names, given.declared)
    ranked = asked if given.typed is not None else dispatch.asked(names, given.declared - dispatch.ints(function))
    tags = dispatch.type_tags_of_defaults(len(names), values, not given.strict)
    buffers = 0 if given.typed is None else given.typed.buffers
    arrays = dispatch.arrays(names, made.__dict__["__annotations__"]) if given.typed is None else given.typed.arrays
    _core.script_setup(
        made, names, values, shape, (asked, ranked), (tags & asked, tags >> 64 & ranked), buffers, arrays,
        given.structs, given.nogil, bool(given.strict), given.returns == "python",
    )  # fmt: skip
    pads = given.pads if pad_policy.current is None else pad_policy.current.of_all([(function, given)]).get(function)
    if pads is not None:
        _core.script_pool(made, program.pool(pads))
