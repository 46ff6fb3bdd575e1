"""text.translate(table) of tables that are known is native, and does what Python does; others are Python's."""

from __future__ import annotations

import pytest

import jitffi

VOWELS, SHIFTED = "aeiou", "eioua"
TABLE = {
    **str.maketrans(VOWELS, SHIFTED, "xyz"),
    0xE4: "ae",
    0x4E09: "",
    0x1F600: 0x1F601,
    ord("ß"): "ss",
    -1: "no",
    10: None,
}
BYTES = bytes.maketrans(b"abc", b"xyz")
TEXTS = ("", "a", "banana xyz\n", "äöüß", "三 and 三", "\U0001f600 e", "no change", "é" * 30, "long vowels " * 20)


def constant(text):
    return text.translate(TABLE)


def written(text):
    return text.translate({97: "AAA", ord("n"): None, 0xE4: 98, 0x4E09: "three", 0x1F600: None})


def made(text):
    return text.translate(str.maketrans(VOWELS, "AEIOU", "\n"))


def kept(text):
    table = str.maketrans({"a": "one", "b": None, "ß": "\U0001f600"})
    return [each.translate(table) for each in text.split()]


def of_character(text):
    return [each.translate(TABLE) for each in text]


@pytest.mark.parametrize("function", [constant, written, made, kept, of_character])
def test_text_is_translated_natively(function) -> None:
    script = jitffi.script(function)
    for text in TEXTS:
        assert script(text) == function(text)
    types = script.inspect_types()
    assert (
        "any" not in types.replace("banana", "")
        and "object" not in types.replace("str.maketrans", "").split("\n", 1)[0]
    )


def test_bytes_are_translated_natively() -> None:
    @jitffi.script
    def shifted(data):
        return data.translate(BYTES) + data.translate(bytes.maketrans(b"ab", b"\x00\xff"))

    for data in (b"", b"abc", bytes(range(256))):
        assert shifted(data) == shifted.__wrapped__(data)
    assert "-> bytes" in shifted.inspect_types()


def test_other_tables_and_texts_are_pythons() -> None:
    @jitffi.script
    def any_of(text, table):
        changed = {97: "b"}
        changed[98] = "c"
        return (
            text.translate(table),
            text.translate(changed),
            text.translate({97: "\ud800"}) == "x",
            text.translate(BYTES),
        )

    assert any_of("abc", {97: "x"}) == any_of.__wrapped__("abc", {97: "x"})
    script = jitffi.script(constant)
    with pytest.raises(AttributeError, match="'int' object has no attribute 'translate'"):
        script(5)
    with pytest.raises(TypeError):
        script(b"abc")

    @jitffi.script
    def unbound(text, given):
        if given:
            table = str.maketrans("a", "b")
        return text.translate(table)

    assert unbound("a", True) == "b"
    with pytest.raises(UnboundLocalError):
        unbound("a", False)
