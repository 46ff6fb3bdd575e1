"""Whatever Python calls an array: each way to offer memory, what is held meanwhile, and what is refused."""

from __future__ import annotations

import array
import contextlib
import ctypes
import sys

import cffi
import ml_dtypes
import numpy as np
import pytest
from support import dlpack, leaks

import jitffi

SOURCE = """
#include <stdint.h>
#include <stdlib.h>
int64_t seen(void* data) { return (int64_t)(uintptr_t)data; }
int64_t seen_while(void* data, void (*call)(void)) { call(); return (int64_t)(uintptr_t)data; }

/* DLPack's exchange table (dlpack.h 1.3) of a type whose instances are all one array. */
typedef struct { void* data; int32_t device[2]; int32_t ndim; uint8_t code, bits; uint16_t lanes;
                 int64_t* shape, *strides; uint64_t offset; } tensor;
typedef struct managed { uint32_t major, minor; void* context; void (*deleter)(struct managed*); uint64_t flags;
                         tensor tensor; } managed;
float items[4];
static int64_t shape[1] = {4};
int64_t live, viewed, device_type = 1, flags;
static tensor make(void) {
  tensor made = {items, {(int32_t)device_type, 0}, 1, 2, 32, 1, shape, NULL, 0};
  return made;
}
static int view(void* object, tensor* out) { (void)object; viewed++; *out = make(); return 0; }
static void release(managed* self) { live--; free(self); }
static int own(void* object, managed** out) {
  (void)object;
  managed made = {1, 3, NULL, release, (uint64_t)flags, make()};
  *out = malloc(sizeof made);
  **out = made;
  live++;
  return 0;
}
typedef struct { uint32_t major, minor; void *previous, *allocate, *from, *to, *view, *stream; } table;
static table known = {1, 3, NULL, NULL, (void*)own, NULL, (void*)view, NULL};
static table owning = {1, 3, NULL, NULL, (void*)own, NULL, NULL, NULL};
static table newer = {2, 0, &known, NULL, NULL, NULL, NULL, NULL};
static table unknown = {2, 0, NULL, NULL, NULL, NULL, NULL, NULL};
void* table_of(int32_t which) { return which == 0 ? &known : which == 1 ? &owning : which == 2 ? &newer : &unknown; }
"""


@pytest.fixture(scope="module")
def path(build_library):
    return build_library(SOURCE)


@pytest.fixture(scope="module")
def library(path):
    return jitffi.load_library(path)


@pytest.fixture(scope="module")
def take(library):
    """Functions of one argument of a type, which give its address."""
    bound = {}

    def bind(type_: str):
        if type_ not in bound:
            bound[type_] = library.bind("seen", f"(x: {type_}) -> i64")
        return bound[type_]

    return bind


@pytest.fixture(scope="module", autouse=True)
def what_is_there():
    leaks.settle()


def address_of(buffer: object) -> int:
    return np.frombuffer(buffer, "u1").ctypes.data  # type: ignore[call-overload, no-any-return]


def refused(function, given, words: str, kind: type[Exception] = TypeError) -> None:
    with pytest.raises(kind) as caught:
        function(given)
    assert str(caught.value) == f"seen: argument 1 'x': {words}"


# -- the buffer protocol ----------------------------------------------------------------------------------------------

ELEMENTS = {
    "i8": "bcB", "u8": "Bcb", "i16": "h", "u16": "H", "i32": "i", "u32": "I", "i64": "lq", "u64": "LQ", "f32": "f",
    "f64": "d", "bool": "?",
}  # fmt: skip


@pytest.mark.parametrize(("element", "letter"), [(e, c) for e, letters in ELEMENTS.items() for c in letters])
def test_formats_of_buffers(element, letter, take):
    memory = bytearray(48)
    view = memoryview(memory).cast(letter)
    assert take(f"{element}[n]")(view) == address_of(memory)
    for other in set(ELEMENTS) - {element}:
        if letter not in ELEMENTS[other]:
            with pytest.raises(TypeError, match=rf"expected {other}\[n\], got \w+\[\d+\]$"):
                take(f"{other}[n]")(view)


