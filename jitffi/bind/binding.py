"""From a header and a library to the text of a Python module: the steps in their order, and what came of it."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from jitffi.api.declarations import prefix_of
from jitffi.base.outputs import Outputs
from jitffi.bind import symbols
from jitffi.bind.cxx.language import ReadHeaders, read_headers
from jitffi.bind.read.comments import Comments
from jitffi.bind.read.constants import constants
from jitffi.bind.read.declarations import declarations
from jitffi.bind.read.declared import Declared, Refused
from jitffi.bind.read.macro_calls import macro_calls
from jitffi.bind.read.names import module_names
from jitffi.bind.side import side_file
from jitffi.bind.side.refine import refine
from jitffi.bind.side.side_file import SideFile
from jitffi.bind.side.suggest import guesses, side_text
from jitffi.bind.source.errors import HeaderError, HeaderNotFound
from jitffi.bind.source.files import Headers, chosen_files, names_of, text_of
from jitffi.bind.source.macros import Macro
from jitffi.bind.source.tokens import without_comments
from jitffi.bind.write.function_text import Written
from jitffi.bind.write.groups import documented, enum_classes, groups, struct_classes
from jitffi.bind.write.summary import Binding, reasons
from jitffi.bind.write.writer import Content, module_text

_GUARD = re.compile(r"\s*#\s*ifndef\s+(\w+)\s+#\s*define\s+\1\b")

_TITLED = 3  # headers of a module that its first line names


@dataclass
class Header:
    """A header, or several, that have been read, with what the library has of them."""

    names: tuple[str, ...]
    found: ReadHeaders
    texts: dict[str, str]  # of the files that count, by path
    declared: Declared
    soname: str

    @property
    def title(self) -> str:
        """The headers as one names them."""
        shown = ", ".join([os.path.basename(name) for name in self.names[:_TITLED]])
        return shown + (f" and {len(self.names) - _TITLED} more" if len(self.names) > _TITLED else "")

    @property
    def comments(self) -> dict[str, Comments]:
        return {path: Comments(text) for path, text in self.texts.items()}


def read_header(
    header: Headers, library: str, include_dirs: Sequence[str], defines: Sequence[str],
    also: Sequence[str], check: bool, use_compiler: bool, prefix: str | None = None, cxx: bool = False,
) -> Header:  # fmt: skip
    """Read what the header declares. HeaderNotFound, HeaderError, or OSError for the library."""
    if prefix is not None and not (prefix.isascii() and prefix.isidentifier()):
        raise HeaderError(f"{prefix!r} is no prefix of the keys of structs: it is a name of C's")
    names = names_of(header)
    if not names:
        raise HeaderNotFound("no header is named")
    found = read_headers(names, include_dirs, defines, also, use_compiler, cxx)
    texts = {path: text_of(path) for path in chosen_files(found.sheet, names, also)}
    soname = symbols.library_name(library)
    declared = declarations(found.sheet, texts, prefix or prefix_of(soname))
    if check:
        soname = _check(declared, soname)
    return Header(names, found, texts, declared, soname)


def bind(
    header: Headers, library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    keep_callbacks: Sequence[str] = (), brief: bool = False, use_compiler: bool = True,
    side: str | os.PathLike[str] | None = None, prefix: str | None = None, cxx: bool = False,
) -> Binding:  # fmt: skip
    """What `bind_header` says."""
    said = None if side is None else side_file.load(side)
    given = read_header(header, library, include_dirs, defines, also, check, use_compiler, prefix, cxx)
    said = said or _beside(given)
    flags = [word for each in also for word in ("--also", each)]
    flags += [word for each in keep_callbacks for word in ("--keep-callbacks", each)]
    flags += ["--cxx"] if cxx else []
    flags += ([] if check else ["--no-check"]) + (["--brief"] if brief else [])
    flags += [] if side is None else ["--side", os.path.basename(side)]
    flags += [] if prefix is None else ["--prefix", prefix]
    content = _content(given, said, keep_callbacks, brief)
    content.command = _command(given.names, library, defines, flags)
    content.place = symbols.beside(given.soname, None if out is None else os.fspath(out))
    text = module_text(content)
    if out is not None:
        _write(os.fspath(out), text)
    return Binding(
        text, content.header, given.soname, given.found.by, given.found.missing,
        tuple(each.declared for each in content.functions),
        tuple(content.constants),
        tuple(each.struct for each in content.structs), tuple(each.name for each in content.enums),
        tuple(each.name for each in content.variables),
        tuple(content.refused), tuple(each.name for each in content.macros), tuple(content.leftovers), content.counted,
    )  # fmt: skip


def suggest(
    header: Headers, library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    use_compiler: bool = True, prefix: str | None = None, cxx: bool = False,
) -> str:  # fmt: skip
    """What `suggest_side` says."""
    given = read_header(header, library, include_dirs, defines, also, check, use_compiler, prefix, cxx)
    functions = given.declared.functions
    if not functions:
        raise HeaderError(_nothing(given.title, given.declared))
    documents = documented(given.declared, functions, given.comments, brief=False)
    text = side_text(given.title, guesses(given.declared, documents))
    if out is not None:
        _write(os.fspath(out), text)
    return text


def _beside(given: Header) -> SideFile:
    """The side file that lies beside the first header and has its name; else one that says nothing."""
    path = os.path.splitext(next(iter(given.texts), ""))[0] + ".toml"
    return side_file.load(path) if os.path.isfile(path) else SideFile()


def _content(given: Header, side: SideFile, keep_callbacks: Sequence[str], brief: bool) -> Content:
    """What the module says, but for where it is."""
    declared, comments = given.declared, given.comments
    macros = _macros(given)
    defined = constants(macros, given.texts, declared)
    named = [*declared.functions, *declared.refused, *[each.name for each in defined.constants], *declared.callbacks]
    named += (
        [name for enum in declared.enums for name, _ in enum.members]
        + list(defined.aliases)
        + [*declared.scope, *declared.variables]
    )
    named += [enum.name for enum in declared.enums] + [each.name for each in macros.values() if each.params is not None]
    side.check([*declared.functions, *[r.name for r in declared.refused.values() if r.kind == "function"]], named)
    refine(declared, side)
    variables = [each for each in declared.variables.values() if not side.leaves_out(each.name)]
    functions = list(declared.functions.values())
    callbacks = [declared.callbacks[alias] for alias in dict.fromkeys(a for f in functions for a in f.aliases.values())]
    documents = documented(declared, {*declared.functions, *[each.name for each in callbacks]}, comments, brief)
    aliases = {alias: name for alias, name in defined.aliases.items() if name in declared.functions}
    aliases = {alias: name for alias, name in aliases.items() if not side.leaves_out(alias)}
    written = []
    for each in functions:
        of = side.of(each.name)
        keeps = of.keep_callbacks
        if keeps is None:
            keeps = any(fnmatchcase(each.name, pattern) for pattern in keep_callbacks)
        doc = documents.get(each.name, "") if of.doc is None else of.doc
        written.append(Written(each, doc, keeps, bool(of.errno), bool(of.nogil)))
    content = Content(
        header=given.title,
        place=given.soname,
        command="",
        groups=groups(declared, defined, comments, side.leaves_out),
        enums=enum_classes(declared, comments, side.leaves_out),
        structs=struct_classes(declared, comments, side.leaves_out),
        callbacks=[(each.name, each.type, documents.get(each.name, "")) for each in callbacks],
        functions=written,
        variables=variables,
        aliases=aliases,
        refused=list(declared.refused.values()),
        leftovers=defined.leftovers,
    )
    calls = macro_calls(macros, given.texts, declared, defined, set(content.named))
    content.macros = [each for each in calls if not side.leaves_out(each.name)]
    if not (functions or variables or content.enums or content.structs or list(content.constants)):
        raise HeaderError(_nothing(given.title, declared))
    likes = {struct.struct.key: struct.struct.key.partition(".")[2].replace(".", "_") for struct in content.structs}
    wanted = {declared.scope[name].text if name in declared.scope else name: as_ for name, as_ in side.names.items()}
    content.names = module_names(content.named, wanted, likes)
    return content


def _macros(given: Header) -> dict[str, Macro]:
    """Those of the headers but for what guards against their being included twice."""
    guards = {guard[1] for text in given.texts.values() if (guard := _GUARD.match(without_comments(text)))}
    return {each: macro for each, macro in given.found.sheet.macros.items() if each not in guards}


def _check(declared: Declared, soname: str) -> str:
    """Refuse what the library has no symbol for. Return its name, as a path where only that finds it."""
    library = symbols.loaded(soname)
    for name, each in list(declared.functions.items()):
        if library._library.find(each.symbol) is None:
            del declared.functions[name]
            reason = f"{soname} has no symbol of that name"
            declared.refused[name] = Refused(name, reason, "function", each.prototype, each.file, each.line)
    for name, variable in list(declared.variables.items()):
        if library._library.find(name) is None:
            del declared.variables[name]
            reason = f"{soname} has no symbol of that name"
            declared.refused[name] = Refused(name, reason, "variable", variable.prototype, variable.file, variable.line)
    return soname if "/" in soname or "/" not in (library._path or "") else f"./{soname}"


def _nothing(header: str, declared: Declared) -> str:
    refused = [each for each in declared.refused.values() if each.kind == "function"]
    if not refused:
        return f"{header}: declares nothing of its own; --also PATTERN adds headers that it includes"
    why = ", ".join(f"{count} {name}" for name, count in reasons(refused).items())
    return f"{header}: nothing to bind: of {len(refused)} functions {why}"


def _command(headers: Sequence[str], library: str, defines: Sequence[str], flags: Sequence[str]) -> str:
    """The command that makes the module, without the places of this machine."""
    shown = [os.path.basename(header) if os.path.isfile(header) else header for header in headers]
    words = ["jitffi", "bind", *shown, "--library", os.path.basename(library) if os.path.isabs(library) else library]
    words += [word for each in defines for word in ("-D", each)] + list(flags)
    return shlex.join(words).replace("\\", "/").replace('"""', "'")


def _write(path: str, text: str) -> None:
    """Write a file whole or not at all. OSError, which names it."""
    try:
        with Outputs() as outputs:
            outputs.add(Path(path)).write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise type(error)(error.errno, error.strerror, path) from None
