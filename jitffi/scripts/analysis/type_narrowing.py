"""What `isinstance` and `is not None` have found out: there the variable is assigned to itself, of the type known now.

    if isinstance(x, str):            if isinstance(x, str):
        ...                               x = x                 a web of its own (webs.py): a str, where x is any
                                          ...

Python does not notice; where the type is no news, or nothing is read there, the assignment is taken out again.
"""

from __future__ import annotations

from jitffi.scripts.analysis import constant_conditions
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, BOOL, BYTES, FLOAT, NEVER, STR, TUPLE, Type, dict_of, list_of
from jitffi.scripts.tree.walk import BLOCKS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

#: Not of int: a bool is one, too.
_CLASSES: Final = {
    "str": STR,
    "bytes": BYTES,
    "float": FLOAT,
    "bool": BOOL,
    "list": list_of(ANY),
    "dict": dict_of(ANY, ANY),
    "tuple": TUPLE,
}


#: Stands for what is left of None or something else.
NOT_NONE: Final = NEVER

Narrowed = dict[tree.Stmt, Type]


def insert(body: list[tree.Stmt]) -> Narrowed:
    """Inserts the assignments; returns them, with what their values are where they could be anything."""
    for node in constant_conditions.nodes(body):
        if isinstance(node, tree.Logic):
            _mark_operands(node)
        elif isinstance(node, tree.Choice):
            _mark(node.then, _known(node.test, True))
            _mark(node.other, _known(node.test, False))
    return _insert(body)


def _mark_operands(node: tree.Logic) -> None:
    """In `best is None or n > best` the second `best` is not None."""
    wanted: set[tree.Variable] = set()
    for each in node.operands:
        _mark_not_none(each, wanted)
        wanted |= _not_none(_known(each, node.is_and))


def _mark(part: tree.Expr, known: dict[tree.Variable, Type]) -> None:
    _mark_not_none(part, _not_none(known))


def _not_none(known: dict[tree.Variable, Type]) -> set[tree.Variable]:
    return {variable for variable, type_ in known.items() if type_ == NOT_NONE}


def _mark_not_none(part: tree.Expr, wanted: set[tree.Variable]) -> None:
    for node in constant_conditions.nodes(part) if wanted else ():
        if isinstance(node, tree.Local) and node.variable in wanted:
            node.not_none = True


def _insert(body: list[tree.Stmt]) -> Narrowed:
    found: Narrowed = {}
    for stmt in list(body):
        for name in BLOCKS:
            found.update(_insert(getattr(stmt, name, [])))
        if isinstance(stmt, tree.If):
            _put(stmt.then, 0, _known(stmt.test, True), stmt.place, found)
            _put(stmt.other, 0, _known(stmt.test, False), stmt.place, found)
        elif isinstance(stmt, tree.Assert):
            _put(body, body.index(stmt) + 1, _known(stmt.test, True), stmt.place, found)
    return found


def _put(body: list[tree.Stmt], at: int, known: dict[tree.Variable, Type], place: tree.Place, found: Narrowed) -> None:
    for variable, type_ in known.items():
        made = tree.Assign(place, [tree.TargetLocal(place, variable)], tree.Local(place, variable))
        body.insert(at, made)
        found[made] = type_


def _known(test: tree.Expr, outcome: bool) -> dict[tree.Variable, Type]:
    """The types of variables where the test has come out so."""
    return {variable: type_ for variable, type_ in _told(test, outcome).items() if not variable.is_unsteady}


def _told(test: tree.Expr, outcome: bool) -> dict[tree.Variable, Type]:
    if isinstance(test, tree.Unary) and test.op == "not":
        return _known(test.operand, not outcome)
    if isinstance(test, tree.Logic) and test.is_and == outcome:
        found: dict[tree.Variable, Type] = {}
        for each in test.operands:
            for variable, type_ in _known(each, outcome).items():
                if type_ != NOT_NONE or variable not in found:
                    found[variable] = type_
        return found
    if isinstance(test, tree.Compare) and test.ops == ["is not" if outcome else "is"]:
        subject, other = test.operands
        if isinstance(subject, tree.Local) and isinstance(other, tree.Const) and other.value is None:
            return {} if subject.variable.declared else {subject.variable: NOT_NONE}
    if outcome and isinstance(test, tree.Local) and not test.variable.declared:
        return {test.variable: NOT_NONE}
    if outcome and isinstance(test, tree.Builtin) and test.name == "isinstance" and len(test.classes) == 1:
        subject, of_class = test.args[0], _CLASSES.get(test.classes[0])
        if isinstance(subject, tree.Local) and of_class is not None and subject.variable.declared is None:
            return {subject.variable: of_class}
    return {}


def remove(body: list[tree.Stmt], narrowed: Narrowed) -> None:
    """Takes these assignments out."""
    body[:] = [stmt for stmt in body if stmt not in narrowed]
    for stmt in body:
        for name in BLOCKS:
            part = getattr(stmt, name, None)
            if part:
                remove(part, narrowed)
                if not part and name != "other":
                    part.append(tree.Pass(stmt.place))


def forget(
    body: list[tree.Stmt],
    narrowed: Narrowed,
    numbers: dict[tree.Local | tree.TargetLocal, int],
    web: Callable[[int], int],
) -> None:
    """Takes out those whose variables nobody reads, also from *numbers*, the definition of each node; what they read
    may be idle, then. `web` gives the web of a definition."""
    while True:
        read = {web(number) for node, number in numbers.items() if isinstance(node, tree.Local)}
        idle: Narrowed = {}
        for stmt, type_ in narrowed.items():
            assert isinstance(stmt, tree.Assign)
            (target,) = stmt.targets
            assert isinstance(target, tree.TargetLocal) and isinstance(stmt.value, tree.Local)
            if target not in numbers or web(numbers[target]) not in read:
                idle[stmt] = type_
                numbers.pop(target, None)
                numbers.pop(stmt.value, None)
        if not idle:
            return
        remove(body, idle)
        for stmt in idle:
            del narrowed[stmt]
