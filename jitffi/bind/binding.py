"""From a header and a library to the text of a Python module: the steps in their order, and what came of it."""

from __future__ import annotations

import os
import re
import shlex
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from jitffi.bind import symbols
from jitffi.bind.comments import Comments
from jitffi.bind.constants import Leftover, constants
from jitffi.bind.declarations import Declared, DeclaredFunction, Refused, declarations
from jitffi.bind.errors import HeaderError
from jitffi.bind.files import chosen_files, text_of, write
from jitffi.bind.groups import documented, groups
from jitffi.bind.names import module_names
from jitffi.bind.preprocess import preprocess
from jitffi.bind.tokens import without_comments
from jitffi.bind.units import read
from jitffi.bind.writer import Content, module_text

_GUARD = re.compile(r"\s*#\s*ifndef\s+(\w+)\s+#\s*define\s+\1\b")

#: Reasons, and how the summary counts them.
_CLASSES = (
    ("variadic", "variadic"),
    ("va_list", "va_list"),
    ("_Complex", "complex numbers"),
    ("long double", "long double"),
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
        counted = Counter(_class(each.reason) for each in self.refused if each.kind == "function")
        return dict(counted.most_common())

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


def bind(
    header: str | os.PathLike[str], library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    keep_callbacks: Sequence[str] = (), brief: bool = False, use_compiler: bool = True,
) -> Binding:  # fmt: skip
    """What `bind_header` says."""
    name = os.fspath(header)
    found = preprocess(name, include_dirs, defines, use_compiler)
    sheet = read(found.text)
    texts = {path: text_of(path) for path in chosen_files(sheet, name, also)}
    declared = declarations(sheet, texts)
    guards = {guard[1] for text in texts.values() if (guard := _GUARD.match(without_comments(text)))}
    macros = {each: macro for each, macro in sheet.macros.items() if each not in guards}
    defined = constants(macros, texts, declared)
    soname = symbols.library_name(library)
    if check:
        soname = _check(declared, soname)
    if not declared.functions:
        raise HeaderError(_nothing(name, declared))
    comments = {path: Comments(text) for path, text in texts.items()}
    functions = list(declared.functions.values())
    callbacks = [declared.callbacks[alias] for alias in dict.fromkeys(a for f in functions for a in f.aliases.values())]
    documents = documented(declared, {*declared.functions, *[each.name for each in callbacks]}, comments, brief)
    shown = groups(declared, defined, comments)
    aliases = {alias: name for alias, name in defined.aliases.items() if name in declared.functions}
    flags = [word for each in also for word in ("--also", each)]
    flags += [word for each in keep_callbacks for word in ("--keep-callbacks", each)]
    flags += ([] if check else ["--no-check"]) + (["--brief"] if brief else [])
    content = Content(
        header=os.path.basename(name),
        place=symbols.beside(soname, None if out is None else os.fspath(out)),
        command=_command(name, library, defines, flags),
        groups=shown,
        callbacks=[(each.name, each.type, documents.get(each.name, "")) for each in callbacks],
        functions=[(each, documents.get(each.name, "")) for each in functions],
        aliases=aliases,
        refused=list(declared.refused.values()),
        leftovers=defined.leftovers,
        keeping={each for each in declared.functions if any(fnmatchcase(each, pattern) for pattern in keep_callbacks)},
        names=module_names(
            [
                *declared.functions,
                *[line.name for group in shown for line in group.lines],
                *[each.name for each in callbacks],
                *aliases,
            ]
        ),
    )
    text = module_text(content)
    if out is not None:
        write(os.fspath(out), text)
    return Binding(
        text, content.header, soname, found.by, found.missing, tuple(functions),
        tuple(line.name for group in content.groups for line in group.lines), tuple(content.refused),
        tuple(content.leftovers),
    )  # fmt: skip


def _check(declared: Declared, soname: str) -> str:
    """Refuse the functions that the library has no symbol for. Return its name, as a path where only that finds it."""
    library = symbols.loaded(soname)
    for name, each in list(declared.functions.items()):
        if library._library.find(name) is None:
            del declared.functions[name]
            reason = f"{soname} has no symbol of that name"
            declared.refused[name] = Refused(name, reason, "function", each.prototype, each.file, each.line)
    return soname if "/" in soname or "/" not in (library._path or "") else f"./{soname}"


def _nothing(header: str, declared: Declared) -> str:
    refused = [each for each in declared.refused.values() if each.kind == "function"]
    if not refused:
        return f"{header}: declares no functions of its own; --also PATTERN adds headers that it includes"
    reasons = Counter(_class(each.reason) for each in refused)
    why = ", ".join(f"{count} {name}" for name, count in reasons.most_common())
    return f"{header}: nothing to bind: of {len(refused)} functions {why}"


def _kind(refused: Refused) -> str:
    """What the summary calls it."""
    found = re.match(r"a (struct|union):", refused.reason)
    return found[1] if found else refused.kind


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


def _class(reason: str) -> str:
    return next((name for part, name in _CLASSES if part in reason), "for other reasons")


def _command(header: str, library: str, defines: Sequence[str], flags: Sequence[str]) -> str:
    """The command that makes the module, without the places of this machine."""
    header = os.path.basename(header) if os.path.isfile(header) else header
    words = ["jitffi", "bind", header, "--library", os.path.basename(library) if os.path.isabs(library) else library]
    words += [word for each in defines for word in ("-D", each)] + list(flags)
    return shlex.join(words).replace("\\", "/").replace('"""', "'")
