"""How generated code reaches what is outside it: its callee, the entry points of the runtime, the texts of messages.

    Table     run time: everything hangs on the *state* that comes with the call, so the code needs no relocation
    Symbols   files: everything outside is a symbol, and what messages say is a constant of the same object
    Body      files: the C entry behind a closure, whose callee comes in the closure's state

An entry half says once where the state would come from (`from_self`, `from_function`, `from_closure`); everything else
asks, and never knows which of them answers.
"""

from __future__ import annotations

from jitffi import layout as slots
from jitffi.ir import cabi
from jitffi.ir.emitter import NULL, V, const
from jitffi.runtime import DATA_INDEX, Helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.emitter import Emitter
    from jitffi.layout import Layout
    from jitffi.signature.model import Signature


class Linkage:
    """The protocol; one instance serves one function."""

    abi = cabi.HOST
    #: The callee is an object whose types can be compared with ours.
    knows_callee = False
    #: A C entry is called through a closure.
    is_closure = False

    def frame(self, e: Emitter) -> tuple[str, str]:
        """What stands before the result's type of a definition, and behind its parameters."""
        raise NotImplementedError

    # Where the state comes from

    def from_self(self, e: Emitter, obj: V) -> None:
        """A Python entry's `self`."""
        raise NotImplementedError

    def from_function(self, e: Emitter, function: V) -> None:
        """A packed entry's function object."""
        raise NotImplementedError

    def from_closure(self, e: Emitter, closure: V) -> None:
        """A C entry's closure, where it `is_closure`."""
        raise NotImplementedError

    # What is outside

    def data(self, e: Emitter, name: str) -> V:
        """The address of an object or variable."""
        raise NotImplementedError

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        """Call an entry point of the runtime, without a look at how it went."""
        raise NotImplementedError

    def has_failed(self, e: Emitter, result: V) -> V:
        """Whether a call failed that gives a value and a status; then what its value is."""
        raise NotImplementedError

    def value(self, e: Emitter, result: V) -> V:
        raise NotImplementedError

    def info(self, e: Emitter) -> V:
        """The jf_call_info that messages are made from."""
        raise NotImplementedError

    def target(self, e: Emitter) -> V:
        """The address to call."""
        raise NotImplementedError

    def callee_object(self, e: Emitter) -> V:
        """What a packed callee gets as its self."""
        raise NotImplementedError

    def types(self, e: Emitter) -> V:
        """The interned text of our types; only where the linkage `knows_callee`."""
        raise NotImplementedError

    def on_error(self, e: Emitter, type_: str) -> V:
        """What a C entry without an error channel returns on failure."""
        raise NotImplementedError

    def note_call(self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str) -> None:
        """Called for each call of a symbol."""

    def is_alive(self, e: Emitter, closure: V) -> V | None:
        """Whether a closure still has the state that it was called with; None where it cannot lose it."""
        return None

    def lift_callback(self, e: Emitter, index: int, signature: Signature, view: V, out: V) -> None:
        """Leave the C function behind a view at *out*."""
        e.helper("lift_callback", e.state, const("i32", index), view, out, e.temps())


