"""Readers of calls: of methods, builtins, scripts, native functions and callables."""

from __future__ import annotations

import builtins

from jitffi.base.errors import nearest
from jitffi.scripts.frontend import (
    binding,
    defaulting,
    generator_calls,
    inner,
    lazy_calls,
    modules,
    names,
    refusals,
    regexes,
    templates,
)
from jitffi.scripts.frontend.arguments import check_method, read_builtin
from jitffi.scripts.frontend.context import Context, reads
from jitffi.scripts.frontend.expressions import attribute_message, defined
from jitffi.scripts.frontend.python_calls import is_compiled, is_left, methods_of, or_python, placed_like, read_call
from jitffi.scripts.frontend.sort_keys import read_sort_key
from jitffi.scripts.frontend.targets import read_items
from jitffi.scripts.library import classes
from jitffi.scripts.library.builtins import ITERATED, ROWS
from jitffi.scripts.library.methods import METHODS, OF_ITEMS, OF_MANY_SETS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

#: Classes that isinstance knows.
_CLASSES = frozenset(("int", "bool", "float", "str", "bytes", "list", "tuple", "dict", "None"))
NO_METHOD = ": it has those of str, bytes, list, tuple, set and dict"


@reads("Call")
def _call(cx: Context, node: Any, is_iterated: bool = False) -> tree.Expr:
    """`is_iterated` where a for runs over its result."""
    if getattr(node.func, "id", "")[:1] == " ":  # of generator_calls: in the place of what Python can do as well
        return _native_call(cx, node, is_iterated)
    return or_python(cx, node, lambda: _native_call(cx, node, is_iterated), lambda: read_call(cx, node))


def _native_call(cx: Context, node: Any, is_iterated: bool) -> tree.Expr:
    """What is compiled, or known to be no object's."""
    func = node.func
    kind = type(func).__name__
    found = regexes.call(cx, node) or defaulting.call(cx, node)
    if found is not None:
        return found
    if _is_global_func(cx, func):
        cx.refuse(node, "a global function is called where it is looked up: write get_global_func('name')(...)")
    if kind == "Call" and _is_global_func(cx, func.func):
        _no_stars(cx, node)
        return _global_func(cx, node)
    if kind == "Attribute":
        made = templates.format_(cx, node) if func.attr == "format" else None
        if made is not None:
            return made
        found, function = _of_class(cx, func)
        if function is not None:
            return _script(cx, _with_class(node) if type(found) is classmethod else node, function)
        _no_stars(cx, node)
        found = lazy_calls.read_method(cx, node)
        if found is not None:
            return found
        if _is_outside(cx, func.value) or modules.dotted(cx, func) is not None:
            cx.refuse(func, attribute_message(cx, func))
        return _method(cx, node)
    if kind == "Name" and func.id in cx.functions and cx.scope.find(func.id) is None:
        return inner.call(cx, node, cx.functions[func.id])
    if kind == "Lambda":
        return inner.call_lambda(cx, node)
    if kind == "Name" and cx.is_outside(func.id):
        return _by_name(cx, node, is_iterated)
    if cx.foreign and any(type(each).__name__ == "Starred" for each in node.args):
        return read_call(cx, node)
    return tree.Call(cx.place(node), tree.Callee(value=cx.expr(func)), _positional(cx, node, "a callable"))


def _no_stars(cx: Context, node: Any) -> None:
    for each in node.args:
        if type(each).__name__ == "Starred":
            cx.refuse(each, refusals.EXPRESSIONS["Starred"])
    for each in node.keywords:
        if each.arg is None:
            cx.refuse(each.value, "scripts have no ** in calls: write the arguments out, or pass the dict itself")


def _positional(cx: Context, node: Any, what: str) -> list[tree.Expr]:
    if node.keywords:
        cx.refuse(node.keywords[0].value, f"{what} takes no arguments by name here: pass it by position")
    return read_items(cx, node.args)


# -- by name ----------------------------------------------------------------------------------------------------------


def _by_name(cx: Context, node: Any, is_iterated: bool) -> tree.Expr:
    name = node.func.id
    value = zip if name == " zip" else cx.outside(name)  # the former of map(f, xs, ys)
    builtin = names.builtin_name(value)
    if not builtin and name in refusals.BUILTINS and value is vars(builtins).get(name, names.MISSING):
        builtin = name  # what `site` adds has no name of its own
    if builtin:
        _no_stars(cx, node)
        return _builtin(cx, node, builtin, is_iterated)
    function = cx.function if cx.resolve is None and name == cx.function.__name__ else names.python_function(value)
    if function is not None and not is_compiled(cx, function):
        return read_call(cx, node)
    if function is not None:
        modules.refuse_of_library(cx, node.func, name, function)
        return _script(cx, node, function)
    native = names.jitffi_function(value)
    if native is not None and not is_left(native):
        return _native(cx, node, native)
    if cx.foreign:
        return read_call(cx, node)
    if value is names.MISSING and cx.resolve is None:
        for each in node.keywords:
            cx.expr(each.value)
        return tree.Call(cx.place(node), tree.Callee(), read_items(cx, node.args))
    defined(cx, node.func, value)
    if isinstance(value, type):
        cx.refuse(node.func, modules.of_class(name, value))
    what = type(value).__name__
    cx.refuse(
        node.func,
        f"scripts call scripts, Python functions and jitffi functions by name: pass {name}, a {what}, as a parameter",
    )


