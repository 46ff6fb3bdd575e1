"""jitffi.emit: what it takes, what it writes, and that it writes all or nothing."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import llvmlite.binding
import pytest

import jitffi
from jitffi.base.outputs import Outputs
from jitffi.emission import emitting, parallel
from jitffi.link import system_linker
from jitffi.signature.model import Signature

ADD = "add: (a: i64, b: i64) -> i64"
MAGIC = {
    "o": b"\x7fELF\x02\x01\x01",
    "so": b"\x7fELF\x02\x01\x01",
    "s": b"\t.file\t",
    "ll": b"; ModuleID = ",
    "bc": b"BC\xc0\xde",
    "wasm": b"\0asm\1\0\0\0",
}


def has_linker(kind: str, triple: str | None = None) -> bool:
    from jitffi.llvm.target import Target

    try:
        system_linker.find(kind, Target.of(triple))
    except OSError:
        return False
    return True


def skip_without_linker(form: str) -> None:
    if form in ("so", "wasm") and not has_linker(form, "wasm32-unknown-unknown" if form == "wasm" else None):
        pytest.skip(f"nothing here links a .{form}")


def many(number: int) -> dict[str, Signature]:
    texts = ("(i64, f64) -> f64", "(str, i8) -> str", "(cstr, bool) -> ptr", "(x: u16, y: optional[i64]) -> i32")
    return {f"f{i}": Signature.parse(texts[i % len(texts)]) for i in range(number)}


def defined(path: Path) -> set[str]:
    """The global symbols that an object defines, but for the address of what its tables of exceptions name."""
    done = subprocess.run(["nm", "-g", "--defined-only", str(path)], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in done.stdout.splitlines()} - {"DW.ref.jf_personality"}


needs_nm = pytest.mark.skipif(shutil.which("nm") is None, reason="nm is not installed")


# -- formats -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", MAGIC)
def test_the_ending_says_the_format(form, tmp_path):
    skip_without_linker(form)
    made = jitffi.emit(ADD, tmp_path / f"add.{form}")
    assert made == tmp_path / f"add.{form}"
    assert made.read_bytes().startswith(MAGIC[form])
    assert [path.name for path in tmp_path.iterdir()] == [made.name]


@pytest.mark.parametrize("form", ["o", "s", "ll", "bc"])
def test_a_format_that_is_said_comes_before_the_ending(form, tmp_path):
    for spelled in (form, f".{form}"):
        assert jitffi.emit(ADD, tmp_path / "add.xyz", format=spelled).read_bytes().startswith(MAGIC[form])


@pytest.mark.parametrize("form", MAGIC)
def test_the_same_input_gives_the_same_bytes(form, tmp_path):
    skip_without_linker(form)
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = jitffi.emit(many(6), tmp_path / "a" / f"all.{form}").read_bytes()
    llvmlite.binding.parse_assembly("define void @f() { ret void, !anothers.metadata !{} }")  # anybody may
    assert jitffi.emit(many(6), tmp_path / "b" / f"all.{form}").read_bytes() == first
    program = f"import jitffi, sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from test_emit import many; "
    again = f"{program}jitffi.emit(many(6), {str(tmp_path / f'all.{form}')!r})"
    environment = {**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    subprocess.run([sys.executable, "-c", again], check=True, env=environment, timeout=120)
    assert (tmp_path / f"all.{form}").read_bytes() == first


@pytest.mark.parametrize("opt", [0, 1, 2, 3])
def test_all_levels_make_an_object(opt, tmp_path):
    assert jitffi.emit(ADD, tmp_path / "add.o", opt=opt).read_bytes().startswith(MAGIC["o"])


def test_a_linked_file_can_be_executed_and_others_cannot(tmp_path):
    skip_without_linker("so")
    assert os.access(jitffi.emit(ADD, tmp_path / "add.so"), os.X_OK)
    assert not os.stat(jitffi.emit(ADD, tmp_path / "add.o")).st_mode & 0o111


# -- what it takes -----------------------------------------------------------------------------------------------


@jitffi.function("(i64) -> i64")
def twice(x):
    return 2 * x


def signatures(tmp_path: Path) -> list[tuple[object, list[str]]]:
    (tmp_path / "sigs.txt").write_text("# two\nadd: (i64) -> i64\n\ndouble hypot(double x, double y);\n")
    sig = Signature.parse("(i64) -> i64")
    return [
        (ADD, ["add"]),
        ("(i64) -> i64", ["f"]),
        ("int64_t add(int64_t a);", ["add"]),
        (f"@{tmp_path}/sigs.txt", ["add", "hypot"]),
        (("add", sig), ["add"]),
        (sig, ["f"]),
        (twice, ["twice"]),
        (jitffi.Function(twice), ["twice"]),
        ([ADD, ("sub", sig), ("mul", "(i64) -> i64"), twice, "void f(void)"], ["add", "sub", "mul", "twice", "f"]),
        ((ADD, "sub: () -> void"), ["add", "sub"]),
        ({"b": sig, "a": "(i64) -> i64", "c": "c: () -> void"}, ["b", "a", "c"]),
        (iter([ADD]), ["add"]),
    ]


@pytest.mark.parametrize("i", range(12))
def test_signatures_come_in_many_ways(i, tmp_path):
    given, names = signatures(tmp_path)[i]
    job = emitting.prepare(given, tmp_path / "x.ll")
    assert list(job.sigs) == names
    assert all(isinstance(sig, Signature) for sig in job.sigs.values())
    text = job.run().read_text()
    assert re.findall(r"^define[^@]*@(\w+)\(", text, re.MULTILINE) == [f"__jf_{name}" for name in names]


def test_the_objects_symbols(tmp_path):
    if shutil.which("nm") is None:
        pytest.skip("nm is not installed")
    path = jitffi.emit({"a": "() -> void", "b": "() -> i64"}, tmp_path / "x.o")
    assert defined(path) == {"__jf_a", "__jfsig_a", "__jf_b", "__jfsig_b", "__jfabi"}
    path = jitffi.emit({"a": "() -> void"}, tmp_path / "x.o", entry="c", callee="packed")
    assert defined(path) == {"a", "__jfabi"}
    path = jitffi.emit({"a": "() -> void"}, tmp_path / "x.o", callee="packed", callee_name="b")
    assert defined(path) == {"__jf_a", "__jfsig_a", "__jfabi"}


SIG = Signature.parse("(i64) -> i64")
WRONG = [
    ({"sigs": "add: (i63) -> i64"}, jitffi.SignatureError, "unknown type 'i63'"),
    ({"sigs": ""}, jitffi.SignatureError, "empty"),
    ({"sigs": "int f(int, ...);"}, TypeError, "f: convention 'packed' cannot carry a variadic function"),
    ({"sigs": "1x: () -> void"}, ValueError, "'1x' is no C identifier"),
    ({"sigs": {"1x": SIG}}, ValueError, "'1x' is no C identifier"),
    ({"sigs": {"\xe4": SIG}}, ValueError, "is no C identifier"),
    ({"sigs": {"while": SIG}}, ValueError, "'while' is no C identifier: it is a keyword"),
    ({"sigs": [ADD, ADD]}, ValueError, "two signatures are named 'add'"),
    ({"sigs": {"a": "b: () -> void"}}, ValueError, "the signature for 'a' names another function: 'b'"),
    ({"sigs": []}, ValueError, "no signature to emit"),
    ({"sigs": 7}, TypeError, "expected signatures, got int"),
    ({"sigs": [7]}, TypeError, "expected a signature or its text, got int"),
    ({"sigs": [(1, SIG)]}, TypeError, "a function's name is a str, got int"),
    ({"sigs": {"a": 1}}, TypeError, "expected a signature or its text, got int"),
    ({"sigs": len}, TypeError, "expected a Function"),
    ({"sigs": jitffi.convert(len)}, TypeError, "has no signature to emit"),
    ({"sigs": "@missing.txt"}, FileNotFoundError, "missing.txt: no such file"),
    ({"out": "x.xyz"}, ValueError, "x.xyz: unknown ending '.xyz'; known: .o, .s, .ll, .bc, .so, .wasm"),
    ({"out": "x"}, ValueError, "x: it has no ending; known: .o"),
    ({"out": 1}, TypeError, "out is a path, got int"),
    ({"out": b"x.o"}, TypeError, "out is a path, got bytes"),
    ({"out": ""}, ValueError, "out is no path: ''"),
    ({"out": "a\0.o"}, ValueError, "out is no path"),
    ({"format": "exe"}, ValueError, "unknown format 'exe'; known: o, s, ll, bc, so, wasm"),
    ({"format": 1}, TypeError, "format is a str or None, got int"),
    ({"entry": "fortran"}, ValueError, "unknown convention 'fortran'; known: c, packed, python"),
    ({"callee": "fortran"}, ValueError, "unknown convention 'fortran'; known: c, packed, python"),
    ({"entry": "c"}, ValueError, "entry and callee are both 'c', and would be one function"),
    ({"entry": "c", "callee_name": "add"}, ValueError, "both are called 'add'"),
    ({"callee_name": "a b"}, ValueError, "'a b' is no C identifier"),
    ({"callee_name": 1}, TypeError, "callee_name is a str, got int"),
    (
        {"sigs": many(2), "callee_name": "x"},
        ValueError,
        "callee_name names the callee of one signature, and there are 2",
    ),
    ({"target": "nothing-like-this"}, ValueError, "unknown target 'nothing-like-this'"),
    ({"target": 1}, TypeError, "target is a str or None, got int"),
    ({"pad": 16}, ValueError, "pad is 0 to 15, not 16"),
    ({"pad": True}, TypeError, "pad is an int, got bool"),
    ({"opt": -1}, ValueError, "opt is 0 to 3, not -1"),
    ({"jobs": 0}, ValueError, "jobs is 1 or more, not 0"),
    ({"jobs": 1.0}, TypeError, "jobs is an int, got float"),
    ({"out": "x.wasm", "target": "aarch64-linux-gnu"}, ValueError, "a .wasm file is for WebAssembly"),
    ({"out": "x.so", "target": "wasm32-unknown-unknown"}, ValueError, "has no shared libraries: emit a .wasm"),
    ({"out": "a-b.so", "entry": "python"}, ValueError, "imported by its file's name, which is no identifier"),
    (
        {"out": "x.so", "entry": "python", "target": "aarch64-linux-gnu"},
        ValueError,
        "a Python module for aarch64-unknown-linux-gnu cannot be made here",
    ),
    ({"out": "x.so", "entry": "c", "callee": "python"}, ValueError, "is part of an extension module: emit a .o"),
    ({"header": "x.o"}, ValueError, "x.o: two files cannot have one name"),
    ({"header": "x.h", "stub": "./x.h"}, ValueError, "two files cannot have one name"),
    ({"link": "missing.a"}, FileNotFoundError, "missing.a: no such file to link with"),
    ({"link": [1]}, TypeError, "link is a path, got int"),
    ({"link": "here.txt", "out": "x.s"}, ValueError, "nothing is linked into a .s file"),
    ({"sigs": "f: () -> optional[i64]"}, TypeError, "f: convention 'c' cannot return optional[i64]"),
    ({"out": "missing/x.o"}, FileNotFoundError, "there is no such directory; make it first: 'missing/x.o'"),
    ({"header": "missing/x.h"}, FileNotFoundError, "there is no such directory"),
    ({"out": "directory.o"}, IsADirectoryError, "it is a directory; name a file"),
]


@pytest.mark.parametrize(("changed", "error", "message"), WRONG)
def test_what_is_wrong_is_said_and_nothing_is_written(changed, error, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "directory.o").mkdir()
    for name in ("here.txt", "x.o", "x.h"):
        (tmp_path / name).write_text("old")
    options = {"sigs": ADD, "out": "x.o", **changed}
    with pytest.raises(error, match=re.escape(message)) as raised:
        jitffi.emit(**options)
    assert "\n" not in str(raised.value) or isinstance(raised.value, jitffi.SignatureError)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["directory.o", "here.txt", "x.h", "x.o"]
    assert (tmp_path / "x.o").read_text() == (tmp_path / "x.h").read_text() == "old"


# -- all or nothing ----------------------------------------------------------------------------------------------


def test_a_directory_that_cannot_be_written_to(tmp_path):
    if os.geteuid() == 0:
        where = Path("/proc/self")
    else:
        where = tmp_path / "closed"
        where.mkdir(0o500)
    with pytest.raises(OSError, match="choose a place that can be written to|no such directory"):
        jitffi.emit(ADD, where / "add.o")


def test_what_fails_late_leaves_what_was_there(tmp_path):
    skip_without_linker("so")
    (tmp_path / "garbage.o").write_text("garbage")
    for name in ("add.so", "add.h"):
        (tmp_path / name).write_text("old")
    with pytest.raises(OSError, match="cannot link") as raised:
        jitffi.emit(ADD, tmp_path / "add.so", header=tmp_path / "add.h", link=[tmp_path / "garbage.o"])
    assert "\n" not in str(raised.value)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["add.h", "add.so", "garbage.o"]
    assert (tmp_path / "add.so").read_text() == (tmp_path / "add.h").read_text() == "old"


def test_files_that_cannot_be_renamed_bring_the_others_back(tmp_path, monkeypatch):
    (tmp_path / "a").write_text("old a")
    replace = os.replace

    def failing(source, place):
        if Path(place).name == "c":
            raise OSError(28, "No space left on device", str(place))
        replace(source, place)

    monkeypatch.setattr(os, "replace", failing)
    with pytest.raises(OSError, match="No space"), Outputs() as outputs:
        for name in "abc":
            outputs.add(tmp_path / name).write_text(f"new {name}")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"a": "old a"}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_interruption_leaves_nothing(jobs, tmp_path):
    def interrupt(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    job = emitting.prepare(many(parallel.PIECE + 1), tmp_path / "x.o", header=tmp_path / "x.h", jobs=jobs)
    with pytest.raises(KeyboardInterrupt):
        job.run(interrupt)
    assert list(tmp_path.iterdir()) == []


def test_ctrl_c_leaves_nothing_and_no_process(tmp_path):
    program = "import sys, jitffi; jitffi.emit({f'f{i}': '(str) -> str' for i in range(5000)}, 'x.o', jobs=2)"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    process = subprocess.Popen([sys.executable, "-c", program], cwd=tmp_path, stderr=subprocess.PIPE, env=environment)
    end = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode != 0
    assert said.count(b"Traceback") <= 1  # the program's own, and none of the processes'
    assert list(tmp_path.iterdir()) == []


def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "real.o").write_text("old")
    (tmp_path / "link.o").symlink_to("real.o")
    assert jitffi.emit(ADD, tmp_path / "link.o") == tmp_path / "link.o"
    assert (tmp_path / "link.o").is_symlink()
    assert (tmp_path / "real.o").read_bytes().startswith(MAGIC["o"])


def test_a_pipe_is_written_to_and_stays(tmp_path):
    os.mkfifo(tmp_path / "pipe.s")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((tmp_path / "pipe.s").read_bytes()))
    reader.start()
    jitffi.emit(ADD, tmp_path / "pipe.s")
    reader.join(30)
    assert read and read[0].startswith(MAGIC["s"])
    assert (tmp_path / "pipe.s").is_fifo()


# -- many signatures ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["o", "ll", "so"])
def test_the_number_of_processes_does_not_show(form, tmp_path):
    skip_without_linker(form)
    sigs = many(2 * parallel.PIECE + 3)
    made = [
        jitffi.emit(sigs, tmp_path / f"x.{form}", jobs=jobs).read_bytes()
        for jobs in ((1, 2, 7) if form == "o" else (1, 3))
    ]
    assert all(each == made[0] for each in made)
    if form == "o" and shutil.which("nm"):
        names = {f"{prefix}{name}" for name in sigs for prefix in ("__jf_", "__jfsig_")}
        assert defined(tmp_path / "x.o") == {*names, "__jfabi"}


def test_progress_is_told(tmp_path):
    told: list[tuple[int, int]] = []
    total = 2 * parallel.PIECE + 1
    emitting.prepare(many(total), tmp_path / "x.bc").run(lambda done, total: told.append((done, total)))
    assert told == [(done, total) for done in (0, parallel.PIECE, 2 * parallel.PIECE, total)]


def test_a_process_that_dies_is_an_error(tmp_path, monkeypatch):
    monkeypatch.setattr(parallel, "_SERVE", "import os; os._exit(3)")
    with pytest.raises(RuntimeError, match="the process that compiled f0 to f63 ended: 3"):
        jitffi.emit(many(parallel.PIECE + 1), tmp_path / "x.o", jobs=2)
    assert list(tmp_path.iterdir()) == []


# -- header and stub ---------------------------------------------------------------------------------------------


def test_header_and_stub_are_written_beside(tmp_path):
    jitffi.emit(ADD, tmp_path / "add.o", header=tmp_path / "add.h", stub=tmp_path / "add.pyi")
    assert "int64_t add(int64_t a, int64_t b);" in (tmp_path / "add.h").read_text()
    assert "def add(a: SupportsIndex, b: SupportsIndex) -> int: ..." in (tmp_path / "add.pyi").read_text()
    assert "#ifndef ADD_H" in (tmp_path / "add.h").read_text()


@pytest.mark.skipif(shutil.which("cc") is None, reason="cc is not installed")
def test_a_program_is_built_with_object_header_and_runtime(tmp_path):
    from jitffi.base import config

    jitffi.emit(ADD, tmp_path / "add.o", header=tmp_path / "add.h")
    (tmp_path / "main.c").write_text(
        """
        #include "add.h"
        #include <stdio.h>
        int64_t add(int64_t a, int64_t b) { return a + b; }
        int main(void) {
          jf_view args[2] = {{.type_code = JF_INT}, {.type_code = JF_INT}};
          jf_value out = {.type_code = JF_NULL};
          args[0].v_int64 = 40;
          args[1].v_int64 = 2;
          int32_t status = __jf_add(0, 2, args, &out);
          printf("%d %d %d %s\\n", status, out.type_code, (int)out.v_int64, __jfsig_add);
          return __jf_add(0, 1, args, &out) == 0;
        }
        """
    )
    flags = ["-std=c11", "-Wall", "-Wextra", "-Wno-missing-field-initializers", "-Werror"]
    command = ["cc", *flags, "main.c", "add.o", *config.flags("includes").split(), *config.flags("libs").split()]
    subprocess.run([*command, "-o", "main"], check=True, cwd=tmp_path, timeout=120)
    done = subprocess.run([tmp_path / "main"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "0 -2 42 (a: i64, b: i64) -> i64\n")
