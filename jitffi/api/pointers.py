"""What a `ptr` parameter takes, as type checkers see it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _ctypes import _CArgObject
    from typing import Any, Protocol, TypeAlias

    from typing_extensions import Buffer

    class _HasAsParameter(Protocol):
        @property
        def _as_parameter_(self) -> Any: ...

    class _HasArrayInterface(Protocol):
        @property
        def __array_interface__(self) -> Any: ...

    #: An address, any buffer (bytes, arrays, ctypes objects), `ctypes.byref(...)`, or None for NULL.
    Pointer: TypeAlias = int | Buffer | _CArgObject | _HasAsParameter | _HasArrayInterface | None
else:
    Pointer = object
