"""The C runtime on other targets: built with the toolchain files that it is installed with, its own tests run in an
emulator, and a project that finds it there by `find_package(jitffi)`."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from support.builds import RUNTIME, build, cross_runtime, generator, run

from jitffi.base import config

#: target -> what it is built with, what it is run with, and the distribution's packages of both
TARGETS = {
    "aarch64-linux-gnu": (["aarch64-linux-gnu-gcc"], ["qemu-aarch64", "qemu-aarch64-static"], "gcc-aarch64-linux-gnu"),
    "riscv64-linux-gnu": (["riscv64-linux-gnu-gcc"], ["qemu-riscv64", "qemu-riscv64-static"], "gcc-riscv64-linux-gnu"),
    "armv7-linux-gnueabihf": (["arm-linux-gnueabihf-gcc"], ["qemu-arm", "qemu-arm-static"], "gcc-arm-linux-gnueabihf"),
    "wasm32-wasi": (["clang", "wasm-ld"], ["node", "nodejs"], "clang lld wasi-libc libclang-rt-dev-wasm32"),
}
#: What differs between targets: layouts, machine code, slots and text. The rest is left to native machines.
SELECTED = ("closure", "code", "emitted", "error", "lift", "slot", "boxing", "str_core", "list", "map", "value", "repr")
SELECTED += ("script_text", "script_methods", "script_lists", "types", "array")
WASI_HEADERS = Path(os.environ.get("WASI_SYSROOT", "/usr/include/wasm32-wasi"))
CMAKE, NINJA = shutil.which("cmake"), shutil.which("ninja")

pytestmark = [
    pytest.mark.skipif(CMAKE is None, reason="no cmake: pip install '.[test]' brings one"),
    pytest.mark.skipif(NINJA is None and shutil.which("make") is None, reason="neither ninja nor make"),
]

PROJECT = """
cmake_minimum_required(VERSION 3.20)
project(consumer C)
find_package(jitffi REQUIRED)
add_executable(consumer consumer.c)
target_compile_options(consumer PRIVATE -Wall -Wextra -Werror)
target_link_libraries(consumer PRIVATE jitffi::runtime_static)
add_executable(other consumer.c)
target_link_libraries(other PRIVATE jitffi::runtime)
foreach(kind IN ITEMS script script_static)
  add_executable(of_${kind} text.c)
  target_link_libraries(of_${kind} PRIVATE jitffi::${kind})
endforeach()
enable_testing()
add_test(NAME consumer COMMAND consumer)
"""
CONSUMER = """
#include <jitffi/containers.h>
#include <jitffi/emitted.h>
#include <stdio.h>

static int32_t add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  if (num_args != 2) return -1;
  out->type_code = JF_INT;
  out->small_len = 0;
  out->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

int main(void) {
  jf_object* function = jf_function_new(add, NULL, NULL, "(i64, i64) -> i64");
  const jf_view args[2] = {{.type_code = JF_INT, .v_int64 = INT64_MAX - 1}, {.type_code = JF_INT, .v_int64 = 1}};
  jf_value out;
  jf_out_init(&out, 8);
  if (jf_function_call(function, 2, args, &out) != 0) return 1;
  printf("%lld\\n", (long long)out.v_int64);
  jf_out_init(&out, 8);
  if (jf_function_call(function, 1, args, &out) == 0) return 2;
  jf_error* error = (jf_error*)jf_error_take();
  printf("%s: %s\\n", error->kind->data, error->message->data);
  jf_object_release(&error->header);
  jf_object_release(function);
  return jf_live_objects() != 0;
}
"""
TEXT = """
#include <jitffi/script.h>
#include <stdio.h>

int main(void) {
  const jf_text text = {U"\\u00C9T\\u00C9", 3, 1};
  jf_value out;
  jf_out_init(&out, 8);
  if (jf_text_lower(&text, &out) != 0) return 1;
  printf("%x\\n", (unsigned)((const jf_ucs4*)out.v_object)->data[2]);
  jf_any_release(&out);
  return jf_live_objects() != 0;
}
"""
PRINTED = "9223372036854775807\nRuntimeError: a packed function failed without setting an error\n"


def missing(target: str) -> str:
    """Why nothing can be built for it here, or ""."""
    tools, _, packages = TARGETS[target]
    absent = [tool for tool in tools if shutil.which(tool) is None]
    if target.startswith("wasm32") and not WASI_HEADERS.exists():
        absent.append("wasi-libc")
    return f"no {' and no '.join(absent)} (packages: {packages})" if absent else ""


def is_tested(target: str) -> bool:
    """Whether the runtime's own tests run there: one machine of 64 bits and one of 32 stand for all."""
    return target in ("aarch64-linux-gnu", "wasm32-wasi") or bool(os.environ.get("JITFFI_TARGETS"))


def emulator(target: str) -> str | None:
    return next((found for name in TARGETS[target][1] if (found := shutil.which(name))), None)


def configure(source: Path, folder: Path, toolchain: Path, *options: str) -> None:
    run(CMAKE or "", "-S", source, "-B", folder, *generator(), f"-DCMAKE_TOOLCHAIN_FILE={toolchain}", *options)


