"""The command line as a user meets it: output, exit codes, errors of one line, interruptions."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

import jitffi
from jitffi.adapters import adapter, cache
from jitffi.base import config
from jitffi.cli import commands, drawing
from jitffi.signature import signature_lists

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = str(Path(jitffi.__file__).resolve().parent.parent)


class Result:
    def __init__(self, done: subprocess.CompletedProcess[str]) -> None:
        self.code, self.out, self.err = done.returncode, done.stdout, done.stderr


def environment(**more: str) -> dict[str, str]:
    path = os.pathsep.join(filter(None, [PACKAGES, os.environ.get("PYTHONPATH")]))
    return {**os.environ, "PYTHONPATH": path, **more}


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "jitffi", *arguments]


@pytest.fixture
def cli(tmp_path):
    """cli(*arguments, **environment): what the command line said, run as a process of its own in an empty directory."""

    def run(*arguments: str, **more: str) -> Result:
        done = subprocess.run(
            command(*arguments), capture_output=True, text=True, timeout=60, cwd=tmp_path, env=environment(**more)
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done)

    return run


def walk(group: click.Group, path: str) -> list[tuple[str, click.Command]]:
    found: list[tuple[str, click.Command]] = []
    for name, each in group.commands.items():
        found.append((f"{path} {name}", each))
        if isinstance(each, click.Group):
            found += walk(each, f"{path} {name}")
    return found


COMMANDS = walk(commands.jitffi, "jitffi")


# -- help and version ------------------------------------------------------------------------------------------


def test_version(cli):
    result = cli("--version")
    assert (result.code, result.out, result.err) == (0, f"jitffi {jitffi.__version__}\n", "")


def test_without_a_command_the_help_is_shown(cli):
    assert cli().out == cli("--help").out
    assert cli("cache").out == cli("cache", "--help").out
    assert cli().code == cli("cache").code == 0


@pytest.mark.parametrize("path", [path for path, _ in COMMANDS])
def test_every_command_has_help(path, cli):
    result = cli(*path.split()[1:], "-h")
    assert result.code == 0
    assert result.out.startswith(f"Usage: {path} ")


@pytest.mark.parametrize(("path", "found"), COMMANDS)
def test_every_option_is_explained(path, found):
    assert found.help, path
    for option in found.params:
        assert isinstance(option, click.Argument) or option.help, f"{path} {option.name}"


# -- errors ----------------------------------------------------------------------------------------------------

MISUSES = [
    ("nope", "jitffi: no such command 'nope'"),
    ("--nope", "jitffi: no such option"),
    ("inspect", "jitffi inspect: missing argument 'SIG'"),
    ("inspect 'f: () -> i64' 'g: () -> i64'", "jitffi inspect: got unexpected extra argument"),
    ("inspect 'f: () -> i64' --nope", "jitffi inspect: no such option"),
    ("inspect 'f: () -> i64' --entry fortran", "jitffi: unknown convention 'fortran'; known: c, packed, python"),
    ("inspect 'f: () -> i64' --callee fortran", "jitffi: unknown convention 'fortran'; known: c, packed, python"),
    ("inspect ''", "jitffi: the text is empty"),
    ("inspect 'f: (i64, i63) -> i64'", "jitffi: unknown type 'i63'; did you mean 'i64'?"),
    ("inspect 'int f(foo x);'", "jitffi: unknown type 'foo'"),
    ("inspect 'int f(int x'", "jitffi: "),
    ("inspect '\u00e4: () -> i64'", "jitffi: '\u00e4' is no C identifier"),
    ("inspect 'double: () -> i64'", "jitffi: 'double' is no C identifier"),
    ("inspect @missing.txt", "jitffi: missing.txt: no such file"),
    ("inspect @empty.txt", "jitffi: empty.txt: no signature in it"),
    ("inspect @latin.txt", "jitffi: latin.txt: no UTF-8 text"),
    ("inspect @bad.txt", "jitffi: bad.txt:3: unknown type 'f63'"),
    ("inspect @twice.txt", "jitffi: twice.txt:2: two signatures are named 'f'"),
    ("emit", "jitffi emit: missing argument 'SIG...'"),
    ("emit 'f: () -> i64'", "jitffi emit: missing option '-o' / '--output'"),
    ("emit 'f: (i63) -> i64' -o x.o", "jitffi: unknown type 'i63'"),
    ("emit 'f: () -> i64' 'f: () -> i64' -o x.o", "jitffi: two signatures are named 'f'; rename one of them"),
    ("emit '\u00e4: () -> i64' -o x.o", "jitffi: '\u00e4' is no C identifier"),
    ("emit 'double: () -> i64' -o x.o", "jitffi: 'double' is no C identifier: it is a keyword"),
    ("emit @missing.txt -o x.o", "jitffi: missing.txt: no such file"),
    ("emit @bad.txt -o x.o", "jitffi: bad.txt:3: unknown type 'f63'"),
    ("emit @twice.txt -o x.o", "jitffi: twice.txt:2: two signatures are named 'f'; rename one of them"),
    ("emit 'f: () -> i64' -o x.o --target moon", "jitffi: unknown target 'moon'"),
    ("emit 'f: () -> i64' -o x.o --cpu i287000", "jitffi: unknown cpu 'i287000' for "),
    (
        "emit 'f: () -> i64' -o x.o --entry packed_older",
        "jitffi: unknown convention 'packed_older'; known: c, packed",
    ),
    ("emit 'f: () -> i64' -o x.o --callee fortran", "jitffi: unknown convention 'fortran'; known: c, packed, python"),
    ("emit 'f: () -> i64' -o x.o --entry c", "jitffi: entry and callee are both 'c'"),
    ("emit 'f: () -> i64' -o x.exe", "jitffi: x.exe: unknown ending '.exe'; known: .o, .s, .ll, .bc, .so, .wasm"),
    ("emit 'f: () -> i64' -o x.o --format exe", "jitffi: unknown format 'exe'; known: o, s, ll, bc, so, wasm"),
    ("emit 'f: () -> i64' -o x.o --opt 4", "jitffi: opt is 0 to 3, not 4"),
    ("emit 'f: () -> i64' -o x.o --opt two", "jitffi emit: invalid value for '--opt'"),
    ("emit 'f: () -> i64' -o x.o --pad 16", "jitffi: pad is 0 to 15, not 16"),
    ("emit 'f: () -> i64' -o x.o -j 0", "jitffi: jobs is 1 or more, not 0"),
    ("emit 'f: () -> i64' -o x.so --link missing.a", "jitffi: missing.a: no such file to link with"),
    ("emit 'f: () -> i64' -o x.o --header x.o", "jitffi: x.o: two files cannot have one name"),
    ("config", "jitffi config: choose --includes, --libs or both, --cmakedir, or --pkgconfigdir"),
    ("cache info x", "jitffi cache info: got unexpected extra argument"),
    ("cache nope", "jitffi cache: no such command 'nope'"),
]

FAILURES = [
    ("inspect 'int f(int, ...);' --entry packed", "jitffi: convention 'packed' cannot carry a variadic function"),
    ("inspect 'f: () -> optional[i64]'", "jitffi: convention 'c' cannot return optional[i64]"),
    ("inspect @.", "jitffi: .: Is a directory"),
    ("emit 'f: () -> optional[i64]' -o x.o", "jitffi: f: convention 'c' cannot return optional[i64]"),
    ("emit 'f: () -> i64' -o nowhere/x.o", "jitffi: nowhere/x.o: there is no such directory; make it first"),
    ("emit 'f: () -> i64' -o x.o --stub nowhere/x.pyi", "jitffi: nowhere/x.pyi: there is no such directory"),
    ("emit 'f: () -> i64' -o /proc/x.o", "jitffi: /proc/x.o: "),
    ("emit 'f: () -> i64' -o x.so --link bad.txt", "jitffi: "),
]


@pytest.fixture
def files(tmp_path):
    (tmp_path / "empty.txt").write_text("\n# nothing\n")
    (tmp_path / "latin.txt").write_bytes(b"f: (\xe4) -> i64\n")
    (tmp_path / "bad.txt").write_text("f: () -> i64\n\ng: (f63) -> i64\n")
    (tmp_path / "twice.txt").write_text("f: () -> i64\nf: () -> f64\n")


@pytest.mark.parametrize(("line", "message", "code"), [(*row, 2) for row in MISUSES] + [(*row, 1) for row in FAILURES])
@pytest.mark.usefixtures("files")
def test_an_error_is_one_line_and_an_exit_code(line, message, code, cli, tmp_path):
    before = sorted(tmp_path.iterdir())
    result = cli(*shlex.split(line))
    assert result.code == code
    assert result.out == ""
    assert sorted(tmp_path.iterdir()) == before  # nothing is written by halves
    first, *excerpt = result.err.splitlines()
    assert first.startswith(message)
    # Below it at most the text and its carets.
    assert not excerpt or (len(excerpt) == 2 and set(excerpt[1]) <= {" ", "^"} and "^" in excerpt[1])


def test_the_caret_is_under_the_culprit(cli):
    assert cli("inspect", "add: (i64, f63) -> f64").err.splitlines()[1:] == [
        "add: (i64, f63) -> f64",
        "           ^^^",
    ]


def test_a_defect_is_one_line_too_unless_the_traceback_is_asked_for(monkeypatch, capsys):
    from jitffi import cli as command_line

    def fail():
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(cache, "info", fail)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.delenv("JITFFI_DEBUG", raising=False)
    assert command_line.main(["cache", "info"]) == 1
    assert capsys.readouterr() == ("", "jitffi: first second\n")
    monkeypatch.setenv("JITFFI_DEBUG", "1")
    with pytest.raises(RuntimeError):
        command_line.main(["cache", "info"])


# -- interruptions ---------------------------------------------------------------------------------------------


def test_ctrl_c_is_one_line(tmp_path):
    process = subprocess.Popen(
        command("demo"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=environment()
    )
    assert process.stdout is not None
    process.stdout.readline()  # it is under way
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (1, "jitffi: interrupted")


def test_ctrl_c_where_python_cannot_raise_it_ends_the_process_all_the_same():
    program = """
