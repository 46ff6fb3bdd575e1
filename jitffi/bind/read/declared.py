"""What a header declares, as records: functions, structs, enums, callbacks, and what is left out with the reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.bind.read.names import restored
from jitffi.bind.source.expression import size_of_words, type_of_name, type_of_words
from jitffi.bind.source.literals import Int
from jitffi.bind.source.tokens import is_name
from jitffi.bind.source.units import Unit
from jitffi.signature.cdecl import Reader
from jitffi.signature.csource import Source
from jitffi.signature.model import Signature, Type
from jitffi.signature.structs import Struct
from jitffi.signature.variables import Variable


@dataclass(frozen=True)
class DeclaredFunction:
    """A function that can be bound. *names*, one for each parameter, are Python's; *aliases* the typedefs of
    callbacks among the parameters, by position; *symbol* is the name that the library has for it; *enum* names the enum
    of the header that its result is, "" where it is none."""

    name: str
    sig: Signature
    names: tuple[str, ...]
    aliases: dict[int, str]
    prototype: str
    file: str
    line: int
    symbol: str
    enum: str = ""


@dataclass(frozen=True)
class DeclaredVariable:
    """A variable that can be bound. *enum* names the enum that it is of, "": none."""

    name: str
    type: Variable
    prototype: str
    file: str
    line: int
    enum: str = ""


@dataclass(frozen=True)
class Refused:
    """What is declared and not bound. *kind* is "function", "variable", "struct", "union", "type" or "constant"."""

    name: str
    reason: str
    kind: str
    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Callback:
    """A typedef of a function or of a pointer to one, that functions take."""

    name: str
    type: Type
    file: str
    line: int


@dataclass(frozen=True)
class Enum:
    """An enum's members. *name* is its typedef's or its tag, "" where it has neither; *c_name* is how C spells it."""

    name: str
    c_name: str
    members: tuple[tuple[str, int], ...]
    file: str
    line: int


@dataclass(frozen=True)
class DeclaredStruct:
    """A struct or union with the place of its definition; "" and 0 of one inside another."""

    struct: Struct
    file: str = ""
    line: int = 0


@dataclass
class Declared:
    """All that the chosen files declare, in their order."""

    functions: dict[str, DeclaredFunction] = field(default_factory=dict)
    variables: dict[str, DeclaredVariable] = field(default_factory=dict)
    refused: dict[str, Refused] = field(default_factory=dict)
    enums: list[Enum] = field(default_factory=list)
    structs: list[DeclaredStruct] = field(default_factory=list)  # each behind what it holds
    scope: dict[str, Type] = field(default_factory=dict)  # structs by their names in C, and by their keys
    members: dict[str, Int] = field(default_factory=dict)  # of all enums, those of other files too
    callbacks: dict[str, Callback] = field(default_factory=dict)
    typedefs: dict[str, Unit] = field(default_factory=dict)  # where each is
    reader: Reader | None = None  # knows all typedefs

    def member(self, name: str) -> Int | None:
        """The value of an enum's member."""
        return self.members.get(name)

    def cast(self, words: list[str]) -> tuple[int, bool] | str | None:
        """What a cast to the type that *words* name makes: a type of the standard, or a typedef of the header."""
        found = type_of_words(words)
        if found is not None or self.reader is None:
            return found
        if not any(word in self.reader.typedefs for word in words):
            return None
        reader, node = self._parameter(words)
        try:
            sig = None if reader is None else reader.function(node)
        except SignatureError:
            return None
        if sig is None or len(sig.params) != 1:
            return None
        name = sig.params[0].type.name
        return "pointer" if name in ("ptr", "optional") else type_of_name(name)

    def size(self, words: list[str]) -> int | None:
        """The bytes of the type that *words* name: one of the standard, or of the header."""
        found = size_of_words(words)
        if found is not None or not words or not all(is_name(word) or word == "*" for word in words):
            return found
        reader, node = self._parameter(words)
        try:
            params = [] if reader is None else reader.strip(node.type)[0].args.params
            named = None if len(params) != 1 else getattr(params[0], "type", None)  # an unknown name has none
            return None if reader is None or named is None else reader.extent(named)[0]
        except SignatureError:
            return None

    def _parameter(self, words: list[str]) -> tuple[Reader | None, Any]:
        """What reads a function with one parameter of the type that *words* name, and the function."""
        try:
            reader = Reader(Source(f"void of({' '.join(words)});"), self.reader)
            return reader, reader.declared()[0][1]
        except SignatureError:
            return None, None


def refuse(name: str, reason: str, unit: Unit, text: str, found: Declared, kind: str = "function") -> None:
    """List what is declared and not bound."""
    reason = restored(reason.replace("__builtin_va_list", "va_list"))
    found.refused.setdefault(name, Refused(name, reason, kind, text, unit.file, unit.line))
