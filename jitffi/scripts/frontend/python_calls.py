"""Readers of what is left to Python's own objects: names of the module, calls with any arguments, constants."""

from __future__ import annotations

import math

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import frames, names, tables
from jitffi.scripts.library import classes, math_functions
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Context
    from jitffi.scripts.frontend.names import Resolver


#: Flags of code: stars, generators, coroutines.
_OTHERS: Final = 0x04 | 0x08 | 0x20 | 0x80 | 0x200
#: Builtins that see the variables of who calls them, unless they are given so many arguments.
_LOOKING: Final = {"locals": 1, "vars": 1, "dir": 1, "eval": 2, "exec": 2, "globals": 1, "super": 1}


def read_global(cx: Context, node: Any) -> tree.Expr:
    """A name that is no variable, whatever it stands for."""
    if node.id in _LOOKING and names.builtin_name(cx.outside(node.id)) == node.id:
        cx.refuse(node, f"{node.id} sees the variables of the function that calls it, and scripts have none for it")
    frames.refuse(cx, node, cx.outside(node.id))
    return _global(cx, node)


def _global(cx: Context, node: Any) -> tree.Expr:
    return pytree.Global(cx.place(node), pytree.Outside(cx.function, node.id))


def read_call(cx: Context, node: Any) -> tree.Expr:
    """A call of anything, with stars and names; the callee is evaluated as any other value."""
    frames.refuse_class(cx, node)
    name = getattr(node.func, "id", "")
    if name in _LOOKING and cx.is_outside(name) and names.builtin_name(cx.outside(name)) == name:
        if name == "globals" and not node.args and not node.keywords:
            return pytree.ModuleDict(cx.place(node), cx.function)
        is_given = len(node.args) >= _LOOKING[name]
        callee = _global(cx, node.func) if is_given else read_global(cx, node.func)
    else:
        callee = cx.expr(node.func)
    args: list[tree.Expr] = [_argument(cx, each) for each in node.args]
    for each in node.keywords:
        place, value = cx.place(each.value), cx.expr(each.value)
        args.append(pytree.Starred(place, value, True) if each.arg is None else pytree.Named(place, each.arg, value))
    made = pytree.PyCall(cx.place(node), callee, args, _of_math(cx, node), tables.of_call(cx, node))
    if isinstance(callee, pytree.Global) and cx.resolve is not None:
        made.makes = names.registered_key(cx.outside(callee.outside.name))
    if cx.resolve is not None and isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName):
        made.methods = methods_of(cx.resolve, callee.index.name, args)
    return made


def methods_of(resolve: Resolver, name: str, args: list[tree.Expr]) -> dict[str, pytree.Method]:
    """The methods of that name that take these arguments, all of them by position."""
    if any(isinstance(each, pytree.Starred | pytree.Named) for each in args):
        return {}
    found = {}
    for key, value in resolve.methods(name).items():
        if type(value) is property:
            continue
        function: Any = classes.function_of(value)
        is_static, defaults = type(value) is staticmethod, names.defaults_of(function)
        missing = function.__code__.co_argcount - len(args) - (not is_static)
        is_plain = not function.__code__.co_flags & _OTHERS and function.__code__.co_kwonlyargcount == 0
        if is_plain and 0 <= missing <= len(defaults) and all(map(names.is_constant, defaults)):
            rest = defaults[len(defaults) - missing :]
            found[key] = pytree.Method(key, name, resolve.script(function), is_static, rest)
    return found


def _of_math(cx: Context, node: Any) -> str:
    """The native function of `math` that is called, by the module or by its own name."""
    kind = type(node.func).__name__
    if node.keywords or any(type(each).__name__ == "Starred" for each in node.args):
        return ""
    if kind == "Name" and cx.is_outside(node.func.id):
        return math_functions.name_of(cx.outside(node.func.id), len(node.args))
    base = getattr(node.func.value, "id", "") if kind == "Attribute" else ""
    if not base or not cx.is_outside(base) or cx.outside(base) is not math:
        return ""
    return math_functions.name_of(getattr(math, node.func.attr, None), len(node.args))


def read_name(cx: Context, node: Any) -> tree.MemberName:
    """What stands behind the dot of an attribute that is read."""
    found = {} if cx.resolve is None else cx.resolve.methods(node.attr)
    getters = {key: classes.function_of(value) for key, value in found.items() if type(value) is property}
    methods = {
        key: pytree.Method(key, node.attr, cx.resolve.script(getter), False, ())
        for key, getter in getters.items()
        if cx.resolve is not None
        and getter is not None
        and getter.__code__.co_argcount == 1
        and not getter.__code__.co_flags & _OTHERS
    }
    place = cx.place(node)
    return pytree.AttributeName(place, node.attr, methods) if methods else tree.MemberName(place, node.attr)


def _argument(cx: Context, node: Any) -> tree.Expr:
    if type(node).__name__ == "Starred":
        return pytree.Starred(cx.place(node), cx.expr(node.value), False)
    return cx.expr(node)


def or_python(cx: Context, node: Any, read: Callable[[], tree.Expr], otherwise: Callable[[], tree.Expr]) -> tree.Expr:
    """What `read` gives, or where scripts lack that, what `otherwise` leaves to Python; ScriptError where objects are
    refused, and for what even Python's objects cannot do."""
    if not cx.foreign:
        return read()
    try:
        return read()
    except ScriptError as error:
        # What `otherwise` has tried in vain within this is not tried again by each node around it.
        if getattr(error, "is_final", False):
            raise
    try:
        return otherwise()
    except ScriptError as error:
        error.is_final = True  # type: ignore[attr-defined]
        raise


def is_left(function: Any) -> bool:
    """Whether a jitffi.Function is a script that is left to the interpreter."""
    given = getattr(function, "_given", None)
    return given is not None and bool(given.left)


def is_compiled(cx: Context, function: Any) -> bool:
    """Whether a Python function that is called by its name is compiled along: it can be, and is not a library's."""
    if not cx.foreign:
        return True
    if names.is_of_library(cx.function, function):
        return False
    return cx.resolve is None or cx.resolve.can_compile(function)
