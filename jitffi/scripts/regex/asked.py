"""Types and groups of what scripts ask of matches: tree/regexes.py with what the patterns say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.scripts.regex import groups
from jitffi.scripts.tree.types import BYTES, STR, Type

if TYPE_CHECKING:
    from jitffi.scripts.regex.read import Pattern
    from jitffi.scripts.tree.regexes import Asked, LastOf


def text_type(pattern: Pattern) -> Type:
    return BYTES if isinstance(pattern.text, bytes) else STR


def number(asked: Asked, key: int | str) -> int:
    found: int | None = asked.patterns[0].number(key)
    assert found is not None, key
    return found


def is_always_set(asked: Asked, key: int | str) -> bool:
    """Whether a group is set in every match, whichever pattern it is of. The whole text is there always."""
    return key == -1 or all(number(asked, key) in groups.always(each) for each in asked.patterns)


def kept(asked: Asked) -> frozenset[int]:
    """The numbers of the groups that are asked for, without the whole match."""
    return frozenset([number(asked, key) for key in asked.groups]) - {0}


def has_last(node: LastOf) -> bool:
    """Whether there is always one, with a name where that is asked for."""
    (pattern,) = {id(each): each for each in node.asked.patterns}.values()
    named = not node.is_name or len(pattern.names) == pattern.groups
    return named and groups.has_last(pattern)
