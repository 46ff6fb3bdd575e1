"""Macros with parameters that are a call of a function: `deflateInit(strm, level)` is one of `deflateInit_`.

What stands in the call is a parameter, a constant, or another such call; casts of parameters are left out, since the
function's own types say what it takes. All other macros are the compiler's business.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from jitffi.bind.read.constants import Defined, Leftover, literal_of, values_of
from jitffi.bind.read.declared import Declared, DeclaredFunction
from jitffi.bind.source.literals import Int, NotConstant
from jitffi.bind.source.macros import Macro, MacroError, expand
from jitffi.signature.model import Type

_INTEGERS = {"bool", *[f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)]}


@dataclass(frozen=True)
class Call:
    """A call with its arguments: a parameter's place, a constant, a literal of Python, or another call."""

    function: DeclaredFunction
    arguments: tuple[Argument, ...]

    def types(self, count: int) -> list[tuple[Type, str]]:
        """For each of *count* parameters the type that it is passed as, and its typedef where that is a callback."""
        found = dict(self.passed())
        return [found[i] for i in range(count)]

    def passed(self) -> Iterator[tuple[int, tuple[Type, str]]]:
        """Yield each place of a parameter that the call has, with its type and typedef there."""
        for i, argument in enumerate(self.arguments):
            if isinstance(argument, Call):
                yield from argument.passed()
            elif isinstance(argument, int):
                yield argument, (self.function.sig.params[i].type, self.function.aliases.get(i, ""))


@dataclass(frozen=True)
class Named:
    """A constant of the header, and its value."""

    name: str
    literal: str


#: The last is a literal of Python.
Argument = int | Named | str | Call


@dataclass(frozen=True)
class MacroCall:
    """A macro that is a call."""

    name: str
    params: tuple[str, ...]
    call: Call
    prototype: str


class _NoCall(Exception):
    """The macro is something else."""


def macro_calls(
    macros: Mapping[str, Macro], chosen: Collection[str], declared: Declared, defined: Defined, taken: Collection[str]
) -> list[MacroCall]:
    """The macros of the *chosen* files that are calls, but for those with *taken* names; they are *defined*'s leftovers
    no more."""
    found = []
    reader = _Reader(macros, declared, defined)
    for macro in macros.values():
        is_ours = macro.file in chosen and not macro.name.startswith("_") and macro.name not in taken
        if not is_ours or macro.params is None or macro.variadic or not macro.body:
            continue
        try:
            call = reader.macro(macro)
        except (_NoCall, MacroError, NotConstant, RecursionError):
            continue
        found.append(MacroCall(macro.name, macro.params, call, f"#define {macro} {macro.text}"))
        left = Leftover(str(macro), macro.text, "a macro with parameters")
        defined.leftovers.remove(left)
    return found


class _Reader:
    def __init__(self, macros: Mapping[str, Macro], declared: Declared, defined: Defined) -> None:
        self.declared = declared
        self.constants = {each.name: each.value for each in defined.constants}
        self.values = values_of(macros, declared)
        # Constants stay as they are called, and what has a function's name is that function.
        self.open = {
            name: each for name, each in macros.items() if name not in self.constants and name not in declared.functions
        }

    def macro(self, macro: Macro) -> Call:
        params = macro.params or ()
        words = expand(list(macro.body), self.open, {macro.name, *params})
        call = self.call(_bare(words), params)
        if call is None or sorted({place for place, _ in call.passed()}) != sorted(range(len(params))):
            raise _NoCall  # or nothing says of what type a parameter is
        if len(set(call.passed())) != len(params):
            raise _NoCall  # or one is of two types
        return call

    def call(self, words: list[str], params: tuple[str, ...]) -> Call | None:
        """The call that *words* are; None where they are none."""
        is_known = len(words) > 2 and words[0] not in params
        function = self.declared.functions.get(words[0]) if is_known else None
        if function is None or words[1] != "(" or _end(words, 1) != len(words) - 1:
            return None
        parts = _split(words[2:-1])
        sig = function.sig
        if not sig.in_order or sig.variadic or len(parts) != len(sig.params):
            raise _NoCall
        return Call(
            function,
            tuple([self.argument(_bare(part), params, p.type) for part, p in zip(parts, sig.params, strict=True)]),
        )

    def argument(self, words: list[str], params: tuple[str, ...], type_: Type) -> Argument:
        words = self.uncast(words, params)
        if len(words) == 1 and words[0] in params:
            return params.index(words[0])
        if set(words) & set(params):
            call = self.call(words, params)
            if call is None:
                raise _NoCall
            return call
        if words and (call := self.call(words, params)) is not None:
            return call
        value = self.values(words)
        plain = value.value if isinstance(value, Int) else value
        inner = type_.inner if type_.is_optional else type_
        if plain == 0 and (type_.is_optional or inner.name == "ptr"):
            return "None"
        wanted = "cstr" if isinstance(plain, str) else "f64" if isinstance(plain, float) else "int"
        if wanted != ("int" if inner.name in _INTEGERS else "f64" if inner.name == "f32" else inner.name):
            raise _NoCall
        literal = literal_of(_converted(plain, inner.name) if isinstance(plain, int) else plain)
        is_named = len(words) == 1 and words[0] in self.constants and literal == literal_of(plain)
        return Named(words[0], literal) if is_named else literal

    def uncast(self, words: list[str], params: tuple[str, ...]) -> list[str]:
        """Without a cast in front of a parameter or a call."""
        while words[:1] == ["("] and (end := _end(words, 0)) < len(words) - 1:
            behind = _bare(words[end + 1 :])
            is_operand = behind[0] in params or behind[0] in self.declared.functions
            is_cast = words[1] in ("enum", "struct", "union") or self.declared.cast(words[1:end]) is not None
            if not is_operand or not is_cast:
                break
            words = behind
        return words


def _converted(value: int, name: str) -> int:
    """As C converts it to the integer type *name*."""
    if name == "bool":
        return int(value != 0)
    bits = int(name[1:])
    value %= 1 << bits
    return value - (1 << bits) if name[0] == "i" and value >> (bits - 1) else value


def _end(words: list[str], start: int) -> int:
    """Where the parenthesis ends that begins at *start*."""
    depth = 0
    for at in range(start, len(words)):
        depth += {"(": 1, ")": -1}.get(words[at], 0)
        if depth == 0:
            return at
    raise _NoCall


def _bare(words: list[str]) -> list[str]:
    """Without parentheses around all of it."""
    while len(words) > 2 and words[0] == "(" and _end(words, 0) == len(words) - 1:
        words = words[1:-1]
    if not words:
        raise _NoCall
    return words


def _split(words: list[str]) -> list[list[str]]:
    """The arguments between the parentheses of a call."""
    parts: list[list[str]] = [[]]
    depth = 0
    for word in words:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if word == "," and depth == 0:
            parts.append([])
        else:
            parts[-1].append(word)
    return parts if words else []
