"""Readers of displays and comprehensions."""

from __future__ import annotations

import sys

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import generator_calls, kept, matches, refusals, shared
from jitffi.scripts.frontend.context import Context, reads
from jitffi.scripts.frontend.targets import read_items, read_target, target_names
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: Comprehensions of lists, dicts and sets are no functions of their own in Python (PEP 709).
_INLINED = sys.version_info >= (3, 12)


@reads("List")
def _list(cx: Context, node: Any) -> tree.Expr:
    return tree.ListOf(cx.place(node), read_items(cx, node.elts))


@reads("Tuple")
def _tuple(cx: Context, node: Any) -> tree.Expr:
    place, items = cx.place(node), read_items(cx, node.elts)
    if any(isinstance(each, tree.Spread) for each in items):
        return tree.Builtin(place, "tuple", [tree.ListOf(place, items)], {})
    return tree.TupleOf(place, items)


@reads("Dict")
def _dict(cx: Context, node: Any) -> tree.Expr:
    keys, values = [], []
    for key, value in zip(node.keys, node.values, strict=True):
        keys.append(cx.optional(key))
        values.append(cx.expr(value))
    return tree.DictOf(cx.place(node), keys, values)


@reads("Set")
def _set(cx: Context, node: Any) -> tree.Expr:
    return pytree.SetOf(cx.place(node), read_items(cx, node.elts))


@reads("SetComp")
def _set_comprehension(cx: Context, node: Any) -> tree.Expr:
    place = cx.place(node)
    return pytree.SetOf(
        place, [tree.Spread(place, _comprehension(cx, node, None, node.elt, is_lazy=True, is_set=True))]
    )


@reads("GeneratorExp")
def _generator(cx: Context, node: Any, is_iterated: bool = False, over: tree.Expr | None = None) -> tree.Expr:
    """`is_iterated` where something goes through it at once. *over*: what its first clause goes through, if that is
    read already."""
    if not is_iterated and cx.foreign:
        return kept.generator(cx, node)
    if not is_iterated:
        cx.refuse(node, refusals.GENERATOR)
    return _comprehension(cx, node, None, node.elt, is_lazy=True, over=over)


@reads("ListComp")
def _list_comprehension(cx: Context, node: Any) -> tree.Expr:
    return _through_generator(cx, node) or _comprehension(cx, node, None, node.elt)


def _through_generator(cx: Context, node: Any) -> tree.Expr | None:
    called = generator_calls.of_comprehension(cx, node)
    if called is None:
        return None
    try:
        return cx.expr(called)
    except ScriptError:
        if not cx.foreign:
            raise
    return None


@reads("DictComp")
def _dict_comprehension(cx: Context, node: Any) -> tree.Expr:
    if node.value is None:  # {**each for each in ...}, from 3.15 on (PEP 798)
        cx.refuse(node.key, "scripts have no ** here: write a loop that calls update() of a dict")
    return _through_generator(cx, node) or _comprehension(cx, node, node.key, node.value)


def _comprehension(
    cx: Context,
    node: Any,
    key: Any,
    value: Any,
    is_lazy: bool = False,
    over: tree.Expr | None = None,
    is_set: bool = False,
) -> tree.Expr:
    for generator in node.generators:
        if generator.is_async:
            cx.refuse(generator.target, refusals.STATEMENTS["AsyncFor"])
    before = cx.bound
    first = cx.iterable(node.generators[0].iter) if over is None else over
    cx.enter_comprehension(
        (name for each in node.generators for name in target_names(each.target)), kept.key_of(cx, node)
    )
    is_inlined = _INLINED and (is_set or not is_lazy)
    cx.within -= is_inlined
    clauses = _cells(cx, node)
    before_first = len(clauses)
    for generator in node.generators:
        each = cx.iterable(generator.iter) if len(clauses) > before_first else first
        target = matches.loop_target(cx, generator.target, each) or read_target(cx, generator.target)
        clauses.append(tree.Clause(target, each, [cx.expr(test) for test in generator.ifs]))
    found = tree.Comprehension(cx.place(node), cx.optional(key), cx.expr(value), clauses, is_lazy)
    cx.within += is_inlined
    cx.leave_comprehension()
    cx.bound = before
    return found


def _cells(cx: Context, node: Any) -> list[tree.Clause]:
    """What gives the variables of a comprehension that functions in it share the cells that are its own."""
    names = {name for name in cx.scope.names if (cx.scope.key, name) in cx.keeping}
    clauses = []
    for made in shared.into_cells(cx, names, [], cx.place(node)):
        assert isinstance(made, tree.Assign)
        clauses.append(tree.Clause(made.targets[0], tree.ListOf(made.place, [made.value]), []))
    return clauses