def test_buffers_of_many_makers(take):
    floats = take("f32[n]")
    native = (ctypes.c_float * 5)()
    assert floats(native) == ctypes.addressof(native)
    numbers = array.array("f", [1, 2])
    assert floats(numbers) == numbers.buffer_info()[0]
    rows = (ctypes.c_float * 5 * 2)()
    assert take("f32[n, 5]")(rows) == ctypes.addressof(rows)
    refused(take("f32[n, 4]"), rows, "expected f32[n, 4], got float32[2, 5]", ValueError)
    refused(floats, (ctypes.c_float.__ctype_be__ * 5)(), "expected f32[n], got big-endian float32[5]")
    refused(floats, array.array("u", "ab"), "expected f32[n], got 'w'[2]")
    refused(take("u8[n]"), b"abc", "expected u8[n], got read-only uint8[3]")
    assert take("const u8[n]")(b"abc") and take("const i8[n]")(memoryview(b"abc"))
    refused(floats, memoryview(bytearray(40)).cast("f")[::2],
            "expected f32[n], got float32[5] with a stride of 2 elements, expected contiguous: copy it with "
            "numpy.ascontiguousarray", ValueError)  # fmt: skip
    released = memoryview(bytearray(4))
    released.release()
    refused(
        take("u8[n]"), released, "expected u8[n], got memoryview (operation forbidden on released memoryview object)"
    )


def test_buffers_are_held_for_the_call(library):
    memory = bytearray(8)
    found = []

    def grow() -> None:
        try:
            memory.extend(bytes(1 << 20))
        except BufferError as error:
            found.append(error)

    call = library.bind("seen_while", "(x: u8[n], call: func[() -> void]) -> i64")
    assert call(memory, grow) == address_of(memory) and len(found) == 1
    memory.extend(b"a")


# -- NumPy ------------------------------------------------------------------------------------------------------------

DTYPES = {
    "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16", "u32": "uint32",
    "u64": "uint64", "f16": "float16", "f32": "float32", "f64": "float64", "bool": "bool", "c64": "complex64",
    "c128": "complex128", "bf16": ml_dtypes.bfloat16, "float8_e4m3fn": ml_dtypes.float8_e4m3fn,
    "float8_e5m2": ml_dtypes.float8_e5m2,
}  # fmt: skip


@pytest.mark.parametrize("element", DTYPES)
def test_elements_of_numpy(element, take):
    function = take(f"{element}[n]")
    for made in (np.zeros(3, DTYPES[element]), np.zeros(3, DTYPES[element])[1:]):
        assert function(made) == made.ctypes.data
    for other in set(DTYPES) - {element}:
        if {element, other} != {"i8", "u8"}:
            with pytest.raises(TypeError):
                function(np.zeros(3, DTYPES[other]))


def test_numpy_has_two_types_of_one_size(take):
    for letter in "lq":
        made = np.zeros(3, letter)
        assert take("i64[n]")(made) == made.ctypes.data
    for letter in "LQ":
        made = np.zeros(3, letter)
        assert take("u64[n]")(made) == made.ctypes.data
    refused(take("i32[n]"), np.zeros(3, "q"), "expected i32[n], got int64[3]")


def test_a_dtype_with_metadata_is_the_same_type(take):
    made = np.zeros(3, np.dtype("f4", metadata={"unit": "m"}))
    assert take("f32[n]")(made) == made.ctypes.data


class Derived(np.ndarray):
    pass


class Elsewhere(np.ndarray):
    """What it says of its memory by the buffer protocol is not what its fields say."""

    def __buffer__(self, flags: int) -> memoryview:
        return memoryview(np.zeros(2, "f8"))


def test_classes_derived_from_ndarray(take, tmp_path):
    floats = take("f32[n]")
    made = np.zeros(4, "f4")
    assert floats(made.view(Derived)) == floats(np.ma.masked_array(made)) == made.ctypes.data
    assert take("f32[n, m]")(made.reshape(2, 2).view(Derived)) == made.ctypes.data
    mapped = np.memmap(tmp_path / "m", "f4", "w+", shape=4)
    assert floats(mapped) == mapped.ctypes.data
    refused(floats, np.zeros(3, "M8[ns]").view(Derived), "expected f32[n], got datetime64[ns][3]")
    if sys.version_info >= (3, 12):
        refused(floats, made.view(Elsewhere), "expected f32[n], got float64[2]")


