"""Calls of generator functions that something other than a `for` goes through: `list(g(x))`, `[y for y in g(x)]`.

Each becomes the call of a function inside, with a `for` that generators.py reads:

    list(g(x))                 def items():            any(f(y) for y in g(x))      def some():
                                   r = []                                               for y in g(x):
                                   for y in g(x):                                           if f(y): return True
                                       r.append(y)                                      return False
                                   return r
"""

from __future__ import annotations

from _ast import (
    Assign,
    Attribute,
    Call,
    Constant,
    Dict,
    Expr,
    For,
    FunctionDef,
    If,
    List,
    Load,
    Name,
    Return,
    Store,
    Subscript,
    arguments,
)

from jitffi.scripts.frontend import generators, inner
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.targets import named_in, nodes_of, target_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What makes a list of an iterable before it does anything else.
_LISTING = ("list", "tuple", "sorted", "bytes")


def of_builtin(cx: Context, node: Any, name: str) -> Any:
    """The call that stands for a call of a builtin whose first argument a generator gives; the same where none does."""
    first = node.args[0] if node.args else None
    if name in _LISTING and generators.is_call(cx, first):
        return Call(node.func, [_listed(cx, first), *node.args[1:]], node.keywords, **_where(node))
    elif name in ("any", "all") and len(node.args) == 1 and not node.keywords:
        made = _decided(cx, first, name == "all")
        return node if made is None else made
    return node


def of_items(cx: Context, node: Any) -> Any:
    """The same of what join and the like make a list of."""
    return _listed(cx, node) if generators.is_call(cx, node) else node


def of_comprehension(cx: Context, node: Any) -> Any | None:
    """The call that stands for a list or dict comprehension whose first `for` goes through a generator."""
    if not _can(cx, node):
        return None
    where, found = _where(node), Name(" r", Load(), **_where(node))
    put: list[Any]
    if type(node).__name__ == "DictComp":
        # The key is evaluated before the value.
        key = Name(" k", Load(), **where)
        put = [
            Assign([Name(" k", Store(), **where)], node.key, **where),
            Assign([Subscript(found, key, Store(), **where)], node.value, **where),
        ]
        empty: Any = Dict([], [], **where)
    else:
        put = [Expr(Call(Attribute(found, "append", Load(), **where), [node.elt], [], **where), **where)]
        empty = List([], Load(), **where)
    body = [Assign([Name(" r", Store(), **where)], empty, **where), *_loops(node, put), Return(found, **where)]
    return _call(cx, body, where)


def _listed(cx: Context, call: Any) -> Any:
    where = _where(call)
    found, item = Name(" r", Load(), **where), Name(" x", Load(), **where)
    put = Expr(Call(Attribute(found, "append", Load(), **where), [item], [], **where), **where)
    body: list[Any] = [
        Assign([Name(" r", Store(), **where)], List([], Load(), **where), **where),
        For(Name(" x", Store(), **where), _outside(call), [put], [], **where),
        Return(found, **where),
    ]
    return _call(cx, body, where)


def _decided(cx: Context, node: Any, is_all: bool) -> Any | None:
    """any or all."""
    where = _where(node)
    decided, other = (Return(Constant(value, **where), **where) for value in (not is_all, is_all))
    if generators.is_call(cx, node):
        item = Name(" x", Load(), **where)
        inside = If(item, [], [decided], **where) if is_all else If(item, [decided], [], **where)
        loops: list[Any] = [For(Name(" x", Store(), **where), _outside(node), [inside], [], **where)]
    elif type(node).__name__ == "GeneratorExp" and _can(cx, node):
        inside = If(node.elt, [], [decided], **where) if is_all else If(node.elt, [decided], [], **where)
        loops = _loops(node, [inside])
    else:
        return None
    return _call(cx, [*loops, other], where)


def _outside(node: Any) -> Any:
    """What the first `for` of such a function goes through: Python reads it in the function around."""
    for each in nodes_of(node):
        each.is_around = True
    return node


def _where(node: Any) -> dict[str, Any]:
    return {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}


def _can(cx: Context, node: Any) -> bool:
    """Whether a comprehension goes through a generator first, and its loops can be those of a function."""
    first = node.generators[0]
    if not generators.is_call(cx, first.iter) or any(each.is_async for each in node.generators) or any(named_in(node)):
        return False
    own = {name for each in node.generators for name in target_names(each.target)}
    return own.isdisjoint(inner.loaded(first.iter))


def _loops(node: Any, inside: list[Any]) -> list[Any]:
    """The loops of a comprehension around these statements."""
    _outside(node.generators[0].iter)
    for each in reversed(node.generators):
        for condition in reversed(each.ifs):
            inside = [If(condition, inside, [], **_where(condition))]
        inside = [For(each.target, each.iter, inside, [], **_where(node))]
    return inside


def _call(cx: Context, body: list[Any], where: dict[str, Any]) -> Any:
    """The call of a function inside with that body, which is defined now."""
    name = f" items{cx.new_label()}"
    node = FunctionDef(name, arguments([], [], None, [], [], None, []), body, [], **where)
    inner.define_here(cx, name, node)
    return Call(Name(name, Load(), **where), [], [], **where)
