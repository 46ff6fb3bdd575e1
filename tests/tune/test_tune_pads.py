"""Pads from outside the source: keys of functions, candidates, scripts that change over while they live, places."""

from __future__ import annotations

import gc
import importlib.util
import pickle
import textwrap
import threading

import pytest
from keeping import TEXT, allocations, kept, listed

import jitffi
from jitffi import _core
from jitffi.profiles import pads
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.profiles.pads import Candidate, Place
from jitffi.scripts.api import variants


@pytest.fixture(autouse=True)
def untuned():
    yield
    pads.switch(None)
    jitffi.use_profile(None)


@pytest.fixture
def module(tmp_path):
    """module(source, name="some"): a module of that text, in a file of that name."""

    def make(source: str, name: str = "some"):
        path = tmp_path / f"{name}.py"
        path.write_text(textwrap.dedent(source))
        spec = importlib.util.spec_from_file_location(name, path)
        made = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(made)
        return made

    return make


def both(text, count):
    return len(listed(text, count)) + kept(text, count)


# -- keys -------------------------------------------------------------------------------------------------------------

WORDS = """
def words(text):
    '''Of a text.'''
    found = [each for each in text.split()]  # not sorted
    return found
"""


def test_a_key_is_of_the_name_and_the_text(module):
    key = pads.key(module(WORDS).words)
    name, _, digest = key.rpartition(":")
    assert (name, len(digest), set(digest) <= set("0123456789abcdef")) == ("words", 16, True)
    assert pads.key(module("# further down\n\n" + WORDS, "elsewhere").words) == key
    decorated = WORDS.replace("def", "import jitffi\n@jitffi.script(pad=3)\ndef")
    assert pads.key(module(decorated, "decorated").words) == key
    nested = "def around():\n" + textwrap.indent(textwrap.dedent(WORDS), "    ") + "\n    return words\n"
    inner = pads.key(module(nested, "nested").around())
    assert inner == f"around.<locals>.words:{digest}"
    for change in (
        ("split()", "split(' ')"),
        ("Of a", "Of the"),
        ("# not", "# is not"),
        ("    found", "    if 1:found"),
    ):
        assert pads.key(module(WORDS.replace(*change), "changed").words) != key


def test_a_script_has_the_key_of_its_function():
    assert pads.key(jitffi.script(listed)) == pads.key(listed)
    assert pads.key(listed) != pads.key(kept)


def test_keys_of_typed_functions(build_library):
    assert pads.key(jitffi.load_library(None).bind("labs", "(x: i64) -> i64")) == "labs: (i64) -> i64"
    assert pads.key(jitffi.function("(str) -> str", name="same")(lambda text: text)) == "same: (str) -> str"


def test_keys_of_what_has_no_text_or_is_no_function():
    space = {}
    exec("def f(x):\n    return x\ndef g(x):\n    return -x", space)
    assert pads.key(space["f"]).startswith("f:")
    assert pads.key(space["f"]).split(":")[1] != pads.key(space["g"]).split(":")[1]
    assert pads.key(lambda: 1).rpartition(":")[0].endswith("<lambda>")
    with pytest.raises(TypeError, match="expected a function, got int"):
        pads.key(3)


# -- candidates -------------------------------------------------------------------------------------------------------


def test_a_candidate_is_a_number():
    assert (Candidate(3), Candidate(3) + 1, [*range(16)][Candidate(3)]) == (3, 4, 3)
    assert not Candidate(3).unspecified
    nothing = Candidate(1, unspecified=True)
    assert nothing.unspecified
    assert nothing == 1
    for wrong in (-1, 16):
        with pytest.raises(ValueError, match=f"a pad is 0 to 15, not {wrong}"):
            Candidate(wrong)


def test_what_is_kept_by_candidate_tells_the_default_from_pad_1():
    nothing = Candidate(1, unspecified=True)
    assert nothing != Candidate(1)
    assert len({nothing, Candidate(1), *[Candidate(1), nothing]}) == 2
    assert Candidate(1) == Candidate(1)


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_candidates_pickle(protocol):
    for each in (Candidate(5), Candidate(1, unspecified=True)):
        again = pickle.loads(pickle.dumps(each, protocol))
        assert (type(again), again, again.unspecified) == (Candidate, each, each.unspecified)


