"""Variables of a shared library: read and written where they stand.

    optind = libc.variable("optind", "i32")
    optind.value = 1

The address is asked for again each time, since that of a thread-local variable is another one on each thread.
"""

from __future__ import annotations

import copy

from jitffi import _core
from jitffi.api import declarations
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late
from jitffi.signature.model import Signature, Type
from jitffi.signature.variables import Variable as Declared
from jitffi.signature.variables import of, parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from enum import IntEnum
    from typing import Any

    from jitffi.api.library import Library

#: What Python has put into variables of C, by the addresses of these: nothing tells when C has stopped to use it.
_kept: dict[int, Any] = {}

#: Types of items that NumPy has none of: an array of them is a list.
_LISTED = ("cstr", "ptr", "func", "i128", "u128", "longdouble")


class Variable:
    """A variable of a library. `Library.variable` gives it.

    >>> import jitffi
    >>> optind = jitffi.load_library(None).variable("optind", "i32")
    >>> optind.value
    1
    >>> optind
    <jitffi.Variable optind: i32>
    """

    __slots__ = ("_declared", "_enum", "_library", "_name")

    def __init__(self, library: Library, name: str, declared: Declared, enum: type[IntEnum] | None = None) -> None:
        self._library = library
        self._name = name
        self._declared = declared
        self._enum = enum

    @property
    def name(self) -> str:
        """Its symbol."""
        return self._name

    @property
    def type(self) -> Type:
        """The type of it, or of its items.

        >>> import jitffi
        >>> jitffi.load_library(None).variable("environ", "ptr[ptr[i8]]").type
        Type('ptr', (Type('ptr', (Type('i8'), False)), False))
        """
        return self._declared.type

    @property
    def address(self) -> int:
        """Where it stands; of a thread-local one, this thread's. AttributeError where the library has none."""
        address = self._library._library.find_variable(self._name)
        if address is None:
            raise AttributeError(f"{self._library!r} has no symbol {self._name!r}", name=self._name, obj=self._library)
        return address

    @property
    def pointer(self) -> _core.Pointer:
        """A Pointer to it, or to the first item of an array.

        >>> import jitffi
        >>> jitffi.load_library(None).variable("optind", "const i32").pointer.type
        Type('ptr', (Type('i32'), True))
        """
        dims, count = self._declared.dims, 1
        for length in dims:
            count *= length
        return _core.pointer_at(self._declared.pointer, self.address, max(count, -1), self._library._library)

    @property
    def value(self) -> Any:
        """What is in it now, as a result of its type: a function pointer is a Function, None stands for NULL. An array
        of numbers is a NumPy array of its memory, one of others a list, one of unknown length a Pointer.
        """
        declared, pointer = self._declared, self.pointer
        if declared.dims[:1] == (-1,):
            return pointer
        if not declared.dims:
            return self._read(pointer, 0)
        if declared.type.name in _LISTED:
            return [self._read(pointer, i) for i in range(len(pointer))]
        return pointer.array(*declared.dims)

    @value.setter
    def value(self, value: Any) -> None:
        declared, pointer = self._declared, self.pointer
        if declared.const:
            raise TypeError(f"{self._name}: a variable that is const cannot be written")
        if not declared.dims:
            return self._write(pointer, 0, value)
        if declared.dims[0] == -1:
            raise TypeError(f"{self._name}: an array of unknown length is written by its pointer")
        if declared.type.name not in _LISTED:
            return self._fill(pointer, value)
        items = self._listed(value)
        if len(items) != len(pointer):
            raise ValueError(f"{self._name}: expected {len(pointer)} items, got {len(items)}")
        for i, item in enumerate(items):
            self._write(pointer, i, item)
        return None

    def _read(self, pointer: _core.Pointer, index: int) -> Any:
        declared = self._declared
        found = pointer[index]
        if declared.type.name == "func" and found is not None:
            return self._function(found, declared.type.signature)
        if self._enum is not None:
            return self._enum._value2member_map_.get(found, found)
        if declared.enum:
            return self._library._member(declared.enum, found)
        return found

    def _function(self, address: int, sig: Signature | None) -> Any:
        with IMPORTS:
            from jitffi.api.making import from_native
        assert sig is not None
        return from_native(address, sig, self._name, keep_alive=self._library)

    def _write(self, pointer: _core.Pointer, index: int, value: Any) -> None:
        """Write an item; what Python gives for it stays until another is written."""
        type_ = self._declared.type
        if type_.name == "func" and callable(value) and _core.function_of(value) is None:
            value = late("jitffi.api.callables").function(type_.signature)(value)
        if isinstance(value, _core.Struct) and type_.name == "ptr" and type_.args:
            cls = _declared(type_.args[0])
            if cls is not None and isinstance(value, cls):
                value = _core.cast(type_, value)
        if type_.name in ("cstr", "ptr", "func") and value is not None:
            place = _core.new(type_)
            self._put(place, 0, value)
            pointer.cast("ptr[u64]")[index] = place.cast("ptr[u64]").value
            _kept[pointer.address + 8 * index] = (place, value)
            return
        self._put(pointer, index, value)
        if isinstance(value, _core.Struct):
            _kept[pointer.address] = copy.copy(value)  # which keeps the texts in it
        else:
            _kept.pop(pointer.address + 8 * index, None)

    def _fill(self, pointer: _core.Pointer, value: Any) -> None:
        """Write an array that NumPy has. What is no array of its items is checked item by item; one may be for all."""
        import numpy

        array = pointer.array(*self._declared.dims)
        if isinstance(value, (numpy.ndarray, numpy.generic)) and _holds(array.dtype, value.dtype):
            array[...] = value
            return
        given = self._items(value, array)
        made = _core.new(f"{self._declared.type}[{len(given)}]")
        for i, item in enumerate(given):
            self._put(made, i, item)
        array[...] = made.array(*self._declared.dims)
        if array.dtype.names:
            _kept[pointer.address] = made  # and so what is in its items

    def _items(self, value: Any, array: Any) -> list[Any]:
        """As many items as *array* has. A text in an array of char has zeros behind it, as C's initialisers have."""
        import numpy

        is_char = array.ndim == 1 and array.dtype in (numpy.int8, numpy.uint8)
        if is_char and isinstance(value, str):
            value = value.encode()
        if is_char and isinstance(value, bytes) and len(value) <= array.size:
            value = numpy.frombuffer(value.ljust(array.size, b"\0"), array.dtype)
        given = numpy.empty(array.shape, object)
        if array.dtype.names or isinstance(value, bytes):  # neither spreads: these are buffers, too
            items = self._listed(value)
            if array.ndim != 1 or len(items) != array.size:
                raise ValueError(f"{self._name}: expected {self._declared}, got {len(items)} items")
            return items
        try:
            given[...] = value
        except ValueError as error:
            raise ValueError(f"{self._name}: {error}") from None
        return [*given.flat]

    def _listed(self, value: Any) -> list[Any]:
        if not hasattr(value, "__iter__") and not hasattr(value, "__len__"):  # ctypes' pointers are read without an end
            raise TypeError(f"{self._name}: expected {self._declared}, got {type(value).__name__}")
        return list(value)

    def _put(self, pointer: _core.Pointer, index: int, value: Any) -> None:
        """Write an item; messages name the variable in place of the pointer."""
        try:
            pointer[index] = value
        except (TypeError, ValueError, OverflowError) as error:
            if len(error.args) == 1:  # a UnicodeEncodeError has more
                error.args = (f"{self._name}: {str(error).partition(': item ')[2].partition(': ')[2] or error}",)
            raise

    def __repr__(self) -> str:
        return f"<jitffi.Variable {self._name}: {self._declared}>"

    def __reduce__(self) -> Any:
        return Variable, (self._library, self._name, self._declared, self._enum)


