"""Contention is noticed by baseline probes, and what was measured meanwhile does not count."""

from __future__ import annotations

import math

import pytest
from fakes import FakeRunner, search
from hurry import AMPLE, listened

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Interval, Run
from jitffi.tune.run import job, runners
from jitffi.tune.search import conclude
from jitffi.tune.search.results import Results
from jitffi.tune.worker import instruments as contention
from jitffi.tune.workload import Workload

FAST, SLOW = 1e-5, 1.8e-5


def test_a_probe_takes_a_moment():
    assert 0 < contention.probe() < 0.1


TRIED = Pads(0)


def run(score: float, probe: float, rounds: int = 10, calm: int = 0, control: float = 1.0, host: str = "h") -> Run:
    """Pad 0 took *score*; all rounds but the first *calm* with that probe."""
    probes = (FAST,) * calm + (probe,) * (rounds - calm)
    times = {TRIED: (score,) * rounds, DEFAULT: (1.0,) * rounds, CONTROL: (control,) * rounds}
    return Run("cpu", times, host=host, probes=dict.fromkeys(times, probes), fastest_probe=min(probes))


def results(*runs: Run) -> Results:
    """Of a host that is known to be able to be fast."""
    found = Results(0, baselines={"h": FAST})
    for each in runs:
        found.add(each)
    return found


def test_five_calm_runs_are_all_that_counts():
    found = results(*[run(0.8, FAST)] * 5, *[run(1.0, SLOW)] * 8)
    assert found.count(TRIED) == 5 and found.relative(TRIED) == Interval(0.8, 0.8, 0.8)
    assert found.is_undisturbed(TRIED) and found.beats(TRIED) and found.is_clear([TRIED])


def test_with_fewer_calm_runs_all_count_and_it_is_not_over():
    found = results(*[run(0.8, FAST)] * 3, *[run(1.0, SLOW)] * 8)
    assert found.count(TRIED) == 11
    assert not found.is_undisturbed(TRIED) and not found.is_clear([TRIED])
    for _ in range(2):
        found.add(run(0.8, FAST))
    assert found.beats(TRIED)


def test_a_winner_may_be_seen_in_slow_runs_and_no_difference_not():
    assert results(*[run(0.8, SLOW)] * 5).is_clear([TRIED])
    assert not results(*[run(1.0, SLOW)] * 9).is_clear([TRIED])
    assert results(*[run(1.3, SLOW)] * 5).is_clear([TRIED])  # calm, it would not be faster either
    assert results(*[run(1.0, FAST)] * 5).is_clear([TRIED])


def test_two_that_look_equal_in_slow_runs_are_not_settled():
    rounds = {Pads(3): (0.9,) * 8, Pads(8): (0.9,) * 8, DEFAULT: (1.0,) * 8, CONTROL: (1.0,) * 8}
    for probe, is_clear in ((SLOW, False), (FAST, True)):
        each = Run("cpu", rounds, host="h", probes=dict.fromkeys(rounds, (probe,) * 8))
        assert results(*[each] * 6).is_clear([Pads(3), Pads(8)]) == is_clear


def test_of_a_run_with_enough_calm_rounds_the_others_do_not_count():
    times = {TRIED: (0.8,) * 6 + (1.0,) * 10, DEFAULT: (1.0,) * 16}
    mixed = Run("cpu", times, host="h", probes={TRIED: (FAST,) * 6 + (SLOW,) * 10, DEFAULT: (FAST,) * 16})
    assert results(mixed).relative(TRIED).median == pytest.approx(0.8)
    few = Run("cpu", times, host="h", probes={TRIED: (FAST,) * 4 + (SLOW,) * 12, DEFAULT: (FAST,) * 16})
    assert results(few).relative(TRIED).median != pytest.approx(0.8)
    apart = Run("cpu", times, host="h", probes={TRIED: (FAST, SLOW) * 8, DEFAULT: (SLOW, FAST) * 8})
    assert not results(apart).is_undisturbed(TRIED)


def test_calm_runs_of_a_round_or_two_do_not_replace_long_ones():
    short = [run(score, FAST, rounds=1, control=1.2) for score in (0.9, 1.0, 1.1, 0.95, 1.05)]
    found = results(*short, *[run(0.8, SLOW, rounds=25)] * 10)
    assert found.beats(TRIED)
    assert found.noise(False) == 0.02


def test_noise_is_of_the_runs_that_the_times_are_of():
    """A candidate that only slowed runs have measured, beside calm ones without it."""
    without = Run("cpu", {DEFAULT: (1.0,) * 8, CONTROL: (1.0,) * 8}, host="h")
    pairs = [(0.93, 0.9), (0.97, 1.12), (0.95, 1.0), (0.94, 0.92), (0.96, 1.1)]
    slow = [run(score, SLOW, control=control) for score, control in pairs]
    assert results(*[without] * 6).noise() == 0.02
    found = results(*[without] * 2, *slow)
    assert found.noise(False) > 0.1 and not found.beats(TRIED)
    assert not results(*[without] * 6, *slow, *slow).beats(TRIED, margin=2.0)


