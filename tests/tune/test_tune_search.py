"""What a search decides, on made-up times: right in most of many seeds, within its budget, whatever fails."""

from __future__ import annotations

import itertools

import fakes
import pytest

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counts, Failure
from jitffi.tune.search.clock import Clock

ALL = (DEFAULT, *map(Pads, range(16)))

#: Of the machines that are made up; one of them may be so unlucky that it is wrong.
SEEDS = range(5)


def by_pad(table, otherwise=1e-5):
    """Times an item: those of the table by uniform pad, `otherwise` for the rest, the default too."""
    return lambda pads: table.get(pads.everywhere, otherwise)


def choices(seconds, seeds, budget=30.0, **more):
    found = []
    for seed in seeds:
        runner = fakes.FakeRunner(seconds, seed=seed, **more)
        report = fakes.search(runner, budget=budget, seed=seed).run()
        assert runner.now <= budget and runner.closed
        winner = report.winner
        found.append(None if winner is None else winner.pads.everywhere)
    return found


def test_the_valley_is_found():
    found = choices(lambda pads: 1e-5 * (1 + 0.1 * abs((1 if pads.everywhere is None else pads.everywhere) - 5)), SEEDS)
    assert found.count(5) >= len(SEEDS) - 1


def test_a_small_gain_is_found():
    found = choices(by_pad({3: 0.93e-5}), SEEDS)
    assert found.count(3) >= len(SEEDS) - 1


def test_the_interval_of_a_winner_leaves_room_for_a_program_whose_code_lies_elsewhere():
    runner = fakes.FakeRunner(by_pad({3: 0.8e-5}), noise=1e-4, process_noise=1e-4)
    found = fakes.search(runner).run().winner
    assert 0.78 < found.relative.low < 0.79 < found.relative.median < 0.81 < found.relative.high < 0.82
    assert found.seconds.low / found.seconds.median == pytest.approx(found.relative.low / found.relative.median)
    runner = fakes.FakeRunner(by_pad({3: 0.975e-5}), noise=1e-4, process_noise=1e-4)
    assert fakes.search(runner).run().winner.relative.high < 1


def test_no_difference_where_there_is_none():
    assert choices(by_pad({}), range(8)).count(None) >= 7
    assert choices(by_pad({}), SEEDS, noise=0.1, process_noise=0.02).count(None) >= len(SEEDS) - 1


def test_the_default_is_kept_where_it_is_best():
    found = choices(lambda pads: 1e-5 * (1 + 0.05 * (pads.everywhere or 0)), SEEDS)
    assert found.count(None) >= len(SEEDS) - 1


@pytest.mark.parametrize("budget", [1.5, 3.0, 10.0])
def test_small_budgets(budget):
    found = choices(by_pad({4: 0.5e-5, 5: 0.7e-5}), SEEDS, budget=budget, overhead=0.1)
    assert set(found) <= {4, None}
    assert found.count(4) >= (len(SEEDS) - 1 if budget > 2 else 1)


@pytest.mark.parametrize("compiling", [0.1, 0.25])
def test_slow_compiling_does_not_hide_a_plain_winner(compiling):
    found = choices(
        lambda pads: 1e-6 if (pads.everywhere or 0) < 2 else 0.5e-6, SEEDS, budget=8.0, compiling=compiling,
        counts={each: Counts(1000 - 50 * (each.everywhere or 0), 1000, 1000, 0) for each in ALL},
    )  # fmt: skip
    assert found.count(None) <= 1
    assert all(each is None or each >= 2 for each in found)


def test_counting_goes_on_until_there_are_both_ends():
    counts = dict.fromkeys(ALL, Counts(100, 1000, 1000, 0))
    runner = fakes.FakeRunner(by_pad({}), counts=counts, compiling=0.8)
    search = fakes.search(runner, budget=8.0)
    search.run()
    assert {DEFAULT, Pads(0), Pads(15)} <= {*search.evidence.counts}


