"""Readers of statements."""

from __future__ import annotations

from jitffi.scripts.frontend import generators, inner, kept, kept_generators, matches, refusals, shared, unrolled
from jitffi.scripts.frontend.annotations import read_annotation
from jitffi.scripts.frontend.context import Context, Loop, meet, reads
from jitffi.scripts.frontend.expressions import binary_op
from jitffi.scripts.frontend.targets import named_in, read_item_target, read_target
from jitffi.scripts.frontend.tries import delete
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.python import Global
from jitffi.scripts.tree.types import is_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@reads("FunctionDef")
def _function(cx: Context, node: Any) -> list[tree.Stmt]:
    found = cx.functions.get(node.name)
    if node.name in cx.generators and cx.generators[node.name] is node:
        cx.bind(cx.generator_variable(node.name))
        return []
    if found is None or found.node is not node:
        if cx.foreign:
            return kept.define(cx, node)
        cx.refuse_head(node, refusals.FUNCTION)
    return inner.define(cx, node, found)


@reads("ClassDef", "AsyncFunctionDef")
def _definition(cx: Context, node: Any) -> list[tree.Stmt]:
    if not cx.foreign:
        cx.refuse_head(node, refusals.PYTHONS[type(node).__name__])
    return kept.define(cx, node)


@reads("Global")
def _global(cx: Context, node: Any) -> list[tree.Stmt]:
    if not cx.foreign:
        cx.refuse_head(node, refusals.PYTHONS["Global"])
    return []


@reads("Nonlocal")
def _nonlocal(cx: Context, node: Any) -> list[tree.Stmt]:
    if cx.consumer is None and not all(_is_shared(cx, name) for name in node.names):
        cx.refuse_head(node, refusals.NONLOCAL)
    return []


def _is_shared(cx: Context, name: str) -> bool:
    return cx.scope.find(name) in cx.boxes | cx.cells or (cx.foreign and shared.is_outer(cx, name))


@reads("Assign")
def _assign(cx: Context, node: Any) -> list[tree.Stmt]:
    found = cx.functions.get(getattr(node.targets[0], "id", ""))
    if found is not None and found.node is node.value:
        return inner.define(cx, node, found)
    kept = kept_generators.assign(cx, node, cx.following)
    if kept is not None:
        return kept
    matching = matches.assign(cx, node, node.targets[0], node.value) if len(node.targets) == 1 else None
    if matching is not None:
        return matching
    value, others = cx.expr(node.value), set(cx.others)
    read: list[tree.Stmt] = [tree.Assign(cx.place(node), [read_target(cx, each) for each in node.targets], value)]
    if isinstance(value, tree.Const) and value.value is None:
        cx.others.intersection_update(others)
    return read


@reads("AnnAssign")
def _annotated(cx: Context, node: Any) -> list[tree.Stmt]:
    if type(node.target).__name__ != "Name":
        return _annotated_item(cx, node)
    variable = cx.scope.find(node.target.id)
    assert variable is not None
    declared = read_annotation(cx, node.annotation)
    if variable.is_parameter and variable.declared is None:
        pass  # what the caller passes has any type
    elif variable in cx.boxes | cx.cells:
        pass
    elif variable.declared is not None and variable.declared != declared:
        cx.refuse(node.annotation, f"{variable.name!r} has another annotation, {variable.declared}: give it one type")
    elif not is_open(declared):
        variable.declared = declared
    if node.value is None:
        return []
    value = cx.expr(node.value)
    return [tree.Assign(cx.place(node), [read_target(cx, node.target)], value)]


def _annotated_item(cx: Context, node: Any) -> list[tree.Stmt]:
    """In a function the annotation is not evaluated."""
    if not cx.foreign:
        cx.refuse(node.target, "scripts have annotations of variables only: write it without one")
    place = cx.place(node)
    if node.value is not None:
        value = cx.expr(node.value)
        return [tree.Assign(place, [read_target(cx, node.target)], value)]
    return [tree.ExprStmt(place, cx.expr(node.target.value))]


@reads("AugAssign")
def _augmented(cx: Context, node: Any) -> list[tree.Stmt]:
    op = binary_op(cx, node)
    place = cx.place(node)
    target: tree.Target
    if type(node.target).__name__ == "Name":
        if node.target.id in named_in(node.value):
            cx.refuse(node.value, f"{node.target.id!r} is what is changed here: assign to it before")
        read = cx.expr(node.target)  # it is read, too: is it bound?
        value = cx.expr(node.value)
        target = read_target(cx, node.target)
        if isinstance(read, Global):
            return [tree.ExprStmt(place, read), tree.AugAssign(place, target, op, value)]
    elif type(node.target).__name__ == "Subscript":
        target = read_item_target(cx, node.target)
        value = cx.expr(node.value)
    else:
        target = read_target(cx, node.target)
        value = cx.expr(node.value)
    return [tree.AugAssign(place, target, op, value)]


