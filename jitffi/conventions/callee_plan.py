"""Plans of Python entries whose callee is a Python callable or a packed function.

Steps convert the arguments as for a C function (conventions/plan.py). Then each becomes an object, or a view in a slot
(runtime_c/python/package/plan_callback.c, plan_slots.c). What comes back beside the result goes through places, as
Python's adapters have it (plan_places.c).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base import layout
from jitffi.base.late import late
from jitffi.conventions.plan import Maker
from jitffi.conventions.plan_registers import MACHINES, NoPlan
from jitffi.ir import cabi
from jitffi.types.array import ANY_RANK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.options import Options
    from jitffi.signature import datamodel
    from jitffi.signature.model import Signature
    from jitffi.types.row import Row
else:
    datamodel = late("jitffi.signature.datamodel")

_TO = {"python": 256, "packed": 512}
_KEEPS, _IN_SLOT, _OPTIONAL, _BY_ADDRESS = 32, 64, 1, 2
_ARGUMENTS = (
    "scalar", "cstr", "ptr", "str", "bytes", "ucs4", "any", "union", "object", "container", "pointer", "array",
    "tensor", "structure", "callback",
)  # fmt: skip
_DIRECT = (
    "void", "scalar", "cstr", "ptr", "object", "container", "structure", "function", "pointer", "array", "tensor",
)  # fmt: skip
#: Results in slots, with the code of text that stands in place; 1 of what is held against its type, 0 of what is not.
_SLOTS = {"str": layout.SMALL_STR, "bytes": layout.SMALL_BYTES, "ucs4": layout.SMALL_UCS4, "any": 0, "union": 1}


class _Maker(Maker):
    """The plan of one signature."""

    def code(self, r: Row) -> str:
        """Where no C is, func[...] is an object."""
        return "function" if r.step == "callback" else r.step

    def step(self, index: int, at: int) -> list[int]:
        step = super().step(index, at)
        r = self.rows[index]
        if r.passes_back and r.inner.step == "structure":  # type: ignore[attr-defined]
            made = r.inner.layout(datamodel.of_abi(cabi.HOST.name))  # type: ignore[attr-defined]
            step[2:4] = made.align, made.size
        elif r.step == "structure":
            step[2:4] = self.extent(index)
        return step

    def known_of_made(self, words: int) -> int:
        return words

    def extent(self, index: int) -> tuple[int, int]:
        """Alignment and size of a parameter's struct, or of the result's with -1."""
        assert self.shape is not None
        value = self.shape.params[index] if index >= 0 else self.shape.result
        assert value.layout is not None
        return value.layout.align, value.layout.size

    def returned(self, callee: str) -> tuple[list[int], int, int]:
        """The result's step, flags of the plan for it, and the words of its slot."""
        r, codes = self.result, _core.PLAN_CODES
        flags, extra = _OPTIONAL * r.step_takes_none, r.step_extra
        flags |= _BY_ADDRESS * (r.by_value and r.is_complex)
        if r.in_slot and r.step != "scalar":
            slot = 2 + self.options.pad
            extra = codes.index(r.step) if callee == "python" else _SLOTS[r.step]
            place = self.words.take(1 + slot, True)
            return [codes.index("slot"), flags, extra, 0, -1, 0, place, 0, 0], _IN_SLOT, slot
        code = self.code(r)
        if code not in _DIRECT or code == "array" and r.step_words > 1:
            raise NoPlan
        size = 0
        if code == "pointer":  # as which arrays go, whose elements it is none of
            extra = ANY_RANK << 16
        elif code == "structure":
            extra, size = self.extent(-1)
        slot = 2 if callee == "packed" else 0
        place = self.words.take(max(1 + slot, 1 + r.step_words, 2), True)
        return [codes.index(code), flags, extra, size, -1, 0, place, 0, 0], 0, slot

    def entry(self, callee: str) -> tuple[int, ...]:
        if any(not r.passes_back and r.step not in _ARGUMENTS for r in self.rows):
            raise NoPlan
        if callee == "packed" and any(r.slot_refused for r in (*self.rows, self.result)):
            raise NoPlan
        result, flags, slot = self.returned(callee)
        steps = self.steps()
        outs = () if self.sig.in_order else self.sig.order.outs
        makes = [[*self.step(i, 0), *self.dimensions(i, True)] for i in outs]
        result[-2:] = self.lengths_of_result()
        for i, letter in enumerate(("nogil", "errno", "keywords", "defaults", "by_name")):
            flags |= getattr(self.options, letter) << i
        back = sum(r.passes_back for r in self.rows)
        flags |= _KEEPS * (back > 0 or any(r.lends for r in self.rows)) | _TO[callee]
        back += bool(back) and self.result.step != "void"
        count = len(self.rows)
        positional = count if self.sig.in_order else len(self.sig.order.positional)
        head = (
            flags, positional, count, self.words.count, 0, len(self.names), 0, slot, back, len(steps), len(makes),
            self.num_lengths, 0, 0,
        )  # fmt: skip
        return (*head, *result, *[number for step in (*steps, *makes) for number in step], *self.lengths)


def numbers(sig: Signature, options: Options, callee: str, machine: str = cabi.HOST.name) -> tuple[int, ...] | None:
    """What `_core.plan` makes a plan of; None where there is none."""
    if machine not in MACHINES or not _core.PLAN_CODES or sig.fixed is not None or callee not in _TO:
        return None
    try:
        return _Maker(sig, options, machine).entry(callee)
    except NoPlan:
        return None
