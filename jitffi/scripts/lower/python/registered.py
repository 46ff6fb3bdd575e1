"""Methods of registered classes that are scripts: called directly, where the class of the object is what it was, and by
Python where the name stands for something else by now (library/instances.py)."""

from __future__ import annotations

from jitffi.scripts.library.rules import const_type
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import variants
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.python.instances import is_seen
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import python as pytree


def call(b: Body, node: pytree.PyCall, method: pytree.Method, by_python: Callable[..., Value]) -> Value:
    """`receiver.name(args)`. *by_python*: calls.call_method."""
    assert isinstance(node.callee, tree.Item) and node.compiled is not None
    receiver, *values = b.exprs([node.callee.value, *node.args])
    e, name, cache, join = b.e, method.name, b.module.python_cache(), Join(b, node.type)
    direct, look, other, done = (e.label(f"{name}.{what}") for what in ("direct", "look", "other", "called"))
    e.branch(is_seen(b, receiver, cache), direct, look, likely=True)
    e.at(look)
    given = b.module.python_attribute(name), b.module.python_method(method), cache
    is_method = b.frame.call("core_op_is_method", receiver.ssa, *given)
    e.branch(e.icmp("ne", is_method, const("i32", 0), "is.method"), direct, other)
    e.at(direct)
    with b.frame.sometimes():
        rest = [b.expr(_constant(node, each)) for each in method.defaults]
        first = [] if method.is_static else [receiver]
        join.set(variants.call_script(b, node.compiled, [*first, *values, *rest]))
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        join.set(by_python(b, receiver, name, [boxed(b, each) for each in values]))
    e.br(done)
    e.at(done)
    return join.get()


def _constant(node: tree.Expr, value: object) -> tree.Expr:
    made = tree.Const(node.place, value)
    made.type = const_type(value)
    return made
