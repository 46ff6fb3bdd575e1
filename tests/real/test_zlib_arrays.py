"""zlib over arrays: lengths come from the arrays, sizes go in and out, and what does not fit in is refused."""

from __future__ import annotations

import zlib
from types import SimpleNamespace

import numpy as np
import pytest

SIGNATURES = {
    "crc32": "(crc: u64 = 0, data: const u8[n], n: u32) -> u64",
    "adler32": "(adler: u64 = 1, data: const u8[n], n: u32) -> u64",
    "crc32_z": "(crc: u64 = 0, data: optional[ptr[const f64]], size: u64) -> u64",
    "compressBound": "(n: u64) -> u64",
    "compress2": "(to: u8[*], size: inout[u64], source: const u8[n], n: u64, level: i32 = 6) -> i32",
    "uncompress": "(to: u8[*], size: inout[u64], source: const u8[n], n: u64) -> i32",
}
Z_OK, Z_DATA_ERROR, Z_BUF_ERROR = 0, -3, -5


@pytest.fixture(scope="module")
def libz(system_library) -> SimpleNamespace:
    library = system_library("libz.so.1", "zlib1g")
    return SimpleNamespace(**{name: library.bind(name, text) for name, text in SIGNATURES.items()})


@pytest.fixture(scope="module")
def data() -> np.ndarray:
    return (np.arange(1 << 20) ** 2 // 1000 % 251).astype(np.uint8)


def test_checksums_of_slices(libz, data):
    whole = 0
    for at in range(0, data.size, 1 << 18):
        whole = libz.crc32(data[at : at + (1 << 18)], crc=whole)
    assert whole == zlib.crc32(data) == libz.crc32(data)
    assert libz.adler32(data[5:]) == zlib.adler32(data[5:])
    assert libz.crc32(data, n=100) == zlib.crc32(data[:100])
    assert libz.crc32(b"123456789") == 0xCBF43926 and libz.crc32(memoryview(b"")) == 0
    with pytest.raises(ValueError, match=r"crc32: argument 1 'data'.*stride of 2 elements, expected contiguous"):
        libz.crc32(data[::2])
    with pytest.raises(TypeError, match=r"crc32: argument 1 'data': expected const u8\[n\], got float64\[3\]"):
        libz.crc32(np.zeros(3))


def test_a_typed_pointer_takes_any_shape(libz):
    x = np.arange(24.0).reshape(2, 3, 4)
    assert libz.crc32_z(x, x.nbytes) == zlib.crc32(x)
    assert libz.crc32_z(x.T, x.nbytes) == zlib.crc32(x)  # contiguous in Fortran's order
    assert libz.crc32_z(None, 0) == 0
    for wrong in (x[:, 1], x.astype("f4"), x.view("u8"), 1 << 40):
        with pytest.raises((TypeError, ValueError), match=r"crc32_z: argument 1 'data'"):
            libz.crc32_z(wrong, 8)


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_there_and_back(libz, data, level):
    room = np.empty(libz.compressBound(data.size), np.uint8)
    status, size = libz.compress2(room, room.size, data, level)
    assert status == Z_OK and zlib.decompress(room[:size]) == data.tobytes()
    made = np.zeros(data.size, np.uint8)
    assert libz.uncompress(made, made.size, room[:size]) == (Z_OK, data.size)
    assert (made == data).all()


def test_statuses_of_what_goes_wrong(libz, data):
    packed = np.frombuffer(zlib.compress(data), np.uint8).copy()
    room = np.zeros(data.size, np.uint8)
    assert libz.uncompress(room, 1000, packed)[0] == Z_BUF_ERROR
    packed[0] ^= 0xFF
    assert libz.uncompress(room, room.size, packed)[0] == Z_DATA_ERROR
    with pytest.raises(TypeError, match="uncompress: argument 1 'to'.*read-only"):
        libz.uncompress(zlib.compress(data), 1000, packed)
