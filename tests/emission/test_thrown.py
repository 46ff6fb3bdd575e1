"""C++ exceptions behind emitted files: they become errors where the entry can report one, and pass where it cannot."""

from __future__ import annotations

import ctypes
import resource
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest
from support.cross import MACHINES, RUNTIME
from support.extension import COMPILER, HOST, emit, load

import jitffi
from jitffi.base import config
from jitffi.emission import adapter_modules
from jitffi.link import merge
from jitffi.link import system_linker as linker
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

CXX = shutil.which("g++")
pytestmark = pytest.mark.skipif(
    COMPILER is None or CXX is None or not object_files.catches(HOST), reason="no C++ for Linux"
)

SOURCE = r"""
#include <stdexcept>
#include <string>
#include <cstdint>
static int64_t destroyed;
struct Guard { ~Guard() { destroyed++; } };
extern "C" {
int64_t thrower(int64_t x) {
  Guard guard;
  if (x < 0) throw std::runtime_error("negative " + std::to_string(x));
  return x;
}
int32_t text(const char* data, size_t size, void* list, void* out) { throw std::out_of_range(std::string(data, size)); }
void wide(const void* data, size_t size) { throw std::length_error("wide"); }
void nothing(void) { throw 42; }
int64_t call(int64_t (*f)(int64_t), int64_t x) { Guard guard; return f(x) + 1; }
int64_t (*pick(void))(int64_t) { return thrower; }
extern const char __jfsig_packed[] = "() -> void";
int32_t __jf_packed(void*, int32_t, const void*, void*) { throw std::invalid_argument("packed"); }
int64_t how_many(void) { return destroyed; }
}
"""
SIGNATURES = {
    "thrower": "(x: i64) -> i64",
    "text": "(text: str, items: list[i64]) -> any",
    "wide": "(text: ucs4) -> void",
    "nothing": "() -> void",
    "call": "(f: func[(i64) -> i64], x: i64) -> i64",
    "pick": "() -> func[(i64) -> i64]",
    "how_many": "() -> i64",
}


@pytest.fixture(scope="module")
def callees(tmp_path_factory):
    """The object of the C++ source."""
    folder = tmp_path_factory.mktemp("thrown")
    (folder / "callees.cpp").write_text(SOURCE)
    command = [CXX, "-std=c++17", "-O1", "-fPIC", "-c", "callees.cpp", "-o", "callees.o"]
    subprocess.run(command, cwd=folder, check=True, timeout=120)
    return folder / "callees.o"


