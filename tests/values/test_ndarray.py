"""jitffi.NDArray against NumPy: making, attributes, indices, shapes, copies, numbers."""

from __future__ import annotations

import copy
import doctest
import functools
import gc
import pickle
import weakref

import ml_dtypes
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays, settle

import jitffi

NDArray = jitffi.NDArray
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
EXTRAS = ("bfloat16", "float8_e4m3fn", "float8_e5m2")
ALL = (*INTEGERS, *FLOATS, "complex64", "complex128", "bool", *EXTRAS)


def setup_module():
    settle()


def numbered(*shape, dtype="int32"):
    """An array of the numbers from 0 on, and NumPy's of the same."""
    mine = NDArray.empty(shape, dtype)
    mine.numpy()[...] = numpy.arange(mine.size).reshape(shape)
    return mine, numpy.array(mine.numpy())


def outcome(call):
    try:
        return call()
    except Exception as error:
        return type(error)


# -- making ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ALL)
def test_what_a_new_array_says_of_itself(dtype):
    a = NDArray.zeros((2, 0, 3), dtype)
    assert (a.shape, a.strides, a.ndim, a.size, a.nbytes) == ((2, 0, 3), (3, 3, 1), 3, 0, 0)
    a = NDArray.zeros((2, 3), dtype)
    assert type(a) is NDArray and isinstance(a, jitffi.Object) and a.type_key == "ndarray" and a.ref_count == 1
    assert a.shape == (2, 3) and a.strides == (3, 1) and a.ndim == 2 and a.size == 6 and len(a) == 2
    assert a.dtype == jitffi.DataType(dtype) and type(a.dtype) is jitffi.DataType and a.device == jitffi.Device("cpu")
    assert a.nbytes == 6 * a.dtype.itemsize and a.address % 64 == 0 and a.readonly is False
    assert not a.numpy().view("uint8").any() and a.numpy().dtype == a.dtype.numpy()


def test_shapes_alignments_and_data_types_are_anything_that_says_so():
    class Index:
        def __index__(self):
            return 3

    assert NDArray.empty(4, float).shape == (4,) and NDArray.empty((), "f32").shape == ()
    assert NDArray.empty([Index(), numpy.int8(2)], numpy.float32).shape == (3, 2)
    assert NDArray.empty(jitffi.Shape((1, 2)), jitffi.DataType("int8"), device="cpu").shape == (1, 2)
    assert NDArray.empty(iter((5,)), dtype=numpy.dtype("uint8"), device=jitffi.Device("cpu")).shape == (5,)
    for alignment in (1, 2, 256, 4096):
        assert NDArray.empty(3, "int8", alignment=alignment).address % alignment == 0


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (((1, -2), "int8"), ValueError, "dimension 1 of an array is negative, -2"),
        (((2**62, 8), "int8"), ValueError, "an array is too large"),
        ((2**62, "int64"), ValueError, "an array is too large"),
        (((0, 2**40, 2**40), "int8"), ValueError, "an array is too large"),
        ((2**70, "int8"), OverflowError, "NDArray.empty: an int is beyond 64 bits"),
        (((1,) * 65, "int8"), ValueError, "NDArray.empty: an array has up to 64 dimensions, not 65"),
        ((1.5, "int8"), TypeError, "'float' object is not iterable"),
        (((1.5,), "int8"), TypeError, "NDArray.empty: expected ints, got float"),
        (((True,), "int8"), TypeError, "NDArray.empty: expected ints, got bool"),
        ((3, "int7b"), ValueError, "NDArray.empty: no data type is called 'int7b'"),
        ((3, object()), TypeError, "NDArray.empty: expected a data type, got object"),
        ((3, "int8", "cuda"), ValueError, "NDArray.empty: memory is allocated on the CPU alone, not on cuda"),
        ((3, "int8", "nowhere"), ValueError, "NDArray.empty: no device is called 'nowhere'"),
        ((3, "int8", 3), TypeError, "NDArray.empty: expected a device, got int"),
        ((3, "int8", "cpu", 48), ValueError, "an alignment is a power of two, up to 2\\*\\*30"),
        ((3, "int8", "cpu", -8), ValueError, "NDArray.empty: an alignment is a power of two, not -8"),
    ],
)
def test_what_no_array_can_be(arguments, error, words):
    with pytest.raises(error, match=words):
        NDArray.empty(*arguments)


