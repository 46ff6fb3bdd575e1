"""Which pads text gets where the source does not say: what a profile has found best, or what the tuner tries.

    pad=5, pad={"line": 5}        in the source: nothing here is asked
    pads.switch(...)              the tuner's candidate, for all else     the scripts that there are change over at once
    jitffi.use_profile(...)       what was found best, function by function   where code is made from now on
    none of it                    jitffi.api.functions.tuned is None, and this module is not even loaded

Functions are known by their keys (keys.py).
"""

from __future__ import annotations

import os
import sys

from jitffi import _core
from jitffi.api import functions
from jitffi.base.fork_locks import IMPORTS, SCRIPTS, holding
from jitffi.profiles.function_ids import Place, key, stands_in, typed_key
from jitffi.scripts.api import program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from types import FunctionType
    from typing import Any

    from jitffi.profiles.candidates import Pads
    from jitffi.scripts.api.program import Given, Surroundings
    from jitffi.scripts.api.script import Script
    from jitffi.signature.model import Signature

LARGEST = 15


class Candidate(int):
    """A pad that is being tried: an int, 0 to 15. `unspecified`: it stands for what is used where no pad is given, and
    `pad=` options take it so; as a number it is 1 then. ValueError for other numbers.

    >>> Candidate(3) + 1, Candidate(1, unspecified=True).unspecified
    (4, True)
    """

    unspecified: bool

    def __new__(cls, pad: int, unspecified: bool = False) -> Candidate:
        if not 0 <= pad <= LARGEST:
            raise ValueError(f"a pad is 0 to {LARGEST}, not {int(pad)}")
        made = super().__new__(cls, pad)
        made.unspecified = unspecified
        _wake()
        return made

    # What keeps something by candidate must not take pad 1 for no pad at all.
    def __eq__(self, other: object) -> bool:
        return int(self) == other and (not isinstance(other, Candidate) or self.unspecified == other.unspecified)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = int.__hash__


def _wake() -> None:
    """From now on functions are asked for their pads when they are made or compiled."""
    functions.tuned = sys.modules[__name__]


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


#: The tuner's candidate, and what a profile says.
_switched: Table | None = None
_profile: Table | None = None
#: Stale functions that were told of: of which profile, and their keys.
_told: set[tuple[str, str]] = set()


def of_script(function: FunctionType) -> int | dict[str, int] | None:
    """The pads of a script, or of what is compiled as one, whose source says nothing: a number for all, or by name of
    the variable; None: the compiler's own choice."""
    found: int | dict[str, int] | None = _of_script(_switched or _profile, function)
    return found


def _of_script(table: Table | None, function: FunctionType, otherwise: int | None = None) -> Any:
    if table is None:
        return otherwise
    otherwise = table.everywhere if otherwise is None else otherwise
    if function.__qualname__ not in table.names and stands_in(function) is None:
        return otherwise
    name = key(function)
    if table.where and name not in table.functions:
        _tell_stale(table, function, name)
    return table.of(name, otherwise)


def _tell_stale(table: Table, function: FunctionType, name: str) -> None:
    if (table.where, name) not in _told:
        _told.add((table.where, name))
        _warn(
            f"{table.where}: {function.__qualname__} has been changed since it was tuned, so the profile does not "
            "apply to it; tune it again"
        )


def _warn(text: str) -> None:
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel=3)


def of_all(functions: Iterable[tuple[FunctionType, Given | None]]) -> dict[FunctionType, Any]:
    """The pads of functions all told, where there are any: what the source says, but a Candidate there counts as what
    is being tried. All of them at one time."""
    table = _switched or _profile
    found = {each: of_source(table, each, given) for each, given in functions}
    return {each: pads for each, pads in found.items() if pads is not None}


def of_source(table: Table | None, function: FunctionType, given: Given | None) -> Any:
    """The same of one function, by that table."""
    if given is None:
        return _of_script(table, function)
    tried = given.candidate is not None
    if tried and isinstance(given.pads, int):
        return _of_script(table, function, given.pads)
    if tried and given.pads and table is not None and key(function) in table.functions:
        return {**given.pads, **table.functions[key(function)]}
    return _of_script(table, function) if given.pads is None else given.pads


def read_candidate(given: Given) -> None:
    """See what it was given for a Candidate, which becomes a plain number, or nothing where it is unspecified."""
    pads = given.pads
    if isinstance(pads, Candidate):
        given.pads, given.candidate = None if pads.unspecified else int(pads), pads
    elif isinstance(pads, dict) and any(isinstance(each, Candidate) for each in pads.values()):
        given.pads = {name: int(each) for name, each in pads.items() if not getattr(each, "unspecified", False)} or None
        given.candidate = pads


