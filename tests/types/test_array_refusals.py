"""Arrays as arguments: every way to be wrong, as a table of what fits and of the words for what does not.

The words stand in docs/reference/arrays.md, too. C gives its argument's address back, and counts its calls: an array
that is refused has not been seen by it.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import jitffi

PAGE = (Path(__file__).resolve().parents[2] / "docs/reference/arrays.md").read_text().replace("\\|", "|")
SOURCE = """
#include <stdint.h>
static int64_t calls;
int64_t seen(void* data) { calls++; return (int64_t)(uintptr_t)data; }
int64_t seen_with(void* data, int64_t stride) { calls++; (void)data; return stride; }
int64_t seen_tensor(void** tensor) { calls++; return (int64_t)(uintptr_t)*tensor; }
int64_t count(void) { return calls; }
"""
COPY = "copy it with numpy.ascontiguousarray"


def read_only(array):
    array.flags.writeable = False
    return array


def misaligned(dtype: str, count: int):
    return np.zeros(count * np.dtype(dtype).itemsize + 1, "u1")[1:].view(dtype)


#: The kinds of array, for each type of parameter the words for it, or None where it fits.
TYPES = ("f32[n]", "const f32[n]", "f32[4]", "f32[n @ inc]", "f32[n, 4]", "ptr[f32]", "ptr[const f32]")
#: Those that say more themselves, each with its words of the row's name where these are not all alike.
TENSORS = ("tensor[f32, n]", "tensor[const f32]", "tensor[f32, n, order=C]", "tensor")
SHAPE = "ValueError: float32[4]"
EMPTY = "ValueError: float32[0]"
READ_ONLY = "TypeError: read-only float32[4]"
MISALIGNED = "ValueError: misaligned float32[4]"
STRIDE = "ValueError: float32[4] with a stride of {} elements, expected contiguous: " + COPY
TABLE = [
    ("right", lambda: np.zeros(4, "f4"), (None, None, None, None, SHAPE, None, None)),
    ("float64", lambda: np.zeros(4, "f8"), ("TypeError: float64[4]",) * 7),
    ("big-endian", lambda: np.zeros(4, ">f4"), ("TypeError: big-endian float32[4]",) * 7),
    (
        "strided",
        lambda: np.zeros(8, "f4")[::2],
        (*[STRIDE.format(2)] * 3, None, SHAPE, *[STRIDE.format(2)] * 2),
    ),
    (
        "reversed",
        lambda: np.zeros(4, "f4")[::-1],
        (
            *[STRIDE.format(-1)] * 3, STRIDE.format(-1).replace("expected contiguous", "expected at least 1"),
            SHAPE, *[STRIDE.format(-1)] * 2,
        ),
    ),
    (
        "repeated",
        lambda: np.lib.stride_tricks.as_strided(np.zeros(1, "f4"), (4,), (0,)),
        (
            *[STRIDE.format(0)] * 3, STRIDE.format(0).replace("expected contiguous", "expected at least 1"),
            SHAPE, *[STRIDE.format(0)] * 2,
        ),
    ),
    (
        "Fortran order",
        lambda: np.zeros((3, 4), "f4", order="F"),
        (
            *["ValueError: float32[3, 4]"] * 4,
            f"ValueError: float32[3, 4] in Fortran order, expected C order: {COPY}", None, None,
        ),
    ),
    (
        "read-only",
        lambda: read_only(np.zeros(4, "f4")),
        (
            READ_ONLY, None, *[READ_ONLY] * 4, None,
        ),
    ),
    ("0-d", lambda: np.zeros((), "f4"), (*["ValueError: float32[]"] * 5, None, None)),
    ("empty", lambda: np.zeros(0, "f4"), (None, None, EMPTY, None, EMPTY, None, None)),
    ("rank", lambda: np.zeros((2, 2), "f4"), (*["ValueError: float32[2, 2]"] * 5, None, None)),
    ("dimension", lambda: np.zeros((5, 3), "f4"), (*["ValueError: float32[5, 3]"] * 5, None, None)),
    (
        "misaligned",
        lambda: misaligned("f4", 4),
        (*[MISALIGNED] * 4, SHAPE, *[MISALIGNED] * 2),
    ),
    ("objects", lambda: np.zeros(4, "O"), ("TypeError: object[4]",) * 7),
    (
        "structured",
        lambda: np.zeros(4, [("a", "i4"), ("b", "f8")]),
        ("TypeError: [('a', '<i4'), ('b', '<f8')][4]",) * 7,
    ),
    ("datetime", lambda: np.zeros(4, "M8[ns]"), ("TypeError: datetime64[ns][4]",) * 7),
    ("bytes", lambda: np.zeros(4, "V8"), ("TypeError: |V8[4]",) * 7),
    ("scalar", lambda: np.float32(1), ("TypeError: numpy.float32",) * 7),
    ("int", lambda: 5, ("TypeError: int 5",) * 7),
    ("None", lambda: None, ("TypeError: None",) * 7),
    ("list", lambda: [1.0], ("TypeError: list",) * 7),
    ("text", lambda: "abc", ("TypeError: str 'abc'",) * 7),
    ("bytes literal", lambda: b"abcd", ("TypeError: uint8[4]",) * 7),
    ("class", lambda: np.ndarray, ("TypeError: type",) * 7),
]  # fmt: skip


def of_tensors(name: str, words: tuple[str | None, ...]) -> tuple[str | None, ...]:
    """The words for each type of tensor, from those for arrays where every array is refused for the same reason."""
    stride, shape = words[0], words[0]
    special: dict[str, tuple[str | None, ...]] = {
        "right": (None,) * 4, "empty": (None,) * 4, "float64": (*words[:3], None),
        "read-only": (READ_ONLY, None, READ_ONLY, READ_ONLY), "misaligned": (MISALIGNED,) * 4,
        "bytes literal": (*words[:3], "TypeError: read-only uint8[4]"),
        **dict.fromkeys(("strided", "reversed", "repeated"), (None, None, stride, None)),
        **dict.fromkeys(("Fortran order", "0-d", "rank", "dimension"), (shape, None, shape, None)),
    }  # fmt: skip
    return special.get(name, words[:1] * 4)


ROWS = [(name, make, (*words, *of_tensors(name, words))) for name, make, words in TABLE]
COLUMNS = (*TYPES, *TENSORS)


@pytest.fixture(scope="module")
def library(build_library):
    return jitffi.load_library(build_library(SOURCE))


@pytest.fixture(scope="module")
def take(library):
    """A function that takes its only argument as a type, which it is called like in messages."""
    bound = {}

    def bind(type_: str):
        if type_ not in bound:
            bound[type_] = library.bind("seen_tensor" if "tensor" in type_ else "seen", f"(x: {type_}) -> i64")
        return bound[type_]

    return bind


def outcome(call, *arguments):
    try:
        return call(*arguments)
    except (TypeError, ValueError, OverflowError, BufferError) as error:
        return f"{type(error).__name__}: {error}"


def packed(builtin):
    """The packed entry, called with whatever Python has."""
    made = jitffi.Function(builtin)
    return jitffi.Function.from_packed(made.packed_address, name="seen", self_handle=made.handle, keep_alive=made)


#: What slots make of values, before anybody looks for an array.
IN_SLOTS = {"numpy.float32": "float 1.0", "None": "null", "type": "host object"}
#: What is told of pointers to who calls from Python.
HINTS = {
    **dict.fromkeys(("int 5", "list"), " (jitffi.new makes memory of that type)"),
    "read-only float32[4]": " (C may write there)",
}


@pytest.mark.parametrize("convention", ["python", "packed"])
@pytest.mark.parametrize("column", range(len(COLUMNS)), ids=COLUMNS)
@pytest.mark.parametrize(("make", "words"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_what_fits_and_what_is_said_of_what_does_not(make, words, column, convention, library, take):
    array, type_, before = make(), COLUMNS[column], library.bind("count", "() -> i64")()
    function = take(type_)
    if convention == "packed":
        function = packed(function)
    found, expected = outcome(function, array), words[column]
    if expected is None:
        assert found == array.ctypes.data
        return
    kind, what = expected.split(": ", 1)
    what = IN_SLOTS.get(what, what) if convention == "packed" else what
    name = "seen_tensor" if "tensor" in type_ else "seen"
    what += HINTS.get(what, "") if convention == "python" and type_.startswith("ptr[") else ""
    assert found == f"{kind}: {name}: argument 1 'x': expected {type_}, got {what}"
    assert library.bind("count", "() -> i64")() == before


def test_all_words_are_documented():
    said = {words for _, _, row in ROWS for words in row if words}
    assert {words for words in said if f"`{words.split(': ', 1)[1]}`" not in PAGE} == set()
