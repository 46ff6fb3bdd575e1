"""zlib's streams by its header: compressed and decompressed in pieces through the fields of z_stream, gzip headers,
memory and input by functions of Python's; compared with Python's own zlib and gzip modules."""

from __future__ import annotations

import gc
import gzip
import zlib
from pathlib import Path

import pytest
from support.leaks import assert_nothing_stays

import jitffi

TEXT = b"".join(b"%d %x %o, " % (i, i * i, i**3) for i in range(4000))


@pytest.fixture(scope="module")
def z(bound_header):
    return bound_header("zlib.h", "z", "zlib1g-dev")


def started(z, function, *arguments, **fields):
    """A stream that *function* has begun: one of the header's macros, which add its version and the struct's size."""
    stream = z.z_stream(**fields)
    assert function(stream, *arguments) == z.Z_OK
    return stream


def pieces_of(content, size):
    """Of a given length each, and b"" as the last one."""
    return [content[at : at + size] for at in range(0, len(content), size)] + [b""]


def run(z, step, stream, pieces, room=100):
    """What *step*, which is deflate or inflate, makes of all *pieces*, and its last status."""
    out, made, status = bytearray(room), b"", z.Z_OK
    for piece in pieces:
        stream.next_in, stream.avail_in = bytearray(piece), len(piece)
        flush, stream.avail_out = z.Z_NO_FLUSH if piece else z.Z_FINISH, 0
        while stream.avail_out == 0 and status == z.Z_OK:
            stream.next_out, stream.avail_out = out, room
            status = step(stream, flush)
            made += out[: room - stream.avail_out]
            if status == z.Z_BUF_ERROR:  # nothing was left to do
                status = z.Z_OK
    return made, status


# -- in pieces ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 7777, len(TEXT)])
def test_deflate_in_pieces(z, size):
    stream = started(z, z.deflateInit, z.Z_BEST_COMPRESSION)
    made, status = run(z, z.deflate, stream, pieces_of(TEXT, size))
    assert status == z.Z_STREAM_END and (stream.total_in, stream.total_out) == (len(TEXT), len(made))
    assert zlib.decompress(made) == TEXT and stream.adler == zlib.adler32(TEXT)
    assert z.deflateEnd(stream) == z.Z_OK and stream.state is None


@pytest.mark.parametrize("size", [100, 5000])
def test_inflate_in_pieces(z, size):
    stream = started(z, z.inflateInit)
    made, status = run(z, z.inflate, stream, pieces_of(zlib.compress(TEXT), size), room=1 << 12)
    assert status == z.Z_STREAM_END and made == TEXT and stream.adler == zlib.adler32(TEXT)
    assert z.inflateEnd(stream) == z.Z_OK


@pytest.mark.parametrize("bits", [-15, 9, 15, 31])
def test_parameters_are_those_of_python(z, bits):
    """Without a header, with a small window, and as gzip."""
    stream = started(z, z.deflateInit2, 4, z.Z_DEFLATED, bits, 8, z.Z_FILTERED)
    made, status = run(z, z.deflate, stream, pieces_of(TEXT, 10_000), room=1 << 15)
    wanted = zlib.compressobj(4, zlib.DEFLATED, bits, 8, zlib.Z_FILTERED)
    assert status == z.Z_STREAM_END and made == wanted.compress(TEXT) + wanted.flush()
    assert z.deflateEnd(stream) == z.Z_OK


def test_the_input_is_held_by_the_stream(z):
    """Also when zlib has moved the pointer on: nobody but the field holds the memory."""
    stream, out = started(z, z.deflateInit, 6), jitffi.new("u8[50000]")
    stream.next_in, stream.avail_in = bytearray(TEXT), 1000
    stream.next_out, stream.avail_out = out, out.len
    first = stream.next_in
    assert z.deflate(stream, z.Z_NO_FLUSH) == z.Z_OK and stream.next_in - first == 1000
    del first
    gc.collect()
    stream.avail_in = len(TEXT) - 1000
    assert z.deflate(stream, z.Z_FINISH) == z.Z_STREAM_END
    assert zlib.decompress(bytes(out.array(stream.total_out))) == TEXT and stream.next_out - out == stream.total_out
    assert z.deflateEnd(stream) == z.Z_OK


