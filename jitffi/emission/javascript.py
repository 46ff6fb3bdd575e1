"""ES modules for WebAssembly that `emit` writes: typed functions, and their declarations for TypeScript.

    import { instantiate } from "./text.mjs";
    const { shout } = await instantiate({ callees: { shout: (text, marks) => text.toUpperCase() } });

What moves values is javascript.mjs, which every module has a copy of; here are the tables that it reads.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jitffi.base.errors import ArgumentError
from jitffi.signature.model import Signature, Type
from jitffi.signature.numbers import FLOATS, INTEGERS, SIZES

#: Passed by value or as a slot's payload; the rest has rules of its own.
_PLAIN_WORDS = "void bool ptr cstr str bytes ucs4 dtype device any null object shape error module ndarray"
_PLAIN = frozenset((*INTEGERS, *FLOATS, *_PLAIN_WORDS.split()))
_NUMBERS = frozenset(name for name in INTEGERS if SIZES[name] < 8)
_ARRAYS = {
    "i8": "Int8Array", "i16": "Int16Array", "i32": "Int32Array", "i64": "BigInt64Array", "u8": "Uint8Array",
    "u16": "Uint16Array", "u32": "Uint32Array", "u64": "BigUint64Array", "bool": "Uint8Array",
    **{name: "Uint16Array" if SIZES[name] == 2 else f"Float{8 * SIZES[name]}Array" for name in FLOATS},
}  # fmt: skip
#: What the module must have of the runtime: javascript.mjs calls it.
EXPORTS = (
    "alloc", "free", "any_release", "any_retain", "error_is_pending", "error_mark_pending", "error_new", "error_set",
    "error_take", "function_call", "function_new", "global_get", "global_set", "list_append", "list_new", "map_new",
    "map_set", "ndarray_new", "object_release", "object_retain", "shape_new", "tuple_of",
)  # fmt: skip


def check(sigs: dict[str, Signature], out: Path, js: Path, format: str, entry: str, libraries: Collection[str]) -> None:
    """ArgumentError where there is no such ES module, TypeError for a type that JavaScript has no values of."""
    if format != "wasm":
        raise ArgumentError(f"{js}: an ES module is for WebAssembly: emit a .wasm, not {out.name}")
    if entry != "packed":
        raise ArgumentError(f"{js}: JavaScript calls packed entries, not those of convention {entry!r}")
    if js.suffix not in (".mjs", ".js"):
        raise ArgumentError(f"{js}: an ES module is a .mjs or .js file")
    if not any("libjitffi_runtime" in os.path.basename(word) for word in libraries):
        raise ArgumentError(
            f"{js}: JavaScript needs the runtime in the module: link with its libjitffi_runtime.a for wasm32"
        )
    for name, sig in sigs.items():
        _signature(name, sig)


def declaration_file(js: Path) -> Path:
    """Where TypeScript looks for the declarations of an ES module.

    >>> declaration_file(Path("out/text.mjs")).name, declaration_file(Path("text.js")).name
    ('text.d.mts', 'text.d.ts')
    """
    return js.with_suffix(".d.mts" if js.suffix == ".mjs" else ".d.ts")


def files(
    sigs: dict[str, Signature], wasm: Path, js: Path, *, callee_name: str | None, complete: Collection[str]
) -> list[tuple[Path, Callable[[], str]]]:
    """The files to write, and what gives the text of each."""
    return [
        (js, lambda: text(sigs, wasm=wasm, js=js, callee_name=callee_name, complete=complete)),
        (declaration_file(js), lambda: declarations(sigs, file_name=wasm.name, complete=complete)),
    ]


def text(
    sigs: dict[str, Signature], *, wasm: Path, js: Path, callee_name: str | None, complete: Collection[str]
) -> str:
    """The ES module's text; *complete*: the names of those that call nothing of JavaScript."""
    relative = os.path.relpath(wasm.absolute(), js.absolute().parent).replace(os.sep, "/")
    callees = {callee_name or name: name for name in sigs if name not in complete}
    rows = "".join([f"  {_json(name)}: {_json(_signature(name, sig))},\n" for name, sig in sigs.items()])
    return (
        f"// {_printable(wasm.name)}: functions that jitffi made from signatures, for JavaScript.\n"
        f"const FILE = {_json('./' + quote(relative))};\n\n"
        f"const SIGNATURES = {{\n{rows}}};\n\n"
        "// C functions that the module calls, and the signature of each.\n"
        f"const CALLEES = {_json(callees)};\n\n{_library()}"
    )


