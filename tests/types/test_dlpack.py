"""DataType and Device as Python values: names, NumPy's dtypes, equality, hash, pickling; and text as ucs4."""

from __future__ import annotations

import copy
import pickle

import ml_dtypes
import numpy
import pytest

import jitffi
from jitffi import DataType, Device, Signature

#: dlpack.h 1.1, DLDataTypeCode
CODES = {
    "int8": (0, 8), "int64": (0, 64), "uint8": (1, 8), "uint32": (1, 32), "float16": (2, 16), "float32": (2, 32),
    "float64": (2, 64), "handle": (3, 64), "bfloat16": (4, 16), "complex64": (5, 64), "complex128": (5, 128),
    "bool": (6, 8), "float8_e3m4": (7, 8), "float8_e4m3": (8, 8), "float8_e4m3b11fnuz": (9, 8),
    "float8_e4m3fn": (10, 8), "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8), "float8_e5m2fnuz": (13, 8),
    "float8_e8m0fnu": (14, 8), "float6_e2m3fn": (15, 6), "float6_e3m2fn": (16, 6), "float4_e2m1fn": (17, 4),
    "int4": (0, 4), "uint2": (1, 2),
}  # fmt: skip
#: dlpack.h 1.1, DLDeviceType
DEVICES = {
    "cpu": 1, "cuda": 2, "cuda_host": 3, "opencl": 4, "vulkan": 7, "metal": 8, "vpi": 9, "rocm": 10, "rocm_host": 11,
    "ext_dev": 12, "cuda_managed": 13, "oneapi": 14, "webgpu": 15, "hexagon": 16, "maia": 17, "trn": 18,
}  # fmt: skip


@pytest.mark.parametrize("name", CODES)
def test_names_of_data_types(name):
    code, bits = CODES[name]
    made = DataType(name)
    assert (made.code, made.type_code, made.bits, made.lanes) == (code, code, bits, 1)
    assert str(made) == name and repr(made) == f"DataType('{name}')"
    assert made == DataType(code, bits) == DataType(made) == name
    vector = DataType(f"{name}x4")
    assert vector.lanes == 4 and vector == DataType(code, bits, lanes=4) == DataType(name, lanes=4) != made
    assert vector.itemsize == (4 * bits + 7) // 8


NUMPY = ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32"]
NUMPY += ["float64", "complex64", "complex128"]


@pytest.mark.parametrize("name", NUMPY)
def test_data_types_of_numpy_and_back(name):
    dtype = numpy.dtype(name)
    for form in (dtype, dtype.type, name):
        assert DataType(form) == DataType(name)
    made = DataType(name)
    assert made.numpy() is made.to_numpy() is made.dtype is dtype
    assert numpy.dtype(made) is dtype and numpy.zeros(3, made).dtype is dtype
    assert made == dtype and dtype == made and made == dtype.type and (made != dtype) is False
    assert made.itemsize == dtype.itemsize
    vector = DataType(f"{name}x3")
    assert DataType(vector.numpy()) == vector and vector.numpy().itemsize == vector.itemsize


@pytest.mark.parametrize("name", [name for name in CODES if hasattr(ml_dtypes, name)])
def test_data_types_of_ml_dtypes_and_back(name):
    scalar = getattr(ml_dtypes, name)
    assert DataType(scalar) == DataType(numpy.dtype(scalar)) == DataType(name)
    assert DataType(name).numpy() == numpy.dtype(scalar)


def test_data_types_of_python_classes():
    assert [str(DataType(cls)) for cls in (bool, int, float, complex)] == ["bool", "int64", "float64", "complex128"]


@pytest.mark.parametrize("value", [object, str, None, 1, 1.5, b"int8", [], numpy.float32(1), numpy.zeros(1)])
def test_what_is_no_data_type(value):
    with pytest.raises(TypeError, match="DataType: expected a name, a NumPy dtype"):
        DataType(value)
    assert bool(DataType("int8") != value) and not (DataType("int8") == value)  # noqa: SIM201


