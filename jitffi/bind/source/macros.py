"""Macros: read from their definitions, and expanded as the preprocessor does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from jitffi.bind.source.tokens import is_name, joined, tokens

#: Tokens that the expansion of one text may grow by, the uses of macros behind what it says itself, and how deep these
#: may be in one another: more is a macro that was made to explode.
_MAX_TOKENS = 20_000
_MAX_USES = 5_000
_MAX_DEPTH = 200


class MacroError(ValueError):
    """A definition or a use of a macro that is no C."""


@dataclass(frozen=True)
class Macro:
    """One `#define`: *params* is None for a macro without parentheses."""

    name: str
    params: tuple[str, ...] | None
    body: tuple[str, ...]
    text: str  # the body as it was written
    variadic: bool = False
    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        """What is defined, without the body.

        >>> str(Macro("max", ("a", "b"), (), ""))
        'max(a, b)'
        """
        return self.name if self.params is None else f"{self.name}({', '.join(self.params)})"


def parse_define(text: str, file: str = "", line: int = 0) -> Macro:
    """Read what stands behind `#define`. MacroError where it is none.

    >>> macro = parse_define("twice(x) ((x) * 2)")
    >>> macro.name, macro.params, macro.text
    ('twice', ('x',), '((x) * 2)')
    """
    words = tokens(text)
    if not words or not is_name(words[0]):
        raise MacroError(f"no name is defined by {text.strip()!r}")
    name = words[0]
    behind = text.lstrip()[len(name) :]
    if not behind.startswith("("):
        return Macro(name, None, tuple(words[1:]), " ".join(behind.split()), file=file, line=line)
    try:
        end = words.index(")")
    except ValueError:
        raise MacroError(f"{name}: the list of parameters does not end") from None
    params = [word for word in words[2:end] if word != ","]
    variadic = bool(params) and params[-1] == "..."
    if variadic:
        named = len(params) > 1 and words[end - 2] != ","  # GNU's `args...`
        params = [*params[:-2], params[-2]] if named else [*params[:-1], "__VA_ARGS__"]
    if not all(map(is_name, params)):
        raise MacroError(f"{name}: {' '.join(params)} are no parameters")
    text = " ".join(behind.partition(")")[2].split())
    return Macro(name, tuple(params), tuple(words[end + 1 :]), text, variadic, file, line)


def expand(
    words: list[str], macros: Mapping[str, Macro], painted: set[str] | None = None, room: list[int] | None = None
) -> list[str]:
    """Return *words* with all macros replaced. *painted* names are left, as a macro's own name is within itself.

    MacroError for a use that no argument list closes, for the wrong number of arguments, and for endless growth.

    >>> macros = {m.name: m for m in map(parse_define, ["A B + A", "B 2", "twice(x) (x * x)"])}
    >>> " ".join(expand(tokens("A twice(B)"), macros))
    '2 + A ( 2 * 2 )'
    """
    made: list[str] = []
    waiting = list(reversed(words))  # a stack: what comes next is last
    if room is None:  # in one text, at all depths: for uses, and for tokens
        room = [_MAX_USES + len(words), _MAX_TOKENS + 4 * len(words)]
    if painted is None:
        painted = set()
    if len(painted) > _MAX_DEPTH:
        raise MacroError("macros that lead to too many others")
    while waiting:
        word = waiting.pop()
        macro = macros.get(word)
        if macro is not None:
            room[0] -= 1
        if macro is None or word in painted:
            made.append(word)
        elif macro.params is None:
            made += _within(word, _pasted(list(macro.body)), macros, painted, room)
            last = macros.get(made[-1]) if made else None
            if waiting[-1:] == ["("] and last is not None and last.params is not None and last.name not in painted:
                waiting.append(made.pop())  # its arguments stand behind the name that became it
        elif waiting and waiting[-1] == "(":
            arguments = _arguments(macro, waiting)
            body = _substituted(macro, arguments, macros, painted, room)
            made += _within(word, body, macros, painted, room)
        else:
            made.append(word)
        if len(made) > room[1] or room[0] < 0:
            raise MacroError(f"{word} expands to too much")
    return made


def _within(name: str, body: list[str], macros: Mapping[str, Macro], painted: set[str], room: list[int]) -> list[str]:
    """Return the body of the macro *name* with all others replaced."""
    painted.add(name)
    try:
        return expand(body, macros, painted, room)
    finally:
        painted.discard(name)


def _arguments(macro: Macro, waiting: list[str]) -> list[list[str]]:
    """Take the arguments of a use from *waiting*."""
    assert macro.params is not None
    found: list[list[str]] = [[]]
    waiting.pop()  # the parenthesis that opens the list
    depth = 1
    while waiting:
        word = waiting.pop()
        depth += {"(": 1, ")": -1}.get(word, 0)
        if depth == 0:
            break
        if word == "," and depth == 1 and not (macro.variadic and len(found) == len(macro.params)):
            found.append([])
        else:
            found[-1].append(word)
    else:
        raise MacroError(f"{macro.name}: the list of arguments does not end")
    if macro.variadic and len(found) == len(macro.params) - 1:
        found.append([])
    if not macro.params and found == [[]]:
        return []
    if len(found) != len(macro.params):
        raise MacroError(f"{macro.name} takes {len(macro.params)} arguments, got {len(found)}")
    return found


def _substituted(
    macro: Macro, arguments: list[list[str]], macros: Mapping[str, Macro], painted: set[str], room: list[int]
) -> list[str]:
    """Return the body with the arguments put in, those of `#` and `##` as they were written."""
    assert macro.params is not None
    given = dict(zip(macro.params, arguments, strict=True))
    made: list[str] = []
    body = macro.body
    for i, word in enumerate(body):
        after = body[i + 1] if i + 1 < len(body) else ""
        before = body[i - 1] if i else ""
        if word == "#" and after in given:
            made.append('"' + joined(given[after]).replace("\\", "\\\\").replace('"', '\\"') + '"')
        elif word in given and before == "#":
            continue
        elif word in given and "##" in (before, after):
            made += given[word] or [""]  # a placemarker, so that `##` finds something on both sides
        elif word in given:
            made += expand(given[word], macros, painted, room)
        else:
            made.append(word)
    return _pasted(made)


def _pasted(words: list[str]) -> list[str]:
    """Return *words* with both sides of each `##` made one token."""
    made: list[str] = []
    i = 0
    while i < len(words):
        if words[i] == "##" and made and i + 1 < len(words):
            made[-1] += words[i + 1]
            i += 2
        else:
            made.append(words[i])
            i += 1
    return [word for word in made if word]
