"""Methods of lists and dicts of Python's own that are called more often than others: no method is looked for."""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.containers.lists import as_int
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import NONE_VALUE, Value
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.lower.python.own import append, borrowed, find, is_looked_up, key_object, key_of, of_node
from jitffi.scripts.tree.types import ANY, OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type


def method(b: Body, node: tree.Method, receiver: Value) -> Value | None:
    """Those that are more often called than others."""
    kind, name, count = class_of(receiver.type), node.name, len(node.args)
    if node.keywords or node.key is not None:
        return None
    if (kind, name, count) == ("list", "append", 1):
        append(b, receiver, of_node(b, node.args[0]))
        return NONE_VALUE
    if (kind, name) == ("list", "pop") and (count == 0 or (count == 1 and node.args[0].type.kind in ("int", "bool"))):
        at = const("i64", -1) if count == 0 else as_int(b, b.expr(node.args[0]))
        return owned_object(b, b.frame.call("core_op_list_pop", receiver.ssa, at))
    if (kind, name) == ("dict", "get") and count in (1, 2):
        key, *default = [key_of(b, each) for each in node.args]
        return _get(b, receiver, key, default[0] if default else NONE_VALUE)
    if (kind, name, count) == ("dict", "setdefault", 2):
        return _setdefault(b, receiver, node)
    return None


def _setdefault(b: Body, dict_: Value, node: tree.Method) -> Value:
    key, default = key_of(b, node.args[0]), b.storage.lasting(of_node(b, node.args[1]))
    if is_looked_up(key):
        found = b.frame.call("core_op_dict_setdefault_text", dict_.ssa, b.storage.text(key), default.ssa)
    else:
        found = b.frame.call("core_op_dict_setdefault", dict_.ssa, key_object(b, key).ssa, default.ssa)
    return borrowed(found)


def plain_get(b: Body, node: tree.Method, receiver: Value, otherwise: Callable[[list[Value]], Value]) -> Value:
    """`get` of what gives numbers and texts as a rule, as a value of any type; where no dict is asked, what *otherwise*
    makes of the arguments."""
    e = b.e
    receiver = b.storage.lasting(receiver)
    args = [key_of(b, each) for each in node.args]
    if class_of(receiver.type):
        return _get(b, receiver, args[0], args[1], ANY)
    join = Join(b, ANY)
    dict_, other, done = e.label("dict"), e.label("no.dict"), e.label("got")
    class_ = e.load("ptr", receiver.ssa, HOST["object.type"], "class")
    e.branch(e.icmp("eq", class_, b.module.data_symbol("PyDict_Type"), "is.dict"), dict_, other, likely=True)
    e.at(dict_)
    with b.frame.sometimes():
        join.set(_get(b, receiver, args[0], args[1], ANY))
    e.br(done)
    e.at(other)
    with b.frame.sometimes():
        join.set(otherwise(args))
    e.br(done)
    e.at(done)
    return join.get()


def _get(b: Body, dict_: Value, key: Value, default: Value = NONE_VALUE, type_: Type = OBJECT) -> Value:
    e, join = b.e, Join(b, type_)
    found, place = find(b, dict_, key)
    there, missing, done = e.label("found"), e.label("missing"), e.label("got")
    e.branch(e.icmp("ne", found, const("i32", 0), "is.there"), there, missing, likely=True)
    e.at(there)
    join.set(borrowed(e.load("ptr", place, 0, "value")))
    e.br(done)
    e.at(missing)
    with b.frame.sometimes():
        join.set(boxed(b, default) if type_ == OBJECT else default)
    e.br(done)
    e.at(done)
    return join.get()
