"""A pattern's text and flags -> nodes. The text is read by Python's own parser, so that what it means, and what is
wrong with it, is Python's to say."""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from jitffi.scripts.regex import factor
from jitffi.scripts.regex.charset import LAST, CharSet, Folding, charset
from jitffi.scripts.regex.nodes import (
    BYTES,
    MANY,
    NARROW,
    WIDE,
    Alphabet,
    At,
    Atomic,
    Char,
    Group,
    If,
    Look,
    Node,
    Repeat,
    Same,
    sequence,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable

#: No stub names them.
_constants: Any = import_module("re._constants")
_parser: Any = import_module("re._parser")
_IGNORECASE, _LOCALE, _MULTILINE, _DOTALL, _UNICODE = 2, 4, 8, 16, 32
#: Repetitions in repetitions, groups in groups: each costs code.
MOST_NODES: Final = 3000


class NotNativeError(Exception):
    """A pattern that `re` has to match; the text says why."""


class Reader:
    """The way through the parser's tree."""

    def __init__(self, alphabet: Alphabet) -> None:
        self.alphabet: Final = alphabet
        self._left = MOST_NODES
        self._open: set[int] = set()

    def sequence(self, tree: Any, flags: int) -> Node:
        """All items, one behind the other."""
        return sequence([self.node(str(op), av, flags) for op, av in tree])

    def node(self, op: str, av: Any, flags: int) -> Node:
        self._left -= 1
        if self._left < 0:
            raise NotNativeError("a pattern of this size")
        if flags & _LOCALE:
            raise NotNativeError("a pattern that depends on the locale")
        made = _READERS.get(op)
        if made is None:
            raise NotNativeError(f"{op} in a pattern")
        return made(self, op, av, flags)

    # -- characters --------------------------------------------------------------------------------------

    def _chars(self, ranges: list[tuple[int, int]], classes: list[str], negated: bool, flags: int) -> Node:
        folding = Folding(bool(flags & _IGNORECASE), bool(flags & _UNICODE))
        return Char(self.alphabet.cut(charset(ranges, classes, negated, folding)))

    def literal(self, op: str, av: int, flags: int) -> Node:
        return self._chars([(av, av)], [], op == "NOT_LITERAL", flags)

    def any(self, op: str, av: None, flags: int) -> Node:
        return self._chars([(0, LAST)] if flags & _DOTALL else [(10, 10)], [], not flags & _DOTALL, 0)

    def in_(self, op: str, av: Any, flags: int) -> Node:
        ranges, classes, negated = [], [], False
        for kind, what in av:
            if str(kind) == "NEGATE":
                negated = True
            elif str(kind) == "LITERAL":
                ranges.append((what, what))
            elif str(kind) == "RANGE":
                ranges.append(what)
            else:
                classes.append(_class(str(what), flags))
        return self._chars(ranges, classes, negated, flags)

    def category(self, op: str, av: Any, flags: int) -> Node:
        return self._chars([], [_class(str(av), flags)], False, flags)

    # -- structure ---------------------------------------------------------------------------------------

    def repeat(self, op: str, av: Any, flags: int) -> Node:
        low, high, tree = av
        body = self.sequence(tree, flags)
        high = MANY if high == _constants.MAXREPEAT else int(high)
        if op != "POSSESSIVE_REPEAT":
            return Repeat(body, int(low), high, "lazy" if op == "MIN_REPEAT" else "greedy")
        if body.sets:
            # Where a round fails, CPython leaves a group that it began with a new start and its old end.
            raise NotNativeError("a possessive repetition of a group that captures")
        # Each round is atomic, too: what it has matched is never tried again.
        inner = body if isinstance(body, Char) else Atomic(body)
        return Atomic(Repeat(inner, int(low), high, "greedy"))

    def group(self, op: str, av: Any, flags: int) -> Node:
        index, added, taken, tree = av
        if added & _parser.TYPE_FLAGS:
            flags &= ~_parser.TYPE_FLAGS
        flags = (flags | added) & ~taken
        if index is None:
            return self.sequence(tree, flags)
        self._open.add(index)
        body = self.sequence(tree, flags)
        self._open.discard(index)
        return Group(index, body)

    def branch(self, op: str, av: Any, flags: int) -> Node:
        return factor.choice([self.sequence(tree, flags) for tree in av[1]])

    def look(self, op: str, av: Any, flags: int) -> Node:
        direction, tree = av
        back = None if direction >= 0 else int(tree.getwidth()[0])
        return Look(self.sequence(tree, flags), back, op == "ASSERT_NOT")

    def atomic(self, op: str, av: Any, flags: int) -> Node:
        return Atomic(self.sequence(av, flags))

    def same(self, op: str, av: int, flags: int) -> Node:
        folding = ("unicode" if flags & _UNICODE else "ascii") if flags & _IGNORECASE else ""
        if folding == "unicode" and self.alphabet.is_wide:
            raise NotNativeError("a reference to a group without case, in text that is not ASCII,")
        return Same(av, folding)

    def condition(self, op: str, av: Any, flags: int) -> Node:
        index, then, other = av
        if index in self._open:
            raise NotNativeError("a condition on a group that it stands in")
        return If(index, self.sequence(then, flags), self.sequence(other or (), flags))

    def at(self, op: str, av: Any, flags: int) -> Node:
        kind = str(av)
        if flags & _MULTILINE:
            kind = {"AT_BEGINNING": "AT_BEGINNING_LINE", "AT_END": "AT_END_LINE"}.get(kind, kind)
        if kind in ("AT_BOUNDARY", "AT_NON_BOUNDARY"):
            prefix = "" if flags & _UNICODE else "ascii "
            word = self.alphabet.cut(charset([], [prefix + "word"], False, Folding(False, True)))
            return At("word" if kind == "AT_BOUNDARY" else "no word", word)
        return At(_PLACES[kind])

    def failure(self, op: str, av: Any, flags: int) -> Node:
        return Char(CharSet(0))


_READERS: Final[dict[str, Callable[[Reader, str, Any, int], Node]]] = {
    "LITERAL": Reader.literal, "NOT_LITERAL": Reader.literal, "ANY": Reader.any, "IN": Reader.in_,
    "CATEGORY": Reader.category, "MAX_REPEAT": Reader.repeat, "MIN_REPEAT": Reader.repeat,
    "POSSESSIVE_REPEAT": Reader.repeat, "SUBPATTERN": Reader.group, "BRANCH": Reader.branch, "ASSERT": Reader.look,
    "ASSERT_NOT": Reader.look, "ATOMIC_GROUP": Reader.atomic, "GROUPREF": Reader.same, "AT": Reader.at,
    "GROUPREF_EXISTS": Reader.condition, "FAILURE": Reader.failure,
}  # fmt: skip
_PLACES: Final = {
    "AT_BEGINNING": "start", "AT_BEGINNING_STRING": "start", "AT_BEGINNING_LINE": "line start", "AT_END": "end",
    "AT_END_LINE": "line end", "AT_END_STRING": "very end",
}  # fmt: skip
#: Whether `\B` matches in an empty text: from 3.14 on (What's New in Python 3.14, re).
EMPTY_HAS_NO_BOUNDARY: Final = sys.version_info >= (3, 14)


def _class(category: str, flags: int) -> str:
    name = category.removeprefix("CATEGORY_").lower()
    wanted = "!" + name.removeprefix("not_") if name.startswith("not_") else name
    return wanted if flags & _UNICODE else "ascii " + wanted


class Pattern:
    """What a pattern is, whatever the text: its text, flags, groups, and their names."""

    def __init__(self, text: str | bytes, flags: int) -> None:
        parsed = _parser.parse(text, flags)
        self._tree: Final = parsed
        self.text: Final = text
        self.flags: Final[int] = parsed.state.flags
        self.groups: Final[int] = parsed.state.groups - 1
        self.names: Final[dict[str, int]] = dict(parsed.state.groupdict)

    def number(self, key: int | str) -> int | None:
        """Of a group by number or name; None where there is none."""
        if isinstance(key, str):
            return self.names.get(key)
        return key if 0 <= key <= self.groups else None

    @property
    def alphabets(self) -> tuple[Alphabet, ...]:
        """Those that its texts can be of."""
        return (BYTES,) if isinstance(self.text, bytes) else (NARROW, WIDE)

    def check(self) -> None:
        """NotNativeError where there is no tree for some text."""
        for each in self.alphabets:
            self.nodes(each)

    def nodes(self, alphabet: Alphabet) -> Node:
        """Its tree for an alphabet. NotNativeError."""
        return Reader(alphabet).sequence(self._tree, self.flags)
