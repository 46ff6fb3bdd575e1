"""Headers as a sheet, by their language: C, or C++ by suffix, by what the text is, or because the caller says so."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from jitffi.bind.cxx.clang import Clang, compiler, needed_compiler
from jitffi.bind.cxx.sheet import read_cxx
from jitffi.bind.source.errors import HeaderError
from jitffi.bind.source.files import chosen_files
from jitffi.bind.source.preprocess import preprocess
from jitffi.bind.source.units import Sheet, read

_SUFFIXES = (".hpp", ".hh", ".hxx", ".h++")
#: How declarations begin that are no C.
_CXX = re.compile(r'extern\s*"C|(?:inline\s+)?namespace\b[^;(]*\{|template\s*<|class\s+\w+[^;(]*\{|using\s+[\w:]+')
#: What a C compiler complains of where a header includes one of C++'s, which have no suffix.
_CXX_INCLUDED = re.compile(r": '?\w+'?(?: file not found|: No such file)")


@dataclass(frozen=True)
class ReadHeaders:
    """The sheet, what read the text ("" for ourselves), and the headers left out because they are nowhere."""

    sheet: Sheet
    by: str
    missing: tuple[str, ...] = ()


def read_headers(
    headers: Sequence[str], include_dirs: Sequence[str], defines: Sequence[str], also: Sequence[str],
    use_compiler: bool, cxx: bool,
) -> ReadHeaders:  # fmt: skip
    """Read headers as C, or as C++ where they are. HeaderNotFound, or HeaderError with the compiler's complaint."""

    def by_clang(command: Sequence[str]) -> ReadHeaders:
        clang = Clang(command, headers, include_dirs, defines)
        return ReadHeaders(read_cxx(clang, headers, also), os.path.basename(command[0]))

    if cxx or any(header.endswith(_SUFFIXES) for header in headers):
        if not use_compiler:
            raise HeaderError(f"{', '.join(headers)}: C++ is read by clang++ only")
        return by_clang(needed_compiler(headers))
    clang = compiler() if use_compiler else None
    try:
        found = preprocess(headers, include_dirs, defines, use_compiler)
    except HeaderError as error:
        if clang is None or not _CXX_INCLUDED.search(str(error)):
            raise
        return by_clang(clang)
    sheet = read(found.text)
    if clang is not None and _is_cxx(sheet, chosen_files(sheet, headers, also)):
        return by_clang(clang)
    return ReadHeaders(sheet, found.by, found.missing)


def _is_cxx(sheet: Sheet, chosen: Collection[str]) -> bool:
    return any(unit.file in chosen and _CXX.match(unit.text) for unit in sheet.units)