def test_a_candidate_is_the_pad_of_a_script():
    for pad in (0, 2, 3, 15):
        assert allocations(jitffi.script(listed, pad=Candidate(pad)), TEXT, 50) == allocations(
            jitffi.script(listed, pad=pad), TEXT, 50
        )
    many = [allocations(jitffi.script(listed, pad=Candidate(pad)), TEXT, 50) for pad in (2, 3)]
    assert many[0] > many[1] + 40
    by_name = jitffi.script(listed, pad={"[]": Candidate(3)})
    assert allocations(by_name, TEXT, 50) == many[1]


def test_scripts_of_candidates_pickle_as_such():
    for tried in (Candidate(0), Candidate(1, unspecified=True), {"last": Candidate(2), "*": 1}):
        again = pickle.loads(pickle.dumps(jitffi.script(kept, pad=tried)))
        assert type(again._given.candidate) is type(tried)
        assert again._given.candidate == tried
        pads.switch(Pads(0, ((pads.key(kept), (("last", 15),)),)))
        assert allocations(again, TEXT, 50) == allocations(jitffi.script(kept, pad=15), TEXT, 50)
        pads.switch(None)
    again = pickle.loads(pickle.dumps(jitffi.script(kept, pad={"last": 4})))
    assert (again._given.pads, again._given.candidate) == ({"last": 4}, None)


def test_an_unspecified_candidate_is_no_pad():
    nothing = Candidate(1, unspecified=True)
    plain = jitffi.script(kept)
    assert allocations(jitffi.script(kept, pad=nothing), TEXT[:9], 50) == allocations(plain, TEXT[:9], 50)
    assert allocations(jitffi.script(kept, pad=1), TEXT[:9], 50) < allocations(plain, TEXT[:9], 50)
    assert allocations(jitffi.script(kept, pad={"last": nothing}), TEXT[:9], 50) == allocations(plain, TEXT[:9], 50)


def test_candidates_of_typed_functions():
    def options(made):
        return jitffi.Function(made)._options

    nothing, labs, sig = Candidate(1, unspecified=True), jitffi.load_library(None), "(i64) -> i64"
    assert options(labs.bind("labs", sig, pad=Candidate(3))) == "p3"
    assert options(labs.bind("labs", sig, pad=nothing)) == options(labs.bind("labs", sig)) == ""
    same = jitffi.function("(str) -> str", pad=Candidate(2), name="tried")(lambda text: text)
    assert (options(same), same("abc")) == ("p2", "abc")
    inner = jitffi.Function(same)
    packed = jitffi.Function.from_packed(inner.packed_address, signature="(str) -> str", self_handle=inner.handle)
    assert packed("abc") == "abc"
    address = jitffi.Function(labs.bind("labs", sig)).native_address
    assert options(jitffi.Function.from_native(address, sig, name="native", pad=Candidate(4))) == "p4"
    assert {"labs: (i64) -> i64", "tried: (str) -> str", "native: (i64) -> i64"} <= pads.places().keys()
    assert pads.places()["tried: (str) -> str"] == Place("tried", "", 0, ())
    bare = jitffi.Function.from_packed(inner.packed_address, self_handle=inner.handle, pad=nothing)
    assert bare("abc") == "abc"


def test_candidates_of_containers():
    assert list(jitffi.List([TEXT] * 3, pad=Candidate(3))) == [TEXT] * 3
    for pad in (Candidate(3), Candidate(1, unspecified=True)):
        made = _core.count_allocations(lambda pad=pad: jitffi.List([TEXT] * 30, pad=pad))[0]
        assert made == _core.count_allocations(lambda pad=pad: jitffi.List([TEXT] * 30, pad=int(pad)))[0]
    assert dict(jitffi.Map.with_pad(Candidate(3), {"a": TEXT})) == {"a": TEXT}


# -- switching --------------------------------------------------------------------------------------------------------


