"""Lists, dicts, tuples and sets that are exactly Python's own: what of a tree is done by Python itself."""

from __future__ import annotations

from jitffi.scripts.library.rules import const_type
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.tree.types import Type


def class_of(type_: Type) -> str:
    """ "list", "dict", ...; "" of any class."""
    return type_.args[0].kind if type_.kind == "object" and type_.args else ""


#: The classes of objects of which slices and sums are of the same class.
SEQUENCES: Final = ("list", "tuple")
#: Builtins that go through one iterable. Of an object, and without a key of the script's, they are Python's own.
ITERATING: Final = frozenset(("list", "tuple", "set", "dict", "sorted", "sum", "min", "max", "bytes"))


#: Methods of text that cut it.
PIECES: Final = frozenset(("split", "rsplit", "partition", "rpartition"))
#: Methods of text that go through an object.
THROUGH: Final = frozenset(("join", "startswith", "endswith"))


#: So many constants are compared with one by one.
_MOST_COMPARED: Final = 16


def constants_of(display: tree.Expr) -> list[tree.Expr] | None:
    """What `x in (a, b)` or `x in {a, b}` compares x with; None where that is nothing that is written there."""
    if isinstance(display, tree.TupleOf | tree.ListOf):
        return display.items
    if isinstance(display, pytree.SetOf):
        return display.items if len(display.items) <= _MOST_COMPARED else None
    if not isinstance(display, pytree.PyConst) or type(display.value) is not frozenset:
        return None
    items = sorted(display.value, key=repr)  # in one order in all processes
    if len(items) > _MOST_COMPARED or not all(type(each) is str or _is_word(each) for each in items):
        return None
    made = [tree.Const(display.place, each) for each in items]
    for each in made:
        each.type = const_type(each.value)
    return list(made)


def _is_word(value: object) -> bool:
    return type(value) is bool or (type(value) is int and -(2**63) <= value < 2**63)


def is_compared(node: tree.Expr) -> bool:
    """Whether a constant set, by its items, is compared with what is looked up in it."""
    if not isinstance(node, tree.Compare) or len(node.ops) > 1 or node.ops[0] not in ("in", "not in"):
        return False
    return node.operands[0].type.kind in ("str", "char", "int", "bool") and constants_of(node.operands[1]) is not None


def is_pythons_method(node: tree.Method) -> bool:
    """Whether a method of text is Python's own to do, since it goes through an object."""
    is_text = node.value.type.kind in ("str", "char", "bytes", "any")
    return is_text and node.name in THROUGH and bool(node.args) and node.args[0].type.kind == "object"


def is_pythons_key(key: tree.Callee) -> bool:
    """Whether Python calls the function that `key=` was given: a builtin, a method of a class, an object."""
    if key.python is not None:
        return True
    if key.value is not None:
        return key.value.type.kind == "object"
    return bool(key.builtin)


def is_pythons(node: tree.Builtin) -> bool:
    if node.key is not None and not is_pythons_key(node.key):
        return False
    if node.name == "str":
        return len(node.args) > 1 and any(each.type.kind == "object" for each in node.args)
    is_one = len(node.args) == 1 or (node.name == "sum" and len(node.args) == 2)
    return node.name in ITERATING and is_one and node.args[0].type.kind == "object" and not is_virtual(node.args[0])


def is_virtual(node: tree.Expr) -> bool:
    """Whether it only stands for an iteration, and no object does."""
    if isinstance(node, tree.Comprehension):
        return node.is_lazy
    return isinstance(node, tree.Builtin) and node.name in ("range", "enumerate", "zip", "reversed")
