"""`key=` of sorted, min, max and list.sort: a script, a lambda, a builtin, a method of a class, or a callable."""

from __future__ import annotations

from jitffi.scripts.library import rules
from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.control.calls import call_callee
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.values import NONE_VALUE, Value
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, NEVER, STR, Type, list_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def call_key(b: Body, node: tree.Expr, key: tree.Callee, value: Value, target: Value | None) -> Value:
    """What the key's function gives for a value that lasts. *target*: the function, where it is a value."""
    call: tree.Expr
    argument = evaluated(node.place, value)
    kind, dot, method = key.builtin.partition(".")
    if dot and not kind:
        assert target is not None
        call = tree.Method(node.place, evaluated(node.place, target), method, [argument], {})
        call.type = ANY
    elif dot:
        value = conversion.convert(b, value, STR) if kind == "str" and value.kind == "any" else value
        argument = evaluated(node.place, value)
        call = tree.Method(node.place, argument, method, [], {})
        call.type = rules.row_result(argument.type.kind, method) or ANY
    elif key.builtin:
        call = tree.Builtin(node.place, key.builtin, [argument], {})
        call.type = rules.builtin(key.builtin, [value.type]) or ANY
    elif target is not None and target.kind in ("none", "any", "object"):
        return _call_unless_none(b, key, value, target)
    else:
        return call_callee(b, key, [value], target)
    return b.expr(call)


def _call_unless_none(b: Body, key: tree.Callee, value: Value, target: Value) -> Value:
    """A variable that is None leaves each item its own key."""
    if target.kind == "none":
        return value
    e, join = b.e, Join(b, ANY)
    without, called, done = e.label("no.key"), e.label("key"), e.label("keyed")
    e.branch(operations.is_same(b, target, NONE_VALUE), without, called)
    e.at(without)
    with b.frame.sometimes():
        join.set(value)
    e.br(done)
    e.at(called)
    with b.frame.sometimes():
        join.set(call_callee(b, key, [value], target))
    e.br(done)
    e.at(done)
    return join.get()


def keys_of(b: Body, node: tree.Expr, key: tree.Callee, items: Value) -> Value:
    """A new list of the keys of a list's items."""
    types: list[Type] = []
    target = None if key.value is None else b.storage.lasting(b.expr(key.value))
    count = operations.length(b, items)
    made = lists.new_list(b, count, list_of(ANY))

    def put(item: Value) -> None:
        found = call_key(b, node, key, b.storage.lasting(item), target)
        types.append(found.type)
        lists.append(b, made.ssa, found)
        if isinstance(node, tree.Method):  # else a list that grows is gone through for ever
            modified = b.e.icmp("ne", operations.length(b, items), count)
            b.frame.raise_if(modified, "ValueError", "list modified during sort")

    loops.rounds(b, iterators.of_value(b, items), put)
    type_ = types[0] if types else NEVER
    return Value(list_of(STR if type_.kind == "char" else type_), made.v, made.keep)
