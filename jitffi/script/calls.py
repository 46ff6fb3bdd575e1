"""Readers of calls: of methods, builtins, scripts, native functions and callables."""

from __future__ import annotations

from jitffi.errors import nearest
from jitffi.script import names, refusals, tree
from jitffi.script.builtins import ITERATED, check_builtin
from jitffi.script.context import Context, reads
from jitffi.script.expressions import attribute_message, constant, iterable
from jitffi.script.keys import read_key
from jitffi.script.methods import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

#: Classes that isinstance knows.
_CLASSES = {"int", "bool", "float", "str", "bytes", "list", "tuple", "dict"}


@reads("Call")
def _call(cx: Context, node: Any) -> tree.Expr:
    return read_call(cx, node)


def read_call(cx: Context, node: Any, is_iterated: bool = False) -> tree.Expr:
    """Read a call; `is_iterated` where a for runs over its result."""
    func = node.func
    kind = type(func).__name__
    _no_stars(cx, node)
    if kind == "Attribute" and not _is_global_func(cx, func) and not _is_outside(cx, func.value):
        return _method(cx, node)
    if kind == "Attribute" and _is_outside(cx, func.value) and not _is_global_func(cx, func):
        cx.refuse(func, attribute_message(cx, func))
    if kind == "Name" and cx.scope.find(func.id) is None and not _is_hidden(cx, func.id):
        return _by_name(cx, node, is_iterated)
    if kind == "Call" and _is_global_func(cx, func.func):
        return _global_func(cx, node)
    if _is_global_func(cx, func):
        cx.refuse(node, "a global function is called where it is looked up: get_global_func('name')(...)")
    return tree.Call(cx.place(node), tree.Callee(value=cx.expr(func)), _positional(cx, node, "a callable"))


def _is_hidden(cx: Context, name: str) -> bool:
    return cx.hidden is not None and cx.hidden.find(name) is not None


def _no_stars(cx: Context, node: Any) -> None:
    for each in node.args:
        if type(each).__name__ == "Starred":
            cx.refuse(each, "scripts have no * in calls: write the arguments out, or pass the list itself")
    for each in node.keywords:
        if each.arg is None:
            cx.refuse(each.value, "scripts have no ** in calls: write the arguments out, or pass the dict itself")


def _positional(cx: Context, node: Any, what: str) -> list[tree.Expr]:
    if node.keywords:
        cx.refuse(node.keywords[0].value, f"{what} takes no arguments by name here: pass it by position")
    return [cx.expr(each) for each in node.args]


# -- by name ----------------------------------------------------------------------------------------------------------


def _by_name(cx: Context, node: Any, is_iterated: bool) -> tree.Expr:
    name = node.func.id
    value = cx.outside(name)
    builtin = names.builtin_name(value)
    if builtin:
        return _builtin(cx, node, builtin, is_iterated)
    function = cx.function if cx.resolve is None and name == cx.function.__name__ else names.python_function(value)
    if function is not None:
        return _script(cx, node, function)
    native = names.jitffi_function(value)
    if native is not None:
        return _native(cx, node, native)
    if value is names.MISSING and cx.resolve is None:
        for each in node.keywords:
            cx.expr(each.value)
        return tree.Call(cx.place(node), tree.Callee(), [cx.expr(each) for each in node.args])
    if value is names.MISSING:
        cx.refuse(node.func, f"name {name!r} is not defined{cx.nearest_name(name)}")
    if isinstance(value, type):
        cx.refuse(node.func, f"scripts make no objects of classes: call {name} in the caller, and pass what it gives")
    what = type(value).__name__
    cx.refuse(
        node.func,
        f"scripts call scripts, Python functions and jitffi functions by name: pass {name}, a {what}, as a parameter",
    )


def _script(cx: Context, node: Any, function: FunctionType) -> tree.Expr:
    code = function.__code__
    place = cx.place(node)
    if cx.resolve is None and function is not cx.function:
        # What the name stands for can still change; its parameters are compared when code is made.
        for each in node.keywords:
            cx.expr(each.value)
        return tree.Call(place, tree.Callee(script=function), [cx.expr(each) for each in node.args])
    parameters = code.co_varnames[: code.co_argcount]
    defaults = function.__defaults__ or ()
    required = len(parameters) - len(defaults)
    filled = dict(zip(parameters[required:], defaults, strict=True))
    args = _bind(cx, node, function.__name__, parameters, code.co_posonlyargcount, filled)
    script = function if cx.resolve is None else cx.resolve.script(function)
    return tree.Call(place, tree.Callee(script=script), args)


def _native(cx: Context, node: Any, function: Any) -> tree.Expr:
    callee = tree.Callee(native=function)
    signature = getattr(function, "signature", None)
    name = function.__name__
    if signature is None:
        return tree.Call(cx.place(node), callee, _positional(cx, node, name))
    parameters = tuple([each.name or f"argument {i + 1}" for i, each in enumerate(signature.params)])
    filled = {
        parameter: each.default
        for parameter, each in zip(parameters, signature.params, strict=True)
        if names.is_constant(each.default)
    }
    unnamed = [i for i, each in enumerate(signature.params) if not each.name]
    return tree.Call(
        cx.place(node), callee, _bind(cx, node, name, parameters, unnamed[-1] + 1 if unnamed else 0, filled)
    )


