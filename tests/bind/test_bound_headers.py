"""What docs/bind.md says holds with the libraries that this machine has: their headers are bound, all but whole."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import jitffi
from jitffi.bind.binding import read_header

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import bound_headers  # noqa: E402

#: All but one, which includes those of the processor's instructions: seconds.
HEADERS = {header.title: header for header in bound_headers.HEADERS if header.title != "SDL2/SDL.h"}
PAGE = bound_headers.PAGE.read_text(encoding="utf-8")
#: Those of whose declarations clang's dump is small.
DUMPED = (
    "zlib.h", "sqlite3.h", "expat.h", "png.h", "zstd.h, zdict.h", "lz4.h, lz4hc.h, lz4frame.h", "stdlib.h", "time.h",
    "stdio.h", "sys/stat.h", "dirent.h",
)  # fmt: skip


@pytest.fixture(scope="module")
def modules(tmp_path_factory):
    """Where the modules go that the tests make."""
    return tmp_path_factory.mktemp("modules")


@pytest.mark.parametrize("title", HEADERS)
def test_a_well_known_header_is_bound(title, modules):
    row = bound_headers.bound(HEADERS[title], modules / f"m_{''.join(filter(str.isalnum, title))}.py")
    if row is None:
        pytest.skip(f"{title} or its library is not on this machine")
    assert row.exported and row.share >= 0.98, row.lacking
    assert all(has == whole for has, whole in row.kinds.values()), (row.kinds, row.made.left_out)


def test_the_modules_are_imported_together(modules):
    names = sorted(path.stem for path in modules.glob("*.py"))
    if not names:
        pytest.skip("no module was made")
    program = f"import {', '.join(names)}\nfor module in ({', '.join(names)},): assert module.__all__, module"
    path = os.pathsep.join([str(Path(jitffi.__file__).resolve().parents[1]), str(modules)])
    environment = {**os.environ, "PYTHONPATH": path}
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, env=environment)
    assert ran.returncode == 0, ran.stderr


@pytest.mark.skipif(shutil.which("clang") is None, reason="no clang")
@pytest.mark.parametrize("title", DUMPED)
def test_no_declaration_is_lost(title):
    """What clang finds declared is bound, or refused by name."""
    header = HEADERS[title]
    try:
        read = read_header(header.found, header.library, (), (), (), True, True)
    except (bound_headers.HeaderNotFound, bound_headers.LibraryError):
        pytest.skip(f"{title} or its library is not on this machine")
    source = "".join(f"#include <{name}>\n" for name in header.found)
    command = ["clang", "-fsyntax-only", "-Xclang", "-ast-dump=json", "-x", "c", "-"]
    tree = json.loads(subprocess.run(command, input=source, capture_output=True, text=True, timeout=120).stdout)
    declared = read.declared
    known = {*declared.functions, *declared.variables, *declared.refused, *[each.name for each in declared.enums]}
    known |= {name.split()[-1] for each in declared.structs for name in (each.struct.c_name, _of_key(each.struct.key))}
    known |= {name.split()[-1] for name in declared.refused}
    known |= {each.c_name.split()[-1] for each in declared.enums if each.c_name}
    known |= {name for each in declared.enums for name, _ in each.members}
    files = {os.path.realpath(path) for path in read.texts}
    lost = {name for name, file in _declarations(tree) if os.path.realpath(file) in files} - known
    assert not lost


def _of_key(key: str) -> str:
    return key.partition(".")[2]


def _declarations(tree: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names of what is declared, with its file, which the dump has only where it is another than before."""
    file = ""

    def place(node: dict[str, Any]) -> str:
        nonlocal file
        for inner in (node.get("spellingLoc"), node.get("expansionLoc")):
            if inner:
                place(inner)
        file = node.get("file", file)
        return file

    def walk(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
        here = place(node.get("loc", {}))
        place(node.get("range", {}).get("begin", {}))
        kind = node.get("kind", "")
        counts = (kind == "RecordDecl" and "completeDefinition" in node) or (kind == "EnumDecl" and "inner" in node)
        counts = counts or kind in ("EnumConstantDecl", "FunctionDecl") or (kind == "VarDecl" and id(node) in top)
        if counts and node.get("name") and node.get("storageClass") != "static" and not node.get("isImplicit"):
            yield node["name"], here
        place(node.get("range", {}).get("end", {}))
        for child in node.get("inner", ()):
            yield from walk(child)

    top = set(map(id, tree["inner"]))
    return walk(tree)


def test_the_page_has_a_row_for_each():
    for header in bound_headers.HEADERS:
        shown = ", ".join(f"`{name}`" for name in header.title.split(", "))
        assert f"| {shown} | " in PAGE, "make bind-table writes docs/bind.md"
