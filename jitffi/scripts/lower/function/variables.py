"""Variables of a script in memory of the frame, which LLVM makes registers of.

INT, FLOAT, BOOL, CHAR     one alloca
STR, BYTES                 slot | data | size | wide: the slot keeps the characters, null where they outlive the call
LIST, DICT, TUPLE, FUNC    a cell: the variable's own reference
OBJECT                     a reference, the same
ANY                        a slot
parameters that nothing assigns to: the caller's, as they came, without memory
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.scripts.lower.containers import items
from jitffi.scripts.lower.function import vector_counts
from jitffi.scripts.lower.function.emit import FALSE, NULL, TRUE, V, const
from jitffi.scripts.lower.function.lifetimes import DoesNotOutlive
from jitffi.scripts.lower.function.temporaries import Temporary
from jitffi.scripts.lower.function.values import (
    COUNTED,
    MACHINE,
    OBJECTS,
    OUTLIVES,
    SCALARS,
    TEXTS,
    TRANSFERRED,
    Value,
    local,
    text,
)
from jitffi.scripts.tree.types import ANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.storage import Storage
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type

#: Of what has texts that were widened to 32 bits a character: most are words or short lines, and none is on the heap.
WIDE_PAD = 15

_FREE = "cannot access free variable '{}' where it is not associated with a value in enclosing scope"


class Cells:
    """Where one variable is."""

    __slots__ = ("bound", "borrowed_from", "data", "origin", "p", "pad", "room", "size", "type", "value", "wide")

    def __init__(self, type_: Type) -> None:
        self.type = type_
        #: The alloca of a scalar, the slot or the cell.
        self.p: V = NULL
        self.pad = 0
        self.data: V = NULL
        self.size: V = NULL
        self.wide: V = NULL
        #: i64, of texts that `+=` grows: what jf_text_append knows of the slot; 0 whenever another writes it.
        self.room: V | None = None
        #: ptr, of what a loop's target borrows: of text the heap string that it lies in, or NULL; of an ANY the item.
        #: There is no slot then.
        self.borrowed_from: V | None = None
        #: ptr, of texts that may be a guessed list's, or an argument: the item that it is all of, or NULL.
        self.origin: V | None = None
        #: i1, of variables that may be read before they are assigned.
        self.bound: V | None = None
        #: Of a parameter that nothing assigns to: its value, for ever.
        self.value: Value | None = None


class Variables:
    """The variables of a function. `cells` is by variable."""

    def __init__(self, storage: Storage, receiving: set[tree.Variable], growing: set[tree.Variable]) -> None:
        self.storage = storage
        self.frame = storage.frame
        self.module = storage.module
        self.e = storage.e
        self.cells: dict[tree.Variable, Cells] = {}
        #: STR and BYTES variables whose text always outlives the call: they have no slot.
        self.outliving: set[tree.Variable] = set()
        #: Text that looks as if it outlived the call is taken for it; DoesNotOutlive says that it does not.
        self.guesses = True
        #: Targets of loops over lists whose items are taken to be texts, and stay as long as the call.
        self.items: set[tree.Variable] = set()
        #: Parameters that are texts, and variables that they are assigned to.
        self.given: set[tree.Variable] = set()
        #: Targets of loops that need no text of their own (side_effects.py), and all that get what lies in containers.
        self.borrowing: set[tree.Variable] = set()
        self.receiving = receiving
        #: Variables with a `+=`, or what comes to the same.
        self.growing = growing

    def cells_of(self, variable: tree.Variable) -> Cells:
        """The variable's memory; made at its first mention."""
        found = self.cells.get(variable)
        if found is None:
            found = self.cells[variable] = self._new_cells(variable)
        return found

    def _new_cells(self, variable: tree.Variable) -> Cells:
        e, kind, name = self.e, variable.type.kind, variable.name
        cells = Cells(variable.type)
        if variable.maybe_unbound:
            cells.bound = e.alloca("i1", f"{name}.bound")
            e.setup(FALSE, cells.bound)
        if kind in MACHINE:
            cells.p = e.alloca(MACHINE[kind], name)
            return cells
        if kind in ("none", "never"):
            return cells
        if variable in self.borrowing:
            cells.borrowed_from = e.alloca("ptr", f"{name}.heap")
        elif variable not in self.outliving:
            owner = "reference" if kind == "object" else "cell" if kind in OBJECTS else "slot"
            cells.pad = 0 if kind in COUNTED else self.module.pads.of(variable, variable in self.receiving)
            if variable in self.items:
                cells.pad = max(cells.pad, WIDE_PAD)
            cells.p = self.frame.new_owner(owner, name, cells.pad)
            self.frame.owners.append(Temporary("text" if kind in TEXTS else owner, cells.p, cells.pad))
        if kind in TEXTS:
            cells.data = e.alloca("ptr", f"{name}.data")
            cells.size = e.alloca("i64", f"{name}.size")
            cells.wide = e.alloca("i1", f"{name}.wide") if kind == "str" else NULL
            # Never read before they are written, but LLVM need not know that.
            e.setup(NULL, cells.data)
            e.setup(const("i64", 0), cells.size)
            if kind == "str":
                e.setup(FALSE, cells.wide)
            if variable in self.items or variable in self.given:
                cells.origin = e.alloca("ptr", f"{name}.origin")
                e.setup(NULL, cells.origin)
        if variable in self.growing and (kind in TEXTS or kind == "any"):
            cells.room = e.alloca("i64", f"{name}.room")
            e.setup(const("i64", 0), cells.room)
        return cells

    def set_parameter(self, variable: tree.Variable, value: Value) -> None:
        """A parameter's value from the caller; those that are assigned to get memory of their own."""
        if not variable.is_assigned and not variable.maybe_unbound:
            cells = self.cells[variable] = Cells(variable.type)
            cells.value = value
        else:
            self.store(variable, value)

    # -- reading -----------------------------------------------------------------------------------------

    def load(self, variable: tree.Variable, check: bool = False, is_free: bool = False) -> Value:
        """Its value: local, so good until somebody stores to a variable."""
        cells, e, kind, name = self.cells_of(variable), self.e, variable.type.kind, variable.name
        if cells.value is not None:
            return cells.value
        if check and cells.bound is not None:
            cold, on = e.label("unbound"), e.label("bound")
            e.branch(e.load("i1", cells.bound, 0, "is.bound"), on, cold, likely=True)
            e.at(cold)
            if is_free:
                self.frame.raise_("NameError", _FREE.format(name.partition(".")[0]))
            else:
                self.frame.call("jf_script_unbound", self.module.c_string(name.partition(".")[0]))
            e.at(on)
        if kind == "never":
            e.dead()
        if kind in MACHINE:
            return Value(variable.type, e.load(MACHINE[kind], cells.p, 0, name))
        if kind in ("none", "never"):
            return Value(variable.type, const=None)
        if kind in COUNTED:
            return Value(variable.type, e.load("ptr", cells.p, 0, name), local(cells.p))
        if kind == "any" and cells.borrowed_from is not None:
            item = e.load("ptr", cells.borrowed_from, 0, name)
            return Value(ANY, items.slot_of(self.frame, item), local(None, item))
        if kind == "any":
            return Value(variable.type, cells.p, local(cells.p))
        data = e.load("ptr", cells.data, 0, f"{name}.data")
        size = e.load("i64", cells.size, 0, f"{name}.size")
        wide = e.load("i1", cells.wide, 0, f"{name}.wide") if kind == "str" else FALSE
        keep = OUTLIVES if variable in self.outliving else local(cells.p)
        if cells.borrowed_from is not None:
            keep = local(None, e.load("ptr", cells.borrowed_from, 0, f"{name}.heap"))
        found = text(variable.type, data, size, wide, keep)
        if cells.origin is not None:
            origin = e.load("ptr", cells.origin, 0, f"{name}.origin")
            if variable in self.items:
                found.origin = origin
            else:
                found.given = origin
        return found

    # -- writing -----------------------------------------------------------------------------------------

    def store(self, variable: tree.Variable, value: Value) -> None:
        """Keep a value of the variable's type, of any type where that is ANY, and release what was there. An owned
        value is moved. `conversion.assign` takes other values, too."""
        cells, e, kind = self.cells_of(variable), self.e, variable.type.kind
        if cells.borrowed_from is not None:
            assert kind in TEXTS or value.keep.object, f"{variable.name} borrows"
            if kind in TEXTS:
                self.set_text(cells, value)
            e.store(value.keep.object or NULL, cells.borrowed_from)
            kind = ""
        elif variable in self.outliving:
            if value.keep.kind != "outlives":
                raise DoesNotOutlive
            self.set_text(cells, value)
            kind = ""
        assert cells.value is None, f"{variable.name} is assigned to"
        if kind in MACHINE:
            e.store(value.ssa, cells.p)
        elif kind in COUNTED:
            new = self.storage.reference(value)
            old = e.load("ptr", cells.p, 0, "old")
            e.store(new, cells.p)
            self._release_old(old, kind)
        elif kind in TEXTS:
            self._store_text(cells, value)
        elif kind == "any":
            self._store_any(cells, value)
        if cells.origin is not None:
            e.store(value.origin or value.given or NULL, cells.origin)
        if cells.bound is not None:
            e.store(TRUE, cells.bound)

    def _release_old(self, old: V, kind: str) -> None:
        if kind == "object":
            self.frame.count_object("release", old)
            return
        e = self.e
        some, none = e.label("release.old"), e.label("stored")
        e.branch(e.is_null(old), none, some)
        e.at(some)
        if kind == "vector":
            vector_counts.release(self.frame, old)
        else:
            self.frame.call("jf_object_release", old)
        e.br(none)
        e.at(none)

    def clear_text(self, cells: Cells) -> None:
        """The variable's slot is null afterwards."""
        self.frame.release_slot(cells.p, cells.pad, is_text=True)
        if self.frame.region.outer is not None:
            # What comes next may fail, without memory: handlers find no text, then.
            self.e.store(cells.p, cells.data)
            self.e.store(const("i64", 0), cells.size)
        if cells.room is not None:
            self.e.store(const("i64", 0), cells.room)

    def set_text(self, cells: Cells, value: Value) -> None:
        """What the variable's text is; its slot keeps it already, or it outlives the call."""
        self.e.store(value.data, cells.data)
        self.e.store(value.size, cells.size)
        if value.kind == "str":
            self.e.store(value.wide, cells.wide)
        if cells.origin is not None:
            self.e.store(NULL, cells.origin)

    def _store_text(self, cells: Cells, value: Value) -> None:
        keep = value.keep
        if keep.kind == "outlives":
            self.clear_text(cells)
            self.set_text(cells, value)
            return
        if keep.kind == "local" and keep.place is not None:
            self._store_local_text(cells, value, keep.place)
            return
        self.clear_text(cells)
        # What lies elsewhere is not gone with what was here before: others have that, too, or it is not in there.
        keeps = self.storage.move_text if keep.kind == "owned" else self.storage.materialise_text
        self.set_text(cells, keeps(value, cells.p))

    def _store_local_text(self, cells: Cells, value: Value, place: V) -> None:
        """Of another variable, or of this one."""
        e = self.e
        outlives, some, stored = e.label("outlives"), e.label("materialise"), e.label("stored")
        e.branch(e.icmp("eq", e.load("i32", place, 0, "code"), const("i32", layout.NULL), "outlives"), outlives, some)
        e.at(outlives)
        self.clear_text(cells)
        self.set_text(cells, value)
        e.br(stored)
        e.at(some)
        if place.text == cells.p.text:
            # It lies in the variable's own slot: that goes only when the new one is kept.
            value = self.storage.materialise_text(value, self.frame.temp_slot(cells.pad))
        self.clear_text(cells)
        keeps = self.storage.materialise_text if value.keep.kind == "local" else self.storage.move_text
        self.set_text(cells, keeps(value, cells.p))
        e.br(stored)
        e.at(stored)

    def _store_item(self, cells: Cells, value: Value, item: V) -> None:
        """An item of a container, where it lies: what is plain or counted is taken without a call."""
        e = self.e
        other, stored = e.label("other"), e.label("stored")
        status = e.call("i32", self.module.fragment("any.take"), [item, cells.p, const("i32", cells.pad)])
        e.branch(e.icmp("eq", status, const("i32", 0)), stored, other, likely=True)
        e.at(other)
        temporary = self.frame.temp_slot(cells.pad)
        self.storage.put(value, temporary)
        self.frame.release_slot(cells.p, cells.pad)
        self.storage.put(self.storage.any_in(temporary), cells.p)
        e.br(stored)
        e.at(stored)

    def _store_any(self, cells: Cells, value: Value) -> None:
        if value.kind == "any" and value.keep.kind == "volatile" and value.keep.object is not None:
            self._store_item(cells, value, value.keep.object)
            return
        if value.kind in OBJECTS:
            value = Value(value.type, self.storage.reference(value), TRANSFERRED)
        elif value.keep.kind != "owned" and value.kind not in SCALARS:
            # It may lie in the variable's own slot: that goes only when there is a copy.
            temporary = self.frame.temp_slot(cells.pad)
            self.storage.put(value, temporary)
            value = self.storage.any_in(temporary)
        self.frame.release_slot(cells.p, cells.pad)
        if cells.room is not None:
            self.e.store(const("i64", 0), cells.room)
        place = value.keep.place if value.keep.kind == "owned" else None
        if value.kind == "any" and place is not None and self.frame.pad_of(place) == cells.pad:
            self.e.copy(cells.p, place, layout.SLOT_SIZE + 8 * cells.pad)
            self.frame.null_slot(place)
            self.frame.moved(place)
        else:
            self.storage.put(value, cells.p)

    def unbind(self, variable: tree.Variable) -> None:
        """Release what it has: it is not bound from here on."""
        cells = self.cells_of(variable)
        if cells.value is not None:
            return
        if variable.type.kind == "object":
            self.frame.release_reference(cells.p)
        elif variable.type.kind in OBJECTS:
            self.frame.release_cell(cells.p)
        elif cells.borrowed_from is None and variable not in self.outliving:
            if variable.type.kind in TEXTS:
                self.clear_text(cells)
            elif variable.type.kind == "any":
                self.frame.release_slot(cells.p, cells.pad)
                if cells.room is not None:
                    self.e.store(const("i64", 0), cells.room)
        if cells.bound is not None:
            self.e.store(FALSE, cells.bound)

    def bind(self, variable: tree.Variable) -> None:
        """Somebody wrote the variable's memory himself (a loop's counter): it is bound from here on."""
        cells = self.cells_of(variable)
        if cells.bound is not None:
            self.e.store(TRUE, cells.bound)
