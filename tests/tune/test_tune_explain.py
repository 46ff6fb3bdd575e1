"""Why a winner wins: the figures of the two sentences are those of the counts."""

from __future__ import annotations

import pytest

from jitffi.profiles import machine
from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Counts, Trial
from jitffi.tune.reports.explain import explain
from jitffi.tune.reports.report import Report


@pytest.fixture(autouse=True)
def caches(monkeypatch):
    monkeypatch.setattr(machine, "caches", lambda: (32 << 10, 1 << 20))


def trial(pad, peak, allocations, size):
    return Trial(Pads(pad), counts=Counts(allocations, allocations * size, peak, 0))


def choice(default, *trials, winner=None):
    return Report("w.py", default=default, trials=trials, winner=winner)


def test_texts_that_become_inline():
    default, winner = trial(None, 20000, 1000, 80), trial(4, 60000, 210, 276)
    assert explain(choice(default, winner, winner=winner)) == (
        "With pad 4, more text lies in its slot: a pass makes 210 allocations instead of 1,000. They are 56.6 KiB "
        "instead of 78.1 KiB, and at most 58.6 KiB are in use at a time instead of 19.5 KiB, which now needs L2."
    )


def test_narrower_slots():
    default, winner = trial(None, 2 << 20, 50, 24016), trial(0, 900 << 10, 50, 16016)
    assert explain(choice(default, winner, winner=winner)) == (
        "With pad 0, slots are no wider than their text needs: a pass makes 50 allocations instead of 50, and they "
        "are smaller. They are 782 KiB instead of 1.15 MiB, and at most 900 KiB are in use at a time instead of 2.00 "
        "MiB, which now fits L2."
    )


def test_nothing_counted_is_nothing_explain():
    bare, counted = Trial(Pads()), trial(3, 1000, 1, 80)
    assert explain(choice(bare, counted, winner=counted)) == ""
    assert explain(choice(counted, bare, winner=bare)) == ""
    assert explain(choice(counted, bare)) == ""


def test_there_are_two_sentences():
    default = trial(None, 1000, 10, 80)
    for winner in (trial(2, 900, 4, 80), trial(2, 900, 12, 80), trial(2, 500, 10, 60)):
        said = explain(choice(default, trial(1, 1, 10, 80), winner=winner))
        assert said.count(". ") == 1, said
        assert said.endswith(".")
