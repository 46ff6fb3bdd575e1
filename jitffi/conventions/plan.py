"""Plans: how a Python entry of a C function goes on without compiled code, in numbers that the extension follows.

    (x: f64, s: str) -> i32      steps    scalar f64 -> word 0, str -> words 1 and 2
                                 moves    word 0 -> xmm0, word 1 -> rdi, word 2 -> rsi
                                 result   scalar i32, from rax

It does what the adapter does that `python` and `c` write together: in the same order, by the functions that it calls
off its fast path. Registers are as conventions/plan_registers.py has them, of structs as conventions/c_values.py says.
runtime_c/python/package/plan.h draws the rest. `numbers` gives None where a type, or the machine, has no step.
"""

from __future__ import annotations

from jitffi import _core
from jitffi.base.late import late
from jitffi.conventions.plan_registers import INDIRECT, MACHINES, NoPlan, Registers, Words, words_of
from jitffi.ir import cabi
from jitffi.signature.compound import INTEGERS, array_of
from jitffi.types.table import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions import c_values
    from jitffi.conventions.base import Options
    from jitffi.conventions.c_values import CValue
    from jitffi.signature import datamodel
    from jitffi.signature.model import Signature, Type
    from jitffi.types.row import Row
else:
    c_values, datamodel = late("jitffi.conventions.c_values"), late("jitffi.signature.datamodel")

# Flags of a step and of a plan (runtime_c/python/package/plan.h).
_OPTIONAL, _BY_ADDRESS, _LENDS, PLACE, _COPIED, FILLED = 1, 2, 4, 8, 16, 32
_NOGIL, _ERRNO, _KEYWORDS, _DEFAULTS, _BY_NAME, _KEEPS, _IN_SLOT, _VECTOR = 1, 2, 4, 8, 16, 32, 64, 128
X87 = 1024
NUMBER, PARAMETER, _NAME = range(3)
STRIDE = 64
#: Words of results before those in vector registers (runtime_c/python/package/native_call.h).
VECTOR_RESULTS = 2
#: Words before the lengths of a tensor: its address, and a DLTensor (dlpack.h 1.1).
_BEFORE_TENSOR_LENGTHS = 7
#: How a tensor's memory is held (runtime_c/include/jitffi/array.h).
_KEPT, _SHOWN = 32 << 24, 64 << 24
#: Room for the shape of a tensor of any rank (JF_MAX_RANK).
_MAX_RANK = 64

_RESULTS = (
    "void", "scalar", "cstr", "ptr", "object", "container", "callback", "pointer", "array", "structure", "owned",
    "owned_cstr", "tensor",
)  # fmt: skip
PLACES = ("scalar", "cstr", "ptr", "pointer", "array", "structure", "owned", "owned_cstr")


def has_place(r: Row) -> bool:
    """Whether a value of that row can be written where an address says."""
    return r.step in PLACES and (r.is_complex or not r.step_by_address)


def _dims(type_: Type) -> tuple[tuple[int | str | None, str | None], ...]:
    """The lengths and strides that an array's or tensor's type says, dimension by dimension; none of others."""
    array = array_of(type_)
    return array.args[2] if array is not None else ()


