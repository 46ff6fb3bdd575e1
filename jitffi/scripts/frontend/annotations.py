"""Annotations, as types of scripts."""

from __future__ import annotations

from jitffi.scripts.frontend import names
from jitffi.scripts.tree import types
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.frontend.context import Context

_CLASSES: dict[object, types.Type] = {
    int: types.INT, float: types.FLOAT, bool: types.BOOL, str: types.STR, bytes: types.BYTES, object: types.ANY,
    list: types.list_of(types.ANY), set: types.set_of(types.ANY), dict: types.dict_of(types.ANY, types.ANY),
    tuple: types.TUPLE,
    type(None): types.NONE,
}  # fmt: skip
#: Classes of ours, and the abstract ones of the standard library.
_OURS = {
    "List": list,
    "Set": set,
    "Map": dict,
    "Tuple": tuple,
    "String": str,
    "UCS4String": str,
    "Bytes": bytes,
    "Object": object,
}
_ABSTRACT = frozenset(
    (
        "Iterable",
        "Collection",
        "Container",
        "Sequence",
        "MutableSequence",
        "Mapping",
        "MutableMapping",
        "Sized",
        "Hashable",
    )
)
_PLAIN = frozenset(("Name", "Attribute", "Subscript", "Constant", "Tuple", "List", "BinOp", "Load", "BitOr", "Index"))


class _NoType(Exception):
    """The part of an annotation that is no type."""


def read_annotation(cx: Context, node: Any) -> types.Type:
    """The type of a local variable's annotation, which Python itself does not evaluate."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if type(each).__name__ not in _PLAIN:
            if cx.foreign:
                return types.ANY
            cx.refuse(each, "annotations of scripts are types: write int, str, list[str], ...")
        waiting += [
            inner
            for part in vars(each).values()
            for inner in (part if isinstance(part, list) else [part])
            if hasattr(inner, "lineno")
        ]
    import ast

    return convert(cx, node, ast.unparse(node))


def convert(cx: Context, node: Any, annotation: Any) -> types.Type:
    """The type that an annotation's value, or its text, promises; *node* is where it stands. Where Python's objects are
    taken, what scripts have no type of promises nothing, and so do names that only a type checker knows; Python's own
    classes do where all is promised."""
    try:
        return _convert(cx, annotation, cx.promises)
    except _NoType as error:
        if cx.foreign:
            return types.ANY
        (part,) = error.args
        cx.refuse(
            node,
            f"scripts have no type for the annotation {_show(part)}: write int, float, bool, str, "
            "bytes, list[T], dict[K, V], tuple[...] or Any",
        )
    except Exception as error:  # of the text, which is the user's
        if cx.foreign:
            return types.ANY
        cx.refuse(node, f"the annotation cannot be evaluated: {type(error).__name__}: {error}")


def _convert(cx: Context, annotation: Any, promises: bool) -> types.Type:
    annotation = names.unwrapped(cx.function, annotation)
    if annotation is None:
        return types.NONE if promises else types.ANY
    kind = type(annotation).__name__
    if kind == "Type" and type(annotation).__module__ == "jitffi.signature.model":
        if annotation.name == "array":
            elem, _, dims = annotation.args
            array = types.array_from(elem.name, dims)
            if array is None:
                raise _NoType(annotation)
            return array
        facts = row(annotation)
        found: types.Type | None = getattr(types, facts.script or facts.script_annotation, None)
        if found is None:
            raise _NoType(annotation)
        return found
    origin = getattr(annotation, "__origin__", None)
    if getattr(origin, "__name__", "") == "ndarray":
        return _array(annotation)
    if not cx.foreign and names.registered_key(annotation):
        return types.struct_of(names.registered_key(annotation))
    if isinstance(annotation, type) and origin is None:
        return _class(annotation, promises)
    name = str(annotation)
    if name == "typing.Any" or kind in ("UnionType", "_UnionGenericAlias", "Union", "TypeVar", "_LiteralGenericAlias"):
        return types.ANY
    args = [each for each in getattr(annotation, "__args__", ()) if type(each).__name__ != "TypeVar"]
    try:
        base = _class(origin, promises)  # type: ignore[arg-type]
    except (_NoType, AttributeError):
        raise _NoType(annotation) from None
    if not args or base in (types.ANY, types.FUNC):
        return base if base != types.TUPLE or args or not _is_empty_tuple(annotation) else types.tuple_of()
    if base == types.TUPLE:
        return types.TUPLE if args[-1] is ... else types.tuple_of(*[_convert_inner(cx, each) for each in args])
    if len(args) != len(base.args or ()):
        raise _NoType(annotation)
    return types.Type(base.kind, tuple([_convert_inner(cx, each) for each in args]))


def _convert_inner(cx: Context, annotation: Any) -> types.Type:
    try:
        return _convert(cx, annotation, promises=True)
    except _NoType:
        if cx.foreign:
            return types.ANY
        raise


def _array(annotation: Any) -> types.Type:
    """Of numpy.ndarray[shape, dtype[scalar]], the class of `NDArray[scalar]`: of any rank."""
    dtype = annotation.__args__[-1]
    scalar = getattr(getattr(dtype, "__args__", (None,))[0], "__name__", "").rstrip("_")
    element = scalar.replace("uint", "u").replace("int", "i").replace("float", "f")
    if element not in types.ARRAY_ELEMENTS:
        raise _NoType(annotation)
    return types.array_of(element, 0)


def _is_empty_tuple(annotation: Any) -> bool:
    return str(annotation).endswith("[()]")


def _class(cls: type, promises: bool) -> types.Type:
    found = _CLASSES.get(cls)
    if found is not None:
        return found if promises else types.ANY
    struct = names.struct_of(cls)
    if struct is not None:
        return types.struct_of(struct.key)
    if cls.__module__ in ("collections.abc", "typing") and cls.__name__ in _ABSTRACT or cls.__name__ == "Any":
        return types.ANY
    if cls.__module__ == "numpy" and cls.__name__ == "ndarray":
        return types.ANY  # which one, the arguments say
    if cls.__module__ == "collections.abc" and cls.__name__ == "Callable":
        return types.FUNC if promises else types.ANY
    if cls.__module__.partition(".")[0] == "jitffi":
        if cls.__name__ in _OURS:
            return _CLASSES[_OURS[cls.__name__]]
        if cls.__name__ == "Function":
            return types.FUNC
    raise _NoType(cls)


def _show(annotation: Any) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return (
            annotation.__qualname__
            if annotation.__module__ == "builtins"
            else f"{annotation.__module__}.{annotation.__qualname__}"
        )
    return repr(annotation)
