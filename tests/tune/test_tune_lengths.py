"""Lengths of texts, told by counts; and that the sizes that are taken for granted are those of the runtime."""

from __future__ import annotations

import pytest

import jitffi
from jitffi.tune.reports import explain as lengths
from jitffi.tune.worker.instruments import count


def split(text, pad):
    def words(text):
        return text.split()

    script = jitffi.script(pad=pad)(words)
    script(text)
    return count(lambda: script(text))


@pytest.mark.parametrize("sign, width", [("x", 1), ("\u0436", 4)])
@pytest.mark.parametrize("words", [1, 8, 37, 300])
def test_the_histogram_is_that_of_the_texts(sign, width, words):
    sizes = [1, 2, 3, 7, 8, 9, 24, 31, 32, 90, 127, 128, 200]
    text = " ".join(sign * sizes[i % len(sizes)] for i in range(words))
    found = lengths.histogram(split(text, 0), split(text, 15))
    expected = {}
    for each in text.split():
        if 7 < len(each) < 128 if width == 1 else 2 < len(each) < 33:
            expected[width * len(each)] = expected.get(width * len(each), 0) + 1
    assert found == tuple(sorted(expected.items()))


@pytest.mark.parametrize("sign", ["x", "\u0436"])
def test_texts_on_the_heap_are_found_again(sign):
    text = " ".join(sign * length for length in (1, 4, 8, 12, 20) for _ in range(30))
    at = {pad: split(text, pad) for pad in (0, 1, 2, 3, 4, 15)}
    texts = lengths.histogram(at[0], at[15])
    left = {"x": [90, 30, 0, 0, 0, 0], "\u0436": [120, 90, 90, 60, 60, 0]}[sign]
    assert [lengths.heap_texts(each, texts) for each in at.values()] == left


def test_sizes_are_those_of_the_runtime():
    at_0 = dict(count(lambda: jitffi.List(["x" * 20] * 8, pad=0)).sizes)
    assert at_0[lengths._TEXT_HEADER + 21] == 8
    for pad in (2, 15):
        sizes = dict(count(lambda pad=pad: jitffi.List(["x" * 20] * 8, pad=pad)).sizes)
        assert sizes[lengths.block_size(8, pad)] == 1
