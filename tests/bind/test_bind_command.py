"""`jitffi bind` as a user meets it: output, exit codes, errors of one line, and no half-written file."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi

PACKAGES = str(Path(jitffi.__file__).resolve().parent.parent)
HEADER = "/* The root. */\ndouble sqrt(double x);\nstatic int inline_one(int x);\n#define LIMIT 3\n#define F(x) x\n"


@pytest.fixture
def bind(tmp_path):
    """bind(arguments, **environment): the finished process, run where h.h is."""
    (tmp_path / "h.h").write_text(HEADER)

    def run(arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
        path = os.pathsep.join(filter(None, [PACKAGES, os.environ.get("PYTHONPATH")]))
        done = subprocess.run(
            [sys.executable, "-m", "jitffi", "bind", *shlex.split(arguments)], capture_output=True, text=True,
            timeout=60, cwd=tmp_path, env={**os.environ, "PYTHONPATH": path, **more},
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return done

    return run


def test_a_module_is_written_and_counted(bind, tmp_path):
    done = bind("h.h --library m -o made.py")
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.splitlines() == [
        "jitffi: bound 1 function, 1 constant; left out 1 function, 1 macro",
        "jitffi: 1 function static: inline_one",
        "jitffi: 1 macro with parameters: F",
    ]
    program = "import made; print(made.sqrt(16.0), made.LIMIT, made.__doc__.splitlines()[2])"
    path = os.pathsep.join([PACKAGES, str(tmp_path)])
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    assert ran.stdout == "4.0 3 Made by `jitffi bind h.h --library m`.\n", ran.stderr
    assert set(os.listdir(tmp_path)) - {"__pycache__"} == {"h.h", "made.py"}


def test_standard_output_and_options(bind):
    done = bind("./h.h -l m -o - --brief --no-check -D LIMIT=3 --also 'x*.h'")
    assert "Made by `jitffi bind h.h --library m -D LIMIT=3 --also 'x*.h' --no-check --brief`." in done.stdout
    assert done.stdout.endswith("# F(x)  a macro with parameters: x\n")


def test_structs_of_two_modules_have_keys_of_their_own(bind, tmp_path):
    """Of one header and two ways to read it, in one process; what both have alike is one to functions."""
    tags = "struct point { int x; }; struct pair { NUMBER left, right; };"
    (tmp_path / "two.h").write_text(f"{tags} int abs(int); int labs(struct point *at, struct pair *of);")
    for name, options in (
        ("one", "-D NUMBER=int"),
        ("two", "-D NUMBER=long --prefix two"),
        ("three", "-D NUMBER=char"),
    ):
        assert bind(f"./two.h -l c -o {name}.py {options}").returncode == 0
    assert "--library c -D NUMBER=long --prefix two`" in (tmp_path / "two.py").read_text()
    program = """
import one, two
two.labs(one.point(), None)
for wrong in (lambda: two.labs(None, one.pair()), lambda: __import__("three")):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(error)
"""
    path = os.pathsep.join([PACKAGES, str(tmp_path)])
    ran = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path}
    )
    first, second = ran.stdout.splitlines()
    assert ran.stderr == "" and first.endswith("labs: argument 2 'of': expected optional[ptr[two.pair]], got c.pair")
    assert second.startswith("c.pair is declared already") and second.endswith(
        "(jitffi bind --prefix, of bound modules)"
    )
    assert "'9x' is no prefix of the keys" in bind("./two.h -l c -o - --prefix 9x").stderr


def test_several_headers_make_one_module(bind, tmp_path):
    (tmp_path / "other.h").write_text('#include "h.h"\nenum side { LEFT, RIGHT };\ndouble cbrt(double x);\n')
    done = bind("h.h other.h ctype.h -l m -o - --no-check")
    assert done.stdout.splitlines()[0].startswith('"""h.h, other.h, ctype.h for Python: ')
    assert "Made by `jitffi bind h.h other.h ctype.h --library m --no-check`." in done.stdout
    for declared in ("def sqrt(", "def cbrt(", "def toupper(", "class side(IntEnum)", "LIMIT: Final = 3"):
        assert done.stdout.count(declared) == 1, declared
    assert bind("h.h other.h nowhere.h -l m -o -").stderr.startswith("jitffi: nowhere.h: no such header")
    assert [bind(f"{each} -l m -o - --no-check --no-cpp").returncode for each in ("h.h other.h", "h.h no.h")] == [0, 2]


def test_a_device_is_written_to_and_a_link_followed(bind, tmp_path):
    assert bind("h.h --library m -o /dev/stdout").stdout == bind("h.h --library m -o -").stdout != ""
    (tmp_path / "link.py").symlink_to("made.py")
    assert bind("h.h --library m -o link.py").returncode == 0
    assert (tmp_path / "link.py").is_symlink() and (tmp_path / "made.py").is_file()


