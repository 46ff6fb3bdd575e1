"""The package's notation for signatures: text to Signature, with a caret under whatever is wrong.

    signature = "(" [ param { "," param } [","] ] ")" "->" type         "..." stands between two parameters, or last
    param     = [ name ":" ] type [ "=" default ]
    type      = plain name | ( "optional" | "list" | "set" ) "[" type "]" | "func" "[" signature "]"
              | ( "map" | "jitffi.FrozenMap" ) "[" type "," type "]"
              | "tuple" "[" type { "," type } | type "," "..." "]" | pointers and arrays: array_text
    default   = an int, float (inf and nan too), str or bytes literal, True, False, None or ()

This module is on the way of every warm start and must import nothing but its neighbours.
"""

from __future__ import annotations

from jitffi.base.errors import SignatureError
from jitffi.base.fork_locks import IMPORTS
from jitffi.signature.model import (
    CONTAINERS,
    FROZEN_MAP,
    MAX_DEPTH,
    NO_DEFAULT,
    TYPES,
    Param,
    Signature,
    Type,
    func,
    optional,
)
from jitffi.signature.parameters import find_fault, parameter_name
from jitffi.signature.plain_text import read_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn, TypeVar

    T = TypeVar("T")


def parse(text: str, scope: Mapping[str, Type] | None = None) -> Signature:
    """Read a signature text. SignatureError, which shows the place, when it is not one. *scope*: types by the names
    that they have there.

    >>> parse("(x: f64, y: f64 = 1) -> f64")
    Signature.parse('(x: f64, y: f64 = 1.0) -> f64')
    """
    if plain := read_plain(text):
        return plain
    parser = _Parser(text, scope)
    return parser.whole(parser.signature)


def parse_named(text: str) -> tuple[str | None, Signature]:
    """Read a signature text that a function's name may precede, with or without a colon.

    >>> parse_named("add: (i64, i64) -> i64")
    ('add', Signature.parse('(i64, i64) -> i64'))
    >>> parse_named("neg(i64) -> i64")[0], parse_named("(i64) -> i64")[0]
    ('neg', None)
    """
    parser = _Parser(text)
    name = parser.tokens[0] if parser.tokens[0].isidentifier() else None
    if name is not None:
        parser.at = 2 if parser.tokens[1] == ":" else 1
    return name, parser.whole(parser.signature)


def parse_type(text: str, scope: Mapping[str, Type] | None = None) -> Type:
    """Read the text of one type. SignatureError, which shows the place, when it is not one. *scope* as in `parse`.

    >>> parse_type("optional[ func[(i64)->void] ]").text
    'optional[func[(i64) -> void]]'
    """
    parser = _Parser(text, scope)
    return parser.whole(parser.type)


def _scan(text: str) -> tuple[list[str], list[int]]:
    """Cut *text* into tokens and their offsets; "" stands for the end."""
    tokens: list[str] = []
    starts: list[int] = []
    size = len(text)
    i = 0
    while i < size:
        c = text[i]
        if c in " \t\r\n":
            i += 1
            continue
        start = i
        if c in "'\"" or (c in "bB" and text[i + 1 : i + 2] in ("'", '"')):
            i = _end_of_literal(text, i)
        elif text.startswith("->", i):
            i += 2
        elif c in "0123456789.+-":
            i = _end_of_number(text, i)
        elif c.isidentifier():
            i = _end_of_name(text, i)
        else:
            i += 1  # punctuation, or what no rule will take
        tokens.append(text[start:i])
        starts.append(start)
    tokens.append("")
    starts.append(size)
    return tokens, starts


def _end_of_name(text: str, start: int) -> int:
    """Return where the name at *start* ends: those of structs and of types of objects have dots in them, and a key made
    from the qualified name of a class within a function has the part <locals>."""
    i = start + 1
    while i < len(text):
        if text[i].isalnum() or ("_" + text[i].replace(".", "_")).isidentifier():
            i += 1
        elif text.startswith("<locals>.", i) and text[i - 1] == ".":
            i += len("<locals>")
        else:
            break
    return i


def _end_of_literal(text: str, start: int) -> int:
    """Return where the str or bytes literal at *start* ends."""
    i = start + 1 if text[start] in "'\"" else start + 2
    quote = text[i - 1]
    while text[i : i + 1] not in (quote, "\n", ""):
        i += 2 if text[i] == "\\" else 1
    if text[i : i + 1] != quote:
        raise SignatureError("the string is not closed", text, start, i - start, f"expected {quote} at its end")
    return i + 1


def _end_of_number(text: str, start: int) -> int:
    """Return where the number at *start* ends. Whether it is one is found out when it is converted."""
    i = start + 1
    while i < len(text):
        c = text[i]
        # The sign of an exponent: it is preceded by nothing but digits and an e, which tells it from hexadecimal.
        signed = c in "+-" and text[i - 1] in "eE" and not text[start : i - 1].strip("+-0123456789._")
        if not (c.isalnum() or c in "._" or signed):
            break
        i += 1
    return i


