"""jitffi/headers/expression.py and literals.py: constants have the values and types that a C compiler gives them."""

from __future__ import annotations

import math
import random
import shutil
import subprocess

import pytest

import jitffi
from jitffi.bind.source.expression import Int, evaluate
from jitffi.bind.source.literals import NotConstant
from jitffi.bind.source.tokens import tokens

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler to compare with")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("42", 42),
        ("0x7f", 127),
        ("017", 15),
        ("0b101", 5),
        ("'A'", 65),
        (r"'\n'", 10),
        (r"'\377'", -1),
        ("-(1 << 31)", -(2**31)),
        ("~0u", 2**32 - 1),
        ("~0UL", 2**64 - 1),
        ("1 ? 2 : 3 ? 4 : 5", 2),
        ("0 ? 2 : 0 ? 4 : 5", 5),
        ("!5 || 3 && 2", 1),
        ("7 / -2", -3),
        ("-7 % 3", -1),
        ("1 << 2 + 3", 32),
        ("(unsigned char)300", 44),
        ("(signed char)200", -56),
        ("(int)2.9", 2),
        ("(_Bool)7", 1),
        ("(void *)0", 0),
        ("(struct foo *)-1", -1),
        ("(size_t)-1", 2**64 - 1),
        ("1.5", 1.5),
        ("1 / 2.0", 0.5),
        ("1e3 > 999", 1),
        ("0.1f", 0.10000000149011612),
        ("-1.0 / 0.0", -math.inf),
        ("-1e10000L", -math.inf),
        ('"a" "b\\x41\\0"', "abA\0"),
        ('u8"\\u00e9"', "\u00e9"),
        ('"\\303\\251"', "\u00e9"),
    ],
)
def test_values(text, value):
    found = evaluate(tokens(text))
    plain = found.value if isinstance(found, Int) else found
    assert plain == value and type(plain) is type(value)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "nothing"),
        ("sizeof(foo)", "sizeof"),
        ("sizeof(1)", "sizeof"),
        ("sizeof 1", "sizeof"),
        ("sizeof(", "sizeof"),
        ("foo", "foo"),
        ("foo(1)", "foo"),
        ("1 +", "it ends too early"),
        ("(1", "it ends too early"),
        ("1 2", "unexpected '2'"),
        ("1 / 0", "division by zero"),
        ("1 % 0", "division by zero"),
        ("1 << 32", "<< by 32"),
        ("1 << -1", "<< by -1"),
        ("3.0L", "long double"),
        ("1e4000L", "long double"),
        ("18446744073709551616", "beyond 64 bits"),
        ("09", "09"),
        ("1ulul", "1ulul"),
        ('L"wide"', "wide characters"),
        (r'"\xff"', "no UTF-8"),
        (r'"\ud800"', r"\\ud800"),
        ('"a" + 1', "of a string"),
        ("(foo bar)0", "no type that is known"),
        ("1.0 % 2", "of a floating constant"),
        ("(" * 500 + "1" + ")" * 500, "too deep"),
        ("- " * 5000 + "1", "too deep"),
        ("a = 3", "a"),
        ("'ab'", "'ab'"),
        ("__import__('os')", "__import__"),
        ("{1}", "{"),
    ],
)
def test_what_has_no_value_says_why(text, reason):
    with pytest.raises(NotConstant, match=reason):
        evaluate(tokens(text))


