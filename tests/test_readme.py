"""The README is true: its sessions run, its commands print what it shows, its links and make targets are there."""

from __future__ import annotations

import doctest
import os
import re
import shlex
import subprocess
import sys
import types
from pathlib import Path

import pytest

import jitffi

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
#: As the shortened texts in the blocks are meant: `...` stands for anything.
FLAGS = doctest.ELLIPSIS


def blocks(path: Path, language: str) -> list[tuple[int, str]]:
    """Return the fenced blocks of one language with the line that each begins in."""
    text = path.read_text(encoding="utf-8")
    found = re.finditer(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n") + 1, match.group(1)) for match in found]


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_sessions(path):
    """The blocks of one file are one session."""
    names: dict[str, object] = {}
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    shown: list[str] = []
    for line, block in blocks(path, "pycon"):
        test = doctest.DocTestParser().get_doctest(block, names, f"{path.name}:{line}", str(path), line - 1)
        test.globs = names  # get_doctest copies it
        runner.run(test, out=shown.append, clear_globs=False)
    assert runner.summarize(verbose=False).failed == 0, "".join(shown)


COMMANDS = [
    pytest.param(command, id=f"{path.name}:{line}")
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


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_c_compiles(path, build_library):
    for _, block in blocks(path, "c"):
        build_library(f"#include <jitffi/runtime.h>\n{block}", runtime=True)


def test_every_document_has_something_to_run():
    assert blocks(ROOT / "README.md", "pycon") and COMMANDS


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_links_lead_somewhere(path):
    text = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)]+)\)", text):
        file, _, anchor = target.partition("#")
        assert not re.match(r"\w+:", file), f"{target}: a page elsewhere may go away"
        where = (path.parent / file) if file else path
        assert where.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", where.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings], target


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_make_targets_exist(path):
    targets = re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    for target in re.findall(r"`make ([a-z0-9-]+)", path.read_text(encoding="utf-8")):
        assert target in targets, f"make {target}"


def test_places_named_in_the_layout_exist():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## Layout of the repository")[2].partition("\n## ")[0]
    for cell in re.findall(r"^\| (`[^|]*) \|", table, re.MULTILINE):
        places = re.findall(r"`([^`]+)`", cell)
        folder = places[0].rpartition("/")[0]
        for place in places:
            assert (ROOT / place).exists() or (ROOT / folder / place).exists(), place


def test_every_variable_is_in_the_readme():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    used = {
        name
        for path in ROOT.glob("jitffi/**/*.py")
        for name in re.findall(r"[\"'](JITFFI_[A-Z_]+)[\"']", path.read_text(encoding="utf-8"))
    }
    assert {name for name in used if name not in text} == set()


def public_docstrings():
    """The names of the package, and those of its classes; what is written in C has no place for examples."""
    for name, home in jitffi._HOME.items():
        found = getattr(jitffi, name)
        if home == "_core":
            continue
        yield pytest.param(found, id=name)
        for method, each in vars(found).items() if isinstance(found, type) else ():
            if not method.startswith("_") and not isinstance(each, types.MemberDescriptorType):
                yield pytest.param(each, id=f"{name}.{method}")


@pytest.mark.parametrize("found", list(public_docstrings()))
def test_every_public_docstring_has_an_example(found):
    assert ">>> " in (found.__doc__ or "")