def declarations(sigs: dict[str, Signature], *, file_name: str, complete: Collection[str]) -> str:
    """The text of the .d.mts or .d.ts file.

    >>> sigs = {"inc": Signature.parse("(x: i64, by: i32 = 1) -> i64")}
    >>> print(declarations(sigs, file_name="demo.wasm", complete=["inc"]).partition("/** A")[0])
    // demo.wasm: functions that jitffi made from signatures, for TypeScript.
    export interface Functions {
      /** inc: (x: i64, by: i32 = 1) -> i64 */
      inc(x: bigint | number, by?: number): bigint;
    }
    <BLANKLINE>
    export interface Callees {
    }
    <BLANKLINE>
    <BLANKLINE>
    """
    functions = "".join([f"  /** {_comment(f'{n}: {s}')} */\n  {_method(n, s, True)};\n" for n, s in sigs.items()])
    called = [(name, sig) for name, sig in sigs.items() if name not in complete]
    callees = "".join([f"  {_method(name, sig, False)};\n" for name, sig in called])
    head = f"// {_printable(file_name)}: functions that jitffi made from signatures, for TypeScript.\n"
    return f"{head}export interface Functions {{\n{functions}}}\n\nexport interface Callees {{\n{callees}}}\n\n{_TYPES}"


def _signature(name: str, sig: Signature) -> dict[str, Any]:
    """What javascript.mjs reads of a signature."""
    params = []
    for i, p in enumerate(sig.params):
        row = [p.name, _type(f"{name}: argument {i + 1}", p.type)]
        if p.has_default and (p.default is None or isinstance(p.default, bool | int | float | str)):
            is_plain = not isinstance(p.default, float) or p.default - p.default == 0
            is_exact = not isinstance(p.default, int) or abs(p.default) < 2**53
            row += [p.default] * (is_plain and is_exact)
        params.append(row)
    required = sum(not p.has_default for p in sig.params)
    return {"params": params, "result": _type(f"{name}: result", sig.result), "required": required}


def _type(where: str, type_: Type) -> Any:
    """A type as javascript.mjs knows it: its name, or an array of a name and what is in its brackets."""
    name, args = type_.name, type_.args
    if name in _PLAIN:
        return name
    if name == "optional":
        return ["optional", _type(where, type_.inner)]
    if name in ("list", "map", "tuple", "union"):
        items = [arg for arg in args if isinstance(arg, Type)]
        if name == "tuple" and len(items) != len(args):
            return ["list", *[_type(where, item) for item in items]]
        return [name, *[_type(where, item) for item in items]]
    if name == "func":
        inner = type_.signature
        return ["func"] if inner is None else ["func", _signature(where, inner)]
    if name in ("tensor", "array"):
        element = args[0].name if args and isinstance(args[0], Type) else None
        if element is None or element in _ARRAYS:
            return ["array", element, *["pointer"] * (name == "array")]
    raise TypeError(f"{where}: JavaScript has no values of type {type_}")


# -- TypeScript ----------------------------------------------------------------------------------------------------

_TYPES = """\
/** A failure of native code: `kind` is the name of a Python exception. */
export class JitffiError extends Error {
  constructor(kind: string, message: string, traceback?: string);
  readonly kind: string;
  readonly traceback: string;
}

/** A native object that JavaScript holds a reference to. */
export class NativeObject {
  private constructor();
  readonly address: number;
  release(): void;
}

export type TypedArray =
  | Int8Array | Int16Array | Int32Array | BigInt64Array | Uint8Array | Uint16Array | Uint32Array | BigUint64Array
  | Float32Array | Float64Array;

/** An array in the module's memory; `data` is no copy, and is asked for again after each call. */
export class NDArray<T = TypedArray> extends NativeObject {
  readonly shape: number[];
  readonly dtype: string;
  readonly data: T;
}

/** What C passes: good while the call lasts. */
export interface Tensor<T = TypedArray> {
  readonly shape: number[];
  readonly strides: number[];
  readonly dtype: string;
  readonly data: T | null;
}

export type ArrayOf<T> = T | NDArray<T> | { data: T; shape: Iterable<number> };

export interface Tools {
  readonly memory: WebAssembly.Memory;
  readonly exports: WebAssembly.Exports;
  /** A new array in the module's memory, which calls take and change without a copy. */
  array(dtype: string, shape: number | Iterable<number>, values?: ArrayLike<any>): NDArray;
  /** A list, map or other value as a native object, for many calls. */
  hold(value: unknown, type?: unknown): NativeObject;
  /** Lets native code call the function after the call that it was given to. */
  keep<F extends (...values: any[]) => any>(f: F): F;
  setGlobal(name: string, f: (...values: any[]) => unknown, override?: boolean): void;
  getGlobal(name: string): ((...values: unknown[]) => unknown) | null;
}

export interface Options {
  source?: string | URL | BufferSource | WebAssembly.Module | Response | Promise<Response>;
  callees?: Partial<Callees>;
  imports?: WebAssembly.Imports;
}

export function instantiate(options?: Options): Promise<Functions & { readonly $: Tools }>;
"""