class Table(Linkage):
    """Every outside address in a table that the state points at; see core.h."""

    knows_callee = True
    is_closure = True

    def __init__(self, layout: Layout, keep_registers: bool = False) -> None:
        #: Entry points off the fast path are called through stubs that keep the caller's registers (cold.c).
        self.keep_registers = keep_registers and bool(layout["preserve.most"])
        self._layout = layout
        self._table: V | None = None

    def frame(self, e: Emitter) -> tuple[str, str]:
        # No C++ exception passes it, and nothing is known of its memory.
        return "define", "nounwind"

    def set_state(self, e: Emitter, state: V) -> None:
        """Tell where the state is; the table is loaded from it at once, as every path needs it."""
        e.state = state
        self._table = e.load("ptr", state, self._layout.state["table"], "table")

    def from_self(self, e: Emitter, obj: V) -> None:
        self.set_state(e, e.offset(obj, self._layout["function.state"], "state"))

    def from_function(self, e: Emitter, function: V) -> None:
        self.set_state(e, e.load("ptr", function, slots.FUNCTION_CAPTURES, "state"))

    def from_closure(self, e: Emitter, closure: V) -> None:
        self.set_state(e, e.load("ptr", closure, slots.CLOSURE_STATE, "state"))

    def _entry(self, e: Emitter, index: int, name: str) -> V:
        assert self._table is not None, "the state is not known yet"
        return e.load("ptr", self._table, 8 * index, name)

    def data(self, e: Emitter, name: str) -> V:
        return self._entry(e, DATA_INDEX[name], name)

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        kept = self.keep_registers and row.cold_index >= 0
        target = self._entry(e, row.cold_index if kept else row.index, row.name)
        result = e.machine_type(row.result)
        return e.call(result, target, args, tail=tail, convention="preserve_mostcc" if kept else "")

    def has_failed(self, e: Emitter, result: V) -> V:
        return e.icmp("ne", e.member(result, 1), const("i64", 0), "failed")

    def value(self, e: Emitter, result: V) -> V:
        return e.member(result, 0)

    def _field(self, e: Emitter, type_: str, field: str, name: str) -> V:
        return e.load(type_, e.state, self._layout.state[field], name)

    def info(self, e: Emitter) -> V:
        return self._field(e, "ptr", "info", "info")

    def target(self, e: Emitter) -> V:
        return self._field(e, "ptr", "target", "target")

    def callee_object(self, e: Emitter) -> V:
        return self._field(e, "ptr", "self", "callee")

    def types(self, e: Emitter) -> V:
        return self._field(e, "ptr", "types", "our.types")

    def on_error(self, e: Emitter, type_: str) -> V:
        return self._field(e, type_, "on_error", "on.error")

    def is_alive(self, e: Emitter, closure: V) -> V | None:
        current = e.load("ptr", closure, slots.CLOSURE_STATE, "current")
        return e.icmp("eq", current, e.state)


#: Entry points that files call under another name, or with other arguments: the C name, then what each argument is: a
#: number stands for the run-time path's argument, "info" for the jf_call_info, "key" for an address that is this entry's
#: own, "defaults" for the views of its defaults, "state" for a Python entry's state.
_TWINS = {
    "arrange_packed": ("jf_arrange", "info defaults 1 2 3"),
    "null_result": ("jf_null_result", "info 1"),
    "fail_null": ("jf_fail_null", "info 1"),
    "check_out": ("jf_check_out", "info 1"),
    "keep_cstr": ("jf_keep_cstr", "key 1 info"),
    "packed_arity": ("jf_fail_arity", "0 1"),
    "is_pending": ("jf_error_is_pending", ""),
    "error_pending": ("jf_error_mark_pending", ""),
    "take_pending": ("jf_take_pending", ""),
    "strlen": ("strlen", "0"),
}
_OF_THE_RUNTIME = ("lift_", "any_", "out_", "object_", "temps_", "f64_from_")


class Unit:
    """What the functions of one object share: constants, declarations, and the C ABI of the target."""

    def __init__(self, abi: cabi.CABI) -> None:
        self.abi = abi
        self.globals: list[str] = []
        self.functions: list[str] = []
        self.defined: set[str] = set()
        self._declared: dict[str, str] = {}
        self._texts: dict[bytes, V] = {}

    def declare(self, symbol: str, text: str) -> V:
        """The address of an outside symbol, which *text* declares with "{}" for its name."""
        name = f'@"{symbol}"'
        self._declared.setdefault(symbol, text.replace("{}", name))
        return V("ptr", name)

    @property
    def declarations(self) -> list[str]:
        return [text for symbol, text in self._declared.items() if symbol not in self.defined]

    def define(self, symbol: str, text: str, linkage: str = "private unnamed_addr constant") -> V:
        """A global of ours."""
        self.defined.add(symbol)
        self.globals.append(f'@"{symbol}" = {linkage} {text}')
        return V("ptr", f'@"{symbol}"')

    def text(self, text: str | None) -> V:
        """A NUL-terminated constant; equal ones are one. None is NULL."""
        return NULL if text is None else self.bytes(text.encode() + b"\0")

    def bytes(self, data: bytes) -> V:
        if data not in self._texts:
            self._texts[data] = self.define(f".text.{len(self._texts)}", f"{byte_constant(data)}, align 1")
        return self._texts[data]

    def info(self, stem: str, name: str, sig: Signature) -> V:
        """The jf_call_info of a function."""
        params: V = NULL
        if sig.params:
            rows = [
                f"{{ ptr, ptr, ptr }} {{ {self.text(p.name)}, {self.text(p.type.text)}, ptr null }}" for p in sig.params
            ]
            params = self.define(f".params.{stem}", f"[{len(rows)} x {{ ptr, ptr, ptr }}] [{', '.join(rows)}]")
        n, required = const("i32", len(sig.params)), const("i32", sig.num_required)
        fields = f"{self.text(name)}, {n}, {required}, {params}, {self.text(sig.result.text)}, ptr null"
        # Not unnamed_addr: its address is the entry's key.
        return self.define(
            f".info.{stem}", f"{{ ptr, i32, i32, ptr, ptr, ptr }} {{ {fields} }}", linkage="private constant"
        )


