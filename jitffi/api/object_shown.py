"""What `inspect` and `dataclasses` are shown of classes with fields, made when they ask for it."""

from __future__ import annotations

from jitffi import _core
from jitffi.api import object_init_only
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_COMPARE, NO_INIT, NO_REPR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What `inspect` shows for a default that is made for each object.
_FACTORY: Any = ...


class _Signature:
    """`__signature__` of the classes, for `inspect`."""

    def __get__(self, instance: Any, cls: Any) -> Any:
        from inspect import Parameter, Signature

        by_position: list[Any] = list(_core.class_positions(cls))
        by_name = [each for each in _core.class_members(cls) if not each.flags & NO_INIT and each not in by_position]
        if hasattr(cls, "__jitffi_init_only__"):
            by_position, by_name = object_init_only.parameters(cls)
        params = [_parameter(each, Parameter.POSITIONAL_OR_KEYWORD) for each in by_position]
        return Signature([*params, *(_parameter(each, Parameter.KEYWORD_ONLY) for each in by_name)])


def _parameter(member: Any, kind: Any) -> Any:
    from inspect import Parameter

    default = Parameter.empty
    if member.flags & HAS_FACTORY:
        default = _FACTORY
    elif member.flags & HAS_DEFAULT:
        default = member.default_value
    return Parameter(member.__name__, kind, default=default, annotation=member.type)


def metadata_of(cls: Any) -> dict[str, Any]:
    """What fields say for others, by their names."""
    made: dict[str, Any] = {}
    for each in reversed(cls.__mro__):
        made |= vars(each).get("__jitffi_metadata__", {})
    return made


class _DataclassFields:
    """`__dataclass_fields__` of the classes, for `dataclasses.fields`, `asdict` and the like."""

    def __get__(self, instance: Any, cls: Any) -> Any:
        import dataclasses

        made = {}
        told = metadata_of(cls)
        for member in _core.class_members(cls):
            each: Any = dataclasses.field(
                init=not member.flags & NO_INIT,
                repr=not member.flags & NO_REPR,
                compare=not member.flags & NO_COMPARE,
                kw_only=bool(member.flags & KEYWORD_ONLY),
                metadata=told.get(member.__name__),
            )
            if member.flags & HAS_FACTORY:
                each.default_factory = member.default_value
            elif member.flags & HAS_DEFAULT:
                each.default = member.default_value
            each.name, each.type = member.__name__, member.type
            each._field_type = dataclasses._FIELD  # type: ignore[attr-defined]
            made[member.__name__] = each
        return made


SIGNATURE = _Signature()
DATACLASS_FIELDS = _DataclassFields()
