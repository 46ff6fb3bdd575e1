"""What belongs to modules and is no script's: why it is refused, and what to write instead that is not."""

from __future__ import annotations

from jitffi.base.errors import ScriptError, nearest
from jitffi.scripts.frontend import names, refusals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.frontend.context import Context

_CALL = "as a parameter, and call that"


def dotted(cx: Context, node: Any) -> tuple[str, Any] | None:
    """An attribute of a module, by its name with dots and its value, MISSING where there is none; None for others."""
    kind = type(node).__name__
    if kind == "Name" and cx.is_outside(node.id):
        value = cx.outside(node.id)
        return (node.id, value) if type(value).__name__ == "module" else None
    base = dotted(cx, node.value) if kind == "Attribute" else None
    if base is None or type(base[1]).__name__ != "module":
        return None
    return f"{base[0]}.{node.attr}", getattr(base[1], node.attr, names.MISSING)


def why_not(cx: Context, text: str, value: Any) -> str:
    """Why a script cannot see that attribute of a module, and what to write."""
    module, _, name = text.rpartition(".")
    if value is names.MISSING:
        base = cx.outside(module) if "." not in module else None
        hint = nearest(name, dir(base)) if base is not None else ""
        return f"the module {module} has no {name}: " + (hint or "look up what it is called")
    if type(value).__name__ == "module":
        return f"a module is no value in a script: pass what the script needs of {text} as a parameter"
    function = names.python_function(value)
    if names.is_constant(value):
        if names.is_constant_name(name):
            return _import(module, name)
        return (
            f"scripts see constants by names in CAPITALS: write `{name.upper()} = {text}` at the top of the module, "
            f"and {name.upper()} here"
        )
    if function is not None:
        fault = fault_of(cx, function)
        return _import(module, name) if fault is None else _unlike(text, function, fault)
    if names.jitffi_function(value) is not None:
        return _import(module, name)
    if isinstance(value, type):
        return of_class(text, value)
    if callable(value):
        return f"scripts call scripts, Python functions and jitffi functions by name: pass {text} {_CALL}"
    return f"scripts see no variables of modules: pass {text} as a parameter"


def _import(module: str, name: str) -> str:
    return (
        f"scripts see functions and constants by their own names: write `from {module} import {name}` at the top of "
        "the module"
    )


def of_class(text: str, value: type) -> str:
    """Why there are no objects of a class, and what to use."""
    instead = refusals.CLASSES.get(f"{value.__module__}.{value.__qualname__}")
    return f"scripts make no objects of classes: {instead or f'call {text} in the caller, and pass what it gives'}"


# -- Python functions of libraries ------------------------------------------------------------------------------------


def fault_of(cx: Context, function: FunctionType) -> ScriptError | None:
    """Why a function of a library, or what it calls there, is no script; None where it is one, and for functions that
    are the user's own: their errors show their lines."""
    waiting, seen = [function], set()
    while waiting:
        each = waiting.pop()
        if each in seen or not names.is_of_library(cx.function, each):
            continue
        seen.add(each)
        try:
            cx.check(each, waiting)
        except ScriptError as error:
            return error
    return None


def refuse_of_library(cx: Context, node: Any, name: str, function: FunctionType) -> None:
    """ScriptError where the user calls a function of a library that is no script."""
    fault = fault_of(cx, function)
    if fault is not None:
        cx.refuse(node, _unlike(name, function, fault))


def _unlike(text: str, function: FunctionType, fault: ScriptError) -> str:
    why = (fault.msg or "").partition(":")[0]
    of = "" if "." in text else f" of {function.__module__}"
    return f"{text}{of} cannot be compiled along ({why}): pass {text} {_CALL}"
