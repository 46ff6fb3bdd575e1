"""docs/bind.md: how much of well-known headers `jitffi bind` binds, counted with the libraries of this machine.

`make bind-table` writes the page. Functions are counted against the dynamic symbols of the library's file, and all else
against what the headers declare.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import jitffi
from jitffi.bind.source.errors import HeaderNotFound
from jitffi.bind.symbols import LibraryError
from jitffi.bind.write.summary import Binding
from jitffi.link.objects import DYNSYM, Elf

PAGE = Path(__file__).resolve().parents[1] / "bind.md"
_KINDS = ("struct", "enum", "variable", "constant")
#: Types that have none here, whose functions are named, but not counted.
_APART = re.compile(r"va_list|_Float128")
_SHOWN = 12  # names of what no library exports
_FUNCTION_TYPES = (2, 10)  # STT_FUNC, and STT_GNU_IFUNC, which is resolved when it is loaded

ABOUT = """# What is bound of well-known headers

Made by `make bind-table`, which binds the headers that this machine has: {machine}.

Functions are those that the library exports (its dynamic symbols), that the headers declare, and that take neither
`_Float128` nor `va_list`; beside them stands how many are bound. Structs (unions among them), enums, variables and
constants, which are macros with a value and members of enums, are those that the headers declare; all are bound where
one number stands. How a header is bound, which of the headers that it includes count, and what becomes of what:
[Modules from C headers](guide/headers.md).

Below the table, what is not bound stands by name with the reason; macros with parameters and macros that stand for code
are named by the modules.
"""


@dataclass(frozen=True)
class Header:
    """A header, or those of a library that has none for all, and how they are bound."""

    title: str
    library: str
    names: tuple[str, ...]
    package: str = ""  # as pkg-config calls it; "" for the C library's
    folder: str = ""  # that they lie in, where the compiler does not look

    @property
    def found(self) -> list[str]:
        """The names, with those that patterns among them stand for."""
        folder = Path(self.folder or "/usr/include")
        patterns = [each for each in self.names if "*" in each]
        expanded = sorted(str(path.relative_to(folder)) for each in patterns for path in folder.glob(each))
        return [each for each in self.names if each not in patterns] + expanded


def _c(name: str, library: str = "libc.so.6") -> Header:
    return Header(name, library, (name,))


HEADERS = (
    Header("zlib.h", "z", ("zlib.h",), "zlib"),
    Header("sqlite3.h", "sqlite3", ("sqlite3.h",), "sqlite3"),
    _c("math.h", "libm.so.6"),
    Header("expat.h", "expat", ("expat.h",), "expat"),
    Header("cblas.h", "openblas", ("cblas.h",), "openblas"),
    Header("png.h", "png16", ("png.h",), "libpng"),
    Header("curl/curl.h", "curl", ("curl/curl.h",), "libcurl"),
    Header("zstd.h, zdict.h", "zstd", ("zstd.h", "zdict.h"), "libzstd"),
    Header("lz4.h, lz4hc.h, lz4frame.h", "lz4", ("lz4.h", "lz4hc.h", "lz4frame.h"), "liblz4"),
    Header("git2.h", "git2", ("git2.h",), "libgit2"),
    Header("libxml/*.h", "xml2", ("libxml/*.h",), "libxml-2.0", "/usr/include/libxml2"),
    Header("SDL2/SDL.h", "SDL2-2.0", ("SDL2/SDL.h",), "sdl2"),
    Header("openssl/evp.h", "crypto", ("openssl/evp.h",), "libcrypto"),
    *map(_c, ("string.h", "stdlib.h", "time.h", "stdio.h", "sys/stat.h", "dirent.h")),
)


@dataclass(frozen=True)
class Coverage:
    """What came of a header. *kinds*: how many are bound of how many, by kind."""

    header: Header
    version: str
    made: Binding
    exported: tuple[str, ...]  # functions of the table's column
    lacking: dict[str, str]  # reasons, by the names of exported functions that are not bound
    apart: dict[str, str]  # the same of those that are not counted
    absent: dict[str, str]  # the same of functions that the library does not export
    kinds: dict[str, tuple[int, int]]

    @property
    def bound(self) -> int:
        return len(self.exported) - len(self.lacking)

    @property
    def share(self) -> float:
        return self.bound / len(self.exported) if self.exported else 1.0


def bound(header: Header, out: Path | None = None) -> Coverage | None:
    """Bind a header, and count; None where the machine does not have it. *out*: where the module goes."""
    try:
        names = header.found
        made = jitffi.bind_header(names, header.library, out, include_dirs=[header.folder] if header.folder else [])
        exports = exported_functions(made.library)
    except (HeaderNotFound, LibraryError):
        return None
    declared = {each.name: "" for each in made.functions if each.symbol in exports}
    refused = [each for each in made.refused if each.kind == "function"]
    left = {each.name: each.reason for each in refused if each.name in exports}
    apart = {name: reason for name, reason in left.items() if _APART.search(reason)}
    lacking = {name: reason for name, reason in left.items() if name not in apart}
    absent = {each.name: each.reason for each in refused if each.name not in exports}
    exported = (*declared, *lacking)
    return Coverage(header, version(header), made, exported, lacking, apart, absent, _kinds(made))


def _kinds(made: Binding) -> dict[str, tuple[int, int]]:
    has = Counter(struct=len(made.structs), enum=len(made.enums), variable=len(made.variables))
    has["constant"] = len(made.constants)
    lacks = Counter({"union": "struct", "type": "struct"}.get(each.kind, each.kind) for each in made.refused)
    # A macro of which more is said than that it is no constant is one whose value is not known here.
    lacks["constant"] += len([each for each in made.leftovers if each.reason.startswith("not a constant: ")])
    return {kind: (has[kind], has[kind] + lacks[kind]) for kind in _KINDS}


def exported_functions(library: str) -> set[str]:
    """The functions that a library's file defines for others."""
    loaded = jitffi.load_library(library)
    data = file_of(library).read_bytes()
    del loaded
    symbols = Elf(data).symbols(DYNSYM)
    return {
        each.name for each in symbols if each.section and each.type in _FUNCTION_TYPES and each.visibility in (0, 3)
    }


