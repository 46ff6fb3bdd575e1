"""Metaclasses of registered classes whose bases have one of their own, as those of `abc` and `typing.Protocol` have."""

from __future__ import annotations

from jitffi import _core

_combined: dict[type, type[_core.ObjectType]] = {}


def metaclass_of(cls: type) -> type[_core.ObjectType]:
    """The metaclass of a class that takes the place of *cls*: ObjectType where that has none, one that derives from
    both where it has. (The metaclass of *cls* comes first, and finds ObjectType by `super()`.)"""
    meta = type(cls)
    if issubclass(meta, _core.ObjectType):
        return meta
    if meta is type:
        return _core.ObjectType
    made = _combined.get(meta)
    if made is None:
        made = _combined[meta] = type(meta.__name__, (meta, _core.ObjectType), {"__module__": meta.__module__})
    return made
