"""Types that are made of others: containers, pointers and arrays. What each may hold, and how it is spelled.

    list[T]  set[T]  map[K, V]  tuple[T, U]  tuple[T, ...]  containers; T by name
    ptr[T]   ptr[const T]                                   ("ptr", (T, is_const))
    T[n, 4]  const T[n @ lda, m]  T[*]  cstr[n]             ("array", (T, is_const, ((n, None), (4, None))))
    tensor   tensor[const T, n, 4, order=C, device=cuda]    ("tensor", (T, is_const, dims, "C", "cuda"))
    out[T]   inout[T]                                       ("out", (T,))
    owned[ptr[T], free]   owned[cstr, library:free]         ("owned", (ptr[T], "free"))
    geo.Point   struct NAME                                 ("struct", (declaration,)); (NAME,) behind ptr
    demo.Node                                               ("instance", ("demo.Node",)): the key of an object type
    jitffi.FrozenMap[K, V]                                  ("instance", ("jitffi.FrozenMap", K, V))
    i64 | str | null                                        ("union", (i64, str, null)): two or more, flat, null last

A dimension is a length, an int, a name or None for `*`, and the name of its stride, or None where it is contiguous. A
tensor of any rank has none, of any element None; its order is "C" or None, and its device "any" takes all.

Machine code depends on types without names, so a name in the bare text stands between two NULs until the signature says
whether it is a parameter's (ABI section 3, `types`).
"""

from __future__ import annotations

from jitffi.base.devices import DEVICES
from jitffi.base.late import late
from jitffi.signature.model import CONTAINERS, FROZEN_MAP, PLAIN_NAMES, TYPES, WIDE_NAMES, Type
from jitffi.signature.parameters import parameter_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    #: A length and a stride.
    Dimension: TypeAlias = tuple[int | str | None, str | None]
    #: Depth, text and bare text.
    Made: TypeAlias = tuple[int, str, str]

    from jitffi.signature import plain, structs
else:
    plain = late("jitffi.signature.plain")
    structs = late("jitffi.signature.structs")

