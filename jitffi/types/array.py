"""Arrays: T[n, m], a pointer to the first element in C, and what an entry knows of the lengths and strides.

The native form is the address, then the lengths, then the strides that the type names, in elements; all are i64 but the
address, and -1 where an optional array is None. C gets the address alone.

An exact numpy.ndarray is read in place: its class, its dtype by the one object that NumPy has for it, its flags and its
rank are compared, and lengths and strides loaded. All other arrays, and whatever is wrong, are C's (core_unbox_array).
"""

from __future__ import annotations

from jitffi.base import layout
from jitffi.types.row import Row, ir, register
from jitffi.types.table import row
from jitffi.types.texts import Texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.ir.builder import V
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Type
    from jitffi.types.row import Native

#: By an element's first letters: DLDataTypeCode (dlpack.h 1.1), and C's type.
_CODES = {"i": 0, "u": 1, "f": 2, "bf": 4, "c": 5}
_BOOL = 6
#: In place of a code: the struct that the type names (runtime_c/include/jitffi/array.h).
_STRUCT = 255
_FLOAT8 = (
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu",
)  # fmt: skip
_COMPLEX = {"c64": "float _Complex", "c128": "double _Complex"}
#: The rank that a spec has where any will do.
ANY_RANK = 255
#: Bytes of a DLTensor (dlpack.h), which is no larger on targets of 32 bits.
_TENSOR_SIZE = 48
_WRITABLE, _ONE_BYTE, _ANY_ORDER = 1, 2, 4


def dtype_of(elem: Type) -> tuple[int, int]:
    """DLPack's code and bits of an element type."""
    name = elem.name
    if name == "bool":
        return _BOOL, 8
    if name == "struct":
        return _STRUCT, 0
    if name in _FLOAT8:
        return 7 + _FLOAT8.index(name), 8
    letters = name.rstrip("0123456789")
    return _CODES[letters], int(name[len(letters) :])


def is_element(type_: Type) -> bool:
    """Whether arrays have such elements; what else a pointer may point at is none."""
    return not type_.args and type_.name not in ("void", "cstr", "func", "ptr", "struct", "longdouble", "i128", "u128")


def c_element(elem: Type) -> str:
    """How C spells an element type; what it has no type for is its bits."""
    if elem.name in _COMPLEX:
        return _COMPLEX[elem.name]
    return "uint8_t" if elem.name in _FLOAT8 else row(elem).c


def spec(elem: Type, is_const: bool, rank: int, free: int = 0) -> int:
    """What C is told of an array parameter (runtime_c/include/jitffi/array.h); *free*: dimensions with strides, a bit
    each."""
    code, bits = dtype_of(elem)
    flags = _WRITABLE * (not is_const) | _ONE_BYTE * (elem.name in ("i8", "u8")) | _ANY_ORDER * (rank == ANY_RANK)
    value = code | bits << 8 | rank << 16 | flags << 24 | free << 32
    return value - (1 << 64) if value >> 63 else value


def flags(e: Emitter, is_const: bool) -> int:
    """What NumPy says of an array that C may use."""
    return e.layout["ndarray.flag.aligned"] | (0 if is_const else e.layout["ndarray.flag.writeable"])


def read_array(e: Emitter, obj: V, elem: Type, wanted: int, cold: str) -> V:
    """Go on with an exact ndarray of these elements that has all the flags of *wanted*, and return its flags; others
    leave to *cold*."""
    numpy = e.data("numpy")
    ndarray, class_ = e.load("ptr", numpy, e.layout["numpy.ndarray"]), e.load("ptr", obj, e.layout["object.type"])
    ir.guard(e, e.icmp("eq", class_, ndarray), cold, "ndarray")
    descr = e.load("ptr", obj, e.layout["ndarray.descr"], "descr")
    ir.guard(e, e.icmp("eq", descr, e.load("ptr", numpy, e.layout[f"numpy.{elem.name}"])), cold, "element")
    found = e.load("i32", obj, e.layout["ndarray.flags"], "flags")
    mask = ir.const("i32", wanted)
    ir.guard(e, e.icmp("eq", e.and_(found, mask), mask), cold, "fits")
    return found


