"""Constant expressions of C: integers with C's types and conversions, floating constants, strings.

Evaluated from tokens, by descent; nothing of them is ever handed to Python. What is no constant, or has a value that
only a compiler knows, is `NotConstant`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from jitffi.bind.source.literals import Int, NotConstant, character, number, single, unescaped
from jitffi.bind.source.tokens import is_name
from jitffi.signature.csource import KEYWORD_TYPES, TYPEDEFS

Value = Int | float | str
#: What a name that stands for a value is: an enum's member, or a macro that was evaluated. None: unknown.
Names = Callable[[str], "Int | float | None"]
#: The type that a cast's tokens name: (bits, is signed), "float", "pointer". None: unknown.
Casts = Callable[[list[str]], "tuple[int, bool] | str | None"]
#: The bytes that the type has which tokens name. None: unknown.
Sizes = Callable[[list[str]], "int | None"]

_MAX_DEPTH = 100
#: With those of a long double, whose values a double has.
_INFINITE = {f"__builtin_{name}{of}" for name in ("inf", "huge_val") for of in ("", "f", "l")}
_NAN = {"__builtin_nan", "__builtin_nanf", "__builtin_nanl"}

#: Binary operators by how tightly they bind; the last first.
_LEVELS: tuple[tuple[str, ...], ...] = (
    ("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
    ("*", "/", "%"),
)  # fmt: skip


def evaluate(
    words: list[str], names: Names = lambda name: None, casts: Casts | None = None, sizes: Sizes | None = None
) -> Value:
    """Return the value of an expression whose macros are all replaced. NotConstant where it has none.

    >>> from jitffi.bind.source.tokens import tokens
    >>> evaluate(tokens("(1 << 4 | 3) * 2")), evaluate(tokens("-1 > 0u"))
    (Int(value=38, bits=32, signed=True), Int(value=1, bits=32, signed=True))
    >>> evaluate(tokens('"1." "2"')), evaluate(tokens("1.5e3f"))
    ('1.2', 1500.0)
    """
    if not words:
        raise NotConstant("nothing")
    descent = _Descent(words, names, casts or type_of_words, sizes or size_of_words)
    value = descent.conditional()
    if descent.at < len(words):
        raise NotConstant(f"unexpected {words[descent.at]!r}")
    return value


def integer(words: list[str], names: Names = lambda name: None, casts: Casts | None = None) -> Int:
    """Return the value of an integer expression. NotConstant where it is none.

    >>> from jitffi.bind.source.tokens import tokens
    >>> integer(tokens("'a' + 1")).value
    98
    """
    value = evaluate(words, names, casts)
    if not isinstance(value, Int):
        raise NotConstant("not an integer")
    return value


def type_of_words(words: list[str]) -> tuple[int, bool] | str | None:
    """Return what a cast to a type of the standard's makes.

    >>> type_of_words(["unsigned", "char"]), type_of_words(["void", "*"]), type_of_words(["foo"])
    ((8, False), 'pointer', None)
    """
    plain = [word for word in words if word not in ("const", "volatile")]
    if not plain or not all(is_name(word) or word == "*" for word in plain):
        return None
    if plain[-1] == "*":
        return "pointer"
    text = " ".join(sorted(plain))
    return type_of_name(KEYWORD_TYPES.get(text) or TYPEDEFS.get(text) or "")


def size_of_words(words: list[str]) -> int | None:
    """Return the size of a type of the standard's, or of an array of them.

    >>> size_of_words(["unsigned", "short"]), size_of_words(["void", "*"]), size_of_words(["foo"])
    (2, 8, None)
    >>> size_of_words(["char", "[", "16", "]"])
    16
    """
    if words[-1:] == ["]"] and len(words) > 3 and words[-3] == "[" and words[-2].isdigit():
        inner = size_of_words(words[:-3])
        return None if inner is None else inner * int(words[-2])
    kind = type_of_words(words)
    if isinstance(kind, tuple):
        return max(kind[0] // 8, 1)
    return {"f32": 4, "f64": 8, "pointer": 8}.get(kind or "")


def type_of_name(name: str) -> tuple[int, bool] | str | None:
    """Return what a cast to one of our types makes.

    >>> type_of_name("u16"), type_of_name("f32"), type_of_name("ptr"), type_of_name("str")
    ((16, False), 'f32', 'pointer', None)
    """
    if name in ("f32", "f64"):
        return name
    if name == "ptr":
        return "pointer"
    if name == "bool":
        return 1, False
    return (int(name[1:]), name[0] == "i") if name[:1] in ("i", "u") and name[1:].isdigit() else None


class _Descent:
    """Where the evaluation is in the tokens."""

    def __init__(self, words: list[str], names: Names, casts: Casts, sizes: Sizes) -> None:
        self.words = words
        self.at = 0
        self.names = names
        self.casts = casts
        self.sizes = sizes
        self.depth = 0

    def peek(self) -> str:
        return self.words[self.at] if self.at < len(self.words) else ""

    def take(self, wanted: str = "") -> str:
        word = self.peek()
        if not word or (wanted and word != wanted):
            raise NotConstant(f"unexpected {word!r}" if word else "it ends too early")
        self.at += 1
        return word

    def conditional(self) -> Value:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotConstant("nested too deep")
        value = self.binary(0)
        if self.peek() == "?":
            self.take()
            chosen = self.conditional()
            self.take(":")
            other = self.conditional()
            value = _either(_truth(value), chosen, other)
        self.depth -= 1
        return value

    def binary(self, level: int) -> Value:
        if level == len(_LEVELS):
            return self.unary()
        value = self.binary(level + 1)
        while self.peek() in _LEVELS[level]:
            operator = self.take()
            value = _binary(operator, value, self.binary(level + 1))
        return value

    def unary(self) -> Value:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotConstant("nested too deep")
        word = self.peek()
        if word in ("-", "+", "~", "!"):
            self.take()
            value = _unary(word, self.unary())
        elif word == "(":
            value = self.parenthesis()
        else:
            value = self.primary()
        self.depth -= 1
        return value

    def parenthesis(self) -> Value:
        """A cast, or an expression in parentheses."""
        self.take("(")
        end = self.at
        while end < len(self.words) and (is_name(self.words[end]) or self.words[end] == "*"):
            end += 1
        named = self.words[self.at : end]
        if named and self.words[end : end + 1] == [")"]:
            kind = self.casts(named)
            if kind is not None:
                self.at = end + 1
                value = self.cast_of_long_double(kind)
                return _cast(kind, self.unary() if value is None else value)
            if len(named) > 1 and self.names(named[0]) is None:  # else a product, (WIDTH * HEIGHT)
                raise NotConstant(f"{' '.join(named)} is no type that is known here")
        value = self.conditional()
        self.take(")")
        return value

    def cast_of_long_double(self, kind: tuple[int, bool] | str) -> Value | None:
        """The value of a literal like that in `(double)1.5e308L`, which need not be a long double; None: it is none."""
        word = self.peek()
        if kind not in ("f32", "f64") or word[-1:] not in ("l", "L") or not word[0].isdigit() or "." not in word:
            return None
        return number(self.take()[:-1])

    def primary(self) -> Value:
        word = self.take()
        if word[-1] == '"':
            return self.string(word)
        if word[-1] == "'":
            return character(word)
        if word[0].isdigit() or word[0] == ".":
            return number(word)
        if word == "sizeof":
            return self.size()
        if word in _INFINITE and self.words[self.at : self.at + 2] == ["(", ")"]:
            self.at += 2
            return math.inf
        if (
            word in _NAN
            and self.words[self.at : self.at + 1] == ["("]
            and self.words[self.at + 2 : self.at + 3] == [")"]
        ):
            self.at += 3
            return math.nan
        found = self.names(word) if is_name(word) else None
        if found is None:
            raise NotConstant(word)
        return found

    def size(self) -> Int:
        """That of a type in parentheses; of a value, only a compiler knows it."""
        end = self.words.index(")", self.at) if ")" in self.words[self.at :] else self.at
        size = self.sizes(self.words[self.at + 1 : end]) if self.peek() == "(" else None
        if size is None:
            raise NotConstant("sizeof")
        self.at = end + 1
        return Int(size, 64, False)

    def string(self, word: str) -> str:
        parts = [word]
        while self.peek().endswith('"'):
            parts.append(self.take())
        content = b""
        for part in parts:
            prefix, _, rest = part.partition('"')
            if prefix not in ("", "u8"):
                raise NotConstant(f"a string of wide characters: {part}")
            content += unescaped(rest[:-1])
        try:
            return content.decode()
        except UnicodeDecodeError:
            raise NotConstant("a string that is no UTF-8") from None


def _truth(value: Value) -> bool:
    if isinstance(value, str):
        raise NotConstant("a string as a condition")
    return bool(value.value if isinstance(value, Int) else value)


def _promoted(value: Int) -> Int:
    return value if value.bits >= 32 else Int(value.value)


def _unary(operator: str, value: Value) -> Value:
    if operator == "!":
        return Int(int(not _truth(value)))
    if isinstance(value, str) or (operator == "~" and not isinstance(value, Int)):
        raise NotConstant(f"{operator} of what has none")
    if not isinstance(value, Int):
        return -value if operator == "-" else value
    value = _promoted(value)
    changed = {"-": -value.value, "+": value.value, "~": ~value.value}[operator]
    return Int(changed).converted(value.bits, value.signed)


def _binary(operator: str, left: Value, right: Value) -> Value:
    if operator in ("&&", "||"):
        both = _truth(left), _truth(right)
        return Int(int(all(both) if operator == "&&" else any(both)))
    if isinstance(left, str) or isinstance(right, str):
        raise NotConstant(f"{operator} of a string")
    if isinstance(left, Int) and isinstance(right, Int):
        return _integers(operator, _promoted(left), _promoted(right))
    x, y = (each.value if isinstance(each, Int) else each for each in (left, right))
    compared = _compared(operator, x, y)
    if compared is not None:
        return compared
    if operator in ("+", "-", "*"):
        return float(x) + y if operator == "+" else float(x) - y if operator == "-" else float(x) * y
    if operator == "/":
        if y == 0:
            return math.nan if x == 0 or math.isnan(x) else math.copysign(math.inf, x) * math.copysign(1, y)
        return float(x) / y
    raise NotConstant(f"{operator} of a floating constant")


def _either(first: bool, left: Value, right: Value) -> Value:
    """One of the two, in the type that both have together."""
    if isinstance(left, Int) and isinstance(right, Int):
        bits, signed = _common(_promoted(left), _promoted(right))
        return (left if first else right).converted(bits, signed)
    value = left if first else right
    return float(value.value) if isinstance(value, Int) and isinstance(right if first else left, float) else value


def _common(left: Int, right: Int) -> tuple[int, bool]:
    """The type of an operation on both. C11, 6.3.1.8: the wider one; of two equally wide, the unsigned."""
    bits = max(left.bits, right.bits)
    return bits, all(each.signed for each in (left, right) if each.bits == bits)


def _compared(operator: str, x: float, y: float) -> Int | None:
    found = {"==": x == y, "!=": x != y, "<": x < y, ">": x > y, "<=": x <= y, ">=": x >= y}.get(operator)
    return None if found is None else Int(int(found))


def _integers(operator: str, left: Int, right: Int) -> Int:
    if operator in ("<<", ">>"):
        if not 0 <= right.value < left.bits:
            raise NotConstant(f"{operator} by {right.value}")
        moved = left.value << right.value if operator == "<<" else left.value >> right.value
        return Int(moved).converted(left.bits, left.signed)
    bits, signed = _common(left, right)
    x, y = left.converted(bits, signed).value, right.converted(bits, signed).value
    compared = _compared(operator, x, y)
    if compared is not None:
        return compared
    if operator in ("/", "%"):
        if y == 0:
            raise NotConstant("division by zero")
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        return Int(quotient if operator == "/" else x - quotient * y).converted(bits, signed)
    made = {"+": x + y, "-": x - y, "*": x * y, "&": x & y, "|": x | y, "^": x ^ y}[operator]
    return Int(made).converted(bits, signed)


def _cast(kind: tuple[int, bool] | str, value: Value) -> Value:
    if isinstance(value, str):
        if kind == "pointer":
            return value
        raise NotConstant("a cast of a string")
    if isinstance(kind, tuple):
        if kind[0] == 1:
            return Int(int(_truth(value)))
        if not isinstance(value, Int):
            if not math.isfinite(value):
                raise NotConstant("a cast of infinity or nan")
            value = Int(int(value), 64)
        return value.converted(*kind)
    if kind == "pointer":
        if not isinstance(value, Int):
            raise NotConstant("a pointer from a floating constant")
        return Int(value.value, 64, value.value < 0)
    number_ = float(value.value) if isinstance(value, Int) else value
    return single(number_) if kind == "f32" else number_
