"""Arrays in scripts among other values: in variables, results, containers and choices. Inference comes to an end there,
and what is done with such a value is what Python does with the array."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

import jitffi
from tests.support.script_arrays import equal, outcome

# -- of an array of one or two dimensions, and a number ----------------------------------------------------------------


def one_or_a_number(x, k):
    if k > 1:
        return x
    return 5


def one_of_several(x, k):
    if k == 1:
        return "abc"
    if k == 2:
        return None
    return x


def again_and_doubled(x, k):
    if k == 0:
        return x
    return again_and_doubled(x, k - 1) * 2


def number_then_array(x, k):
    r = 0
    for i in range(k):
        r = x if i % 2 else x[1:]
        r[0] += 1
    return r


def choice(x, k):
    return (x if k else 5) if k > 1 else 7.5


def chosen_part(x, k):
    y = x[1:] if k else "a"
    return y * 2


def part_or_number(x, k):
    y = 7
    for i in range(k):
        y = x[1:] if i % 2 else 7
    return y


def after_two_numbers(x, k):
    y = 1
    if k:
        y = 2.5
    if k > 1:
        y = x
    return y * 2


def row_after_two_numbers(x, k):
    row = 1
    if k:
        row = 2.5
    for row in x[:2].reshape(-1, 2):
        row[0] += 1
    return row * 2


def numbered_rows(x, k):
    a = 1
    if k:
        a = 2.5
    for i, a in enumerate(x.reshape(-1, 2)):
        a[0] += i
    return a * 2


def unpacked_behind_others(x, k):
    a = b = 1
    if k:
        a = b = "q"
    if k > 1:
        a, b = x[:2]
        return a * 2, b + 1
    return a, b


def in_a_dict(x, k):
    out = {1: 5}
    out[1] = x[0]
    out["a"] = x
    return out[1] * 2, out["a"].sum() + k


def in_a_tuple(x, k):
    t = (x, 1) if k else (2.5, "a")
    return t[0] * 2


def among_items(x, k):
    t = 0
    for v in [x, 1, "a"][:k]:
        t = v
    return t * 2


def from_inside(x, k):
    def first(n):
        return x[0] if n else 5

    return first(k) * 2, first(0) * 2


def _rest(z):
    if len(z) > 0:
        return z[1:]
    return z[0]


def rest_of_the_rest(x, k):
    x = _rest(x)
    return rest_of_the_rest(x, k - 1) if k > 0 else x


FUNCTIONS = [each for name, each in sorted(globals().items()) if inspect.isfunction(each) and name[0] != "_"]
FUNCTIONS = [each for each in FUNCTIONS if each.__module__ == __name__]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_results_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for x in (np.arange(4.0), np.arange(6).reshape(3, 2)):
        for k in range(4):
            expected, found = (outcome(lambda x, f=f, k=k: f(x, k), x.copy()) for f in (function, script))
            assert equal(expected, found), (x, k, expected, found)
