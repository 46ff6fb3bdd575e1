"""jitffi.NDArray as a value: through packed functions, containers and callbacks, and by its content."""

from __future__ import annotations

import ctypes
import gc
import json
import pickle
from typing import Annotated, Any

import ml_dtypes
import numpy
import pytest
from support.dlpack import Producer
from support.leaks import assert_nothing_stays, settle

import jitffi

NDArray = jitffi.NDArray
same = jitffi.convert(lambda value: value)


def setup_module():
    settle()


def counted(*shape, dtype="int32"):
    mine = NDArray.empty(shape, dtype)
    mine.numpy()[...] = numpy.arange(mine.size).reshape(shape)
    return mine


# -- as itself ---------------------------------------------------------------------------------------------------


def test_what_goes_in_comes_back_as_itself():
    a = counted(2, 3)
    assert same(a) is a and jitffi.convert(a) is a and a.ref_count == 1
    assert jitffi.List([a, (a,)])[0] is a and jitffi.Map(x=a)["x"] is a and jitffi.Tuple([a])[0] is a
    typed = jitffi.Function(jitffi.function("(any, object) -> object")(lambda one, other: one))
    assert typed(a, a) is a
    for signature in ("(list[any]) -> any", "(list[object]) -> any"):
        assert jitffi.function(signature)(lambda items: items[0])([a]) is a
    held = jitffi.List([a])
    del a
    gc.collect()
    assert held[0].tolist() == [[0, 1, 2], [3, 4, 5]] and type(held[0]) is NDArray


def test_it_is_no_other_value():
    a = counted(3)
    for type_ in ("i64", "f64", "bool", "str", "list[any]", "map[str, any]", "func", "module", "dtype"):
        with pytest.raises(TypeError, match="argument 1: expected"):
            jitffi.function(f"({type_}) -> i64")(lambda value: 0)(a)


def test_its_address_is_that_of_a_tensor():
    a = counted(2, 3)
    tensor = ctypes.c_void_p.from_address(a.handle + 16)
    assert tensor.value == a.address and ctypes.c_int32.from_address(a.handle).value == 3 == a.type_code


# -- NumPy's arrays ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "convert", [jitffi.convert, same, lambda value: jitffi.List([value])[0], lambda value: jitffi.Map(x=value)["x"]]
)
def test_numpys_arrays_become_arrays_of_the_same_memory(convert):
    theirs = numpy.arange(12.0).reshape(3, 4)[::-1, ::2]
    mine = convert(theirs)
    assert type(mine) is NDArray and mine.shape == (3, 2) and mine.strides == (-4, 2) and mine.dtype == "float64"
    assert mine.address == theirs.__array_interface__["data"][0] and not mine.readonly
    expected = theirs.tolist()
    del theirs
    gc.collect()
    assert mine.tolist() == expected
    frozen = numpy.zeros(2)
    frozen.flags.writeable = False
    assert convert(frozen).readonly


@pytest.mark.parametrize(
    "dtype", ["bool", "int8", "uint64", "float16", "complex128", ml_dtypes.bfloat16, ml_dtypes.float8_e5m2]
)
def test_data_types_of_numpys_arrays(dtype):
    theirs = numpy.zeros((2, 0, 3), dtype)
    assert same(theirs).dtype == jitffi.DataType(numpy.dtype(dtype)) and same(theirs).shape == (2, 0, 3)
    assert same(theirs).numpy().dtype == theirs.dtype and same(numpy.zeros((), dtype)).shape == ()


@pytest.mark.parametrize(
    "other",
    [
        numpy.zeros(3, ">i4"), numpy.array(["a"]), numpy.array([None]), numpy.zeros(2, [("x", "i4"), ("y", "f4")]),
        numpy.zeros(2, [("x", "i4"), ("y", "i1")])["x"], numpy.ma.zeros(3), numpy.zeros(3, "datetime64[s]"),
        numpy.zeros((2, 2)).view(numpy.matrix), numpy.zeros(2, "longdouble"),
    ],
    ids=lambda array: f"{type(array).__name__}-{array.dtype}",
)  # fmt: skip
def test_other_arrays_are_held_as_they_are(other):
    assert same(other) is other and jitffi.List([other])[0] is other


def test_the_lasting_reference_keeps_the_memory():
    theirs = numpy.zeros(3)
    held = jitffi.List([theirs])
    with pytest.raises(ValueError, match="cannot resize"):
        theirs.resize(100)
    held[0][1] = 5
    assert theirs[1] == 5


# -- a borrowed tensor -------------------------------------------------------------------------------------------