def of_function(name: str, sig: Signature) -> int | None:
    """The pad of a typed function's result, where it is made without one; None: the compiler's own choice."""
    table = _switched or _profile
    if table is None or not table.functions:
        return None
    return table.functions.get(typed_key(name, sig), {}).get("*")


def of_typed(name: str, sig: Signature, pad: int | None) -> int | None:
    """The same for one that is made with `pad=`."""
    if isinstance(pad, Candidate):
        _typed_places.setdefault(typed_key(name, sig), Place(name, "", 0, ()))
        found = of_function(name, sig)
        return found if found is not None else None if pad.unspecified else int(pad)
    return of_function(name, sig) if pad is None else pad


def use_profile(report_or_path: Any) -> None:
    """Compile with the pads that tuning has found best from now on: what `Report.save` wrote to that path, or a Report
    itself. None: with the compiler's own again.

    Functions are found by name and text, wherever they stand; a pad in the source comes first. Code that there is
    already stays as it is. A profile of another workload's functions does nothing; one that was made for another CPU or
    compiler, or that is no profile, is ignored with a RuntimeWarning that says why, and so is what it has for a
    function that was changed since. The environment variable JITFFI_PROFILE is the same as a call at the start.

    Raises FileNotFoundError where there is no such file, TypeError for what is no path and no Report.

    >>> import jitffi
    >>> jitffi.use_profile("none.json")
    Traceback (most recent call last):
        ...
    FileNotFoundError: [Errno 2] No such file or directory: 'none.json'
    >>> jitffi.use_profile(None)
    """
    if report_or_path is None:
        table = None
    else:
        with IMPORTS:
            from jitffi.profiles import profile

        table = profile.table_of(report_or_path)
        if table is not None:
            _wake()
    holding(SCRIPTS, _use, table)  # until what is compiling is made


def _use(table: Table | None) -> None:
    global _profile
    _profile = table


# -- the tuner --------------------------------------------------------------------------------------------------------


def switch(pads: Pads | None) -> None:
    """Let all scripts that say no pads themselves run with these from now on, whoever made them; None: with those of
    before. What was compiled for the same pads before is used again, not compiled. For the tuner: it costs a script
    about a microsecond.

    >>> from jitffi.profiles.candidates import Pads
    >>> switch(Pads(4))
    >>> switch(None)
    """
    _wake()
    holding(SCRIPTS, _switch, pads)


def _switch(pads: Pads | None) -> None:
    global _switched
    with IMPORTS:
        from jitffi.profiles import switching

    before = _switched
    table = None if pads is None else Table(pads.everywhere, {name: dict(each) for name, each in pads.functions})
    switching.switch(before, pads, table or _profile)
    _switched = table


def compiled(script: Script, kinds: int, around: Surroundings) -> None:
    """Take note of a variant that is being made."""
    _core.script_pool(script, program.pool(around.pads.get(script._given.function)))
    if _switched is None and script.__dict__.get("_tables") is None:
        if _profile is not None:
            script.__dict__["_tables"] = None  # its variants can be of several pads
        return
    from jitffi.profiles import switching

    switching.compiled(script, kinds, around, _switched or _profile)


def places() -> dict[str, Place]:
    """The functions whose pads can be chosen, by key: scripts that do not say theirs, and were compiled since `switch`
    or are there still, with the Python functions that they call; and typed functions that were made with a Candidate.
    Reads and infers them again."""
    with IMPORTS:
        from jitffi.profiles import switching

    found = switching.padded()
    return {**{key(each): _place(each, variables) for each, variables in found.items()}, **_typed_places}


#: Of typed functions that were made with a Candidate.
_typed_places: dict[str, Place] = {}


def _place(function: FunctionType, variables: set[str]) -> Place:
    other = stands_in(function)
    if other is not None:
        return other
    code = function.__code__
    return Place(function.__qualname__, code.co_filename, code.co_firstlineno, tuple(sorted(variables)))


# -- the start --------------------------------------------------------------------------------------------------------


def use_environment() -> None:
    """What JITFFI_PROFILE names; a warning where that cannot be used."""
    path = os.environ.get("JITFFI_PROFILE")
    if not path:
        return
    try:
        use_profile(path)
    except Exception as error:  # a file can be wrong in any way, and the program is to run all the same
        _warn(f"JITFFI_PROFILE: {type(error).__name__}: {error}")


use_environment()
