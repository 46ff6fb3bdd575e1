"""Scripts and their Python functions on equal arrays."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

import jitffi

ELEMENTS = ("float64", "float32", "int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8", "bool")


@functools.cache
def script_of(function: Any, *types: Any) -> Any:
    """One for all calls with arguments of those types: of eight of them a script has variants, not of more."""
    return jitffi.script(function)


def same(function: Any, *arguments: Any) -> None:
    """A script and its Python function do the same to equal arrays, and give the same."""
    ours, theirs = ([each.copy() if isinstance(each, np.ndarray) else each for each in arguments] for _ in range(2))
    types = [each.dtype if isinstance(each, np.ndarray) else type(each) for each in arguments]
    outcomes = []
    for called, given in ((script_of(function, *types), ours), (function, theirs)):
        with np.errstate(all="ignore"):
            try:
                outcomes.append(("gave", called(*given)))
            except Exception as error:
                outcomes.append((type(error), str(error)))
    (how, mine), (expected, plain) = outcomes
    assert how == expected, outcomes
    if isinstance(mine, np.ndarray) or how != "gave":
        assert np.array_equal(mine, plain) if how == "gave" else mine == plain
    else:
        assert mine == plain or (mine != mine and plain != plain), outcomes
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, np.ndarray):
            assert a.tobytes() == b.tobytes(), (a, b)


def equal(a: Any, b: Any) -> bool:
    """The same, of the same class; elements are numbers of Python's, as scripts have them."""
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return type(a) is type(b) and a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    if isinstance(a, list | tuple):
        return type(a) is type(b) and len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, dict):
        return equal(list(a.items()), list(b.items()))
    return bool(a == b)


def outcome(function: Any, x: Any) -> tuple[Any, Any]:
    try:
        with np.errstate(all="ignore"):
            return function(x), x
    except Exception as error:
        return (type(error), str(error)), x
