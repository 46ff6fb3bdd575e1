"""Named dimensions in one call: they agree wherever they stand, and fill in the integers that are named after them.

    (n: u64, x: const f32[n], y: f32[n])     x's length binds n, y's is compared with it, and n is it if it is not given

A value is an i64, or -1 where its array is None. A name is bound by the first array that has it; what is given for an
integer bounds outermost dimensions and equals all others. An entry says how it refuses; see `Refusals`.
"""

from __future__ import annotations

from jitffi.ir import primitives as ir
from jitffi.ir.builder import V, const
from jitffi.signature.compound import INTEGERS, array_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature, Type
    from jitffi.types.row import Native

#: Added to a dimension's number where its stride is meant (runtime_c/include/jitffi/array.h).
STRIDE = 64


class Refusals:
    """How an entry half fails: each writes code that leaves by a failure."""

    def length(self, e: Emitter, index: int, dim: int, here: V, other: V, there: V) -> None:
        """Dimension *dim* of the array *index* (`STRIDE` more: its stride) is not what *other* says, the index of an
        array or -1 for the type."""
        raise NotImplementedError

    def filled(self, e: Emitter, index: int, given: V, source: V, exact: bool, there: V) -> None:
        """The integer *given* is not what the array *source* says, or, where it need not be *exact*, beyond it."""
        raise NotImplementedError

    def missing(self, e: Emitter, index: int) -> None:
        """An integer is not given, and all arrays that would say it are None."""
        raise NotImplementedError

    def beyond(self, e: Emitter, index: int, there: V, source: V) -> None:
        """What the array *source* says does not fit the integer's type."""
        raise NotImplementedError


class Dimensions:
    """The names of one signature while its entry is written."""

    def __init__(self, sig: Signature, refusals: Refusals) -> None:
        self._sig = sig
        self._refusals = refusals
        #: By name: the value, and the index of the array that it is from.
        self._bound: dict[str, tuple[V, V]] = {}
        #: Names whose value may be -1, since all arrays that have them may be None.
        self._open: set[str] = set()

    def bind(self, e: Emitter, index: int, native: Native) -> None:
        """Compare the lengths and strides of the array *index* with what is known, and know them from here on."""
        type_ = self._sig.params[index].type
        array = array_of(type_)
        if array is None:
            return
        dims = array.args[2]
        strides = iter(native[1 + len(dims) :])
        for dim, (length, stride) in enumerate(dims):
            value = native[1 + dim]
            if isinstance(length, int):
                self._agree(e, index, dim, value, const("i64", length), const("i32", -1))
            elif length is not None:
                self._name(e, index, dim, length, value)
            if stride is not None:
                self._name(e, index, STRIDE + dim, stride, next(strides))

    def _name(self, e: Emitter, index: int, dim: int, name: str, value: V) -> None:
        may_be_none = self._sig.params[index].type.is_optional
        source = const("i32", index)
        found = self._bound.get(name)
        if found is None:
            self._bound[name] = value, source
            if may_be_none:
                self._open.add(name)
            return
        there, other = found
        self._agree(e, index, dim, value, there, other, name in self._open)
        if name in self._open:
            unknown = e.icmp("slt", there, const("i64", 0), "unbound")
            self._bound[name] = e.select(unknown, value, there), e.select(unknown, source, other)
            if not may_be_none:
                self._open.discard(name)

    def _agree(self, e: Emitter, index: int, dim: int, here: V, there: V, other: V, is_open: bool = False) -> None:
        differs = e.icmp("ne", here, there, "differs")
        if self._sig.params[index].type.is_optional:
            differs = e.and_(differs, e.icmp("sge", here, const("i64", 0)), "differs")
        if is_open:
            differs = e.and_(differs, e.icmp("sge", there, const("i64", 0)), "differs")
        bad, fine = e.label("length.differs"), e.label("length")
        e.branch(differs, bad, fine, likely=False)
        e.at(bad)
        self._refusals.length(e, index, dim, here, other, there)
        e.br(fine)
        e.at(fine)

    def lengths(self, e: Emitter, type_: Type, values: Mapping[int, Native]) -> list[V]:
        """The lengths of an array type that no array is there for, from those that are and from integers among
        *values*; none of other types."""
        array = array_of(type_)
        found = []
        for length, _ in array.args[2] if array else ():
            value = _length(e, self._sig, length, values)
            found.append(value or self._bound[length][0])
        return found

    def of_result(self, e: Emitter, values: Mapping[int, Native]) -> list[V]:
        """The lengths that a tensor has to have which is the result; -1 where nothing says one."""
        array = array_of(self._sig.result)
        found = []
        for length, _ in array.args[2] if array else ():
            value = _length(e, self._sig, length, values)
            found.append(value or self._bound.get(length, (const("i64", -1),))[0])
        return found

    def fill(self, e: Emitter, index: int) -> Native:
        """The integer parameter *index* as its arrays say."""
        name = self._name_of(index)
        value, source = self._bound[name]
        if name in self._open:
            self._unless(e, e.icmp("slt", value, const("i64", 0)), lambda: self._refusals.missing(e, index))
        type_ = self._sig.params[index].type
        bits = int(type_.name[1:])
        if bits < 64:
            misfit = e.not_(ir.fits(e, value, bits, type_.name[0] == "i"), "misfit")
            self._unless(e, misfit, lambda: self._refusals.beyond(e, index, value, source))
        return (e.cast("trunc", value, f"i{bits}"),)

    def check(self, e: Emitter, index: int, native: Native) -> None:
        """Hold what is given for the integer parameter *index* against the arrays."""
        name = self._name_of(index)
        value, source = self._bound[name]
        given = widened(e, self._sig, index, native)
        exact = any(dim or is_stride for _, dim, is_stride in self._sig.order.filled[index])
        bad = e.icmp("ne", given, value) if exact else e.icmp("ugt", given, value, "beyond")
        if name in self._open:  # nothing to compare with; a length is not negative all the same
            known = e.icmp("sge", value, const("i64", 0), "known")
            bad = e.or_(e.and_(bad, known), e.icmp("slt", given, const("i64", 0)), "wrong")
        self._unless(e, bad, lambda: self._refusals.filled(e, index, given, source, exact, value))

    def _unless(self, e: Emitter, condition: V, refuse: Callable[[], object]) -> None:
        bad, fine = e.label("refused"), e.label("fine")
        e.branch(condition, bad, fine, likely=False)
        e.at(bad)
        refuse()
        e.br(fine)
        e.at(fine)

    def _name_of(self, index: int) -> str:
        name = self._sig.params[index].name
        assert name is not None
        return name


