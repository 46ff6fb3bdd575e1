"""C declarations read as signatures, through a C parser that knows the whole language.

    double hypot(double x, double y);   ->   (x: f64, y: f64) -> f64
    int puts(const char *s);            ->   (s: optional[cstr]) -> i32
    int printf(const char *form, ...);  ->   (form: optional[cstr], ...) -> i32

A ``const char *`` is ``optional[cstr]``, a pointer to a function an ``optional[func[...]]``, an enum ``i32``, and every
other pointer ``optional[ptr[T]]`` or ``optional[ptr[const T]]``, a ``char *`` result, too, which may be the caller's to
free. But ``void *`` is ``ptr`` and ``const void *`` ``ptr[const void]``, as is what points at something that has no
type here. Structs are declared (cstructs).
"""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field
from typing import Any, NoReturn

from jitffi.base.errors import SignatureError
from jitffi.signature import fields, variables
from jitffi.signature import structs as declarations
from jitffi.signature.cconstants import NotConstantError, evaluate
from jitffi.signature.cenums import EnumReader
from jitffi.signature.compound import POINTEES, is_element
from jitffi.signature.csource import Source, aliases, no_value
from jitffi.signature.cstructs import StructReader
from jitffi.signature.datamodel import HOST, DataModel
from jitffi.signature.model import KEYWORDS, MAX_DEPTH, TYPES, WIDE_NAMES, Param, Signature, Type, func, optional


@dataclass(frozen=True)
class Declarations:
    """What a text of C declarations declares: functions by name, structs, and why others are not among them."""

    functions: dict[str, Signature] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)
    #: Types by what C calls them: "struct point", "Point".
    names: dict[str, Type] = field(default_factory=dict)
    variables: dict[str, variables.Variable] = field(default_factory=dict)
    #: Members of enums by their names, by the names of their classes; and the class of each other name.
    enums: dict[str, dict[str, int]] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    #: Values of all enumerators.
    constants: dict[str, int] = field(default_factory=dict)
    #: The enum that each function gives which gives one.
    results: dict[str, str] = field(default_factory=dict)
    #: All of them, in an order in which each has what it holds before it.
    structs: tuple[declarations.Struct, ...] = ()


def parse_prototype(
    text: str, model: DataModel = HOST, prefix: str = "c", made: list[declarations.Struct] | None = None
) -> tuple[str, Signature]:
    """Read one C prototype, with or without its semicolon; typedefs and structs may stand before it. *model*: of the
    machine that it is for; *prefix*: of the keys of structs, which are added to *made*.

    SignatureError, which shows the place, for what is no C and for what no signature can hold.

    >>> parse_prototype("const char *setting(const char *name, int number);")
    ('setting', Signature.parse('(name: optional[cstr], number: i32) -> optional[cstr]'))
    """
    reader = _read(text, model, prefix)
    if made is not None:
        made += reader.structs.made
    declared = reader.declared()
    if len(declared) != 1:
        found = f"{len(declared)} declarations" if declared else "none"
        second = reader.offset(declared[1][1]) if declared else 0
        length = len(declared[1][0]) if declared else 1
        raise SignatureError(f"expected one function, got {found}", text, second, length)
    name, node = declared[0]
    try:
        return name, reader.function(node)
    except SignatureError as error:
        if error.message.startswith("unknown type"):
            raise
        raise SignatureError(f"{name}: {error.message}", text, error.offset, error.length, error.hint) from None


def _read(text: str, model: DataModel, prefix: str) -> Reader:
    """Read a text; where a key is taken by another struct, the prefix gets a number."""
    for number in itertools.count(2):
        try:
            return Reader(Source(text), model=model, prefix=prefix)
        except declarations.OtherMembersError:
            prefix = f"{prefix.rstrip('0123456789').rstrip('_')}_{number}"
    raise AssertionError