@pytest.mark.parametrize("dtype", [">f4", "O", "U4", "S4", "M8[ns]", "V8", [("a", "i4")], ("f4", (2, 2))])
def test_dtypes_that_dlpack_does_not_have(dtype):
    with pytest.raises(TypeError):
        DataType(numpy.dtype(dtype))


def test_refusals_of_data_types():
    for name in ("", "flaot32", "float", "\ud800", "float32 "):
        with pytest.raises(ValueError, match="no data type is called '"):
            DataType(name)
    for fields in ((256, 8), (0, -1), (0, 8, 65536), (1 << 70, 8)):
        with pytest.raises(OverflowError, match="DataType: (code|bits|lanes): expected 0 to"):
            DataType(*fields)
    for fields in ((0, 8.0), ("int8", 8), (0, True), (0, 8, None)):
        with pytest.raises(TypeError, match="expected int, got"):
            DataType(*fields)
    for name in ("handle", "void", "code99.8", "float24"):
        with pytest.raises(TypeError, match=f"no dtype for '{name}'"):
            DataType(name).numpy()


@pytest.mark.parametrize("value", [DataType("float32x4"), DataType("void"), DataType(200, 3, 9), Device("cuda:1")])
def test_values_are_immutable_hashable_and_pickled(value):
    cls = type(value)
    assert hash(value) == hash(cls(str(value))) == hash(str(value)) and {value: 1}[str(value)] == 1
    for other in (pickle.loads(pickle.dumps(value)), copy.copy(value), copy.deepcopy(value), cls(str(value))):
        assert type(other) is cls and other == value
    for name in ("bits", "index", "new"):
        with pytest.raises((AttributeError, TypeError)):
            setattr(value, name, 1)
    assert not value < value and value <= value
    assert value != 1 and value != "" and value != None  # noqa: E711


@pytest.mark.parametrize("name", DEVICES)
def test_names_of_devices(name):
    device = Device(name)
    assert (device.type, device.index, device.dlpack_device_type()) == (name, 0, DEVICES[name])
    assert str(device) == f"{name}:0" and repr(device) == f"Device('{name}:0')"
    assert Device(name, 3) == Device(f"{name}:3") == Device(DEVICES[name], index=3) == f"{name}:3" != device
    assert Device(device) == Device(name, None) == device


def test_refusals_of_devices():
    for name in ("", "gpu", "cuda:", "cuda:x", "cuda:2147483648", "\ud800"):
        with pytest.raises(ValueError, match="no device is called '"):
            Device(name)
    with pytest.raises(ValueError, match="has an index, and another is given"):
        Device("cuda:1", 2)
    with pytest.raises(OverflowError, match="Device: index: expected"):
        Device("cuda", 1 << 31)
    for value in (None, 1.5, b"cpu", True, []):
        with pytest.raises(TypeError, match="Device: expected a name"):
            Device(value)
    assert str(Device(99, 1)) == "device99:1" and Device("device99:1").type == "device99"


def test_parameters_take_what_names_one():
    seen = jitffi.function("(d: dtype, at: device = 'cuda:1') -> any")(lambda d, at: (d, at))
    for form in ("float32", DataType("float32"), numpy.float32, numpy.dtype("float32"), numpy.float32(1).dtype):
        assert seen(form).to_python() == ("float32", "cuda:1")
    assert seen(ml_dtypes.bfloat16, "cpu").to_python() == ("bfloat16", "cpu:0")
    assert seen(float, Device("trn", 2)).to_python() == ("float64", "trn:2")
    function = jitffi.Function(seen)
    untyped = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    for form in ("float32", DataType("float32"), numpy.float32, numpy.dtype("float32")):
        assert untyped(form, "cpu").to_python() == ("float32", "cpu:0")
    with pytest.raises(TypeError, match="argument 1 'd': expected dtype, got "):
        seen(numpy.dtype("O"))


