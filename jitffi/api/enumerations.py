"""The classes that enumerations of objects derive from, as the package names them."""

from __future__ import annotations

from jitffi.api.object_enums import member as member
from jitffi.api.objects import enum_classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    from jitffi._core import Object
    from jitffi.api.enum_attributes import Attribute

    _E = TypeVar("_E")

    class _Members(type):
        def __iter__(cls: type[_E]) -> Iterator[_E]: ...
        def __len__(cls) -> int: ...
        def __getitem__(cls: type[_E], name: str) -> _E: ...

    class Enum(Object, metaclass=_Members):
        name: str
        value: Any

        def __init__(self, value: object) -> None: ...
        @classmethod
        def get(cls: type[_E], which: int | str) -> _E: ...
        @classmethod
        def attribute(cls, name: str, *, default: Any = ...) -> Attribute: ...

    class IntEnum(Enum):
        value: int

        def __int__(self) -> int: ...
        def __index__(self) -> int: ...

    class StrEnum(Enum):
        value: str

else:
    Enum, IntEnum, StrEnum = enum_classes()
