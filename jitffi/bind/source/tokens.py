"""C's tokens, and text without its comments: as much of C's first phases as macros and declarations need."""

from __future__ import annotations

import re
from collections.abc import Iterable

_TEXT = r'(?:u8|[uUL])?"(?:\\.|[^"\\\n])*"|' + r"[uUL]?'(?:\\.|[^'\\\n])+'"
#: Identifiers, keywords too: compilers take nearly every letter and sign that is not ASCII.
NAME = r"(?:[A-Za-z_$]|[^\x00-\x7f])(?:[A-Za-z0-9_$]|[^\x00-\x7f])*"
TOKEN = re.compile(
    rf"{_TEXT}|{NAME}|\.?\d(?:[eEpP][+-]|[\w.])*|\.\.\.|<<=|>>=|[-+*/%&|^=!<>]=|&&|\|\||<<|>>|\+\+|--|->|##|\S"
)
_COMMENT = re.compile(rf"(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?(?:\*/|\Z))|{_TEXT}", re.S)
_WORD = re.compile(r"[\w$.]")


def tokens(text: str) -> list[str]:
    """Return the tokens of a text that has no comments any more.

    >>> tokens('x = L"a b" + 0x1Fu<<2;')
    ['x', '=', 'L"a b"', '+', '0x1Fu', '<<', '2', ';']
    """
    return TOKEN.findall(text)


def is_name(token: str) -> bool:
    """Whether a token is an identifier or a keyword.

    >>> is_name("__x"), is_name("1x"), is_name('L"x"')
    (True, False, False)
    """
    first = token[:1]
    return (first.isalpha() or first in ("_", "$") or first > "\x7f") and token[-1:] not in ('"', "'")


def without_comments(text: str) -> str:
    """Return *text* with a space for each comment, and with all its line ends.

    >>> without_comments("a /* b\\n c */ d // e")
    'a  \\n d  '
    """

    def blank(found: re.Match[str]) -> str:
        return " " + "\n" * found.group().count("\n") if found["comment"] else found.group()

    return _COMMENT.sub(blank, text)


def joined(words: Iterable[str]) -> str:
    """Return a declaration's tokens as text, spaced as a person would.

    >>> joined(["int", "f", "(", "const", "char", "*", "s", ",", "int", "n", ")"])
    'int f(const char *s, int n)'
    """
    parts = []
    last = ""
    for word in words:
        parts += [" ", word] if _spaced(last, word) else [word]
        last = word
    return "".join(parts)


def _spaced(last: str, word: str) -> bool:
    if not last:
        return False
    if _WORD.match(word[0]) and _WORD.match(last[-1]):
        return True
    if word in (",", ";", ")", "]", "[") or last in ("(", "[", "*"):
        return False
    if word == "(":
        return not is_name(last) and last not in (")", "]")
    return True
