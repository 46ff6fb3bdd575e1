"""Linking emitted code: with each linker that is here, for this machine, for others, for WebAssembly, and with none."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.base.errors import LinkError
from jitffi.emission import parallel
from jitffi.link import system_linker
from jitffi.llvm.target import Target

HOST = Target.of()
LABS = "labs: (x: i64) -> i64"
WASM = "wasm32-unknown-unknown"
FOREIGN = {"aarch64-linux-gnu": 183, "riscv64-linux-gnu": 243}  # e_machine
HAS_ZIG = importlib.util.find_spec("ziglang") is not None
ZIG = f"{sys.executable} -m ziglang"

pytestmark = pytest.mark.skipif(HOST.object_format != "elf", reason="what is looked into here are ELF files")


@pytest.fixture(autouse=True)
def no_variables(monkeypatch):
    for name in ("JITFFI_LINKER", "CC", "LD"):
        monkeypatch.delenv(name, raising=False)


def needs(*programs: str) -> None:
    for program in programs:
        if shutil.which(program.split()[0]) is None:
            pytest.skip(f"{program} is not installed")


def call(path: Path, name: str, *arguments: object) -> object:
    """Call a packed entry of a shared library."""
    library = ctypes.CDLL(str(path))
    address = ctypes.cast(getattr(library, f"__jf_{name}"), ctypes.c_void_p).value
    return jitffi.Function.from_packed(address, name=name, keep_alive=library)(*arguments)


def dynamic(path: Path) -> str:
    needs("readelf")
    return subprocess.run(["readelf", "-dW", str(path)], capture_output=True, text=True, check=True).stdout


def only(directory: Path, monkeypatch, **programs: str) -> None:
    """Let PATH have nothing but these, by their names here, and what they need themselves."""
    directory.mkdir()
    for name, program in programs.items():
        found = shutil.which(program)
        if found is None:
            pytest.skip(f"{program} is not installed")
        script = directory / name.replace("_", "-")
        script.write_text(f'#!/bin/sh\nPATH={shlex_path()} exec {found} "$@"\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(directory))


def shlex_path() -> str:
    import shlex

    return shlex.quote(os.environ["PATH"])


# -- this machine ------------------------------------------------------------------------------------------------

LINKERS = ["cc", "gcc", "clang", "ld", "ld.lld", "ld.gold", "gcc -fuse-ld=lld", pytest.param(f"{ZIG} ld.lld", id="zig")]


@pytest.mark.parametrize("linker", LINKERS)
def test_each_linker_makes_a_library_that_can_be_called(linker, tmp_path, monkeypatch):
    needs(*linker.split()[:1])
    if "ziglang" in linker and not HAS_ZIG:
        pytest.skip("ziglang is not installed")
    if "=lld" in linker:
        needs("ld.lld")
    monkeypatch.setenv("JITFFI_LINKER", linker)
    path = jitffi.emit(LABS, tmp_path / "liblabs.so")
    assert call(path, "labs", -5) == 5
    with pytest.raises(TypeError, match="labs: argument 1 'x': expected i64, got str 'a'"):
        call(path, "labs", "a")
    first = path.read_bytes()
    assert jitffi.emit(LABS, path).read_bytes() == first
    found = dynamic(path)
    assert "[libjitffi_runtime.so]" in found
    assert "SONAME" in found and "[liblabs.so]" in found
    assert "RPATH" not in found and "RUNPATH" not in found and str(tmp_path) not in found


def test_what_needs_nothing_of_the_runtime_does_not_need_the_runtime(tmp_path):
    path = jitffi.emit("twice: (x: i64) -> i64", tmp_path / "x.so", entry="c", callee="c", callee_name="labs")
    assert "jitffi_runtime" not in dynamic(path)
    library = ctypes.CDLL(str(path))
    library.twice.restype, library.twice.argtypes = ctypes.c_int64, [ctypes.c_int64]
    assert library.twice(-7) == 7


def test_a_callee_may_be_missing_until_the_library_is_loaded(tmp_path):
    path = jitffi.emit("not_there_at_all: (x: i64) -> i64", tmp_path / "x.so")
    with pytest.raises(OSError, match="undefined symbol: not_there_at_all"):
        ctypes.CDLL(str(path), mode=os.RTLD_NOW)


def test_objects_and_libraries_are_linked_in(tmp_path):
    needs("cc", "ar")
    (tmp_path / "abs.c").write_text("#include <stdint.h>\nint64_t labs(int64_t x) { return x + 1000; }\n")
    (tmp_path / "z.c").write_text("unsigned long zlibCompileFlags(void); unsigned long z(void) { return 77; }\n")
    for name in ("abs", "z"):
        subprocess.run(["cc", "-fPIC", "-c", f"{name}.c"], check=True, cwd=tmp_path)
    subprocess.run(["ar", "rcs", "libz.a", "z.o"], check=True, cwd=tmp_path)
    sigs = [LABS, "unsigned long z(void);"]
    made = jitffi.emit(sigs, tmp_path / "x.so", link=[tmp_path / "abs.o", f"-L{tmp_path}", "-lz"])
    # Ours, and not the C library's, which was there before.
    assert (call(made, "labs", -5), call(made, "z")) == (995, 77)


def test_an_object_of_several(tmp_path):
    needs("cc", "nm")
    (tmp_path / "abs.c").write_text("#include <stdint.h>\nint64_t labs(int64_t x) { return x + 1000; }\n")
    subprocess.run(["cc", "-fPIC", "-c", "abs.c"], check=True, cwd=tmp_path)
    made = jitffi.emit(LABS, tmp_path / "both.o", link=tmp_path / "abs.o")
    shown = subprocess.run(["nm", "-g", made], capture_output=True, text=True, check=True).stdout
    names = {tuple(line.split()[-2:]) for line in shown.splitlines()}
    assert {("T", "labs"), ("T", "__jf_labs"), ("R", "__jfsig_labs")} <= names


def test_what_a_linker_says_is_one_line(tmp_path):
    (tmp_path / "garbage.o").write_text("garbage")
    with pytest.raises(LinkError) as raised:
        jitffi.emit(LABS, tmp_path / "x.so", link=tmp_path / "garbage.o")
    assert "cannot link this: " in str(raised.value)
    assert "garbage.o" in str(raised.value) and "\n" not in str(raised.value)
    assert not (tmp_path / "x.so").exists()


# -- extension modules -------------------------------------------------------------------------------------------


def imported(where: Path, program: str) -> str:
    """What a Python without the package and without site-packages says."""
    command = [sys.executable, "-I", "-S", "-c", f"import sys; sys.path.insert(0, {str(where)!r}); {program}"]
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60).stdout


@pytest.mark.parametrize("linker", ["cc", "clang", "ld", "ld.lld", pytest.param(f"{ZIG} ld.lld", id="zig")])
def test_each_linker_makes_an_extension_module(linker, tmp_path, monkeypatch):
    needs(*linker.split()[:1])
    if "ziglang" in linker and not HAS_ZIG:
        pytest.skip("ziglang is not installed")
    monkeypatch.setenv("JITFFI_LINKER", linker)
    sigs = ["labs: (x: i64 = -3) -> i64", "strtol: (text: cstr, end: ptr = None, base: i32 = 10) -> i64"]
    path = jitffi.emit(sigs, tmp_path / "numbers.so", entry="python")
    program = "import numbers_ as n; print(n.labs(-5), n.labs(), n.strtol('ff', base=16))"
    path.rename(tmp_path / "numbers_.so")
    with pytest.raises(subprocess.CalledProcessError):
        imported(tmp_path, program)  # it is another module's name now
    jitffi.emit(sigs, tmp_path / "numbers_.so", entry="python")
    assert imported(tmp_path, program) == "5 3 255\n"
    first = (tmp_path / "numbers_.so").read_bytes()
    assert jitffi.emit(sigs, tmp_path / "numbers_.so", entry="python").read_bytes() == first
    assert "jitffi" not in dynamic(tmp_path / "numbers_.so") and str(tmp_path) not in dynamic(tmp_path / "numbers_.so")


def test_an_extension_module_of_many_functions(tmp_path):
    needs("cc")
    number = parallel.PIECE + 5
    functions = "".join(
        f"int64_t q{i}(int64_t a, int64_t (*f)(int64_t)) {{ return f(a) + {i}; }}\n" for i in range(number)
    )
    (tmp_path / "q.c").write_text(f"#include <stdint.h>\n{functions}")
    subprocess.run(["cc", "-fPIC", "-c", "q.c"], check=True, cwd=tmp_path)
    sigs = {f"q{i}": jitffi.Signature.parse("(a: i64, f: func[(i64) -> i64]) -> i64") for i in range(number)}
    out = tmp_path / "many.abi3.so"
    made = [jitffi.emit(sigs, out, entry="python", link=tmp_path / "q.o", jobs=j).read_bytes() for j in (1, 2)]
    assert made[0] == made[1]
    program = f"import many; print([getattr(many, f'q{{i}}')(10, lambda x: 2 * x) for i in range({number})])"
    assert imported(tmp_path, program) == f"{[20 + i for i in range(number)]}\n"


# -- which one is taken ------------------------------------------------------------------------------------------


def test_the_variables_come_first(tmp_path, monkeypatch):
    needs("cc", "ld")
    for variable, program in (("CC", "cc"), ("LD", "ld")):
        script = tmp_path / f"my-{program}"
        script.write_text(f'#!/bin/sh\necho used >> {tmp_path}/{variable}.log\nexec {shutil.which(program)} "$@"\n')
        script.chmod(0o755)
        monkeypatch.setenv(variable, str(script))
    jitffi.emit(LABS, tmp_path / "x.so")
    assert (tmp_path / "CC.log").exists() and not (tmp_path / "LD.log").exists()
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC")
    jitffi.emit(LABS, tmp_path / "x.so")
    assert (tmp_path / "LD.log").exists()
    monkeypatch.setenv("JITFFI_LINKER", str(tmp_path / "none"))
    with pytest.raises(LinkError, match="JITFFI_LINKER=.*none: no such program; name one that links for"):
        jitffi.emit(LABS, tmp_path / "x.so")


def test_the_variables_may_have_options(tmp_path, monkeypatch):
    needs("gcc", "env")
    monkeypatch.setenv("CC", "env NAME='a b' gcc -pthread")
    monkeypatch.setenv("LD", "env ld --no-such-option")
    tool = system_linker.find("so", HOST)
    assert tool.compiler and tool.command == (shutil.which("env"), "NAME=a b", "gcc", "-pthread")
    assert call(jitffi.emit(LABS, tmp_path / "x.so"), "labs", -6) == 6
    monkeypatch.setenv("CC", "no quote'")
    assert system_linker.find("so", HOST).compiler


def test_a_compiler_for_another_machine_is_not_taken_for_this_one(tmp_path, monkeypatch):
    script = tmp_path / "cross"
    script.write_text("#!/bin/sh\necho sparc64-linux-gnu\n")
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    assert all(tool.command != (str(script),) for tool in system_linker._candidates(HOST))


@pytest.mark.parametrize("name", ["ld_lld_14", "ld_lld", "ld"])
def test_names_that_linkers_have(name, tmp_path, monkeypatch):
    program = "ld" if name == "ld" else "ld.lld"
    only(tmp_path / "bin", monkeypatch, **{name: program})
    if name != "ld":
        dashed = {"ld_lld_14": "ld.lld-14", "ld_lld": "ld.lld"}[name]
        (tmp_path / "bin" / name.replace("_", "-")).rename(tmp_path / "bin" / dashed)
    assert not system_linker.find("so", HOST).compiler
    assert call(jitffi.emit(LABS, tmp_path / "x.so"), "labs", -6) == 6


@pytest.mark.skipif(not HAS_ZIG, reason="ziglang is not installed")
@pytest.mark.parametrize("triple", [None, *FOREIGN, WASM])
def test_the_package_alone_links_for_every_target(triple, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    tool = system_linker.find("so", Target.of(triple))
    assert tool.command[:3] == (sys.executable, "-m", "ziglang")
    made = jitffi.emit(LABS, tmp_path / ("x.wasm" if triple == WASM else "x.so"), target=triple)
    if triple is None:
        assert call(made, "labs", -6) == 6


MISSING = {
    None: "install gcc, clang or lld, or ziglang from PyPI",
    "aarch64-unknown-linux-gnu": "install gcc-aarch64-linux-gnu or lld, or ziglang from PyPI",
    "x86_64-unknown-linux-musl": "install gcc-x86-64-linux-musl or lld, or ziglang from PyPI",
    WASM: "install lld (for its wasm-ld), or ziglang from PyPI",
    "aarch64-apple-darwin": "install lld, or ziglang from PyPI",
}


@pytest.mark.parametrize("triple", MISSING)
def test_without_any_the_error_says_what_to_install(triple, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(system_linker, "_ziglang", lambda program: iter(()))
    out = tmp_path / ("x.wasm" if triple == WASM else "x.so")
    with pytest.raises(LinkError) as raised:
        jitffi.emit(LABS, out, target=triple)
    name = Target.of(triple).triple
    assert str(raised.value) == f"no linker for {name}: {MISSING[triple]}, or name one in JITFFI_LINKER"
    assert isinstance(raised.value, OSError)
    assert list(tmp_path.iterdir()) == []
    assert jitffi.emit(LABS, tmp_path / "x.o", target=triple).exists()  # which takes none


# -- other machines ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("linker", ["its compiler", "ld.lld"])
@pytest.mark.parametrize("triple", FOREIGN)
def test_libraries_for_other_machines(triple, linker, tmp_path, monkeypatch):
    if linker == "ld.lld":
        needs("ld.lld")
        monkeypatch.setenv("JITFFI_LINKER", "ld.lld")
    else:
        needs(f"{triple}-gcc")
        assert system_linker.find("so", Target.of(triple)).command == (shutil.which(f"{triple}-gcc"),)
    made = jitffi.emit(LABS, tmp_path / "x.so", target=triple)
    head = made.read_bytes()[:20]
    assert head[:4] == b"\x7fELF" and int.from_bytes(head[18:20], "little") == FOREIGN[triple]
    assert "[libjitffi_runtime.so]" in dynamic(made)
    assert "RUNPATH" not in dynamic(made)
    plain = jitffi.emit(LABS, tmp_path / "y.so", target=triple, entry="c", callee="c", callee_name="g")
    assert "[libjitffi_runtime.so]" not in dynamic(plain)


# -- WebAssembly -------------------------------------------------------------------------------------------------


def wasm_names(data: bytes) -> tuple[set[str], set[str]]:
    """The imports, as module.name, and the exports of a WebAssembly module."""
    at = 8

    def number() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def name() -> str:
        nonlocal at
        size = number()
        at += size
        return data[at - size : at].decode()

    imports, exports = set(), set()
    while at < len(data):
        section = data[at]
        at += 1
        size = number()
        end = at + size
        if section == 2:
            for _ in range(number()):
                imports.add(f"{name()}.{name()}")
                kind = number()
                if kind == 0:
                    number()
                elif kind == 3:
                    at += 2
                else:
                    at += kind == 1
                    flags = number()
                    for _ in range(1 + (flags & 1)):
                        number()
        elif section == 7:
            for _ in range(number()):
                exports.add(name())
                at += 1
                number()
        at = end
    return imports, exports


@pytest.mark.parametrize("linker", ["wasm-ld", "clang", pytest.param(f"{ZIG} wasm-ld", id="zig")])
def test_a_wasm_module(linker, tmp_path, monkeypatch):
    needs(linker, "wasm-ld") if "zig" not in linker else None
    if "ziglang" in linker and not HAS_ZIG:
        pytest.skip("ziglang is not installed")
    monkeypatch.setenv("JITFFI_LINKER", linker)
    made = jitffi.emit([LABS, "text: (str) -> str"], tmp_path / "x.wasm")
    imports, exports = wasm_names(made.read_bytes())
    assert {"memory", "__jf_labs", "__jfsig_labs", "__jf_text", "__jfsig_text", "__jfabi"} <= exports
    assert {"env.labs", "env.text", "env.jf_lift_scalar"} <= imports
    assert all(name.startswith("env.") for name in imports)
    first = made.read_bytes()
    assert jitffi.emit([LABS, "text: (str) -> str"], made).read_bytes() == first


def test_a_wasm_module_with_what_it_calls(tmp_path):
    needs("wasm-ld")
    plain = {"entry": "c", "callee": "c", "target": WASM}
    inner = jitffi.emit("labs: (i64) -> i64", tmp_path / "labs.o", callee_name="deeper", **plain)
    made = jitffi.emit("outer: (i64) -> i64", tmp_path / "x.wasm", callee_name="labs", link=inner, **plain)
    imports, exports = wasm_names(made.read_bytes())
    assert imports == {"env.deeper"}
    assert {"memory", "outer"} <= exports and "labs" not in exports
