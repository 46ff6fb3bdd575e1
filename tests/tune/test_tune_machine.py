"""What the machine is: read from the system where it tells, and something usable where it does not."""

from __future__ import annotations

import json

import pytest

from jitffi import _core
from jitffi.profiles import machine

CPUINFO = """processor\t: 0
cpu family\t: 26
model\t\t: 2
model name\t: Some CPU 9000

processor\t: 1
model name\t: Another
"""


@pytest.fixture
def files(monkeypatch):
    held: dict[str, str] = {}
    monkeypatch.setattr(machine, "_lines", lambda path: held.get(path, "").splitlines())
    for cached in (machine.cpu_model, machine.caches):
        cached.cache_clear()
    yield held
    for cached in (machine.cpu_model, machine.caches):
        cached.cache_clear()


def test_the_environment_is_plain(monkeypatch):
    found = machine.environment()
    assert json.loads(json.dumps(found)) == found
    assert found["jitffi"] == _core.VERSION
    assert found["cpu"] == machine.cpu_model()
    assert all(found.values())


def test_the_first_cpu_names_them_all(files):
    files["/proc/cpuinfo"] = CPUINFO
    assert machine.cpu_model() == "Some CPU 9000 (family 26, model 2)"


def test_a_cpu_without_a_name_is_its_architecture(files, monkeypatch):
    monkeypatch.setattr(machine.platform, "processor", lambda: "")
    monkeypatch.setattr(machine.platform, "machine", lambda: "riscv64")
    assert machine.cpu_model() == "riscv64"


def test_caches_are_the_data_caches(files):
    folder = machine._CACHES
    rows = [("1", "Data", "48K"), ("1", "Instruction", "64K"), ("2", "Unified", "1024K"), ("3", "Unified", "32M")]
    for index, values in enumerate(rows):
        for name, value in zip(("level", "type", "size"), values, strict=True):
            files[f"{folder}/index{index}/{name}"] = value + "\n"
    assert machine.caches() == (48 << 10, 1 << 20, 32 << 20)


def test_caches_that_nobody_tells_are_usual_ones(files, monkeypatch):
    monkeypatch.setattr(machine.os, "sysconf", lambda name: 0)
    assert machine.caches() == machine._USUAL_CACHES
    monkeypatch.setattr(machine.os, "sysconf", lambda name: {"SC_LEVEL1_DCACHE_SIZE": 65536}.get(name, -1))
    machine.caches.cache_clear()
    assert machine.caches() == (65536,)
