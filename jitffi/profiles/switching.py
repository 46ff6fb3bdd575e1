"""Scripts that change over to other pads while they live: a table of variants for each, in use one at a time.

    switch      --> for all scripts there are: the table of these pads, which may be empty, is the one that calls use
    compiled    --> a call has found its table without a variant: what is made now is of the pads in force
    padded      --> which functions could have pads of their own, and in what

A table is found by the pads of all functions in the script's program, so what names other functions changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from jitffi import _core
from jitffi.base.apart import apart
from jitffi.base.fork_locks import IMPORTS, LLVM, SCRIPTS
from jitffi.profiles import tables
from jitffi.profiles.function_ids import key
from jitffi.profiles.tables import Table, of_source
from jitffi.scripts.api import program

if TYPE_CHECKING:
    from types import FunctionType

    from jitffi.profiles.candidates import Pads
    from jitffi.scripts.api.program import Dependencies, ScriptOptions
    from jitffi.scripts.api.script import Script

    _Padded = dict[FunctionType, set[str]]

#: Of one function, so many combinations of type tags are looked at for its variables.
_MOST_VARIANTS = 8


class _Tables:
    """The variants of one script by the pads of all functions in its program, of which one is used at a time."""

    __slots__ = ("functions", "known", "tables")

    def __init__(self, script: Script, around: Dependencies, now: object) -> None:
        self.functions = around.given_of()
        #: By pads: the number of the table in the extension, and the variants in it.
        self.tables: dict[object, tuple[int, dict[int | None, Any]]] = {now: (0, script._variants)}
        #: By the tuner's pads: what that table is found by, and the pad of the pools.
        self.known: dict[Pads, tuple[object, int]] = {}


def _pads_of(table: Table | None, functions: Iterable[tuple[FunctionType, ScriptOptions | None]]) -> object:
    """Of all those, as something to find by."""
    found = []
    for function, given in functions:
        pads = of_source(table, function, given)
        found.append(tuple(sorted(pads.items())) if isinstance(pads, dict) else pads)
    return tuple(found)


def switch(before: Table | None, pads: Pads | None, now: Table | None) -> None:
    """What `jitffi.profiles.pads.switch` does, from the table *before* to *now*, which is of *pads*, or a profile's."""
    for script in _core.scripts():
        if hasattr(script, "_given"):  # else it is being made, or about to go
            _use(script, before, pads, now)


def _use(script: Script, before: Table | None, pads: Pads | None, now: Table | None) -> None:
    tables = getattr(script, "_tables", None)
    if tables is None:
        given = script._given
        if not script._variants:
            own = of_source(now, given.function, given)
            return _core.script_pool(script, program.pool(own))
        # Made before there was anything to tune, or with a profile, by which nothing is known of its pads.
        around = program.Dependencies(given)
        first = object() if hasattr(script, "_tables") else _pads_of(before, around.given_of())
        tables = script._tables = _Tables(script, around, first)
    known = tables.known.get(pads) if pads is not None else None
    if known is None:
        own = of_source(now, *tables.functions[0])
        known = _pads_of(now, tables.functions), program.pool(own)
        if pads is not None:
            tables.known[pads] = known
    number, variants = tables.tables.setdefault(known[0], (len(tables.tables), {}))
    _core.script_table(script, number)
    _core.script_pool(script, known[1])
    script._variants = variants
    return None


def compiled(script: Script, type_tags: int, around: Dependencies, table: Table | None) -> None:
    """Take note of a variant that is being made by that table."""
    tables = getattr(script, "_tables", None)
    if tables is None:
        first = object() if hasattr(script, "_tables") else _pads_of(table, around.given_of())
        script._tables = _Tables(script, around, first)
    elif around.given_of() != tables.functions:
        # Names stand for other functions than before: what was made stays, but is known by no pads any more.
        tables.functions = around.given_of()
        tables.known = {}
        tables.tables = {
            _pads_of(table, tables.functions) if each[1] is script._variants else object(): each
            for each in tables.tables.values()
        }
    _note(script, type_tags)


tables.watcher = compiled


# -- places ----------------------------------------------------------------------------------------------------------

#: Scripts that were compiled, by key: what they were given, and by type tags what can have pads, if that was
#: found out already.
_compiled: dict[str, tuple[ScriptOptions, dict[int, _Padded | None]]] = {}


def _note(script: Script, type_tags: int) -> None:
    _, noted = _compiled.setdefault(key(script._given.function), (script._given, {}))
    if len(noted) < _MOST_VARIANTS:
        noted.setdefault(type_tags, None)


@apart
def padded() -> _Padded:
    """The variables of functions that could have pads, "[]" among them; see `jitffi.profiles.pads.places`."""
    with SCRIPTS, IMPORTS, LLVM:
        for script in _core.scripts():
            for type_tags in getattr(script, "_variants", ()):
                _note(script, type_tags or 0)
        if not _compiled:
            return {}
        from jitffi.scripts.api import compiling

        found: _Padded = {}
        for given, noted in list(_compiled.values()):
            for type_tags in sorted(noted):
                padded = noted[type_tags]
                if padded is None:
                    around = program.Dependencies(given)
                    padded = noted[type_tags] = compiling.padded_variables(type_tags, around)
                for function, variables in padded.items():
                    found.setdefault(function, set()).update(variables)
        return found
