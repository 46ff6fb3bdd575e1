"""What is known of a function, without its cells: what a caller needs to know of a variant."""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Tup, Value, type_of
from jitffi.scripts.tree.types import NEVER, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.analysis.places import Place


#: A value written down: a Type; ("tuple", values); or ("list", "set" or "dict", number of its cell, its default).
Frozen = Type | tuple["Any", ...]


class Summary:
    """What a caller needs to know of a variant: its parameters after the call, its result, and which of the containers
    in all of them may be the same."""

    __slots__ = ("cells", "given", "params", "places", "read", "result", "written", "_key")

    def __init__(self, params: list[Value], result: Value) -> None:
        numbers: dict[Cell, int] = {}
        cells: list[tuple[Frozen, ...]] = []
        written: list[bool] = []
        places: list[frozenset[Place]] = []
        given: list[bool] = []
        read: list[bool] = []

        def freeze(value: Value) -> Frozen:
            if isinstance(value, Type):
                return type_of(value)
            if isinstance(value, Tup):
                return ("tuple", tuple([freeze(item) for item in value.items]))
            cell = value.find()
            if cell not in numbers:
                numbers[cell] = len(cells)
                cells.append(())
                written.append(cell.written)
                places.append(cell.places)
                given.append(cell.is_given)
                read.append(cell.is_read)
                cells[numbers[cell]] = tuple([freeze(each) for each in cell.contents])
            return (cell.kind, numbers[cell], cell.default)

        self.params: Final = tuple([freeze(each) for each in params])
        self.result: Final = freeze(result)
        self.cells: Final = tuple(cells)
        self.written: Final = tuple(written)
        self.places: Final = tuple(places)
        self.given: Final = tuple(given)
        self.read: Final = tuple(read)
        self._key: Final = (self.params, self.result, self.cells, self.written, self.places, self.given, self.read)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Summary) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    def thaw(self) -> tuple[list[Value], Value]:
        """Parameters and result as values with cells of their own."""
        made: dict[int, Cell] = {}

        def thaw(frozen: Frozen) -> Value:
            if isinstance(frozen, Type):
                return frozen
            kind, what, *rest = frozen
            if kind == "tuple":
                return Tup(tuple([thaw(item) for item in what]))
            if what not in made:
                made[what] = cell = Cell(kind, [NEVER] * len(self.cells[what]), default=rest[0])
                cell.contents = [thaw(each) for each in self.cells[what]]
                cell.written, cell.places = self.written[what], self.places[what]
                cell.is_given, cell.is_read = self.given[what], self.read[what]
            return made[what]

        return [thaw(each) for each in self.params], thaw(self.result)
