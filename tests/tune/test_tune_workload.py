"""Workloads: what is read of a file without running it, how it is run, what functions are called with."""

from __future__ import annotations

import functools
import inspect
import linecache
import pickle
import sys

import pytest

import jitffi
from jitffi.base.errors import ArgumentError
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune import workload
from jitffi.tune.workload import Parameters, WorkloadError


@pytest.fixture(autouse=True)
def _restore(monkeypatch):
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    sys.modules.pop(workload.MODULE, None)


def written(folder, text, name="words.py"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# -- files ------------------------------------------------------------------------------------------------------------

COUNTED = """
import helper_of_words, sys
seen = []

def setup(corpus):
    seen.append(("setup", corpus))

def workload(item):
    seen.append(helper_of_words.twice(item))

if __name__ == "__main__":
    raise SystemExit("not run alone")
"""


def test_a_file_is_run_once_and_called_with_each_item(tmp_path):
    written(tmp_path, "def twice(x): return x * 2\n", "helper_of_words.py")
    path = written(tmp_path, COUNTED)
    found = workload.read(path)
    assert (found.name, found.path) == ("words.py", str(path))
    sent = pickle.loads(pickle.dumps(found))
    assert sent == found
    path.unlink()  # the text travels
    loaded = sent.load()
    loaded.prepare(("a", "b"))
    loaded.run(("a", "b"), DEFAULT)
    module = sys.modules[workload.MODULE]
    assert module.seen == [("setup", ["a", "b"]), "aa", "bb"]
    assert (module.__file__, module.__name__) == (str(path), workload.MODULE)
    assert inspect.getsource(module.setup).startswith("def setup(corpus):")


def test_scripts_in_a_file_find_their_text_where_there_is_no_file(tmp_path):
    path = written(
        tmp_path,
        "import jitffi\n"
        "def helper(text): return text.upper()\n"
        "@jitffi.script\n"
        "def workload(text):\n"
        "    return [helper(word) for word in text.split()]\n",
    )
    found = workload.read(path)
    path.write_text("something else\n")
    loaded = found.load()
    loaded.run(("a b",), DEFAULT)
    script = sys.modules[workload.MODULE].workload
    assert list(script("a b")) == ["A", "B"]
    assert pickle.loads(pickle.dumps(script)) is script
    linecache.checkcache()
    assert linecache.getline(str(path), 5) == "    return [helper(word) for word in text.split()]\n"


def test_files_of_other_encodings_and_line_ends(tmp_path):
    for text in (
        b"# coding: latin-1\r\nWORD = '\xe4'\r\ndef workload(): assert WORD == chr(0xe4)\r\n",
        b"\xef\xbb\xbfWORD = '\xc3\xa4'\ndef workload(): assert WORD == chr(0xe4)\n",
    ):
        loaded = workload.read(written(tmp_path, text)).load()
        assert loaded.parameters == Parameters(False)
        loaded.run((), DEFAULT)


def test_two_files_one_after_the_other(tmp_path):
    first = workload.read(written(tmp_path, "def workload(): return first\nfirst = 1\n", "a.py"))
    second = workload.read(written(tmp_path, "def workload(): return second\nsecond = 2\n", "b.py"))
    first.load()
    second.load()
    assert sys.modules[workload.MODULE].second == 2
    first.load()
    assert sys.modules[workload.MODULE].first == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"# coding: moon\n", "words.py: no Python text: unknown encoding: moon"),
        (b"x = '\xff'\n", "can't decode byte 0xff|Non-UTF-8 code starting"),
        (b"x = 1\ny\0 = 2\n", "words.py: no Python text: there is a null byte in it"),
    ],
)
def test_files_that_are_no_text(text, message, tmp_path):
    with pytest.raises((SyntaxError, WorkloadError), match=message):
        workload.read(written(tmp_path, text))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("x = 1\n", "words.py: there is no function 'workload' in it"),
        ("from os.path import *\n", "words.py: there is no function 'workload' in it"),
        ("workload = 7\n", "words.py: 7 is not a callable object"),
        ("import nowhere_at_all\ndef workload(): pass\n", "No module named 'nowhere_at_all' (words.py:1)"),
        ("def f():\n  1 / 0\ndef workload(): pass\nf()\n", "ZeroDivisionError: division by zero (words.py:2)"),
        ("def workload(): pass\nimport sys\nsys.exit()\n", "SystemExit (words.py:3)"),
        ("def workload(): pass\nraise KeyError('a\\nb')\n", r"KeyError: 'a\nb' (words.py:2)"),
        ("\ndef workload(item, other): pass\n", "words.py: workload(item, other): a workload has for parameters an"),
        ("async def workload(item): pass\n", "words.py: workload: a workload is a plain function; a generator or an"),
        ("def workload(item): yield item\n", "words.py: workload: a workload is a plain function; a generator or an"),
        ("def workload(pad, item): pass\n", "words.py: workload(pad, item): a workload has for parameters an item "),
        ("import jitffi\n@jitffi.script(strict=True)\ndef workload(item):\n  with item: pass\n", "(words.py, line 4)"),
    ],
)
def test_files_that_cannot_be_loaded(text, message, tmp_path):
    found = workload.read(written(tmp_path, text))
    with pytest.raises(WorkloadError) as caught:
        found.load()
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
    assert issubclass(WorkloadError, ArgumentError)