@reads("Delete")
def _delete(cx: Context, node: Any) -> list[tree.Stmt]:
    return [each for target in node.targets for each in _delete_target(cx, node, target)]


def _delete_target(cx: Context, node: Any, target: Any) -> list[tree.Stmt]:
    kind = type(target).__name__
    if kind in ("Tuple", "List"):
        return [each for inner in target.elts for each in _delete_target(cx, node, inner)]
    if kind == "Name":
        return delete(cx, node, target)
    if kind == "Attribute" and not cx.foreign:
        cx.refuse(target, "scripts have no attributes to delete: use a dict")
    return [tree.DeleteItem(cx.place(node), read_item_target(cx, target))]


@reads("Expr")
def _expression(cx: Context, node: Any) -> list[tree.Stmt]:
    if cx.consumer is not None and type(node.value).__name__ in ("Yield", "YieldFrom"):
        made: list[tree.Stmt] = cx.consumer.take(cx, node.value)
        return made
    read = cx.expr(node.value)
    return [] if isinstance(read, tree.Const) else [tree.ExprStmt(cx.place(node), read)]


@reads("Pass")
def _pass(cx: Context, node: Any) -> list[tree.Stmt]:
    return [tree.Pass(cx.place(node))]


# -- flow -------------------------------------------------------------------------------------------------------------


@reads("If")
def _if(cx: Context, node: Any) -> list[tree.Stmt]:
    found = matches.walrus(cx, node.test)
    test = cx.expr(node.test if found is None else found[1])
    before = cx.bound
    then = cx.block(node.body)
    after_then, cx.bound = cx.bound, before
    other = cx.block(node.orelse)
    cx.bound = meet(after_then, cx.bound)
    return [*(found[0] if found else ()), tree.If(cx.place(node), test, then, other)]


@reads("While")
def _while(cx: Context, node: Any) -> list[tree.Stmt]:
    found = None if node.orelse else matches.walrus(cx, node.test)
    if found is not None:
        return _while_matching(cx, node, *found)
    test = cx.expr(node.test)
    is_endless = isinstance(test, tree.Const) and bool(test.value)
    entry = cx.bound
    body, other = _loop(cx, node, None if is_endless else entry)
    return [tree.While(cx.place(node), test, body, other)]


def _while_matching(cx: Context, node: Any, before: list[tree.Stmt], test: Any) -> list[tree.Stmt]:
    """`while match := pattern.search(text)`: a loop without an end that begins with the assignment and the test."""
    place = cx.place(node)
    stop = tree.If(place, tree.Unary(place, "not", cx.expr(test)), [tree.Break(place)], [])
    at_end = cx.bound
    body, other = _loop(cx, node, at_end)
    return [tree.While(place, tree.Const(place, True), [*before, stop, *body], other)]


@reads("For")
def _for(cx: Context, node: Any) -> list[tree.Stmt]:
    inlined = generators.read_for(cx, node) or unrolled.read_for(cx, node)
    if inlined is not None:
        return inlined
    over = cx.iterable(node.iter)
    entry = cx.bound
    target = matches.loop_target(cx, node.target, over) or read_target(cx, node.target)
    body, other = _loop(cx, node, entry)
    return [tree.For(cx.place(node), target, over, body, other)]


def _loop(cx: Context, node: Any, at_end: Any) -> tuple[list[tree.Stmt], list[tree.Stmt]]:
    """Read body and else of a loop; `at_end` is what is bound when it ends without a break."""
    cx.loops += 1
    loop = Loop(cx.loops)
    cx.blocks = [*cx.blocks, loop]
    body = cx.block(node.body)
    cx.blocks = cx.blocks[:-1]
    cx.loops -= 1
    cx.bound = at_end
    other = cx.block(node.orelse)
    for each in loop.breaks:
        cx.bound = meet(cx.bound, each)
    return body, other


@reads("Assert")
def _assert(cx: Context, node: Any) -> list[tree.Stmt]:
    before = cx.bound
    test = cx.expr(node.test)
    after = cx.bound if __debug__ else before
    stmt = tree.Assert(cx.place(node), test, cx.optional(node.msg))
    cx.bound = after
    return [stmt] if __debug__ else []
