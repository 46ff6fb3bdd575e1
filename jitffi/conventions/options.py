"""The options of an adapter, and the letters that they have in the keys of its code."""

from __future__ import annotations

from jitffi.base.pad_policy import MAX_PAD


class Options:
    """What an adapter does beside converting. All are part of the key that machine code is shared by.

    by_name: the Python entry takes a parameter with a default by keyword alone. keywords: it takes keyword arguments.
    defaults: parameters may be left out. nogil: the interpreter's lock is released around the call into C. errno: a
    result of -1 or NULL is an error. pad: the out-slots that the entry half makes are AnyPad<pad>; the default is the
    largest, so that text of up to 127 bytes is written in place.
    """

    __slots__ = ("by_name", "defaults", "errno", "keywords", "nogil", "pad")

    def __init__(
        self,
        keywords: bool = False,
        defaults: bool = False,
        nogil: bool = False,
        errno: bool = False,
        pad: int = MAX_PAD,
        by_name: bool = False,
    ) -> None:
        self.by_name = by_name
        self.keywords = keywords
        self.defaults = defaults
        self.nogil = nogil
        self.errno = errno
        self.pad = pad

    @classmethod
    def of(cls, letters: str) -> Options:
        """The options that `key` gave *letters* for; a pad other than the default is "p" and its number, at the end."""
        letters, _, pad = letters.partition("p")
        number = int(pad) if pad else MAX_PAD
        return cls("k" in letters, "d" in letters, "n" in letters, "e" in letters, number, "b" in letters)

    @property
    def key(self) -> str:
        letters = "".join(
            name[0] for name in ("by_name", "keywords", "defaults", "nogil", "errno") if getattr(self, name)
        )
        return letters if self.pad == MAX_PAD else f"{letters}p{self.pad}"
