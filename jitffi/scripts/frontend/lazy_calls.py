"""Readers of map, filter and next, and of methods that a class is asked for: `dict.fromkeys(...)`, `str.strip(x)`.

map and filter are read as generator expressions: `map(f, xs)` as `(f(x) for x in xs)`.
"""

from __future__ import annotations

from _ast import Call, Compare, Constant, GeneratorExp, IfExp, Is, Load, Name, Store, Tuple, comprehension

from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.arguments import read_builtin
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.targets import bound_names, named_in
from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: Classes whose methods can be asked for by the class, of values that cannot change.
_OWNERS = ("str", "bytes", "int", "float")


def _where(node: Any) -> dict[str, Any]:
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def as_generator(cx: Context, node: Any, name: str) -> Any:
    """The generator expression that a call of map or filter is."""
    args, where = node.args, _where(node)
    if node.keywords or len(args) < 2 or (name == "filter" and len(args) > 2):
        cx.refuse(node, f"{name}() of scripts takes a function, and what it is called with")
    function = args[0]
    lambda_names = _lambda_names(cx, function, len(args) - 1)
    if lambda_names is None:
        _refuse_changing(cx, function)
    items = lambda_names or [f" item{i}" for i in range(len(args) - 1)]
    targets = [Name(each, Store(), **where) for each in items]
    over = args[1] if len(targets) == 1 else Call(Name(" zip", Load(), **where), args[1:], [], **where)
    target = targets[0] if len(targets) == 1 else Tuple(list(targets), Store(), **where)
    given = [Name(each, Load(), **where) for each in items]
    if lambda_names is not None:
        called = function.body
    elif name == "filter" and type(function).__name__ == "Constant" and function.value is None:
        called = given[0]
    else:
        called = Call(function, list(given), [], **where)
        if name == "filter" and type(function).__name__ == "Name" and cx.scope.find(function.id) is not None:
            called = IfExp(Compare(function, [Is()], [Constant(None, **where)], **where), given[0], called, **where)
    value, tests = (called, []) if name == "map" else (given[0], [called])
    return GeneratorExp(value, [comprehension(target, over, tests, 0)], **where)


def _lambda_names(cx: Context, node: Any, count: int) -> list[str] | None:
    """The parameters of a lambda; None for what is none."""
    if type(node).__name__ != "Lambda":
        return None
    args = node.args
    plain = [each.arg for each in (*args.posonlyargs, *args.args)]
    if len(plain) != count or args.defaults or args.vararg or args.kwonlyargs or args.kwarg or any(named_in(node.body)):
        cx.refuse(node, "the lambda of map and filter has a parameter for each iterable, without a default")
    return plain


def _refuse_changing(cx: Context, node: Any) -> None:
    """What is called is evaluated once in Python, and in each round here: it must stay what it is."""
    kind = type(node).__name__
    if kind == "Constant":
        return
    while kind == "Attribute":
        node = node.value
        kind = type(node).__name__
    if kind == "Name":
        variable = cx.scope.find(node.id)
        changes = list(bound_names(cx.source.node.body)).count(node.id)
        if variable is None or ("." not in variable.name and changes + variable.is_parameter <= 1):
            return
    cx.refuse(node, "map and filter of scripts call functions by name: assign it to a variable before")


def read_next(cx: Context, node: Any) -> tree.Expr:
    """Read a call of next of what is gone through there alone."""
    first = node.args[0] if node.args else node
    if type(first).__name__ == "Call" and getattr(first.func, "id", "") == "iter" and len(first.args) == 1:
        first = first.args[0]
    elif not is_lazy(cx, first):
        cx.refuse(node, "next() of scripts is for the first item of a generator expression, of iter(x), map or filter")
    if len(node.args) > 2 or node.keywords:
        cx.refuse(node, "next() takes an iterator and a default")
    place = cx.place(node)
    over = cx.iterable(first)
    return tree.Builtin(place, "next", [over, *[cx.expr(each) for each in node.args[1:]]], {})


def is_lazy(cx: Context, node: Any) -> bool:
    """Whether an expression makes an iterator."""
    kind = type(node).__name__
    if kind == "Call" and type(node.func).__name__ == "Name" and cx.is_outside(node.func.id):
        return names.builtin_name(cx.outside(node.func.id)) in ("map", "filter", "enumerate", "zip", "reversed")
    return kind == "GeneratorExp"


# -- methods of classes ----------------------------------------------------------------------------------------------


def read_method(cx: Context, node: Any) -> tree.Expr | None:
    """Read `str.strip(x)`, `dict.fromkeys(...)`, `int.from_bytes(...)`; None for what is none of these."""
    func = node.func
    if type(func.value).__name__ != "Name" or not cx.is_outside(func.value.id):
        return None
    owner, name = names.builtin_name(cx.outside(func.value.id)), func.attr
    if (owner, name) == ("int", "from_bytes"):
        return read_builtin(cx, node, "int.from_bytes")
    if (owner, name) == ("dict", "fromkeys"):
        return _from_keys(cx, node)
    if owner not in _OWNERS or name not in METHODS[owner] or not node.args:
        return None
    value = cx.expr(node.args[0])
    inside = cx.iterable if name == "join" else cx.expr
    args = [inside(each) for each in node.args[1:]]
    keywords = {each.arg: cx.expr(each.value) for each in node.keywords}
    return tree.Method(cx.place(node), value, name, args, keywords, of_class=owner)


def _from_keys(cx: Context, node: Any) -> tree.Expr:
    """As `{key: value for key in keys}`: the value is evaluated once, so it is a constant or a variable here."""
    place = cx.place(node)
    if not 1 <= len(node.args) <= 2 or node.keywords:
        cx.refuse(node, "dict.fromkeys() takes the keys and a value")
    keys = cx.iterable(node.args[0])
    value = cx.expr(node.args[1]) if len(node.args) > 1 else tree.Const(place, None)
    if not isinstance(value, tree.Const | tree.Local):
        cx.refuse(node.args[1], "the value of dict.fromkeys() is a variable or a constant here: assign it before")
    before = cx.bound
    cx.enter_comprehension([" key"])
    key = cx.scope.names[" key"]
    cx.bind(key)
    cx.leave_comprehension()
    cx.bound = before
    clause = tree.Clause(tree.TargetLocal(place, key), keys, [])
    return tree.Comprehension(place, tree.Local(place, key), value, [clause])
