"""The builtins that scripts have: one row each, with how many arguments it takes and by which names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: As many arguments as there are.
MANY: Final = 255


class Row:
    """What a call of the builtin may look like."""

    __slots__ = ("iterates", "keywords", "least", "most", "order")

    def __init__(self, least: int, most: int, order: str = "", keywords: str = "", iterates: bool = False) -> None:
        self.least: Final = least
        self.most: Final = most
        #: The parameters by position, "/" for one that has no name; in the tree they have no names.
        self.order: Final = tuple(order.split())
        #: Those that stay keywords in the tree.
        self.keywords: Final = frozenset(keywords.split())
        #: Its arguments may be range, enumerate, zip and reversed.
        self.iterates: Final = iterates

    @property
    def names(self) -> list[str]:
        return sorted({*self.order, *self.keywords} - {"/"})


ROWS: Final = {
    "len": Row(1, 1),
    "min": Row(1, MANY, keywords="key default", iterates=True),
    "max": Row(1, MANY, keywords="key default", iterates=True),
    "sum": Row(1, 2, "/ start", iterates=True),
    "sorted": Row(1, 1, keywords="key reverse", iterates=True),
    "abs": Row(1, 1),
    "round": Row(1, 2, "number ndigits"),
    "int": Row(0, 2, "/ base"),
    "float": Row(0, 1),
    "str": Row(0, 3, "object encoding errors"),
    "bool": Row(0, 1),
    "ord": Row(1, 1),
    "chr": Row(1, 1),
    "isinstance": Row(2, 2),
    "print": Row(0, MANY, keywords="sep end"),
    "repr": Row(1, 1),
    "list": Row(0, 1, iterates=True),
    "tuple": Row(0, 1, iterates=True),
    "dict": Row(0, 1, iterates=True),
    "bytes": Row(0, 3, "source encoding errors"),
    "divmod": Row(2, 2),
    "pow": Row(2, 3, "base exp mod"),
    "any": Row(1, 1, iterates=True),
    "all": Row(1, 1, iterates=True),
    "hash": Row(1, 1),
    "range": Row(1, 3),
    "enumerate": Row(1, 2, "iterable start", iterates=True),
    "zip": Row(0, MANY, keywords="strict", iterates=True),
    "reversed": Row(1, 1, iterates=True),
}
#: What is only iterated over.
ITERATED: Final = frozenset(("range", "enumerate", "zip", "reversed"))
