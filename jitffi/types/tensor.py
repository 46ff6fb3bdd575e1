"""Tensors: tensor[T, n, m], a DLTensor* that C borrows for the call, with the shape, the strides and the device in it.

The native form is the tensor's address, then the lengths of the dimensions that the type has, i64, -1 where an optional
tensor is None; where C has passed it, the address alone. C gets the address; a tensor that is contiguous in C order has
no strides (NULL). A result is an nd-array, owned.

An exact numpy.ndarray of the one element type and rank (of any: one to four) that is contiguous is read in place, as
arrays are. All others, and whatever is wrong, are C's (core_unbox_tensor, jf_lift_tensor).
"""

from __future__ import annotations

from jitffi.base.devices import DEVICES
from jitffi.types import array
from jitffi.types.row import Row, ir, register

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native

#: Where DLTensor (dlpack.h 1.1) has its fields in 64 bits; ndim and dtype are one word.
_DATA, _DEVICE, _NDIM, _SHAPE, _STRIDES, _BYTE_OFFSET, _SIZE = 0, 8, 16, 24, 32, 40, 48
#: The shape in 32 bits, where what is behind the strides is the target's own business.
_SHAPE_32 = 20
_CPU = 1
#: What a spec has where any element will do: void (runtime_c/include/jitffi/array.h).
_ANY_ELEMENT = 3
#: Room for the shape of a tensor of any rank (JF_MAX_RANK).
_MAX_RANK = 64
_WRITABLE, _C_ORDER, _ANYWHERE, _KEPT, _SHOWN = 1, 8, 16, 32, 64


