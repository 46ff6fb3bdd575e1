"""The builtins that scripts have: one row each, with how many arguments it takes and by which names."""

from __future__ import annotations

from jitffi.errors import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.script.context import Context


class Row:
    """What a call of the builtin may look like."""

    __slots__ = ("iterates", "keywords", "least", "most", "positions")

    def __init__(self, least: int, most: int, keywords: str = "", positions: str = "", iterates: bool = False) -> None:
        self.least: Final = least
        self.most: Final = most
        #: Those that stay keywords in the tree.
        self.keywords: Final = frozenset(keywords.split())
        #: Those that are put behind the positional arguments, as the one that comes next.
        self.positions: Final = frozenset(positions.split())
        #: Its arguments may be range, enumerate, zip and reversed.
        self.iterates: Final = iterates


_MANY = 255
ROWS: Final = {
    "len": Row(1, 1),
    "min": Row(1, _MANY, "key default", iterates=True),
    "max": Row(1, _MANY, "key default", iterates=True),
    "sum": Row(1, 2, "", "start", iterates=True),
    "sorted": Row(1, 1, "key reverse", iterates=True),
    "abs": Row(1, 1),
    "round": Row(1, 2, "", "ndigits"),
    "int": Row(0, 2, "", "base"),
    "float": Row(0, 1),
    "str": Row(0, 3, "", "encoding errors"),
    "bool": Row(0, 1),
    "ord": Row(1, 1),
    "chr": Row(1, 1),
    "isinstance": Row(2, 2),
    "print": Row(0, _MANY, "sep end"),
    "repr": Row(1, 1),
    "list": Row(0, 1, iterates=True),
    "tuple": Row(0, 1, iterates=True),
    "dict": Row(0, 1, iterates=True),
    "bytes": Row(0, 3, "", "encoding errors"),
    "divmod": Row(2, 2),
    "pow": Row(2, 3, "", "mod"),
    "any": Row(1, 1, iterates=True),
    "all": Row(1, 1, iterates=True),
    "hash": Row(1, 1),
    "range": Row(1, 3),
    "enumerate": Row(1, 2, "", "start", iterates=True),
    "zip": Row(0, _MANY, "strict", iterates=True),
    "reversed": Row(1, 1, iterates=True),
}
#: What is only iterated over.
ITERATED: Final = frozenset(("range", "enumerate", "zip", "reversed"))


def check_builtin(cx: Context, node: Any, name: str) -> Row:
    """The row of a builtin, when a call's arguments fit."""
    row = ROWS[name]
    count = len(node.args)
    for each in node.keywords:
        if each.arg in row.positions:
            count += 1
        elif each.arg not in row.keywords:
            hint = nearest(each.arg, row.keywords | row.positions)
            cx.refuse(each.value, f"{name}() of scripts has no parameter {each.arg!r}{'; ' if hint else ''}{hint}")
    if not row.least <= count <= row.most:
        most = "" if row.most == row.least else f" to {row.most}" if row.most < _MANY else " or more"
        plural = "s" * (row.most != 1)
        cx.refuse(node, f"{name}() takes {row.least}{most} argument{plural}, and {count} are given")
    return row
