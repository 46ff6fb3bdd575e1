"""Scripts in files: objects, libraries and extension modules that need the libraries of jitffi, and no Python."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys

import pytest
from support.cross import MACHINES

import jitffi
from jitffi.base import config

COMPILER = next(
    (found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name and (found := shutil.which(name))), None
)
needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C compiler")


@jitffi.script
def characters(text: str) -> list[str]:
    out = []
    for ch in text:
        out.append(ch)
    return out


@jitffi.script(signature="(str, i64) -> str")
def picked(text, i=0):
    return shouted(text[i])


def shouted(text):
    return text.upper() + "!"


@jitffi.script(signature="(str) -> map[str, i64]")
def words(text):
    found = {}
    for word in text.split():
        found[word] = found.get(word, 0) + 1
    return found


@jitffi.script(signature="(f64, i64) -> f64")
def scaled(x, n):
    total = 0.0
    for _ in range(n):
        total += x
    return total


def untyped(x):
    return x


def test_an_object_and_back(tmp_path):
    module = jitffi.load_module(jitffi.emit(characters, tmp_path / "made.o"))
    assert list(module) == ["characters"]
    assert str(module.signatures["characters"]) == "(text: str) -> list[str]"
    assert list(module.characters("aé😀")) == ["a", "é", "😀"]
    with pytest.raises(TypeError, match="argument 1 'text': expected str, got int 3"):
        module.characters(3)
    with pytest.raises(TypeError):
        module.characters()


def test_defaults_and_errors(tmp_path):
    module = jitffi.load_module(jitffi.emit(picked, tmp_path / "made.o"))
    assert module.picked("é") == "É!" and module.picked("abc", 2) == "C!" and module.picked(text="x", i=0) == "X!"
    with pytest.raises(IndexError, match="string index out of range"):
        module.picked("abc", 3)


def test_several_and_signatures_among_them(tmp_path):
    made = jitffi.emit([characters, "labs: (x: i64) -> i64", words], tmp_path / "made.o")
    module = jitffi.load_module(made)
    assert sorted(module) == ["characters", "labs", "words"]
    assert (module.labs(-3), module.words("a b a").to_python()) == (3, {"a": 2, "b": 1})


@pytest.mark.parametrize("form", ["o", "s", "ll", "bc"])
def test_every_form_has_the_entry_and_is_the_same_each_time(tmp_path, form):
    first = jitffi.emit(words, tmp_path / f"a.{form}").read_bytes()
    assert jitffi.emit(words, tmp_path / f"b.{form}").read_bytes() == first
    assert b"__jf_words" in first


def test_a_shared_library(tmp_path):
    module = jitffi.load_module(jitffi.emit([words, picked], tmp_path / "made.so"))
    assert module.words("b b").to_python() == {"b": 2} and module.picked("q") == "Q!"


def test_an_extension_module(tmp_path, run_python):
    jitffi.emit([picked, scaled], tmp_path / "made_scripts.so", entry="python", stub=tmp_path / "made_scripts.pyi")
    out = run_python(f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
import made_scripts
print(made_scripts.picked("é"), made_scripts.scaled(1.5, n=2))
try:
    made_scripts.picked("abc", 9)
except IndexError as error:
    import traceback
    print([frame.name for frame in traceback.extract_tb(error.__traceback__)])
print("jitffi" in sys.modules)
""")
    assert out == "É! 3.0\n['<module>', 'picked']\nFalse\n"
    assert "def picked(text: str, i: SupportsIndex = 0) -> str" in (tmp_path / "made_scripts.pyi").read_text()


PROGRAM = """
#include <stdio.h>
#include "jitffi/containers.h"
#include "made.h"

int main(void) {
  jf_value out;
  jf_span text = {"a b \\xc3\\xa9 a", 8};
  jf_view arg = {.type_code = JF_STR_VIEW, .v_span = &text};
  jf_out_init(&out, 8);
  if (__jf_words(NULL, 1, &arg, &out) != 0) return 1;
  printf("%s %d ", jf_type_key(out.v_object->type_code), (int)((jf_map*)out.v_object)->size);
  jf_any_release(&out);
  jf_view number = {.type_code = JF_INT, .v_int64 = 3};
  jf_out_init(&out, 8);
  if (__jf_words(NULL, 1, &number, &out) == 0) return 2;
  jf_error* error = (jf_error*)jf_error_take();
  printf("%s: %s\\n", error->kind->data, error->message->data);
  jf_object_release(&error->header);
  return jf_live_objects() != 0;
}
"""


@needs_compiler
@pytest.mark.parametrize("static", [False, True])
def test_a_c_program_without_python(tmp_path, static):
    jitffi.emit(words, tmp_path / "made.o", header=tmp_path / "made.h")
    (tmp_path / "program.c").write_text(PROGRAM)
    flags = [*shlex.split(config.flags("includes")), "-I.", "-Wall", "-Wextra", "-Werror"]
    libs = shlex.split(config.flags("static" if static else "libs"))
    command = [COMPILER, "-std=c11", *flags, "program.c", "made.o", *libs, "-o", "program"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=120)
    done = subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "map 3 TypeError: words: 'text': expected str, got int 3\n")