def file_of(library: str) -> Path:
    """The file of a library that this process has loaded. LibraryError where there is none."""
    if "/" in library:
        return Path(library)
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = Path(line.partition("/")[2] and "/" + line.partition("/")[2])
        if path.name == library or (path.name.startswith(library.partition(".so")[0]) and _same(path, library)):
            return path
    raise LibraryError(f"{library}: no file of that name is loaded")


def _same(path: Path, library: str) -> bool:
    """Whether the name of the library leads to that file."""
    beside = path.with_name(library)
    return beside.exists() and beside.samefile(path)


def version(header: Header) -> str:
    """The library's version, where somebody tells it."""
    if not header.package:
        return str(os.confstr("CS_GNU_LIBC_VERSION"))
    if shutil.which("pkg-config") is None:
        return ""
    asked = subprocess.run(["pkg-config", "--modversion", header.package], capture_output=True, text=True)
    return asked.stdout.strip()


# -- the page --------------------------------------------------------------------------------------------------------


def markdown(rows: Iterable[Coverage]) -> str:
    rows = list(rows)
    parts = [ABOUT.format(machine=_machine()), "\n".join(_table(rows))]
    for row in rows:
        lines = list(_left_out(row))
        if lines:
            parts.append(f"## {row.header.title}\n\n" + "\n".join(lines))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(rows: list[Coverage]) -> Iterator[str]:
    yield "| headers | library | functions | bound | % | structs | enums | variables | constants |"
    yield "|---|---|---:|---:|---:|---:|---:|---:|---:|"
    for row in rows:
        kinds = [_of(*row.kinds[kind]) for kind in _KINDS]
        share = f"{100 * row.share:.4g}"
        title = ", ".join(f"`{name}`" for name in row.header.title.split(", "))
        cells = [title, f"{row.header.library} {row.version}".strip(), str(len(row.exported))]
        yield "| " + " | ".join([*cells, str(row.bound), share, *kinds]) + " |"


def _of(has: int, whole: int) -> str:
    return (str(has) if has else "") if has == whole else f"{has} of {whole}"


def _left_out(row: Coverage) -> Iterator[str]:
    """A line for each reason: what is not bound."""
    for title, found in (("not bound", row.lacking), ("not counted", row.apart)):
        for reason, names in _by_reason(found).items():
            yield f"- {title}, {reason}: {', '.join(f'`{name}`' for name in names)}"
    for reason, names in _by_reason(row.absent).items():
        shown = ", ".join(f"`{name}`" for name in names[:_SHOWN])
        more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
        why = "" if "no symbol" in reason else f", {reason}"
        yield f"- {len(names)} not exported{why}: {shown}{more}"
    for each in row.made.refused:
        if each.kind != "function":
            yield f"- {each.kind} `{each.name}`: {each.reason}"
    for macro in row.made.leftovers:
        if macro.reason.startswith("not a constant: "):
            yield f"- constant `{macro.name}`: {macro.reason.partition(': ')[2]}"


def _by_reason(found: dict[str, str]) -> dict[str, list[str]]:
    by: dict[str, list[str]] = {}
    for name, reason in found.items():
        by.setdefault(_plain(reason), []).append(name)
    return by


def _plain(reason: str) -> str:
    """A reason without what differs between functions."""
    if "static" in reason:
        return "code of the headers"
    apart = _APART.search(reason)
    return f"`{apart[0]}`" if apart else reason.partition(":")[0]


def _machine() -> str:
    names = dict(re.findall(r'^(\w+)="?(.*?)"?$', Path("/etc/os-release").read_text(), re.MULTILINE))
    return f"{names.get('PRETTY_NAME', 'Linux')}, {os.uname().machine}"


def main() -> None:
    rows = []
    for header in HEADERS:
        row = bound(header)
        print(f"{header.title}: {'not on this machine' if row is None else row.made.summary}", file=sys.stderr)
        rows += [row] if row is not None else []
    PAGE.write_text(markdown(rows), encoding="utf-8")


if __name__ == "__main__":
    main()