def test_scripts_that_say_nothing_follow(module):
    made = [jitffi.script(each) for each in (listed, kept, module(WORDS).words)]
    args = [(TEXT, 50), (TEXT, 50), (TEXT * 3,)]
    for function, given in zip(made, args, strict=True):
        for tried in (DEFAULT, Pads(0), Pads(3), CONTROL, Pads(15), Pads(3), DEFAULT):
            pads.switch(tried)
            found = allocations(function, *given)
            pads.switch(None)
            said = {} if tried.everywhere is None else {"pad": tried.everywhere}
            assert allocations(jitffi.script(function.__wrapped__, **said), *given) == found


def test_what_they_call_follows():
    made = jitffi.script(both)
    pads.switch(Pads(0))
    many = allocations(made, TEXT, 50)
    pads.switch(Pads(15))
    assert many > 90 > 10 > allocations(made, TEXT, 50)


def test_what_the_source_says_stays():
    fixed, whole = jitffi.script(listed, pad=3), jitffi.script(kept, pad={"last": 3})
    found = [allocations(fixed, TEXT, 50), allocations(whole, TEXT, 50)]
    for tried in (Pads(0), Pads(15), Pads(1, ((pads.key(listed), (("*", 0), ("[]", 0))),))):
        pads.switch(tried)
        assert [allocations(fixed, TEXT, 50), allocations(whole, TEXT, 50)] == found


def test_what_is_called_has_its_own_pads(module):
    some = module(
        """
        import jitffi

        @jitffi.script(pad=0)
        def few(text, count):
            return len([text for _ in range(count)])

        def many(text, count):
            return len([text for _ in range(count)])

        @jitffi.script
        def fixed(text, count):
            return few(text, count)

        @jitffi.script
        def free(text, count):
            return many(text, count)
        """
    )
    pads.switch(Pads(15))
    assert allocations(some.fixed, TEXT, 50) > 45
    assert allocations(some.free, TEXT, 50) < 10
    pads.switch(Pads(15, ((pads.key(some.many), (("[]", 0),)),)))
    assert allocations(some.free, TEXT, 50) > 45
    pads.switch(Pads(None, ((pads.key(some.many), (("[]", 3),)), (pads.key(some.few), (("[]", 3),)))))
    assert allocations(some.free, TEXT, 50) < 10
    assert allocations(some.fixed, TEXT, 50) > 45


def test_pads_by_variable():
    made = jitffi.script(both)
    counts = {}
    for name, tried in {
        "default": DEFAULT,
        "last": Pads(None, ((pads.key(kept), (("last", 15),)),)),
        "others": Pads(None, ((pads.key(kept), (("*", 15),)),)),
        "pools": Pads(None, ((pads.key(listed), (("[]", 15),)),)),
        "all": Pads(15),
        "all but": Pads(15, ((pads.key(kept), (("*", 0), ("last", 0))),)),
        "missing": Pads(None, (("both:0000000000000000", (("*", 15),)), ("kept", (("*", 15),)))),
    }.items():
        pads.switch(tried)
        counts[name] = allocations(made, TEXT, 50)
    assert counts["default"] == counts["missing"]
    assert counts["last"] == counts["others"] < counts["default"] - 45
    assert counts["pools"] == counts["all but"] < counts["default"] - 45
    assert counts["all"] < 10


def sizes(words):
    return [len(each) for each in words]


def test_lists_and_dicts_among_the_arguments():
    """Those that are converted: a script that takes no objects of Python's has them so."""
    words, table = [TEXT] * 50, dict.fromkeys(range(50), TEXT)
    for said in ({}, {"pad": Candidate(1, unspecified=True)}):
        made = jitffi.script(sizes, strict=True, **said)
        default = allocations(made, words)
        for tried, few in ((Pads(3), True), (DEFAULT, False), (Pads(0), False), (Pads(15), True), (None, False)):
            pads.switch(tried)
            assert list(made(words)) == list(made(jitffi.List(words))) == sizes(words)
            assert (allocations(made, words) < default - 45) == few
    pads.switch(Pads(3))
    assert allocations(jitffi.script(sizes, strict=True, pad=1), words) == default
    assert allocations(jitffi.script(sizes, strict=True, pad={"words": 9}), words) == default
    pads.switch(None)
    for few in (3, {"[]": 3}, Candidate(3)):
        assert allocations(jitffi.script(sizes, strict=True, pad=few), words) < default - 45
    values = [allocations(jitffi.script(valued, strict=True, pad=pad), table) for pad in (1, 3)]
    assert values[0] > values[1] + 45
    made = jitffi.script(sizes)
    pads.switch(Pads(3))
    made(words[:1])
    assert "[]" in pads.places()[pads.key(sizes)].variables


