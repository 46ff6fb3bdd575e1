"""What cannot be encoded or decoded is the very exception that CPython raises, with the text that is at fault."""

from __future__ import annotations

import pytest

import jitffi
from tests.support.leaks import assert_nothing_stays


def encode(text, codec):
    return text.encode(codec)


def decode(data, codec):
    return data.decode(codec)


CASES = [
    (encode, "aé", "ascii"), (encode, "日本x", "latin-1"), (encode, "a" * 1000 + "€", "latin-1"),
    (decode, b"\xff", "utf-8"), (decode, b"ab\xe6\x97", "utf-8"), (decode, b"ab\xe6", "ascii"),
    (decode, b"\x00\xd8", "utf-16-le"),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0].__name__}-{case[-1]}-{len(case[1])}")
def test_error_is_python_s_own(case: tuple) -> None:
    function, *arguments = case
    script = jitffi.script(function)
    with pytest.raises(UnicodeError) as wanted:
        function(*arguments)
    with pytest.raises(UnicodeError) as got:
        script(*arguments)
    assert type(got.value) is type(wanted.value)
    assert got.value.args == wanted.value.args and str(got.value) == str(wanted.value)

    def again() -> None:
        with pytest.raises(UnicodeError):
            script(*arguments)

    del wanted, got
    assert_nothing_stays(again)
