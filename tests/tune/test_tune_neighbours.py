"""jitffi/tune/worker/neighbours.py: who else uses the core is noticed and avoided, and what was measured meanwhile does
not count."""

from __future__ import annotations

import math
import os
import sys

import pytest
from fakes import FakeRunner, search

from jitffi.tune.records import CONTROL, DEFAULT, Pads, Run
from jitffi.tune.runs import job, measure
from jitffi.tune.search.tally import Tally
from jitffi.tune.worker import neighbours
from jitffi.tune.worker.neighbours import Neighbours, Quiet
from jitffi.tune.workload import Workload

linux = pytest.mark.skipif(sys.platform != "linux", reason="processors cannot be chosen here")

FAST, SLOW = 1e-5, 1.8e-5


def test_a_probe_takes_a_moment():
    assert 0 < neighbours.probe() < 0.1


def test_quiet_is_the_fastest_probe_and_what_is_near_it():
    quiet = Quiet()
    assert quiet.allows(1.0)  # nothing is known
    quiet.learn([1.5, 1.2])
    quiet.learn([])
    assert quiet.fastest == 1.2
    assert quiet.allows(1.4) and not quiet.allows(1.6)


class Machine:
    """Processors that a probe takes so long on. Some are at work: they are not had at once."""

    def __init__(self, monkeypatch, seconds: dict[int, float], at: int, working: frozenset[int] = frozenset()) -> None:
        self.seconds, self.at, self.working, self.clock = seconds, at, working, 0.0
        self.allowed, self.looked = set(seconds), []
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(self.allowed), raising=False)
        monkeypatch.setattr(os, "sched_setaffinity", self.move, raising=False)
        monkeypatch.setattr(neighbours, "probe", self.probe)
        monkeypatch.setattr(neighbours, "perf_counter", lambda: self.clock)

    def move(self, pid: int, allowed: set[int]) -> None:
        self.allowed = set(allowed)
        if self.at not in allowed:
            (self.at,) = allowed
            self.clock += 0.01 if self.at in self.working else 1e-5

    def probe(self) -> float:
        self.looked.append(self.at)
        self.clock += 3 * self.seconds[self.at]
        return self.seconds[self.at]


def test_a_thread_with_a_neighbour_goes_where_there_is_none(monkeypatch):
    machine = Machine(monkeypatch, {0: SLOW, 1: FAST, 2: SLOW}, at=0)
    here = Neighbours(FAST, seed=0)
    here.avoid()
    assert machine.at == 1
    assert machine.allowed == {0, 1, 2}  # it is not pinned
    assert here.slowest() == FAST  # what counts is measured there
    assert here.slowest() == 0.0


def test_without_a_neighbour_it_stays_where_it_is(monkeypatch):
    machine = Machine(monkeypatch, {0: FAST, 1: FAST / 2}, at=0)
    Neighbours(FAST, seed=0).avoid()
    assert machine.looked == [0]


def test_it_does_not_go_where_others_are_at_work(monkeypatch):
    machine = Machine(monkeypatch, {0: SLOW, 1: FAST}, at=0, working=frozenset({1}))
    here = Neighbours(FAST, seed=0)
    here.avoid()
    assert machine.at == 0
    assert here.slowest() == SLOW


def test_of_many_processors_it_looks_at_a_few(monkeypatch):
    machine = Machine(monkeypatch, dict.fromkeys(range(256), SLOW), at=0)
    Neighbours(FAST, seed=0).avoid()
    assert len(machine.looked) <= 10


def test_where_it_may_not_move_it_stays(monkeypatch):
    machine = Machine(monkeypatch, {0: SLOW, 1: FAST}, at=0)

    def refuse(pid, allowed):
        raise OSError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setaffinity", refuse, raising=False)
    here = Neighbours(FAST, seed=0)
    here.avoid()
    assert machine.at == 0 and here.slowest() == SLOW
    monkeypatch.delattr(os, "sched_getaffinity")
    here.avoid()


@linux
def test_a_real_thread_may_run_on_all_its_processors_afterwards():
    before = os.sched_getaffinity(0)
    here = Neighbours(0.0, seed=0)  # nothing is as fast as that
    here.avoid()
    assert os.sched_getaffinity(0) == before
    assert here.slowest() > 0


