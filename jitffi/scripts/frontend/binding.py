"""Arguments of calls by name, as the parameters of what is called stand."""

from __future__ import annotations

from jitffi.base.errors import nearest
from jitffi.base.records import record
from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.expressions import constant
from jitffi.scripts.frontend.targets import read_items
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    Bound = tuple[list[tree.Expr], tuple[int, ...]]

_VARARGS, _VARKEYWORDS = 0x04, 0x08


def bind(
    cx: Context, node: Any, name: str, parameters: tuple[str, ...], positional_only: int, defaults: dict[str, Any],
    by_position: int = -1,
) -> Bound:  # fmt: skip
    """The arguments of a call at their parameters' positions, and the order in which they are evaluated. The first
    *by_position* parameters, all where that is -1, may be given by position."""
    most = len(parameters) if by_position < 0 else by_position
    if len(node.args) > most:
        count = f"{most} argument{'s' * (most != 1)}"
        cx.refuse(node, f"{name}() takes {count} but {len(node.args)} are given")
    given = {parameter: cx.expr(each) for parameter, each in zip(parameters, node.args, strict=False)}
    for each in node.keywords:
        if each.arg not in parameters[positional_only:]:
            hint = nearest(each.arg, parameters[positional_only:])
            cx.refuse(each.value, f"{name}() has no parameter {each.arg!r}{'; ' if hint else ''}{hint}")
        if each.arg in given:
            cx.refuse(each.value, f"{name}() gets two values for its parameter {each.arg!r}: write one")
        given[each.arg] = cx.expr(each.value)
    return _placed(cx, node, name, parameters, given, defaults)


@record
class Shape:
    """The parameters of a function: those by position first, then those by name alone. Defaults are values, those of
    functions inside of functions may be variables."""

    name: str
    parameters: tuple[str, ...]
    positional_only: int
    by_position: int
    #: The names of `*args` and `**kwargs`, so far as they are there.
    stars: tuple[str, ...]
    has_args: bool
    has_kwargs: bool
    defaults: dict[str, Any]


def bind_script(cx: Context, node: Any, function: FunctionType) -> Bound:
    """The same of a script, with what its `*args` and `**kwargs` get."""
    code, values = function.__code__, names.defaults_of(function)
    count, named = code.co_argcount, code.co_argcount + code.co_kwonlyargcount
    has_args, has_kwargs = bool(code.co_flags & _VARARGS), bool(code.co_flags & _VARKEYWORDS)
    defaults = dict(zip(code.co_varnames[count - len(values) : count], values, strict=True))
    defaults.update(function.__kwdefaults__ or {})
    if cx.foreign:
        shared = {name for name, value in defaults.items() if not names.is_constant(value)}
        place = cx.place(node)
        defaults.update({name: pytree.Default(place, pytree.Outside(function, name)) for name in shared})
    shape = Shape(
        function.__name__, code.co_varnames[:named], code.co_posonlyargcount, count,
        code.co_varnames[named : named + has_args + has_kwargs], has_args, has_kwargs, {},
    )  # fmt: skip
    return bind_shape(cx, node, shape, defaults)


def bind_shape(cx: Context, node: Any, shape: Shape, defaults: dict[str, Any]) -> Bound:
    """The same by the shape of its parameters."""
    name, parameters, count, stars = shape.name, shape.parameters, shape.by_position, shape.stars
    has_args, has_kwargs = shape.has_args, shape.has_kwargs
    if not (has_args or has_kwargs):
        _plain_stars(cx, node, name)
        return bind(cx, node, name, parameters, shape.positional_only, defaults, count)
    given: dict[str, tree.Expr] = {}
    plain = _before_stars(node.args)
    if has_args:
        if len(node.args) > plain and plain < count:
            _plain_stars(cx, node, name)
        given.update({parameter: cx.expr(each) for parameter, each in zip(parameters[:count], node.args, strict=False)})
        given[stars[0]] = _tuple(cx, node, read_items(cx, node.args[count:]))
    else:
        _no_star(cx, node, name)
        if len(node.args) > count:
            cx.refuse(node, f"{name}() takes {count} arguments but {len(node.args)} are given")
        given.update({parameter: cx.expr(each) for parameter, each in zip(parameters, node.args, strict=False)})
    more = _by_name(cx, node, name, parameters[shape.positional_only :], given, has_kwargs)
    if has_kwargs:
        given[stars[-1]] = more
    return _placed(cx, node, name, (*parameters, *stars), given, defaults)


