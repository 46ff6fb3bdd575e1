"""Readers of `try`, `raise` and `del` of variables; and of jumps, which run what stands in `finally` on their way.

    cx.blocks     what is around a statement, from the outside: loops, try statements with a `finally`

A jump leaves blocks from the inside. Where one has a `finally`, its statements are read once more, outside of the
`try`, and the rest of the jump stands behind them (tree/tries.py).
"""

from __future__ import annotations

from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.context import Context, Finally, Loop, meet, reads
from jitffi.scripts.frontend.expressions import defined
from jitffi.scripts.tree import tree, tries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: How often what stands in `finally` is written, with those that are in one another; beyond that nobody gains by it.
MOST_COPIES = 64


# -- jumps ------------------------------------------------------------------------------------------------------------


@reads("Break", "Continue")
def _break(cx: Context, node: Any) -> list[tree.Stmt]:
    at = max(i for i, each in enumerate(cx.blocks) if isinstance(each, Loop))
    loop = cx.blocks[at]
    assert isinstance(loop, Loop)

    def jump() -> list[tree.Stmt]:
        goes_on, place, outer = type(node).__name__ == "Continue", cx.place(node), cx.loops - loop.depth
        if not goes_on:
            loop.breaks.append(cx.bound)
        if loop.labels is not None:
            return [tree.Leave(place, loop.labels[goes_on])]
        return [tree.Continue(place, outer) if goes_on else tree.Break(place, outer)]

    return _leave(cx, node, at + 1, jump)


@reads("Return")
def _return(cx: Context, node: Any) -> list[tree.Stmt]:
    value, place = cx.optional(node.value), cx.place(node)
    before: list[tree.Stmt] = []
    if cx.consumer is not None:
        before = [] if value is None else [tree.ExprStmt(value.place, value)]
        return before + _leave(cx, node, 0, lambda: [tree.Leave(place, cx.consumer.end)])
    if value is not None and not isinstance(value, tree.Const) and any(isinstance(e, Finally) for e in cx.blocks):
        variable = cx.scope.find("return") or cx.new_variable("return")
        variable.is_assigned = True
        before = [tree.Assign(place, [tree.TargetLocal(place, variable)], value)]
        value = tree.Local(place, variable)
    return before + _leave(cx, node, 0, lambda: [tree.Return(place, value)])


def _leave(cx: Context, node: Any, depth: int, jump: Callable[[], list[tree.Stmt]]) -> list[tree.Stmt]:
    """What runs on the way out of all blocks but the first *depth*, and the jump."""
    blocks, handling = cx.blocks, cx.handling
    at = len(blocks)
    while at > depth and not isinstance(blocks[at - 1], Finally):
        at -= 1
    if at > depth:
        left = blocks[at - 1]
        assert isinstance(left, Finally)
        cx.blocks, cx.handling = blocks[: at - 1], left.handling
        body = _copy(cx, node, left.body)
        found: list[tree.Stmt] = [tries.Leaving(cx.place(node), left.number, body)]
        if cx.bound is not None:
            body += _leave(cx, node, depth, jump)
    else:
        found = jump()
    cx.blocks, cx.handling, cx.bound = blocks, handling, None
    return found


def _copy(cx: Context, node: Any, body: list[Any]) -> list[tree.Stmt]:
    cx.copies += 1
    if cx.copies > MOST_COPIES:
        cx.refuse_head(node, "this has too many ways through finally: write functions")
    return cx.block(body)


# -- try --------------------------------------------------------------------------------------------------------------


