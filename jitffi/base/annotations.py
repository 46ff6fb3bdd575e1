"""A function's annotations, as far as they can be known: from 3.14 on they are evaluated when asked for (PEP 649)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FunctionType
    from typing import Any


def annotations_of(function: FunctionType) -> Mapping[str, Any]:
    """By parameter and "return". What names something that is not defined, or not yet, is a forward reference: its text
    is in `__forward_arg__`."""
    try:
        return function.__annotations__
    except NameError:
        from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # slow, and of 3.14

        found: Mapping[str, Any] = get_annotations(function, format=Format.FORWARDREF)
        return found
