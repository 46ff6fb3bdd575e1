"""Readers of `try`, `raise` and `del` of variables; and of jumps, which run what stands in `finally` on their way.

    cx.blocks     what is around a statement, from the outside: loops, try statements with a `finally`

A jump leaves blocks from the inside. Where one has a `finally`, its statements are read once more, outside of the
`try`, and the rest of the jump stands behind them (tree/tries.py).
"""

from __future__ import annotations

from _ast import Assign, Constant, Del, Delete, ExceptHandler, Load, Name, Store, Try

from jitffi.scripts.frontend import names, python_calls
from jitffi.scripts.frontend.context import Context, Finally, Loop, Title, meet, reads
from jitffi.scripts.frontend.expressions import defined
from jitffi.scripts.frontend.targets import read_target, target_of
from jitffi.scripts.frontend.told import is_only_told
from jitffi.scripts.tree import python as pytree
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
    if not any(isinstance(each, Finally) for each in cx.blocks):
        cx.bound = None
        return [tree.Return(place, value)]
    if value is not None and not isinstance(value, tree.Const):
        variable = cx.scope.find("return") or cx.new_variable("return")
        variable.is_assigned = True
        before = [tree.Assign(place, [tree.TargetLocal(place, variable)], value)]
        value = tree.Local(place, variable)
    return before + _leave(cx, node, 0, lambda: [tree.Return(place, value)])


def _leave(cx: Context, node: Any, depth: int, jump: Callable[[], list[tree.Stmt]]) -> list[tree.Stmt]:
    """What runs on the way out of all blocks but the first *depth*, and the jump."""
    blocks, handling, told = cx.blocks, cx.handling, cx.told
    at, found = len(blocks), list[tree.Stmt]()
    while at > depth and not isinstance(left := blocks[at - 1], Finally):
        found += [left.unbind()] if isinstance(left, Title) else []
        at -= 1
    if at > depth:
        assert isinstance(left, Finally)
        cx.blocks, cx.handling, cx.told = blocks[: at - 1], left.handling, left.told
        body = _copy(cx, node, left.read)
        found.append(tries.Leaving(cx.place(node), left.number, body))
        if cx.bound is not None:
            body += _leave(cx, node, depth, jump)
    else:
        found += jump()
    cx.blocks, cx.handling, cx.told, cx.bound = blocks, handling, told, None
    return found


def _copy(cx: Context, node: Any, read: Callable[[], list[tree.Stmt]]) -> list[tree.Stmt]:
    cx.copies += 1
    if cx.copies > MOST_COPIES:
        cx.refuse_head(node, "this has too many ways through finally: write functions")
    return read()


# -- try --------------------------------------------------------------------------------------------------------------


@reads("Try")
def _try(cx: Context, node: Any) -> list[tree.Stmt]:
    if not node.finalbody:
        return [_handled(cx, node)]
    before, number = cx.bound, cx.new_label()

    def read() -> list[tree.Stmt]:
        return cx.block(node.finalbody)

    body = _within(cx, Finally(read, number, cx), lambda: _body(cx, node))
    after, cx.bound = cx.bound, before
    cx.handling += 1
    last = _copy(cx, node, read)
    cx.handling -= 1
    place = cx.place(node.finalbody[-1])
    if cx.bound is not None:
        last.append(tries.Reraise(place, own=True))
    cx.bound = after
    handler = tries.Handler(cx.place(node.finalbody[0]), (), last)
    found: list[tree.Stmt] = [tries.Try(cx.place(node), number, body, [handler], [])]
    return found + (_copy(cx, node, read) if after is not None else [])


def _body(cx: Context, node: Any) -> list[tree.Stmt]:
    return [_handled(cx, node)] if node.handlers else cx.block(node.body)


def _within(cx: Context, block: Finally, read: Callable[[], list[tree.Stmt]]) -> list[tree.Stmt]:
    cx.blocks, cx.trying = [*cx.blocks, block], cx.trying + 1
    found = read()
    cx.blocks, cx.trying = cx.blocks[:-1], cx.trying - 1
    return found


