"""Whether a function can be a script: it and what it calls are read, unless the cache knows that they were."""

from __future__ import annotations

from jitffi.base.off_thread import run
from jitffi.scripts.api import source_index
from jitffi.scripts.api.program import compiler, read
from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType


def check(function: FunctionType) -> None:
    """Read its source, and that of the functions that it calls so far as they are there, unless the cache knows that
    they were read. ScriptError for what scripts do not have."""
    checked: set[FunctionType] = set()
    waiting = [function]
    while waiting:
        function = waiting.pop()
        if function in checked:
            continue
        checked.add(function)
        called = _seen(function)
        if not (_was_read(function) and all(map(_was_read, called))):
            called = []
            run(read, function, None, called)
            source_index.keep_read(function, compiler())
        waiting += called


def _seen(function: FunctionType) -> list[FunctionType]:
    """The Python functions that its names stand for, which may be names of methods: it calls these at most."""
    found = [names.python_function(names.outside(function, name)) for name in names.global_names(function)]
    return [each for each in found if each is not None]


def _was_read(function: FunctionType) -> bool:
    try:
        return source_index.was_read(function, compiler())
    except SyntaxError:  # it is no script
        return False
