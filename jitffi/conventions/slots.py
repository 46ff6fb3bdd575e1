"""What conventions that take their arguments in slots have in common, wherever they put each argument.

int32_t call(Function* self, int32_t num_args, const AnyView* args, AnyValue* out)

args ->  | code | len | payload |  one slot an argument, borrowed
out  ->  | null | capacity | 0  |  becomes the owned result; null again on failure
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.conventions.base import Convention, Options, call_out, param_rows
from jitffi.conventions.dimensions import Dimensions, Refusals, has_lengths
from jitffi.ir.builder import V, const
from jitffi.ir.primitives import info, new_out_slot, store_slot
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature, Type
    from jitffi.types.row import Native


class _Refusals(Refusals):
    def __init__(self, views: dict[int, V]) -> None:
        self._views = views

    def length(self, e: Emitter, index: int, dim: int, here: V, other: V, there: V) -> None:
        where = (info(e), const("i32", index), self._views[index])
        e.helper("fail_length", *where, const("i32", dim), here, other, there)

    def filled(self, e: Emitter, index: int, given: V, source: V, exact: bool, there: V) -> None:
        e.helper("fail_filled", info(e), const("i32", index), given, source, const("i32", int(exact)), there)


def _in_no_slot(type_: Type) -> Type | None:
    """What no slot holds of a type, of its values or those of its callbacks; None where all is well."""
    if type_.signature is not None:
        inside = [*[param.type for param in type_.signature.params], type_.signature.result]
    elif type_.name in ("optional", "out", "inout"):
        inside = [type_.args[0]]
    else:
        return type_ if row(type_).slot_refused else None
    return next((found for each in inside if (found := _in_no_slot(each)) is not None), None)


class SlotConvention(Convention):
    """A subclass says where an argument is; the first is in the first slot."""

    def place(self, index: int, count: int) -> int:
        """Which slot argument *index* of *count* is in."""
        return index

    def prototype(self, name: str, sig: Signature) -> str:
        return f"int32_t {name}(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)"

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        rows = param_rows(sig)
        at = [layout.SLOT_SIZE * self.place(i, len(rows)) for i in range(len(rows))]
        places = [(f"args + {at[i]}", labels[i], r.shown_slot) for i, r in enumerate(rows)]
        result = row(sig.result)
        places.append(("out", str(sig.result), result.shown_slot_gives or result.shown_slot))
        return [*places, ("returns", "0", "or -1 with the last error set and *out null")]

    def _slot(self, e: Emitter, args: V, index: int, count: int) -> V:
        return e.offset(args, layout.SLOT_SIZE * self.place(index, count), f"slot{index}")

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        extension = e.abi.extension("i32", "signext")
        params = [("ptr", "", "self"), ("i32", extension, "num_args"), ("ptr", "", "args"), ("ptr", "", "out")]
        values = e.entry_values = e.begin(f"{extension} i32".strip(), params)
        e.linkage.from_function(e, values[0])
        self.check_number(e, len(sig.params) if sig.in_order else len(sig.params) - len(sig.order.outs), options)

    def check_number(self, e: Emitter, count: int, options: Options) -> None:
        """Fail where the call has another number of arguments."""
        right, wrong = e.label("arity"), e.label("wrong.arity")
        num_args = e.entry_values[1]
        e.branch(e.icmp("eq", num_args, const("i32", count), "all"), right, wrong, likely=True)
        e.at(wrong)
        e.helper("packed_arity", info(e), num_args)
        e.fail("runtime")
        e.at(right)

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        rows = param_rows(sig)
        outs = () if sig.in_order else sig.order.outs
        passed = [i for i in range(len(rows)) if i not in outs]
        views: dict[int, V] = {}
        values: dict[int, Native] = {}
        for at, i in enumerate(passed):
            views[i] = self._slot(e, e.entry_values[2], at, len(passed))
            if rows[i].lends:
                e.views[i] = views[i]
            values[i] = rows[i].lift(e, i, views[i])
        if not sig.in_order or has_lengths(sig):
            dimensions = Dimensions(sig, _Refusals(views))
            for i in passed:
                dimensions.bind(e, i, values[i])
            for i in sig.order.filled:
                dimensions.check(e, i, values[i])
            e.result_lengths = dimensions.of_result(e, values)
            for i in outs:
                values[i] = rows[i].make_native(e, i, dimensions.lengths(e, sig.params[i].type.args[0], values))
        e.passed_back = [(i, values[i]) for i, r in enumerate(rows) if r.passes_back]
        return [values[i] for i in range(len(rows))]

    def out_slot(self, e: Emitter) -> V:
        return e.entry_values[3]

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        result = row(sig.result)
        if e.passed_back:
            self._all_results(e, sig, value)
        elif not result.in_slot:
            result.lower_result(e, value, self.out_slot(e))
        return const("i32", 0)

    def _all_results(self, e: Emitter, sig: Signature, value: V) -> None:
        """Leave in the out-slot what comes back: one value, or a tuple of the result and the others."""
        has_result = sig.result.name != "void"
        count, size = len(e.passed_back) + has_result, layout.SLOT_SIZE
        views = e.frame(size * count, "results")
        if has_result and row(sig.result).in_slot:
            e.helper("any_view", self.out_slot(e), views)
        elif has_result:
            row(sig.result).lower(e, -1, (value,), views)
        for at, (i, native) in enumerate(e.passed_back, has_result):
            row(sig.params[i].type).give_native(e, i, native, e.offset(views, size * at))
        e.helper("out_values", self.out_slot(e), views, const("i32", count))

    def leave(self, e: Emitter, value: V | None) -> None:
        e.ret(value)

    def fail(self, e: Emitter, where: str) -> None:
        if where == "python":
            e.helper("error_from_python")
            return e.fail("runtime")
        e.run_cleanups(failed=True)
        e.helper("any_release", self.out_slot(e))
        return e.ret(const("i32", -1))

    def refuse(self, sig: Signature, options: Options) -> None:
        for type_ in (*[param.type for param in sig.params], sig.result):
            found = _in_no_slot(type_)
            if found is not None:
                raise TypeError(f"convention {self.name!r} cannot carry {found}: {row(found).slot_refused}")
        for param in sig.params:
            reason = row(param.type).slot_refused
            if reason:
                raise TypeError(f"convention {self.name!r} cannot carry {param.type}: {reason}")
            if row(param.type).passes_back and row(sig.result).owned:
                what = f"{sig.result} beside {param.type}"
                raise TypeError(f"convention {self.name!r} cannot return {what}: an object has to come alone")

    # -- callee ------------------------------------------------------------------------------------------

    def call_slots(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, callee: V) -> V:
        """Call the function object *callee*."""
        result, rows = row(sig.result), param_rows(sig)
        entry.before_run(e, sig)
        passed = [i for i in range(len(rows)) if sig.in_order or i not in sig.order.outs]
        back = [i for i, r in enumerate(rows) if r.passes_back]
        args = e.frame(layout.SLOT_SIZE * max(len(passed), 1), "args")
        for at, i in enumerate(passed):
            rows[i].lower(e, i, values[i], self._slot(e, args, at, len(passed)))
        out = self._results_slot(e) if back else entry.out_slot(e) if result.in_slot else self._own_slot(e, sig)
        self.call_function(e, callee, len(passed), args, out, entry)
        return self._take_apart(e, sig, values, back, out, entry) if back else result.lift_result(e, out)

    def call_function(self, e: Emitter, callee: V, count: int, args: V, out: V, entry: Convention) -> None:
        """Call the target with its function object and *count* slots; the result is in *out*, or control has left."""
        target = e.linkage.target(e)
        extension = e.abi.extension("i32", "signext")
        given = [callee, const("i32", count), args, out]
        status = call_out(e, "i32", target, given, ["", extension, "", ""], extension, entry)
        failed, returned = e.label("callee.failed"), e.label("returned")
        e.branch(e.icmp("eq", status, const("i32", 0), "succeeded"), returned, failed, likely=True)
        e.at(failed)
        e.helper("any_release", out)  # a result beside a failure: a fault of the callee, but no reason for a leak
        e.fail("runtime")
        e.at(returned)

    def _results_slot(self, e: Emitter) -> V:
        """A slot for all that a callee gives back, from which it is taken before the call returns."""
        slot = new_out_slot(e, 8, "results")

        def release(e: Emitter) -> None:
            e.helper("any_release", slot)

        e.on_exit(release)
        return slot

    def _take_apart(
        self, e: Emitter, sig: Signature, values: list[Native], back: list[int], slot: V, entry: Convention
    ) -> V:
        """Write what parameters give back to their places, and return the result."""
        rows, result = param_rows(sig), row(sig.result)
        has_result = sig.result.name != "void"
        count = len(back) + has_result
        views = slot if count == 1 else e.frame(layout.SLOT_SIZE * count, "parts")
        if count > 1:
            e.helper("take_parts", info(e), slot, views, const("i32", count))
        for at, i in enumerate(back, has_result):
            rows[i].take_native(e, i, e.offset(views, layout.SLOT_SIZE * at), values[i])
        if not has_result:
            return V("void", "")
        out = entry.out_slot(e) if result.in_slot else self._own_slot(e, sig)
        e.helper("any_retain", views, out)
        return result.lift_result(e, out)

    def _own_slot(self, e: Emitter, sig: Signature) -> V:
        """A slot of the frame for a result that does not stay in one. The row empties it when it lifts the result,
        unless that points into it; then, and where lifting fails, whatever is in it is released on the way out."""
        if row(sig.result).settles_slot:
            slot = e.frame(layout.SLOT_SIZE, "result")
            store_slot(e, slot, layout.NULL, const("i64", 0))
            return slot
        borrowed = row(sig.result).result_is_borrowed
        slot = new_out_slot(e, layout.capacity(e.pad) if borrowed else 8, "result")

        def release(e: Emitter) -> None:
            e.helper("any_release", slot)

        if borrowed:
            e.on_exit(release)
        else:
            e.on_failure(release)
        return slot
