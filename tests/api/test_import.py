"""What importing the package loads, and what a call loads whose machine code another process has left in the cache."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from support.bare import PRELUDE

HEAVY = (
    "llvmlite",
    "numpy",
    "click",
    "rich",
    "jinja2",
    "cloudpickle",
    "dataclasses",
    "typing",
    "inspect",
    "re",
    "pycparser",
    "ctypes",
    "hashlib",
)

WARM_CALLS = {
    "signature": """
        assert jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")(3, y=4.0) == 5.0
    """,
    "default": """
        assert jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64 = 4.0) -> f64")(3) == 5.0
    """,
    "prototype": """
        assert jitffi.load_library("libm.so.6").bind("hypot", "double hypot(double x, double y);")(3, y=4.0) == 5.0
    """,
    "cdef": """
        libc = jitffi.load_library(None, cdef="unsigned long strlen(const char *s); int abs(int);")
        assert (libc.strlen("four"), libc.abs(-3)) == (4, 3)
    """,
    "callback": """
        add = jitffi.Function(jitffi.function("(a: i64, b: i64) -> i64")(lambda a, b: a + b))
        assert jitffi.Function.from_native(add.native_address, "(i64, i64) -> i64")(3, 4) == 7
    """,
    "packed": """
        add = jitffi.Function(jitffi.function("(a: i64, b: i64) -> i64")(lambda a, b: a + b))
        packed = {"signature": "(i64, i64) -> i64", "self_handle": add.handle}
        assert jitffi.Function.from_packed(add.packed_address, **packed)(3, 4) == 7
    """,
    "global": """
        jitffi.register_global_func("warm.add", lambda a, b: a + b)
        assert jitffi.get_global_func("warm.add")(3, 4) == 7
    """,
}


def bare_process(program: str, cache: Path) -> set[str]:
    """Run *program* without site-packages and what .pth files there load by themselves; return the modules it loaded.

    An import of anything that the package depends on fails in such a process. Its own
    compiled part is found wherever it is.
    """
    report = "\nprint(sorted(set(sys.modules) - before))\n"
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"{PRELUDE}import jitffi\n{program}\n{report}"],
        capture_output=True, text=True, timeout=60, env={**os.environ, "JITFFI_CACHE_DIR": str(cache)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return set(ast.literal_eval(done.stdout))


def heavy_among(modules: set[str]) -> list[str]:
    return sorted(name for name in modules if name.partition(".")[0] in HEAVY)


def test_import_loads_next_to_nothing(tmp_path):
    loaded = {name for name in bare_process("", tmp_path) if not name.startswith("_")}
    assert loaded == {"jitffi", "jitffi.base", "jitffi.base.fork_locks"}


def test_every_public_name_loads_nothing_heavy(tmp_path):
    """But those that declare structs, whose declarations are named tuples with texts of their own."""
    wanted = "[name for name in jitffi.__all__ if jitffi._HOME.get(name) != 'api.structs']"
    loaded = bare_process(f"for name in {wanted}: getattr(jitffi, name)", tmp_path)
    assert heavy_among(loaded) == []


@pytest.mark.parametrize("case", WARM_CALLS)
def test_a_warm_call_loads_nothing_heavy(case, tmp_path, run_python):
    program = "\n".join(line.strip() for line in WARM_CALLS[case].splitlines())
    run_python(f"import jitffi\n{program}", env={"JITFFI_CACHE_DIR": str(tmp_path)})
    assert heavy_among(bare_process(program, tmp_path)) == []


def test_without_a_cache_the_same_process_would_need_llvm(tmp_path):
    """The proof that the tests above can fail."""
    program = WARM_CALLS["signature"].strip()
    with pytest.raises(AssertionError, match="No module named 'llvmlite'"):
        bare_process(program, tmp_path)
