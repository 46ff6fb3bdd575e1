"""Declared structs and unions in C, as headers have them: forward declarations, then definitions in their order.

    typedef struct geo_Point geo_Point;
    #ifndef JITFFI_HAS_geo_Point
    #define JITFFI_HAS_geo_Point
    struct geo_Point {
      double x;
      double y;
    };
    #endif

Whoever has a definition from elsewhere defines the macro before.
"""

from __future__ import annotations

from jitffi.signature import spelling, structs
from jitffi.signature.cnames import can_name_parameter
from jitffi.signature.model import Signature, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator


def definitions(sigs: Iterable[Signature]) -> list[str]:
    """The lines that declare all structs in these signatures, and those in them.

    >>> part = structs.declare("source.Part", [structs.Member("bits", Type("u32"), bits=3)])
    >>> member = structs.Member("parts", part.type, (2,))
    >>> whole = structs.declare("source.Whole", [member, structs.Member("x", Type("f64"), align=16)], pack=1)
    >>> lines = definitions([Signature.parse("(ptr[source.Whole]) -> void")])
    >>> print(*[line for line in lines if line[0] != "#"], sep="\\n")
    typedef struct source_Part source_Part;
    typedef struct source_Whole source_Whole;
    struct source_Part {
      uint32_t bits : 3;
    };
    struct source_Whole {
      source_Part parts[2];
      double x __attribute__((aligned(16)));
    };
    """
    found = structs_in(sigs)
    return [*map(_forward, found), *[line for each in found if each.members is not None for line in _definition(each)]]


def structs_in(sigs: Iterable[Signature]) -> list[structs.Struct]:
    """Return all structs that signatures lead to; what others have as members comes before these."""
    found: dict[structs.Struct, None] = {}
    for sig in sigs:
        for type_ in (*[param.type for param in sig.params], sig.result):
            _find(type_, found)
    return list(found)


def _find(type_: Type, found: dict[structs.Struct, None]) -> None:
    """All structs in a type; those that others have as members come before these."""
    struct = structs.declared(type_)
    if struct is not None:
        if struct not in found and struct.members is not None:
            for member in struct.members:
                if structs.declared(member.type):
                    _find(member.type, found)
            found[struct] = None
            for member in struct.members:
                _find(member.type, found)
        found[struct] = None
    for inner in type_.args:
        if isinstance(inner, Type):
            _find(inner, found)
        elif isinstance(inner, Signature):
            for each in (*[param.type for param in inner.params], inner.result):
                _find(each, found)


def _tag(struct: structs.Struct) -> str:
    kind = "union" if struct.is_union else "struct"
    return f"{kind} {struct.c_name.rpartition(' ')[2]}"


def _forward(struct: structs.Struct) -> str:
    return f"{_tag(struct)};" if " " in struct.c_name else f"typedef {_tag(struct)} {struct.c_name};"


def _definition(struct: structs.Struct) -> Iterator[str]:
    macro = f"JITFFI_HAS_{_tag(struct).partition(' ')[2]}"
    yield from (f"#ifndef {macro}", f"#define {macro}")
    if struct.pack:
        yield f"#pragma pack(push, {struct.pack})"
    yield from _body(struct, _tag(struct), "", "")
    if struct.pack:
        yield "#pragma pack(pop)"
    yield "#endif"


def _body(struct: structs.Struct, head: str, name: str, indent: str) -> Iterator[str]:
    yield f"{indent}{head} {{"
    for member in struct.members or ():
        yield from _member(member, f"{indent}  ")
    yield f"{indent}}}{_aligned(struct.align)}{name};"


def _member(member: structs.Member, indent: str) -> Iterator[str]:
    inner = structs.declared(member.type)
    if inner is not None and member.name is None:
        yield from _body(inner, "union" if inner.is_union else "struct", _aligned(member.align), indent)
        return
    name = member.name or ""
    name = name if not name or can_name_parameter(name) else f"{name}_"
    lengths = "".join([f"[{n if n >= 0 else ''}]" for n in member.dims])
    bits = "" if member.bits is None else f" : {member.bits}"
    declared = spelling.spell(spelling.c_types(member.type)[0], name + lengths).rstrip()
    yield f"{indent}{declared}{bits}{_aligned(member.align)};"


def _aligned(align: int) -> str:
    return f" __attribute__((aligned({align})))" * bool(align)