def test_there_is_no_memory_for_everything():
    with pytest.raises(MemoryError):
        NDArray.empty(2**62, "int8")


def test_it_cannot_be_made_otherwise():
    with pytest.raises(TypeError, match="exactly 1 argument"):
        NDArray()
    with pytest.raises(TypeError, match="expected an array"):
        NDArray([1, 2])


# -- elements --------------------------------------------------------------------------------------------------

EDGES = {
    **{name: (0, 1, int(numpy.iinfo(name).min), int(numpy.iinfo(name).max)) for name in INTEGERS},
    **{name: (0.0, -0.0, 1.5, float("inf"), float(numpy.finfo(name).max)) for name in FLOATS},
    "complex64": (0j, 1 + 2j, complex(float("inf"), -1)),
    "complex128": (0j, 1e300 - 2e-300j),
    "bool": (False, True),
    **dict.fromkeys(EXTRAS, (0.0, 1.5, -2.0)),
}


@pytest.mark.parametrize("dtype", ALL)
def test_elements_are_pythons_numbers(dtype):
    a = NDArray.zeros(2, dtype)
    for value in EDGES[dtype]:
        a[1] = value
        assert a[1] == value and type(a[1]) is type(value)
        assert a.numpy()[1] == numpy.array(value, a.dtype.numpy()) and a[0] == 0
        a[1] = numpy.array([value], a.dtype.numpy())[0]
        assert a[1] == value
        assert a.tolist() == [type(value)(), value]


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_are_exact(dtype):
    a = NDArray.zeros(1, dtype)
    info = numpy.iinfo(dtype)
    for beyond in (int(info.min) - 1, int(info.max) + 1, 2**64, -(2**64), 2**200):
        with pytest.raises(OverflowError, match=f"NDArray: expected {dtype}, got {beyond}"):
            a[0] = beyond
    for wrong in (1.0, "1", None, 1j, numpy.float32(1), object()):
        with pytest.raises(TypeError, match=f"NDArray: expected {dtype}, got "):
            a[0] = wrong
    a[0] = True
    assert a[0] == 1


def test_floats_are_no_further_than_they_reach():
    for dtype, beyond in (("float16", 65520.0), ("float32", 1e39), ("bfloat16", 3.4e38), ("complex64", 1e39j)):
        with pytest.raises(OverflowError, match=f"NDArray: expected {dtype}, got"):
            NDArray.zeros(1, dtype)[0] = beyond
    a = NDArray.zeros(1, "float32")
    a[0] = 3
    assert a[0] == 3.0
    for wrong in ("1", 1j, None, [1.0]):
        with pytest.raises(TypeError, match="NDArray: expected float32, got"):
            a[0] = wrong
    for wrong in (1, 0.0, "x"):
        with pytest.raises(TypeError, match="NDArray: expected bool, got"):
            NDArray.zeros(1, "bool")[0] = wrong
    with pytest.raises(TypeError, match="NDArray: expected float8_e5m2, got str"):
        NDArray.zeros(1, "float8_e5m2")[0] = "x"


def test_an_element_may_run_code_that_lets_the_array_go():
    class Number:
        def __index__(self):
            holder.clear()
            gc.collect()
            return 5

    holder = [NDArray.zeros(3, "int64")]
    holder[0][1] = Number()
    assert not holder


def test_lanes_are_tuples():
    a = NDArray.zeros((2, 3), "float32x4")
    a[1, 2] = (1.0, 2.0, 3.0, 4.0)
    assert a[1, 2] == (1.0, 2.0, 3.0, 4.0) and a[0, 0] == (0.0,) * 4 and a.nbytes == 96
    assert a.numpy().shape == (2, 3, 4) and a.numpy()[1, 2].tolist() == [1, 2, 3, 4]
    assert a.T.numpy().shape == (3, 2, 4) and memoryview(a).shape == (2, 3, 4)
    for wrong in (1.0, (1.0,), "abcd"):
        with pytest.raises(TypeError, match="NDArray: expected float32x4"):
            a[0, 0] = wrong


