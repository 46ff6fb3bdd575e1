"""The table of differences to CPython in the guide, row by row: what it says of scripts is so. Ctrl-C, tracebacks and
frames are test_interrupt.py's, test_traceback.py's and test_left.py's."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest

import jitffi
from tests.support.builds import ROOT

LIMIT = 7


def doubled(n: int, times: int) -> Any:
    for _ in range(times):
        n *= 2
    return n, (times - 88) ** 0.5


def appended(n: int, out: list[int]) -> Any:
    out.append(n)
    return n * n


def test_ints_beyond_64_bits() -> None:
    assert jitffi.script(doubled)(1, 80) == doubled(1, 80)
    with pytest.raises(OverflowError):
        jitffi.script(appended)(2**62, [])


def test_lone_surrogates() -> None:
    def f(n: int) -> Any:
        return "a" + chr(n)

    with pytest.raises(ValueError, match="surrogate"):
        jitffi.script(f)(0xD800)


def views(n: int) -> Any:
    table = {1: n}
    keys, items = table.keys(), table.items()
    table[2] = n
    return len(keys), len(items)


def given_views(table: Any) -> Any:
    keys = table.keys()
    table[2] = 1
    return len(keys), len(table)


def test_views_are_lists_of_that_time_in_strict_scripts_and_of_maps() -> None:
    assert jitffi.script(views, strict=True)(1) == (1, 1) and views(1) == (2, 2) == jitffi.script(views)(1)
    assert jitffi.script(given_views)(jitffi.Map({1: 2})) == (1, 2) and given_views({1: 2}) == (2, 2)


def order(a: int, b: int) -> Any:
    items = {a, b, 5, 1}
    going = [each for each in items]  # noqa: C416
    return going, items.pop(), f"{items}"


def test_sets_have_the_order_in_which_items_were_put_in() -> None:
    assert jitffi.script(order)(9, 3) == ([9, 3, 5, 1], 1, "{9, 3, 5}")


def identity(n: int) -> Any:
    text, other = "ab" * n, "ab" * n
    return text is other, n + 10**6 is 10**6 + n


def test_identity_of_text_and_numbers_is_equality() -> None:
    assert jitffi.script(identity)(2) == (True, True) and identity(2) == (False, False)


HASHED = """
import jitffi
@jitffi.script
def f(text, n):
    return hash(text + "b"), hash((n, text))
print(f("a", 1))
"""


def test_hashes_are_the_same_in_each_process(tmp_path: Any) -> None:
    file = tmp_path / "hashed.py"
    file.write_text(HASHED)
    found = {
        subprocess.run(
            [sys.executable, str(file)],
            capture_output=True,
            text=True,
            check=True,
            cwd=ROOT,
            env={"PYTHONHASHSEED": str(seed), "JITFFI_COMPILE": "now", "PATH": "/usr/bin"},
        ).stdout
        for seed in (1, 2)
    }
    assert len(found) == 1


def slice_as_key(n: int) -> Any:
    table = {n: 1}
    return table[n:2]  # type: ignore[misc]


def test_a_slice_is_no_key() -> None:
    with pytest.raises(TypeError):
        jitffi.script(slice_as_key)(1)


def deep(n: int) -> int:
    return 0 if n == 0 else 1 + deep(n - 1)


def test_recursion_has_a_limit_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(5000)
    try:
        script = jitffi.script(deep)
        assert deep(1500) == 1500 and script(900) == 900
        with pytest.raises(RecursionError):
            script(1500)
    finally:
        sys.setrecursionlimit(before)


def limited(n: int) -> bool:
    return n < LIMIT


def test_constants_are_those_of_when_code_was_made(monkeypatch: pytest.MonkeyPatch) -> None:
    script = jitffi.script(limited, signature="(n: i64) -> bool")  # compiled at once
    assert not script(8)
    monkeypatch.setitem(globals(), "LIMIT", 100)
    assert not script(8) and limited(8)