def test_a_dictionary(z):
    words = b"one two three four five six"
    stream = started(z, z.deflateInit, 9)
    assert z.deflateSetDictionary(stream, words, len(words)) == z.Z_OK
    made, _ = run(z, z.deflate, stream, [b"three four six", b""])
    z.deflateEnd(stream)
    wanted = zlib.compressobj(9, zdict=words)
    assert made == wanted.compress(b"three four six") + wanted.flush()

    stream = started(z, z.inflateInit)
    assert run(z, z.inflate, stream, [made]) == (b"", z.Z_NEED_DICT) and stream.adler == zlib.adler32(words)
    assert z.inflateSetDictionary(stream, b"other", 5) == z.Z_DATA_ERROR
    assert z.inflateSetDictionary(stream, words, len(words)) == z.Z_OK
    rest = jitffi.cast("ptr[const u8]", stream.next_in.address).array(stream.avail_in).tobytes()
    assert run(z, z.inflate, stream, [rest]) == (b"three four six", z.Z_STREAM_END)
    z.inflateEnd(stream)


def test_a_copy_goes_on_by_itself(z):
    stream, copy = started(z, z.deflateInit, 6), z.z_stream()
    begin, _ = run(z, z.deflate, stream, [TEXT[:5000]], room=1 << 14)
    assert z.deflateCopy(copy, stream) == z.Z_OK
    for each, end in ((stream, b"one end"), (copy, b"another end")):
        rest, status = run(z, z.deflate, each, [end, b""], room=1 << 14)
        assert status == z.Z_STREAM_END and zlib.decompress(begin + rest) == TEXT[:5000] + end
        assert z.deflateEnd(each) == z.Z_OK


def test_errors(z):
    stream = started(z, z.inflateInit)
    assert run(z, z.inflate, stream, [b"no such thing"])[1] == z.Z_DATA_ERROR
    assert stream.msg.text() == "incorrect header check" and z.zError(z.Z_DATA_ERROR) == "data error"
    assert z.inflateReset(stream) == z.Z_OK and stream.msg is None
    assert z.inflateEnd(stream) == z.Z_OK and z.inflateEnd(stream) == z.Z_STREAM_ERROR
    assert z.inflate(None, 0) == z.Z_STREAM_ERROR
    assert z.inflateInit_(z.z_stream(), "0.9", jitffi.sizeof(z.z_stream)) == z.Z_VERSION_ERROR
    with pytest.raises(
        TypeError, match=r"z_stream\.next_in: expected ptr\[u8\], got read-only uint8\[3\] \(C may write"
    ):
        stream.next_in = b"abc"
    with pytest.raises(OverflowError, match=r"z_stream\.avail_in: expected u32 .*got int -1"):
        stream.avail_in = -1


def test_input_is_const_where_the_header_is_asked_to_say_so(z, run_python, tmp_path):
    """In a process of its own: a struct has one declaration in a process."""
    jitffi.bind_header("zlib.h", "z", tmp_path / "zlib_const.py", defines=("ZLIB_CONST",))
    (tmp_path / "program.py").write_text(f"""
import sys, zlib
sys.path.insert(0, {str(tmp_path)!r})
import jitffi, zlib_const as z
stream, out = z.z_stream(next_in=b"bytes fit", avail_in=9), bytearray(100)
stream.next_out, stream.avail_out = out, len(out)
assert z.deflateInit(stream, 6) == z.Z_OK
assert z.deflate(stream, z.Z_FINISH) == z.Z_STREAM_END and z.deflateEnd(stream) == z.Z_OK
print(zlib.decompress(out[:stream.total_out]))
""")
    assert run_python(tmp_path / "program.py") == "b'bytes fit'\n"


# -- functions of Python's ---------------------------------------------------------------------------------------------


def test_memory_by_functions_of_python(z):
    held = {}

    def allocate(opaque, items, size):
        memory = jitffi.new(f"u64[{items * size // 8 + 1}]")
        held[memory.address] = memory
        return memory.address

    def release(opaque, address):
        del held[address]

    stream = started(z, z.deflateInit, 6, zalloc=allocate, zfree=release)
    del allocate, release
    gc.collect()  # the stream holds them
    assert len(held) >= 4 and stream.zalloc is not None
    made, status = run(z, z.deflate, stream, pieces_of(TEXT, 10_000), room=1 << 14)
    assert status == z.Z_STREAM_END and zlib.decompress(made) == TEXT
    assert z.deflateEnd(stream) == z.Z_OK and not held


def test_no_memory(z):
    def refuse(opaque, items, size):
        raise MemoryError(f"{items} of {size}")

    stream = z.z_stream(zalloc=lambda opaque, items, size: None, zfree=lambda opaque, address: None)
    assert z.deflateInit(stream, 6) == z.Z_MEM_ERROR and stream.state is None
    with pytest.raises(MemoryError, match="1 of "):
        z.inflateInit(z.z_stream(zalloc=refuse))


