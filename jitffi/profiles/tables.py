"""The pads in force: a table of pads by function, of the tuner or of a profile, and what compilers are told by it.

    pad=5, pad={"line": 5}        in the source: nothing here is asked
    the tuner's candidate         for all else; the scripts that there are change over at once
    a profile                     what was found best, function by function, where code is made from now on
    none of it                    jitffi.base.pad_policy.current is None, and this module is not even loaded

Functions are known by their ids (function_ids.py).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import pad_policy
from jitffi.profiles.function_ids import Place, adopted_place, key, typed_key
from jitffi.scripts.api import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.api.program import Dependencies, ScriptOptions
    from jitffi.scripts.api.script import Script
    from jitffi.signature.model import Signature


class Candidate(int):
    """A pad that is being tried: an int, 0 to 15. `unspecified`: it stands for what is used where no pad is given, and
    `pad=` options take it so; as a number it is 1 then. ValueError for other numbers.

    >>> Candidate(3) + 1, Candidate(1, unspecified=True).unspecified
    (4, True)
    """

    unspecified: bool

    def __new__(cls, pad: int, unspecified: bool = False) -> Candidate:
        if not 0 <= pad <= pad_policy.MAX_PAD:
            raise ValueError(f"a pad is 0 to {pad_policy.MAX_PAD}, not {int(pad)}")
        made = super().__new__(cls, pad)
        made.unspecified = unspecified
        wake()
        return made

    # What keeps something by candidate must not take pad 1 for no pad at all.
    def __eq__(self, other: object) -> bool:
        return int(self) == other and (not isinstance(other, Candidate) or self.unspecified == other.unspecified)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


def wake() -> None:
    """From now on this policy is asked for pads when functions are made or compiled."""
    pad_policy.current = _POLICY


# -- what is in force -------------------------------------------------------------------------------------------------


class Table:
    """Pads by function: for what it does not name those of *everywhere*, None being the compiler's own choice.
    Never changed once it is made, so that threads can compile by one while another takes its place."""

    __slots__ = ("everywhere", "functions", "names", "where")

    def __init__(self, everywhere: int | None, functions: Mapping[str, Mapping[str, int]], where: str = "") -> None:
        self.everywhere = everywhere
        self.functions = {name: dict(pads) for name, pads in functions.items()}
        #: Of a profile: where it came from.
        self.where = where
        #: Of the functions, without the digests of their text: of others it is not worth reading.
        self.names = {each.rpartition(":")[0] for each in self.functions if _is_script_key(each)}

    def of(self, function: str, otherwise: int | None) -> int | dict[str, int] | None:
        """Of a function by its key; *otherwise* for the variables that are not named."""
        named = self.functions.get(function)
        if named is None:
            return otherwise
        return _plainest(named if otherwise is None else {"*": otherwise, "[]": otherwise, **named})


def _plainest(pads: dict[str, int]) -> int | dict[str, int] | None:
    """The same pads in the way that whoever gives one number says it, so that code in the cache serves both."""
    if pads.keys() == {"*", "[]"}:
        if pads["*"] == pads["[]"]:
            return pads["*"]
        if pads == {"*": 0, "[]": 1}:
            return None
    return pads or None


def _is_script_key(text: str) -> bool:
    return not text.endswith(")") and ": " not in text


class _InForce:
    """The tuner's candidate, and what a profile says."""

    switched: Table | None = None
    profile: Table | None = None

    @property
    def table(self) -> Table | None:
        return self.switched or self.profile


in_force = _InForce()
#: Stale functions that were told of: of which profile, and their keys.
_told: set[tuple[str, str]] = set()


def of_script(function: FunctionType) -> int | dict[str, int] | None:
    """The pads of a script, or of what is compiled as one, whose source says nothing: a number for all, or by name of
    the variable; None: the compiler's own choice."""
    found: int | dict[str, int] | None = _of_script(in_force.table, function)
    return found


def _of_script(table: Table | None, function: FunctionType, otherwise: int | None = None) -> Any:
    if table is None:
        return otherwise
    otherwise = table.everywhere if otherwise is None else otherwise
    if function.__qualname__ not in table.names and adopted_place(function) is None:
        return otherwise
    name = key(function)
    if table.where and name not in table.functions:
        _tell_stale(table, function, name)
    return table.of(name, otherwise)


def _tell_stale(table: Table, function: FunctionType, name: str) -> None:
    if (table.where, name) not in _told:
        _told.add((table.where, name))
        warn(
            f"{table.where}: {function.__qualname__} has been changed since it was tuned, so the profile does not "
            "apply to it; tune it again"
        )


def warn(text: str) -> None:
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel=3)


def of_all(functions: Iterable[tuple[FunctionType, ScriptOptions | None]]) -> dict[FunctionType, Any]:
    """The pads of functions all told, where there are any: what the source says, but a Candidate there counts as what
    is being tried. All of them at one time."""
    table = in_force.table
    found = {each: of_source(table, each, given) for each, given in functions}
    return {each: pads for each, pads in found.items() if pads is not None}


def of_source(table: Table | None, function: FunctionType, given: ScriptOptions | None) -> Any:
    """The same of one function, by that table."""
    if given is None:
        return _of_script(table, function)
    tried = given.candidate is not None
    if tried and isinstance(given.pads, int):
        return _of_script(table, function, given.pads)
    if tried and given.pads and table is not None and key(function) in table.functions:
        return {**given.pads, **table.functions[key(function)]}
    return _of_script(table, function) if given.pads is None else given.pads


def read_candidate(given: ScriptOptions) -> None:
    """See what it was given for a Candidate, which becomes a plain number, or nothing where it is unspecified."""
    pads = given.pads
    if isinstance(pads, Candidate):
        given.pads, given.candidate = None if pads.unspecified else int(pads), pads
    elif isinstance(pads, dict) and any(isinstance(each, Candidate) for each in pads.values()):
        given.pads = {name: int(each) for name, each in pads.items() if not getattr(each, "unspecified", False)} or None
        given.candidate = pads


def of_function(name: str, sig: Signature) -> int | None:
    """The pad of a typed function's result, where it is made without one; None: the compiler's own choice."""
    table = in_force.table
    if table is None or not table.functions:
        return None
    return table.functions.get(typed_key(name, sig), {}).get("*")


def of_typed(name: str, sig: Signature, pad: int | None) -> int | None:
    """The same for one that is made with `pad=`."""
    if isinstance(pad, Candidate):
        typed_places.setdefault(typed_key(name, sig), Place(name, "", 0, ()))
        found = of_function(name, sig)
        return found if found is not None else None if pad.unspecified else int(pad)
    return of_function(name, sig) if pad is None else pad


def compiled(script: Script, type_tags: int, around: Dependencies) -> None:
    """Take note of a variant that is being made."""
    _core.script_pool(script, program.pool(around.pads.get(script._given.function)))
    if in_force.switched is None and getattr(script, "_tables", None) is None:
        if in_force.profile is not None:
            script._tables = None  # its variants can be of several pads
        return
    assert watcher is not None  # which has made what the script has tables by
    watcher(script, type_tags, around, in_force.table)


#: What the tuner's switching does of it, once that is loaded.
watcher: Callable[[Script, int, Dependencies, Table | None], None] | None = None
#: Of typed functions that were made with a Candidate.
typed_places: dict[str, Place] = {}


class _Policy:
    """What compilers ask: `jitffi.base.pad_policy.PadPolicy`."""

    of_typed = staticmethod(of_typed)
    of_all = staticmethod(of_all)
    read_candidate = staticmethod(read_candidate)
    compiled = staticmethod(compiled)


_POLICY = _Policy()
