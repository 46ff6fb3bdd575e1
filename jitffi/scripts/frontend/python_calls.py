"""Readers of what is left to Python's own objects: names of the module, calls with any arguments, constants."""

from __future__ import annotations

import math

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import frames, names, tables
from jitffi.scripts.library import classes, math_functions
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import class_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Context
    from jitffi.scripts.frontend.names import Resolver


#: Flags of code: stars; generators and coroutines.
_ARGS: Final = 0x04
_KWARGS: Final = 0x08
_LAZY: Final = 0x20 | 0x80 | 0x200
#: What methods of a class get in front of their arguments, by what it has of them; others their object.
_FIRST: Final = {staticmethod: "", classmethod: "class"}
#: Builtins that see the variables of who calls them, unless they are given so many arguments.
_LOOKING: Final = {"locals": 1, "vars": 1, "dir": 1, "eval": 2, "exec": 2, "globals": 1, "super": 1}


def read_global(cx: Context, node: Any) -> tree.Expr:
    """A name that is no variable, whatever it stands for."""
    if node.id in _LOOKING and names.builtin_name(cx.outside(node.id)) == node.id:
        cx.refuse(node, f"{node.id} sees the variables of the function that calls it, and scripts have none for it")
    frames.refuse(cx, node, cx.outside(node.id))
    return _global(cx, node)


def _global(cx: Context, node: Any) -> tree.Expr:
    makes = "" if cx.resolve is None else names.registered_key(cx.outside(node.id))
    return pytree.Global(cx.place(node), pytree.Outside(cx.function, node.id), makes)


def read_call(cx: Context, node: Any) -> tree.Expr:
    """A call of anything, with stars and names; the callee is evaluated as any other value."""
    frames.refuse_class(cx, node)
    name = getattr(node.func, "id", "")
    node = _with_its_arguments(cx, node) if name == "super" and not (node.args or node.keywords) else node
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
    if isinstance(callee, pytree.Global) and len(args) == 2 and isinstance(args[0], pytree.Global):
        made.owner = args[0].makes if cx.outside(callee.outside.name) is super else ""
    if cx.resolve is not None and isinstance(callee, pytree.Global | tree.Local):
        is_class = isinstance(callee, tree.Local) or callee.makes != ""
        made.inits = methods_of(cx.resolve, classes.INIT, args) if is_class else {}
    if cx.resolve is not None and isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName):
        value = callee.value
        made.methods = methods_of(
            cx.resolve, callee.index.name, args, value.owner if isinstance(value, pytree.PyCall) else ""
        )
    return made


def _with_its_arguments(cx: Context, node: Any) -> Any:
    """`super()` in a method as `super(__class__, self)`; elsewhere as it is."""
    code = cx.function.__code__
    first = cx.scope.names.get(code.co_varnames[0]) if code.co_argcount else None
    if first is None or cx.within or cx.scope.outer is not None or cx.code is not code:
        return node
    if "__class__" not in code.co_freevars or not first.is_parameter:
        return node
    made = type(node)(node.func, [_name_like(node.func, each) for each in ("__class__", code.co_varnames[0])], [])
    return placed_like(node, made)


def _name_like(node: Any, name: str) -> Any:
    return placed_like(node, type(node)(name, node.ctx))


def placed_like(node: Any, made: Any) -> Any:
    for each in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
        setattr(made, each, getattr(node, each))
    return made


def methods_of(resolve: Resolver, name: str, args: list[tree.Expr], owner: str = "") -> dict[str, pytree.Method]:
    """The methods of that name, if scripts can have such arguments; those that super() finds behind the class of
    *owner*."""
    if any(isinstance(each, pytree.Starred) and each.double for each in args):
        return {}
    found = {}
    for key, value in resolve.methods(name, owner).items():
        function: Any = classes.function_of(value)
        if type(value) is property or function is None:
            continue
        first = _FIRST.get(type(value), "object")
        has = _parameters(function, int(first != ""))
        if has is None:
            continue
        found[key] = pytree.Method(key, name, resolve.script(function), first, (), (), owner, False, has)
        if first != "object":
            script = found[key].script
            found[class_of(key).key] = pytree.Method(key, name, script, first, (), (), owner, True, has)
    return found


def _parameters(function: FunctionType, first: int) -> pytree.Parameters | None:
    """Those behind so many that come *first*; None where calls make something else than a call."""
    code = function.__code__
    if code.co_flags & _LAZY or code.co_argcount < first:
        return None
    parameters = code.co_varnames[first : code.co_argcount + code.co_kwonlyargcount]
    by_position, defaults = code.co_argcount - first, names.defaults_of(function)
    known = dict(zip(parameters[by_position - len(defaults) : by_position], defaults, strict=False))
    known |= function.__kwdefaults__ or {}
    for each, value in known.items():
        known[each] = value if classes.is_native(value) else pytree.Outside(function, each)
    has_args, has_kwargs = bool(code.co_flags & _ARGS), bool(code.co_flags & _KWARGS)
    alone = max(code.co_posonlyargcount - first, 0)
    return pytree.Parameters(parameters, alone, by_position, known, has_args, has_kwargs)


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
    place, name, resolve = cx.place(node), node.attr, cx.resolve
    found = {} if resolve is None else resolve.methods(name)
    methods: dict[str, pytree.Method] = {}
    setters: dict[str, pytree.Method] = {}
    for key, value in found.items():
        if classes.is_constant(name, value):
            methods[key] = pytree.Method(key, name, None, "", (-1,), (value,))
            methods[class_of(key).key] = pytree.Method(key, name, None, "", (-1,), (value,), "", True)
        elif type(value) is property and resolve is not None:
            _add_property(resolve, methods, key, name, classes.function_of(value), ())
            _add_property(resolve, setters, key, name, classes.setter_of(value), (0,))
    if not methods:
        return tree.MemberName(place, name)
    return pytree.AttributeName(place, name, methods, setters=setters)


def _add_property(
    resolve: Resolver, found: dict[str, pytree.Method], key: str, name: str, function: FunctionType | None,
    places: tuple[int, ...],
) -> None:  # fmt: skip
    """The getter or setter of a property, as one of these, if it is compiled."""
    code = None if function is None else function.__code__
    if function is None or code is None or code.co_argcount != 1 + len(places) or code.co_kwonlyargcount:
        return
    if not code.co_flags & (_ARGS | _KWARGS | _LAZY) and resolve.can_compile(function):
        found[key] = pytree.Method(key, name, resolve.script(function), "object", places, ())


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