def _handled(cx: Context, node: Any) -> tree.Stmt:
    """`try` with `except` and `else`."""
    place, before, number = cx.place(node), cx.bound, cx.new_label()
    cx.trying += 1
    body = cx.block(node.body)
    cx.trying -= 1
    other = cx.block(node.orelse)
    after = cx.bound
    read: list[tuple[tree.Place, list[str | tree.Expr], list[tree.Stmt]]] = []
    cx.handling += 1
    for each in node.handlers:
        cx.bound = before
        tests: list[str | tree.Expr] = ["BaseException"] if each.type is None else _tests(cx, each.type)
        read.append((cx.place(each), tests, _clause(cx, each)))
        after = meet(after, cx.bound)
    cx.handling -= 1
    cx.bound = after
    return tries.Try(place, number, body, _handlers(read), other)


def _handlers(read: list[tuple[tree.Place, list[str | tree.Expr], list[tree.Stmt]]]) -> list[tries.Handler]:
    """Clauses of built-in classes; from the first on that has another they are one of everything, with tests in it."""
    found: list[tries.Handler] = []
    for i, (place, tests, body) in enumerate(read):
        named = [each for each in tests if isinstance(each, str)]
        if len(named) == len(tests):
            found.append(tries.Handler(place, tuple(dict.fromkeys(named)), body))
            continue
        chain: list[tree.Stmt] = [tries.Reraise(place, own=True)]
        for at, asked, then in reversed(read[i:]):
            chain = [tree.If(at, tries.Matches(at, asked), then, chain)]
        return [*found, tries.Handler(place, ("BaseException",), chain)]
    return found


def _clause(cx: Context, node: Any) -> list[tree.Stmt]:
    """The statements of an except clause."""
    if not node.name:
        return cx.block(node.body)
    if not cx.foreign:
        cx.refuse_head(node, "scripts have no names of exceptions: write `except` without `as`")
    place, variable = cx.place(node), cx.scope.find(node.name)
    if variable is None or variable in cx.cells:
        return _clause_in_cell(cx, node)
    if variable in cx.boxes:
        cx.refuse_head(node, f"{node.name!r} is a variable of a function inside, too: give one another name")
    variable.is_assigned = True

    def unbind() -> tree.Stmt:
        return tries.Unbind(place, tree.Local(place, variable), tree.TargetLocal(place, variable))

    blocks, told = cx.blocks, cx.told
    is_told = is_only_told(cx, node)
    cx.blocks, cx.told = [*blocks, Title(unbind)], told | {variable} if is_told else told - {variable}
    body = cx.block(node.body)
    cx.blocks, cx.told = blocks, told
    if cx.bound is not None:
        body.append(unbind())
    target, unbound = (tree.TargetLocal(place, variable) for _ in "01")
    return [tries.Titled(place, target, body, unbound, is_told)]


