"""Calls of whatever Python can call, and of methods of its objects."""

from __future__ import annotations

from jitffi.adapters.unit import byte_array
from jitffi.base import layout
from jitffi.base.records import record
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.emit import NULL, P, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.side_effects import cannot_fail
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python import math_calls, own_methods, registered
from jitffi.scripts.lower.python.boxing import boxed, builtin_object, owned_object
from jitffi.scripts.lower.python.items import attribute_of
from jitffi.scripts.lower.python.own import of_node
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body

_CLASSES = {each.__name__: each for each in (list, dict, tuple, set)}
#: How an argument is written, as core_op_call_spread has it.
_POSITIONAL, _STAR, _NAMED, _DOUBLE_STAR = range(4)
#: CORE_PYTHON_REFERENCE, as a slot has it.
_REFERENCE = -64 & 0xFFFFFFFF


@expression(pytree.PyCall)
def call(b: Body, node: pytree.PyCall) -> Value:
    callee = node.callee
    if isinstance(callee, tree.Item) and callee.value.type.defaulting:
        return registry.DEFAULTING["most_common"](b, node, b.expr(callee.value))
    if node.method is not None and node.inits:
        return registered.make(b, node, node.method, object_of(b, callee), call_object)
    if node.method is not None:
        assert isinstance(callee, tree.Item) and node.receiver is not None
        return registered.call(
            b, node, node.method, b.expr(node.receiver), _finder(callee) if node.method.owner else find
        )
    if node.math and node.type.kind != "object":
        values = [b.storage.lasting(b.expr(each)) for each in node.args]
        return math_calls.call(b, node.math, values, lambda: _called(b, callee, values))
    if node.table is not None and node.type.kind in ("str", "bytes"):
        return _translated(b, node, callee)
    made = _of_python(b, node)
    return Value(node.type, made.v, made.keep) if node.makes else made  # which is no promise


def _of_python(b: Body, node: pytree.PyCall) -> Value:
    callee = node.callee
    has_stars = any(isinstance(each, pytree.Starred) for each in node.args)
    if isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName) and not has_stars:
        receiver, name = object_of(b, callee.value), callee.index.name
        if all(cannot_fail(each.value if isinstance(each, pytree.Named) else each) for each in node.args):
            return call_method(b, receiver, name, *_arguments(b, node.args))
        return find(b, receiver, name).call(b, *_arguments(b, node.args))
    target = object_of(b, callee)
    if has_stars:
        return _spread(b, target, node.args)
    if node.makes:
        return _make(b, target, node.args)
    return call_object(b, target, *_arguments(b, node.args))


#: Values that a constructor takes as they are; constants are objects that are there already.
_NATIVE = frozenset(("int", "float", "str", "char", "bytes"))


def _make(b: Body, target: Value, nodes: list[tree.Expr]) -> Value:
    """A call of a registered class, if it is one still."""
    names = tuple([each.name for each in nodes if isinstance(each, pytree.Named)])
    written = [each.value if isinstance(each, pytree.Named) else each for each in nodes]
    values = [
        b.storage.lasting(b.expr(each))
        if each.type.kind in _NATIVE and not isinstance(each, tree.Const)
        else object_of(b, each)
        for each in written
    ]
    views = b.frame.scratch(layout.SLOT_SIZE * max(len(values), 1))
    for i, value in enumerate(values):
        view = b.e.offset(views, layout.SLOT_SIZE * i)
        if value.kind in _NATIVE:
            b.storage.view_at(value, view)
        else:
            b.e.store(const("i64", _REFERENCE), view)
            b.e.store_word(value.ssa, view)
    b.frame.check_stack()
    count = const("i64", len(values) - len(names))
    return owned_object(b, b.frame.call("core_op_make", target.ssa, views, count, names_of(b, names)))