def _method(name: str, sig: Signature, is_called: bool) -> str:
    """A function that is called from JavaScript, or one of JavaScript that is called."""
    params = []
    names = list(_names(sig))
    for i, p in enumerate(sig.params):
        can_be_left_out = is_called and all(each.has_default for each in sig.params[i:])
        spelled = _spell(p.type, is_called)
        if is_called and p.has_default and not can_be_left_out:
            spelled += " | undefined"
        params.append(f"{names[i]}{'?' * can_be_left_out}: {spelled}")
    return f"{name}({', '.join(params)}): {_spell(sig.result, not is_called)}"


def _names(sig: Signature) -> Iterator[str]:
    taken = {p.name for p in sig.params}
    for i, p in enumerate(sig.params):
        name = p.name or f"arg{i + 1}"
        while p.name is None and name in taken:
            name += "_"
        yield f"{name}_" if name in _RESERVED else name


_RESERVED_WORDS = """
arguments await break case catch class const continue debugger default delete do else enum eval
export extends false finally for function if implements import in instanceof interface let new null
package private protected public return static super switch this throw true try typeof var void
while with yield
"""
_RESERVED = frozenset(_RESERVED_WORDS.split())
_SPELLED = {
    "void": "void", "bool": "boolean", "str": "string", "cstr": "string", "ucs4": "string", "null": "null",
    "dtype": "{ code: number; bits: number; lanes: number }", "device": "{ type: number; id: number }",
    "ptr": "number | null", "any": "any", "object": "any", "module": "NativeObject",
}  # fmt: skip


def _spell(type_: Type, is_given: bool) -> str:
    """The type in TypeScript of what JavaScript gives, or of what it gets."""
    name, args = type_.name, [arg for arg in type_.args if isinstance(arg, Type)]
    if name in _SPELLED:
        return _SPELLED[name]
    if name in _NUMBERS or name in FLOATS:
        return "number | bigint" if is_given and name in FLOATS else "number"
    if name in ("i64", "u64"):
        return "bigint | number" if is_given else "bigint"
    if name == "optional":
        return f"{_function(_spell(type_.inner, is_given))} | null{' | undefined' * is_given}"
    if name == "union":
        return " | ".join(dict.fromkeys([_function(_spell(each, is_given)) for each in args]))
    if name == "func":
        sig = type_.signature
        if sig is None:
            return "(...values: any[]) => any"
        params = [f"{n}: {_spell(p.type, not is_given)}" for n, p in zip(_names(sig), sig.params, strict=True)]
        return f"({', '.join(params)}) => {_spell(sig.result, is_given)}"
    if name in ("tensor", "array", "ndarray"):
        array = _ARRAYS[args[0].name] if args else "TypedArray"
        return f"ArrayOf<{array}>" if is_given else f"NDArray<{array}>"
    return _container(name, [_spell(arg, is_given) for arg in args], is_given)


def _container(name: str, items: list[str], is_given: bool) -> str:
    if name == "map":
        key, value = items or ["any", "any"]
        record = f" | Record<string, {value}>" if key in ("string", "any") else ""
        return f"Map<{key}, {value}>{f'{record} | NativeObject' if is_given else ''}"
    if name == "tuple" and items:
        return f"[{', '.join(items)}]{' | NativeObject' * is_given}"
    if name in ("list", "tuple", "shape"):
        item = items[0] if items else "number" if name == "shape" else "any"
        return f"Iterable<{item}> | NativeObject" if is_given else f"Array<{item}>"
    plain = {"bytes": ("Uint8Array | ArrayBuffer", "Uint8Array"), "error": ("Error", "JitffiError")}
    return plain[name][not is_given]


def _function(spelled: str) -> str:
    """A function's type beside others takes brackets."""
    return f"({spelled})" if "=>" in spelled else spelled


# -- text ----------------------------------------------------------------------------------------------------------


@cache
def _library() -> str:
    return Path(__file__).with_name("javascript.mjs").read_text(encoding="utf-8")


def _json(value: Any) -> str:
    return json.dumps(value, allow_nan=False)


def _comment(text: str) -> str:
    """Text that neither ends a comment nor a line."""
    return _printable(text).replace("*/", "*\\/")


def _printable(text: str) -> str:
    return re.sub(r"[^\x20-\x7e\u00a0-\u2027\u202a-\uffff]", "\ufffd", text)
