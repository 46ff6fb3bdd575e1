"""Zstandard's streams by its header: buffers as structs by reference, parameters and their bounds, dictionaries, and
the names of errors; what is made is read by the command-line program, where there is one."""

from __future__ import annotations

import gc
import shutil
import subprocess

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi

TEXT = b"".join(b"%d %x %o, " % (i, i * i, i**3) for i in range(20_000))
SAMPLES = [b'{"name": "user %d", "mail": "user%d@example.org", "age": %d}' % (i, i, i % 90) for i in range(2000)]


@pytest.fixture(scope="module")
def zstd(bound_header):
    return bound_header("zstd.h", "zstd", "libzstd-dev")


def checked(zstd, result):
    assert not zstd.ZSTD_isError(result), zstd.ZSTD_getErrorName(result)
    return result


@pytest.fixture
def compressor(zstd):
    context = zstd.ZSTD_createCCtx()
    yield context
    assert zstd.ZSTD_freeCCtx(context) == 0


@pytest.fixture
def decompressor(zstd):
    context = zstd.ZSTD_createDCtx()
    yield context
    assert zstd.ZSTD_freeDCtx(context) == 0


def compressed(zstd, context, pieces, room=1000):
    """All *pieces* as one frame, through one small buffer."""
    memory, made = bytearray(room), bytearray()
    out, last = zstd.ZSTD_outBuffer(memory, room), len(pieces) - 1
    for at, piece in enumerate(pieces):
        given, left = zstd.ZSTD_inBuffer(src=piece, size=len(piece)), 1
        directive = zstd.ZSTD_e_end if at == last else zstd.ZSTD_e_continue
        while left if at == last else given.pos < given.size:
            out.pos = 0
            left = checked(zstd, zstd.ZSTD_compressStream2(context, out, given, directive))
            made += memory[: out.pos]
    return bytes(made)


def decompressed(zstd, context, content, size=777, room=1000):
    """What is in the frames of *content*, which is given in pieces of *size*."""
    memory, made, left = np.empty(room, np.uint8), b"", 0
    for at in range(0, len(content), size):
        piece = content[at : at + size]
        given = zstd.ZSTD_inBuffer(piece, len(piece))
        out = zstd.ZSTD_outBuffer(memory, room)
        while given.pos < given.size or (left and out.pos == out.size):
            out.pos = 0
            left = checked(zstd, zstd.ZSTD_decompressStream(context, out, given))
            made += memory[: out.pos].tobytes()
    assert left == 0, "the last frame is not at its end"
    return made


def by_the_program(content, *arguments):
    """What the command-line program makes of it; None where there is none."""
    program = shutil.which("zstd")
    if program is None:
        return None
    return subprocess.run([program, "-q", "-c", *arguments], input=content, stdout=-1, timeout=60, check=True).stdout


# -- streams -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [1000, 65_536, len(TEXT)])
def test_there_and_back(zstd, compressor, decompressor, size):
    made = compressed(zstd, compressor, [TEXT[at : at + size] for at in range(0, len(TEXT), size)])
    assert len(made) < len(TEXT) / 2 and decompressed(zstd, decompressor, made) == TEXT
    assert by_the_program(made, "-d") in (TEXT, None)


def test_what_the_program_makes(zstd, decompressor):
    made = by_the_program(TEXT, "-19", "--check")
    if made is None:
        pytest.skip("the program zstd is not installed")
    assert decompressed(zstd, decompressor, made + made, size=5000, room=1 << 15) == TEXT + TEXT


def test_memory_is_held_by_the_buffers(zstd, compressor):
    given, out = zstd.ZSTD_inBuffer(bytes(TEXT), len(TEXT)), zstd.ZSTD_outBuffer(bytearray(1 << 19), 1 << 19)
    gc.collect()
    assert checked(zstd, zstd.ZSTD_compressStream2(compressor, out, given, zstd.ZSTD_e_end)) == 0
    assert given.pos == len(TEXT) and 0 < out.pos < out.size
    frame = jitffi.cast("ptr[const u8]", out.dst).array(out.pos).tobytes()
    assert zstd.ZSTD_findFrameCompressedSize(frame, len(frame)) == len(frame)
    assert zstd.ZSTD_getFrameContentSize(frame, len(frame)) == len(TEXT)
    assert zstd.ZSTD_getFrameContentSize(b"nonsense", 8) == zstd.ZSTD_CONTENTSIZE_ERROR