def _clause_in_cell(cx: Context, node: Any) -> list[tree.Stmt]:
    """Of a name that Python's functions see, too: `except E as hidden: name = hidden; try: ... finally: del name`."""
    where = {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    hidden = f" {node.name}{cx.new_label()}"
    cx.new_variable(hidden, node.name)
    given, gone = (Assign([Name(node.name, Store(), **where)], each, **where) for each in (
        Name(hidden, Load(), **where), Constant(None, **where)
    ))  # fmt: skip
    unbinds = [gone, Delete([Name(node.name, Del(), **where)], **where)]
    body = [given, Try(node.body, [], [], unbinds, **where)]
    return _clause(cx, ExceptHandler(node.type, hidden, body, **where))


def _tests(cx: Context, node: Any) -> list[str | tree.Expr]:
    if type(node).__name__ == "Tuple":
        return [test for each in node.elts for test in _tests(cx, each)]
    if cx.foreign and not _is_builtin(cx, node):
        return [cx.expr(node)]
    return [exception(cx, node, "except")]


def _is_builtin(cx: Context, node: Any) -> bool:
    """Whether a node names a built-in exception."""
    if type(node).__name__ != "Name" or not cx.is_outside(node.id):
        return False
    value = cx.outside(node.id)
    return isinstance(value, type) and issubclass(value, BaseException) and bool(names.builtin_name(value))


# -- with -------------------------------------------------------------------------------------------------------------


@reads("With")
def _with(cx: Context, node: Any) -> list[tree.Stmt]:
    if not cx.foreign:
        cx.refuse_head(node, "scripts have no with: open and close in the caller, and pass what is read")
    return _with_items(cx, node, node.items)


def _with_items(cx: Context, node: Any, items: list[Any]) -> list[tree.Stmt]:
    place, number = cx.place(node), cx.new_label()
    leave, entered = (cx.new_variable(f" {i}with{number}", f"with.{number}{i}") for i in "01")
    manager = cx.expr(items[0].context_expr)
    for each in (leave, entered):
        cx.bind(each)
    targets = [tree.TargetLocal(place, each) for each in (leave, entered)]
    before = cx.bound

    def exits(failed: bool) -> tree.Expr:
        return tries.Exits(place, tree.Local(place, leave), failed)

    def read() -> list[tree.Stmt]:
        target = items[0].optional_vars
        value = tree.Local(place, entered)
        first = [] if target is None else [tree.Assign(cx.place(target), [read_target(cx, target)], value)]
        return [*first, *(_with_items(cx, node, items[1:]) if len(items) > 1 else cx.block(node.body))]

    body = _within(cx, Finally(lambda: [tree.ExprStmt(place, exits(False))], number, cx), read)
    after: list[tree.Stmt] = [] if cx.bound is None else [tree.ExprStmt(place, exits(False))]
    cx.bound = meet(cx.bound, before)
    suppressed = tree.If(place, exits(True), [tree.Pass(place)], [tries.Reraise(place, own=True)])
    handler = tries.Handler(place, (), [suppressed])
    return [tries.Enter(place, manager, *targets), tries.Try(place, number, body, [handler], after)]


# -- raise and del ----------------------------------------------------------------------------------------------------


@reads("Raise")
def _raise(cx: Context, node: Any) -> list[tree.Stmt]:
    alone = node.exc is None
    found = tries.Reraise(cx.place(node), own=cx.handling > 0) if alone else _raised(cx, node)
    cx.bound = None
    return [found]


def _raised(cx: Context, node: Any) -> tree.Stmt:
    if not cx.foreign or _is_plain(cx, node):
        return _plain(cx, node)
    value = python_calls.read_call(cx, node.exc) if _makes_builtin(cx, node.exc) else cx.expr(node.exc)
    return tries.Raised(cx.place(node), value, cx.optional(node.cause))


def _makes_builtin(cx: Context, node: Any) -> bool:
    return type(node).__name__ == "Call" and _is_builtin(cx, node.func)


def _is_plain(cx: Context, node: Any) -> bool:
    """`raise ValueError(message)`, of a built-in class that takes one."""
    call = node.exc if type(node.exc).__name__ == "Call" else None
    name = call.func if call is not None else node.exc
    if node.cause is not None or not _is_builtin(cx, name):
        return False
    if not _takes_message(names.EXCEPTIONS[cx.outside(name.id).__name__]):
        return False
    stars = [each for each in call.args if type(each).__name__ == "Starred"] if call is not None else []
    return call is None or (not call.keywords and not stars and len(call.args) < 2)


def _takes_message(kind: type[BaseException]) -> bool:
    return not (issubclass(kind, UnicodeError) and kind is not UnicodeError) and "Group" not in kind.__name__


def _plain(cx: Context, node: Any) -> tree.Stmt:
    if node.cause is not None:
        cx.refuse(node.cause, "scripts have no raise ... from: raise the exception alone")
    call = node.exc if type(node.exc).__name__ == "Call" else None
    name = call.func if call else node.exc
    kind = exception(cx, name, "raise")
    message = None
    if not _takes_message(names.EXCEPTIONS[kind]):
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
    if isinstance(value, pytree.Global) or cx.scope.find(target.id) in cx.cells:
        gone = target_of(cx, target.id, value.place)
        assert isinstance(gone, tree.TargetItem)
        return [tree.ExprStmt(value.place, value), tree.DeleteItem(cx.place(node), gone)]
    if not isinstance(value, tree.Local):
        cx.refuse(target, f"{target.id!r} is a variable of a function inside, too: assign None to it")
    variable = value.variable
    variable.is_assigned = True
    return [tries.Unbind(cx.place(node), value, tree.TargetLocal(value.place, variable))]