class Tensor(Row):
    __slots__ = ("_device", "_dims", "_elem", "_is_const", "_order")
    step = "tensor"
    lends = True
    part = "values"
    script_instead = "scripts take arrays by their annotations"
    doc_python = "NumPy arrays and all that is like them"
    doc_c = "DLPack's tensor, borrowed"
    c_result = "jf_object*"
    owned = True
    shown_gives = "NDArray"
    shown_slot = "DLTensor handle or nd-array, v_handle"
    shown_slot_gives = "nd-array, v_object"
    takes = "typing.Any"
    gives = "jitffi.NDArray"
    gives_alone = "typing.Any"
    refused = tuple([(value, TypeError) for value in (None, 1, 1.5, "x", [1.0], object)])

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self._elem, self._is_const, self._dims, self._order, device = type_.args
        self._device = DEVICES[device]

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"{'const ' * self._is_const}DLTensor*"

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return f"array of {self._elem.text}" if self._elem else "array"

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        """What C is told of the parameter (runtime_c/include/jitffi/array.h)."""
        code, bits = array.dtype_of(self._elem) if self._elem else (_ANY_ELEMENT, 0)
        flags = _WRITABLE * (not self._is_const) | _C_ORDER * (self._order == "C") | _ANYWHERE * (self._device != _CPU)
        rank = len(self._dims) or array.ANY_RANK
        found: int = code | bits << 8 | rank << 16 | flags << 24 | self._device << 32
        return found

    def _spec(self, more: int = 0) -> V:
        return ir.const("i64", self.step_extra | more << 24)

    def absent(self, e: Emitter) -> Native:
        return (ir.NULL, *[ir.const("i64", -1)] * len(self._dims))

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        out = self._room(e)
        cold, done = e.label("tensor.slow"), e.label("tensor.done")
        if self._elem and self._device in (_CPU, DEVICES["any"]):
            self._read(e, obj, out, cold)
            e.br(done)
        else:
            e.br(cold)
        e.at(cold)
        ir.keep_arguments(e, but=index)
        spec = self._spec(self._held(e))
        e.helper("unbox_tensor", e.state, ir.const("i32", index), obj, spec, out, e.temps())
        e.br(done)
        e.at(done)
        return self._loaded(e, out)

    def _held(self, e: Emitter) -> int:
        """How its memory is held: code that runs before the call returns, or converts another argument, could let go of
        it."""
        if e.keeps_arguments:
            return _KEPT
        return _SHOWN if len(e.sig.params) == 1 else 0

    def _room(self, e: Emitter) -> V:
        return e.frame(_SIZE + 16 * (len(self._dims) or _MAX_RANK), "tensor")

    def _loaded(self, e: Emitter, out: V) -> Native:
        shape, at = (out, _SIZE) if e.abi.pointer_bytes == 8 else (e.load("ptr", out, _SHAPE_32, "shape"), 0)
        return (out, *[e.load("i64", shape, at + 8 * dim, f"length{dim}") for dim in range(len(self._dims))])

    def _read(self, e: Emitter, obj: V, out: V, cold: str) -> None:
        """Make the tensor of an exact ndarray that fits. Others leave to *cold*."""
        array.read_array(e, obj, self._elem, array.flags(e, self._is_const) | e.layout["ndarray.flag.c"], cold)
        rank = e.load("i32", obj, e.layout["ndarray.nd"], "rank")
        shape = e.load("ptr", obj, e.layout["ndarray.dimensions"], "shape")
        lengths = e.offset(out, _SIZE, "lengths")
        wide = self._copied(e, rank, shape, lengths, cold) if not self._dims else self._fixed(e, rank, cold)
        code, bits = array.dtype_of(self._elem)
        e.store(e.load("ptr", obj, e.layout["ndarray.data"], "data"), out, _DATA)
        e.store(ir.const("i64", _CPU), out, _DEVICE)
        e.store(e.or_(wide, ir.const("i64", (code | bits << 8 | 1 << 16) << 32)), out, _NDIM)
        e.store(lengths, out, _SHAPE)
        e.store(ir.NULL, out, _STRIDES)
        e.store(ir.const("i64", 0), out, _BYTE_OFFSET)
        for dim in range(len(self._dims)):
            e.store(e.load("i64", shape, 8 * dim), out, _SIZE + 8 * dim)

    def _fixed(self, e: Emitter, rank: V, cold: str) -> V:
        ir.guard(e, e.icmp("eq", rank, ir.const("i32", len(self._dims))), cold, "of.rank")
        return ir.const("i64", len(self._dims))

    def _copied(self, e: Emitter, rank: V, shape: V, lengths: V, cold: str) -> V:
        """Copy the lengths of one to four dimensions without a branch: the first, the last, and those half-way, rounded
        either way, are all there are."""
        last = e.sub(rank, ir.const("i32", 1), "last")
        ir.guard(e, e.icmp("ult", last, ir.const("i32", 4)), cold, "of.few.dimensions")
        wide, last = e.zext(rank, "i64", "rank"), e.zext(last, "i64", "last")
        one = ir.const("i64", 1)
        for place in (ir.const("i64", 0), e.lshr(last, one), e.lshr(wide, one), last):
            e.store(e.load("i64", e.index(shape, 8, place)), e.index(lengths, 8, place))
        return wide

    def _at(self, index: int) -> tuple[V, V]:
        return ir.const("i32", index), self._spec()

    def _lengths(self, e: Emitter, known: list[V] | None = None) -> V:
        """The lengths that a tensor has to have, in memory: *known*, or those that the type has itself; -1 is any."""
        lengths = known or [ir.const("i64", length if isinstance(length, int) else -1) for length, _ in self._dims]
        if all(value.text == "-1" for value in lengths):
            return ir.NULL
        place = e.frame(8 * len(lengths), "lengths")
        for dim, value in enumerate(lengths):
            e.store(value, place, 8 * dim)
        return place

    def box(self, e: Emitter, index: int, native: Native) -> V:
        """Of what Python has passed an nd-array on its memory, and that of a slot itself. Of what C has lent a copy: a
        callable may keep it."""
        ir.refuse_null(e, index, native[0])
        number, spec = self._at(index)
        obj, view = e.arguments.get(index, ir.NULL), e.views.get(index, ir.NULL)
        return e.helper("box_tensor", e.state, number, obj, view, native[0], spec, self._lengths(e))

    @property
    def writes_back(self) -> bool:  # type: ignore[override]
        return not self._is_const

    def write_back(self, e: Emitter, index: int, native: Native, obj: V) -> None:
        if index not in e.arguments:
            e.helper("tensor_back", obj, native[0])

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        number, spec = self._at(index)
        out = self._room(e)
        e.helper("lift_tensor", ir.info(e), number, view, spec, out, e.temps())
        return self._loaded(e, out)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        """Of what Python has passed the nd-array on its memory, which callees may keep; what came in a slot goes on as
        it came. Else the tensor itself, which counts as writable; what is const is a copy, an nd-array that says so."""
        ir.refuse_null(e, index, native[0])
        number, spec = self._at(index)
        if index in e.arguments:
            e.helper("tensor_value", e.state, number, e.arguments[index], spec, view, e.temps())
        elif index in e.views:
            e.helper("any_view", e.views[index], view)
        else:
            e.helper("lower_tensor", ir.info(e), number, native[0], spec, view, e.temps())

    def unbox_result(self, e: Emitter, obj: V, out: V) -> V:
        number, spec = self._at(-1)
        return e.helper("tensor_object", e.state, number, obj, spec, self._lengths(e, e.result_lengths))

    def box_result(self, e: Emitter, value: V) -> V:
        return e.helper("take_object", self._checked(e, value))

    def lift_result(self, e: Emitter, slot: V) -> V:
        number, spec = self._at(-1)
        value = e.helper("lift_tensor_result", ir.info(e), number, slot, spec, self._lengths(e, e.result_lengths))
        e.helper("any_release", slot)
        return value

    def lower_result(self, e: Emitter, value: V, out: V) -> None:
        e.helper("out_object", out, self._checked(e, value))

    def _checked(self, e: Emitter, value: V) -> V:
        """What a C function has returned, which is released where it does not fit."""
        return e.helper("take_tensor", ir.info(e), value, self._spec(), self._lengths(e, e.result_lengths))


register("tensor", Tensor)
