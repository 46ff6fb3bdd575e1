"""Python functions read as signatures, from their annotations.

    def scale(x: float, by: float = 2.0) -> float   ->   (x: f64, by: f64 = 2.0) -> f64

What code objects and annotations hold is read from them directly: ``inspect`` and ``typing`` would take longer to
import than a first call may. Annotations of theirs are told by the names of their classes.
"""

from __future__ import annotations

from jitffi.base.annotations import annotations_of, without_aliases
from jitffi.base.errors import SignatureError
from jitffi.base.fork_locks import IMPORTS
from jitffi.signature.enum_annotations import UNIONS, enumerated, enumeration_of, is_enumeration
from jitffi.signature.model import FROZEN_MAP, NO_DEFAULT, TYPES, Param, Signature, Type, func, optional
from jitffi.signature.plain import plain_types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_FunctionType = type(lambda: None)
_VARARGS, _VARKEYWORDS = 0x04, 0x08  # CO_VARARGS, CO_VARKEYWORDS of co_flags

#: Classes of Python's that are all there is to say of a type.
CLASSES: dict[object, str] = {
    int: "i64", float: "f64", bool: "bool", str: "str", bytes: "bytes", object: "any", list: "list", dict: "map",
    tuple: "tuple", set: "set", frozenset: "set", complex: "c128",
}  # fmt: skip
_CONTAINERS: dict[object, str] = {list: "list", dict: "map", tuple: "tuple", set: "set", frozenset: "set"}
#: The same of collections.abc, by their names: what cannot be changed, and what can.
_ABSTRACT = {
    "Sequence": "tuple", "MutableSequence": "list", "Mapping": "map", "MutableMapping": "map", "Set": "set",
    "MutableSet": "set",
}  # fmt: skip
_BUILT_IN = {"List", "Map", "Set", "Tuple", "Shape", "NDArray", "Error", "Function"}
_OUR_CONTAINERS = {"List": "list", "Map": "map", "Set": "set", "Tuple": "tuple"}


def of(function: Callable[..., Any]) -> Signature:
    """Return the signature that a Python function's annotations and defaults spell.

    ``int`` is ``i64``, ``float`` is ``f64``; ``bool``, ``str`` and ``bytes`` are themselves, ``None`` as a result is
    ``void``, what is not annotated is ``any``. Types of signatures can be annotations, or stand in ``Annotated``,
    there as their texts, too: ``Annotated[NDArray[np.float64], "const f64[n]"]``. TypeError
    for annotations and kinds of parameters that no signature has, and for what is no Python function; a default that
    its type does not take is the error that passing it would be; SignatureError for what does not go together.

    >>> def repeat(word: str, /, count: int = 2, sep: str | None = None) -> str: ...
    >>> of(repeat)
    Signature.parse('(str, count: i64 = 2, sep: optional[str] = None) -> str')
    """
    python, skipped = _python_function(function)
    name = python.__name__
    code = python.__code__
    names = code.co_varnames
    if code.co_kwonlyargcount:
        raise TypeError(f"{name}: parameter {names[code.co_argcount]!r} is keyword-only, which no signature can say")
    after = code.co_argcount
    for flag, stars in ((_VARARGS, "*"), (_VARKEYWORDS, "**")):
        if code.co_flags & flag:
            raise TypeError(f"{name}: parameter '{stars}{names[after]}': a signature has a fixed number of parameters")
    defaults = python.__defaults__ or ()
    params = []
    for i in range(skipped, code.co_argcount):
        what = f"{name}: parameter {i + 1 - skipped} {names[i]!r}"
        ty = _type_of(python, names[i], what)
        if ty.name == "void":  # None is nothing as a result, and a value as a parameter
            ty = Type("null")
        from_first = i - code.co_argcount + len(defaults)
        default: Any = defaults[from_first] if from_first >= 0 else NO_DEFAULT
        if is_enumeration(type(default)) and ty.text != "any":
            default = default.value
        try:
            params.append(Param(names[i] if i >= code.co_posonlyargcount else None, ty, default))
        except (TypeError, ValueError, OverflowError) as error:
            raise type(error)(f"{what}: bad default: {error}") from None
    result = _type_of(python, "return", f"{name}: result")
    try:
        return Signature(params, result)
    except ValueError as error:
        raise SignatureError(f"{name}: {error}") from None


