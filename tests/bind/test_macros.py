"""jitffi/headers/macros.py and builtin.py: macros are expanded, and headers read, as the C preprocessor does it."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from jitffi.bind.source import builtin
from jitffi.bind.source.errors import HeaderError, HeaderNotFound
from jitffi.bind.source.macros import MacroError, expand, parse_define
from jitffi.bind.source.tokens import tokens, without_comments
from jitffi.bind.source.units import read

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler to compare with")

#: Definitions, and a text that uses them.
CASES = [
    ("A B\nB C\nC 1", "A B C D"),
    ("A A + 1", "A"),
    ("A B\nB A", "A B"),
    ("twice(x) ((x) * 2)", "twice(3) twice twice (4) twice(twice(5))"),
    ("f(x, y) x + y", "f((1, 2), [3]) f(f(1, 2), 3)"),
    ("f() 7\ng(x) <x>", "f() f ( ) g() g(a b)"),
    ("cat(a, b) a ## b\nAB 9\nx y", "cat(A, B) cat(x, 1) cat(, x) cat(x,) cat(,)"),
    ("str(x) #x\nA 1", 'str(A) str("q\\n") str(a,)'.replace("str(a,)", "str()")),
    ("log(f, ...) print(f, __VA_ARGS__)\nall(...) {__VA_ARGS__}", "log(a, b, c) log(a, b) all() all(1) all(1, 2)"),
    ("gnu(f, args...) print(f, args)", "gnu(a, b, c)"),
    ("EMPTY\ncall(x) x EMPTY", "call(EMPTY 1) EMPTY"),
    ("OF(args) args\nEXTERN extern", "EXTERN int f OF((int a, char *b));"),
    ("g f\nf(x) [x]", "g(3) g (4) g"),
    ("N 4\narr(n) int a[n]", "arr(N); arr(N + 1);"),
    ('S "a" "b"\nC \'c\'', "S C L'x' 'A' \"A\""),
]


def ours(defines: str, text: str) -> list[str]:
    macros = {macro.name: macro for macro in map(parse_define, defines.split("\n"))}
    return expand(tokens(text), macros)


@needs_cc
@pytest.mark.parametrize(("defines", "text"), CASES, ids=[case[0].split("\n")[0] for case in CASES])
def test_expansion_is_the_compilers(defines, text):
    source = "".join(f"#define {line}\n" for line in defines.split("\n")) + text + "\n"
    done = subprocess.run([CC, "-E", "-P", "-x", "c", "-"], input=source, capture_output=True, text=True)
    assert ours(defines, text) == tokens(done.stdout)


def test_wrong_uses_are_refused():
    for defines, text in [("f(x) x", "f(1"), ("f(x, y) x", "f(1)"), ("f(x) x", "f(1, 2)"), ("f() 1", "f(2)")]:
        with pytest.raises(MacroError):
            ours(defines, text)
    for text in ("", "1", "f(x", "f(x y z", "f(1) 2", '"a"'):
        with pytest.raises(MacroError):
            parse_define(text)


def test_macros_made_to_explode_end():
    bomb = "\n".join(f"A{i} A{i + 1} A{i + 1} A{i + 1} A{i + 1}" for i in range(20))
    with pytest.raises(MacroError, match="expands to too much"):
        ours(bomb, "A0")


def test_comments_and_strings_are_told_apart():
    text = 'a /* " */ "/* no */" \'"\' // " \\\n still\nb /* open'
    assert without_comments(text) == 'a   "/* no */" \'"\'  \n\nb  '


FILES = {
    "main.h": """
#ifndef MAIN_H
#define MAIN_H 1
#include "part.h"
#include <nowhere/at_all.h>
#define DEPTH 3
#if DEPTH > 2 && defined(PART) && !defined NOT
int deep(void);
#elif 1
int shallow(void);
#else
int other(void);
#endif
#if 0
# if 1
int dead(void);
# else
# endif
#elif (DEPTH << 1) == 6 || MISSING
int six
(void);
#endif
#ifdef PART
# undef PART
#endif
#ifndef PART
int PART(void), \\
    and(int x
#ifdef DEPTH
      , int y
#endif
    );
#endif
#if defined(GIVEN) && GIVEN == 7
int given(void);
#endif
#if __has_include(<stdio.h>) || __has_attribute(foo)
int extension(void);
#endif
#include "main.h"
#endif
""",
    "part.h": '#pragma once\n#define PART 1\nint part(void);\n#include "part.h"\n',
}


def functions(text: str) -> list[str]:
    return [" ".join(tokens(unit.text)) for unit in read(text).units if unit.file.endswith(("main.h", "part.h"))]


@pytest.fixture
def main(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return str(tmp_path / "main.h")


def test_conditions_inclusion_and_places(main):
    text, missing = builtin.preprocess([main], [], ["GIVEN=7"])
    assert missing == ["nowhere/at_all.h"]
    assert functions(text) == [
        "int part ( void ) ;",
        "int deep ( void ) ;",
        "int six ( void ) ;",
        "int PART ( void ) , and ( int x , int y ) ;",
        "int given ( void ) ;",
    ]
    sheet = read(text)
    assert [(unit.line, unit.file.rpartition("/")[2]) for unit in sheet.units] == [
        (3, "part.h"), (8, "main.h"), (20, "main.h"), (27, "main.h"), (35, "main.h"),
    ]  # fmt: skip
    assert sheet.macros["DEPTH"].line == 6 and "PART" not in sheet.macros


@needs_cc
def test_it_is_the_compilers_text(main, tmp_path):
    (tmp_path / "main.h").write_text(
        FILES["main.h"].replace("#include <nowhere/at_all.h>\n", "").replace("__has_include(<stdio.h>)", "0")
    )
    done = subprocess.run([CC, "-E", "-dD", "-DGIVEN=7", "-x", "c", main], capture_output=True, text=True)
    text, _ = builtin.preprocess([main], [], ["GIVEN=7"])
    assert functions(text) == functions(done.stdout)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("#error  not   here", r"main\.h:1: #error not here"),
        ("\n#endif", r"main\.h:2: #endif without #if"),
        ("#else", "#else without #if"),
        ("#define 3", "no name is defined by '3'"),
        ("#include nothing", "#include of 'nothing'"),
        ("#define f(x) x\nf(1, 2)", r"main\.h:2: f takes 1 arguments, got 2"),
        ('#include "main.h"', "without end"),
    ],
)
def test_what_no_preprocessor_takes(text, message, tmp_path):
    (tmp_path / "main.h").write_text(text)
    with pytest.raises(HeaderError, match=message):
        builtin.preprocess([str(tmp_path / "main.h")], [], [])


def test_a_header_that_is_not_there():
    with pytest.raises(HeaderNotFound, match=r"nowhere\.h: no such header"):
        builtin.preprocess(["nowhere.h"], [], [])
