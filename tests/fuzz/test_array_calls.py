"""Random signatures over one to four arrays and tensors, the C compiler at the other end, through python and packed
entries.

Each C function folds the bytes of its arrays, in the order of their indices, into a checksum, and changes the writable
ones; NumPy says what both must come to, to the last bit. One array made wrong is refused, nothing is called or written.
Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=1000 pytest tests/fuzz/test_array_calls.py
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import pytest
from support.values import cases, seed

import jitffi

WORD = (1 << 64) - 1
ELEMENTS = {
    **{f"{sign}{bits}": f"{sign}{bits // 8}" for sign in "iu" for bits in (8, 16, 32, 64)},
    "f16": "f2", "f32": "f4", "f64": "f8", "bool": "?", "c64": "c8", "c128": "c16",
}  # fmt: skip
INTEGERS = {name: f"{'u' * (name[0] == 'u')}int{name[1:]}_t" for name in ("i16", "u16", "i32", "u32", "i64", "u64")}

HEAD = """
#include <stdint.h>
typedef struct { unsigned char* data; int32_t device[2], ndim; uint8_t code, bits; uint16_t lanes;
                 int64_t *shape, *strides; uint64_t byte_offset; } DLTensor;
int64_t calls;
int64_t number_of_calls(void) { return calls; }
/* The strides that are 0 in `strides` become those of dimensions that are contiguous among themselves. */
static uint64_t walk(uint64_t sum, unsigned char* data, int64_t size, int rank, const int64_t* shape, int64_t* strides,
                     unsigned mask) {
  int64_t at[4] = {0}, span = 1, k = 0, count = 1;
  for (int d = rank - 1; d >= 0; d--) {
    count *= shape[d];
    if (strides[d] == 0) strides[d] = span, span *= shape[d];
  }
  for (; count > 0; count--) {
    int64_t offset = 0;
    for (int d = 0; d < rank; d++) offset += at[d] * strides[d];
    for (int64_t byte = offset * size; byte < (offset + 1) * size; byte++, k++) {
      sum += data[byte] * (uint64_t)(k + 1);
      if (mask) data[byte] ^= (unsigned char)((k * 7 + 3) & mask);
    }
    for (int d = rank - 1; d >= 0 && ++at[d] == shape[d]; d--) at[d] = 0;
  }
  return sum * 0x100000001b3u;
}
static uint64_t walk_tensor(uint64_t sum, const DLTensor* t, unsigned mask) {
  int64_t strides[4] = {0};
  for (int d = 0; d < t->ndim && t->strides; d++) strides[d] = t->strides[d];
  return walk(sum, t->data + t->byte_offset, t->bits / 8, t->ndim, t->shape, strides, mask);
}
"""


@dataclass
class Dim:
    length: int | str  # a number, a name, or "*"
    stride: str | None = None
    tells: str = ""  # the parameter that tells C the length

    def __str__(self) -> str:
        return f"{self.length} @ {self.stride}" if self.stride else str(self.length)


@dataclass
class Array:
    name: str
    element: str
    const: bool
    dims: list[Dim]
    pointer: bool = False  # ptr[T]: of one dimension for C, of any shape for Python
    tensor: str = ""  # what it says: "element", "dims", "order" (and dims), or "nothing"

    @property
    def has_dims(self) -> bool:
        return not self.pointer and self.tensor not in ("element", "nothing")

    @property
    def type(self) -> str:
        text = ("const " if self.const else "") + self.element
        if self.tensor:
            inside = [text, *map(str, self.dims if self.has_dims else ()), *["order=C"] * (self.tensor == "order")]
            return "tensor" if self.tensor == "nothing" else f"tensor[{', '.join(inside)}]"
        return f"ptr[{text}]" if self.pointer else f"{text}[{', '.join(map(str, self.dims))}]"

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(ELEMENTS[self.element])

    @property
    def mask(self) -> int:
        return 0 if self.const else 1 if self.element == "bool" else 0xFF


@dataclass
class Case:
    """A function. `integers`: name of a parameter -> its type; `filled`: those that Python fills in."""

    arrays: list[Array]
    integers: dict[str, str] = field(default_factory=dict)
    filled: set[str] = field(default_factory=set)
    order: list[str] = field(default_factory=list)

    @property
    def types(self) -> dict[str, str]:
        all_types = {**self.integers, **{array.name: array.type for array in self.arrays}}
        return {name: all_types[name] for name in self.order}

    @property
    def signature(self) -> str:
        return f"({', '.join(f'{name}: {text}' for name, text in self.types.items())}) -> u64"

    def code(self, name: str) -> str:
        tensors = {array.name for array in self.arrays if array.tensor}
        pointers = {p: "DLTensor*" if p in tensors else "unsigned char*" for p in self.order}
        params = [f"{INTEGERS.get(self.integers.get(p, ''), pointers[p])} {p}" for p in self.order]
        lines = [f"uint64_t {name}({', '.join(params)}) {{", "  uint64_t sum = 0;", "  calls++;"]
        for array in self.arrays:
            if array.tensor:
                lines.append(f"  sum = walk_tensor(sum, {array.name}, {array.mask});")
                continue
            shape = ", ".join(f"(int64_t){dim.tells or dim.length}" for dim in array.dims)
            strides = ", ".join(f"(int64_t){dim.stride}" if dim.stride else "0" for dim in array.dims)
            lines.append(f"  {{ int64_t shape[] = {{{shape}}}, strides[] = {{{strides}}};")
            rest = f"{array.dtype.itemsize}, {len(array.dims)}, shape, strides, {array.mask}"
            lines.append(f"    sum = walk(sum, {array.name}, {rest}); }}")
        return "\n".join([*lines, "  return sum;", "}"])


def random_case(rng: random.Random) -> Case:
    case = Case([])
    for i in range(rng.randint(1, 4)):
        pointer = rng.random() < 0.15
        dims = [Dim("*")] if pointer else [random_dim(rng) for _ in range(rng.choice((1, 1, 2, 2, 3)))]
        array = Array(f"a{i}", rng.choice(list(ELEMENTS)), rng.random() < 0.5, dims, pointer)
        if not pointer and rng.random() < 0.4:
            array.tensor = rng.choice(("element", "dims", "dims", "order", "nothing"))
            array.const &= array.tensor != "nothing"
            for dim in dims if not array.has_dims else ():
                dim.length = "*"
        for at in rng.sample(range(len(dims)), rng.choice((0, 1, 1, 2)) if not pointer else 0) if len(dims) > 1 else ():
            dims[at].stride = f"s{i}{at}" if not array.tensor else None
        if len(dims) == 1 and not pointer and not array.tensor and rng.random() < 0.4:
            dims[0].stride = f"s{i}0"
        for at, dim in enumerate(dims):
            if dim.length == "*":
                dim.tells = f"length{i}{at}"
                case.integers[dim.tells] = "i64"
            if dim.stride:
                case.integers[dim.stride] = rng.choice(list(INTEGERS))
                case.filled.add(dim.stride)
        case.arrays.append(array)
    for name in sorted({dim.length for array in case.arrays for dim in array.dims if str(dim.length)[0] == "n"}):
        filled = rng.random() < 0.7
        tells = name if filled else f"of_{name}"
        case.integers[tells] = rng.choice(list(INTEGERS))
        case.filled |= {name} if filled else set()
        for array in case.arrays:
            for dim in array.dims:
                dim.tells = tells if dim.length == name else dim.tells
    case.order = [*case.integers, *(array.name for array in case.arrays)]
    rng.shuffle(case.order)
    return case


def random_dim(rng: random.Random) -> Dim:
    return Dim(rng.choice(("n0", "n0", "n1", "n2", "*", rng.randint(2, 4))))


# -- operands --


def random_lengths(case: Case, rng: random.Random, least: int) -> dict[str, int]:
    names = {dim.tells for array in case.arrays for dim in array.dims if dim.tells}
    return {name: max(least, rng.choice((0, 1, 2, 3, 4, 5, 7))) for name in sorted(names)}


def length_of(dim: Dim, lengths: dict[str, int]) -> int:
    return dim.length if isinstance(dim.length, int) else lengths[dim.tells]


def operand(array: Array, lengths: dict[str, int], rng: random.Random) -> tuple[np.ndarray, bytearray]:
    """A view into a larger one, and the larger one's bytes: the dimensions with a named stride lie around the others,
    with gaps."""
    shape = [length_of(dim, lengths) for dim in array.dims]
    if array.tensor and array.tensor != "order":
        return strided(array, shape, rng)
    strides, span = [1] * len(shape), 1
    for at in reversed(range(len(shape))):
        if not array.dims[at].stride:
            strides[at], span = span, span * shape[at]
    free = [at for at, dim in enumerate(array.dims) if dim.stride]
    for at in rng.sample(free, len(free)):
        strides[at] = max(span, 1) + rng.choice((0, 0, 1, 3))
        span = strides[at] * max(shape[at], 1)
    size = array.dtype.itemsize
    content = random_content(array, span + 4, rng)
    whole = np.frombuffer(content, array.dtype)
    made = np.lib.stride_tricks.as_strided(whole[2:], shape, [stride * size for stride in strides])
    if array.pointer and shape[0] % 2 == 0 and shape[0]:
        made = made.reshape(2, -1, order=rng.choice("CF"))
    if array.const and rng.random() < 0.5:
        made.flags.writeable = False
    return made, content


def random_content(array: Array, count: int, rng: random.Random) -> bytearray:
    mask = 1 if array.element == "bool" else 0xFF
    return bytearray(byte & mask for byte in rng.randbytes(count * array.dtype.itemsize))


def strided(array: Array, shape: list[int], rng: random.Random) -> tuple[np.ndarray, bytearray]:
    """The same with its dimensions in any order, forwards and backwards, with gaps or without."""
    steps = [rng.choice((1, 1, 2, -1, -3)) for _ in shape]
    around = [length * abs(step) for length, step in zip(shape, steps, strict=True)]
    axes = rng.sample(range(len(shape)), len(shape))
    content = random_content(array, int(np.prod(around)), rng)
    whole = np.frombuffer(content, array.dtype).reshape([around[axis] for axis in axes])
    made = whole.transpose(np.argsort(axes))[tuple(slice(None, None, step) for step in steps)]
    if array.const and rng.random() < 0.5:
        made.flags.writeable = False
    return made, content


def pieces(array: Array, value: np.ndarray, lengths: dict[str, int]) -> np.ndarray:
    """What C sees of it: a `ptr` as its memory lies, and of the outermost dimension as much as it is told; of tensors
    all."""
    if array.tensor:
        return value
    flat = value.reshape(-1, order="A" if value.flags.c_contiguous else "F") if array.pointer else value
    return flat[: length_of(array.dims[0], lengths)]


def folded(case: Case, values: dict[str, np.ndarray], lengths: dict[str, int]) -> tuple[int, list[bytes]]:
    """The checksum, and what the bytes of each array that C sees become."""
    total, after = 0, []
    for array in case.arrays:
        flat = np.frombuffer(pieces(array, values[array.name], lengths).tobytes(), np.uint8)
        k = np.arange(len(flat), dtype=np.uint64)
        total = (total + int((flat * (k + np.uint64(1))).sum(dtype=np.uint64))) * 0x100000001B3 & WORD
        after.append((flat ^ ((k * np.uint64(7) + np.uint64(3)) & np.uint64(array.mask)).astype(np.uint8)).tobytes())
    return total, after


def dressed(value: np.ndarray, rng: random.Random) -> Any:
    """The same array as another kind of object."""
    kind = rng.choice(("ndarray", "ndarray", "memoryview", "NDArray", "interface"))
    if kind == "memoryview":
        return memoryview(value)
    if kind == "NDArray" and value.flags.writeable:
        return jitffi.from_dlpack(value)
    if kind == "interface":
        return type("Interface", (), {"__array_interface__": value.__array_interface__, "keep": value})()
    return value


def integers(case: Case, values: dict[str, np.ndarray], lengths: dict[str, int]) -> dict[str, int]:
    """What C's integer parameters are, for arrays without dimensions of less than two items."""
    found = {}
    for array in case.arrays:
        for dim, stride in zip(array.dims, values[array.name].strides, strict=False):
            found |= {dim.tells: lengths[dim.tells]} if dim.tells else {}
            found |= {dim.stride: stride // array.dtype.itemsize} if dim.stride else {}
    return found


class Operands:
    """Arrays of some lengths for a function, and what is expected of a call with them."""

    def __init__(self, case: Case, rng: random.Random, least: int) -> None:
        self.case, self.lengths = case, random_lengths(case, rng, least)
        made = {array.name: operand(array, self.lengths, rng) for array in case.arrays}
        self.values = {name: value for name, (value, _) in made.items()}
        self.memories = [content for _, content in made.values()]
        self.integers = integers(case, self.values, self.lengths)

    def shorten(self, rng: random.Random) -> dict[str, int]:
        """A smaller length for a name that stands for outermost dimensions alone, as a keyword."""
        inner = {dim.tells for array in self.case.arrays for dim in array.dims[1:]}
        fit = [n for n in self.case.filled if self.lengths.get(n, 0) and n not in inner]
        if not fit:
            return {}
        name = rng.choice(fit)
        self.lengths[name] = rng.randrange(self.lengths[name])
        return {name: self.lengths[name]}

    def bytes(self) -> list[bytes]:
        return [bytes(content) for content in self.memories]

    def check(self, call: Callable[[], int]) -> None:
        total, after = folded(self.case, self.values, self.lengths)
        around = self.bytes()
        assert call() == total
        for array, expected in zip(self.case.arrays, after, strict=True):
            seen = pieces(array, self.values[array.name], self.lengths)
            assert seen.tobytes() == expected, array
        changed = [sum(map(int.__ne__, old, new)) for old, new in zip(around, self.memories, strict=True)]
        may = [len(a) if array.mask else 0 for array, a in zip(self.case.arrays, after, strict=True)]
        assert all(n <= most for n, most in zip(changed, may, strict=True)), "written outside"


def wrong(array: Array, value: np.ndarray, case: Case, rng: random.Random) -> tuple[Any, type[Exception]]:
    """Something in place of *value* that is refused, and how."""
    size = array.dtype.itemsize
    other = np.dtype("f4" if size == 8 else "f8")
    ways: list[tuple[Any, type[Exception]]] = [
        (None, TypeError), (list(value), TypeError), (7, TypeError), (value.ctypes.data, TypeError),
        (value.astype(object), TypeError),
    ]  # fmt: skip
    if array.tensor != "nothing":
        ways.append((np.zeros(value.shape, other), TypeError))
    if size > 1:
        misaligned = np.frombuffer(bytearray(value.nbytes + 1), np.uint8)[1:].view(array.dtype).reshape(value.shape)
        aligned = size // 2 if array.element[0] == "c" else size
        if misaligned.ctypes.data % aligned:
            ways.append((misaligned, ValueError))
        ways.append((value.astype(array.dtype.newbyteorder()), TypeError))
    if not array.const:
        view = value.view()
        view.flags.writeable = False
        ways.append((view, TypeError))
    if array.has_dims:
        ways += [(value[None], ValueError), (value[0], TypeError if value.ndim == 1 else ValueError)]
        at = rng.randrange(value.ndim)
        if array.tensor != "dims":
            ways.append((np.flip(value, at), ValueError))
        dim = array.dims[at]
        uses = sum(each.tells == dim.tells for one in case.arrays for each in one.dims)
        if isinstance(dim.length, int) or dim.length[0] == "n" and uses > 1:
            ways.append((np.concatenate([value, value], at), ValueError))
    return rng.choice(ways)


# -- tests --


@pytest.fixture(scope="module")
def fuzzed(build_library) -> tuple[jitffi.Library, list[Case]]:
    rng = random.Random(seed())
    found = [random_case(rng) for _ in range(cases(40))]
    code = [HEAD, *(case.code(f"f{i}") for i, case in enumerate(found))]
    return jitffi.load_library(build_library("\n".join(code))), found


#: Calls of each function, each with other lengths.
ROUNDS = 8


def call_python(function: Any, operands: Operands, values: dict[str, Any], **given: int) -> Any:
    case, everything = operands.case, {**operands.integers, **values}
    return function(*(everything[name] for name in case.order if name not in case.filled), **given)


def call_packed(function: Any, operands: Operands, values: dict[str, Any]) -> Any:
    everything = {**operands.integers, **values}
    return function(*(everything[name] for name in operands.case.order))


def packed(bound: Any) -> Any:
    """The same function, called through its packed entry."""
    made = jitffi.Function(bound)
    return jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, keep_alive=bound)


