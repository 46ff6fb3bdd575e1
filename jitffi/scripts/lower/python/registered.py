"""Methods and properties of registered classes that are scripts: called directly, where the class of the object is what
it was, and by Python where the name stands for something else by now (library/instances.py)."""

from __future__ import annotations

from contextlib import contextmanager

from jitffi.scripts.library.rules import const_type
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import variants
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.side_effects import cannot_fail
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.python.instances import is_seen
from jitffi.scripts.lower.python.items import attribute_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jitffi.scripts.lower.function.body import Body


def call(
    b: Body, node: pytree.PyCall | tree.Method, method: pytree.Method, receiver: Value, find: Callable[..., Any]
) -> Value:
    """`receiver.name(args)`. *find*: calls.find."""
    assert node.compiled is not None
    receiver = b.storage.lasting(receiver)
    called = _Called(b, node, method, node.compiled, receiver)
    written = [each.value if isinstance(each, pytree.Named) else each for each in node.args]
    names = tuple([each.name for each in node.args if isinstance(each, pytree.Named)])
    if all(map(cannot_fail, written)):
        values = b.exprs(written)
        with called.by_python():
            called.join.set(find(b, receiver, method.name).call(b, [boxed(b, each) for each in values], names))
        return called.directly(values)
    # Python looks for the method first: where it finds none the arguments are not evaluated.
    e, is_direct = b.e, b.e.alloca("i1", "is.direct")
    ready, direct, other = e.label("ready"), e.label("direct"), e.label("other")
    e.store(const("i1", 1), is_direct)
    with called.by_python(ready):
        found = find(b, receiver, method.name)
        e.store(const("i1", 0), is_direct)
    e.br(ready)
    e.at(ready)
    values = b.exprs(written)
    e.branch(e.load("i1", is_direct, 0, "is.direct"), direct, other, likely=True)
    e.at(other)
    with b.frame.sometimes():
        called.join.set(found.call(b, [boxed(b, each) for each in values], names))
    e.br(called.done)
    e.at(direct)
    return called.directly(values)


def attribute(b: Body, node: tree.Item, name: pytree.AttributeName) -> Value:
    """`receiver.name`, a property or constant."""
    assert name.method is not None
    receiver = b.storage.lasting(b.expr(node.value))
    called = _Called(b, node, name.method, name.compiled, receiver)
    with called.by_python():
        called.join.set(attribute_of(b, receiver, name.name))
    return called.directly([])


class _Called:
    """A call that is written: first what Python does where the method is another one, then the direct one."""

    def __init__(
        self, b: Body, node: tree.Expr, method: pytree.Method, compiled: tree.Callee | None, receiver: Value
    ) -> None:
        self.b = b
        self.node = node
        self.method = method
        self.compiled = compiled
        self.receiver = receiver
        self.join = Join(b, node.type)
        self.done = b.e.label("called")

    @contextmanager
    def by_python(self, behind: str = "") -> Iterator[None]:
        """Around what is written for another method. It goes on *behind*, where the direct call is not next."""
        b, e, cache = self.b, self.b.e, self.b.module.python_cache()
        direct, look, other = e.label("same.method"), e.label("look"), e.label("other.method")
        e.branch(is_seen(b, self.receiver, cache), direct, look, likely=True)
        e.at(look)
        given = b.module.python_attribute(self.method.name), b.module.python_method(self.method), cache
        is_method = b.frame.call("core_op_is_method", self.receiver.ssa, self._owner(), *given)
        e.branch(e.icmp("ne", is_method, const("i32", 0), "is.method"), direct, other)
        e.at(other)
        with b.frame.sometimes():
            yield
        e.br(behind or self.done)
        e.at(direct)

    def _owner(self) -> V:
        """The class behind which super() looks."""
        callee = self.node.callee if isinstance(self.node, pytree.PyCall) else None
        if not self.method.owner or not isinstance(callee, tree.Item) or not isinstance(callee.value, pytree.PyCall):
            return NULL
        return self.b.storage.lasting(self.b.expr(callee.value.args[0])).ssa

    def directly(self, values: list[Value]) -> Value:
        """What the method gives, or the constant that there is in the place of one."""
        b, method = self.b, self.method
        with b.frame.sometimes():
            placed = method.arranged(values, lambda each: b.expr(_default(self.node, each)))
            given = [*([] if method.is_static else [self.receiver]), *placed]
            self.join.set(given[0] if self.compiled is None else variants.call_script(b, self.compiled, given))
        b.e.br(self.done)
        b.e.at(self.done)
        return self.join.get()


def _default(node: tree.Expr, value: object) -> tree.Expr:
    made: tree.Expr
    if isinstance(value, pytree.Outside):  # an object that calls share
        made = pytree.Default(node.place, value)
        made.type = OBJECT
        return made
    made = tree.Const(node.place, value)
    made.type = const_type(value)
    return made
