"""A C project outside the repository, made with the installed package and run where there is no Python.

    python outside.py        as `make test-install` calls it, with the package that this Python has

Object and header come from `jitffi emit`, flags from `jitffi config` or the CMake package. The program is run in an
empty root directory: nothing is there but the program and the shared libraries that it asks for.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SIGS = """\
join: (words: list[str], between: str = ", ") -> str
scale: (x: f64, by: i8) -> f64
sum_of: (count: i64, each: func[(i64) -> i64]) -> i64
"""
MAIN = r"""
#include "text.h"

#include <jitffi/containers.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What text.h asks for. */
int32_t join(jf_object* words, const char* between, size_t between_size, jf_value* out) {
  char text[256];
  size_t size = 0;
  for (size_t i = 0; i < jf_list_size(words); i++) {
    jf_value word;
    jf_out_init(&word, 8);
    if (jf_list_get(words, (int64_t)i, &word) != 0) return -1;
    const char* data = word.type_code == JF_SMALL_STR ? word.v_bytes : ((const jf_str*)word.v_object)->data;
    size_t more = strlen(data);
    if (size + more + between_size > sizeof text) {
      jf_any_release(&word);
      jf_error_set("ValueError", "too long to be joined");
      return -1;
    }
    if (i > 0) memcpy(text + size, between, between_size), size += between_size;
    memcpy(text + size, data, more), size += more;
    jf_any_release(&word);
  }
  return jf_out_str(out, text, size);
}
double scale(double x, int8_t by) { return x * by; }
int64_t sum_of(int64_t count, int64_t (*each)(int64_t)) {
  int64_t sum = 0;
  for (int64_t i = 0; i < count; i++) sum += each(i);
  return sum;
}

static jf_view view(int32_t code) {
  jf_view made;
  memset(&made, 0, sizeof made);
  made.type_code = code;
  return made;
}
static jf_view integer(int64_t value) {
  jf_view made = view(JF_INT);
  made.v_int64 = value;
  return made;
}
static jf_view text(const char* data) {
  jf_view made = view(JF_RAW_STR);
  made.v_raw_str = data;
  return made;
}
static jf_view object(jf_object* object) {
  jf_view made = view(object->type_code == JF_FUNCTION ? JF_FUNCTION : JF_OBJECT);
  made.v_object = object;
  return made;
}

static void show(int32_t status, jf_value* value) {
  if (status != 0) {
    jf_error* error = (jf_error*)jf_error_take();
    printf("%s: %s\n", error->kind->data, error->message->data);
    jf_object_release((jf_object*)error);
    return;
  }
  jf_value said = view(JF_NULL);
  if (jf_any_repr(value, &said) != 0) exit(1);
  puts(said.type_code == JF_SMALL_STR ? said.v_bytes : ((const jf_str*)said.v_object)->data);
  jf_any_release(&said);
  jf_any_release(value);
}
#define CALL(function, ...)                                                           \
  do {                                                                                \
    const jf_view args[] = {__VA_ARGS__};                                             \
    jf_value out = view(JF_NULL);                                                     \
    show(function(NULL, (int32_t)(sizeof args / sizeof args[0]), args, &out), &out);  \
  } while (0)

/* A callback with a state, which becomes a C function for the length of a call; and one that fails. */
static int32_t square(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self;
  (void)count;
  *out = integer(args->v_int64 * args->v_int64);
  return 0;
}
static int32_t fail_at_3(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  if (args->v_int64 < 3) return square(self, count, args, out);
  jf_error_set("KeyError", "not with 3");
  return -1;
}

int main(void) {
  const jf_view words[] = {text("grüße"), text("from"), text("a place without Python")};
  jf_object* list = jf_list_of(words, 3, -1);
  jf_object* callback = jf_function_new(square, NULL, NULL, NULL);
  jf_object* failing = jf_function_new(fail_at_3, NULL, NULL, NULL);
  puts(__jfsig_join);
  CALL(__jf_join, object(list));
  CALL(__jf_join, object(list), text(" - "));
  CALL(__jf_scale, integer(3), integer(-128));
  CALL(__jf_scale, integer(3), integer(128));
  CALL(__jf_scale, integer(3));
  CALL(__jf_sum_of, integer(10), object(callback));
  CALL(__jf_sum_of, integer(10), object(failing));
  jf_object_release(list);
  jf_object_release(callback);
  jf_object_release(failing);
  printf("%lld objects left\n", (long long)jf_live_objects());
  return 0;
}
"""
SAYS = """\
(words: list[str], between: str = ', ') -> str
'grüße, from, a place without Python'
'grüße - from - a place without Python'
-384.0
OverflowError: scale: argument 2 'by': expected i8 (-128 to 127), got int 128
TypeError: scale: expected 2 arguments, got 1
285
KeyError: not with 3
0 objects left
"""
CMAKE = """\
cmake_minimum_required(VERSION 3.20)
project(outside C)
find_package(jitffi REQUIRED)
add_custom_command(
  OUTPUT text.o text.h
  DEPENDS ${CMAKE_SOURCE_DIR}/text.sigs
  COMMAND ${JITFFI} emit @${CMAKE_SOURCE_DIR}/text.sigs -o text.o --header text.h)