def _bind(
    cx: Context, node: Any, name: str, parameters: tuple[str, ...], positional_only: int, defaults: dict[str, Any]
) -> list[tree.Expr]:
    """The arguments of a call at their parameters' positions."""
    if len(node.args) > len(parameters):
        count = f"{len(parameters)} argument{'s' * (len(parameters) != 1)}"
        cx.refuse(node, f"{name}() takes {count} but {len(node.args)} are given")
    given = {parameter: cx.expr(each) for parameter, each in zip(parameters, node.args, strict=False)}
    for each in node.keywords:
        if each.arg not in parameters[positional_only:]:
            hint = nearest(each.arg, parameters[positional_only:])
            cx.refuse(each.value, f"{name}() has no parameter {each.arg!r}{'; ' if hint else ''}{hint}")
        if each.arg in given:
            cx.refuse(each.value, f"{name}() gets two values for its parameter {each.arg!r}")
        given[each.arg] = cx.expr(each.value)
    for parameter in parameters:
        if parameter not in given and parameter in defaults:
            given[parameter] = constant(cx, cx.place(node), defaults[parameter])
        elif parameter not in given:
            cx.refuse(node, f"{name}() needs an argument for its parameter {parameter!r}")
    return [given[parameter] for parameter in parameters]


# -- jitffi.get_global_func -------------------------------------------------------------------------------------------


def _is_outside(cx: Context, node: Any) -> bool:
    """Whether an attribute's base is a name of the world outside that has no methods for scripts."""
    if type(node).__name__ != "Name" or cx.scope.find(node.id) is not None or _is_hidden(cx, node.id):
        return False
    return not names.is_constant(cx.outside(node.id)) and not names.is_constant_name(node.id)


def _is_global_func(cx: Context, node: Any) -> bool:
    """Whether that is `jitffi.get_global_func`, by whatever names."""
    import jitffi

    kind = type(node).__name__
    if kind == "Name" and cx.scope.find(node.id) is None:
        return cx.outside(node.id) is jitffi.get_global_func
    if kind == "Attribute" and node.attr == "get_global_func" and type(node.value).__name__ == "Name":
        return cx.scope.find(node.value.id) is None and cx.outside(node.value.id) is jitffi
    return False


def _global_func(cx: Context, node: Any) -> tree.Expr:
    inner = node.func
    args = inner.args
    if len(args) != 1 or inner.keywords or type(getattr(args[0], "value", None)) is not str:
        cx.refuse(inner, "get_global_func takes the name of the function as a str literal here")
    callee = tree.Callee(global_name=args[0].value)
    return tree.Call(cx.place(node), callee, _positional(cx, node, "a global function"))


# -- builtins ---------------------------------------------------------------------------------------------------------


def _builtin(cx: Context, node: Any, name: str, is_iterated: bool) -> tree.Expr:
    if name not in names.SUPPORTED_BUILTINS:
        instead = refusals.BUILTINS.get(name, "call it in the caller, and pass what it gives as a parameter")
        cx.refuse(node.func, f"scripts have no {name}: {instead}")
    place = cx.place(node)
    if name in ITERATED and not is_iterated:
        cx.refuse(node, f"{name} is for loops only: write list({name}(...)) for a list of what it gives")
    if name == "isinstance":
        return _isinstance(cx, node)
    row = check_builtin(cx, node, name)
    inside = iterable if row.iterates else Context.expr
    args = [inside(cx, each) for each in node.args]
    keywords: dict[str, tree.Expr] = {}
    key = None
    for each in node.keywords:
        if each.arg == "key":
            key = read_key(cx, each.value)
        elif each.arg in row.positions:
            args.append(cx.expr(each.value))
        else:
            keywords[each.arg] = cx.expr(each.value)
    return tree.Builtin(place, name, args, keywords, key=key)


def _isinstance(cx: Context, node: Any) -> tree.Expr:
    if len(node.args) != 2 or node.keywords:
        cx.refuse(node, "isinstance() takes a value, and a class or a tuple of classes")
    value = cx.expr(node.args[0])
    return tree.Builtin(
        cx.place(node), "isinstance", [value], {}, classes=tuple(dict.fromkeys(_classes(cx, node.args[1])))
    )


def _classes(cx: Context, node: Any) -> list[str]:
    kind = type(node).__name__
    if kind == "Tuple":
        return [name for each in node.elts for name in _classes(cx, each)]
    if kind == "BinOp" and type(node.op).__name__ == "BitOr":
        return [*_classes(cx, node.left), *_classes(cx, node.right)]
    if kind == "Constant" and node.value is None:
        return ["None"]
    if kind == "Name" and cx.scope.find(node.id) is None:
        name = names.builtin_name(cx.outside(node.id))
        if name in _CLASSES:
            return [name]
    if kind == "Call" and getattr(node.func, "id", "") == "type" and getattr(node.args[0], "value", 0) is None:
        return ["None"]
    cx.refuse(node, f"isinstance of scripts knows the classes {', '.join(sorted(_CLASSES))}")


# -- methods ----------------------------------------------------------------------------------------------------------


def _method(cx: Context, node: Any) -> tree.Expr:
    func = node.func
    name = func.attr
    place = cx.place(node)
    rows = [methods[name] for methods in METHODS.values() if name in methods]
    if not rows:
        known = {each for methods in METHODS.values() for each in methods}
        hint = nearest(name, known)
        end = place.end_column
        at = tree.Place(
            func.end_lineno, cx.source.column(func.end_lineno, func.end_col_offset) - len(name), func.end_lineno, end
        )
        cx.refuse_at(at, f"scripts have no method {name!r}" + (f"; {hint}" if hint else ""))
    value = cx.expr(func.value)
    args = [cx.expr(each) for each in node.args]
    keywords: dict[str, tree.Expr] = {}
    key = None
    for each in node.keywords:
        if each.arg == "key" and name == "sort":
            key = read_key(cx, each.value)
        else:
            keywords[each.arg] = cx.expr(each.value)
    return tree.Method(place, value, name, args, keywords, key)