class _Parser:
    """Recursive descent over the tokens of one text; ``at`` is the index of the next one."""

    __slots__ = ("at", "depth", "scope", "starts", "text", "tokens")

    def __init__(self, text: str, scope: Mapping[str, Type] | None = None) -> None:
        if not isinstance(text, str):
            raise TypeError(f"expected str for a signature, got {type(text).__name__}")
        self.text = text
        self.scope = scope
        self.tokens, self.starts = _scan(text)
        self.at = 0
        self.depth = 0
        if len(self.tokens) == 1:
            raise SignatureError("the text is empty", hint="a signature looks like (i64, x: f64 = 1.0) -> f64")

    def fail(self, message: str, at: int, hint: str = "") -> NoReturn:
        """Raise the error with the caret under token *at*."""
        raise SignatureError(message, self.text, self.starts[at], len(self.tokens[at]), hint) from None

    def expect(self, token: str, where: str) -> None:
        found = self.tokens[self.at]
        if found != token:
            self.fail(f"expected {token!r} {where}, got {_show(found)}", self.at)
        self.at += 1

    def whole(self, rule: Callable[[], T]) -> T:
        """Apply *rule*, which must use every token."""
        result = rule()
        if self.tokens[self.at]:
            self.fail(f"unexpected {self.tokens[self.at]!r} after the end", self.at)
        return result

    def signature(self) -> Signature:
        tokens = self.tokens
        first = self.at
        if tokens[first] != "(":
            self.no_signature()
        self.at = first + 1
        params: list[Param] = []
        places: list[int] = []
        fixed = None
        while tokens[self.at] != ")":
            if tokens[self.at] == "..." and fixed is None:
                fixed = len(params)
                places.append(self.at)
                self.at += 1
            else:
                places.append(self.at)
                params.append(self.param())
            if tokens[self.at] == ",":
                self.at += 1
            elif tokens[self.at] != ")":
                self.expect(")", "or ',' after the parameter")
        self.at += 1
        self.expect("->", "and the result's type after the parameters")
        result = self.type()
        try:
            return Signature(params, result, fixed)
        except ValueError as error:
            fault = find_fault(tuple(params), fixed) or _length_fault(tuple(params))
            self.fail(str(error), places[fault[0] + (fixed is not None and fault[0] >= fixed > 0)] if fault else first)

    def no_signature(self) -> NoReturn:
        hint = ""
        if self.at == 0 and self.tokens[1] in (":", "("):
            hint = "there is no place for a name here"
        elif "->" not in self.tokens and "(" in self.tokens:
            hint = "C prototypes are read by Signature.from_c"
        self.fail(f"expected '(' and the parameters, got {_show(self.tokens[self.at])}", self.at, hint)

    def param(self) -> Param:
        tokens = self.tokens
        name_at = self.at
        name = None
        if tokens[name_at] and tokens[name_at + 1] == ":":
            name = tokens[name_at]
            self.at += 2
        type_at = self.at
        ty = self.type()
        if ty.name == "void":
            self.fail("a parameter cannot be void", type_at, "no parameters are written ()")
        try:
            if tokens[self.at] != "=":
                return Param(name, ty, NO_DEFAULT)
            # A bad name comes first in the text, so it is reported first.
            name = None if name is None else parameter_name(name)
        except ValueError as error:
            self.fail(str(error), name_at)
        self.at += 1
        default_at = self.at
        value = self.default()
        try:
            return Param(name, ty, value)
        except (TypeError, ValueError, OverflowError) as error:
            self.fail(f"bad default: {error}", default_at)

    def type(self) -> Type:
        first = self.at
        found = self.one_type()
        return found if self.tokens[self.at] != "|" else self.union([found], first)

    def union(self, types: list[Type], first: int) -> Type:
        """What stands behind a type and "|"."""
        with IMPORTS:
            from jitffi.signature.compound import union_of

        while self.tokens[self.at] == "|":
            self.at += 1
            types.append(self.one_type())
        try:
            return union_of(types)
        except ValueError as error:
            self.fail(str(error), first)

    def one_type(self) -> Type:
        tokens = self.tokens
        at = self.at
        name = tokens[at]
        bracket = name and tokens[at + 1] == "["
        found = TYPES.get(name)
        if found is not None and not bracket:
            self.at = at + 1
            return found
        if name not in ("optional", "func", *CONTAINERS) and not (name in ("union", FROZEN_MAP) and bracket):
            return self.other_type(bool(bracket))
        if not bracket:
            self.fail("expected '[' and a type after 'optional'", at + 1)
        if self.depth == MAX_DEPTH:
            self.fail(f"types nested more than {MAX_DEPTH} deep", at)
        self.depth += 1
        self.at = at + 2
        if name == "func":
            made = self.callback(at + 2)
        elif name in CONTAINERS or name == FROZEN_MAP:
            made = self.container(name, at)
        elif name == "union":
            made = self.listed_union(at)
        else:
            inner = self.type()
            try:
                made = optional(inner) if inner.name != "union" else self.union([inner, optional(inner.args[0])], at)
            except ValueError as error:
                self.fail(str(error), at + 2)
        self.expect("]", f"to close '{name}['")
        self.depth -= 1
        return made

    def listed_union(self, at: int) -> Type:
        types = [self.type()]
        while self.tokens[self.at] == ",":
            self.at += 1
            types.append(self.type())
        return self.union(types, at)

    def callback(self, at: int) -> Type:
        sig = self.signature()
        try:
            return func(sig)
        except ValueError as error:
            self.fail(str(error), at)

    def other_type(self, bracket: bool) -> Type:
        """A pointer or an array, or a plain type that only the rows know."""
        with IMPORTS:
            from jitffi.signature import array_text
            from jitffi.signature.plain import object_type, plain

        at = self.at
        found = array_text.read(self) if self.tokens[at] else None
        if found is None and not bracket:
            found = plain(self.tokens[at]) or object_type(self.tokens[at])
            self.at = at + 1
        if found is None:
            self.at = at
            self.no_type()
        return found

    def container(self, name: str, at: int) -> Type:
        """What is in the brackets behind the token *at*."""
        tokens = self.tokens
        args: list[Any] = [self.type()]
        while tokens[self.at] == "," and tokens[self.at + 1] != "]":
            self.at += 1
            if name == "tuple" and len(args) == 1 and tokens[self.at] == "...":
                args.append(...)
                self.at += 1
                break
            args.append(self.type())
        if tokens[self.at] == ",":
            self.at += 1
        wanted = len(args) if name == "tuple" else 2 if name in ("map", FROZEN_MAP) else 1
        takes = "two types, the keys' and the values'" if wanted == 2 else "one type"
        if len(args) != wanted:
            self.fail(f"{name}[...] takes {takes}, got {len(args)}", at)
        try:
            return Type("instance", (name, *args)) if name == FROZEN_MAP else Type(name, tuple(args))
        except ValueError as error:
            self.fail(str(error), at)

    def no_type(self) -> NoReturn:
        """Say why the token here is no type, and what was probably meant."""
        with IMPORTS:
            from jitffi.signature.plain import meant, plain, plain_types

        name = self.tokens[self.at]
        if plain(name):
            self.fail(f"{name} takes no [...]", self.at + 1)
        if not name[:1].isidentifier():
            self.fail(f"expected a type, got {_show(name)}", self.at)
        if name == "struct":
            hint = "what is known by its name alone stands behind ptr: ptr[struct NAME]"
            self.fail(f"struct {self.tokens[self.at + 1]} is not declared", self.at + 1, hint)
        names = [type_.name for type_ in plain_types()]
        known = f"known: {', '.join(names)}, optional[T], func[(...) -> T], list[T], set[T], map[K, V], tuple[T, U]"
        self.fail(f"unknown type {name!r}", self.at, f"{meant(name, self.scope or ())} {known}".lstrip())

    def default(self) -> Any:
        with IMPORTS:
            from jitffi.signature.defaults import read_literal, read_number

        at = self.at
        token = self.tokens[at]
        if token and token[-1] in "'\"" and token != "'" and token != '"':
            self.at = at + 1
            return read_literal(self.text, self.starts[at], self.starts[at] + len(token))
        if token == "(" and self.tokens[at + 1] == ")":
            self.at = at + 2
            return ()
        if token == "(":  # a complex number, (1+2j)
            after = self.tokens.index(")", at) if ")" in self.tokens[at:] else at
            token, self.at = "".join(self.tokens[at : after + 1]), after
        if token in ("+", "-"):  # the scanner leaves a sign alone before inf, nan and spaces
            self.at = at + 1
            token += self.tokens[at + 1]
        if token in ("True", "False", "None"):
            self.at += 1
            return {"True": True, "False": False, "None": None}[token]
        try:
            value = read_number(token)
        except ValueError:
            wanted = "an int, a float, a complex, 'str', b'bytes', True, False or None"
            self.fail(f"expected a default, {wanted}, got {_show(token)}", at)
        self.at += 1
        return value


def _length_fault(params: tuple[Param, ...]) -> tuple[int, str] | None:
    with IMPORTS:
        from jitffi.signature.order import find_length_fault

    return find_length_fault(params)


def _show(token: str) -> str:
    return repr(token) if token else "the end"