def byte_constant(data: bytes) -> str:
    """The type and value of an array of bytes."""
    text = "".join(chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:02X}" for b in data)
    return f'[{len(data)} x i8] c"{text}"'


class Symbols(Linkage):
    """Everything outside is a symbol. *target* is the callee's; *section* puts the function into one of its own."""

    def __init__(self, unit: Unit, info: V, target: str, defaults: V = NULL, section: str = "") -> None:
        self.unit = unit
        self.abi = unit.abi
        self._info = info
        self._target = target
        self._defaults = defaults
        self._section = section
        self._word: V | None = None

    def frame(self, e: Emitter) -> tuple[str, str]:
        self.unit.defined.add(e.symbol)
        section = f' section "{self._section}"' if self._section else ""
        return "define", f"#0{section}"

    def from_self(self, e: Emitter, obj: V) -> None:
        pass

    def from_function(self, e: Emitter, function: V) -> None:
        pass

    def data(self, e: Emitter, name: str) -> V:
        assert name == "pending_count", name
        return self.unit.declare("jf_pending_count", "{} = external global i32")

    def _argument(self, which: str, args: list[V]) -> V:
        return (
            args[int(which)]
            if which.isdigit()
            else {"info": self._info, "key": self._info, "defaults": self._defaults}[which]
        )

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        if row.name in _TWINS:
            symbol, which = _TWINS[row.name]
            args = [self._argument(w, args) for w in which.split()]
        else:
            assert row.name.startswith(_OF_THE_RUNTIME), row.name
            symbol = "jf_" + row.name
        result = e.machine_type(row.result)
        if row.fails[:1] == ("second",):
            # A pair in registers is not the C ABI everywhere: the status comes back, the value through memory.
            self._word = self._word or e.frame(8, "word")
            args, result = [*args, self._word], "i32"
        return self.call_symbol(e, result, symbol, args, tail)

    def call_symbol(self, e: Emitter, result: str, symbol: str, args: list[V], tail: bool = False) -> V:
        """Call a C function whose ints are int32_t and whose shorts uint16_t."""
        attributes = [self._extension(a.type) for a in args]
        return e.call(result, V("ptr", f'@"{symbol}"'), args, attributes, self._extension(result), tail)

    def note_call(self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str) -> None:
        types = ", ".join(" ".join(filter(None, (v.type, a))) for v, a in zip(args, attributes, strict=True))
        head = " ".join(filter(None, ("declare", result_attribute, result)))
        self.unit.declare(symbol.text[2:-1], f"{head} {{}}({types}) #1")

    def _extension(self, type_: str) -> str:
        return self.abi.extension(type_, {"i32": "signext", "i16": "zeroext"}.get(type_, ""))

    def has_failed(self, e: Emitter, result: V) -> V:
        return e.icmp("ne", result, const("i32", 0), "failed")

    def value(self, e: Emitter, result: V) -> V:
        assert self._word is not None
        return e.load("i64", self._word, 0, "value")

    def info(self, e: Emitter) -> V:
        return self._info

    def target(self, e: Emitter) -> V:
        return V("ptr", f'@"{self._target}"')

    def callee_object(self, e: Emitter) -> V:
        return NULL

    def on_error(self, e: Emitter, type_: str) -> V:
        return V(type_, "zeroinitializer")
