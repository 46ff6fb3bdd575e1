"""The structs and enums of a library's declarations, as attributes by their names in C: `lib.types.Point`."""

from __future__ import annotations

from jitffi.base.errors import nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jitffi.signature.model import Type


class Types:
    """Classes; those of structs and unions are made when they are first asked for. Tags are names, too."""

    def __init__(self, owner: str, names: Mapping[str, Type], enums: Mapping[str, Any]) -> None:
        self.__dict__.update(enums)
        self._owner = owner
        self._enums = tuple(enums)
        self._types = {name.rpartition(" ")[2]: type_ for name, type_ in names.items() if " " in name}
        self._types.update({name: type_ for name, type_ in names.items() if " " not in name})

    def __getattr__(self, name: str) -> Any:
        type_ = self.__dict__.get("_types", {}).get(name)
        if type_ is None:
            hint = nearest(name, self.__dict__.get("_types", {}))
            text = f"{self.__dict__.get('_owner')} declares no type {name!r}"
            raise AttributeError(f"{text}; {hint}" if hint else text, name=name, obj=self)
        __import__("jitffi.api.structs")  # which makes classes

        made = self.__dict__[name] = type_.args[0].cls
        return made

    def __dir__(self) -> list[str]:
        return sorted({*self._types, *self._enums})

    def __repr__(self) -> str:
        return f"<types of {self._owner}: {', '.join(dir(self)) or 'none'}>"
