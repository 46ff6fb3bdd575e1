"""What annotations of fields mean as types, by their canonical texts, and how a field of a type is stored."""

from __future__ import annotations

from jitffi._core import Object
from jitffi.api import forward_types
from jitffi.base.annotations import without_aliases
from jitffi.signature.annotations import built_in, container_name, convert, evaluate, type_key
from jitffi.signature.enum_annotations import UNIONS, enumerated, is_enumeration
from jitffi.signature.model import FROZEN_MAP
from jitffi.signature.numbers import FLOATS, INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

SLOT, OBJECT = 64, 65
SCALARS = ("bool", *INTEGERS, *FLOATS, "dtype", "device")
_KINDS = {name: number for number, name in enumerate(SCALARS)}
#: Types of objects that what is assigned is converted to, as arguments are.
_CONVERTED = {"list", "map", "set", "tuple", "func", "module", "object", "error", "shape", "ndarray", "tensor"}
_SLOTS = {"any", "str", "bytes", "ucs4", "ptr", "null"}
#: Classes of ours that are object types by themselves, and the keys that these have.
_OWN = {"NDArray": "ndarray", "Error": "error", "Shape": "shape", "Object": "object", "Function": "func"}


class _Either:
    """X | Y, where one of them is no class yet."""

    def __init__(self, args: tuple[Any, ...]) -> None:
        self.__args__ = args

    def __or__(self, other: Any) -> Any:
        return _Either((*self.__args__, other))

    def __ror__(self, other: Any) -> Any:
        return _Either((other, *self.__args__))


class Key(_Either):
    """A type that is being declared, in its own annotations."""

    def __init__(self, key: str) -> None:
        super().__init__((self,))
        self.__jitffi_type_key__ = key

    def __getitem__(self, parameters: Any) -> Any:
        return self


class Names(dict):  # type: ignore[type-arg]
    """What annotations may name; a class that is not there yet is one that will be."""

    def __init__(self, names: Mapping[str, Any], key: str, module: str) -> None:
        super().__init__(names)
        self.key = key
        self._module = module

    def awaited(self, name: str) -> bool:
        """Whether *name* may become a class; then it is known from now on."""
        if not forward_types.may_be_awaited(name) or name in self:
            return False
        self[name] = Key(forward_types.key_of(name, self.key, self._module))
        return True


def evaluated(annotation: Any, place: Any) -> Any:
    """What an annotation means; in it stand keys for classes that are registered later."""
    while True:
        try:
            return evaluate(annotation, place)
        except NameError as error:
            if not place.__globals__.awaited(error.name or ""):
                raise


def type_text(annotation: Any, place: Any) -> str:
    """Return the canonical text of a field's type. TypeError or ValueError, where there is none."""
    found = without_aliases(evaluated(annotation, place))
    if isinstance(found, Key):
        return found.__jitffi_type_key__
    if str(found) == "typing.Self":
        return str(place.__globals__.key)
    args = getattr(found, "__args__", ())
    if (key := type_key(found)) is not None:
        is_plain = key != FROZEN_MAP or not args or any(type(each).__name__ == "TypeVar" for each in args)
        return key if is_plain else f"{key}[{', '.join([type_text(each, place) for each in args])}]"
    if found is None or found is type(None):
        return "null"
    own = found if found is Object else built_in(found)
    if own is not None and own.__name__ in _OWN:
        return _OWN[own.__name__]
    if is_enumeration(found):
        return enumerated(found)
    if isinstance(found, type) and (found.__module__, found.__name__) == ("numpy", "ndarray") and not args:
        return "ndarray"
    kind = type(found).__name__
    if kind == "TypeVar":
        return "any"
    if isinstance(found, _Either) or kind in UNIONS:
        return _union_text([type_text(each, place) for each in args])
    origin = getattr(found, "__origin__", None)
    if args and kind != "_AnnotatedAlias" and not getattr(found, "__metadata__", ()):
        name = container_name(origin)
        if name:
            inner = [each if each is Ellipsis else type_text(each, place) for each in args]
            if name == "tuple" and len(inner) == 1 and origin is not tuple:
                inner.append(Ellipsis)  # our Tuple[T] is of any length
            return f"{name}[{', '.join('...' if each is Ellipsis else each for each in inner)}]"
    return convert(found, place).text


def _union_text(texts: list[str]) -> str:
    others = [text for text in texts if text != "null"]
    if len(others) == 1:
        return others[0] if others[0] in ("any", "ptr") or len(others) == len(texts) else f"optional[{others[0]}]"
    if "any" in others:
        return "any"
    return " | ".join([*others, "null"] if len(others) < len(texts) else others)


def kind_of(text: str) -> tuple[int, bool]:
    """How a field of that type is stored, and whether the type is an object type's key."""
    if text in _KINDS:
        return _KINDS[text], False
    if _has_dimensions(text):
        raise TypeError(f"no field is of type {text}: NDArray[numpy.float64] says of arrays what their elements are")
    inner = text[9:-1] if text.startswith("optional[") else text
    if text in _SLOTS or inner in _SLOTS or inner in _KINDS or is_union(text):
        return SLOT, False
    if inner in _CONVERTED or "[" in inner:
        return OBJECT, False
    if inner in ("longdouble", "i128", "u128", "c64", "c128", "cstr", "void"):
        raise TypeError(f"no field is of type {inner}")
    return OBJECT, True


def _has_dimensions(text: str) -> bool:
    """Whether there is an array with a number of dimensions in it: `f64[*, *]`, `tensor[f64, n]`."""
    tensors = [each.partition("]")[0] for each in text.split("tensor[")[1:]]
    return any("," in each for each in tensors) or any(f"{each}[" in text for each in ("bool", *INTEGERS, *FLOATS))


def is_union(text: str) -> bool:
    depth = 0
    for character in text:
        depth += (character == "[") - (character == "]")
        if character == "|" and depth == 0:
            return True
    return False
