"""The linkage of files: everything outside is a symbol.

Symbols   an entry of an object
Body      the C entry behind a closure, whose callee comes in the closure's state
"""

from __future__ import annotations

from jitffi.base import layout as slots
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.linkage import Linkage, declared_types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.adapters.unit import Unit
    from jitffi.ir.emitter import Emitter
    from jitffi.runtime.entry_points import Helper
    from jitffi.signature.model import Signature

#: Entry points of the C runtime that files call under another name or with other arguments: the C name, then what each
#: argument is: a number stands for the run-time path's own, "info" for the jf_call_info, "key" for an address that is
#: this entry's, "defaults" for the views of what may be left out.
_TWINS = {
    "arrange_packed": ("jf_arrange", "info defaults 1 2 3"),
    "null_result": ("jf_null_result", "info 1"),
    "fail_null": ("jf_fail_null", "info 1"),
    "check_out": ("jf_check_out", "info 1"),
    "keep_cstr": ("jf_keep_cstr", "key 1 info"),
    "packed_arity": ("jf_fail_arity", "0 1"),
    "is_pending": ("jf_error_is_pending", ""),
    "error_pending": ("jf_error_mark_pending", ""),
    "closure_dead": ("jf_closure_dead", ""),
    "take_pending": ("jf_take_pending", ""),
    "fail_length": ("jf_refuse_length", "0 1 2 3 4 5 6"),
    "fail_filled": ("jf_refuse_filled", "0 1 2 3 4 5"),
    "strlen": ("strlen", "0"),
}
_OF_THE_RUNTIME = (
    "lift_",
    "lower_",
    "any_",
    "out_",
    "object_",
    "temps_",
    "f64_from_",
    "legacy_",
    "tvmffi_",
    "fill_",
    "copy_",
    "new_",
    "take_",
)


