"""The C functions of scripts' text against the methods of Python's str and bytes: every character where they are about
characters, random text of many scripts for the rest."""

from __future__ import annotations

import ctypes
import random
from typing import Any

import pytest

from jitffi.scripts.library.methods import METHODS
from tests.support.textlib import (
    NO_INDEX,
    Slot,
    Text,
    call,
    characters,
    fail,
    library,
    outcome,
    python,
    runtime,
    text_of,
)

CODE_POINTS = 0x110000
#: Each in the planes that have characters, some of the others.
POINTS = [*range(0x33480), *range(0x33480, CODE_POINTS, 31), *range(0xE0000, 0xE0200), CODE_POINTS - 1]
#: Letters that have something about them, and text of several scripts, joined at random.
ODD = (
    "ßŉǰΐΰևẖẘẞﬀﬃİıſKÅΣσςͅ\u0345\u00ad\u200b.':·ǅǆǄᾳᾼῃ῟ΔЖжԱաᏸꭰ𐐀𐐨𝟗٣५²½"
    "一中文字符カタ한국어עבריתالعربيةहिन्दीไทย😀👨\u200d👩\U0001f1e9e\u0301"
)
SPACES = " \t\n\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\xa0\u1680\u2003\u2028\u2029\u3000"
PLAIN = "abcxyzABCXYZ0189_-+,.:;"


def random_text(source: random.Random, most: int = 40) -> str:
    """ASCII half of the time; with white space, and with repetitions."""
    alphabet = source.choice([PLAIN, PLAIN + SPACES[:6], "ab", "aab ", PLAIN + ODD + SPACES, ODD, "äöa ", "\r\n\t ax"])
    return "".join(
        source.choices(alphabet, k=source.choice([0, 1, 2, 3, 7, 8, 15, 16, 17, 31, most, source.randint(0, 200)]))
    )


def random_bytes(source: random.Random) -> bytes:
    if source.random() < 0.5:
        return random_text(source).encode("utf-8", "surrogatepass")
    return bytes(source.choices(source.choice([range(256), b"ab \n\r\t\x1c\x85,"]), k=source.randint(0, 80)))


def part_of(source: random.Random, text: Any) -> Any:
    """Some of it, or something else."""
    if not text or source.random() < 0.2:
        return random_text(source, 3)[:3] if isinstance(text, str) else random_bytes(source)[:2]
    start = source.randrange(len(text))
    return text[start : start + source.choice([1, 1, 1, 2, 3, 20])]


def argument(source: random.Random, kind: str, text: Any, name: str) -> Any:
    if name in ("prefix", "suffix") and kind == "any":
        affix = (
            text[: source.randint(0, 3)]
            if name == "prefix"
            else text[len(text) - min(len(text), source.randint(0, 3)) :]
        )
        return source.choice(
            [affix, part_of(source, text), (part_of(source, text), affix), (), (affix, 1), (1,), 1, None, [affix]]
        )
    if name == "items":
        items = [
            random_text(source) if isinstance(text, str) else random_bytes(source) for _ in range(source.randint(0, 9))
        ]
        if source.random() < 0.1:
            items.insert(source.randint(0, len(items)), source.choice([1, None, "x", b"x", ()]))
        return source.choice([items, tuple(items)])
    if name in ("width", "tabsize"):
        return source.choice([-3, 0, 1, 3, 8, 9, 20, 41, 130])
    if name == "fillchar":
        return text[:1] if text and source.random() < 0.8 else part_of(source, text)
    if name in ("start", "end"):
        return source.choice([None, 0, 1, 5, -1, -4, len(text), len(text) + 1, 1 << 62, -(1 << 62)])
    if kind == "bool":
        return source.randrange(2)
    if "int" in kind:
        return source.choice([-1, 0, 1, 2, 5, 1 << 62])
    if name == "encoding":
        return source.choice(
            ["utf-8", "ascii", "latin-1", "utf-16", "utf-16-be", "UTF 32", "utf-32-be", "Latin1", "U8", "nope", ""]
        )
    if name == "errors":
        return source.choice(["strict", "ignore", "replace", "backslashreplace", "xmlcharrefreplace"])
    return part_of(source, text)


@pytest.mark.parametrize("row", [f"{receiver}.{name}" for receiver in ("str", "bytes") for name in METHODS[receiver]])
def test_method(row: str) -> None:
    receiver, _, name = row.partition(".")
    method = METHODS[receiver][name]
    source = random.Random(row)
    before = runtime.jf_live_objects()
    for _ in range(150):
        text = random_text(source) if receiver == "str" else random_bytes(source)
        if name == "encode" and source.random() < 0.5:
            text += source.choice(["\ud800", "\udc00\udfffx", "é\ud800\ud801"])
        count = source.randint(method.required, len(method.params))
        args = [argument(source, param.type, text, param.name) for param in method.params[:count]]
        expected = outcome(python, method, text, *args)
        for wide in (False, True) if receiver == "str" else (False,):
            got = outcome(call, method, text, *args, pad=source.choice([0, 1, 2, 15]), wide=wide)
            if name == "decode" and isinstance(expected, tuple) and expected[0] == "TypeError":
                expected = (expected[0], got[1]) if got[1] in expected[1] else expected  # some say which codec, too
            assert got == expected, (text, args, wide)
            assert type(got) is type(expected)
    assert runtime.jf_live_objects() == before


