"""What looks at the frame of its caller: a script has none, so a function with such a call is the interpreter's."""

from __future__ import annotations

from types import BuiltinFunctionType, FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.frontend.context import Context

#: By module and name. `compile` reads the features that the calling code imports of __future__, the last three the
#: name of the module that a class is of.
_LOOKING = frozenset(
    (
        *("builtins.compile", "sys._getframe", "sys._getframemodulename", "inspect.currentframe", "inspect.stack"),
        *("types.new_class", "collections.namedtuple", "dataclasses.make_dataclass"),
    )
)


def refuse(cx: Context, node: Any, value: Any) -> None:
    """ScriptError where a name or attribute stands for such a function."""
    kind = type(value)
    if kind in (BuiltinFunctionType, FunctionType) and f"{value.__module__}.{value.__name__}" in _LOOKING:
        cx.refuse(
            node,
            f"{value.__name__} looks at the frame that it is called from, and scripts have none: call it in the caller",
        )


def refuse_class(cx: Context, node: Any) -> None:
    """ScriptError for a call of `type` that makes a class."""
    if getattr(node.func, "id", "") == "type" and len(node.args) == 3 and cx.is_outside("type"):
        cx.refuse(node, "a class is of the module whose frame makes it, and scripts have none: make it in the caller")