class Symbols(Linkage):
    """Everything outside is a symbol. *stem* names what belongs to the function in its object, *name* is for messages;
    *target* is the callee's symbol, *defaults* are views of what a packed entry's caller may leave out."""

    def __init__(self, unit: Unit, stem: str, name: str, info: V, target: str = "", defaults: V = NULL) -> None:
        self.unit = unit
        self.abi = unit.abi
        self._stem = stem
        self._name = name
        self._info = info
        self._target = target
        self._defaults = defaults
        self._word: V | None = None

    def frame(self, e: Emitter) -> tuple[str, str]:
        return self.unit.head(e.symbol, is_local=False)

    def from_self(self, e: Emitter, obj: V) -> None:
        pass

    def from_function(self, e: Emitter, function: V) -> None:
        pass

    def data(self, e: Emitter, name: str) -> V:
        assert name == "pending_count", name
        return self.unit.declare("jf_pending_count", "{} = external global i32")

    def key(self, e: Emitter) -> V:
        return self._info

    def call(self, e: Emitter, row: Helper, args: list[V], tail: bool) -> V:
        if row.name == "caught":
            return self.caught(e, args[1])
        symbol, args = self._named(e, row, args)
        result = e.machine_type(row.result)
        if row.fails[:1] == ("second",):
            # A pair in registers is not the C ABI everywhere: the status comes back, the value through memory.
            self._word = self._word or e.frame(8, "word")
            args, result = [*args, self._word], "i32"
        return self.call_symbol(e, result, symbol, args, tail)

    def caught(self, e: Emitter, exception: V) -> V:
        """Make the last error of an exception that landed here."""
        name = e.load("ptr", self.info(e), 0, "name")  # the first field of jf_call_info
        return self.call_symbol(e, "void", "jf_caught", [name, exception])

    def call_symbol(self, e: Emitter, result: str, symbol: str, args: list[V], tail: bool = False) -> V:
        """Call a C function of the runtime."""
        attributes = [self._extension(arg.type) for arg in args]
        return e.call(result, V("ptr", f'@"{symbol}"'), args, attributes, self._extension(result), tail)

    def _named(self, e: Emitter, row: Helper, args: list[V]) -> tuple[str, list[V]]:
        """The C function for a row, and what it is given."""
        if row.name not in _TWINS:
            assert row.name.startswith(_OF_THE_RUNTIME), row.name
            return "jf_" + row.name, args
        symbol, which = _TWINS[row.name]
        own = {"info": self._info, "defaults": self._defaults}
        if "key" in which:  # with an index: -1 of the result, and a place's
            own["key"] = e.offset(self.key(e), int(args[-1].text) + 1)
        return symbol, [args[int(w)] if w.isdigit() else own[w] for w in which.split()]

    def note_call(
        self, symbol: V, result: str, args: list[V], attributes: list[str], result_attribute: str, fixed: int | None
    ) -> None:
        types = declared_types(args, attributes, fixed)
        head = " ".join(filter(None, ("declare", result_attribute, result)))
        throws = self.catches and symbol.text[2:-1] == self._target
        self.unit.declare(symbol.text[2:-1], f"{head} {{}}({types})" + ("" if throws else " #1"))
        if symbol.text[2:-1] != self._target:
            self.unit.called.add(symbol.text[2:-1])

    def has_failed(self, e: Emitter, result: V) -> V:
        return e.icmp("ne", result, const("i32", 0), "failed")

    def value(self, e: Emitter, result: V) -> V:
        assert self._word is not None
        return e.load("i64", self._word, 0, "value", here=True)

    def info(self, e: Emitter) -> V:
        return self._info

    def target(self, e: Emitter) -> V:
        return V("ptr", f'@"{self._target}"')

    def callee_object(self, e: Emitter) -> V:
        return NULL

    def on_error(self, e: Emitter, type_: str) -> V:
        return V(type_, "zeroinitializer")

    def need_pattern(self, e: Emitter, index: int) -> None:
        """Look the pattern up once: its place in the jf_call_info is empty until then."""
        place = self.unit.pattern(self._stem, index)
        if place is None:
            return
        holder, offset = place
        found, missing, known = e.load_shared(holder, offset, "pattern"), e.label("pattern.of"), e.label("known")
        e.branch(e.is_null(found), missing, known, likely=False)
        e.at(missing)
        type_ = (e.sig.result if index < 0 else e.sig.params[index].type).text
        made = self.call_symbol(e, "ptr", "jf_pattern_of", [self.unit.text(type_)])
        e.fail_if(e.is_null(made), "runtime")
        e.store_shared(made, holder, offset)
        e.br(known)
        e.at(known)

    def lift_callback(self, e: Emitter, index: int, signature: Signature, view: V, out: V) -> None:
        where = "result" if index < 0 else e.sig.params[index].name or "callback"
        number = "r" if index < 0 else index
        type_ = self.unit.callback(f"{self._stem}.{number}", f"{self._name}.{where}", signature, e.pad)
        args = [self._info, const("i32", index), view, type_, out, e.temps()]
        status = self.call_symbol(e, "i32", "jf_lift_callback", args)
        e.fail_if(e.icmp("ne", status, const("i32", 0), "failed"), "runtime")


class Body(Symbols):
    """The C entry behind a closure that jf_lift_callback makes: the closure's state is the function object to call."""

    is_closure = True

    def __init__(self, unit: Unit, stem: str, name: str, info: V) -> None:
        super().__init__(unit, stem, name, info)
        self._closure: V = NULL
        self._function: V = NULL

    def frame(self, e: Emitter) -> tuple[str, str]:
        return self.unit.head(e.symbol, is_local=True)

    def from_closure(self, e: Emitter, closure: V) -> None:
        self._closure = closure
        self._function = e.load("ptr", closure, slots.CLOSURE_STATE, "function")

    def key(self, e: Emitter) -> V:
        return self._closure

    def target(self, e: Emitter) -> V:
        return e.load("ptr", self._function, slots.FUNCTION_CALL, "target")

    def callee_object(self, e: Emitter) -> V:
        return self._function
