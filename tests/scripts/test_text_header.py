"""`script_methods.h` declares what the rows of `jitffi/scripts/library/methods.py` say, and nothing else."""

from __future__ import annotations

import re
from pathlib import Path

from jitffi.scripts.library.methods import METHODS, Method

HEADER = Path(__file__).resolve().parents[2] / "runtime_c/include/jitffi/script_methods.h"
TEXT = "const jf_text* "
TAKEN = {"int": "int64_t ", "bool": "int32_t ", "any": "const jf_view* ", "str": TEXT, "bytes": TEXT}


def prototype(method: Method) -> str:
    """The C declaration of one row, by the rules on top of methods.py."""
    taken = [f"{TEXT}{method.receiver if method.receiver == 'bytes' else 'text'}"]
    names = ["new_" if each.name == "new" else each.name for each in method.params]  # a word of C++
    taken += [TAKEN[each.type.removesuffix("|None")] + name for name, each in zip(names, method.params, strict=True)]
    kind, result = "int32_t", method.result
    if result.startswith("new "):
        taken.append("jf_value* out")
    elif result == "view":
        kind = "void"
        taken.append("jf_text* out")
    elif result == "int":
        kind = "int64_t"
    elif result == "int!":
        taken.append("int64_t* out")
    elif result.startswith("list["):
        taken += ["int32_t pad", "jf_object** out"]
    elif result.startswith("tuple["):
        taken.append("jf_object** out")
    else:
        assert result in ("bool", "bool!")
    return f"JF_API {kind} {method.symbol}({', '.join(taken)});"


def test_the_header_is_the_rows() -> None:
    words = re.sub(r"\s+", " ", re.sub(r"/\*.*?\*/", "", HEADER.read_text(), flags=re.DOTALL))
    declared = [f"{part.strip()};" for part in re.findall(r"JF_API [^;]*(?=;)", words)]
    rows = [prototype(method) for receiver in ("str", "bytes") for method in METHODS[receiver].values()]
    assert declared == rows
