"""What newer Pythons have: read, resolved, or refused by name. Their messages are compared wherever messages are."""

from __future__ import annotations

import linecache
import sys
from typing import Any

import numpy as np
import pytest

import jitffi

since_312 = pytest.mark.skipif(sys.version_info < (3, 12), reason="of CPython 3.12")
since_314 = pytest.mark.skipif(sys.version_info < (3, 14), reason="of CPython 3.14")
since_315 = pytest.mark.skipif(sys.version_info < (3, 15), reason="of CPython 3.15")


def run(text: str, name: str) -> dict[str, Any]:
    """What a module of that text has."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"jitffi": jitffi, "__name__": "demo"}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    return namespace


@since_312
def test_annotations_may_be_aliases_with_parameters(request):
    """PEP 695."""
    text = """
import numpy as np

type Items[T] = list[T]
type Named[V, K] = dict[K, Items[V]]
type Numbers[T: np.generic] = np.ndarray[tuple[int, ...], np.dtype[T]]
type Late = "Items[float]"

def f(x: Named[int, str], y: Numbers[np.float32], z: Late) -> Items[int]:
    return [x["a"][0] + len(y) + len(z)]
"""
    f = run(text, request.node.name)["f"]
    assert str(jitffi.Signature.of(f)) == "(x: map[str, list[i64]], y: tensor[f32], z: list[f64]) -> list[i64]"
    script = jitffi.script(f)
    assert script({"a": [1]}, np.zeros(3, np.float32), [0.5]) == [5]
    with pytest.raises(TypeError, match="y"):
        script({"a": [1]}, np.zeros(3), [0.5])


@since_314
def test_annotations_may_name_what_comes_later(request):
    """PEP 649."""
    found = run("def f(x: Later, y: list[Later]) -> Later:\n    return x + y[0]\n", request.node.name)
    f = found["f"]
    with pytest.raises(
        TypeError, match="f: parameter 1 'x': cannot evaluate the annotation Later: name 'Later' is not"
    ):
        jitffi.Signature.of(f)
    with pytest.raises(jitffi.ScriptError, match="the annotation cannot be evaluated: NameError: name 'Later' is not"):
        jitffi.script(f, strict=True)
    found["Later"] = int
    assert str(jitffi.Signature.of(f)) == "(x: i64, y: list[i64]) -> i64"
    assert jitffi.script(f)(2, [3]) == 5


@since_314
def test_exceptions_without_parentheses_are_as_those_with(request):
    text = "def f(x):\n    try:\n        return int(x)\n    except ValueError, TypeError:\n        return -1\n"
    script = jitffi.script(run(text, request.node.name)["f"], strict=True)
    assert [script(x) for x in ("7", "x", None)] == [7, -1, -1]


@since_315
def test_lazy_imports_are_what_they_stand_for(run_python):
    """PEP 810."""
    program = """
lazy from math import sqrt
lazy import math
import jitffi

def f(x: float):
    return sqrt(x)

def g(x):
    return math.pi

print(*[type(each).__name__ for each in (vars()["sqrt"], vars()["math"])])
for function in (f, g):
    try:
        print(jitffi.script(function, strict=True)(4.0))
    except jitffi.ScriptError as error:
        print(error.msg)
"""
    lazy, eager = run_python(program).splitlines(), run_python(program.replace("lazy ", "")).splitlines()
    assert lazy[0] == "lazy_import lazy_import" and lazy[1:] == eager[1:]


@since_315
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[*y for y in x]", r"scripts have no \*"),
        ("{**y for y in x}", r"scripts have no \*\* here"),
        ("{*y for y in x}", "scripts have no sets"),
        ("list(*y for y in x)", r"scripts have no \*"),
        ("frozendict(x)", "use a dict"),
        ("sentinel('x')", "use None, or a str"),
    ],
)
def test_refused_by_name(text, words, request):
    found = run(f"def f(x):\n    return {text}\n", request.node.name)
    with pytest.raises(jitffi.ScriptError, match=words):
        jitffi.script(found["f"], strict=True)


@since_315
def test_a_frozendict_is_used_as_it_is():
    def item(x):
        return x["a"]

    for strict in (False, True):
        assert jitffi.script(item, strict=strict)(frozendict(a=1)) == 1  # noqa: F821
