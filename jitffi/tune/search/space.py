"""The candidates: one pad for all, or by spot: a variable of a function, or its pools."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from jitffi.profiles.candidates import LARGEST_PAD, OTHERS, POOLS, Pads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place

#: What the compiler does where nothing is said.
OWN_LOCALS, OWN_POOLS = 0, 1


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """One thing that can have a pad of its own: a variable of the function of that key, or its pools ("[]")."""

    key: str
    variable: str


def parse(pads: Iterable[int]) -> tuple[int, ...]:
    """Return the pads to try, sorted, each once. TypeError for what is no int, ValueError for one that is not of 0 to
    15, and if there is none.

    >>> parse(range(3)), parse([4, 1, 4])
    ((0, 1, 2), (1, 4))
    """
    if isinstance(pads, (str, bytes)):
        raise TypeError(f"pads: expected an iterable of ints, as range(16), got {pads!r}")
    if isinstance(pads, int):
        raise TypeError(f"pads: expected an iterable of ints, as [{int(pads)}], got {pads!r}")
    try:
        given = list(pads)
    except TypeError:
        raise TypeError(f"pads: expected an iterable of ints, as range(16), got {type(pads).__name__}") from None
    if not given:
        raise ValueError("pads: expected at least one pad to try, got none")
    return tuple(sorted(set(map(_pad, given))))


def _pad(given: object) -> int:
    """Return an int of what stands for one, as NumPy's do."""
    try:
        found = given if isinstance(given, bool) else operator.index(given)  # type: ignore[arg-type]
    except TypeError:
        found = True
    if isinstance(found, bool):
        raise TypeError(f"pads: expected ints from 0 to {LARGEST_PAD}, got {given!r}")
    if not 0 <= found <= LARGEST_PAD:
        raise ValueError(f"pads: expected ints from 0 to {LARGEST_PAD}, got {found}")
    return found


def uniform(pads: Iterable[int]) -> tuple[Pads, ...]:
    """Return candidates of one pad for everything."""
    return tuple([Pads(each) for each in pads])


def spots(places: Mapping[str, Place]) -> tuple[Spot, ...]:
    """Return all that could have a pad of its own, in a fixed order; "*" of a typed function, without variables."""
    return tuple(
        sorted({Spot(key, variable) for key, place in places.items() for variable in place.variables or (OTHERS,)})
    )


def of_spots(chosen: Mapping[Spot, int]) -> Pads:
    """Return the default but for these. Pads that the compiler chooses itself are left out, so that equal code is one
    candidate.

    >>> of_spots({Spot("f:1", "word"): 3, Spot("f:1", "[]"): 1, Spot("g:2", "line"): 0})
    Pads(everywhere=None, functions=(('f:1', (('word', 3),)),))
    """
    functions: dict[str, list[tuple[str, int]]] = {}
    for spot, pad in sorted(chosen.items()):
        if pad != (OWN_POOLS if spot.variable == POOLS else OWN_LOCALS):
            functions.setdefault(spot.key, []).append((spot.variable, pad))
    return Pads(functions=tuple([(key, tuple(each)) for key, each in functions.items()]))
