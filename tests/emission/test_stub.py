"""Stubs for emitted code: what mypy --strict says of them, and of programs that use them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.emission import stub
from jitffi.signature.model import TYPES, WIDE_NAMES, Param, Signature, Type, func, optional

needs_mypy = pytest.mark.skipif(importlib.util.find_spec("mypy") is None, reason="mypy is not installed")


def mypy(*files: str, where) -> str:
    """What mypy says, one complaint a line; "" for nothing."""
    options = ["--strict", "--follow-imports=silent", "--no-error-summary", f"--cache-dir={where / 'cache'}"]
    command = [sys.executable, "-m", "mypy", *options, *files]
    # The package as this process has it: what an editable install puts on the path, mypy cannot follow.
    environment = {**os.environ, "MYPYPATH": str(Path(jitffi.__file__).resolve().parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=where, env=environment)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def everything() -> dict[str, Signature]:
    """A function for each type, nested once where types nest; and those whose names are in the way."""
    plain = [ty for name, ty in TYPES.items() if name != "void"]
    plain += [func(Signature([Param(None, ty)], ty)) for ty in plain]
    plain += [Type("list", (ty,)) for ty in plain if ty.name not in ("cstr", "func", *WIDE_NAMES)]
    plain += [Type("tuple", (TYPES["str"], TYPES["f64"], TYPES["str"])), Type("map", (TYPES["str"], TYPES["any"]))]
    sigs = {f"f{i}": Signature([Param("x", ty), Param(None, ty)], ty) for i, ty in enumerate([*plain])}
    sigs |= {
        f"g{i}": Signature([Param(None, optional(ty)), Param("y", ty)], ty if ty.name in WIDE_NAMES else optional(ty))
        for i, ty in enumerate(plain)
    }
    for name in ("int", "_int", "str", "bool", "float", "Any", "SupportsIndex", "Buffer", "List", "lambda", "find"):
        sigs[name] = Signature.parse("(i64, str, bytes, f64, b: bool, self: any) -> optional[i64]")
    sigs["defaults"] = Signature.parse(
        "(a: i64 = -1, b: f64 = inf, c: f64 = nan, d: str = '\u20ac\\n\"\"\"', e: bytes = b'\\x00', f: ptr = None, "
        f"g: bool = True, h: any = 1.5, i: optional[i64] = None, j: str = '{'x' * 50}', k: tuple = (), "
        "l: c128 = (1-2j), m: c64 = infj) -> void"
    )
    sigs["nothing"] = Signature([], TYPES["void"])
    return sigs


@needs_mypy
@pytest.mark.parametrize("entry", ["python", "packed", "c"])
def test_mypy_has_nothing_to_say_of_a_stub_with_everything(entry, tmp_path):
    (tmp_path / "demo.pyi").write_text(stub.text(everything(), entry=entry, file_name="demo.so"), encoding="utf-8")
    assert mypy("demo.pyi", where=tmp_path) == ""


@needs_mypy
def test_a_program_is_checked_against_the_stub(tmp_path):
    sigs = {
        "add": Signature.parse("(a: i64, b: i64 = 1) -> i64"),
        "first": Signature.parse("(list[str]) -> optional[str]"),
        "each": Signature.parse("(values: list[f64], visit: func[(f64) -> bool]) -> void"),
    }
    (tmp_path / "demo.pyi").write_text(stub.text(sigs, entry="python", file_name="demo.so"))
    (tmp_path / "good.py").write_text(
        "import demo\n"
        "x: int = demo.add(1, b=True)\n"
        "y: str | None = demo.first(['a'])\n"
        "demo.each([1, 2.5], lambda value: value > 2)\n"
    )
    bad = [
        "demo.add('1')",
        "demo.add(1, 2, 3)",
        "demo.add(1.5)",
        "demo.first([1])",
        "demo.each([], 1.5)",
        "demo.none()",
    ]
    bad += ["z: str = demo.first(['a'])", "demo.first(arg1=['a'])"]
    (tmp_path / "bad.py").write_text("\n".join(["import demo", *bad]) + "\n")
    assert mypy("good.py", where=tmp_path) == ""
    complaints = mypy("bad.py", where=tmp_path).splitlines()
    assert sorted({int(line.split(":")[1]) for line in complaints if ": error:" in line}) == list(
        range(2, 2 + len(bad))
    )


@needs_mypy
def test_a_program_is_checked_that_loads_what_was_emitted(tmp_path):
    sigs = {"add": Signature.parse("(a: i64, b: i64 = 1) -> i64"), "words": Signature.parse("(str) -> list[str]")}
    (tmp_path / "demo.pyi").write_text(stub.text(sigs, entry="packed", file_name="demo.so"))
    head = "from typing import TYPE_CHECKING, cast\nimport jitffi\nif TYPE_CHECKING:\n    from demo import Demo\n"
    head += "demo = cast('Demo', jitffi.load_module('demo.so'))\n"
    (tmp_path / "good.py").write_text(f"{head}x: int = demo.add(1, b=2)\ny: str = demo.words('a b')[0]\n")
    (tmp_path / "bad.py").write_text(f"{head}demo.add('a')\ndemo.words()\n")
    assert mypy("good.py", where=tmp_path) == ""
    assert mypy("bad.py", where=tmp_path).count(" error: ") == 2


def test_each_function_shows_its_signature_and_its_defaults():
    sigs = {"scale": Signature.parse("(f64, by: f64 = 2.0, name: optional[str] = None) -> f64")}
    assert stub.text(sigs, entry="python", file_name="demo.so").splitlines()[-2:] == [
        "# scale: (f64, by: f64 = 2.0, name: optional[str] = None) -> f64",
        "def scale(arg1: SupportsFloat, /, by: SupportsFloat = 2.0, name: str | None = None) -> float: ...",
    ]


def test_each_type_has_its_words():
    words = {
        "bool": ("bool", "bool"), "i8": ("SupportsIndex", "int"), "u64": ("SupportsIndex", "int"),
        "f16": ("SupportsFloat", "float"), "f64": ("SupportsFloat", "float"), "ptr": ("object", "int | None"),
        "cstr": ("str | bytes", "str"), "str": ("str", "str"), "ucs4": ("str", "str"), "bytes": ("Buffer", "bytes"),
        "dtype": ("object", "DataType"), "device": ("object", "Device"), "any": ("object", "Any"),
        "object": ("object", "Any"), "module": ("Module", "Module"), "list": ("Sequence[Any]", "List[Any]"),
        "map": ("Mapping[Any, Any]", "Map[Any, Any]"), "tuple": ("Sequence[Any]", "Tuple[Any]"),
        "func": ("Callable[..., Any]", "Callable[..., Any]"),
        "func[(i64) -> f64]": ("Callable[[int], SupportsFloat] | int", "Callable[[SupportsIndex], float]"),
        "optional[str]": ("str | None", "str | None"), "optional[any]": ("object", "Any"),
        "list[optional[i64]]": ("Sequence[int | None]", "List[int | None]"),
        "map[str, list[f64]]": ("Mapping[str, List[float]]", "Map[str, List[float]]"),
        "tuple[i64, str]": ("Sequence[int | str]", "Tuple[int | str]"),
    }  # fmt: skip
    for name, (takes, gives) in words.items():
        text = stub.text({"f": Signature.parse(f"(x: {name}) -> {name}")}, entry="packed")
        assert f"def f(x: {takes}) -> {gives}: ..." in text, name


def test_a_module_that_does_not_need_the_package_has_none_of_its_classes():
    sigs = {"f": Signature.parse("(list[i64], dtype) -> list[i64]"), "g": Signature.parse("() -> map[str, device]")}
    text = stub.text(sigs, entry="python", file_name="demo.so")
    assert "jitffi import" not in text
    assert "-> MutableSequence[int]: ..." in text
    assert "from jitffi" not in text
    with_classes = stub.text(sigs, entry="packed", file_name="demo.so")
    assert "from jitffi import Device, List, Map, Module\n" in with_classes
    assert "-> List[int]: ..." in with_classes
    assert "-> Map[str, Device]: ..." in with_classes


def test_what_is_owned_is_a_pointer_or_a_str():
    owned = "(x: ptr[f64], out[optional[owned[ptr[f64], free]]]) -> owned[cstr, free]"
    text = stub.text({"f": Signature.parse(owned)}, entry="python", file_name="demo.so")
    assert "def f(x: Any) -> tuple[str, Any]: ..." in text and f"# f: {owned}\n" in text


def test_functions_that_no_attribute_can_name_are_said_how_to_get():
    sigs = {name: Signature.parse("() -> void") for name in ("lambda", "bind")}
    text = stub.text(sigs, entry="c", file_name="demo.so")
    assert "# lambda is a keyword: take the function by getattr" in text
    assert "# bind is an attribute of Library: take the function by bind" in text
    assert text.endswith("    ...\n")
