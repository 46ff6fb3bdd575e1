"""What pads are for, counted: text that fits is never on the heap, not even on its way, whatever slots it comes by."""

from __future__ import annotations

import pytest

import jitffi
from jitffi.tune.worker.instruments import count

TIMES = 100


def into_list(s, n):
    found = []
    for i in range(n):
        found.append(f"{s}{i}")
    return found


def by_a_variable(s, n):
    found = []
    for _ in range(n):
        text = s.upper()
        found.append(text)
    return found


def set_and_insert(s, n):
    found = [""] * n
    for i in range(n):
        found[i] = s + "b"
        found.insert(i, s[::-1])
    return found


def keys_and_values(s, n):
    found = {}
    for i in range(n):
        found[f"{s}{i}"] = s.lower()
    return found


def split(s, n):
    return ((s + " ") * n).split() + ((s + ",") * n).split(",")


def comprehension(s, n):
    return [word for word in [s.replace("x", "yy") for _ in range(n)] if word]


FUNCTIONS = [into_list, by_a_variable, set_and_insert, keys_and_values, split, comprehension]
#: Longer than the temporaries of small pads; with what is put behind it, it fits pad 15.
TEXTS = {"utf8": "xa" * 40, "ucs4": "\u0436" + "xa" * 9}


def allocations(function, pad, text):
    script = jitffi.script(pad=pad)(function)
    script(text, TIMES)
    return count(lambda: script(text, TIMES)).allocations


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_text_that_fits_is_never_on_the_heap(function, text):
    assert allocations(function, 0, text) >= TIMES
    assert allocations(function, 15, text) < 0.3 * TIMES


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("function", [into_list, set_and_insert], ids=lambda function: function.__name__)
def test_the_pad_of_pools_alone_is_enough_for_what_is_in_no_variable(function, text):
    assert allocations(function, {"[]": 15}, text) < 0.3 * TIMES
