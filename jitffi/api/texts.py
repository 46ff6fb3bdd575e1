"""Text in memory of C's: arrays of `char`, which NumPy has as numbers."""

from __future__ import annotations

from jitffi._core import Pointer, cast


def text(memory: object, size: int | None = None) -> str:
    """Return the text in *memory*: an array of bytes, such as a struct's member ``char name[16]``, any other buffer, or
    what a pointer or an address leads to. It ends before the first NUL, or after *size* bytes. TypeError for what has
    no bytes, ValueError for NULL, UnicodeDecodeError for what is no UTF-8.

    >>> import jitffi
    >>> entry = jitffi.struct("doc.Entry", "name: i8[8]")(name="usr")
    >>> text(entry.name), text(bytearray(b"words\\0rest")), text(b"words", 3)
    ('usr', 'words', 'wor')
    """
    pointer = memory if type(memory) is Pointer else cast("ptr[const u8]", memory)
    return pointer.text(size)
