"""sum, min and max of what is made one by one: each item is dealt with before the next is made, and none is kept.

What they have so far is in variables that no source has.
"""

from __future__ import annotations

import sys

from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.builtins import out_any
from jitffi.scripts.lower.containers.keys import call_key
from jitffi.scripts.lower.control import iterators, loops
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import conversion, operations
from jitffi.scripts.lower.function.emit import FALSE, NULL, TRUE, V, double
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.values import Value

#: What rounding takes from a sum of floats is added in the end.
_IS_EXACT: Final = sys.version_info >= (3, 12)


def is_made(node: tree.Expr) -> bool:
    """Whether the items of an iterable are made one by one."""
    return isinstance(node, tree.Comprehension) and node.is_lazy


def _variable(name: str, type_: Type) -> tree.Variable:
    variable = tree.Variable(name, is_assigned=True)
    variable.type = type_
    return variable


def total(b: Body, node: tree.Builtin) -> Value:
    """sum() from 0 on, of any items: as `+` has it, but what rounding takes from floats is made good from 3.12 on."""
    e, sum_ = b.e, _variable("sum", ANY)
    found = iterators.iterate(b, node.args[0])
    conversion.assign(b, sum_, numbers.int_constant(0))
    lost = e.alloca("double", "lost")
    e.store(double(0.0), lost)

    def more(item: V) -> Value:
        return out_any(b, "jf_op_sum_item", b.storage.view(b.variables.load(sum_)), item, lost)

    def add(item: Value) -> None:
        item = b.storage.lasting(item)
        if _IS_EXACT:
            conversion.assign(b, sum_, more(b.storage.view(item)))
        else:
            conversion.assign(b, sum_, operations.binary(b, "+", b.variables.load(sum_), item))

    loops.rounds(b, found, add)
    return more(NULL) if _IS_EXACT else b.storage.materialise(b.variables.load(sum_))


def extreme(b: Body, node: tree.Builtin, is_max: bool, fail_empty: Callable[[], None]) -> Value:
    """min or max, with a key and a default or without. *fail_empty* closes the block."""
    e = b.e
    found = iterators.iterate(b, node.args[0])
    best, best_key = _variable("best", found.type), _variable("key", ANY)
    some = e.alloca("i1", "some")
    e.store(FALSE, some)
    default = b.storage.lasting(b.expr(node.keywords["default"])) if "default" in node.keywords else None
    key = node.key
    target = None if key is None or key.value is None else b.storage.materialise(b.expr(key.value))

    def compare(item: Value) -> None:
        item = b.storage.materialise(item)
        given = item if key is None else b.storage.materialise(call_key(b, node, key, item, target))
        look, take, on = e.label("look"), e.label("better"), e.label("on")
        e.branch(e.load("i1", some), look, take)
        e.at(look)
        with b.frame.sometimes():
            old = b.variables.load(best if key is None else best_key)
            is_better = operations.compare(b, ">" if is_max else "<", given, old)
        e.branch(is_better, take, on)
        e.at(take)
        with b.frame.sometimes():
            if key is not None:
                conversion.assign(b, best_key, given)
            conversion.assign(b, best, item)
        e.store(TRUE, some)
        e.br(on)
        e.at(on)

    loops.rounds(b, found, compare)
    join = Join(b, node.type)
    there, empty, done = e.label("some"), e.label("empty"), e.label("best")
    e.branch(e.load("i1", some), there, empty, likely=True)
    e.at(empty)
    if default is None:
        fail_empty()
    else:
        with b.frame.sometimes():
            join.set(default)
        e.br(done)
    e.at(there)
    join.set(b.storage.materialise(b.variables.load(best)))
    e.br(done)
    e.at(done)
    return join.get()
