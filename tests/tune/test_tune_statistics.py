"""Statistics of runs, on made-up times."""

import random

import pytest

from jitffi.tune import statistics
from jitffi.tune.records import Interval
from jitffi.tune.statistics import bootstrap, cold, is_warm


def test_few_values_have_an_interval_of_all():
    assert bootstrap([0.9, 0.5, 0.7]) == Interval(0.5, 0.7, 0.9)


def test_bootstrap_is_the_same_for_the_same_seed():
    values = [random.Random(1).gauss(1, 0.1) for _ in range(20)]
    assert bootstrap(values, 3) == bootstrap(values, 3)


def test_interval_gets_narrower_with_more_values_and_has_the_median_in_it():
    draw = random.Random(2)
    few, many = ([draw.gauss(1.0, 0.05) for _ in range(count)] for count in (8, 200))
    wide, narrow = bootstrap(few), bootstrap(many)
    assert wide.low <= wide.median <= wide.high
    assert narrow.high - narrow.low < (wide.high - wide.low) / 2
    assert 0.97 < narrow.low <= narrow.median <= narrow.high < 1.03


def test_interval_has_the_true_median_about_as_often_as_it_says():
    draw = random.Random(3)
    hits = 0
    for _ in range(200):
        found = bootstrap([draw.gauss(1.0, 0.1) for _ in range(9)])
        hits += found.low <= 1.0 <= found.high
    assert hits >= 180


def test_one_outlier_does_not_move_the_median():
    assert bootstrap([1.0, 1.01, 0.99, 1.0, 50.0, 1.0, 1.01]).median == 1.0


def test_warm_is_what_does_not_get_faster():
    assert is_warm([1.0, 1.02, 0.99, 1.01, 1.0, 1.0])
    assert is_warm([1.0, 1.0, 1.0, 1.5, 1.5, 1.5])  # the machine got slower: no fault of the process
    assert not is_warm([2.0, 1.9, 1.8, 1.0, 1.0, 1.0])
    assert not is_warm([8.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0])
    assert is_warm([5.0, 1.0, 1.0])  # too few to tell


def test_one_slow_round_in_the_middle_is_not_cold():
    assert cold([1.0, 1.01, 9.0, 1.0, 1.01, 1.0]) == 0


@pytest.mark.parametrize(
    "times, expected",
    [
        ([], 0),
        ([1.0], 0),
        ([9.0, 1.0], 0),
        ([9.0, 1.0, 1.0, 1.0, 1.0], 1),
        ([9.0, 5.0, 2.0, 1.0, 1.0, 1.0, 1.0, 1.0], 3),
        ([8.0, 7.0, 6.0, 5.0, 4.0, 3.0, 2.0, 1.0], 4),  # never warm: the second half
    ],
)
def test_cold_rounds_are_the_first_ones(times, expected):
    assert cold(times) == expected


def test_confidence_is_what_reports_say():
    assert statistics.CONFIDENCE == 0.95