def test_a_flush_gives_all_that_was_given(zstd, compressor, decompressor):
    memory = bytearray(1000)
    out, got = zstd.ZSTD_outBuffer(memory, len(memory)), jitffi.new("u8[100]")
    made = zstd.ZSTD_outBuffer(got, got.len)
    for word in (b"one ", b"two ", b"three"):
        out.pos, given = 0, zstd.ZSTD_inBuffer(word, len(word))
        assert zstd.ZSTD_compressStream2(compressor, out, given, zstd.ZSTD_e_flush) == 0
        piece = zstd.ZSTD_inBuffer(memory, out.pos)
        assert checked(zstd, zstd.ZSTD_decompressStream(decompressor, made, piece)) > 0
    assert got.text() == "one two three" and made.pos == 13


def test_arrays_are_compressed_as_they_are(zstd):
    numbers = np.arange(10_000, dtype=np.int32) // 7
    room = np.empty(zstd.ZSTD_compressBound(numbers.nbytes), np.uint8)
    size = checked(zstd, zstd.ZSTD_compress(room, room.nbytes, numbers, numbers.nbytes, 3))
    again = np.empty_like(numbers)
    assert zstd.ZSTD_decompress(again, again.nbytes, room, size) == numbers.nbytes and (again == numbers).all()


# -- parameters --------------------------------------------------------------------------------------------------------


def test_bounds_are_a_struct_by_value(zstd):
    bounds = zstd.ZSTD_cParam_getBounds(zstd.ZSTD_c_compressionLevel)
    assert (bounds.error, bounds.lowerBound, bounds.upperBound) == (0, zstd.ZSTD_minCLevel(), zstd.ZSTD_maxCLevel())
    assert zstd.ZSTD_cParam_getBounds(zstd.ZSTD_c_checksumFlag) == zstd.ZSTD_bounds(0, 0, 1)
    wrong = zstd.ZSTD_cParam_getBounds(4711)
    assert zstd.ZSTD_isError(wrong.error) and zstd.ZSTD_getErrorName(wrong.error) == "Unsupported parameter"


def test_parameters(zstd, compressor, decompressor):
    plain = compressed(zstd, compressor, [TEXT])
    for parameter, value in (
        (zstd.ZSTD_c_compressionLevel, 12), (zstd.ZSTD_c_checksumFlag, 1), (zstd.ZSTD_c_strategy, zstd.ZSTD_btlazy2),
        (zstd.ZSTD_c_windowLog, 20),
    ):  # fmt: skip
        checked(zstd, zstd.ZSTD_CCtx_setParameter(compressor, parameter, value))
    checked(zstd, zstd.ZSTD_CCtx_setPledgedSrcSize(compressor, len(TEXT)))
    made = compressed(zstd, compressor, [TEXT[:99], TEXT[99:]])
    assert len(made) < len(plain) and decompressed(zstd, decompressor, made) == TEXT
    assert zstd.ZSTD_getFrameContentSize(made, len(made)) == len(TEXT)
    checked(zstd, zstd.ZSTD_CCtx_reset(compressor, zstd.ZSTD_reset_session_and_parameters))
    assert compressed(zstd, compressor, [TEXT]) == plain


def test_errors_have_names(zstd, compressor, decompressor):
    def name(result):
        assert zstd.ZSTD_isError(result) and result > 2**63  # a negative one, as size_t
        return zstd.ZSTD_getErrorName(result)

    assert name(zstd.ZSTD_CCtx_setParameter(compressor, zstd.ZSTD_c_windowLog, 99)) == "Parameter is out of bound"
    assert name(zstd.ZSTD_compress(bytearray(3), 3, TEXT, len(TEXT), 1)) == "Destination buffer is too small"
    given, out = zstd.ZSTD_inBuffer(b"no frame at all", 15), zstd.ZSTD_outBuffer(bytearray(10), 10)
    assert name(zstd.ZSTD_decompressStream(decompressor, out, given)) == "Unknown frame descriptor"
    checked(zstd, zstd.ZSTD_DCtx_reset(decompressor, zstd.ZSTD_reset_session_only))
    made = bytearray(compressed(zstd, compressor, [TEXT]))
    with pytest.raises(AssertionError, match="not at its end"):
        decompressed(zstd, decompressor, made[:-1])
    with pytest.raises(TypeError, match=r"ZSTD_outBuffer\.dst: expected ptr, got read-only uint8\[3\] \(C may write"):
        zstd.ZSTD_outBuffer(b"abc", 3)
    with pytest.raises(TypeError, match=r"ZSTD_inBuffer\.src: expected ptr\[const void\], got str 'abc' \(bytes fit"):
        zstd.ZSTD_inBuffer("abc", 3)


