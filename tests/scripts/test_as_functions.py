"""What looks at functions finds the same in scripts: `functools.wraps`, names, copies, what they were made of."""

from __future__ import annotations

import copy
import functools
import inspect
import pickle

import pytest

import jitffi


def plain(x: int, y=2, *, z=3):
    """What it says."""
    return x + y + z


doubled = jitffi.script(plain)


@jitffi.script
def added(x):
    return x + 1


@jitffi.script
@functools.wraps(added)
def tenfold(x):
    return added(x) * 10


@functools.wraps(plain)
@jitffi.script
def renamed(x):
    return x * 100


@functools.wraps(added)
@jitffi.script
def renamed_by_a_script(x):
    return x * 1000


def test_what_is_wrapped_keeps_its_own_code():
    assert tenfold(1) == 20 and tenfold.__name__ == "added" and tenfold.__wrapped__ is not added
    assert renamed(2) == 200 and renamed(2**70) == 100 * 2**70  # which the Python function computes
    assert renamed_by_a_script(2) == 2000 and renamed_by_a_script(2**70) == 1000 * 2**70
    assert added(2) == 3 and added(2**70) == 2**70 + 1


def test_wraps_gives_a_script_another_name_and_signature():
    assert (renamed.__name__, renamed.__qualname__, renamed.__doc__) == ("plain", "plain", "What it says.")
    assert renamed.__wrapped__ is plain and inspect.signature(renamed) == inspect.signature(plain)
    assert jitffi.script(renamed, returns="native")(2) == 200
    with pytest.raises(TypeError, match="__name__ must be set to a string object"):
        renamed.__name__ = 1


def test_a_left_one_keeps_its_own_function():
    @jitffi.script
    def left(x):
        try:
            return x * 3
        except* ValueError:
            pass

    assert functools.wraps(plain)(left)(5) == 15 and left.__name__ == "plain"
    assert "except*" in left.inspect_types()


def test_one_with_the_name_of_another_is_not_pickled_as_it():
    with pytest.raises(pickle.PicklingError, match="not the same object"):
        pickle.dumps(tenfold)
    assert pickle.loads(pickle.dumps(doubled))(1) == 6


def test_it_has_what_a_function_is_made_of():
    assert doubled.__code__ is plain.__code__ and doubled.__globals__ is globals()
    assert (doubled.__defaults__, doubled.__kwdefaults__, doubled.__closure__) == ((2,), {"z": 3}, None)
    assert inspect.getfullargspec(doubled) == inspect.getfullargspec(plain)
    assert not hasattr(doubled, "plain") and not hasattr(jitffi.script(len), "__code__")
    with pytest.raises(AttributeError, match="'Script' object has no attribute 'nothing'"):
        doubled.nothing  # noqa: B018


def test_copies_are_itself():
    assert copy.copy(doubled) is copy.deepcopy(doubled) is doubled
    assert copy.deepcopy([doubled])[0] is doubled


MODULES = """
import jitffi
for name in ("difflib", "ast", "re", "os", "linecache", "tokenize", "inspect", "functools", "textwrap", "posixpath"):
    jitffi.script_module(name)
import difflib, textwrap
@jitffi.script
def counted(words):
    return len(words) if words else words.lenght()
print(counted("ab"), difflib.get_close_matches("appel", ["ape", "apple", "peach"]), textwrap.dedent(" a"))
"""


@pytest.mark.parametrize("when", ["now", "hot"])
def test_modules_that_the_compiler_uses_can_be_scripts(run_python, when):
    printed = run_python(MODULES, env={"JITFFI_COMPILE": when, "JITFFI_SCRIPT_LEVEL": "0", "JITFFI_CACHE_DIR": ""})
    assert printed == "2 ['apple', 'ape'] a\n"