def parse_declarations(text: str, prefix: str = "c") -> Declarations:
    """Read any number of C declarations. *prefix*: of the keys of structs. SignatureError, which shows the place, for
    what is no C.

    >>> found = parse_declarations("typedef unsigned long uLong; uLong crc(uLong, int); int f(va_list);")
    >>> found.functions
    {'crc': Signature.parse('(u64, i32) -> u64')}
    >>> found.refused
    {'f': 'parameter 1: va_list, which only C compilers know how to pass'}
    """
    reader = _read(text, HOST, prefix)
    found = Declarations(names=reader.structs.names, structs=tuple(reader.structs.made))
    found.refused.update(reader.structs.refused)
    found.enums.update(reader.enums.members)
    found.aliases.update({name: tag for name, tag in reader.enums.aliases.items() if tag in found.enums})
    found.constants.update(reader.enumerators)
    for name, node in reader.declared():
        try:
            if reader.is_variable(node):
                found.variables[name] = reader.variable(node)
                continue
            sig = reader.function(node)
            enum = reader.enums.name_of(reader.strip(reader.strip(node.type)[0].type)[0])
            if enum:
                found.results[name] = enum
        except SignatureError as error:
            if error.message.startswith("unknown type"):
                raise
            found.refused[name] = error.message
            continue
        if name not in found.refused and found.functions.setdefault(name, sig).types != sig.types:
            found.refused[name] = f"declared twice, as {found.functions.pop(name)} and as {sig}"
    return found