def test_what_a_disturbed_run_discards_comes_back():
    # In the first run all but pads 2 and 3 are slow by an accident; 7 is the best.
    accident = {1: lambda pads: 1.0 if pads.everywhere in (2, 3) else 1.9}
    found = []
    for seed in range(8):
        runner = fakes.FakeRunner(by_pad({2: 0.62e-5, 3: 0.6e-5, 7: 0.3e-5}), seed=seed, disturbed=accident)
        winner = fakes.search(runner, seed=seed).run().winner
        found.append(winner and winner.pads.everywhere)
    assert found.count(7) >= 7


def test_what_hangs_while_counting_is_not_in_the_way():
    late = Failure("not ready after 1 seconds")
    runner = fakes.FakeRunner(by_pad({3: 0.3e-5}), counts={Pads(7): late}, overhead=0.3)
    report = fakes.search(runner, budget=6.0).run()
    assert report.winner is not None and report.winner.pads == Pads(3)
    assert report.trials[7].failure == late
    assert not any(Pads(7) in candidates for candidates, _ in runner.runs)


# -- what is in the way -----------------------------------------------------------------------------------------------


def test_failing_candidates_are_told_of_and_the_search_goes_on():
    failures = {Pads(4): Failure("ValueError: no"), Pads(9): Failure("killed by signal 11")}
    runner = fakes.FakeRunner(by_pad({4: 1e-6, 5: 0.5e-5}), failures=failures)
    report = fakes.search(runner).run()
    assert report.winner is not None and report.winner.pads == Pads(5)
    failed = {each.pads: each.failure for each in report.trials if each.failure is not None}
    assert failed == failures
    assert all(each.seconds is None for each in report.trials if each.pads in failures)
    assert len([candidates for candidates, _ in runner.runs if Pads(4) in candidates]) == 1


def test_a_failing_default_leaves_nothing_to_compare_with():
    runner = fakes.FakeRunner(by_pad({3: 0.5e-5}), failures=dict.fromkeys((DEFAULT, CONTROL), Failure("KeyError: 1")))
    with pytest.raises(RuntimeError, match=r"^autotune: the workload cannot be measured: KeyError: 1$"):
        fakes.search(runner).run()
    assert len(runner.runs) == 1 and runner.closed


def test_nothing_but_failures_is_an_error_with_the_first():
    failures = {each: Failure(f"ValueError: {each.everywhere}") for each in (DEFAULT, CONTROL, *map(Pads, range(16)))}
    runner = fakes.FakeRunner(by_pad({}), failures=failures)
    with pytest.raises(RuntimeError, match=r"^autotune: the workload cannot be measured: ValueError: None$"):
        fakes.search(runner).run()
    assert runner.closed


def test_failures_while_counting_are_failures():
    counts = {each: Failure("MemoryError") for each in (DEFAULT, *map(Pads, range(16)))}
    with pytest.raises(RuntimeError, match="MemoryError"):
        fakes.search(fakes.FakeRunner(by_pad({}), counts=counts)).run()


@pytest.mark.parametrize("after", [1, 3, 6, 9])
def test_an_interrupt_leaves_what_was_measured(after):
    runner = fakes.FakeRunner(by_pad({5: 0.5e-5}), interrupt_after=after)
    report = fakes.search(runner).run()
    assert report.interrupted and runner.closed and len(runner.runs) == after
    assert report.default.seconds is not None and report.runs == after
    # Fewer than five processes are not enough to prefer anything to the default.
    assert (report.winner is None) == (after < 5)


def test_an_interrupt_before_anything_was_measured():
    runner = fakes.FakeRunner(by_pad({}))
    runner.count = lambda *_: (_ for _ in ()).throw(KeyboardInterrupt)
    report = fakes.search(runner, pads=(0, 3)).run()
    assert report.interrupted and report.winner is None and report.default.seconds is None
    assert [(each.pads, each.seconds, each.pruned) for each in report.trials] == [
        (Pads(0), None, "interrupted"),
        (Pads(3), None, "interrupted"),
    ]


