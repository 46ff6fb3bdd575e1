"""What `sub` puts in the place of a match: a template's text and groups, as `re` itself reads it."""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from jitffi.scripts.regex.read import Pattern

_parser: Final[Any] = import_module("re._parser")


def pieces(pattern: Pattern, template: str | bytes) -> list[Any]:
    """Texts and numbers of groups. What `re` says of a bad one is raised, re.error among it."""
    compiled = re.compile(pattern.text, pattern.flags)
    parsed = _parser.parse_template(template, compiled)
    if isinstance(parsed, list):  # from 3.12 on: texts and groups in turn
        return [each for each in parsed if each != template[:0]]
    groups, literals = parsed
    found = list(literals)
    for place, group in groups:
        found[place] = group
    return [each for each in found if each != template[:0]]