def test_files_that_are_none(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing.py: no such file") as missing:
        workload.read(tmp_path / "missing.py")
    assert isinstance(missing.value, ArgumentError)
    with pytest.raises(ArgumentError, match="it is a directory; name a Python file"):
        workload.read(str(tmp_path))
    with pytest.raises(SyntaxError) as caught:
        workload.read(written(tmp_path, "x = 1\ndef workload(:\n"))
    assert (caught.value.filename, caught.value.lineno) == (str(tmp_path / "words.py"), 2)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def workload(item): pass", Parameters(True)),
        ("def workload(*items): pass", Parameters(True)),
        ("def workload(): pass", Parameters(False)),
        ("def workload(pad): pass", Parameters(False, True)),
        ("def workload(pad=3): pass", Parameters(False, True, True)),
        ("def workload(item, pad=3): pass", Parameters(True, True, True)),
        ("def workload(item=None, *, pad): pass", Parameters(True, True)),
        ("def workload(item, /, *, pad=None, **more): pass", Parameters(True, True, True)),
        ("import jitffi\n@jitffi.script\ndef workload(text): return text", Parameters(True)),
        ("import functools\n@functools.lru_cache\ndef workload(item): pass", Parameters(True)),
        ("def f(item): pass\nworkload = f", Parameters(True)),
        ("if True:\n  def workload(item): pass", Parameters(True)),
        ("def workload(item): pass\ndef workload(): pass", Parameters(False)),
    ],
)
def test_parameters(text, expected, tmp_path):
    loaded = workload.read(written(tmp_path, text)).load()
    assert loaded.parameters == expected
    if expected.item:
        with pytest.raises(WorkloadError, match="the workload is called with items, and there is no corpus"):
            loaded.prepare(())


# -- functions --------------------------------------------------------------------------------------------------------


def test_functions_and_their_names():
    assert workload.read(str.split).name == "str.split"
    assert workload.read(functools.partial(str.split, sep=" ")).name == "partial"
    assert workload.read(test_functions_and_their_names).name == "test_functions_and_their_names"

    @jitffi.script
    def words(text):
        return text.split()

    found = workload.read(words)
    assert (found.name, found.function) == ("test_functions_and_their_names.<locals>.words", words)
    loaded = found.load()
    assert loaded.parameters == Parameters(True)
    loaded.prepare(("a b",))
    loaded.run(("a b",), DEFAULT)


def test_a_parameter_pad_gets_the_candidate():
    seen = []
    given = workload.read(lambda item, pad: seen.append((item, pad, type(pad).__name__, pad.unspecified))).load()
    given.run(("a",), Pads(4))
    given.run(("a",), DEFAULT)
    given.run(("a",), CONTROL)
    assert seen == [("a", 4, "Candidate", False), ("a", 1, "Candidate", True), ("a", 1, "Candidate", True)]
    del seen[:]
    defaulted = workload.read(lambda pad=9: seen.append(pad)).load()
    defaulted.run((), Pads(4))
    defaulted.run((), DEFAULT)
    defaulted.run((), CONTROL)
    assert seen == [4, 9, 9]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (7, "expected the path of a Python file, or a callable, got int"),
        (None, "got NoneType"),
        ((len, len), "got tuple"),
        (
            lambda item, other: None,
            "<lambda>(item, other): a workload has for parameters an item and then `pad`, or one",
        ),
        (lambda item, *, other: None, "<lambda>(item, *, other): a workload has for parameters an item and then `pad`"),
        (lambda item, pad, /: None, "<lambda>(item, pad, /): a workload has for parameters an item and then `pad`"),
    ],
)
def test_what_is_no_workload(given, message):
    with pytest.raises(TypeError) as caught:
        workload.read(given)
    assert message in str(caught.value)


def test_errors_in_words_tell_the_line_of_the_file(tmp_path):
    text = "import json\ndef inner(item):\n    return json.loads(item)\n\ndef workload(item):\n    inner(item)\n"
    loaded = workload.read(written(tmp_path, text)).load()
    with pytest.raises(ValueError) as caught:
        loaded.run(("[1,\n x",), DEFAULT)
    words = workload.in_words(caught.value)
    assert words.startswith("JSONDecodeError: Expecting value: ")
    assert words.endswith(" (words.py:3)")
    assert workload.in_words(KeyError()) == "KeyError"
    assert workload.in_words(WorkloadError("a.py:1: what\nit is")) == "a.py:1: what it is"
