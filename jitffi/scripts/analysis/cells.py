"""Values of inference: types whose containers are cells, so that what is put into a list is known where it is read.

    Type    of what cannot change or is not followed: int, str, any, ..., and tuple, of unknown length
    Tup     a tuple: a value for each item
    Cell    a list, set or dict, or rather all that may be the same one: the values of what is in it

Each place that makes a container has a cell of its own. Where two values meet in one variable, argument or item their
cells become one; what is put into either is in both. A container that gets to where nobody looks (into a value of type
ANY, to an unknown function) has items of type ANY from then on. All of it only ever grows, so repeating until nothing
changes ends.

An annotated container is *pinned*: of values of type ANY what is put into it is what the
annotation says, or a TypeError.

A container that Python gets to have while it lives on, and one that holds objects of Python's, is to be *Python's own*
from the start: a list where this is List, a dict. The places where it is made are noted (`Places`), and inference
begins anew; what is made there is an OBJECT then.
"""

from __future__ import annotations

from jitffi.scripts.analysis.finer_types import Maybe, join_types
from jitffi.scripts.tree.types import ANY, FLOAT, OBJECT, STR, TUPLE, Type, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.analysis.places import Place, Places

#: Containers in containers deeper than this have items ANY: types of recursive functions end somewhere.
MAX_DEPTH = 6


class Cell:
    """Containers that may be one: their kind, "list", "set" or "dict", and what is in them, [item] or [key, value]."""

    __slots__ = (
        "contents", "default", "is_given", "is_own", "is_read", "is_vector", "kind", "pinned", "places", "up", "why",
        "written",
    )  # fmt: skip

    def __init__(self, kind: str, contents: list[Value], pinned: bool = False, default: str = "") -> None:
        self.kind: Final = kind
        #: As that of its type; and whether Python gets to have it, or what is in it, wherever it was made.
        self.default: Final = default
        self.is_given = False
        self.contents = contents
        self.pinned = pinned
        #: It is changed, or gets to where that is not seen.
        self.written = False
        #: Something that is in it is asked for: what a native one gives has a known type.
        self.is_read = False
        #: It is kept as numbers in a row (vectors.py), which is known at last.
        self.is_vector = False
        #: Where these containers are made, and whether as Python's own.
        self.places: frozenset[Place] = frozenset()
        self.is_own = False
        #: The cell that this one became.
        self.up: Cell | None = None
        #: Why there is ANY in it, for who reads the types.
        self.why = ""

    def find(self) -> Cell:
        cell = self
        while cell.up is not None:
            cell = cell.up
        return cell


class Tup:
    """A tuple of known length."""

    __slots__ = ("items",)

    def __init__(self, items: tuple[Value, ...]) -> None:
        self.items: Final = items


Value = Type | Cell | Tup


def is_never(value: Value) -> bool:
    return isinstance(value, Type) and value.kind == "never"


def is_any(value: Value) -> bool:
    return isinstance(value, Type) and value.kind == "any"


def is_written(value: Value) -> bool:
    """Whether containers in it are changed, or get to where that is not seen."""
    if isinstance(value, Tup):
        return any(map(is_written, value.items))
    if not isinstance(value, Cell):
        return False
    cell = value.find()
    return cell.written or any(map(is_written, cell.contents))


def is_object(value: Value) -> bool:
    """Python's own."""
    return isinstance(value, Type) and value.kind == "object"


def _has_object(value: Value) -> bool:
    return any(map(_has_object, value.items)) if isinstance(value, Tup) else is_object(value)


def kind_of(value: Value) -> str:
    """The kind of its type, "tuple" of both kinds of tuples."""
    return "tuple" if isinstance(value, Tup) else value.kind


def stored(value: Value) -> Value:
    """What a container holds of it: a character is a str there, an array or object of any type, and is looked at
    again."""
    if isinstance(value, Tup):
        items = tuple([stored(item) for item in value.items])
        return value if all(new is old for new, old in zip(items, value.items, strict=True)) else Tup(items)
    if isinstance(value, Type) and value.kind in ("char", "array", "object"):
        return STR if value.kind == "char" else ANY
    return value


def whole(value: Value) -> Value:
    """A value as a variable holds it: a character may be one, but not in a tuple."""
    return stored(value) if isinstance(value, Tup) else value


