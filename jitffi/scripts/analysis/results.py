"""What of a result is Python's own from the start, and what is converted where the script returns to Python."""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Tup, Value
from jitffi.scripts.analysis.evaluate_calls import READING
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import NEVER, STR, Type
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence


def is_flat(cell: Cell) -> bool:
    """A list or set of numbers or texts, or a dict of them by text: these are quickly made, and converted."""
    *keys, content = cell.contents
    return isinstance(content, Type) and all(each in (STR, NEVER) for each in keys)


def is_counted(value: Value) -> bool:
    """A Counter or defaultdict that is quickly made of a Map."""
    return isinstance(value, Cell) and value.find().default != "" and is_flat(value.find())


def is_converted(cell: Cell) -> bool:
    """Whether it stays native until it is returned: where the script asks for numbers, texts and tuples in it, or in
    what is in it, these have known types then. Containers in it are quicker to make as Python's own than to convert."""
    return is_flat(cell) or (_is_read(cell) and not _holds(cell, lambda each: each.default != ""))


def _is_read(value: Value) -> bool:
    cell = value.find() if isinstance(value, Cell) else None
    if cell is None:
        return False
    is_leaf = not any(_holds(each, lambda _: True) for each in cell.contents)
    return (cell.is_read and is_leaf) or any(map(_is_read, cell.contents))


def _holds(value: Value, test: Callable[[Cell], bool]) -> bool:
    """Whether it is, or has in it, a container for which the test is true."""
    if isinstance(value, Tup):
        return any(_holds(each, test) for each in value.items)
    cell = value.find() if isinstance(value, Cell) else None
    return cell is not None and (test(cell) or any(_holds(each, test) for each in cell.contents))


def may_stay(
    items: Sequence[tree.Expr], values: Sequence[Value], local: Callable[[tree.Variable], Value]
) -> list[bool]:
    """Of what a display that Python gets holds, which may stay native until then: containers of variables, which are
    needed no more, where what is in each is there once, and is not changed by what is evaluated behind it."""
    inside = [_cells_in(each) for each in values]
    found = []
    for i, (item, value) in enumerate(zip(items, values, strict=True)):
        may = isinstance(item, tree.Local) and isinstance(value, Cell) and not value.find().default
        others = [inside[j] for j in range(len(inside)) if may and j != i]
        changed = [_cells_in(local(each)) for each in _changed_by(items[i + 1 :])] if may else []
        found.append(may and not any(inside[i] & each for each in (*others, *changed)))
    return found


def _changed_by(items: Sequence[tree.Expr]) -> Iterator[tree.Variable]:
    """The variables whose containers these expressions can change."""
    for item in items:
        nodes = list(walk([item]))
        if any(isinstance(each, tree.Call | pytree.PyCall | tree.Callee) or _is_changing(each) for each in nodes):
            yield from (each.variable for each in nodes if isinstance(each, tree.Local))


def _is_changing(node: object) -> bool:
    return isinstance(node, tree.Method) and node.name not in READING


def _cells_in(value: Value) -> set[Cell]:
    if isinstance(value, Tup):
        return set().union(*map(_cells_in, value.items))
    cell = value.find() if isinstance(value, Cell) else None
    return set() if cell is None else {cell}.union(*map(_cells_in, cell.contents))
