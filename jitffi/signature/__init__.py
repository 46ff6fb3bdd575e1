"""Signatures: what a function takes and returns, as immutable values, and the texts they are read from.

``model`` holds the values, ``text`` the package's own notation, ``cdecl`` C declarations and ``annotations`` Python
functions. Each of the notations is built on ``model`` and handed to it here; it is loaded when the first of its kind is
read, since a warm start needs ``model`` and ``text`` only.
"""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late
from jitffi.signature import model

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


#: Rows of types that are none without what is in their brackets.
_WITH_ARGUMENTS = ("optional", "array", "tensor", "out", "inout", "owned", "struct", "instance", "union")


def _parse(text: str) -> model.Signature:
    with IMPORTS:
        from jitffi.signature.text import parse

    return parse(text)


def _from_c(prototype: str) -> model.Signature:
    with IMPORTS:
        from jitffi.signature.cdecl import parse_prototype

    return parse_prototype(prototype)[1]


def _of(function: Callable[..., Any]) -> model.Signature:
    with IMPORTS:
        from jitffi.signature.annotations import of

    return of(function)


def _default(type_: model.Type, value: Any) -> Any:
    with IMPORTS:
        from jitffi.signature.defaults import convert

    return convert(type_, value)


def _typed(type_: model.Type, value: Any) -> Any:
    with IMPORTS:
        from jitffi.signature.typed import make

    return make(type_, value)


def _other_names() -> list[str]:
    with IMPORTS:
        from jitffi.types import table

        return [name for name in table.names() if name not in (*model.PLAIN_NAMES, *model.WIDE_NAMES, *_WITH_ARGUMENTS)]


model.readers.parse = _parse
model.readers.from_c = _from_c
model.readers.of = _of
model.readers.default = _default
model.readers.typed = _typed
model.readers.other_names = _other_names
model.readers.compound = late("jitffi.signature.compound")
model.readers.order = late("jitffi.signature.order")