def test_elements_that_share_bytes():
    a = NDArray.zeros(5, "int4")
    assert a.nbytes == 3 and a.dtype == "int4"
    for use in (lambda: a[0], a.tolist, a.numpy, a.copy, lambda: memoryview(a), lambda: pickle.dumps(a)):
        with pytest.raises(BufferError, match="elements of int4 share bytes, and cannot be reached one by one"):
            use()
    assert repr(a) == "<NDArray int4[5]>"


# -- indices ---------------------------------------------------------------------------------------------------

PARTS = st.one_of(st.integers(-4, 3), st.slices(4), st.just(Ellipsis), st.none())
SHAPES = st.lists(st.integers(0, 4), max_size=4).map(tuple)


def same(mine, theirs):
    if not isinstance(mine, NDArray):
        return type(mine) is int and theirs.shape == () and mine == theirs
    address = theirs.__array_interface__["data"][0]
    return (
        mine.shape == theirs.shape
        and numpy.array_equal(mine.numpy(), theirs)
        and (mine.address == address or not mine.size)
    )


@given(shape=SHAPES, key=st.lists(PARTS, max_size=6).map(tuple))
@settings(max_examples=400, deadline=None)
def test_an_index_is_numpys(shape, key):
    mine, _ = numbered(*shape)
    theirs = mine.numpy()
    expected = outcome(lambda: theirs[key])
    got = outcome(lambda: mine[key])
    assert got is expected is IndexError or same(got, expected), (shape, key)
    if len(key) == 1 and expected is not IndexError:
        assert same(mine[key[0]], theirs[key[0]])


@given(shape=SHAPES, key=st.lists(PARTS, max_size=5).map(tuple), value=st.integers(-5, 5))
@settings(max_examples=200, deadline=None)
def test_an_assignment_is_numpys(shape, key, value):
    mine, theirs = numbered(*shape)
    failed = outcome(lambda: theirs.__setitem__(key, value))
    assert outcome(lambda: mine.__setitem__(key, value)) is failed
    assert numpy.array_equal(mine.numpy(), theirs)


@given(shape=st.lists(st.integers(1, 4), min_size=1, max_size=3).map(tuple), data=st.data())
@settings(max_examples=200, deadline=None)
def test_overlapping_assignments_are_numpys(shape, data):
    mine, theirs = numbered(*shape)
    steps = data.draw(st.tuples(*(st.sampled_from((slice(None), slice(None, None, -1))) for _ in shape)))
    mine[...] = mine[steps]
    theirs[...] = theirs[steps].copy()
    assert numpy.array_equal(mine.numpy(), theirs)


