"""jitffi: calling conventions, compiled. From one signature, code that joins any two of them.

    "add: (i64, f64) -> i64"
        | signature.text.parse        text -> Signature              errors carry column and caret
        v
    Signature                                                        frozen, hashable: its types are the key of its code
        | adapters.adapter            (Signature, entry, callee) -> LLVM IR      entry and callee are conventions
        v
    IR text -- llvm.codegen -->  machine code -- adapters.blob -->  mapped as it is, or through LLJIT
        v
    an exact builtin, a packed function, a C function pointer        api.functions.Function owns all three

What the words mean stands in docs/glossary.md, scripts' own way in scripts/__init__.py.

Everything public is named here and loaded on first use: importing the package loads almost nothing.
"""

from __future__ import annotations

import sys as _sys
from _imp import extension_suffixes as _extension_suffixes
from posix import stat as _stat

from jitffi.base.fork_locks import IMPORTS as _IMPORTS  # now: loaded on first use it could come too late

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec as _ModuleSpec
    from typing import Any, TypeAlias

    from jitffi._core import (
        Bytes,
        DataType,
        Device,
        Error,
        List,
        Map,
        NDArray,
        Object,
        Pointer,
        Set,
        Shape,
        String,
        Struct,
        Tuple,
        UCS4String,
        cast,
        collect_cycles,
        count_cycles,
        from_dlpack,
        new,
    )
    from jitffi._core import Map as Dict
    from jitffi._core import Tuple as Array
    from jitffi.api.access_path import AccessKind as AccessKind
    from jitffi.api.access_path import AccessPath as AccessPath
    from jitffi.api.access_path import AccessStep as AccessStep
    from jitffi.api.callables import convert, function
    from jitffi.api.enumerations import Enum, IntEnum, StrEnum, member
    from jitffi.api.errors import register_error
    from jitffi.api.frozen_map import FrozenMap
    from jitffi.api.functions import Function
    from jitffi.api.library import Library, load_library
    from jitffi.api.module import Module, load_module, system_library
    from jitffi.api.object_info import list_type_keys, type_info
    from jitffi.api.object_parts import asdict, astuple
    from jitffi.api.objects import field, init_property, register_object
    from jitffi.api.packed_legacy import from_packed_legacy, to_packed_legacy
    from jitffi.api.plain import to_plain
    from jitffi.api.registry import get_global_func, list_global_func_names, register_global_func, remove_global_func
    from jitffi.api.schemas import from_type_schema, get_global_func_metadata, type_schema
    from jitffi.api.structs import addressof, alignof, offsetof, sizeof, struct, union
    from jitffi.api.structural import (
        StructuralKey,
        first_structural_mismatch,
        structural_equal,
        structural_hash,
        walk,
    )
    from jitffi.api.structural_map import StructuralMutator as StructuralMutator
    from jitffi.api.structural_map import structural_map, structural_mutate
    from jitffi.api.structural_parts import DefRegionKind as DefRegionKind
    from jitffi.api.structural_parts import InplaceMode as InplaceMode
    from jitffi.api.structural_parts import VisitInterrupt as VisitInterrupt
    from jitffi.api.structural_parts import WalkOrder as WalkOrder
    from jitffi.api.structural_parts import WalkResult as WalkResult
    from jitffi.api.structural_walk import StructuralVisitor as StructuralVisitor
    from jitffi.api.structural_walk import structural_visit, structural_walk
    from jitffi.api.texts import text
    from jitffi.api.tvm_ffi import from_tvm_ffi, to_tvm_ffi
    from jitffi.api.values_json import from_bytes, from_json, to_bytes, to_json
    from jitffi.base.errors import ScriptError, SignatureError
    from jitffi.bind import bind_header
    from jitffi.emission.emit import emit
    from jitffi.profiles.pads import use_profile
    from jitffi.remote import connect
    from jitffi.scripts.api.modules import script_module
    from jitffi.scripts.api.script import Script, script
    from jitffi.signature.model import Param, Signature, Type
    from jitffi.tune.autotune import autotune

    # For type checkers what a function gets that is annotated so; at run time a Type, which Param and Signature take.
    i8: TypeAlias = int
    i16: TypeAlias = int
    i32: TypeAlias = int
    i64: TypeAlias = int
    u8: TypeAlias = int
    u16: TypeAlias = int
    u32: TypeAlias = int
    u64: TypeAlias = int
    f16: TypeAlias = float
    bf16: TypeAlias = float
    f32: TypeAlias = float
    f64: TypeAlias = float
    longdouble: TypeAlias = float
    i128: TypeAlias = int
    u128: TypeAlias = int
    c64: TypeAlias = complex
    c128: TypeAlias = complex
    ptr: TypeAlias = int | None
    cstr: TypeAlias = str
    ucs4: TypeAlias = str
    dtype: TypeAlias = DataType
    device: TypeAlias = Device
    __version__: str

