"""Which variant of a script serves a call: the type tags of its arguments, eight bits a parameter.

The tags are counted in runtime_c/python/package/script.h, too: the lower four bits of all parameters come first, above
bit 64 the upper four, which are the rank of an array, whose element is told by the others, or what the items of a list
of Python's own seem to be. A parameter whose annotation is a promise has tag 0 in every call, since its type is known;
so have those beyond the sixteenth, which are of any type. In strict scripts all annotations promise, and in others
those with types of ours: Python's own check nothing there.
An annotation that says of an array what its elements are, and not its rank, leaves the tag to tell it.
"""

from __future__ import annotations

import builtins

from jitffi.base import apart
from jitffi.base.annotations import annotations_of, without_aliases
from jitffi.scripts.frontend import names as scripts_names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence
    from types import FunctionType
    from typing import Any, Final, TypeVar

    from jitffi.scripts.api.program import ScriptOptions
    from jitffi.scripts.tree.types import Type

    Answer = TypeVar("Answer")

#: The symbol of the entry of a variant that is run here; files have their function's name in its place.
ENTRY = "__jf_script"
#: Variants of one script by type tags; further calls are served by one in which all parameters are of any type.
MOST_VARIANTS = 8
MOST_TOLD_APART = 16

_VAGUE = (
    "~", "+", "-", "typing.", "collections.", "t.", "Optional", "Union", "Any", "object", "Iterable", "Sequence",
    "Mapping", "Collection", "Container", "Mutable", "Sized", "Hashable",
)  # fmt: skip
_TAG_OF = {type(None): 1, bool: 2, int: 3, float: 4, str: 5, bytes: 6, list: 7, dict: 8, tuple: 9}
#: Of scripts that take Python's own objects as they are.
_OWN_TAG_OF = {**_TAG_OF, list: 12, dict: 13, tuple: 14, set: 15}
#: What items of a list can seem to be; behind them stand those of a `jitffi.List`, and numbers of registered classes.
_GUESSES = 3
_GUESSED = (str, int, float)
#: Objects of Python's, and of registered classes by their numbers (classes.py).
_OBJECT = 11
#: Of an int above 2**63 - 1.
_U64 = 15 | 1 << 4


def without_guesses(type_tags: int) -> int:
    """The type tags of the same arguments where of a list it is not said what its items seem to be."""
    own = _OWN_TAG_OF[list]
    for i in range(MOST_TOLD_APART):
        if type_tags >> 4 * i & 15 == own:
            guess = type_tags >> 64 + 4 * i & 15
            type_tags ^= guess << 64 + 4 * i
            if _GUESSES < guess <= 2 * _GUESSES:  # of a List
                type_tags ^= (own ^ _TAG_OF[list]) << 4 * i
    return type_tags


#: What annotations of arrays have in their text.
_ARRAY_WORDS = (
    "ndarray", "NDArray", "f64[", "f32[", "i64[", "i32[", "i16[", "i8[", "u64[", "u32[", "u16[", "u8[", "bool[",
)  # fmt: skip


def arrays(names: Sequence[str], annotations: Mapping[str, Any]) -> int:
    """A bit for each parameter whose annotation is that of an array: a guess, as that of `annotated`."""
    return sum([1 << i for i, name in enumerate(names[:64]) if _ask(_is_array_of, None, annotations.get(name))])


def _ask(what: Callable[[Any, Any], Answer], function: Any, annotation: Any) -> Answer:
    """What is asked about an annotation. One that raises, which changes nothing for Python, promises as much as
    `object`. What is raised by a handler that happens to run here is its caller's."""
    try:
        return what(function, annotation)
    except Exception:
        if apart.run(_is_answered, what, function, annotation):
            raise
    return what(function, object)


def _is_answered(what: Callable[[Any, Any], object], function: Any, annotation: Any) -> bool:
    try:
        what(function, annotation)
    except Exception:  # of the user's
        return False
    return True


def _is_array_of(_: object, annotation: object) -> bool:
    return _is_array(annotation)


