"""Long scripts: the work of compiling grows with their length and no faster, and what is too deep is refused."""

from __future__ import annotations

import cProfile
import importlib.util
import pstats
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api import compiling, program

HEAD = "import jitffi\n\n\n@jitffi.script\ndef f(x):\n"


def block(lines: list[str]) -> str:
    return HEAD + "\n".join([f"    {line}" for line in lines]) + "\n"


def assignments(n: int) -> str:
    rows = [f"v{i + 1} = v{i} + {i}" if i % 3 else f"v{i + 1} = v{i} - 1 if v{i} > 5 else v{i}" for i in range(n)]
    return block(["v0 = x", *rows, f"return v{n}"])


def branches(n: int) -> str:
    rows = [f"if x > {i}:\n        a = a + {i}\n        b = b + 'k{i}'" for i in range(n)]
    return block(["a = x", "b = ''", *rows, "return a, b"])


def loops(n: int) -> str:
    body = "for i{0} in range(x):\n        t += i{0}\n        if t > 10 ** 9:\n            break"
    return block(["t = 0", *[body.format(i) for i in range(n)], "return t"])


def continues(n: int) -> str:
    rows = [f"    a{i} = j + {i}\n        if a{i} == 77:\n            continue\n        t += a{i}" for i in range(n)]
    return block(["t = 0", "for j in range(x):", *rows, "return t"])


def conjunction(n: int) -> str:
    return block(["y = x", "return " + " and ".join([f"(y is None or x != {i + 9})" for i in range(n)])])


def alternatives(n: int) -> str:
    rows = [f"{'el' if i else ''}if x == {i + 100}:\n        r = 'r{i}'" for i in range(n)]
    return block([*rows, "else:\n        r = 'none'", "return r"])


def total(n: int) -> str:
    return block(["return " + " + ".join([f"x * {i}" for i in range(n)])])


def chain(n: int) -> str:
    rows = [f"def f{i}(x):\n    return f{i + 1}(x + {i}) if x < 10 ** 9 else 0\n" for i in range(n)]
    return "\n\n".join(["import jitffi", *rows, f"def f{n}(x):\n    return x\n", "f = jitffi.script(f0)\n"])


def circle(n: int) -> str:
    rows = [f"def f{i}(x):\n    return f{(i + 1) % n}(x - 1) + 1 if x > 0 else 0\n" for i in range(n)]
    return "\n\n".join(["import jitffi", *rows, "f = jitffi.script(f0)\n"])


def callees(n: int) -> str:
    rows = [f"def g{i}(x):\n    return x + {i}\n" for i in range(n)]
    body = "\n".join(["@jitffi.script", "def f(x):", "    t = x", *[f"    t = t + g{i}(x)" for i in range(n)]])
    return "\n\n".join(["import jitffi", *rows, body + "\n    return t\n"])


ALL = [assignments, branches, loops, continues, conjunction, alternatives, total, chain, circle, callees]


def load(folder: Path, text: str, name: str) -> Any:
    """The script `f` of a module of that text."""
    path = folder / f"{name}.py"
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module.f


def work(f: Any) -> int:
    """The calls of functions that it takes to make the module of the script's variant of an int."""
    around = program.Dependencies(f._given)
    with cProfile.Profile() as profile:
        compiling.text(compiling.typed(3, around), compiling.HOST, around, around.symbol)
    return pstats.Stats(profile).total_calls  # type: ignore[attr-defined, no-any-return]


@pytest.mark.parametrize("write", ALL, ids=lambda write: write.__name__)
def test_the_work_grows_with_the_length(tmp_path: Path, write: Callable[[int], str]) -> None:
    short, long = (load(tmp_path, write(n), f"long_{write.__name__}_{n}") for n in (40, 240))
    work(short)  # what is imported on first use counts for neither
    assert work(long) < 8 * work(short)


@pytest.mark.parametrize("write", ALL, ids=lambda write: write.__name__)
def test_long_scripts_give_what_python_gives(tmp_path: Path, write: Callable[[int], str]) -> None:
    f = load(tmp_path, write(120), f"given_{write.__name__}")
    for x in (0, 5, 150):
        if write is not circle or x < 100:
            assert f(x) == f.__wrapped__(x)


def test_functions_of_thousands_of_statements_are_not_optimised_and_run(tmp_path: Path) -> None:
    f = load(tmp_path, branches(600), "huge")
    assert "optnone" in f.inspect_llvm()
    assert f(33) == f.__wrapped__(33)


def test_what_is_too_deep_is_refused_by_name(tmp_path: Path) -> None:
    limit = sys.getrecursionlimit()
    assert load(tmp_path, alternatives(400), "deep")(101) == "r1"
    try:
        f = load(tmp_path, total(2500).replace("@jitffi.script", "@jitffi.script(strict=True)"), "deeper")
    except (jitffi.ScriptError, MemoryError, RecursionError) as error:  # Python's own compiler may not take it either
        assert not isinstance(error, jitffi.ScriptError) or "f is nested too deeply" in str(error)
    else:
        with pytest.raises(jitffi.ScriptError, match="f is nested too deeply"):
            f(1)
    assert sys.getrecursionlimit() == limit
