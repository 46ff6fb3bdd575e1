"""The package's notation for signatures: text to Signature, with a caret under whatever is wrong.

    signature = "(" [ param { "," param } [","] ] ")" "->" type
    param     = [ name ":" ] type [ "=" default ]
    type      = plain name | "optional" "[" type "]" | "func" "[" signature "]"
    default   = an int, float (inf and nan too), str or bytes literal, True, False or None

This module is on the way of every warm start and must import nothing but its neighbours.
"""

from __future__ import annotations

from jitffi.errors import SignatureError
from jitffi.signature.model import (
    MAX_DEPTH,
    NO_DEFAULT,
    PLAIN_NAMES,
    TYPES,
    Param,
    Signature,
    Type,
    find_fault,
    func,
    optional,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, NoReturn, TypeVar

    T = TypeVar("T")

KNOWN = (*PLAIN_NAMES, "optional[T]", "func[(...) -> T]")

_LATER = frozenset(("ucs4", "dtype", "device", "tensor", "module", "list", "map", "tuple"))

# What people write out of habit, and what it is called here.
_ELSEWHERE = {
    "int": "i64", "long": "i64", "float": "f64", "double": "f64", "single": "f32", "half": "f16", "bfloat16": "bf16",
    "string": "str", "char": "i8", "short": "i16", "unsigned": "u32", "size_t": "u64", "pointer": "ptr", "None": "void",
    "Optional": "optional", "Callable": "func", "callable": "func", "function": "func", "Any": "any", "boolean": "bool",
    **{f"int{bits}{t}": f"i{bits}" for bits in (8, 16, 32, 64) for t in ("", "_t")},
    **{f"uint{bits}{t}": f"u{bits}" for bits in (8, 16, 32, 64) for t in ("", "_t")},
    **{f"float{bits}": f"f{bits}" for bits in (16, 32, 64)},
}  # fmt: skip

_ESCAPES = {
    "\n": "", "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t",
    "v": "\v",
}  # fmt: skip
_HEX_DIGITS = {"x": 2, "u": 4, "U": 8}


def parse(text: str) -> Signature:
    """Read a signature text. SignatureError, which shows the place, when it is not one.

    >>> parse("(x: f64, y: f64 = 1) -> f64")
    Signature.parse('(x: f64, y: f64 = 1.0) -> f64')
    """
    parser = _Parser(text)
    return parser.whole(parser.signature)


def parse_named(text: str) -> tuple[str | None, Signature]:
    """Read a signature text that a function's name may precede, with or without a colon.

    >>> parse_named("add: (i64, i64) -> i64")
    ('add', Signature.parse('(i64, i64) -> i64'))
    >>> parse_named("neg(i64) -> i64")[0], parse_named("(i64) -> i64")[0]
    ('neg', None)
    """
    parser = _Parser(text)
    name = None
    if parser.tokens[0].isidentifier():
        name = parser.take()
        if parser.tokens[parser.at] == ":":
            parser.take()
    return name, parser.whole(parser.signature)


def parse_type(text: str) -> Type:
    """Read the text of one type. SignatureError, which shows the place, when it is not one.

    >>> parse_type("optional[ func[(i64)->void] ]").text
    'optional[func[(i64) -> void]]'
    """
    found = TYPES.get(text)
    if found is not None:
        return found
    parser = _Parser(text)
    return parser.whole(parser.type)


def _scan(text: str) -> tuple[list[str], list[int]]:
    """Cut *text* into tokens and their offsets; "" stands for the end."""
    tokens: list[str] = []
    starts: list[int] = []
    size = len(text)
    i = 0
    while i < size:
        c = text[i]
        start = i
        if c in " \t\r\n":
            i += 1
            continue
        if c in "()[],:=":
            i += 1
        elif c == "-" and text.startswith("->", i):
            i += 2
        elif c in "'\"" or (c in "bB" and text[i + 1 : i + 2] in ("'", '"')):
            i = _end_of_literal(text, i)
        elif c in "0123456789.+-":
            i = _end_of_number(text, i)
        elif c.isidentifier():
            i += 1
            while i < size and ((c := text[i]).isalnum() or c == "_" or not (c.isascii() or not ("a" + c).isidentifier())):
                i += 1
        else:
            raise SignatureError(f"unexpected character {c!r}", text, i)
        tokens.append(text[start:i])
        starts.append(start)
    tokens.append("")
    starts.append(size)
    return tokens, starts


def _end_of_literal(text: str, start: int) -> int:
    """Return where the str or bytes literal at *start* ends."""
    i = start + 1 if text[start] in "'\"" else start + 2
    quote = text[i - 1]
    while i < len(text) and text[i] not in (quote, "\n"):
        i += 2 if text[i] == "\\" else 1
    if i >= len(text) or text[i] != quote:
        raise SignatureError("the string is not closed", text, start, i - start, f"expected {quote} at its end")
    return i + 1


def _end_of_number(text: str, start: int) -> int:
    """Return where the number at *start* ends; whether it is one is found out when it is converted."""
    i = start + 1
    while i < len(text):
        c = text[i]
        # The sign of an exponent, which hexadecimal numbers do not have.
        signed = c in "+-" and text[i - 1] in "eE" and text[start : i - 1].strip("+-0123456789._") == ""
        if not (c.isalnum() or c in "._" or signed):
            break
        i += 1
    return i


class _Parser:
    """Recursive descent over the tokens of one text; ``at`` is the index of the next one."""

    __slots__ = ("at", "depth", "starts", "text", "tokens")

    def __init__(self, text: str) -> None:
        if not isinstance(text, str):
            raise TypeError(f"expected str for a signature, got {type(text).__name__}")
        self.text = text
        self.tokens, self.starts = _scan(text)
        self.at = 0
        self.depth = 0
        if len(self.tokens) == 1:
            raise SignatureError("the text is empty", text, 0, 1, "a signature looks like (i64, x: f64 = 1.0) -> f64")

    def fail(self, message: str, at: int, hint: str = "") -> NoReturn:
        """Raise the error with the caret under token *at*."""
        raise SignatureError(message, self.text, self.starts[at], len(self.tokens[at]), hint) from None

    def take(self) -> str:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, token: str, where: str) -> None:
        found = self.tokens[self.at]
        if found != token:
            self.fail(f"expected {token!r} {where}, got {found!r}" if found else f"expected {token!r} {where}", self.at)
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
        self.at += 1
        params: list[Param] = []
        places: list[int] = []
        while tokens[self.at] != ")":
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
            return Signature(params, result)
        except ValueError as error:
            fault = find_fault(tuple(params))
            self.fail(str(error), places[fault[0]] if fault else first)

    def no_signature(self) -> NoReturn:
        found = self.tokens[self.at]
        if not found:
            self.fail("expected '(' and the parameters", self.at)
        hint = ""
        if self.at == 0 and self.tokens[1] in (":", "("):
            hint = "a name has no place here"
        elif "(" in self.tokens and "->" not in self.tokens:
            hint = "C prototypes are read by Signature.from_c"
        self.fail(f"expected '(', got {found!r}", self.at, hint)

    def param(self) -> Param:
        tokens = self.tokens
        at = self.at
        name = None
        if tokens[at + 1 : at + 2] == [":"]:
            name = tokens[at]
            self.at += 2
        kind_at = self.at
        kind = self.type()
        if kind.name == "void":
            self.fail("a parameter cannot be void", kind_at, "no parameters are written ()")
        value: Any = NO_DEFAULT
        default_at = at
        if tokens[self.at] == "=":
            default_at = self.at + 1
            self.at += 1
            value = self.default()
        try:
            return Param(name, kind, value)
        except (TypeError, ValueError, OverflowError) as error:
            message = str(error)
        if name is not None:
            try:
                Param(name, kind)
            except ValueError as error:
                self.fail(str(error), at)
        self.fail(f"bad default: {message}", default_at)

    def type(self) -> Type:
        at = self.at
        tokens = self.tokens
        name = tokens[at]
        if not name:
            self.fail("expected a type", at)
        self.at = at + 1
        bracket = tokens[at + 1] == "["
        found = TYPES.get(name)
        if found is not None and not bracket:
            return found
        if name not in ("optional", "func"):
            self.unknown_type(at)
        if not bracket:
            self.fail("expected '[' and a type after optional", at + 1)
        if self.depth == MAX_DEPTH:
            self.fail(f"types nested more than {MAX_DEPTH} deep", at)
        self.depth += 1
        self.at = at + 2
        try:
            made = optional(self.type()) if name == "optional" else func(self.signature())
        except SignatureError:
            raise
        except ValueError as error:
            self.fail(str(error), at + 2)
        self.expect("]", f"after the {'type' if name == 'optional' else 'signature'}")
        self.depth -= 1
        return made

    def unknown_type(self, at: int) -> NoReturn:
        """Say what is wrong with the type name at *at*, and what was probably meant."""
        from jitffi.errors import nearest

        name = self.tokens[at]
        if name in TYPES:
            self.fail(f"{name} takes no [...]", at + 1)
        if name in _LATER:
            self.fail(f"this version does not have the type {name!r}", at, f"it has: {', '.join(KNOWN)}")
        if not name.isidentifier():
            self.fail(f"expected a type, got {name!r}", at)
        meant = _ELSEWHERE.get(name)
        guess = f"did you mean {meant!r}?" if meant else nearest(name, [*PLAIN_NAMES, "optional"])
        self.fail(f"unknown type {name!r}", at, f"{guess} known: {', '.join(KNOWN)}".lstrip())

    def default(self) -> Any:
        at = self.at
        token = self.take()
        if token in ("True", "False", "None"):
            return {"True": True, "False": False, "None": None}[token]
        if token and token[-1] in "'\"":
            return self.literal(at)
        bare = token.lstrip("+-")
        if token[:1] in ("+", "-") and not bare:  # "- inf": Python allows the space, and so the tokens come apart
            bare = self.take()
            token += bare
        if len(token) - len(bare) > 1 or not (bare in ("inf", "nan") or bare[:1].isdigit() or bare[:1] == "."):
            self.fail(f"expected a default, got {token!r}" if token else "expected a default", at,
                      "an int, a float, a str, b'bytes', True, False or None")  # fmt: skip
        try:
            return self.number(token, bare)
        except ValueError:
            self.fail(f"{token!r} is not a number", at)

    def number(self, token: str, bare: str) -> int | float:
        """Convert a literal as Python would; ValueError if Python would refuse it."""
        if not token.isascii():
            raise ValueError
        is_float = bare in ("inf", "nan") or (bare[:2].lower() not in ("0x", "0o", "0b") and bare.strip("0123456789_"))
        if not is_float:
            return int(token, 0)
        value = float(token)
        if value in (float("inf"), float("-inf")) and bare != "inf":
            raise ValueError
        return value

    def literal(self, at: int) -> str | bytes:
        """Convert the str or bytes literal at *at*, with Python's escapes."""
        token = self.tokens[at]
        is_bytes = token[0] in "bB"
        i = 2 if is_bytes else 1
        parts: list[str] = []
        end = len(token) - 1
        while i < end:
            stop = token.find("\\", i, end)
            if stop < 0:
                stop = end
            parts.append(token[i:stop])
            i = stop
            if i < end:
                char, i = self.escape(at, i + 1, is_bytes)
                parts.append(char)
        value = "".join(parts)
        if not is_bytes:
            return value
        try:
            return value.encode("latin-1")
        except UnicodeEncodeError:
            self.fail("bytes can only hold ASCII characters and escapes", at)

    def escape(self, at: int, i: int, is_bytes: bool) -> tuple[str, int]:
        """Return the character of the escape whose backslash is before *i* in token *at*, and where it ends."""
        token = self.tokens[at]
        c = token[i]
        if c in _ESCAPES:
            return _ESCAPES[c], i + 1
        digits = ""
        if c in "01234567":
            while len(digits) < 3 and token[i + len(digits)] in "01234567":
                digits += token[i + len(digits)]
            code, end = int(digits, 8), i + len(digits)
        elif c == "x" or (c in "uU" and not is_bytes):
            end = i + 1 + _HEX_DIGITS[c]
            digits = token[i + 1 : end]
            valid = len(digits) == _HEX_DIGITS[c] and digits.strip("0123456789abcdefABCDEF") == ""
            code = int(digits, 16) if valid else 1 << 32
        elif c == "N" and not is_bytes and token[i + 1] == "{" and "}" in token[i:]:
            import unicodedata

            end = token.index("}", i) + 1
            try:
                return unicodedata.lookup(token[i + 2 : end - 1]), end
            except KeyError:
                code = 1 << 32
        else:
            code, end = 1 << 32, i + 1
        if code > (255 if is_bytes else 0x10FFFF):
            raise SignatureError("bad escape", self.text, self.starts[at] + i - 1, end - i + 1)
        return chr(code), end
