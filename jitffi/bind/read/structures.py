"""The structs and unions that a header declares, its own and those of headers that it includes.

Declarations are read one by one, so that one that cannot be read costs no other; but structs point at structs that are
declared below them. So all that define types, and could be read, are read once more as one text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.bind.read.counted_text import without_counted_texts
from jitffi.signature.cdecl import Reader
from jitffi.signature.csource import Source
from jitffi.signature.cstructs import StructReader
from jitffi.signature.model import Signature, Type
from jitffi.signature.structs import Struct, declared


class Structures(StructReader):
    """Structs that belong to one reading of a header: another may have others of the same keys."""

    def __init__(self, prefix: str) -> None:
        super().__init__(prefix)
        self.reasons: dict[str, str] = {}  # of what is refused, by its names in C
        self._keys: dict[str, Struct] = {}

    def declare(self, key: str, c_name: str) -> Struct:
        return self._keys.setdefault(key, Struct(key, c_name or key.replace(".", "_")))

    def forget(self) -> None:
        self._keys.clear()

    def _type(self, reader: Reader, node: Any, what: str) -> tuple[Type, tuple[int, ...]]:
        type_, dims = super()._type(reader, node, what)
        return without_counted_texts(type_, reader), dims

    def _refuse(self, struct: Struct, reason: str) -> None:
        self.reasons.update({name: reason for name, type_ in self.names.items() if type_ is struct.type})
        super()._refuse(struct, reason)


def read_structs(readers: Iterable[Reader], prefix: str) -> Structures:
    """Read the structs of all that *readers* have read, and tell these of them."""
    readers = list(readers)
    found = Structures(prefix)
    texts = [reader.source.text for reader in readers if any(_is_type(node) for node in reader.nodes)]
    if texts:
        try:
            whole = Reader(Source("\n".join(texts), hints=False), readers[-1])
            whole.structs = found
            found.read(whole)
        except (SignatureError, RecursionError):
            found = Structures(prefix)
    for reader in readers:
        reader.structs = found
    return found


def defined_by(node: Any) -> Iterator[tuple[str, str]]:
    """Yield the names in C of the struct or union that a node defines, "struct point" and "Point", each with which of
    the two it is."""
    inner = node
    while inner is not None and type(inner).__name__ not in ("Struct", "Union"):
        inner = getattr(inner, "type", None)
    if inner is not None and inner.decls is not None:
        kind = type(inner).__name__.lower()
        if inner.name:
            yield f"{kind} {inner.name}", kind
        if type(node).__name__ == "Typedef" and getattr(node.type, "type", None) is inner:
            yield node.name, kind


def keys_in(what: Signature | Type) -> Iterator[str]:
    """Yield the keys of all structs that a signature or type leads to."""
    if isinstance(what, Signature):
        for param in what.params:
            yield from keys_in(param.type)
        yield from keys_in(what.result)
    elif isinstance(what, Type):
        struct = declared(what)
        if struct is not None:
            yield struct.key
        for arg in what.args:
            yield from keys_in(arg)


def needed(made: Iterable[Struct], wanted: Iterable[str]) -> list[Struct]:
    """The structs of the *wanted* keys and all that these lead to, in their order."""
    made = list(made)
    by_key = {struct.key: struct for struct in made}
    found: set[str] = set()
    waiting = list(wanted)
    while waiting:
        key = waiting.pop()
        if key not in found and key in by_key:
            found.add(key)
            waiting += [each for member in by_key[key].members or () for each in keys_in(member.type)]
    return [struct for struct in made if struct.key in found]


def _is_type(node: object) -> bool:
    """Whether a node defines a struct, union or typedef."""
    inner = node
    while inner is not None and type(inner).__name__ not in ("Typedef", "Struct", "Union"):
        inner = getattr(inner, "type", None)
    return inner is not None
