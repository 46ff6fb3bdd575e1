"""The functions that scripts call, as their rows have them, beside the headers; and that all have a row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from jitffi.runtime.script_container_entry_points import SCRIPT_CONTAINER_FUNCTIONS
from jitffi.runtime.script_entry_points import SCRIPT_FUNCTIONS
from jitffi.runtime.script_object_entry_points import SCRIPT_OBJECT_FUNCTIONS
from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.lower.function.functions import FUNCTIONS

ROOT = Path(__file__).resolve().parents[2]
HEADERS = ("script.h", "script_methods.h", "containers.h", "runtime.h", "emitted.h")
#: In LLVM's words, of what is no pointer.
TYPES = {"int32_t": "i32", "uint32_t": "i32", "int64_t": "i64", "size_t": "size", "double": "double", "void": "void"}
#: C's own.
FOREIGN = {"memcmp"}


def machine(declared: str) -> str:
    """The type of a result, or of a parameter that has a name."""
    return "ptr" if "*" in declared else TYPES[declared.removeprefix("const ").split()[0]]


def declared() -> dict[str, tuple[str, list[str]]]:
    found = {}
    for header in HEADERS:
        text = (ROOT / "runtime_c/include/jitffi" / header).read_text()
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        for result, star, name, params in re.findall(r"(\w+)(\*?) (jf_\w+)\(([^()]*)\);", text):
            if star or result in TYPES:
                given = [] if params == "void" else params.split(",")
                if all("*" in each or each.split()[-2] in TYPES for each in given):
                    found[name] = machine(result + star), [machine(each.strip()) for each in given]
    return found


DECLARED = declared()


#: Those for Python's objects have headers and a test of their own.
OTHERS = {*FOREIGN, *SCRIPT_OBJECT_FUNCTIONS, *SCRIPT_CONTAINER_FUNCTIONS}


@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OTHERS))
def test_a_row_is_the_prototype(name: str) -> None:
    row = FUNCTIONS[name]
    assert (row.result, list(row.args)) == DECLARED[name]


def test_every_function_that_scripts_name_has_a_row() -> None:
    named = set()
    for file in (ROOT / "jitffi/scripts/lower").rglob("*.py"):
        named |= set(re.findall(r'"(jf_[a-z0-9_]+[a-z0-9])"', file.read_text()))
    named |= {each.symbol for rows in METHODS.values() for each in rows.values() if each.symbol}
    # Names that are put together there.
    named |= {f"jf_{kind}_{name}" for kind in ("list", "tuple") for name in ("slice", "concat", "repeat")}
    named |= {f"jf_{kind}_{name}" for kind in ("text", "bytes") for name in ("slice", "concat", "repeat", "build")}
    data = {"jf_static_ints", "jf_static_chars", "jf_ascii_flags", "jf_pending_count"}
    assert named - data - FUNCTIONS.keys() <= {"jf_text", "jf_bytes"}, "stems of names"


def test_rows_say_how_a_result_fails() -> None:
    ways = {
        "i32": {"", "nonzero", "negative", "always", "status"},
        "i64": {"", "negative"},
        "ptr": {"null", "status", ""},
    }
    for row in SCRIPT_FUNCTIONS.values():
        assert row.fails in ways.get(row.result, {""}), row.name
        assert row.effects in ("", "cold", "reads", "asks", "captures"), row.name
