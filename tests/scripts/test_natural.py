"""The twenty text functions as they are first written (benchmarks/first_written): results are CPython's, and all loops
but those of two functions are native.

A loop is native where `inspect_types` says of none of its lines, those of functions that it calls among them, that
Python's own objects do it. Python's own lists, dicts, sets and tuples, as arguments, as results, and of the module, are
read and written in place by native code, which counts as native; so does what is looked at while it runs ("any").
"""

from __future__ import annotations

import ast
import inspect
import random
import re
import textwrap
from typing import Any

import pytest

import jitffi
from benchmarks.first_written import formats, inputs
from tests.support import leaks

#: Loops in which Python's own objects have a part: one puts items into what a dict has, the other calls what one has.
IN_PART = {formats.settings: 1, formats.rendered: 4}
_LOOPS = ast.For | ast.While | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def loops(function: Any) -> list[tuple[int, int]]:
    """The first and last line of each loop, of functions inside, too."""
    lines, first = inspect.getsourcelines(function)
    found = [each for each in ast.walk(ast.parse(textwrap.dedent("".join(lines)))) if isinstance(each, _LOOPS)]
    return [(each.lineno + first - 1, (each.end_lineno or each.lineno) + first - 1) for each in found]


@pytest.mark.parametrize("function", inputs.ARGUMENTS, ids=lambda each: each.__name__)
def test_results_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for seed in range(12):
        rng = random.Random(seed)
        size = rng.choice((1, 5, 20, 120))
        given = [inputs.ARGUMENTS[function](random.Random(seed), size) for _ in range(2)]
        outcomes = []
        for each, arguments in zip((script, function), given, strict=True):
            try:
                outcomes.append(repr(each(*arguments)))
            except Exception as error:
                outcomes.append(f"{type(error).__name__}: {error}")
        assert outcomes[0] == outcomes[1] and given[0] == given[1], seed
    before = leaks.live_objects()
    script(*inputs.ARGUMENTS[function](random.Random(1), 20))
    assert leaks.live_objects() == before


def test_all_loops_but_those_of_two_functions_are_native() -> None:
    found = {}
    for function in inputs.ARGUMENTS:
        script = jitffi.script(function)
        script(*inputs.ARGUMENTS[function](random.Random(1), 20))
        marked = {int(line) for line in re.findall(r"^py +(\d+)  ", script.inspect_types(), re.MULTILINE)}
        other = [(first, last) for first, last in loops(function) if marked & set(range(first, last + 1))]
        if other:
            found[function] = len(other)
    assert found == IN_PART