def test_elements_of_other_packages_that_c_has_not(take):
    refused(take("i8[n]"), np.zeros(3, ml_dtypes.int4), "expected i8[n], got int4[3]")
    refused(take("f64[n]"), np.zeros(3, np.longdouble), f"expected f64[n], got {np.dtype(np.longdouble)}[3]")


# -- the array interface ----------------------------------------------------------------------------------------------


class Interface:
    def __init__(self, made: object, **changed: object) -> None:
        self.made, self.changed = made, changed

    @property
    def __array_interface__(self) -> dict[str, object]:
        return {**self.made.__array_interface__, **self.changed}  # type: ignore[attr-defined]


class Index:
    def __init__(self, number: int) -> None:
        self.number = number

    def __index__(self) -> int:
        return self.number


def test_array_interface(take):
    floats, made = take("f32[n]"), np.zeros(4, "f4")
    address = made.ctypes.data
    assert floats(Interface(made)) == floats(Interface(made, strides=(4,))) == address
    assert floats(Interface(made, shape=(Index(4),), data=(Index(address), False))) == address
    memory = bytearray(20)
    assert floats(Interface(made, data=memory)) == address_of(memory)
    assert floats(Interface(made, data=memory, offset=4)) == address_of(memory) + 4
    for dtype, element in (("i8", "i64"), ("u2", "u16"), ("c8", "c64"), ("?", "bool"), ("f2", "f16")):
        other = np.zeros(4, dtype)
        assert take(f"{element}[n]")(Interface(other)) == other.ctypes.data
    big = Interface(np.zeros(4, ">f4"))
    refused(floats, big, "expected f32[n], got big-endian float32[4]")
    refused(floats, Interface(made[::2]),
            "expected f32[n], got float32[2] with a stride of 2 elements, expected contiguous: copy it with "
            "numpy.ascontiguousarray", ValueError)  # fmt: skip
    refused(floats, Interface(made, data=(address, True)), "expected f32[n], got read-only float32[4]")
    refused(floats, Interface(made, data=bytes(16)), "expected f32[n], got read-only float32[4]")
    refused(floats, Interface(np.zeros(4, "V8")), "expected f32[n], got '|V8'[4]")
    refused(floats, Interface(made, data=None), "expected f32[n], got Interface")
    refused(floats, Interface(made, data=(0, False)), "expected f32[n], got float32[4] at NULL", ValueError)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"shape": 4}, "__array_interface__ has no shape that an array has"),
        ({"shape": (4.0,)}, "__array_interface__ has no shape that an array has"),
        ({"shape": (1,) * 65}, "__array_interface__ has no shape that an array has"),
        ({"strides": (4, 4)}, "__array_interface__ has no strides that an array has"),
        ({"typestr": 3}, "__array_interface__ has no type that an array has"),
        ({"typestr": "f"}, "__array_interface__ has no type that an array has"),
        ({"data": bytearray(15)}, "__array_interface__ has no memory that an array has"),
        ({"data": bytearray(16), "offset": 1}, "__array_interface__ has no memory that an array has"),
        ({"data": bytearray(16), "offset": -1}, "__array_interface__ has no memory that an array has"),
        ({"data": bytearray(16), "shape": (1 << 62, 4)}, "__array_interface__ has no memory that an array has"),
        ({"data": bytearray(16), "strides": (-4,)}, "__array_interface__ has no memory that an array has"),
        ({"data": (1,)}, "__array_interface__ has no address that an array has"),
        ({"data": 5}, "a bytes-like object is required, not 'int'"),
        ({"mask": [1]}, "__array_interface__ has a mask"),
    ],
)
def test_array_interfaces_that_say_nothing(changed, words, take):
    refused(take("f32[n]"), Interface(np.zeros(4, "f4"), **changed), words)


def test_exceptions_of_attributes_come_through(take):
    class Raising:
        def __getattr__(self, name: str) -> object:
            raise ZeroDivisionError(name)

    with pytest.raises(ZeroDivisionError, match="__array_interface__"):
        take("f32[n]")(Raising())


# -- __array__ --------------------------------------------------------------------------------------------------------


class Series:
    """What gives NumPy its array, as pandas does."""

    def __init__(self, made: object) -> None:
        self.made = made

    def __array__(self, dtype: object = None, copy: bool | None = None) -> object:
        if copy is not False or isinstance(self.made, str):
            raise ValueError("it takes a copy")
        return self.made


