"""Methods of lists and dicts of Python's own that are called more often than others: no method is looked for."""

from __future__ import annotations

from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower.containers.lists import as_int
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import NONE_VALUE, Value
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.lower.python.own import TEXT, append, borrowed, find, key_object, key_of, of_node
from jitffi.scripts.tree.types import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree


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
        return _get(b, receiver, *[key_of(b, each) for each in node.args])
    if (kind, name, count) == ("dict", "setdefault", 2):
        return _setdefault(b, receiver, node)
    return None


def _setdefault(b: Body, dict_: Value, node: tree.Method) -> Value:
    key, default = key_of(b, node.args[0]), b.storage.lasting(of_node(b, node.args[1]))
    if key.kind in TEXT:
        found = b.frame.call("core_op_dict_setdefault_text", dict_.ssa, b.storage.text(key), default.ssa)
    else:
        found = b.frame.call("core_op_dict_setdefault", dict_.ssa, key_object(b, key).ssa, default.ssa)
    return borrowed(found)


def _get(b: Body, dict_: Value, key: Value, default: Value = NONE_VALUE) -> Value:
    e, join = b.e, Join(b, OBJECT)
    found, place = find(b, dict_, key)
    there, missing, done = e.label("found"), e.label("missing"), e.label("got")
    e.branch(e.icmp("ne", found, const("i32", 0), "is.there"), there, missing, likely=True)
    e.at(there)
    join.set(borrowed(e.load("ptr", place, 0, "value")))
    e.br(done)
    e.at(missing)
    with b.frame.sometimes():
        join.set(boxed(b, default))
    e.br(done)
    e.at(done)
    return join.get()
