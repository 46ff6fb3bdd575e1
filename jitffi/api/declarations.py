"""C declarations for libraries: parsed once on a machine, then read from the cache.

A record has a line each: `s` a struct (key, name in C, union, packing, alignment, members), `n` a name that C has for
one, `f` a function, `v` a variable, `e` an enum, `a` another name of one, `c` an enumerator, `g` which enum a function
gives, `r` what is none of these with the reason. Structs are declared before any member is read.
"""

from __future__ import annotations

from jitffi.adapters import cache
from jitffi.base.fork_locks import IMPORTS
from jitffi.base.late import late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jitffi.signature import text as texts
    from jitffi.signature.model import Signature, Type
    from jitffi.signature.structs import Struct
    from jitffi.signature.variables import Variable
else:
    texts = late("jitffi.signature.text")


class Declared:
    """What a text declares."""

    __slots__ = ("aliases", "constants", "enums", "functions", "names", "refused", "results", "variables")

    def __init__(self) -> None:
        self.functions: dict[str, Signature] = {}
        self.refused: dict[str, str] = {}
        self.variables: dict[str, Variable] = {}
        #: Values of enumerators by their names, by the names of the enums; and of all of them.
        self.enums: dict[str, dict[str, int]] = {}
        self.aliases: dict[str, str] = {}
        self.constants: dict[str, int] = {}
        #: Enums that functions give.
        self.results: dict[str, str] = {}
        #: Structs by what C calls them: "struct point", "Point".
        self.names: dict[str, Type] = {}


def prefix_of(library: str | None) -> str:
    """What keys of a library's structs begin with.

    >>> prefix_of("/usr/lib/libgeo-2.0.so.6"), prefix_of(None)
    ('geo_2', 'c')
    """
    stem = (library or "c").rpartition("/")[2].partition(".")[0].removeprefix("lib")
    name = "".join([c if c.isascii() and c.isalnum() else "_" for c in stem]) or "c"
    return name if name[0].isalpha() or name[0] == "_" else f"_{name}"


def prototype(name: str, text: str, prefix: str) -> Signature:
    """The signature of a C prototype. TypeError where it is of another name."""
    key = f"prototype|{prefix}|{text}"
    stored = _loaded(key)
    if stored is None:
        with IMPORTS:
            from jitffi.signature.cdecl import parse_prototype

        made: list[Struct] = []
        found, sig = parse_prototype(text, prefix=prefix, made=made)
        stored = Declared()
        stored.functions[found] = sig
        _store(key, stored, made)
    found, sig = next(iter(stored.functions.items()))
    if found != name:
        raise TypeError(f"bind: the prototype declares {found!r}, not {name!r}")
    return sig


def declarations(text: str, prefix: str) -> Declared:
    """What a cdef declares."""
    key = f"cdef|{prefix}|{text}"
    stored = _loaded(key)
    if stored is None:
        with IMPORTS:
            from jitffi.signature.cdecl import parse_declarations

        parsed = parse_declarations(text, prefix)
        stored = Declared()
        stored.functions, stored.refused, stored.names = parsed.functions, parsed.refused, parsed.names
        stored.variables, stored.results = parsed.variables, parsed.results
        stored.enums, stored.aliases, stored.constants = parsed.enums, parsed.aliases, parsed.constants
        _store(key, stored, parsed.structs)
    return stored


def _store(key: str, declared: Declared, made: Iterable[Struct]) -> None:
    rows = []
    for each in made:
        rows.append(f"s\t{each.key}\t{each.c_name}\t{int(each.is_union)}\t{each.pack}\t{each.align}\t{each.text()}")
    rows += [f"n\t{name}\t{type_.text}" for name, type_ in declared.names.items()]
    rows += [f"f\t{name}\t{sig}" for name, sig in declared.functions.items()]
    rows += [f"r\t{name}\t{' '.join(reason.split())}" for name, reason in declared.refused.items()]
    rows += [f"v\t{name}\t{variable}\t{variable.enum}" for name, variable in declared.variables.items()]
    for name, members in declared.enums.items():
        rows.append("\t".join(["e", name, *[f"{member}={value}" for member, value in members.items()]]))
    rows += [f"a\t{name}\t{enum}" for name, enum in declared.aliases.items()]
    rows += [f"c\t{name}\t{value}" for name, value in declared.constants.items()]
    rows += [f"g\t{name}\t{enum}" for name, enum in declared.results.items()]
    cache.store(key, "\n".join(rows).encode())


def _loaded(key: str) -> Declared | None:
    """What was stored; None also where one of its structs is another one here."""
    stored = cache.load(key)
    if stored is None:
        return None
    lines = [line.split("\t") for line in stored.decode().split("\n") if line]
    found = Declared()
    structs = [rest for kind, *rest in lines if kind == "s"]
    if structs and not _declare(structs):
        return None
    for kind, name, *rest in lines:
        if kind == "f":
            found.functions[name] = texts.parse(rest[0])
        elif kind == "r":
            found.refused[name] = rest[0]
        elif kind == "n":
            found.names[name] = _type_of(rest[0])
        elif kind == "v":
            found.variables[name] = _variable(*rest)
        elif kind == "e":
            found.enums[name] = {member: int(value) for member, _, value in [each.partition("=") for each in rest]}
        elif kind == "a":
            found.aliases[name] = rest[0]
        elif kind == "c":
            found.constants[name] = int(rest[0])
        elif kind == "g":
            found.results[name] = rest[0]
    return found


def _variable(text: str, enum: str) -> Variable:
    with IMPORTS:
        from jitffi.signature.variables import parse

    return parse(text)._replace(enum=enum)


def _declare(rows: list[list[str]]) -> bool:
    with IMPORTS:
        from jitffi.signature import structs
        from jitffi.signature.struct_text import parse_members

    made = [structs.declare(key, c_name=c_name) for key, c_name, *_ in rows]
    try:
        for each, (_, _, is_union, pack, align, members) in zip(made, rows, strict=True):
            options = {"is_union": is_union == "1", "pack": int(pack), "align": int(align)}
            structs.complete(each, parse_members(members), **options)  # type: ignore[arg-type]
    except structs.OtherMembersError:
        for each in made:
            structs.forget(each)
        return False
    return True


def _type_of(key: str) -> Type:
    from jitffi.signature import structs

    return structs.declare(key).type