def _python_function(function: Any) -> tuple[Any, int]:
    """Return the function written in Python behind a callable, and how many parameters are bound already."""
    found = function
    bound = 0
    for _ in range(100):  # __wrapped__ may lead round in a circle
        if hasattr(found, "__func__") and hasattr(found, "__self__"):
            found = found.__func__
            bound = 1
        elif hasattr(found, "__wrapped__"):
            found = found.__wrapped__
        elif isinstance(found, _FunctionType):
            return found, bound
        elif isinstance(found, type) or not hasattr(type(found).__call__, "__code__"):
            break
        else:
            found = type(found).__call__
            bound = 1
    if not callable(function):
        raise TypeError(f"expected a Python function, got {type(function).__name__}")
    kind = "the class" if isinstance(function, type) else type(function).__name__
    name = getattr(function, "__name__", "")
    raise TypeError(f"expected a Python function, got {kind} {name}".rstrip() + ": give its signature as text")


def enumerations(function: Callable[..., Any]) -> list[type | None]:
    """The class of enum whose members each parameter of a Python function, and last its result, is annotated with."""
    python, skipped = _python_function(function)
    names = (*python.__code__.co_varnames[skipped : python.__code__.co_argcount], "return")
    annotations = annotations_of(python)
    return [enumeration_of(evaluate(annotations[each], python)) if each in annotations else None for each in names]


def _type_of(python: Any, name: str, what: str) -> Type:
    """Return the type of a parameter, or of the result as "return"."""
    annotations = annotations_of(python)
    if name not in annotations:
        return TYPES["any"]
    annotation = annotations[name]
    try:
        return convert(evaluate(annotation, python), python)
    except TypeError as error:
        because = _because(error.args[0], annotation)
        raise TypeError(f"{what}: no type for the annotation {_show(annotation)}{because}") from None
    except NameError as error:
        raise TypeError(f"{what}: cannot evaluate the annotation {_show(annotation)}: {error}") from None
    except ValueError as error:
        raise TypeError(f"{what}: no type for the annotation {_show(annotation)}: {error}") from None


def evaluate(annotation: Any, python: Any) -> Any:
    """Return what an annotation given as text means where its function was defined."""
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return annotation
    cells = python.__closure__ or ()
    captured = {}
    for name, cell in zip(python.__code__.co_freevars, cells, strict=True):
        try:
            captured[name] = cell.cell_contents
        except ValueError:  # not assigned yet
            continue
    try:
        return eval(text, python.__globals__, captured)
    except NameError:
        raise
    except Exception as error:  # the text is the user's code: anything can go wrong in it
        raise ValueError(f"{type(error).__name__}: {error}") from None


def convert(annotation: Any, python: Any) -> Type:
    """Return the type for an annotation. TypeError, whose argument is the part at fault, when there is none."""
    annotation = evaluate(annotation, python)
    aliased = without_aliases(annotation)
    if aliased is not annotation:
        return convert(aliased, python)
    if isinstance(annotation, Type):
        return annotation
    if annotation is None or annotation is type(None):
        return TYPES["void"]
    if annotation is callable:
        return TYPES["func"]
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return _convert_class(annotation)
    kind = type(annotation).__name__
    if (key := type_key(annotation)) is not None:
        return _convert_instance(key, getattr(annotation, "__args__", ()), python)
    for given in getattr(annotation, "__metadata__", ()):
        said = said_type(given)
        if said is not None:
            return said
    if kind == "_AnnotatedAlias":
        return convert(annotation.__origin__, python)
    if kind in UNIONS:
        return _convert_union(annotation.__args__, python)
    if kind == "_LiteralGenericAlias":
        return _convert_union(tuple({type(each): None for each in annotation.__args__}), python)
    if str(annotation) == "typing.Any":
        return TYPES["any"]
    if _is_ndarray(getattr(annotation, "__origin__", None)):
        return _convert_ndarray(annotation, python)
    container = container_name(getattr(annotation, "__origin__", None))
    if container:
        any_length = annotation.__origin__ is not tuple
        return _convert_container(container, getattr(annotation, "__args__", None), python, any_length=any_length)
    if _is_callable(getattr(annotation, "__origin__", None)):
        return _convert_callable(getattr(annotation, "__args__", ()), python)
    raise TypeError(annotation)


