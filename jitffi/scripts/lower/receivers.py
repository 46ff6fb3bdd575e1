"""Methods of values of unknown type: which kind it is that has the method is found out first, then each kind's own way
is taken. And the errors of methods that there are not."""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.library.rules import takes
from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import TRUE, V, const
from jitffi.scripts.lower.function.registry import of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, BYTES, FLOAT, INT, STR, TUPLE, dict_of, list_of, set_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

_TYPES: Final = {
    "str": STR,
    "bytes": BYTES,
    "list": list_of(ANY),
    "tuple": TUPLE,
    "set": set_of(ANY),
    "dict": dict_of(ANY, ANY),
    "int": INT,
    "float": FLOAT,
}


@of_kind("method", "any")
def method(b: Body, node: tree.Method, receiver: Value) -> Value:
    """Typed receivers come here for the error only."""
    kind = {"char": "str", "bool": "int", "u64": "int"}.get(receiver.kind, receiver.kind)
    if kind != "any":
        if node.name in METHODS.get(kind, {}):
            return _refused(b, node, kind)
        b.frame.call("jf_script_no_method", b.storage.view(receiver), b.module.c_string(node.name))
        return conversion.never(b)
    kinds = [each for each in _TYPES if node.name in METHODS[each]]
    if b.function.takes_objects:  # a Set among them
        kinds = [*[each for each in kinds if each != "set"], "object"]
    number = which(b, receiver, kinds, node.name)
    values = [_evaluated(b, each) for each in node.args]
    named = {name: _evaluated(b, each) for name, each in node.keywords.items()}
    call = tree.Method(node.place, node.value, node.name, list(values), dict(named), node.key)
    call.type = node.type
    return _by_kind(b, node, call, receiver, kinds, number)


def _evaluated(b: Body, node: tree.Expr) -> tree.Expr:
    """Constants, and displays of them, stay what they are."""
    items = node.items if isinstance(node, tree.TupleOf) else [node]
    if all(isinstance(each, tree.Const) for each in items):
        return node
    return evaluated(node.place, b.storage.lasting(b.expr(node)))


def which(b: Body, receiver: Value, kinds: list[str], name: str) -> V:
    """The number of the kind that the receiver is of; AttributeError for others."""
    e = b.e
    place, found = e.alloca("i32", "kind"), e.label("kind")
    for i, kind in enumerate(kinds):
        on, other = e.label(kind), e.label("other")
        e.branch(_is(b, receiver, kind), on, other)
        e.at(on)
        e.store(const("i32", i), place)
        e.br(found)
        e.at(other)
    b.frame.call("jf_script_no_method", b.storage.view(receiver), b.module.c_string(name))
    e.at(found)
    return e.load("i32", place, 0, "kind")


#: Of jf_op_isinstance, where a look at the code is not enough.
_MASKS: Final = {"str": 8, "bytes": 16, "int": 1}


def _is(b: Body, receiver: Value, kind: str) -> V:
    if kind == "object":
        return dynamic.is_host(b, receiver.ssa)
    if kind not in _MASKS:
        return dynamic.is_of(b, receiver.ssa, kind)
    if kind == "str":
        return _is_str(b, receiver)
    return _is_native(b, receiver, kind)


def _is_native(b: Body, receiver: Value, kind: str) -> V:
    """Whether it is of that kind, and no object of Python's whose class is derived from that."""
    e = b.e
    result = b.frame.call("jf_op_isinstance", b.storage.view(receiver), const("i32", _MASKS[kind]))
    told = e.icmp("ne", result, const("i32", 0), "is." + kind)
    if not b.function.takes_objects:
        return told
    return e.and_(told, e.not_(dynamic.is_host(b, receiver.ssa)))


def _is_str(b: Body, receiver: Value) -> V:
    """As a rule that is seen from the code; views, and objects that are no plain strings, are asked."""
    e = b.e
    look, ask, done = e.label("look"), e.label("ask"), e.label("asked")
    before, code = e.here, e.load("i32", receiver.ssa, 0, "code")
    e.switch(code, ask, [(layout.SMALL_STR, done), (layout.SMALL_UCS4, done), (layout.OBJECT, look)])
    e.at(look)
    held = e.load("i32", e.load("ptr", receiver.ssa, layout.SLOT_PAYLOAD, "held"), 0, "held.code")
    is_plain = e.icmp("ult", e.sub(held, const("i32", layout.STR)), const("i32", 2), "is.plain")
    at_look = e.here
    e.branch(is_plain, done, ask)
    e.at(ask)
    told = _is_native(b, receiver, "str")
    at_ask = e.here
    e.br(done)
    e.at(done)
    return e.phi([(TRUE, before), (TRUE, before), (TRUE, at_look), (told, at_ask)], "is.str")


def _by_kind(b: Body, node: tree.Method, call: tree.Method, receiver: Value, kinds: list[str], number: V) -> Value:
    e, join = b.e, Join(b, node.type)
    done, labels = e.label("called"), [e.label(kind) for kind in kinds]
    e.switch(number, labels[0], list(enumerate(labels))[1:])
    for kind, label in zip(kinds, labels, strict=True):
        e.at(label)
        typed = boxed(b, receiver) if kind == "object" else dynamic.guard(b, receiver, _TYPES[kind])
        with b.frame.sometimes():
            found = registry.METHOD[kind](b, call, typed)
            found = _refused(b, node, kind) if found is None else found
            if kind == "object" or takes(kind, node.name, [each.type.kind for each in call.args]):
                join.set(found)
        if e.is_open:
            e.br(done)
    e.at(done)
    return join.get()


def _refused(b: Body, node: tree.Method, kind: str) -> Value:
    """TypeError: the method does not take these arguments."""
    row = METHODS[kind][node.name]
    count, most = len(node.args) + len(node.keywords), len(row.params)
    if most == 0:
        message = f"{kind}.{node.name}() takes no arguments ({count} given)"
    elif node.name == "to_bytes" and len(node.args) > 2:  # `signed` has no position
        message = f"to_bytes() takes at most 2 positional arguments ({len(node.args)} given)"
    elif row.required == most == 1:
        message = f"{kind}.{node.name}() takes exactly one argument ({count} given)"
    else:
        few, limit = count < row.required, row.required if count < row.required else most
        bound = "" if row.required == most else "at least " if few else "at most "
        message = f"{node.name} expected {bound}{limit} argument{'s' * (limit > 1)}, got {count}"
    b.frame.raise_("TypeError", message)
    return conversion.never(b)
