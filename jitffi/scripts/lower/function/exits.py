"""The ways out: of loops by `break` and `continue`, and of the function, past what scopes and variables own."""

from __future__ import annotations

from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jitffi.scripts.lower.function.frame import Frame


class Loop:
    """Where `break` and `continue` of the loop that is being written lead, and how many scopes were open around it."""

    __slots__ = ("break_to", "continue_to", "depth")

    def __init__(self, break_to: str, continue_to: str, depth: int) -> None:
        self.break_to = break_to
        self.continue_to = continue_to
        self.depth = depth


class Exits:
    """The ways out of one function."""

    def __init__(self, frame: Frame) -> None:
        self.frame = frame
        self.loops: list[Loop] = []
        #: Of statements with a label: the block behind them, and how many scopes were open before them.
        self.labels: dict[int, tuple[str, int]] = {}
        self._leave = ""

    @contextmanager
    def loop(self, break_to: str, continue_to: str) -> Iterator[Loop]:
        """Around a loop's body: where `break` and `continue` lead. Scopes that are open now are not left by them."""
        loop = Loop(break_to, continue_to, len(self.frame.scopes))
        self.loops.append(loop)
        yield loop
        self.loops.pop()

    def leave_scopes(self, depth: int) -> None:
        """Release what the scopes above the first *depth* have made, before a jump out of them."""
        for scope in reversed(self.frame.scopes[depth:]):
            self.frame.release_scope(scope)

    def leave_label(self) -> str:
        """Where the variables are released and the function returns; the result is in `out`."""
        self._leave = self._leave or self.frame.e.label("leave")
        return self._leave

    def write_leave(self, ret: Callable[[], None]) -> None:
        """Write that block, if anything leads there; *ret* returns."""
        if not self._leave:
            return
        self.frame.e.at(self._leave)
        for owner in reversed(self.frame.owners):
            self.frame.release_owner(owner, null=False)
        ret()
