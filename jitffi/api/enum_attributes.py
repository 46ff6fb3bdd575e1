"""Values that members of an enumeration have beside their fields, by the name of the attribute."""

from __future__ import annotations

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: As the default of an attribute: it has none.
MISSING: Any = object()


class Attribute:
    """A value for each member of an enumeration, beside its fields: what `attribute` returns. A mapping from members,
    which native code reads, too: the static method "__attributes__" gives all of them by name."""

    __slots__ = ("_cls", "_default", "name")

    def __init__(self, cls: Any, name: str, default: Any) -> None:
        self._cls = cls
        self._default = default
        self.name = name

    def _checked(self, which: Any) -> Any:
        if isinstance(which, self._cls):
            return which
        raise TypeError(f"{self._cls.__name__}.{self.name}: expected a member, got {which!r}")

    def __getitem__(self, which: Any) -> Any:
        found = self.get(self._checked(which), self._default)
        if found is MISSING:
            raise KeyError(f"{which!r} has no {self.name!r}")
        return found

    def __setitem__(self, which: Any, value: Any) -> None:
        column = self._cls.__jitffi_attributes__.get(self.name)
        if column is None:
            column = self._cls.__jitffi_attributes__[self.name] = _core.Map()
            column = self._cls.__jitffi_attributes__[self.name]
        column[self._checked(which)] = value

    def __contains__(self, which: Any) -> bool:
        return which in self._cls.__jitffi_attributes__.get(self.name, ())

    def get(self, which: Any, default: Any = None) -> Any:
        """Return what is set for a member, else *default*."""
        column = self._cls.__jitffi_attributes__.get(self.name)
        return default if column is None else column.get(which, default)