def valued(table):
    count = 0
    for each in table.values():
        count += len(each)
    return count


def test_a_candidate_in_the_source_yields_to_pads_of_that_function():
    made = jitffi.script(kept, pad=Candidate(0))
    many = allocations(made, TEXT, 50)
    pads.switch(Pads(15))
    assert allocations(made, TEXT, 50) == many
    pads.switch(Pads(0, ((pads.key(kept), (("last", 15),)),)))
    assert allocations(made, TEXT, 50) < many - 45


def test_nothing_is_compiled_twice(monkeypatch):
    made = [jitffi.script(each) for each in (listed, both)]
    compiled = []
    variant = variants.variant

    def noted(*args):
        made = variant(*args)
        compiled.extend([args] if made is not None else [])
        return made

    monkeypatch.setattr(variants, "variant", noted)
    other = Pads(4, ((pads.key(kept), (("last", 7),)),))
    for tried in (DEFAULT, Pads(4), other) * 3:
        pads.switch(tried)
        for each in made:
            each(TEXT, 5)
    # `listed` is not among what `other` names, so it runs what it has for 4.
    assert len(compiled) == 5
    pads.switch(CONTROL)
    pads.switch(None)
    made[0](TEXT, 5), made[1](TEXT, 5)
    assert len(compiled) == 5
    made[0](TEXT.encode(), 5)
    assert len(compiled) == 6


def test_more_kinds_than_a_table_has_room_for():
    made = jitffi.script(shown)
    values = (1, 1.5, "a", b"a", None, True, [1], {1: 2}, 2, "b")
    for tried in (DEFAULT, Pads(3), DEFAULT, Pads(3)):
        pads.switch(tried)
        assert [made(each, each) for each in values] == [shown(each, each) for each in values]
        assert made(1, "a") == "1!a"
        assert made("a", 1) == "a!1"


def shown(first, second):
    return str(first) + "!" + str(second)


def test_scripts_made_before_and_after(module):
    source = WORDS.replace("def", "import jitffi\n@jitffi.script\ndef")
    before = module(source, "before").words
    many = allocations(before, TEXT * 9)
    pads.switch(Pads(15))
    after = module(source, "after").words
    assert allocations(after, TEXT * 9) == allocations(before, TEXT * 9) <= many
    pads.switch(DEFAULT)
    assert allocations(after, TEXT * 9) == allocations(before, TEXT * 9) == many


def test_variants_made_between_two_tunings():
    made = jitffi.script(shown)
    assert made("a", "b") == "a!b"
    for tried in (Pads(3), None, Pads(5), None, Pads(3)):
        pads.switch(tried)
        for values in ((1, "a"), ("a", 1), (2.5, tried is None), (None, b"a")):
            assert made(*values) == shown(*values)
        made(tried, "x")
    assert len(made._tables.tables) == 3


def test_a_name_that_comes_to_mean_something_else(module):
    some = module(
        """
        import jitffi

        def one(text, count):
            return len([text for _ in range(count)])

        @jitffi.script
        def call(text, count):
            return one(text, count)
        """
    )
    pads.switch(Pads(15))
    assert allocations(some.call, TEXT, 50) < 10
    some.one = jitffi.script(some.one, pad=0)
    assert allocations(some.call, TEXT.encode(), 50) > 45  # a new variant sees it, the old one stays
    assert allocations(some.call, TEXT, 50) < 10
    for tried in (DEFAULT, Pads(15), Pads(3)):
        pads.switch(tried)
        some.call(TEXT, 50)
    assert allocations(some.call, TEXT, 50) > 45


