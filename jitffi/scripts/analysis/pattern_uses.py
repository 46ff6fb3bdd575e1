"""Patterns of sequences and mappings, of values that can be anything: what they fit is known to Python alone."""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, OBJECT
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def check(function: tree.Function) -> None:
    """ScriptError for such a pattern."""
    if function.takes_objects:
        return
    for node in walk(function.body):
        if isinstance(node, tree.Builtin) and node.is_pattern and node.args[0].type in (ANY, OBJECT):
            _refuse(function, node)


def _refuse(function: tree.Function, node: Any) -> None:
    place = node.place
    at = place.line - function.place.line
    text = function.source[at] if 0 <= at < len(function.source) else ""
    message = "patterns of scripts take lists, tuples and dicts apart whose types are known: this can be any value"
    end = place.end_column if place.end_line == place.line else len(text)
    position = (function.filename, place.line, place.column + 1, text, place.line, max(end, place.column + 1) + 1)
    raise ScriptError(message, position)
