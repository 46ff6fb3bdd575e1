"""Objects of registered classes (`jitffi.register_object`), as scripts have them: which of their fields are native.

    p  ----> PyObject head | wrapper ... object ----> header, fields ...
                 type --version--> seen?                 x at its offset: a number, a slot with text, a container
                                    no: PyObject_GetAttr, and what it gives must be of the field's type

An OBJECT that is said to be of a class is one of Python's all the same: its identity, operators, what else it has are
Python's. That it is of the class, and the class what it was when code was made, is looked at where a field is read or
written, or a method called: one compare of the class's version (script_field.c). So nothing that is said here is a
promise: an object of another class gives what Python gives for it. What comes of that as another type than the field's
ends the call, which the interpreter makes again, where it has changed nothing yet; a class that is changed while a
script runs in which it has changed something is a TypeError.
"""

from __future__ import annotations

from types import FunctionType

from jitffi import _core
from jitffi.base import layout
from jitffi.base.records import record
from jitffi.scripts.library import classes
from jitffi.scripts.tree.types import (
    ANY,
    ARRAY_ELEMENTS,
    BOOL,
    BYTES,
    FLOAT,
    INT,
    STR,
    TUPLE,
    U64,
    Type,
    array_of,
    dict_of,
    instance_of,
    list_of,
    set_of,
)

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
#: JF_FIELD_SLOT, and JF_FIELD_OBJECT: of a field that is a reference.
SLOT: Final = 64
OBJECT: Final = 65
#: Of what lies in a slot: what script_field.c calls its shape, and what a script has of it.
_SLOTS: Final = {"str": (1, STR), "bytes": (2, BYTES)}
_SEVERAL: Final = 3
#: What may be None, and native all the same.
_SCALARS: Final = frozenset(("bool", "i64", "f64", "str", "bytes"))
#: Of containers the same as of slots: the code of the object. What is in them is anything: nothing is said of it.
_CONTAINERS: Final = {
    "list": (layout.LIST, list_of(ANY)),
    "map": (layout.MAP, dict_of(ANY, ANY)),
    "set": (layout.SET, set_of(ANY)),
    "tuple": (layout.TUPLE, TUPLE),
}
#: Of arrays how their types begin; their elements are of any type, but for what an int of a script may not hold.
_ARRAYS: Final = ("ndarray", "optional[ndarray]", "tensor[", "optional[tensor[")
_ELEMENTS: Final = frozenset(ARRAY_ELEMENTS) - {"u64"}
#: JF_FIELD_READ_ONLY, and JF_TYPE_FROZEN of a type's row.
_READ_ONLY, _FROZEN = 1, 8


@record
class Field:
    """A field in its place. *element*: as NUMBERS has it of a number; "" of others, which *kind* and *shape* tell, as
    script_field.c has them."""

    name: str
    type: Type
    element: str
    kind: int
    shape: int
    offset: int
    is_fixed: bool
    #: Of what may be None the type that it is else: "f64".
    inner: str = ""
    #: Of an array core_array_kind (instance.h).
    array: int = 0

    @property
    def is_container(self) -> bool:
        """Or an array."""
        return self.kind == OBJECT and self.shape != 0

    @property
    def is_value(self) -> bool:
        """Whether it is a number or lies in a slot: it is read and written natively."""
        return self.kind != OBJECT


def is_made_natively(key: str) -> bool:
    """Whether calls of that class fill fields, and do no more."""
    cls: Any = classes.class_of(key) if key else None
    if cls is None or classes.find(cls, "__post_init__") is not None:
        return False
    return type(classes.find(cls, "__init__")) is not FunctionType


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
    is_fixed = bool(found.flags & _READ_ONLY or _core.type_row(_core.class_code(cls))[6] & _FROZEN)
    if found.type in NUMBERS:
        kind, _, type_ = NUMBERS[found.type]
        return Field(name, type_, found.type, kind, 0, found.offset, is_fixed)
    return _slot(name, found, is_fixed) or _object(name, found)


def _slot(name: str, found: Any, is_fixed: bool) -> Field | None:
    if found.type in _SLOTS:
        shape, type_ = _SLOTS[found.type]
        return Field(name, type_, "", SLOT, shape, found.offset, is_fixed)
    inner: str = found.type[9:-1] if found.type.startswith("optional[") else ""
    return Field(name, ANY, "", SLOT, _SEVERAL, found.offset, is_fixed, inner) if inner in _SCALARS else None


def _object(name: str, found: Any) -> Field | None:
    if found.type.startswith(_ARRAYS):
        return _array(name, found)
    inner = classes.class_of(found.type)
    if inner is not None:
        return Field(name, instance_of(inner.__jitffi_type_key__), "", OBJECT, 0, found.offset, True)
    container = container_of(found.type)
    return container and Field(name, container[1], "", OBJECT, container[0], found.offset, True)


def _array(name: str, found: Any) -> Field | None:
    """What all arrays have been so far that Python has put there; code looks at each that it reads."""
    kind, element, rank = found.arrays or (0, "", 0)
    if element not in _ELEMENTS:
        return None
    return Field(name, array_of(element, rank, "field"), "", OBJECT, layout.NDARRAY, found.offset, True, array=kind)


def container_of(text: str) -> tuple[int, Type] | None:
    """The code of a container that a field's text names, and what a script has of it. Items that are containers
    themselves are objects, which know by that text what they are; None of what scripts leave to Python."""
    word, _, rest = text.partition("[")
    if word not in _CONTAINERS or not rest:
        return None
    shape, type_ = _CONTAINERS[word]
    if _are_plain(rest):
        return shape, type_
    last = classes.item_of(text)
    first = rest[: -len(last) - 1] if last else rest
    item = classes.class_of(last)
    if not last or not _are_plain(first) or (item is None and container_of(last) is None):
        return None
    item_type = instance_of(last if item is None else item.__jitffi_type_key__)
    return shape, list_of(item_type) if word == "list" else dict_of(ANY, item_type)


def holds_containers(type_: Type) -> bool:
    """Whether a container in a field has containers in it."""
    return type_.args is not None and type_.args != () and container_of(type_.args[-1].key) is not None


def _are_plain(types: str) -> bool:
    """Whether types, as a field's text has them, are of numbers and text."""
    words = types.replace("[", " ").replace("]", " ").replace(",", " ").split()
    return all(word in NUMBERS or word in _SCALARS or word == "optional" for word in words)


def takes(field: Field, kind: str) -> bool:
    """Whether a value of that kind is stored as it is, or as a number that is converted to the field's."""
    if field.is_fixed:
        return False
    if field.kind == SLOT:
        if kind == "any":
            return field.inner in CODES
        return kind in _STORED.get(field.inner or field.type.kind, ()) or (kind == "none" and field.inner != "")
    if field.type == BOOL:
        return kind == "bool"
    return kind == "int" or (kind == "float" and field.type == FLOAT) or (kind == "u64" and field.element == "u64")


#: Of values of any type those that are put into a slot that may be null: their codes, by what it holds.
CODES: Final = {"bool": layout.BOOL, "i64": layout.INT, "f64": layout.FLOAT, "str": layout.SMALL_STR}
#: What is put into a slot as Python puts it.
_STORED: Final = {
    "bool": ("bool",),
    "i64": ("int",),
    "f64": ("float",),
    "str": ("str", "char"),
    "bytes": ("bytes",),
}
