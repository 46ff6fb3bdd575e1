"""Structs in emitted headers: compiled by C and C++, with the sizes that they have here."""

from __future__ import annotations

import subprocess

import pytest

import jitffi
from jitffi.emission import header
from jitffi.signature.model import Signature


@pytest.fixture(scope="module")
def classes():
    point = jitffi.struct(
        "header.Point", "x: f64, kind: u32:3, _: u32:5, next: ptr[header.Point], call: func[() -> i32]"
    )
    either = jitffi.union("header.Either", "point: header.Point, bytes: i8[3]", align=32)
    packed = jitffi.struct("header.Packed", "a: i8, b: i64, m: f32[2, 3], class_: bool", pack=2)
    ended = jitffi.struct("header.Ended", "size: i64, part: header.Packed @ 16, _: header.Either, data: u8[]")
    return {"header_Point": point, "header_Either": either, "header_Packed": packed, "header_Ended": ended}


@pytest.mark.parametrize("compiler", [["cc", "-std=c11"], ["c++", "-std=c++11"]])
def test_sizes(classes, compiler, tmp_path):
    sig = Signature.parse(
        "(point: header.Point, ended: ptr[const header.Ended], file: ptr[struct FILE]) -> header.Either"
    )
    text = header.text({"made": sig}, entry="c", callee="c", callee_name="wanted", file_name="made.h")
    (tmp_path / "made.h").write_text(text)
    is_c = compiler[0] == "cc"
    source = tmp_path / ("main.c" if is_c else "main.cpp")
    checks = [
        f'{"_S" if is_c else "s"}tatic_assert(sizeof({name}) == {jitffi.sizeof(made)}, "{name}");'
        for name, made in classes.items()
    ]
    source.write_text("\n".join(['#include "made.h"', '#include "made.h"', *checks, ""]))
    subprocess.run([*compiler, "-Wall", "-Wextra", "-Werror", "-c", "-o", tmp_path / "main.o", source], check=True)


def test_a_definition_from_elsewhere(classes):
    lines = header.text(
        {"made": Signature.parse("(header.Point) -> void")}, entry="c", callee="c", callee_name="wanted"
    ).splitlines()
    assert lines[lines.index("struct header_Point {") - 1] == "#define JITFFI_HAS_header_Point"
    assert "void made(header_Point a1);" in lines