_HOME = {
    "Bytes": "_core",
    "DataType": "_core",
    "Device": "_core",
    "Error": "_core",
    "List": "_core",
    "Map": "_core",
    "NDArray": "_core",
    "Object": "_core",
    "Pointer": "_core",
    "Set": "_core",
    "Shape": "_core",
    "String": "_core",
    "Struct": "_core",
    "Tuple": "_core",
    "UCS4String": "_core",
    "cast": "_core",
    "collect_cycles": "_core",
    "count_cycles": "_core",
    "from_dlpack": "_core",
    "new": "_core",
    "ScriptError": "base.errors",
    "SignatureError": "base.errors",
    "autotune": "tune.autotune",
    "emit": "emission.emit",
    "FrozenMap": "api.frozen_map",
    "Function": "api.functions",
    "convert": "api.callables",
    "function": "api.callables",
    "Library": "api.library",
    "load_library": "api.library",
    "Module": "api.module",
    "load_module": "api.module",
    "system_library": "api.module",
    "get_global_func": "api.registry",
    "register_error": "api.errors",
    "list_global_func_names": "api.registry",
    "register_global_func": "api.registry",
    "remove_global_func": "api.registry",
    "bind_header": "bind",
    "Script": "scripts.api.script",
    "script": "scripts.api.script",
    "script_module": "scripts.api.modules",
    "Param": "signature.model",
    "Signature": "signature.model",
    "Type": "signature.model",
    **dict.fromkeys(("field", "init_property", "register_object"), "api.objects"),
    **dict.fromkeys(("from_type_schema", "get_global_func_metadata", "type_schema"), "api.schemas"),
    **dict.fromkeys(("list_type_keys", "type_info"), "api.object_info"),
    **dict.fromkeys(("asdict", "astuple"), "api.object_parts"),
    **dict.fromkeys(("Enum", "IntEnum", "StrEnum", "member"), "api.enumerations"),
    **dict.fromkeys(("from_bytes", "from_bytes", "from_json", "to_bytes", "to_json"), "api.values_json"),
    **dict.fromkeys(("AccessKind", "AccessPath", "AccessStep"), "api.access_path"),
    **dict.fromkeys(("StructuralMutator", "structural_map", "structural_mutate"), "api.structural_map"),
    **dict.fromkeys(("StructuralVisitor", "structural_visit", "structural_walk"), "api.structural_walk"),
    **dict.fromkeys(
        ("DefRegionKind", "InplaceMode", "VisitInterrupt", "WalkOrder", "WalkResult"), "api.structural_parts"
    ),
    **dict.fromkeys(
        ("StructuralKey", "first_structural_mismatch", "structural_equal", "structural_hash", "walk"), "api.structural"
    ),
    "text": "api.texts",
    **dict.fromkeys(("from_packed_legacy", "to_packed_legacy"), "api.packed_legacy"),
    **dict.fromkeys(("from_tvm_ffi", "to_tvm_ffi"), "api.tvm_ffi"),
    "to_plain": "api.plain",
    **dict.fromkeys(("addressof", "alignof", "offsetof", "sizeof", "struct", "union"), "api.structs"),
    "connect": "remote",
    "use_profile": "profiles.pads",
}