def test_too_few_processes_for_a_winner():
    runner = fakes.FakeRunner(by_pad({5: 0.5e-5}), overhead=0.7)
    report = fakes.search(runner, budget=4.0).run()
    assert runner.now <= 4.0
    assert report.winner is None
    assert any("processes fitted into the budget" in each for each in report.notes)


def test_a_budget_too_small_for_anything():
    runner = fakes.FakeRunner(by_pad({}), overhead=1.0)
    report = fakes.search(runner, budget=0.5).run()
    assert report.winner is None
    assert {each.seconds for each in report.trials} == {None}
    assert any("not one round" in each for each in report.notes)


@pytest.mark.parametrize("overhead", [0.2, 1.0, 2.5])
def test_processes_that_start_slowly_are_waited_for(overhead):
    runner = fakes.FakeRunner(by_pad({5: 0.5e-5}), overhead=overhead)
    report = fakes.search(runner, pads=(5,), budget=60.0).run()
    assert report.winner is not None and report.winner.pads == Pads(5)


def test_slow_items_leave_candidates_out():
    runner = fakes.FakeRunner(lambda pads: 0.2)
    report = fakes.search(runner, budget=5.0, items=1).run()
    assert runner.now <= 5.0
    left_out = [each for each in report.trials if each.pruned]
    assert left_out and all(each.seconds is None for each in left_out)


# -- several machines, several runs at a time -------------------------------------------------------------------------


def test_of_several_kinds_of_machines_one_counts():
    runner = fakes.FakeRunner(by_pad({5: 0.5e-5}), machines=("this CPU", "that CPU"), width=4)
    report = fakes.search(runner).run()
    assert report.environment["cpu"] == "this CPU" and report.winner.pads == Pads(5) and report.winner.runs >= 5
    left_out = len(runner.runs) - report.runs
    assert report.notes == (f"{left_out} processes on another CPU, that CPU, left out: this is about this CPU",)


def test_progress_ends_with_no_time_left():
    told = []
    fakes.search(fakes.FakeRunner(by_pad({5: 0.5e-5})), progress=lambda *each: told.append(each)).run()
    stages = list(dict.fromkeys(stage for stage, *_ in told))
    assert stages == ["counting", "screening", "choosing", "confirming", "done"]
    left = [seconds for _, seconds, _ in told]
    assert left == sorted(left, reverse=True) and left[-1] == 0.0 < left[-2]
    assert told[-2][2] == "pad 5"


def test_what_looks_faster_and_has_not_won_says_why():
    """Whatever is chosen: each candidate whose median is below the winner's, or the default's, has a reason."""
    for seed in SEEDS:
        for table in ({}, {4: 0.6e-5, 5: 0.605e-5, 6: 0.6e-5}):
            runner = fakes.FakeRunner(by_pad(table), noise=0.1, process_noise=0.03, seed=seed)
            report = fakes.search(runner, budget=8.0, seed=seed).run()
            best = 1.0 if report.winner is None else report.winner.relative.median
            for each in report.trials:
                looks = each.relative is not None and each != report.winner and each.relative.median < best
                assert bool(each.not_won) == looks, each


def test_where_nothing_has_pads_nothing_is_measured():
    runner = fakes.FakeRunner(by_pad({3: 0.5e-5}), has_pads=False)
    report = fakes.search(runner).run()
    assert not runner.runs and report.winner is None
    assert report.notes == (
        "the workload calls no script whose pads could be chosen, and has no parameter `pad`: nothing was measured",
    )
    assert {each.pruned for each in report.trials} == {"nothing has pads"}


def test_a_run_that_was_too_short_is_followed_by_one_of_twice_the_time():
    """On a machine that has become busy, three in a row that say nothing would end the stage."""
    clock, lengths = Clock(600.0, now=lambda: 0.0), []
    for _ in range(5):
        lengths.append(clock.run_length(600.0, 5, 0.02, 3, 0.0))
        clock.learn(lengths[-1], 0.0, 0.0, 3, 0)
    assert all(later > 1.5 * before for before, later in itertools.pairwise(lengths))
