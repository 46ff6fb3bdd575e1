"""What came of a header: the module's text, and what it holds and leaves out, counted by kind and reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from jitffi.bind.read.constants import Leftover
from jitffi.bind.read.declared import DeclaredFunction, Refused
from jitffi.signature.structs import Struct

#: Reasons, and how the summary counts them.
_CLASSES = (
    ("variadic", "variadic"),
    ("va_list", "va_list"),
    ("_Complex", "complex numbers"),
    ("C++ linkage", "with C++ linkage"),
    ("is inline", "inline"),
    ("no references", "with references"),
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


_KINDS = ("function", "variable", "struct", "union", "type", "constant", "macro")
_SHOWN = 6

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
    constants: tuple[str, ...]  # members of enums among them
    structs: tuple[Struct, ...]
    enums: tuple[str, ...]
    variables: tuple[str, ...]
    refused: tuple[Refused, ...]
    macros: tuple[str, ...]  # those that are calls
    leftovers: tuple[Leftover, ...]
    counted: str  # how many of each kind are bound

    @property
    def reasons(self) -> dict[str, int]:
        """How many functions were refused, by class of reason; the most first."""
        return reasons(self.refused)

    @property
    def summary(self) -> str:
        """One line: how many of each kind are bound, and how many are left out."""
        kinds = Counter(each.kind for each in self.refused)
        kinds["macro"] = len(self.leftovers)
        left = ", ".join([_counted(kinds[kind], kind) for kind in _KINDS if kinds[kind]])
        return f"bound {self.counted}" + (f"; left out {left}" if left else "")

    @property
    def left_out(self) -> tuple[str, ...]:
        """A line for each kind and reason: which are left out; the first of them where there are many."""
        found: dict[tuple[str, str], list[str]] = {}
        for each in self.refused:
            found.setdefault((each.kind, _class(each.reason)), []).append(each.name)
        for macro in self.leftovers:
            reason = macro.reason.partition(":")[0]
            found.setdefault(("macro", _MACROS.get(reason, reason)), []).append(macro.name.partition("(")[0])
        ordered = sorted(found.items(), key=lambda row: _KINDS.index(row[0][0]))
        return tuple(f"{_counted(len(names), kind)} {reason}: {_some(names)}" for (kind, reason), names in ordered)

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
            "structs": [{"name": each.c_name, "key": each.key, "members": each.text()} for each in self.structs],
            "enums": list(self.enums),
            "variables": list(self.variables),
            "macro_calls": list(self.macros),
            "macros": [{"name": m.name, "reason": m.reason, "text": m.text} for m in self.leftovers],
        }


def reasons(refused: Iterable[Refused]) -> dict[str, int]:
    """How many functions were refused, by class of reason; the most first."""
    return dict(Counter(_class(each.reason) for each in refused if each.kind == "function").most_common())


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _class(reason: str) -> str:
    return next((name for part, name in _CLASSES if part in reason), "for other reasons")


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
