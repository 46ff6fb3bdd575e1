"""Names that modules had in earlier versions, under which pickles of public values still look for what is in them.

Loaded when such a name is imported, and by nothing else.
"""

from __future__ import annotations

from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import jitffi

#: What pickles name, and where that is now.
FORMER = {
    "jitffi.errors": "jitffi.base.errors",
    "jitffi.library": "jitffi.api.library",
    "jitffi.module": "jitffi.api.module",
    "jitffi.functions": "jitffi.api.functions",
    "jitffi.pointers": "jitffi.api.pointers",
    "jitffi.pads": "jitffi.profiles.pads",
    "jitffi.keys": "jitffi.profiles.function_ids",
    "jitffi.script.script": "jitffi.scripts.api.script",
}
#: Packages on the way to one of these.
_PACKAGES = {name.rpartition(".")[0] for name in FORMER} - {"jitffi"}


class _Alias(ModuleType):
    """A module under a former name: each of its names is the present module's."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        # The import has put the package of that name where the decorator is: this finds the decorator again.
        if isinstance(vars(jitffi).get("script"), _Alias):
            del jitffi.script
        return getattr(import_module(FORMER[self.__name__]), name)


class _Loader:
    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Alias(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        pass


def spec(name: str) -> ModuleSpec | None:
    """Return what imports a module by its former name; None for any other name."""
    if name not in FORMER and name not in _PACKAGES:
        return None
    return ModuleSpec(name, _Loader(), is_package=name in _PACKAGES)  # type: ignore[arg-type]