class Maker:
    """The plan of one signature."""

    def __init__(self, sig: Signature, options: Options, machine: str) -> None:
        self.sig, self.options = sig, options
        self.rows = [row(p.type) for p in sig.params]
        self.result = row(sig.result)
        self.words = Words()
        self.registers = Registers(machine)
        self.lengths: list[int] = []
        self.num_lengths = 0
        self.names: dict[str, int] = {}
        self.places: dict[int, int] = {}
        rows = [*self.rows, self.result]
        self.shape = c_values.shape(cabi.ABIS[machine], sig) if any(r.by_value for r in rows) else None

    # -- steps ------------------------------------------------------------------------------------------------

    def size(self, index: int) -> int:
        """Bytes of a parameter's struct, or of the result's with -1."""
        assert self.shape is not None
        value = self.shape.params[index] if index >= 0 else self.shape.result
        assert value.layout is not None
        if value.layout.align > 16:
            raise NoPlan
        return max(value.layout.size, value.passing.room if value.passing else 0, 1)

    def flags(self, r: Row, is_place: bool = False) -> int:
        """Of a value; a complex number is in its place itself."""
        is_behind = r.step_by_address and not is_place
        return _LENDS * r.lends | _OPTIONAL * r.step_takes_none | _BY_ADDRESS * is_behind

    def code(self, r: Row) -> str:
        return r.step

    def passing_kind(self, index: int) -> str:
        """How a parameter's struct goes; "" of others."""
        value = self._by_value(index)
        return value.passing.kind if value is not None and value.passing is not None else ""

    def step(self, index: int, at: int) -> list[int]:
        """The step of a parameter, whose argument is *at*."""
        outer = self.rows[index]
        is_place = outer.passes_back
        r: Row = outer.inner if is_place else outer  # type: ignore[attr-defined]
        code, flags, words, size = self.code(r), self.flags(r, is_place) | PLACE * is_place, r.step_words, 0
        if not code or code == "void" or is_place and not has_place(r):
            raise NoPlan
        if code in ("owned", "owned_cstr") and outer.type.name != "out":
            raise NoPlan
        is_array = code in ("array", "texts") and words > 1
        extra = r.step_extra
        if code == "tensor":
            extra |= self._held()
            rank = len(_dims(outer.type))
            size, words = _BEFORE_TENSOR_LENGTHS + rank, _BEFORE_TENSOR_LENGTHS + 2 * (rank or _MAX_RANK)
        elif code == "structure":
            size = r.layout(datamodel.of_abi(cabi.HOST.name)).size if is_place else self.size(index)
            is_copied = not is_place and self.passing_kind(index) == "copy"
            flags |= _COPIED * is_copied
            words = -(-size // 8) if is_place or is_copied else 0
        elif is_array:
            size = words
        if is_place and outer.type.name == "out" and is_array:
            words = size = self.known_of_made(words)
        elif is_place and is_array:
            raise NoPlan
        has_more = is_place or r.step_by_address or code == "structure"
        place = self.words.take(1 + max(words, 2 * (not is_array)) if has_more else words, has_more)
        self.places[index] = place
        return [_core.PLAN_CODES.index(code), flags, extra, size, index, at, place]

    def known_of_made(self, words: int) -> int:
        """Words of an array that is made, before the array itself: C functions get its address alone."""
        return 1

    def _held(self) -> int:
        """As conventions/python.py and the row of tensors have it: whether other code runs before the call is over."""
        if self.options.nogil or self.calls_back:
            return _KEPT
        return _SHOWN if len(self.rows) == 1 else 0

    @property
    def calls_back(self) -> bool:
        types = [p.type.inner if p.type.is_optional else p.type for p in self.sig.params]
        return any(type_.name == "func" for type_ in types)

    def dimensions(self, index: int, is_made: bool) -> list[int]:
        """Where the lengths of a parameter's array begin, and how many there are."""
        type_ = self.sig.params[index].type
        dims = _dims(type_.args[0] if type_.name == "out" else type_)
        first = self.num_lengths
        for dim, (length, stride) in enumerate(dims):
            if is_made:
                self.length(self._made(length), dim)
            elif length is not None:
                self.length((NUMBER, length) if isinstance(length, int) else (_NAME, self._name(length)), dim)
            if stride is not None and not is_made:
                self.length((_NAME, self._name(stride)), STRIDE + dim)
        return [first, self.num_lengths - first]

    def _made(self, length: int | str | None) -> tuple[int, int]:
        """A length of an array that no array is there for."""
        if length is None:
            raise NoPlan
        if isinstance(length, int):
            return NUMBER, length
        for index, param in enumerate(self.sig.params):
            if param.name == length and index in self.places:
                return PARAMETER, self.places[index]
        return _NAME, self._name(length)

    def length(self, what: tuple[int, int], dimension: int = 0, is_signed: bool = False, bits: int = 0) -> None:
        self.lengths += (*what, dimension, is_signed, bits)
        self.num_lengths += 1

    def _name(self, name: str) -> int:
        return self.names.setdefault(name, len(self.names))

    def filled(self, index: int, at: int) -> list[int]:
        """The step of an integer that arrays say, where it is not given."""
        step = self.step(index, at)
        step[1] |= FILLED
        param = self.sig.params[index]
        assert param.name is not None
        exact = any(dim or is_stride for _, dim, is_stride in self.sig.order.filled[index])
        name = param.type.name
        self.length((_NAME, self._name(param.name)), exact, name[0] == "i", int(name[1:]))
        return [*step, self.num_lengths - 1, 0]

    def steps(self) -> list[list[int]]:
        """In the order in which an adapter converts them (conventions/python.py)."""
        sig, rows = self.sig, self.rows
        if sig.in_order and not any(r.passes_back or r.lends or r.step == "texts" for r in rows):
            return [[*self.step(i, i), 0, 0] for i in range(len(rows))]
        order = sig.order
        by_name = order.has_defaults_by_name
        given = [(at, i) for at, i in enumerate(order.passed) if i not in order.filled]
        found = []
        for at, i in sorted(given, key=lambda each: rows[each[1]].lends):
            found.append([*self.step(i, i if by_name else at), *self.dimensions(i, False)])
        for at, i in enumerate(order.keyword_only, len(order.positional)):
            if i in order.filled:
                found.append(self.filled(i, i if by_name else at))
        return found

    # -- moves ------------------------------------------------------------------------------------------------

    def argument(self, index: int) -> None:
        place, value = self.places[index], self._by_value(index)
        if value is None:
            for at, part in enumerate(self.rows[index].parts):
                self._part(part, place, 8 * at)
            return
        passing, layout = value.passing, value.layout
        assert passing is not None and layout is not None
        if passing.kind == "copy":
            self.registers.move(place, False, 0, 8, self.registers.word(False))
        elif passing.kind == "stack":
            self.registers.on_stack(place, layout.size, passing.align)
        else:
            self.registers.pieces(place, passing, layout.size)

    def _part(self, part: str, place: int, offset: int) -> None:
        if part == "i128":
            self.registers.wide(place)
        elif part == "longdouble" and self.registers.is_x86:
            self.registers.on_stack(place, 16, 16, is_behind=False)
        elif part == "longdouble":
            self.registers.quad(place)
        else:
            self.registers.move(place, False, offset, 8, self.registers.word(part in ("double", "float")))

    @property
    def is_x87(self) -> bool:
        """Whether the result is in st(0): a long double of x86-64, or a struct of one alone."""
        if not self.result.by_value or self.shape is None or self.shape.result.passing is None:
            return self.result.result == "longdouble" and self.registers.is_x86
        return any(piece.type == "x86_fp80" for piece in self.shape.result.passing.pieces)

    def _by_value(self, index: int) -> CValue | None:
        if self.shape is None or not self.rows[index].by_value:
            return None
        return self.shape.params[index]

    def result_step(self) -> tuple[list[int], list[int], int, int]:
        """The result's step, its moves, the plan's flags for it and the words of its slot."""
        r, flags = self.result, _OPTIONAL * self.result.step_takes_none
        if r.c_result_refused or self.sig.fixed is not None and r.in_slot or not r.in_slot and r.step not in _RESULTS:
            raise NoPlan
        if self.options.errno and (
            r.in_slot or r.by_value or r.result == "i128" or not r.says_errno and r.result != "ptr"
        ):
            raise NoPlan
        code, extra, place, moves, size = r.step, r.step_extra, 0, list[int](), 0
        slot = 2 + self.options.pad if r.in_slot else 0
        if r.in_slot:
            code, extra, flags = "slot", 0, _BY_ADDRESS
            place = self.words.take(1 + slot, True)
        elif r.by_value:
            size, flags = self.size(-1), _BY_ADDRESS
            place = self.words.take(1 + -(-size // 8), True)
            moves = self.result_moves(place)
        kind = X87 if self.is_x87 else _VECTOR * (r.result in ("double", "float", "longdouble"))
        step = [_core.PLAN_CODES.index(code), flags, extra, size, 0, 0, place, 0, 0]
        return step, moves, _IN_SLOT * r.in_slot | kind, slot

    def lengths_of_result(self) -> list[int]:
        """Where the lengths begin that a tensor as the result has to have, -1 where nothing says one, and how many
        there are."""
        first = self.num_lengths
        integers = {p.name: p.type.name for p in self.sig.params if p.name and p.type.name in INTEGERS}
        for length, _ in _dims(self.sig.result):
            if isinstance(length, str) and length in integers:  # which C has not extended
                name = integers[length]
                self.length(self._made(length), 0, name[0] == "i", int(name[1:]))
            else:
                is_known = isinstance(length, int) or length in self.names
                self.length(self._made(length) if is_known else (NUMBER, -1))
        return [first, self.num_lengths - first]

    def result_moves(self, place: int) -> list[int]:
        assert self.shape is not None
        result = self.shape.result
        passing, layout = result.passing, result.layout
        assert passing is not None and layout is not None
        if result.is_out:
            word = self.registers.word(False) if self.registers.is_x86 else INDIRECT
            self.registers.move(place, False, 0, 8, word)
            return []
        moves: list[int] = []
        taken = [0, VECTOR_RESULTS]
        for piece in passing.pieces:
            is_vector, count, step = words_of(piece)
            for i in range(count):
                moves += (0, 0, piece.offset + i * step, step, taken[is_vector])
                taken[is_vector] += 1 + is_vector
        return moves

    # -- all of it ----------------------------------------------------------------------------------------------

    def numbers(self) -> tuple[int, ...]:
        sig, options, registers = self.sig, self.options, self.registers
        result, result_moves, flags, slot = self.result_step()
        steps = self.steps()
        outs = () if sig.in_order else sig.order.outs
        makes = [[*self.step(i, 0), *self.dimensions(i, True)] for i in outs]
        result[-2:] = self.lengths_of_result()
        for i in range(len(sig.params)):
            self.argument(i)
        if self.result.in_slot:
            registers.move(result[6], False, 0, 8, registers.word(False))
        for i, letter in enumerate(("nogil", "errno", "keywords", "defaults", "by_name")):
            flags |= getattr(options, letter) << i
        if (options.nogil or self.calls_back or len(steps) > 1) and any(r.lends for r in self.rows):
            flags |= _KEEPS
        back = sum(r.passes_back for r in self.rows)
        back += bool(back) and self.result.step != "void"
        positional = len(sig.params) if sig.in_order else len(sig.order.positional)
        head = (
            flags, positional, len(sig.params), self.words.count, registers.stack + registers.stack % 2,
            len(self.names), registers.num_vectors, slot, back, len(steps), len(makes), self.num_lengths,
            registers.count, len(result_moves) // 5,
        )  # fmt: skip
        listed = [number for step in (*steps, *makes) for number in step]
        return (*head, *result, *listed, *self.lengths, *registers.moves, *result_moves)


def numbers(sig: Signature, options: Options, machine: str = cabi.HOST.name) -> tuple[int, ...] | None:
    """What `_core.plan` makes a plan of; None where there is none."""
    if machine not in MACHINES or not _core.PLAN_CODES or sig.variadic:
        return None
    try:
        return Maker(sig, options, machine).numbers()
    except (NoPlan, TypeError):  # what no C function has is refused where it is compiled
        return None
