"""Structs of C declarations: what is read is what a C compiler makes of the same text."""

from __future__ import annotations

import subprocess

import pytest

from jitffi.base.errors import SignatureError
from jitffi.signature import structs
from jitffi.signature.cdecl import parse_declarations, parse_prototype

TEXT = """
typedef struct { double x, y; } Point;
struct stack {
    struct stack *next; Point p; unsigned a:3, b:5; unsigned :0; unsigned c:2; char name[sizeof(int)*4 + N];
    enum {N = 2, M} e; union { int i; float f; } u; struct { short lo, hi; };
    int (*cmp)(const void*, Point); const char *text; _Alignas(16) float v[4]; Point *ps[3]; long grid[2][M];
};
struct __attribute__((packed)) pk { char c; int i; };
struct late_pk { char c; int i; struct { char d; long l; } in; } __attribute__((__packed__));
struct pk2 { char c; int i __attribute__((aligned(16))); char z; } __attribute__((aligned(32)));
struct most { char c; } __attribute__((aligned));
#pragma pack(push, 2)
struct p2 { char c; double d; };
#pragma pack(push, 1)
struct p1 { char c; short s; double d; };
#pragma pack(pop)
struct again { char c; int i; };
#pragma pack(pop)
struct after { char c; int i; };
struct flex { int n; unsigned char data[]; };
typedef struct zs { int a; } z_stream;
typedef z_stream *zp;
union both { struct after a; struct { unsigned hi : 20, lo : 12; } bits; double d; };
"""


@pytest.fixture(scope="module")
def found():
    return parse_declarations(TEXT, "cs")


def test_sizes_and_offsets_are_the_compilers(found, tmp_path) -> None:
    lines, expected = [], []
    for name, type_ in found.names.items():
        made = structs.declared(type_)
        lines.append(f'printf("{name} %zu %zu\\n", sizeof({name}), _Alignof({name}));')
        expected.append(f"{name} {made.layout().size} {made.layout().align}")
        for placed in made.placed():
            if placed.member.bits is None:
                lines.append(f'printf("{placed.member.name} %zu\\n", offsetof({name}, {placed.member.name}));')
                expected.append(f"{placed.member.name} {placed.offset}")
    source = tmp_path / "layout.c"
    text = f"#include <stddef.h>\n#include <stdio.h>\n{TEXT}\nint main(void) {{ {' '.join(lines)} return 0; }}"
    # An enumerator that a member before it uses is C only for us.
    source.write_text(text.replace("+ N]", "+ 2]"))
    subprocess.run(["cc", "-w", str(source), "-o", str(tmp_path / "layout")], check=True)
    made_by = subprocess.run([str(tmp_path / "layout")], capture_output=True, text=True, check=True).stdout
    assert made_by.split("\n")[:-1] == expected


def test_what_they_are_called(found) -> None:
    assert {name: type_.text for name, type_ in found.names.items()} == {
        "Point": "cs.Point", "struct stack": "cs.stack", "struct pk": "cs.pk", "struct late_pk": "cs.late_pk",
        "struct pk2": "cs.pk2", "struct most": "cs.most", "struct p2": "cs.p2", "struct p1": "cs.p1",
        "struct again": "cs.again", "struct after": "cs.after", "struct flex": "cs.flex", "struct zs": "cs.z_stream",
        "z_stream": "cs.z_stream", "union both": "cs.both",
    }  # fmt: skip
    stack = structs.find("cs.stack")
    assert stack is not None
    assert stack.text() == (
        "next: ptr[cs.stack], p: cs.Point, a: u32:3, b: u32:5, _: u32:0, c: u32:2, name: i8[18], e: i32, "
        "u: cs.stack.u, _: cs.stack._1, cmp: func[(ptr[const void], cs.Point) -> i32], text: cstr, v: f32[4] @ 16, "
        "ps: ptr[cs.Point][3], grid: i64[2, 3]"
    )
    assert [each.c_name for each in found.structs][:3] == ["Point", "cs_stack_u", "cs_stack__1"]


def test_several_names_of_one_without_a_tag() -> None:
    found = parse_declarations("typedef struct { int x; } box, *box_ptr; void f(box_ptr, box);", "cst")
    assert str(found.functions["f"]) == "(optional[ptr[cst.box]], cst.box) -> void"


def test_functions_have_them() -> None:
    text = "struct v { float x; }; typedef union { int i; } w; struct v f(struct v a, const struct v *b, w c[2], w *);"
    sig = parse_declarations(text, "csf").functions["f"]
    w, v = "optional[ptr[csf.w]]", "optional[ptr[const csf.v]]"
    assert str(sig) == f"(csf.v, {v}, {w}, {w}) -> csf.v"


def test_two_of_one_name_are_two() -> None:
    first, second, third = [
        parse_prototype(f"struct same {{ {members} }}; void f(struct same);", prefix="css")[1]
        for members in ("int x;", "float x;", "int x;")
    ]
    assert [str(each) for each in (first, second, third)] == ["(css.same) -> void", "(css_2.same) -> void"] + [
        "(css.same) -> void"
    ]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("va_list v;", "v: va_list, which only C compilers know how to pass"),
        ("int n[x];", "n: its length: 'x', which is not known"),
        ("int n[1 / 0];", "n: its length: a division by zero"),
        ("int b : 40;", "b: 40 bits of i32 are no bit-field"),
        ("struct nowhere n;", "n: struct nowhere by value: its members are not declared"),
        ("int n[], m;", "n: only the last member of a struct has no length"),
        ("void v;", "v: void is no member"),
    ],
)
def test_what_is_no_struct_is_opaque(text: str, reason: str) -> None:
    found = parse_declarations(f"struct bad {{ {text} }}; int f(struct bad *); int g(struct bad);", "csb")
    assert str(found.functions["f"]) == "(optional[ptr[struct bad]]) -> i32"
    assert found.refused["csb.bad"] == reason
    assert found.refused["g"] == f"parameter 1: struct bad by value: {reason}"
    assert not found.names


def test_what_is_not_understood_is_said() -> None:
    with pytest.raises(SignatureError, match="unknown type 'uint33_t'"):
        parse_declarations("struct s { uint33_t x; };", "cse")
    found = parse_declarations("struct s { int x __attribute__((packed)); };", "cse")
    assert "packed stands at the struct" in found.refused["cse.s"]
