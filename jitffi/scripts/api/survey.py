"""What becomes of a function as a script: native, native in part, or left to the interpreter, and where and why."""

from __future__ import annotations

from typing import Literal, NamedTuple

from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import IMPORTS, LLVM
from jitffi.base.off_thread import run
from jitffi.scripts.analysis.by_python import by_python
from jitffi.scripts.api import dispatch, left
from jitffi.scripts.api.program import Dependencies
from jitffi.scripts.api.script import Script

State = Literal["native", "in part", "left"]


class Survey(NamedTuple):
    """Of one function: "native", "in part" with the lines that Python's own objects do, "left" to the interpreter with
    the line that is the reason."""

    name: str
    line: int
    state: State
    #: Line and what is said of it.
    why: tuple[tuple[int, str], ...]


def survey(made: Script) -> Survey:
    """Read and infer it for arguments as annotated, else of any types; nothing is compiled."""
    code = getattr(made._given.function, "__code__", None)
    place = made.__name__, 0 if code is None else code.co_firstlineno
    why = left.reason(made)
    if why is None:
        try:
            found = run(_python_lines, made)
            return Survey(*place, "in part" if found else "native", tuple(sorted(found.items())))
        except ScriptError as error:
            why = error
    return Survey(*place, "left", ((why.lineno or 0, why.msg),))


def _python_lines(made: Script) -> dict[int, str]:
    with IMPORTS, LLVM:
        from jitffi.scripts.api import compiling

        trees = compiling.typed(dispatch.expected(made._given)[0], Dependencies(made._given))
    return {line: ", ".join(said) for line, said in by_python(next(iter(trees.values()))).items()}