def run(score: float, probe: float, rounds: int = 10, fast: int = 0) -> Run:
    """All rounds but the first *fast* with that probe."""
    probes = (FAST,) * fast + (probe,) * (rounds - fast)
    times = {Pads(0): (score,) * rounds, DEFAULT: (1.0,) * rounds, CONTROL: (1.0,) * rounds}
    return Run("cpu", times, probes=probes)


def tally(*runs: Run) -> Tally:
    found = Tally("cpu", 0)
    for each in runs:
        found.add(each)
    return found


def test_five_calm_runs_are_all_that_counts():
    found = tally(*[run(0.8, FAST)] * 5, *[run(1.0, SLOW)] * 8)
    assert found.scores(Pads(0)) == [0.8] * 5
    assert found.beats(Pads(0))
    assert found.is_clear([Pads(0)])


def test_with_fewer_calm_runs_all_count_and_it_is_not_over():
    found = tally(*[run(0.8, FAST)] * 3, *[run(1.0, SLOW)] * 8)
    assert len(found.scores(Pads(0))) == 11
    assert found.count(Pads(0)) == 3
    assert not found.is_clear([Pads(0)]) and not found.cannot_win(Pads(0))
    for _ in range(2):
        found.add(run(0.8, FAST))
    assert found.beats(Pads(0))


def test_of_a_run_with_enough_calm_rounds_the_others_do_not_count():
    times = {Pads(0): (0.8,) * 6 + (1.0,) * 10, DEFAULT: (1.0,) * 16}
    mixed = Run("cpu", times, probes=(FAST,) * 6 + (SLOW,) * 10)
    assert tally(mixed).scores(Pads(0)) == [0.8]
    few = Run("cpu", times, probes=(FAST,) * 4 + (SLOW,) * 12)
    assert tally(few).scores(Pads(0)) == [1.0]


def test_what_is_fast_is_known_from_other_runs_of_that_machine():
    quiet = Quiet(FAST)
    found = Tally("cpu", 0, quiet=quiet)
    found.add(run(1.0, SLOW))
    assert found.count(Pads(0)) == 0
    assert found.calm_rounds(found.runs[0]) == [False] * 10


def test_a_machine_that_is_slow_all_the_time_is_its_own_measure():
    found = tally(*[run(0.8, SLOW)] * 5)
    assert found.count(Pads(0)) == 5 and found.beats(Pads(0))


def test_runs_without_probes_are_calm():
    found = Tally("cpu", 0)
    found.add(Run("cpu", {Pads(0): (0.8,) * 6, DEFAULT: (1.0,) * 6}))
    assert found.count(Pads(0)) == 1
    assert found.quiet.fastest == math.inf


def gains(pads: Pads) -> float:
    """Pad 0 is a sixth faster."""
    return 1e-5 * (0.83 if pads.everywhere == 0 else 1.0 + 0.05 * (pads.everywhere or 1))


@pytest.mark.parametrize("seed", range(6))
def test_a_search_with_phases_of_neighbours_finds_what_pays(seed):
    runner = FakeRunner(gains, seed=seed, busy=lambda now: int(now / 1.5 + seed) % 3 != 0)
    found = search(runner, budget=30.0, seed=seed).run()
    assert found.choices[0].best == 0
    (note,) = [each for each in found.notes if "core" in each]
    assert "% of the rounds" in note


def test_a_search_without_neighbours_does_not_mention_them():
    found = search(FakeRunner(gains, busy=lambda now: False)).run()
    assert found.choices[0].best == 0
    assert not [each for each in found.notes if "core" in each]


def test_a_search_that_has_neighbours_all_the_time_says_what_is_true_of_that():
    found = search(FakeRunner(gains, busy=lambda now: True), budget=10.0).run()
    assert found.choices[0].winner is None


def work(item: object) -> None:
    sum(range(2000))


def test_each_round_of_a_real_run_has_a_probe():
    given = job.Job(Workload("work", function=work), tuple(range(10)))
    (found,) = measure.Local().time_runs(given, [Pads(0)], 1.5, [1])
    assert len(found.probes) == len(found.seconds[DEFAULT]) > 0
    assert all(0 < each < 0.1 for each in found.probes)
    assert neighbours.here.fastest <= min(found.probes)
