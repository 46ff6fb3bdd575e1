"""The builtins that scripts have: one row each, with how many arguments it takes and by which names."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

#: As many arguments as there are.
MANY: Final = 255


class BuiltinRow:
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
    "len": BuiltinRow(1, 1),
    "min": BuiltinRow(1, MANY, keywords="key default", iterates=True),
    "max": BuiltinRow(1, MANY, keywords="key default", iterates=True),
    "sum": BuiltinRow(1, 2, "/ start", iterates=True),
    "sorted": BuiltinRow(1, 1, keywords="key reverse", iterates=True),
    "abs": BuiltinRow(1, 1),
    "round": BuiltinRow(1, 2, "number ndigits"),
    "int": BuiltinRow(0, 2, "/ base"),
    "float": BuiltinRow(0, 1),
    "str": BuiltinRow(0, 3, "object encoding errors"),
    "bool": BuiltinRow(0, 1),
    "ord": BuiltinRow(1, 1),
    "chr": BuiltinRow(1, 1),
    "isinstance": BuiltinRow(2, 2),
    "print": BuiltinRow(0, MANY, keywords="sep end"),
    "repr": BuiltinRow(1, 1),
    "list": BuiltinRow(0, 1, iterates=True),
    "tuple": BuiltinRow(0, 1, iterates=True),
    "set": BuiltinRow(0, 1, iterates=True),
    "dict": BuiltinRow(0, 1, iterates=True),
    "bytes": BuiltinRow(0, 3, "source encoding errors", iterates=True),
    "divmod": BuiltinRow(2, 2),
    "pow": BuiltinRow(2, 3, "base exp mod"),
    "any": BuiltinRow(1, 1, iterates=True),
    "all": BuiltinRow(1, 1, iterates=True),
    "hash": BuiltinRow(1, 1),
    "bin": BuiltinRow(1, 1),
    "hex": BuiltinRow(1, 1),
    "oct": BuiltinRow(1, 1),
    "ascii": BuiltinRow(1, 1),
    "format": BuiltinRow(1, 2),
    "int.from_bytes": BuiltinRow(1, 3, "bytes byteorder", keywords="signed"),
    "next": BuiltinRow(1, 2, iterates=True),
    "range": BuiltinRow(1, 3),
    "enumerate": BuiltinRow(1, 2, "iterable start", iterates=True),
    "zip": BuiltinRow(0, MANY, keywords="strict", iterates=True),
    "reversed": BuiltinRow(1, 1, iterates=True),
}
#: What is only iterated over.
ITERATED: Final = frozenset(("range", "enumerate", "zip", "reversed"))