import signal, sys
import jitffi.cli
from jitffi.cli import commands

class Loud:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)

commands.report.show = lambda text: Loud() and None
sys.exit(jitffi.cli.main(["cache", "clear"]))
"""
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(JITFFI_CACHE_DIR=""),
    )
    assert (done.returncode, done.stderr.strip()) == (1, "jitffi: interrupted")


def test_a_reader_that_has_seen_enough_is_no_error(tmp_path):
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run(
        command("inspect", "f: (i64) -> i64"), stdout=writer, stderr=subprocess.PIPE, timeout=60, env=environment()
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (1, b"")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="no /dev/full on this system")
@pytest.mark.parametrize("arguments", ["inspect 'f: (i64) -> i64'", "cache info", "doctor", "demo"])
def test_output_that_cannot_be_written_is_one_line(arguments):
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command(*shlex.split(arguments)), stdout=full, stderr=subprocess.PIPE, text=True, timeout=60,
            env=environment(),
        )  # fmt: skip
    assert done.returncode == 1
    assert re.fullmatch(r"jitffi: .*No space left on device\n", done.stderr)


# -- inspect ---------------------------------------------------------------------------------------------------

LAYOUT = """\
hypot: (x: f64, y: f64 = 1.0) -> f64

entry python   PyObject* hypot(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)
  args[0]      x: f64         float, int
  args[1]      y: f64 = 1.0   float, int
  returns      f64            float; NULL with an exception set