class Array(Row):
    __slots__ = ("_dims", "_elem", "_is_const")
    step = "array"
    lends = True
    part = "values"
    script_instead = "scripts take arrays by their annotations"
    doc_python = "NumPy arrays and all that is like them"
    doc_c = "pointer to the first element"
    shown_slot = "DLTensor handle or nd-array, v_handle"
    takes = "typing.Any"
    gives = "numpy.typing.NDArray[typing.Any]"
    module_refused = ""
    refused = tuple([(value, TypeError) for value in (None, 1, 1.5, "x", b"x", [1.0], object)])

    def __init__(self, type_: Type) -> None:
        super().__init__(type_)
        self._elem, self._is_const, self._dims = type_.args

    @property
    def c(self) -> str:  # type: ignore[override]
        return f"{'const ' * self._is_const}{c_element(self._elem)}*"

    @property
    def shown_takes(self) -> str:  # type: ignore[override]
        return f"array of {self._elem.text}"

    @property
    def _rank(self) -> int:
        return len(self._dims)

    @property
    def _free(self) -> list[int]:
        return [dim for dim, (_, stride) in enumerate(self._dims) if stride is not None]

    @property
    def step_extra(self) -> int:  # type: ignore[override]
        free = sum(1 << dim for dim in self._free)
        return spec(self._elem, self._is_const, self._rank, free)

    @property
    def step_words(self) -> int:  # type: ignore[override]
        return 1 + 2 * self._rank

    @property
    def spec(self) -> V:
        return ir.const("i64", self.step_extra)

    def absent(self, e: Emitter) -> Native:
        return (ir.NULL, *[ir.const("i64", -1)] * (self._rank + len(self._free)))

    def unbox(self, e: Emitter, index: int, obj: V) -> Native:
        if self._elem.name == "struct":
            return self._unbox(e, index, obj)
        cold, done = e.label("array.slow"), e.label("array.done")
        fast, here = self._read(e, obj, cold), e.here
        e.br(done)
        e.at(cold)
        slow, there = self._unbox(e, index, obj), e.here
        e.br(done)
        e.at(done)
        return tuple([e.phi([(f, here), (s, there)]) for f, s in zip(fast, slow, strict=True)])

    def _unbox(self, e: Emitter, index: int, obj: V) -> Native:
        ir.keep_arguments(e, but=index)
        out = e.frame(8 * (1 + 2 * self._rank), "array")
        e.helper("unbox_array", e.state, ir.const("i32", index), obj, self.spec, out, e.temps())
        return self._loaded(e, out)

    def _read(self, e: Emitter, obj: V, cold: str) -> Native:
        """The fields of an exact ndarray that fits. Others leave to *cold*, as do strides that need a second look."""
        wanted = flags(e, self._is_const) | (0 if self._free else e.layout["ndarray.flag.c"])
        read_array(e, obj, self._elem, wanted, cold)
        rank = e.load("i32", obj, e.layout["ndarray.nd"], "rank")
        ir.guard(e, e.icmp("eq", rank, ir.const("i32", self._rank)), cold, "of.rank")
        shape = e.load("ptr", obj, e.layout["ndarray.dimensions"], "shape")
        lengths = [e.load("i64", shape, 8 * dim, f"length{dim}") for dim in range(self._rank)]
        strides = self._strides(e, obj, lengths, cold) if self._free else []
        return (e.load("ptr", obj, e.layout["ndarray.data"], "data"), *lengths, *strides)

    def _strides(self, e: Emitter, obj: V, lengths: list[V], cold: str) -> list[V]:
        """The free strides in elements: whole ones, at least as far apart as the other dimensions need."""
        strides = e.load("ptr", obj, e.layout["ndarray.strides"], "strides")
        size = dtype_of(self._elem)[1] // 8
        step = ir.const("i64", size)  # what a contiguous dimension would have
        span = ir.const("i64", 1)
        for dim in reversed(range(self._rank)):
            if dim not in self._free:
                ir.guard(e, e.icmp("eq", e.load("i64", strides, 8 * dim), step), cold, "contiguous")
                step, span = e.mul(step, lengths[dim]), e.mul(span, lengths[dim])
        if len(self._free) < self._rank:
            ir.guard(e, e.icmp("sgt", span, ir.const("i64", 0)), cold, "not.empty")
        found = []
        for dim in self._free:
            stride = e.load("i64", strides, 8 * dim, f"stride{dim}")
            items = e.ashr(stride, ir.const("i64", size.bit_length() - 1), "items")
            ir.guard(e, e.icmp("sgt", lengths[dim], ir.const("i64", 1)), cold, "strided")
            ir.guard(e, e.icmp("sge", items, span), cold, "apart")
            if size > 1:
                odd = e.and_(stride, ir.const("i64", size - 1))
                ir.guard(e, e.icmp("eq", odd, ir.const("i64", 0)), cold, "whole")
            found.append(items)
        return found

    def _loaded(self, e: Emitter, out: V) -> Native:
        """What C has left at *out*."""
        places = [*range(1, 1 + self._rank), *[1 + self._rank + dim for dim in self._free]]
        return (e.load("ptr", out), *[e.load("i64", out, 8 * place) for place in places])

    @property
    def writes_back(self) -> bool:  # type: ignore[override]
        return not self._is_const

    def box(self, e: Emitter, index: int, native: Native) -> V:
        """A copy: a callable may keep what it is given."""
        return e.helper("box_array", e.state, ir.const("i32", index), self.spec, self.described(e, native))

    def write_back(self, e: Emitter, index: int, native: Native, obj: V) -> None:
        where = (e.state, ir.const("i32", index), obj, self.spec)
        e.helper("array_back", *where, self.described(e, native))

    def described(self, e: Emitter, native: Native, behind: int = 0) -> V:
        """The address, the lengths and all strides in memory, as C leaves them for us, with room for more behind."""
        place = e.frame(8 * (1 + 2 * self._rank) + behind, "described")
        lengths, free = native[1 : 1 + self._rank], list(native[1 + self._rank :])
        if e.abi.pointer_bytes < 8:
            e.store(ir.const("i64", 0), place)
        e.store(native[0], place)
        span = ir.const("i64", 1)
        for dim in reversed(range(self._rank)):
            e.store(lengths[dim], place, 8 * (1 + dim))
            if dim in self._free:
                e.store(free[self._free.index(dim)], place, 8 * (1 + self._rank + dim))
                continue
            e.store(span, place, 8 * (1 + self._rank + dim))
            span = e.mul(span, lengths[dim])
        return place

    def lift(self, e: Emitter, index: int, view: V) -> Native:
        out = e.frame(8 * (1 + 2 * self._rank), "array")
        e.helper("lift_array", ir.info(e), ir.const("i32", index), view, self.spec, out, e.temps())
        return self._loaded(e, out)

    def lower(self, e: Emitter, index: int, native: Native, view: V) -> None:
        """Of an object of Python's the nd-array on its memory, which callees may keep. Else a tensor of the frame, that
        counts as writable; what is const is a copy, an nd-array that says so."""
        ir.refuse_null(e, index, native[0])
        if index in e.arguments:
            where = (e.state, ir.const("i32", index), e.arguments[index], self.spec)
            e.helper("array_value", *where, self.described(e, native, _TENSOR_SIZE), view, e.temps())
            return None
        if self._is_const:
            copy = e.helper("copy_array", self.spec, self.described(e, native), e.temps())
            e.store(ir.head(layout.NDARRAY), view, layout.SLOT_CODE)
            return ir.store_payload(e, view, copy)
        tensor = e.frame(_TENSOR_SIZE, "tensor")
        e.helper("fill_tensor", tensor, self.spec, self.described(e, native))
        e.store(ir.head(layout.DLTENSOR), view, layout.SLOT_CODE)
        return ir.store_payload(e, view, tensor)


def array(type_: Type) -> Row:
    return Texts(type_) if type_.args[0].name == "cstr" else Array(type_)


register("array", array)
