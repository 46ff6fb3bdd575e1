"""Inference of Counters and defaultdicts: Maps of which it is known what they have for a key that is not in them.

What is done with one that a dict does otherwise, or not at all, makes it Python's own (`Cells.give_defaulting`).
"""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Tup, Value, is_never, kind_of
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.analysis.evaluate_targets import made_as
from jitffi.scripts.library.own import is_virtual
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.types import BOOL, COUNTER, FLOAT, INT, NEVER, NONE, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.analysis.evaluate import Evaluator

_DEFAULTS: dict[str, Value] = {COUNTER: INT, "int": INT, "float": FLOAT, "str": STR, "bool": BOOL}
#: Methods that such a dict has from dict.
_OF_DICTS = frozenset(("get", "keys", "values", "items", "pop", "popitem", "setdefault", "clear"))


def made(ev: Evaluator, node: Defaulting) -> Value:
    cell = ev.site(node, kind="dict", default=node.default)
    item = NEVER if node.over is None else ev.iterate(node.over)
    over = None if node.over is None else ev.values[node.over]
    for each in (node.callee, node.factory):
        if each is not None:
            ev.expr(each)
    if not cell.is_own and over is not None and not count(ev, cell, node.over, over, item):
        ev.cells.give(cell)
    if cell.is_own:
        for value in (over, item):
            if value is not None:
                to_python(ev, value)
        return made_as(cell)
    ev.cells.put(cell, NEVER, _default(ev, node))
    return made_as(cell)


def _default(ev: Evaluator, node: Defaulting) -> Value:
    if node.default in _DEFAULTS:
        return _DEFAULTS[node.default]
    return made_as(ev.site(node, "default", kind=node.default))


def count(ev: Evaluator, counter: Cell, node: tree.Expr | None, over: Value, item: Value) -> bool:
    """What Counter() and its update() count. False: it can be a mapping, or is none of the script's values."""
    if isinstance(over, Cell) and over.find().kind == "dict" and not (node and is_virtual(node)):
        if over.find().default not in ("", COUNTER):
            return False
        key, value = over.find().contents
        if not is_never(value) and value != INT:
            return False
        ev.cells.put(counter, key, value)
        return True
    if kind_of(over) not in ("never", "list", "tuple", "str", "char", "bytes", "dict"):
        return False
    if is_object(item):
        return False
    ev.cells.put(counter, item, INT)
    return True


def read(ev: Evaluator, cell: Cell, index: Value) -> Value:
    """`dict[index]`, which puts a defaultdict's value in."""
    if cell.default and cell.default != COUNTER:
        ev.cells.write(cell)
        ev.cells.put(cell, index, NEVER)
    return cell.find().contents[1]


def method(ev: Evaluator, node: tree.Method, receiver: Cell, args: list[Value], item: Value) -> Value | None:
    """What such a dict does in another way; None for what a dict does."""
    if node.name in _OF_DICTS:
        return None
    if receiver.default == COUNTER and node.name == "update" and len(args) == 1 and not node.keywords:
        if count(ev, receiver, node.args[0], args[0], item):
            return NONE
    elif receiver.default != COUNTER and node.name == "update":
        return None
    ev.cells.give(receiver)
    return NEVER


def most_common(ev: Evaluator, node: pytree.PyCall) -> Value | None:
    """`counter.most_common(n)` of a native one; None for other calls."""
    callee = node.callee
    if not (isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName)):
        return None
    plain = not any(isinstance(each, pytree.Starred | pytree.Named) for each in node.args)
    if callee.index.name != "most_common" or len(node.args) > 1 or not plain:
        return None
    counter = ev.expr(callee.value)
    if not isinstance(counter, Cell) or counter.find().default != COUNTER:
        return None
    if any(kind_of(ev.expr(each)) not in ("int", "never", "none") for each in node.args):
        return None
    ev.expr(callee.index)
    key, value = counter.find().contents
    ev.values[callee] = counter
    return ev.made(node, NEVER if is_never(key) else Tup((key, value)))
