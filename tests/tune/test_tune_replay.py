"""A trace as a workload: what is played, under which names, and that its pads reach the program that was traced."""

from __future__ import annotations

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import jitffi
from jitffi.profiles import pads
from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.tune.traces import player, replay
from jitffi.tune.traces import trace as shapes

PACKAGE = Path(jitffi.__file__).resolve().parent
PROGRAM = '''
import jitffi, sys

@jitffi.script
def phrases(line):
    """Phrases of a line, in a list."""
    found = []
    for part in line.split("、"):
        found.append(part)
    return found

@jitffi.script
def said(line):
    return line.upper()

@jitffi.script(pad=2)
def fixed(line):
    return line + line

@jitffi.function("(x: str, n: i64) -> str")
def repeated(x, n):
    return x * n

line = "、".join(["漢字仮名交" + "文字"[: n % 3] for n in range(24)])
if __name__ == "__main__":
    for n in range(200):
        phrases(line), said("words of a line"), fixed("x"), repeated("ab", n % 20)
    print(len(phrases(line)))
'''


def record(folder, program=PROGRAM, **env):
    (folder / "program.py").write_text(program, encoding="utf-8")
    found = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "JITFFI_TRACE": str(folder / "t"), **env}
    command = [sys.executable, str(folder / "program.py")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600, env=found, cwd=folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return folder / "t"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    return record(tmp_path_factory.mktemp("replay"))


def write(folder, *lines):
    """A trace of a script `f` and a typed function `g`, and these calls."""
    path = folder / "t"
    path.write_text(
        'jitffi-trace 1 @1.a {}\n'
        'F 1 {"key": "f:00", "name": "f", "kind": "script", "file": "p.py", "line": 3}\n'
        'F 2 {"key": "g: (str) -> str", "name": "g", "kind": "function", "signature": "(x: str) -> str"}\n'
        "S 1 1 {}\nS 2 2 {}\n" + "".join([f"{line}\n" for line in lines])
    )  # fmt: skip
    return path


# -- steps ------------------------------------------------------------------------------------------------------------


def steps(body):
    return player.names_of(shapes.parse(body))


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("> n", []),
        ("i f b > s5", [("local s", 5)]),
        ("s5 text=u3:9 > i", [("local s", 5), ("local w", 3)]),
        ("w3:3 > y4", [("local s", 3), ("local y", 4)]),  # UCS4 of ASCII characters is narrow
        ("l2[s5 i] > n", [("local s", 5)]),
        ("> L2[s5 u2:6]", [("list", 0), ("local s", 5), ("add text", 0), ("local w", 2), ("add text", 0)]),
        ("> L4[s1 I f y2]", [
            ("list", 0), ("local s", 1), ("add text", 0), ("add n", 0), ("add n", 0), ("local y", 2), ("add y", 0),
        ]),
        ("> D1[u2:6 s3]", [("dict", 0), ("local s", 3), ("key w", 2), ("put text", 0)]),
        ("> D2[s2 i s3 I]", [("dict", 0), ("key s", 2), ("put n", 0), ("key s", 3), ("put n", 0)]),
        ("> D1[i s3]", [("dict", 0), ("local s", 3), ("put by I text", 0)]),
        ("> L1[L1[s4]]", [("list", 0), ("add n", 0), ("list", 0), ("local s", 4), ("add text", 0)]),
        ("> T2[s3 L0]", [("local s", 3)]),
        ("s2 > L4[s1 s9]", [("local s", 2), ("list", 0), *[
            each for size in (1, 1, 9, 9) for each in (("local s", size), ("add text", 0))
        ]]),
        ("s2 ! KeyError", [("local s", 2)]),
        ("l3 > L7", [("list", 0)]),
    ],
)  # fmt: skip
def test_a_call_is_these_steps(body, expected):
    assert steps(body) == expected


def test_steps_are_bounded():
    body = "> L1000000[s5 L1000000[s3]]"
    assert len(player.encode(player.names_of(shapes.parse(body)))) == 4 * player.MOST_STEPS
    assert player.encode([("local w", 300), ("list", 0)]) == b"\x01\x2c\x01\x00\x03\x00\x00\x00"


def test_every_step_runs():
    text = player.script_text("all_of_them", player.STEPS)
    names = {}
    name = "<all steps>"
    import linecache

    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    exec(compile("import jitffi\n" + text.replace("@jitffi.script\n", ""), name, "exec"), names)
    script = names["all_of_them"]
    given = player.encode([(each, 5) for each in player.STEPS] * 3)
    sources = player._sources()
    assert jitffi.script(_with_text(text)).__call__(*sources, given) == script(*sources, given) == 6


def _with_text(text):
    """The function of that text, whose lines are where scripts look for them."""
    import linecache

    name = "<the same steps>"
    text = text.replace("@jitffi.script\n", "")
    linecache.cache[name] = (len(text), None, text.splitlines(keepends=True), name)
    names = {}
    exec(compile(text, name, "exec"), names)
    return names["all_of_them"]


# -- the workload -----------------------------------------------------------------------------------------------------


def test_what_is_played(recorded):
    workload, sample = replay.read(recorded, 1)
    assert (workload.name, len(sample.items)) == ("t", 401)
    assert sorted(sample.notes) == [
        "1 functions of the trace are no scripts: not played",
        "1 functions of the trace say their pads themselves: not played",
    ]
    assert len({item.partition(" ")[0] for item in sample.items}) == 2
    assert replay.read(recorded, 1) == (workload, sample)
    assert sorted(replay.read(recorded, 2)[1].items) == sorted(sample.items)
    assert pickle.loads(pickle.dumps(workload)) == workload