def test_python_calls_are_numpy_s_to_the_last_bit(fuzzed) -> None:
    library, found = fuzzed
    for i, case in enumerate(found):
        function, rng = library.bind(f"f{i}", case.signature), random.Random(f"{seed()} {i}")
        for turn in range(ROUNDS):
            operands = Operands(case, rng, turn % 3)
            given = operands.shorten(rng) if turn % 2 else {}
            values = {name: dressed(value, rng) for name, value in operands.values.items()}
            operands.check(partial(call_python, function, operands, values, **given))


def test_packed_calls_are_numpy_s_to_the_last_bit(fuzzed) -> None:
    library, found = fuzzed
    for i, case in enumerate(found):
        function, rng = packed(library.bind(f"f{i}", case.signature)), random.Random(f"{seed()} packed {i}")
        for _ in range(ROUNDS):
            operands = Operands(case, rng, 2)
            values = {name: dressed(value, rng) for name, value in operands.values.items()}
            operands.check(partial(call_packed, function, operands, values))


def test_wrong_arrays_are_refused_and_nothing_is_written(fuzzed) -> None:
    library, found = fuzzed
    calls = library.bind("number_of_calls", "() -> i64")
    for i, case in enumerate(found):
        bound, rng = library.bind(f"f{i}", case.signature), random.Random(f"{seed()} wrong {i}")
        for _ in range(ROUNDS):
            operands = Operands(case, rng, 2)
            array = rng.choice(case.arrays)
            value, error = wrong(array, operands.values[array.name], case, rng)
            values = {**operands.values, array.name: value}
            before = operands.bytes(), calls()
            with pytest.raises(error, match=rf"f{i}: argument \d+ "):
                call_python(bound, operands, values)
            with pytest.raises(error, match=rf"f{i}: argument \d+ "):
                call_packed(packed(bound), operands, values)
            assert (operands.bytes(), calls()) == before
