"""jitffi.NDArray and DLPack: arrays of others taken in, ours given out, by __dlpack__ and by the table of a type."""

from __future__ import annotations

import ctypes
import gc

import numpy
import pytest
from support import dlpack
from support.dlpack import OldProducer, Producer
from support.leaks import assert_nothing_stays, live_objects, settle

import jitffi

NDArray, from_dlpack = jitffi.NDArray, jitffi.from_dlpack
CPU, CUDA, EXTERNAL = (1, 0), (2, 1), (12, 3)


def setup_module():
    settle()


def floats(count=6):
    return (ctypes.c_float * count)(*range(count))


# -- in --------------------------------------------------------------------------------------------------------


def test_numpys_arrays():
    theirs = numpy.arange(12, dtype="float64").reshape(3, 4)[::-1, 1:]
    mine = from_dlpack(theirs)
    assert type(mine) is NDArray and mine.shape == (3, 3) and mine.strides == (-4, 1) and mine.dtype == "float64"
    assert mine.address == theirs.__array_interface__["data"][0] and not mine.readonly
    mine[0, 0] = -1
    assert theirs[0, 0] == -1
    expected = theirs.tolist()
    del theirs
    gc.collect()
    assert mine.tolist() == expected


def test_what_is_read_only_stays_so():
    theirs = numpy.arange(3)
    theirs.flags.writeable = False
    mine = from_dlpack(theirs)
    assert mine.readonly and mine[1:].readonly and mine.T.readonly and memoryview(mine).readonly
    assert not mine.numpy().flags.writeable and not mine.copy().readonly and not from_dlpack(mine, copy=True).readonly
    assert mine.__array_interface__["data"][1] is True and repr(mine) == "NDArray([0, 1, 2], 'int64')"
    for write in (lambda: mine.__setitem__(0, 1), lambda: mine[1:].__setitem__(..., mine[:2])):
        with pytest.raises(ValueError, match="NDArray: it is read-only"):
            write()
    with pytest.raises(BufferError, match="DLPack before version 1 cannot say that an array is read-only"):
        mine.__dlpack__()
    capsule = mine.__dlpack__(max_version=(1, 0))
    assert dlpack.struct_of(capsule).flags == 1 and from_dlpack(capsule).readonly
    assert not numpy.from_dlpack(mine).flags.writeable
    assert mine.tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", [Producer, OldProducer])
def test_tensors_are_given_back_once(kind):
    producer = kind(floats(), (2, 3))
    mine = from_dlpack(producer)
    assert mine.tolist() == [[0, 1, 2], [3, 4, 5]] and mine.strides == (3, 1) and not mine.readonly
    view = mine[1]
    mine[1, 1] = 9
    del mine
    assert producer.deleted == 0 and view.tolist() == [3, 9, 5]
    del view
    assert producer.deleted == 1 and producer.memory[4] == 9
    if kind is Producer:
        assert producer.asked == [{"max_version": (1, 1)}]


def test_a_capsule_is_taken_once():
    producer = Producer(floats())
    capsule = producer.capsule()
    mine = from_dlpack(capsule)
    assert dlpack.name_of(capsule) == b"used_dltensor_versioned" and mine.size == 6
    with pytest.raises(ValueError, match="from_dlpack: the capsule's tensor was taken before"):
        from_dlpack(capsule)
    old = OldProducer(floats())
    capsule = old.capsule()
    assert from_dlpack(capsule)[5] == 5 and dlpack.name_of(capsule) == b"used_dltensor" and old.deleted == 1
    with pytest.raises(ValueError, match="from_dlpack: the capsule's tensor was taken before"):
        from_dlpack(capsule)
    del mine
    assert (producer.deleted, old.deleted) == (1, 1)


@pytest.mark.parametrize("version", [None, (1, 3)])
def test_without_a_deleter(version):
    producer = Producer(floats(), deleter=False, version=version)
    assert from_dlpack(producer).tolist() == [0, 1, 2, 3, 4, 5]