def _convert_instance(key: str, args: tuple[Any, ...], python: Any) -> Type:
    """Objects of that type; what a FrozenMap[K, V] holds is checked, parameters of others are type checkers' alone."""
    if key != FROZEN_MAP or not args or any(type(arg).__name__ == "TypeVar" for arg in args):
        return Type("instance", (key,))
    return Type("instance", (key, *[convert(arg, python) for arg in args]))


def type_key(annotation: Any) -> str | None:
    """The key of the registered class that an annotation is, with parameters or without, which are type checkers'."""
    origin = annotation if hasattr(annotation, "__metadata__") else getattr(annotation, "__origin__", annotation)
    key: str | None = vars(origin).get("__jitffi_type_key__") if isinstance(origin, type) else None
    return key


def said_type(given: object) -> Type | None:
    """The type that stands in ``Annotated``, itself or as its text. Other texts are nobody's; SignatureError for one
    that is to be a type and is none: a name with brackets behind it, and nothing else."""
    if isinstance(given, Type):
        return given
    if not isinstance(given, str):
        return None
    with IMPORTS:
        from jitffi.signature.text import parse_type
    try:
        return parse_type(given)
    except SignatureError:
        if is_meant(given):
            raise
        return None


def is_meant(text: str) -> bool:
    head, bracket, _ = text.partition("[")
    words = head.split()
    if words[:1] == ["const"]:
        del words[0]
    if not bracket or len(words) != 1 or not words[0].isidentifier():
        return False
    return words[0] in TYPES or text.rstrip().endswith("]") and not head[-1].isspace()


def _convert_class(cls: type) -> Type:
    name = CLASSES.get(cls)
    module = cls.__module__
    declared = getattr(cls, "__jitffi_struct__", None)
    if declared is not None:
        return declared.type  # type: ignore[no-any-return]
    if name is not None:
        return TYPES[name]
    key = type_key(cls)
    if key is not None:
        return Type("instance", (key,))
    if is_enumeration(cls):
        return TYPES[enumerated(cls)]
    if _is_callable(cls) or (cls.__name__ == "Function" and _is_ours(module)):
        return TYPES["func"]
    if container_name(cls):
        return TYPES[container_name(cls)]
    if module == "typing" and cls.__name__ == "Any":
        return TYPES["any"]
    if module == "ctypes" and isinstance(getattr(cls, "_type_", None), str):
        return _convert_ctypes(cls)
    found = _by_class(f"{'jitffi' if _is_ours(module) else module}.{cls.__name__}")
    if found is not None:
        return found
    base = built_in(cls)
    if base is None or base is cls:
        raise TypeError(cls)
    return _convert_class(base)


#: Letters of ctypes' simple types that no size is to be known of.
_OF_CTYPES = {"?": "bool", "f": "f32", "d": "f64", "g": "longdouble", "P": "ptr", "z": "cstr"}


def _convert_ctypes(cls: Any) -> Type:
    """The type of ctypes' own of that class: of an int by its size."""
    letter: str = cls._type_
    if letter in _OF_CTYPES:
        return TYPES[_OF_CTYPES[letter]]
    if letter.lower() not in "bhilq":
        raise TypeError(cls)
    from ctypes import sizeof

    return TYPES[f"{'i' if letter.islower() else 'u'}{8 * sizeof(cls)}"]


def built_in(cls: Any) -> type | None:
    """The class of ours that *cls* is, or that a user's class is derived from: a container, array, error, function."""
    lineage = cls.__mro__ if isinstance(cls, type) else ()
    return next((each for each in lineage if each.__name__ in _BUILT_IN and _is_ours(each.__module__)), None)


def _by_class(name: str) -> Type | None:
    """The type whose row has that class as an annotation."""
    with IMPORTS:
        from jitffi.types.table import row

    return next((type_ for type_ in plain_types() if name in row(type_).annotations), None)


