"""Functions of `math` in scripts: native with numbers, and to the last bit, and with every message, Python's."""

from __future__ import annotations

import math
import random
from math import floor, log

import jitffi
from jitffi.scripts.library.math_functions import ROWS
from tests.scripts.many import function_of, outcome

SPECIAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e308, -1e308, 5e-324, 1e19, math.inf, -math.inf, math.nan, 709.8, 3.7, -2.5)
SCOPE = {"__builtins__": __builtins__, "math": math, "log": log, "floor": floor}


def test_each_is_pythons() -> None:
    lines = ["def many(k, x, y):"]
    for k, (name, row) in enumerate(ROWS.items()):
        lines += [f"    if k == {k}:", f"        return math.{name}({'x, y' if row.arguments == 2 else 'x'})"]
    function = function_of("\n".join(lines), "many", dict(SCOPE))
    script = jitffi.script(function)
    rng = random.Random(1)
    values = [*SPECIAL, *[rng.uniform(-30, 30) for _ in range(5)], *[rng.uniform(-1, 1) for _ in range(4)]]
    for k, (name, row) in enumerate(ROWS.items()):
        for x in values:
            for y in SPECIAL[:9] if row.arguments == 2 else (0.0,):
                assert outcome(script, (k, x, y)) == outcome(function, (k, x, y)), (name, x, y)
        for x in (0, 7, -3, 2**62 + 1, True, "1", None, 2**1100):
            assert outcome(script, (k, x, 1)) == outcome(function, (k, x, 1)), (name, x)
    assert not [line for line in script.inspect_types().split("\n\n")[1].splitlines() if line.startswith("py")]


def test_by_its_own_name_and_as_python_has_it() -> None:
    source = "def f(x, y):\n    return log(x), floor(y), log(x, 2), math.hypot(x, y)\n"
    function = function_of(source, "f", dict(SCOPE))
    script = jitffi.script(function)
    for given in ((2.0, 3.5), (1, -2.5), (0.0, 1.0), (5, 1e30)):
        assert outcome(script, given) == outcome(function, given)
    assert "a call of log" not in script.inspect_types()