def _holds(dtype: Any, given: Any) -> bool:
    """Whether NumPy writes such items without losing any of them."""
    import numpy

    return bool(dtype == given if dtype.names else numpy.can_cast(given, dtype, "safe"))


def _declared(type_: Type) -> type[_core.Struct] | None:
    """The class of a struct that is declared; None of other types."""
    with IMPORTS:
        from jitffi.signature.structs import declared
    found = declared(type_)
    return None if found is None else found.cls


def variable(
    library: Library, name: str, what: Type | str | None, check: bool = True, enum: type[IntEnum] | None = None
) -> Variable:
    """The variable *name* of a library; *what* is its type, a declaration of C, or None where the cdef has it."""
    found = Variable(library, name, _declaration(library, name, what), enum)
    if check:
        found.address  # noqa: B018 - it is asked for, so that it is there
    return found


def _declaration(library: Library, name: str, what: Type | str | None) -> Declared:
    declared: dict[str, Declared] = library._of_cdef("variables")
    if what is None and name in declared:
        return declared[name]
    if isinstance(what, Type):
        return of(what)
    if what is None:
        why = library._of_cdef("refused").get(name, "the library was loaded without a declaration of it")
        raise TypeError(f"variable: {name!r} needs a type: {why}")
    if not isinstance(what, str):
        raise TypeError(f"variable: expected a type's text or a Type, got {type(what).__name__}")
    if ";" in what or what.lstrip().startswith("extern "):
        return _of_c(library, name, what)
    return parse(what, library._of_cdef("names") or None)


def _of_c(library: Library, name: str, text: str) -> Declared:
    found = declarations.declarations(text, declarations.prefix_of(library._name))
    if name not in found.variables:
        others = [*found.variables, *found.functions]
        raise TypeError(f"variable: {name!r}: {found.refused.get(name) or f'the text declares {others}'}")
    return found.variables[name]
