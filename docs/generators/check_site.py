"""Looks at a site that was made: every public name has its entry, and nothing is fetched from elsewhere.

python docs/generators/check_site.py build/docs
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

import c_headers
import commands
import python_names
from sphinx.util.inventory import InventoryFile

#: What a browser loads by itself; a link that a reader follows is none.
LOADED = re.compile(r"<(?:script|img|link|iframe|source)\b[^>]*?\b(?:src|href)=\"(?:https?:)?//[^\"]*")


def missing(site: Path) -> list[str]:
    """The names without an entry in the site's index."""
    found = InventoryFile.loads((site / "objects.inv").read_bytes(), uri="").data
    told = {name for kind, names in found.items() if kind.startswith(("py:", "c:", "std:cmdoption")) for name in names}
    entries = [python_names.entry(name) for name in python_names.names()]
    wanted = [f"jitffi.{each.name}" for entry in entries for each in (entry, *entry.members)]
    wanted += list(c_headers.names())
    for path, command in commands.commands():
        options = [name for param in command.params if param.param_type_name == "option" for name in param.opts]
        wanted += [f"{path.replace(' ', '-')}.{name}" for name in options]
    return [name for name in wanted if name not in told]


def fetched(site: Path) -> list[str]:
    return [f"{page}: {each}" for page in site.rglob("*.html") for each in LOADED.findall(page.read_text("utf-8"))]


def main(site: Path) -> int:
    lacking, loaded = missing(site), fetched(site)
    for name in lacking:
        print(f"no entry for {name}", file=sys.stderr)
    for each in loaded:
        print(f"from elsewhere: {each}", file=sys.stderr)
    return 1 if lacking or loaded else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
