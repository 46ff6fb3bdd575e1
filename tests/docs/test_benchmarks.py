"""benchmarks/: it runs from end to end, its statistics are right, its cache forgets what changed. No time is
asserted."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

from benchmarks import build, first_wrapper, harness, memory, plot, report
from benchmarks.__main__ import GROUPS
from benchmarks.harness import Case, Goal, Measured, Spread, Times, compare, equals, ratio_goal

needs_compiler = pytest.mark.skipif(shutil.which(build.compiler()) is None, reason="no C compiler")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("JITFFI_BENCH_CACHE", str(tmp_path))
    return tmp_path


#: Groups that take long even so, which are tried by themselves.
SLOW = (
    "graphs", "scripts", "natural", "files", "tuning", "regex", "cold", "compiling", "structs", "array_loops", "cxx",
    "strings", "growth", "containers", "values", "foreign",
)  # fmt: skip


@needs_compiler
@pytest.mark.parametrize("names", [tuple(name for name in GROUPS if name not in SLOW), SLOW], ids=["quick", "slow"])
def test_every_group_runs_and_has_our_figures(cache, names):
    out = cache / "out.json"
    command = [sys.executable, "-m", "benchmarks", "--quick", "--rounds", "1", "--no-peers", "--json", str(out)]
    command += [option for name in names for option in ("--only", name)]
    done = subprocess.run(command, cwd=build.ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(out.read_text())
    assert tuple(found["groups"]) == names
    assert found["versions"]["CPython"]
    for name, group in found["groups"].items():
        assert group["times"] or name == "tvm", name  # all of its rows need tvm_ffi
        assert not any(times["faults"] for times in group["times"]), (name, group["times"])
        assert name in ("cxx", "dynamic", "graphs", "tvm", "values") or group["goals"], (
            name
        )  # a goal that needs tvm_ffi; none
    assert "calls" not in names or "| noop | jitffi | C extension |" in done.stdout
    assert not [path for path in cache.iterdir() if path.name.startswith("run-")]


def test_spread_is_median_and_tenths():
    assert Spread.of([float(n) for n in range(100, -1, -1)]) == Spread(50.0, 10.0, 90.0)
    assert Spread.of([3.0]) == Spread(3.0, 3.0, 3.0)


def test_ratios_are_of_the_same_round():
    times = Times("case", samples={"a": [1.0, 20.0, 3.0], "b": [2.0, 40.0, 6.0]})
    assert times.ratio("a", "b") == Spread(0.5, 0.5, 0.5)
    assert times.difference("b", "a") == Spread(3.0, 1.0, 20.0)
    assert times.quickest(["b", "a", "c"]) == "a"
    assert times.quickest([]) is None


def test_processes_join_round_by_round():
    first = Times("case", samples={"a": [1.0], "b": [2.0]})
    first.join(Times("case", samples={"a": [3.0]}, faults={"b": "wrong"}))
    assert first.samples == {"a": [1.0, 3.0]}
    assert first.faults == {"b": "wrong"}


def test_a_wrong_result_is_left_out_and_named():
    cases = {
        "right": Case("f()", {"f": lambda: 1}, equals(1)),
        "wrong": Case("f()", {"f": lambda: True}, equals(1)),
        "raises": Case("f()", {"f": lambda: 1 / 0}, equals(1)),
    }
    times = compare("case", cases, rounds=2)
    assert list(times.samples) == ["right"]
    assert len(times.samples["right"]) == 2
    assert times.faults == {"wrong": "wrong result True", "raises": "ZeroDivisionError: division by zero"}


def test_a_goal_is_met_at_its_limit_and_below_only_below_it():
    times = Times("case", samples={"a": [1.0], "b": [1.0]})
    assert ratio_goal(times, "a", "b", 1.0)[0].met
    assert not ratio_goal(times, "a", "b", 1.0, below=True)[0].met
    assert ratio_goal(times, "a", "nobody", 1.0) == []


def test_tables_show_figure_goal_and_mark():
    times = Times("case", samples={"a": [2.0], "b": [1.0]}, faults={"c": "why"})
    goals = [*ratio_goal(times, "a", "b", 1.5), Goal("case", "b", "", "", Spread(1.0, 0.5, 2.0), 3.0, " ms")]
    text = report.tables("Title", Measured([times], ["a remark"]), goals, "b", "ratio")
    assert "| case | a | b | 2.00 / 1.00 ns | 2.000 | 2.00 to 2.00 | at most 1.5 | **missed** |" in text
    assert "| case | b |  |  | 1.00 ms | 0.50 to 2.00 | at most 3 ms | met |" in text
    assert "| case | 2.00: 2.00 (2.00 to 2.00) | 1.00 | left out |" in text
    assert "- a remark\n- case, c: why" in text


def test_each_unit_has_a_table_of_its_own():
    rows = [Times("a", "ns", {"x": [1.0]}), Times("b", "bytes", {"y": [2.0]}), Times("c", "ns", {"x": [3.0]})]
    text = report.tables("Title", Measured(rows), [], "x", "ratio")
    assert "| case | x |\n|---|---:|\n| a | 1.00 |\n| c | 3.00 |\n\nEach cell: median in ns: ratio to 'x'" in text
    assert "| case | y |\n|---|---:|\n| b | 2.00 |\n\nEach cell: median in bytes.\n" in text


@needs_compiler
def test_what_a_list_keeps_is_counted_to_the_byte(cache):
    models = memory.Models()
    ints = models.call("models_workload", 0, memory.COUNT)
    models.counting.count_start()
    kept = {who: models.kept(prefix, ints) for who, prefix in memory.DESIGNS.items()}
    models.counting.count_stop()
    assert kept["D3a"] == 16 + 24 * memory.COUNT
    assert kept["D3b"] == 16 + (8 + 24) * memory.COUNT
    assert kept["D3c-variant"] == 40 + 8 * memory.COUNT
    assert 8 * memory.COUNT < kept["jitffi"] <= 256 + 8 * memory.COUNT


def test_every_contender_comes_first_once():
    names = ["a", "b", "c"]
    assert [harness.rotated(names, number)[0] for number in range(4)] == ["a", "b", "c", "a"]


def test_the_batch_has_as_many_different_signatures_as_it_says():
    assert len(set(first_wrapper.signatures())) == first_wrapper.COUNT
    assert first_wrapper.signatures() == first_wrapper.signatures()
    assert first_wrapper.prototype(0, ("i32", "str"), "f64") == "double f0(int32_t a0, const char* a1, size_t a1_size)"


@needs_compiler
def test_a_build_is_made_once_and_again_when_its_source_changes(cache):
    source = cache / "one.c"
    source.write_text("int one(void) { return 1; }")
    command = [build.compiler(), *build.FLAGS, str(source)]
    first = build.build("libone.so", command, [source])
    stamp = first.stat().st_mtime_ns
    assert build.build("libone.so", command, [source]) == first
    assert first.stat().st_mtime_ns == stamp
    source.write_text("int one(void) { return 2; }")
    assert build.build("libone.so", command, [source]) != first


@needs_compiler
def test_a_failed_build_tells_what_the_compiler_said(cache):
    source = cache / "bad.c"
    source.write_text("int f(void) { return nothing; }")
    with pytest.raises(build.Missing, match="nothing"):
        build.build("libbad.so", [build.compiler(), *build.FLAGS, str(source)], [source])
    assert not list(cache.glob("*/*bad*"))


def test_growth_is_drawn_row_by_row():
    rows = [
        {"case": f"{row}, {size}", "unit": "ns", "samples": {"Python": [10.0], "jitffi": [ours]}, "faults": {}}
        for row, ours in (("map, random: fill", 5.0), ("functions bound", 1.0))
        for size in ("10 000", "100 000")
    ]
    lines = plot.lines({"growth": {"times": rows}})
    assert lines == {"map, random: fill": [(10_000.0, 0.5), (100_000.0, 0.5)]}
    drawn = plot.drawing(lines)
    assert drawn.startswith("<svg ") and ">0.50  map, random: fill<" in drawn and ">100 000<" in drawn
