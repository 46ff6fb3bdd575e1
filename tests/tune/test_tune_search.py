"""What a search decides, on made-up times: right in most of many seeds, within its budget, whatever fails."""

from __future__ import annotations

import fakes
import pytest


def by_pad(table, otherwise=1e-5):
    """Times an item: those of the table by uniform pad, `otherwise` for the rest, the default too."""
    return lambda pads: table.get(pads.everywhere, otherwise)


def choices(seconds, seeds, budget=30.0, **more):
    found = []
    for seed in seeds:
        runner = fakes.FakeRunner(seconds, seed=seed, **more)
        result = fakes.search(runner, budget=budget, seed=seed).run()
        assert runner.now <= budget and runner.closed
        winner = result.choices[0].winner
        found.append(None if winner is None else winner.pads.everywhere)
    return found


def test_the_valley_is_found():
    found = choices(
        lambda pads: 1e-5 * (1 + 0.1 * abs((1 if pads.everywhere is None else pads.everywhere) - 5)), range(40)
    )
    assert found.count(5) >= 39


def test_a_small_gain_is_found():
    found = choices(by_pad({3: 0.93e-5}), range(40))
    assert found.count(3) >= 38


def test_no_difference_where_there_is_none():
    assert choices(by_pad({}), range(40)).count(None) >= 39
    assert choices(by_pad({}), range(40), noise=0.1, process_noise=0.02).count(None) >= 38


def test_the_default_is_kept_where_it_is_best():
    found = choices(lambda pads: 1e-5 * (1 + 0.05 * (pads.everywhere or 0)), range(50))
    assert found.count(None) >= 49


@pytest.mark.parametrize("budget", [1.5, 3.0, 10.0])
def test_small_budgets(budget):
    found = choices(by_pad({4: 0.5e-5, 5: 0.7e-5}), range(50), budget=budget, overhead=0.1)
    assert set(found) <= {4, None}
    assert found.count(4) >= (48 if budget > 2 else 1)
