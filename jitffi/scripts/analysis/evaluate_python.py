"""Inference of what is done by Python's own objects, and what of a script's values Python gets to see."""

from __future__ import annotations

from jitffi.scripts.analysis import nested_containers
from jitffi.scripts.analysis.cells import Value, kind_of
from jitffi.scripts.library import math_functions
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.templates import Piece, Template
from jitffi.scripts.tree.types import ANY, BOOL, BYTES, OBJECT, STR, Type, class_of, instance_of, made_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.scripts.analysis.evaluate import Evaluator


#: What `%` of numbers and texts puts in itself.
_PLAIN = frozenset(("never", "none", "bool", "int", "u64", "float", "char", "str"))


def is_object(value: Value) -> bool:
    return kind_of(value) == "object"


def to_python(ev: Evaluator, value: Value) -> Value:
    """Python gets to see the value: what is in its containers is anything from then on."""
    ev.cells.give(value)
    ev.cells.escape(value)
    return value


def always(ev: Evaluator, node: tree.Expr) -> Value:
    """A constant, a name of the module."""
    return class_of(node.makes) if isinstance(node, pytree.Global) and node.makes else OBJECT


def call(ev: Evaluator, node: pytree.PyCall) -> Value:
    callee = node.callee
    is_method = isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName)
    receiver = to_python(ev, ev.expr(callee.value if isinstance(callee, tree.Item) and is_method else callee))
    if isinstance(callee, tree.Item) and is_method:
        assert isinstance(callee.index, tree.MemberName)
        nested_containers.note_method(ev.cells.places, callee.index.name, receiver, [])
        ev.expr(callee.index)
        ev.values[callee] = OBJECT
    values = [ev.expr(each) for each in node.args]
    if node.math and all(kind_of(each) in math_functions.NUMBERS for each in values):
        return math_functions.ROWS[node.math].result
    if node.table is not None and kind_of(receiver) in (
        ("bytes",) if isinstance(node.table, bytes) else ("str", "char")
    ):
        return BYTES if isinstance(node.table, bytes) else STR
    for value in values:
        to_python(ev, value)
    node.makes = made_by(receiver) if isinstance(receiver, Type) and not is_method else ""
    return instance_of(node.makes) if node.makes else OBJECT


def argument(ev: Evaluator, node: pytree.Starred | pytree.Named) -> Value:
    return to_python(ev, ev.expr(node.value))


def slice_object(ev: Evaluator, node: pytree.SliceObject) -> Value:
    for each in (node.start, node.stop, node.step):
        if each is not None:
            to_python(ev, ev.expr(each))
    return OBJECT


def as_any(ev: Evaluator, node: pytree.AsAny) -> Value:
    ev.expr(node.value)
    return ANY


def as_text(ev: Evaluator, node: pytree.AsText) -> Value:
    ev.expr(node.value)
    return STR


def matches(ev: Evaluator, node: tries.Matches) -> Value:
    for each in node.tests:
        if not isinstance(each, str):
            to_python(ev, ev.expr(each))
    return BOOL


def told(ev: Evaluator, node: tries.Told) -> Value:
    return STR


def exits(ev: Evaluator, node: tries.Exits) -> Value:
    ev.expr(node.exit)
    return BOOL


def new_cell(ev: Evaluator, node: pytree.NewCell) -> Value:
    if node.value is not None:
        to_python(ev, ev.expr(node.value))
    return OBJECT


def made_function(ev: Evaluator, node: pytree.MadeFunction) -> Value:
    for each in parts_of(node):
        to_python(ev, ev.expr(each))
    return OBJECT


def parts_of(node: pytree.MadeFunction) -> list[tree.Expr]:
    """All that a function is made of."""
    found = [*node.cells, *node.defaults, *node.by_name.values(), *node.annotations.values()]
    return found if node.annotate is None else [*found, node.annotate]


def match_class(ev: Evaluator, node: pytree.MatchClass) -> Value:
    to_python(ev, ev.expr(node.subject))
    to_python(ev, ev.expr(node.cls))
    return OBJECT


def iterator_of(ev: Evaluator, node: pytree.IteratorOf) -> Value:
    to_python(ev, ev.expr(node.value))
    return OBJECT


def stored(ev: Evaluator, node: pytree.Stored) -> Value:
    ev.assign(node.target, to_python(ev, ev.expr(node.value)))
    return OBJECT


def template(ev: Evaluator, node: Template) -> Value:
    by_python = {each.index for each in node.parts if isinstance(each, Piece) and each.percent}
    for i, each in enumerate(node.args):
        value = ev.expr(each)
        ev.cells.give_defaulting(value)
        of_bytes = isinstance(node.whole, bytes) and kind_of(value) != "bytes"
        if of_bytes or (kind_of(value) not in _PLAIN and (node.alone or i in by_python)):
            to_python(ev, value)
    return BYTES if isinstance(node.whole, bytes) else STR


EXPRESSIONS: dict[type, Callable[[Evaluator, Any], Value]] = {
    pytree.Global: always,
    pytree.Import: always,
    pytree.ImportFrom: always,
    pytree.PyConst: always,
    pytree.PyCall: call,
    pytree.Starred: argument,
    pytree.Named: argument,
    pytree.SliceObject: slice_object,
    pytree.AsAny: as_any,
    pytree.AsText: as_text,
    pytree.NewCell: new_cell,
    pytree.OuterCell: always,
    pytree.Default: always,
    pytree.ModuleDict: always,
    pytree.MadeFunction: made_function,
    pytree.IteratorOf: iterator_of,
    Template: template,
    pytree.MatchClass: match_class,
    pytree.Stored: stored,
    tries.Matches: matches,
    tries.Told: told,
    tries.Exits: exits,
}
