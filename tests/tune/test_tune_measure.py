"""Runs in processes of their own: what they measure, and what workloads do to them."""

import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path
from statistics import median

import pytest
from hurry import AMPLE, listened, two_rounds
from measured import (
    default_fails,
    fails_by_pad,
    fails_late,
    hangs,
    noisy,
    picky,
    sleeps,
    slow,
    starts_another,
    tells_environment,
    very_slow,
    without_item,
    words,
)

from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import workload
from jitffi.tune.records import Counts, Failure
from jitffi.tune.run import runners
from jitffi.tune.run.job import Job, pack, unpack
from jitffi.tune.run.work import Observations

ROOT = Path(__file__).parents[2]
LINES = tuple([f"line {i} of a text with words of every length, unquestionably" for i in range(50)])


def job(function, items=LINES):
    return Job(workload.read(function), tuple(items))


def ratios(run, pads):
    return median([mine / default for mine, default in zip(run.seconds[pads], run.seconds[DEFAULT], strict=True)])


def runs(function, candidates, seconds=AMPLE, items=LINES, runner=None, seeds=(1,), enough=two_rounds):
    with listened(enough=enough):
        runner = runner or runners.runner(None)
        return list(runner.time_runs(job(function, items), [Pads(each) for each in candidates], seconds, seeds))


def one_run(*arguments, **more):
    [run] = runs(*arguments, **more)
    return run


# -- what is measured -------------------------------------------------------------------------------------------------


def test_times_are_of_the_candidates():
    run = one_run(sleeps, [1, 4], items=range(4), enough=lambda seen: len(seen.times) >= 5)
    assert run.machine and not run.failures
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(1), Pads(4)}
    assert len({len(times) for times in run.seconds.values()}) == 1, "rounds have all candidates"
    assert len(run.seconds[DEFAULT]) >= 1
    assert 1.2 < ratios(run, Pads(1)) < 3 < ratios(run, Pads(4)) < 9
    assert 0.5 < ratios(run, CONTROL) < 2


def test_scripts_run_with_the_pads_of_the_candidates():
    counted = runners.runner(None).count(job(words), [Pads(0), Pads(3)], AMPLE)
    assert counted.items == len(LINES) and counted.seconds > 0 and counted.machine
    assert set(counted.counts) == {DEFAULT, Pads(0), Pads(3)}
    asked = [counted.counts[pads].allocations for pads in (Pads(0), Pads(3))]
    assert asked[0] - asked[1] >= 7 * len(LINES), "without room, words of more than 7 characters are objects"
    [(key, place)] = counted.places.items()
    assert key.startswith("words:") and "[]" in place.variables and Path(place.file).name == "measured.py"
    run = one_run(words, [3])
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(3)}


def test_a_file_is_run_once_a_process_and_set_up_with_the_items(tmp_path):
    file = tmp_path / "workload.py"
    file.write_text(
        textwrap.dedent(
            f"""
            import os
            def note(*what):
                with open({str(tmp_path / "log")!r}, "a") as log:
                    print(*what, file=log)
            note("loaded", os.getpid())
            def setup(corpus):
                note("setup", os.getpid(), type(corpus).__name__, len(corpus))
            def workload(item):
                return item.split()
            """
        )
    )
    assert len(runs(str(file), [0], seeds=[1, 2])) == 2
    log = [line.split() for line in (tmp_path / "log").read_text().splitlines()]
    assert [each[0] for each in log] == ["loaded", "setup"] * 2
    assert log[0][1] == log[1][1] != log[2][1] == log[3][1] and str(os.getpid()) not in (log[0][1], log[2][1])
    assert log[1][2:] == ["list", str(len(LINES))]


def test_a_workload_without_items_is_a_pass_of_one_call():
    counted = runners.runner(None).count(job(without_item, ()), [Pads(0)], AMPLE)
    assert set(counted.counts) == {DEFAULT, Pads(0)} and counted.items == 1
    assert one_run(without_item, [0], items=()).seconds[DEFAULT][0] < 0.001


def test_slow_items_are_fewer_and_times_are_of_all():
    runner = runners.runner(None)
    for seconds in (6, 30, 100):  # until there was time for it to start
        if found := runs(slow, [0], seconds, items=range(40), runner=runner, enough=lambda seen: seen.times):
            break
    assert 40 * 0.12 < found[0].seconds[DEFAULT][0] < 40 * 1.0
    assert any("of 40 items are measured" in note for note in runner.notes)