INTEGERS = tuple([name for name in PLAIN_NAMES if name[0] in "iu" and name[1:].isdigit()])
#: Elements of arrays that are parameters, too, and those that stand in arrays and behind pointers alone; the names of
#: the latter are DLPack's but for C's complex numbers.
NUMBERS = PLAIN_NAMES[PLAIN_NAMES.index("bool") : PLAIN_NAMES.index("ptr")]
ELEMENTS_ONLY = (
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz",
    "float8_e5m2", "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
#: What else a pointer may point at.
POINTEES = ("void", "cstr", "func", "ptr", "struct")
#: Dimensions of one array: as many as there are bits for those that have strides (runtime_c/include/jitffi/array.h).
MAX_RANK = 32

#: What else the runtime knows by name, so that it can be in containers and unions.
CHECKED = ("instance", "union", "null", "shape", "error", "ndarray")

_NO_ITEMS = {"void": "it has no values", "cstr": "text in a container is str"}


def make(name: str, args: tuple[Any, ...]) -> Made | None:
    """Check the arguments of a compound type; None where the name is none. TypeError or ValueError."""
    check = _CHECKS.get(name)
    return None if check is None else check(name, args)


def is_type_key(text: str) -> bool:
    """Whether *text* can be the key of a type of objects: names with dots between, as classes have qualified names."""
    first, *others = text.split(".")
    if not first.isidentifier() or others[-1:] == ["<locals>"]:
        return False
    return all(part and (part == "<locals>" or f"_{part}".isidentifier()) for part in others)


def is_element(type_: Type) -> bool:
    """Whether arrays have such elements."""
    return not type_.args and type_.name in (*NUMBERS, "c64", "c128", *ELEMENTS_ONLY)


def array_of(type_: Type) -> Type | None:
    """The array or tensor type that *type_* is, or is inside `optional`; None for others."""
    core = type_.inner if type_.is_optional else type_
    return core if core.name in ("array", "tensor") else None


def names_of(type_: Type) -> list[tuple[str, int, bool]]:
    """The names in an array's dimensions, each with its dimension and whether it is a stride's."""
    array = array_of(type_)
    found = []
    for at, (length, stride) in enumerate(array.args[2] if array else ()):
        found += [(name, at, i == 1) for i, name in enumerate((length, stride)) if isinstance(name, str)]
    return found


#: What must have a hash, by the container that it is in.
_HASHED = {"map": "a map's keys", "set": "a set's items"}
_OF_TUPLES = "types, or one and ..."


def _container(name: str, args: tuple[Any, ...]) -> Made:
    types = args[:-1] if name == "tuple" and len(args) == 2 and args[1] is Ellipsis else args
    wanted = {"list": 1, "set": 1, "map": 2}.get(name, len(types))
    if len(types) != wanted or not all(isinstance(ty, Type) for ty in types):
        takes = {1: "one type", 2: "two types, the keys' and the values'"}[wanted] if name != "tuple" else _OF_TUPLES
        raise TypeError(f"{name} takes {takes}, got {args!r}")
    for ty in types:
        core = ty.inner if ty.is_optional else ty
        why = _NO_ITEMS.get(core.name, "")
        if why or not _is_kept(core):
            why = why or "a container holds what the runtime knows by name"
            raise ValueError(f"{name}[...] cannot hold {core.text}: {why}")
    if name in _HASHED and not _has_hash(types[0]):
        raise ValueError(f"{types[0].text} cannot be the type of {_HASHED[name]}: it has no hash")
    tail = ", ...]" if len(types) < len(args) else "]"
    text = f"{name}[{', '.join([ty.text for ty in types])}{tail}"
    return 1 + max([ty.depth for ty in types]), text, f"{name}[{', '.join([ty.bare for ty in types])}{tail}"


def _is_kept(type_: Type) -> bool:
    """Whether the runtime knows the type by its text: an nd-array is what is kept of a tensor of any kind."""
    if type_.name in ("ptr", "tensor"):
        return type_.text == type_.name
    return type_.name in (*PLAIN_NAMES, *CONTAINERS, *CHECKED)


def _has_hash(type_: Type) -> bool:
    inner = [arg for arg in type_.args if isinstance(arg, Type)]
    return type_.name not in ("list", "map", "set") and all(_has_hash(ty) for ty in inner)


def _pointer(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) != 2 or not isinstance(args[0], Type) or not isinstance(args[1], bool):
        raise TypeError(f"ptr takes a type and whether it is const, got {args!r}")
    pointee, is_const = args
    if (
        not is_element(pointee)
        and pointee.name not in (*POINTEES, *WIDE_NAMES)
        or pointee.name == "func"
        and not pointee.args
    ):
        raise ValueError(f"there are no pointers to {pointee.text}")
    if pointee.name == "void" and not is_const:
        raise ValueError("a pointer to void is ptr")
    const = "const " * is_const
    bare = pointee.text if pointee.name == "struct" else pointee.bare  # which may become known later
    return 1 + pointee.depth, f"ptr[{const}{pointee.text}]", f"ptr[{const}{bare}]"


def _array(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) != 3 or not isinstance(args[0], Type) or not isinstance(args[1], bool) or not args[2]:
        raise TypeError(f"array takes an element type, whether it is const, and its dimensions, got {args!r}")
    elem, is_const, dims = args
    is_text = elem.name == "cstr"
    _check_dimensions(None if is_declared(elem) or is_text else elem, dims)
    if is_text and (len(dims) != 1 or dims[0][1]):
        raise ValueError("an array of texts has one dimension, without a stride")
    if is_declared(elem) and elem.args[0].members is None:
        raise ValueError(f"there are no arrays of {elem.text}, which is incomplete: its size is not known")
    const = "const " * is_const
    spelled = ((elem.text, ""), (elem.bare, "\0"))
    text, bare = [f"{const}{e}[{', '.join([_spell(d, m) for d in dims])}]" for e, m in spelled]
    return 0, text, bare


def _check_dimensions(elem: Type | None, dims: tuple[Dimension, ...]) -> None:
    if elem is not None and not is_element(elem):
        raise ValueError(f"there are no arrays of {elem.text}")
    if len(dims) > MAX_RANK:
        raise ValueError(f"an array has at most {MAX_RANK} dimensions, got {len(dims)}")
    for length, stride in dims:
        if isinstance(length, int) and not 0 <= length < 1 << 63:
            raise ValueError(f"{length} is no length of a dimension")
        for named in (length, stride):
            if isinstance(named, str) and parameter_name(named) != named:
                raise ValueError(f"{named!r} is spelled {parameter_name(named)!r}")


def _tensor(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) != 5:
        raise TypeError(
            f"tensor takes an element type, whether it is const, dimensions, order and device, got {args!r}"
        )
    elem, is_const, dims, order, device = args
    if order not in (None, "C"):
        raise ValueError(f"there is no order {order!r}: C is the one that can be asked for")
    if device not in DEVICES:
        raise ValueError(f"there is no device {device!r}: known: {', '.join(DEVICES)}")
    _check_dimensions(elem, dims)
    if elem is None and (dims or is_const):
        raise ValueError("a tensor has its dimensions and const with its element type")
    if any(stride is not None for _, stride in dims):
        raise ValueError("a tensor has its strides with it: none is named")
    head = ["const " * is_const + elem.text] if elem is not None else []
    options = [f"order={order}"] * (order is not None) + [f"device={device}"] * (device != "cpu")
    inside = [", ".join([*head, *[_spell(d, m) for d in dims], *options]) for m in ("", "\0")]
    text, bare = [f"tensor[{what}]" if what else "tensor" for what in inside]
    return 0, text, bare


def _spell(dim: Dimension, mark: str) -> str:
    length, stride = dim
    text = "*" if length is None else f"{mark}{length}{mark}" if isinstance(length, str) else str(length)
    return f"{text} @ {mark}{stride}{mark}" if stride is not None else text


def _passed_back(name: str, args: tuple[Any, ...]) -> Made:
    """out[T] and inout[T]."""
    if len(args) != 1 or not isinstance(args[0], Type):
        raise TypeError(f"{name} takes one type, got {args!r}")
    inner = args[0]
    array = array_of(inner)
    core = inner.inner if inner.is_optional else inner
    is_pointer = core.name in ("ptr", "cstr", *["owned"] * (name == "out"))
    is_pointer = is_pointer or core.name == "array" and not inner.is_optional
    if is_declared(inner) and inner.args[0].members is None:
        raise ValueError(f"{name}[{inner.text}] is no type: {inner.text} is incomplete, its size is not known")
    if (
        not is_pointer
        and not is_declared(inner)
        and (inner.is_optional or core.name not in (*NUMBERS, *WIDE_NAMES, "dtype", "device"))
    ):
        raise ValueError(f"{name}[{inner.text}] is no type: there is no way to write such a value")
    if array is not None and (name == "inout" or array.args[1]):
        raise ValueError(f"{name}[{inner.text}] is no type: the array itself is written where it is not const")
    if array is not None and array.args[0] == TYPES["cstr"]:
        raise ValueError(f"{name}[{inner.text}] is no type: what Python gives for texts is kept for the call alone")
    if array is not None and any(length is None or stride for length, stride in array.args[2]):
        raise ValueError(f"{name}[{inner.text}] is no type: what is made for it needs lengths, and is contiguous")
    return 1 + inner.depth, f"{name}[{inner.text}]", f"{name}[{inner.bare}]"


def _owned(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) != 2 or not isinstance(args[0], Type) or not isinstance(args[1], str):
        raise TypeError(f"owned takes a type and the name of the function that frees its values, got {args!r}")
    inner, free = args
    if inner.name not in ("ptr", "cstr"):
        what = "the optional stands around it" if inner.is_optional else "what is freed is a ptr, ptr[T] or cstr"
        raise ValueError(f"owned[{inner.text}, {free}] is no type: {what}")
    library, colon, function = free.rpartition(":")
    if not function.isidentifier() or bool(library) != bool(colon) or set(library) & set(" ,[]"):
        raise ValueError(f"{free!r} is no name of a C function, nor library:name")
    return 1 + inner.depth, f"owned[{inner.text}, {free}]", f"owned[{inner.bare}]"


def owned_in(type_: Type) -> Type | None:
    """The type owned[...] that *type_* is, or that is in its `optional` or `out`; None for others."""
    while type_.name in ("optional", "out"):
        type_ = type_.args[0]
    return type_ if type_.name == "owned" else None


def is_declared(type_: Type) -> bool:
    """Whether it is a struct or union of which more than the name is known, or will be."""
    return type_.name == "struct" and not isinstance(type_.args[0], str)


def _struct(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) == 1 and isinstance(args[0], structs.Struct):
        return 0, args[0].key, structs.bare_text(args[0])
    if len(args) != 1 or not isinstance(args[0], str) or not args[0].isidentifier():
        raise TypeError(f"struct takes its name, got {args!r}")
    return 0, f"struct {args[0]}", f"struct {args[0]}"


def _instance(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) > 1 and args[0] == FROZEN_MAP:
        depth, text, bare = _container("map", args[1:])
        return depth, FROZEN_MAP + text.removeprefix("map"), FROZEN_MAP + bare.removeprefix("map")
    if len(args) != 1 or not isinstance(args[0], str) or not is_type_key(args[0]):
        raise TypeError(f"instance takes the key of an object type, got {args!r}")
    return 0, args[0], args[0]


def union_of(types: Sequence[Type]) -> Type:
    """The type of what any of *types* takes: flat, each once, null last; optional[T] where null is beside one type.
    ValueError for what is in no union."""
    flat: list[Type] = []
    has_null = False
    for each in types:
        for part in each.args if each.name == "union" else (each,):
            core = part.inner if part.is_optional else part
            has_null |= part.is_optional or part.name == "null"
            if core.name != "null" and core not in flat:
                flat.append(core)
    if TYPES["any"] in flat:
        return TYPES["any"]
    if not flat:
        return _plain("null")
    if len(flat) == 1:
        one = flat[0]
        return one if not has_null or one.name == "ptr" else Type("optional", (one,))
    return Type("union", (*flat, *[_plain("null")] * has_null))


def _plain(name: str) -> Type:
    found = plain.plain(name)
    assert found is not None
    return found


def _union(name: str, args: tuple[Any, ...]) -> Made:
    if len(args) < 2 or not all(isinstance(ty, Type) for ty in args):
        raise TypeError(f"union takes two types or more, got {args!r}")
    for ty in args:
        why = _NO_ITEMS.get(ty.name, "")
        if why or not _is_kept(ty):
            raise ValueError(f"no union holds {ty.text}: {why or 'it stands for what the runtime knows by name'}")
    if any(ty.name in ("union", "any", "optional") for ty in args):
        raise ValueError("a union is flat: its types are no unions themselves, nor optional")
    depth = 1 + max([ty.depth for ty in args])
    return depth, " | ".join([ty.text for ty in args]), " | ".join([ty.bare for ty in args])


def _element(name: str, args: tuple[Any, ...]) -> Made:
    if args:
        raise TypeError(f"{name} takes no arguments, got {args!r}")
    return 0, name, name


_CHECKS: dict[str, Callable[[str, tuple[Any, ...]], Made]] = {
    **dict.fromkeys(CONTAINERS, _container), "ptr": _pointer, "array": _array, "tensor": _tensor, "out": _passed_back,
    "inout": _passed_back, "owned": _owned, "struct": _struct,
    "instance": _instance, "union": _union, **dict.fromkeys(ELEMENTS_ONLY, _element),
}  # fmt: skip


def why_no_parameter(type_: Type) -> str:
    """Why no parameter has the type; "" where one may."""
    if type_.name == "void":
        return "a parameter cannot be void"
    if is_declared(type_):
        return "" if type_.args[0].members is not None else f"{type_.text} is incomplete: its size is not known"
    if type_.name in ("struct", *ELEMENTS_ONLY):
        return f"{type_.text} stands behind pointers{'' if type_.name == 'struct' else ' and in arrays'} only"
    if type_.name != "out" and owned_in(type_):
        return f"{type_.text} is what a function gives: a result, or in out[...]; as an argument it is {_lent(type_)}"
    return ""


def _lent(type_: Type) -> str:
    """The text of a type without who frees its values."""
    owned = owned_in(type_)
    assert owned is not None
    return type_.text.replace(owned.text, owned.args[0].text)


def why_no_result(type_: Type) -> str:
    """Why no result has the type; "" where one may."""
    array = array_of(type_)
    if array is not None and array.name == "array":
        return f"{type_.text} cannot be a result: a pointer says nothing of its length"
    if type_.name in ("out", "inout"):
        return f"{type_.name}[...] is a parameter"
    if type_.is_optional and type_.inner.name in WIDE_NAMES and type_.inner.name != "longdouble":
        return f"{type_.text} cannot be a result: C has no way to return no number, and slots hold none of it"
    return "" if type_.name == "void" or owned_in(type_) else why_no_parameter(type_)


def resolved(text: str, names: list[str | None]) -> str:
    """Return the bare text of a signature with the names in it numbered: `$i` for parameter i, `#k` for others by
    first sight."""
    parts = text.split("\0")
    others: dict[str, str] = {}
    for i in range(1, len(parts), 2):
        name = parts[i]
        parts[i] = f"${names.index(name)}" if name in names else others.setdefault(name, f"#{len(others)}")
    return "".join(parts)
