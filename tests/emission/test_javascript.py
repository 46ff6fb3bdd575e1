"""ES modules for WebAssembly: what they refuse, what TypeScript is told, and every kind of value in Node."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from support.cross import run, wasm_libraries

import jitffi
from jitffi.emission import javascript
from jitffi.signature.model import Signature

NODE = shutil.which("node") or shutil.which("nodejs") or "node"
NAMES = "i8 u8 i16 u16 i32 u32 i64 u64 f32 f64 ptr cstr str bytes ucs4 any"
VALUES = {
    "b": "(x: bool) -> bool",
    **{f"{name}_": f"(x: {name}) -> {name}" for name in NAMES.split()},
    "ocstr": "(x: optional[cstr]) -> optional[cstr]",
    "ostr": "(x: optional[str]) -> optional[str]",
    "un": "(x: i64 | str | null) -> i64 | str | null",
    "oi": "(x: optional[i32] = None, y: optional[f64] = None) -> any",
    "li": "(x: list[i32]) -> list[i32]",
    "ll": "(x: list) -> list",
    "mp": "(x: map[str, i64]) -> map[str, i64]",
    "tp": "(x: tuple[i32, str]) -> tuple[i32, str]",
    "shp": "(x: shape) -> shape",
    "ob": "(x: object) -> object",
    "fn": "(x: func) -> func",
    "callit": "(f: func, x: any) -> any",
    "strcb": "(f: func[(str, optional[i32], list[str]) -> str], x: str) -> str",
    "lcb": "(f: func[(i32) -> list[i32]], x: i32) -> list[i32]",
    "arr": "(x: tensor[f64, *, *]) -> tensor[f64, *, *]",
    "nd": "(x: ndarray) -> ndarray",
    "und": "(x: error | bytes | ndarray) -> error | bytes | ndarray",
    "nds": "(x: list[ndarray]) -> list[ndarray]",
    "sum": "(x: tensor[f32, *]) -> f64",
    "nothing": "() -> void",
    "thrice": "(f: func[() -> void]) -> void",
}


def test_values_in_node(tmp_path: Path) -> None:
    link = [*wasm_libraries(), "--export=jf_live_objects"]
    made = tmp_path / "all.mjs"
    jitffi.emit(VALUES, tmp_path / "all.wasm", js=made, link=link)
    shutil.copy(Path(__file__).with_name("javascript_values.mjs"), tmp_path / "values.mjs")
    assert run(NODE, tmp_path / "values.mjs") == "all is well\n"
    first = [made.read_bytes(), made.with_suffix(".d.mts").read_bytes()]
    jitffi.emit(VALUES, tmp_path / "all.wasm", js=made, link=link)
    assert [made.read_bytes(), made.with_suffix(".d.mts").read_bytes()] == first


REFUSED = [
    ({"out": "f.so"}, ValueError, "emit a .wasm, not f.so"),
    ({"entry": "c", "callee": "packed"}, ValueError, "JavaScript calls packed entries, not those of convention 'c'"),
    ({"js": "f.txt"}, ValueError, r"an ES module is a \.mjs or \.js file"),
    ({"link": ()}, ValueError, "JavaScript needs the runtime in the module"),
    ({"js": "f.wasm"}, ValueError, r"an ES module is a \.mjs or \.js file"),
    ({"sigs": "f: (p: out[f64]) -> void"}, TypeError, r"f: argument 1: JavaScript has no values of type out\[f64\]"),
    ({"sigs": "f: (p: longdouble) -> void"}, TypeError, "f: argument 1: JavaScript has no values of type longdouble"),
    ({"sigs": "f: (p: list[c64]) -> void"}, (TypeError, ValueError), "c64"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "kind", "said"), REFUSED)
def test_what_is_refused(given, kind, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("libjitffi_runtime.a").write_bytes(b"!<arch>\n")
    options = {"sigs": "f: (x: i64) -> i64", "out": "f.wasm", "js": "f.mjs", "link": ["libjitffi_runtime.a"], **given}
    with pytest.raises(kind, match=said):
        jitffi.emit(options.pop("sigs"), options.pop("out"), **options)
    assert [path.name for path in tmp_path.iterdir()] == ["libjitffi_runtime.a"]


DECLARED = {
    "(a: i32, b: str = 'x', c: i64 = 1) -> void": "f(a: number, b?: string, c?: bigint | number): void",
    "(a: i32 = 1, b: str) -> bool": "f(a: number | undefined, b: string): boolean",
    "(list[f64], optional[bytes]) -> list":
        "f(arg1: Iterable<number | bigint> | NativeObject, arg2: Uint8Array | ArrayBuffer | null | undefined): "
        "Array<any>",
    "(g: func[(str) -> i64]) -> optional[func]":
        "f(g: (arg1: string) => bigint | number): ((...values: any[]) => any) | null",
    "(x: tensor[f32, *], y: u8[n], n: i64) -> tensor":
        "f(x: ArrayOf<Float32Array>, y: ArrayOf<Uint8Array>, n: bigint | number): NDArray<TypedArray>",
    "(default: map[str, u8]) -> tuple[i8, error]":
        "f(default_: Map<string, number> | Record<string, number> | NativeObject): [number, JitffiError]",
}  # fmt: skip


@pytest.mark.parametrize("signature", DECLARED)
def test_what_typescript_is_told(signature):
    text = javascript.declarations({"f": Signature.parse(signature)}, file_name="f.wasm", complete=["f"])
    assert f"  {DECLARED[signature]};\n" in text


def test_comments_end_where_they_should():
    sigs = {"f": Signature.parse("(x: str = '*/ \\n evil') -> void")}
    text = javascript.declarations(sigs, file_name="*/\u2028.wasm", complete=["f"])
    assert text.count("*/") == _plain_comments() + 2 and "\u2028" not in text


def _plain_comments() -> int:
    return javascript.declarations({}, file_name="f.wasm", complete=[]).count("*/")
