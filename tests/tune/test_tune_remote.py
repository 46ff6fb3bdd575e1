"""Runs on workers of executors and of a real cluster of separate processes."""

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import time
import types
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from concurrent.futures.process import BrokenProcessPool

import cloudpickle
import pytest
from hurry import AMPLE, from_now_on, listened, two_rounds
from measured import fails_by_pad, kills_its_worker, sleeps, tells_process, words

import jitffi
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import workload
from jitffi.tune.records import Counted, Counts, Failure
from jitffi.tune.run import runners
from jitffi.tune.run.job import Job
from jitffi.tune.run.work import Observations

LINES = tuple([f"line {i} of a text with words of every length, unquestionably" for i in range(30)])


def job(function, items=LINES):
    return Job(workload.read(function), tuple(items))


def parents(folder):
    """What `tells_process` has told, a number a run."""
    return [int(each.read_text()) for each in folder.iterdir() if each.name.isdigit()]


# -- pools ------------------------------------------------------------------------------------------------------------


def test_runs_in_threads(tmp_path):
    with listened(), ThreadPoolExecutor(2) as pool:
        runner = runners.runner(pool)
        assert runner.width == min(2, os.cpu_count())
        runs = list(runner.time_runs(job(tells_process, [tmp_path]), [Pads(1)], AMPLE, [1, 2, 3]))
    assert [set(run.seconds) for run in runs] == [{DEFAULT, CONTROL, Pads(1)}] * 3
    assert not any(run.failures for run in runs) and runner.notes == ()
    assert parents(tmp_path) == [os.getpid()] * 3, "each in a process of its own"


def test_runs_in_a_pool_of_processes(tmp_path):
    with ProcessPoolExecutor(2, initializer=from_now_on) as pool:
        runner = runners.runner(pool)
        counted = runner.count(job(words), [Pads(0), Pads(4)], AMPLE)
        assert all(isinstance(each, Counts) for each in counted.counts.values()) and len(counted.counts) == 3
        assert counted.machine and list(counted.places)
        runs = list(runner.time_runs(job(tells_process, [tmp_path]), [], AMPLE, [1, 2]))
    assert len(runs) == 2 and all(run.machine == counted.machine for run in runs), runner.notes
    assert len(parents(tmp_path)) == 2 and os.getpid() not in parents(tmp_path)


def test_functions_without_a_name_are_sent_by_value():
    with listened(), ThreadPoolExecutor(1) as pool:
        runs = runners.runner(pool).time_runs(job(lambda item, pad=None: sleeps(item, pad)), [Pads(8)], AMPLE, [1])
        [run] = runs
    assert run.seconds[Pads(8)][0] > 2 * run.seconds[DEFAULT][0]


def test_scripts_without_a_name_are_sent_by_value(tmp_path):

    @jitffi.script(pad=3)
    def counted(text):
        return 0 if not text else 1 + counted(text[1:])

    again = pickle.loads(cloudpickle.dumps(counted))
    assert isinstance(again, jitffi.Script) and again("abcd") == 4 and again._given.pads == 3
    program = tmp_path / "program.py"
    program.write_text(BELOW_GUARD)
    found = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    told = subprocess.run([sys.executable, program], env=found, capture_output=True, text=True, timeout=600)
    assert (told.stdout, told.stderr) == ("{} True\n", "")


BELOW_GUARD = """
from concurrent.futures import ThreadPoolExecutor
import hurry
import jitffi
from jitffi.tune.run import runners
from jitffi.tune import workload
from jitffi.tune.run.job import Job
from jitffi.profiles.candidates import DEFAULT, Pads

if __name__ == "__main__":
    @jitffi.script
    def split(text):
        return text.split()

    def words(item):
        split(item)

    with hurry.listened(), ThreadPoolExecutor(1) as pool:
        job = Job(workload.read(words), ("a text", "more"))
        [run] = runners.runner(pool).time_runs(job, [Pads(1)], hurry.AMPLE, [1])
    print(run.failures, Pads(1) in run.seconds)
"""


def test_what_cannot_be_sent_is_an_error():
    with ThreadPoolExecutor(1) as pool, pytest.raises(pickle.PicklingError, match="the workload cannot be sent to wo"):
        list(runners.runner(pool).time_runs(job(sleeps, [iter("items"), (each for each in ())]), [], 1, [1]))


def test_an_interrupt_that_is_lost_while_a_cluster_is_found_comes_all_the_same(monkeypatch):
    def connect(address):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            time.sleep(1)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(runners, "_connect", connect)
    with pytest.raises(KeyboardInterrupt):
        runners.runner("tcp://127.0.0.1:1")
    assert signal.getsignal(signal.SIGINT) is before


def test_an_interrupt_brings_back_what_was_measured(monkeypatch):
    monkeypatch.setattr(runners, "_TO_RETURN", AMPLE)
    found, rung = [], []

    def ring(_):
        rung or rung.append(time.monotonic())
        signal.setitimer(signal.ITIMER_REAL, 0.1)

    before = signal.signal(signal.SIGALRM, signal.default_int_handler)
    try:
        with ThreadPoolExecutor(1) as pool, listened(ring, lambda seen: two_rounds(seen) and not rung):
            runs = runners.runner(pool).time_runs(job(sleeps), [], 10 * AMPLE, [1, 2])
            with pytest.raises(KeyboardInterrupt):
                for run in runs:
                    found.append(run)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - rung[0] < AMPLE, "the pool has ended, although the run had more time"
    assert len(found) == 1 and len(found[0].seconds[DEFAULT]) >= 1


