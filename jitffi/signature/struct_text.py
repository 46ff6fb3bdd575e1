"""Members of structs in the package's notation, as `structs` spells them.

    members = member {"," member} [","]
    member  = (name | "_") ":" type ["[" [length {"," length}] "]"] [":" bits] ["@" alignment] ["=" default]

Names of underscores alone are none: what they name is an anonymous struct, or bits between others.
"""

from __future__ import annotations

from jitffi.signature.array_text import element
from jitffi.signature.model import NO_DEFAULT, TYPES
from jitffi.signature.plain import plain
from jitffi.signature.structs import Member
from jitffi.signature.text import _Parser as Parser

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from jitffi.signature.model import Type


#: What arrays have not got as elements, and members are many of.
_ALONE = ("cstr", "longdouble", "i128", "u128")


def parse_members(text: str, scope: Mapping[str, Type] | None = None) -> tuple[Member, ...]:
    """Read the members of a struct. *scope*: types that names stand for here. SignatureError, which shows the place.

    >>> [str(member) for member in parse_members("x: f64 = 1, kind:u32 : 3, _: u32:5, data: u8[]")]
    ['x: f64 = 1.0', 'kind: u32:3', '_: u32:5', 'data: u8[]']
    """
    if not text.strip():
        return ()
    parser = Parser(text, scope)
    made = []
    while parser.tokens[parser.at]:
        name_at = parser.at
        name = parser.tokens[name_at]
        if not name.isidentifier() or parser.tokens[name_at + 1] != ":":
            hint = "members look like x: f64, flags: u32:3, data: u8[]"
            parser.fail(f"expected a member's name and ':', got {name!r}", name_at, hint)
        parser.at += 2
        made.append(_member(parser, name, name_at))
        if parser.tokens[parser.at] and parser.tokens[parser.at] != ",":
            parser.expect(",", "after the member")
        parser.at += bool(parser.tokens[parser.at])
    return tuple(made)


def parse_member(name: str, text: str, scope: Mapping[str, Type] | None = None) -> Member:
    """Read the type of a member, with its length, bits, alignment and default.

    >>> str(parse_member("flags", "u32:3 = 1"))
    'flags: u32:3 = 1'
    """
    parser = Parser(text, scope)
    return parser.whole(lambda: _member(parser, name, 0))


def _member(parser: Parser, name: str, at: int) -> Member:
    type_, dims = _type(parser)
    bits, align = None, 0
    if parser.tokens[parser.at] == ":":
        bits = _number(parser, "the number of bits")
    if parser.tokens[parser.at] == "@":
        align = _number(parser, "the alignment")
    made = Member(name if name.strip("_") else None, type_, dims, bits, NO_DEFAULT, align)
    if parser.tokens[parser.at] == "=":
        parser.at += 1
        default_at = parser.at
        value = parser.default()
        try:
            return with_default(made, value)
        except (TypeError, ValueError, OverflowError) as error:
            parser.fail(f"bad default: {error}", default_at)
    return made


def with_default(member: Member, value: object) -> Member:
    """Return the member with that default. TypeError, ValueError or OverflowError for what its type does not take."""
    from jitffi.signature.defaults import convert

    type_ = member.type
    if member.dims or type_.name == "struct":
        raise TypeError(f"a member of type {str(member._replace(name='_'))[3:]} takes none")
    if type_.name in ("ptr", "func") or type_.name == "cstr" and value is None:
        if value is not None:
            raise TypeError(f"a member of type {type_.text} takes none but None")
        return member._replace(default=None)
    found = convert(type_, value)
    if member.bits is not None and type_.name != "bool":
        signed = type_.name[0] == "i"
        low, high = (-1 << member.bits - 1, 1 << member.bits - 1) if signed else (0, 1 << member.bits)
        if not low <= found < high:
            raise OverflowError(f"{found} does not fit in {member.bits} bits of {type_.text}")
    return member._replace(default=found)


def _type(parser: Parser) -> tuple[Type, tuple[int, ...]]:
    """The type at the parser's place and the lengths behind it, as optional pointers are pointers here."""
    type_, after = element(parser, parser.at)
    name = parser.tokens[parser.at]
    if type_ is None and (name in _ALONE or (name == "ptr" and _has_lengths(parser, parser.at + 1))):
        type_, after = TYPES.get(name) or plain(name), parser.at + 1
    if type_ is None:
        type_ = parser.type()
    else:
        parser.at = after
    if type_.is_optional:
        type_ = type_.inner
    if parser.tokens[parser.at] != "[":
        return type_, ()
    dims: list[int] = []
    parser.at += 1
    if parser.tokens[parser.at] == "]":
        dims.append(-1)
    while parser.tokens[parser.at] != "]":
        length_at = parser.at
        parser.at -= 1
        dims.append(_number(parser, "a length"))
        if parser.tokens[parser.at] == ",":
            parser.at += 1
        elif parser.tokens[parser.at] != "]":
            parser.fail("expected ']' or ',' after the length", length_at + 1)
    parser.expect("]", "after the lengths")
    return type_, tuple(dims)


def _has_lengths(parser: Parser, at: int) -> bool:
    """Whether the brackets at a token hold lengths and no type."""
    return parser.tokens[at] == "[" and (parser.tokens[at + 1] == "]" or parser.tokens[at + 1].isdigit())


def _number(parser: Parser, what: str) -> int:
    parser.at += 1
    token = parser.tokens[parser.at]
    if not (token.isascii() and token.isdigit()):
        parser.fail(f"expected {what}, got {token!r}", parser.at)
    parser.at += 1
    return int(token)
