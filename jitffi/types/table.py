"""The table of types: what a row says, and the look-up from a type of a signature to its row.

A type has a *native* form, the values that a C programmer would pass: one or two LLVM values for an argument
(`parts`), and for a result either one LLVM value or an out-slot that the callee fills (`in_slot`). A row moves
values between the native form and the two kinds of storage:

    Python object  --unbox-->  native  --box-->    Python object        (borrowed in, new reference out)
    slot (a view)  --lift-->   native  --lower-->  slot (a view)

and the same for results, which are owned. Temporaries go to the emitter's temps, failures to its failure blocks.
"""

from __future__ import annotations

from jitffi.ir.emitter import V

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type

#: The native form: one value, or pointer and length.
Native = tuple[V, ...]


class Row:
    """One type. Subclasses are the families; an instance is bound to the Type it serves."""

    __slots__ = ("type",)

    #: LLVM types of an argument; "size" is the target's size_t.
    parts: tuple[str, ...] = ("ptr",)
    #: What kind of integer it is to C, which the target's ABI goes by: "signext", "zeroext", or "" for what needs none.
    extension = ""
    #: The struct that C passes by value, by its name in the ABI: "dtype", "device" or "".
    struct = ""
    #: LLVM type of a direct result.
    result = "ptr"
    #: A result goes through an out-slot instead.
    in_slot = False
    #: What C aligns a value in memory to, where that is less than its LLVM type's alignment; else 0.
    align = 0
    #: Why C cannot carry the result, or "".
    c_result_refused = ""
    #: NULL is a value of the type: a ptr, or the None of a pointer-like optional.
    nullable = False
    #: A direct result is a reference that the receiver releases.
    owned = False
    #: A lifted result points into the slot that it came in.
    lends_result = False
    #: Lifting a result leaves nothing to release in its slot, even when it fails.
    settles_slot = False
    #: Python values at the type's limits; a native echo gives back each as itself. The tests of every row use them.
    edge: tuple[object, ...] = ()
    #: What the type does not take, each with the exception that says so.
    refused: tuple[tuple[object, type[Exception]], ...] = ()

    def __init__(self, type_: Type) -> None:
        self.type = type_

    # Arguments -------------------------------------------------------------------------------------------

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        """Python object to native, borrowed for the call."""
        raise NotImplementedError

    def box(self, e: Emitter, index: int, native: Native) -> V:
        """Native to a new Python object."""
        raise NotImplementedError

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        """View to native, borrowed for the call."""
        raise NotImplementedError

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        """Native to a view that borrows it."""
        raise NotImplementedError

    def before_unlock(self, e: Emitter, index: int, native: Native) -> None:
        """Refuse what a callee may not use without the interpreter's lock."""

    # Results ---------------------------------------------------------------------------------------------

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        """A callback's result to an owned native result; *out* is the null out-slot where the row is `in_slot`."""
        raise NotImplementedError

    def box_result(self, e: Emitter, value: V) -> V:
        """An owned native result to a new Python object."""
        raise NotImplementedError

    def lift_result(self, e: Emitter, slot: V) -> V:
        """What a packed callee left in *slot* to a native result. A direct one takes what the slot owns, unless the row
        `lends_result`; the caller releases the slot when this fails."""
        raise NotImplementedError

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        """An owned direct native result into a null out-slot."""
        raise NotImplementedError


class Direct(Row):
    """A row whose results are moved as its arguments are, under the index -1."""

    __slots__ = ()

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        return self.unbox(e, -1, obj)[0]

    def box_result(self, e: Emitter, value: V) -> V:
        return self.box(e, -1, (value,))

    def lift_result(self, e: Emitter, slot: V) -> V:
        return self.lift(e, -1, slot)[0]

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        self.lower(e, -1, (value,), out)


_FAMILIES: dict[str, Callable[[Type], Row]] = {}
_rows: dict[str, Row] = {}


def register(name: str, family: Callable[[Type], Row]) -> None:
    """Add a row for the type *name*; one name, one row, but a module that was interrupted is imported again."""
    before = _FAMILIES.get(name)
    assert before is None or before.__module__ == family.__module__, f"type {name} is registered twice"
    _FAMILIES[name] = family


def load_all() -> None:
    """Let all modules register their rows. One that was interrupted before its end does so again."""
    from jitffi.types import callback, container, dlpack, optional, reference, scalar, text  # noqa: F401


def row(type_: Type) -> Row:
    """Return the row of *type_*."""
    found = _rows.get(type_.text)
    if found is None:
        load_all()
        found = _rows[type_.text] = _FAMILIES[type_.name](type_)
    return found


def names() -> tuple[str, ...]:
    """Return the names of all rows, in the order of registration."""
    load_all()
    return tuple(_FAMILIES)
