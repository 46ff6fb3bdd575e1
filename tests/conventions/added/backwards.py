"""The convention `backwards`: arguments in slots as in the packed convention, the last one first.

    int32_t call(Function* self, int32_t num_args, const AnyView* args, AnyValue* out)

    args ->  | last | ... | second | first |

The whole of a convention in one file, as one is added to jitffi/conventions.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.conventions.base import Convention, Options, call_out, param_rows, register
from jitffi.ir.builder import V, const
from jitffi.ir.primitives import info, new_out_slot
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import Place
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


def _slot(e: Emitter, args: V, index: int, count: int) -> V:
    return e.offset(args, layout.SLOT_SIZE * (count - 1 - index), f"slot{index}")


class Backwards(Convention):
    name = "backwards"
    prefix = "__jfback_"

    def prototype(self, name: str, sig: Signature) -> str:
        return f"int32_t {name}(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)"

    def places(self, sig: Signature, labels: list[str]) -> list[Place]:
        n = len(labels)
        places = [
            (f"args + {layout.SLOT_SIZE * (n - 1 - i)}", labels[i], r.shown_slot) for i, r in enumerate(param_rows(sig))
        ]
        places.append(("out", str(sig.result), row(sig.result).shown_slot))
        return [*places, ("returns", "0", "or -1 with the last error set and *out null")]

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        extension = e.abi.extension("i32", "signext")
        params = [("ptr", "", "self"), ("i32", extension, "num_args"), ("ptr", "", "args"), ("ptr", "", "out")]
        values = e.entry_values = e.begin(f"{extension} i32".strip(), params)
        e.linkage.from_function(e, values[0])
        right, wrong = e.label("arity"), e.label("wrong.arity")
        e.branch(e.icmp("eq", values[1], const("i32", len(sig.params)), "all"), right, wrong, likely=True)
        e.at(wrong)
        e.helper("packed_arity", info(e), values[1])
        e.fail("runtime")
        e.at(right)

    def lift_params(self, e: Emitter, sig: Signature) -> list[Native]:
        n = len(sig.params)
        return [r.lift(e, i, _slot(e, e.entry_values[2], i, n)) for i, r in enumerate(param_rows(sig))]

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
        result = row(sig.result)
        entry.before_run(e, sig)
        args = e.frame(layout.SLOT_SIZE * max(len(values), 1), "args")
        for i, (r, native) in enumerate(zip(param_rows(sig), values, strict=True)):
            r.lower(e, i, native, _slot(e, args, i, len(values)))
        out = entry.out_slot(e) if result.in_slot else self._own_slot(e, result.lends_result)
        extension = e.abi.extension("i32", "signext")
        given = [e.linkage.callee_object(e), const("i32", len(values)), args, out]
        status = call_out(e, "i32", e.linkage.target(e), given, ["", extension, "", ""], extension, entry)
        e.fail_if(e.icmp("ne", status, const("i32", 0), "failed"), "runtime")
        return result.lift_result(e, out)

    def _own_slot(self, e: Emitter, lends: bool) -> V:
        slot = new_out_slot(e, layout.capacity(e.pad) if lends else 8, "result")

        def release(e: Emitter) -> None:
            e.helper("any_release", slot)

        if lends:
            e.on_exit(release)
        else:
            e.on_failure(release)
        return slot


register(Backwards())