def test_through_the_packed_convention_and_as_a_c_function():
    sig = "(str, i64) -> list[str]"
    made = jitffi.script(listed, signature=sig)
    packed = jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, signature=sig)
    for tried in (DEFAULT, Pads(15), Pads(0), Pads(15)):
        pads.switch(tried)
        assert list(packed(TEXT, 2)) == [TEXT] * 2
    assert allocations(packed, TEXT, 50) < 10
    size = jitffi.script(kept, signature="(str, i64) -> i64")
    address = size.native_address
    native = jitffi.Function.from_native(address, "(str, i64) -> i64", keep_alive=size)
    for tried in (DEFAULT, Pads(15), Pads(0), Pads(15)):
        pads.switch(tried)
        assert native(TEXT, 3) == len(TEXT) + 1
        assert size.native_address == address


def test_all_scripts_are_found_while_they_live():
    def there():
        return {id(each) for each in _core.scripts()}

    gc.collect()
    count = len(_core.scripts())
    made = [jitffi.script(listed) for _ in range(5)]
    assert {id(each) for each in made} <= there()
    for place in (2, 0, -1):  # in the middle, the oldest, the newest
        del made[place]
    gc.collect()
    assert len(_core.scripts()) == count + 2
    assert {id(each) for each in made} <= there()
    made.clear()
    for _ in range(100):
        jitffi.script(listed)
    gc.collect()
    assert len(_core.scripts()) <= count


def test_tables_that_there_are_not():
    made = jitffi.script(listed)
    for wrong in (-2, 16):
        with pytest.raises(ValueError, match="no pad"):
            _core.script_pool(made, wrong)
    for wrong in (-1, 2, 1 << 20):
        with pytest.raises(ValueError, match="no table"):
            _core.script_table(made, wrong)
    labs = jitffi.Function(jitffi.load_library(None).bind("labs", "(i64) -> i64"))
    with pytest.raises(ValueError, match="no script"):
        _core.script_table(labs, 0)
    with pytest.raises(TypeError):
        _core.script_table(3, 0)


def test_a_candidate_that_cannot_be_compiled_leaves_the_others(monkeypatch):
    made = jitffi.script(listed)
    assert len(made(TEXT, 3)) == 3
    pads.switch(Pads(5))
    with monkeypatch.context() as patch:
        patch.setattr(variants, "variant", lambda *args: (_ for _ in ()).throw(MemoryError("none left")))
        with pytest.raises(MemoryError, match="none left"):
            made(TEXT, 3)
    pads.switch(DEFAULT)
    assert len(made(TEXT, 3)) == 3
    pads.switch(Pads(5))
    assert len(made(TEXT, 3)) == 3


def test_other_threads_run_on():
    looped = jitffi.script(kept, nogil=True)
    wide = jitffi.script(both)
    ends, failures = threading.Event(), []

    def call():
        try:
            while not ends.is_set():
                if looped(TEXT, 200) != len(TEXT) + 1 or wide(TEXT, 3) != len(TEXT) + 4:
                    failures.append("wrong")
                if looped(TEXT.encode().decode() + "é", 3) != len(TEXT) + 2:
                    failures.append("wrong")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=call) for _ in range(3)]
    for each in threads:
        each.start()
    for i in range(300):
        pads.switch(Pads(i % 7) if i % 3 else DEFAULT)
    ends.set()
    for each in threads:
        each.join()
    assert failures == []


def test_native_threads_call_while_it_changes(build_library):
    source = """
    #include <pthread.h>
    #include <stdint.h>
    typedef int64_t (*function)(int64_t);
    static volatile int stop;
    static void* run(void* f) {
      int64_t wrong = 0;
      while (!stop) wrong += ((function)f)(5) != 15;
      return (void*)wrong;
    }
    static pthread_t thread;
    void start(void* f) { stop = 0; pthread_create(&thread, 0, run, f); }
    int64_t finish(void) { void* wrong; stop = 1; pthread_join(thread, &wrong); return (int64_t)wrong; }
    """
    library = jitffi.load_library(build_library(source))
    start = library.bind("start", "(ptr) -> void")
    finish = library.bind("finish", "() -> i64", nogil=True)
    script = jitffi.script(summed)
    packed = jitffi.Function.from_packed(script.packed_address, self_handle=script.handle, signature="(i64) -> i64")
    start(packed.native_address)
    for i in range(200):
        pads.switch(Pads(i % 5))
        assert script(4) == 10
    assert finish() == 0


