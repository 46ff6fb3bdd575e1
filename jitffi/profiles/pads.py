"""Which pads text gets where the source does not say: from a profile on, or while the tuner tries them.

jitffi.use_profile(...)       what was found best, function by function   where code is made from now on
pads.switch(...)              the tuner's candidate                       the scripts that there are change over at once
"""

from __future__ import annotations

import os

from jitffi.base.fork_locks import IMPORTS, SCRIPTS, holding
from jitffi.profiles.function_ids import Place, adopted_place, key
from jitffi.profiles.tables import Candidate, Table, in_force, of_script, of_typed, typed_places, wake, warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.profiles.candidates import Pads

__all__ = ["Candidate", "Place", "Table", "key", "of_script", "of_typed", "places", "switch", "use_profile"]


def use_profile(report_or_path: Any) -> None:
    """Compile with the pads that tuning has found best from now on. *report_or_path*: what `Report.save` wrote to that
    path, or a Report itself; None: with the compiler's own again.

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
            wake()
    holding(SCRIPTS, _use, table)  # until what is compiling is made


def _use(table: Table | None) -> None:
    in_force.profile = table


# -- the tuner --------------------------------------------------------------------------------------------------------


def switch(pads: Pads | None) -> None:
    """Let all scripts that say no pads themselves run with these from now on, whoever made them; None: with those of
    before. What was compiled for the same pads before is used again, not compiled. For the tuner: it costs a script
    about a microsecond.

    >>> from jitffi.profiles.candidates import Pads
    >>> switch(Pads(4))
    >>> switch(None)
    """
    wake()
    holding(SCRIPTS, _switch, pads)


def _switch(pads: Pads | None) -> None:
    with IMPORTS:
        from jitffi.profiles import switching

    before = in_force.switched
    table = None if pads is None else Table(pads.everywhere, {name: dict(each) for name, each in pads.functions})
    switching.switch(before, pads, table or in_force.profile)
    in_force.switched = table


def places() -> dict[str, Place]:
    """The functions whose pads can be chosen, by key: scripts that do not say theirs, and were compiled since `switch`
    or are there still, with the Python functions that they call; and typed functions that were made with a Candidate.
    Reads and infers them again."""
    with IMPORTS:
        from jitffi.profiles import switching

    found = switching.padded()
    return {**{key(each): _place(each, variables) for each, variables in found.items()}, **typed_places}


def _place(function: FunctionType, variables: set[str]) -> Place:
    other = adopted_place(function)
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
        warn(f"JITFFI_PROFILE: {type(error).__name__}: {error}")


use_environment()
