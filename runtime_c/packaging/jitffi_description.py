"""The description of the packages: README.md, without the links that lead somewhere in the repository only.

A package index shows it beside no other file, and headings have no addresses there. In place of such a link stands its
text, and the file that it leads to, which the sdist has.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

README = Path(__file__).resolve().parent.parent.parent / "README.md"
#: Code is left as it is; a link is one of the groups "text" and "place".
CODE_OR_LINK = re.compile(r"^```.*?^```$|\[(?P<text>[^]]+)\]\((?!\w+:)(?P<place>[^)]*)\)|`[^`\n]+`", re.M | re.S)


def dynamic_metadata(settings: Mapping[str, Any], project: Mapping[str, Any]) -> dict[str, dict[str, str]]:
    """What scikit-build-core asks for, which pyproject.toml tells of it."""
    text = CODE_OR_LINK.sub(without_link, README.read_text(encoding="utf-8"))
    return {"readme": {"content-type": "text/markdown", "text": text}}


def without_link(found: re.Match[str]) -> str:
    text, place = found["text"], found["place"]
    if text is None:
        return found[0]
    path = place.partition("#")[0]
    if not path or text.strip("`/") == path.strip("/"):
        return text
    is_in_brackets = found.string[found.start() - 1] == "(" and found.string.startswith(")", found.end())
    return f"{text}: {path}" if is_in_brackets else f"{text} ({path})"
