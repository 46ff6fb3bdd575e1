"""The page of the guide about C++: each program prints what stands below it, each library is what its session says."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest
from support.builds import run
from support.cxx import compiled

import jitffi

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "guide" / "cplusplus.md").read_text(encoding="utf-8")
PROGRAMS = re.findall(r"^```cpp\n(.*?)^```\n+```text\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)
LIBRARIES = re.findall(r"^```cpp library\n(.*?)^```\n+```pycon library\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL)


def test_each_block_has_its_output():
    assert len(PROGRAMS) + len(LIBRARIES) == len(re.findall(r"^```cpp", TEXT, re.MULTILINE)) >= 4


@pytest.mark.parametrize(("source", "output"), PROGRAMS)
def test_a_program_of_the_guide(source, output, tmp_path):
    path = tmp_path / "program.cpp"
    path.write_text(source)
    assert run(compiled(path, tmp_path / "program")) == output


@pytest.mark.parametrize(("source", "session"), LIBRARIES)
def test_a_library_of_the_guide(source, session, tmp_path):
    path = tmp_path / "library.cpp"
    path.write_text(source)
    made = str(compiled(path, tmp_path / "library.so", "-shared", "-fPIC"))
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS, verbose=False)
    shown: list[str] = []
    test = doctest.DocTestParser().get_doctest(session, {"jitffi": jitffi, "path": made}, "cplusplus.md", None, 0)
    runner.run(test, out=shown.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(shown)
