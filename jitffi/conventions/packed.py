"""The packed convention (D4b): arguments in 16-byte slots, the result through an out-slot.

    int32_t call(Function* self, int32_t num_args, const AnyView* args, AnyValue* out)

    args ->  | code | len | payload |  one slot an argument, borrowed
    out  ->  | null | capacity | 0  |  becomes the owned result; null again on failure

An entry finds its state in the captures of `self`. A caller whose callee is a function object of the same types (one
compare of interned pointers) calls the C function behind it and packs nothing.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.conventions.base import Convention, Options, call_out, param_rows, register
from jitffi.ir.builder import V, const
from jitffi.ir.primitives import info, new_out_slot, store_slot
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.conventions.base import Place
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


class Packed(Convention):
    name = "packed"
    prefix = "__jf_"
    tells_signature = True

    def prototype(self, name: str, sig: Signature) -> str:
        return f"int32_t {name}(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)"

    def places(self, sig: Signature, labels: list[str]) -> list[Place]:
        rows = param_rows(sig)
        places = [(f"args + {layout.SLOT_SIZE * i}", labels[i], r.shown_slot) for i, r in enumerate(rows)]
        places.append(("out", str(sig.result), row(sig.result).shown_slot))
        return [*places, ("returns", "0", "or -1 with the last error set and *out null")]

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        extension = e.abi.extension("i32", "signext")
        params = [("ptr", "", "self"), ("i32", extension, "num_args"), ("ptr", "", "args"), ("ptr", "", "out")]
        values = e.entry_values = e.begin(f"{extension} i32".strip(), params)
        e.linkage.from_function(e, values[0])
        n, right, wrong = len(sig.params), e.label("arity"), e.label("wrong.arity")
        here = e.here
        e.branch(e.icmp("eq", values[1], const("i32", n), "all"), right, wrong, likely=True)
        e.at(wrong)
        if options.defaults:
            space = e.frame(layout.SLOT_SIZE * n, "arranged")
            args, there = e.helper("arrange_packed", e.state, values[1], values[2], space), e.here
            e.br(right)
            e.at(right)
            e.entry_values = [values[0], values[1], e.phi([(values[2], here), (args, there)], "args"), values[3]]
        else:
            e.helper("packed_arity", info(e), values[1])
            e.fail("runtime")
            e.at(right)

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        args = e.entry_values[2]
        return [r.lift(e, i, e.offset(args, layout.SLOT_SIZE * i, f"slot{i}")) for i, r in enumerate(param_rows(sig))]

    def out_slot(self, e: Emitter) -> V:
        return e.entry_values[3]

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        result = row(sig.result)
        if not result.in_slot:
            result.lower_result(e, value, self.out_slot(e))
        return const("i32", 0)

    def leave(self, e: Emitter, value: V | None) -> None:
        e.ret(value)

    def fail(self, e: Emitter, where: str) -> None:
        if where == "python":
            e.helper("error_from_python")
            return e.fail("runtime")
        e.run_cleanups(failed=True)
        e.helper("any_release", self.out_slot(e))
        return e.ret(const("i32", -1))

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        callee = e.linkage.callee_object(e)
        return self._call_packed(e, sig, values, entry, callee)

    def call_known(
        self,
        e: Emitter,
        sig: Signature,
        values: list[Native],
        entry: Convention,
        call_native: Callable[[V], V],
    ) -> V:
        """Like `call`, but a callee of exactly these types is called by *call_native* at its native address."""
        callee = e.linkage.callee_object(e)
        theirs = e.load("ptr", callee, layout.FUNCTION_TYPES, "their.types")
        ours = e.linkage.types(e)
        maybe, direct, packed, done = e.label("same"), e.label("direct"), e.label("packed"), e.label("called")
        e.branch(e.icmp("eq", theirs, ours, "same.types"), maybe, packed)
        e.at(maybe)
        # Loaded here and not above, or LLVM makes one condition of both, which costs callees of other types more.
        native = e.load("ptr", callee, layout.FUNCTION_NATIVE, "native")
        e.branch(e.is_null(native), packed, direct)
        e.at(direct)
        first, here = call_native(native), e.here
        e.br(done)
        e.at(packed)
        second, there = self._call_packed(e, sig, values, entry, callee), e.here
        e.br(done)
        e.at(done)
        return first if first.type == "void" else e.phi([(first, here), (second, there)], "result")

    def _call_packed(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, callee: V) -> V:
        result = row(sig.result)
        entry.before_run(e, sig)
        args = e.frame(layout.SLOT_SIZE * max(len(values), 1), "args")
        for i, (r, native) in enumerate(zip(param_rows(sig), values, strict=True)):
            r.lower(e, i, native, e.offset(args, layout.SLOT_SIZE * i, f"slot{i}"))
        out = entry.out_slot(e) if result.in_slot else self._own_slot(e, sig)
        target = e.linkage.target(e)
        extension = e.abi.extension("i32", "signext")
        given = [callee, const("i32", len(values)), args, out]
        status = call_out(e, "i32", target, given, ["", extension, "", ""], extension, entry)
        failed, returned = e.label("callee.failed"), e.label("returned")
        e.branch(e.icmp("eq", status, const("i32", 0), "succeeded"), returned, failed, likely=True)
        e.at(failed)
        e.helper("any_release", out)  # a result beside a failure: a fault of the callee, but no reason for a leak
        e.fail("runtime")
        e.at(returned)
        return result.lift_result(e, out)

    def _own_slot(self, e: Emitter, sig: Signature) -> V:
        """A slot of the frame for a result that does not stay in one. The row empties it when it lifts the result,
        unless that points into it; then, and where lifting fails, whatever is in it is released on the way out."""
        if row(sig.result).settles_slot:
            slot = e.frame(layout.SLOT_SIZE, "result")
            store_slot(e, slot, layout.NULL, const("i64", 0))
            return slot
        lends = row(sig.result).lends_result
        slot = new_out_slot(e, layout.capacity(e.pad) if lends else 8, "result")

        def release(e: Emitter) -> None:
            e.helper("any_release", slot)

        if lends:
            e.on_exit(release)
        else:
            e.on_failure(release)
        return slot


#: The one instance.
CONVENTION = Packed()
register(CONVENTION)
