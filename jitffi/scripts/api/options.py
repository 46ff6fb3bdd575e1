"""What `jitffi.script` can be given: a callable, and options; and what the environment says for all scripts."""

from __future__ import annotations

import os
from types import FunctionType

from jitffi.adapters import plans
from jitffi.base import pad_policy

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def callable_of(f: Any, strict: bool) -> Any:
    """What a script is made of. TypeError for what is not callable, a class, and, if *strict*, no Python function."""
    if isinstance(f, FunctionType) or (callable(f) and not strict and not isinstance(f, type)):
        return f
    name = getattr(f, "__name__", "")
    raise TypeError(f"script: expected a Python function, got {f'{type(f).__name__} {name}'.strip()}")


def check_options(pad: object, nogil: object, signature: object, returns: object, strict: object) -> None:
    if returns is not None and not isinstance(returns, str):
        raise TypeError(f"script: returns is 'native' or 'python', got {type(returns).__name__}")
    if returns not in (None, "native", "python"):
        raise ValueError(f"script: returns is 'native' or 'python', not {returns!r}")
    for name, flag in (("nogil", nogil), ("strict", strict)):
        if not isinstance(flag, bool):
            raise TypeError(f"script: {name} is a bool, got {type(flag).__name__}")
    if isinstance(pad, int) and not isinstance(pad, bool):
        pads = {"*": pad}
    elif pad is None:
        pads = {}
    elif hasattr(pad, "items"):
        pads = dict(pad.items())
    else:
        raise TypeError(f"script: pad is an int, a dict by variable, or None, got {type(pad).__name__}")
    for name, value in pads.items():
        if not isinstance(name, str) or not isinstance(value, int) or isinstance(value, bool):
            raise TypeError(f"script: pad has an int for a variable's name, not {value!r} for {name!r}")
        if not 0 <= value <= pad_policy.MAX_PAD:
            raise ValueError(f"script: a pad is 0 to {pad_policy.MAX_PAD}, not {value}")
    if signature is not None and not isinstance(signature, str) and type(signature).__name__ != "Signature":
        raise TypeError(f"script: signature is a Signature or its text, got {type(signature).__name__}")


def level() -> int:
    """LLVM's level for scripts: what JITFFI_SCRIPT_LEVEL says, else 2, since code is made once and kept. ValueError."""
    said = os.environ.get("JITFFI_SCRIPT_LEVEL") or "2"
    if said not in ("0", "1", "2", "3"):
        raise ValueError(f"JITFFI_SCRIPT_LEVEL is one of 0, 1, 2, 3, not {said!r}")
    return int(said)


def begins_quickly() -> bool:
    """Whether scripts are compiled quickly for their first calls, as JITFFI_COMPILE and JITFFI_SCRIPT_LEVEL do not say
    otherwise. Not where someone looks at the code."""
    said = os.environ.get
    asked = said("JITFFI_SCRIPT_LEVEL") or said("JITFFI_DUMP") or said("JITFFI_DEBUG") or said("JITFFI_PERF")
    return plans.mode(None) == "hot" and not asked
