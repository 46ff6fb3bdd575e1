"""The documentation is true: sessions run, commands print what is shown, links lead somewhere, make targets exist."""

from __future__ import annotations

import doctest
import gc
import os
import re
import runpy
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
#: What tests are called by: c/abi.md is another page than abi.md.
NAMES = lambda path: str(path.relative_to(ROOT))  # noqa: E731
#: As the shortened texts in the blocks are meant: `...` stands for anything.
FLAGS = doctest.ELLIPSIS


def blocks(path: Path, language: str) -> list[tuple[int, str]]:
    """Return the fenced blocks of one language with the line that each begins in."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n") + 1, match.group(1)) for match in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_sessions(path, tmp_path, monkeypatch):
    """The blocks of one file are one session, in a working directory that it may leave."""
    monkeypatch.chdir(tmp_path)
    gc.collect()
    jitffi.collect_cycles()  # those of other pages, which one counts
    run_session(blocks(path, "pycon"), path, {})


def run_session(found: list[tuple[int, str]], path: Path, names: dict[str, object]) -> None:
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    shown: list[str] = []
    for line, block in found:
        test = doctest.DocTestParser().get_doctest(block, names, f"{path.name}:{line}", str(path), line - 1)
        test.globs = names  # get_doctest copies it
        runner.run(test, out=shown.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(shown)


COMMANDS = [
    pytest.param(command, id=f"{NAMES(path)}:{line}")
    for path in DOCUMENTS
    for line, block in blocks(path, "console")
    for command in re.findall(r"^\$ .*?(?=^\$ |\Z)", block, re.MULTILINE | re.DOTALL)
]


@pytest.mark.parametrize("command", COMMANDS)
def test_commands(command, tmp_path):
    """A command that begins with `jitffi` prints what stands below it, on either stream."""
    first, _, expected = command.removeprefix("$ ").partition("\n")
    program, *arguments = shlex.split(first)
    assert program == "jitffi", "what is no command of ours belongs in a block of `sh`"
    path = os.pathsep.join(filter(None, [str(Path(jitffi.__file__).parent.parent), os.environ.get("PYTHONPATH")]))
    done = subprocess.run(
        [sys.executable, "-m", "jitffi", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
    )  # fmt: skip
    assert doctest.OutputChecker().check_output(expected, done.stdout, FLAGS), done.stdout


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_c_compiles(path, build_library):
    for _, block in blocks(path, "c"):
        build_library(f"#include <jitffi/runtime.h>\n{block}", runtime=True)


def test_every_document_has_something_to_run():
    assert blocks(ROOT / "README.md", "pycon") and COMMANDS


def anchors(text: str) -> set[str]:
    """The headings' names, as the site and a checkout's viewer make them."""
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        assert not re.match(r"\w+:", file), f"{target}: a page elsewhere may go away"
        where = (path.parent / file) if file else path
        assert where.exists(), target
        if anchor:
            assert anchor in anchors(where.read_text(encoding="utf-8")), target


PEERS = ("ctypes", "cffi", "tvm_ffi", "numba", "matx")


def test_sessions_with_tvm_ffi():
    pytest.importorskip("tvm_ffi", exc_type=ImportError)
    path = ROOT / "docs" / "guide" / "tvm_ffi.md"
    run_session(blocks(path, "pycon tvm_ffi"), path, {})


@pytest.mark.parametrize("package", PEERS)
def test_what_others_do_is_what_the_page_shows(package, tmp_path):
    """The blocks of `pycon PACKAGE`, one session a package, after those of `python PACKAGE`, which are files."""
    pytest.importorskip(package, exc_type=ImportError)
    path = ROOT / "docs" / "coming_from.md"
    names: dict[str, object] = {}
    for line, block in blocks(path, f"python {package}"):
        (tmp_path / f"theirs_{line}.py").write_text(block, encoding="utf-8")
        names |= runpy.run_path(str(tmp_path / f"theirs_{line}.py"))
    run_session(blocks(path, f"pycon {package}"), path, names)


def test_blocks_of_others_name_a_package_that_is_tried():
    text = (ROOT / "docs" / "coming_from.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^```pycon (\w+)$", text, re.MULTILINE)) == set(PEERS)


def test_every_page_is_in_the_table_of_contents():
    folder = ROOT / "docs"
    listed = {"index.md"}
    for page in (folder / "index.md", folder / "reference" / "c" / "index.md"):
        for names in re.findall(
            r"^```\{toctree\}\n(.*?)^```$", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        ):
            here = str(page.parent.relative_to(folder)) + "/" if page.parent != folder else ""
            listed |= {f"{here}{name}.md" for name in re.findall(r"^([\w/]+)$", names, re.MULTILINE)}
    assert listed == {str(path.relative_to(folder)) for path in folder.rglob("*.md")}


def test_each_word_stands_in_the_glossary_once():
    text = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    words = re.findall(r"^(\S.*)\n  \S", text.partition("```{glossary}")[2], re.MULTILINE)
    assert len(words) > 50 and len({word.lower() for word in words}) == len(words)


@pytest.mark.parametrize("path", DOCUMENTS, ids=NAMES)
def test_make_targets_exist(path):
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"`make ([a-z0-9-]+)", path.read_text(encoding="utf-8")):
        assert target in targets, f"make {target}"


def test_every_variable_is_in_the_reference():
    text = (ROOT / "docs" / "reference" / "environment.md").read_text(encoding="utf-8")
    used = {
        name
        for path in ROOT.glob("jitffi/**/*.py")
        for name in re.findall(r"[\"'](JITFFI_[A-Z_]+)[\"']", path.read_text(encoding="utf-8"))
    }
    assert {name for name in used if name not in text} == set()