def check(module):
    f, before = module.thrower, module.how_many()
    for _ in range(50):
        assert f(3) == 3
        with pytest.raises(RuntimeError, match=r"^thrower: std::runtime_error: negative -1$"):
            f(-1)
    assert module.how_many() == before + 100
    with pytest.raises(RuntimeError, match=r"^nothing: int$"):
        module.nothing()
    for _ in range(50):
        with pytest.raises(IndexError, match=r"^text: std::out_of_range: what it says$"):
            module.text("what it says", [1, 2])
        with pytest.raises(ValueError, match=r"^wide: std::length_error: wide$"):
            module.wide("a text that is converted for the call")
    with pytest.raises(RuntimeError, match="negative -4"):
        module.call(f, -4)
    with pytest.raises(RuntimeError, match="negative -5"):
        module.call(lambda x: f(x), -5)
    with pytest.raises(ZeroDivisionError):
        module.call(lambda x: 1 // 0, -5)
    picked = module.pick()
    with pytest.raises(RuntimeError, match="negative -6"):
        picked(-6)
    assert picked(6) == module.call(lambda x: 2 * x, 3) - 1 == 6


def linkers():
    """The compiler, and linkers alone, which are told less."""
    return [tool for tool in ("gcc", "clang", "ld.lld", "ld") if shutil.which(tool)]


@pytest.mark.parametrize("tool", linkers())
@pytest.mark.parametrize("level", [0, 2])
def test_extension_modules_raise(tool, level, callees, tmp_path, monkeypatch):
    monkeypatch.setenv("JITFFI_LINKER", tool)
    entries = emit(tmp_path / "entries.o", SIGNATURES, module=f"thrown{level}", opt=level)
    made = tmp_path / f"thrown{level}.so"
    found = subprocess.run([CXX, "-print-file-name=libstdc++.so"], capture_output=True, text=True, check=True)
    exports = [f"PyInit_thrown{level}"]
    libraries = [found.stdout.strip()]
    linker.link([entries, callees], made, kind="python", target=HOST, libraries=libraries, exports=exports)
    check(load(made))


def test_a_packed_callee_of_an_extension_module(callees, tmp_path):
    entries = emit(tmp_path / "entries.o", {"packed": "(i64, str) -> i64"}, callee="packed", module="throwing")
    made = tmp_path / "throwing.so"
    linker.link(
        [entries, callees], made, kind="python", target=HOST, libraries=["-lstdc++"], exports=["PyInit_throwing"]
    )
    with pytest.raises(ValueError, match=r"^packed: std::invalid_argument: packed$"):
        load(made).packed(1, "a text that is kept for the call")


@pytest.mark.parametrize("form", ["object", "library", "merged"])
@pytest.mark.parametrize("level", [0, 2])
def test_packed_entries_fail(form, level, callees, tmp_path):
    entries = emit(tmp_path / "entries.o", SIGNATURES, entry="packed", opt=level)
    if form == "merged":
        parts = [emit(tmp_path / f"{name}.o", {name: sig}, entry="packed") for name, sig in SIGNATURES.items()]
        entries.write_bytes(merge.merge([part.read_bytes() for part in parts]))
    if form != "object":
        made = tmp_path / "entries.so"
        linker.link([entries, callees], made, kind="so", target=HOST, libraries=["-lstdc++"])
    else:
        made = tmp_path / "both.o"
        linker.link([entries, callees], made, kind="relocatable", target=HOST)
        ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
    module = jitffi.load_module(str(made))
    check(module)
    before = jitffi._core.live_objects()
    check(module)
    assert jitffi._core.live_objects() <= before


def test_what_a_packed_entry_converted_is_released(callees, tmp_path):
    """Called with UTF-8, of which the entry makes UCS-4."""
    ctypes.CDLL("libstdc++.so.6", mode=ctypes.RTLD_GLOBAL)
    entries = emit(tmp_path / "entries.o", {"wide": SIGNATURES["wide"]}, entry="packed")
    wide = jitffi.Function(jitffi.load_module(str(entries), str(callees)).wide)
    untyped = jitffi.Function.from_packed(wide.packed_address, self_handle=wide.handle)
    text = "x" * (1 << 18)

    def grown():
        before = resident()
        for _ in range(50):
            with pytest.raises(ValueError, match=r"^wide: std::length_error: wide$"):  # the entry's own words
                untyped(text)
        return resident() - before

    grown()
    assert grown() < 20 << 20


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


@pytest.mark.parametrize("entry", ["packed", "python"])
def test_scripts_raise(entry, callees, tmp_path):
    library = tmp_path / "libcallees.so"
    subprocess.run([CXX, "-shared", "-o", library, callees], check=True, timeout=60)
    thrower = jitffi.load_library(str(library)).bind("thrower", "(x: i64) -> i64")

    def summed(x: int) -> str:
        made = ["a long text that lies on the heap " * 3 + str(x)]
        made.append(str(thrower(x) + thrower(2)))
        return made[1]

    made = tmp_path / "summing.so"
    jitffi.emit(jitffi.script(summed), made, entry=entry, link=[library])
    if entry == "packed":
        ctypes.CDLL(str(config.script_library_file()))  # it is found by its name
    module = load(made) if entry == "python" else jitffi.load_module(str(made))
    assert module.summed(3) == "5"
    before = jitffi._core.live_objects()
    for _ in range(20):
        with pytest.raises(RuntimeError, match=r"^thrower: std::runtime_error: negative -1$"):
            module.summed(-1)
    assert jitffi._core.live_objects() <= before


PROGRAM = r"""
#include <cstdio>
#include <stdexcept>
#include "jitffi/runtime.h"
extern "C" {
int32_t __jf_thrower(void*, int32_t, const jf_view*, jf_value*);
int32_t given_slot(int64_t, const char*, size_t, jf_value*);
int64_t passing(const char*);
int64_t thrower(int64_t x) { throw std::range_error("from the callee"); }
int32_t __jf_given_slot(void*, int32_t, const jf_view*, jf_value*) { throw std::domain_error("packed"); }
int32_t __jf_passing(void*, int32_t, const jf_view*, jf_value*) { throw std::domain_error("passes"); }
}
static void say(int32_t status) {
  jf_error* error = (jf_error*)jf_error_take();
  std::printf("%d %s: %s\n", (int)status, error->kind->data, error->message->data);
  jf_object_release(&error->header);
}
int main() {
  jf_view x = {};
  x.type_code = JF_INT;
  jf_value out;
  jf_out_init(&out, 8);
  say(__jf_thrower(nullptr, 1, &x, &out));
  jf_out_init(&out, 8);
  say(given_slot(1, "text", 4, &out));
  try { passing("a"); } catch (std::exception& error) { std::printf("%s\n", error.what()); }
}
"""


SAID = """\
-1 ValueError: thrower: std::range_error: from the callee
-1 ValueError: given_slot: std::domain_error: packed
passes
"""
#: No library is loaded there that could be asked what it is.
SAID_ALONE = """\
-1 RuntimeError: thrower: a C++ exception
-1 RuntimeError: given_slot: a C++ exception
passes
"""


@pytest.mark.parametrize("compiler", ["g++", "clang++", "g++ -static", "aarch64-linux-gnu-g++ -static"])
@pytest.mark.parametrize("level", [0, 2])
def test_programs_of_cpp(compiler, level, tmp_path):
    command = shlex.split(compiler)
    if shutil.which(command[0]) is None:
        pytest.skip(f"no {command[0]}")
    is_static = "-static" in command
    where = MACHINES["aarch64" if "aarch64" in compiler else "host"]
    where.need()
    target = Target.of(where.triple)
    objects = []
    for entry, callee, texts in (
        ("packed", "c", {"thrower": "(i64) -> i64"}),
        ("c", "packed", {"given_slot": "(i64, str) -> any", "passing": "(cstr) -> i64"}),
    ):
        sigs = {name: Signature.parse(text) for name, text in texts.items()}
        text = adapter_modules.module_text(sigs, entry=entry, callee=callee, target=target)
        objects.append(tmp_path / f"{entry}.o")
        objects[-1].write_bytes(object_files.compile_text(text, target, level, "o"))
    (tmp_path / "main.cpp").write_text(PROGRAM)
    libraries = where.libraries() if where.triple else shlex.split(config.flags("static" if is_static else "libs"))
    includes = ["-I", str(RUNTIME / "include")]
    command += ["-w", *includes, "-o", "program", "main.cpp", *map(str, objects), *libraries, "-pthread", "-lm"]
    subprocess.run(command, cwd=tmp_path, check=True, timeout=120)
    assert where.run(tmp_path / "program") == (SAID_ALONE if is_static else SAID)
