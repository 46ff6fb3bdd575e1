"""What parameters of type `ptr` and `ptr[T]` take, as type checkers see it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ctypes import _CArgObject
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer

    from jitffi._core import Pointer

    class _HasAsParameter(Protocol):
        @property
        def _as_parameter_(self) -> Any: ...

    class _HasArrayInterface(Protocol):
        @property
        def __array_interface__(self) -> Any: ...

    #: An address, any buffer (arrays, ctypes objects), a pointer, `ctypes.byref(...)`, or None for NULL.
    Address: TypeAlias = int | Buffer | Pointer | _CArgObject | _HasAsParameter | _HasArrayInterface | None
    #: Where items of one type are: an array of it, a pointer to it.
    Memory: TypeAlias = Buffer | Pointer | _CArgObject | _HasArrayInterface
else:
    Address = Memory = object
