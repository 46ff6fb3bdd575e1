"""What a frame owns between two statements: temporaries, and the scopes that release them (frame.py)."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.emit import V


class Temporary:
    """Something of the frame that can own: a "slot" (with its pad), a "text" (a slot with text only), a "cell" (a
    pointer to an object), a "reference" (one to an object of Python's) or an "iteration". Null from the entry block
    on."""

    __slots__ = ("kind", "p", "pad")

    def __init__(self, kind: str, p: V, pad: int) -> None:
        self.kind = kind
        self.p = p
        self.pad = pad


class Scope:
    """What was made since `scope` was opened."""

    __slots__ = ("made", "scratch")

    def __init__(self) -> None:
        self.made: list[Temporary] = []
        self.scratch: list[tuple[int, V]] = []
