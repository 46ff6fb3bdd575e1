"""Inference of calls of methods of registered classes (library/instances.py), and of their properties: what their
functions give as scripts."""

from __future__ import annotations

from jitffi.scripts.analysis import evaluate_calls
from jitffi.scripts.analysis.cells import Tup, Value, is_never, kind_of, stored
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.analysis.evaluate_targets import made_as
from jitffi.scripts.analysis.finer_types import Maybe
from jitffi.scripts.library.rules import const_type
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, NEVER, OBJECT, STR, Type, class_of, instance_of, made_by, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.analysis.evaluate import Evaluator

#: What a method may give that is a script: what Python gives for it, where it is another one, is one of these, too.
_RESULTS: Final = frozenset(("never", "none", "bool", "int", "u64", "float", "str", "bytes", "any", "object"))
#: Items of a tuple behind a star, of which each is an argument.
MOST_SPREAD: Final = 8
#: What is in tuples that become Python's.
_PLAIN: Final = frozenset(("none", "bool", "int", "u64", "float", "char", "str", "bytes"))


def call(ev: Evaluator, node: pytree.PyCall) -> Value | None:
    """None: it is none of these."""
    node.method = node.compiled = None
    callee = node.callee
    if node.inits:
        return _made(ev, node)
    if not node.methods or not isinstance(callee, tree.Item):
        return None
    ev.expr(callee.value)
    assert node.receiver is not None
    receiver = ev.expr(node.receiver)
    values, names = _arguments(ev, node.args)
    if is_never(receiver) and not ev.final:
        return NEVER
    method = node.methods.get(receiver.key) if isinstance(receiver, Type) else None
    if method is None or values is None:
        return None
    method = method.placed(len(values) - len(names), names)
    if method is None:
        return None
    ev.expr(callee.index)
    ev.values[callee] = OBJECT
    return _called(ev, node, method, _given(ev, node, method, receiver, values))


def _made(ev: Evaluator, node: pytree.PyCall) -> Value | None:
    """What a class makes whose `__init__` is compiled."""
    target = to_python(ev, ev.expr(node.callee))
    key = made_by(target) if isinstance(target, Type) else ""
    values, names = _arguments(ev, node.args)
    method = node.inits.get(key)
    method = None if method is None or values is None else method.placed(len(values) - len(names), names)
    if method is None or values is None:
        return None
    called = tree.Callee(script=method.script)
    found = evaluate_calls.call(ev, node, called, _given(ev, node, method, instance_of(key), values))
    if kind_of(found) not in ("never", "none"):
        return None
    node.method, node.compiled, node.makes = method, called, key
    return instance_of(key)


def of_a_name(ev: Evaluator, node: tree.Method) -> Value | None:
    """The same of a name that methods of lists, texts and dicts have, too."""
    node.method = node.compiled = None
    receiver = ev.expr(node.value) if node.methods else OBJECT
    method = node.methods.get(receiver.key) if isinstance(receiver, Type) else None
    method = None if method is None else method.placed(len(node.args), ())
    if method is None:
        return None
    values = [to_python(ev, ev.expr(each)) for each in node.args]
    return _called(ev, node, method, _given(ev, node, method, receiver, values))


def attribute(ev: Evaluator, node: tree.Item | tree.TargetItem, receiver: Value) -> Value | None:
    """The same of a property or constant that is read."""
    name = node.index
    if not isinstance(name, pytree.AttributeName):
        return None
    name.method = name.compiled = None
    method = name.methods.get(receiver.key) if isinstance(receiver, Type) else None
    if method is None:
        return None
    ev.expr(name)
    if method.script is None:
        name.method, found = method, const_type(method.defaults[0])
        name.gives = STR if found.kind == "char" else found
        return name.gives
    result = _called(ev, name, method, [receiver])
    name.gives = result if isinstance(result, Type) else OBJECT
    return result


def store(ev: Evaluator, target: tree.TargetItem, receiver: Value, value: Value) -> None:
    """The same of a property that is set."""
    name = target.index
    if not isinstance(name, pytree.AttributeName):
        return
    name.setter = name.stored = None
    method = name.setters.get(receiver.key) if isinstance(receiver, Type) else None
    if method is None:
        return
    called = tree.Callee(script=method.script)
    found = evaluate_calls.call(ev, target, called, [receiver, to_python(ev, value)])
    if kind_of(found) in ("never", "none"):
        name.setter, name.stored = method, called


def _arguments(ev: Evaluator, nodes: list[tree.Expr]) -> tuple[list[Value] | None, list[str]]:
    """The values of arguments, and the names of the last ones; None of a tuple's items of which nothing is known."""
    values: list[Value] = []
    is_known = True
    for each in nodes:
        value = to_python(ev, ev.expr(each))
        if not isinstance(each, pytree.Starred):
            values.append(value)
        elif isinstance(value, Tup) and len(value.items) <= MOST_SPREAD:
            values += map(stored, value.items)
        else:
            is_known = False
    return (values if is_known else None), [each.name for each in nodes if isinstance(each, pytree.Named)]


def _given(ev: Evaluator, node: tree.Expr, method: pytree.Method, receiver: Value, values: list[Value]) -> list[Value]:
    """What the parameters get."""

    def rest(items: list[Value]) -> Value:
        if any(map(is_object, items)) and ev.cells.places.holds:
            return object_of("tuple")
        return ev.cells.tup(tuple(map(stored, items)))

    def more(items: dict[str, Value]) -> Value:
        made = ev.site(node, "dict", kind="dict")
        for each in items.values():
            ev.cells.put(made, STR, each)
        return made_as(made)

    first = class_of(method.key) if method.first == "class" and not method.of_class else receiver
    return [*([first] if method.first else []), *method.arranged(values, _default_type, rest, more)]


def _default_type(value: object) -> Type:
    return OBJECT if isinstance(value, pytree.Outside) else const_type(value)


def _called(
    ev: Evaluator, node: pytree.PyCall | pytree.AttributeName | tree.Method, method: pytree.Method, args: list[Value]
) -> Value:
    called = tree.Callee(script=method.script)
    found = evaluate_calls.call(ev, node, called, args)
    found = STR if kind_of(found) == "char" else found
    if isinstance(found, Tup) and all(kind_of(each) in _PLAIN for each in found.items):
        found = OBJECT
    if not isinstance(found, Type) or found.kind not in _RESULTS:
        to_python(ev, found)  # a list that it makes is Python's own from the start
        return OBJECT
    node.method, node.compiled = method, called
    if found.kind == "object" and not found.key:
        return OBJECT
    return ANY if isinstance(found, Maybe) else found