@pytest.fixture(scope="module", params=TARGETS)
def built(request: pytest.FixtureRequest) -> tuple[str, Path]:
    target = request.param
    if reason := missing(target):
        pytest.skip(reason)
    folder = cross_runtime(target)
    wanted = [f"test_{name}" for name in SELECTED] if is_tested(target) else []
    if not target.startswith("wasm32"):
        wanted += ["runtime", "script", "more"]
    build(folder, *wanted)
    return target, folder


def test_the_runtimes_own_tests_pass(built: tuple[str, Path]) -> None:
    target, folder = built
    if emulator(target) is None:
        pytest.skip(f"no {TARGETS[target][1][0]} to run them with")
    if not is_tested(target):
        pytest.skip("others stand for it: this one by JITFFI_TARGETS=all")
    tests = "|".join(SELECTED)
    text = run(folder_tool("ctest"), "--test-dir", folder, "-j2", "-V", "-R", f"^test_({tests})$")
    assert re.search(rf"100% tests passed(, 0 tests failed)? out of {len(SELECTED)}", text), text
    assert len(re.findall(r": [1-9]\d* passed, 0 failed", text)) == len(SELECTED), text


def folder_tool(name: str) -> Path:
    """The tool of that name which came with cmake."""
    return Path(CMAKE or "").with_name(name)


def test_a_project_finds_it(built: tuple[str, Path], tmp_path: Path) -> None:
    target, folder = built
    run(CMAKE or "", "--install", folder, "--prefix", tmp_path / "prefix")
    package = next((tmp_path / "prefix").rglob("jitffiConfig.cmake")).parent
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(PROJECT)
    (project / "consumer.c").write_text(CONSUMER)
    (project / "text.c").write_text(TEXT)
    installed_toolchain = package / "toolchains" / f"{target}.cmake"
    configure(project, tmp_path / "build", installed_toolchain, f"-Djitffi_DIR={package}")
    run(CMAKE or "", "--build", tmp_path / "build")
    if emulator(target) is None:
        pytest.skip(f"built, but no {TARGETS[target][1][0]} to run it with")
    printed = run(folder_tool("ctest"), "--test-dir", tmp_path / "build", "-V")
    assert [line.partition(": ")[2] for line in printed.splitlines() if line.startswith("1: ")][-2:] == PRINTED.split(
        "\n"
    )[:2]


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler")
def test_a_project_finds_the_one_of_this_package(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    (tmp_path / "consumer.c").write_text(CONSUMER)
    (tmp_path / "text.c").write_text(TEXT)
    package = f"-Djitffi_DIR={config.cmake_dir()}"
    run(CMAKE or "", "-S", tmp_path, "-B", tmp_path / "build", *generator(), package)
    run(CMAKE or "", "--build", tmp_path / "build")
    for program in ("consumer", "other"):
        assert run(tmp_path / "build" / program) == PRINTED
    for program in ("of_script", "of_script_static"):
        assert run(tmp_path / "build" / program) == "e9\n"


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("header", sorted(path.name for path in (RUNTIME / "include/jitffi").glob("*.h")))
def test_headers_are_clean_there(target: str, header: str, tmp_path: Path) -> None:
    if reason := missing(target):
        pytest.skip(reason)
    compiler = TARGETS[target][0][0]
    (tmp_path / "header.c").write_text(f'#include "jitffi/{header}"\nint unused_here;\n')
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", "-pedantic", "-fsyntax-only", "-I", RUNTIME / "include"]
    to = ["--target=wasm32-wasi"] if compiler == "clang" else []
    run(compiler, *to, *strict, tmp_path / "header.c")
    if compiler == "clang" and shutil.which("clang++"):
        strict[0] = "-std=c++17"
        run("clang++", *to, *strict, "-xc++", tmp_path / "header.c")


@pytest.mark.parametrize("built", ["wasm32-wasi"], indirect=True)
def test_a_wasm_module_needs_nothing_of_its_host(tmp_path: Path, built: tuple[str, Path]) -> None:
    """With all of the runtime in it, it runs where there is no WASI: nothing is imported."""
    target, folder = built
    if (node := emulator(target)) is None:
        pytest.skip("no node to run it with")
    (tmp_path / "all.c").write_text('__attribute__((export_name("one"))) int one(void) { return 1; }')
    linked = ["-mexec-model=reactor", "-Wl,--whole-archive", folder / "libjitffi_runtime.a", "-Wl,--no-whole-archive"]
    run("clang", "--target=wasm32-wasi", tmp_path / "all.c", *linked, "-o", tmp_path / "all.wasm")
    script = """
        const module = new WebAssembly.Module(require("fs").readFileSync(process.argv[1]));
        const { exports } = new WebAssembly.Instance(module, {});
        exports._initialize();
        console.log(exports.one(), WebAssembly.Module.imports(module).length);
    """
    assert run(node, "-e", script, tmp_path / "all.wasm") == "1 0\n"
