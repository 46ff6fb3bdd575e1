"""What a value shows, as text that two runs can compare: what is in containers, readers, iterators; no addresses."""

from __future__ import annotations

import io
import itertools
import re
import types
from typing import Any

_ADDRESS = re.compile(r"0x(?=[0-9a-f]{10})[0-9a-f]+|\b[19]\d{14}\b")
_MOST = 20_000
_DEEPEST = 4
_ITERATORS = (
    types.GeneratorType,
    type(iter([])),
    type(iter({})),
    map,
    filter,
    zip,
    enumerate,
    reversed,
    type(iter("")),
)


def without_addresses(text: str) -> str:
    return _ADDRESS.sub("0x", text)


def show(value: Any, depth: int = 0) -> str:
    """Its class and its content, down to some depth."""
    kind = type(value)
    if kind in (list, tuple):
        return (
            f"{kind.__name__}[{', '.join([show(each, depth + 1) for each in value[:200]])}]"
            if depth < _DEEPEST
            else "..."
        )
    if kind is int:
        return without_addresses(str(value)) if abs(value) < 1 << 64 else hex(value)
    if kind is dict:
        return f"{{{', '.join([f'{show(k, depth + 1)}: {show(v, depth + 1)}' for k, v in value.items()])}}}"
    if isinstance(value, _ITERATORS):
        return f"{kind.__name__} of {show(list(itertools.islice(value, 50)), depth + 1)}"
    if isinstance(value, io.StringIO | io.BytesIO):
        return f"{kind.__name__}({'closed' if value.closed else (value.getvalue(), value.tell())})"
    if isinstance(value, BaseException):
        return f"{kind.__name__}: {without_addresses(str(value))}"
    text = without_addresses(repr(value))[:_MOST]
    if isinstance(value, type) or kind in (str, bytes, int, float, types.FunctionType, types.ModuleType):
        return text
    inside = getattr(value, "__dict__", None)
    if type(inside) is dict and depth < 2:
        text += f" {{{', '.join([f'{k}: {show(v, depth + 1)}' for k, v in inside.items()])}}}"
    return f"{kind.__name__} {text}"
