"""How generated code reaches what is outside it: its callee, the entry points of the runtime, the texts of messages.

    Table                run time: everything hangs on the *state* that comes with the call, so the code needs no
                         relocation
    Beside               the same, but the callee is a function of the same module
    Symbols (symbols.py) files: everything outside is a symbol, and what messages say is a constant of the same object

An entry half says once where the state would come from (`from_self`, `from_function`, `from_closure`); everything else
asks, and never knows which of them answers.
"""

from __future__ import annotations

import os

from jitffi.base import layout as slots
from jitffi.ir import cabi
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.primitives import store_slot
from jitffi.runtime.entry_points import DATA_INDEX, Helper

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.base.layout import Layout
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature


def declared_types(args: list[V], attributes: list[str], fixed: int | None) -> str:
    """What stands in the brackets of a declaration; *fixed* is how many of the arguments stand before `...`."""
    types = [" ".join(filter(None, (v.type, a))) for v, a in zip(args, attributes, strict=True)]
    return ", ".join(types if fixed is None else [*types[:fixed], "..."])


class Linkage:
    """The protocol; one instance serves one function."""

    abi = cabi.HOST
    #: The callee is an object whose types can be compared with ours.
    knows_callee = False
    #: Functions of a signature can be made of callables, so that they stand in slots as function objects.
    makes_functions = False
    #: Exceptions that callees throw are caught, and become errors.
    catches = False
    #: A C entry is called through a closure.
    is_closure = False
    #: Where Python's text does not fit, the Function can be called again with what it says that it stands for.
    calls_again = False

    def _extension(self, type_: str) -> str:
        """The attribute of an argument or result of the runtime, whose ints are int32_t and whose shorts uint16_t."""
        return self.abi.extension(type_, {"i32": "signext", "i16": "zeroext"}.get(type_, ""))

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

    def on_error_bytes(self, e: Emitter) -> V | None:
        """The address of its bytes; None: they are zero."""
        return None

    def note_call(
        self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str, fixed: int | None
    ) -> None:
        """Called for each call of a symbol."""

    def is_alive(self, e: Emitter, closure: V) -> V | None:
        """Whether a closure still has the state that it was called with; None where it cannot lose it."""
        return None

    def release(self, e: Emitter, index: int, name: str) -> V:
        """The C function *name*, which frees what C gives for parameter *index*, or as the result."""
        raise NotImplementedError

    def need_pattern(self, e: Emitter, index: int) -> None:
        """Called before a value is held against parameter *index*, whose type is a container's with what it holds."""

    def lift_callback(self, e: Emitter, index: int, signature: Signature, view: V, out: V) -> None:
        """Leave the C function behind a view at *out*."""
        e.helper("lift_callback", e.state, const("i32", index), view, out, e.temps())

    def lower_callback(self, e: Emitter, index: int, address: V, view: V) -> None:
        """Make a view of a C function, which is not NULL."""
        store_slot(e, view, slots.HANDLE, address)

    def call_python(self, e: Emitter, args: V, count: int) -> V:
        """Call the Python callee with an array of objects, whose references it takes; args[-1] is free for its use."""
        return e.helper("call_python", e.state, args, const("i64", count))


class Table(Linkage):
    """Every outside address in a table that the state points at; see state.h of the extension."""

    knows_callee = True
    makes_functions = True
    is_closure = True
    catches = True
    calls_again = True

    def __init__(self, layout: Layout, keep_registers: bool = False) -> None:
        #: Entry points off the fast path are called through stubs that keep the caller's registers (cold.c).
        self.keep_registers = keep_registers and bool(layout["preserve.most"])
        self._layout = layout
        #: Where it is loaded once; None: anew for each use.
        self._table: V | None = None

    def frame(self, e: Emitter) -> tuple[str, str]:
        # No C++ exception passes it, and nothing is known of its memory. Debuggers want to know of every frame.
        return "define", "nounwind uwtable" if os.environ.get("JITFFI_DEBUG") else "nounwind"

    def set_state(self, e: Emitter, state: V) -> None:
        """Tell where the state is. The table is loaded at once: a callable may let go of its own Function, and what is
        called after that is in the table, too."""
        e.state = state
        self._table = e.load("ptr", state, self._layout.state["table"], "table")

    def lower_callback(self, e: Emitter, index: int, address: V, view: V) -> None:
        e.helper("lower_callback", e.state, const("i32", index), address, view, e.temps())

    def from_self(self, e: Emitter, obj: V) -> None:
        """Whoever calls from Python holds the Function: no register has to be kept for the table across calls."""
        e.state = e.offset(obj, self._layout["function.state"], "state")

    def from_function(self, e: Emitter, function: V) -> None:
        self.set_state(e, e.load("ptr", function, slots.FUNCTION_CAPTURES, "state"))

    def from_closure(self, e: Emitter, closure: V) -> None:
        self.set_state(e, e.load("ptr", closure, slots.CLOSURE_STATE, "state"))

    def _entry(self, e: Emitter, index: int, name: str) -> V:
        assert e.state is not NULL, "the state is not known yet"
        table = self._table or e.load("ptr", e.state, self._layout.state["table"], "table")
        return e.load("ptr", table, 8 * index, name)

    def data(self, e: Emitter, name: str) -> V:
        return self._entry(e, DATA_INDEX[name], name)

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        kept = self.keep_registers and row.cold_index >= 0
        target = self._entry(e, row.cold_index if kept else row.index, row.name)
        result = e.machine_type(row.result)
        attributes = [self._extension(arg.type) for arg in args]
        convention = "preserve_mostcc" if kept else ""
        return e.call(result, target, args, attributes, self._extension(result), tail, convention)

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
        return e.load(type_, e.state, self._layout.state["on_error"], "on.error", align=min(e.align_of(type_), 8))

    def on_error_bytes(self, e: Emitter) -> V | None:
        return e.offset(e.state, self._layout.state["on_error"], "on.error")

    def release(self, e: Emitter, index: int, name: str) -> V:
        at = index if index >= 0 else len(e.sig.params)
        return e.load("ptr", self._field(e, "ptr", "releases", "releases"), 8 * at, "release")

    def is_alive(self, e: Emitter, closure: V) -> V | None:
        current = e.load("ptr", closure, slots.CLOSURE_STATE, "current")
        return e.icmp("eq", current, e.state)


class Beside(Table):
    """The callee is the C function *name* of the same module, which `declaration` says once it is called."""

    def __init__(self, layout: Layout, name: str) -> None:
        super().__init__(layout, keep_registers=True)
        self._name = V("ptr", f'@"{name}"')
        self.declaration = ""

    def target(self, e: Emitter) -> V:
        return self._name

    def note_call(
        self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str, fixed: int | None
    ) -> None:
        types = declared_types(args, [""] * len(args), fixed)
        self.declaration = f"declare {result} {symbol.text}({types})"
