"""Pointers and arrays in the package's notation.

    type = ["const"] elem "[" dim {"," dim} "]" | "ptr" "[" ["const"] pointee "]" | ("out" | "inout") "[" type "]"
         | "owned" "[" type "," [library ":"] function "]"
         | "tensor" ["[" [["const"] elem {"," dim}] {"," option} "]"]
    option = "order" "=" "C" | "device" "=" name
    dim  = integer | name ["@" name] | "*" ["@" name]

Loaded when a text has a bracket or a word that no plain type is; the parser is text's.
"""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS
from jitffi.signature.compound import ELEMENTS_ONLY, is_element
from jitffi.signature.model import MAX_DEPTH, TYPES, Type
from jitffi.signature.parameters import parameter_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.compound import Dimension
    from jitffi.signature.text import _Parser as Parser


def read(parser: Parser) -> Type | None:
    """Read the pointer or array at the parser's place; None where none begins there."""
    name, following = parser.tokens[parser.at], parser.tokens[parser.at + 1]
    if name == "ptr" and following == "[":
        return _nested(parser, _pointer)
    if name in ("out", "inout") and following == "[":
        return _nested(parser, _passed_back)
    if name == "owned" and following == "[":
        return _nested(parser, _owned)
    if name == "tensor":
        return _tensor(parser)
    is_const = name == "const"
    at = parser.at + is_const
    elem, after = element(parser, at)
    if elem is None and not is_const:
        return None
    if elem is None:
        parser.fail(f"expected the element type of an array after const, got {parser.tokens[at]!r}", at)
    parser.at = after
    if parser.tokens[after] != "[":
        if is_const:
            parser.fail(f"expected '[' and dimensions after const {elem.text}", after, "a scalar is passed by value")
        return elem
    return _array(parser, elem, is_const, at)


def element(parser: Parser, at: int) -> tuple[Type | None, int]:
    """The type of an array's elements at token *at*, and the token behind it; None where there is none."""
    name = parser.tokens[at]
    found = TYPES.get(name)
    if found is None and name in ELEMENTS_ONLY:
        found = Type(name)
    if found is not None:
        is_texts = name == "cstr" and parser.tokens[at + 1] == "["
        return (found, at + 1) if is_element(found) or is_texts else (None, at)
    return _struct(parser, at)


def _struct(parser: Parser, at: int) -> tuple[Type | None, int]:
    """A declared struct by its key, or by what it is called in the parser's scope: C's names with `struct` before."""
    name = parser.tokens[at]
    if name in ("struct", "union") and parser.scope is not None:
        found = parser.scope.get(f"{name} {parser.tokens[at + 1]}")
        return found, at + 2 * (found is not None)
    found = parser.scope.get(name) if parser.scope is not None else None
    if found is None and name[:1].isidentifier():
        with IMPORTS:
            from jitffi.signature.structs import find
        declared = find(name)
        found = declared.type if declared is not None else None
    return found, at + (found is not None)


def _nested(parser: Parser, rule: Any) -> Type:
    at = parser.at
    if parser.depth == MAX_DEPTH:
        parser.fail(f"types nested more than {MAX_DEPTH} deep", at)
    parser.depth += 1
    parser.at = at + 2
    made: Type = rule(parser, parser.tokens[at], at)
    parser.depth -= 1
    return made


def _pointer(parser: Parser, name: str, at: int) -> Type:
    is_const = parser.tokens[parser.at] == "const"
    parser.at += is_const
    pointee_at = parser.at
    pointee = _pointee(parser)
    return _made(parser, "ptr", (pointee, is_const), pointee_at)


def _pointee(parser: Parser) -> Type:
    found, after = element(parser, parser.at)
    if found is not None and parser.tokens[after] == "]":
        parser.at = after
        return found
    if parser.tokens[parser.at] == "struct":
        named = parser.tokens[parser.at + 1]
        if not named.isidentifier():
            parser.fail(f"expected the struct's name, got {named!r}", parser.at + 1)
        parser.at += 2
        return Type("struct", (named,))
    return parser.type()