#: Other names, which tvm-ffi has for them: of the sequence that does not change, and the mapping that does.
_ALIASES = {"Array": "Tuple", "Dict": "Map"}

#: Types of a signature, to annotate Python functions with: jitffi.i32 and so on.
_TYPES = (
    "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64", "ptr", "cstr", "ucs4",
    "dtype", "device", "longdouble", "i128", "u128", "c64", "c128",
)  # fmt: skip

__all__ = [
    "Array", "Bytes", "DataType", "Device", "Dict", "Enum", "Error", "FrozenMap", "Function", "IntEnum", "Library",
    "List", "Map", "Module", "NDArray", "Object", "Param", "Pointer", "Script", "ScriptError", "Set", "Shape",
    "Signature", "SignatureError", "StrEnum", "String", "Struct", "StructuralKey", "Tuple", "Type", "UCS4String",
    "__version__", "addressof", "alignof", "asdict", "astuple", "autotune", "bf16", "bind_header", "c128", "c64",
    "cast", "collect_cycles", "connect", "convert", "count_cycles", "cstr", "device", "dtype", "emit", "f16", "f32",
    "f64", "field", "first_structural_mismatch", "from_bytes", "from_dlpack", "from_json", "from_packed_legacy",
    "from_tvm_ffi", "from_type_schema", "function", "get_global_func", "get_global_func_metadata", "i128", "i16", "i32",
    "i64", "i8", "init_property", "list_global_func_names", "list_type_keys", "load_library", "load_module",
    "longdouble", "member", "new", "offsetof", "ptr", "register_error", "register_global_func", "register_object",
    "remove_global_func", "script", "script_module", "sizeof", "struct", "structural_equal", "structural_hash",
    "structural_map", "structural_mutate", "structural_visit", "structural_walk", "system_library", "text", "to_bytes",
    "to_json", "to_packed_legacy", "to_plain", "to_tvm_ffi", "type_info", "type_schema", "u128", "u16", "u32", "u64",
    "u8", "ucs4", "union", "use_profile", "walk",
]  # fmt: skip


def _has_core() -> bool:
    """Whether the compiled part, which is loaded on first use, is there for this interpreter."""
    if "t" in _sys.abiflags:
        return False
    try:
        _stat(f"{__path__[0]}/_core{_extension_suffixes()[0]}")
        return True
    except OSError:  # an editable install has it elsewhere
        return any(finder.find_spec("jitffi._core", __path__) for finder in _sys.meta_path)


if not _has_core():
    from jitffi.base.unbuilt import refusal

    raise refusal(__path__[0])


class _FormerNames:
    """Finds modules by the names that pickles of earlier versions have for them."""

    @staticmethod
    def find_spec(name: str, path: object = None, target: object = None) -> _ModuleSpec | None:
        if not name.startswith("jitffi."):
            return None
        from jitffi.base.former_names import spec

        return spec(name)


# In the last place: what is found elsewhere costs nothing.
_sys.meta_path.append(_FormerNames)


if not TYPE_CHECKING:  # for type checkers there is what is named above, and nothing else

    def __getattr__(name: str) -> Any:
        if name in _ALIASES:
            value = getattr(_sys.modules[__name__], _ALIASES[name])
        elif name in _HOME:
            # Not importlib's import_module: importlib itself costs as much as the module.
            with _IMPORTS:
                import gc
                from os import environ  # which this package's import does not load

                # Modules are not garbage: looking for some is a tenth of the time that a first call takes.
                collects = gc.isenabled()
                gc.disable()
                try:
                    if environ.get("JITFFI_PROFILE"):
                        __import__("jitffi.profiles.pads")
                    value = getattr(__import__(f"jitffi.{_HOME[name]}", fromlist=[name]), name)
                finally:
                    if collects:
                        gc.enable()
        elif name in _TYPES:
            from jitffi.signature.model import TYPES

            value = TYPES[name]
        elif name == "__version__":
            from jitffi.base.version import VERSION as value
        else:
            raise AttributeError(f"module 'jitffi' has no attribute {name!r}")
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
