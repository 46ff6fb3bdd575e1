"""libpng by its header: pictures written and read row by row by functions of Python's, palettes and texts as arrays of
structs, and the simplified interface; what is written is read by a decoder of a few lines with Python's own zlib.

libpng's errors leave by `longjmp`, which nothing of Python's may be on the way of: what follows makes none but by the
simplified interface, which catches its own."""

from __future__ import annotations

import gc
import struct
import zlib

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi

SIDE = """
[functions."png_set_*_fn"]
keep_callbacks = true

[functions.png_create_write_struct]
keep_callbacks = true

[functions.png_get_IHDR]
types = { width = "out[u32]", height = "out[u32]", bit_depth = "out[i32]", color_type = "out[i32]", \
interlace_method = "out[i32]", compression_method = "out[i32]", filter_method = "out[i32]" }
"""


@pytest.fixture(scope="module")
def png(bound_header, tmp_path_factory):
    side = tmp_path_factory.mktemp("side") / "png.toml"
    side.write_text(SIDE)
    return bound_header("png.h", "png", "libpng-dev", side=side)


@pytest.fixture(scope="module")
def picture():
    y, x = np.mgrid[:40, :60]
    return np.stack([x * 4, y * 6, (x * y) % 256, np.where(x > y, 255, 128)], -1).astype(np.uint8)


# -- a decoder to compare with -----------------------------------------------------------------------------------------


def chunks_of(content):
    """Each chunk's kind and content (PNG specification, 5.3), checked."""
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    at, found = 8, []
    while at < len(content):
        size, kind = struct.unpack(">I4s", content[at : at + 8])
        inside, check = content[at + 8 : at + 8 + size], content[at + 8 + size : at + 12 + size]
        assert int.from_bytes(check, "big") == zlib.crc32(kind + inside)
        found.append((kind.decode(), inside))
        at += 12 + size
    return found


def rows_of(content, width, size):
    """The rows of a picture of *width* bytes each; *size* is that of a pixel (PNG specification, 9.2)."""
    packed = zlib.decompress(b"".join(inside for kind, inside in chunks_of(content) if kind == "IDAT"))
    before, found = [0] * width, []
    for at in range(0, len(packed), width + 1):
        row = list(packed[at + 1 : at + 1 + width])
        for i in range(width):
            left, corner = (row[i - size], before[i - size]) if i >= size else (0, 0)
            row[i] = (row[i] + predicted(packed[at], left, before[i], corner)) % 256
        found.append(row)
        before = row
    return np.array(found, np.uint8)


