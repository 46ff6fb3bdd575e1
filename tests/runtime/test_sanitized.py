"""The extension under AddressSanitizer and UBSan, and under valgrind: the same tests again, in a build that tells of
every wrong access. The generated code itself is not instrumented, what it calls is; valgrind sees both."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.builds import sanitized_runtime

import jitffi

ROOT = Path(__file__).resolve().parents[2]
#: Tests whose point is what crosses the boundary, and what happens when it fails.
SELECTED = ("tests/conventions/test_matrix.py", "tests/adapters/test_errors.py", "tests/real/test_libc.py")
#: What an entry does and what a callee does know nothing of each other, and call the same at level 2: each of them with
#: every type, once. All pairs by JITFFI_TARGETS=all.
PAIRS = ("python-c", "c-packed", "packed-tvm_ffi", "tvm_ffi-packed_legacy", "packed_legacy-python")
CHOSEN = " or ".join([f"-{pair}-0" for pair in PAIRS])
OF_PAIRS = "test_every_pair_carries_every_type or test_the_other_pairs_return"
#: Types that others of their size or sign stand for, and those that are another or None: what does that is one row.
ALIKE = " or ".join(
    [f"[{name}-" for name in ("i16", "u16", "u32", "i32", "bf16", "list[f32]", "list[bool]", "list[bytes]")]
)
ALIKE += " or " + " or ".join(
    [f"[optional[{name}" for name in ("i", "u", "b", "f1", "f3", "list", "map", "tuple", "d")]
)
#: How deep calls go, and what a thousand rounds leave behind, is told without instruments.
SLOW = "very_deep or deep_chains or test_calls_leave_nothing_behind"
#: Functions of the library that go on for seconds, and others that C refuses; what only the time of a process tells.
SLOW += " or test_in_functions_of_the_library or wrong_arrays_are_refused or a_process_ends_while or a_fork_waits"
LEFT_OUT = f"not (({OF_PAIRS}) and (({ALIKE}) or not ({CHOSEN}))) and not ({SLOW})"
if os.environ.get("JITFFI_TARGETS"):
    LEFT_OUT = ""
#: Those of values that let the user's code loose on what is being worked on, and arrays of all shapes.
SELECTED_VALUES = (
    "tests/values/test_hostile_code.py",
    "tests/values/test_wrapper_objects.py",
    "tests/types/test_value_protocols.py",
    "tests/adapters/test_unlock.py",
    "tests/fuzz/test_array_calls.py",
    "tests/fuzz/test_plans.py",
    "tests/api/test_pointers.py",
    "tests/api/test_arrays_meanwhile.py",
)
#: Those of objects whose lifetimes Python and native code share.
SELECTED_OBJECTS = (
    "tests/api/test_object_lifetimes.py",
    "tests/api/test_object_references.py",
    "tests/api/test_object_cycles.py",
    "tests/api/test_object_attributes.py",
    "tests/api/test_object_stress.py",
    "tests/api/test_derived_classes.py",
)
_OF_SCRIPTS = (
    "script", "dispatch", "traceback", "nogil", "array_parameters", "sets", "first_calls", "long_calls", "instances",
    "instance_methods",
)  # fmt: skip
#: Those of scripts, whose library is instrumented, too.
SELECTED_SCRIPTS = tuple([f"tests/scripts/test_{part}.py" for part in _OF_SCRIPTS])
#: pytest without the finder of an editable install, which comes before the path and would find the usual extension.
PYTEST = """
import pathlib, sys
sys.meta_path[:] = [each for each in sys.meta_path if not type(each).__module__.startswith("_editable")]
import jitffi, pytest
assert str(pathlib.Path(jitffi.__file__).parents[1]) == sys.argv[1], jitffi.__file__
sys.exit(pytest.main(sys.argv[2:]))
"""


def _run(command: list[str], **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, **env}, cwd=ROOT, timeout=900)


@pytest.fixture(scope="module")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to put on the path: the package's sources with an instrumented extension."""
    cc = shutil.which("gcc")
    if not (shutil.which("cmake") and cc):
        pytest.skip("no cmake or gcc to build an instrumented extension with")
    build = sanitized_runtime(cc, "_core", "script", "more")
    path = tmp_path_factory.mktemp("path")
    shutil.copytree(ROOT / "jitffi", path / "jitffi", ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    for made in build.glob("_core*.so"):
        (path / "jitffi" / made.name).symlink_to(made)
    shutil.rmtree(path / "jitffi/include", ignore_errors=True)
    shutil.rmtree(path / "jitffi/lib", ignore_errors=True)
    (path / "jitffi/include").symlink_to(ROOT / "runtime_c/include")
    (path / "jitffi/lib").symlink_to(build)
    return path


def _library_of(sanitizer: str) -> str:
    found = _run(["gcc", f"-print-file-name=lib{sanitizer}.so"]).stdout.strip()
    if not os.path.isabs(found):
        pytest.skip(f"gcc has no lib{sanitizer} here")
    return found


@pytest.mark.parametrize(
    "selected",
    [SELECTED, SELECTED_VALUES, SELECTED_OBJECTS, SELECTED_SCRIPTS],
    ids=["calls", "values", "objects", "scripts"],
)
def test_tests_pass_in_an_instrumented_build(sanitized: Path, selected: tuple[str, ...]) -> None:
    preload = f"{_library_of('asan')} {_library_of('ubsan')}"
    result = _run(
        [
            sys.executable, "-P", "-c", PYTEST, str(sanitized), "-q", "--capture=sys", "-p", "no:cacheprovider",
            "-k", LEFT_OUT, *selected,
        ],
        PYTHONPATH=str(sanitized), LD_PRELOAD=preload, PYTHONMALLOC="malloc", JITFFI_CACHE_DIR="",
        **({"JITFFI_TARGETS": "all"} if selected is SELECTED else {}),  # of which LEFT_OUT leaves some
        ASAN_OPTIONS="detect_leaks=0,abort_on_error=0,allocator_may_return_null=1", UBSAN_OPTIONS="print_stacktrace=1",
    )  # fmt: skip
    text = result.stdout + result.stderr
    assert result.returncode == 0, text[-6000:]
    assert "ERROR: AddressSanitizer" not in text and "runtime error" not in text, text[-6000:]


def test_valgrind_sees_no_wrong_access() -> None:
    valgrind = shutil.which("valgrind")
    if valgrind is None:
        pytest.skip("no valgrind on this machine")
    package = Path(jitffi.__file__).resolve().parents[1]
    result = _run(
        [
            valgrind, "--error-exitcode=0", "--quiet", f"--suppressions={ROOT / 'tests/support/valgrind.supp'}",
            sys.executable, str(ROOT / "tests/support/every_way.py"),
        ],
        PYTHONPATH=str(package), PYTHONMALLOC="malloc", JITFFI_CACHE_DIR="",
    )  # fmt: skip
    if "a function redirection" in result.stderr:
        pytest.skip("valgrind needs symbols that this interpreter's C library has not")
    assert result.returncode == 0, result.stderr[-4000:]
    assert result.stdout.strip().endswith("done"), result.stdout
    # Not "uninitialised value": the interpreter itself gives rise to those (int.from_bytes of zero, longobject.c of
    # 3.11).
    for wrong in ("Invalid read", "Invalid write", "Invalid free", "Jump to the invalid", "Mismatched free"):
        assert wrong not in result.stderr, result.stderr[-6000:]
