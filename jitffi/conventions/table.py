"""The table of conventions: finds one by its name."""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import found_in
from jitffi.conventions import c, packed, python  # noqa: F401 - they register themselves, in this order
from jitffi.conventions.base import CONVENTIONS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import Convention

#: Files of this folder that are no conventions, or that are loaded already; each of the others registers what it has.
_LOADED = ("__init__", "base", "on_error", "slots", "table", "c", "packed", "python")


for _name in found_in("jitffi.conventions"):
    if _name not in _LOADED:
        with IMPORTS:
            __import__(f"jitffi.conventions.{_name}")


def convention(name: str) -> Convention:
    """Return the convention called *name*; ValueError names those there are."""
    try:
        return CONVENTIONS[name]
    except KeyError:
        raise ValueError(f"unknown convention {name!r}; known: {', '.join(CONVENTIONS)}") from None
