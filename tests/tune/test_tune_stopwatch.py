"""A stopwatch counts what the thread does and sleeps, and not for how long others have the CPU."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest

from jitffi.tune.worker import instruments as stopwatch
from jitffi.tune.worker.instruments import Stopwatch


def busy(seconds):
    """Compute until so many seconds of CPU are used; returns what was used."""
    start = time.thread_time()
    while (used := time.thread_time() - start) < seconds:
        pass
    return used


def test_work_and_sleep_count():
    watch = Stopwatch()
    assert watch.time(lambda: busy(0.02)) >= 0.0199
    assert watch.time(lambda: time.sleep(0.03)) >= 0.0298


@pytest.mark.skipif(not os.path.exists(stopwatch._STATE), reason="the system does not tell")
def test_others_do_not_count():
    code = "import time\nend = time.monotonic() + 20\nwhile time.monotonic() < end: pass"
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    others = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(3)]
    try:
        time.sleep(0.3)
        for _ in range(20):  # until the others have had most of the CPU, which is the system's to say
            watch, start = Stopwatch(), time.perf_counter()
            used: list[float] = []
            measured = watch.time(lambda used=used: used.append(busy(0.1)))
            wall = time.perf_counter() - start
            if wall > 2 * used[0]:
                break
    finally:
        os.sched_setaffinity(0, allowed)
        for each in others:
            each.kill()
            each.wait()
    assert used[0] * 0.99 <= measured < used[0] + 0.3 * max(wall - used[0], 0.1)


def test_wall_time_where_the_system_does_not_tell(monkeypatch, tmp_path):
    odd = tmp_path / "schedstat"
    for content in (None, "", "no numbers here"):
        if content is not None:
            odd.write_text(content)
        monkeypatch.setattr(stopwatch, "_STATE", str(odd))
        watch = Stopwatch()
        assert 0.0099 <= watch.time(lambda: time.sleep(0.01)) < 10


def test_nothing_stays_open():
    def files():
        return len(os.listdir("/proc/self/fd"))

    before = files()
    for _ in range(5):
        Stopwatch().time(int)
    assert files() == before
