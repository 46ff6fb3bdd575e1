"""Plans of Python entries whose callee is a Python callable or a packed function.

Steps convert the arguments as for a C function (conventions/plan.py). Then each becomes an object, or a view in a slot
(runtime_c/python/package/plan_callback.c, plan_slots.c). Structs that packed functions are given, and what comes back
beside the result, need compiled code: `numbers` gives None.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import layout
from jitffi.conventions.plan import Maker
from jitffi.conventions.plan_registers import MACHINES, NoPlan
from jitffi.ir import cabi
from jitffi.types.scalar import KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.options import Options
    from jitffi.signature.model import Signature
    from jitffi.types.row import Row

_TO = {"python": 256, "packed": 512}
_KEEPS, _IN_SLOT, _OPTIONAL, _BY_ADDRESS = 32, 64, 1, 2
_ARGUMENTS = (
    "scalar", "cstr", "ptr", "str", "bytes", "ucs4", "any", "union", "object", "container", "pointer", "array",
    "tensor", "structure", "callback",
)  # fmt: skip
_DIRECT = {
    "python": ("void", "scalar", "cstr", "ptr", "object", "container", "structure"),
    "packed": ("void", "scalar", "cstr", "ptr", "object", "container"),
}
_WIDE = KINDS.index("longdouble")
#: Results in slots, with the code of text that stands in place.
_SLOTS = {"str": layout.SMALL_STR, "bytes": layout.SMALL_BYTES, "ucs4": layout.SMALL_UCS4, "any": 0}


def _is_no_slot(r: Row) -> bool:
    """Whether the extension does not make a slot of it."""
    is_wide = r.step == "scalar" and r.step_extra >= _WIDE
    return is_wide or bool(r.slot_refused) or r.step == "structure"


class _Maker(Maker):
    """The plan of one signature."""

    def code(self, r: Row) -> str:
        """Where no C is, func[...] is an object."""
        return "function" if r.step == "callback" else r.step

    def returned(self, callee: str) -> tuple[list[int], int, int]:
        """The result's step, flags of the plan for it, and the words of its slot."""
        r, codes = self.result, _core.PLAN_CODES
        flags, extra = _OPTIONAL * r.step_takes_none, r.step_extra
        if r.c_result_refused:
            raise NoPlan
        flags |= _BY_ADDRESS * (r.by_value and r.is_complex)
        if r.in_slot and (r.step != "scalar" or r.step_takes_none):
            if r.step not in _SLOTS and (r.step != "union" or callee == "packed"):
                raise NoPlan
            slot = 2 + self.options.pad
            extra = codes.index(r.step) if callee == "python" else _SLOTS[r.step]
            place = self.words.take(1 + slot, True)
            return [codes.index("slot"), flags, extra, 0, -1, 0, place, 0, 0], _IN_SLOT, slot
        if r.step not in _DIRECT[callee]:
            raise NoPlan
        slot = 2 if callee == "packed" else 0
        place = self.words.take(max(1 + slot, 1 + r.step_words, 2), True)
        return [codes.index(r.step), flags, extra, 0, -1, 0, place, 0, 0], 0, slot

    def entry(self, callee: str) -> tuple[int, ...]:
        order_outs = () if self.sig.in_order else self.sig.order.outs
        if order_outs or any(r.step not in _ARGUMENTS or r.passes_back for r in self.rows):
            raise NoPlan
        if callee == "packed" and any(_is_no_slot(r) for r in (*self.rows, self.result)):
            raise NoPlan
        result, flags, slot = self.returned(callee)
        steps = self.steps()
        for i, letter in enumerate(("nogil", "errno", "keywords", "defaults", "by_name")):
            flags |= getattr(self.options, letter) << i
        flags |= _KEEPS * any(r.lends for r in self.rows) | _TO[callee]
        count = len(self.rows)
        positional = count if self.sig.in_order else len(self.sig.order.positional)
        head = (
            flags, positional, count, self.words.count, 0, len(self.names), 0, slot, 0, len(steps), 0,
            self.num_lengths, 0, 0,
        )  # fmt: skip
        return (*head, *result, *[number for step in steps for number in step], *self.lengths)


def numbers(sig: Signature, options: Options, callee: str, machine: str = cabi.HOST.name) -> tuple[int, ...] | None:
    """What `_core.plan` makes a plan of; None where there is none."""
    if machine not in MACHINES or not _core.PLAN_CODES or sig.fixed is not None or callee not in _TO:
        return None
    try:
        return _Maker(sig, options, machine).entry(callee)
    except NoPlan:
        return None
