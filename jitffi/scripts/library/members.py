"""Members of structs: what a script has of each, by the declarations of `jitffi.struct`."""

from __future__ import annotations

from jitffi.base.late import late
from jitffi.base.records import record
from jitffi.scripts.library import instances
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ARRAY_ELEMENTS, BOOL, Type, elements_of, instance_of, struct_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jitffi.signature import structs
else:
    structs = late("jitffi.signature.structs")


@record
class Member:
    """A member in its place."""

    #: "geo.Point.x".
    name: str
    type: Type
    #: What numbers are called, of an array those in it: "f64"; "" of structs.
    element: str
    offset: int
    #: Of bit-fields, else 0.
    bit: int
    bits: int
    #: As errors say it: "u32:3".
    text: str
    #: Of registered objects: it is read-only.
    is_fixed: bool = False


def find(struct: Type, name: str) -> Member | None:
    """None where there is none, or none of a type that scripts have (`why_not`)."""
    assert struct.args
    key = struct.args[0].kind
    declared = structs.find(key)
    if declared is None:
        return _field(key, name)
    placed = next((each for each in declared.placed() if each.member.name == name), None)
    if placed is None:
        return None
    member = placed.member
    inner = structs.declared(member.type)
    element = "" if inner else member.type.name
    if (inner is None and element not in ARRAY_ELEMENTS) or -1 in member.dims:
        return None
    whole = f"{key}.{name}"
    type_ = struct_of(inner.key) if inner else ARRAY_ELEMENTS[element]
    if member.dims:
        type_ = elements_of(whole, type_ if inner else Type(element), member.dims)
    text = element if member.bits is None else f"{element}:{member.bits}"
    return Member(whole, type_, element, placed.offset, placed.bit, member.bits or 0, text)


def _field(key: str, name: str) -> Member | None:
    """That of a registered object."""
    found = instances.declared(instance_of(key), name)
    if found is None or found.element not in ARRAY_ELEMENTS:
        return None
    type_ = ARRAY_ELEMENTS[found.element]
    return Member(f"{key}.{name}", type_, found.element, found.offset, 0, 0, found.element, found.is_fixed)


def why_not(struct: Type, name: str) -> str:
    """What to say of a member that is not found."""
    assert struct.args
    key = struct.args[0].kind
    declared = structs.find(key)
    if declared is None:
        return f"{key} has no field {name!r} that is a number of up to 64 bits or bool: strict scripts have those alone"
    known = [each.member for each in declared.placed()]
    found = next((each for each in known if each.name == name), None)
    if found is None:
        return f"{key} has no member {name!r}: it has {', '.join([str(each.name) for each in known])}"
    if -1 in found.dims:
        return f"{key}.{name} has no length: scripts have no flexible ends of structs"
    return f"{key}.{name} is {found.type.text}: members of scripts are numbers of up to 64 bits, bool and structs"


def size_of(struct: Type) -> int:
    """In bytes."""
    assert struct.args
    declared = structs.find(struct.args[0].kind)
    assert declared is not None
    return declared.layout().size


def element_of(elements: Type) -> Type:
    """A STRUCT, or the name of numbers."""
    assert elements.args
    return elements.args[1]


def lengths_of(elements: Type) -> list[int]:
    assert elements.args
    return [int(each.kind) for each in elements.args[2:]]


def without(elements: Type, count: int) -> Type:
    """What as many indices give."""
    assert elements.args
    element, lengths = element_of(elements), lengths_of(elements)
    if count < len(lengths):
        return elements_of(elements.args[0].kind, element, lengths[count:])
    return element if element.kind == "struct" else ARRAY_ELEMENTS[element.kind]


def item_type(value: Type, written: tree.Expr, index: object) -> Type | None:
    """Of `value.name` or `value[index]`; None where a struct or its array has no such thing."""
    if isinstance(written, tree.MemberName):
        found = find(value, written.name) if value.kind == "struct" else None
        return None if found is None else found.type
    if value.kind == "struct":
        return None
    given: Sequence[object] = getattr(index, "items", (index,))
    one = element_of(value).kind == "struct"  # sequences of Python's, and no NumPy arrays
    if not 0 < len(given) <= (1 if one else len(lengths_of(value))):
        return None
    if not all(isinstance(each, Type) and each.kind in ("int", "bool") for each in given):
        return None
    return without(value, len(given))


def takes(member: Type, kind: str) -> bool:
    """Whether a member that is a number may be given a value of that kind."""
    if member == BOOL:
        return kind == "bool"
    return kind in ("int", "bool") or (kind == "float" and member.kind == "float")
