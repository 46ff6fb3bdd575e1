"""What of a result is Python's own from the start, and what is converted where the script returns to Python."""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Value
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import NEVER, STR, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def is_flat(cell: Cell) -> bool:
    """A list or set of numbers or texts, or a dict of them by text: these are quickly made, and converted."""
    *keys, content = cell.contents
    return isinstance(content, Type) and all(each in (STR, NEVER) for each in keys)


def is_counted(value: Value) -> bool:
    """A Counter or defaultdict that is quickly made of a Map."""
    return isinstance(value, Cell) and value.find().default != "" and is_flat(value.find())


def seen_at_once(node: tree.TupleOf, values: Sequence[Value]) -> list[Value]:
    """Of the items of a tuple that Python gets those that it sees as they are. The others are converted: containers of
    variables, which are needed no more, where each is there once."""
    cells = [each.find() for each in values if isinstance(each, Cell)]
    return [
        value
        for each, value in zip(node.items, values, strict=True)
        if not (
            isinstance(each, tree.Local)
            and isinstance(value, Cell)
            and not value.find().default
            and is_flat(value.find())
            and cells.count(value.find()) == 1
        )
    ]
