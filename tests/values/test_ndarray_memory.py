"""The memory of jitffi.NDArray for others: the buffer protocol, NumPy's protocols, what is read-only."""

from __future__ import annotations

import array
import sys

import ml_dtypes
import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays, settle

import jitffi

NDArray = jitffi.NDArray
FORMATS = {
    "bool": "?", "int8": "b", "int16": "h", "int32": "i", "int64": "l", "uint8": "B", "uint16": "H", "uint32": "I",
    "uint64": "L", "float16": "e", "float32": "f", "float64": "d", "complex64": "Zf", "complex128": "Zd",
}  # fmt: skip


def setup_module():
    settle()


def numbered(*shape, dtype="int32"):
    mine = NDArray.empty(shape, dtype)
    mine.numpy()[...] = numpy.arange(mine.size).reshape(shape)
    return mine


@pytest.mark.parametrize("dtype", FORMATS)
def test_buffers_are_those_of_numpys_array(dtype):
    a = numbered(2, 3, dtype=dtype) if dtype != "bool" else NDArray.zeros((2, 3), "bool")
    for mine in (a, a.T, a[:, ::-2], a[1, 2, ...]):
        theirs, memory = memoryview(mine.numpy()), memoryview(mine)
        assert memory.format == theirs.format == FORMATS[dtype]
        for name in ("shape", "strides", "itemsize", "nbytes", "ndim", "readonly", "c_contiguous", "f_contiguous"):
            assert getattr(memory, name) == getattr(theirs, name), name
        assert memory.tobytes() == mine.numpy().tobytes() and memory.obj is mine
    assert a.numpy().dtype is numpy.dtype(dtype)  # the very type that NumPy's own arrays have


def test_requests_are_answered_or_refused():
    module = pytest.importorskip("_testbuffer")
    names = ("SIMPLE", "ND", "STRIDES", "C_CONTIGUOUS", "F_CONTIGUOUS", "ANY_CONTIGUOUS", "INDIRECT", "FULL_RO")
    requests = [getattr(module, f"PyBUF_{name}") for name in names]
    c, f, strided = numbered(2, 3), numbered(3, 2).T, numbered(4, 4)[::2, ::2]

    def answers(exporter, flags):
        try:
            module.ndarray(exporter, getbuf=flags)
        except (BufferError, ValueError):
            return False
        return True

    for each in (c, f, strided, numbered(1, 5), numbered(5, 1), numbered(0, 3), NDArray.zeros((), "int8")):
        for flags in requests:
            assert answers(each, flags) == answers(each.numpy(), flags), (each, flags)


@pytest.mark.parametrize("dtype", ["bfloat16", "float8_e4m3fn", "float8_e5m2"])
def test_what_the_struct_module_has_no_format_for(dtype):
    a = NDArray.zeros((2, 3), dtype)
    with pytest.raises(BufferError, match=rf"NDArray: buffers have no format for {dtype}: take numpy\(\) or DLPack"):
        memoryview(a)
    with pytest.raises(AttributeError):
        a.__array_interface__  # noqa: B018
    type_ = numpy.dtype(getattr(ml_dtypes, dtype))
    a[0, 1] = 1.5
    for view in (a.numpy(), numpy.asarray(a), numpy.array(a, copy=True)):
        assert view.dtype == type_ and view.tolist() == [[0, 1.5, 0], [0, 0, 0]]
    assert a.T[::-1].numpy().tolist() == a.numpy().T[::-1].tolist()
    a.numpy()[1, 1] = 2
    assert a[1, 1] == 2.0


def test_what_numpy_has_no_type_for():
    with pytest.raises(TypeError, match="NumPy"):
        NDArray.zeros(2, "int128").numpy()
    with pytest.raises(TypeError, match="NumPy"):
        NDArray.zeros(2, "int128")[0]
    with pytest.raises(BufferError):
        memoryview(NDArray.zeros(2, "int128"))
    assert NDArray.zeros(2, "int128").nbytes == 32


def test_numpy_sees_the_same_memory():
    a = numbered(2, 3)
    for view in (
        a.numpy(),
        numpy.asarray(a),
        a.to_python(),
        numpy.array(a, copy=None),
        a.__array__(),
        a.__array__("int32"),
    ):
        assert type(view) is numpy.ndarray and view.__array_interface__["data"][0] == a.address
        view[0, 0] += 1
    assert a[0, 0] == 6
    for made in (
        numpy.array(a),
        numpy.asarray(a, "float64"),
        a.__array__("f4"),
        a.__array__(copy=True),
        a.__array__(None, True),
    ):
        assert not numpy.shares_memory(made, a.numpy()) and made.tolist() == a.tolist()
    assert a.__array__("f4").dtype == numpy.float32
    with pytest.raises(ValueError, match="NDArray: another dtype takes a copy"):
        a.__array__("f4", copy=False)
    assert numpy.add(a, a).tolist() == [[12, 2, 4], [6, 8, 10]] and numpy.sum(a) == 21


def test_the_array_interface():
    a = numbered(3, 4, dtype="float32")[::-1, 1:]
    assert a.__array_interface__ == {
        "version": 3, "typestr": "<f4", "shape": (3, 3), "strides": (-16, 4), "data": (a.address, False),
    }  # fmt: skip
    assert NDArray.zeros((), "bool").__array_interface__["typestr"] == "|b1"

    class Other:
        def __init__(self, array):
            self.__array_interface__ = array.__array_interface__
            self.array = array

    assert numpy.asarray(Other(a)).tolist() == a.tolist()


@given(shape=st.lists(st.integers(0, 4), max_size=4), data=st.data())
@settings(max_examples=150, deadline=None)
def test_views_of_all_strides_are_seen_as_they_are(shape, data):
    a = numbered(*shape).transpose(data.draw(st.permutations(range(len(shape)))))
    a = a[data.draw(st.tuples(*(st.slices(length) for length in a.shape), st.just(...)))]
    assert numpy.asarray(memoryview(a)).tolist() == a.tolist() == numpy.asarray(a).tolist()
    assert memoryview(a).c_contiguous == a.numpy().flags.c_contiguous
    assert memoryview(a).f_contiguous == a.numpy().flags.f_contiguous


def test_buffers_hold_the_memory():
    a = numbered(1000)
    memory, view = memoryview(a)[10:], a.numpy()[20:]
    del a
    assert memory[0] == 10 and view[0] == 20
    assert array.array("i", memory)[-1] == 999


def test_nothing_stays():
    def work():
        a = numbered(3, 4)
        views = [memoryview(a), memoryview(a.T), numpy.asarray(a[::2]), a.__array_interface__, a.__array__("f4")]
        for use in (lambda: memoryview(NDArray.zeros(2, "bfloat16")), lambda: a.__array__("f4", copy=False)):
            with pytest.raises((BufferError, ValueError)):
                use()
        return views

    assert_nothing_stays(work)
    a = numbered(3)
    before = sys.getrefcount(a)
    memoryview(a).release()
    assert sys.getrefcount(a) == before
