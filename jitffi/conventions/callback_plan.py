"""Plans of Python callables that C calls: the moves of conventions/plan.py the other way round.

It does what the adapter does that `c` and `python` write together (runtime_c/python/package/plan_callback.c). What
stands in slots, lengths that arrays do not bring along, places that are written back and structs that are returned need
compiled code: `numbers` gives None.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.conventions.options import Options
from jitffi.conventions.plan import MACHINES, Maker, NoPlan
from jitffi.ir import cabi

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature

_ARGUMENTS = ("scalar", "cstr", "ptr", "str", "bytes", "ucs4", "callback", "pointer", "structure")
_RESULTS = ("void", "scalar", "cstr", "ptr", "pointer", "array", "callback")
#: JF_RESULT_* of results in registers that are no general ones (runtime_c/include/jitffi/runtime.h).
_RESULT_CLASSES = {"double": 1, "float": 7}


class _Maker(Maker):
    """The plan of one callable."""

    def argument_step(self, index: int) -> list[int]:
        r = self.rows[index]
        # A pointer to numbers is an address here, whatever arrays stand for one in Python.
        code = "pointer" if r.step == "array" and r.step_words == 1 else r.step
        if code not in _ARGUMENTS or r.is_complex:
            raise NoPlan
        flags = self.flags(r)
        words = 1 + -(-self.size(index) // 8) if code == "structure" else max(r.step_words, 1)
        if code == "structure":
            kind = self.passing_kind(index)
            words = 1 if kind == "copy" else words
        place = self.places[index] = self.words.take(words, code == "structure")
        return [_core.PLAN_CODES.index(code), flags, r.step_extra, 0, index, 0, place, 0, 0]

    def returned_step(self) -> tuple[list[int], int]:
        """The result's step, and how a closure returns once it has died."""
        r = self.result
        if r.step not in _RESULTS or r.step == "array" and r.step_words > 1 or r.in_slot or r.by_value or r.owned:
            raise NoPlan
        if r.c_result_refused or r.step == "scalar" and r.step_takes_none:
            raise NoPlan
        code = _core.PLAN_CODES.index(r.step)
        size = 1 if r.step == "array" else 0
        place = self.words.take(max(r.step_words, 2), True)
        step = [code, self.flags(r), r.step_extra, size, -1, 0, place, 0, 0]
        return step, _RESULT_CLASSES.get(r.result, 0)

    def callback(self) -> tuple[tuple[int, ...], int]:
        if not self.sig.in_order and self.sig.order.outs or self.sig.fixed is not None:
            raise NoPlan
        result, result_class = self.returned_step()
        steps = [self.argument_step(i) for i in range(len(self.rows))]
        for i in range(len(self.rows)):
            self.argument(i)
        registers = self.registers
        head = (0, len(steps), len(steps), self.words.count, 0, 0, 0, 0, 0, len(steps), 0, 0, registers.count, 0)
        return (*head, *result, *[number for step in steps for number in step], *registers.moves), result_class


def numbers(sig: Signature, machine: str = cabi.HOST.name) -> tuple[tuple[int, ...], int] | None:
    """What `_core.plan` makes a plan of, and how its closures return once they have died; None where there is none."""
    if machine not in MACHINES or not _core.PLAN_CODES or not sig.in_order:
        return None
    try:
        return _Maker(sig, Options(), machine).callback()
    except (NoPlan, TypeError):  # what no C function has is refused where it is compiled
        return None
