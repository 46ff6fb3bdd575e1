"""Candidates: uniform, of pools, by spot; which of them are worth measuring; what a profile says of a choice."""

from __future__ import annotations

import fakes
import pytest

from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.profiles.pads import Place
from jitffi.tune.records import Counts
from jitffi.tune.search import refine as space
from jitffi.tune.search.conclude import functions
from jitffi.tune.search.refine import Spot

NAMES, CHARS = "names:0123456789abcdef", "chars:fedcba9876543210"
PLACES = {
    NAMES: Place("names", "w.py", 3, ("[]", "name")),
    CHARS: Place("chars", "w.py", 9, ("[]",)),
    "labs: (i64) -> str": Place("labs", "", 0, ()),
}


def test_spots_are_variables_pools_and_results():
    assert space.spots_of(PLACES) == (
        Spot(CHARS, "[]"), Spot("labs: (i64) -> str", "*"), Spot(NAMES, "[]"), Spot(NAMES, "name"),
    )  # fmt: skip


def test_pads_that_the_compiler_chooses_itself_are_left_out():
    chosen = {Spot(NAMES, "[]"): 1, Spot(NAMES, "name"): 2, Spot(CHARS, "[]"): 0}
    assert space.of_spots(chosen) == Pads(functions=((CHARS, (("[]", 0),)), (NAMES, (("name", 2),))))
    assert space.of_spots({Spot(NAMES, "[]"): 1, Spot(NAMES, "name"): 0}) == DEFAULT


# -- worth measuring --------------------------------------------------------------------------------------------------


class World(dict):
    """Counts by candidate: names makes 50 texts an item that need pools of pad 4, chars a list of 100 characters."""

    ITEMS = 1000

    def pad(self, pads, key):
        of_function = dict(dict(pads.functions).get(key, ()))
        return of_function.get("[]", 1 if pads.everywhere is None else pads.everywhere)

    def __contains__(self, pads):
        return True

    def __getitem__(self, pads):
        names, chars = self.pad(pads, NAMES), self.pad(pads, CHARS)
        blocks = ((16 + 50 * (16 + 8 * names), self.ITEMS), (16 + 100 * (16 + 8 * chars), self.ITEMS))
        sizes = [*blocks, *([(84, 50 * self.ITEMS)] if names < 4 else [])]
        total = sum([size * count for size, count in sizes])
        return Counts(sum([count for _, count in sizes]), total, total // self.ITEMS, 0)

    def seconds(self, pads):
        """An item's: half of it are the texts on the heap, and wide slots cost."""
        names, chars = self.pad(pads, NAMES), self.pad(pads, CHARS)
        return 1e-5 * ((0.5 if names < 4 else 0.0) + 0.01 * names + 0.25 + 0.04 * chars)


def refined(seed, places=PLACES):
    world = World()
    runner = fakes.FakeRunner(world.seconds, counts=world, places=places, seed=seed)
    return fakes.search(runner, seed=seed, items=World.ITEMS).run(), runner


@pytest.mark.parametrize("seed", range(5))
def test_a_function_that_gains_and_one_that_loses_get_pads_of_their_own(seed):
    choice, runner = refined(seed)
    assert runner.now <= 30
    assert choice.winner is not None and choice.winner in choice.refined
    pads = {key: dict(variables) for key, variables in choice.winner.pads.functions}
    assert pads[NAMES] == {"[]": 4}  # the variable, which allocates nothing, is left alone
    assert pads.get(CHARS, {"[]": 1})["[]"] <= 1
    assert choice.best == 4
    assert choice.winner.runs >= 5 and choice.winner.counts is not None


def test_one_place_needs_nothing_finer():
    result, _ = refined(0, {CHARS: PLACES[CHARS]})
    assert result.refined == ()


# -- as a profile says it ---------------------------------------------------------------------------------------------


def test_functions_of_a_choice():
    assert functions(PLACES, Pads(3)) == {
        NAMES: {"*": 3, "[]": 3},
        CHARS: {"*": 3, "[]": 3},
        "labs: (i64) -> str": {"*": 3},
    }
    assert functions(PLACES, space.of_spots({Spot(NAMES, "name"): 2})) == {NAMES: {"name": 2}}
