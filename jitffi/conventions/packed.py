"""The packed convention (D4b): arguments in 16-byte slots, the first one first, the result through an out-slot.

An entry finds its state in the captures of `self`. A caller whose callee is a function object of the same types (one
compare of interned pointers) calls the C function behind it and packs nothing.
"""

from __future__ import annotations

from jitffi.base import layout, symbol_names
from jitffi.conventions.base import Convention, Options, register
from jitffi.conventions.slots import SlotConvention
from jitffi.ir.builder import V, const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature
    from jitffi.types.row import Native


class Packed(SlotConvention):
    name = "packed"
    prefix = symbol_names.PACKED_PREFIX
    tells_signature = True

    def check_number(self, e: Emitter, count: int, options: Options) -> None:
        """Where there are defaults, let the runtime arrange what came and them."""
        if not options.defaults:
            return super().check_number(e, count, options)
        _, num_args, given, _ = e.entry_values
        right, wrong, here = e.label("arity"), e.label("wrong.arity"), e.here
        e.branch(e.icmp("eq", num_args, const("i32", count), "all"), right, wrong, likely=True)
        e.at(wrong)
        space = e.frame(layout.SLOT_SIZE * count, "arranged")
        args, there = e.helper("arrange_packed", e.state, num_args, given, space), e.here
        e.br(right)
        e.at(right)
        e.entry_values[2] = e.phi([(given, here), (args, there)], "args")
        return None

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        callee = e.linkage.callee_object(e)
        return self.call_slots(e, sig, values, entry, callee)

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
        second, there = self.call_slots(e, sig, values, entry, callee), e.here
        e.br(done)
        e.at(done)
        return first if first.type == "void" else e.phi([(first, here), (second, there)], "result")


#: The one instance.
CONVENTION = Packed()
register(CONVENTION)
