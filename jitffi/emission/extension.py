"""Python entries in files: functions of an extension module that needs neither the package nor LLVM.

    __jfpy_add        the entry, METH_FASTCALL, with METH_KEYWORDS where a parameter has a name
    __jfpydef_add     a core_emitted of runtime_c/python/emitted/emitted.h: its constants, and its static storage
    PyInit_demo       names the parts of the runtime that the types need, and the functions

A function's state is static, so everything that the code reads is found by a relocation. A callable that is given for
a func[...] comes in the state of its closure; a C function that comes as one, in the state of its builtin. The code
follows this interpreter's own structs, and is linked with libjitffi_python.a of the same version.
"""

from __future__ import annotations

import marshal
import sys

from jitffi import _core
from jitffi.base import layout
from jitffi.base.version import VERSION
from jitffi.conventions.base import Options
from jitffi.conventions.c import result_class
from jitffi.emission import struct_classes
from jitffi.ir.builder import NULL, V
from jitffi.ir.resident import Resident, Shared
from jitffi.signature.model import NO_DEFAULT, Type
from jitffi.signature.struct_source import structs_in
from jitffi.signature.text_signature import text_signature
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from jitffi.adapters.unit import Unit
    from jitffi.llvm.target import Target
    from jitffi.signature.model import Signature

# METH_FASTCALL and METH_KEYWORDS (methodobject.h).
_FASTCALL, _KEYWORDS = 0x80, 0x02
_EMITTED = "{ ptr, ptr, i64, ptr, ptr, ptr, ptr, i32, i32 }"
#: The version of marshal that shares nothing: its bytes do not tell how often something was referred to.
_PLAIN = 2


def check_target(target: Target) -> None:
    """ValueError for a target whose Python this is not."""
    if not target.is_host or target.object_format not in ("elf", "macho"):
        raise ValueError(
            f"a Python module for {target.triple} cannot be made here: emit it there, since its code follows "
            f"the structs of the interpreter that makes it; this is CPython {_this_version()} on {sys.platform}"
        )


def _this_version() -> str:
    return f"{sys.version_info[0]}.{sys.version_info[1]}"


# -- functions ------------------------------------------------------------------------------------------------


def linkage_of(
    unit: Unit, name: str, sig: Signature, entry: str, callee: str, target: str, options: Options
) -> Resident:
    """How function *name* reaches what is outside it; one of both conventions is Python's. *options* become what such a
    function needs."""
    for type_ in _types(sig):
        reason = row(type_).module_refused or _of_python_alone(type_)
        if reason:
            raise TypeError(f"convention 'python' cannot carry {type_} in a file: {reason}")
    if entry == "python":
        options.keywords = _has_names(sig)
        options.pad = options.pad or layout.MAX_PAD  # a slot of its own frame
    info = NULL if entry == "python" else unit.info(name, name, sig)
    return Resident(unit, name, _storage(unit, name, info), target, callee == "python", info)


def _of_python_alone(type_: Type) -> str:
    """What is wrong with a type that leads to a class that Python has registered; "" for others."""
    objects = sys.modules.get("jitffi.api.objects")  # which registers them
    for inner in type_.args:
        if isinstance(inner, Type) and (reason := _of_python_alone(inner)):
            return reason
        is_own = str(inner).startswith("jitffi.")  # C++ defines these as well, and Python's classes of them load late
        is_key = type_.name == "instance" and isinstance(inner, str)
        if objects and is_key and not is_own and objects.is_of_python(_core.type_code(inner)):
            return (
                f"{inner} is a class of this process's Python, and the module has a runtime of its own, with the types "
                "that its C defines"
            )
    return ""


def add_function(unit: Unit, name: str, sig: Signature, symbol: str, callee: str, target: str) -> None:
    """Define what the module must know of the Python entry *symbol*, whose callee is *target*."""
    native = f'@"{target}"' if callee == "c" else "null"
    storage = V("ptr", f'@".storage.{name}"')
    _define(unit, f"__jfpydef_{name}", name, name, sig, storage, f'@"{symbol}"', native, "null", "hidden constant")


def _has_names(sig: Signature) -> bool:
    return any(p.name is not None for p in sig.params)


def _storage(unit: Unit, stem: str, info: V = NULL) -> V:
    """A core_storage. The module fills it; where there is no module, *info* is what a state must have."""
    size = layout.HOST["emitted.size"]
    if info is NULL:
        return unit.define(f".storage.{stem}", f"[{size} x i8] zeroinitializer, align 16", "internal global")
    start = layout.HOST["emitted.state"]
    count = start - layout.HOST["function.state"] + layout.HOST["object.refcnt"]
    parts, at = [], 0
    for offset, value in sorted([(count, "i64 1"), (start + layout.HOST.state["info"], str(info))]):
        parts += [f"[{offset - at} x i8] zeroinitializer", value]
        at = offset + 8
    parts.append(f"[{size - at} x i8] zeroinitializer")
    types = ", ".join([part.rpartition(" ")[0] for part in parts])
    return unit.define(f".storage.{stem}", f"<{{ {types} }}> <{{ {', '.join(parts)} }}>, align 16", "internal global")


