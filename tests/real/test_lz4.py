"""LZ4 over arrays: blocks there and back, with lengths from the arrays and an output that the call makes."""

from __future__ import annotations

import array
from types import SimpleNamespace

import numpy as np
import pytest

SIGNATURES = {
    "LZ4_compressBound": "(size: i32) -> i32",
    "LZ4_compress_default": "(source: const u8[n], to: u8[room], n: i32, room: i32) -> i32",
    "LZ4_compress_fast": "(source: const u8[n], to: out[u8[room]], n: i32, room: i32, faster: i32 = 1) -> i32",
    "LZ4_decompress_safe": "(source: const u8[n], to: u8[room], n: i32, room: i32) -> i32",
}


@pytest.fixture(scope="module")
def lz4(system_library) -> SimpleNamespace:
    library = system_library("liblz4.so.1", "liblz4-1")
    return SimpleNamespace(**{name: library.bind(name, text) for name, text in SIGNATURES.items()})


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    """What can be compressed, a little."""
    return (np.add.outer(np.arange(300), np.arange(400)) // 7 % 251).astype(np.uint8)


def unpacked(lz4: SimpleNamespace, packed: np.ndarray, size: int) -> np.ndarray:
    made = np.empty(size, np.uint8)
    assert lz4.LZ4_decompress_safe(packed, made) == size
    return made


def test_there_and_back(lz4, picture):
    flat = picture.ravel()
    room = np.empty(lz4.LZ4_compressBound(flat.size), np.uint8)
    size = lz4.LZ4_compress_default(flat, room)
    assert 0 < size < flat.size
    assert (unpacked(lz4, room[:size], flat.size) == flat).all()


def test_the_output_is_made_by_the_call(lz4, picture):
    flat = picture.ravel()
    size, made = lz4.LZ4_compress_fast(flat, lz4.LZ4_compressBound(flat.size))
    assert made.dtype == np.uint8 and made.size == lz4.LZ4_compressBound(flat.size)
    assert (unpacked(lz4, made[:size], flat.size) == flat).all()
    fast, made = lz4.LZ4_compress_fast(flat, room=len(made), faster=50)
    assert (unpacked(lz4, made[:fast], flat.size) == flat).all()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview, lambda data: array.array("b", data)])
def test_all_that_has_bytes_is_compressed(lz4, kind):
    text = b"over and over and over again, " * 50
    size, made = lz4.LZ4_compress_fast(kind(text), 2000)
    assert bytes(unpacked(lz4, made[:size], len(text))) == text


def test_what_does_not_fit_is_its_own_error_and_wrong_arrays_are_ours(lz4, picture):
    flat = picture.ravel()
    small = np.full(100, 7, np.uint8)
    assert lz4.LZ4_compress_default(flat, small[:50]) == 0
    assert lz4.LZ4_decompress_safe(flat[:1000], small[:10]) < 0
    assert (small[50:] == 7).all()
    with pytest.raises(ValueError, match=r"argument 1 'source': expected const u8\[n\], got uint8\[300, 400\]"):
        lz4.LZ4_compress_default(picture, small)
    with pytest.raises(ValueError, match=r"argument 1 'source'.*stride of 400 elements"):
        lz4.LZ4_compress_default(picture[:, 0], small)
    with pytest.raises(TypeError, match="argument 2 'to'.*read-only"):
        lz4.LZ4_compress_default(flat, bytes(100))
    with pytest.raises(ValueError, match="argument 'room': expected at most 100, as 'to' has, got 101"):
        lz4.LZ4_compress_default(flat, small, room=101)
