"""A C project outside the repository, built with cc and with CMake, run in an empty root directory."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import outside
import pytest

import jitffi

pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler called cc")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project's folder, and the package of this test to be found from there."""
    folder = tmp_path / "project"
    folder.mkdir()
    outside.write(folder)
    package = str(Path(jitffi.__file__).resolve().parents[1])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [package, os.environ.get("PYTHONPATH")])))
    return folder


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """An empty directory, to be a program's whole file system."""
    folder = tmp_path / "root"
    folder.mkdir()
    if reason := outside.why_not_enter(folder):
        pytest.skip(reason)
    return folder


@pytest.mark.parametrize("how", ["shared", "static", "alone"])
def test_built_with_cc(how: str, project: Path, root: Path) -> None:
    program = outside.build_with_cc(project, how)
    assert outside.run_without_python(program, root) == outside.SAYS
    files = sorted(path.name for path in root.rglob("*") if path.is_file())
    assert ("libjitffi_runtime.so" in files) == (how == "shared")
    assert how != "alone" or files == ["program"]


@pytest.mark.skipif(outside.tool("cmake") is None, reason="no cmake: pip install '.[test]' brings one")
def test_built_with_cmake(project: Path, root: Path) -> None:
    for program in outside.build_with_cmake(project):
        place = root / program.name
        place.mkdir()
        assert outside.run_without_python(program, place) == outside.SAYS


def test_an_extension_module(project: Path) -> None:
    assert outside.use_extension(project) == "5.0\n"