def type_of(value: Value) -> Type:
    if isinstance(value, Type):
        return ANY if isinstance(value, Maybe) else value
    if isinstance(value, Tup):
        return Type("tuple", tuple([type_of(stored(item)) for item in value.items]))
    cell = value.find()
    if cell.is_own:
        return own_type(cell)
    kind = "vector" if cell.is_vector else cell.kind
    return Type(kind, tuple([type_of(each) for each in cell.contents]), cell.default)


def own_type(cell: Cell) -> Type:
    """Of what is Python's own in the place of such a container."""
    return OBJECT if cell.default else object_of(cell.kind)


def value_of(type_: Type, pinned: bool = False) -> Value:
    """New cells for the containers of a type."""
    if type_.kind in ("list", "set", "dict"):
        assert type_.args
        return Cell(type_.kind, [value_of(each, pinned) for each in type_.args], pinned, type_.default)
    if type_.kind == "tuple" and type_.args is not None:
        return Tup(tuple([value_of(each, pinned) for each in type_.args]))
    return type_


def _holds(value: Value, cell: Cell, depth: int) -> bool:
    """Whether the cell is in the value, or the value is too deep."""
    if isinstance(value, Type):
        return False
    if depth == 0:
        return True
    if isinstance(value, Tup):
        return any(_holds(item, cell, depth - 1) for item in value.items)
    found = value.find()
    return found is cell or any(_holds(each, cell, depth - 1) for each in found.contents)


def _depth(value: Value) -> int:
    return 1 + max([_depth(item) for item in value.items], default=0) if isinstance(value, Tup) else 0