callee c       double hypot(double x, double y)
  xmm0         x: f64         double x
  xmm1         y: f64 = 1.0   double y
  returns      f64            double; an error becomes pending
"""


def test_inspect_layout(cli, monkeypatch):
    result = cli("inspect", "hypot: (x: f64, y: f64 = 1.0) -> f64", "--layout")
    places = re.compile("xmm[01] |v[01] |argument [12]")  # the registers' names are the machine's
    assert (result.code, result.err) == (0, "")
    assert places.sub("", result.out).split() == places.sub("", LAYOUT).split()


def test_inspect_ir_and_asm(cli):
    ir = cli("inspect", "add: (i64, i64) -> i64", "--entry", "packed", "--callee", "c", "--ir")
    assert ir.code == 0
    assert ir.out.startswith("target datalayout")
    assert 'define i32 @"jitffi$add$packed$c"(ptr %self, i32 %num_args, ptr %args, ptr %out)' in ir.out
    asm = cli("inspect", "add: (i64, i64) -> i64", "--entry", "packed", "--callee", "c", "--asm")
    assert asm.code == 0
    assert "jitffi$add$packed$c:" in asm.out


def test_inspect_shows_layout_and_ir_by_default_as_one_module(cli):
    import llvmlite.binding as llvm

    result = cli("inspect", "long labs(long x);")
    assert result.out.startswith("; labs: (x: i64) -> i64\n;\n; entry python ")
    llvm.parse_assembly(result.out).verify()


def test_inspect_takes_files_of_both_notations(cli, tmp_path):
    (tmp_path / "sigs.txt").write_text("# two of them\nadd: (i64, i64) -> i64\n\ndouble hypot(double, double);\n")
    result = cli("inspect", "@sigs.txt", "--ir")
    assert [line.split('"')[1] for line in result.out.splitlines() if line.startswith("define")] == [
        "jitffi$add$python$c",
        "jitffi$hypot$python$c",
    ]


def test_inspect_shows_a_script_as_emit_writes_it(cli, tmp_path):
    (tmp_path / "words.py").write_text(
        "import jitffi\n@jitffi.script\ndef tokens(text: str) -> list[str]:\n    return text.split()\n"
        "@jitffi.script\ndef untyped(x):\n    return x\n"
    )
    for form in ("ll", "s"):
        emitted = Path(cli("emit", "words.py:tokens", "-o", f"words.{form}").out.strip())
        shown = cli("inspect", "words.py:tokens", {"ll": "--ir", "s": "--asm"}[form]).out
        assert shown.rstrip() == (tmp_path / emitted).read_text().rstrip()
    both = cli("inspect", "words.py:tokens").out
    assert "; entry packed   int32_t tokens(jf_function* self" in both and "callee" not in both
    assert ";     4      return text.split()  # -> list[str]" in both and "__jf_tokens" in both
    assert "entry c        jf_object* tokens(" in cli("inspect", "words.py:tokens", "--entry", "c", "--layout").out
    refused = cli("inspect", "words.py:untyped")
    assert (refused.code, refused.out) == (2, "") and "has no signature" in refused.err
    assert "no such file" in cli("inspect", "nowhere.py:tokens").err


def test_tables_that_go_to_no_terminal_are_as_narrow_as_their_content(cli):
    for table in (cli("doctor").out, cli("cache", "info", JITFFI_CACHE_DIR="").out):
        lines = table.splitlines()
        assert len(lines) > 2 and all(line == line.rstrip() for line in lines)
        assert len(lines[1]) == max(len(line) for line in [lines[0], *lines[2:]])


def test_the_ir_is_what_a_bound_function_has(cli):
    """One symbol apart: there it holds what is shared, here the name."""
    text = "(x: f64, y: f64 = 1.0) -> f64"
    bound = jitffi.Function(jitffi.load_library("libm.so.6").bind("hypot", text)).inspect_llvm()
    shown = cli("inspect", f"hypot: {text}", "--ir").out
    symbols = re.compile('@"[^"]*"')
    assert symbols.sub("@f", shown).strip() == symbols.sub("@f", bound).strip()


TYPES = (
    "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "ptr", "cstr", "str",
    "bytes", "func", "any", "object", "func[(i64)->i64]", "optional[str]", "optional[bytes]", "optional[i64]",
    "optional[cstr]", "optional[ptr]", "optional[any]", "optional[func[()->void]]",
)  # fmt: skip


@pytest.mark.parametrize("convention", list(adapter.CONVENTIONS))
def test_every_convention_draws_every_type(convention):
    """Each parameter has a row, and nothing is left to the words for what has none."""
    sig = jitffi.Signature.parse(f"({', '.join(TYPES)}) -> i64")
    drawn = drawing.draw("f", sig, convention, convention)
    for i, type_ in enumerate(sig.params):
        assert f"{i + 1}: {type_}" in drawn
    for text in ("void", *TYPES):
        if text not in ("optional[i64]",):
            assert "returns" in drawing.draw("f", jitffi.Signature.parse(f"() -> {text}"), convention, "packed")


def test_conventions_and_drawings_are_the_same_set():
    assert list(adapter.CONVENTIONS) == ["c", "packed", "python", "packed_legacy", "tvm_ffi"]


def test_a_c_compiler_reads_the_prototypes_that_are_drawn(build_library):
    texts = [f"({t}) -> {t}" for t in TYPES if t != "optional[i64]"] + ["(optional[i64], optional[f32]) -> void"]
    prototypes = []
    for i, text in enumerate(texts):
        drawn = drawing.draw(f"f{i}", jitffi.Signature.parse(text), "python", "c")
        line = next(line for line in drawn.splitlines() if line.startswith("callee c"))
        prototypes.append(line.removeprefix("callee c").strip() + ";")
    build_library("#include <stdbool.h>\n#include <jitffi/runtime.h>\n" + "\n".join(prototypes) + "\nint here;\n")


def test_a_terminal_without_unicode_gets_escapes(cli):
    result = cli("inspect", 'f: (x: str = "\u00e4") -> i64', "--layout", PYTHONIOENCODING="ascii")
    assert (result.code, result.out.splitlines()[0]) == (0, r"f: (x: str = '\xe4') -> i64")


def test_what_a_sig_may_look_like():
    assert signature_lists.read_one("add(i64, i64) -> i64")[0] == "add"
    assert signature_lists.read_one(" f : () -> void")[0] == "f"
    assert signature_lists.read_one("int f(void)")[0] == "f"
    assert signature_lists.read_one('(x: str = "a: b -> c") -> i64')[0] == signature_lists.UNNAMED
    assert str(signature_lists.read_one('g: (x: str = "int f(int);") -> i64')[1]) == "(x: str = 'int f(int);') -> i64"


# -- cache -----------------------------------------------------------------------------------------------------


def test_cache_info_and_clear(cli, tmp_path):
    where = str(tmp_path / "cache")
    assert json.loads(cli("cache", "info", "--json", JITFFI_CACHE_DIR=where).out) == {
        "path": where, "entries": 0, "bytes": 0,
    }  # fmt: skip
    program = "import jitffi; jitffi.load_library('libm.so.6').bind('hypot', '(f64, f64) -> f64')(3, 4)"
    subprocess.run([sys.executable, "-c", program], check=True, env=environment(JITFFI_CACHE_DIR=where))
    full = json.loads(cli("cache", "info", "--json", JITFFI_CACHE_DIR=where).out)
    assert full["entries"] >= 1 and full["bytes"] > 0
    table = cli("cache", "info", JITFFI_CACHE_DIR=where).out
    assert where in table and str(full["bytes"]) in table
    removed = cli("cache", "clear", JITFFI_CACHE_DIR=where)
    assert re.fullmatch(r"removed \d+ entr(y|ies)\n", removed.out)
    assert json.loads(cli("cache", "info", "--json", JITFFI_CACHE_DIR=where).out)["entries"] == 0


def test_a_cache_that_is_off(cli):
    found = cli("cache", "info", "--json", JITFFI_CACHE_DIR="")
    assert json.loads(found.out) == {"path": None, "entries": 0, "bytes": 0}
    assert "off" in cli("cache", "info", JITFFI_CACHE_DIR="").out
    assert cli("cache", "clear", JITFFI_CACHE_DIR="").out == "removed 0 entries\n"


# -- doctor ----------------------------------------------------------------------------------------------------


def checks(result: Result) -> dict[str, dict[str, str]]:
    return {check["name"]: check for check in json.loads(result.out)["checks"]}


def test_doctor_finds_this_installation_sound(cli):
    result = cli("doctor", "--json")
    assert result.code == 0
    found = checks(result)
    assert json.loads(result.out)["ok"] is True
    assert found["jitffi"]["detail"].startswith(jitffi.__version__)
    for name in ("jitffi", "llvm", "call", "c parser", "headers"):
        assert found[name]["state"] == "ok", found[name]
    table = cli("doctor").out
    assert all(name in table for name in found)


@pytest.mark.parametrize(
    ("module", "check", "state"),
    [
        ("llvmlite", "llvm", "broken"),
        ("pycparser", "c parser", "broken"),
        ("numpy", "numpy", "note"),
        ("pyarrow", "tuning", "note"),
    ],
)
def test_doctor_says_what_is_missing(module, check, state, cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text(f"import sys; sys.modules[{module!r}] = None\n")
    path = os.pathsep.join([str(tmp_path), PACKAGES])
    result = cli("doctor", "--json", PYTHONPATH=path, JITFFI_CACHE_DIR="")
    assert checks(result)[check]["state"] == state
    assert result.code == (1 if state == "broken" else 0)


def test_doctor_knows_the_linkers(cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ziglang'] = None\n")
    path = os.pathsep.join([str(tmp_path), PACKAGES])
    without = checks(cli("doctor", "--json", PYTHONPATH=path, PATH="", CC="", LD="", JITFFI_LINKER=""))["linker"]
    assert without["state"] == "note" and "install gcc, clang or lld" in without["detail"]
    named = checks(cli("doctor", "--json", JITFFI_LINKER=f"{sys.executable} -x ld"))["linker"]
    assert named["state"] == "ok" and named["detail"].startswith(f"{sys.executable} -x ld; for WebAssembly ")


def test_doctor_without_the_extension(cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['jitffi._core'] = None\n")
    result = cli("doctor", "--json", PYTHONPATH=os.pathsep.join([str(tmp_path), PACKAGES]))
    assert result.code == 1
    assert checks(result)["jitffi"]["state"] == "broken"


def test_doctor_knows_the_caches_troubles(cli, tmp_path):
    def detail(where: str) -> str:
        return checks(cli("doctor", "--json", JITFFI_CACHE_DIR=where))["cache"]["detail"]

    assert "off" in detail("")
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o777)
    assert "others can write" in detail(str(shared))
    (tmp_path / "file").touch()
    assert "no directory" in detail(str(tmp_path / "file"))
    assert "cannot be made" in detail(str(tmp_path / "file" / "below"))
    if os.geteuid() == 0:
        shared.chmod(0o700)
        os.chown(shared, 12345, 12345)
        assert "belongs to user 12345" in detail(str(shared))


# -- config ----------------------------------------------------------------------------------------------------

PROGRAM = """
#include <jitffi/runtime.h>
#include <stdio.h>
int main(void) { printf("%u\\n", (unsigned)jf_abi_version()); return 0; }
"""


def compiler() -> str:
    found = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or shutil.which("clang")
    if found is None:
        pytest.skip("no C compiler")
    return found


def test_config_gives_flags_that_build_a_program_that_runs(cli, tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    flags = [shlex.split(cli("config", flag).out) for flag in ("--includes", "--libs")]
    built = [compiler(), *flags[0], "program.c", *flags[1], "-o", "program"]
    subprocess.run(built, check=True, cwd=tmp_path, timeout=60)
    ran = subprocess.run([tmp_path / "program"], capture_output=True, text=True, check=True, timeout=60)
    assert int(ran.stdout) == jitffi._core.abi_version()


STATIC = """
#include <jitffi/containers.h>
#include <jitffi/emitted.h>
#include <jitffi/module.h>
#include <jitffi/pad.h>
#include <jitffi/pattern.h>
#include <jitffi/text.h>
#include <stdio.h>
#include <string.h>

