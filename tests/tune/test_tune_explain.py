"""Why a winner wins: the figures of the two sentences are those of the counts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from jitffi.profiles import machine
from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Counts, Trial
from jitffi.tune.reports.explain import explain
from jitffi.tune.reports.report import Report


@pytest.fixture(autouse=True)
def caches(monkeypatch):
    monkeypatch.setattr(machine, "caches", lambda: (32 << 10, 1 << 20))


def trial(pad, peak, **sizes):
    pairs = tuple(sorted((int(size[1:]), count) for size, count in sizes.items()))
    total = sum(size * count for size, count in pairs)
    return Trial(Pads(pad), counts=Counts(sum(count for _, count in pairs), total, peak, 0, pairs))


def choice(default, *trials, winner=None):
    return Report("w.py", default=default, trials=trials, winner=winner)


def explained(report, texts=()):
    return explain(replace(report, histogram=texts))


def test_texts_that_become_inline():
    default = trial(None, 20000, s69=400, s80=400, s90=200)  # 20, 31 and 41 bytes
    winner = trial(4, 60000, s90=200, s4000=10)
    texts = ((12, 1000), (20, 400), (31, 400), (41, 200))
    assert explained(choice(default, winner, winner=winner), texts) == (
        "With pad 4, 90.0 % of the texts that a pad can make room for lie in their slots, with the default 50.0 %, so "
        "that a pass makes 210 allocations instead of 1,000. They are 56.6 KiB instead of 75.8 KiB, and at most "
        "58.6 KiB are in use at a time instead of 19.5 KiB, which now needs L2."
    )


def test_narrower_slots():
    default, winner = trial(None, 2 << 20, s24016=50), trial(0, 900 << 10, s16016=50)
    assert explained(choice(default, winner, winner=winner)) == (
        "With pad 0, slots are no wider than their text needs: a pass makes 50 allocations instead of 50, and they "
        "are smaller. They are 782 KiB instead of 1173 KiB, and at most 900 KiB are in use at a time instead of 2048 "
        "KiB, which now fits L2."
    )


def test_nothing_counted_is_nothing_explained():
    bare, counted = Trial(Pads()), trial(3, 1000, s80=1)
    assert explained(choice(bare, counted, winner=counted)) == ""
    assert explained(choice(counted, bare, winner=bare)) == ""
    assert explained(choice(counted, bare)) == ""


def test_there_are_two_sentences():
    default = trial(None, 1000, s80=10)
    for winner in (trial(2, 900, s80=4), trial(2, 900, s80=12), trial(2, 500, s60=10)):
        said = explained(choice(default, trial(1, 1, s80=10), winner=winner), ((31, 10),))
        assert said.count(". ") == 1, said
        assert said.endswith(".")