def test_what_tensors_may_say():
    memory = floats()
    assert from_dlpack(Producer(memory, (), offset=8)).item() == 2 and from_dlpack(
        Producer(memory, (2,), offset=4)
    ).address == (ctypes.addressof(memory) + 4)
    assert from_dlpack(Producer(0, (0, 3))).shape == (0, 3)
    back = Producer(ctypes.addressof(memory) + 20, (3, 2), strides=(-2, -1))
    assert from_dlpack(back).tolist() == [[5, 4], [3, 2], [1, 0]]
    assert from_dlpack(Producer(memory, (2, 3), strides=(0, 1))).tolist() == [[0, 1, 2]] * 2
    one = from_dlpack(Producer(memory, (1, 2), strides=(2**62, 1)))
    assert (
        one.tolist() == [[0, 1]] and one.strides == (2, 1) and one.T[:, 0].tolist() == one.numpy()[0].tolist() == [0, 1]
    )
    none = from_dlpack(Producer(memory, (0, 2), strides=(2**62, 2**62)))
    assert none.strides == (2, 1) and none.numpy().shape == (0, 2) and none[:, 1:].tolist() == []
    lanes = from_dlpack(Producer(memory, (3,), dtype=(2, 32, 2)))
    assert lanes.dtype == "float32x2" and lanes[2] == (4.0, 5.0) and lanes.nbytes == 24
    assert from_dlpack(Producer(memory, (5,), dtype=(0, 4, 1))).dtype == "int4"
    padded = from_dlpack(Producer(memory, (5,), dtype=(0, 4, 1), flags=4))
    assert padded.nbytes == 5 and dlpack.struct_of(padded[1:].__dlpack__(max_version=(1, 0))).flags == 4
    assert from_dlpack(Producer(memory, (2,), dtype=(4, 16, 1))).dtype == "bfloat16"


@pytest.mark.parametrize("kind", [Producer, OldProducer])
@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        ((floats(), (-1,)), {}, "dimension 0 of an array is negative, -1"),
        ((floats(), (2**62, 4)), {}, "an array is too large"),
        ((floats(), (2**62,)), {}, "an array is too large"),
        ((floats(), (2, 2)), {"strides": (2**63 - 1, 1)}, "an array is too large|strides of a tensor are too large"),
        ((floats(), (2, 2)), {"strides": (-(2**63), 1)}, "the strides of a tensor are too large"),
        ((floats(), (2,)), {"ndim": -1}, "an array has up to 64 dimensions, not -1"),
        ((floats(), (1,) * 65), {}, "an array has up to 64 dimensions, not 65"),
        ((0, (3,)), {}, "a tensor with elements has no data"),
        ((floats(), (3,)), {"dtype": (2, 0, 1)}, "the elements of an array have no size"),
        ((floats(), (3,)), {"dtype": (2, 32, 0)}, "the elements of an array have no size"),
    ],
)
def test_tensors_that_no_array_is(kind, arguments, options, words):
    producer = kind(*arguments, **options)
    with pytest.raises(ValueError, match=words):
        from_dlpack(producer)
    assert producer.deleted == 1


def test_versions_that_nobody_knows():
    producer = Producer(floats(), version=(2, 0))
    with pytest.raises(BufferError, match="a tensor is of version 2.0 of DLPack; only 1.x is known"):
        from_dlpack(producer)
    assert producer.deleted == 1
    assert from_dlpack(Producer(floats(), version=(1, 99)))[1] == 1


@pytest.mark.parametrize(
    ("answer", "error", "words"),
    [
        (lambda: None, TypeError, "from_dlpack: expected a capsule of DLPack's, got NoneType"),
        (lambda: dlpack.table_capsule(dlpack.Table()), TypeError, "expected a capsule of DLPack's, got PyCapsule"),
        (lambda: 1 / 0, ZeroDivisionError, "division"),
    ],
)
def test_producers_that_are_wrong(answer, error, words):
    class Wrong:
        def __dlpack__(self, **options):
            return answer()

    with pytest.raises(error, match=words):
        from_dlpack(Wrong())