class Reader:
    """Turns the C parser's nodes into types. Kinds of nodes are told by class name: the parser is loaded when used."""

    def __init__(self, source: Source, before: Reader | None = None, model: DataModel = HOST, prefix: str = "") -> None:
        """Parse *source*; *before* has read what stands above it, and shares its typedefs with all that follows.
        *prefix*: of the keys of structs, which are opaque without one. OtherMembersError where a key is taken."""
        self.source = source
        self.model = model
        self.typedefs: dict[str, Any] = {} if before is None else before.typedefs
        self.spoiled: dict[str, str] = {} if before is None else before.spoiled
        self.nodes = source.parse(self.typedefs)
        self.depth = 0  # of function pointers in the parameters of function pointers
        for node in self.nodes:
            if _kind(node) == "Typedef":
                self.typedefs[node.name] = node.type
                self.spoiled[node.name] = source.spoiler(self.offset(node))
        self.enumerators: dict[str, int] = {} if before is None else before.enumerators
        self.enums: EnumReader = EnumReader(None if before is None else before.enums)
        self.structs: StructReader = StructReader(prefix, None if before is None else before.structs)
        for node in self.nodes:
            self._enumerate(node)
        self.enums.read(self)
        try:
            if prefix:
                self.structs.read(self)
        except (SignatureError, declarations.OtherMembersError):
            self.structs.forget()
            raise

    def _enumerate(self, node: Any) -> None:
        """Give the enumerators below a node their values."""
        if _kind(node) == "Enum" and node.values is not None:
            following = 0
            for each in node.values.enumerators:
                value = following if each.value is None else self.constant(each.value, each.name)
                self.enumerators[each.name] = value
                following = value + 1
        elif _kind(node) != "FuncDef":
            for _, child in node.children():
                self._enumerate(child)

    def constant(self, node: Any, what: str) -> int:
        """The value of an expression. SignatureError where it has none that is known here."""
        try:
            return evaluate(node, self.enumerators, self.extent)
        except NotConstantError as error:
            self.refuse(f"{what}: {error}", node)

    def extent(self, node: Any) -> tuple[int, int]:
        """Size and alignment of a type."""
        base, _ = self.strip(node)
        if _kind(base) == "PtrDecl":
            return fields.number("pointer", self.model)
        if _kind(base) == "ArrayDecl":
            size, align = self.extent(base.type)
            return size * (0 if base.dim is None else self.constant(base.dim, "its length")), align
        found = self.scalar(base, "its size")
        made, name = declarations.declared(found), "u8" if self.is_void(base) else found.name  # as GNU C has it
        return made.layout(self.model)[:2] if made else fields.number(name, self.model)

    def declared(self) -> list[tuple[str, Any]]:
        """Return the functions and variables of the text with their nodes."""
        found = []
        for node in self.nodes:
            if _kind(node) == "Decl" and node.name is not None:
                found.append((node.name, node))
            elif _kind(node) == "FuncDef":
                found.append((node.decl.name, node))
        return found

    def function(self, node: Any) -> Signature:
        """Return the signature of a declared function. SignatureError, without its name, if there is none."""
        if _kind(node) == "FuncDef":
            self.refuse("it has a body; a prototype ends after the parameters", node.decl)
        spoiler = self.source.spoiler(self.offset(node))
        if spoiler:
            self.refuse(spoiler, node)
        target, _ = self.strip(node.type)
        if _kind(target) != "FuncDecl":
            self.refuse("it is not a function", node)
        return self.signature(target)

    def is_variable(self, node: Any) -> bool:
        """Whether a node of `declared` is one."""
        return _kind(node) == "Decl" and _kind(self.strip(node.type)[0]) != "FuncDecl"

    def variable(self, node: Any) -> variables.Variable:
        """Return what stands at a variable's symbol. SignatureError, without its name, where nobody can say."""
        spoiler = self.source.spoiler(self.offset(node)) or "it is static" * ("static" in node.storage)
        if spoiler:
            self.refuse(spoiler, node)
        base, is_const = self.strip(node.type)
        dims: list[int] = []
        while _kind(base) == "ArrayDecl":
            dims.append(-1 if base.dim is None else self.constant(base.dim, "its length"))
            base, inner_const = self.strip(base.type)
            is_const = is_const or inner_const
        if _kind(base) == "PtrDecl":
            found, is_const = self.pointer(base.type, False, "it"), is_const or "const" in base.quals
        else:
            found = self.scalar(base, "it")
        try:
            made = variables.of(found, tuple(dims))
        except SignatureError as error:
            self.refuse(error.message, node)
        return made._replace(const=is_const, enum=self.enums.name_of(base))

    def signature(self, node: Any) -> Signature:
        """Return the signature of a FuncDecl node."""
        declared = node.args.params if node.args is not None else []
        if len(declared) == 1 and _kind(declared[0]) == "Typename" and self.is_void(declared[0].type):
            declared = []
        types = []
        is_variadic = bool(declared) and _kind(declared[-1]) == "EllipsisParam"
        declared = declared[: len(declared) - is_variadic]
        for i, param in enumerate(declared):
            if _kind(param) == "ID":
                self.source.unknown_type(param.name, self.offset(param))
            types.append(self.param(param.type, f"parameter {i + 1}" + (f" {param.name!r}" if param.name else "")))
        # A name after which one is missing could not be passed by keyword, so it is all names or none.
        names = [param.name for param in declared]
        named = _python_names(names) if all(names) else [None] * len(names)
        return Signature(map(Param, named, types), self.result(node), len(types) if is_variadic else None)

    def param(self, node: Any, what: str) -> Type:
        base, const = self.strip(node)
        kind = _kind(base)
        if kind in ("PtrDecl", "ArrayDecl"):
            # An array type's qualifiers are its elements'.
            return self.pointer(base.type, const and kind == "ArrayDecl", what)
        if kind == "FuncDecl":
            return self.callback(base, what)
        ty = self.scalar(base, what)
        if ty.name == "void":
            self.refuse(f"{what}: void is no parameter", base)
        return ty

    def result(self, function: Any) -> Type:
        node = function.type
        base, _ = self.strip(node)
        if _kind(base) == "PtrDecl":
            return self.pointer(base.type, False, "result")
        if _kind(base) in ("ArrayDecl", "FuncDecl"):
            self.refuse("result: C functions return no arrays and no functions", function)
        inner: Any = getattr(node, "type", None)
        # Where the type is left out, the parser puts an int at the place of the name.
        if _kind(inner) == "IdentifierType" and inner.coord and str(inner.coord) == str(node.coord):
            self.refuse("the type of its result is missing", node)
        return self.scalar(base, "result")

    def pointer(self, pointee: Any, const: bool, what: str) -> Type:
        base, is_const = self.strip(pointee)
        while _kind(base) == "ArrayDecl":  # rows behind each other: their elements are
            base, inner_const = self.strip(base.type)
            is_const = is_const or inner_const
        is_const = is_const or const
        if _kind(base) == "FuncDecl":
            return self.callback(base, what)
        if is_const and _kind(base) == "TypeDecl" and getattr(base.type, "names", None) == ["char"]:
            return optional(TYPES["cstr"])
        target = self.pointee(base, pointee)
        if target is None or target.depth > MAX_DEPTH - 2:
            return Type("ptr", (TYPES["void"], True)) if is_const else TYPES["ptr"]
        return optional(Type("ptr", (target, is_const)))

    def pointee(self, base: Any, declared: Any) -> Type | None:
        """What a pointer to *base* points at; None for void, and where there is no type for it. *declared* may name it
        by a typedef."""
        inner = base.type if _kind(base) == "TypeDecl" else base
        if _kind(inner) in ("Struct", "Union"):
            known = self.structs.of(inner)
            if known is not None:
                return known.type
            names = getattr(getattr(declared, "type", None), "names", None) or [inner.name]
            name = inner.name or names[0]
            return Type("struct", (name,)) if name else None
        try:
            if _kind(base) == "PtrDecl":
                found = self.pointer(base.type, False, "")
                return found.inner if found.is_optional else found
            found = self.scalar(base, "")
        except SignatureError as error:
            if error.message.startswith("unknown type"):
                raise
            return None
        return found if is_element(found) or found.name in (*POINTEES, *WIDE_NAMES) and found.name != "void" else None

    def callback(self, node: Any, what: str) -> Type:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            self.refuse("functions nested too deep", node)
        try:
            return optional(func(self.signature(node)))
        except SignatureError as error:
            if error.message.startswith("unknown type") or self.depth > 1:
                raise  # of functions inside functions, the outermost is enough to find the place
            message = f"{what}, a function: {error.message}"
            raise SignatureError(message, error.text, error.offset, error.length) from None
        except ValueError as error:  # the depth that types may have
            self.refuse(f"{what}: {error}", node)
        finally:
            self.depth -= 1

    def scalar(self, node: Any, what: str) -> Type:
        """Return the type of a value that is no pointer, array or function."""
        inner = node.type if _kind(node) == "TypeDecl" else node
        kind = _kind(inner)
        if kind == "Enum":
            return self.enums.type(inner)
        if kind in ("Struct", "Union"):
            known = self.structs.of(inner)
            if known is None:
                why = self.structs.refusal(inner) or "its members are not declared"
                self.refuse(f"{what}: {kind.lower()} {inner.name or '{...}'} by value: {why}", inner)
            return known.type
        if kind != "IdentifierType":
            self.refuse(f"{what}: there is no type for it", inner)
        words = " ".join(sorted(inner.names))
        name = self.model.typedefs.get(words) or self.model.keywords.get(words) or aliases().get(words)
        if name is not None:
            return Type(name)
        text, reason = " ".join(inner.names), no_value().get(words)
        if reason:
            self.refuse(f"{what}: {reason.format(words)}", inner)
        why = f"there is no type for {text}" if "_Complex" in words else f"{text!r} is no C type"
        self.refuse(f"{what}: {why}", inner)

    def strip(self, node: Any) -> tuple[Any, bool]:
        """Return the node behind all typedefs, and whether it is const."""
        const = False
        seen = 0
        while _kind(node) == "TypeDecl":
            const = const or "const" in node.quals
            names: list[str] = getattr(node.type, "names", [])
            # A typedef's own name inside its definition can only be one more typedef of the same name before it.
            if len(names) != 1 or names[0] not in self.typedefs or seen > len(self.typedefs):
                break
            if self.spoiled.get(names[0]):
                self.refuse(f"{names[0]}: {self.spoiled[names[0]]}", node.type)
            node = self.typedefs[names[0]]
            seen += 1
        return node, const

    def is_void(self, node: Any) -> bool:
        base, _ = self.strip(node)
        return _kind(base) == "TypeDecl" and getattr(base.type, "names", None) == ["void"]

    def offset(self, node: Any) -> int:
        # Unnamed parameters have no place of their own in some versions of the parser; their type's name has.
        while node is not None:
            coord = getattr(node, "coord", None)
            if coord is not None and coord.line > 1:
                return self.source.offset(coord.line, coord.column or 1)
            node = getattr(node, "type", None)
        return 0

    def refuse(self, reason: str, node: Any) -> NoReturn:
        """Raise with the caret under *node*."""
        offset = self.offset(node)
        raise SignatureError(reason, self.source.text, offset, len(self.source.token_at(offset)))


def _kind(node: Any) -> str:
    return type(node).__name__


def _python_names(names: list[str]) -> list[str]:
    """Return the names as Python can have them, each once: keywords and repeated ones get an underscore."""
    made: list[str] = []
    for name in names:
        name = re.sub(r"\W", "_", name)
        while name in KEYWORDS or name in made:
            name += "_"
        made.append(name)
    return made