def test_time_is_over_when_it_is_over():
    runner = runners.runner(None)
    start = time.monotonic()
    assert list(runner.time_runs(job(very_slow), [Pads(0)], 0.6, [1])) == []
    assert runner.count(job(very_slow), [Pads(0)], 0.6).counts == {}
    assert time.monotonic() - start < 60


# -- candidates that fail ---------------------------------------------------------------------------------------------


FAILURES = {
    Pads(1): "ValueError: not with this one",
    Pads(2): "killed by signal 11 (SIGSEGV)",
    Pads(4): "exit code 3",
    Pads(5): "SystemExit: enough",
    Pads(6): "KeyboardInterrupt",
}


def test_candidates_that_fail_do_not_keep_the_others():
    run = one_run(fails_by_pad, range(8))
    assert {pads: failure.text for pads, failure in run.failures.items()} == FAILURES
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(0), Pads(3), Pads(7)}
    counted = runners.runner(None).count(job(fails_by_pad), [Pads(each) for each in range(8)], AMPLE)
    assert {pads: each.text for pads, each in counted.counts.items() if isinstance(each, Failure)} == FAILURES
    assert {pads for pads, each in counted.counts.items() if isinstance(each, Counts)} == set(run.seconds) - {CONTROL}


def test_what_hangs_is_killed_and_the_others_go_on():
    for seconds in (8, 40, 160):  # until there was time for the others
        found = runs(hangs, [0, 1, 2], seconds)
        if found and len(found[0].failures) == 1 and found[0].seconds:
            break
    [run] = found
    [failure] = run.failures.items()
    assert failure[0] == Pads(1) and failure[1].text.startswith("not ready after ")
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(0), Pads(2)}


def test_what_fails_in_a_round_is_out_from_then_on():
    run = one_run(fails_late, [0, 1], enough=lambda seen: seen.failures and two_rounds(seen))
    assert run.failures == {Pads(1): Failure("MemoryError")}
    assert set(run.seconds) == {DEFAULT, CONTROL, Pads(0)} and len(run.seconds[Pads(0)]) >= 1


def test_the_default_can_fail_like_any_other():
    run = one_run(default_fails, [3, 4])
    assert run.failures == dict.fromkeys([DEFAULT, CONTROL], Failure("OSError: no default"))
    assert set(run.seconds) == {Pads(3), Pads(4)}


def test_items_that_it_raises_for_are_left_out():
    runner = runners.runner(None)
    counted = runner.count(job(picky, range(50)), [Pads(0)], AMPLE)
    assert counted.items == 40 and not any(isinstance(each, Failure) for each in counted.counts.values())
    [note] = runner.notes
    assert note.startswith("10 of 50 items are left out, the workload raises: ZeroDivisionError: ")


@pytest.mark.parametrize(
    "text, expected",
    [
        ("import no_such_module_anywhere\ndef workload(item): pass", "ModuleNotFoundError"),
        ("def workload(item): pass\ndef setup(corpus): raise ValueError('set up')", "ValueError: set up"),
        ("import os\ndef workload(item): pass\ndef setup(corpus): os.abort()", "killed by signal 6 (SIGABRT)"),
    ],
)
def test_a_workload_that_cannot_be_loaded_fails_with_all_candidates(tmp_path, text, expected):
    file = tmp_path / "workload.py"
    file.write_text(text)
    [run] = runners.runner(None).time_runs(job(str(file)), [Pads(0)], AMPLE, [1])
    assert run.seconds == {} and set(run.failures) == {DEFAULT, CONTROL, Pads(0)}
    assert all(expected in failure.text for failure in run.failures.values())
    counted = runners.runner(None).count(job(str(file)), [Pads(0)], AMPLE)
    assert all(expected in failure.text for failure in counted.counts.values()) and len(counted.counts) == 2


# -- the process ------------------------------------------------------------------------------------------------------


def test_output_of_the_workload_goes_nowhere(capfd):
    run = one_run(noisy, [0])
    assert not run.failures and len(run.seconds[DEFAULT]) >= 1
    assert capfd.readouterr() == ("", "")


def test_environment_of_workers(tmp_path, monkeypatch):
    monkeypatch.setenv("JITFFI_PROFILE", "p.json")
    monkeypatch.setenv("JITFFI_TRACE", "t")
    monkeypatch.setenv("JITFFI_CACHE_DIR", "")
    one_run(tells_environment, [], items=[str(tmp_path / "env")])
    lines = (tmp_path / "env").read_text().splitlines()
    assert not [line for line in lines if line.startswith(("JITFFI_PROFILE", "JITFFI_TRACE"))]
    [cache] = [line.partition("=")[2] for line in lines if line.startswith("JITFFI_CACHE_DIR=")]
    assert os.path.isdir(cache), "code is kept for the next process, where there is no cache"
    assert os.environ["JITFFI_CACHE_DIR"] == ""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def wait_until_gone(pids):
    until = time.monotonic() + AMPLE
    while any(map(is_alive, pids)) and time.monotonic() < until:
        time.sleep(0.02)
    return [pid for pid in pids if is_alive(pid)]