class Old(Series):
    """It knows of no copies, so it may make one."""

    def __array__(self, dtype: object = None) -> object:  # type: ignore[override]
        return self.made


def test_array_methods(take):
    made = np.zeros(4, "f4")
    assert take("f32[n]")(Series(made)) == take("ptr[f32]")(Series(made)) == made.ctypes.data
    made.flags.writeable = False
    assert take("const f32[n]")(Series(made)) == made.ctypes.data
    refused(take("f32[n]"), Series(made), "expected f32[n], got read-only float32[4]")
    refused(take("const f32[n]"), Series(np.zeros(4)), "expected const f32[n], got float64[4]")
    refused(take("const f32[n]"), Series(3), "expected const f32[n], got Series")
    refused(take("const f32[n]"), Old(made), "expected const f32[n], got Old")
    with pytest.raises(ValueError, match="it takes a copy"):
        take("const f32[n]")(Series("x"))
    leaks.assert_nothing_stays(lambda: take("const f32[n]")(Series(made)))


# -- DLPack -----------------------------------------------------------------------------------------------------------


class Tensor:
    """DLPack as NumPy has it."""

    def __init__(self, made: object, device: tuple[int, int] = (1, 0)) -> None:
        self.made, self.device = made, device

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.device

    def __dlpack__(self, **options: object) -> object:
        return self.made.__dlpack__(**options)  # type: ignore[attr-defined]


class Older(Tensor):
    def __dlpack__(self) -> object:  # type: ignore[override]
        return self.made.__dlpack__()  # type: ignore[attr-defined]


class OutOfReach(Tensor):
    """As arrays of CuPy are: the class has the buffer protocol, the memory is the device's."""

    def __buffer__(self, flags: int) -> memoryview:
        raise TypeError("not on the CPU")


@pytest.mark.skipif(sys.version_info < (3, 12), reason="classes of Python's have the buffer protocol since 3.12")
def test_arrays_whose_buffer_is_out_of_reach(take):
    made = np.zeros(4, "f4")
    assert take("f32[n]")(OutOfReach(made)) == made.ctypes.data
    refused(take("f32[n]"), OutOfReach(made, (2, 0)), "expected f32[n], got OutOfReach on cuda:0")


def test_tensors_that_are_refused_are_given_back_without_an_exception(take, monkeypatch):
    unraisable: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", unraisable.append)
    producer = dlpack.Producer((ctypes.c_float * 4)())
    refused(take("f64[n]"), producer, "expected f64[n], got float32[4]")
    assert producer.deleted == 1 and not unraisable


def test_dlpack(take):
    floats, made = take("f32[n]"), np.zeros(4, "f4")
    assert floats(Tensor(made)) == floats(Older(made)) == made.ctypes.data
    refused(floats, Tensor(made[::2]),
            "expected f32[n], got float32[2] with a stride of 2 elements, expected contiguous: copy it with "
            "numpy.ascontiguousarray", ValueError)  # fmt: skip
    refused(floats, Tensor(np.zeros(4)), "expected f32[n], got float64[4]")
    refused(floats, Tensor(made, (2, 1)), "expected f32[n], got Tensor on cuda:1")
    made.flags.writeable = False
    refused(floats, Tensor(made), "expected f32[n], got read-only float32[4]")
    assert take("const f32[n]")(Tensor(made)) == made.ctypes.data
    with pytest.raises(BufferError):
        floats(Older(made))
    refused(floats, Tensor, "expected f32[n], got type")


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (lambda: 5, TypeError), (lambda: b"dltensor", TypeError), (lambda: 1 / 0, ZeroDivisionError),
        (lambda: np.zeros(3, object).__dlpack__(), BufferError),
    ],
)  # fmt: skip
def test_what_dlpack_may_give_instead(given, kind, take):
    class Odd:
        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **options: object) -> object:
            return given()

    with pytest.raises(kind):
        take("f32[n]")(Odd())
    Odd.__dlpack_device__ = lambda self: "cpu"  # type: ignore[assignment, method-assign, return-value]
    with pytest.raises(TypeError):
        take("f32[n]")(Odd())