def container_name(cls: Any) -> str:
    """Which container type a class is the annotation of; "" for none."""
    own = built_in(cls)
    if own is not None:
        return _OUR_CONTAINERS.get(own.__name__, "")
    if getattr(cls, "__module__", "") == "collections.abc":
        return _ABSTRACT.get(cls.__name__, "")
    return _CONTAINERS.get(cls, "") if isinstance(cls, type) else ""


def _convert_container(name: str, args: tuple[Any, ...] | None, python: Any, *, any_length: bool) -> Type:
    """Convert list[T], dict[K, V], tuple[T, U] and tuple[T, ...], or those of our classes, whose Tuple[T] is of any
    length, as type checkers have it, and Sequence[T]."""
    if args is None or any(type(arg).__name__ == "TypeVar" for arg in args):
        return TYPES[name]
    if not args:
        raise ValueError("a tuple of no items has no type")
    if name == "tuple" and len(args) == 1 and any_length:
        args = (*args, Ellipsis)
    try:
        return Type(name, tuple([arg if arg is Ellipsis else convert(arg, python) for arg in args]))
    except TypeError as error:
        if isinstance(error.args[0], str) and error.args[0].startswith(f"{name} takes"):
            raise ValueError(error.args[0]) from None
        raise


def _is_ndarray(cls: Any) -> bool:
    return getattr(cls, "__module__", "") == "numpy" and cls.__name__ == "ndarray"


def _convert_ndarray(annotation: Any, python: Any) -> Type:
    """Convert numpy.typing.NDArray[T], which is ndarray[shape, dtype[T]], to a tensor of any rank."""
    dtypes: tuple[Any, ...] = getattr(annotation.__args__[-1], "__args__", ())
    if len(dtypes) != 1:
        raise TypeError(annotation)
    return Type("tensor", (convert(dtypes[0], python), False, (), None, "cpu"))


def _convert_union(args: tuple[Any, ...], python: Any) -> Type:
    """Convert T | None and T | U, and Literal, by the classes of its values."""
    members = [member for member in args if member is not type(None)]
    has_none = len(members) < len(args)
    types = [convert(member, python) for member in members]
    if len(types) == 1:
        return types[0] if types[0].is_optional or not has_none else with_null(types[0])
    with IMPORTS:
        from jitffi.signature.compound import union_of
    return union_of([*types, *[_null()] * has_none])


def with_null(type_: Type) -> Type:
    """The type of what *type_* takes, and None."""
    if type_.name != "union":
        return optional(type_)
    with IMPORTS:
        from jitffi.signature.compound import union_of
    return union_of([type_, _null()])


def _null() -> Type:
    with IMPORTS:
        from jitffi.signature.plain import plain
    found = plain("null")
    assert found is not None
    return found


def _convert_callable(args: tuple[Any, ...], python: Any) -> Type:
    """Convert the parameters and result of Callable[[...], R], which its ``__args__`` hold in one row."""
    if not args or args[0] is Ellipsis:
        return TYPES["func"]
    params = [convert(arg, python) for arg in args[:-1]]
    for arg, ty in zip(args, params, strict=False):
        if ty.name == "void":
            raise TypeError(arg)
    return func(Signature([Param(None, ty) for ty in params], convert(args[-1], python)))


def _is_callable(annotation: Any) -> bool:
    return getattr(annotation, "__module__", "") == "collections.abc" and annotation.__name__ == "Callable"


def _is_ours(module: str) -> bool:
    return module == "jitffi" or module.startswith("jitffi.")


def _because(part: object, annotation: object) -> str:
    """Name the part of an annotation that is at fault, when it is not all of it."""
    return "" if _show(part) == _show(annotation) else f", because of {_show(part)}"


def _show(annotation: object) -> str:
    if isinstance(annotation, type) and not hasattr(annotation, "__origin__"):
        return (
            annotation.__qualname__
            if annotation.__module__ == "builtins"
            else f"{annotation.__module__}.{annotation.__qualname__}"
        )
    written = getattr(annotation, "__forward_arg__", annotation)
    text = written if isinstance(written, str) else repr(annotation)
    return text if len(text) <= 80 else text[:77] + "..."
