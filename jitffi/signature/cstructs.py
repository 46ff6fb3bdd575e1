"""Structs and unions of C declarations: their members as the C parser has them, made into declarations.

    typedef struct { double x, y; } Point;      ->   declare("library.Point", (x: f64, y: f64)), in C "Point"
    struct stack { struct stack *next; };       ->   declare("library.stack", (next: ptr[library.stack],))

A struct is called by its typedef, else by its tag, else by the member that it is of. What has no members in the text is
opaque. One with a member that has no type here is refused by name, and opaque where it is pointed at.
"""

from __future__ import annotations

from jitffi.base.errors import SignatureError
from jitffi.signature import structs
from jitffi.signature.cattributes import Attributes
from jitffi.signature.cconstants import NotConstantError, evaluate
from jitffi.signature.model import Type
from jitffi.signature.structs import Member, Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from jitffi.signature.cattributes import Body
    from jitffi.signature.cdecl import Reader

_AGGREGATES = ("Struct", "Union")


class StructReader:
    """The structs of one text, and of those before it."""

    def __init__(self, prefix: str, before: StructReader | None = None) -> None:
        self.prefix = prefix
        #: By tag, with its keyword: what is defined.
        self.tags: dict[str, Struct] = {} if before is None else before.tags
        #: Why a struct is none, by its key.
        self.refused: dict[str, str] = {} if before is None else before.refused
        #: Every name that C has for one: "struct point", "Point".
        self.names: dict[str, Type] = {} if before is None else before.names
        #: The least alignments of typedefs that have one of their own.
        self.aligned: dict[str, int] = {} if before is None else before.aligned
        #: In an order in which each has what it holds before it.
        self.made: list[Struct] = []
        self._by_node: dict[int, Struct] = {}
        self._nodes: list[Any] = []  # keeps them, as their ids are keys

    def read(self, reader: Reader) -> None:
        """Declare all that the text defines."""
        defined: list[tuple[Any, Struct, str]] = []
        names = _typedef_names(reader.nodes)
        for top in reader.nodes:
            for node, place in _definitions(top, ""):
                defined.append((node, self._named(node, names.get(_identity(node), place)), place))
        pending = {struct.key: (node, struct) for node, struct, _ in defined}
        attributes = Attributes(reader.source.text, reader.source.code)
        for node in reader.nodes:
            texts = attributes.typedef(reader.offset(node)) if type(node).__name__ == "Typedef" else ()
            if texts:
                self.aligned[node.name] = max([_number(reader, text) for text in texts])
        while pending:
            key = next(iter(pending))
            self._complete(reader, attributes, key, pending)

    def of(self, node: Any) -> Struct | None:
        """What a Struct or Union node stands for; None where its members are not known."""
        found = self._by_node.get(id(node)) or self.tags.get(f"{type(node).__name__.lower()} {node.name}")
        return found if found is not None and found.key not in self.refused else None

    def refusal(self, node: Any) -> str:
        """Why there is no such struct; "" where it is not defined."""
        found = self._by_node.get(id(node)) or self.tags.get(f"{type(node).__name__.lower()} {node.name}")
        return self.refused.get(found.key, "") if found is not None else ""

    def _named(self, node: Any, name: str) -> Struct:
        if id(node) in self._by_node:  # "typedef struct { int x; } Point, *PointPtr;" defines it once
            return self._by_node[id(node)]
        word = type(node).__name__.lower()
        tag = f"{word} {node.name}"
        if node.name and tag in self.tags:
            return self.tags[tag]
        key = f"{self.prefix}.{name or node.name}"
        while key in [struct.key for struct in [*self.tags.values(), *self._by_node.values()]]:
            key += "_"
        made = self.declare(key, tag if node.name else "" if "." in name else name)
        self._by_node[id(node)] = made
        self._nodes.append(node)
        if node.name:
            self.tags[tag] = self.tags.setdefault(tag, made)
            self.names[tag] = made.type
        if name and "." not in name:
            self.names[name] = made.type
        return made

    def _complete(
        self, reader: Reader, attributes: Attributes, key: str, pending: dict[str, tuple[Any, Struct]]
    ) -> None:
        node, struct = pending.pop(key)
        try:
            for inner in _by_value(reader, node):
                found = self._by_node.get(id(inner)) or self.tags.get(f"{type(inner).__name__.lower()} {inner.name}")
                if found is not None and found.key in pending:
                    self._complete(reader, attributes, found.key, pending)
            if struct.key in self.refused:
                return
            body = attributes.body(reader.offset(node))
            members = [self._member(reader, attributes, body, decl) for decl in node.decls]
            said = attributes.struct(body) if body else None
            align = max([_number(reader, text) for text in said.aligned], default=0) if said else 0
            is_union = type(node).__name__ == "Union"
            structs.complete(struct, members, is_union=is_union, pack=said.pack if said else 0, align=align)
            self.made.append(struct)
        except SignatureError as error:
            if error.message.startswith("unknown type"):
                raise
            self._refuse(struct, error.message)
        except structs.OtherMembersError:
            raise
        except ValueError as error:
            self._refuse(struct, str(error).removeprefix(f"{struct.key}.").removeprefix(f"{struct.key}: "))

    def declare(self, key: str, c_name: str) -> Struct:
        """Return the declaration of that key."""
        return structs.declare(key, c_name=c_name)

    def forget(self) -> None:
        """Take back what was declared and has no members."""
        for struct in self._by_node.values():
            structs.forget(struct)

    def _refuse(self, struct: Struct, reason: str) -> None:
        self.refused[struct.key] = reason
        for name in [name for name, type_ in self.names.items() if type_ is struct.type]:
            del self.names[name]

    def _member(self, reader: Reader, attributes: Attributes, body: Body | None, decl: Any) -> Member:
        what = decl.name or "a member without a name"
        type_, dims = self._type(reader, decl.type, what)
        bits = None if decl.bitsize is None else reader.constant(decl.bitsize, f"{what}: the number of its bits")
        said = attributes.member(body, reader.offset(decl)) if body else ()
        if "packed" in said:
            reader.refuse(f"{what}: packed stands at the struct, not at a member", decl)
        aligns = [_number(reader, text) for text in said]
        aligns += [self._alignas(reader, each, what) for each in getattr(decl, "align", None) or ()]
        aligns += self._of_typedefs(reader, decl.type, what)
        return Member(decl.name, type_, dims, bits, align=max(aligns, default=0))

    def _alignas(self, reader: Reader, node: Any, what: str) -> int:
        if type(node.alignment).__name__ == "Typename":
            return reader.extent(node.alignment.type)[1]
        return reader.constant(node.alignment, f"{what}: its alignment")

    def _of_typedefs(self, reader: Reader, node: Any, what: str) -> Iterator[int]:
        """The alignments that the typedefs of a member's type ask for."""
        while True:
            while type(node).__name__ == "ArrayDecl":
                node = node.type
            names: list[str] = getattr(getattr(node, "type", None), "names", [])
            if type(node).__name__ != "TypeDecl" or len(names) != 1 or names[0] not in reader.typedefs:
                return
            node, align = reader.typedefs[names[0]], self.aligned.get(names[0], 0)
            if align and align < reader.extent(node)[1]:
                reader.refuse(f"{what}: {names[0]} is aligned to {align}, less than what it stands for", node)
            yield align

    def _type(self, reader: Reader, node: Any, what: str) -> tuple[Type, tuple[int, ...]]:
        dims: list[int] = []
        base, _ = reader.strip(node)
        while type(base).__name__ == "ArrayDecl":
            dims.append(-1 if base.dim is None else reader.constant(base.dim, f"{what}: its length"))
            base, _ = reader.strip(base.type)
        if dims[:1] == [0]:
            dims[0] = -1  # how compilers spelled a flexible end before C99
        is_pointer = type(base).__name__ == "PtrDecl"
        type_ = reader.pointer(base.type, False, what) if is_pointer else reader.scalar(base, what)
        if type_.name == "void":
            reader.refuse(f"{what}: void is no member", base)
        return type_.inner if type_.is_optional else type_, tuple(dims)


