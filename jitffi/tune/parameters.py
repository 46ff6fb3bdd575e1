"""What a workload's function is called with: an item or none, a candidate as `pad` or none."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: The parameter that is given the candidate.
PAD = "pad"


@dataclass(frozen=True, slots=True)
class Parameters:
    """Whether there is one for an item, one named `pad`, and whether that has a value of its own: the default."""

    item: bool
    pad: bool = False
    pad_default: bool = False


def of(function: Callable[..., Any], scripts: int = 0) -> Parameters:
    """Return what *function* takes, beside the first *scripts* parameters. What does not tell is called with an item.

    TypeError for what would do nothing when it is called (a generator, a coroutine), and for further parameters.

    >>> of(lambda item, pad=1: None)
    Parameters(item=True, pad=True, pad_default=True)
    >>> of(lambda: None)
    Parameters(item=False, pad=False, pad_default=False)
    >>> of(lambda item, other: None)
    Traceback (most recent call last):
        ...
    TypeError: <lambda>: a workload has an item and `pad` for parameters, not 'other'
    """
    name = getattr(function, "__name__", type(function).__name__)
    _check_kind(function, name)
    try:
        found = list(inspect.signature(function).parameters.values())
    except ValueError:  # a builtin that does not tell
        return Parameters(True)
    positional = [each for each in found if each.kind <= inspect.Parameter.VAR_POSITIONAL and each.name != PAD]
    pads = [each for each in found if each.name == PAD and each.kind in _BY_NAME]
    before, item = positional[:scripts], positional[scripts : scripts + 1]
    if positional and positional[-1].kind == inspect.Parameter.VAR_POSITIONAL:
        item = item or positional[-1:]
    elif len(before) < scripts:
        raise TypeError(f"{name}: expected a parameter for each of the {scripts} scripts, and one for an item")
    for each in found:
        if each in before or each in item or each in pads or each.kind in _VARIABLE:
            continue
        if each.default is inspect.Parameter.empty:
            if each.name == PAD:
                raise TypeError(f"{name}: `pad` is given by name, and cannot be positional only")
            raise TypeError(f"{name}: a workload has an item and `pad` for parameters, not {each.name!r}")
    if pads and item and pads[0].kind in _BY_PLACE and found.index(pads[0]) < found.index(item[0]):
        raise TypeError(f"{name}: the item comes first, then `pad`")
    return Parameters(bool(item), bool(pads), bool(pads) and pads[0].default is not inspect.Parameter.empty)


_BY_PLACE = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_BY_NAME = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _check_kind(function: Callable[..., Any], name: str) -> None:
    if inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function):
        raise TypeError(f"{name}: a workload is a plain function, not an async one")
    if inspect.isgeneratorfunction(function):
        raise TypeError(f"{name}: a workload is a plain function; a generator does nothing when it is called")
    if not callable(function):
        raise TypeError(f"a workload is a function, not {type(function).__name__}")
