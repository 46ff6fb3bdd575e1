"""Readers of `key=`: the one place where a script may have a lambda."""

from __future__ import annotations

from jitffi.script import names, tree
from jitffi.script.context import Context, Scope
from jitffi.script.methods import METHODS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

_BUILTINS = frozenset(("len", "abs", "int", "float", "str", "bool", "ord", "chr", "repr", "min", "max", "sum", "hash"))


class Anonymous:
    """What a lambda is for those who ask a script for its tree."""

    __slots__ = ("tree",)

    def __init__(self, function: tree.Function) -> None:
        self.tree: Final = function


def read_key(cx: Context, node: Any) -> tree.Callee | None:
    """What `key=` is given: a lambda, a function by name, a method of a class, or None."""
    kind = type(node).__name__
    if kind == "Constant" and node.value is None:
        return None
    if kind == "Lambda":
        return tree.Callee(script=Anonymous(_lambda(cx, node)))
    if kind == "Attribute" and type(node.value).__name__ == "Name" and cx.is_outside(node.value.id):
        owner = names.builtin_name(cx.outside(node.value.id))
        row = METHODS.get(owner, {}).get(node.attr)
        if row is not None and not row.required:
            return tree.Callee(builtin=f"{owner}.{node.attr}")
    elif kind == "Attribute" and node.attr == "get":
        return tree.Callee(builtin=".get", value=cx.expr(node.value))
    if kind == "Name" and cx.is_outside(node.id):
        value = cx.outside(node.id)
        if names.builtin_name(value) in _BUILTINS:
            return tree.Callee(builtin=names.builtin_name(value))
        function = names.python_function(value)
        if function is not None:
            return tree.Callee(script=function if cx.resolve is None else cx.resolve.script(function))
        native = names.jitffi_function(value)
        if native is not None:
            return tree.Callee(native=native)
        if value is names.MISSING and cx.resolve is None:
            return tree.Callee()
    return tree.Callee(value=cx.expr(node))


def _lambda(cx: Context, node: Any) -> tree.Function:
    args = node.args
    if len(args.args) + len(args.posonlyargs) != 1 or args.defaults or args.vararg or args.kwonlyargs or args.kwarg:
        cx.refuse(node, "the lambda of a key has one parameter, without a default")
    place = cx.place(node)
    scope, hidden = cx.scope, cx.hidden
    inner = Context(cx.source, cx.function, cx.resolve)
    inner.hidden = Scope(None)
    for each in scope.visible():
        variable = scope.find(each)
        assert variable is not None
        inner.hidden.names[each] = variable
    if hidden is not None:
        inner.hidden.names.update(hidden.names)
    parameter = (args.posonlyargs + args.args)[0]
    variable = inner.new_variable(parameter.arg, is_parameter=True)
    inner.fixed = cx.fixed
    inner.bound = frozenset((variable,))
    body: list[tree.Stmt] = [tree.Return(inner.place(node.body), inner.expr(node.body))]
    return tree.Function("<lambda>", cx.source.filename, place, [variable], [], inner.variables, body)
