"""Where what fails goes: a region of a function is a part of it that is failed out of in one way.

    the function     a line of the traceback; variables and temporaries are released; the caller is told
    body of a try    temporaries are released; the handlers are asked (control/tries.py)
    a handler        the same; what was handled becomes the error's context; on in the region around

Nothing is done where one is entered, nor where it is left otherwise.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from jitffi.scripts.lower.function.emit import P, V
    from jitffi.scripts.lower.function.temporaries import Temporary

    class Catcher(Protocol):
        """The handlers of a try. Both close the block; or are False and do nothing, where an error is to be made."""

        def take_error(self, kind: str, message: str) -> bool:
            """An error of a built-in class."""

        def take_key(self, key: P) -> bool:
            """A dict lacks that key, by its view."""


class Region:
    """One region, while it is written and until its ends are."""

    __slots__ = ("catcher", "cold", "fails", "handled", "number", "outer", "scopes", "used")

    def __init__(self, outer: Region | None = None, number: int = 0, scopes: int = 1, handled: V | None = None) -> None:
        self.outer = outer
        #: Of the try whose body it is; 0 of other regions.
        self.number = number
        #: How many scopes were open where it began.
        self.scopes = scopes
        #: Of the body of a try.
        self.catcher: Catcher | None = None
        #: Of a handler: the address of its jf_handled.
        self.handled = handled
        #: Where its lines fail, with the last error set.
        self.fails: dict[int, str] = {}
        #: Blocks that raise, by line and error: one serves all that can fail so in a line.
        self.cold: dict[tuple[int, str, str], str] = {}
        #: Temporaries that are used in it, and may be found holding something.
        self.used: dict[Temporary, None] = {}

    @property
    def is_failed_out_of(self) -> bool:
        return bool(self.fails or self.cold)
