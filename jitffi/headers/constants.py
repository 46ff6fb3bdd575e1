"""The constants that a header defines: macros and members of enums whose values are known without a compiler."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from jitffi.headers.declarations import Declared
from jitffi.headers.expression import evaluate
from jitffi.headers.literals import Int, NotConstant
from jitffi.headers.macros import Macro, MacroError, expand
from jitffi.headers.tokens import is_name

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
    for macro in macros.values():
        if macro.file not in chosen or macro.name.startswith("_"):
            continue
        if macro.params is not None and macro.body:
            found.leftovers.append(Leftover(str(macro), macro.text, "a macro with parameters"))
        elif macro.params is None and macro.body and macro.body != (macro.name,):
            _plain(macro, macros, declared, found)
    return found


def _plain(macro: Macro, macros: Mapping[str, Macro], declared: Declared, found: Defined) -> None:
    try:
        words = expand([macro.name], macros)
        value = evaluate(words, declared.member, declared.cast)
    except (MacroError, NotConstant, RecursionError) as error:
        if len(macro.body) == 1 and macro.body[0] in declared.functions:
            found.aliases[macro.name] = macro.body[0]
        else:
            found.leftovers.append(Leftover(macro.name, macro.text, _reason(error)))
        return
    plain = value.value if isinstance(value, Int) else value
    is_literal = len([word for word in macro.body if word not in ("(", ")", "-")]) == 1 and not is_name(macro.body[0])
    shown = plain if isinstance(value, Int) else value
    literal = literal_of(shown)
    if is_literal and isinstance(value, Int) and value.value >= 0:
        number = next(word for word in macro.body if word not in ("(", ")")).rstrip("uUlL")
        literal = f"0x{number[2:].upper()}" if _HEXADECIMAL.match(number) else literal
    origin = "" if is_literal else macro.text
    found.constants.append(Constant(macro.name, plain, literal, origin, macro.file, macro.line))


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
        quote = "'" if '"' in value and "'" not in value else '"'
        kept = {"'": "'", '"': '"', quote: "\\" + quote}
        return quote + "".join([kept.get(char) or repr(char)[1:-1] for char in value]) + quote
    if isinstance(value, float) and value - value != 0.0:
        return f'float("{value}")'
    return repr(value)