@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_nothing_is_left_behind(tmp_path):
    before, log = len(os.listdir("/proc/self/fd")), tmp_path / "log"
    for seconds in (1, 4, 20, 100):  # until there was time for it to start
        assert list(runners.runner(None).time_runs(job(starts_another, [str(log)]), [], seconds, [1])) == []
        if log.exists() and log.read_text():
            break
    pids = log.read_text().split()
    assert len(pids) == 2 and wait_until_gone(pids) == []
    assert len(os.listdir("/proc/self/fd")) == before


class Alarm(KeyboardInterrupt):
    pass


def test_an_interrupt_keeps_the_rounds_that_there_are(monkeypatch):
    monkeypatch.setattr(runners, "_TO_RETURN", AMPLE)

    def ring(*_):
        raise Alarm

    found, before = [], signal.signal(signal.SIGALRM, ring)
    start = time.monotonic()
    try:
        with pytest.raises(Alarm), listened(lambda _: signal.setitimer(signal.ITIMER_REAL, 0.1)):
            for run in runners.runner(None).time_runs(job(sleeps, range(3)), [Pads(1)], 10 * AMPLE, [1, 2, 3]):
                found.append(run)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert time.monotonic() - start < 10 * AMPLE, "the run had more time"
    assert len(found) == 1 and len(found[0].seconds[Pads(1)]) >= 1