@reads("Try")
def _try(cx: Context, node: Any) -> list[tree.Stmt]:
    if not node.finalbody:
        return [_handled(cx, node)]
    before, number = cx.bound, cx.new_label()
    cx.blocks = [*cx.blocks, Finally(node.finalbody, number, cx.handling)]
    cx.trying += 1
    body = [_handled(cx, node)] if node.handlers else cx.block(node.body)
    cx.trying -= 1
    cx.blocks = cx.blocks[:-1]
    after, cx.bound = cx.bound, before
    cx.handling += 1
    last = _copy(cx, node, node.finalbody)
    cx.handling -= 1
    place = cx.place(node.finalbody[-1])
    if cx.bound is not None:
        last.append(tries.Reraise(place, own=True))
    cx.bound = after
    handler = tries.Handler(cx.place(node.finalbody[0]), (), last)
    found: list[tree.Stmt] = [tries.Try(cx.place(node), number, body, [handler], [])]
    return found + (_copy(cx, node, node.finalbody) if after is not None else [])


def _handled(cx: Context, node: Any) -> tree.Stmt:
    """`try` with `except` and `else`."""
    place, before, number = cx.place(node), cx.bound, cx.new_label()
    cx.trying += 1
    body = cx.block(node.body)
    cx.trying -= 1
    other = cx.block(node.orelse)
    after = cx.bound
    handlers = []
    for each in node.handlers:
        cx.bound = before
        if each.name:
            cx.refuse_head(each, "scripts have no names of exceptions: write `except` without `as`")
        classes = ["BaseException"] if each.type is None else _classes(cx, each.type)
        cx.handling += 1
        handlers.append(tries.Handler(cx.place(each), tuple(dict.fromkeys(classes)), cx.block(each.body)))
        cx.handling -= 1
        after = meet(after, cx.bound)
    cx.bound = after
    return tries.Try(place, number, body, handlers, other)


def _classes(cx: Context, node: Any) -> list[str]:
    if type(node).__name__ == "Tuple":
        return [name for each in node.elts for name in _classes(cx, each)]
    return [exception(cx, node, "except")]


# -- raise and del ----------------------------------------------------------------------------------------------------


@reads("Raise")
def _raise(cx: Context, node: Any) -> list[tree.Stmt]:
    if node.cause is not None:
        cx.refuse(node.cause, "scripts have no raise ... from: raise the exception alone")
    alone = node.exc is None
    found = tries.Reraise(cx.place(node), own=cx.handling > 0) if alone else _raised(cx, node)
    cx.bound = None
    return [found]


def _raised(cx: Context, node: Any) -> tree.Stmt:
    call = node.exc if type(node.exc).__name__ == "Call" else None
    name = call.func if call else node.exc
    kind = exception(cx, name, "raise")
    message = None
    if issubclass(names.EXCEPTIONS[kind], UnicodeError) and kind != "UnicodeError" or "Group" in kind:
        cx.refuse(name, f"scripts raise exceptions with one argument: write ValueError instead of {kind}")
    if call is not None:
        if call.keywords or len(call.args) > 1 or any(type(each).__name__ == "Starred" for each in call.args):
            cx.refuse(call, f"exceptions of scripts have one argument, the message: write {kind}('...')")
        message = cx.expr(call.args[0]) if call.args else None
    return tree.Raise(cx.place(node), kind, message)


def exception(cx: Context, node: Any, what: str) -> str:
    """The name of a built-in exception."""
    if type(node).__name__ == "Name" and cx.is_outside(node.id):
        value = cx.outside(node.id)
        if isinstance(value, type) and issubclass(value, BaseException):
            if not names.builtin_name(value):
                cx.refuse(
                    node, f"scripts {what} built-in exceptions: write ValueError or another one instead of {node.id}"
                )
            return value.__name__
        defined(cx, node, value)
    message = "('...')" if what == "raise" else ""
    cx.refuse(node, f"scripts {what} built-in exceptions by name: write {what} ValueError{message}")


def delete(cx: Context, node: Any, target: Any) -> list[tree.Stmt]:
    """`del name`"""
    value = cx.expr(target)
    if not isinstance(value, tree.Local):
        cx.refuse(target, f"{target.id!r} is a variable of a function inside, too: assign None to it")
    variable = value.variable
    variable.is_assigned = True
    return [tries.Unbind(cx.place(node), value, tree.TargetLocal(value.place, variable))]
