"""jitffi.Bytes against bytes: every method, operator and protocol gives what bytes gives."""

from __future__ import annotations

import array
import collections.abc
import copy
import gc
import operator
import pickle
import sys

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays

import jitffi

Bytes = jitffi.Bytes
CONTENTS = [b"", b"a", b"abc", b"\0\xff\0", bytes(range(256)), b" a b\t", b"x" * 1000]
CONTENT = st.one_of(st.binary(max_size=30), st.text("abAB x\t\n%1", max_size=20).map(str.encode))


def outcome(call):
    """What a call gives: its result, or the class of its exception."""
    try:
        return call()
    except Exception as error:
        return type(error)


def same(one, two):
    return repr(one) == repr(two) and one == two and type(one) is type(two)


@pytest.mark.parametrize("content", CONTENTS)
def test_bytes_equal_their_bytes_and_have_their_hash(content):
    made = Bytes(content)
    assert made == content and content == made and hash(made) == hash(content)
    assert {content: 1}[made] == 1 and {made: 1}[content] == 1
    assert repr(made) == f"Bytes({content!r})" == str(made)
    assert bytes(made) == content and type(bytes(made)) is bytes and bytearray(made) == content
    assert made.to_python() == content and type(made.to_python()) is bytes
    assert len(made) == len(content) and bool(made) is bool(content) and list(made) == list(content)
    assert list(reversed(made)) == list(reversed(content))
    assert made == bytearray(content) and bytearray(content) == made and memoryview(content) == made
    assert made != b"other" and made != "abc" and made != 3


@pytest.mark.parametrize("content", CONTENTS)
def test_items_and_slices(content):
    made, size = Bytes(content), len(content)
    for index in {*range(-size - 2, min(size + 2, 20)), size - 1, size, sys.maxsize, 2**80}:
        assert same(outcome(lambda: made[index]), outcome(lambda: content[index]))  # noqa: B023
    ends = [None, 0, 1, 2, -1, size, size + 3, -size - 3, 2**70]
    for start in ends:
        for stop in ends:
            for step in (None, 1, 2, -1, -3, 0):
                cut = slice(start, stop, step)
                assert same(outcome(lambda: made[cut]), outcome(lambda: content[cut]))  # noqa: B023


def test_what_it_is_made_from():
    assert Bytes() == b"" and Bytes(bytearray(b"ab")) == b"ab" and Bytes(memoryview(b"abcd")[::2]) == b"ac"
    assert Bytes(array.array("B", [1, 2])) == b"\1\2"
    assert Bytes(numpy.arange(6, dtype=numpy.uint8).reshape(2, 3).T) == bytes([0, 3, 1, 4, 2, 5])
    one = Bytes(b"ab")
    assert Bytes(one) is one and copy.copy(one) is one and copy.deepcopy([one])[0] is one
    for wrong in ("abc", 3, None, [1, 2]):
        with pytest.raises(TypeError, match=r"Bytes\(\) argument must be a bytes-like object, not"):
            Bytes(wrong)
    assert type(Bytes.fromhex("00 ff")) is Bytes and Bytes.fromhex("00 ff") == b"\0\xff"
    with pytest.raises(ValueError):
        Bytes.fromhex("0")
    with pytest.raises(IndexError, match="Bytes index out of range"):
        Bytes(b"a")[1]
    with pytest.raises(TypeError, match="Bytes indices must be integers or slices, not str"):
        Bytes(b"a")["a"]


def test_the_buffer_is_the_objects_memory():
    content = bytes(range(100))
    made = Bytes(content)
    view = memoryview(made)
    assert view.readonly and view.format == "B" and view.shape == (100,) and view == content
    with pytest.raises(TypeError):
        view[0] = 1
    address = numpy.frombuffer(made, numpy.uint8).__array_interface__["data"][0]
    assert address == numpy.frombuffer(memoryview(made), numpy.uint8).__array_interface__["data"][0]
    references = sys.getrefcount(made)
    second = memoryview(made)
    assert sys.getrefcount(made) == references + 1
    del made
    gc.collect()
    assert bytes(second) == content and view[99] == 99


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_pickling(protocol):
    for content in CONTENTS:
        back = pickle.loads(pickle.dumps(Bytes(content), protocol))
        assert type(back) is Bytes and back == content


@given(a=CONTENT, b=CONTENT)
@settings(max_examples=150, deadline=None)
def test_comparison_is_that_of_the_bytes(a, b):
    for order in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
        wanted = order(a, b)
        assert order(Bytes(a), b) is wanted and order(a, Bytes(b)) is wanted and order(Bytes(a), Bytes(b)) is wanted
        assert order(Bytes(a), bytearray(b)) is wanted and order(bytearray(a), Bytes(b)) is wanted
    with pytest.raises(TypeError):
        Bytes(a) < "a"  # noqa: B015


SMALL = st.integers(-5, 12)
PIECE = st.one_of(st.binary(max_size=2), st.sampled_from([b"a", b"b", b" ", b""]))
BOUNDS = st.one_of(st.just(()), st.tuples(SMALL), st.tuples(SMALL, SMALL))
NONE = st.just(())


def with_bounds(first):
    return st.builds(lambda a, b: (a, *b), first, BOUNDS)


