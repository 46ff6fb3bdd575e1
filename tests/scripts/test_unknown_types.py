"""Methods, builtins and operators of values of unknown type, with arguments of unknown type: Python's results, and its
errors word by word."""

from __future__ import annotations

import copy
import itertools
import random
import sys
from collections.abc import Iterable
from typing import Any

import pytest

import jitffi
from jitffi.scripts.library.methods import METHODS
from tests.scripts.test_random import compiled, plain

VALUES = [
    None, True, False, 0, 1, -1, 97, 300, 1.5, float("nan"), "", "a", "abc", "a b\n", "é🙂",
    b"", b"a", b"abc", b"\xff a", [], [1, 2], ["a", "b"], [b"a"], (), ("a", "b"), (b"a",), (1,), {}, {"a": 1}, {1: 2.0},
    len,
]  # fmt: skip

FORMS = (
    "sum(q[0], q[1])", "sum(q[0])", "sum([], q[0])", "min(q[0])", "max(q[0], q[1])", "sorted(q[0], reverse=q[1])",
    "str(q[0], q[1])", "bytes(q[0], q[1])", "int(q[0], q[1])", "round(q[0], q[1])", "q[0][q[1]]", "q[0] in q[1]",
    "q[0] + q[1]", "q[0] < q[1]", "q[0][q[1]:]", "q[0](q[1])", "'abc'[q[0]]", "b'abc'[q[0]]", "'abc'[q[0]:q[1]]",
    "','.join(q[0])", "b','.join(q[0])", "b'abc'.find(q[0], q[1])", "'abc'.find(q[0], q[1])", "'abc'.split(q[0], q[1])",
    "b'abc'.count(q[0])", "'abc'.center(q[0], q[1])", "b'abc'.center(q[0], q[1])", "'abc'.replace(q[0], q[1])",
    "f'{q[0]:{q[1]}}'", "[1, 2].index(q[0], q[1])", "(1, 2).count(q[0])", "{'a': 1}.get(q[0], q[1])", "list(q[0])",
    "'a\\nb'.splitlines(q[0])", "'abc'.startswith(q[0], q[1])", "b'abc'.endswith(q[0])", "'abc'.encode(q[0], q[1])",
)  # fmt: skip


def exact(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [exact(each) for each in value]
    if isinstance(value, dict):
        return "dict", [(exact(key), exact(each)) for key, each in value.items()]
    return type(value).__name__, repr(value)


def outcome(function: Any, values: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        found = plain(function(list(copy.deepcopy(values))))
    except RecursionError:
        return "RecursionError", ""
    except Exception as error:
        return type(error).__name__, str(error)
    views = ("dict_keys", "dict_values", "dict_items")
    return "result", exact(list(found) if type(found).__name__ in views else found)


def compare(form: str, calls: Iterable[tuple[Any, ...]]) -> None:
    function = compiled(f"def called(q):\n    return {form}\n", "called")
    script = jitffi.script(function)
    for values in calls:
        wanted, found = outcome(function, values), outcome(script, values)
        assert found == wanted, (form, values)


def sample(rng: random.Random, count: int, most: int) -> list[tuple[Any, ...]]:
    combinations = list(itertools.product(VALUES, repeat=count))
    return combinations if len(combinations) <= most else rng.sample(combinations, most)


METHOD_NAMES = sorted({name for rows in METHODS.values() for name in rows} - {"sort", "hex"})


@pytest.mark.parametrize("name", METHOD_NAMES)
def test_methods(name: str) -> None:
    rng = random.Random(name)
    rows = [rows[name] for rows in METHODS.values() if name in rows]
    for count in range(min(row.required for row in rows), max(len(row.params) for row in rows) + 1):
        inside = ", ".join([f"q[{i + 1}]" for i in range(count)])
        compare(f"q[0].{name}({inside})", sample(rng, count + 1, 300))


@pytest.mark.parametrize("form", FORMS)
def test_builtins_and_operators(form: str) -> None:
    calls = sample(random.Random(form), 2 if "q[1]" in form else 1, 400)
    if ":]" in form:  # the only keys of a dict that scripts have not since CPython 3.12
        calls = [values for values in calls if not isinstance(values[0], dict)]
    compare(form, calls)


@pytest.mark.parametrize("call", ["find(97)", "rfind(97, 1)", "index(98)", "rindex(97)", "count(97)", "find(300)"])
def test_bytes_are_searched_for_the_number_of_one(call: str) -> None:
    name, _, rest = call.partition("(")
    arguments = ", ".join([f"q[{i + 1}]" for i in range(len(rest.split(",")))])
    numbers = [int(each) for each in rest.rstrip(")").split(",")]
    compare(f"q[0].{name}({arguments})", [(b"abca", *numbers), ("abca", *numbers), ([97, 1], *numbers)])


def test_sum_of_nothing_is_its_start() -> None:
    for start in ("False", "True", "0.0", "None", "[]", "()", "-1", "q[0]"):
        compare(f"sum([], {start})", [(value,) for value in VALUES])
        compare(f"sum([x for x in q[0]], {start})", [([],), ([1],), ([1.5],)])


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="CPython takes any truth there")
def test_reverse_is_a_number() -> None:
    compare("sorted([2, 1], reverse=q[0])", [(value,) for value in VALUES])


@pytest.mark.parametrize("form", ["bytes(a, b)", "str(a, b)", "'abc'.center(a, b)"])
def test_what_is_known_not_to_fit_is_refused_in_the_same_words(form: str) -> None:
    function = compiled(f"def called(a, b):\n    return {form}\n", "called")
    for values in itertools.product((None, 2, "utf-8", b"a", len), repeat=2):
        script = jitffi.script(function)
        wanted, found = (outcome(lambda q, f=each: f(*q), values) for each in (function, script))
        assert found == wanted, (form, values)
