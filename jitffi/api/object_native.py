"""What a class in Python may say of a type that native code has defined: the names of its fields, which are told again
for readers and type checkers, and what the class has of its own."""

from __future__ import annotations

from jitffi.api.object_fields import is_class_variable
from jitffi.api.object_namespaces import namespace_of, no_init, plain_repr
from jitffi.base.annotations import annotations_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def tells_native(cls: type, row: Any) -> bool:
    """Whether a class tells no more than the names of a native type's fields. ValueError for a name that the type does
    not have."""
    named = [name for name, each in annotations_of(cls).items() if not is_class_variable(each)]
    if any(name in vars(cls) for name in named):  # a definition, which has to be the same
        return False
    known = [each[0] for each in row[9]]
    for name in named:
        if name not in known:
            raise ValueError(f"{row[0]} is defined by native code, without a field {name!r}: it has {', '.join(known)}")
    return True


def own_namespace(cls: type, row: Any, flags: dict[str, int], options: dict[str, Any]) -> dict[str, Any]:
    """What the class adds to the type. *flags*: of options that the type says itself. TypeError for one that it does
    not say."""
    refused = [name for name, flag in flags.items() if options[name] and not row[6] & flag]
    refused += [name for name in ("kw_only", "attributes") if options[name]]
    if refused:
        asked = ", ".join(f"{name}=True" for name in refused)
        raise TypeError(f"{row[0]} is defined by native code, whose type says what its objects are: not {asked}")
    own = namespace_of(cls, set())
    if not options["init"]:
        own.setdefault("__init__", no_init)
    if not options["repr"]:
        own.setdefault("__repr__", plain_repr)
    if not options["match_args"]:
        own.setdefault("__match_args__", ())
    return own
