"""What a package index shows of the package: the description, and that what it says of versions is so."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGING = ROOT / "runtime_c" / "packaging"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def describe(readme: Path | None = None) -> str:
    """The description of the packages, or of those that had that README.md."""
    program = "import sys, jitffi_description as d, pathlib\nif sys.argv[1:]: d.README = pathlib.Path(sys.argv[1])\n"
    program += "made, = d.dynamic_metadata({}, {}).values()\nassert made['content-type'] == 'text/markdown'\n"
    program += "sys.stdout.reconfigure(encoding='utf-8')\nprint(made['text'], end='')"
    command = [sys.executable, "-B", "-S", "-c", program, *([str(readme)] if readme else [])]
    done = subprocess.run(
        command, env={**os.environ, "PYTHONPATH": str(PACKAGING)}, capture_output=True, encoding="utf-8", timeout=60
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_description_is_the_readme_without_links_to_nowhere():
    made, readme = describe(), (ROOT / "README.md").read_text(encoding="utf-8")
    assert not re.findall(r"\]\((?!https?://)[^)]*\)", made)
    assert made.count("\n") == readme.count("\n") and made.startswith(readme[:200]) and "docs/design.md" in made


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("see [figures](#figures)", "see figures"),
        ("see [docs/abi.md](docs/abi.md#slots).", "see docs/abi.md."),
        ("[`examples/`](examples) and [`docs/a.md`](docs/a.md)", "`examples/` and `docs/a.md`"),
        ("in [a\nfile](docs/aot.md#files)", "in a\nfile (docs/aot.md)"),
        ("no GIL ([why](docs/design.md#gil))", "no GIL (why: docs/design.md)"),
        ("[LLVM](https://llvm.org), [us](mailto:a@b.c)", "[LLVM](https://llvm.org), [us](mailto:a@b.c)"),
        ("`f[0](x)` and [g](#g)", "`f[0](x)` and g"),
        ("```py\nf[0](x)\n```\n[g](#g)\n```py\ng[1](y)\n```", "```py\nf[0](x)\n```\ng\n```py\ng[1](y)\n```"),
    ],
)
def test_a_link_becomes_its_text_and_the_file(tmp_path, written, shown):
    (tmp_path / "README.md").write_text(written)
    assert describe(tmp_path / "README.md") == shown


def test_versions_are_those_that_are_tested():
    tested = re.search(r"^VERSIONS := (.*)$", (ROOT / "Makefile").read_text(), re.M)[1].split()
    named = [name.rpartition(" ")[2] for name in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", name)]
    assert named == tested and PROJECT["requires-python"] == f">={tested[0]}"
