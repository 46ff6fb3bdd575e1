"""Objects of registered classes (`jitffi.register_object`), as scripts have them: which of their fields are native.

    p  ----> PyObject head | wrapper ... object ----> header, fields ...
                 type --version--> seen?                 x at its offset: a double, an int, a bool
                                    no: PyObject_GetAttr, and what it gives must be of the field's type

An OBJECT that is said to be of a class is one of Python's all the same: its identity, operators, what else it has are
Python's. That it is of the class, and the class what it was when code was made, is looked at where a field is read or
written, or a method called: one compare of the class's version (script_field.c). So nothing that is said here is a
promise: an object of another class gives what Python gives for it. What comes of that as another type than the field's
ends the call, which the interpreter makes again, where it has changed nothing yet; a class that is changed while a
script runs in which it has changed something is a TypeError.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base.records import record
from jitffi.scripts.library import classes
from jitffi.scripts.tree.types import BOOL, FLOAT, INT, U64, Type, instance_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

#: Of a number's type: JF_KIND_* (abi.h), LLVM's type in memory, and what a script has of it.
NUMBERS: Final = {
    "bool": (0, "i8", BOOL),
    "i8": (1, "i8", INT),
    "i16": (2, "i16", INT),
    "i32": (3, "i32", INT),
    "i64": (4, "i64", INT),
    "u8": (5, "i8", INT),
    "u16": (6, "i16", INT),
    "u32": (7, "i32", INT),
    "u64": (8, "i64", U64),
    "f32": (11, "float", FLOAT),
    "f64": (12, "double", FLOAT),
}
#: JF_FIELD_OBJECT: of a field that is a reference.
OBJECT: Final = 65
#: JF_FIELD_READ_ONLY, and JF_TYPE_FROZEN of a type's row.
_READ_ONLY, _FROZEN = 1, 8


@record
class Field:
    """A field in its place. *element*: as NUMBERS has it; "" of one that is an object."""

    name: str
    type: Type
    element: str
    offset: int
    is_fixed: bool


def find(instance: Type, name: str) -> Field | None:
    """The field of that name, of an OBJECT; None where nothing is known of one, or Python's own way is the only one."""
    cls: Any = classes.class_of(instance.key) if instance.key else None
    return None if cls is None or classes.is_overridden(cls, name) else declared(instance, name)


def declared(instance: Type, name: str) -> Field | None:
    """The same where an object is taken for one of the class, whatever it is derived from."""
    cls: Any = classes.class_of(instance.key)
    found = None if cls is None else classes.find(cls, name)
    if found is None or not classes.is_field(cls, found) or found.enumeration is not None:
        return None
    if classes.has_own_access(cls):
        return None
    inner = classes.class_of(found.type)
    if inner is not None:
        return Field(name, instance_of(inner.__jitffi_type_key__), "", found.offset, True)
    if found.type not in NUMBERS:
        return None
    is_fixed = bool(found.flags & _READ_ONLY or _core.type_row(_core.class_code(cls))[6] & _FROZEN)
    return Field(name, NUMBERS[found.type][2], found.type, found.offset, is_fixed)


def takes(field: Field, kind: str) -> bool:
    """Whether a value of that kind is stored as it is, or as a number that is converted to the field's."""
    if field.is_fixed:
        return False
    if field.type == BOOL:
        return kind == "bool"
    return kind == "int" or (kind == "float" and field.type == FLOAT) or (kind == "u64" and field.element == "u64")
