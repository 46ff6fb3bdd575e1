"""Metaclasses of registered classes whose bases have one of their own, as those of `abc` and `typing.Protocol` have."""

from __future__ import annotations

from jitffi import _core

_combined: dict[type, type[_core.ObjectType]] = {}


def metaclass_of(*classes: type) -> type[_core.ObjectType]:
    """The metaclass of a class that takes the place of the first of *classes*, or derives from them: ObjectType where
    none has one, else one that derives from both. (Theirs comes first, and finds ObjectType by `super()`.)"""
    found: type[_core.ObjectType] = _core.ObjectType
    for cls in classes:
        meta = _with_fields(type(cls))
        if issubclass(meta, found):
            found = meta
    return found


def _with_fields(meta: type) -> type[_core.ObjectType]:
    if issubclass(meta, _core.ObjectType):
        return meta
    if meta is type:
        return _core.ObjectType
    made = _combined.get(meta)
    if made is None:
        made = _combined[meta] = type(meta.__name__, (meta, _core.ObjectType), {"__module__": meta.__module__})
    return made
