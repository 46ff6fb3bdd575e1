"""What goes wrong when files are emitted: one line that says what to do, the exit code, and the files as they were."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi import cli
from jitffi.link import system_linker
from jitffi.llvm.target import Target

PACKAGE = str(Path(jitffi.__file__).resolve().parents[1])
ADD = "'add: (i64, i64) -> i64'"
#: What is there before; nothing may change it.
FILES = {
    "old.o": b"old",
    "old.h": b"old",
    "file": b"a file, and no folder",
    "garbage.o": b"no object",
    "two.sigs": b"add: (i64) -> i64\n\n# again\nint add(int x);\n",
    "bad.sigs": b"add: (i64) -> i64\nsub: (i64 -> i64\n",
    "empty.sigs": b"# nothing\n",
    "latin.sigs": b"gr\xfc\xdfe: () -> i64\n",
}
WRONG = 2
FAILED = 1
MISTAKES = {
    "an unknown target": (
        f"{ADD} -o x.o --target arch64-linux-gnu", WRONG, "unknown target 'arch64-linux-gnu'.*aarch64"),
    "a system that is none": (f"{ADD} -o x.o --target x86_64-linus-gnu", WRONG, "'x86_64-linus-gnu'.*linux"),
    "big-endian": (f"{ADD} -o x.o --target s390x-linux-gnu", WRONG, "s390x.*big-endian"),
    "an unknown CPU": (f"{ADD} -o x.o --target aarch64-linux-gnu --cpu cortex-a73x", WRONG, "unknown cpu.*cortex-a73"),
    "an unknown feature": (f"{ADD} -o x.o --features=+avx9", WRONG, "avx9"),
    "this machine's CPU elsewhere": (f"{ADD} -o x.o --target riscv64-linux-gnu --cpu native", WRONG, "native.*riscv64"),
    "what C cannot return": ("'f: () -> optional[i64]' -o x.o", FAILED, "f: convention 'c' cannot return optional"),
    "what C cannot return, in old files": (
        f"{ADD} 'f: () -> optional[u8]' -o old.o --header old.h", FAILED, "f: convention 'c' cannot return optional"),
    "structs that are not known": ("'struct S; void f(struct S s);' -o x.o", WRONG, "f: .*struct S by value"),
    "varying arguments": ("'int printf(const char *format, ...);' -o x.o", FAILED, "printf: .*variadic function"),
    "no C identifier": ("'a-b: () -> i64' -o x.o", WRONG, "'a-b' is no C identifier: letters"),
    "a keyword": ("'register: () -> i64' -o x.o", WRONG, "'register' is no C identifier: it is a keyword"),
    "two of one name": (f"{ADD} {ADD} -o x.o", WRONG, "two signatures are named 'add'; rename one of them"),
    "two of one name in a file": ("@two.sigs -o x.o", WRONG, "two.sigs:4: two signatures are named 'add'; rename"),
    "a bad line": ("@bad.sigs -o x.o", WRONG, "bad.sigs:2: "),
    "no line": ("@empty.sigs -o x.o", WRONG, "no signature|empty"),
    "another encoding": ("@latin.sigs -o x.o", WRONG, "latin.sigs: .*UTF-8"),
    "no such file": ("@missing.sigs -o x.o", WRONG, "missing.sigs: no such file"),
    "a folder of signatures": ("@. -o x.o", FAILED, r"\.: Is a directory"),
    "an unknown ending": (f"{ADD} -o x.obj", WRONG, "x.obj: unknown ending '.obj'; known: .o, .s"),
    "an unknown format": (f"{ADD} -o x.o --format elf", WRONG, "unknown format 'elf'; known: o, s"),
    "below a file": (f"{ADD} -o file/x.o", FAILED, "file/x.o: .*(directory|folder)"),
    "a header below a file": (f"{ADD} -o old.o --header file/x.h", FAILED, "file/x.h: .*(directory|folder)"),
    "no such folder": (f"{ADD} -o missing/x.o", FAILED, "missing/x.o: there is no such directory; make it first"),
    "a folder": (f"{ADD} -o folder.o", FAILED, "folder.o: it is a directory; name a file"),
    "a full disk": (f"{ADD} -o /dev/full --format o --header old.h", FAILED, "/dev/full: No space left"),
    "a broken object": (f"{ADD} -o x.so --link garbage.o --header old.h", FAILED, "cannot link .*garbage.o"),
    "no such library": (f"{ADD} -o x.so --link=-lnot-there", FAILED, "cannot link .*not-there"),
    "a symbol that is not there": (f"{ADD} -o x.so --link=-zdefs", FAILED, "cannot link .*undefined.*add"),
    "nothing that links": (f"{ADD} -o x.so --link file2", WRONG, "file2: no such file to link with"),
    "an extension for another machine": (
        f"{ADD} -o x.so --entry python --target aarch64-linux-gnu", WRONG,
        "for aarch64.* cannot be made here: emit it there"),
    "an extension that cannot be imported": (f"{ADD} -o my-x.so --entry python", WRONG, "my-x.so: .*no identifier"),
    "a library of wasm": (f"{ADD} -o x.so --target wasm32-wasi", WRONG, "has no shared libraries: emit a .wasm"),
    "wasm of this machine": (f"{ADD} -o x.wasm --target x86_64-linux-gnu", WRONG, "a .wasm file is for WebAssembly"),
}  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, data in FILES.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.o").mkdir()
    return tmp_path


def emit(folder: Path, line: str, *before: str, **environment: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join(filter(None, [PACKAGE, os.environ.get("PYTHONPATH")]))
    command = [*before, sys.executable, "-m", "jitffi", "emit", *shlex.split(line)]
    environment = {**os.environ, "PYTHONPATH": path, **environment}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=folder, env=environment)


def check(folder: Path, done: subprocess.CompletedProcess[str], code: int, message: str) -> None:
    lines = done.stderr.splitlines()
    assert (done.returncode, done.stdout) == (code, ""), done
    assert re.match(rf"jitffi( emit)?: .*({message})", lines[0]), done.stderr
    # The caret's two lines may follow.
    assert len(lines) == 1 or (len(lines) == 3 and lines[2].strip(" ~") == "^" * len(lines[2].strip(" ~"))), done.stderr
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == FILES
    assert not list((folder / "folder.o").iterdir())


@pytest.mark.parametrize("mistake", MISTAKES)
def test_one_line_and_no_file(
    mistake: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    line, code, message = MISTAKES[mistake]
    if message.startswith("cannot link"):
        try:
            system_linker.find("so", Target.of())
        except OSError as error:
            pytest.skip(str(error))
    monkeypatch.chdir(folder)
    # In this process, which is faster; a process gives up Ctrl-C at the end, and the way errors are shown.
    before, hook = signal.getsignal(signal.SIGINT), sys.unraisablehook
    try:
        done = cli.main(["emit", *shlex.split(line)])
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = hook
    said = capfd.readouterr()
    check(folder, subprocess.CompletedProcess(line, done, said.out, said.err), code, message)


@pytest.mark.parametrize(
    ("line", "tools"), [("x.so", "gcc, clang or lld"), ("x.wasm", "lld"), ("x.so --entry python", "gcc, clang or lld")]
)
def test_no_linker(line: str, tools: str, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    """A machine that has none: nothing is on the path, and no package brings one."""
    site = tmp_path_factory.mktemp("site")
    (site / "sitecustomize.py").write_text("import sys; sys.modules['ziglang'] = None\n")
    path = os.pathsep.join([str(site), PACKAGE, *filter(None, [os.environ.get("PYTHONPATH")])])
    done = emit(folder, f"{ADD} -o {line} --header old.h", PATH="", PYTHONPATH=path, CC="", LD="", JITFFI_LINKER="")
    check(folder, done, FAILED, f"no linker for .*: install {tools}.*ziglang.*JITFFI_LINKER")


def test_a_linker_that_is_not_there(folder: Path) -> None:
    done = emit(folder, f"{ADD} -o x.so", JITFFI_LINKER="no-such-linker --fast")
    check(folder, done, FAILED, "JITFFI_LINKER=no-such-linker --fast: no such program; name one .* or unset it")


@pytest.mark.parametrize("line", ["folder.o/x.o", "old.o --header folder.o/x.h", "old.o --stub folder.o/x.pyi"])
def test_a_folder_that_may_not_be_written_to(line: str, folder: Path) -> None:
    without = ()
    if os.geteuid() == 0:  # who may write everywhere, unless that is given up
        if shutil.which("setpriv") is None:
            pytest.skip("no setpriv, and root may write everywhere")
        rights = "-dac_override,-dac_read_search"
        without = ("setpriv", f"--bounding-set={rights}", f"--inh-caps={rights}")
        able = subprocess.run([*without, sys.executable, "-c", ""], capture_output=True, text=True, timeout=60)
        if able.returncode:
            pytest.skip(f"root cannot give up its rights: {able.stderr.strip()}")
    (folder / "folder.o").chmod(0o555)
    done = emit(folder, f"{ADD} -o {line}", *without)
    where = line.split()[-1]
    check(folder, done, FAILED, f"{where}: Permission denied; choose a place that can be written to")