@pytest.mark.parametrize(
    ("key", "error", "words"),
    [
        ((2,), IndexError, "index 2 is out of bounds for dimension 0 with 2 elements"),
        ((0, -4), IndexError, "index -4 is out of bounds for dimension 1 with 3 elements"),
        ((0, 0, 0), IndexError, "too many indices: 3 for 2 dimensions"),
        ((..., ...), IndexError, "an index has one ellipsis at most"),
        ((None,) * 63, IndexError, "an array has up to 64 dimensions"),
        ((None,) * 200, IndexError, "an index has more parts than an array can have dimensions"),
        (1.0, TypeError, "NDArray indices are ints, slices, None and ..., not float: others can be had by numpy\\(\\)"),
        (True, TypeError, "not bool"),
        ([0, 1], TypeError, "not list"),
        ("x", TypeError, "not str"),
        (2**70, IndexError, "cannot fit"),
        (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    ],
)
def test_what_is_no_index(key, error, words):
    a = NDArray.zeros((2, 3), "int8")
    with pytest.raises(error, match=words):
        a[key]
    with pytest.raises(error, match=words):
        a[key] = 1
    assert not a.numpy().any()


class Taker:
    """An index that takes the array away when it is read."""

    def __init__(self, array):
        self.array = array

    def __index__(self):
        jitffi.List().append(self.array._move())
        return 1


@pytest.mark.parametrize(
    "use",
    [
        lambda a: a[Taker(a)],
        lambda a: a[Taker(a) :],
        lambda a: a.reshape(Taker(a), 3),
        lambda a: a.transpose(Taker(a)),
        lambda a: a.__setitem__(Taker(a), 1),
    ],
)
def test_what_runs_meanwhile_may_take_the_array_away(use):
    moved = "NDArray: was moved"
    a = NDArray.zeros(3, "int8")
    with pytest.raises(ValueError, match=moved):
        use(a)
    assert repr(a) == f"<{moved}>"
    uses = (a.numpy, a.copy, a.tolist, a.item, a.reshape, a.transpose, a.__len__, a.__bool__, a.__reduce__)
    names = ("T", "shape", "strides", "dtype", "device", "size", "nbytes", "address", "readonly", "__array_interface__")
    for later in (*uses, lambda: a[0], lambda: a == 1, *(functools.partial(getattr, a, name) for name in names)):
        with pytest.raises(ValueError, match=moved):
            later()
    with pytest.raises(BufferError, match=moved):
        memoryview(a)


def test_memory_stays_while_it_is_in_use():
    a = NDArray.zeros(3, "int8")
    a[1] = Taker(a)
    a = NDArray.zeros(3, "int8")
    memory = memoryview(a)
    Taker(a).__index__()
    gc.collect()
    assert memory.tolist() == [0, 0, 0]


def test_arrays_are_copied_where_all_is_the_same():
    a, b = numbered(2, 3)[0], NDArray.zeros((2, 3), "int32")
    b[...] = a
    b[0] = a[1, ::-1]
    assert b.tolist() == [[5, 4, 3], [3, 4, 5]]
    with pytest.raises(ValueError, match="NDArray: expected a number or int32\\[2, 3\\], got int32\\[3\\]"):
        b[...] = a[0]
    with pytest.raises(TypeError, match="NDArray: expected a number or int32\\[2, 3\\], got float32\\[2, 3\\]"):
        b[...] = NDArray.zeros((2, 3), "float32")
    with pytest.raises(TypeError, match="elements cannot be deleted"):
        del b[0]


def test_going_through_it():
    mine, theirs = numbered(2, 3)
    assert [row.tolist() for row in mine] == theirs.tolist() and list(mine[1]) == [3, 4, 5] and 4 in mine[1]
    assert list(reversed(mine[0])) == [2, 1, 0] and max(mine[0]) == 2 and list(NDArray.empty(0, "int8")) == []
    point = NDArray.zeros((), "int8")
    for use in (lambda: len(point), lambda: iter(point)):
        with pytest.raises(TypeError, match="len\\(\\) of an NDArray without dimensions"):
            use()
    assert point[()] == 0 and point[...].shape == () and point.item() == 0
    point[()] = 7
    assert bool(point) and point.tolist() == 7 and not NDArray.zeros((1, 1), "float32")
    with pytest.raises(ValueError, match="NDArray: one element is asked of 6"):
        bool(mine)
    with pytest.raises(ValueError, match="NDArray: one element is asked of 0"):
        NDArray.empty(0, "int8").item()


# -- shapes ----------------------------------------------------------------------------------------------------


@given(shape=SHAPES, data=st.data())
@settings(max_examples=300, deadline=None)
def test_reshape_is_numpys_without_its_copies(shape, data):
    mine, _ = numbered(*shape)
    axes = data.draw(st.permutations(range(len(shape))))
    steps = data.draw(
        st.tuples(*(st.sampled_from((slice(None), slice(None, None, -1), slice(None, None, 2))) for _ in shape))
    )
    mine = mine.transpose(axes)[steps] if shape else mine
    theirs = mine.numpy()
    size, wanted = theirs.size, []
    while size > 1 and len(wanted) < 5:
        wanted.append(data.draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0])))
        size //= wanted[-1]
    wanted.append(data.draw(st.sampled_from((size, -1 if theirs.size else size))))
    expected = outcome(lambda: theirs.reshape(wanted))
    got = outcome(lambda: mine.reshape(wanted))
    if got is ValueError:
        assert not numpy.shares_memory(expected, theirs)
    elif theirs.size:
        assert same(got, expected) and numpy.shares_memory(got.numpy(), theirs)
    else:
        assert got.shape == expected.shape