def test_candidates_act_on_what_was_traced(recorded):
    workload, sample = replay.read(recorded, 1)
    loaded = workload.load()
    loaded.prepare(sample.items)
    try:
        for candidate in (DEFAULT, Pads(0), Pads(3)):
            pads.switch(candidate)
            loaded.run(sample.items, candidate)
        places = pads.places()
        program = {}
        exec(compile(PROGRAM.replace("__main__", "other"), recorded.parent / "program.py", "exec"), program)
        phrases = pads.key(program["phrases"])
        assert places[phrases] == pads.Place("phrases", str(recorded.parent / "program.py"), 4, ("*", "[]"))
        assert places[pads.key(program["said"])].variables == ("*",)
        finer = Pads(functions=((phrases, (("*", 2), ("[]", 3))),))
        pads.switch(finer)
        loaded.run(sample.items, finer)
        script = sys.modules["__workload__"].replay._scripts[int(_number(workload, "phrases"))]
        assert pads.of_script(script.__wrapped__) == {"*": 2, "[]": 3}
    finally:
        pads.switch(None)


def _number(workload, name):
    line = next(each for each in workload.text.splitlines() if f"function_ids.Place({name!r}" in each)
    return line.partition("replay_")[2].partition(",")[0]


def test_pads_change_what_a_replay_allocates(recorded):
    from jitffi.tune.worker import instruments as allocator

    workload, sample = replay.read(recorded, 1)
    loaded = workload.load()
    loaded.prepare(sample.items)
    found = {}
    try:
        for candidate in (DEFAULT, Pads(3)):
            pads.switch(candidate)
            loaded.run(sample.items, candidate)
            found[candidate] = allocator.count(lambda c=candidate: loaded.run(sample.items, c)).allocations
    finally:
        pads.switch(None)
    # Each of the 24 phrases of 201 calls: the temporary, and the item of the list.
    assert found[DEFAULT] - found[Pads(3)] >= 24 * 201


def test_values_and_notes(tmp_path):
    workload, sample = replay.read(write(tmp_path, "1 s3 > L1[s3]", "2 s3 > s4", "2 o > s4", "2 s1 ! ValueError"))
    assert sample.items == ("0 s3 > L1[s3]",)
    assert sample.notes == ("1 functions of the trace are no scripts: not played",)
    loaded = workload.load()
    loaded.prepare(sample.items)
    loaded.run(sample.items, DEFAULT)
    workload, sample = replay.read(write(tmp_path))
    assert sample.items == () and workload.load()
    path = write(tmp_path, "1 s3 > i")
    path.write_text(path.read_text().replace('"f:00"', '""'))
    workload, sample = replay.read(path)
    assert sample.items == ()
    assert sample.notes == (
        "1 functions of the trace cannot be told by their text: not played",
        "there is no function in the trace whose pads could be chosen",
    )


def test_names_in_a_trace_are_no_code(tmp_path):
    path = write(tmp_path, "1 s3 > L1[s3]")
    path.write_text(path.read_text().replace("p.py", '\\"); raise SystemExit(\\"').replace('"f"', '"\\n\\"\\"\\""'))
    odd = path.rename(tmp_path / 't """ \\ t')
    workload, sample = replay.read(odd)
    loaded = workload.load()
    loaded.prepare(sample.items)
    loaded.run(sample.items, DEFAULT)


def test_of_many_functions_those_with_most_text(tmp_path):
    head = "jitffi-trace 1 @1.a {}\n"
    described = [f'F {n} {{"key": "f{n}:0", "name": "f{n}", "kind": "script"}}\nS {n} {n} {{}}\n' for n in range(1, 15)]
    (tmp_path / "t").write_text(head + "".join(described) + "".join([f"{n} s{10 * n} > i\n" for n in range(1, 15)]))
    workload, sample = replay.read(tmp_path / "t")
    assert len(sample.items) == replay.MOST_FUNCTIONS
    assert sorted(int(item.partition(" ")[2][1:-4]) for item in sample.items) == [10 * n for n in range(9, 15)]
    assert sample.notes == ("8 functions of the trace that handle least text: not played",)


# -- end to end -------------------------------------------------------------------------------------------------------


def test_a_profile_of_a_trace_is_for_the_program(recorded, tmp_path):
    report = jitffi.autotune(trace=recorded, pads=[3], budget=1.5)
    assert report.workload == "t" and [trial.pads for trial in report.trials] == [Pads(3)]
    profile = tmp_path / "profile"
    report.save(profile)
    entries = json.loads(profile.read_text())
    # Whatever the times were: the pads that were tried are put in, under the names that the tuner found.
    workload, sample = replay.read(recorded)
    key = next(line for line in workload.text.splitlines() if "'phrases:" in line).split("'")[1]
    entries["entries"][0]["functions"] = {key: {"*": 3, "[]": 4}}
    profile.write_text(json.dumps(entries))
    program = PROGRAM + "from jitffi.profiles import pads\nprint(pads.of_script(phrases.__wrapped__))\n"
    (tmp_path / "program.py").write_text(program, encoding="utf-8")
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "JITFFI_PROFILE": str(profile)}
    done = subprocess.run([sys.executable, "program.py"], capture_output=True, text=True, cwd=tmp_path, env=env)
    assert (done.returncode, done.stdout, done.stderr) == (0, "24\n{'*': 3, '[]': 4}\n", "")


def test_a_trace_without_calls_is_no_workload(tmp_path):
    (tmp_path / "t").write_text("")
    report = jitffi.autotune(trace=tmp_path / "t", budget=5.0)
    assert report.best is None and all(trial.seconds is None for trial in report.trials)
    assert any("empty" in note for note in report.notes)
