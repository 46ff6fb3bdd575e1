"""Copies of objects with fields: `copy`, `deepcopy`, `copy.replace`, pickles. Constructors are not called for them."""

from __future__ import annotations

import sys

from jitffi import _core
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def _members(instance: Any) -> Any:
    return _core.class_members(type(instance))


def _attributes(instance: Any) -> dict[str, Any]:
    return getattr(instance, "__dict__", None) or {}


def _copied(instance: Any, changes: dict[str, Any]) -> Any:
    made = _core.begin_copy(instance)
    for member in _members(instance):
        if member.__name__ in changes:
            member.set(made, changes[member.__name__])
        else:
            member.restore(made, getattr(instance, member.__name__))
    if attributes := _attributes(instance):
        made.__dict__.update(attributes)
    return _core.mark_made(made)


def _values(instance: Any) -> dict[str, Any]:
    return {member.__name__: getattr(instance, member.__name__) for member in _members(instance)}


def _copy(self: Any) -> Any:
    """Return another object whose fields hold the same."""
    return _copied(self, {})


def _deepcopy(self: Any, memo: dict[int, Any]) -> Any:
    """Return another object whose fields hold copies."""
    from copy import deepcopy

    made = _core.begin_copy(self)
    memo[id(self)] = made
    for member in _members(self):
        member.restore(made, deepcopy(getattr(self, member.__name__), memo))
    if attributes := _attributes(self):
        made.__dict__.update(deepcopy(attributes, memo))
    return _core.mark_made(made)


def _replace(self: Any, /, **changes: Any) -> Any:
    """Return another object whose fields hold the same but for *changes*; TypeError for a name that no field has."""
    return replaced(self, changes)


def replaced(instance: Any, changes: dict[str, Any]) -> Any:
    """Another object whose fields hold the same but for *changes*."""
    names = {member.__name__ for member in _members(instance)}
    for name in changes:
        if name not in names or name in getattr(instance, "__jitffi_computed__", ()):
            raise TypeError(f"{_core.type_key(instance.type_code)}: there is no field {name!r}")
    made = _copied(instance, changes)
    if hasattr(made, "__jitffi_compute__"):
        made.__jitffi_compute__()
    return made


#: Codes of types whose objects can be made without arguments.
_makable: set[int] = set()


def _check_makable(code: int) -> None:
    """TypeError for a type whose native part nobody could make when a pickle is read."""
    objects, native = late("jitffi.api.objects"), code
    while objects.is_of_python(native):
        native = _core.type_parent(native)
    if _core.type_row(native) is not None:
        _core.bare_instance(objects.class_for(native))
    _makable.add(code)


def _reduce(self: Any, protocol: Any) -> Any:
    if self.type_code not in _makable:
        _check_makable(self.type_code)
    key = key_instead(type(self))
    state = _values(self), _attributes(self)
    return (_core.bare_instance, (type(self),), state) if key is None else (_bare_of_key, (key,), state)


def key_instead(cls: Any) -> str | None:
    """The key that pickles have in the place of a registered class that its module does not have by its name, such as
    that of a native type, which no module has."""
    found = sys.modules.get(cls.__module__)
    for name in cls.__qualname__.split("."):
        found = getattr(found, name, None)
    return None if found is cls else vars(cls).get("__jitffi_type_key__")


def class_of_key(key: str) -> Any:
    """The class of the type of that key. ValueError where there is none."""
    code = _core.type_code(key)
    if code <= 0:
        raise ValueError(f"there is no type of objects with the key {key!r}: load what defines it first")
    return late("jitffi.api.objects").class_for(code)


def _bare_of_key(key: str) -> Any:
    return _core.bare_instance(class_of_key(key))


def _setstate(self: Any, state: tuple[dict[str, Any], dict[str, Any]]) -> None:
    values, attributes = state
    known = {member.__name__: member for member in _members(self)}
    for name, value in values.items():
        if name not in known:
            raise ValueError(f"{_core.type_key(self.type_code)}: there is no field {name!r} any more")
        known[name].restore(self, value)
    if attributes:
        self.__dict__.update(attributes)
    _core.mark_made(self)


METHODS: dict[str, Callable[..., Any]] = {
    "__copy__": _copy,
    "__deepcopy__": _deepcopy,
    "__replace__": _replace,
    "__reduce_ex__": _reduce,
    "__setstate__": _setstate,
}