PLAIN = """capitalize isalnum isalpha isascii isdigit islower isspace istitle isupper lower swapcase
    title upper splitlines"""
METHODS = {
    **dict.fromkeys(PLAIN.split(), NONE),
    **{name: st.one_of(st.tuples(SMALL), st.tuples(SMALL, PIECE)) for name in ("center", "ljust", "rjust")},
    **{
        name: with_bounds(st.one_of(PIECE, st.integers(-1, 256)))
        for name in ("count", "find", "rfind", "index", "rindex")
    },
    **{name: with_bounds(st.one_of(PIECE, st.tuples(PIECE, PIECE))) for name in ("startswith", "endswith")},
    **{name: st.one_of(NONE, st.tuples(PIECE), st.just((None,))) for name in ("strip", "lstrip", "rstrip")},
    **{name: st.tuples(PIECE) for name in ("partition", "rpartition", "removeprefix", "removesuffix")},
    **{name: st.one_of(NONE, st.tuples(PIECE), st.tuples(PIECE, SMALL)) for name in ("split", "rsplit")},
    "decode": st.sampled_from([(), ("ascii",), ("latin-1",), ("utf-8", "replace"), ("nonsense",)]),
    "expandtabs": st.one_of(NONE, st.tuples(SMALL)),
    "hex": st.sampled_from([(), (":",), (":", 2)]),
    "join": st.tuples(st.one_of(st.lists(PIECE), st.just(3), st.just(["a"]))),
    "replace": st.one_of(st.tuples(PIECE, PIECE), st.tuples(PIECE, PIECE, SMALL)),
    "translate": st.just((bytes(reversed(range(256))),)),
    "zfill": st.tuples(SMALL),
    "__mul__": st.tuples(st.integers(-1, 3)),
    "__rmul__": st.tuples(st.integers(-1, 3)),
    "__add__": st.tuples(PIECE),
    "__contains__": st.tuples(st.one_of(PIECE, st.integers(-1, 256), st.just("a"))),
    "__getitem__": st.tuples(st.one_of(SMALL, st.slices(40))),
    "__mod__": st.one_of(st.tuples(PIECE), st.tuples(SMALL)),
    "__len__": NONE,
    "__hash__": NONE,
}


def test_every_method_of_bytes_is_there_and_drawn():
    mine = {name for name in dir(bytes) if not name.startswith("_")}
    assert mine <= set(dir(Bytes))
    assert mine - set(METHODS) == {"maketrans", "fromhex"}


def as_ours(value):
    if isinstance(value, bytes):
        return Bytes(value)
    return type(value)(map(as_ours, value)) if type(value) in (tuple, list) else value


@given(content=CONTENT, data=st.data())
@settings(max_examples=500, deadline=None)
def test_methods_give_what_those_of_bytes_give(content, data):
    name = data.draw(st.sampled_from(sorted(METHODS)))
    args = data.draw(METHODS[name])
    wanted = outcome(lambda: getattr(content, name)(*args))
    assert same(outcome(lambda: getattr(Bytes(content), name)(*args)), wanted), (content, name, args)
    if name != "__mod__":
        assert same(outcome(lambda: getattr(Bytes(content), name)(*as_ours(args))), wanted), (content, name, args)


def test_either_side_and_maketrans():
    assert (
        b"a" + Bytes(b"b") == b"ab"
        and bytearray(b"a") + Bytes(b"b") == b"ab"
        and Bytes(b"a") + bytearray(b"b") == b"ab"
    )
    assert type(Bytes(b"a") + b"b") is bytes and 2 * Bytes(b"ab") == b"abab"
    assert Bytes(b"abc").translate(Bytes.maketrans(b"ab", b"xy")) == b"xyc"
    assert Bytes(b"%s!") % b"a" == b"a!"
    assert isinstance(Bytes(), collections.abc.Sequence) and not isinstance(Bytes(), bytes)
    with pytest.raises(TypeError):
        Bytes(b"a") + "b"


def test_native_code_is_given_the_memory():
    memchr = jitffi.load_library(None).bind("memchr", "(ptr[const void], i32, u64) -> ptr")
    made = Bytes(b"0123456789")
    assert memchr(made, ord("7"), 10) - memchr(made, ord("0"), 10) == 7
    length = jitffi.function("(b: bytes) -> i64")(len)
    same_bytes = jitffi.function("(b: bytes) -> bytes")(lambda b: b)
    for content in CONTENTS:
        assert length(Bytes(content)) == len(content)
        assert same_bytes(Bytes(content)) == content and type(same_bytes(Bytes(content))) is bytes
    held = []
    made = Bytes(bytes(100))
    assert jitffi.convert(lambda b: held.append(made.ref_count) or b)(made) == bytes(100)
    assert held[0] > 1 and made.ref_count == 1


def test_nothing_is_left():
    def work():
        made = Bytes(b"abc" * 20)
        hash(made), made[1:3], made.upper(), made.find(b"b"), made == b"x", memoryview(made).tobytes(), list(made)
        outcome(lambda: Bytes("a"))
        outcome(lambda: made[99])
        outcome(lambda: made.join([b"a", 3]))
        jitffi.function("(b: bytes) -> i64")
        pickle.loads(pickle.dumps(made))

    assert_nothing_stays(work)