def test_what_has_no_dlpack():
    for other in (3, [1.0], b"abc", None, object()):
        with pytest.raises(
            TypeError, match=f"from_dlpack: expected an object with __dlpack__, got {type(other).__name__}"
        ):
            from_dlpack(other)
    for wrong in ((), (1, 2), (floats(), None, None)):
        with pytest.raises(TypeError):
            from_dlpack(*wrong)


def test_device_and_copy_are_asked_of_the_producer():
    producer = Producer(floats())
    assert from_dlpack(producer, device="cpu").device == jitffi.Device("cpu")
    assert from_dlpack(producer, device=jitffi.Device("cpu"), copy=False).size == 6
    assert producer.asked == [
        {"max_version": (1, 1), "dl_device": (1, 0)}, {"max_version": (1, 1), "dl_device": (1, 0), "copy": False},
    ]  # fmt: skip
    made = from_dlpack(producer, copy=True)
    made[0] = 5
    assert producer.memory[0] == 0 and producer.deleted == 3
    copied = Producer(floats(), flags=2)  # which says that it has copied: once is enough
    assert from_dlpack(copied, copy=True).address == ctypes.addressof(copied.memory)
    with pytest.raises(BufferError, match="from_dlpack: Producer is on cpu:0, and does not copy itself to cuda:1"):
        from_dlpack(producer, device="cuda:1")
    assert producer.deleted == 4 and copied.deleted == 1
    for wrong, error in (("nowhere", ValueError), (3, TypeError)):
        with pytest.raises(error, match="from_dlpack: "):
            from_dlpack(producer, device=wrong)
    old = OldProducer(floats())
    made = from_dlpack(old, device="cpu", copy=True)
    made[0] = 5
    assert old.memory[0] == 0 and old.deleted == 1


@pytest.mark.parametrize("device", [CUDA, EXTERNAL, (8, 0)])
def test_arrays_of_other_devices_pass_untouched(device):
    """By a device that is not there: whatever read or wrote an element would crash."""
    producer = Producer(0x1000, (4, 5), device=device)
    mine = from_dlpack(producer)
    name = str(jitffi.Device(jitffi.Device(mine.device)))
    assert mine.device.dlpack_device_type() == device[0] and mine.__dlpack_device__() == device
    views = (mine[1:, ::2], mine.T, mine[2], mine.reshape(20), mine[..., None])
    assert repr(mine) == f"<NDArray float32[4, 5] on {name}>" and all(view.device == mine.device for view in views)
    capsule = mine[1:].__dlpack__(stream=7, max_version=(1, 0), dl_device=device)
    tensor = dlpack.struct_of(capsule).tensor
    assert (tensor.data or 0) + tensor.byte_offset == 0x1000 + 20 and (tensor.device.type, tensor.device.id) == device
    assert jitffi.List([mine])[0] is mine and jitffi.convert(lambda a: a)(mine) is mine
    here = "are on .*, and are read on the CPU alone"
    for use in (
        lambda a: a[0, 0], NDArray.tolist, NDArray.numpy, NDArray.copy, memoryview, NDArray.__reduce__, numpy.asarray,
        lambda a: a == 1, lambda a: a.__setitem__(0, 1), lambda a: a[:1, :1].item(), lambda a: a.__dlpack__(copy=True),
        lambda a: NDArray.zeros((4, 5), "float32").__setitem__(..., a),
    ):  # fmt: skip
        with pytest.raises(BufferError, match=here):
            use(mine)
    with pytest.raises(AttributeError):
        mine.__array_interface__  # noqa: B018
    with pytest.raises(BufferError, match="is not copied to cpu:0"):
        mine.__dlpack__(dl_device=CPU)
    del mine, views, capsule
    gc.collect()
    assert producer.deleted == 1


# -- out -------------------------------------------------------------------------------------------------------


