"""Plans of Python callables that C calls: the moves of conventions/plan.py the other way round.

It does what the adapter does that `c` and `python` write together (runtime_c/python/package/plan_callback.c). Lengths
of arrays come from the integers that are named after them.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base.late import late
from jitffi.conventions.options import Options
from jitffi.conventions.plan import FILLED, NUMBER, PARAMETER, PLACE, STRIDE, VECTOR_RESULTS, Maker, has_place
from jitffi.conventions.plan_registers import MACHINES, NoPlan
from jitffi.ir import cabi
from jitffi.signature.compound import array_of
from jitffi.signature.numbers import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature import datamodel
    from jitffi.signature.model import Signature
    from jitffi.types.row import Row
else:
    datamodel = late("jitffi.signature.datamodel")

_ARGUMENTS = (
    "scalar", "cstr", "ptr", "str", "bytes", "ucs4", "any", "union", "object", "container", "callback", "pointer",
    "array", "tensor", "structure",
)  # fmt: skip
_RESULTS = (
    "void", "scalar", "cstr", "ptr", "object", "container", "pointer", "array", "callback", "structure", "tensor",
)  # fmt: skip
#: Of a plan.
_KEEPS, _IN_SLOT = 32, 64
#: JF_RESULT_* of results in registers that are no general ones (runtime_c/include/jitffi/runtime.h), and of structs.
_RESULT_CLASSES = {"double": 1, "longdouble": 4, "i128": 5, "float": 7}
#: Bytes of numbers that no struct has.
_SIZES = {"dtype": 4, "longdouble": 16, "c64": 8, "c128": 16}
_COMPLEX_CLASSES = {"c64": 8, "c128": 6}
_STATUS, _BODY, _IN_MEMORY = 2, 3, 16


class _Maker(Maker):
    """The plan of one callable."""

    def argument_step(self, index: int) -> list[int]:
        r = self.rows[index]
        if r.passes_back:
            return self.place_step(index)
        # A pointer to numbers is an address here, whatever arrays stand for one in Python.
        code = "pointer" if r.step == "array" and r.step_words == 1 else r.step
        if code not in _ARGUMENTS:
            raise NoPlan
        words, size, has_more = 1, 0, r.by_value
        if code == "structure":
            words = 1 if self.passing_kind(index) == "copy" else 1 + -(-self.size(index) // 8)
        elif r.by_value:
            words += r.step_words
        elif code == "array":
            words = size = r.step_words
        elif code not in ("any", "union", "tensor"):  # of those C passes the address
            words = max(r.step_words, 1)
        filled = {} if self.sig.in_order else self.sig.order.filled
        flags = self.flags(r) | FILLED * (index in filled)
        place = self.places[index] = self.words.take(words, has_more)
        return [_core.PLAN_CODES.index(code), flags, r.step_extra, size, index, 0, place]

    def place_step(self, index: int) -> list[int]:
        """Of a place whose address C passes: what the callable returns is converted behind the address. Of no size are
        addresses."""
        outer = self.rows[index]
        r: Row = outer.inner  # type: ignore[attr-defined]
        is_out = outer.type.name == "out"
        if not has_place(r) or r.step.startswith("owned"):
            raise NoPlan
        if r.step == "array" and r.step_words > 1:
            if not is_out:
                raise NoPlan
            words = size = r.step_words
        elif r.step == "structure":
            words, size = 2, r.layout(datamodel.of_abi(cabi.HOST.name)).size
        else:
            words, size = 1 + max(r.step_words, 2), _SIZES.get(r.type.name) or SIZES.get(r.type.name, 0)
        flags = self.flags(r, True) | PLACE | FILLED * is_out
        place = self.places[index] = self.words.take(words, r.step == "structure")
        return [_core.PLAN_CODES.index(r.step), flags, r.step_extra, size, index, 0, place]

    def told(self, index: int) -> list[int]:
        """Where the lengths of a parameter's array begin, as its integers and its type say them, and how many there
        are. A tensor has them with it; those of its type have to be right."""
        type_ = self.sig.params[index].type
        array = array_of(type_.args[0] if self.rows[index].passes_back else type_)
        if array is None:
            return [0, 0]
        first = self.num_lengths
        if array.name == "tensor":
            for dim, (length, _) in enumerate(array.args[2]):
                self.length((NUMBER, length if isinstance(length, int) else -1), dim)
            return [first, self.num_lengths - first]
        for dim, (length, stride) in enumerate(array.args[2]):
            self._say(length, dim)
            if stride is not None:
                self._say(stride, STRIDE + dim)
        return [first, self.num_lengths - first]

    def _say(self, what: int | str | None, dimension: int) -> None:
        if isinstance(what, int):
            return self.length((NUMBER, what), dimension)
        for index, param in enumerate(self.sig.params):
            if what is not None and param.name == what:
                name = param.type.name
                return self.length((PARAMETER, self.places[index]), dimension, name[0] == "i", int(name[1:]))
        raise NoPlan

    def returned_step(self) -> tuple[list[int], list[int], int]:
        """The result's step, its moves, and how a closure returns once it has died."""
        r = self.result
        if r.c_result_refused:
            raise NoPlan
        if r.in_slot:
            place = self.words.take(1, False)
            code = _core.PLAN_CODES.index(r.step)
            kind = r.step_extra if r.step == "scalar" else 0
            step = [_core.PLAN_CODES.index("slot"), self.flags(r), code, kind, -1, 0, place, 0, 0]
            return step, [], _STATUS
        if r.step not in _RESULTS or r.step == "array" and r.step_words > 1:
            raise NoPlan
        place = self.words.take(max(1 + r.step_words, 2), True)
        step = [_core.PLAN_CODES.index(r.step), self.flags(r), r.step_extra, r.step == "array", -1, 0, place, 0, 0]
        if r.by_value and self.is_in_memory:
            if self.registers.is_x86:
                self.registers.word(False)  # its address, before all arguments
            self.size(-1)  # refuses what is aligned beyond the stack
            assert self.shape is not None and self.shape.result.layout is not None
            step[3] = self.shape.result.layout.size
            return step, [], _IN_MEMORY + step[3]
        moves = self._moves(r, place)
        if r.by_value:
            known = _RESULT_CLASSES["longdouble"] if self.is_x87 else _BODY
            return step, moves, _COMPLEX_CLASSES.get(r.type.name, known)
        return step, moves, _RESULT_CLASSES.get(r.result, 0)

    @property
    def is_in_memory(self) -> bool:
        """Whether the caller has memory for the result."""
        assert self.shape is not None
        return self.shape.result.is_out

    def _moves(self, r: Row, place: int) -> list[int]:
        if r.by_value:
            return self.result_moves(place)
        if r.result == "i128":
            return [0, 0, 0, 8, 0, 0, 0, 8, 8, 1]
        if r.result == "longdouble":
            return [0, 0, 0, 16, 0 if self.is_x87 else VECTOR_RESULTS]
        return []

    def callback(self) -> tuple[tuple[int, ...], int]:
        sig, registers = self.sig, self.registers
        if sig.fixed is not None:
            raise NoPlan
        result, moves, result_class = self.returned_step()
        count = len(self.rows)
        steps = [self.argument_step(i) for i in range(count)]
        steps = [[*step, *self.told(i)] for i, step in enumerate(steps)]
        result[-2:] = self.lengths_of_result()
        for i in range(count):
            self.argument(i)
        if self.result.in_slot:
            registers.move(result[6], False, 0, 8, registers.word(False))
        back = sum(r.passes_back for r in self.rows)
        flags = _KEEPS * (back > 0 or any(r.lends for r in self.rows)) | _IN_SLOT * self.result.in_slot
        back += bool(back) and self.result.step != "void"
        head = (
            flags, count, count, self.words.count, 0, 0, 0, 0, back, count, 0, self.num_lengths, registers.count,
            len(moves) // 5,
        )  # fmt: skip
        listed = [number for step in steps for number in step]
        return (*head, *result, *listed, *self.lengths, *registers.moves, *moves), result_class


def numbers(sig: Signature, machine: str = cabi.HOST.name) -> tuple[tuple[int, ...], int] | None:
    """What `_core.plan` makes a plan of, and how its closures return once they have died; None where there is none."""
    if machine not in MACHINES or not _core.PLAN_CODES:
        return None
    try:
        return _Maker(sig, Options(), machine).callback()
    except (NoPlan, TypeError):  # what no C function has is refused where it is compiled
        return None
