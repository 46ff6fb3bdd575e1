"""A type's row: all that any part must know about one type, and the registry of the rows.

A type has a *native* form, the values that a C programmer would pass: one or two LLVM values for an argument
(`parts`), and for a result either one LLVM value or an out-slot that the callee fills (`in_slot`). A row moves
values between the native form and the two kinds of storage:

    Python object  --unbox-->  native  --box-->    Python object        (borrowed in, new reference out)
    slot (a view)  --lift-->   native  --lower-->  slot (a view)

and the same for results, which are owned. Temporaries go to the emitter's temps, failures to its failure blocks.

What makes code loads apart from what is a fact: a family's file names `ir` and gets jitffi.ir.primitives when the first
of its functions writes code, so that a default, an annotation, a stub or a header needs the facts alone.
"""

from __future__ import annotations

from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from jitffi.ir import primitives
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.datamodel import DataModel
    from jitffi.signature.fields import Layout
    from jitffi.signature.model import Type

    #: The native form: one value, or pointer and length.
    Native: TypeAlias = tuple[V, ...]
    ir = primitives
else:
    ir = late("jitffi.ir.primitives")


class Row:
    """One type. Subclasses are the families; an instance is bound to the Type it serves."""

    __slots__ = ("type",)

    # The native form ---------------------------------------------------------------------------------------

    #: LLVM types of an argument; "size" is the target's size_t.
    parts: tuple[str, ...] = ("ptr",)
    #: What kind of integer it is to C, which the target's ABI goes by: "signext", "zeroext", or "" for what needs none.
    extension = ""
    #: The struct that C passes by value, by its name in the ABI: "dtype", "device" or "".
    struct = ""
    #: C passes it as a struct, which `layout` says; its native form is the address of the bytes, of a result, too.
    by_value = False
    #: What goes by value is a complex number, which some ABIs pass in another way than a struct of its parts.
    is_complex = False
    #: Its bytes.
    size = 0
    #: LLVM type of a direct result.
    result = "ptr"
    #: A result goes through an out-slot instead.
    in_slot = False
    #: What C aligns a value in memory to, where that is less than its LLVM type's alignment; else 0.
    align = 0
    #: Why C cannot carry the result, or "".
    c_result_refused = ""
    #: Why no slot can carry it, and what can; or "".
    slot_refused = ""
    #: NULL is a value of the type: a ptr, or the None of a pointer-like optional.
    nullable = False
    #: A direct result is a reference that the receiver releases.
    owned = False
    #: What C gives, as a result or in a place, is Python's to free: `free` does it where the call raises.
    is_freed = False
    #: A lifted result points into the slot that it came in.
    result_is_borrowed = False
    #: An argument's memory is the object's own: it has to live, and stay where it is, until the call returns.
    lends = False
    #: It comes back with the result: `give` and `take` say how (types/passed_back.py).
    passes_back = False
    #: Why no slot carries it, or "".
    slot_refused = ""
    #: Lifting a result leaves nothing to release in its slot, even when it fails.
    settles_slot = False
    #: Python values at the type's limits; a native echo gives back each as itself. The tests of every row use them.
    edge: tuple[object, ...] = ()
    #: What the type does not take, each with the exception that says so.
    refused: tuple[tuple[object, type[Exception]], ...] = ()

    # Without compiled code (conventions/plan.py) -----------------------------------------------------------

    #: The extension's step that converts it, one of PLAN_CODES; "": there is none, and calls need compiled code.
    step = ""
    #: What the step is told: the kind of a scalar, the code of an object's class, the spec of an array.
    step_extra = 0
    #: How many words of memory it fills.
    step_words = 1
    #: None is a value: all words are zero.
    step_takes_none = False
    #: C gets the address of the value, which is in the words behind it.
    step_by_address = False

    # Names and texts ---------------------------------------------------------------------------------------

    #: C's type of an argument and of a direct result; of two parts the data's.
    c = "jf_object*"
    #: C's type of a direct result where that is another.
    c_result = ""
    #: The standard header that has it; what begins with jf_ is in ours.
    c_header = ""
    #: Names of C types that prototypes may have for it, beside those of the machine's data model.
    c_names: tuple[str, ...] = ()
    #: Names of C types that look like it and are passed in another way, which is why prototypes cannot have them.
    c_others: tuple[str, ...] = ()
    #: What other languages call it, for whoever writes that.
    also: tuple[str, ...] = ()
    #: Classes that are annotations of it, with their modules: "numpy.int8".
    annotations: tuple[str, ...] = ()
    #: Annotations, for type checkers, of an argument and of a result; names that are no builtins with their modules.
    takes = "object"
    gives = "typing.Any"
    #: Annotation of a result where the package is not there; "": the same.
    gives_alone = ""
    #: How `inspect --layout` describes a Python argument and result, and what is in a slot.
    shown_takes = "int"
    shown_gives = "int"
    shown_slot = "int, v_int64"
    #: The same of a result, where that is less.
    shown_slot_gives = ""
    #: What the table of types in the documentation says of Python's side and of C's.
    doc_python = ""
    doc_c = ""

    # Scripts and files -------------------------------------------------------------------------------------

    #: The type of a script's parameter or result, by its name in jitffi.scripts.tree.types; "": there is none, and what
    #: to take instead.
    script = ""
    script_instead = "scripts have i64, f64, bool, str, bytes, any, func, list, map and tuple"
    #: What an annotation inside a script stands for, where that may say more than a signature.
    script_annotation = ""
    #: What a script sees of a result of native code.
    script_result = "ANY"
    #: Which part of the runtime an extension module must start for it: "", "dlpack" or "values".
    part = "values"
    #: Why no extension module has it, or "".
    module_refused = ""

    # Defaults and failures ---------------------------------------------------------------------------------

    #: How `struct` packs what a C function gives that failed, and which classes of Python's say it; "": nothing does.
    failure_format = ""
    #: Whether -1 as a result says that errno is set, as every pointer's NULL does.
    says_errno = False
    failure_classes: tuple[type, ...] = (int,)

    def failure(self, value: Any) -> Any:
        """What `struct` is to pack for *value*, which is of those classes."""
        return value

    def default(self, value: Any) -> Any:
        """Return *value* as the default of a parameter: a None, bool, int, float, complex, str, bytes or (). TypeError
        for what the type does not take or no text can show, OverflowError beyond its range, ValueError for text that C
        cannot read."""
        raise TypeError(f"a parameter of type {self.type.text} takes no default")

    def __init__(self, type_: Type) -> None:
        self.type = type_

    def layout(self, machine: DataModel) -> Layout:
        """Where its members are on a machine, of what C passes `by_value`."""
        raise NotImplementedError

    def extent(self, e: Emitter) -> tuple[int, int]:
        """Size and alignment of what C passes `by_value`."""
        raise NotImplementedError

    def absent(self, e: Emitter) -> Native:
        """The native form of the None that an optional of this has beside its values."""
        return tuple([ir.NULL if part == "ptr" else ir.const(e.machine_type(part), 0) for part in self.parts])

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

    def write_back(self, e: Emitter, index: int, native: Native, obj: V) -> None:
        """Move what a callable has changed in *obj*, which `box` made, to where it came from."""

    #: Whether there is something to write back.
    writes_back = False

    def make(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        """A place for what `passes_back` and is not passed in; *lengths* are an array's."""
        raise NotImplementedError

    def make_native(self, e: Emitter, index: int, lengths: list[V]) -> Native:
        """The same where nothing is Python's."""
        raise NotImplementedError

    def give_native(self, e: Emitter, index: int, native: Native, view: V) -> None:
        """A view of what was written to a place."""
        raise NotImplementedError

    def give(self, e: Emitter, index: int, native: Native) -> V:
        """A new Python object of what was written to a place."""
        raise NotImplementedError

    def take(self, e: Emitter, index: int, obj: V, native: Native) -> None:
        """Write what a callable has returned to the place that C gave; NULL says not to."""
        raise NotImplementedError

    def take_native(self, e: Emitter, index: int, view: V, native: Native) -> None:
        """The same of what a packed callee has returned."""
        raise NotImplementedError

    def free(self, e: Emitter, index: int, address: V) -> None:
        """Free what C has given, where it is not NULL."""
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
        `result_is_borrowed`; the caller releases the slot when this fails."""
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


_families: dict[str, Callable[[Type], Row]] = {}
_rows: dict[str, Row] = {}


def register(name: str, family: Callable[[Type], Row]) -> None:
    """Add a row for the type *name*; one name, one row, but a module that was interrupted is imported again."""
    before = _families.get(name)
    assert before is None or before.__module__ == family.__module__, f"type {name} is registered twice"
    _families[name] = family


def registered() -> tuple[str, ...]:
    """Return the names of the rows that are there by now."""
    return tuple(_families)


def known(type_: Type) -> Row:
    """Return the row of a type whose family is there; KeyError otherwise."""
    found = _rows.get(type_.text)
    if found is None:
        found = _rows[type_.text] = _families[type_.name](type_)
    return found
