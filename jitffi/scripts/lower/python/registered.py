"""Methods and properties of registered classes that are scripts: called directly, where the class of the object is what
it was, and by Python where the name stands for something else by now (library/instances.py)."""

from __future__ import annotations

from contextlib import contextmanager

from jitffi.base.layout import HOST
from jitffi.scripts.library.rules import const_type
from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function import operations, variants
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.side_effects import cannot_fail
from jitffi.scripts.lower.function.values import NONE_VALUE, Value, borrowed, volatile
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.lower.python.instances import is_seen
from jitffi.scripts.lower.python.items import attribute_of, set_attribute_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import NONE, OBJECT, class_of, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type

#: Of core_op_is_method: who reads an object's attribute asks, who sets it, or who has the class itself.
_READS, _SETS, _OF_CLASS = range(3)


def call(
    b: Body, node: pytree.PyCall | tree.Method, method: pytree.Method, receiver: Value, find: Callable[..., Any]
) -> Value:
    """`receiver.name(args)`. *find*: calls.find."""
    assert node.compiled is not None
    receiver = b.storage.lasting(receiver)
    called = _Called(b, node, method, node.compiled, receiver, node.type)
    written = [each.value if isinstance(each, pytree.Named | pytree.Starred) else each for each in node.args]
    names = tuple([each.name for each in node.args if isinstance(each, pytree.Named)])
    if all(map(cannot_fail, written)):
        values = _spread(b, node.args, b.exprs(written))
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
    values = _spread(b, node.args, b.exprs(written))
    e.branch(e.load("i1", is_direct, 0, "is.direct"), direct, other, likely=True)
    e.at(other)
    with b.frame.sometimes():
        called.join.set(found.call(b, [boxed(b, each) for each in values], names))
    e.br(called.done)
    e.at(direct)
    return called.directly(values)


def make(b: Body, node: pytree.PyCall, method: pytree.Method, target: Value, by_python: Callable[..., Value]) -> Value:
    """`Class(args)`, where `__init__` is a script. *by_python*: calls.call_object."""
    e, other, direct = b.e, b.e.label("by.python"), b.e.label("direct")
    written = [each.value if isinstance(each, pytree.Named | pytree.Starred) else each for each in node.args]
    names = tuple([each.name for each in node.args if isinstance(each, pytree.Named)])
    values = _spread(b, node.args, b.exprs(written))
    new = b.storage.new_object(node.type, b.frame.call("core_op_new", target.ssa, b.module.python_method(method)))
    called = _Called(b, node, method, node.compiled, new, node.type)
    e.branch(e.is_null(new.ssa), other, direct, likely=False)
    e.at(other)
    with b.frame.sometimes():
        found = by_python(b, target, [boxed(b, each) for each in values], names)
        called.join.set(Value(node.type, found.v, found.keep))  # which is no promise
    e.br(called.done)
    e.at(direct)
    return called.made(values)


def attribute(b: Body, node: tree.Item, name: pytree.AttributeName) -> Value:
    """`receiver.name`, a property or constant."""
    return read(b, node, name, b.storage.lasting(b.expr(node.value)), node.type)


def read(b: Body, node: tree.Item | tree.TargetItem, name: pytree.AttributeName, receiver: Value, type_: Type) -> Value:
    """The same of the receiver, which is evaluated once where the attribute is changed."""
    assert name.method is not None
    called = _Called(b, node, name.method, name.compiled, receiver, type_)
    with called.by_python():
        called.join.set(attribute_of(b, receiver, name.name))
    return called.directly([])


def store(b: Body, target: tree.TargetItem, receiver: Value, value: Value) -> bool:
    """`receiver.name = value`; whether that is a property's setter."""
    name = target.index
    if not isinstance(name, pytree.AttributeName) or name.setter is None:
        return False
    called = _Called(b, target, name.setter, name.stored, receiver, NONE, _SETS)
    with called.by_python():
        set_attribute_of(b, receiver, name.name, value)
        called.join.set(NONE_VALUE)
    called.directly([value])
    return True