C_PROGRAM = """
#include <stdio.h>
#include "made.h"
int main(void) { printf("%g\\n", scaled(1.5, 4)); return 0; }
"""


@needs_compiler
def test_a_c_entry(tmp_path):
    jitffi.emit(scaled, tmp_path / "made.o", entry="c", header=tmp_path / "made.h")
    assert "called, for you to define" not in (tmp_path / "made.h").read_text()
    (tmp_path / "program.c").write_text(C_PROGRAM)
    flags = [*shlex.split(config.flags("includes")), "-I."]
    command = [COMPILER, *flags, "program.c", "made.o", *shlex.split(config.flags("libs")), "-o", "program"]
    subprocess.run(command, check=True, cwd=tmp_path, timeout=120)
    assert subprocess.run([tmp_path / "program"], capture_output=True, timeout=60).stdout == b"6\n"


@pytest.mark.parametrize(
    "target", ["aarch64-linux-gnu", "riscv64-linux-gnu", "wasm32-unknown-unknown", "armv7-linux-gnueabihf"]
)
def test_other_targets(tmp_path, target):
    made = jitffi.emit([words, scaled], tmp_path / "made.o", target=target)
    assert b"__jf_words" in made.read_bytes()


@pytest.mark.parametrize("machine", [name for name in MACHINES if name != "host"])
def test_a_program_on_another_machine(tmp_path, machine):
    other = MACHINES[machine]
    other.need()
    jitffi.emit(words, tmp_path / "made.o", header=tmp_path / "made.h", target=other.triple)
    (tmp_path / "program.c").write_text(PROGRAM)
    other.compile(tmp_path / "program", [tmp_path / "program.c", tmp_path / "made.o"], "-I", str(tmp_path))
    assert other.run(tmp_path / "program") == "map 3 TypeError: words: 'text': expected str, got int 3\n"


def test_without_a_signature(tmp_path):
    with pytest.raises(ValueError, match="the script untyped has no signature: annotate"):
        jitffi.emit(jitffi.script(untyped), tmp_path / "made.o")
    assert list(tmp_path.iterdir()) == []


@jitffi.function("(i64) -> i64")
def python_function(x):
    return x


@jitffi.script(signature="(i64) -> i64")
def calls_python(x):
    return python_function(x)


labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")


@jitffi.script(signature="(i64) -> i64")
def calls_c(x):
    return labs(x) + 1


def test_what_a_script_calls_is_linked_with(tmp_path):
    module = jitffi.load_module(jitffi.emit(calls_c, tmp_path / "made.o"))
    assert module.calls_c(-4) == 5
    with pytest.raises(ValueError, match="python_function is called through its function object"):
        jitffi.emit(calls_python, tmp_path / "python.o")


SOURCE = """
import jitffi

@jitffi.script
def shout(text: str) -> str:
    return text.upper() + "!"

def plain(n: int) -> int:
    return n * 2

def refused(x: int) -> int:
    with x:
        pass
"""


class TestCommandLine:
    @pytest.fixture
    def emit(self, tmp_path):
        (tmp_path / "words.py").write_text(SOURCE)

        def emit(*args):
            command = [sys.executable, "-m", "jitffi", "emit", *args]
            env = {**os.environ, "PYTHONPATH": str(config.Path(jitffi.__file__).parent.parent)}
            return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120, env=env)

        return emit

    def test_a_script_in_a_file(self, emit, tmp_path):
        done = emit("words.py:shout", "words.py:plain", "-o", "made.o", "--header", "made.h")
        assert (done.returncode, done.stdout, done.stderr) == (0, "made.o\n", "")
        module = jitffi.load_module(tmp_path / "made.o")
        assert (module.shout("é"), module.plain(4)) == ("É!", 8)

    def test_errors_are_short(self, emit, tmp_path):
        for sig, message in (
            ("words.py:nothing", "words.py: there is no 'nothing' in it"),
            ("nothing.py:shout", "nothing.py: no such file"),
        ):
            done = emit(sig, "-o", "made.o")
            assert done.returncode == 2 and message in done.stderr and "Traceback" not in done.stderr
        (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")
        done = emit("broken.py:f", "-o", "made.o")
        assert done.returncode == 2 and "broken.py: cannot be imported: ModuleNotFoundError" in done.stderr
        assert "Traceback" not in done.stderr

    def test_what_is_refused_shows_its_line(self, emit):
        done = emit("words.py:refused", "-o", "made.o")
        first, line, caret = done.stderr.splitlines()
        assert done.returncode == 1 and "words.py:12:5: scripts have no with: " in first
        assert (line, caret) == ("    with x:", "    ^^^^^^")
