"""Structs of an emitted Python module: which classes it has, what they are called there, and what they are made of.

    ("Point", "geo.Point", doc, size, align, is_union, fields)      marshalled, one after the other in one tuple

runtime_c/python/emitted/structs.c makes the classes when the module is imported. Each has those before it that it
holds.
"""

from __future__ import annotations

import marshal

from jitffi.signature.model import NO_DEFAULT
from jitffi.signature.struct_source import structs_in
from jitffi.signature.structs import declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jitffi.signature.model import Signature
    from jitffi.signature.structs import Struct

#: The version of marshal that shares nothing: its bytes do not tell how often something was referred to.
_PLAIN = 2


def classes(sigs: Iterable[Signature]) -> dict[str, Struct]:
    """Return the structs with members that signatures lead to, by the names of their classes.

    >>> from jitffi.signature.model import Signature
    >>> from jitffi.signature.structs import Member, declare
    >>> for key in ("classes.Point", "other.Point"):
    ...     _ = declare(key, [Member("x", Signature.parse("(f64) -> f64").result)])
    >>> list(classes([Signature.parse("(classes.Point, ptr[other.Point]) -> void")]))
    ['Point', 'other_Point']
    """
    found: dict[str, Struct] = {}
    for struct in structs_in(sigs):
        if struct.members is None:
            continue
        name = struct.key.rpartition(".")[2]
        name = struct.key.replace(".", "_") if name in found else name
        while name in found:
            name += "_"
        found[name] = struct
    return found


def description(made: dict[str, Struct]) -> bytes:
    """Return what the module makes the classes of."""
    return marshal.dumps(tuple([_described(name, struct) for name, struct in made.items()]), _PLAIN)


def _described(name: str, struct: Struct) -> tuple[Any, ...]:
    layout = struct.layout()
    fields = []
    for member, offset, bit in struct.placed():
        inner = declared(member.type)
        bits = -1 if member.bits is None else member.bits
        default = ... if member.default is NO_DEFAULT else member.default
        text = "struct" if inner else member.type.text
        place = (offset, bit if bits >= 0 else -1, bits)
        fields.append((member.name, text, *place, member.dims, inner.key if inner else None, default))
    doc = struct.doc or f"{'union' if struct.is_union else 'struct'} {struct.key}: {struct.text()}"
    return name, struct.key, doc, layout.size, layout.align, struct.is_union, tuple(fields)
