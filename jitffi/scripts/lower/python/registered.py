"""Methods and properties of registered classes that are scripts: called directly, where the class of the object is what
it was, and by Python where the name stands for something else by now (library/instances.py)."""

from __future__ import annotations

from jitffi.scripts.library.rules import const_type
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import variants
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.python.instances import is_seen
from jitffi.scripts.lower.python.items import attribute_of
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import python as pytree
    from jitffi.scripts.tree.types import Type


def call(b: Body, node: pytree.PyCall, method: pytree.Method, by_python: Callable[..., Value]) -> Value:
    """`receiver.name(args)`. *by_python*: calls.call_method."""
    assert isinstance(node.callee, tree.Item) and node.compiled is not None
    receiver, *values = b.exprs([node.callee.value, *node.args])

    def otherwise() -> Value:
        return by_python(b, receiver, method.name, [boxed(b, each) for each in values])

    return _called(b, node, node.type, method, node.compiled, [receiver, *values], otherwise)


def attribute(b: Body, node: tree.Item, name: pytree.AttributeName) -> Value:
    """`receiver.name`, a property."""
    assert name.method is not None and name.compiled is not None
    receiver = b.storage.lasting(b.expr(node.value))
    return _called(
        b, node, node.type, name.method, name.compiled, [receiver], lambda: attribute_of(b, receiver, name.name)
    )


def _called(
    b: Body, node: tree.Expr, type_: Type, method: pytree.Method, compiled: tree.Callee, values: list[Value],
    otherwise: Callable[[], Value],
) -> Value:  # fmt: skip
    e, name, cache, join = b.e, method.name, b.module.python_cache(), Join(b, type_)
    direct, look, other, done = (e.label(f"{name}.{what}") for what in ("direct", "look", "other", "called"))
    e.branch(is_seen(b, values[0], cache), direct, look, likely=True)
    e.at(look)
    given = b.module.python_attribute(name), b.module.python_method(method), cache
    is_method = b.frame.call("core_op_is_method", values[0].ssa, *given)
    e.branch(e.icmp("ne", is_method, const("i32", 0), "is.method"), direct, other)
    e.at(direct)
    with b.frame.sometimes():
        rest = [b.expr(_constant(node, each)) for each in method.defaults]
        join.set(variants.call_script(b, compiled, [*values[method.is_static :], *rest]))
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        join.set(otherwise())
    e.br(done)
    e.at(done)
    return join.get()


def _constant(node: tree.Expr, value: object) -> tree.Expr:
    made = tree.Const(node.place, value)
    made.type = const_type(value)
    return made
