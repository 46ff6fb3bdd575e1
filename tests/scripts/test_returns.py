"""What a script gives back with `returns="python"`: Python's own containers, all the way down."""

import gc
import pickle
import sys

import pytest

import jitffi
from jitffi import _core


def nested(n):
    return {"list": [1, "a\u00e9", None, b"x", (1, [2.5, True])], "n": n, (1, "k"): {}}


def shared(n):
    inner = [n]
    return [inner, inner, (inner,)]


def cyclic():
    a = [1]
    d = {"a": a}
    a.append(d)
    return a


def given(x):
    return x


def pair(x):
    return x, [x]


by_name = jitffi.script(nested, returns="python")


def is_plain(value):
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(is_plain(each) for item in value.items() for each in item)
    return type(value) in (int, float, str, bytes, bool, type(None))


def test_everything_is_pythons_own():
    script = jitffi.script(returns="python")(nested)
    got = script(2**62)
    assert got == nested(2**62) and is_plain(got)
    assert type(jitffi.script(nested, returns="native")(1)) is jitffi.Map
    assert type(jitffi.script(nested)(1)) is jitffi.Map


@pytest.mark.parametrize("value", [None, 7, -(2**63), 2**63 - 1, 1.5, True, "x" * 40, "\u4e09", b"ab", len])
def test_other_results_are_as_ever(value):
    got = jitffi.script(given, returns="python")(value)
    assert (type(got), got) == (type(value), value)


def test_shared_and_cyclic_structure_stays():
    got = jitffi.script(shared, returns="python")(3)
    assert got == [[3], [3], ([3],)] and got[0] is got[1] is got[2][0]
    got = jitffi.script(cyclic, returns="python")()
    assert type(got) is list and got[0] == 1 and got[1]["a"] is got


def test_a_list_of_ours_that_comes_back_is_a_copy():
    mine = jitffi.List([1, [2]])
    got = jitffi.script(given, returns="python")(mine)
    assert got == [1, [2]] and is_plain(got)
    got.append(3)
    assert mine == [1, [2]]


def test_objects_in_it_are_the_same():
    thing = object()
    got = jitffi.script(pair, returns="python")(thing)
    assert got[0] is thing and got[1][0] is thing and type(got) is tuple


def test_with_the_lock_released_and_with_a_signature():
    assert jitffi.script(shared, returns="python", nogil=True)(1) == [[1], [1], ([1],)]
    typed = jitffi.script(pair, signature="(i64) -> tuple[i64, list[i64]]", returns="python")
    assert typed(4) == (4, [4]) and is_plain(typed(4))
    assert "returns" not in str(typed.signature)


def test_a_script_that_calls_it_gets_what_it_made():
    inner = jitffi.script(shared, returns="python")
    calls = {"inner": inner}
    source = jitffi.script(given, returns="python")
    assert source([[1]]) == [[1]]
    assert type(jitffi.script(call_it)(calls["inner"])) is jitffi.List
    assert jitffi.script(call_it, returns="python")(inner) == [[5], [5], ([5],), 6]


def call_it(f):
    found = f(5)
    found.append(6)
    return found


def test_what_fails_midway_releases_everything():
    def deep(n):
        made = []
        for _ in range(n):
            made = [made]
        return made

    script = jitffi.script(deep, returns="python")
    script(3)
    gc.collect()
    before = _core.live_objects()
    with pytest.raises(RecursionError):
        script(100_000)
    assert _core.live_objects() == before

    def keyed(key, n):
        return [{key: n}, {key: [n]}]

    class Refuses:
        refuse = False

        def __hash__(self):
            if self.refuse:
                raise ValueError("no hash")
            return 1

    key = Refuses()
    script = jitffi.script(keyed, returns="python")
    assert script(key, 1) == [{key: 1}, {key: [1]}]
    count = sys.getrefcount(key)
    for _ in range(10):
        script(key, 1)
    assert sys.getrefcount(key) == count and _core.live_objects() == before


def test_nothing_leaks():
    script = jitffi.script(nested, returns="python")
    script(1)
    gc.collect()
    before = _core.live_objects()
    for _ in range(20):
        script(1)
    assert _core.live_objects() == before


def test_it_is_pickled_along():
    assert type(pickle.loads(pickle.dumps(by_name))(1)) is dict
    assert type(jitffi.script(by_name)(1)) is dict  # the same script
    assert type(jitffi.script(by_name, returns="native")(1)) is jitffi.Map


@pytest.mark.parametrize("value, error", [("pythons", ValueError), ("", ValueError), (dict, TypeError), (1, TypeError)])
def test_other_words_are_refused(value, error):
    for attempt in (lambda: jitffi.script(given, returns=value), lambda: jitffi.script(returns=value)):
        with pytest.raises(error, match="script: returns is 'native' or 'python', (got|not) "):
            attempt()


def test_files_and_stages_are_the_same():
    plain, other = jitffi.script(given), jitffi.script(given, returns="python")
    assert other.inspect_types() == plain.inspect_types() and other.inspect_llvm() == plain.inspect_llvm()
