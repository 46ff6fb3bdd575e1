"""Functions that keep a text, for tests of pads: in a list, and in a variable."""

from __future__ import annotations

from jitffi import _core

TEXT = "a text of some 26 characters"


def listed(text, count):
    out = []
    for _ in range(count):
        out.append(text)
    return out


def kept(text, count):
    last = ""
    for _ in range(count):
        last = text + "!"
    return len(last)


def allocations(function, *args) -> int:
    """Of the runtime in one call, once what it needs is compiled."""
    function(*args)
    return _core.count_allocations(lambda: function(*args))[0]
