"""The packed convention of before (D4a): type codes and 8-byte values in two arrays, and a result of one each.

An entry makes slots of what came and goes on as a packed one; a caller makes them of its arguments, which the runtime
takes apart (runtime_c/include/jitffi/legacy.h). Neither half looks at a code itself.
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.conventions.base import register
from jitffi.conventions.slots import SlotConvention
from jitffi.ir.builder import NULL, V, const
from jitffi.ir.primitives import info, new_out_slot

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace, Convention, Options
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature, Type
    from jitffi.types.row import Native


def _is_bool(type_: Type) -> bool:
    return type_.text in ("bool", "optional[bool]")


def _make_bool(e: Emitter, slot: V) -> None:
    """A bool crosses as an int: make it one again."""
    code, word = e.load("i32", slot, layout.SLOT_CODE, "code"), e.load("i64", slot, layout.SLOT_PAYLOAD, "word")
    is_int = e.icmp("eq", code, const("i32", layout.INT), "is.int")
    truth = e.cast("zext", e.icmp("ne", word, const("i64", 0), "truth"), "i64")
    e.store(e.select(is_int, const("i32", layout.BOOL), code), slot, layout.SLOT_CODE)
    e.store(e.select(is_int, truth, word), slot, layout.SLOT_PAYLOAD)


class PackedLegacy(SlotConvention):
    name = "packed_legacy"
    prefix = "__jf_legacy_"
    tells_signature = True

    def prototype(self, name: str, sig: Signature) -> str:
        return (
            f"int32_t {name}(void* self, int32_t num_args, const int32_t* type_codes, const jf_legacy_value* values, "
            "int32_t* out_code, jf_legacy_value* out_value)"
        )

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        slots = super().places(sig, labels)
        values = [(f"values + {8 * i}", label, form) for i, (_, label, form) in enumerate(slots[:-2])]
        result = ("out_value", *slots[-2][1:])
        return [*values, result, ("returns", "0", "or -1 with the last error set")]

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        extension = e.abi.extension("i32", "signext")
        params = [("ptr", "", "self"), ("i32", extension, "num_args"), ("ptr", "", "type_codes"), ("ptr", "", "values")]
        params += [("ptr", "", "out_code"), ("ptr", "", "out_value")]
        given = e.begin(f"{extension} i32".strip(), params)
        e.linkage.from_function(e, given[0])
        e.entry_values = given
        count = len(sig.params) if sig.in_order else len(sig.params) - len(sig.order.outs)
        self.check_number(e, count, options)
        views = e.frame(layout.SLOT_SIZE * max(count, 1), "views")
        out = new_out_slot(e, layout.capacity(e.pad), "out")
        e.entry_values = [given[0], given[1], views, out, given[4], given[5]]
        e.helper("legacy_views", info(e), given[1], given[2], given[3], views)
        outs = () if sig.in_order else sig.order.outs
        passed = [param.type for i, param in enumerate(sig.params) if i not in outs]
        for at, type_ in enumerate(passed):
            if _is_bool(type_):
                _make_bool(e, e.offset(views, layout.SLOT_SIZE * at))

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        status = super().lower_result(e, sig, value, borrowed)
        e.helper("legacy_give", info(e), e.entry_values[3], e.entry_values[4], e.entry_values[5])
        return status

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        return self.call_slots(e, sig, values, entry, e.linkage.callee_object(e))

    def call_function(self, e: Emitter, callee: V, count: int, args: V, out: V, entry: Convention) -> None:
        target, extension = e.linkage.target(e), e.abi.extension("i32", "signext")
        if target.text.startswith("@"):  # the runtime calls it: a file that names it declares it all the same
            given = [callee, const("i32", count), *[NULL] * 4]
            e.linkage.note_call(target, "i32", given, ["", extension, *[""] * 4], extension, None)
        e.helper("legacy_invoke", info(e), target, callee, const("i32", count), args, out)
        if _is_bool(e.sig.result):
            _make_bool(e, out)


#: The one instance.
CONVENTION = PackedLegacy()
register(CONVENTION)
