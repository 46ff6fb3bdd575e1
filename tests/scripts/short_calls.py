"""What tests of scripts' first calls share: that code is made late, and a few functions."""

from __future__ import annotations

from typing import Any

import pytest

from jitffi.base import pad_policy


def be_hot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the interpreter make first calls, as it does outside of tests."""
    monkeypatch.setenv("JITFFI_COMPILE", "hot")
    monkeypatch.delenv("JITFFI_SCRIPT_LEVEL", raising=False)
    monkeypatch.setattr(pad_policy, "current", None)  # no profile of a test before


def has_code(script: Any) -> bool:
    return bool(script._variants)


def half(x: float) -> float:
    return x / 2


def items_of(x: list[float]):
    return x[0]


def triples(xs):
    return [(a, b, c) for a in xs for b in xs for c in xs]
