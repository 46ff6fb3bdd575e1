"""Texts in members that are arrays of C's char, and what `jitffi.text` reads."""

from __future__ import annotations

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi

Entry = jitffi.struct("struct_texts.Entry", "kind: i32, name: i8[8], raw: u8[4], grid: i8[2, 4], wide: u16[2]")
Packet = jitffi.struct("struct_texts.Packet", "size: u16, end: i8[]")


@pytest.mark.parametrize("given", ["usr", b"usr", "", "\u00e4\u20ac", "12345678", b"a\0b", b"\xff\xfe"])
def test_a_text_is_put_into_an_array_of_char(given):
    entry = Entry(name="longer_1")
    entry.name = given
    content = given if isinstance(given, bytes) else given.encode()
    assert entry.name.tobytes() == content.ljust(8, b"\0") == Entry(name=given).name.tobytes()
    if b"\xff" not in content:
        assert jitffi.text(entry.name) == content.partition(b"\0")[0].decode()


def test_bytes_are_numbers_to_an_array_of_u8():
    entry = Entry(raw="ab")
    assert entry.raw.tolist() == [97, 98, 0, 0]
    entry.raw = b"\xff\0\1\2"
    assert entry.raw.tolist() == [255, 0, 1, 2]
    with pytest.raises(ValueError, match=r"Entry.raw: expected u8\[4\], got 2 items where there are 4"):
        entry.raw = b"ab"


def test_a_text_at_a_flexible_end():
    packet = jitffi.new(Packet, 5).value
    packet.end = "abc"
    assert packet.end.tobytes() == b"abc\0\0"
    with pytest.raises(ValueError, match="there is room for 5"):
        packet.end = "abcdef"


def test_texts_that_do_not_fit():
    entry = Entry(name="before")
    with pytest.raises(ValueError, match=r"Entry.name: expected i8\[8\], got a text of 9 bytes: there is room for 8"):
        entry.name = "123456789"
    with pytest.raises(ValueError, match="got a text of 9 bytes"):
        Entry(name=b"123456789")
    with pytest.raises(UnicodeEncodeError):
        entry.name = "\ud800"
    for name in ("grid", "wide"):
        with pytest.raises(TypeError, match=rf"Entry.{name}: expected .*, got str 'ab'"):
            setattr(entry, name, "ab")
    assert jitffi.text(entry.name) == "before"


def test_what_text_reads():
    words = np.frombuffer(b"words\0rest", np.int8)
    place = jitffi.new("i8[4]", [97, 98, 0, 99])
    assert [jitffi.text(words), jitffi.text(words, 3), jitffi.text(words[6:])] == ["words", "wor", "rest"]
    assert [jitffi.text(place), jitffi.text(place.address), jitffi.text(bytearray(b"full"))] == ["ab", "ab", "full"]
    for given, error in (("str", TypeError), ([1], TypeError), (None, ValueError), (b"\xff", UnicodeDecodeError)):
        with pytest.raises(error):
            jitffi.text(given)
    with pytest.raises(IndexError, match="size 9 is out of range"):
        jitffi.text(b"four", 9)


def test_nothing_stays():
    def work():
        entry = Entry(name="usr")
        entry.name = b"other"
        assert jitffi.text(entry.name) == "other"
        with pytest.raises(ValueError, match="room"):
            entry.name = "x" * 100

    assert_nothing_stays(work)


def test_arrays_of_wide_numbers():
    """Which arrays of arguments have not got."""
    wide = jitffi.struct("texts.Wide", "d: longdouble[2], q: i128[2], u: u128 = 3")
    made = wide(d=[1.5, 0.1], q=[-(2**100), 5])
    assert (list(made.d), list(made.q), made.u) == ([1.5, 0.1], [-(2**100), 5], 3)
    made.q[1] = 2**127 - 1
    assert made.q[1] == 2**127 - 1
    with pytest.raises(OverflowError):
        made.q[0] = 2**127
