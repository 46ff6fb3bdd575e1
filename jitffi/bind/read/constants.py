"""The constants that a header defines: macros and members of enums whose values are known without a compiler."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

from jitffi.bind.read.declared import Declared
from jitffi.bind.source.expression import Value, evaluate
from jitffi.bind.source.literals import Int, NotConstant
from jitffi.bind.source.macros import Macro, MacroError, expand
from jitffi.bind.source.tokens import is_name

_HEXADECIMAL = re.compile(r"0[xX][\da-fA-F]+\Z")


@dataclass(frozen=True)
class Constant:
    """A name with a value. *literal* is the value as Python writes it, *origin* what the header says if that tells
    more."""

    name: str
    value: int | float | str
    literal: str
    origin: str
    file: str
    line: int


@dataclass(frozen=True)
class Leftover:
    """A macro that became no constant, with what it stands for and the reason."""

    name: str
    text: str
    reason: str


@dataclass
class Defined:
    """What the macros of the chosen files are: constants, other names of functions, and the rest."""

    constants: list[Constant] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    leftovers: list[Leftover] = field(default_factory=list)


def constants(macros: Mapping[str, Macro], chosen: Collection[str], declared: Declared) -> Defined:
    """Evaluate the macros of the *chosen* files; names that begin with an underscore are the header's own business."""
    found = Defined()
    values = _Values(macros, declared)
    for macro in macros.values():
        if macro.file not in chosen or macro.name.startswith("_"):
            continue
        if macro.params is not None and macro.body:
            found.leftovers.append(Leftover(str(macro), macro.text, "a macro with parameters"))
        elif macro.params is None and macro.body and macro.body != (macro.name,):
            value = values.of(macro)
            if not isinstance(value, Exception):
                found.constants.append(_constant(macro, value))
            elif len(macro.body) == 1 and macro.body[0] in declared.functions:
                found.aliases[macro.name] = macro.body[0]
            else:
                found.leftovers.append(Leftover(macro.name, macro.text, _reason(value)))
    return found


def values_of(macros: Mapping[str, Macro], declared: Declared) -> Callable[[list[str]], Value]:
    """What gives the values of expressions: MacroError and NotConstant for those that have none."""
    values = _Values(macros, declared)
    return lambda words: evaluate(expand(words, macros), values.member, declared.cast, declared.size)


class _Values:
    """The values of macros, each found once, so that a long chain of them takes no longer than its parts."""

    def __init__(self, macros: Mapping[str, Macro], declared: Declared) -> None:
        self.macros = macros
        self.declared = declared
        self.found: dict[str, Value | Exception] = {}
        self.open = dict(macros)  # those that are put in as text
        self.known: dict[str, Int | float] = {}  # all others

    def of(self, macro: Macro) -> Value | Exception:
        """Return the macro's value, or why it has none."""
        waiting = [macro] if macro.name not in self.found else []
        begun = {macro.name}
        while waiting:
            words = [word for word in dict.fromkeys(waiting[-1].body) if word in self.macros and word not in self.found]
            needed = [self.macros[word] for word in words]
            needed = [each for each in needed if each.params is None and each.name not in begun]
            begun.update(each.name for each in needed)
            waiting += needed
            if not needed:
                last = waiting.pop()
                self.found[last.name] = self.evaluated(last)
        return self.found[macro.name]

    def evaluated(self, macro: Macro) -> Value | Exception:
        if any(isinstance(self.found.get(word), MacroError) for word in macro.body):
            return MacroError("made of one that is none")
        try:
            value = evaluate(expand([macro.name], self.open), self.member, self.declared.cast, self.declared.size)
        except (MacroError, NotConstant, RecursionError) as error:
            return error.with_traceback(None)
        if not isinstance(value, str) and _stands_together(macro.body):
            self.known[macro.name] = value
            del self.open[macro.name]
        return value

    def member(self, name: str) -> Int | float | None:
        value = self.known.get(name)
        return self.declared.member(name) if value is None else value


def _stands_together(body: tuple[str, ...]) -> bool:
    """Whether a value is what the body stands for wherever it is put in: one word, or all of it in one parenthesis."""
    depth = 0
    for word in body[:-1]:
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth <= 0:
            return False
    return True


def _constant(macro: Macro, value: Value) -> Constant:
    plain = value.value if isinstance(value, Int) else value
    is_literal = len([word for word in macro.body if word not in ("(", ")", "-")]) == 1 and not is_name(macro.body[0])
    literal = literal_of(plain)
    if is_literal and isinstance(value, Int) and value.value >= 0:
        number = next(word for word in macro.body if word not in ("(", ")")).rstrip("uUlL")
        literal = f"0x{number[2:].upper()}" if _HEXADECIMAL.match(number) else literal
    origin = "" if is_literal else macro.text
    return Constant(macro.name, plain, literal, origin, macro.file, macro.line)


def _reason(error: Exception) -> str:
    if isinstance(error, NotConstant) and str(error) in ("sizeof", "long double"):
        return f"not a constant: {error}"
    return "not a constant"


def literal_of(value: int | float | str) -> str:
    """Return a value as Python writes it, with double quotes where it has none itself.

    >>> literal_of(3), literal_of(0.1), literal_of(float("inf"))
    ('3', '0.1', 'float("inf")')
    >>> print(literal_of("it's"), literal_of('a "b"'))
    "it's" 'a "b"'
    """
    if isinstance(value, str):
        if value.isprintable() and '"' not in value and "\\" not in value:
            return f'"{value}"'
        quote = "'" if '"' in value and "'" not in value else '"'
        kept = {"'": "'", '"': '"', quote: "\\" + quote}
        return quote + "".join([kept.get(char) or repr(char)[1:-1] for char in value]) + quote
    if isinstance(value, float) and value - value != 0.0:
        return f'float("{value}")'
    return repr(value)
