"""zlib: checksums, and a megabyte there and back, against Python's own module."""

from __future__ import annotations

import array
import ctypes
import os
import re
import zlib
from pathlib import Path

import numpy as np
import pytest

CDEF = """
typedef unsigned char Bytef;
typedef unsigned long uLong;
typedef unsigned long uLongf;
typedef unsigned int uInt;

const char *zlibVersion(void);
uLong crc32(uLong crc, const Bytef *buf, uInt len);
uLong adler32(uLong adler, const Bytef *buf, uInt len);
uLong compressBound(uLong sourceLen);
int compress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen);
int compress2(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen, int level);
int uncompress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen);
"""
Z_OK, Z_DATA_ERROR, Z_BUF_ERROR = 0, -3, -5
MEGABYTE = 1 << 20


@pytest.fixture(scope="module")
def libz(system_library):
    return system_library("libz.so.1", "zlib1g", CDEF)


@pytest.fixture(scope="module")
def text() -> bytes:
    """A megabyte of the standard library's own sources."""
    found = bytearray()
    for path in sorted(Path(os.__file__).parent.glob("*.py")):
        found += path.read_bytes()
        if len(found) >= MEGABYTE:
            break
    assert len(found) >= MEGABYTE
    return bytes(found[:MEGABYTE])


def compressed(libz, source: bytes, level: int = 6) -> bytes:
    size = array.array("L", [libz.compressBound(len(source))])
    target = bytearray(size[0])
    assert libz.compress2(target, size, source, len(source), level) == Z_OK
    return bytes(target[: size[0]])


def test_version(libz):
    assert re.fullmatch(r"1\.\d+(\.\d+)*.*", libz.zlibVersion())


@pytest.mark.parametrize("data", [b"", b"abc", bytes(range(256)) * 300])
@pytest.mark.parametrize("start", [0, 1, 0xDEADBEEF, 0xFFFFFFFF])
def test_checksums(libz, data, start):
    assert libz.crc32(start, data, len(data)) == zlib.crc32(data, start)
    if start < 0xFFF0FFF0 and start & 0xFFFF < 65521:  # both halves of an adler are below 65521
        assert libz.adler32(start, data, len(data)) == zlib.adler32(data, start)


def test_checksums_of_a_megabyte(libz, text):
    assert libz.crc32(0, text, len(text)) == zlib.crc32(text)
    assert libz.adler32(1, text, len(text)) == zlib.adler32(text)
    running = 0
    view = memoryview(text)
    for at in range(0, len(text), 4096):
        running = libz.crc32(running, view[at : at + 4096], len(view[at : at + 4096]))
    assert running == zlib.crc32(text)


@pytest.mark.parametrize(
    "kind", [bytes, bytearray, memoryview, lambda b: np.frombuffer(b, np.uint8), lambda b: array.array("B", b)]
)
def test_any_buffer_is_read(libz, kind):
    assert libz.crc32(0, kind(b"123456789"), 9) == 0xCBF43926


def test_null_asks_for_the_start_value(libz):
    assert libz.crc32(0, None, 0) == 0
    assert libz.adler32(0, None, 0) == 1


@pytest.mark.parametrize("level", [0, 1, 6, 9])
def test_a_megabyte_there_and_back(libz, text, level):
    packed = compressed(libz, text, level)
    assert zlib.decompress(packed) == text
    target = bytearray(len(text))
    size = array.array("L", [len(target)])
    assert libz.uncompress(target, size, packed, len(packed)) == Z_OK
    assert size[0] == len(text)
    assert target == text


def test_what_python_compressed_is_read(libz, text):
    packed = zlib.compress(text)
    target = np.zeros(len(text), np.uint8)
    size = ctypes.c_ulong(len(text))
    assert libz.uncompress(target, ctypes.byref(size), packed, len(packed)) == Z_OK
    assert target.tobytes() == text


def test_compress_with_its_default_level(libz, text):
    size = np.array([libz.compressBound(len(text))], np.uint64)
    target = bytearray(int(size[0]))
    assert libz.compress(target, size, text, len(text)) == Z_OK
    assert zlib.decompress(target[: int(size[0])]) == text


def test_status_codes_of_bad_input(libz, text):
    packed = bytearray(compressed(libz, text))
    target = bytearray(len(text))
    assert libz.uncompress(target, array.array("L", [100]), packed, len(packed)) == Z_BUF_ERROR
    packed[1000] ^= 0xFF
    packed[2000] ^= 0xFF
    assert libz.uncompress(target, array.array("L", [len(target)]), packed, len(packed)) == Z_DATA_ERROR


def test_wrong_arguments_are_named(libz):
    with pytest.raises(TypeError, match=r"crc32: argument 1 'crc': expected u64, got float 0\.5"):
        libz.crc32(0.5, b"abc", 3)
    with pytest.raises(
        TypeError, match=r"crc32: argument 2 'buf': expected optional\[ptr\[const u8\]\], got str 'abc'"
    ):
        libz.crc32(0, "abc", 3)
    with pytest.raises(OverflowError, match=r"crc32: argument 3 'len': expected u32.*got int -1"):
        libz.crc32(0, b"abc", -1)
    with pytest.raises(TypeError, match=r"crc32: argument 3 'len' is missing"):
        libz.crc32(0, b"abc")
