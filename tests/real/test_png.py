"""A picture by libpng's simplified API: written from a NumPy array and read into one, and into a part of a larger."""

from __future__ import annotations

import zlib
from types import SimpleNamespace

import numpy as np
import pytest

IMAGE = "image: u64[13]"  # png_image: a pointer, seven integers and a message
SIGNATURES = {
    "png_image_begin_read_from_memory": f"({IMAGE}, memory: const u8[size], size: u64) -> i32",
    "png_image_finish_read": (
        f"({IMAGE}, background: optional[ptr[const u8]] = None, pixels: u8[height @ stride, width, 4], stride: i32, "
        "colors: optional[ptr] = None) -> i32"
    ),
    "png_image_write_to_memory": (
        f"({IMAGE}, memory: u8[room], size: inout[u64], to_8_bit: i32, pixels: const u8[height @ stride, width, 4], "
        "stride: i32, colors: optional[ptr] = None) -> i32"
    ),
    "png_image_free": f"({IMAGE}) -> void",
}
VERSION, RGBA = 1, 3


@pytest.fixture(scope="module")
def png(system_library) -> SimpleNamespace:
    library = system_library("libpng16.so.16", "libpng16-16")
    bound = {name[10:]: library.bind(name, text) for name, text in SIGNATURES.items()}
    return SimpleNamespace(library=library, **bound)


class Image:
    """A png_image, and its fields."""

    def __init__(self, width: int = 0, height: int = 0, layout: int = 0) -> None:
        self.memory = np.zeros(13, np.uint64)
        self.fields = self.memory.view(np.uint32)[2:9]
        self.fields[:4] = VERSION, width, height, layout

    @property
    def message(self) -> str:
        return self.memory.view(np.uint8)[36:100].tobytes().partition(b"\0")[0].decode()


@pytest.fixture(scope="module")
def picture() -> np.ndarray:
    y, x = np.mgrid[:40, :60]
    return np.stack([x * 4, y * 6, (x * y) % 256, np.where(x > y, 255, 128)], -1).astype(np.uint8)


def written(png: SimpleNamespace, pixels: np.ndarray) -> bytes:
    image = Image(pixels.shape[1], pixels.shape[0], RGBA)
    memory = np.zeros(100000, np.uint8)
    done, size = png.write_to_memory(image.memory, memory, memory.size, 0, pixels)
    assert done == 1, image.message
    return memory[:size].tobytes()


def test_there_and_back(png, picture):
    data = written(png, picture)
    assert data.startswith(b"\x89PNG\r\n\x1a\n")
    image = Image()
    assert png.begin_read_from_memory(image.memory, data) == 1, image.message
    assert image.fields[1:3].tolist() == [60, 40]
    image.fields[3] = RGBA
    pixels = np.empty((40, 60, 4), np.uint8)
    assert png.finish_read(image.memory, pixels) == 1, image.message
    assert (pixels == picture).all()


def test_the_picture_is_a_result(png, picture):
    """libpng has its size in the struct, so the lengths stand in the signature."""
    data = written(png, picture)
    image = Image()
    assert png.begin_read_from_memory(image.memory, data) == 1, image.message
    width, height = image.fields[1:3].tolist()
    image.fields[3] = RGBA
    read = png.library.bind(
        "png_image_finish_read",
        f"({IMAGE}, background: optional[ptr[const u8]] = None, pixels: out[u8[{height}, {width}, 4]], "
        "stride: i32 = 0, colors: optional[ptr] = None) -> i32",
    )
    done, pixels = read(image.memory)
    assert done == 1, image.message
    assert type(pixels) is np.ndarray and pixels.flags.owndata and (pixels == picture).all()


def test_a_part_of_a_picture_needs_no_copy(png, picture):
    part = picture[10:30, 20:45]
    data = written(png, part)
    image = Image()
    assert png.begin_read_from_memory(image.memory, data) == 1
    image.fields[3] = RGBA
    wide = np.zeros((50, 100, 4), np.uint8)
    assert png.finish_read(image.memory, wide[5:25, 30:55]) == 1, image.message
    assert (wide[5:25, 30:55] == part).all()
    wide[5:25, 30:55] = 0
    assert not wide.any()


def test_what_is_no_picture_is_its_own_error_and_wrong_arrays_are_ours(png, picture):
    image = Image()
    assert png.begin_read_from_memory(image.memory, b"no picture at all" * 10) == 0
    assert "PNG" in image.message
    data = written(png, picture)
    assert zlib.crc32(data[12:29]) == int.from_bytes(data[29:33], "big")
    image = Image()
    assert png.begin_read_from_memory(image.memory, memoryview(data)) == 1
    with pytest.raises(ValueError, match=r"argument 2 'pixels': expected u8\[height @ stride, width, 4\], got uint8"):
        png.finish_read(image.memory, np.empty((40, 60, 3), np.uint8))
    with pytest.raises(TypeError, match="argument 2 'pixels'.*read-only"):
        png.finish_read(image.memory, np.broadcast_to(np.uint8(0), (40, 60, 4)))
    png.free(image.memory)