def test_json(bind):
    done = bind("h.h --library m -o made.py --json")
    found = json.loads(done.stdout)
    assert found["bound"] == [{"name": "sqrt", "signature": "(x: f64) -> f64", "prototype": "double sqrt(double x)"}]
    assert found["refused"] == [
        {
            "name": "inline_one",
            "kind": "function",
            "reason": "it is static: code of the header, no symbol of a library",
            "prototype": "int inline_one(int x)",
        }
    ]
    assert found["constants"] == ["LIMIT"]
    assert found["macros"] == [{"name": "F(x)", "reason": "a macro with parameters", "text": "x"}]
    assert (found["header"], found["library"]) == ("h.h", "libm.so.6")


def test_without_a_preprocessor(bind, tmp_path):
    done = bind("h.h --library m -o made.py --no-cpp")
    assert done.stderr.splitlines() == [
        "jitffi: h.h was read without a C preprocessor",
        "jitffi: bound 1 function, 1 constant; left out 1 function, 1 macro",
        "jitffi: 1 function static: inline_one",
        "jitffi: 1 macro with parameters: F",
    ]
    text = (tmp_path / "made.py").read_bytes()
    (tmp_path / "h.h").write_text("#include <nowhere.h>\n" + HEADER)
    done = bind("h.h --library m -o made.py", PATH=str(tmp_path), CC="")
    assert done.returncode == 0, done.stderr
    assert "read without a C preprocessor; not found and left out: nowhere.h" in done.stderr
    assert (tmp_path / "made.py").read_bytes() == text


def test_the_compiler_that_cc_names(bind, tmp_path):
    script = tmp_path / "mycc"
    script.write_text('#!/bin/sh\ncat >/dev/null\nprintf \'# 1 "%s/h.h"\\ndouble cos(double);\\n\' "$PWD"\n')
    script.chmod(0o755)
    done = bind("h.h --library m -o made.py --json", CC=f"{script} --flag")
    assert [each["name"] for each in json.loads(done.stdout)["bound"]] == ["cos"]
    script.write_text("#!/bin/sh\necho 'x.h:3:1: error: it is Monday' >&2; exit 1\n")
    done = bind("h.h --library m -o other.py", CC=str(script))
    assert (done.returncode, done.stderr) == (1, "jitffi: mycc -E: x.h:3: it is Monday\n")
    assert not (tmp_path / "other.py").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        ("", 2, "jitffi bind: missing argument 'HEADER.h...'"),
        ("h.h -o made.py", 2, "jitffi bind: missing option '--library'"),
        ("h.h --library m", 2, "jitffi bind: missing option '-o'"),
        ("h.h --library m -o - --json", 2, "jitffi bind: --json and '-o -' both print"),
        ("none.h --library m -o made.py", 2, "jitffi: none.h: no such header; -I DIR adds a directory to look in"),
        ("none.h --library m -o made.py --no-cpp", 2, "jitffi: none.h: no such header"),
        (". --library m -o made.py", 2, "jitffi: .: is a directory"),
        ("h.h --library m -o made.py -I none", 2, "jitffi: none: no such directory"),
        ("h.h --library ./none.so -o made.py", 2, "jitffi: ./none.so: no such file"),
        ("h.h --library none -o made.py", 1, "jitffi: libnone.so: cannot be loaded: "),
        ("h.h --library ./h.h -o made.py", 1, "jitffi: ./h.h: cannot be loaded: "),
        ("h.h --library m -o none/made.py", 1, "jitffi: none/made.py: there is no such directory"),
        ("h.h --library m -o .", 1, "jitffi: .: it is a directory; name a file"),
        ("h.h --library m -o /dev/full", 1, "jitffi: /dev/full: "),
        ("h.h --library m -o ''", 1, "jitffi: "),
    ],
)
def test_errors_are_one_line_and_an_exit_code(bind, arguments, code, message, tmp_path):
    done = bind(arguments)
    assert (done.returncode, done.stdout) == (code, "")
    assert done.stderr.startswith(message) and done.stderr.count("\n") == 1, done.stderr
    assert os.listdir(tmp_path) == ["h.h"]


def test_nothing_to_bind_leaves_what_was_there(bind, tmp_path):
    (tmp_path / "made.py").write_text("old")
    (tmp_path / "h.h").write_text("static long sqrtl(long x);\ndouble none(void);\n")
    done = bind("h.h --library m -o made.py")
    assert done.returncode == 1
    assert done.stderr == "jitffi: h.h: nothing to bind: of 2 functions 1 static, 1 not in the library\n"
    assert (tmp_path / "made.py").read_text() == "old" and sorted(os.listdir(tmp_path)) == ["h.h", "made.py"]
