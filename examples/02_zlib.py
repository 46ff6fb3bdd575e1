"""zlib by its C declarations: checksums, and a megabyte there and back."""

import jitffi

zlib = jitffi.load_library(
    "libz.so.1",
    cdef="""
    typedef unsigned char Bytef;
    typedef unsigned long uLong, uLongf;
    typedef unsigned int uInt;
    uLong crc32(uLong crc, const Bytef *buf, uInt len);
    uLong adler32(uLong adler, const Bytef *buf, uInt len);
    uLong compressBound(uLong sourceLen);
    int compress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen);
    int uncompress(Bytef *dest, uLongf *destLen, const Bytef *source, uLong sourceLen);
    """,
)

print(f"crc32   {zlib.crc32(0, b'123456789', 9):08x}")
print(f"adler32 {zlib.adler32(1, b'123456789', 9):08x}")

text = b"The quick brown fox jumps over the lazy dog.\n" * 23302
packed = bytearray(zlib.compressBound(len(text)))
size = jitffi.new("u64", len(packed))  # unsigned long, in and out
assert zlib.compress(packed, size, text, len(text)) == 0
length = size.value

again = bytearray(len(text))
size.value = len(again)
assert zlib.uncompress(again, size, packed, length) == 0
assert again == text
print(f"{len(text)} bytes are {length} compressed, and the same again uncompressed")