def _before_stars(nodes: list[Any]) -> int:
    stars = [i for i, each in enumerate(nodes) if type(each).__name__ == "Starred"]
    return stars[0] if stars else len(nodes)


def _tuple(cx: Context, node: Any, items: list[tree.Expr]) -> tree.Expr:
    place = cx.place(node)
    if any(isinstance(each, tree.Spread) for each in items):
        return tree.Builtin(place, "tuple", [tree.ListOf(place, items)], {})
    return tree.TupleOf(place, items)


def _plain_stars(cx: Context, node: Any, name: str) -> None:
    """ScriptError for stars whose items would have to be counted."""
    _no_star(cx, node, name)
    for each in node.keywords:
        if each.arg is None:
            cx.refuse(each.value, f"which arguments of {name}() a ** gives is known when it runs: write them out")


def _no_star(cx: Context, node: Any, name: str) -> None:
    for each in node.args:
        if type(each).__name__ == "Starred":
            cx.refuse(each, f"how many arguments of {name}() a * gives is known when it runs: write them out")


def _by_name(
    cx: Context, node: Any, name: str, parameters: tuple[str, ...], given: dict[str, tree.Expr], has_kwargs: bool
) -> tree.Expr:
    """Take what parameters have a name for; a dict of the rest."""
    keys: list[tree.Expr | None] = []
    values: list[tree.Expr] = []
    last = ""
    for each in node.keywords:
        if each.arg is None:
            if not has_kwargs or parameters:
                _plain_stars(cx, node, name)
            keys.append(None)
            values.append(cx.expr(each.value))
        elif each.arg in parameters:
            if each.arg in given:
                cx.refuse(each.value, f"{name}() gets two values for its parameter {each.arg!r}: write one")
            if values:
                last = each.arg
            given[each.arg] = cx.expr(each.value)
        elif not has_kwargs:
            hint = nearest(each.arg, parameters)
            cx.refuse(each.value, f"{name}() has no parameter {each.arg!r}{'; ' if hint else ''}{hint}")
        else:
            if any(isinstance(key, tree.Const) and key.value == each.arg for key in keys):
                cx.refuse(each.value, f"{name}() gets two values for {each.arg!r}: write one")
            keys.append(tree.Const(cx.place(each.value), each.arg))
            values.append(cx.expr(each.value))
    if last and not all(map(_is_pure, values)) and not _is_pure(given[last]):
        cx.refuse(node, f"write the arguments of {name}() that have parameters before the others")
    return tree.DictOf(cx.place(node), keys, values)


def _placed(
    cx: Context,
    node: Any,
    name: str,
    parameters: tuple[str, ...],
    given: dict[str, tree.Expr],
    defaults: dict[str, Any],
) -> Bound:
    """With defaults, at the parameters' positions."""
    order = _order(given, parameters)
    for parameter in parameters:
        if parameter not in given and parameter in defaults:
            if isinstance(defaults[parameter], tree.Variable):
                given[parameter] = tree.Local(cx.place(node), defaults[parameter])
                continue
            if isinstance(defaults[parameter], pytree.Default):
                given[parameter] = defaults[parameter]
                continue
            if not names.is_constant(defaults[parameter]):
                cx.refuse(
                    node, f"the default of {name}()'s parameter {parameter!r} is no constant: pass an argument for it"
                )
            given[parameter] = constant(cx, cx.place(node), defaults[parameter])
        elif parameter not in given:
            cx.refuse(node, f"{name}() needs an argument for its parameter {parameter!r}")
    return [given[parameter] for parameter in parameters], order


def _order(given: dict[str, tree.Expr], parameters: tuple[str, ...]) -> tuple[int, ...]:
    """The order in which arguments by name are evaluated, where it is not that of the parameters and matters."""
    wanted = [parameters.index(name) for name, each in given.items() if not _is_pure(each)]
    if wanted == sorted(wanted):
        return ()
    return (*wanted, *(i for i in range(len(parameters)) if i not in wanted))


def _is_pure(read: tree.Expr) -> bool:
    return isinstance(read, tree.Const) or (isinstance(read, tree.Local) and not read.check)
