"""What came of a header: the module's text, and what it holds and leaves out, counted by kind and reason."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jitffi.bind.constants import Leftover
from jitffi.bind.declarations import DeclaredFunction, Refused

#: Reasons, and how the summary counts them.
_CLASSES = (
    ("variadic", "variadic"),
    ("va_list", "va_list"),
    ("_Complex", "complex numbers"),
    ("by value", "structs by value"),
    ("_Float", "_Float128"),
    ("there is no type", "of types there are none for"),
    ("static", "static"),
    ("has no symbol", "not in the library"),
    ("another name", "renamed by asm"),
    ("attribute", "of another calling convention"),
    ("passed in another register", "of types there are none for"),
    ("not read", "not read"),
    ("declared twice", "declared twice"),
    ("unknown type", "of unknown types"),
)


#: The same of macros.
_MACROS = {"a macro with parameters": "with parameters", "not a constant": "without a constant value"}


@dataclass(frozen=True)
class Binding:
    """A module's text, and what it holds and leaves out."""

    text: str
    header: str
    library: str
    preprocessor: str  # "" where the header was read without one
    missing: tuple[str, ...]  # headers that were not found then
    functions: tuple[DeclaredFunction, ...]
    constants: tuple[str, ...]
    refused: tuple[Refused, ...]
    leftovers: tuple[Leftover, ...]

    @property
    def reasons(self) -> dict[str, int]:
        """How many functions were refused, by class of reason; the most first."""
        return reasons(self.refused)

    @property
    def summary(self) -> str:
        """One line: functions bound, refused, and why; what else is left out."""
        refused = sum(self.reasons.values())
        why = ", ".join(f"{count} {name}" for name, count in self.reasons.items())
        text = f"bound {len(self.functions)}, refused {refused}" + (f": {why}" if refused else "")
        kinds = Counter(_kind(each) for each in self.refused)
        left = [
            _counted(kinds[kind], kind) for kind in ("variable", "struct", "union", "type", "constant") if kinds[kind]
        ]
        if self.leftovers:
            reasons = Counter(each.reason.partition(":")[0] for each in self.leftovers)
            why = ", ".join(f"{count} {_MACROS.get(reason, reason)}" for reason, count in reasons.most_common())
            left.append(f"{_counted(len(self.leftovers), 'macro')}: {why}")
        return f"{text}; left out {', '.join(left)}" if left else text

    def as_dict(self) -> dict[str, Any]:
        """The table, for programs."""
        return {
            "header": self.header,
            "library": self.library,
            "preprocessor": self.preprocessor or None,
            "missing": list(self.missing),
            "bound": [{"name": f.name, "signature": str(f.sig), "prototype": f.prototype} for f in self.functions],
            "refused": [
                {"name": r.name, "kind": r.kind, "reason": r.reason, "prototype": r.text} for r in self.refused
            ],
            "constants": list(self.constants),
            "macros": [{"name": m.name, "reason": m.reason, "text": m.text} for m in self.leftovers],
        }


def reasons(refused: Iterable[Refused]) -> dict[str, int]:
    """How many functions were refused, by class of reason; the most first."""
    return dict(Counter(_class(each.reason) for each in refused if each.kind == "function").most_common())


def _kind(refused: Refused) -> str:
    """What the summary calls it."""
    found = re.match(r"a (struct|union):", refused.reason)
    return found[1] if found else refused.kind


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _class(reason: str) -> str:
    return next((name for part, name in _CLASSES if part in reason), "for other reasons")