def test_reshape_takes_numbers_or_a_shape():
    a, _ = numbered(2, 6)
    assert (
        a.reshape(3, 4).shape == a.reshape((3, 4)).shape == a.reshape([3, -1]).shape == a.reshape(-1, 4).shape == (3, 4)
    )
    assert a[0, :1].reshape(()).shape == () and a.reshape(12).shape == (12,) and a.reshape(1, 12, 1).shape == (1, 12, 1)
    assert NDArray.empty((0, 3), "int8").reshape(7, 0).shape == (7, 0)
    for wrong in ((5,), (-1, -1), (-2, -6), (7, -1), (0, -1), (2**40, 2**40), ()):
        with pytest.raises(ValueError, match=r"NDArray.reshape: int32\[2, 6\] has other elements than that shape"):
            a.reshape(wrong)
    with pytest.raises(ValueError, match=r"these strides take a copy for it: reshape a.copy\(\)"):
        a.T.reshape(12)
    with pytest.raises(TypeError):
        a.reshape("x")


@given(shape=SHAPES, data=st.data())
@settings(max_examples=100, deadline=None)
def test_transpose_is_numpys(shape, data):
    mine, _ = numbered(*shape)
    theirs = mine.numpy()
    assert same(mine.T, theirs.T) and same(mine.transpose(), theirs.transpose())
    axes = data.draw(st.permutations(range(len(shape))))
    axes = [axis - len(shape) if data.draw(st.booleans()) else axis for axis in axes]
    assert same(mine.transpose(axes), theirs.transpose(axes)) and same(mine.transpose(*axes), theirs.transpose(axes))


def test_what_is_no_transpose():
    a = NDArray.zeros((2, 3), "int8")
    for wrong in ((0,), (0, 0), (0, 2), (-3, 0), (0, 1, 2), ()):
        with pytest.raises(ValueError, match="NDArray.transpose: expected each of the 2 axes once"):
            a.transpose(wrong)
    assert NDArray.empty((1,) * 64, "int8").transpose(range(64)).ndim == 64


# -- copies and comparisons ------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*ALL, "float32x2"])
def test_copies_are_of_the_values(dtype):
    a = NDArray.zeros((3, 4), dtype)
    a.numpy().view("uint8")[...] = numpy.arange(a.nbytes, dtype="uint8").reshape(a.numpy().view("uint8").shape) % 64
    view = a.T[::-1, 1:]
    for made in (
        view.copy(), copy.copy(view), copy.deepcopy(view),
        *(pickle.loads(pickle.dumps(view, protocol)) for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)),
    ):  # fmt: skip
        assert type(made) is NDArray and made.dtype == dtype and made.shape == (4, 2) and made.strides == (2, 1)
        assert made.numpy().tobytes() == view.numpy().tobytes() and not made.readonly
        assert not numpy.shares_memory(made.numpy(), a.numpy())


def test_pickles_of_others_are_refused():
    for arguments in (((2,), "int8", b"x"), ((2**40,), "int8", b""), ((-1,), "int8", b""), ((1,), "nothing", b"x")):
        with pytest.raises((ValueError, MemoryError)):
            NDArray._restore(*arguments)


def test_comparisons_are_numpys():
    a, b = numbered(2, 3)
    assert (a == b).all() and (a == a.copy()).all() and (b == a).all() and not (a != a).any()
    assert (a == 3).tolist() == [[False, False, False], [True, False, False]] and isinstance(a == 3, numpy.ndarray)
    assert not (a == None).any()  # noqa: E711
    with pytest.raises(TypeError):
        a < a  # noqa: B015, PLR0124
    with pytest.raises(ValueError, match="ambiguous"):
        assert a == b


def test_hash_is_of_the_object():
    a, b = NDArray.zeros(3, "int8"), NDArray.zeros(3, "int8")
    assert hash(a) == hash(a) and {a: 1, b: 2}[a] == 1 and len({a, b}) == 2
    assert weakref.ref(a)() is a


def test_repr():
    assert repr(numbered(2, 3)[0]) == "NDArray([[0, 1, 2], [3, 4, 5]], 'int32')"
    assert repr(NDArray.zeros((), "bool")) == "NDArray(False, 'bool')"
    assert repr(NDArray.zeros(25, "f32")) == "<NDArray float32[25]>"
    assert repr(NDArray.zeros((2, 3), "bf16")) == "<NDArray bfloat16[2, 3]>"


