"""A module of several functions: constants, declarations, what those need, and the text of it all for its target."""

from __future__ import annotations

import struct

from jitffi._core import DataType, Device, abi_version
from jitffi.base import layout
from jitffi.base.late import late
from jitffi.base.symbol_names import ABI_VERSION, PERSONALITY, SIGNATURE_PREFIX
from jitffi.ir.builder import MODULE_METADATA, NULL, V, const
from jitffi.llvm.object_files import UNWOUND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.adapters import adapter
    from jitffi.conventions import base as conventions
    from jitffi.conventions import c
    from jitffi.conventions.base import Options
    from jitffi.ir import symbols
    from jitffi.ir.cabi import CABI
    from jitffi.ir.symbols import Symbols
    from jitffi.llvm.target import Target
    from jitffi.signature import compound, model
    from jitffi.signature.model import Param, Signature, Type
else:  # a script has nothing of them
    adapter, symbols = late("jitffi.adapters.adapter"), late("jitffi.ir.symbols")
    conventions, c = late("jitffi.conventions.base"), late("jitffi.conventions.c")
    compound, model = late("jitffi.signature.compound"), late("jitffi.signature.model")


class Unit:
    """What the functions of one object share: constants, declarations, and the C ABI of the target."""

    def __init__(self, abi: CABI, sections: bool = False, closures: bool = True, catches: bool = False) -> None:
        self.abi = abi
        #: Each function has a section of its own, so that a linker can leave out what nobody calls.
        self.sections = sections
        #: Machine code can be made at run time, as closures are.
        self.closures = closures
        #: Exceptions of callees become errors, where the runtime can catch them.
        self.catches = catches
        self.globals: list[str] = []
        self.functions: list[str] = []
        self._declared: dict[str, str] = {}
        #: What the code calls beside its callees.
        self.called: set[str] = set()
        self.defined: set[str] = set()
        self._texts: dict[bytes, V] = {}

    def declare(self, symbol: str, text: str) -> V:
        """The address of an outside symbol; *text* declares it, "{}" stands for its name."""
        address = V("ptr", f'@"{symbol}"')
        self._declared.setdefault(symbol, text.replace("{}", address.text))
        return address

    @property
    def declarations(self) -> list[str]:
        """Of what is not defined here: a function may be called like one of the runtime's."""
        return [text for symbol, text in self._declared.items() if symbol not in self.defined]

    def define(self, symbol: str, text: str, linkage: str = "private unnamed_addr constant") -> V:
        """A global of ours."""
        self.defined.add(symbol)
        self.globals.append(f'@"{symbol}" = {linkage} {text}')
        return V("ptr", f'@"{symbol}"')

    def head(self, symbol: str, is_local: bool) -> tuple[str, str]:
        """What stands around a function's definition."""
        self.defined.add(symbol)
        section = f' section ".text.{symbol}"' if self.sections else ""
        return "define internal" if is_local else "define", f"#0{section}"

    def text(self, text: str | None) -> V:
        """A NUL-terminated constant; equal ones are one. None is NULL."""
        return NULL if text is None else self.data(text.encode() + b"\0")

    def data(self, data: bytes) -> V:
        if data not in self._texts:
            self._texts[data] = self.define(f".text.{len(self._texts)}", f"{byte_array(data)}, align 1")
        return self._texts[data]

    def info(self, stem: str, name: str, sig: Signature) -> V:
        """The jf_call_info of a function. It is a constant but for places of patterns, which are looked up once."""
        params: V = NULL
        if sig.params:
            row = "{ ptr, ptr, ptr }"
            rows = [f"{row} {{ {self.text(p.name)}, {self.text(p.type.text)}, {NULL} }}" for p in sig.params]
            kind = (
                "internal global" if any(_has_pattern(p.type) for p in sig.params) else "private unnamed_addr constant"
            )
            params = self.define(f".params.{stem}", f"[{len(rows)} x {row}] [{', '.join(rows)}]", kind)
        counts = f"{const('i32', len(sig.params))}, {const('i32', sig.num_required)}"
        fields = f"{self.text(name)}, {counts}, {params}, {self.text(sig.result.text)}, {NULL}"
        # Not unnamed_addr: its address stands for the function.
        kind = "internal global" if _has_pattern(sig.result) else "private constant"
        return self.define(f".info.{stem}", f"{{ ptr, i32, i32, ptr, ptr, ptr }} {{ {fields} }}", kind)

    def pattern(self, stem: str, index: int) -> tuple[V, int] | None:
        """What holds the pattern of parameter *index* (-1: the result), and where in it; None without an `info`."""
        holder, size = f".info.{stem}" if index < 0 else f".params.{stem}", self.abi.pointer_bytes
        offset = 3 * size + 8 if index < 0 else size * (3 * index + 2)
        return (V("ptr", f'@"{holder}"'), offset) if holder in self.defined else None

    def function(
        self, symbol: str, sig: Signature, entry: str, callee: str, options: Options, linkage: Symbols
    ) -> None:
        """Add an adapter. TypeError where a convention cannot carry the signature."""
        halves = adapter.convention(entry), adapter.convention(callee)
        # A C entry that cannot report an error lets exceptions pass, to a caller that may be C++'s; but a closure's
        # error waits for the call that the closure was made for.
        linkage.catches = self.catches and (linkage.is_closure or halves[0].raises_pending(sig))
        text = adapter.build_adapter(symbol, sig, *halves, options, layout.HOST, linkage=linkage)
        self.functions.append(text)

    def entry(
        self, name: str, sig: Signature, entry: str, callee: str, target: str, options: Options,
        linkage: Symbols | None = None,
    ) -> None:  # fmt: skip
        """Add the entry *name* of its convention, which calls the symbol *target*, with what a file says of it."""
        convention = adapter.convention(entry)
        if linkage is None:
            views = self.defaults(name, sig) if convention.tells_signature and options.defaults else NULL
            linkage = symbols.Symbols(self, name, name, self.info(name, name, sig), target, views)
        self.function(convention.prefix + name, sig, entry, callee, options, linkage)
        if convention.tells_signature:
            text = byte_array(str(sig).encode() + bytes(1))
            self.define(f"{SIGNATURE_PREFIX}{name}", f"{text}, align 1", "constant")
        for symbol, said in convention.described(name, sig).items():
            self.functions.append(convention.text_function(self, symbol, said))

    def callback(self, stem: str, name: str, sig: Signature, pad: int) -> V:
        """The jf_callback_type of a type func[...], and the body of its closures."""
        symbol = f".callback.{stem}"
        if symbol in self.defined:
            return V("ptr", f'@"{symbol}"')
        body = NULL
        if self.closures:
            body = V("ptr", f'@"{stem}"')
            info = self.info(stem, name, sig)
            self.function(stem, sig, "c", "packed", conventions.Options(pad=pad), symbols.Body(self, stem, name, info))
        fields = f"{self.text(sig.types)}, {body}, {const('i32', c.result_class(sig))}"
        return self.define(symbol, f"{{ ptr, ptr, i32 }} {{ {fields} }}")

    # -- defaults: constant views -------------------------------------------------------------------------

    def defaults(self, stem: str, sig: Signature) -> V:
        """One view a parameter; those of required ones are null."""
        views = [self._view(p) if p.has_default else _slot(layout.NULL) for p in sig.params]
        # Not an array: a slot that holds an address is of another type than one of bits.
        types = ", ".join([view[: view.index("}") + 1] for view in views])
        return self.define(f".defaults.{stem}", f"<{{ {types} }}> <{{ {', '.join(views)} }}>, align 8")

    def _view(self, param: Param) -> str:
        """What a caller would pass for the default."""
        value = param.default
        type_ = param.type.inner if param.type.is_optional else param.type
        if value is None:
            return _slot(layout.NULL)
        if type_.name == "dtype":
            dtype = DataType(value)
            return _slot(layout.DTYPE, dtype.code | dtype.bits << 8 | dtype.lanes << 16)
        if type_.name == "device":
            device = Device(value)
            return _slot(layout.DEVICE, device.dlpack_device_type() & 0xFFFFFFFF | (device.index & 0xFFFFFFFF) << 32)
        if isinstance(value, bool):
            return _slot(layout.BOOL, int(value))
        if isinstance(value, int):
            return _slot(layout.INT if value < 1 << 63 else layout.UINT, value)
        if isinstance(value, float):
            return _slot(layout.FLOAT, int.from_bytes(struct.pack("<d", value), "little"))
        if isinstance(value, str):
            return self._slot_at(layout.STR_VIEW, self._span(value.encode()))
        if isinstance(value, bytes):
            return self._slot_at(layout.BYTE_ARRAY, self._span(value))
        assert value == (), value
        return self._slot_at(layout.OBJECT, self._empty_tuple())

    def _slot_at(self, code: int, address: V) -> str:
        """A slot that holds a pointer; of 4 bytes it stands in the low half."""
        if self.abi.pointer_bytes == 8:
            return f"{{ i32, i32, ptr }} {{ i32 {code}, i32 0, {address} }}"
        return f"{{ i32, i32, ptr, i32 }} {{ i32 {code}, i32 0, {address}, i32 0 }}"

    def _span(self, data: bytes) -> V:
        """A jf_span of a constant, which a NUL follows."""
        name, size = f".span.{len(self.globals)}", self.abi.size
        return self.define(name, f"{{ ptr, {size} }} {{ {self.data(data + bytes(1))}, {const(size, len(data))} }}")

    def _empty_tuple(self) -> V:
        """A static object: header, no items, and room for the hash that it keeps."""
        name = ".empty.tuple"
        if name not in self.defined:
            self.define(
                name,
                f"{{ i32, i32, [12 x i64] }} {{ i32 {layout.TUPLE}, i32 1, [12 x i64] zeroinitializer }}",
                "internal global",
            )
        return V("ptr", f'@"{name}"')


