"""What a script gives back: Python's own containers, all the way down, or with `returns="native"` ours."""

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


by_name = jitffi.script(nested, returns="native")


def is_plain(value):
    if type(value) in (list, tuple):
        return all(map(is_plain, value))
    if type(value) is dict:
        return all(is_plain(each) for item in value.items() for each in item)
    return type(value) in (int, float, str, bytes, bool, type(None))


def test_everything_is_pythons_own():
    for script in (jitffi.script(nested), jitffi.script(returns="python")(nested)):
        got = script(2**62)
        assert got == nested(2**62) and is_plain(got)
    assert type(jitffi.script(nested, returns="native")(1)) is jitffi.Map


@pytest.mark.parametrize("value", [None, 7, -(2**63), 2**63 - 1, 1.5, True, "x" * 40, "\u4e09", b"ab", len])
def test_other_results_are_as_ever(value):
    got = jitffi.script(given)(value)
    assert (type(got), got) == (type(value), value)


def test_shared_and_cyclic_structure_stays():
    got = jitffi.script(shared)(3)
    assert got == [[3], [3], ([3],)] and got[0] is got[1] is got[2][0]
    got = jitffi.script(cyclic)()
    assert type(got) is list and got[0] == 1 and got[1]["a"] is got


def test_a_list_of_ours_that_comes_back_is_the_same():
    mine = jitffi.List([1, [2]])
    assert jitffi.script(given)(mine) is mine
    got = jitffi.script(pair)(mine)
    assert type(got) is tuple and type(got[1]) is list and got[0] is got[1][0] is mine
    assert jitffi.script(inner_of)(mine) == [2]  # which nobody has seen yet
    inner = mine[1]
    assert jitffi.script(inner_of)(mine) is inner


def inner_of(x):
    return x[1]


def test_objects_in_it_are_the_same():
    thing = object()
    got = jitffi.script(pair)(thing)
    assert got[0] is thing and got[1][0] is thing and type(got) is tuple


def test_with_the_lock_released_and_with_a_signature():
    got = jitffi.script(shared, nogil=True)(1)
    assert got == [[1], [1], ([1],)] and is_plain(got)
    typed = jitffi.script(pair, signature="(i64) -> tuple[i64, list[i64]]")
    assert typed(4) == (4, [4]) and is_plain(typed(4))
    assert "returns" not in str(typed.signature)


def test_a_script_that_calls_it_gets_what_it_made():
    inner = jitffi.script(shared, returns="native")
    assert type(jitffi.script(call_it, returns="native")(inner)) is jitffi.List
    assert jitffi.script(call_it)(inner) == [[5], [5], ([5],), 6]


def call_it(f):
    found = f(5)
    found.append(6)
    return found


def deep(n):
    made = []
    for _ in range(n):
        made = [made]
    return made


def test_what_is_nested_deeply_comes_out():
    script = jitffi.script(deep)
    script(3)
    gc.collect()
    before = _core.live_objects()
    got, depth = script(50_000), 0
    while got:
        got, depth = got[0], depth + 1
    assert depth == 50_000 and type(got) is list and _core.live_objects() == before


def test_what_fails_midway_releases_everything():
    def keyed(key, n):
        return [{key: n}, {key: [n]}]

    class Refuses:
        refuse = False

        def __hash__(self):
            if self.refuse:
                raise ValueError("no hash")
            return 1

    key = Refuses()
    script = jitffi.script(keyed)
    gc.collect()
    before = _core.live_objects()
    assert script(key, 1) == [{key: 1}, {key: [1]}]
    count = sys.getrefcount(key)
    for _ in range(10):
        script(key, 1)
    assert sys.getrefcount(key) == count and _core.live_objects() == before


def test_nothing_leaks():
    script = jitffi.script(nested)
    script(1)
    gc.collect()
    before = _core.live_objects()
    for _ in range(20):
        script(1)
    assert _core.live_objects() == before


def test_it_is_pickled_along():
    assert type(pickle.loads(pickle.dumps(by_name))(1)) is jitffi.Map
    assert type(jitffi.script(by_name)(1)) is jitffi.Map  # the same script
    assert type(jitffi.script(by_name, returns="python")(1)) is dict


@pytest.mark.parametrize("value, error", [("pythons", ValueError), ("", ValueError), (dict, TypeError), (1, TypeError)])
def test_other_words_are_refused(value, error):
    for attempt in (lambda: jitffi.script(given, returns=value), lambda: jitffi.script(returns=value)):
        with pytest.raises(error, match="script: returns is 'native' or 'python', (got|not) "):
            attempt()


def test_files_and_stages_are_the_same():
    plain, other = jitffi.script(given), jitffi.script(given, returns="native")
    assert other.inspect_types() == plain.inspect_types() and other.inspect_llvm() == plain.inspect_llvm()


def doubled(n):
    return {2 * i for i in range(n)}


def kept(n, out):
    made = {n}
    out.append(made)
    return made


def large():
    return {2**70}


def asked(s, more):
    s |= more
    return len(s), "b" in s, 7 in s, list(s), [s | more, s & more, s - more, s ^ more], bool(s)


def growing(s):
    for x in s:
        s |= {x + "!"}


def test_a_set_that_is_made_is_a_set_of_ours_where_it_can_be():
    made = jitffi.script(doubled, returns="native")(3)
    assert type(made) is jitffi.Set and made == {0, 2, 4}
    assert type(jitffi.script(doubled)(3)) is set
    out = []
    assert jitffi.script(kept, returns="native")(1, out) is out[0]
    assert jitffi.script(large, returns="native")() == {2**70}
    own = {1}
    assert jitffi.script(given, returns="native")(own) is own


def changed(s):
    s.add(5)
    s.discard(1)
    s.update([7, 8])
    s.remove(7)
    t = s.copy()
    t.clear()
    return s, t, s.union([1]), s.issubset({5, 8, 2, 3}), sorted(s), max(s), sum(x for x in s)


def test_a_set_of_ours_has_its_methods():
    assert jitffi.script(changed)(jitffi.Set([1, 2, 3])) == changed(jitffi.Set([1, 2, 3])) == changed({1, 2, 3})


def test_a_set_of_ours_is_used_where_it_is():
    mine, more = jitffi.Set(["a", "b"]), jitffi.Set(["c"])
    got = jitffi.script(asked)(mine, more)
    assert got == asked(jitffi.Set(["a", "b"]), more) and mine == {"a", "b", "c"}
    assert got[3] == ["a", "b", "c"] and jitffi.script(asked)({"a", "b"}, {"c"})[:3] == got[:3]
    assert jitffi.script(given)(mine) is mine
    changing = jitffi.script(growing)
    with pytest.raises(RuntimeError, match="Set changed size during iteration"):
        changing(mine)