def test_a_borrowed_tensor_is_no_value(build_library):
    library = build_library("""
        #include "jitffi/ndarray.h"
        JITFFI_EXPORT_ABI;
        JITFFI_EXPORT(call, "(func) -> any") {
          int64_t data = 7, shape = 1;
          jf_dltensor tensor = {&data, {JF_CPU, 0}, 1, {JF_DL_INT, 64, 1}, &shape, NULL, 0};
          jf_view view = {.type_code = JF_DLTENSOR, .v_handle = &tensor};
          return jf_function_call(args[0].v_object, 1, &view, out);
        }
        JITFFI_EXPORT(last, "(any) -> any") {
          if (args[0].type_code != JF_NDARRAY) { jf_error_set("TypeError", "no array"); return -1; }
          const jf_dltensor* tensor = jf_ndarray_tensor(args[0].v_object);
          const int64_t one = 1;
          jf_object* view = jf_ndarray_view(args[0].v_object, 1, &one, tensor->strides,
                                            (tensor->shape[0] - 1) * tensor->strides[0]);
          if (!view) return -1;
          jf_out_object(out, view);
          return 0;
        }
    """, runtime=True)  # fmt: skip
    module = jitffi.load_module(library)

    def work():
        with pytest.raises(ValueError, match="a borrowed DLTensor cannot become a Python object: pass an nd-array"):
            module.call(lambda tensor: 1)
        theirs = numpy.arange(5)[::-1]
        last = module.last(theirs)
        assert type(last) is NDArray and last.tolist() == [0]
        assert last.address == theirs[-1:].__array_interface__["data"][0]
        last[0] = 9
        assert theirs[4] == 9
        with pytest.raises(TypeError, match="no array"):
            module.last([1])

    assert_nothing_stays(work)


# -- by content --------------------------------------------------------------------------------------------------


def test_arrays_are_equal_by_their_elements():
    a, b = counted(2, 3), counted(2, 3)
    equal = jitffi.structural_equal
    assert equal(a, b) and equal([a, {"x": b}], [b, {"x": a}]) and jitffi.List([a]) == jitffi.List([b])
    assert equal(a, a.numpy()) and equal([numpy.arange(6, dtype="int32").reshape(2, 3)], [a]) and equal(a.T, a.T.copy())
    assert (
        not equal(a, a.T)
        and not equal(a, counted(6))
        and not equal(a, counted(2, 3, dtype="int64"))
        and not equal(a, 1)
    )
    assert not equal(a, a.tolist())
    b[1, 2] = 0
    assert not equal(a, b) and jitffi.List([a]) != jitffi.List([b])
    nan = NDArray.zeros(1, "float64")
    nan[0] = float("nan")
    assert equal(nan, nan.copy())
    assert jitffi.List([1, a]).index(a.copy()) == 1 and a in jitffi.List([a]) and b not in jitffi.List([a])


def test_hashes_are_of_the_content():
    a, b = counted(2, 3), counted(3, 2).T
    b[...] = a
    digest = jitffi.structural_hash
    assert digest(a) == digest(b) == digest(a.numpy()) and digest([a]) == digest([b]) == digest(jitffi.List([a]))
    assert len({digest(each) for each in (a, a.T, counted(6), counted(2, 3, dtype="int64"))}) == 4
    with pytest.raises(TypeError, match="unhashable type: 'ndarray'"):
        jitffi.Map({a: 1})


@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64", "bfloat16", "float32x2", "bool"])
def test_json_has_the_elements(dtype):
    a = NDArray.zeros((2, 3), dtype)
    a.numpy().view("uint8").reshape(-1)[3:6] = 1
    text = jitffi.to_json({"a": a, "b": [a.T]})
    back = jitffi.from_json(text)
    assert type(back["a"]) is NDArray and back["a"].dtype == dtype
    assert jitffi.structural_equal(back, {"a": a, "b": [a.T]})
    assert set(json.loads(text)["a"]["$ndarray"]) == {"dtype", "shape", "data"}
    assert jitffi.to_json(counted(2)) == '{"$ndarray": {"dtype": "int32", "shape": [2], "data": "AAAAAAEAAAA="}}'
    assert jitffi.to_json(numpy.arange(2, dtype="int32")) == jitffi.to_json(counted(2))