def program(tmp_path, text, *arguments):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(text))
    return subprocess.Popen(
        [sys.executable, str(file), *arguments], env={**os.environ, "PYTHONPATH": str(ROOT)}, cwd=tmp_path, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip


MEASURES = """
    import os, sys, time
    from jitffi.tune.run import runners
    from jitffi.tune import workload
    from jitffi.tune.run.job import Job
    from jitffi.profiles.candidates import DEFAULT, Pads
    from jitffi.tune.run.work import Measurement

    def pids(item):
        with open("pids", "a") as file:
            print(os.getpid(), file=file)
        time.sleep(0.001)

    def enough(measurement, *told, take=Measurement.take):
        take(measurement, *told)
        if len(measurement.observed.times) > 2:
            measurement.stop()

    if __name__ == "__main__":
        if "forever" not in sys.argv:
            Measurement.take = enough
        runner = runners.runner(None)
        job = Job(workload.read(eval(sys.argv[1])), tuple(range(5)))
        for run in runner.time_runs(job, [Pads(1)], 300, [1]):
            print(run.failures, len(run.seconds[DEFAULT]) > 2)
        print(*runner.notes)
"""


def test_functions_of_the_program_itself_are_measured_in_fresh_processes(tmp_path):
    with program(tmp_path, MEASURES, "pids") as child:
        assert child.communicate(timeout=600) == ("{} True\n\n", "")
    assert str(child.pid) not in (tmp_path / "pids").read_text().split()


def test_functions_without_a_name_are_measured_too(tmp_path):
    with program(tmp_path, MEASURES, "lambda item: pids(item)") as child:
        assert child.communicate(timeout=600) == ("{} True\n\n", "")


OF_MAIN = """
    import enum, sys, threading
    from dataclasses import dataclass
    import jitffi
    from jitffi.profiles.candidates import Pads
    from jitffi.tune import workload
    from jitffi.tune.run import runners
    from jitffi.tune.run.job import Job

    library = jitffi.load_library("libm.so.6")
    hypot = library.bind("hypot", "(f64, f64) -> f64")
    libc = jitffi.load_library(None, cdef="unsigned long strlen(const char *s);")
    compare = jitffi.function("(a: i32, b: i32) -> i32")(lambda a, b: a - b)

    class Colour(enum.Enum):
        RED = 1

    @dataclass
    class Item:
        text: str

    @jitffi.script
    def even(n: int) -> bool:
        return True if n == 0 else odd(n - 1)

    @jitffi.script
    def odd(n: int) -> bool:
        return False if n == 0 else even(n - 1)

    def pairs(item):
        assert isinstance(item, Item) and Colour.RED is Colour(1) and __name__ == "__main__"
        assert hypot(3, 4) == 5 and library.bind("cbrt", "(f64) -> f64")(8) == 2 and libc.strlen("four") == 4
        return even(len(item.text))

    def helps():
        return compare(1, 2)

    def compares(item):
        helps()

    job = Job(workload.read(eval(sys.argv[1])), (Item("a"), Item("text")))
    counted = runners.runner(None).count(job, [Pads(1)], 300)
    print(sorted({type(each).__name__ for each in counted.counts.values()}), len(counted.places))
"""


def test_what_the_program_has_made_itself_is_sent(tmp_path):
    with program(tmp_path, OF_MAIN, "pairs") as child:
        assert child.communicate(timeout=600) == ("['Counts'] 2\n", "")
    with program(tmp_path, OF_MAIN, "compares") as child:
        errors = child.communicate(timeout=600)[1]
    assert "PicklingError: the workload cannot be sent to workers: it uses compare: TypeError: cannot" in errors


@pytest.mark.parametrize("signal_number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.skipif(not os.path.exists("/proc/self/stat"), reason="needs /proc")
def test_workers_end_with_the_program(tmp_path, signal_number):
    with program(tmp_path, MEASURES, "pids", "forever") as child:
        until = time.monotonic() + AMPLE
        while not (tmp_path / "pids").exists() and time.monotonic() < until:
            time.sleep(0.05)
        os.killpg(child.pid, signal_number)  # as a terminal does
        out, errors = child.communicate(timeout=600)
    assert wait_until_gone(set((tmp_path / "pids").read_text().split())) == []
    assert errors.count("Traceback") == (signal_number == signal.SIGINT), "of the program, not of workers"


# -- jobs as bytes ----------------------------------------------------------------------------------------------------


def test_a_job_is_packed_by_name():
    made = job(words)
    again = unpack(pickle.loads(pickle.dumps(pack(made))))
    assert again.workload.function is words and again.items == made.items


LOCK = threading.Lock()
LOCKS = [LOCK]


def test_what_has_no_name_is_packed_by_value():
    assert unpack(pack(job(lambda item: len(LINES) * item))).workload.function(4) == 4 * len(LINES)


def test_globals_that_cannot_be_pickled_are_named():
    for uses in (lambda item: LOCK, lambda item: [LOCK for _ in item], lambda item: LOCKS):
        name = "LOCKS" if "LOCKS" in uses.__code__.co_names else "LOCK"
        with pytest.raises(pickle.PicklingError, match=f"sent to workers: it uses {name}: TypeError: cannot pickle"):
            pack(job(uses))


# -- records of what processes have said ------------------------------------------------------------------------------


def seen_rounds(times):
    seen = Observations((DEFAULT, Pads(1)), machine="cpu")
    for default, other in times:
        seen.times.append({Pads(1): other, DEFAULT: default})
        seen.probes.append({Pads(1): 1e-5, DEFAULT: 1e-5})
    return seen


def test_cold_rounds_are_left_out_for_all_candidates():
    seen = seen_rounds([(9.0, 9.5), (5.0, 5.5), (1.0, 0.5), (1.01, 0.6), (1.0, 0.5), (1.0, 0.5)])
    run = seen.run()
    assert run.seconds == {DEFAULT: (1.0, 1.01, 1.0, 1.0), Pads(1): (0.5, 0.6, 0.5, 0.5)} and run.machine == "cpu"


def test_a_candidate_that_failed_in_a_round_has_no_times():
    seen = seen_rounds([(1.0, 0.5), (1.0, 0.5)])
    seen.failures[Pads(1)] = Failure("KeyError: 'x'")
    seen.times.append({DEFAULT: 1.0})
    seen.probes.append({DEFAULT: 1e-5})
    run = seen.run()
    assert run.seconds == {DEFAULT: (1.0, 1.0, 1.0)} and run.failures == {Pads(1): Failure("KeyError: 'x'")}


def test_a_new_process_goes_on_without_what_failed_or_was_counted():
    seen = Observations((DEFAULT, Pads(1), Pads(2), Pads(3)))
    assert seen.left == seen.candidates
    seen.counts[DEFAULT] = Counts(3, 100, 80, 5)
    seen.failures[Pads(2)] = Failure("why")
    assert seen.left == (Pads(1), Pads(3))
    assert seen.counted().counts == {
        DEFAULT: Counts(3, 100, 80, 5),
        Pads(2): Failure("why"),
    }


def test_a_process_that_cannot_be_started_is_an_error(monkeypatch):
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    before = len(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else 0
    with pytest.raises(OSError):
        one_run(sleeps, [])
    assert not before or len(os.listdir("/proc/self/fd")) == before