# -- dictionaries ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def dictionary(bound_header):
    """Trained by the functions of another header."""
    zdict = bound_header("zdict.h", "zstd", "libzstd-dev")
    room, sizes = bytearray(4000), np.array([len(each) for each in SAMPLES], np.uint64)
    size = zdict.ZDICT_trainFromBuffer(room, len(room), b"".join(SAMPLES), sizes, len(SAMPLES))
    assert not zdict.ZDICT_isError(size), zdict.ZDICT_getErrorName(size)
    assert zdict.ZDICT_getDictID(room, size) != 0
    return bytes(room[:size])


def test_a_trained_dictionary(zstd, compressor, decompressor, dictionary):
    plain = [compressed(zstd, compressor, [each]) for each in SAMPLES[:20]]
    digested = zstd.ZSTD_createCDict(dictionary, len(dictionary), zstd.ZSTD_CLEVEL_DEFAULT)
    other = zstd.ZSTD_createDDict(dictionary, len(dictionary))
    assert zstd.ZSTD_getDictID_fromCDict(digested) == zstd.ZSTD_getDictID_fromDict(dictionary, len(dictionary))
    checked(zstd, zstd.ZSTD_CCtx_refCDict(compressor, digested))
    checked(zstd, zstd.ZSTD_DCtx_refDDict(decompressor, other))
    made = [compressed(zstd, compressor, [each]) for each in SAMPLES[:20]]
    assert sum(map(len, made)) < sum(map(len, plain)) * 0.6
    assert [decompressed(zstd, decompressor, each) for each in made] == SAMPLES[:20]
    assert zstd.ZSTD_getDictID_fromFrame(made[0], len(made[0])) == zstd.ZSTD_getDictID_fromDDict(other)

    checked(zstd, zstd.ZSTD_DCtx_refDDict(decompressor, None))
    with pytest.raises(AssertionError, match="Dictionary mismatch"):
        decompressed(zstd, decompressor, made[0])
    checked(zstd, zstd.ZSTD_CCtx_refCDict(compressor, None))
    assert zstd.ZSTD_freeCDict(digested) == zstd.ZSTD_freeDDict(other) == 0


# -- with a side file --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def suggested(bound_header, zstd, tmp_path_factory):
    """As `jitffi bind --suggest` proposes it: lengths are filled in, and contexts are freed by Python."""
    side = tmp_path_factory.mktemp("side") / "zstd.toml"
    jitffi.bind.suggest_side("zstd.h", "zstd", side)
    return bound_header("zstd.h", "zstd", "libzstd-dev", side=side)


def test_with_the_suggested_side_file(suggested, zstd, dictionary):
    room, again = bytearray(500), bytearray(500)
    sample = SAMPLES[77]
    with suggested.ZSTD_createCCtx() as context, suggested.ZSTD_createDCtx() as other:
        size = checked(zstd, suggested.ZSTD_compress_usingDict(context, room, sample, dictionary, 5))
        made = room[:size]
        assert suggested.ZSTD_getFrameContentSize(made) == len(sample)
        assert suggested.ZSTD_decompress_usingDict(other, again, made, dictionary) == len(sample)
        assert again.startswith(sample) and decompressed(suggested, other, suggested_frame(suggested, TEXT)) == TEXT
    with pytest.raises(ValueError, match="ZSTD_sizeof_CCtx: argument 1 'cctx': .*was closed"):
        suggested.ZSTD_sizeof_CCtx(context)


def suggested_frame(suggested, content):
    room = np.empty(suggested.ZSTD_compressBound(len(content)), np.uint8)
    return room[: suggested.ZSTD_compress(room, content, 1)].tobytes()


def test_streams_leave_nothing_behind(suggested):
    frame = suggested_frame(suggested, TEXT[:2000])

    def work():
        context = suggested.ZSTD_createDCtx()
        assert decompressed(suggested, context, frame) == TEXT[:2000]

    assert_nothing_stays(work)
