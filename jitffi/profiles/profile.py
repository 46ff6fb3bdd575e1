"""Profiles: files in which choices of the tuner are kept, one for each workload, CPU, LLVM and ABI.

table_of(path)          what the compiler gets of it (tables.py): choices made on a machine like this one

{"format": 1, "entries": [
    {"workload": "words.py", "cpu": "...", "llvm": "20.1.8", "abi": "1.0",              the key
     "jitffi": "1.0.0", "llvmlite": "...", "best": 3, "gain": {"low": ..., ...},        for whoever reads it
     "interrupted": false,                                                              Ctrl-C has ended the search
     "stamp": "0123456789abcdef",                                                       of both versions, see _llvm
     "functions": {"split:0123456789abcdef": {"*": 3, "[]": 3, "word": 5}}}]}           what is used
"""

from __future__ import annotations

import json
import os
from _blake2 import blake2b

from jitffi import _core
from jitffi.base.files import open_regular
from jitffi.base.pad_policy import MAX_PAD
from jitffi.profiles import machine
from jitffi.profiles.tables import Table

TYPE_CHECKING = False
if TYPE_CHECKING:  # a program that uses a profile starts with this module
    from collections.abc import Mapping
    from os import PathLike
    from typing import Any

    from jitffi.tune.reports.report import Report

FORMAT = 1
#: What an entry is known by.
KEY = ("workload", "cpu", "llvm", "abi")
_NAMES = {"cpu": "CPU", "llvm": "LLVM", "abi": "ABI"}
#: A file that is larger is no profile.
_MOST_BYTES = 64 << 20


class ProfileError(ValueError):
    """What is in the file is no profile: one line, with the file's name."""


def entry_of(report: Report) -> dict[str, Any]:
    """What a profile keeps of a report."""
    environment = {**(machine.environment() if not report.environment else {}), **report.environment}
    names = {name: str(environment.get(name, "unknown")) for name in ("cpu", "llvm", "abi", "jitffi", "llvmlite")}
    return {
        "workload": report.workload,
        **names,
        "stamp": _stamp(names),
        "best": report.best,
        "gain": report.as_dict()["gain"],
        "interrupted": report.interrupted,
        "functions": {key: dict(sorted(pads.items())) for key, pads in report.functions.items()},
    }


def table_of(source: Any) -> Table | None:
    """What the compiler is given of a profile, or of a report. None, and a RuntimeWarning that says why, where there is
    nothing for this machine. FileNotFoundError and other OSErrors, TypeError for what is neither."""
    if hasattr(source, "functions") and hasattr(source, "workload"):
        where, entries = f"the report of {source.workload}", [entry_of(source)]
    else:
        try:
            where = os.fspath(source)
        except TypeError:
            raise TypeError(f"use_profile: expected a path, a Report or None, got {type(source).__name__}") from None
        where = os.fsdecode(where)
        try:
            entries = read(where)
        except ProfileError as error:
            return _ignored(str(error))
    wrong = [(_misfits(each), each) for each in entries]
    fitting = [each for misfits, each in wrong if not misfits]
    if wrong and not fitting:
        misfits = min([misfits for misfits, _ in reversed(wrong)], key=len)
        return _ignored(f"{where}: the profile is ignored: {'; '.join(misfits)}")
    cut = [each["workload"] for each in fitting if each.get("interrupted") is True]
    if cut:
        _warn(f"{where}: the choice for {', '.join(cut)} is of a search that was interrupted: tune it again to be sure")
    functions: dict[str, dict[str, int]] = {}
    for each in fitting:  # the last one saved comes last
        functions.update(each["functions"])
    return Table(None, functions, where)


def _ignored(text: str) -> Table | None:
    _warn(text, 5)
    return None


def _warn(text: str, stacklevel: int = 4) -> None:
    import warnings

    warnings.warn(text, RuntimeWarning, stacklevel)


# -- which entries fit ------------------------------------------------------------------------------------------------


def _misfits(entry: Mapping[str, Any]) -> list[str]:
    """Why an entry is not for this machine and this compiler."""
    here = {"cpu": machine.cpu_model(), "abi": _abi(), "llvm": _llvm(entry)}
    return [
        f"it was made for {_NAMES[name]} {entry[name]}, and this is {value}"
        for name, value in here.items()
        if entry[name] != value
    ]


def _abi() -> str:
    version = _core.abi_version()
    return f"{version >> 16}.{version & 0xFFFF}"


def _llvm(entry: Mapping[str, Any]) -> str:
    """The version of LLVM, which is loaded only if that of llvmlite, which brings it, does not tell: where they are of
    another one, or are not those that were saved together."""
    import llvmlite

    if entry.get("llvmlite") == llvmlite.__version__ and entry.get("stamp") == _stamp(entry):
        return str(entry["llvm"])
    from jitffi.base.off_thread import run

    return run(_loaded_llvm)


def _loaded_llvm() -> str:
    from jitffi.base.fork_locks import LLVM

    with LLVM:
        import llvmlite.binding as llvm

        return ".".join(map(str, llvm.llvm_version_info))


def _stamp(entry: Mapping[str, Any]) -> str:
    """Of an entry, by which one that was edited is known."""
    versions = f"{entry['llvm']} of {entry['llvmlite']}"
    return blake2b(versions.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


# -- the file ---------------------------------------------------------------------------------------------------------


def read(path: str | PathLike[str]) -> list[dict[str, Any]]:
    """The entries of a profile, the newest last. ProfileError for what is none, OSError for what cannot be read."""
    where = os.fspath(path)
    with open_regular(os.fsdecode(where)) as file:
        content = file.read(_MOST_BYTES + 1)
    try:
        if len(content) > _MOST_BYTES:
            raise ValueError("it is too large")
        found = json.loads(content)
        if not isinstance(found, dict) or "format" not in found:
            raise ValueError("it is of another kind")
        if found["format"] != FORMAT:
            raise ValueError(f"its format is {found['format']!r}, and this jitffi knows {FORMAT}")
        entries = found.get("entries")
        if not isinstance(entries, list):
            raise ValueError("it has no entries")
        for number, each in enumerate(entries, 1):
            if (wrong := _wrong(each)) is not None:
                raise ValueError(f"entry {number}: {wrong}")
    except (ValueError, RecursionError) as error:  # json's and Unicode's, too
        raise ProfileError(f"{where}: this is no profile: {error}") from None
    return entries


def _wrong(entry: object) -> str | None:
    """What is wrong with an entry; None: nothing."""
    if not isinstance(entry, dict):
        return f"expected an object, got {type(entry).__name__}"
    for name in KEY:
        if not isinstance(entry.get(name), str):
            return f"expected a string for {name!r}, got {type(entry.get(name)).__name__}"
    functions = entry.get("functions")
    if not isinstance(functions, dict):
        return f"expected an object for 'functions', got {type(functions).__name__}"
    for key, pads in functions.items():
        if not isinstance(pads, dict):
            return f"expected an object for {key!r}, got {type(pads).__name__}"
        for name, pad in pads.items():
            if type(pad) is not int or not 0 <= pad <= MAX_PAD:
                return f"{key}: expected a pad, 0 to {MAX_PAD}, for {name!r}, got {pad!r}"
    return None
