"""Whether containers in containers of fields of registered classes are what the annotation says: where a program puts
something else there, or may do so, what they are used for is Python's to do."""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Value, is_never, kind_of
from jitffi.scripts.library import instances
from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.analysis.places import Places

#: Methods that put something into a container, and those that put their last argument there.
_PUTTING_ONE: Final = frozenset(("append", "insert", "setdefault"))
_PUTTING: Final = _PUTTING_ONE | {"extend", "update"}


def container_of(item: Value) -> Type | None:
    """What a field says of an item of a container in it; None where that is no container."""
    found = instances.container_of(item.key) if isinstance(item, Type) and item.key else None
    return None if found is None else found[1]


def may_be_else(places: Places, item: Type, kind: str) -> bool:
    """Whether such an item of a container in a field, of a *kind* by the annotation, may be of another one."""
    places.put_matters = True
    return any(said in ("", item.key) and put != kind for said, put in places.put)


def note(places: Places, container: Value, value: Value | None) -> None:
    """The value, None for any, is put there: what was inferred of items before is inferred anew."""
    if value is not None and is_never(value):
        return
    said = _said_of_items(container)
    if said is None:
        return
    found = (said.key, "" if value is None else _kind(value))
    expected = container_of(said)
    if (expected is None or expected.kind != found[1]) and found not in places.put:
        places.put.add(found)
        places.grew |= places.put_matters


def note_method(places: Places, name: str, receiver: Value, args: list[Value]) -> None:
    if name in _PUTTING:
        note(places, receiver, args[-1] if args and name in _PUTTING_ONE else None)


def _said_of_items(container: Value) -> Type | None:
    """The type, with a key, of items that are containers in a field; one without where that is not known, and None of
    what is none in a field."""
    if isinstance(container, Cell):
        item = container.find().contents[-1]
        return item if isinstance(item, Type) and container_of(item) is not None else None
    if not isinstance(container, Type) or container.kind != "object" or class_of(container):
        return None
    return Type("object")


def _kind(value: Value) -> str:
    """ "list", "dict", ...; "" of what may be anything."""
    if not isinstance(value, Type):
        return kind_of(value)
    said = container_of(value)
    return class_of(value) if said is None else said.kind