class _Called:
    """A call that is written: first what Python does where the method is another one, then the direct one."""

    def __init__(
        self,
        b: Body,
        node: tree.Expr | tree.TargetItem,
        method: pytree.Method,
        compiled: tree.Callee | None,
        receiver: Value,
        type_: Type,
        role: int = _READS,
    ) -> None:
        self.b = b
        self.node = node
        self.method = method
        self.compiled = compiled
        self.receiver = receiver
        self.join = Join(b, type_)
        self.role = _OF_CLASS if method.of_class else role
        self.done = b.e.label("called")

    @contextmanager
    def by_python(self, behind: str = "") -> Iterator[None]:
        """Around what is written for another method. It goes on *behind*, where the direct call is not next."""
        b, e, cache = self.b, self.b.e, self.b.module.python_cache()
        direct, look, other = e.label("same.method"), e.label("look"), e.label("other.method")
        if not self.method.of_class:
            e.branch(is_seen(b, self.receiver, cache), direct, look, likely=True)
            e.at(look)
        role = const("i32", self.role)
        given = b.module.python_attribute(self.method.name), b.module.python_method(self.method), role, cache
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
        b = self.b
        with b.frame.sometimes():
            given = self._given(values)
            self.join.set(given[0] if self.compiled is None else variants.call_script(b, self.compiled, given))
        b.e.br(self.done)
        b.e.at(self.done)
        return self.join.get()

    def made(self, values: list[Value]) -> Value:
        """The receiver, behind its constructor."""
        b = self.b
        assert self.compiled is not None
        with b.frame.sometimes():
            variants.call_script(b, self.compiled, self._given(values))
            b.frame.call("core_op_made", self.receiver.ssa)
            self.join.set(borrowed(self.receiver))
        b.e.br(self.done)
        b.e.at(self.done)
        return self.join.get()

    def _given(self, values: list[Value]) -> list[Value]:
        """What the parameters get."""
        b, method = self.b, self.method
        placed = method.arranged(values, lambda each: b.expr(_default(self.node, each)), self._rest, self._more)
        return [*([self._first()] if method.first else []), *placed]

    def _rest(self, values: list[Value]) -> Value:
        """What `*args` gets."""
        assert self.compiled is not None
        type_, place = self.compiled.variant[len(self.method.places) + (self.method.first != "")], self.node.place
        made = tree.TupleOf(place, [_item(self.b, place, each, type_) for each in values])
        made.type = type_ if type_.kind in ("object", "tuple") else tuple_of(*[each.type for each in made.items])
        return self.b.storage.lasting(self.b.expr(made))

    def _more(self, values: dict[str, Value]) -> Value:
        """What `**kwargs` gets."""
        assert self.compiled is not None
        type_, place = self.compiled.variant[-1], self.node.place
        keys: list[tree.Expr | None] = [_default(self.node, name) for name in values]
        made = tree.DictOf(place, keys, [_item(self.b, place, each, type_) for each in values.values()])
        made.type = type_
        return self.b.storage.lasting(self.b.expr(made))

    def _first(self) -> Value:
        """What comes in front of the arguments: the object, or its class."""
        b, receiver, method = self.b, self.receiver, self.method
        if method.first == "object" or method.of_class:
            return receiver
        cls = b.e.load("ptr", receiver.ssa, HOST["object.type"], "class")
        return b.storage.lasting(Value(class_of(method.key), cls, volatile()))


def _spread(b: Body, nodes: list[tree.Expr], values: list[Value]) -> list[Value]:
    """The same values, with the items of tuples behind stars in the places of these."""
    found: list[Value] = []
    for node, value in zip(nodes, values, strict=True):
        if not isinstance(node, pytree.Starred):
            found.append(value)
            continue
        value = b.storage.lasting(value)
        for i, type_ in enumerate(value.type.args or ()):
            found.append(b.storage.lasting(operations.item(b, value, numbers.int_constant(i), type_)))
    return found


def _item(b: Body, place: tree.Place, value: Value, of: Type) -> tree.Expr:
    """An argument that is put into a container of that type, and stays what it is."""
    if value.kind == "object":
        return evaluated(place, value if of.kind == "object" else b.storage.borrowed_any(value))
    return evaluated(place, borrowed(value))


def _default(node: tree.Expr | tree.TargetItem, value: object) -> tree.Expr:
    made: tree.Expr
    if isinstance(value, pytree.Outside):  # an object that calls share
        made = pytree.Default(node.place, value)
        made.type = OBJECT
        return made
    made = tree.Const(node.place, value)
    made.type = const_type(value)
    return made
