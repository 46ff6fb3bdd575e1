"""The functions that scripts call for Python's objects: their rows beside the header and the extension."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jitffi import _core
from jitffi.runtime.script_container_entry_points import SCRIPT_CONTAINER_FUNCTIONS
from jitffi.runtime.script_object_entry_points import SCRIPT_OBJECT_FUNCTIONS

ROWS = {**SCRIPT_OBJECT_FUNCTIONS, **SCRIPT_CONTAINER_FUNCTIONS}
ROOT = Path(__file__).resolve().parents[2]
TYPES = {"int32_t": "i32", "int64_t": "i64", "double": "double", "void": "void"}


def machine(declared: str) -> str:
    return "ptr" if "*" in declared else TYPES[declared.split()[0]]


def declared() -> dict[str, tuple[str, list[str]]]:
    headers = [ROOT / f"runtime_c/python/package/script_{name}.h" for name in ("object", "container")]
    text = "".join([each.read_text() for each in headers])
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    found = re.findall(r"([\w ]+\*? ?)(core_op_\w+)\(([^()]*)\);", text)
    return {
        name: (machine(result.strip()), [machine(each) for each in given.split(",") if each != "void"])
        for result, name, given in found
    }


DECLARED = declared()


@pytest.mark.parametrize("name", sorted(ROWS))
def test_a_row_is_the_prototype(name: str) -> None:
    row = ROWS[name]
    assert (row.result, list(row.args)) == DECLARED[name]


def test_the_extension_has_all_of_them() -> None:
    assert set(_core.SCRIPT_FUNCTIONS) == set(ROWS) == set(DECLARED)


def test_every_function_that_scripts_name_has_a_row() -> None:
    named = set()
    for file in (ROOT / "jitffi/scripts/lower").rglob("*.py"):
        named |= set(re.findall(r'"(core_op_[a-z_]+)"', file.read_text()))
    assert named <= set(ROWS)
