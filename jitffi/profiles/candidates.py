"""Candidates: pads that the tuner tries, for all functions or for some of their variables."""

from __future__ import annotations

from dataclasses import dataclass

from jitffi.base.pad_policy import MAX_PAD

#: What pads name beside variables: all variables that are not named, and the items of lists and maps.
OTHERS, POOLS = "*", "[]"
LARGEST_PAD = MAX_PAD


@dataclass(frozen=True, slots=True)
class Pads:
    """Pads to try, a candidate. It is hashable: two that are equal make the same code.

    `everywhere` is for all functions; None stands for the compiler's own choice (variables 0, pools 1). `functions`
    differ: each is a function's id with the pads by name of the variable, both sorted. What a function does not name is
    as `everywhere` says.
    """

    everywhere: int | None = None
    functions: tuple[tuple[str, tuple[tuple[str, int], ...]], ...] = ()

    @property
    def is_default(self) -> bool:
        return self.everywhere is None and not self.functions


DEFAULT = Pads()

#: The default once more, as a candidate of its own: no function has this id, so it makes the default's code. How far
#: its times are from the default's is the noise.
CONTROL = Pads(functions=(("", ()),))
