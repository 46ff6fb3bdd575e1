"""What Sphinx does with our pages before it reads them: fences that name a generator are replaced by what it makes, and
links that leave this folder lead to the page of the same thing.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import c_headers
import commands
import example_files
import python_names
from sphinx.directives import ObjectDescription

if TYPE_CHECKING:
    from sphinx.application import Sphinx

HERE = Path(__file__).resolve().parents[1]
GENERATORS = {
    "python-names": lambda _, body: python_names.markdown(body.split()),
    "c-header": lambda argument, _: c_headers.markdown(argument),
    "commands": lambda _, body: commands.markdown(),
    "examples": lambda _, body: example_files.markdown(),
    "from-root": lambda argument, _: _from_root(argument),
}
#: Files above this folder that have a page.
TWINS = {"README.md": "index.md", "CONTRIBUTING.md": "contributing.md", "CHANGELOG.md": "changelog.md"}
FENCE = re.compile(rf"^```\{{({'|'.join(GENERATORS)})\}} ?(.*)\n((?:.*\n)*?)```$", re.MULTILINE)
LINK = re.compile(r"\]\(((?:\.\./)+)([^)#]*)(#[^)]*)?\)")


def fill(text: str, page: str) -> str:
    """The page's source as Sphinx reads it."""
    text = FENCE.sub(lambda match: GENERATORS[match[1]](match[2], match[3]), text)
    return LINK.sub(lambda match: _link(match, page), text)


def _from_root(name: str) -> str:
    """A page that lies above this folder, with its links as they are from here."""
    text = (HERE.parent / name).read_text(encoding="utf-8")
    return re.sub(r"\]\((?:docs/|(?=[a-z.]+/|[A-Z]))", lambda match: "](" if "docs" in match[0] else "](../", text)


def _link(match: re.Match[str], page: str) -> str:
    """A link into the checkout: headers and examples have pages here, other files are offered as they are."""
    up, target, anchor = match[1], match[2], match[3] or ""
    depth = page.count("/")
    home = "../" * depth
    if target in TWINS:
        return f"]({home}{TWINS[target]}{anchor})"
    if header := re.fullmatch(r"runtime_c/include/jitffi/(\w+)\.h", target):
        return f"]({home}reference/c/{header[1]}.md)"
    if example := re.fullmatch(r"examples/?(?:(\d\w*)\.py)?", target):
        return f"]({home}examples.md{'#' + example[1].replace('_', '_') if example[1] else ''})"
    return f"]({up}{target}{anchor})"


def _signatures(directive: ObjectDescription[Any]) -> list[str]:
    """What Sphinx takes for the signatures of one entry: a line each, of which MyST has no more than one."""
    return [text.strip() for text in str(directive.arguments[0]).split(";;")]


def setup(app: Sphinx) -> dict[str, Any]:
    ObjectDescription.get_signatures = _signatures  # type: ignore[method-assign]

    def read(app: Sphinx, page: str, source: list[str]) -> None:
        source[0] = fill(source[0], page)

    app.connect("source-read", read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
