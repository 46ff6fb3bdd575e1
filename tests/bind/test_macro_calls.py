"""Macros with parameters that are a call of a function are functions of the module; all others are left out."""

from __future__ import annotations

import ast
import importlib.util

import pytest

import jitffi

DECLARED = """
#define NULL ((void *)0)
#define BASE 10
#define PREFIX "x"
struct point { int x, y; };
enum way { UP, DOWN = 7 };
long strtol(const char *text, char **end, int base);
unsigned long strlen(const char *text);
int strcmp(const char *a, const char *b);
int abs(int number);
enum way labs(long number);
void *memset(void *to, int byte, unsigned long size);
int printf(const char *format, ...);
void qsort(void *base, unsigned long count, unsigned long size, int (*compare)(const void *, const void *));
"""


@pytest.fixture
def bound(tmp_path):
    """bound(defines): what was bound, and its module."""

    def make(defines):
        (tmp_path / "calls.h").write_text(DECLARED + defines)
        made = jitffi.bind_header(str(tmp_path / "calls.h"), "c", tmp_path / "calls.py")
        spec = importlib.util.spec_from_file_location("calls", tmp_path / "calls.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return made, module

    return make


def calls_in(made):
    """What each function of the module that has a body gives back, by its name."""
    functions = [node for node in ast.parse(made.text).body if isinstance(node, ast.FunctionDef)]
    return {each.name: ast.unparse(each.body[1]) for each in functions if len(each.body) > 1}


@pytest.mark.parametrize(
    ("define", "call"),
    [
        ("one(x) abs(x)", "return abs(x)"),
        ("one(x) ((abs)((x)))", None),  # no name stands before the arguments
        ("one(x) (abs((int)(x)))", "return abs(x)"),
        ("one(text) strtol((text), NULL, BASE)", "return strtol(text, None, BASE)"),
        ("one(text) strtol(text, 0, (BASE | 6) + sizeof(struct point))", "return strtol(text, None, 22)"),
        ("one() strlen(PREFIX)", "return strlen(PREFIX)"),
        ('one() strlen(PREFIX "y")', "return strlen('xy')"),
        ("one(x) abs((int)strlen(x))", "return abs(strlen(x))"),
        ("one(at) memset((char *)(at), -1, -1)", "return memset(at, -1, 18446744073709551615)"),
        ("one(at) memset(at, DOWN, 4294967295u * 2)", "return memset(at, 7, 4294967294)"),
        ("one(x, y, f) qsort(x, y, 8, f)", "qsort(x, y, 8, f)"),
        ("one(lambda, abs) strcmp(abs, lambda)", "return strcmp(abs, lambda_)"),
        ("one(strlen) strlen(strlen)", None),
        ("one(BASE) abs(BASE)", "return abs(BASE)"),
        ("one(a, a_) strcmp(a_, a)", "return strcmp(a_, a)"),
        ("one(x) two(x)\n#define two(y) abs(y)", "return abs(x)"),
        ("one(x) abs(x) + abs(x)", None),
        ("one(x) -abs(x)", None),
        ("one(x, y) abs(x)", None),
        ("one(x) strcmp(x, x)", "return strcmp(x, x)"),
        ("one(x) strtol(x, x, 3)", None),
        ("one(x) strcmp(x)", None),
        ("one(x) abs((x)->y)", None),
        ("one(x) abs(x, )", None),
        ("one(x) printf(x)", None),
        ("one(...) abs(__VA_ARGS__)", None),
        ("one(x) memset(x, 'a', 1.5)", None),
        ('one(x) memset(x, "a", 1)', None),
        ("one(x) abs(unknown)", None),
        ("one(x) abs(", None),
        ("one(x) ()", None),
        ("one(x) abs(x))", None),
        ("one(x) abs(one(x))", None),
        ("abs(x) abs(x)", None),
        ("one(x) struct point *x", None),
    ],
)
def test_what_is_a_call(bound, define, call):
    made, _ = bound(f"#define {define}\n")
    assert calls_in(made).get("one") == call
    assert (made.macros[:1] == ("one",)) == (call is not None)


def test_they_are_called(bound):
    made, module = bound(
        "#define number(text) strtol((text), NULL, BASE)\n#define way(x) abs(x)\n#define turned(x) abs((enum way)(x))\n"
    )
    assert module.number("-42") == -42 and module.number.__doc__ == "#define number(text) strtol((text), NULL, BASE)"
    assert (
        "number" in module.__all__
        and made.summary.endswith("2 macros; left out 1 macro")
        and made.as_dict()["macro_calls"] == ["number", "turned"]
    )
    assert "def number(text: str | bytes | None) -> int:" in made.text and module.turned(-7) == 7


def test_their_results_are_members_of_enums(bound):
    made, module = bound("#define turned(x) labs(-(7) + 0 * 1)\n#define way_of(number) labs(number)\n")
    assert "def way_of(number: int) -> way:" in made.text and module.way_of(-7) is module.way.DOWN
    assert made.macros == ("way_of",)


def test_a_side_file_has_a_say(bound, tmp_path):
    (tmp_path / "calls.toml").write_text(
        'leave_out = ["left*", "BASE"]\nnames = { kept = "renamed", strtol = "to_number" }\n[functions.memset]\n'
        'types.to = "u8[size]"\n'
    )
    made, module = bound(
        "#define left(x) abs(x)\n#define kept(x) strtol(x, NULL, BASE)\n#define zero(at, n) memset(at, 0, n)\n"
    )
    assert made.macros == ("kept",) and calls_in(made) == {"renamed": "return to_number(x, None, 10)"}
    assert module.renamed("12") == 12 and not hasattr(module, "zero")
