"""jitffi.autotune: what it accepts and refuses, and a few searches with real processes, where the answer is plain."""

from __future__ import annotations

import time

import numpy
import pytest

import jitffi
from jitffi.profiles.candidates import Pads
from jitffi.tune.search import clock
from jitffi.tune.tuning import parse_budget, tune


def by_pad(item, pad):
    """Sleeps: what it takes does not depend on the machine. Pad 2 is none for it."""
    if pad == 2:
        raise ValueError(f"not with {int(pad)}")
    time.sleep(0.0003 if pad == 5 else 0.005)


def flat(item, pad):
    time.sleep(0.001)


def hopeless(item):
    raise KeyError("nothing works")


@jitffi.script
def words(text):
    out = []
    for word in text.split():
        out.append(word)
    return out


def splits(text):
    words(text)


# -- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ({"pads": 3}, TypeError, "pads: expected an iterable of ints, as [3], got 3"),
        ({"pads": "0-3"}, TypeError, "pads: expected an iterable of ints, as range(16), got '0-3'"),
        ({"pads": None}, TypeError, "pads: expected an iterable of ints, as range(16), got NoneType"),
        ({"pads": [1, "2"]}, TypeError, "pads: expected ints from 0 to 15, got '2'"),
        ({"pads": [True]}, TypeError, "pads: expected ints from 0 to 15, got True"),
        ({"pads": [16]}, ValueError, "pads: expected ints from 0 to 15, got 16"),
        ({"pads": [-1]}, ValueError, "pads: expected ints from 0 to 15, got -1"),
        ({"pads": []}, ValueError, "pads: expected at least one pad to try, got none"),
        ({"budget": 0}, ValueError, 'budget: expected a number of seconds above 0, or a text as "10s", got 0'),
        ({"budget": -1.5}, ValueError, 'budget: expected a number of seconds above 0, or a text as "10s", got -1.5'),
        ({"budget": float("nan")}, ValueError, "above 0"),
        ({"budget": float("inf")}, ValueError, "above 0"),
        ({"budget": "soon"}, ValueError, "got 'soon'"),
        ({"budget": "10 parsecs"}, ValueError, "got '10 parsecs'"),
        ({"budget": None}, TypeError, "got NoneType"),
        ({"budget": True}, TypeError, "got True"),
        ({"seed": "x"}, TypeError, "seed: expected an int, got str"),
        ({"seed": 1.0}, TypeError, "seed: expected an int, got float"),
        ({"corpus": 5}, TypeError, "corpus: expected a path, paths or an iterable of items, got int"),
        ({"workload": None}, TypeError, "autotune: expected a workload or a trace"),
        ({"workload": 5}, TypeError, "workload: expected the path of a Python file, or a callable"),
        ({"workload": "no such file.py"}, FileNotFoundError, "no such file.py"),
        ({"trace": "t"}, TypeError, "autotune: a trace has both workload and data; give it alone"),
        ({"executor": 7}, TypeError, "executor: expected a concurrent.futures.Executor"),
    ],
)
def test_wrong_arguments_say_what_was_expected(arguments, error, text):
    with pytest.raises(error) as caught:
        jitffi.autotune(**{"workload": flat, "corpus": [1], **arguments})
    assert text in str(caught.value)


def test_budgets():
    assert [parse_budget(each) for each in (3, 0.5, "3", "3s", "250ms", " 1.5 m ", "2min", "1h")] == [
        3.0, 0.5, 3.0, 3.0, 0.25, 90.0, 120.0, 3600.0,
    ]  # fmt: skip


def test_pads_in_any_order_each_once():
    report = jitffi.autotune(flat, [], pads=iter([5, 1, numpy.int8(5), 3]))
    assert [trial.pads for trial in report.trials] == [Pads(1), Pads(3), Pads(5)]


def test_an_empty_corpus():
    report = jitffi.autotune(flat, [], budget=5)
    assert report.best is None and report.winner is None
    assert report.notes == ("the corpus is empty: nothing was measured",)
    assert [(each.pads.everywhere, each.seconds) for each in report.trials] == [(pad, None) for pad in range(16)]


def test_a_trace_with_nothing_to_play(tmp_path):
    (tmp_path / "empty.trace").write_text("")
    report = jitffi.autotune(trace=tmp_path / "empty.trace", pads=(0, 3))
    assert report.notes == ("the trace has nothing to play: nothing was measured", "the trace is empty")
    assert [each.pruned for each in report.trials] == ["the trace has nothing to play"] * 2


# -- searches ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def short_runs(monkeypatch):
    """Of what differs by a multiple, a few rounds say enough: the budget is a limit, for a machine that is busy."""
    monkeypatch.setattr(clock, "_GOOD_ROUNDS", 4)


def test_the_best_pad_of_a_callable(short_runs):
    told = []
    report = tune(by_pad, range(8), pads=(2, 5), budget="10m", progress=lambda *each: told.append(each))
    assert report.best == 5 and report.winner.pads == Pads(5), report.notes
    assert report.winner.relative.high < 0.7 and report.winner.runs >= 5
    assert [trial.pads.everywhere for trial in report.trials] == [2, 5]
    assert [trial.failure and trial.failure.text for trial in report.trials] == ["ValueError: not with 2", None]
    assert [trial.seconds is None for trial in report.trials] == [True, False]
    assert told[0][0] == "reading" and told[-1] == ("done", 0.0, "")


@pytest.mark.parametrize("budget", [0.3, 2])
def test_no_difference_within_the_budget(budget):
    start = time.monotonic()
    report = jitffi.autotune(flat, range(20), pads=(0, 3), budget=budget)
    assert time.monotonic() - start < budget + 30
    assert report.best is None and report.functions == {}
    assert "No difference" in str(report) or "othing was measured" in str(report)


def test_a_workload_that_fails():
    with pytest.raises(RuntimeError, match="the workload cannot be measured: KeyError: 'nothing works'"):
        jitffi.autotune(hopeless, range(3), pads=(0, 3), budget=600)


def test_a_script_its_profile_and_the_program_that_uses_it(tmp_path, short_runs):
    lines = [" ".join([f"\u2581{'abcdefghijklmnopqrstuvwx'[n % 7 :]}{n}" for n in range(200)])] * 20
    report = jitffi.autotune(splits, lines, pads=(0, 15), budget=600)
    assert report.best is not None, report.notes
    assert set(report.functions) == {key for key in report.functions if key.startswith("words:")} != set()
    assert report.trials[0].peak_bytes is not None
    report.save(tmp_path / "profile.json")
    assert words("a b") == ["a", "b"]
    jitffi.use_profile(tmp_path / "profile.json")
    try:
        assert words("a b") == ["a", "b"]
    finally:
        jitffi.use_profile(None)