def _number(reader: Reader, text: str) -> int:
    """An alignment in an attribute: a number, or the type that has it."""
    if text.strip().isdigit():
        return int(text)
    from pycparser.c_parser import CParser, ParseError

    try:
        node = CParser().parse(f"int it = {text};", "").ext[0].init
        return evaluate(node, reader.enumerators, reader.extent)
    except (ParseError, NotConstantError):
        raise SignatureError(f"aligned({text}) is not understood", reader.source.text) from None


def _identity(node: Any) -> object:
    return (type(node).__name__, node.name) if node.name else id(node)


def _typedef_names(nodes: list[Any]) -> dict[object, str]:
    """The first typedef that stands for a struct itself, and is no implementation's own."""
    found: dict[object, str] = {}
    for node in nodes:
        if type(node).__name__ == "Typedef" and type(node.type).__name__ == "TypeDecl":
            inner = node.type.type
            if type(inner).__name__ in _AGGREGATES:
                before = found.setdefault(_identity(inner), node.name)
                if before.startswith("_"):
                    found[_identity(inner)] = node.name
    return found


def _definitions(node: Any, place: str) -> Any:
    """Yield the struct nodes with members below a node, inner ones first, each with what it is called by its place."""
    kind = type(node).__name__
    name = getattr(node, "name", None) if kind in ("Decl", "Typedef") else None
    below = f"{place}.{name}".lstrip(".") if name else place
    if kind in _AGGREGATES:
        below = node.name or place
        count = 0
        for decl in node.decls or ():
            inner = f"{below}.{decl.name}" if decl.name else f"{below}._{count}"
            count += decl.name is None
            yield from _definitions(decl.type, inner)
        if node.decls is not None:
            yield node, place if not node.name else ""
        return
    for _, child in node.children() if kind != "FuncDef" else ():
        yield from _definitions(child, below)


def _by_value(reader: Reader, node: Any) -> Any:
    """Yield the structs that a struct holds."""
    for decl in node.decls:
        base, _ = reader.strip(decl.type)
        while type(base).__name__ == "ArrayDecl":
            base, _ = reader.strip(base.type)
        inner = base.type if type(base).__name__ == "TypeDecl" else base
        if type(inner).__name__ in _AGGREGATES:
            yield inner
