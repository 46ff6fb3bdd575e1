"""What functions and classes are called in their modules: pickles name them so."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def named(value: Any) -> Any:
    """What the qualified name of a function or class stands for in its module; None."""
    found = sys.modules.get(value.__module__)
    for name in value.__qualname__.split("."):
        found = getattr(found, name, None)
    return found
