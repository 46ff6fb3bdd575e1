"""The recipes of CONTRIBUTING.md: each names tests that show it; those without any elsewhere are followed here."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import jitffi
from jitffi import _core
from jitffi.runtime import entry_points

ROOT = Path(__file__).resolve().parents[2]


def recipes() -> dict[str, str]:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").partition("\n## Recipes\n")[2].partition("\n## ")[0]
    parts = re.split(r"^### (.*)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_each_recipe_is_shown_by_tests_that_are_there():
    found = recipes()
    assert len(found) == 5
    for name, text in found.items():
        shown = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", text.partition("Shown by ")[2])
        assert shown, name
        for path, test in shown:
            assert (ROOT / path).is_file() and f"def {test}" in (ROOT / path).read_text(encoding="utf-8"), (name, path)


def test_files_that_are_named_are_there():
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for path in re.findall(r"`((?:jitffi|runtime_c|tests|docs)/[\w/]+(?:\.\w+)?/?)`", text):
        assert (ROOT / path).exists(), path


#: Folders of tests that look at a whole machine, or for minutes.
SLOW = {"cli", "deploy", "fuzz", "packaging", "real", "remote", "typed"}


def test_the_fast_tests_have_some_of_each_part():
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", "")
    line = re.search(r"^FAST := (.*)$", makefile, re.MULTILINE)
    fast = set(re.findall(r"tests/(\w+)", line[1]))
    assert fast == {path.parent.name for path in (ROOT / "tests").glob("*/test_*.py")} - SLOW
    for prefix, names in re.findall(r"\$\(addprefix (\S+?),([^)]*)\)", line[1]):
        assert all((ROOT / f"{prefix}{name}").is_file() for name in names.split())


def test_a_method_is_one_row(monkeypatch):
    from jitffi.scripts.library import methods

    row = methods.Method("str", "mirrored() -> new str", "jf_text_swapcase")
    monkeypatch.setitem(methods.METHODS["str"], "mirrored", row)

    @jitffi.script
    def twice(text):
        return text.mirrored() + text.mirrored().mirrored()

    assert twice("aB") == "AbaB" and "-> str" in twice.inspect_types()
    with pytest.raises(jitffi.ScriptError, match="takes no arguments, and 1 is given"):
        jitffi.script(_with_an_argument, strict=True)


def _with_an_argument(text):
    return text.mirrored(1)


def test_a_builtin_is_a_row_a_result_and_a_function(monkeypatch):
    @jitffi.script
    def first():  # scripts' compiler is loaded by its first use, from the top down
        return 0

    assert first() == 0
    from jitffi.scripts.library import builtins, rules
    from jitffi.scripts.lower import builtins as lowered
    from jitffi.scripts.lower import numbers

    monkeypatch.setitem(builtins.ROWS, "id", builtins.BuiltinRow(1, 1))
    monkeypatch.setitem(rules._ALWAYS, "id", rules.INT)
    monkeypatch.setitem(lowered.BUILTINS, "id", lambda body, node: numbers.int_constant(42))

    @jitffi.script
    def after(x):
        return id(x) + 1

    assert after("any") == 43 and "-> int" in after.inspect_types()


def test_a_format_is_one_row(monkeypatch, tmp_path):
    from jitffi.emission import formats
    from jitffi.llvm import object_files

    def names(module, machine):
        return "\n".join(sorted(each.name for each in module.functions if not each.is_declaration)).encode()

    monkeypatch.setitem(formats.FORMATS, "names", formats.Format("names", "the names of what is defined"))
    monkeypatch.setitem(object_files.FORMS, "names", names)
    one = jitffi.emit("labs: (x: i64) -> i64", tmp_path / "one.names")
    assert one.read_bytes() == b"__jf_labs"
    said = jitffi.emit("labs: (x: i64) -> i64", tmp_path / "said.txt", format="names")
    assert said.read_bytes() == b"__jf_labs"
    many = jitffi.emit([f"f{i}: (x: i64) -> i64" for i in range(70)], tmp_path / "many.names")
    assert sorted(many.read_bytes().decode().split()) == sorted(f"__jf_f{i}" for i in range(70))
    with pytest.raises(ValueError, match=r"\.wasm, \.names; or say"):
        jitffi.emit("labs: (x: i64) -> i64", tmp_path / "one.other")


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (_core.TABLE[1:], r"lacks entry points that .* describes: \['" + _core.TABLE[0]),
        ((*_core.TABLE, "made_up"), r"has entry points that .* does not describe: \['made_up'\]"),
    ],
)
def test_rows_and_functions_are_compared_at_import(monkeypatch, table, message):
    monkeypatch.setattr(_core, "TABLE", table)
    with pytest.raises(ImportError, match=message):
        runpy.run_path(entry_points.__file__)
