"""What goes between a session and a worker: requests, answers, and the handles in them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from jitffi.api.objects import register_object

#: Of what both sides have to agree on: what is in this module, and the binary form of values.
PROTOCOL = 1


@register_object("jitffi.remote.Handle")
class Handle:
    """What stays at a worker, where its own session knows it by the number."""

    kind: str  # "array" or "function"
    number: int
    #: Of an array its dtype, of a function its name.
    text: str
    #: Of an array.
    shape: list[int]
    #: Of a function, as text; "" where it has none.
    signature: str


@dataclass(frozen=True)
class File:
    """A file as it is sent: known by its digest."""

    digest: str
    name: str
    content: bytes


@dataclass(frozen=True)
class Request:
    """What a session asks of a worker. *what* names a method of worker.Held."""

    session: str
    what: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Failure:
    """An exception that was raised at a worker."""

    kind: str
    message: str
    #: As Python prints it.
    traceback: str
    #: The exception itself, pickled; None where it cannot be.
    pickled: bytes | None


@dataclass(frozen=True)
class Answer:
    value: Any = None
    failure: Failure | None = None


@dataclass(frozen=True)
class Machine:
    """What a worker says of itself."""

    triple: str
    python: str
    version: str
    protocol: int
    process: int
