"""What makes a list, set, dict or tuple of Python's own in a script: displays and comprehensions item by item,
everything else from what the script's own operation has made."""

from __future__ import annotations

from jitffi.scripts.library.own import class_of, is_pythons, is_pythons_method
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.side_effects import is_plain
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python import calls, own, own_sets
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, TUPLE, dict_of, list_of, set_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body

#: What stands in a display for no item, or for any number of them.
_NO_ITEM = (tree.Undefined, tree.Spread)
#: Builtins that give one of the items, and methods.
_PICKING = frozenset(("min", "max", "next"))
_GIVING = frozenset(("get", "pop", "popitem", "setdefault"))
_NATIVE = {"list": list_of(ANY), "set": set_of(ANY), "dict": dict_of(ANY, ANY), "tuple": TUPLE}


def made(b: Body, node: tree.Expr) -> Value | None:
    """None: the expression makes nothing, or is done by Python's own objects."""
    if isinstance(node, tree.Method) and is_pythons_method(node):
        return calls.method(b, node, boxed(b, b.storage.lasting(b.expr(node.value))))
    kind = class_of(node.type)
    if kind not in _NATIVE or not is_native(node):
        return None
    if isinstance(node, tree.ListOf | tree.TupleOf) and not any(isinstance(each, _NO_ITEM) for each in node.items):
        return own.display(b, node, kind)
    if isinstance(node, tree.DictOf):
        return own.dict_display(b, node)
    if isinstance(node, tree.Comprehension):
        return None
    if isinstance(node, tree.Builtin) and node.name in ("list", "sorted") and node.key is None and _is_virtual(node):
        return _listed(b, node)
    if isinstance(node, tree.Builtin) and node.name == "set" and node.args:
        return own_sets.of_items(b, iterators.iterate(b, node.args[0]))
    type_, node.type = node.type, _NATIVE[kind]
    try:
        value = registry.EXPRESSIONS[type(node)](b, node)
    finally:  # the function may be written once more
        node.type = type_
    return own.converted(b, value, type_) if value.kind in _NATIVE else value


registry.MAKERS.append(made)


def _is_virtual(node: tree.Builtin) -> bool:
    return len(node.args) == 1 and (iterators.is_virtual(node.args[0]) or node.args[0].type.kind == "set")


def _listed(b: Body, node: tree.Builtin) -> Value:
    """list() or sorted() of what is only gone through, or a set."""
    keywords = {name: boxed(b, b.storage.lasting(b.expr(each))) for name, each in node.keywords.items()}
    found = iterators.iterate(b, node.args[0])
    made = own.new_list(b)
    loops.rounds(b, found, lambda item: own.append(b, made, own.of_value(b, item)), made=False)
    if node.name == "sorted" and not keywords and is_plain(found.type):
        b.frame.call("core_op_list_sort", made.ssa)
    elif node.name == "sorted":
        calls.call_method(b, made, "sort", list(keywords.values()), tuple(keywords))
    return made


def is_native(node: tree.Expr) -> bool:
    """Whether it is a script's own operation on its own values."""
    if isinstance(node, tree.ListOf | tree.TupleOf | tree.DictOf | tree.Comprehension):
        return True
    if isinstance(node, tree.Binary):
        return "object" not in (node.left.type.kind, node.right.type.kind)
    if isinstance(node, tree.Method) and node.name in _GIVING:
        return False
    if isinstance(node, tree.Slice | tree.Method):
        return node.value.type.kind != "object"
    return isinstance(node, tree.Builtin) and not is_pythons(node) and node.name not in _PICKING
