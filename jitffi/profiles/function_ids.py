"""What functions are called in profiles, traces and reports, and where they stand.

A function is known by its *key*, which is of its name and its text and not of its place: a profile fits the same
function in another file, and does not fit one that was edited.
"""

from __future__ import annotations

from _blake2 import blake2b

from jitffi.base.fork_locks import IMPORTS
from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.signature.model import Signature

_DIGEST = 8


class Place:
    """A function whose pads can be chosen: what it is called, where it stands, and its variables that own text, "[]"
    among them where it makes lists or maps. A typed function has no variables, and no file."""

    __slots__ = ("file", "line", "name", "variables")

    def __init__(self, name: str, file: str, line: int, variables: tuple[str, ...]) -> None:
        self.name = name
        self.file = file
        self.line = line
        self.variables = variables

    def __repr__(self) -> str:
        return f"Place({self.name!r}, {self.file!r}, {self.line}, {self.variables!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Place) and self.__reduce__() == other.__reduce__()

    def __hash__(self) -> int:
        return hash(self.__reduce__())

    def __reduce__(self) -> tuple[Any, ...]:
        return Place, (self.name, self.file, self.line, self.variables)


#: By identity of a code object: it, and the digest of its text.
_digests: dict[int, tuple[object, str]] = {}
_MOST_DIGESTS = 4096


def key(function: Any) -> str:
    """What a profile calls a function: `qualified.name:digest of its text`, the digest as 16 hex digits; a typed
    function is `name: (types) -> type`. TypeError for what is no function.

    >>> import jitffi
    >>> key(jitffi.load_library(None).bind("labs", "(x: i64) -> i64"))
    'labs: (i64) -> i64'
    """
    python = names.python_function(function)
    if python is not None:
        code = python.__code__
        if id(code) in _adopted:
            return _adopted[id(code)][1]
        found = _digests.get(id(code))
        if found is None:
            if len(_digests) >= _MOST_DIGESTS:
                _digests.clear()
            found = _digests[id(code)] = code, _digest(python)
        return f"{python.__qualname__}:{found[1]}"
    typed = names.jitffi_function(function)
    if typed is None:
        raise TypeError(f"expected a function, got {type(function).__name__}")
    return f"{typed.__name__}: (...)" if typed.signature is None else typed_key(typed.__name__, typed.signature)


#: By identity of a code object: it, the function id that it has adopted, and its place.
_adopted: dict[int, tuple[object, str, Place]] = {}


def adopt_id(function: Any, other: str, place: Place) -> None:
    """Tune a script for a function of another program: it has that one's id from now on, and `places` gives *place*,
    whose variables are "*" for all, and "[]"."""
    code = function._given.function.__code__
    _adopted[id(code)] = code, other, place


def adopted_place(function: FunctionType) -> Place | None:
    """The place that came with an adopted id; None: it has its own."""
    found = _adopted.get(id(function.__code__))
    return None if found is None else found[2]


def typed_key(name: str, sig: Signature) -> str:
    return f"{name}: {sig.types}"


def _digest(function: FunctionType) -> str:
    """Of the text from `def` on, as if it stood in the first column; of the code where the text is not to be had."""
    with IMPORTS:
        from jitffi.scripts.frontend import source

    code = function.__code__
    try:
        found = source.of(function)
    except (SyntaxError, ValueError, RecursionError):
        content = repr((code.co_code, code.co_names, code.co_varnames)).encode("utf-8", "surrogatepass")
    else:
        lines = found.lines[found.node.lineno - found.first_line :]
        indent = lines[0][: len(lines[0]) - len(lines[0].lstrip())]
        content = "\n".join([line.removeprefix(indent).rstrip() for line in lines]).encode("utf-8", "surrogatepass")
    return blake2b(content, digest_size=_DIGEST).hexdigest()
