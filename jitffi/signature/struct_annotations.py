"""Members of a struct from the annotations of a class.

    x: jitffi.f64                                    a type, a struct's class, float, int, bool, complex
    flags: Annotated[int, "u32:3"]                   a member's text (struct_text)
    next: Annotated[Any, "ptr[Node]"]                the struct's own name is known in it

The value of a class attribute is the default. Names of underscores alone are none, as in text.
"""

from __future__ import annotations

from jitffi.base.annotations import Place, annotations_of
from jitffi.base.errors import SignatureError
from jitffi.signature.annotations import convert, evaluate, is_meant
from jitffi.signature.struct_text import parse_member, with_default
from jitffi.signature.structs import Member

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from jitffi.signature.model import Type

_NOTHING = object()


def members_of(cls: type, names: Mapping[str, Any], scope: Mapping[str, Type]) -> tuple[Member, ...]:
    """Return the members that a class declares. *names*: what its annotations may name; *scope*: types by the names
    that their texts have. TypeError for annotations that no member has, and defaults that its type does not take."""
    place = Place({**names, **vars(cls)})
    made = []
    for name, annotation in annotations_of(cls).items():
        what = f"{cls.__qualname__}.{name}"
        try:
            found = evaluate(annotation, place)
            if str(found).startswith(("typing.ClassVar", "<class 'typing.ClassVar")):
                continue
            member = _member(name, found, place, scope)
            default = vars(cls).get(name, _NOTHING)
            made.append(member if default is _NOTHING else with_default(member, default))
        except (TypeError, ValueError, OverflowError, NameError) as error:
            kind = SignatureError if isinstance(error, SignatureError) else type(error)
            first = error.args[0] if error.args else annotation
            said = first if isinstance(first, str) else f"no type for the annotation {first!r}"
            raise kind(f"{what}: {said}") from None
    return tuple(made)


def _member(name: str, annotation: Any, place: Any, scope: Mapping[str, Type]) -> Member:
    for given in getattr(annotation, "__metadata__", ()):
        if not isinstance(given, str):
            continue
        try:
            return parse_member(name, given, scope)
        except SignatureError:
            if _is_type(annotation.__origin__, place) and not is_meant(given):
                continue
            raise
    type_ = convert(annotation, place)
    return Member(name if name.strip("_") else None, type_.inner if type_.is_optional else type_)


def _is_type(annotation: Any, place: Any) -> bool:
    try:
        return convert(annotation, place).text != "any"
    except (TypeError, ValueError, NameError):
        return False
