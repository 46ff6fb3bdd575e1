"""The C functions that scripts call, by name: rows of the runtime's tables, and of methods of str and bytes."""

from __future__ import annotations

from jitffi.runtime.script_container_entry_points import SCRIPT_CONTAINER_FUNCTIONS
from jitffi.runtime.script_entry_points import SCRIPT_FUNCTIONS, ScriptFunction
from jitffi.runtime.script_object_entry_points import SCRIPT_OBJECT_FUNCTIONS
from jitffi.scripts.library.methods import METHODS, Method

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_ARGUMENTS = {"int": "i64", "bool": "i32"}
#: The results of C functions by the row's word (methods.py): the type, what is passed for the result, how it fails.
_RESULTS = {
    "new": ("i32", "ptr", "nonzero"),
    "view": ("void", "ptr", ""),
    "int": ("i64", "", ""),
    "int!": ("i32", "ptr", "nonzero"),
    "bool": ("i32", "", ""),
    "bool!": ("i32", "", "negative"),
    "list": ("i32", "i32 ptr", "nonzero"),
    "tuple": ("i32", "ptr", "nonzero"),
}
#: Methods that only look.
_READS = frozenset(("find", "rfind", "count"))


def _function(method: Method) -> ScriptFunction:
    """What a row of a method says of its C function, by the rules on top of methods.py."""
    result, out, fails = _RESULTS[method.result.partition("[")[0].partition(" ")[0]]
    taken = [_ARGUMENTS.get(each.type.removesuffix("|None"), "ptr") for each in method.params]
    effects = "reads" if method.name in _READS else ""
    return ScriptFunction(method.symbol, result, " ".join(["ptr", *taken, out]), fails, effects)


#: By name.
FUNCTIONS: Final = {
    **SCRIPT_FUNCTIONS,
    **SCRIPT_OBJECT_FUNCTIONS,
    **SCRIPT_CONTAINER_FUNCTIONS,
    **{each.symbol: _function(each) for kind in ("str", "bytes") for each in METHODS[kind].values()},
}
