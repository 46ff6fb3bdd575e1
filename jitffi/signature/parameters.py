"""What parameters may be called, which may stand behind which, and what says that there is no default."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Param

# keyword.kwlist, without importing the module; the tests compare the two.
KEYWORDS = frozenset((
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
))  # fmt: skip


class _NoDefault:
    """The type of NO_DEFAULT: None is a default like any other."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_DEFAULT"

    def __reduce__(self) -> str:
        return "NO_DEFAULT"  # pickled by name, so that it is the same object on the other side


NO_DEFAULT = _NoDefault()


def parameter_name(name: str) -> str:
    """Return *name* as Python would store it (NFKC). ValueError unless it can name a parameter."""
    if not isinstance(name, str):
        raise TypeError(f"expected str for a parameter's name, got {name!r}")
    if not name.isascii():
        import unicodedata

        name = unicodedata.normalize("NFKC", name)
    if not name.isidentifier():
        raise ValueError(f"{name!r} is not an identifier")
    if name in KEYWORDS:
        raise ValueError(f"{name!r} is a Python keyword")
    return str(name)


def promoted(name: str) -> str:
    """What C makes of a type behind `...`, by its name: an int or a double of smaller numbers (C11 6.5.2.2, the default
    argument promotions)."""
    kind = name.rstrip("0123456789")
    bits = int(name[len(kind) :] or 0)
    if name == "bool" or (kind in ("i", "u") and bits < 32):
        return "i32"
    return "f64" if kind in ("f", "bf") and bits < 64 else name


def find_fault(params: tuple[Param, ...], fixed: int | None = None) -> tuple[int, str] | None:
    """Return the index of the first parameter that cannot stand where it does, and why; None if all can. *fixed* is how
    many stand before `...`."""
    if fixed is not None and not 0 < fixed <= len(params):
        return 0, "'...' stands behind a parameter: C wants one before it"
    for i, p in enumerate(params[fixed:] if fixed is not None else (), fixed or 0):
        if promoted(p.type.text) != p.type.text:
            return i, f"C passes {p.type.text} behind '...' as {promoted(p.type.text)}"
    names = set()
    default_seen = -1
    for i, p in enumerate(params):
        if p.name is not None:
            if p.name in names:
                return i, f"two parameters named {p.name!r}"
            names.add(p.name)
        if p.has_default and p.name is None:
            default_seen = i
        elif not p.has_default and default_seen >= 0 and p.type.name != "out":
            why = "which cannot be passed by name"
            return i, f"parameter {i + 1} has no default, but parameter {default_seen + 1} before it has, {why}"
    return None
