"""Text in scripts: each function of text_scripts.py gives what CPython gives, and leaves nothing alive."""

from __future__ import annotations

import ctypes
import inspect
import itertools
import random

import pytest

import jitffi
from jitffi.link import script_library
from tests.scripts import text_scripts, wrong_texts
from tests.support import leaks

STRINGS = [
    "", "a", "ab", "abc", "abcabc", "Hello, World", "  x y  z ", "hello", "ABC", "a1 b2", "The Quick", "12",
    "\x00a\x00",
    "the quick brown fox jumps over the lazy dog, twice and again, until it is tired of it. " * 2,
    "é", "naïve café", "\x85\xa0ÿ x", "Straße ẞ", "Καλημέρα κόσμε ΣΑΣ", "Съешь ещё этих булок", "مرحبا بالعالم",
    "世界 你好，世界", "世界" * 20, "👩‍👩‍👧🎉", "a🎉b", "e\u0301a\u030a", "a\nb\r\nc\x1cd\u2028e\x0bf", "a\tb\t\té",
    "٣٤²½Ⅷ7",
    "ǅ ǆ Ǆx", "İstanbul ı", "ﬁx ŉ ΐ", "aé" * 9,
]  # fmt: skip
BYTES = [b"", b"a", b"abc", b"aXbXc", b" ab\tc\n", b"\xff\xfe\x00z", "é中".encode(), b"abc" * 20]
#: What a parameter of a name is given.
VALUES = {
    "s": STRINGS,
    "t": ["", "a", "b", " ", "abc", "x y", "é", "κ", "世界", "ab cab", "l", "🎉"],
    "c": ["a", "é", "中", "🎉", "Z"],
    "i": list(range(-4, 5)),
    "j": list(range(-4, 5)),
    "k": [-3, -2, -1, 1, 2, 3],
    "w": [0, 3, 10, 21],
    "n": [0, 1, -7, 97, 255, 256, 1114111, 1114112, 2**63 - 1, -(2**63)],
    "x": [0.0, 1.5, -2.25, 1e300, 0.1, float("inf")],
    "p": [
        "1",
        " 12 ",
        "-7",
        "0x1f",
        "",
        "1_0",
        "x",
        "٣",
        "1.5",
        "1e3",
        "nan",
        " -inf ",
        "9223372036854775807",
        "12é",
        "é",
    ],
    "v": BYTES,
    "u": [b"", b"a", b"b", b"abc", b"\xff"],
}
FUNCTIONS = [f for f in vars(text_scripts).values() if inspect.isfunction(f)]
MOST = 600


def plain(value: object) -> object:
    """A container of ours as Python's."""
    if isinstance(value, (jitffi.List, jitffi.Tuple, jitffi.Map)):
        return plain(value.to_python())
    if isinstance(value, (list, tuple)):
        return type(value)(map(plain, value))
    return {plain(k): plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def outcome(function: object, args: tuple[object, ...]) -> object:
    try:
        result = plain(function(*args))  # type: ignore[operator]
        # Ints have 64 bits here.
        return OverflowError if type(result) is int and not -(2**63) <= result < 2**63 else repr(result)
    except UnicodeError:
        return UnicodeError
    except Exception as error:
        return type(error)


def calls(function: object) -> list[tuple[object, ...]]:
    """Of all combinations some, always the same."""
    rows = list(itertools.product(*[VALUES[name] for name in inspect.signature(function).parameters]))  # type: ignore[arg-type]
    return rows if len(rows) <= MOST else random.Random(7).sample(rows, MOST)


@pytest.fixture(autouse=True, scope="module")
def settled():
    leaks.settle()


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda f: f.__name__)
def test_results_and_errors_are_pythons(function):
    script = jitffi.script(function)
    rows = calls(function)
    before = leaks.live_objects()
    for args in rows:
        expected, got = outcome(function, args), outcome(script, args)
        assert got == expected, f"{function.__name__}{args}"
    after = leaks.live_objects()
    for args in rows:
        outcome(script, args)
    assert leaks.live_objects() <= max(before, after)


@pytest.mark.parametrize("size", [0, 1, 5, 100])
def test_all_indices_and_slices(size):
    item, part, step = (jitffi.script(f) for f in (text_scripts.item, text_scripts.part, text_scripts.part_of_step))
    for text in ("abcdefghij" * 10, "αβγδεζηθικ" * 10):
        text = text[:size]
        ends = [*range(-4, 5), size - 1, size, size + 1, -size, -size - 1, 2**63 - 1, -(2**63)]
        for i in ends:
            assert outcome(item, (text, i)) == outcome(text_scripts.item, (text, i))
            for j in ends:
                assert part(text, i, j) == text[i:j], (text, i, j)
                for k in (-(2**63), -3, -1, 1, 2, 2**63 - 1):
                    assert step(text, i, j, k) == text[i:j:k], (text, i, j, k)


@pytest.fixture
def allocations():
    """A function that calls another one and says how often the runtime asked for memory meanwhile."""
    runtime, libc = ctypes.CDLL(script_library.library_path("libjitffi_runtime")), ctypes.CDLL(None)
    libc.malloc.restype, libc.malloc.argtypes, libc.free.argtypes = (
        ctypes.c_void_p,
        [ctypes.c_size_t],
        [ctypes.c_void_p],
    )
    asked = 0

    @ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p)
    def allocate(size, context):
        nonlocal asked
        asked += 1
        return libc.malloc(size)

    @ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)
    def deallocate(memory, context):
        libc.free(memory)

    def count(script, *args):
        nonlocal asked
        script(*args)
        asked = 0
        runtime.jf_set_allocator(allocate, deallocate, None)
        try:
            script(*args)
        finally:
            runtime.jf_set_allocator(None, None, None)
        return asked

    return count


TEXT = "Hello, the quick brown fox jumps over the lazy dogs, hello. " * 20


@pytest.mark.parametrize("name", sorted(n for n in vars(text_scripts) if n.startswith("free_")))
def test_what_needs_no_heap_does_not_ask_for_it(name, allocations):
    """Text that is not ASCII is widened where it comes in."""
    function = getattr(text_scripts, name)
    script = jitffi.script(function, pad=2)
    for text, least in ((TEXT, 0), (TEXT.replace("o", "ω"), 2)):
        assert script(text) == function(text)
        assert allocations(script, text) <= least, text[:10]


def test_growing_text_takes_linear_time(allocations):
    for function in (text_scripts.grow, text_scripts.grow_plainly, text_scripts.grow_mixed):
        script = jitffi.script(function)
        assert allocations(script, "ab" * 5000, "x") < 100


def test_growing_bytes_takes_linear_time(allocations):
    @jitffi.script
    def grow(n, piece):
        out = b""
        for _ in range(n):
            out += piece
        return out

    assert grow(3, b"a\xff") == b"a\xff" * 3
    assert allocations(grow, 5000, b"ab") < 100


WRONG = [f for f in vars(wrong_texts).values() if inspect.isfunction(f)]


@pytest.mark.parametrize("function", WRONG, ids=lambda f: f.__name__)
def test_errors_have_pythons_words(function):
    script = jitffi.script(function)
    for args in (("ab",), (b"ab",)):
        with pytest.raises(Exception) as expected:  # noqa: PT011
            function(*args)
        with pytest.raises(type(expected.value)) as got:
            script(*args)
        assert str(got.value) == str(expected.value)