def test_what_is_not_wanted_any_more_is_stopped():
    ended = []
    only_one = listened(lambda seen: (ended.append(seen), seen.stop()), lambda seen: two_rounds(seen) and not ended)
    with only_one, ThreadPoolExecutor(2) as pool:
        runner = runners.runner(pool)
        runs = runner.time_runs(job(sleeps), [], 10 * AMPLE, range(20))
        assert next(runs).seconds[DEFAULT]
        start = time.monotonic()
        runs.close()
    assert time.monotonic() - start < AMPLE and not any("lost" in note or "late" in note for note in runner.notes)


def test_other_things_are_no_executors():
    with pytest.raises(TypeError, match="concurrent.futures.Executor, the address of a Dask scheduler .* got int"):
        runners.runner(5)


# -- workers that are lost, made up -----------------------------------------------------------------------------------


class Made(Executor):
    """Workers that do as they are told, one after the other: a response, or an exception."""

    def __init__(self, *ways):
        self.ways = list(ways)
        self.sent = 0

    def submit(self, function, task):
        self.sent += 1
        future, way = Future(), self.ways.pop(0) if len(self.ways) > 1 else self.ways[0]
        if isinstance(way, BaseException):
            future.set_exception(way)
        else:
            future.set_result(way)
        return future


def made(*ways, width=2):
    workers, stopped = Made(*ways), []
    return runners.Runner(workers, width, stopped.append), workers, stopped


TOLD = Observations((DEFAULT, CONTROL), times=[{DEFAULT: 1.0, CONTROL: 1.0}], probes=[{DEFAULT: 1e-5, CONTROL: 1e-5}])
RUN = TOLD.run()


def test_a_run_of_a_lost_worker_is_given_to_another():
    runner, workers, stopped = made(TOLD, BrokenProcessPool("it is gone"), TOLD)
    assert list(runner.time_runs(job(sleeps), [], 1, range(4))) == [RUN] * 4
    assert workers.sent == 5 and stopped
    assert runner.notes == ("a worker was lost: BrokenProcessPool: it is gone",) and runner.width == 1


def test_without_workers_there_are_no_runs():
    runner, *_ = made(OSError("no"))
    assert list(runner.time_runs(job(sleeps), [], 1, range(3))) == []
    assert runner.notes == ("2 workers were lost: OSError: no", "no worker is left")
    assert runner.count(job(sleeps), [], 1) == Counted()


def test_a_workload_that_workers_do_not_find_fails_with_all_candidates(monkeypatch):
    module = types.ModuleType("only_here")
    exec("def workload(item): pass", module.__dict__)
    monkeypatch.setitem(sys.modules, "only_here", module)
    failure = Failure("the workload cannot be sent to workers: ModuleNotFoundError: No module named 'only_here'")
    runner = runners.runner(None)
    [run] = runner.time_runs(job(module.workload), [Pads(2)], AMPLE, [1])
    assert run.failures == dict.fromkeys([DEFAULT, CONTROL, Pads(2)], failure) and not run.seconds
    counted = runner.count(job(module.workload), [Pads(2)], AMPLE)
    assert counted.counts == dict.fromkeys([DEFAULT, Pads(2)], failure)


# -- a cluster --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0") as made,
        distributed.Client(made, set_as_default=False) as client,
    ):
        client.register_worker_callbacks(from_now_on)  # of those that are yet to come, too
        yield made, client


def pid():
    return os.getpid()


def test_runs_are_spread_over_a_cluster(cluster, tmp_path):
    made, client = cluster
    runner = runners.runner(made.scheduler_address)
    assert runner.width == 2
    runs = list(runner.time_runs(job(tells_process, [tmp_path]), [Pads(1)], AMPLE, range(4)))
    runner.close()
    assert [set(run.seconds) for run in runs] == [{DEFAULT, CONTROL, Pads(1)}] * 4 and runner.notes == ()
    found = parents(tmp_path)
    assert len(found) == 4 and set(found) == set(client.run(pid).values()), "both workers, a process a run"


def test_scripts_and_files_are_measured_on_a_cluster(cluster, tmp_path):
    _, client = cluster
    runner = runners.runner(client.get_executor())
    counted = runner.count(job(words), [Pads(0), Pads(2)], AMPLE)
    sizes = {pads: counts.allocations for pads, counts in counted.counts.items()}
    assert sizes[Pads(0)] > sizes[Pads(2)] > 0
    file = tmp_path / "workload.py"
    file.write_text(
        "import jitffi\n\n@jitffi.script\ndef words(text):\n    return [word for word in text.split()]\n\n\n"
        "def workload(item):\n    return words(item)\n"
    )
    there = job(str(file))
    file.unlink()  # the text is sent, as to a machine that does not have it
    [run] = runner.time_runs(there, [Pads(3)], AMPLE, [1])
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(3)} and not run.failures


def test_failures_come_back_from_a_cluster(cluster):
    _, client = cluster
    [run] = runners.runner(client).time_runs(job(fails_by_pad), [Pads(1), Pads(2)], AMPLE, [1])
    assert run.failures == {
        Pads(1): Failure("ValueError: not with this one"),
        Pads(2): Failure("killed by signal 11 (SIGSEGV)"),
    }
    assert set(run.seconds) == {DEFAULT, CONTROL}


def test_a_worker_of_a_cluster_that_dies_is_reported_and_the_others_go_on(cluster):
    _, client = cluster
    runner = runners.runner(client)
    victim = min(client.run(pid).values())
    runs = list(runner.time_runs(job(kills_its_worker, [victim]), [Pads(1)], AMPLE, range(4)))
    assert len(runs) == 4, runner.notes
    assert len(runner.notes) == 1 and "was lost" in runner.notes[0]


def test_no_scheduler_is_an_error_that_says_where():
    pytest.importorskip("distributed")
    with pytest.raises(ConnectionError, match="no Dask scheduler answers at 'no address at all'"):
        runners.runner("no address at all")
