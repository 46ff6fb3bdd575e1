"""Calls of whatever Python can call, and of methods of its objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.adapters.unit import byte_array
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

#: How an argument is written, as core_op_call_spread has it.
_POSITIONAL, _STAR, _NAMED, _DOUBLE_STAR = range(4)


@expression(pytree.PyCall)
def call(b: Body, node: pytree.PyCall) -> Value:
    callee = node.callee
    has_stars = any(isinstance(each, pytree.Starred) for each in node.args)
    if isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName) and not has_stars:
        receiver = _object(b, callee.value)
        return call_method(b, receiver, callee.index.name, *_arguments(b, node.args))
    target = _object(b, callee)
    if has_stars:
        return _spread(b, target, node.args)
    return call_object(b, target, *_arguments(b, node.args))


def _object(b: Body, node: tree.Expr) -> Value:
    return boxed(b, b.storage.lasting(b.expr(node)))


def _arguments(b: Body, nodes: list[tree.Expr]) -> tuple[list[Value], tuple[str, ...]]:
    """The values of the arguments, and the names that the last ones have."""
    names = tuple([each.name for each in nodes if isinstance(each, pytree.Named)])
    return [_object(b, each.value if isinstance(each, pytree.Named) else each) for each in nodes], names


def _array(b: Body, values: list[Value], before: int) -> V:
    """Their addresses, behind so many free places."""
    size = b.abi.pointer_bytes
    memory = b.frame.scratch(size * (len(values) + before or 1))
    for i, value in enumerate(values, before):
        b.e.store(value.ssa, memory, size * i)
    return b.e.offset(memory, size * before) if before else memory


def _names(b: Body, names: tuple[str, ...]) -> V:
    return b.module.python_constant(names) if names else NULL


def call_object(b: Body, target: Value, values: list[Value], names: tuple[str, ...] = ()) -> Value:
    """`target(values)`, all of them objects; the last ones have the names."""
    count = const("i64", len(values) - len(names))
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_call", target.ssa, _array(b, values, 1), count, _names(b, names)))


def call_method(b: Body, receiver: Value, name: str, values: list[Value], names: tuple[str, ...] = ()) -> Value:
    """`receiver.name(values)`."""
    given = _array(b, [receiver, *values], 1)
    count = const("i64", 1 + len(values) - len(names))
    attribute, cache = b.module.python_attribute(name), b.module.python_cache()
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_call_method", attribute, given, count, _names(b, names), cache))


def _spread(b: Body, target: Value, nodes: list[tree.Expr]) -> Value:
    kinds = [
        (_DOUBLE_STAR if each.double else _STAR)
        if isinstance(each, pytree.Starred)
        else _NAMED
        if isinstance(each, pytree.Named)
        else _POSITIONAL
        for each in nodes
    ]
    values = [_object(b, each.value if isinstance(each, pytree.Starred | pytree.Named) else each) for each in nodes]
    names = tuple([each.name for each in nodes if isinstance(each, pytree.Named)])
    unit, text = b.module.unit, bytes(kinds)
    symbol = f".spread.{text.hex()}"
    if symbol not in unit.defined:
        unit.defined.add(symbol)
        unit.define(symbol, f"{byte_array(text)}, align 1")
    address = V("ptr", f'@"{symbol}"')
    given = _array(b, values, 0)
    count = const("i64", len(values))
    b.frame.check_stack()
    result = b.frame.call("core_op_call_spread", target.ssa, given, count, address, _names(b, names))
    return owned_object(b, result)


@of_kind("method", "object")
def method(b: Body, node: tree.Method, receiver: Value) -> Value:
    """A method that scripts know by its name, of an object."""
    values = [_object(b, each) for each in (*node.args, *node.keywords.values())]
    return call_method(b, boxed(b, receiver), node.name, values, tuple(node.keywords))