def test_a_used_capsule_is_none(take):
    class Used(Tensor):
        def __dlpack__(self, **options: object) -> object:
            capsule = super().__dlpack__(**options)
            np.from_dlpack(Once(capsule))  # type: ignore[arg-type]
            return capsule

    class Once:
        def __init__(self, capsule: object) -> None:
            self.capsule = capsule

        def __dlpack_device__(self) -> tuple[int, int]:
            return 1, 0

        def __dlpack__(self, **options: object) -> object:
            return self.capsule

    refused(take("f32[n]"), Used(np.zeros(4, "f4")), "__dlpack__ returned no new DLPack capsule")


@pytest.mark.parametrize("kind", [Tensor, Older])
def test_a_capsule_is_taken_over(kind, take, library):
    """Who hands it out again meanwhile hands out nothing."""

    class Same(kind):  # type: ignore[misc, valid-type]
        capsule = None

        def __dlpack__(self, **options: object) -> object:
            if self.capsule is None:
                self.capsule = super().__dlpack__()
            return self.capsule

    given = Same(np.zeros(4, "f4"))
    address = given.made.ctypes.data
    seen = library.bind("seen_while", "(data: const f32[*], call: func[() -> void]) -> i64")

    def other() -> None:
        with pytest.raises((ValueError, BufferError)):
            np.from_dlpack(given)
        given.made = None

    assert seen(given, other) == address


def class_with_table(path: str, which: int) -> type:
    native = ctypes.CDLL(path)
    native.table_of.restype = ctypes.c_void_p
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    capsule = new(native.table_of(which), b"dlpack_exchange_api", None)
    return type("Exchanged", (), {"__dlpack_c_exchange_api__": capsule})


def test_dlpack_by_its_exchange_table(path, take):
    native = ctypes.CDLL(path)
    live, viewed, flags, device = [
        ctypes.c_int64.in_dll(native, name) for name in ("live", "viewed", "flags", "device_type")
    ]
    items = ctypes.addressof((ctypes.c_float * 4).in_dll(native, "items"))
    for which, views in ((0, 1), (1, 0), (2, 1)):
        given = class_with_table(path, which)()
        viewed.value = 0
        assert take("const f32[n]")(given) == take("f32[n]")(given) == take("ptr[f32]")(given) == items
        assert (live.value, viewed.value) == (0, views)
        refused(take("f64[n]"), given, "expected f64[n], got float32[4]")
        flags.value = 1
        refused(take("f32[n]"), given, "expected f32[n], got read-only float32[4]")
        assert take("const f32[n]")(given) == items
        flags.value, device.value = 0, 2
        refused(take("f32[n]"), given, "expected f32[n], got float32[4] on cuda:0")
        device.value = 1
        assert live.value == 0
    refused(take("f32[n]"), class_with_table(path, 3)(), "expected f32[n], got Exchanged")


# -- pointers ---------------------------------------------------------------------------------------------------------


def test_pointers_of_ctypes(take):
    floats, items = take("ptr[f32]"), (ctypes.c_float * 5)()
    address = ctypes.addressof(items)
    pointer = ctypes.cast(items, ctypes.POINTER(ctypes.c_float))
    assert floats(pointer) == floats(ctypes.byref(items)) == floats(items) == floats(items[0:0] or items) == address
    assert floats(ctypes.byref(items, 8)) == address + 8
    number = ctypes.c_float(3)
    assert floats(number) == ctypes.addressof(number)
    refused(floats, ctypes.pointer(ctypes.c_double(3)), "expected ptr[f32], got LP_c_double")
    refused(floats, ctypes.c_void_p(5), "expected ptr[f32], got c_void_p")
    refused(floats, ctypes.CFUNCTYPE(None)(lambda: None), "expected ptr[f32], got CFunctionType")
    refused(floats, ctypes.POINTER(ctypes.c_float)(), "expected ptr[f32], got LP_c_float at NULL", ValueError)
    assert take("optional[ptr[f32]]")(ctypes.POINTER(ctypes.c_float)()) == take("optional[ptr[f32]]")(None) == 0
    refused(take("f32[n]"), pointer, "expected f32[n], got LP_c_float")