foreach(kind IN ITEMS runtime runtime_static)
  add_executable(with_${kind} ${CMAKE_SOURCE_DIR}/main.c ${CMAKE_BINARY_DIR}/text.o ${CMAKE_BINARY_DIR}/text.h)
  target_include_directories(with_${kind} PRIVATE ${CMAKE_BINARY_DIR})
  target_compile_options(with_${kind} PRIVATE -Wall -Wextra -Werror)
  target_link_libraries(with_${kind} PRIVATE jitffi::${kind})
endforeach()
"""


def run(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=300, cwd=cwd)
    assert done.returncode == 0, f"{shlex.join(map(str, command))}: {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def tool(name: str) -> str | None:
    """The program of that name, beside this Python or on the path."""
    return shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))


JITFFI = [sys.executable, "-m", "jitffi"]


def write(folder: Path) -> None:
    """The project's own files."""
    for name, text in (("text.sigs", SIGS), ("main.c", MAIN), ("CMakeLists.txt", CMAKE)):
        (folder / name).write_text(text, encoding="utf-8")


def build_with_cc(folder: Path, how: str) -> Path:
    """The program, with the "shared" runtime, the "static" one, or "alone": without any shared library."""
    run(*JITFFI, "emit", "@text.sigs", "-o", "text.o", "--header", "text.h", cwd=folder)
    includes = shlex.split(run(*JITFFI, "config", "--includes"))
    libraries = shlex.split(run(*JITFFI, "config", "--libs", *([] if how == "shared" else ["--static"])))
    strict = ["-std=c11", "-Wall", "-Wextra", "-Werror", *(["-static"] if how == "alone" else [])]
    run("cc", *strict, *includes, "main.c", "text.o", "-o", how, *libraries, cwd=folder)
    return folder / how


def build_with_cmake(folder: Path) -> list[Path]:
    """Programs with the shared and the static runtime."""
    package = run(*JITFFI, "config", "--cmakedir").strip()
    build = folder / "build"
    generator = ["-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tool('ninja')}"] if tool("ninja") else []
    options = [f"-Djitffi_DIR={package}", f"-DJITFFI={';'.join(JITFFI)}"]
    run(tool("cmake") or "cmake", "-S", folder, "-B", build, *generator, *options)
    run(tool("cmake") or "cmake", "--build", build)
    return [build / "with_runtime", build / "with_runtime_static"]


def use_extension(folder: Path) -> str:
    """What a Python that has nothing but itself says of an extension module."""
    sig = "hypot: (x: f64, y: f64 = 4.0) -> f64"
    run(*JITFFI, "emit", sig, "--entry", "python", "-o", "shapes.so", "--link=-lm", cwd=folder)
    program = "import sys; sys.path = [sys.argv[1]]; import shapes; print(shapes.hypot(3))"
    return run(sys.executable, "-I", "-S", "-c", program, folder)


# -- a place without Python ------------------------------------------------------------------------------------------


def libraries_of(program: Path) -> list[Path]:
    """The shared libraries that it needs, and its loader, by the paths that it finds them at."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, timeout=60)
    assert "not found" not in done.stdout, done.stdout
    return [Path(path) for path in re.findall(r"(/\S+) \(0x", done.stdout)]


def into_root() -> list[str]:
    """The command that enters another root directory."""
    return ["chroot"] if os.geteuid() == 0 else ["unshare", "--map-root-user", "chroot"]


def why_not_enter(root: Path) -> str:
    """Why no other root can be entered here, or ""."""
    missing = next((name for name in (*into_root(), "ldd") if not name.startswith("-") and not tool(name)), None)
    if missing:
        return f"no {missing} to run a program in an empty root with"
    done = subprocess.run([*into_root(), root, "/nothing"], capture_output=True, text=True, timeout=60)
    said = done.stderr.strip()  # where it can be entered, only the program is missing
    return "" if "nothing" in said else f"an empty root cannot be entered: {said}"


def run_without_python(program: Path, root: Path) -> str:
    """What it prints in *root*, an empty directory that gets the program and what it is linked with."""
    assert not list(root.iterdir())
    for path in (program, *libraries_of(program)):
        place = root / path.relative_to("/") if path != program else root / "program"
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    found = [path.name for path in root.rglob("*") if path.is_file()]
    assert not [name for name in found if "python" in name or "LLVM" in name or "llvmlite" in name], found
    return run(*into_root(), root, "/program")


def main() -> None:
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        write(folder)
        programs = [build_with_cc(folder, how) for how in ("shared", "static")]
        programs += build_with_cmake(folder) if tool("cmake") else []
        (folder / "roots").mkdir()
        reason = why_not_enter(folder / "roots")
        for i, program in enumerate(programs):
            root = folder / "roots" / str(i)
            root.mkdir()
            assert (run(program) if reason else run_without_python(program, root)) == SAYS
        assert use_extension(folder) == "5.0\n"
        print(f"{len(programs)} C programs of an emitted object and the runtime {reason or 'run without Python'}")


if __name__ == "__main__":
    main()