def _define(
    unit: Unit, symbol: str, stem: str, name: str, sig: Signature, storage: V, entry: str, target: str, body: str,
    linkage: str = "private constant",
) -> V:  # fmt: skip
    """A core_emitted."""
    defaults = None
    if sig.has_defaults:
        defaults = tuple([... if p.default is NO_DEFAULT else p.default for p in sig.params])
    names = tuple([p.name for p in sig.params])
    types = (*[p.type.text for p in sig.params], sig.result.text)
    doc = text_signature(name, sig, "", "module")
    order = None if sig.in_order else sig.order.for_runtime
    about = marshal.dumps((name, doc, names, types, sig.types, defaults, str(sig), order), _PLAIN)
    callbacks = [_callback(unit, stem, name, i, sig) for i in range(len(sig.params))]
    callbacks.append(_callback(unit, stem, name, -1, sig))
    pointers = "null"
    if any(c is not NULL for c in callbacks):
        text = f"[{len(callbacks)} x ptr] [{', '.join(map(str, callbacks))}]"
        pointers = unit.define(f".callbacks.{stem}", text).text
    flags = _FASTCALL | (_KEYWORDS if _has_names(sig) else 0)
    fields = (
        f"ptr {storage.text}, ptr {unit.data(about).text}, i64 {len(about)}, ptr {entry}, ptr {target}, ptr {body}, "
        f"ptr {pointers}, i32 {flags}, i32 {result_class(sig)}"
    )
    return unit.define(symbol, f"{_EMITTED} {{ {fields} }}", linkage)


# -- callbacks ------------------------------------------------------------------------------------------------


def _callback(unit: Unit, stem: str, owner: str, index: int, sig: Signature) -> V:
    """The core_emitted of the type func[...] of a parameter, or of the result at -1; NULL for another type."""
    type_ = sig.result if index < 0 else sig.params[index].type
    called = _called(type_)
    if called is None:
        return NULL
    name = f"{owner}.{'result' if index < 0 else sig.params[index].name or 'callback'}"
    stem = f"{stem}.{'r' if index < 0 else index}"
    entry, body = _code(unit, called, "python", "c"), _code(unit, called, "c", "python")
    return _define(unit, f".callback.{stem}", stem, name, called, _storage(unit, stem), entry, "null", body)


def _called(type_: Type) -> Signature | None:
    if type_.is_optional:
        type_ = type_.inner
    return type_.signature


def _code(unit: Unit, sig: Signature, entry: str, callee: str) -> str:
    """The function that all callbacks of these types share."""
    options = Options(entry == "python" and _has_names(sig), sig.has_defaults)
    symbol = f".{entry}.{callee}.{options.key}.{sig.types}"
    if symbol not in unit.defined:
        unit.function(symbol, sig, entry, callee, options, Shared(unit, symbol))
    return f'@"{symbol}"'


# -- the module -----------------------------------------------------------------------------------------------


def add_module(unit: Unit, stem: str, sigs: dict[str, Signature]) -> None:
    """Define `PyInit_<stem>` for the functions *sigs*, which are defined in this unit or in others."""
    functions = [unit.declare(f"__jfpydef_{name}", f"{{}} = external hidden constant {_EMITTED}") for name in sigs]
    parts = [unit.declare(f"core_part_{part}", "declare i32 {}(ptr)") for part in _parts(sigs.values())]
    texts = [unit.text(text).text for text in (stem, VERSION, _this_version())]
    lists = [_list(unit, ".parts", parts), _list(unit, ".functions", functions)]
    made = struct_classes.classes(sigs.values())
    about = struct_classes.description(made) if made else b""
    lists.append(unit.data(about).text if made else "null")
    fields = ", ".join([f"ptr {text}" for text in (*texts, *lists)])
    module = unit.define(
        ".module", f"{{ ptr, ptr, ptr, ptr, ptr, ptr, i64 }} {{ {fields}, i64 {len(about)} }}", "private constant"
    )
    init = unit.declare("core_emitted_init", "declare ptr {}(ptr)")
    before, behind = unit.head(f"PyInit_{stem}", is_local=False)
    unit.functions.append(
        f'{before} ptr @"PyInit_{stem}"() {behind} {{\n'
        f"  %made = tail call ptr {init.text}(ptr {module.text})\n  ret ptr %made\n}}"
    )


def _list(unit: Unit, symbol: str, items: list[V]) -> str:
    """An array of pointers that ends with NULL."""
    texts = ", ".join([f"ptr {item.text}" for item in (*items, NULL)])
    return unit.define(symbol, f"[{len(items) + 1} x ptr] [{texts}]", "private constant").text


def _parts(sigs: Collection[Signature]) -> Iterator[str]:
    """What of the runtime must be started for these types."""
    types = [type_ for sig in sigs for type_ in _types(sig)]
    parts = {row(type_).part for type_ in types}
    if "values" in parts:
        yield "values"  # which starts the others
    else:
        if any(type_.signature is not None for type_ in types):
            yield "callables"
        yield from sorted(parts - {""})
    if structs_in(sigs):
        yield "structs"


def _types(sig: Signature) -> Iterator[Type]:
    """All types of a signature, those of its callbacks too, without what is optional about them."""
    for type_ in (*[p.type for p in sig.params], sig.result):
        inner = type_.inner if type_.is_optional else type_
        yield inner
        if inner.signature is not None:
            yield from _types(inner.signature)