def _random_expression(rng: random.Random, depth: int) -> str:
    if depth == 0 or rng.random() < 0.15:
        return rng.choice(
            ["0", "1", "2u", "3L", "7UL", "'a'", "0x7fffffff", "0xffffffff", "255", "1LL", "010", "2147483648", "5ull"]
        )
    inner = [_random_expression(rng, depth - 1) for _ in range(3)]
    kind = rng.randrange(11)
    if kind < 6:
        operator = rng.choice("+ - * & | ^ == != < > <= >= && || / %".split())  # noqa: SIM905
        right = f"({inner[1]} | 1)" if operator in "/%" else inner[1]
        return f"({inner[0]} {operator} {right})"
    if kind == 6:
        return f"({inner[0]} {rng.choice(['<<', '>>'])} {rng.randrange(31)})"
    if kind == 7:
        return f"({inner[0]} ? {inner[1]} : {inner[2]})"
    if kind == 8:
        return f"({rng.choice(['-', '~', '!', '+'])}{inner[0]})"
    if kind == 9:
        return f"sizeof({rng.choice(['char', 'unsigned short', 'long', 'void *', 'double', 'size_t', 'char **'])})"
    return f"(({rng.choice(['char', 'unsigned char', 'short', 'unsigned', 'long', 'unsigned long long'])}){inner[0]})"


@needs_cc
def test_random_expressions_are_the_compilers(tmp_path):
    """Value, and type as far as it shows: size, and whether -1 of it is negative. Same seed, same expressions."""
    rng = random.Random(4)
    texts = [_random_expression(rng, 4) for _ in range(400)]
    lines = ["#include <stdio.h>", "int main(void) {"]
    for text in texts:
        lines.append(f'printf("%lld %zu\\n", (long long)({text}), sizeof({text}));')
    source = tmp_path / "values.c"
    source.write_text("\n".join([*lines, "}"]))
    program = tmp_path / "values"
    subprocess.run([CC, "-w", "-fwrapv", "-o", str(program), str(source)], check=True, capture_output=True)
    answers = subprocess.run([str(program)], check=True, capture_output=True, text=True).stdout.splitlines()
    for text, answer in zip(texts, answers, strict=True):
        value, size = map(int, answer.split())
        found = evaluate(tokens(text))
        assert isinstance(found, Int)
        assert (found.converted(64, True).value, found.bits // 8) == (value, size), text


def test_sizes_of_the_types_that_a_header_has(tmp_path):
    (tmp_path / "own.h").write_text("""
        #include <stddef.h>
        struct box { int a; double b[3]; };
        typedef struct box Box;
        typedef int row[4];
        typedef void (*visit)(struct opaque *);
        enum { INTS = sizeof(int) * 2 };
        enum side { BOXES = sizeof(struct box), AFTER };
        #define BOX sizeof(struct box)
        #define TWO (sizeof(Box) * 2)
        #define ROW ((int)sizeof(row))
        #define POINTERS (sizeof(Box *) + sizeof(visit))
        #define WIDE (sizeof(size_t) == 8 ? 1LLU : 2U)
        #define VOID sizeof(void)
        #define OPAQUE sizeof(struct opaque)
        #define UNKNOWN sizeof(unknown)
        double cos(double);
    """)
    made = jitffi.bind_header(tmp_path / "own.h", "m")
    lines = {name: line for line in made.text.split("\n") for name, found, _ in [line.partition(": Final = ")] if found}
    values = {name: int(line.split("=")[1].split("#")[0]) for name, line in lines.items() if name.isupper()}
    assert values == {"INTS": 8, "BOX": 32, "TWO": 64, "ROW": 16, "POINTERS": 16, "WIDE": 1, "VOID": 1}
    assert {each.name for each in made.leftovers} == {"OPAQUE", "UNKNOWN"}
    assert {each.name for each in made.refused} == {"BOXES", "AFTER"}


def test_a_product_of_two_names_in_parentheses_is_no_cast(tmp_path):
    (tmp_path / "own.h").write_text(
        "#define WIDTH 12\n#define HEIGHT (3 + 1)\nenum { DEPTH = 2 };\n#define AREA (WIDTH * HEIGHT)\n"
        "#define VOLUME (DEPTH * AREA)\n#define SHARE (other *)\n"
    )
    made = jitffi.bind_header(tmp_path / "own.h", "m", check=False)
    assert "AREA: Final = 48" in made.text and "VOLUME: Final = 96" in made.text
    assert [each.name for each in made.leftovers] == ["SHARE"]