def test_numpy_takes_ours():
    a = NDArray.zeros((3, 4), "float32")[::2, 1:]
    theirs = numpy.from_dlpack(a)
    assert theirs.shape == (2, 3) and theirs.__array_interface__["data"][0] == a.address
    theirs[0, 0] = 5
    assert a[0, 0] == 5 and numpy.from_dlpack(from_dlpack(theirs)).tolist() == theirs.tolist()
    address = a.address
    del a
    gc.collect()
    assert theirs.__array_interface__["data"][0] == address and theirs[0, 0] == 5


def test_capsules():
    a = NDArray.zeros((2, 3), "int16")
    before = a.ref_count
    legacy, versioned = a.__dlpack__(), a.__dlpack__(max_version=(1, 7))
    assert a.ref_count == before + 2
    assert dlpack.name_of(legacy) == b"dltensor" and dlpack.name_of(versioned) == b"dltensor_versioned"
    assert dlpack.name_of(a.__dlpack__(max_version=(0, 9))) == b"dltensor"
    assert dlpack.name_of(a.__dlpack__(max_version=(2, 0))) == b"dltensor_versioned"
    struct = dlpack.struct_of(versioned)
    assert (struct.major, struct.flags, struct.tensor.ndim) == (1, 0, 2)
    assert struct.tensor.data == a.address and struct.tensor.shape[:2] == [2, 3] and struct.tensor.strides[:2] == [3, 1]
    assert (struct.tensor.dtype.code, struct.tensor.dtype.bits, struct.tensor.dtype.lanes) == (0, 16, 1)
    del legacy, versioned
    assert a.ref_count == before
    for options in ({"dl_device": CPU}, {"copy": False}, {"stream": None}):
        assert dlpack.struct_of(a.__dlpack__(max_version=(1, 0), **options)).tensor.data == a.address
    copied = dlpack.struct_of(capsule := a[:, ::2].__dlpack__(max_version=(1, 0), copy=True))
    assert copied.flags == 2 and copied.tensor.data != a.address and from_dlpack(capsule).strides == (2, 1)
    assert a.__dlpack_device__() == CPU


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"stream": 1}, ValueError, "__dlpack__: stream: there are none on the CPU, expected None"),
        ({"max_version": 1}, TypeError, "__dlpack__: max_version: expected a tuple of two ints, got int"),
        ({"max_version": (1,)}, TypeError, "max_version"),
        ({"max_version": ("1", 0)}, TypeError, "int"),
        ({"dl_device": "cpu"}, TypeError, "__dlpack__: dl_device: expected a tuple of two ints, got str"),
        ({"dl_device": (1, 2, 3)}, TypeError, "dl_device"),
        ({"dl_device": (2, 0)}, BufferError, "the array is on cpu:0, and is not copied to cuda:0"),
        ({"other": 1}, TypeError, "other"),
    ],
)
def test_what_dlpack_refuses(options, error, words):
    a = NDArray.zeros(3, "int8")
    with pytest.raises(error, match=words):
        a.__dlpack__(**options)
    with pytest.raises(TypeError):
        a.__dlpack__(None)
    assert a.ref_count == 1


# -- the table -------------------------------------------------------------------------------------------------


def test_ours_by_the_table():
    table = dlpack.table_of(NDArray)
    assert (table.major, table.minor, table.previous) == (1, 3, None)
    a = NDArray.zeros((2, 3), "int32")
    out, stream, made = ctypes.c_void_p(), ctypes.c_void_p(1), ctypes.py_object()
    assert table.from_object(a, out) == 0 and a.ref_count == 2
    struct = dlpack.Versioned.from_address(out.value)
    assert struct.tensor.data == a.address and struct.tensor.shape[1] == 3
    assert table.to_object(out.value, made) == 0
    other = dlpack.owned(made)
    assert type(other) is NDArray and other.address == a.address
    del other, made
    assert a.ref_count == 1
    tensor = dlpack.Tensor()
    assert table.view_object(a, tensor) == 0 and tensor.data == a.address and tensor.ndim == 2 and a.ref_count == 1
    assert table.stream(1, 0, stream) == 0 and stream.value is None
    for use in (lambda: table.from_object([], out), lambda: table.view_object(3, tensor)):
        with pytest.raises(TypeError, match="expected NDArray, got"):
            use()


