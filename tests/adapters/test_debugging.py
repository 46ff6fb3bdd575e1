"""What one gets to see of generated code: its stages as files, its names in perf and in gdb."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi

HYPOT = """
import jitffi
hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64) -> f64")
assert hypot(3.0, 4.0) == 5.0
"""
SYMBOL = "jitffi$python$c$k$(f64, f64) -> f64"


def test_dump_writes_every_stage_of_every_level(tmp_path, run_python):
    folder = tmp_path / "new" / "dump"
    env = {"JITFFI_DUMP": str(folder), "JITFFI_CACHE_DIR": str(tmp_path / "cache")}
    run_python(HYPOT, env=env)
    names = sorted(path.name.split("-", 2)[2] for path in folder.iterdir())
    stem = "jitffi_python_c_k__f64__f64_____f64"
    assert names == [f"{stem}-O{level}.{stage}" for level in (0, 2) for stage in ("ll", "o", "s")]
    for path in folder.iterdir():
        if path.suffix == ".o":
            assert path.read_bytes().startswith(b"\x7fELF")
        else:
            wanted = f'define ptr @"{SYMBOL}"' if path.suffix == ".ll" else f'"{SYMBOL}":'
            assert wanted in path.read_text()


BIND_OR_TELL = """
import jitffi
try:
    jitffi.load_library("libm.so.6").bind("hypot", "(f64, f64) -> f64")
except NotADirectoryError as error:
    print(error.filename)
"""


def test_a_dump_that_cannot_be_written_is_an_error(tmp_path, run_python):
    (tmp_path / "file").touch()
    env = {"JITFFI_DUMP": str(tmp_path / "file" / "below"), "JITFFI_CACHE_DIR": ""}
    assert run_python(BIND_OR_TELL, env=env).strip() == str(tmp_path / "file" / "below")


def test_perf_gets_a_map_of_the_code(run_python, tmp_path):
    program = HYPOT + "import os; print(os.getpid())"
    for start in ("compiled", "found in the cache"):
        pid = run_python(program, env={"JITFFI_PERF": "1", "JITFFI_CACHE_DIR": str(tmp_path)}).strip()
        path = Path(f"/tmp/perf-{pid}.map")
        try:
            lines = [line.split(" ", 2) for line in path.read_text().splitlines()]
        finally:
            path.unlink(missing_ok=True)
        assert SYMBOL in [symbol for _, _, symbol in lines], start
        assert all(int(address, 16) % 16 == 0 and 0 < int(size, 16) < 100_000 for address, size, _ in lines), start


def test_perf_gets_no_map_unless_asked(run_python, tmp_path):
    pid = run_python(HYPOT + "import os; print(os.getpid())", env={"JITFFI_CACHE_DIR": str(tmp_path)}).strip()
    assert not Path(f"/tmp/perf-{pid}.map").exists()


#: Programs that stop, and the frames that a backtrace shows then, the innermost first; Python's follow.
STOPS = {
    "callback": (
        'call = jitffi.load_library(None).bind("qsort", "(ptr, u64, u64, func[(ptr, ptr) -> i32]) -> void")\n'
        "def stopping(a, b):\n    os.kill(os.getpid(), signal.SIGTRAP)\n    return 0\n"
        "def beneath():\n    call(bytearray(16), 2, 8, stopping)\nbeneath()",
        ["jitffi$c$python$$(ptr, ptr) -> i32", "qsort", "jitffi$python$c$$(ptr, u64, u64, func[(ptr, ptr) -> i32])"],
    ),
    "crash": (
        'puts = jitffi.load_library(None).bind("puts", "(ptr) -> i32")\ndef beneath():\n    puts(16)\nbeneath()',
        ["puts", "jitffi$python$c$$(ptr) -> i32"],  # which crashes in strlen, that a stripped C library does not name
    ),
    "script": (
        "@jitffi.function('(i64) -> i64')\ndef stopping(x):\n    os.kill(os.getpid(), signal.SIGTRAP)\n    return x\n"
        "@jitffi.script\ndef words(x):\n    return stopping(x) + 1\ndef beneath():\n    words(3)\nbeneath()",
        ["jitffi$packed$python$$(i64) -> i64", "jitffi$script$words"],
    ),
    "module": (
        "import tempfile\npath = jitffi.emit('raise: (i: i32) -> i32', tempfile.mkdtemp() + '/stops.o')\n"
        "module = jitffi.load_module(path)\ndef beneath():\n    module['raise'](5)\nbeneath()",
        ["raise", "__jf_raise", "jitffi$python$packed$k$(i32) -> i32"],
    ),
}


@pytest.mark.skipif(shutil.which("gdb") is None, reason="gdb is not installed")
@pytest.mark.parametrize("case", STOPS)
def test_a_backtrace_leads_through_generated_code_to_python(case, tmp_path):
    source, expected = STOPS[case]
    program = tmp_path / "program.py"
    program.write_text(f"import os, signal\nimport jitffi\n{source}\n")
    path = os.pathsep.join([str(Path(jitffi.__file__).parent.parent), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        ["gdb", "-q", "-nx", "-batch", "-ex", "run", "-ex", "backtrace", "--args", sys.executable, str(program)],
        capture_output=True, text=True, timeout=120,
        env={**os.environ, "PYTHONPATH": path, "JITFFI_DEBUG": "1", "DEBUGINFOD_URLS": ""},
    )  # fmt: skip
    if "ptrace: Operation not permitted" in done.stderr or "Could not trace the inferior" in done.stderr:
        pytest.skip("this machine does not let gdb trace a process")
    frames = [line for line in done.stdout.splitlines() if line.startswith("#")]
    found = [next((i for i, frame in enumerate(frames) if name in frame), -1) for name in expected]
    said = done.stdout[-3000:] + done.stderr[-1000:]
    assert found == sorted(found) and found[0] >= 0, said
    below = "\n".join(frames[found[-1] :])
    # A stripped interpreter names its public functions alone.
    assert "_PyEval_EvalFrameDefault" in below or "PyEval_EvalCode" in below, said
    assert "Py_BytesMain" in below and "corrupt" not in said, said
