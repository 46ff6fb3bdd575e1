"""Functions that wait for their first call, and die while the code that they wait for is made."""

from __future__ import annotations

import gc
from typing import Any

import pytest

import jitffi
from jitffi.adapters import tiers


def test_who_dies_while_its_code_is_made_is_passed_over(monkeypatch: pytest.MonkeyPatch) -> None:
    libm = jitffi.load_library("libm.so.6")
    text = "(alone_with_this_name: f64) -> f64"
    stays, goes = [libm.bind("floor", text) for _ in range(2)]
    kept = [goes]
    del goes
    make = tiers.compile_together

    def compile_together(requests: Any) -> Any:
        kept.clear()
        gc.collect()
        return make(requests)

    monkeypatch.setattr(tiers, "compile_together", compile_together)
    assert stays(2.5) == 2.0