def _is_array(annotation: object) -> bool:
    return annotation is not None and any(word in str(annotation) for word in _ARRAY_WORDS)


def structs(function: FunctionType, strict: bool) -> tuple[type | None, ...] | None:
    """Of each parameter the class of the struct, in a *strict* script also of the registered objects, that it is, or
    None; None where none is."""
    annotations = annotations_of(function)
    code = function.__code__
    names = [*code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]]
    found = [_ask(_struct if strict else scripts_names.annotated_struct, function, annotations.get(n)) for n in names]
    found += [None] * (len(parameters(function)) - len(names))  # those of stars say what is in them
    return tuple(found) if any(each is not None for each in found) else None


def _struct(function: FunctionType, annotation: Any) -> Any:
    return scripts_names.annotated_struct(function, annotation, strict=True)


def asked(names: Sequence[str], annotated: Collection[str]) -> int:
    """All bits of the parameters that tell variants apart."""
    return sum([15 << 4 * i for i, name in enumerate(names[:MOST_TOLD_APART]) if name not in annotated])


def annotated(function: Any, strict: bool) -> frozenset[str]:
    """The parameters whose types annotations promise; not those of `str | None` and the like, which can be several. A
    guess, before anything but names is looked up: what it takes for vague and is not costs a variant like another."""
    promises = _is_certain if strict else is_ours
    return frozenset([name for name, each in annotations_of(function).items() if _ask(promises, function, each)])


def _is_certain(function: Any, annotation: Any) -> bool:
    return not (_is_vague(named(function, annotation)) or _is_array(annotation))


def is_ours(function: Any, annotation: Any) -> bool:
    """Whether it is made of a type of jitffi's: `jitffi.i64`, `jitffi.List[str]`, a struct's class."""
    if _is_array(annotation):
        return False
    meant = named(function, annotation)
    if isinstance(meant, str):  # it has items
        head = meant.partition("[")[0]
        meant = scripts_names.unwrapped(function, meant) if is_wrapper(function, head) else named(function, head)
    elif not isinstance(meant, type):
        meant = scripts_names.unwrapped(function, meant)
    meant = getattr(meant, "__origin__", meant)
    if scripts_names.registered_key(meant):  # a FrozenMap, say, which is an object of Python's like those of programs
        return False
    return (
        _package(meant if isinstance(meant, type) else type(meant)) == "jitffi"
        or scripts_names.struct_of(meant) is not None
    )


def is_wrapper(function: Any, name: str) -> bool:
    """Whether a name is that of Final or Annotated, whose types are within."""
    found = named(function, name)
    return str(found).endswith(("typing.Final", "typing.Annotated", "typing.Annotated'>"))


def _package(cls: type) -> str:
    """Of a class, whatever its `__module__` is set to."""
    module = cls.__module__
    return module.partition(".")[0] if isinstance(module, str) else ""


def expected(given: ScriptOptions) -> tuple[int, bool]:
    """The type tags of a call whose arguments are what annotations say that promise nothing, and whether these tell
    them of all parameters."""
    function, annotations = given.function, annotations_of(given.function)
    code = function.__code__
    names = parameters(function)[:MOST_TOLD_APART]
    told = set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]) & set(annotations)
    told -= given.declared if not given.strict else told
    found = [_ask(_expected, function, annotations[name]) if name in told else 0 for name in names]
    tags = sum([(tag & 15) << 4 * i | tag >> 4 << 64 + 4 * i for i, tag in enumerate(found)])
    return tags, all(tag or name in given.declared for name, tag in zip(names, found, strict=True))


def unexpected(given: ScriptOptions, type_tags: int) -> list[str]:
    """The parameters that are annotated with other types than those of a variant, which changes nothing."""
    tags, _ = expected(given)
    names = parameters(given.function)[:MOST_TOLD_APART]
    words = [(tags >> 4 * i & 15, type_tags >> 4 * i & 15, type_tags >> 64 + 4 * i & 15) for i in range(len(names))]
    is_int = _TAG_OF[int], _U64 & 15, _U64 >> 4
    found = zip(names, words, strict=True)
    return [name for name, each in found if each[0] not in (0, each[1]) and each != is_int]


