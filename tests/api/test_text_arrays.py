"""cstr[n] and cstr[*]: arrays of texts that a sequence is passed as."""

from __future__ import annotations

import pytest
from support.extension import extension, load
from support.leaks import assert_nothing_stays

import jitffi
from jitffi.signature.model import Signature

SOURCE = """
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
uint64_t total(uint64_t n, const char **texts) {
  uint64_t sum = 0;
  for (uint64_t i = 0; i < n; i++) sum += strlen(texts[i]);
  return texts[n] ? 999 : sum;
}
uint64_t count(const char *const *texts) {
  uint64_t n = 0;
  if (!texts) return 77;
  while (texts[n]) n++;
  return n;
}
void visit(void (*to)(uint64_t, const char **)) {
  const char *texts[] = {"a", "\\xe2\\x82\\xac", 0};
  to(3, texts);
}
void visit_all(void (*to)(const char **), bool some) {
  const char *texts[] = {"a", "b", 0};
  to(some ? texts : 0);
}
void visit_bad(void (*to)(const char **)) {
  const char *texts[] = {"a", "\\xff", 0};
  to(texts);
}
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE))


def test_a_sequence_is_an_array_of_texts(lib):
    total = lib.bind("total", "(n: u64, texts: cstr[n]) -> u64")
    assert (total(["a", "bcd", b"ef", "\u20ac"]), total([]), total(("x",))) == (9, 0, 1)
    assert (total(["x"], n=1), total(["xy", "z"], n=1)) == (1, 999)  # which has another text where NULL would stand
    with pytest.raises(ValueError, match="argument 'n': expected at most 1, as 'texts' has, got 2"):
        total(["x"], n=2)
    count = lib.bind("count", "(texts: const cstr[*]) -> u64")
    assert count(["a"] * 1000) == 1000 and count([]) == 0
    assert lib.bind("count", "(optional[cstr[*]]) -> u64")(None) == 77
    prototype = lib.bind("total", "size_t total(size_t n, const char **texts);", types={"texts": "cstr[n]"})
    assert prototype(["abc", "d"]) == 4


def test_a_sequence_of_any_class(lib):
    class Words:
        def __len__(self):
            return 3

        def __getitem__(self, index):
            if index == 3:
                raise IndexError
            return "word" * index

    assert lib.bind("total", "(n: u64, texts: cstr[n]) -> u64")(Words()) == 12


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ("abc", TypeError, r"total: argument 1 'texts': expected cstr\[n\], got str 'abc'"),
        (b"abc", TypeError, r"total: argument 1 'texts': expected cstr\[n\], got bytes b'abc'"),
        (None, TypeError, r"total: argument 1 'texts': expected cstr\[n\], got None"),
        ({"a"}, TypeError, r"total: argument 1 'texts': expected cstr\[n\], got set"),
        (["x", None], TypeError, "total: argument 1 'texts': item 1: expected cstr, got None"),
        ([1], TypeError, "total: argument 1 'texts': item 0: expected cstr, got int 1"),
        (["a\0b"], ValueError, "total: argument 1 'texts': item 0: expected cstr without NUL, but byte 1 is NUL"),
        (["\udc80"], UnicodeEncodeError, "surrogates"),
    ],
)
def test_what_is_no_text_is_named(lib, value, error, message):
    with pytest.raises(error, match=message):
        lib.bind("total", "(n: u64, texts: cstr[n]) -> u64")(value)


def test_callbacks_get_lists(lib):
    got = []
    lib.bind("visit", "(to: func[(n: u64, texts: cstr[n]) -> void]) -> void")(got.append)
    visit_all = lib.bind("visit_all", "(to: func[(optional[cstr[*]]) -> void], some: bool) -> void")
    visit_all(got.append, True)
    visit_all(got.append, False)
    assert got == [["a", "\u20ac", None], ["a", "b"], None]
    with pytest.raises(UnicodeDecodeError):
        lib.bind("visit_bad", "(to: func[(cstr[*]) -> void]) -> void")(got.append)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("(cstr[n, m]) -> void", "an array of texts has one dimension, without a stride"),
        ("(cstr[n @ step]) -> void", "an array of texts has one dimension, without a stride"),
        ("(texts: out[cstr[n]], n: u64) -> void", r"out\[cstr\[n\]\] is no type"),
        ("(inout[cstr[2]]) -> void", r"inout\[cstr\[2\]\] is no type"),
        ("() -> cstr[2]", "cannot be a result"),
    ],
)
def test_what_is_no_type(text, message):
    with pytest.raises(jitffi.SignatureError, match=message):
        Signature.parse(text)


def test_slots_have_none(lib):
    function = jitffi.Function(lib.bind("total", "(n: u64, texts: cstr[n]) -> u64"))
    with pytest.raises(TypeError, match=r"convention 'packed' cannot carry cstr\[n\]: a slot has no array of texts"):
        assert function.packed_address
    assert str(Signature.parse("(n: u64, texts: const cstr[n], optional[cstr[*]]) -> void")) == (
        "(n: u64, texts: const cstr[n], optional[cstr[*]]) -> void"
    )


def test_emitted_modules_take_them(tmp_path):
    made = load(extension(tmp_path, "texts_module", {"total": "(n: u64, texts: const cstr[n]) -> u64"}, SOURCE))
    assert made.total(["ab", b"c"]) == 3
    with pytest.raises(TypeError, match="item 0: expected cstr, got int 1"):
        made.total([1])


def test_nothing_stays(lib):
    total = lib.bind("total", "(n: u64, texts: cstr[n]) -> u64")
    visit = lib.bind("visit", "(to: func[(n: u64, texts: cstr[n]) -> void]) -> void")

    def work():
        total(["a", b"b", "\u20ac" * 50])
        visit(list)
        for bad in ("x", ["a", 1], ["a\0"], ["\udc80"]):
            with pytest.raises((TypeError, ValueError)):
                total(bad)

    assert_nothing_stays(work)