int main(void) {
  jf_object* list = jf_list_new(0, -1);
  jf_view text;
  memset(&text, 0, sizeof text);
  text.type_code = JF_RAW_STR;
  text.v_raw_str = "static";
  if (jf_list_append(list, &text) != 0) return 1;
  text.type_code = JF_OBJECT;
  text.v_object = list;
  jf_value out;
  jf_out_init(&out, 8);
  if (jf_any_repr(&text, &out) != 0) return 2;
  jf_view shown;
  jf_span span;
  jf_temps temps = {NULL};
  jf_any_view(&out, &shown);
  if (jf_lift_str(NULL, 0, &shown, &span, &temps) != 0) return 3;
  printf("%.*s\\n", (int)span.size, span.data);
  jf_any_release(&out);
  jf_object_release(list);
  if (jf_module_load("/nowhere/nothing.so") != NULL) return 4;
  jf_object_release(jf_error_take());
  return jf_live_objects() != 0 || jf_pending_count != 0;
}
"""


@pytest.mark.parametrize("language", ["c", "c++"])
def test_config_static_builds_a_program_of_one_file(cli, tmp_path, language):
    if language == "c++" and shutil.which("c++") is None:
        pytest.skip("no C++ compiler")
    driver = [compiler(), "-std=c11"] if language == "c" else ["c++", "-std=c++17", "-xc++"]
    (tmp_path / "program.c").write_text(STATIC)
    includes, libs = (shlex.split(cli("config", *flags).out) for flags in (["--includes"], ["--libs", "--static"]))
    strict = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
    built = [*driver, *strict, *includes, "program.c", *(["-xnone"] if language == "c++" else []), *libs]
    subprocess.run([*built, "-o", "program"], check=True, cwd=tmp_path, timeout=60)
    assert subprocess.run([tmp_path / "program"], capture_output=True, text=True, timeout=60).stdout == "['static']\n"
    if readelf := shutil.which("readelf"):
        dynamic = subprocess.run([readelf, "-d", tmp_path / "program"], capture_output=True, text=True, timeout=60)
        assert "jitffi" not in dynamic.stdout


def test_config_static_goes_with_libs_alone(cli):
    archives = [config.script_library_file(static=True), config.static_library_file()]
    assert cli("config", "--libs", "--static").out.split()[:2] == list(map(str, archives))
    result = cli("config", "--includes", "--static")
    assert result.code == 2 and "--static goes with --libs" in result.err
    result = cli("config", "--static")
    assert result.code == 2


def test_config_cmakedir_is_a_cmake_package(cli):
    result = cli("config", "--cmakedir")
    assert result.code == 0
    assert (Path(result.out.strip()) / "jitffiConfig.cmake").is_file()


def test_headers_that_are_not_there_are_one_line(monkeypatch, tmp_path):
    monkeypatch.setattr(jitffi._core, "__file__", str(tmp_path / "_core.so"))
    with pytest.raises(FileNotFoundError, match=r"no libjitffi_runtime\.\w+ in "):
        config.library_dir()


# -- demo ------------------------------------------------------------------------------------------------------


def test_demo_shows_every_stop_one_error_and_the_times(cli):
    result = cli("demo")
    assert result.code == 0, result.err
    assert "TypeError: hypot: argument 1 'x': expected f64, got str 'three'" in result.out
    assert "array('q', [10, 20, 30])" in result.out
    assert "division(quot=3, rem=2)" in result.out and "c.tm.tm_mday: expected i32, got str 'first'" in result.out
    assert "(-2, 0, 42)" in result.out
    assert "b'\\x7fELF'" in result.out and "labs: argument 1 'number': expected i64, got str 'seven'" in result.out
    assert re.search(r"labs\(-5\) +[\d.]+ +[\d.]+ +[\d.]+ x", result.out)


def test_demo_for_programs(cli):
    result = cli("demo", "--json")
    found = json.loads(result.out)
    assert [stop["name"] for stop in found["stops"]] == [
        "libm",
        "zlib",
        "sqlite3",
        "qsort",
        "structs",
        "global function",
        "values",
        "files",
    ]
    assert {stop["state"] for stop in found["stops"]} <= {"ok", "missing"}
    for row in found["times"]:
        assert set(row) == {"call", "jitffi_ns", "ctypes_ns", "ratio"}
        assert row["jitffi_ns"] > 0 and row["ctypes_ns"] > 0 and row["ratio"] > 0


def test_demo_leaves_out_what_the_machine_does_not_have():
    from jitffi.cli import tour

    stop = tour.Stop("x", "a library of no machine", 'x = jitffi.load_library("libnone.so.9")', "x.f()")
    visit = tour.visit(stop)
    assert (visit.state, visit.failure) == ("missing", "")
    assert "libnone.so.9" in visit.missing


def test_a_stop_that_goes_wrong_is_a_failure():
    from jitffi.cli import tour

    visit = tour.visit(tour.Stop("x", "an error nobody meant", "x = 1", "x / 0\nx"))
    assert (visit.state, visit.failure) == ("failed", "ended with ZeroDivisionError('division by zero')")
    visit = tour.visit(tour.Stop("x", "no error where one is due", "x = 1", "x / 1", raises=TypeError))
    assert visit.state == "failed"


# -- emit ------------------------------------------------------------------------------------------------------


def test_emit_prints_the_file_and_nothing_else(cli, tmp_path):
    result = cli("emit", "add: (i64, i64) -> i64", "-o", "add.o", "--header", "add.h", "--stub", "add.pyi")
    assert (result.code, result.out, result.err) == (0, "add.o\n", "")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["add.h", "add.o", "add.pyi"]
    assert (tmp_path / "add.o").read_bytes()[:4] == b"\x7fELF"


def test_emit_gives_its_options_on(cli, tmp_path):
    (tmp_path / "sigs.txt").write_text("f: (str) -> str\n")
    options = ["--entry", "c", "--callee", "c", "--callee-name", "g", "--target", "aarch64-linux-gnu", "--opt", "1"]
    assert cli("emit", "@sigs.txt", "-o", "x", "--format", "ll", *options, "--pad", "3", "-j", "2").code == 0
    text = (tmp_path / "x").read_text()
    assert 'target triple = "aarch64' in text
    assert re.search(r"^define .*i32 @f\(", text, re.MULTILINE) and re.search(
        r"^declare .*i32 @g\(", text, re.MULTILINE
    )
    wide = cli("emit", "f: (i64) -> i64", "-o", "-", "--format", "s", "--cpu", "x86-64-v3", "--features=-avx2")
    assert (wide.code, wide.err) == (0, "")
    assert "__jf_f:" in wide.out and not wide.out.endswith("-\n")


def test_emit_without_a_linker_says_what_to_install(cli, tmp_path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['ziglang'] = None\n")
    path = {"PATH": "", "PYTHONPATH": os.pathsep.join([str(tmp_path), environment()["PYTHONPATH"]])}
    result = cli("emit", "f: (i64) -> i64", "-o", "x.so", **path)
    assert (result.code, result.out) == (1, "")
    assert re.fullmatch(
        "jitffi: no linker for .*: install gcc, clang or lld, or ziglang from PyPI, or name one in JITFFI_LINKER\n",
        result.err,
    )
    assert not (tmp_path / "x.so").exists()


def test_emit_shows_a_bar_on_a_terminal_only(tmp_path):
    import pty

    (tmp_path / "sigs.txt").write_text("".join(f"f{i}: (i64) -> i64\n" for i in range(200)))
    line = command("emit", "@sigs.txt", "-o", "x.o")
    terminal, end = pty.openpty()
    process = subprocess.Popen(line, stderr=end, stdout=subprocess.PIPE, cwd=tmp_path, env=environment(TERM="xterm"))
    os.close(end)
    shown = b""
    with contextlib.suppress(OSError):  # how a terminal that nobody has any more ends
        while more := os.read(terminal, 4096):
            shown += more
    out, _ = process.communicate(timeout=60)
    os.close(terminal)
    assert (process.returncode, out) == (0, b"x.o\n")
    assert b"emit" in shown and b"100%" in shown
    silent = subprocess.run(line, capture_output=True, cwd=tmp_path, env=environment(), timeout=60)
    assert (silent.stdout, silent.stderr) == (b"x.o\n", b"")
