"""Python functions whose parameters or results are members of Python's enumerations: native code sees the int or text
that a member stands for, and the function and who calls it from Python the member.

    Python --members--> entry --ints, texts--> code --ints, texts--> called --members--> callable
"""

from __future__ import annotations

from jitffi import _core
from jitffi.signature.annotations import enumerations
from jitffi.signature.enum_annotations import enumerated, enumeration_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from jitffi.api.functions import Function


def classes_of(function: Callable[..., Any]) -> list[type | None]:
    """The class of each parameter, and last that of the result; empty where there is none at all. Members that are
    anything to native code are themselves everywhere, so their class is none."""
    found = [None if each is None or enumerated(each) == "any" else each for each in enumerations(function)]
    return found if any(found) else []


def stands_for(value: Any, annotation: Any) -> Any:
    """What native code gets for a member of the class that is the annotation; any other value."""
    found = enumeration_of(annotation)
    return value if found is None or enumerated(found) == "any" else _plain(value, found)


def called(function: Callable[..., Any], classes: Sequence[Any]) -> Callable[..., Any]:
    """Return what native code calls: *function*, with members."""

    def call(*args: Any) -> Any:
        return _plain(function(*map(_member, args, classes)), classes[-1])

    return call


def enter(made: Function, inner: Any, classes: Sequence[Any]) -> None:
    """Let Python's calls of *made* go to *inner*, the same without members, with what members stand for."""
    params = made._sig.params if made._sig is not None else ()
    by_name = {param.name: cls for param, cls in zip(params, classes, strict=False)}

    def entry(*args: Any, **named: Any) -> Any:
        plain = map(_plain, args, (*classes[:-1], *[None] * len(args)))
        return _member(inner(*plain, **{name: _plain(named[name], by_name.get(name)) for name in named}), classes[-1])

    _core.set_entered(made, entry)


def _member(value: Any, cls: Any) -> Any:
    return value if cls is None or value is None else cls(value)


def _plain(value: Any, cls: Any) -> Any:
    return value.value if cls is not None and isinstance(value, cls) else value