def _translated(b: Body, node: pytree.PyCall, callee: tree.Expr) -> Value:
    """By the table that is known. The argument is it, so it is not evaluated but for whether it is there."""
    assert isinstance(callee, tree.Item) and node.table is not None
    text = b.storage.lasting(b.expr(callee.value))
    for each in node.args:
        if isinstance(each, tree.Local) and each.check:
            b.expr(each)
    slot = b.frame.temp_slot()
    symbol = "jf_bytes_translate" if node.type.kind == "bytes" else "jf_text_translate"
    b.frame.call(symbol, b.storage.text(text), b.module.table(node.table), slot)
    return b.storage.result_text(node.type, slot)


def object_of(b: Body, node: tree.Expr) -> Value:
    if isinstance(node, tree.TupleOf):
        return b.storage.lasting(of_node(b, node))
    return boxed(b, b.storage.lasting(b.expr(node)))


def _called(b: Body, callee: tree.Expr, values: list[Value]) -> Value:
    return call_object(b, object_of(b, callee), [boxed(b, each) for each in values])


def _arguments(b: Body, nodes: list[tree.Expr]) -> tuple[list[Value], tuple[str, ...]]:
    """The values of the arguments, and the names that the last ones have."""
    names = tuple([each.name for each in nodes if isinstance(each, pytree.Named)])
    return [object_of(b, each.value if isinstance(each, pytree.Named) else each) for each in nodes], names


def array_of(b: Body, values: list[Value], before: int) -> V:
    """Their addresses, behind so many free places."""
    size = b.abi.pointer_bytes
    memory = b.frame.scratch(size * (len(values) + before or 1))
    for i, value in enumerate(values, before):
        b.e.store(value.ssa, memory, size * i)
    return b.e.offset(memory, size * before) if before else memory


def names_of(b: Body, names: tuple[str, ...]) -> V:
    return b.module.python_constant(names) if names else NULL


def call_object(b: Body, target: Value, values: list[Value], names: tuple[str, ...] = ()) -> Value:
    """`target(values)`, all of them objects; the last ones have the names."""
    count = const("i64", len(values) - len(names))
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_call", target.ssa, array_of(b, values, 1), count, names_of(b, names)))


def call_method(b: Body, receiver: Value, name: str, values: list[Value], names: tuple[str, ...] = ()) -> Value:
    """`receiver.name(values)`."""
    given = array_of(b, [receiver, *values], 1)
    count = const("i64", 1 + len(values) - len(names))
    attribute, cache = b.module.python_attribute(name), b.module.python_cache()
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_call_method", attribute, given, count, names_of(b, names), cache))


@record
class Found:
    """A method that was found before its arguments were evaluated, and what comes in front of these."""

    method: P
    receiver: V

    def call(self, b: Body, values: list[Value], names: tuple[str, ...] = ()) -> Value:
        method = b.storage.from_cell(OBJECT, self.method)
        in_front = Value(OBJECT, b.e.load("ptr", self.receiver, 0, "self"))
        given = array_of(b, [in_front, *values], 1)
        count = const("i64", 1 + len(values) - len(names))
        b.frame.check_stack()
        found = b.frame.call("core_op_call_found", method.ssa, given, count, names_of(b, names))
        return owned_object(b, found)


def find(b: Body, receiver: Value, name: str) -> Found:
    lasting, at, method = b.storage.lasting(receiver), b.e.alloca("ptr", "self"), b.frame.temp_owner("object")
    attribute, cache = b.module.python_attribute(name), b.module.python_cache()
    b.e.store(b.frame.call("core_op_method", lasting.ssa, attribute, cache, at), method)
    return Found(method, at)


def _is_plain_get(node: tree.Method, receiver: Value) -> bool:
    """Whether inference has taken it for one (analysis/module_values.py). Of what may be no dict the method is looked
    for behind the arguments."""
    if node.type != ANY or node.name != "get" or len(node.args) != 2:
        return False
    if class_of(receiver.type) == "dict":
        return True
    return isinstance(node.value, pytree.Global) and all(map(cannot_fail, node.args))


def _plainly_called(b: Body, node: tree.Method, receiver: Value, args: list[Value]) -> Value:
    return call_method(b, boxed(b, receiver), node.name, [boxed(b, each) for each in args])


