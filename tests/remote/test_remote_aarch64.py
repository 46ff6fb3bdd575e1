"""A worker of another machine: compiled here, run by a CPython for aarch64 in qemu, which loads no compiler.

JITFFI_AARCH64_PYTHON names an interpreter that has the package's wheel and distributed: `.ci/test-arm64` makes one.
"""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import numpy
import pytest

import jitffi

distributed = pytest.importorskip("distributed")
PYTHON = os.environ.get("JITFFI_AARCH64_PYTHON")
pytestmark = pytest.mark.skipif(PYTHON is None, reason="JITFFI_AARCH64_PYTHON names no interpreter for aarch64")
WORKER = Path(__file__).with_name("at_worker.py")
#: Seconds in which an emulated interpreter imports distributed, on a machine that has much else to do.
PATIENCE = 900


@jitffi.script(signature="(text: str) -> map[str, i64]")
def count_words(text):
    counts = {}
    for word in text.lower().split():
        counts[word] = counts.get(word, 0) + 1
    return counts


@pytest.fixture(scope="module")
def address():
    with distributed.LocalCluster(n_workers=0, dashboard_address=":0", silence_logs=50) as cluster:
        command = [PYTHON, "-m", "distributed.cli.dask_worker", cluster.scheduler_address]
        environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": f"{PATIENCE}s"}
        environment.pop("PYTHONPATH", None)
        command += ["--no-nanny", "--no-dashboard", "--nthreads", "1"]
        worker = subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + PATIENCE
            while not cluster.scheduler.workers:
                assert worker.poll() is None, f"the worker ended with {worker.returncode}"
                assert time.monotonic() < until, f"the worker has not come in {PATIENCE} s"
                time.sleep(0.1)
            yield cluster.scheduler_address
        finally:
            worker.terminate()
            worker.wait(60)


def test_a_worker_of_another_machine(address):
    with jitffi.connect(address, timeout=PATIENCE) as session:
        session.timeout = PATIENCE
        assert [text.split("-")[0] for text in session.targets().values()] == ["aarch64"]
        session.upload(count_words)
        count = session.get_function("count_words")
        assert count("To be or not to be") == {"to": 2, "be": 2, "or": 1, "not": 1}
        assert count.time_evaluator(number=10, repeat=2)("a b").median > 0
        with pytest.raises(TypeError, match="count_words: 'text': expected str, got bytes"):
            count(b"bytes")

        session.upload(WORKER)
        kept = session.array(numpy.arange(1000.0))
        assert session.get_function("tests.remote.total")(kept) == 499500.0
        assert session.get_function("tests.remote.echo")([1, "a" * 50, {"b": 2.5}]) == [1, "a" * 50, {"b": 2.5}]
        with pytest.raises(KeyError):
            session.get_function("tests.remote.fails")("key")
        loaded = session._client.submit(eval, "'llvmlite' in __import__('sys').modules", workers=[session._worker])
        assert loaded.result() is False, "code comes from here, and what a file registers there needs none"
