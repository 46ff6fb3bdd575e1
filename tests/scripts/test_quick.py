"""Scripts that are compiled quickly for their first calls: when better code comes, and what becomes of calls then."""

from __future__ import annotations

import os
import textwrap
import threading

import pytest

import jitffi
from jitffi import _core
from jitffi.base import pad_policy
from jitffi.scripts.api import rounds

SCRIPT = """
import jitffi, os
from jitffi.scripts.api import improving, rounds

rounds.look_at = lambda function: None

@jitffi.script
def hashed(text, n):
    total = 7
    for i in range(n):
        for c in text:
            total = (total * 31 + ord(c)) % 1000003
    return total
"""


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", "hot")
    monkeypatch.setenv("JITFFI_SCRIPT_LEVEL", "")
    monkeypatch.setenv("JITFFI_CACHE_DIR", "")
    monkeypatch.setattr(pad_policy, "current", None)  # no profile of a test before
    monkeypatch.setattr(rounds, "look_at", lambda function: None)  # code is made for the first call, whatever it is


def improving():
    from jitffi.scripts.api import improving

    return improving


def is_quick(script):
    return any(each.quick is not None for each in script._variants.values())


def hashed(text, n):
    total = 7
    for _ in range(n):
        for c in text:
            total = (total * 31 + ord(c)) % 1000003
    return total


def test_better_code_takes_the_place():
    script = jitffi.script(hashed)
    wanted = hashed("text", 100_000)
    _core.hold_apart()
    try:
        assert script("text", 100_000) == wanted and is_quick(script)
        before = [each.address for each in script._variants.values()]
    finally:
        _core.release_apart(False)
    improving().drain()
    assert not is_quick(script) and before != [each.address for each in script._variants.values()]
    assert script("text", 100_000) == wanted


def test_a_call_that_is_under_way_begins_again(run_python):
    """It would hold the lock for minutes, and the thread that installs better code could not have it."""
    program = f"""{SCRIPT}
import threading, time
_hash = hashed
where = []
def look():
    while not where:
        made = list(_hash._variants.values())
        if made and made[0].quick is None:
            where.append(time.monotonic())
        time.sleep(0.001)
threading.Thread(target=look, daemon=True).start()
found = hashed("abcdefghij" * 100, 60_000)
ended = time.monotonic()
time.sleep(0.1)
os.environ["JITFFI_COMPILE"] = "now"
again = jitffi.script(_hash.__wrapped__)
print(where[0] < ended, found == again("abcdefghij" * 100, 60_000))
"""
    env = {"JITFFI_COMPILE": "hot", "JITFFI_SCRIPT_LEVEL": "", "JITFFI_CACHE_DIR": ""}
    assert run_python(program, env=env) == "True True\n"


def test_what_has_effects_ends_where_it_has_begun():
    @jitffi.script
    def filled(items, n):
        for i in range(n):
            items.append(i)
        return len(items)

    items: list[int] = []
    assert filled(items, 300_000) == 300_000 == len(items)
    improving().drain()
    assert filled(items, 2) == 300_002 and items[-3:] == [299_999, 0, 1]


def test_threads_while_the_code_is_exchanged():
    script = jitffi.script(hashed)
    wanted, wrong = hashed("some text", 40), []

    def call():
        for _ in range(200):
            if script("some text", 40) != wanted:
                wrong.append(1)

    threads = [threading.Thread(target=call) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong
    improving().drain()
    assert not is_quick(script)


def test_a_fork_while_better_code_is_made():
    script = jitffi.script(hashed)
    wanted = hashed("text", 30)
    assert script("text", 30) == wanted
    child = os.fork()
    if child == 0:
        other = jitffi.script(lambda x: x + 1)
        os._exit(0 if script("text", 30) == wanted and other(2) == 3 and hashed("ab", 2) else 1)
    assert os.waitpid(child, 0)[1] == 0
    improving().drain()
    assert script("text", 30) == wanted


def test_errors_of_a_call_that_begins_quickly_are_its_own():
    @jitffi.script
    def divided(n):
        total = 0
        for i in range(n, -1, -1):
            total += n // i
        return total

    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            divided(100_000)
        improving().drain()


def test_an_address_for_c_is_that_of_better_code():
    @jitffi.script(strict=True)
    def doubled(x: int) -> int:
        return x + x

    assert doubled(4) == 8
    address = doubled.native_address
    assert not is_quick(doubled)
    assert jitffi.Function.from_native(address, "(i64) -> i64", keep_alive=doubled)(21) == 42


def test_a_process_leaves_better_code_in_the_cache(run_python, tmp_path):
    env = {"JITFFI_COMPILE": "hot", "JITFFI_SCRIPT_LEVEL": "", "JITFFI_CACHE_DIR": str(tmp_path / "cache")}
    (tmp_path / "module.py").write_text(SCRIPT)
    calls = f"""
    import sys
    sys.path.insert(0, {str(tmp_path)!r})
    from module import hashed, jitffi
    from jitffi.scripts.api import program
    hashed("text", 100_000)
    print([each.quick is None for each in hashed._variants.values()])
    """
    assert run_python(textwrap.dedent(calls), env=env) == "[False]\n"
    assert run_python(textwrap.dedent(calls), env=env) == "[True]\n"
