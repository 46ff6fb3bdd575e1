"""Random patterns of regular expressions, with flags, and texts that have a chance to match them."""

from __future__ import annotations

import re
from random import Random

CHARS = "aabbcdA1_- \n"
FOREIGN = "äß\u0130ſK一9"
SETS = (
    "[ab]",
    "[^a]",
    r"\w",
    r"\d",
    r"\s",
    r"\W",
    r"\S",
    ".",
    "[a-c]",
    "[A-Z]",
    r"[\w-]",
    "[^ab\n]",
    r"[^\W1]",
    "[ä-ü]",
)
TIMES = ("*", "+", "?", "*?", "+?", "??", "{2}", "{1,2}", "{2,}", "{0,2}?", "*+", "++", "?+", "{1,2}+")
PLACES = ("^", "$", r"\b", r"\B", r"\A", r"\Z")
FLAGS = (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.ASCII)


class Patterns:
    """One pattern after the other."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.groups = 0
        self.closed: list[int] = []

    def pattern(self) -> tuple[str, int]:
        """The text and the flags of one that `re` takes."""
        while True:
            self.groups, self.closed = 0, []
            text = self.choice(self.random.randint(1, 3))
            flags = sum(flag for flag in FLAGS if self.random.random() < 0.2)
            try:
                re.compile(text, flags)
            except re.error:
                continue
            return text, flags

    def choice(self, depth: int) -> str:
        count = self.random.choice((1, 1, 1, 2, 3))
        return "|".join(self.sequence(depth) for _ in range(count))

    def sequence(self, depth: int) -> str:
        return "".join(self.piece(depth) for _ in range(self.random.choice((0, 1, 1, 2, 2, 3))))

    def piece(self, depth: int) -> str:
        atom = self.atom(depth)
        if self.random.random() < 0.4 and atom not in PLACES:
            atom += self.random.choice(TIMES)
        return atom

    def atom(self, depth: int) -> str:
        kind = self.random.random()
        if kind < 0.35 or depth == 0:
            return re.escape(self.random.choice(CHARS if self.random.random() < 0.95 else FOREIGN))
        if kind < 0.55:
            return self.random.choice(SETS)
        if kind < 0.62:
            return self.random.choice(PLACES)
        if kind < 0.67 and self.closed:
            return f"(?:\\{self.random.choice(self.closed)})"
        if kind < 0.7 and self.closed:
            return f"(?({self.random.choice(self.closed)}){self.sequence(depth - 1)}|{self.sequence(depth - 1)})"
        return self.group(depth - 1)

    def group(self, depth: int) -> str:
        opening = self.random.choice(
            ("(", "(", "(", "(?:", "(?:", "(?=", "(?!", "(?<=", "(?<!", "(?>", "(?i:", "(?s-i:")
        )
        if opening != "(":
            return f"{opening}{self.choice(depth)})"
        self.groups += 1
        mine = self.groups
        inner = self.choice(depth)
        self.closed.append(mine)
        return f"({inner})"


def text(random: Random) -> str:
    """One of some characters, seldom of those that are not ASCII."""
    chars = CHARS + (FOREIGN if random.random() < 0.3 else "")
    return "".join(random.choice(chars) for _ in range(random.choice((0, 1, 2, 4, 6, 8, 12, 40))))