def _passed_back(parser: Parser, name: str, at: int) -> Type:
    inner_at = parser.at
    return _made(parser, name, (parser.type(),), inner_at)


def _owned(parser: Parser, name: str, at: int) -> Type:
    """What may be NULL is spelled optional[owned[T, free]], and read as owned[optional[T], free], too."""
    inner_at = parser.at
    inner = parser.type()
    if parser.tokens[parser.at] != ",":
        parser.fail("expected ',' and the name of the function that frees it", parser.at)
    free_at = parser.at = parser.at + 1
    while parser.tokens[parser.at] not in ("]", ",", ""):
        parser.at += 1
    free = parser.text[parser.starts[free_at] : parser.starts[parser.at]].rstrip()
    if inner.name not in ("ptr", "cstr", "optional"):
        free_at = inner_at
    if not inner.is_optional:
        return _made(parser, name, (inner, free), free_at)
    return _made(parser, "optional", (_checked(parser, name, (inner.inner, free), free_at),), free_at, name)


def _made(parser: Parser, name: str, args: tuple[Any, ...], at: int, opened: str = "") -> Type:
    parser.expect("]", f"to close '{opened or name}['")
    return _checked(parser, name, args, at)


def _checked(parser: Parser, name: str, args: tuple[Any, ...], at: int) -> Type:
    try:
        return Type(name, args)
    except ValueError as error:
        parser.fail(str(error), at)


def _array(parser: Parser, elem: Type, is_const: bool, at: int) -> Type:
    """The dimensions behind the element at token *at*."""
    parser.at += 1
    dims = [_dimension(parser)]
    while parser.tokens[parser.at] == ",":
        parser.at += 1
        dims.append(_dimension(parser))
    parser.expect("]", "or ',' after the dimension")
    try:
        return Type("array", (elem, is_const, tuple(dims)))
    except ValueError as error:
        parser.fail(str(error), at)


def _tensor(parser: Parser) -> Type:
    start = parser.at
    parser.at += 1
    if parser.tokens[parser.at] != "[":
        return Type("tensor", (None, False, (), None, "cpu"))
    elem, is_const, dims, options = None, False, [], {"order": None, "device": "cpu"}
    while parser.tokens[parser.at] in ("[", ","):
        is_first = parser.tokens[parser.at] == "["
        parser.at += 1
        at = parser.at
        name = parser.tokens[at]
        if name in options and parser.tokens[at + 1] == "=":
            options[name] = parser.tokens[at + 2]
            parser.at += 3
        elif is_first:
            is_const = name == "const"
            elem, parser.at = element(parser, at + is_const)
            if elem is None:
                parser.fail(f"expected the element type of a tensor, got {parser.tokens[at + is_const]!r}", at)
        else:
            dims.append(_dimension(parser))
    parser.expect("]", "or ',' in the brackets of the tensor")
    try:
        return Type("tensor", (elem, is_const, tuple(dims), options["order"], options["device"]))
    except ValueError as error:
        parser.fail(str(error), start)


def _dimension(parser: Parser) -> Dimension:
    at = parser.at
    token = parser.tokens[at]
    length: int | str | None
    if token == "*":
        length = None
    elif token.isascii() and token.isdigit() and (token == "0" or token[0] != "0"):
        length = int(token)
    elif token.isidentifier():
        length = _name(parser, at)
    else:
        parser.fail(f"expected a length, a name or *, got {token!r}" if token else "the brackets are not closed", at)
    parser.at = at + 1
    if parser.tokens[parser.at] != "@":
        return length, None
    stride = parser.tokens[parser.at + 1]
    if not stride.isidentifier():
        parser.fail(f"expected the name of the stride after @, got {stride!r}", parser.at + 1)
    stride = _name(parser, parser.at + 1)
    parser.at += 2
    return length, stride


def _name(parser: Parser, at: int) -> str:
    try:
        return parameter_name(parser.tokens[at])
    except ValueError as error:
        parser.fail(str(error), at)