def summed(count: int) -> int:
    total = 0
    for i in range(count + 1):
        total += i
    return total


# -- places -----------------------------------------------------------------------------------------------------------


def test_places(module):
    some = module(
        """
        import jitffi

        def upper(text):
            big = text.upper()
            return big + "!"

        @jitffi.script(strict=True)
        def shout(lines):
            out = []
            count = 0
            for line in lines:
                line = upper(line)
                count += len(line)
                out.append(line)
            return out

        @jitffi.script
        def never(text):
            word = text + "?"
            return word

        @jitffi.script(pad=3)
        def fixed(text):
            word = text + "?"
            return word

        @jitffi.script
        def number(n):
            return n + 1

        def attempt(text):
            word = text + "?"
            return word
        """
    )
    pads.switch(DEFAULT)
    some.shout(["a"]), some.fixed("a"), some.number(1)
    jitffi.script(some.attempt, pad=Candidate(3))("a")  # gone by now
    gc.collect()
    here = [each for each in pads.places().items() if each[1].file == some.__file__]  # other tests have functions, too
    found = {key.rpartition(":")[0]: (key, place) for key, place in here}
    assert {"shout", "upper", "number", "attempt"} <= found.keys()
    assert pads.places().keys().isdisjoint({pads.key(some.never), pads.key(some.fixed)})
    key, place = found["shout"]
    assert key == pads.key(some.shout)
    assert place == Place("shout", some.__file__, 8, ("[]", "line"))
    assert found["upper"][1].variables == ("big",)
    assert found["number"][1].variables == ()
    assert found["attempt"][1].variables == ("word",)
    assert pickle.loads(pickle.dumps(place)) == place
    pads.switch(Pads(9))
    assert pads.places()[key] == place


# -- where nothing is tuned -------------------------------------------------------------------------------------------


def test_a_program_that_tunes_nothing_loads_nothing_of_it(run_python):
    out = run_python(
        """
import sys
import jitffi
@jitffi.script
def double(text, pad=3):
    return text + text
assert double("ab") == "abab"
labs = jitffi.load_library(None).bind("labs", "(i64) -> i64", pad=3)
assert labs(-3) == 3
print([name for name in sys.modules if name.startswith("jitffi.") and ("tune" in name or "pads" in name)])
from jitffi import *
from jitffi.base import pad_policy
print(pad_policy.current, double("ab"))
"""
    )
    assert out.splitlines() == ["[]", "None abab"]


def test_scripts_of_before_it_was_loaded(run_python):
    out = run_python(
        f"""
import jitffi
from jitffi import _core
@jitffi.script
def listed(text, count):
    return [text for _ in range(count)]
def many():
    listed({TEXT!r}, 50)
    return _core.count_allocations(lambda: listed({TEXT!r}, 50))[0]
found = [many()]
from jitffi.profiles import pads
from jitffi.profiles.candidates import Pads
for each in (Pads(15), Pads(), Pads(15), None):
    pads.switch(each)
    found.append(many())
print(*found)
"""
    )
    default, large, again, *rest = map(int, out.split())
    assert (again, rest) == (default, [large, default])
    assert default > large + 45


# -- files ------------------------------------------------------------------------------------------------------------


def test_emitted_scripts_have_the_pads_too(tmp_path):
    def text(name, function, **options):
        jitffi.emit(jitffi.script(function, signature="(str, i64) -> list[str]", **options), tmp_path / name)
        return (tmp_path / name).read_text()

    default, four = text("default.ll", listed), text("four.ll", listed, pad=4)
    assert default != four
    pads.switch(Pads(4))
    assert text("tuned.ll", listed) == four
    assert text("said.ll", listed, pad=2) not in (default, four)
    pads.switch(DEFAULT)
    assert text("again.ll", listed) == default
