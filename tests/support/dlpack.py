"""DLPack's structs through ctypes, and producers of every kind that a test wants, right or wrong."""

from __future__ import annotations

import ctypes
from typing import Any, ClassVar

LEGACY, VERSIONED = b"dltensor", b"dltensor_versioned"


class Device(ctypes.Structure):
    _fields_ = (("type", ctypes.c_int32), ("id", ctypes.c_int32))


class DataType(ctypes.Structure):
    _fields_ = (("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16))


class Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p), ("device", Device), ("ndim", ctypes.c_int32), ("dtype", DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class Managed(ctypes.Structure):
    _fields_ = (("tensor", Tensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p))


class Versioned(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", Tensor),
    )  # fmt: skip


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
_api = ctypes.pythonapi
_api.PyCapsule_New.restype = ctypes.py_object
_api.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_api.PyCapsule_GetPointer.restype = ctypes.c_void_p
_api.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_api.PyCapsule_GetName.restype = ctypes.c_char_p
_api.PyCapsule_GetName.argtypes = (ctypes.py_object,)


class Producer:
    """An object with __dlpack__ over *memory* (a ctypes array or an address), with whatever is said of it. It counts
    how often tensors are given back. It stays until they have been: tensors point into it."""

    given: ClassVar[list[tuple[Any, Producer]]] = []

    def __init__(self, memory, shape=None, *, dtype=(2, 32, 1), strides=None, device=(1, 0), offset=0, flags=0,
                 version=(1, 0), ndim=None, deleter=True):  # fmt: skip
        self.memory, self.version, self.deleted, self.asked = memory, version, 0, []
        shape = (len(memory),) if shape is None else shape
        self.kept = [(ctypes.c_int64 * len(row))(*row) if row is not None else None for row in (shape, strides)]
        self.delete = DELETER(self._delete)
        address = memory if isinstance(memory, int) else ctypes.addressof(memory)
        self.struct = (Versioned if version else Managed)()
        tensor = self.struct.tensor
        tensor.data, tensor.device, tensor.dtype = address or None, Device(*device), DataType(*dtype)
        tensor.ndim, tensor.byte_offset = len(shape) if ndim is None else ndim, offset
        tensor.shape, tensor.strides = self.kept
        if version:
            self.struct.major, self.struct.minor, self.struct.flags = *version, flags
        self.struct.deleter = ctypes.cast(self.delete, ctypes.c_void_p) if deleter else None

    def _delete(self, _address):
        self.deleted += 1

    def capsule(self):
        made = _api.PyCapsule_New(ctypes.addressof(self.struct), VERSIONED if self.version else LEGACY, None)
        self.given[:] = [one for one in self.given if not one[1].deleted and name_of(one[0]).startswith(b"used")]
        self.given.append((made, self))
        return made

    def __dlpack__(self, **options):
        self.asked.append(options)
        return self.capsule()

    def __dlpack_device__(self):
        return (self.struct.tensor.device.type, self.struct.tensor.device.id)


class OldProducer(Producer):
    """From before version 1: its __dlpack__ knows a stream alone."""

    def __init__(self, *args, **options):
        super().__init__(*args, version=None, **options)

    def __dlpack__(self, stream=None):
        return self.capsule()


def name_of(capsule):
    return _api.PyCapsule_GetName(capsule)


def struct_of(capsule):
    name = name_of(capsule)
    kind = Versioned if name == VERSIONED else Managed
    return kind.from_address(_api.PyCapsule_GetPointer(capsule, name))


# -- the exchange table --------------------------------------------------------------------------------------------

FAIL = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p)
ALLOCATE = (ctypes.c_int, ctypes.POINTER(Tensor), ctypes.POINTER(ctypes.c_void_p), ctypes.c_void_p, FAIL)


class Table(ctypes.Structure):
    _fields_ = (
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("previous", ctypes.c_void_p),
        ("allocate", ctypes.CFUNCTYPE(*ALLOCATE)),
        ("from_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(ctypes.c_void_p))),
        ("to_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(ctypes.py_object))),
        ("view_object", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.py_object, ctypes.POINTER(Tensor))),
        ("stream", ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_int32, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
    )  # fmt: skip


def table_of(type_):
    capsule = type_.__dlpack_c_exchange_api__
    assert name_of(capsule) == b"dlpack_exchange_api"
    return Table.from_address(_api.PyCapsule_GetPointer(capsule, b"dlpack_exchange_api"))


def table_capsule(table):
    """For a class attribute; *table* must live as long as the process."""
    return _api.PyCapsule_New(ctypes.addressof(table), b"dlpack_exchange_api", None)


def owned(place):
    """The object that C has put into the py_object *place*, whose reference it gave with it."""
    object_ = place.value
    ctypes.pythonapi.Py_DecRef(place)
    return object_