# -- memory ----------------------------------------------------------------------------------------------------


def test_views_outlive_what_they_are_of():
    a, _ = numbered(4, 5)
    element = a[1:, ::2].T[-1].reshape(3)[1:]
    expected = element.tolist()
    plain = a.numpy()[2]
    del a
    gc.collect()
    assert element.tolist() == expected == [14, 19] and plain.tolist() == [10, 11, 12, 13, 14]


def test_nothing_stays():
    class Bad:
        def __index__(self):
            raise KeyError("bad")

    def work():
        a, _ = numbered(3, 4)
        views = (a.T, a[1], a[:, ::-2], a.reshape(4, 3), a.copy(), a.numpy(), memoryview(a), a.tolist(), repr(a))
        a[1] = a[0]
        a[...] = 5
        pickle.loads(pickle.dumps(a))
        for use in (
            lambda: a[Bad()], lambda: a.__setitem__(0, Bad()), lambda: a.__setitem__(0, "x"), lambda: a.reshape(5),
            lambda: a.__setitem__(0, a.T), lambda: NDArray.empty(Bad(), "int8"), lambda: a[7], lambda: a[1.5],
            lambda: NDArray.empty(2**61, "int64"), lambda: NDArray._restore((3,), "int8", b"x"), lambda: iter(a[0, 0]),
        ):  # fmt: skip
            assert isinstance(outcome(use), type)
        NDArray.zeros(2, "bfloat16").numpy()
        NDArray.zeros(2, "float8_e5m2")[0] = 2
        NDArray.zeros(2, "float32x2")[0] = (1, 2)
        return views

    assert_nothing_stays(work)


def test_examples_of_its_documentation():
    finder = doctest.DocTestFinder()
    results = [doctest.DocTestRunner().run(test) for test in finder.find(NDArray, globs={})]
    assert sum(result.attempted for result in results) > 3 and not any(result.failed for result in results)


def test_numbers_of_ml_dtypes_are_exact():
    a = NDArray.zeros(4, "bfloat16")
    values = numpy.array([1.0, -2.5, 3e38, 1e-30], ml_dtypes.bfloat16)
    for i, value in enumerate(values):
        a[i] = value
    assert a.numpy().tolist() == values.tolist() == a.tolist()


def test_int_reads_the_element_and_no_digits() -> None:
    array = NDArray.zeros(1, "uint8")
    array[0] = ord("1")
    assert int(array) == ord("1")
    with pytest.raises(ValueError, match="one element is asked of 2"):
        int(NDArray.zeros(2, "uint8"))


@pytest.mark.parametrize("name", ["handle128", "handle248", "int4x2"])
def test_what_is_no_python_number_is_a_type_error(name: str) -> None:
    array = NDArray.zeros(2, name)
    with pytest.raises(TypeError, match=f"no Python value is an element of {name}"):
        array[0]
    with pytest.raises(TypeError, match=f"no Python value is an element of {name}"):
        array[0] = 1


def test_numpy_arrays_are_assigned() -> None:
    array = NDArray.zeros((2, 3), "float64")
    array[0] = numpy.arange(3.0)
    array[...] = array.numpy()[::-1]
    assert array.tolist() == [[0, 0, 0], [0, 1, 2]]
    array[0] = numpy.array(5.0)
    assert array.tolist() == [[5, 5, 5], [0, 1, 2]]
    with pytest.raises(TypeError, match=r"expected a number or float64\[3\], got float32\[3\]"):
        array[0] = numpy.arange(3, dtype="f4")
    with pytest.raises(ValueError, match=r"expected a number or float64\[3\], got float64\[2\]"):
        array[0] = numpy.arange(2.0)


def test_names_of_pytorch() -> None:
    array = NDArray.zeros((4, 3), "int16")
    assert array.numel() == array.size == 12 and array.data_ptr() == array.address
    assert array.is_contiguous() and not array.T.is_contiguous() and array[:, :0].is_contiguous()
    assert array.__chandle__() == array.handle
