"""Functions that are bound by a text of plain types alone, beside the same that are bound with a look at the types."""

from __future__ import annotations

import inspect
import keyword
import pickle
import random
import textwrap

import pytest
from support.values import seed

import jitffi
from jitffi import Function, _core
from jitffi.base import pad_policy

pytestmark = pytest.mark.skipif(not _core.PLAN_CODES, reason="calls need code on this machine")
NAMES = [
    "bool",
    "i8",
    "u16",
    "i32",
    "i64",
    "u64",
    "f32",
    "f64",
    "cstr",
    "ptr",
    "str",
    "bytes",
    "ucs4",
    "optional[cstr]",
]


@pytest.fixture(autouse=True)
def hot(monkeypatch):
    monkeypatch.setenv("JITFFI_COMPILE", "hot")
    monkeypatch.setattr(pad_policy, "current", None)  # no profile of a test before


def is_plain(function):
    return "_text" in Function(function).__dict__


def outcome(call, *args, **kwargs):
    try:
        return repr(call(*args, **kwargs))
    except Exception as error:
        return type(error), str(error)


def test_what_is_said_of_them_is_the_same():
    libc, rng = jitffi.load_library(None), random.Random(seed())
    plain = 0
    for _ in range(60):
        names = rng.sample(["x", "y_1", "arg1", "self", "_", "größe", "size", None, None, None], rng.randint(0, 4))
        params = [f"{name}: {rng.choice(NAMES)}" if name else rng.choice(NAMES) for name in names]
        text = f"({', '.join(params)}) -> {rng.choice([*NAMES, 'void'])}"
        options = {"nogil": rng.random() < 0.3, "compile": rng.choice([None, "hot", "never"])}
        first, second = libc.bind("labs", text, **options), libc.bind("labs", text, types={}, **options)
        plain += is_plain(first)
        assert not is_plain(second)
        assert first.__doc__ == second.__doc__ and first.__text_signature__ == second.__text_signature__
        assert outcome(first, None, wrong=1) == outcome(second, None, wrong=1)
        a, b = Function(first), Function(second)
        assert a._request().key == b._request().key and a.signature == b.signature
        assert repr(a) == repr(b)
        assert not text.isascii() or inspect.signature(a) == inspect.signature(b)  # which reads ASCII alone
        assert str(Function(pickle.loads(pickle.dumps(first))).signature) == str(b.signature)
    assert plain > 20


def test_other_texts_are_left_to_who_reads_signatures():
    texts = [f"({word}: i64) -> i64" for word in keyword.kwlist]
    texts += ["(x: i64, x: i64) -> i64", "(void) -> i64", "(i64,) -> i64", "(x: i64) -> ", "(1: i64) -> i64"]
    texts += ["(: i64) -> i64", "(i64, ) -> i64", "(i64 -> i64", "(x:i64)->i64", "(i63) -> i64", "(i64)\0 -> i64"]
    texts += ["(i64) -> optional[i64]", "(x: i64 = 1) -> i64", "(func[(i64) -> i64]) -> i64", "() -> void "]
    libc = jitffi.load_library(None)
    for text in texts:
        bound = outcome(lambda: is_plain(libc.bind("labs", text)))  # noqa: B023
        assert bound == outcome(lambda: is_plain(libc.bind("labs", text, types={}))) and bound != "True", text  # noqa: B023


def test_their_first_call_finds_code_that_is_there():
    libc = jitffi.load_library(None)
    now = libc.bind("labs", "(x: i64) -> i64", compile="now")
    assert now(-3) == 3
    bound = libc.bind("labs", "(x: i64) -> i64")
    assert is_plain(bound) and "_compiled" not in Function(bound).__dict__
    assert bound(-3) == bound(x=-3) == 3
    assert Function(bound)._compiled is Function(now)._compiled


def test_options_of_the_call():
    libc = jitffi.load_library(None)
    close = libc.bind("close", "(fd: i32) -> i32", errno=True, nogil=True, compile="never")
    assert is_plain(close)
    with pytest.raises(OSError, match="Bad file descriptor"):
        close(-1)
    assert "_compiled" not in Function(close).__dict__ and Function(close)._request().options == "kne"
    assert not is_plain(libc.bind("close", "(fd: i32) -> i32", keep_callbacks=True))
    with pytest.raises(TypeError, match="errno=True needs a result that can be -1 or NULL"):
        libc.bind("close", "(fd: i32) -> f64", errno=True)


def test_declared_ones_have_their_docstrings():
    libm = jitffi.load_library("libm.so.6")

    @libm.declare("(x: f64) -> f64")
    def floor(x: float) -> float:
        """The next integer
        below.
        """

    assert is_plain(floor) and floor(x=2.5) == 2.0
    assert floor.__doc__ == "floor(x: f64) -> f64\n\nThe next integer\nbelow."


def test_nothing_that_knows_signatures_is_loaded(run_python):
    program = """
    import jitffi, sys
    libm = jitffi.load_library("libm.so.6")
    assert libm.bind("hypot", "(x: f64, y: f64) -> f64")(3, y=4) == 5
    print([name for name in sys.modules if name.startswith(("jitffi.signature", "jitffi.adapters", "jitffi.types"))])
    """
    assert run_python(textwrap.dedent(program), env={"JITFFI_CACHE_DIR": "", "JITFFI_COMPILE": ""}) == "[]\n"