def test_defaults_and_annotations():
    cuda = Device("cuda", 1)

    def of(d: DataType, at: Device = cuda, t: jitffi.ucs4 = "\u20ac") -> DataType | None: ...

    sig = Signature.of(of)
    assert str(sig) == "(d: dtype, at: device = 'cuda:1', t: ucs4 = '\u20ac') -> optional[dtype]"
    assert Signature.parse(str(sig)) == sig
    for wrong in ("(d: dtype = 'flaot32') -> void", "(d: device = 1) -> void"):
        with pytest.raises(jitffi.SignatureError, match="bad default"):
            Signature.parse(wrong)
    assert str(Signature.parse("(dtype = 'float32x1') -> ucs4")) == "(dtype = 'float32') -> ucs4"

    def also(d: numpy.dtype, e: jitffi.dtype, f: jitffi.device) -> Device: ...

    assert str(Signature.of(also)) == "(d: dtype, e: dtype, f: device) -> device"


def test_values_without_a_signature():
    echo = jitffi.convert(lambda x: x)
    for value in (DataType("int8x4"), Device("cuda:1")):
        assert echo(value) == value and type(echo(value)) is type(value)
    dtype = numpy.dtype("float32")
    assert echo(dtype) == dtype and type(echo(dtype)) is DataType


@pytest.mark.parametrize("text", ["", "a", "ascii", "caf\xe9" * 9, "\u20ac" * 33, "\U0001f600" * 40, "a\0\U0010ffff"])
def test_text_as_ucs4(text):
    class Text(str):
        pass

    seen = []
    echo = jitffi.function("(ucs4) -> ucs4")(lambda t: seen.append(t) or t)
    function = jitffi.Function(echo)
    forms = [text, Text(text), jitffi.String(text), jitffi.UCS4String(text)]
    for call in (echo, jitffi.Function.from_native(function.native_address, "(ucs4) -> ucs4", keep_alive=echo)):
        for form in forms:
            got = call(form)
            assert got == text and type(got) is str and got.isascii() == text.isascii()
            assert got.__sizeof__() == (text + "").__sizeof__()  # the narrowest kind
    assert set(seen) == {text}
    back = jitffi.function("() -> ucs4")(lambda: jitffi.UCS4String(text))
    assert back() == text


SIGNATURE_NAMES = {
    "bool": "bool", "i8": "int8", "i16": "int16", "i32": "int32", "i64": "int64", "u8": "uint8", "u16": "uint16",
    "u32": "uint32", "u64": "uint64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
    "c64": "complex64", "c128": "complex128", "i128": "int128", "u128": "uint128", "f32x4": "float32x4",
}  # fmt: skip


@pytest.mark.parametrize(("short", "name"), SIGNATURE_NAMES.items())
def test_the_names_of_signatures_are_data_types(short, name):
    made = DataType(short)
    assert str(made) == name and made == DataType(name) and hash(made) == hash(name)
    assert pickle.loads(pickle.dumps(made)) == made


@pytest.mark.parametrize(
    "name",
    ["int32x0", "i32x0", "int32x", "int32x-1", "int32x65536", "int32x 4", " int32", "int32 ", "x4", "i7", "i1", "f8",
     "f128", "bf32", "u1288", "i8x4x4", "int32x04", "I32", "ptr", "str"],
)  # fmt: skip
def test_what_is_no_name_of_a_data_type(name):
    with pytest.raises(ValueError, match="no data type is called"):
        DataType(name)


def test_a_data_type_of_no_lanes_has_a_name_all_the_same():
    made = DataType(0, 32, 0)  # as C may make one
    assert str(made) == "code0.32x0" and DataType(str(made)) == made == pickle.loads(pickle.dumps(made))
    with pytest.raises(TypeError, match="expected a name"):
        DataType(numpy.dtype(("i4", (0,))))


