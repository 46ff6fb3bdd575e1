"""The model: what it makes of counts, what it prunes, and that its sizes are those of the runtime."""

from __future__ import annotations

import pickle
import time

import pytest

import jitffi
from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.tune.records import Counts, Interval
from jitffi.tune.search import model
from jitffi.tune.worker import calibrate
from jitffi.tune.worker.allocator import count

#: A text costs 50 ns, a line nothing in a nearest cache of 32 KiB and 1 ns from 1 MiB on, a page 1 us.
COSTS = calibrate.Costs(((64, 50e-9), (128, 50e-9)), ((32 << 10, 0.0), (1 << 20, 1e-9)), 1e-6, 4096)
MIB = 1 << 20


def counts(sizes, peak=1000):
    pairs = tuple(sorted(sizes.items()))
    return Counts(sum(sizes.values()), sum(size * n for size, n in pairs), peak, 0, pairs)


def uniform(by_pad):
    return {Pads(pad): each for pad, each in by_pad.items()}


# -- predict --


def test_what_is_saved_is_relative_to_the_whole_time():
    made = uniform({None: counts({80: 10000}), 2: counts({80: 6000}), 5: counts({80: 2000})})
    predicted = model.predict(made, 0.001, COSTS)
    assert predicted[DEFAULT] == 1
    assert predicted[Pads(2)] == pytest.approx(0.8, abs=0.01)  # 4000 x 50 ns of 1 ms
    assert predicted[Pads(5)] == pytest.approx(0.6, abs=0.01)
    assert model.predict(made, 0.010, COSTS)[Pads(5)] == pytest.approx(0.96, abs=0.001)


def test_memory_is_at_most_most_of_the_time():
    made = uniform({None: counts({80: 10000}), 5: counts({})})
    assert model.predict(made, 1e-6, COSTS)[Pads(5)] == pytest.approx(0.1)
    assert model.predict(made, None, COSTS)[Pads(5)] == pytest.approx(0.5)


def test_a_larger_working_set_costs():
    blocks = {pad: counts({16 + 1000 * (16 + 8 * pad): 10}, peak=1000 * (16 + 8 * pad)) for pad in (0, 1, 4, 15)}
    predicted = model.predict(uniform({None: blocks[1], **blocks}), 0.001, COSTS)
    in_order = [predicted[Pads(pad)] for pad in (0, 1, 4, 15)]
    assert in_order == sorted(in_order)
    assert predicted[Pads(1)] == 1
    assert 1.001 < predicted[Pads(15)] < 1.1


def test_a_heap_that_goes_back_to_the_system_costs_pages():
    def lists(slot):
        return counts({200000 * slot: 1}, peak=200000 * slot)

    predicted = model.predict(uniform({None: lists(24), 0: lists(16), 15: lists(136)}), 0.0005, COSTS)
    assert predicted[Pads(0)] < 0.9
    assert predicted[Pads(15)] > 1.5
    assert model._given_back(4 * MIB) == 0 == model._given_back(0)
    assert model._given_back(64 * MIB) == 1 == model._given_back(1 << 40)
    assert model._given_back(16 * MIB) == pytest.approx(0.5)


def test_finer_candidates_are_predicted_by_their_counts():
    one = Pads(None, (("f:0", (("word", 3),)),))
    predicted = model.predict({DEFAULT: counts({80: 1000}), one: counts({80: 500})}, 0.0001, COSTS)
    assert predicted[one] == pytest.approx(0.75, abs=0.01)


def test_nothing_allocated_is_nothing_predicted():
    assert model.predict(uniform({None: counts({}), 3: counts({})}), None, COSTS) == uniform({None: 1.0, 3: 1.0})
    with pytest.raises(ValueError, match="default has not been counted"):
        model.predict({Pads(1): counts({})}, 1.0, COSTS)


def test_it_knows_only_what_differs():
    same = counts({80: 3})
    assert not model.knows(uniform({None: same, 0: counts({80: 3}, peak=5), 1: same}))
    assert not model.knows({})
    assert model.knows(uniform({None: same, 0: counts({80: 4})}))
    assert model.knows(uniform({None: counts({80: 1, 100: 1}), 0: counts({90: 2})}))  # as many, as large, not the same


# -- prune --


def test_what_is_clearly_worse_is_pruned_with_its_reason():
    predicted = uniform({None: 1.0, 0: 1.421, 1: 1.0, 2: 0.82, 3: 0.62, 4: 0.6, 5: 0.6, 6: 0.79, 7: 0.9})
    assert model.prune(predicted) == {
        Pads(0): "pruned: predicted 1.421 of the default",
        Pads(1): "pruned: predicted 1.000 of the default",
        Pads(2): "pruned: predicted 0.820 of the default",
        Pads(7): "pruned: predicted 0.900 of the default",
    }


def test_the_default_and_the_best_three_are_kept():
    predicted = uniform({None: 1.0, 0: 0.4, 1: 1.5, 2: 2.0, 3: 3.0, 4: 4.0})
    assert set(model.prune(predicted)) == {Pads(3), Pads(4)}
    assert set(model.prune(dict.fromkeys(predicted, 9.0))) == {Pads(3), Pads(4)}


