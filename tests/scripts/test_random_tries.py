"""Random try statements do what Python's do: results, exceptions with their contexts and tracebacks, and what Python
code sees of them meanwhile; and nothing stays alive."""

from __future__ import annotations

import copy
import linecache
import os
import random
import sys
import traceback
from typing import Any

import pytest

import jitffi
from tests.scripts.random_tries import Program
from tests.support.leaks import assert_nothing_stays

COUNT = int(os.environ.get("JITFFI_FUZZ_CASES", "16"))
FIRST = int(os.environ.get("JITFFI_FUZZ_SEED", "0"))
CALLS = 4


def namespace(source: str, name: str) -> dict[str, Any]:
    filename = f"<{name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    scope: dict[str, Any] = {"__name__": name}
    exec(compile(source, filename, "exec"), scope)
    return scope


def described(error: BaseException | None, frames: int) -> Any:
    """Its class and arguments, the lines that it went through below *frames*, and those of its context."""
    if error is None:
        return None
    lines = [(frame.name, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)[frames:]]
    shown = error.__suppress_context__, described(error.__cause__, 0)
    return type(error), error.args, lines, shown, described(error.__context__, 0)


def outcome(function: Any, arguments: list[Any], seen: list[Any]) -> Any:
    def log(step: int) -> int:
        error = sys.exc_info()[1]
        seen.append((step, type(error), getattr(error, "args", None), type(getattr(error, "__context__", None))))
        if len(seen) % 5 == 4:
            raise OSError(step)
        return step

    try:
        result = function(log, *copy.deepcopy(arguments))
        return repr(getattr(result, "to_python", lambda: result)())
    except Exception as error:
        found = described(error, 1)
        error.__traceback__ = None
        return found


@pytest.mark.parametrize("seed", range(FIRST, FIRST + COUNT))
def test_random_tries_do_what_python_does(seed: int) -> None:
    program = Program(seed, seen=seed % 2 == 1, objects=seed % 4 > 1)
    function = namespace(program.source, f"tries_{seed}")["run"]
    try:
        script = jitffi.script(function)
    except jitffi.ScriptError as error:
        assert "too many ways" in str(error)
        return
    random.seed(seed)
    calls = [program.arguments() for _ in range(CALLS)]
    for arguments in calls:
        wanted_seen: list[Any] = []
        got_seen: list[Any] = []
        wanted, got = outcome(function, arguments, wanted_seen), outcome(script, arguments, got_seen)
        lines = "\n".join(f"{i + 1:4} {line}" for i, line in enumerate(program.source.splitlines()))
        said = f"{lines}\n\n{arguments}\nPython: {wanted} {wanted_seen}\nscript: {got} {got_seen}"
        assert wanted == got, said
        assert wanted_seen == got_seen, said
    assert_nothing_stays(lambda: [outcome(script, arguments, []) for arguments in calls])