def _expected(function: FunctionType, annotation: Any) -> int:
    meant = named(function, annotation)
    items = getattr(meant, "__args__", ())
    if isinstance(meant, str) and meant.endswith("]"):
        meant, _, inner = meant.partition("[")
        meant, items = named(function, meant), (named(function, inner[:-1]),)
    meant = getattr(meant, "__origin__", meant)
    if meant is list and items:
        guesses = [guess for guess, each in enumerate(_GUESSED, 1) if each is items[0]]
        return _OWN_TAG_OF[list] | sum(guesses) << 4
    return _OWN_TAG_OF.get(meant, 0) if isinstance(meant, type) else 0


def promises_any(function: Any) -> bool:
    """Whether some annotation of a parameter or the result is a type of ours."""
    return any(_ask(_is_array_or_ours, function, each) for each in annotations_of(function).values())


def _is_array_or_ours(function: Any, annotation: Any) -> bool:
    return _is_array(annotation) or is_ours(function, annotation)


def ints(function: Any) -> frozenset[str]:
    """The parameters that are ints for sure, and may be above 2**63 - 1."""
    annotations = annotations_of(function)
    return frozenset([name for name, each in annotations.items() if _ask(named, function, each) is int])


def named(function: Any, annotation: Any) -> Any:
    """What an annotation that is the text of a name stands for: nothing certain where that is not there, or not yet."""
    text = getattr(annotation, "__forward_arg__", annotation)
    if not isinstance(text, str):
        return without_aliases(annotation)
    text = text.strip("'\"")
    first, *more = text.partition("[")[0].split(".")
    if "|" in text or not all(each.isidentifier() for each in (first, *more)):
        return text
    names = getattr(function, "__globals__", {})
    found = names.get(first, vars(builtins).get(first, object))
    for each in more:
        found = getattr(found, each, object)
    found = without_aliases(found)
    return text if "[" in text and not _is_unknown(found) else found


def _is_unknown(cls: object) -> bool:
    """Whether that is a class of which scripts have no type, so that an annotation promises nothing."""
    if not isinstance(cls, type) or cls in _OWN_TAG_OF or cls.__name__ in ("Callable", "Annotated"):
        return cls is set
    if scripts_names.registered_key(cls):
        return False
    return _package(cls) not in ("jitffi", "numpy") and scripts_names.struct_of(cls) is None


def _is_vague(annotation: object) -> bool:
    if isinstance(annotation, str):
        is_function = annotation.partition("[")[0].endswith("Callable")
        return "|" in annotation or (annotation.startswith(_VAGUE) and not is_function)
    origin = getattr(annotation, "__origin__", annotation)
    if _is_unknown(origin):
        return True
    if getattr(origin, "__name__", "") == "Callable":
        return False
    # Unions have several classes, one of them new in each Python.
    return annotation is object or "Union" in type(annotation).__name__ or str(annotation).startswith(_VAGUE)


#: All parameters are objects of Python's.
ALL_OBJECTS = 0xBBBBBBBBBBBBBBBB


def type_tags_of_defaults(num_params: int, defaults: Sequence[Any], takes_objects: bool = False) -> int:
    """The type tags of the last parameters' defaults."""
    first = num_params - len(defaults)
    tags = _OWN_TAG_OF if takes_objects else _TAG_OF
    places = list(enumerate(defaults, first))
    found = [(4 * i, _U64 if _is_large(value) else tags.get(type(value), 0)) for i, value in places]
    return sum([(tag & 15) << at | tag >> 4 << 64 + at for at, tag in found[: MOST_TOLD_APART - first]])


def _is_large(value: Any) -> bool:
    return type(value) is int and value >> 63 == 1