def _script(cx: Context, node: Any, function: FunctionType) -> tree.Expr:
    place = cx.place(node)
    if cx.resolve is None and function is not cx.function:
        # What the name stands for can still change; its parameters are compared when code is made.
        cx.called.append(function)
        for each in node.keywords:
            cx.expr(each.value)
        return tree.Call(place, tree.Callee(script=function), read_items(cx, node.args))
    args, order = binding.bind_script(cx, node, function)
    script = function if cx.resolve is None else cx.resolve.script(function)
    return tree.Call(place, tree.Callee(script=script), args, order)


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
    _no_stars(cx, node)
    args, order = binding.bind(cx, node, name, parameters, unnamed[-1] + 1 if unnamed else 0, filled)
    return tree.Call(cx.place(node), callee, args, order)


# -- jitffi.get_global_func -------------------------------------------------------------------------------------------


def _of_class(cx: Context, node: Any) -> tuple[Any, FunctionType | None]:
    """What `Class.name` is of a registered class, and its function: of a static or class method, or of one that is
    given its object."""
    if cx.resolve is None or type(node.value).__name__ != "Name" or not cx.is_outside(node.value.id):
        return None, None
    found = cx.resolve.methods(node.attr).get(names.registered_key(cx.outside(node.value.id)))
    return found, None if type(found) is property else classes.function_of(found)


def _with_class(node: Any) -> Any:
    """`Class.name(args)` as if it were one of the function, which gets the class, too."""
    return placed_like(node, type(node)(node.func, [node.func.value, *node.args], node.keywords))


def _is_outside(cx: Context, node: Any) -> bool:
    """Whether an attribute's base is a module, a class or a function, which have no methods for scripts."""
    if type(node).__name__ != "Name" or not cx.is_outside(node.id):
        return False
    value = cx.outside(node.id)
    return type(value).__name__ == "module" or callable(value)


def _is_global_func(cx: Context, node: Any) -> bool:
    """Whether that is `jitffi.get_global_func`, by whatever names. What nobody has asked for is not loaded."""
    import jitffi

    kind = type(node).__name__
    if kind == "Name" and cx.is_outside(node.id):
        found = cx.outside(node.id)
        return getattr(found, "__name__", "") == "get_global_func" and found is jitffi.get_global_func
    if kind == "Attribute" and node.attr == "get_global_func" and type(node.value).__name__ == "Name":
        return cx.is_outside(node.value.id) and cx.outside(node.value.id) is jitffi
    return False


def _global_func(cx: Context, node: Any) -> tree.Expr:
    inner = node.func
    args = inner.args
    if len(args) != 1 or inner.keywords or type(_literal(args[0])) is not str:
        cx.refuse(inner, "get_global_func takes the name of the function as a str literal here")
    callee = tree.Callee(global_name=args[0].value)
    return tree.Call(cx.place(node), callee, _positional(cx, node, "a global function"))


# -- builtins ---------------------------------------------------------------------------------------------------------


def _builtin(cx: Context, node: Any, name: str, is_iterated: bool) -> tree.Expr:
    if name in ("map", "filter"):
        made = lazy_calls.as_generator(cx, node, name)
        return cx.iterable(made) if is_iterated else cx.expr(made)
    if name == "next":
        return lazy_calls.read_next(cx, node)
    if name == "frozenset" and cx.is_frozen(node):
        return read_builtin(cx, node, "set")
    if name not in ROWS:
        instead = refusals.BUILTINS.get(name, "call it in the caller, and pass what it gives as a parameter")
        cx.refuse(node.func, f"scripts have no {name}: {instead}")
    if name in ITERATED and not is_iterated:
        cx.refuse(node, f"{name} is for loops only: write list({name}(...)) for a list of what it gives")
    if name == "isinstance":
        return _isinstance(cx, node)
    called = generator_calls.of_builtin(cx, node, name)
    if called is not node:
        return _native_call(cx, called, is_iterated)
    return read_builtin(cx, node, name)


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
        return ["None"]  # of `int | None`
    if kind == "Name" and cx.is_outside(node.id):
        value = cx.outside(node.id)
        name = "None" if value is type(None) else names.builtin_name(value)
        if name in _CLASSES:
            return [name]
    if kind == "Call" and getattr(node.func, "id", "") == "type" and [_literal(each) for each in node.args] == [None]:
        return ["None"]
    cx.refuse(
        node, f"isinstance of scripts knows the classes {', '.join(sorted(_CLASSES - {'None'}))}: write one of them"
    )


def _literal(node: Any) -> Any:
    return node.value if type(node).__name__ == "Constant" else names.MISSING


# -- methods ----------------------------------------------------------------------------------------------------------


def _method(cx: Context, node: Any) -> tree.Expr:
    func = node.func
    name = func.attr
    place = cx.place(node)
    value = cx.expr(func.value)
    rows = [methods[name] for methods in METHODS.values() if name in methods]
    if not rows:
        instead = refusals.METHODS.get(name) or nearest(name, {each for row in METHODS.values() for each in row})
        end = cx.place(func)
        at = tree.Place(end.end_line, end.end_column - len(name), end.end_line, end.end_column)
        cx.refuse_at(at, f"scripts have no method {name!r}" + (f": {instead}" if instead else NO_METHOD))
    check_method(cx, node, name, rows)
    is_gone_through = name in ("join", "extend", "update") or (name in OF_ITEMS and not cx.foreign)
    is_gone_through = is_gone_through and (len(node.args) == 1 or name not in OF_MANY_SETS)
    inside = cx.iterable if is_gone_through else cx.expr
    given = [generator_calls.of_items(cx, each) for each in node.args] if name == "join" else node.args
    args = [inside(each) for each in given]
    keywords: dict[str, tree.Expr] = {}
    key = None
    for each in node.keywords:
        if each.arg == "key" and name == "sort":
            key = read_sort_key(cx, each.value)
        else:
            keywords[each.arg] = cx.expr(each.value)
    made = tree.Method(place, value, name, args, keywords, key)
    if cx.resolve is not None and not node.keywords:
        made.methods = methods_of(cx.resolve, name, args)
    return made