FLAGS = {
    1: str.isalpha,
    2: str.isdecimal,
    4: str.isdigit,
    8: str.isnumeric,
    16: str.isspace,
    32: str.isupper,
    64: str.islower,
    256: str.isprintable,
    512: str.isidentifier,
    1024: lambda c: ("a" + c).isidentifier(),
    2048: lambda c: len((c + "a").splitlines()) == 2,
    128: lambda c: c.istitle() and not c.isupper(),
    4096: lambda c: (c + "a").title().endswith("a"),
}


def test_flags_of_each_code_point() -> None:
    flags = {code: library.jf_char_flags(code) for code in POINTS}
    for bit, test in FLAGS.items():
        wrong = [code for code in POINTS if bool(flags[code] & bit) != bool(test(chr(code)))]
        assert not wrong, (bit, wrong[:5])
    assert library.jf_char_flags(CODE_POINTS) == library.jf_char_flags(-1) == 0


@pytest.mark.parametrize("name", ["lower", "upper", "casefold", "title", "capitalize", "swapcase"])
def test_case_of_each_code_point(name: str) -> None:
    method = METHODS["str"][name]
    for before in ("", " ", "a", "1"):
        text = before.join(map(chr, POINTS))
        assert call(method, text) == getattr(text, name)()
    for code in POINTS:
        c = chr(code)
        if (mapped := getattr(c, name)()) != c:
            assert call(method, c) == mapped


def test_final_sigma() -> None:
    method = METHODS["str"]["lower"]
    source = random.Random(3)
    for _ in range(500):
        text = "".join(source.choices("ΣΣΣa1.'\u00ad\u0345ʰ ", k=source.randint(1, 6)))
        assert call(method, text) == text.lower(), text


def made(symbol: str, *args: Any, pad: int = 1) -> Any:
    """A function that is no method: texts are passed by address."""
    out = Slot(pad)
    passed = [ctypes.byref(each) if isinstance(each, Text) else ctypes.c_int64(each) for each in args]
    if getattr(library, symbol)(*passed, ctypes.c_void_p(out.address)) != 0:
        raise fail()
    return out.take()


def any_index(source: random.Random) -> int | None:
    return source.choice([None, 0, 1, 2, 7, 30, -1, -2, -9, 1 << 62, -(1 << 63) + 1])


def test_slices_sums_and_repetitions() -> None:
    source = random.Random(7)
    for _ in range(500):
        is_wide = source.random() < 0.5
        text, other = random_text(source), random_text(source)
        start, stop, step = any_index(source), any_index(source), any_index(source) or 1
        indices = [NO_INDEX if index is None else index for index in (start, stop, step)]
        pad = source.choice([0, 1, 2, 15])
        assert made("jf_text_slice", text_of(text, is_wide), *indices, pad=pad) == text[start:stop:step]
        raw = text.encode("utf-8", "replace")
        assert made("jf_bytes_slice", text_of(raw), *indices, pad=pad) == raw[start:stop:step]
        assert made("jf_text_concat", text_of(text, is_wide), text_of(other), pad=pad) == text + other
        times = source.choice([-1, 0, 1, 2, 3, 7, 20])
        assert made("jf_text_repeat", text_of(text, is_wide), times, pad=pad) == text * times


def test_order() -> None:
    source = random.Random(8)
    for _ in range(500):
        text = random_text(source)
        other = source.choice([text, text[:-1], text + "a", random_text(source)])
        a, b = text_of(text, source.random() < 0.5), text_of(other, source.random() < 0.5)
        order = ctypes.c_int32(library.jf_text_compare(ctypes.byref(a), ctypes.byref(b))).value
        assert (order > 0) - (order < 0) == (text > other) - (text < other)
        assert library.jf_text_equal(ctypes.byref(a), ctypes.byref(b)) == (text == other)


def pieces_of(text: str, sep: str | None, most: int, is_wide: bool) -> list[str]:
    """By jf_text_split_next."""
    split = ctypes.create_string_buffer(128)
    kept, sep_text, piece = text_of(text, is_wide), sep and text_of(sep, is_wide), Text()
    separator = ctypes.byref(sep_text) if sep_text else None
    assert library.jf_text_split_init(split, ctypes.byref(kept), separator, ctypes.c_int64(most)) == 0
    found = []
    while library.jf_text_split_next(split, ctypes.byref(piece)):
        found.append(characters(piece))
    return found


def test_pieces() -> None:
    source = random.Random(9)
    for _ in range(500):
        text, most = random_text(source), source.choice([-1, -1, 0, 1, 3])
        sep = source.choice([None, " ", "ab", part_of(source, text) or "x"])
        assert pieces_of(text, sep, most, source.random() < 0.5) == text.split(sep, most), (text, sep, most)
