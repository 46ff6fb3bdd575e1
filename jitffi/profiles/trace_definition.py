"""What a trace says of functions and of the places that call them, as JSON: asked once for each while it is recorded.

Loaded in programs that are traced, so it imports little. Keys are of the functions as they are now: their files may be
edited before the trace is read.
"""

from __future__ import annotations

import os
import sys
from json import dumps

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

_process = 0


def of_function(function: Any) -> str:
    """Its key, what kind it is, where it stands, whether its pad is the source's, and its signature."""
    _flush_at_end()
    given = getattr(function, "_given", None)
    wrapped = None if given is None else given.function
    found: dict[str, object] = {"key": _key(function), "name": function.__name__}
    if wrapped is not None:
        found["kind"] = "script"
        found["module"] = wrapped.__module__
        found["file"] = wrapped.__code__.co_filename
        found["line"] = wrapped.__code__.co_firstlineno
        found["padded"] = function._given.pads is not None
    else:
        found["kind"] = "function"
        found["padded"] = "p" in function._options
    sig = function.signature
    if sig is not None:
        found["signature"] = str(sig)
    return dumps(found)


def of_site(code: CodeType | None, line: int) -> str:
    """The place of a call: file, line and the function that it is in; {} where no Python code calls."""
    if code is None:
        return "{}"
    return dumps({"file": code.co_filename, "line": line, "in": getattr(code, "co_qualname", code.co_name)})


def _key(function: Any) -> str:
    """Empty where it has none."""
    try:
        from jitffi.profiles import function_ids

        found: str = function_ids.key(function)
        return found
    except Exception:  # the user's program goes on, whatever is wrong with its text
        return ""


def _flush_at_end() -> None:
    """Children of multiprocessing end by os._exit, but not before they have done this."""
    global _process
    finalize = getattr(sys.modules.get("multiprocessing.util"), "Finalize", None)
    if _process != os.getpid() and finalize is not None:
        _process = os.getpid()
        finalize(None, _core.trace_flush, exitpriority=-1000)