@pytest.mark.parametrize(
    "content",
    [
        '"x"', "[]", "{}", '{"dtype": "int8", "shape": [1], "data": ""}',
        '{"dtype": "int8", "shape": [-1], "data": ""}', '{"dtype": "int8", "shape": [35184372088832], "data": "AA=="}',
        '{"dtype": "what", "shape": [1], "data": "AA=="}', '{"dtype": "int8", "shape": [1e99], "data": "AA=="}',
        '{"dtype": "int8", "shape": 1, "data": "A"}', '{"dtype": 3, "shape": [1], "data": "AA=="}',
    ],
)  # fmt: skip
def test_json_of_no_array(content):
    with pytest.raises(ValueError, match="from_json|NDArray|array|Incorrect padding|MemoryError"):
        jitffi.from_json(f'{{"$ndarray": {content}}}')


def test_pythons_own():
    a = counted(2, 3)
    for plain in (
        jitffi.to_plain([a]),
        jitffi.List([a]).to_python(),
        jitffi.Map(x=a).to_python()["x"],
        [jitffi.to_plain(a)],
    ):
        array = plain[0] if isinstance(plain, list) else plain
        assert type(array) is numpy.ndarray and array.__array_interface__["data"][0] == a.address
    assert repr(jitffi.List([counted(2), 1])) == "List([NDArray([0, 1], 'int32'), 1])"
    back = pickle.loads(pickle.dumps(jitffi.List([a])))
    assert back == jitffi.List([a]) and back[0] is not a


def test_arrays_of_other_devices():
    elsewhere = jitffi.from_dlpack(producer := Producer(0x1000, (2, 3), device=(2, 0)))
    other = jitffi.from_dlpack(Producer(0x2000, (2, 3), device=(2, 0)))
    assert same(elsewhere) is elsewhere and jitffi.structural_equal([elsewhere], [elsewhere[:]])
    with pytest.raises(BufferError, match="arrays are compared on the CPU alone"):
        jitffi.structural_equal([elsewhere], [other])
    with pytest.raises(TypeError, match=r"to_json: value\[0\]: NDArray: its elements are on cuda:0"):
        jitffi.to_json([elsewhere])
    assert jitffi.List([elsewhere]).to_python()[0] is elsewhere
    assert repr(jitffi.List([elsewhere])) == "List([<NDArray float32[2, 3] on cuda:0>])"
    assert producer.deleted == 0


def test_tensors_end_in_one_collection_with_who_made_them():
    """As where a test has failed, whose traceback holds both: the deleter has to be there for the tensor."""
    producer = Producer(0x1000, (2, 3), device=(2, 0))
    cycle = [producer, jitffi.from_dlpack(producer)]
    cycle.append(cycle)
    del cycle
    gc.collect()
    assert producer.deleted == 1
    cycle = [Producer(0x1000, (2, 3), device=(2, 0))]
    cycle += [jitffi.List([jitffi.from_dlpack(cycle[0])]), cycle]
    del cycle
    gc.collect()
    assert Producer.given[-1][1].deleted == 1


def test_nothing_stays():
    def work():
        a, theirs = counted(2, 3), numpy.zeros((3, 4))
        same(a), same(theirs), same([theirs, {"a": a}])
        items = jitffi.List([a, theirs, theirs.T])
        (
            repr(items),
            items.to_python(),
            jitffi.to_plain(items),
            items == jitffi.List(items),
            jitffi.structural_hash(items),
        )
        jitffi.from_json(jitffi.to_json(items))
        for wrong in ('{"dtype": "int8", "shape": [1], "data": ""}', "3"):
            with pytest.raises(ValueError, match="NDArray|from_json"):
                jitffi.from_json(f'{{"$ndarray": {wrong}}}')

    assert_nothing_stays(work)


# -- arrays of other packages in fields and unions -----------------------------------------------------------------


@jitffi.register_object("tests.slots.Holder")
class Holder:
    array: jitffi.NDArray
    tensor: Annotated[Any, "tensor | null"] = None
    either: Annotated[Any, "i64 | list[tensor] | ndarray"] = 0


class Exporter:
    def __init__(self, array):
        self.array = array

    def __dlpack__(self, **options):
        if isinstance(self.array, BaseException):
            raise self.array
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self):
        return (1, 0)


def test_fields_and_unions_take_what_exports_itself():
    theirs = numpy.arange(3.0)
    held = Holder(Exporter(theirs), Exporter(theirs), Exporter(theirs))
    theirs[0] = 7
    assert held.array[0] == held.tensor[0] == held.either[0] == 7
    held.either = [Exporter(theirs)]
    assert held.either[0][0] == 7
    for error in (KeyError("mine"), TypeError("mine"), KeyboardInterrupt()):
        for name in ("array", "tensor", "either"):
            with pytest.raises(type(error)) as caught:
                setattr(held, name, Exporter(error))
            assert caught.value is error
        error.__traceback__ = None
    with pytest.raises(TypeError, match=r"Holder.array: expected ndarray, got int 3"):
        held.array = 3