class Cells:
    """Operations on values, which note whether they changed anything."""

    def __init__(self, places: Places) -> None:
        self.places: Final = places
        self.changed = False
        #: The line that is looked at.
        self.line = 0

    def join(self, a: Value, b: Value) -> Value:
        """What is one or the other; `a` itself where b adds nothing."""
        if a is b or is_never(b):
            return a
        if is_never(a):
            return b
        is_whole = self.places.allowed and a != b and "array" in (kind_of(a), kind_of(b)) and not is_any(a)
        if isinstance(a, Type) and isinstance(b, Type) and not is_whole:
            return join_types(a, b)
        if isinstance(a, Cell) and isinstance(b, Cell) and (a.kind, a.default) == (b.kind, b.default):
            self.merge(a, b)
            return a
        if is_whole or is_object(a) or is_object(b):
            self.give(a)
            self.give(b)
            return OBJECT
        if kind_of(a) == kind_of(b) == "tuple":
            if isinstance(a, Tup) and isinstance(b, Tup) and len(a.items) == len(b.items):
                items = tuple([self.join(x, y) for x, y in zip(a.items, b.items, strict=True)])
                if all(new is old for new, old in zip(items, a.items, strict=True)):
                    return a
                return self.tup(items)
            self.escape(a)
            self.escape(b)
            return a if isinstance(a, Type) else TUPLE
        self.escape(a)
        self.escape(b)
        return a if is_any(a) else ANY

    def tup(self, items: tuple[Value, ...]) -> Value:
        """A tuple of these; of unknown items when it gets too deep."""
        made = Tup(items)
        if _depth(made) <= MAX_DEPTH:
            return made
        self.escape(made)
        return TUPLE

    def merge(self, a: Cell, b: Cell, pin: bool = False) -> None:
        """Makes both cells one, pinned if both are, or for `pin`."""
        a, b = a.find(), b.find()
        if a is b:
            return
        self.changed = True
        b.up = a
        a.pinned = pin or (a.pinned and b.pinned)
        a.written = a.written or b.written
        a.is_read = a.is_read or b.is_read
        a.places |= b.places
        a.why = a.why or b.why
        if a.is_given or b.is_given:
            a.is_given = True
            self.give(a)
        for i, content in enumerate(b.contents):
            if pin:
                self._conform_content(a, i, content)
            else:
                self._put(a, i, content)

    def put(self, cell: Cell, *values: Value) -> None:
        """These are in the container, now: (item), or (key, value)."""
        found = cell.find()
        holds = self.places.allowed if cell.kind == "set" else self.places.holds  # objects are compared by Python
        if found.is_own or (holds and not found.pinned and any(map(_has_object, values))):
            if not found.places and not found.is_given:  # of a parameter: whoever calls makes it
                found.is_given = self.changed = True
            self.give(found)
            for value in values:
                self.give(value)
        if found.is_own:
            return
        for i, value in enumerate(values):
            if not cell.find().pinned:
                self._put(cell, i, stored(value))
            elif not is_any(value):
                self._conform_content(cell, i, stored(value))

    def _conform_content(self, cell: Cell, i: int, value: Value) -> None:
        content = cell.find().contents[i]
        if isinstance(content, Type) and content.kind not in ("any", "never") and is_any(value):
            return  # it is looked at where it is read
        if isinstance(content, Type) or kind_of(content) != kind_of(value):
            self._put(cell, i, value)
        else:
            self.conform(content, value)

    def _put(self, cell: Cell, i: int, value: Value) -> None:
        cell = cell.find()
        old = cell.contents[i]
        if cell.pinned and old == FLOAT and kind_of(value) in ("int", "bool"):
            return  # it becomes one
        new = self.join(old, value)
        cell = cell.find()  # joining may have made it part of another
        if cell.contents[i] is not old:
            new = self.join(cell.contents[i], new)
            cell = cell.find()
        if new is not cell.contents[i]:
            self.changed = True
            if is_any(new) and not is_never(old) and not is_any(value):
                cell.why = cell.why or f"holds {type_of(old)} and {type_of(value)}, line {self.line}"
            elif is_any(new):
                cell.why = cell.why or f"any is put in, line {self.line}"
            cell.contents[i] = new
        if _holds(new, cell, MAX_DEPTH):
            cell.contents[i] = ANY
            self.changed = True
            self.escape(new)

    def write(self, cell: Cell) -> None:
        """Something is put into it, or taken out."""
        cell = cell.find()
        if not cell.written:
            cell.written = self.changed = True

    def read(self, cell: Cell) -> None:
        """What is in it is asked for."""
        cell = cell.find()
        if not cell.is_read:
            cell.is_read = self.changed = True

    def give(self, value: Value) -> None:
        """Python gets to have it, while it lives on: containers in it are to be Python's own."""
        waiting, seen = [value], set()
        while waiting:
            each = waiting.pop()
            if is_any(each):
                self.places.add_any()
            elif isinstance(each, Tup):
                waiting += each.items
            elif isinstance(each, Cell) and each.find() not in seen:
                cell = each.find()
                seen.add(cell)
                self.places.add(cell.places)
                if (cell.default or not cell.places) and not cell.is_given:  # of a parameter: whoever calls makes it
                    cell.is_given = self.changed = True
                waiting += cell.contents

    def give_defaulting(self, *values: Value) -> None:
        """Something is done with these that a dict does in another way than a Counter or defaultdict."""
        for each in values:
            if isinstance(each, Tup):
                self.give_defaulting(*each.items)
            elif isinstance(each, Cell) and each.find().default:
                self.give(each)
            elif isinstance(each, Cell):
                self.give_defaulting(*[inner for inner in each.find().contents if inner is not each])

    def ask(self, container: Value, key: Value) -> None:
        """A dict or set is asked for a key. A tuple of Python's is found among tuples of Python's own alone."""
        if not is_object(key) or not isinstance(container, Cell) or container.kind == "list":
            return
        if kind_of(container.find().contents[0]) in ("tuple", "any"):
            self.give(container)

    def escape(self, value: Value) -> None:
        """It gets to where nobody looks: anything may be put into its containers."""
        if isinstance(value, Tup):
            for item in value.items:
                self.escape(item)
        elif isinstance(value, Cell):
            self.write(value)
            cell = value.find()
            if cell.default or cell.kind == "set" or self.places.gives_any:
                self.give(cell)
            for i, content in enumerate(cell.contents):
                if is_any(content):
                    continue
                if not cell.pinned:
                    cell.contents[i] = ANY
                    cell.why = cell.why or f"not followed beyond line {self.line}"
                    self.changed = True
                self.escape(content)

    def conform(self, declared: Value, value: Value) -> None:
        """The value is assigned to what has an annotation, or is converted to it."""
        if (
            isinstance(declared, Cell)
            and isinstance(value, Cell)
            and (declared.kind, declared.default) == (value.kind, value.default)
        ):
            self.merge(declared, value, pin=True)
        elif isinstance(declared, Tup) and isinstance(value, Tup) and len(declared.items) == len(value.items):
            for each, item in zip(declared.items, value.items, strict=True):
                self.conform(each, item)
        else:
            self.escape(value)
