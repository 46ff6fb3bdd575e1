"""What inference knows of a variant: the values of its variables, and of what its expressions make; and targets."""

from __future__ import annotations

from jitffi.scripts.analysis import nested_containers
from jitffi.scripts.analysis.cells import (
    Cell,
    Cells,
    Tup,
    Value,
    is_any,
    is_never,
    is_object,
    kind_of,
    own_type,
    stored,
    type_of,
    value_of,
    whole,
)
from jitffi.scripts.analysis.finer_types import Maybe
from jitffi.scripts.analysis.summaries import Summary
from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import (
    ANY,
    CHAR,
    FUNC,
    INT,
    NEVER,
    OBJECT,
    OWN_KINDS,
    STR,
    U64,
    Type,
    array_item,
    object_of,
    promised,
    promised_items,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from jitffi.scripts.analysis import array_uses, field_uses
    from jitffi.scripts.analysis.places import Places


def made_as(cell: Cell) -> Value:
    """What containers of that cell are, where they are made."""
    return own_type(cell) if cell.is_own else cell


class Values:
    """Values of one variant's variables and expressions; all of them only grow."""

    def __init__(
        self, call: Callable[[Any, list[Type]], tuple[tuple[Type, ...], Summary | None]], variant: Any, places: Places
    ) -> None:
        #: Of a script and the arguments' types: which variant that is, and what is known of it.
        self.call = call
        self.cells = Cells(places)
        self._variant = variant
        self.variables: dict[tree.Variable, Value] = {}
        self.declared: dict[tree.Variable, Value] = {}
        self.values: dict[tree.Expr, Value] = {}
        #: Whether what has no value so far never will have one.
        self.final = False
        self.has_signature = False
        #: The nodes whose ints are of any size (growing.py).
        self.grows: set[object] = set()
        self.unmasked: set[object] = set()
        #: The expression of a return whose value Python gets.
        self.returned: tree.Expr | None = None
        #: Whether that is all that becomes of it, so that what a display holds need not be what it says.
        self.is_display = False
        #: Views of dicts that nobody keeps: a list of that time is as good.
        self.passing: set[tree.Expr] = set()
        #: What Python gets with the result, and may be native until then.
        self.seen_at_last: list[Value] = []
        self._sites: dict[tuple[Any, ...], Any] = {}
        #: Of what may be a container in a field of a registered class, where it is used as one (field_uses.py).
        self.field_uses: dict[tree.Expr, field_uses.Use] = {}
        #: What uses expressions as arrays (array_uses.py); None where there are no objects of Python's instead.
        self.array_uses: array_uses.Uses | None = None
        #: An argument is an array: what objects there are, are likely NumPy's, and numbers with them are, too.
        self.has_arrays = False
        #: Variables of arrays that are given something else, and so are objects.
        self.whole_arrays: set[tree.Variable] = set()
        #: The parameters of what is called from outside.
        self.arguments: set[tree.Variable] = set()

    def site(self, *key: Any, kind: str = "list", default: str = "") -> Cell:
        """The cell of the containers that are made at a place of the tree."""
        cell: Cell | None = self._sites.get(key)
        if cell is None:
            cell = self._sites[key] = Cell(kind, [NEVER, NEVER] if kind == "dict" else [NEVER], False, default)
            place = (self._variant, *key)
            cell.places, cell.is_own = frozenset((place,)), place in self.cells.places.own
        return cell

    def thawed(self, node: object, summary: Summary) -> tuple[list[Value], Value]:
        """What is known of a script, with the cells of this call of it."""
        key = (node, summary)
        found: tuple[list[Value], Value] | None = self._sites.get(key)
        if found is None:
            found = self._sites[key] = summary.thaw()
        return found

    def narrowed(self, stmt: tree.Stmt, value: Value, type_: Type) -> Value:
        """What could be anything, and is known to be of that type here; NEVER: not to be None."""
        if is_never(type_):
            return value.inner if isinstance(value, Maybe) else value
        found: Value | None = self._sites.get((stmt, type_))
        if found is None:
            found = self._sites[stmt, type_] = value_of(type_)
        return found

    def in_field(self, node: tree.Expr, type_: Type) -> Value:
        """The container that is in a field, of which the annotation of the field is true."""
        found: Value | None = self._sites.get((node, type_))
        if found is None:
            found = self._sites[node, type_] = value_of(type_, pinned=True)
        return found

    def made(self, node: object, *contents: Value, kind: str = "list") -> Value:
        """A new list, set or dict of these; NEVER for nothing."""
        cell = self.site(node, kind, kind=kind)
        self.cells.put(cell, *contents)
        return made_as(cell)

    # -- variables and targets -------------------------------------------------------------------------------------

    def local(self, variable: tree.Variable) -> Value:
        if variable.declared is not None:
            found = self.declared.get(variable)
            if found is None:
                # A str that is only given characters is one, until it is given something else.
                is_char = variable.declared == STR and not variable.is_parameter
                found = self.declared[variable] = CHAR if is_char else value_of(variable.declared, pinned=True)
            return found
        return self.variables.get(variable, NEVER)

    def assign(self, target: tree.Target, value: Value) -> None:
        if is_never(value) and self.final:
            value = ANY
        if isinstance(target, tree.TargetLocal):
            self.assign_local(target.variable, whole(value))
        elif isinstance(target, tree.TargetItem):
            container = self.expr(target.value)
            if not isinstance(target.index, tree.MemberName):
                nested_containers.note(self.cells.places, container, value)
            self.set_item(container, self.index(container, target.index), value)
            self.set_property(target, container, value)
        elif isinstance(target, tree.TargetSlice):
            container = self.slice_parts(target)
            nested_containers.note(self.cells.places, container, None)
            self.set_slice(container, whole(value))
        else:
            self._unpack(target, value)

    def assign_local(self, variable: tree.Variable, value: Value) -> None:
        if variable.declared is not None and self._is_own(variable.declared, value):
            variable.declared = None  # it is one of Python's, in its place
            self.cells.places.grew = True
        if variable.declared is not None:
            declared = self.local(variable)
            if declared == CHAR and value != CHAR and not is_never(value):
                self.declared[variable] = STR
                self.cells.changed = True
            if declared == INT and value == U64 and not (self.has_signature and variable.is_parameter):
                self.declared[variable] = U64
                self.cells.changed = True
            self.cells.conform(declared, value)
            return
        old = self.variables.get(variable, NEVER)
        new = self.cells.join(old, value)
        if self.array_uses is not None and (kind_of(old) == "array" != kind_of(new) or variable in self.whole_arrays):
            self.whole_arrays.add(variable)
            new = OBJECT
        if self.has_arrays and is_any(new) and (is_object(old) or is_object(value)):
            new = OBJECT
        if new is not old:
            self.variables[variable] = new
            self.cells.changed = True
            if is_any(new) and not is_never(old):
                variable.why = f"{type_of(old)} and {type_of(value)} are assigned"

    def _is_own(self, declared: Type, value: Value) -> bool:
        is_whole = declared.kind == "array" and (is_any(value) or is_object(value))
        is_own = is_whole or (is_object(value) and (declared.kind in OWN_KINDS or declared == FUNC))
        return is_own and self.cells.places.allowed

    def set_item(self, container: Value, index: Value, value: Value) -> None:
        if not isinstance(container, Cell) or container.kind == "set":
            if is_object(container):
                self.cells.give(index)
                self.cells.give(value)
            self.cells.escape(value)
            return
        self.cells.write(container)
        if container.kind == "dict":
            self.cells.put(container, index, value)
        else:
            self.cells.put(container, value)

    def slice_parts(self, node: tree.Slice | tree.TargetSlice) -> Value:
        for part in (node.start, node.stop, node.step):
            if part is not None:
                self.expr(part)
        return self.expr(node.value)

    def set_slice(self, container: Value, items: Value) -> None:
        if isinstance(container, Cell):
            self.cells.write(container)
        if isinstance(container, Cell) and container.kind == "list":
            self.cells.put(container, self.item_of(items))
        else:
            if is_object(container):
                self.cells.give(self.item_of(items))
            self.cells.escape(items)

    def _unpack(self, target: tree.TargetTuple, value: Value) -> None:
        count = len(target.targets)
        if isinstance(value, Tup) and (len(value.items) == count if target.star < 0 else len(value.items) >= count - 1):
            items = list(value.items)
            if target.star >= 0:
                behind = len(items) - (count - 1 - target.star)
                rest = self.site(target)
                for item in items[target.star : behind]:
                    self.cells.put(rest, item)
                items[target.star : behind] = [made_as(rest)]
        else:
            item = self.item_of(value)
            items = [item] * count
            if target.star < 0 and isinstance(value, Type) and value.kind == "object":
                items = [promised(value, i if class_of(value) == "tuple" else 0) for i in range(count)]
            if target.star >= 0 and is_object(value):
                items[target.star] = object_of("list")
            elif target.star >= 0:
                rest = self.site(target)
                items[target.star] = made_as(rest)
                self.cells.put(rest, item)
        for each, item in zip(target.targets, items, strict=True):
            self.assign(each, item)

    def expr(self, node: tree.Expr) -> Value:
        raise NotImplementedError  # evaluate.py

    def index(self, value: Value, node: tree.Expr) -> Value:
        raise NotImplementedError  # evaluate.py

    def set_property(self, target: tree.TargetItem, receiver: Value, value: Value) -> None:
        raise NotImplementedError  # evaluate.py

    def item_of(self, value: Value) -> Value:
        """What iterating over the value gives."""
        if isinstance(value, Cell):
            return value.find().contents[0]
        if isinstance(value, Tup):
            found: Value = NEVER
            for item in value.items:
                found = self.cells.join(found, stored(item))
            return found
        if value.kind == "array":
            return array_item(value)
        if value.kind == "object":
            return promised_items(value)
        return {"never": NEVER, "str": CHAR, "char": CHAR, "bytes": INT}.get(value.kind, ANY)