def _append(b: Body, receiver: Value, node: tree.Expr) -> Value:
    """`receiver.append(...)`, which is a list as a rule."""
    lasting, at = b.storage.lasting(receiver), b.e.alloca("ptr", "self")
    attribute, cache = b.module.python_attribute("append"), b.module.python_cache()
    found = owned_object(b, b.frame.call("core_op_append_of", lasting.ssa, attribute, cache, at))
    value = object_of(b, node)
    given = array_of(b, [Value(found.type, b.e.load("ptr", at, 0, "self")), value], 1)
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_append", found.ssa, given))


def _key(b: Body, key: tree.Callee) -> Value:
    """What `key=` was given, as an object."""
    name = key.builtin
    if key.python is not None:
        return object_of(b, key.python)
    if key.value is None:
        return builtin_object(b, name)
    target = object_of(b, key.value)
    if not name:
        return target
    return attribute_of(b, target, name[1:])


def call_builtin(b: Body, node: tree.Builtin) -> Value:
    """A builtin of Python's, with objects."""
    values = [object_of(b, each) for each in (*node.args, *node.keywords.values())]
    names = tuple(node.keywords)
    if node.key is not None:
        values, names = [*values, _key(b, node.key)], (*names, "key")
    found = call_object(b, builtin_object(b, node.name), values, names)
    return Value(node.type, found.v, found.keep) if node.type.kind == "object" else found


def _spread(b: Body, target: Value, nodes: list[tree.Expr]) -> Value:
    kinds = [
        (_DOUBLE_STAR if each.double else _STAR)
        if isinstance(each, pytree.Starred)
        else _NAMED
        if isinstance(each, pytree.Named)
        else _POSITIONAL
        for each in nodes
    ]
    values = [object_of(b, each.value if isinstance(each, pytree.Starred | pytree.Named) else each) for each in nodes]
    names = tuple([each.name for each in nodes if isinstance(each, pytree.Named)])
    unit, text = b.module.unit, bytes(kinds)
    symbol = f".spread.{text.hex()}"
    if symbol not in unit.defined:
        unit.defined.add(symbol)
        unit.define(symbol, f"{byte_array(text)}, align 1")
    address = V("ptr", f'@"{symbol}"')
    given = array_of(b, values, 0)
    count = const("i64", len(values))
    b.frame.check_stack()
    result = b.frame.call("core_op_call_spread", target.ssa, given, count, address, names_of(b, names))
    return owned_object(b, result)


def _finder(callee: tree.Item) -> Callable[[Body, Value, str], Found]:
    """Of `super().name`, which is evaluated where it is called by Python."""
    return lambda b, _, name: find(b, b.storage.lasting(b.expr(callee.value)), name)


@of_kind("method", "object")
def method(b: Body, node: tree.Method, receiver: Value) -> Value:
    """A method that scripts know by its name, of an object."""
    if node.method is not None:
        return registered.call(b, node, node.method, receiver, find)
    if _is_plain_get(node, receiver):
        return own_methods.plain_get(b, node, receiver, lambda args: _plainly_called(b, node, receiver, args))
    found = own_methods.method(b, node, receiver)
    if found is not None:
        return found
    if node.name == "append" and len(node.args) == 1 and not node.keywords and not class_of(receiver.type):
        return _append(b, boxed(b, receiver), node.args[0])
    receiver, given = boxed(b, receiver), [*node.args, *node.keywords.values()]
    # Python looks for the method first: that matters where there may be none, and arguments that can fail.
    class_ = _CLASSES.get(class_of(receiver.type))
    is_first = not hasattr(class_, node.name) and not all(map(cannot_fail, given))
    method = find(b, receiver, node.name) if is_first else None
    values = [object_of(b, each) for each in given]
    names = tuple(node.keywords)
    if node.key is not None:
        values, names = [*values, _key(b, node.key)], (*names, "key")
    if method is not None:
        return method.call(b, values, names)
    return call_method(b, receiver, node.name, values, names)
