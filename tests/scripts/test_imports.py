"""Import statements inside scripts."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from alike import outcome

import jitffi


def whole(x: Any) -> Any:
    import os.path
    import xml.dom.minidom as minidom

    return os.path.basename(x), minidom.__name__, os.__name__


def names(x: Any) -> Any:
    from json import dumps
    from json import loads as read
    from xml import dom  # a package's module that it has only when it is imported

    return dumps(read(x)), dom.__name__


def guarded(x: Any) -> Any:
    try:
        from math import nothing_of_that_name as f
    except ImportError as error:
        return str(error), error.name, x
    return f(x)


def missing(x: Any) -> Any:
    import nowhere_at_all

    return nowhere_at_all, x


def rebound(x: Any) -> Any:
    import math

    if x > 3:
        math = None
    return math is None


@pytest.mark.parametrize(
    ("function", "argument"),
    [(whole, "a/b"), (names, "[1, 2]"), (guarded, 5), (missing, 1), (rebound, 2), (rebound, 4)],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_they_find_what_pythons_do(function: Any, argument: Any) -> None:
    script = jitffi.script(function)
    assert outcome(script, (argument,)) == outcome(function, (argument,))
    assert "left to the interpreter" not in script.inspect_types()


def test_relative_ones(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "relatives"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "near.py").write_text("VALUE = 7\n")
    (package / "user.py").write_text(
        "import jitffi\n@jitffi.script\ndef f(x):\n    from .near import VALUE\n    from . import near\n"
        "    return VALUE + near.VALUE + x\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    from relatives import user  # type: ignore[import-not-found]

    assert user.f(1) == 15
    for name in [each for each in sys.modules if each.startswith("relatives")]:
        del sys.modules[name]


def test_strict_refuses_them() -> None:
    with pytest.raises(jitffi.ScriptError, match="imports inside"):
        jitffi.script(strict=True)(whole)("a")
