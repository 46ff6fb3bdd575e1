"""Statements, but for assignments (targets.py) and `for` (loops.py)."""

from __future__ import annotations

from jitffi.scripts.lower.control import interrupts
from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import NULL, SLOT_ATTRIBUTES, P
from jitffi.scripts.lower.function.registry import statement
from jitffi.scripts.lower.function.temporaries import Scope
from jitffi.scripts.lower.function.values import COUNTED, NONE_VALUE, TEXTS
from jitffi.scripts.lower.python import own
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import V
    from jitffi.scripts.lower.function.values import Value


def branch(b: Body, test: tree.Expr, then: str, other: str) -> Scope:
    """Evaluate a condition in a scope of its own, and close the block. Both ways begin with `enter` and this scope."""
    scope, made = Scope(), Scope()
    b.frame.scopes.append(scope)
    line, b.frame.line = b.frame.line, test.place.line
    b.truth(test, then, other)
    b.frame.line = line
    b.frame.scopes.pop()
    made.made = list(scope.made)
    b.frame.free_scope(scope)
    return made


def enter(b: Body, label: str, scope: Scope) -> None:
    """Open a block that a condition leads to: what the condition made is released."""
    b.e.at(label)
    b.frame.release_scope(scope)


@statement(tree.If)
def if_(b: Body, node: tree.If) -> None:
    e = b.e
    then, other, done = e.label("then"), e.label("else"), e.label("endif")
    scope = branch(b, node.test, then, other)
    for label, body in ((then, node.then), (other, node.other)):
        enter(b, label, scope)
        b.block(body)
        if e.is_open:
            e.br(done)
    e.at(done)


@statement(tree.While)
def while_(b: Body, node: tree.While) -> None:
    e = b.e
    again, body, other, done = e.label("while"), e.label("do"), e.label("while.else"), e.label("endwhile")
    e.br(again)
    e.at(again)
    interrupts.count_round(b, [node.test, node.body])
    scope = branch(b, node.test, body, other)
    enter(b, body, scope)
    with b.exits.loop(done, again):
        b.block(node.body)
    if e.is_open:
        e.br(again)
    enter(b, other, scope)
    b.block(node.other)
    if e.is_open:
        e.br(done)
    e.at(done)


@statement(tree.Break)
def break_(b: Body, node: tree.Break) -> None:
    loop = b.exits.loops[-1 - node.outer]
    b.exits.leave_scopes(loop.depth)
    b.e.br(loop.break_to)


@statement(tree.Continue)
def continue_(b: Body, node: tree.Continue) -> None:
    loop = b.exits.loops[-1 - node.outer]
    b.exits.leave_scopes(loop.depth)
    b.e.br(loop.continue_to)


@statement(tree.Labelled)
def labelled(b: Body, node: tree.Labelled) -> None:
    done = b.e.label("left")
    b.exits.labels[node.label] = done, len(b.frame.scopes)
    b.block(node.body)
    if b.e.is_open:
        b.e.br(done)
    b.e.at(done)


@statement(tree.Leave)
def leave_label(b: Body, node: tree.Leave) -> None:
    done, depth = b.exits.labels[node.label]
    b.exits.leave_scopes(depth)
    b.e.br(done)


@statement(tree.Pass)
def pass_(b: Body, node: tree.Pass) -> None:
    pass


@statement(tree.ExprStmt)
def expression(b: Body, node: tree.ExprStmt) -> None:
    b.expr(node.value)


@statement(tree.Raise)
def raise_(b: Body, node: tree.Raise) -> None:
    raise_kind(b, node.kind, node.message)


@statement(tree.Assert)
def assert_(b: Body, node: tree.Assert) -> None:
    e = b.e
    holds, fails = e.label("holds"), e.label("assertion.fails")
    scope = branch(b, node.test, holds, fails)
    enter(b, fails, scope)
    raise_kind(b, "AssertionError", node.message)
    enter(b, holds, scope)


def raise_kind(b: Body, kind: str, message: tree.Expr | None) -> None:
    """Close the block."""
    text = message.value if isinstance(message, tree.Const) else None
    if isinstance(text, str) and text.isascii() and "\0" not in text and kind != "KeyError":
        b.frame.raise_(kind, text)
        return
    given = NULL if message is None else b.storage.view(b.expr(message))
    b.frame.call("jf_script_raise", b.module.c_string(kind), given)


# -- leaving the function ------------------------------------------------------------------------------------


@statement(tree.Return)
def return_(b: Body, node: tree.Return) -> None:
    if isinstance(node.value, tree.TupleOf) and b.function.result.kind == "object":
        leave(b, own.of_node(b, node.value))
        return
    if node.value is not None and node.value.type.defaulting and b.function.result.kind in ("object", "any"):
        leave(b, registry.DEFAULTING["as_python"](b, b.expr(node.value)))
        return
    leave(b, NONE_VALUE if node.value is None else b.expr(node.value))


def leave(b: Body, value: Value) -> None:
    """Put the result where the caller wants it, and go where variables are released."""
    _put_result(b, value)
    b.exits.leave_scopes(0)
    b.e.br(b.exits.leave_label())


def _put_result(b: Body, value: Value) -> None:
    """A variable's value is moved: the variable ends here."""
    e, out, type_ = b.e, b.out, b.function.result
    kind = type_.kind
    if kind == "any":
        _put_any(b, conversion.for_any(b, value), out)
        return
    b.naming = "result"
    value = conversion.convert(b, value, type_)
    b.naming = "value"
    if kind in TEXTS:
        place = value.keep.place
        if place is not None and (value.keep.kind == "owned" or is_variable(b, place)):
            b.storage.put_from(value, place, out_slot(b))
        else:
            b.storage.put(value, out)
    elif kind in COUNTED:
        place = value.keep.place
        if value.keep.kind == "local" and place is not None and is_variable(b, place):
            e.store(NULL, place)
            e.store(value.ssa, out)
        else:
            e.store(b.storage.reference(value), out)
    elif kind == "bool" or kind == "char":
        e.store(e.zext(value.ssa, "i64"), out)
    elif kind in ("int", "u64", "float"):
        e.store(value.ssa, out)


def _put_any(b: Body, value: Value, out: V) -> None:
    place = value.keep.place
    if value.keep.kind == "local" and place is not None and is_variable(b, place):
        if value.kind == "any":
            b.storage.move_slot(place, out)
            return
        if value.kind in TEXTS:
            b.storage.put_from(value, place, out_slot(b))
            return
    b.storage.put(value, out)


def out_slot(b: Body) -> P:
    return P(b.out.text, SLOT_ATTRIBUTES)


def is_variable(b: Body, place: V) -> bool:
    """The slot or cell is a variable's of this frame."""
    return any(each.p.text == place.text for each in b.frame.owners)