def predicted(kind, left, above, corner):
    if kind < 4:
        return (0, left, above, (left + above) // 2)[kind]
    return min((left, above, corner), key=lambda each: abs(left + above - corner - each))


# -- row by row --------------------------------------------------------------------------------------------------------


class Writer:
    """A picture that is written into `content`."""

    def __init__(self, png, width, height, depth, kind, interlace=0):
        self.png, self.content, self.warnings = png, bytearray(), []
        self.handle = png.png_create_write_struct(
            png.PNG_LIBPNG_VER_STRING, None, None, lambda handle, message: self.warnings.append(message)
        )
        self.info = png.png_create_info_struct(self.handle)
        png.png_set_write_fn(self.handle, None, lambda handle, data, size: self.content.extend(data.array(size)), None)
        png.png_set_IHDR(self.handle, self.info, width, height, depth, kind, interlace, 0, 0)

    def begin(self):
        self.png.png_write_info(self.handle, self.info)

    def end(self):
        self.png.png_write_end(self.handle, self.info)
        self.close()
        return bytes(self.content)

    def close(self):
        places = (
            jitffi.new("ptr[struct png_struct_def]", self.handle),
            jitffi.new("ptr[struct png_info_def]", self.info),
        )
        self.png.png_destroy_write_struct(*places)
        assert places[0].value is None and places[1].value is None


class Reader:
    """A picture that is read from *content*."""

    def __init__(self, png, content):
        self.png, self.content, self.at = png, content, 0
        self.handle = png.png_create_read_struct(png.PNG_LIBPNG_VER_STRING, None, None, None)
        self.info = png.png_create_info_struct(self.handle)
        png.png_set_read_fn(self.handle, None, self.read)

    def read(self, handle, data, size):
        data.array(size)[:] = np.frombuffer(self.content, np.uint8, size, self.at)
        self.at += size

    def begin(self):
        self.png.png_read_info(self.handle, self.info)
        return self.png.png_get_IHDR(self.handle, self.info)

    def close(self):
        places = (
            jitffi.new("ptr[struct png_struct_def]", self.handle),
            jitffi.new("ptr[struct png_info_def]", self.info),
        )
        self.png.png_destroy_read_struct(*places, None)


def written(png, picture, kind, depth=8, shape=None):
    height, width = shape or picture.shape[:2]
    writer = Writer(png, width, height, depth, kind)
    writer.begin()
    for row in picture:
        png.png_write_row(writer.handle, row)
    return writer.end()


def test_rows_are_written(png, picture):
    content = written(png, picture, png.PNG_COLOR_TYPE_RGBA)
    kinds = [kind for kind, _ in chunks_of(content)]
    assert kinds[0] == "IHDR" and kinds[-1] == "IEND" and "IDAT" in kinds
    assert chunks_of(content)[0][1] == struct.pack(">IIBBBBB", 60, 40, 8, 6, 0, 0, 0)
    assert (rows_of(content, 240, 4).reshape(40, 60, 4) == picture).all()


def test_rows_are_read(png, picture):
    reader = Reader(png, written(png, picture, png.PNG_COLOR_TYPE_RGBA))
    assert reader.begin() == (1, 60, 40, 8, png.PNG_COLOR_TYPE_RGB_ALPHA, 0, 0, 0)
    assert png.png_get_rowbytes(reader.handle, reader.info) == 240
    found = np.zeros((40, 60, 4), np.uint8)
    for row in found:
        png.png_read_row(reader.handle, row, None)
    png.png_read_end(reader.handle, None)
    reader.close()
    assert (found == picture).all() and reader.at == len(reader.content)


def test_all_rows_at_once(png, picture):
    """By an array of pointers to the rows of an array, interlaced."""
    grey = np.ascontiguousarray(picture[:, :, 2])
    writer = Writer(png, 60, 40, 8, png.PNG_COLOR_TYPE_GRAY, png.PNG_INTERLACE_ADAM7)
    writer.begin()
    png.png_write_image(writer.handle, rows := jitffi.new("ptr[u8][40]", [jitffi.cast("ptr[u8]", row) for row in grey]))
    assert rows.len == 40
    reader, found = Reader(png, writer.end()), np.zeros_like(grey)
    assert reader.begin()[5] == png.PNG_INTERLACE_ADAM7
    png.png_read_image(reader.handle, jitffi.new("ptr[u8][40]", [jitffi.cast("ptr[u8]", row) for row in found]))
    reader.close()
    assert (found == grey).all()


def test_transformations(png, picture):
    """Sixteen bits in big-endian order, and what libpng makes of them in eight."""
    deep = picture[:, :, :3].astype(">u2") * 257
    content = written(png, deep.reshape(40, 180).view(np.uint8), png.PNG_COLOR_TYPE_RGB, depth=16, shape=(40, 60))
    reader, row = Reader(png, content), np.zeros((60, 4), np.uint8)
    assert reader.begin()[3] == 16
    png.png_set_scale_16(reader.handle)
    png.png_set_bgr(reader.handle)
    png.png_set_filler(reader.handle, 9, png.PNG_FILLER_AFTER)
    png.png_read_update_info(reader.handle, reader.info)
    assert png.png_get_channels(reader.handle, reader.info) == 4
    for wanted in picture:
        png.png_read_row(reader.handle, row, None)
        assert (row[:, 2::-1] == wanted[:, :3]).all() and (row[:, 3] == 9).all()
    reader.close()


def test_pieces_as_they_come(png, picture):
    """The progressive reader calls back with the header, with each row, and at the end."""
    content, told, rows = written(png, picture, png.PNG_COLOR_TYPE_RGBA), [], {}
    reader = Reader(png, content)

    def information(handle, info):
        told.append(png.png_get_IHDR(handle, info)[1:3])
        png.png_start_read_image(handle)

    def row(handle, data, number, part):
        rows[number] = data.array(240).copy()

    png.png_set_progressive_read_fn(reader.handle, None, information, row, lambda handle, info: told.append("end"))
    del information, row
    gc.collect()  # kept, as the side file says
    for at in range(0, len(content), 100):
        piece = bytearray(content[at : at + 100])
        png.png_process_data(reader.handle, reader.info, piece, len(piece))
    reader.close()
    assert told == [(60, 40), "end"] and (np.array([rows[i] for i in range(40)]) == picture.reshape(40, 240)).all()


def test_a_stream_of_the_c_library(png, picture, bound_header, tmp_path):
    """Opened by another header's module: a FILE of its is a FILE here."""
    stdio, path = bound_header("stdio.h", "c", "libc6-dev"), tmp_path / "picture.png"
    writer, stream = Writer(png, 60, 40, 8, png.PNG_COLOR_TYPE_RGBA), stdio.fopen(str(path), "wb")
    png.png_init_io(writer.handle, stream)
    png.png_set_write_fn(writer.handle, stream, None, None)  # its own again
    writer.begin()
    for each in picture:
        png.png_write_row(writer.handle, each)
    assert writer.end() == b"" and stdio.fclose(stream) == 0
    assert (rows_of(path.read_bytes(), 240, 4) == picture.reshape(40, 240)).all()


def test_an_exception_comes_out_of_the_row_that_is_written(png, picture):
    def refuse(handle, data, size):
        raise OSError("the disk is full")

    writer = Writer(png, 60, 40, 8, png.PNG_COLOR_TYPE_RGBA)
    writer.begin()
    png.png_set_compression_level(writer.handle, 0)  # more than the buffer takes
    png.png_set_write_fn(writer.handle, None, refuse, None)
    with pytest.raises(OSError, match="the disk is full"):
        for row in picture:
            png.png_write_row(writer.handle, row)
    writer.close()


def test_warnings(png):
    writer = Writer(png, 1, 1, 8, 0)
    png.png_warning(writer.handle, "careful")
    png.png_set_gAMA(writer.handle, writer.info, 0.45455)
    place = jitffi.new("f64")
    assert png.png_get_gAMA(writer.handle, writer.info, place) == png.PNG_INFO_gAMA and place.value == 0.45455
    png.png_set_tIME(writer.handle, writer.info, png.png_time(2026, 13, 1))
    assert writer.warnings[0] == "careful" and "time" in writer.warnings[1]
    writer.close()
    refused = []
    assert png.png_create_write_struct("0.9", None, None, lambda handle, text: refused.append(text)) is None
    assert "libpng-0.9" in refused[0]


# -- palettes and texts ------------------------------------------------------------------------------------------------


def test_a_palette(png):
    """Of 16 colours, some of which are transparent, in pixels of four bits."""
    colours = png.png_color.array(16)
    colours["red"], colours["green"], colours["blue"] = np.arange(16) * 17, 255 - np.arange(16), [7] * 16
    pixels = np.random.default_rng(5).integers(0, 256, (20, 10), np.uint8)  # two of them in each byte
    writer = Writer(png, 20, 20, 4, png.PNG_COLOR_TYPE_PALETTE)
    png.png_set_PLTE(writer.handle, writer.info, colours, len(colours))
    png.png_set_tRNS(writer.handle, writer.info, bytes([0, 128, 255]), 3, None)
    png.png_set_bKGD(writer.handle, writer.info, png.png_color_16(index=5))
    writer.begin()
    for row in pixels:
        png.png_write_row(writer.handle, row)
    content = writer.end()
    chunks = dict(chunks_of(content))
    assert chunks["PLTE"] == colours.tobytes() and (chunks["tRNS"], chunks["bKGD"]) == (b"\0\x80\xff", b"\5")
    assert (rows_of(content, 10, 1) == pixels).all()

    reader = Reader(png, content)
    reader.begin()
    place, count = jitffi.new("ptr[png16.png_color]"), jitffi.new("i32")
    assert png.png_get_PLTE(reader.handle, reader.info, place, count) == png.PNG_INFO_PLTE and count.value == 16
    assert (place.value.array(16) == colours).all() and place.value[3] == png.png_color(51, 252, 7)
    png.png_set_palette_to_rgb(reader.handle)
    png.png_set_tRNS_to_alpha(reader.handle)
    png.png_read_update_info(reader.handle, reader.info)
    row = np.zeros((20, 4), np.uint8)
    png.png_read_row(reader.handle, row, None)
    reader.close()
    index = np.stack([pixels[0] >> 4, pixels[0] & 15], -1).ravel()
    wanted = colours.view(np.uint8).reshape(16, 3)[index]
    assert (row[:, :3] == wanted).all() and set(row[index == 1, 3]) <= {128} and set(row[index > 2, 3]) <= {255}


def test_texts(png):
    """An array of structs that point at texts; read back, the array is libpng's."""
    given = [("Title", "A picture"), ("Comment", "very " * 400 + "long"), ("Author", "J\u00fcrgen")]
    texts = jitffi.new("png16.png_text[3]")
    kinds = (png.PNG_TEXT_COMPRESSION_NONE, png.PNG_TEXT_COMPRESSION_zTXt, png.PNG_ITXT_COMPRESSION_NONE)
    for at, (key, text) in enumerate(given):
        texts[at].key, texts[at].text = bytearray(key.encode() + b"\0"), bytearray(text.encode() + b"\0")
        texts[at].compression = kinds[at]
    texts[2].lang = jitffi.new("i8[3]", "de")
    gc.collect()
    writer = Writer(png, 1, 1, 8, png.PNG_COLOR_TYPE_GRAY)
    png.png_set_text(writer.handle, writer.info, texts, texts.len)
    png.png_set_tIME(writer.handle, writer.info, png.png_time(2026, 2, 28, 23, 59, 60))
    writer.begin()
    png.png_write_row(writer.handle, b"\x7f")
    content = writer.end()
    chunks = dict(chunks_of(content))
    assert chunks["tEXt"] == b"Title\0A picture" and zlib.decompress(chunks["zTXt"][9:]).decode() == given[1][1]
    assert (
        chunks["iTXt"] == "Author\0\0\0de\0\0J\u00fcrgen".encode() and chunks["tIME"] == b"\x07\xea\2\x1c\x17\x3b\x3c"
    )

    reader = Reader(png, content)
    reader.begin()
    png.png_read_row(reader.handle, bytearray(1), None)
    png.png_read_end(reader.handle, reader.info)
    place, count = jitffi.new("ptr[png16.png_text]"), jitffi.new("i32")
    assert png.png_get_text(reader.handle, reader.info, place, count) == count.value == 3
    assert sorted((place.value[i].key.text(), place.value[i].text.text()) for i in range(3)) == sorted(given)
    when = jitffi.new("ptr[png16.png_time]")
    assert png.png_get_tIME(reader.handle, reader.info, when) == png.PNG_INFO_tIME and when.value.value.second == 60
    reader.close()


def test_chunks_that_libpng_does_not_know(png):
    found, writer = [], Writer(png, 1, 1, 8, png.PNG_COLOR_TYPE_GRAY)
    chunk = png.png_unknown_chunk(name=b"juSt\0", data=bytearray(b"anything"), size=8, location=png.PNG_HAVE_IHDR)
    png.png_set_unknown_chunks(writer.handle, writer.info, chunk, 1)
    writer.begin()
    png.png_write_row(writer.handle, b"\0")
    reader = Reader(png, writer.end())

    def each(handle, chunk):
        found.append((jitffi.text(chunk.value.name), chunk.value.data.text(chunk.value.size)))
        return 1

    png.png_set_read_user_chunk_fn(reader.handle, None, each)
    reader.begin()
    reader.close()
    assert found == [("juSt", "anything")]


# -- the simplified interface ------------------------------------------------------------------------------------------


def test_a_picture_in_memory(png, picture):
    content = written(png, picture, png.PNG_COLOR_TYPE_RGBA)
    image = png.png_image(version=png.PNG_IMAGE_VERSION)
    assert png.png_image_begin_read_from_memory(image, content, len(content)) == 1
    assert (image.width, image.height, image.format & png.PNG_FORMAT_FLAG_ALPHA) == (60, 40, png.PNG_FORMAT_FLAG_ALPHA)
    image.format, found = png.PNG_FORMAT_BGR, np.zeros((40, 60, 3), np.uint8)
    assert png.png_image_finish_read(image, png.png_color(0, 0, 0), found, 0, None) == 1 and image.opaque is None
    opaque = picture[:, :, 3] == 255
    assert (found[opaque][:, ::-1] == picture[opaque][:, :3]).all()

    image = png.png_image(version=png.PNG_IMAGE_VERSION, width=60, height=40, format=png.PNG_FORMAT_RGBA)
    size = jitffi.new("u64")
    assert png.png_image_write_to_memory(image, None, size, 0, picture, 0, None) == 1
    room = bytearray(size.value)
    assert png.png_image_write_to_memory(image, room, size, 0, picture, 0, None) == 1
    assert (rows_of(room[: size.value], 240, 4) == picture.reshape(40, 240)).all()


def test_errors_are_in_the_struct(png, tmp_path):
    image = png.png_image(version=png.PNG_IMAGE_VERSION)
    assert png.png_image_begin_read_from_memory(image, b"no picture at all" * 9, 153) == 0
    assert image.warning_or_error == png.PNG_IMAGE_ERROR and jitffi.text(image.message) == "Not a PNG file"
    assert png.png_image_begin_read_from_file(png.png_image(), str(tmp_path / "none.png")) == 0
    image = png.png_image(version=png.PNG_IMAGE_VERSION)
    assert png.png_image_begin_read_from_file(image, str(tmp_path / "none.png")) == 0
    assert jitffi.text(image.message) == "No such file or directory"
    with pytest.raises(
        TypeError, match=r"png_image_begin_read_from_memory: argument 2 'memory': .*str 'text' \(bytes fit"
    ):
        png.png_image_begin_read_from_memory(image, "text", 4)


def test_calls_leave_nothing_behind(png, picture):
    size = jitffi.new("u64")

    def work():
        image = png.png_image(version=png.PNG_IMAGE_VERSION, width=60, height=40, format=png.PNG_FORMAT_RGBA)
        assert png.png_image_write_to_memory(image, None, size, 0, picture, 0, None) == 1
        texts = jitffi.new("png16.png_text[2]")
        texts[1].key = bytearray(b"Title\0")
        handle = png.png_create_read_struct(png.PNG_LIBPNG_VER_STRING, None, None, None)
        info = png.png_create_info_struct(handle)
        png.png_set_text(handle, info, texts + 1, 1)
        places = jitffi.new("ptr[struct png_struct_def]", handle), jitffi.new("ptr[struct png_info_def]", info)
        png.png_destroy_read_struct(*places, None)

    assert_nothing_stays(work)