def _has_pattern(type_: Type) -> bool:
    """Whether values are compared with the type's pattern: of a container that says what it holds, a union, an object
    type, or None beside one."""
    core = type_.inner if type_.is_optional else type_
    return bool(core.args) and core.name in model.CONTAINERS or core.name in compound.CHECKED


def _slot(code: int, payload: int = 0) -> str:
    return f"{{ i32, i32, i64 }} {{ i32 {code}, i32 0, i64 {payload} }}"


def byte_array(data: bytes) -> str:
    """The type and value of an array of bytes."""
    text = "".join([chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:02X}" for b in data])
    return f'[{len(data)} x i8] c"{text}"'


def define_version(unit: Unit, target: Target) -> None:
    """In every object; a linker keeps one."""
    comdat = ""
    if target.object_format == "coff":  # which has no weak definitions but these
        unit.globals.append(f"${ABI_VERSION} = comdat any")
        comdat = ", comdat"
    unit.define(ABI_VERSION, f"i32 {abi_version()}{comdat}, align 4", "weak_odr constant")


def assemble(unit: Unit, target: Target, metadata: tuple[str, ...] = ()) -> str:
    """The text of a module, for its target. *metadata*: lines that its instructions refer to."""
    # Some targets set LLVM's own limit for jump tables, for all that this process compiles later.
    attributes = ["nounwind", '"no-builtins"', '"no-jump-tables"="true"']
    attributes += [
        f'"target-{what}"="{value}"' for what, value in (("cpu", target.cpu), ("features", target.features)) if value
    ]
    if target.arch in UNWOUND:
        attributes.append("uwtable")
    if any(" landingpad " in function for function in unit.functions):
        unit.declare(PERSONALITY, "declare i32 {}(...)")
    flags = ['!{i32 8, !"PIC Level", i32 2}']
    if target.llvm_abi:
        flags.append(f'!{{i32 1, !"target-abi", !"{target.llvm_abi}"}}')
    lines = [
        'source_filename = "jitffi"',
        f'target datalayout = "{target.data_layout}"',
        f'target triple = "{target.triple}"\n',
        *unit.globals,
        *[f"\n{_with_personality(function)}" for function in unit.functions],
        "",
        *unit.declarations,
        "",
        f"attributes #0 = {{ {' '.join(attributes)} }}",
        'attributes #1 = { nounwind "no-builtins" }',
        f"!llvm.module.flags = !{{{', '.join([f'!{i + 2}' for i in range(len(flags))])}}}",
        MODULE_METADATA.rstrip(),
        *metadata,
        *[f"!{i + 2} = {flag}" for i, flag in enumerate(flags)],
    ]
    return "\n".join(lines) + "\n"


def _with_personality(function: str) -> str:
    """The function with what the unwinder asks about it, if it catches exceptions."""
    if " landingpad " not in function or f" personality ptr @{PERSONALITY} " in function.partition("\n")[0]:
        return function
    return function.replace(" {\n", f" personality ptr @{PERSONALITY} {{\n", 1)
