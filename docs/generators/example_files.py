"""The examples as Markdown: what each says of itself, and its text."""

from __future__ import annotations

import ast
from pathlib import Path

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def files() -> list[Path]:
    return sorted(EXAMPLES.glob("[0-9]*.py"))


def markdown() -> str:
    return "\n\n".join(_write(path) for path in files())


def _write(path: Path) -> str:
    said = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
    first, _, rest = said.partition("\n")
    shown = f"```{{literalinclude}} ../examples/{path.name}\n:language: python\n```"
    return "\n".join([f"## {path.stem}", "", first, rest, "", shown])