@pytest.mark.parametrize("close", [0.98, 1.0, 1.02])
def test_what_is_close_is_not_pruned(close):
    predicted = {Pads(pad): 1 + (close - 1) * pad / 15 for pad in range(16)}
    assert model.prune({DEFAULT: 1.0, **predicted}) == {}
    assert model.prune({}) == {}
    assert model.prune({DEFAULT: 1.0}) == {}


def measured(by_pad, reach=0.01):
    return {Pads(pad): Interval(each - reach, each, each + reach) for pad, each in by_pad.items()}


def test_measurement_refutes_what_it_contradicts():
    predicted = uniform({None: 1.0, 0: 1.2, 4: 0.7, 5: 0.69, 6: 0.7})
    assert not model.contradicted(predicted, measured({None: 1.0, 0: 1.4, 4: 0.5, 5: 0.52, 6: 0.51}))
    assert not model.contradicted(predicted, measured({None: 1.0, 4: 1.01, 5: 1.02, 6: 0.99}))  # nothing is clear
    assert model.contradicted(predicted, measured({None: 1.0, 0: 0.7, 4: 1.3, 5: 1.3, 6: 1.4}))
    equal = uniform({4: 0.7, 5: 0.699, 6: 0.7})
    assert model.contradicted(equal, measured({4: 1.3, 5: 0.6, 6: 2.0}))
    assert not model.contradicted(equal, measured({4: 1.3, 5: 0.6, 6: 2.0}, reach=1.0))
    assert not model.contradicted(uniform({0: 0.98, 1: 1.0, 2: 1.01}), measured({0: 0.8, 1: 1.0, 2: 1.2}))
    assert not model.contradicted(predicted, {})


# -- histogram --


def split(text, pad):
    def words(text):
        return text.split()

    script = jitffi.script(pad=pad)(words)
    script(text)
    return count(lambda: script(text))


@pytest.mark.parametrize("sign, width", [("x", 1), ("\u0436", 4)])
@pytest.mark.parametrize("words", [1, 8, 37, 300])
def test_the_histogram_is_that_of_the_texts(sign, width, words):
    lengths = [1, 2, 3, 7, 8, 9, 24, 31, 32, 90, 127, 128, 200]
    text = " ".join(sign * lengths[i % len(lengths)] for i in range(words))
    found = model.histogram(split(text, 0), split(text, 15))
    expected = {}
    for each in text.split():
        if 7 < len(each) < 128 if width == 1 else 2 < len(each) < 33:
            expected[width * len(each)] = expected.get(width * len(each), 0) + 1
    assert found == tuple(sorted(expected.items()))


@pytest.mark.parametrize("sign", ["x", "\u0436"])
def test_texts_on_the_heap_are_found_again(sign):
    text = " ".join(sign * length for length in (1, 4, 8, 12, 20) for _ in range(30))
    at = {pad: split(text, pad) for pad in (0, 1, 2, 3, 4, 15)}
    texts = model.histogram(at[0], at[15])
    left = {"x": [90, 30, 0, 0, 0, 0], "\u0436": [120, 90, 90, 60, 60, 0]}[sign]
    assert [model.heap_texts(each, texts) for each in at.values()] == left


def test_sizes_are_those_of_the_runtime():
    at_0 = dict(count(lambda: jitffi.List(["x" * 20] * 8, pad=0)).sizes)
    assert at_0[model._TEXT_HEADER + 21] == 8
    for pad in (2, 15):
        sizes = dict(count(lambda pad=pad: jitffi.List(["x" * 20] * 8, pad=pad)).sizes)
        assert sizes[model._BLOCK_HEADER + 8 * (model._SLOT + model._STEP * pad)] == 1


# -- calibrate --


def test_costs_are_plausible_and_pickle():
    start = time.perf_counter()
    costs = calibrate.calibrate()
    assert time.perf_counter() - start < 3
    assert pickle.loads(pickle.dumps(costs)) == costs
    assert [size for size, _ in costs.text] == sorted({size for size, _ in costs.text})
    assert all(1e-9 < seconds < 1e-5 for _, seconds in costs.text)
    assert all(0 <= seconds < 1e-6 for _, seconds in costs.line)
    assert 1e-8 < costs.page < 1e-3


def test_the_model_agrees_with_a_pad_that_matters_much():
    """Texts of 20 to 60 bytes: none fits pad 0, all fit pad 7, and that is what is fastest."""
    text = " ".join("x" * (20 + 7 * i % 41) for i in range(3000))
    made, seconds = {}, {}
    for pad in (None, 0, 7):

        def words(text):
            return text.split()

        script = jitffi.script(words) if pad is None else jitffi.script(pad=pad)(words)
        script(text)
        made[Pads(pad)] = count(lambda script=script: script(text))
        times = []
        for _ in range(20):
            start = time.perf_counter()
            script(text)
            times.append(time.perf_counter() - start)
        seconds[pad] = min(times)
    predicted = model.predict(made, seconds[None], calibrate.calibrate())
    assert predicted[Pads(7)] < 0.8 < 0.95 < predicted[Pads(0)]
    assert seconds[7] / seconds[None] < 0.9
