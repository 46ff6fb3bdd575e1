"""Headers that are deep, long, or in one line: what cannot be read costs itself only, and time grows with the size."""

from __future__ import annotations

import ast
import time

import pytest

import jitffi
from jitffi.bind.source.preprocess import compiler

DEEP = {
    "pointers": f"int d({'*' * 10000} x);",
    "parentheses": f"int {'(' * 10000}d{')' * 10000}(int);",
    "functions": f"void d({'void (*)(' * 5000}int{')' * 5000});",
    "array sizes": f"int d(int x[{'(' * 10000}1{')' * 10000}]);",
    "a sum": f"int d(int x[{' + '.join(['1'] * 10000)}]);",
    "dimensions": f"int d(int x{'[2]' * 10000});",
    "structs": f"struct s {{ {'struct {' * 10000} int x; {'} y;' * 10000} }};\nint d(struct s x);",
    "signs": f"int d(int x[{'- ' * 10000}1]);",
    "conditions": f"int d(int x[{'1 ? ' * 5000} 1 {': 1' * 5000}]);",
    "typedefs": "typedef int t0;\n" + "".join(f"typedef t{i} *t{i + 1};\n" for i in range(5000)) + "int d(t5000 ***x);",
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP)
def test_what_is_too_deep_is_bound_or_left_out_by_name(text, tmp_path):
    (tmp_path / "h.h").write_text(f"int before(int);\n{text}\nint after(int);\n")
    made = jitffi.bind_header(tmp_path / "h.h", "own", check=False)
    names = {each.name for each in made.functions} | {each.name for each in made.refused}
    assert {"before", "after"} <= {each.name for each in made.functions} and "d" in names
    ast.parse(made.text)


@pytest.mark.parametrize(
    "body",
    [" + ".join(["1"] * 5000), "(" * 5000 + "1" + ")" * 5000, "-" * 5000 + "1", "1 ? " * 3000 + "1" + ": 1" * 3000],
)
def test_deep_values(body, tmp_path):
    text = f"#define M {body}\nenum {{ E = {body}, F = 3 }};\nint f(int);\n"
    (tmp_path / "h.h").write_text(text)
    made = jitffi.bind_header(tmp_path / "h.h", "own", check=False)
    names = {*made.constants, *[each.name for each in made.leftovers], *[each.name for each in made.refused]}
    assert {"M", "E", "F"} <= names and len(made.functions) == 1


def chain(n: int) -> str:
    return "#define M0 1\n" + "".join(f"#define M{i} (M{i - 1} + 1)\n" for i in range(1, n)) + "int f(int);\n"


LONG = {
    "functions": (50, lambda n: "".join(f"/* {i} */\nint f{i}(int x);\n\n" for i in range(n))),
    "one line": (50, lambda n: "".join(f"int f{i}(int x); /* {'x' * 500} */ " for i in range(n))),
    "comments": (5000, lambda n: "int f(int);" + "/* c */ // \\\n" * n),
    "comments in one line": (5000, lambda n: "int f(int);" + "/* c */ " * n),
    "line comments": (1500, lambda n: "// c\n" * n + "int f(int);"),
    "comments about others": (
        50,
        lambda n: (
            "".join(f"int f{i}(int);\n" for i in range(n)) + "".join(f"/* int g{i}(int);\n */\n\n" for i in range(n))
        ),
    ),
    "open comments": (5000, lambda n: "int f(int);\n#if 0\n" + "'/* " * n + "\n*/\n#endif\n"),
    "macros": (500, lambda n: "".join(f"#define M{i} {i}\n" for i in range(n)) + "int f(int);"),
    "macros of macros": (350, chain),
    "macros of none": (250, lambda n: chain(n).replace("M0 1", "M0 g")),
    "members": (350, lambda n: "enum {\n" + "".join(f"E{i}, /* {i} */\n" for i in range(n)) + "};\nint f(int);"),
    "members in one line": (350, lambda n: "enum {" + "".join(f"E{i}," for i in range(n)) + "};\nint f(int);"),
    "parameters": (100, lambda n: "int f(" + ", ".join(f"int p{i}" for i in range(n)) + ");"),
    "names": (100, lambda n: "int " + ", ".join(f"f{i}(int)" for i in range(n)) + ";"),
    "unknown types": (
        50,
        lambda n: "".join(f"typedef int t{i};\nint g{i}(none{i} x);\n" for i in range(n)) + "int f(int);",
    ),
    "a string": (25000, lambda n: f'#define S "{"x" * n}"\nint f(int);'),
    "continued lines": (750, lambda n: "#define S 1 \\\n" + " + 1 \\\n" * n + "\nint f(int);"),
    "line ends": (1500, lambda n: "\r\n" * n + "int f(int);\r\n"),
}


@pytest.mark.parametrize("kind", LONG)
@pytest.mark.parametrize("use_compiler", [True, False])
def test_time_grows_with_the_size(kind, use_compiler, tmp_path):
    if use_compiler and compiler() is None:
        pytest.skip("no C compiler")
    size, make = LONG[kind]

    def seconds(n: int) -> float:
        (tmp_path / "h.h").write_text(make(n), newline="")
        start = time.thread_time()
        made = jitffi.bind_header(tmp_path / "h.h", "own", check=False, use_compiler=use_compiler)
        taken = time.thread_time() - start
        assert made.functions
        ast.parse(made.text)
        return taken

    seconds(10)
    few, many = min(seconds(size) for _ in range(2)), seconds(8 * size)
    for _ in range(4):  # what else the machine did in one of them is no growth
        if many < 20 * few + 0.1:
            break
        few, many = max(few, seconds(size)), min(many, seconds(8 * size))
    assert many < 20 * few + 0.1, f"{few:.3f} s, {many:.3f} s for 8 times as much"