def test_inflate_asks_for_its_input(z):
    """By a function that fills in a place for a pointer, and gives what it made to another one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = packer.compress(TEXT) + packer.flush()
    pieces = iter(jitffi.new(f"u8[{len(piece)}]", piece) for piece in pieces_of(content, 1000)[:-1])
    made, held = bytearray(), []

    def give(descriptor, place):
        piece = next(pieces, None)
        if piece is None:
            return 0
        held[:] = [piece]  # zlib reads it until it asks again
        place.value = piece
        return piece.len

    def take(descriptor, piece, size):
        made.extend(piece.array(size))
        return 0

    stream = started(z, z.inflateBackInit, 15, window := bytearray(1 << 15))
    assert z.inflateBack(stream, give, None, take, None) == z.Z_STREAM_END and made == TEXT
    assert z.inflateBack(stream, give, None, take, None) == z.Z_BUF_ERROR and stream.next_in is None
    with pytest.raises(ZeroDivisionError):
        z.inflateBack(stream, lambda descriptor, place: 1 // 0, None, take, None)
    assert z.inflateBackEnd(stream) == z.Z_OK and window[:100] in TEXT


def test_streams_leave_nothing_behind(z):
    memory = [jitffi.new("u8[300000]")]

    def work():
        stream = started(z, z.inflateInit, zalloc=lambda *of: memory[0].address, zfree=lambda *of: None)
        run(z, z.inflate, stream, [b"no such thing"])
        z.inflateEnd(stream)

    assert_nothing_stays(work)


# -- gzip --------------------------------------------------------------------------------------------------------------


def test_a_header_of_gzip(z):
    extra, name, comment = bytearray(b"ab\x03\0xyz"), bytearray(b"a name.txt\0"), bytearray(b"of no use\0")
    head = z.gz_header(
        text=1, time=1_700_000_000, os=3, extra=extra, extra_len=len(extra), name=name, comment=comment, hcrc=1
    )
    stream = started(z, z.deflateInit2, 6, z.Z_DEFLATED, 31, 8, z.Z_DEFAULT_STRATEGY)
    assert z.deflateSetHeader(stream, head) == z.Z_OK
    made, _ = run(z, z.deflate, stream, [TEXT, b""], room=1 << 15)
    z.deflateEnd(stream)
    assert (
        gzip.decompress(made) == TEXT
        and made[:9] == b"\x1f\x8b\x08\x1f" + (1_700_000_000).to_bytes(4, "little") + b"\0"
    )
    assert made[10:40].startswith(b"\x07\0" + extra + name + comment[:7])

    found = z.gz_header(extra=bytearray(20), extra_max=20, name=bytearray(20), name_max=20, comment=None, done=-1)
    stream = started(z, z.inflateInit2, 31)
    assert z.inflateGetHeader(stream, found) == z.Z_OK and found.done == 0
    again, status = run(z, z.inflate, stream, [made], room=1 << 15)
    z.inflateEnd(stream)
    assert again == TEXT and status == z.Z_STREAM_END
    assert (found.done, found.text, found.time, found.os, found.hcrc) == (1, 1, head.time, 3, 1)
    assert found.name.text() == "a name.txt" and found.extra.array(found.extra_len).tobytes() == extra
    assert found.comment is None


def test_files(z, tmp_path):
    path, error = str(tmp_path / "file.gz"), jitffi.new("i32")
    file = z.gzopen(path, "wb9")
    assert z.gzprintf(file, "%s: %d of %.2f%%, %lld\n", "\u00fcber", 3, 97.25, 1 << 40) == 34
    assert z.gzputs(file, "second\n") == 7 and z.gzwrite(file, b"\0\1\2", 3) == 3 and z.gzclose(file) == z.Z_OK
    assert gzip.decompress(Path(path).read_bytes()) == "\u00fcber: 3 of 97.25%, 1099511627776\nsecond\n\0\1\2".encode()
    file, room = z.gzopen(path, "rb"), jitffi.new("i8[100]")
    assert z.gzgets(file, room, room.len) == room and room.text().endswith("1099511627776\n")
    assert z.gzungetc(ord("x"), file) == ord("x") and z.gzgets(file, room, room.len).text() == "xsecond\n"
    assert z.gzgetc(file) == 0 and z.gzread(file, bytearray(10), 10) == 2 and z.gzeof(file) == 1
    assert z.gzseek(file, 3, 0) == 3 and z.gztell(file) == 3
    assert z.gzerror(file, error) == "" and error.value == z.Z_OK
    assert z.gzclose(file) == z.Z_OK and z.gzopen(str(tmp_path / "none" / "x"), "rb") is None


def test_checksums_are_joined(z):
    one, two = TEXT[:1000], TEXT[1000:]
    assert z.crc32_combine(zlib.crc32(one), zlib.crc32(two), len(two)) == zlib.crc32(TEXT)
    table = z.get_crc_table().array(256)
    assert all(table[i] == zlib.crc32(bytes([255 - i])) ^ 0xFF000000 for i in range(256))