def test_the_table_allocates():
    table = dlpack.table_of(NDArray)
    failures = []
    fail = dlpack.FAIL(lambda context, kind, message: failures.append((context, kind, message)))
    shape = (ctypes.c_int64 * 2)(3, 4)
    prototype = dlpack.Tensor(None, dlpack.Device(1, 0), 2, dlpack.DataType(2, 64, 1), shape, None, 0)
    out, made = ctypes.c_void_p(), ctypes.py_object()
    assert table.allocate(prototype, out, None, fail) == 0 and table.to_object(out.value, made) == 0
    array = dlpack.owned(made)
    assert array.shape == (3, 4) and array.dtype == "float64" and array.address % 64 == 0
    shape[0] = -1
    assert table.allocate(prototype, out, 5, fail) == -1 and out.value is None
    prototype.device.type = 2
    assert table.allocate(prototype, out, 6, fail) == -1
    assert failures == [
        (5, b"ValueError", b"dimension 0 of an array is negative, -1"),
        (6, b"BufferError", b"jitffi allocates memory on the CPU alone"),
    ]


class Tabled:
    """Of a type with a table: __dlpack__ is not called."""

    def __init__(self, producer=None):
        self.producer = producer

    def __dlpack__(self, **options):
        raise AssertionError("there is a table")


def _from_object(object_, out):
    if object_.producer is None:
        raise LookupError("nothing there")
    out[0] = ctypes.addressof(object_.producer.struct)
    return 0


TABLE = dlpack.Table()


def test_theirs_by_the_table():
    def convert(object_, out):
        try:
            return _from_object(object_, out)
        except LookupError:
            return -1

    TABLE.major, TABLE.minor = 1, 3
    TABLE.from_object = type(TABLE.from_object)(convert)
    Tabled.__dlpack_c_exchange_api__ = dlpack.table_capsule(TABLE)
    producer = Producer(floats(), flags=1)
    mine = from_dlpack(Tabled(producer))
    assert mine.tolist() == [0, 1, 2, 3, 4, 5] and mine.readonly
    assert not from_dlpack(Tabled(Producer(floats())), copy=True).readonly
    del mine
    assert producer.deleted == 1
    with pytest.raises(BufferError, match="from_dlpack: Tabled gives no tensor"):
        from_dlpack(Tabled())
    with pytest.raises(AssertionError, match="there is a table"):  # it cannot say which device
        from_dlpack(Tabled(producer), device="cpu")


# -- memory ----------------------------------------------------------------------------------------------------


def test_tensors_are_given_back_by_any_thread():
    """As native code does: without the GIL, on a thread of its own."""
    a = NDArray.zeros(3, "int8")
    before = live_objects()
    out = ctypes.c_void_p()
    assert dlpack.table_of(NDArray).from_object(from_dlpack(numpy.zeros(5)), out) == 0
    deleter = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(dlpack.Versioned.from_address(out.value).deleter)
    deleter(out.value)  # ctypes lets the GIL go
    assert live_objects() == before and a.ref_count == 1


def test_nothing_stays():
    def work():
        a = from_dlpack(numpy.zeros((3, 4)))
        capsules = [a.__dlpack__(), a.__dlpack__(max_version=(1, 0)), a.__dlpack__(copy=True)]
        numpy.from_dlpack(a[::2])
        from_dlpack(a)
        from_dlpack(a, copy=True)
        from_dlpack(a, device="cpu")
        from_dlpack(capsules.pop())
        for use in (
            lambda: from_dlpack(a, device="cuda"), lambda: from_dlpack(3), lambda: from_dlpack(a, device=3),
            lambda: from_dlpack(Producer(floats(), (-1,))),
            lambda: a.__dlpack__(stream=1), lambda: a.__dlpack__(dl_device=(2, 0)),
        ):  # fmt: skip
            with pytest.raises((TypeError, ValueError, BufferError)):
                use()

    assert_nothing_stays(work)