def test_pointers_of_cffi(take):
    ffi, floats = cffi.FFI(), take("ptr[f32]")
    items = ffi.new("float[5]")
    address = int(ffi.cast("uintptr_t", items))
    assert floats(items) == floats(items + 0) == floats(ffi.cast("float *", items)) == address
    assert take("ptr[i64]")(ffi.new("long *")) and take("ptr[u8]")(ffi.new("unsigned char[3]"))
    assert take("ptr[c64]")(ffi.new("float _Complex *")) and take("ptr[bool]")(ffi.new("_Bool *"))
    refused(floats, ffi.new("double *"), "expected ptr[f32], got cdata 'double *'")
    refused(take("ptr[u64]"), ffi.new("long *"), "expected ptr[u64], got cdata 'long *'")
    refused(take("ptr[i64]"), ffi.new("char **"), "expected ptr[i64], got cdata 'char * *'")
    refused(floats, ffi.NULL, "expected ptr[f32], got cdata 'void *' at NULL", ValueError)
    assert take("optional[ptr[f32]]")(ffi.NULL) == 0


# -- our own ----------------------------------------------------------------------------------------------------------


def test_nd_arrays(take):
    made = jitffi.NDArray.zeros((2, 3), "float32")
    assert take("f32[n, 3]")(made) == take("ptr[f32]")(made) == take("ptr[f32]")(made.T) == made.address
    assert take("f32[n @ lda, m]")(made[:, :2]) == made.address
    refused(take("f32[n]"), made, "expected f32[n], got float32[2, 3]", ValueError)
    refused(take("f64[n, 3]"), made, "expected f64[n, 3], got float32[2, 3]")


def test_typed_pointers(take):
    floats, memory = take("f32[n]"), jitffi.new("f32[4]")
    address = memory.address
    assert floats(memory) == take("f32[4]")(memory) == take("ptr[f32]")(memory) == address
    assert take("ptr[f32]")(memory + 1) == address + 4
    refused(take("f32[5]"), memory, "expected f32[5], got float32[4]", ValueError)
    refused(floats, jitffi.new("f64[4]"), "expected f32[n], got float64[4]")
    unknown = jitffi.cast("ptr[f32]", address)
    assert take("ptr[f32]")(unknown) == take("ptr[const f32]")(unknown) == address
    with pytest.raises(TypeError, match="argument 1 'x': .* unknown length"):
        floats(unknown)
    constant = memory.cast("ptr[const f32]")
    assert take("const f32[n]")(constant) == take("ptr[const f32]")(constant) == address
    refused(floats, constant, "expected f32[n], got read-only float32[4]")
    refused(take("ptr[f32]"), constant, "expected ptr[f32], got a Pointer of type ptr[const f32]")
    refused(take("ptr[f64]"), memory, "expected ptr[f64], got a Pointer of type ptr[f32]")
    refused(
        take("ptr[f32]"),
        jitffi.cast("ptr[f32]", 0),
        "expected ptr[f32], got NULL",
        ValueError,
    )


# -- nothing stays ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda: np.zeros(4, "f4"), lambda: np.zeros(4), lambda: np.zeros(4, [("a", "i4")]), lambda: bytearray(16),
        lambda: memoryview(bytearray(16)).cast("f"), lambda: (ctypes.c_float * 4)(),
        lambda: ctypes.pointer(ctypes.c_float()), lambda: Interface(np.zeros(4, "f4")),
        lambda: Interface(np.zeros(4, "f4"), data=bytearray(16)), lambda: Interface(np.zeros(4, "f4"), shape=3),
        lambda: Tensor(np.zeros(4, "f4")), lambda: Older(np.zeros(4, "f4")), lambda: Tensor(np.zeros(3)),
        lambda: np.float32(3), lambda: jitffi.NDArray.zeros(4, "float32"), lambda: cffi.FFI().new("float[4]"),
        lambda: jitffi.new("f32[4]"), lambda: jitffi.new("f64[4]").cast("ptr[f32]"),
    ],
)  # fmt: skip
def test_nothing_stays(make, take):
    functions = [take(type_) for type_ in ("f32[n]", "f32[3]", "ptr[f32]", "const f32[n @ inc]")]
    for made in [jitffi.Function(function) for function in functions]:  # called with whatever Python has
        entry = {"name": "seen", "self_handle": made.handle, "keep_alive": made}
        functions.append(jitffi.Function.from_packed(made.packed_address, **entry))

    def work() -> None:
        given = make()
        for function in functions:
            with contextlib.suppress(TypeError, ValueError):
                function(given)

    leaks.assert_nothing_stays(work)