def _length(e: Emitter, sig: Signature, length: int | str | None, values: Mapping[int, Native]) -> V | None:
    """A length that is a number, or that an integer parameter says."""
    if isinstance(length, int):
        return const("i64", length)
    for index, param in enumerate(sig.params):
        if length is not None and param.name == length and param.type.name in INTEGERS and index in values:
            return widened(e, sig, index, values[index])
    return None


def told(e: Emitter, sig: Signature, index: int, type_: Type, values: list[Native]) -> list[V]:
    """The lengths and strides of the array *index*, of which C has passed the address, as its integers say; a tensor
    has them with it. TypeError where none says one."""
    array = array_of(type_)
    assert array is not None
    if array.name == "tensor":
        return []
    names = {p.name: i for i, p in enumerate(sig.params)}
    dims = array.args[2]
    found = []
    for of in [length for length, _ in dims] + [stride for _, stride in dims if stride is not None]:
        if isinstance(of, int):
            found.append(const("i64", of))
        elif of is None and array.args[0].name == "cstr":
            found.append(const("i64", -1))  # as many as stand before NULL
        elif of in names and of is not None:
            found.append(widened(e, sig, names[of], values[names[of]]))
        else:
            what = "a length of *" if of is None else f"{of!r}, which is no parameter"
            raise TypeError(f"convention 'c' does not tell the shape of parameter {index + 1}, {type_.text}: {what}")
    return found


def widened(e: Emitter, sig: Signature, index: int, native: Native) -> V:
    """An integer parameter as an i64."""
    return e.cast("sext" if sig.params[index].type.name[0] == "i" else "zext", native[0], "i64")


def has_lengths(sig: Signature) -> bool:
    """Whether any parameter is an array of which something has to agree, or the result a tensor."""
    return any(array_of(type_) is not None for type_ in (*[p.type for p in sig.params], sig.result))
