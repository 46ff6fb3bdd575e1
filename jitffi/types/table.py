"""The table of types: finds the row of a type of a signature, and loads the family that has it."""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import found_in
from jitffi.types import row as rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Type
    from jitffi.types.row import Row

#: In the order in which they are asked for a name, and in which messages list what they have. Other files of this
#: folder come behind these.
_FAMILIES = (
    "scalar",
    "truth",
    "text",
    "dlpack",
    "callback",
    "reference",
    "struct",
    "pointer",
    "array",
    "tensor",
    "passed_back",
    "owned",
    "container",
    "optional",
)
_is_complete = False
_NO_FAMILIES = ("__init__", "defaults", "row", "table", "texts")


def row(type_: Type) -> Row:
    """Return the row of *type_*."""
    try:
        return rows.known(type_)
    except KeyError:
        _load_for(type_)
        return rows.known(type_)


def load_all() -> None:
    """Let all files register their rows."""
    global _is_complete
    if not _is_complete:
        for family in _files():
            _load(family)
        _is_complete = True


def names() -> tuple[str, ...]:
    """Return the names of all rows."""
    load_all()
    return rows.registered()


def _load_for(type_: Type) -> None:
    for inner in type_.args:
        if hasattr(inner, "args"):
            _load_for(inner)
    for family in _files():
        if type_.name in rows.registered():
            break
        _load(family)


def _load(family: str) -> None:
    """Let a file register its rows. One that was interrupted before its end does so again."""
    with IMPORTS:
        __import__(f"jitffi.types.{family}")


def _files() -> list[str]:
    others = [name for name in found_in("jitffi.types") if name not in (*_FAMILIES, *_NO_FAMILIES)]
    return [*_FAMILIES, *others]
