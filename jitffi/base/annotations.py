"""A function's annotations, as far as they can be known: from 3.14 on they are evaluated when asked for (PEP 649)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FunctionType
    from typing import Any


def annotations_of(function: FunctionType | type) -> Mapping[str, Any]:
    """By parameter and "return", or by attribute. What names something that is not defined, or not yet, is a forward
    reference: its text is in `__forward_arg__`. What is no function has none."""
    try:
        return getattr(function, "__annotations__", {})
    except NameError:
        from annotationlib import Format, get_annotations  # type: ignore[import-not-found]  # slow, and of 3.14

        found: Mapping[str, Any] = get_annotations(function, format=Format.FORWARDREF)
        return found


def without_aliases(annotation: Any) -> Any:
    """What a ``type`` statement's name stands for, with its parameters if it has some, as ``NDArray[np.float64]`` of
    NumPy 2.5 has; what a NewType is made of, and what is within Final; anything else as it is."""
    for _ in range(100):  # an alias may stand for itself
        alias = getattr(annotation, "__origin__", annotation)
        if type(alias).__name__ == "NewType":
            annotation = alias.__supertype__
            continue
        if str(alias) == "typing.Final" and alias is not annotation:
            annotation = annotation.__args__[0]
            continue
        if type(alias).__name__ != "TypeAliasType":
            break
        value, given = alias.__value__, getattr(annotation, "__args__", ())
        inner = getattr(value, "__parameters__", ())
        if given and inner:
            bound = dict(zip(alias.__type_params__, given, strict=False))
            value = value[tuple([bound.get(each, each) for each in inner])]
        annotation = value
    return annotation


class Place:
    """Where an annotation of a class stands: what the reader of functions' annotations asks of a function."""

    __closure__ = None

    class __code__:  # noqa: N801  # a code object's name
        co_freevars = ()

    def __init__(self, names: dict[str, Any]) -> None:
        self.__globals__ = names
