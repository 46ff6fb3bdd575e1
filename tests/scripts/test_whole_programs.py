"""Whole programs, compiled: they give what Python gives, and call what they are given in the same order."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import jitffi
from tests.support.script_programs import PROGRAMS, Notes, module, outcome


def plain(value: Any) -> Any:
    """Python's own containers in place of ours."""
    if isinstance(value, (list, jitffi.List)):
        return [plain(each) for each in value]
    if isinstance(value, (tuple, jitffi.Tuple)):
        return tuple([plain(each) for each in value])
    if isinstance(value, (dict, jitffi.Map)):
        return {plain(key): plain(each) for key, each in value.items()}
    if isinstance(value, Notes):
        return [plain(each) for each in value.seen]
    return value


def said(result: Any) -> Any:
    """The value, or the exception's class and text: an exception's argument is text in scripts."""
    if isinstance(result[0], type):
        return result[0], [str(each) for each in result[1] if each != ""] if len(result) == 3 else None
    return plain(result[0])


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_compiled(number: int) -> None:
    text, calls = PROGRAMS[number]
    f = module(text, f"<compiled {number}>")["f"]
    script = jitffi.script(f)
    for args in calls:
        given = [Notes() if arg == "t" else arg for arg in args]
        theirs, ours = copy.deepcopy(given), copy.deepcopy(given)
        expected, found = outcome(f, theirs), outcome(script, ours)
        # Lists and dicts that are passed are copied: what a script does to them is not seen outside.
        assert repr(said(found)) == repr(said(expected))
        assert [plain(arg) for arg in ours if isinstance(arg, Notes)] == [
            plain(arg) for arg in theirs if isinstance(arg, Notes)
        ]
