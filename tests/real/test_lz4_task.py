"""LZ4's frames by its header: preferences in structs, contexts, streams in pieces, errors by name."""

from __future__ import annotations

import random

import pytest

import jitffi

TEXT = b"".join(b"line %d of a text that repeats itself\n" % (i % 97) for i in range(4000))


#: LZ4 calls bytes `const char *`, as C does text.
SIDE = """
[functions.LZ4_loadDict.types]
dictionary = "const u8[dictSize]"
[functions.LZ4_compress_fast_continue.types]
src = "const u8[srcSize]"
dst = "u8[dstCapacity]"
[functions.LZ4_setStreamDecode.types]
dictionary = "const u8[dictSize]"
[functions.LZ4_decompress_safe_continue.types]
src = "const u8[srcSize]"
dst = "u8[dstCapacity]"
"""


@pytest.fixture(scope="module")
def lz4(bound_header, tmp_path_factory):
    side = tmp_path_factory.mktemp("side") / "lz4.toml"
    side.write_text(SIDE)
    return bound_header(("lz4frame.h", "lz4.h"), "lz4", "liblz4-dev", side=side)


def checked(lz4, code):
    """What a function gave, which may be an error."""
    if lz4.LZ4F_isError(code):
        raise ValueError(lz4.LZ4F_getErrorName(code))
    return code


@pytest.fixture
def decoder(lz4):
    place = jitffi.new("ptr[struct LZ4F_dctx_s]")
    checked(lz4, lz4.LZ4F_createDecompressionContext(place, lz4.LZ4F_VERSION))
    yield place.value
    checked(lz4, lz4.LZ4F_freeDecompressionContext(place.value))


def decompressed(lz4, decoder, frame, piece=1000):
    """The content of a frame that comes in pieces."""
    room, made, at = bytearray(777), b"", 0
    given, used = jitffi.new("u64"), jitffi.new("u64")
    while True:
        given.value, used.value = len(room), min(piece, len(frame) - at)
        rest = checked(lz4, lz4.LZ4F_decompress(decoder, room, given, frame[at : at + piece], used, None))
        made, at = made + room[: given.value], at + used.value
        if rest == 0:
            return made
        assert given.value or used.value, "nothing goes on"


def test_a_frame_at_once(lz4, decoder):
    preferences = lz4.LZ4F_preferences_t(compressionLevel=3)
    preferences.frameInfo.contentChecksumFlag = lz4.LZ4F_contentChecksumEnabled
    preferences.frameInfo.contentSize = len(TEXT)
    room = bytearray(lz4.LZ4F_compressFrameBound(len(TEXT), preferences))
    size = checked(lz4, lz4.LZ4F_compressFrame(room, len(room), TEXT, len(TEXT), preferences))
    assert size < len(TEXT) / 4
    assert decompressed(lz4, decoder, bytes(room[:size])) == TEXT


def test_a_frame_in_pieces_and_what_it_says_of_itself(lz4, decoder):
    preferences = lz4.LZ4F_preferences_t(
        frameInfo=lz4.LZ4F_frameInfo_t(blockSizeID=lz4.LZ4F_max64KB, blockMode=lz4.LZ4F_blockIndependent, dictID=42)
    )
    place = jitffi.new("ptr[struct LZ4F_cctx_s]")
    checked(lz4, lz4.LZ4F_createCompressionContext(place, lz4.LZ4F_VERSION))
    room = bytearray(lz4.LZ4F_compressBound(8192, preferences))
    frame = bytes(room[: checked(lz4, lz4.LZ4F_compressBegin(place.value, room, len(room), preferences))])
    for at in range(0, len(TEXT), 8192):
        piece = TEXT[at : at + 8192]
        size = lz4.LZ4F_compressUpdate(place.value, room, len(room), piece, len(piece), None)
        frame += room[: checked(lz4, size)]
    frame += room[: checked(lz4, lz4.LZ4F_compressEnd(place.value, room, len(room), None))]
    checked(lz4, lz4.LZ4F_freeCompressionContext(place.value))
    info, used = lz4.LZ4F_frameInfo_t(), jitffi.new("u64", len(frame))
    checked(lz4, lz4.LZ4F_getFrameInfo(decoder, info, frame, used))
    assert (info.blockSizeID, info.blockMode, info.dictID) == (lz4.LZ4F_max64KB, lz4.LZ4F_blockIndependent, 42)
    assert decompressed(lz4, decoder, frame[used.value :], piece=33) == TEXT


def test_errors_have_names(lz4, decoder):
    with pytest.raises(ValueError, match="ERROR_frameType_unknown"):
        decompressed(lz4, decoder, b"\0" * 20)
    with pytest.raises(ValueError, match="ERROR_dstMaxSize_tooSmall"):
        checked(lz4, lz4.LZ4F_compressFrame(bytearray(4), 4, TEXT, len(TEXT), None))


def test_blocks_with_a_dictionary(lz4):
    """The stream is a union that the caller makes."""
    stream, decode = lz4.LZ4_stream_t(), lz4.LZ4_streamDecode_t()
    assert lz4.LZ4_initStream(stream, jitffi.sizeof(stream)) is not None
    words = random.Random(3).randbytes(3000)
    room, back = bytearray(lz4.LZ4_compressBound(len(words))), bytearray(len(words))
    assert lz4.LZ4_loadDict(stream, words) == len(words)
    size = lz4.LZ4_compress_fast_continue(stream, words, room, acceleration=1)
    assert 0 < size < 100  # all of it is in the dictionary
    assert lz4.LZ4_setStreamDecode(decode, words) == 1
    assert lz4.LZ4_decompress_safe_continue(decode, bytes(room[:size]), back) == len(words)
    assert back == words
