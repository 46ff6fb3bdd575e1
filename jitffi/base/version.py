"""The package's version: one fact, kept in pyproject.toml and compiled into the extension."""

from __future__ import annotations

from jitffi import _core

VERSION: str = _core.VERSION