def types_of(type_tags: int, declared: Sequence[Type | None], keys: Mapping[int, str]) -> tuple[Type, ...]:
    """The types of a variant's parameters. *keys*: of registered classes, by their numbers."""
    from jitffi.scripts.tree import types
    from jitffi.scripts.tree.types import ANY, BOOL, BYTES, FLOAT, FUNC, INT, NONE, OBJECT, STR, TUPLE, dict_of, list_of

    native = (ANY, NONE, BOOL, INT, FLOAT, STR, BYTES, list_of(ANY), dict_of(ANY, ANY), TUPLE, FUNC)
    by_tag = (*native, OBJECT, *[types.object_of(name) for name in ("list", "dict", "tuple", "set")])
    found = []
    for i, type_ in enumerate(declared):
        place = 4 * min(i, MOST_TOLD_APART)
        number, rank = type_tags >> place & 15, type_tags >> 64 + place & 15
        if i >= MOST_TOLD_APART:
            number = rank = 0
        if number | rank << 4 == _U64:
            given = types.U64
        elif number == _OWN_TAG_OF[list] and rank > 2 * _GUESSES:
            key = keys.get(rank - 2 * _GUESSES, "")
            given = types.list_of_registered(key) if key else types.object_of("list")
        elif rank and number == _OWN_TAG_OF[list]:
            item = (STR, INT, FLOAT)[(rank - 1) % _GUESSES]
            given = list_of(item) if rank > _GUESSES else types.guessed_list(item)
        elif number == _OBJECT:
            given = types.instance_of(keys[rank]) if rank in keys else OBJECT
        else:
            given = types.array_of(tuple(types.ARRAY_ELEMENTS)[number], rank) if rank else by_tag[number]
        if type_ == types.INT and rank:
            given = types.U64
        found.append(given if type_ is None else type_.with_rank_of(given))
    return tuple(found)


def parameters(function: FunctionType) -> tuple[str, ...]:
    """Their names: those by position, by name alone, `*args` and `**kwargs`."""
    code = function.__code__
    stars = bool(code.co_flags & VARARGS) + bool(code.co_flags & VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


#: Flags of code.
VARARGS, VARKEYWORDS = 0x04, 0x08
#: Stands for no default.
_NO_DEFAULT: Final = object()


def shape(function: FunctionType) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """Values of the parameters that need not be given by position, from the first that has a default on; and what
    script_setup is told of the parameters."""
    code, defaults = function.__code__, scripts_names.defaults_of(function)
    stars = bool(code.co_flags & VARARGS) | bool(code.co_flags & VARKEYWORDS) << 1
    by_name = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    given = function.__kwdefaults__ or {}
    values = (*defaults, *[given.get(name, _NO_DEFAULT) for name in by_name])
    values += (_NO_DEFAULT,) * (bool(stars & 1) + bool(stars & 2))
    # What a default is that is no constant, its call tells.
    plain = not stars and not by_name and all(map(scripts_names.is_constant, defaults))
    callable_ = None if plain else function
    return values, (code.co_posonlyargcount, code.co_argcount, stars, _NO_DEFAULT, callable_)


def variables(function: FunctionType) -> set[str]:
    """The names of its variables, those of comprehensions among them."""
    waiting = [function.__code__]
    found: set[str] = set()
    while waiting:
        code = waiting.pop()
        found.update(code.co_varnames, code.co_cellvars)
        waiting += [each for each in code.co_consts if type(each) is type(code)]
    return found


def text_of_parameters(given: ScriptOptions) -> str:
    """As a def has them, without annotations and defaults."""
    if given.typed is not None:
        return str(given.typed.signature)
    code = getattr(given.function, "__code__", None)
    if code is None:
        return "(...)"
    count, keywords = code.co_argcount, code.co_kwonlyargcount
    shown, rest = list(code.co_varnames[:count]), iter(code.co_varnames[count + keywords :])
    if code.co_flags & 0x04:
        shown.append("*" + next(rest))
    elif keywords:
        shown.append("*")
    shown += code.co_varnames[count : count + keywords]
    if code.co_flags & 0x08:
        shown.append("**" + next(rest))
    return f"({', '.join(shown)})"