def test_integers_of_other_classes_are_integers():
    class Two:
        def __index__(self):
            return 2

    for two in (2, numpy.int32(2), numpy.uint8(2), Two()):
        assert Device(two, 0) == Device("cuda", 0) and Device("cpu", two) == Device("cpu:2") == Device(1, index=two)
        assert DataType(two, numpy.int8(32)) == DataType("float32") and DataType("int8", lanes=two) == DataType(
            "int8x2"
        )
    for wrong in (True, 2.0, numpy.bool_(True), None, numpy.float32(2), b"cpu"):
        with pytest.raises(TypeError, match="Device: expected"):
            Device(wrong, 0)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, "is_float") for name in ("float32", "bfloat16", "float8_e4m3fn", "float6_e2m3fn", "float4_e2m1fnx2")),
        *((name, "is_integer") for name in ("int32", "uint8", "int4x8")),
        ("bool", "is_bool"),
        ("handle", "is_handle"),
        ("complex64", ""),
        ("void", ""),
        ("code200.4", ""),
    ],
)
def test_what_a_data_type_is(name: str, kind: str) -> None:
    made = DataType(name)
    for each in ("is_float", "is_integer", "is_bool", "is_handle"):
        assert getattr(made, each) is (each == kind)


def test_lanes_and_tuples_of_dlpack() -> None:
    assert DataType("bool").with_lanes(4) == "boolx4" and DataType("float32x4").with_lanes(1) == "float32"
    assert DataType.from_dlpack_data_type((2, 16, 8)) == "float16x8"
    for wrong, error in (("4", TypeError), (-1, OverflowError), (1 << 16, OverflowError)):
        with pytest.raises(error):
            DataType("bool").with_lanes(wrong)  # type: ignore[arg-type]
    for fields in ([2, 16, 8], (2, 16), (2, 16, 8, 1)):
        with pytest.raises(TypeError, match="expected a tuple of code, bits and lanes"):
            DataType.from_dlpack_data_type(fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("short", "name"),
    [("f8_e4m3", "float8_e4m3"), ("fp8_e5m2x4", "float8_e5m2x4"), ("float4_e2m1fn_x2", "float4_e2m1fnx2")],
)
def test_short_names_of_small_floats(short: str, name: str) -> None:
    assert DataType(short) == name


# -- order, and classes below --------------------------------------------------------------------------------------


class Mine(jitffi.Device):
    pass


class MyType(jitffi.DataType):
    def of_vector(self):
        return MyType(self, lanes=4)


@jitffi.register_object("tests.dlpack.Placed", order=True)
class Placed:
    device: jitffi.device
    dtype: jitffi.dtype


def test_order_is_by_number():
    devices = [jitffi.Device(name) for name in ("cuda:1", "cpu:3", "cuda", "cpu")]
    assert [str(each) for each in sorted(devices)] == ["cpu:0", "cpu:3", "cuda:0", "cuda:1"]
    dtypes = [jitffi.DataType(name) for name in ("float32", "int64", "float32x2", "int8")]
    assert [str(each) for each in sorted(dtypes)] == ["int8", "int64", "float32", "float32x2"]
    native = jitffi.List(devices)
    native.sort()
    assert list(native) == sorted(devices) and jitffi.Tuple(dtypes) > jitffi.Tuple(sorted(dtypes))
    assert Placed("cpu", "int8") < Placed("cpu", "int16") < Placed("cuda", "int8")
    for wrong in (lambda: devices[0] < dtypes[0], lambda: dtypes[0] < "float64", lambda: devices[0] < 3):
        with pytest.raises(TypeError, match="not supported"):
            wrong()


def test_a_class_below_is_native_codes_own_on_the_way():
    device, dtype = Mine("cuda", 1), MyType("float32").of_vector()
    assert type(device) is Mine and device == jitffi.Device("cuda:1") and hash(device) == hash("cuda:1")
    assert type(dtype) is MyType and dtype.lanes == 4 and type(copy.deepcopy(dtype)) is MyType
    assert jitffi.function("(device, dtype) -> dtype")(lambda device, dtype: dtype)(device, dtype) == dtype
    back = jitffi.convert(lambda *values: values)(device, dtype)
    assert [type(each) for each in back] == [jitffi.Device, jitffi.DataType]
    assert jitffi.List([device])[0] == device and device in jitffi.List([jitffi.Device("cuda:1")])
    device.name = "mine"
    assert vars(device) == {"name": "mine"}
