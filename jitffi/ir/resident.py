"""The linkage of Python entries and callees in files: code that is linked with libjitffi_python.a.

Entry points of the extension are symbols of the archive. A function's state is static storage of its object (aot.h);
the code behind a type func[...] is shared, and finds the state where the run-time path has it.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import layout
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.linkage import declared_types
from jitffi.ir.symbols import Symbols

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit
    from jitffi.ir.emitter import Emitter
    from jitffi.runtime.entry_points import Helper
    from jitffi.signature.model import Signature

_SYMBOLS = dict(zip(_core.TABLE, _core.SYMBOLS, strict=False))


class Resident(Symbols):
    """A function with *storage*; *target* is the callee's symbol. *info* is for those whose storage no module fills."""

    calls_again = True

    def __init__(self, unit: Unit, stem: str, storage: V, target: str, calls_python: bool, info: V = NULL) -> None:
        own = inside(storage, "emitted.info") if info is NULL else info
        super().__init__(unit, stem, stem, own, target)
        self._storage = storage
        self._calls_python = calls_python

    def frame(self, e: Emitter) -> tuple[str, str]:
        e.state = inside(self._storage, "emitted.state")
        return super().frame(e)

    def from_self(self, e: Emitter, obj: V) -> None:
        """What Python gives is the module."""
        e.called_with[0] = inside(self._storage, "emitted.function")

    def data(self, e: Emitter, name: str) -> V:
        return self.unit.declare(_SYMBOLS[name], "{} = external global i8")

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        if row.name == "call_python" and self._calls_python:
            entry = self.unit.declare(self._target, "declare ptr {}(ptr, ptr, i64, ptr)")
            return self._call(e, "ptr", "core_call_entry", [entry, *args[1:]])
        if row.name == "caught":
            return self.caught(e, args[1])
        if row.cold_index >= 0 and layout.HOST["preserve.most"]:
            return self._call(e, row.result, f"core_cold_{row.name}", args, tail, "preserve_mostcc")
        return self._call(e, e.machine_type(row.result), _SYMBOLS[row.name], args, tail)

    def _call(self, e: Emitter, result: str, symbol: str, args: list[V], tail: bool = False, convention: str = "") -> V:
        attributes = [self._extension(arg.type) for arg in args]
        extension = self._extension(result)
        self._declare(symbol, " ".join(filter(None, (convention, extension, result))), args, attributes)
        return e.call(result, V("ptr", f'@"{symbol}"'), args, attributes, extension, tail, convention)

    def call_symbol(self, e: Emitter, result: str, symbol: str, args: list[V], tail: bool = False) -> V:
        return self._call(e, result, symbol, args, tail)

    def _declare(self, symbol: str, head: str, args: list[V], attributes: list[str], fixed: int | None = None) -> None:
        """Called by its address in the global offset table, which a linker leaves out where the function is in the same
        file."""
        types = declared_types(args, attributes, fixed)
        throws = self.catches and symbol == self._target
        self.unit.declare(symbol, f"declare {head} {{}}({types}) {'' if throws else 'nounwind '}nonlazybind")
        if symbol != self._target:
            self.unit.called.add(symbol)

    def note_call(
        self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str, fixed: int | None
    ) -> None:
        self._declare(symbol.text[2:-1], f"{result_attribute} {result}".strip(), args, attributes, fixed)

    def has_failed(self, e: Emitter, result: V) -> V:
        return e.icmp("ne", e.member(result, 1), const("i64", 0), "failed")

    def value(self, e: Emitter, result: V) -> V:
        return e.member(result, 0)

    def release(self, e: Emitter, index: int, name: str) -> V:
        return self.unit.declare(name, "declare void {}(ptr)")

    def lift_callback(self, e: Emitter, index: int, signature: Signature, view: V, out: V) -> None:
        e.helper("lift_callback", e.state, const("i32", index), view, out, e.temps())


class Shared(Resident):
    """The code of all callbacks of the same types: the state, with the callee, comes with the call."""

    is_closure = True

    def __init__(self, unit: Unit, stem: str) -> None:
        super().__init__(unit, stem, NULL, "", False, V("ptr", "undef"))

    def frame(self, e: Emitter) -> tuple[str, str]:
        return self.unit.head(e.symbol, is_local=True)

    def from_self(self, e: Emitter, obj: V) -> None:
        e.state = e.offset(obj, layout.HOST["function.state"], "state")

    def from_closure(self, e: Emitter, closure: V) -> None:
        e.state = e.load("ptr", closure, layout.CLOSURE_STATE, "state")

    def info(self, e: Emitter) -> V:
        return e.load("ptr", e.state, layout.HOST.state["info"], "info")

    def target(self, e: Emitter) -> V:
        return e.load("ptr", e.state, layout.HOST.state["target"], "target")

    def is_alive(self, e: Emitter, closure: V) -> V | None:
        current = e.load("ptr", closure, layout.CLOSURE_STATE, "current")
        return e.icmp("eq", current, e.state)


def inside(storage: V, field: str) -> V:
    """The address of a field of static storage."""
    return V("ptr", f"getelementptr (i8, ptr {storage.text}, i64 {layout.HOST[field]})")