def test_seconds_are_of_the_rounds_that_count():
    calm = Run("cpu", {DEFAULT: (1.0,) * 8}, host="h", probes={DEFAULT: (FAST,) * 8})
    slow = Run("cpu", {DEFAULT: (1.7,) * 8}, host="h", probes={DEFAULT: (SLOW,) * 8})
    assert results(*[calm] * 5, *[slow] * 8).seconds().median == 1.0


def test_a_faster_probe_of_later_makes_runs_slow_that_were_calm():
    found = Results(0)
    for _ in range(5):
        found.add(run(1.0, SLOW))
    assert found.is_undisturbed(TRIED) and found.is_clear([TRIED])
    found.add(run(1.0, FAST))
    assert not found.is_undisturbed(TRIED) and not found.is_clear([TRIED])


def test_hosts_are_not_compared_with_each_other():
    found = results(*[run(0.8, FAST)] * 3, *[run(0.9, SLOW, host="slower")] * 3)
    assert found.count(TRIED) == 6 and found.is_undisturbed(TRIED)


def test_runs_without_probes_are_calm():
    found = results(Run("cpu", {TRIED: (0.8,) * 6, DEFAULT: (1.0,) * 6}))
    assert found.count(TRIED) == 1 and found.is_undisturbed(TRIED)
    assert found.baselines[""] == math.inf


@pytest.mark.parametrize(
    ("chosen", "confirming", "stands"),
    [
        ((0.95, FAST), (0.95, FAST), True),
        ((0.85, FAST), (1.0, FAST), False),
        ((0.85, FAST), (1.0, SLOW), True),  # slowed down: it says nothing
        ((0.97, FAST), (1.0, SLOW), False),  # not enough to go without
        ((0.85, FAST), (1.05, SLOW), False),  # it says that it is slower
        ((0.85, SLOW), (1.0, SLOW), False),
        ((0.85, SLOW), (0.9, SLOW), True),
    ],
)
def test_what_confirms_a_winner(chosen, confirming, stands):
    first, second = (results(*[run(*each)] * 6) for each in (chosen, confirming))
    assert (conclude.confirmed_by(second, first, TRIED) is not None) == stands


def gains(pads: Pads) -> float:
    """Pad 0 is a sixth faster."""
    return 1e-5 * (0.83 if pads.everywhere == 0 else 1.0 + 0.05 * (pads.everywhere or 1))


@pytest.mark.parametrize("seed", range(6))
def test_a_search_with_phases_of_neighbours_finds_what_pays(seed):
    runner = FakeRunner(gains, seed=seed, busy=lambda now: int(now / 1.5 + seed) % 3 != 0)
    found = search(runner, budget=30.0, seed=seed).run()
    assert found.best == 0
    (note,) = [each for each in found.notes if "core" in each]
    assert "% of the time" in note


def test_a_search_without_neighbours_does_not_mention_them():
    found = search(FakeRunner(gains, busy=lambda now: False)).run()
    assert found.best == 0
    assert not [each for each in found.notes if "core" in each]


def test_a_search_that_has_neighbours_all_the_time_says_what_is_true_of_that():
    found = search(FakeRunner(gains, busy=lambda now: True), budget=10.0).run()
    assert found.winner is None


@pytest.mark.parametrize("seed", range(3))
def test_a_search_on_a_machine_that_slows_down_for_good_ends_as_it_does_on_others(seed):
    """As where a laptop's clock goes down: what is measured then is as good."""
    runner = FakeRunner(gains, seed=seed, busy=lambda now: now > 1.5, equal=False)
    told = search(runner, budget=20.0, seed=seed)
    found = told.run()
    assert found.best == 0
    assert told.evidence.confirming.count(Pads(0)) >= 5


def test_all_candidates_have_their_turn_where_nothing_is_undisturbed():
    runner = FakeRunner(by_pad_alike, compiling=0.3, busy=lambda now: now > 0.1)
    told = search(runner, budget=40.0)
    told.run()
    counts = [told.evidence.choosing.count(Pads(pad)) for pad in range(16)]
    assert min(counts) >= 2, counts


def by_pad_alike(pads: Pads) -> float:
    return 1e-5


def work(item: object) -> None:
    sum(range(2000))


def test_each_round_of_a_real_run_has_a_probe():
    given = job.Job(Workload("work", function=work), tuple(range(10)))
    with listened():
        (found,) = runners.runner(None).time_runs(given, [Pads(0)], AMPLE, [1])
    assert {each: len(times) for each, times in found.probes.items()} == dict.fromkeys(
        (DEFAULT, CONTROL, Pads(0)), len(found.seconds[DEFAULT])
    )
    assert 0 < found.fastest_probe <= min(found.probes[DEFAULT])
