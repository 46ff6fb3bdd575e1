"""Profiles: saved, merged, read again; what fits this machine and this text, and what is said of the rest."""

from __future__ import annotations

import json
import os
import re
import stat
import subprocess
import sys
import textwrap
import threading
import warnings
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path

import pytest
from keeping import TEXT, allocations, kept, listed
from made_up import ENVIRONMENT

import jitffi
from jitffi import _core
from jitffi.profiles import machine, pads, profile, saving
from jitffi.profiles.candidates import Pads
from jitffi.profiles.profile import ProfileError
from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports.report import Report

HERE = machine.environment()


@pytest.fixture(autouse=True)
def untuned():
    yield
    jitffi.use_profile(None)


def chosen(functions, workload="words.py", pad=3, environment=HERE):
    half = Interval(0.45, 0.5, 0.6)
    trial = Trial(Pads(pad), half, half, runs=5)
    return Report(workload, best=pad, winner=trial, trials=(trial,), functions=functions, environment=environment)


def fresh(function, **options):
    """Of a script made now: what was compiled stays."""
    return allocations(jitffi.script(function, **options), TEXT, 50)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "profile.json"


def test_a_profile_of_an_interrupted_search_says_so(path):
    report = replace(chosen({"f:0123456789abcdef": {"*": 3}}), interrupted=True)
    report.save(path)
    assert json.loads(path.read_text())["entries"][0]["interrupted"] is True
    for source in (path, report):
        with pytest.warns(RuntimeWarning, match=r"words\.py is of a search that was interrupted: tune it again"):
            jitffi.use_profile(source)
    jitffi.use_profile(None)
    chosen({"f:0123456789abcdef": {"*": 3}}).save(path)  # one that was not takes its place
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jitffi.use_profile(path)
    jitffi.use_profile(None)


# -- saving -----------------------------------------------------------------------------------------------------------


def test_what_is_saved(path):
    chosen({"f:0123456789abcdef": {"word": 5, "*": 3, "[]": 3}}).save(path)
    found = json.loads(path.read_text())
    assert found == {
        "format": 1,
        "entries": [
            {
                "workload": "words.py",
                **{name: HERE[name] for name in ("cpu", "llvm", "abi", "jitffi", "llvmlite")},
                "stamp": blake2b(f"{HERE['llvm']} of {HERE['llvmlite']}".encode(), digest_size=8).hexdigest(),
                "best": 3,
                "gain": {"low": 1 / 0.6, "median": 2.0, "high": 1 / 0.45},
                "interrupted": False,
                "functions": {"f:0123456789abcdef": {"*": 3, "[]": 3, "word": 5}},
            }
        ],
    }
    assert len(path.read_text().splitlines()) > 15, "for people, too"
    assert stat.S_IMODE(path.stat().st_mode) == 0o666 & ~_umask()
    assert os.listdir(path.parent) == [path.name]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def test_entries_join_and_replace_each_other(path):
    def kept():
        return [(e["workload"], e["cpu"], e["functions"]) for e in profile.read(path)]

    one, two, three = {"f:1": {"*": 1}}, {"f:2": {"*": 2}}, {"f:3": {"*": 3}}
    chosen(one).save(path)
    chosen(two, "lines.py").save(str(path))
    chosen(three, environment=ENVIRONMENT).save(path)
    here = HERE["cpu"]
    assert kept() == [("words.py", here, one), ("lines.py", here, two), ("words.py", ENVIRONMENT["cpu"], three)]
    chosen(three).save(path)
    assert kept() == [("lines.py", here, two), ("words.py", ENVIRONMENT["cpu"], three), ("words.py", here, three)]
    Report("words.py", environment=HERE).save(path)  # no difference
    assert kept()[-1] == ("words.py", here, {})
    assert profile.read(path)[-1]["best"] is None
    for name in ("llvm", "abi"):
        chosen(one, environment={**HERE, name: "0.0.1"}).save(path)
    assert len(kept()) == 5


def test_choices_of_several_machines(path):
    key = pads.key(listed)
    report = chosen({key: {"[]": 15}})
    for each in (report, chosen({key: {"[]": 1}}, environment={**HERE, "cpu": "Z80"})):
        each.save(path)
    assert [(e["cpu"], e["functions"][key]["[]"]) for e in profile.read(path)] == [(HERE["cpu"], 15), ("Z80", 1)]
    for source in (path, report):
        jitffi.use_profile(source)
        assert pads.of_script(listed) == {"[]": 15}


def test_saving_where_something_else_is(path, tmp_path):
    for content in ("{}", "nothing of ours\n", '{"format": 2, "entries": []}', '{"format": 1, "entries": [3]}'):
        path.write_text(content)
        with pytest.raises(ProfileError, match=re.escape(f"{path}: this is no profile: ")):
            chosen({}).save(path)
        assert path.read_text() == content
    path.write_text("")
    chosen({"f:1": {"*": 1}}).save(path)
    assert len(profile.read(path)) == 1
    with pytest.raises(FileNotFoundError, match="no such directory"):
        chosen({}).save(tmp_path / "none" / "profile.json")
    with pytest.raises(IsADirectoryError, match="name a file"):
        chosen({}).save(tmp_path)
    assert os.listdir(tmp_path) == [path.name]


def test_saving_through_a_link(path, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    path.symlink_to(folder / "real.json")
    chosen({"f:1": {"*": 1}}).save(path)
    assert path.is_symlink()
    assert len(profile.read(folder / "real.json")) == 1


def test_processes_that_save_at_once(path):
    program = """
import sys
from jitffi.profiles import saving
for i in range(5):
    entry = {"workload": f"{sys.argv[2]}-{i}", "cpu": "", "llvm": "", "abi": "", "functions": {}}
    saving.save(entry, sys.argv[1])
"""
    env = {**os.environ, "PYTHONPATH": str(Path(jitffi.__file__).parents[1])}
    started = [
        subprocess.Popen([sys.executable, "-c", program, str(path), str(number)], env=env) for number in range(3)
    ]
    assert [each.wait(60) for each in started] == [0, 0, 0]
    assert {each["workload"] for each in profile.read(path)} == {f"{n}-{i}" for n in range(3) for i in range(5)}
    assert os.listdir(path.parent) == [path.name]


def test_a_name_that_is_no_text(path):
    chosen({"f:1": {"*": 1}}, "w\udcff.py").save(path)
    assert profile.read(path)[0]["workload"] == "w\udcff.py"


# -- using ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [str, Path, os.fsencode, "report"])
def test_functions_get_their_pads(path, kind):
    report = chosen({pads.key(listed): {"*": 3, "[]": 3}, pads.key(kept): {"last": 5}})
    report.save(path)
    before = [fresh(listed), fresh(kept)]
    made = jitffi.script(listed)
    made(TEXT, 50)
    jitffi.use_profile(report if kind == "report" else kind(path))
    tuned = [fresh(listed), fresh(kept)]
    assert tuned == [fresh(listed, pad=3), fresh(kept, pad={"last": 5})]
    assert tuned[0] < before[0] - 45 and tuned[1] < before[1] - 45
    assert allocations(made, TEXT, 50) == before[0], "what was compiled stays"
    assert fresh(listed, pad=1) == before[0], "the source comes first"
    jitffi.use_profile(None)
    assert [fresh(listed), fresh(kept)] == before


def test_functions_that_a_script_calls_get_theirs(path):
    @jitffi.script
    def call(text, count):
        return len(listed(text, count))

    @jitffi.script
    def call_again(text, count):
        return len(listed(text, count))

    before = allocations(call, TEXT, 50)
    jitffi.use_profile(chosen({pads.key(listed): {"*": 3, "[]": 3}}))
    assert allocations(call_again, TEXT, 50) < before - 45


def test_lists_that_they_are_given_get_theirs():
    @jitffi.script
    def sizes(words):
        return sum([len(each) for each in words])

    words = [TEXT] * 50
    before = allocations(jitffi.script(sizes.__wrapped__, strict=True), words)
    jitffi.use_profile(chosen({pads.key(sizes): {"[]": 3}}))
    made = jitffi.script(sizes.__wrapped__, strict=True)
    assert _core.count_allocations(lambda: made(words))[0] < before, "the first call, too"
    assert allocations(made, words) < before - 45


def test_typed_functions_get_theirs():
    def options():
        labs, same = jitffi.load_library(None).bind("labs", "(i64) -> i64"), jitffi.function("(str) -> str", name="f")
        return [jitffi.Function(each)._options for each in (labs, same(lambda text: text))]

    before = options()
    jitffi.use_profile(chosen({"labs: (i64) -> i64": {"*": 2}, "f: (str) -> str": {"*": 4}}))
    assert (before, options()) == (["", ""], ["p2", "p4"])
    bound = jitffi.load_library(None).bind("labs", "(i32) -> i64")
    assert jitffi.Function(bound)._options == "", "of other types"
    bound = jitffi.load_library(None).bind("labs", "(i64) -> i64", pad=7)
    assert jitffi.Function(bound)._options == "p7", "the source comes first"


def test_the_last_of_several_workloads_counts(path):
    for pad, workload in ((0, "a.py"), (3, "b.py"), (0, "other.py")):
        function = kept if workload == "other.py" else listed
        chosen({pads.key(function): {"*": pad, "[]": pad}}, workload, pad).save(path)
    jitffi.use_profile(path)
    assert fresh(listed) == fresh(listed, pad=3)


def test_pads_said_in_another_way_make_the_same_code():
    table = pads.Table(None, {"f:1": {"*": 3, "[]": 3}, "f:2": {"*": 0, "[]": 1}, "f:3": {"*": 2, "[]": 1}, "f:4": {}})
    assert [table.of(f"f:{i}", None) for i in range(1, 6)] == [3, None, {"*": 2, "[]": 1}, None, None]
    assert table.of("f:3", 2) == {"*": 2, "[]": 1}
    assert table.of("f:5", 2) == 2
    assert pads.Table(2, {"f:1": {"x": 4}}).of("f:1", 2) == {"*": 2, "[]": 2, "x": 4}


def test_use_of_nothing_useful(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"none\.json"):
        jitffi.use_profile(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError):
        jitffi.use_profile(tmp_path)
    for wrong in (3, [], object()):
        with pytest.raises(TypeError, match=f"expected a path, a Report or None, got {type(wrong).__name__}"):
            jitffi.use_profile(wrong)


ENTRY = {"workload": "w", "cpu": "c", "llvm": "1", "abi": "1", "functions": {"f:1": {"*": 3}}}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "Expecting value"),
        (b"\xff\xfe\x00", "decode"),
        (b"{", "Expecting"),
        (b"[]", "it is of another kind"),
        (b'{"a": 1}', "it is of another kind"),
        (b'{"format": 2, "entries": []}', "its format is 2, and this jitffi knows 1"),
        (b'{"format": 1}', "it has no entries"),
        (b"[" * 100000, "while decoding a JSON array"),
        (b'{"format": 1, "entries": [3]}', "entry 1: expected an object, got int"),
        ({**ENTRY, "cpu": None}, "entry 1: expected a string for 'cpu', got NoneType"),
        ({**ENTRY, "functions": []}, "entry 1: expected an object for 'functions', got list"),
        ({**ENTRY, "functions": {"f:1": 3}}, "entry 1: expected an object for 'f:1', got int"),
        ({**ENTRY, "functions": {"f:1": {"*": 16}}}, "f:1: expected a pad, 0 to 15, for '*', got 16"),
        ({**ENTRY, "functions": {"f:1": {"*": True}}}, "for '*', got True"),
        ({**ENTRY, "functions": {"f:1": {"*": "3"}}}, "for '*', got '3'"),
    ],
)
def test_what_is_no_profile_is_ignored_with_a_warning(path, content, why):
    path.write_bytes(
        content if isinstance(content, bytes) else json.dumps({"format": 1, "entries": [content]}).encode()
    )
    jitffi.use_profile(chosen({pads.key(listed): {"[]": 15}}))
    with pytest.warns(RuntimeWarning, match=f"{re.escape(str(path))}: this is no profile: .*{re.escape(why)}") as told:
        jitffi.use_profile(path)
    assert len(told) == 1
    assert fresh(listed) == fresh(listed, pad=1), "nor is the one before"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("cpu", "Z80", f"it was made for CPU Z80, and this is {HERE['cpu']}"),
        ("llvm", "3.9.0", f"it was made for LLVM 3.9.0, and this is {HERE['llvm']}"),
        ("abi", "77.0", f"it was made for ABI 77.0, and this is {HERE['abi']}"),
    ],
)
def test_a_foreign_profile_is_ignored_with_a_warning(path, name, value, why):
    functions = {pads.key(listed): {"[]": 15}}
    foreign = chosen(functions, environment={**HERE, name: value, "llvmlite": "0.1.0"})
    foreign.save(path)
    for source, where in ((path, str(path)), (foreign, "the report of words.py")):
        with pytest.warns(RuntimeWarning, match=re.escape(f"{where}: the profile is ignored: {why}")) as told:
            jitffi.use_profile(source)
        assert len(told) == 1
        assert fresh(listed) == fresh(listed, pad=1)
    chosen(functions).save(path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jitffi.use_profile(path)  # one entry fits
    assert fresh(listed) == fresh(listed, pad=15) < fresh(listed, pad=1)


@pytest.mark.parametrize("value", ["3.9.0", "\udc80"])
def test_a_version_of_llvm_that_was_edited_is_seen(path, value):
    chosen({pads.key(listed): {"[]": 15}}).save(path)
    found = json.loads(path.read_text())
    found["entries"][0]["llvm"] = value
    path.write_text(json.dumps(found))
    with pytest.warns(RuntimeWarning, match=re.escape(f"it was made for LLVM {value}, and this is {HERE['llvm']}")):
        jitffi.use_profile(path)
    assert fresh(listed) == fresh(listed, pad=1)


def test_a_profile_without_entries_or_without_difference_says_nothing(path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Report("words.py", environment=HERE).save(path)
        jitffi.use_profile(path)
        path.write_text('{"format": 1, "entries": []}')
        jitffi.use_profile(path)


def test_a_function_that_was_edited_is_told_of_once():
    key = pads.key(listed)
    jitffi.use_profile(chosen({key[:-16] + "0" * 16: {"[]": 15}, pads.key(kept): {"last": 5}}))
    with pytest.warns(RuntimeWarning, match="listed has been changed since it was tuned") as told:
        assert fresh(listed) == fresh(listed, pad=1)
        fresh(listed), fresh(kept)
    assert len(told) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jitffi.use_profile(chosen({"listed: (str) -> str": {"*": 3}, "other:0123456789abcdef": {"*": 3}}))
        fresh(listed)


def test_tuning_with_a_profile_in_force():
    jitffi.use_profile(chosen({pads.key(listed): {"[]": 15}}))
    made = jitffi.script(listed)
    few = allocations(made, TEXT, 50)
    try:
        pads.switch(Pads())
        assert allocations(made, TEXT, 50) == fresh(listed, pad=1) > few + 45
        pads.switch(Pads(15))
        assert allocations(made, TEXT, 50) == few
        pads.switch(Pads(0))
        assert allocations(made, TEXT, 50) > few + 45
    finally:
        pads.switch(None)
    assert allocations(made, TEXT, 50) == few
    assert list(made(TEXT.encode(), 1)) == [TEXT.encode()]
    jitffi.use_profile(None)
    assert fresh(listed) == fresh(listed, pad=1)


def test_it_changes_while_others_compile():
    failures, ends = [], threading.Event()
    profiles = [chosen({pads.key(listed): {"[]": pad}}) for pad in (3, 15)]
    right = {fresh(listed, pad={"[]": pad}): pad for pad in (1, 3, 15)}

    def compile_again():
        try:
            while not ends.is_set():
                if list(jitffi.script(listed)(TEXT, 3)) != [TEXT] * 3:
                    failures.append("wrong")
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=compile_again) for _ in range(3)]
    for each in threads:
        each.start()
    for i in range(60):
        jitffi.use_profile((None, *profiles)[i % 3])
    ends.set()
    for each in threads:
        each.join()
    assert failures == []
    assert len(right) == 2  # 3 and 15 have room for it, 1 has not
    jitffi.use_profile(profiles[0])
    assert right[fresh(listed)] in (3, 15)


# -- in a new process -------------------------------------------------------------------------------------------------

PROGRAM = """
import jitffi
from jitffi import _core

@jitffi.script
def listed(text, count):
    return [text for _ in range(count)]

@jitffi.script(pad=1)
def fixed(text, count):
    return [text for _ in range(count)]

listed("{text}", 50), fixed("{text}", 50)
print(*[_core.count_allocations(lambda: f("{text}", 50))[0] for f in (listed, fixed)])
""".replace("{text}", TEXT)


@pytest.fixture
def run(tmp_path, run_python):
    """run(profile, program=PROGRAM): allocations of the two, and what it said on standard error."""
    file = tmp_path / "program.py"

    def run(profile, program=PROGRAM, *options):
        file.write_text(program)
        env = {**os.environ, "PYTHONPATH": str(Path(jitffi.__file__).parents[1]), "JITFFI_PROFILE": str(profile)}
        done = subprocess.run(
            [sys.executable, *options, str(file)], env=env, capture_output=True, text=True, timeout=600, cwd=tmp_path
        )
        assert done.returncode == 0, done.stderr
        return [int(each) for each in done.stdout.split()], done.stderr

    return run


def test_the_environment_names_a_profile(path, run, tmp_path):
    (default, fixed), said = run("")
    assert (said, default) == ("", fixed)
    run("", PROGRAM + "from jitffi.profiles import pads\nopen('key', 'w').write(pads.key(listed))\n")
    chosen({(tmp_path / "key").read_text(): {"*": 3, "[]": 3}}).save(path)
    for _ in range(2):  # compiled, and from the cache
        (tuned, again), said = run(path)
        assert (tuned < 10, again, said) == (True, fixed, "")
    (again, _), said = run(path, PROGRAM.replace("return [text ", "return [ text "))
    assert again == default
    assert said.count("RuntimeWarning") == 1
    assert f"{path}: listed has been changed since it was tuned" in said
    _, said = run(path.parent)
    assert "JITFFI_PROFILE: IsADirectoryError" in said


def test_the_command_line_emits_with_a_profile(path, tmp_path):
    source = """
def listed(text: str, count: int) -> list[str]:
    out = []
    for _ in range(count):
        out.append(text)
    return out
"""
    (tmp_path / "some.py").write_text(source)

    def emitted(profile):
        env = {**os.environ, "PYTHONPATH": str(Path(jitffi.__file__).parents[1]), "JITFFI_PROFILE": str(profile)}
        command = [sys.executable, "-m", "jitffi", "emit", "some.py:listed", "-o", "some.ll"]
        done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, cwd=tmp_path)
        assert (done.returncode, done.stderr.count("Warning")) == (0, 0), done.stderr
        return (tmp_path / "some.ll").read_text()

    digest = blake2b(source.strip().encode(), digest_size=8).hexdigest()
    chosen({f"listed:{digest}": {"*": 7, "[]": 7}}).save(path)
    default, tuned = emitted(""), emitted(path)
    assert default != tuned
    assert default.splitlines()[:3] == tuned.splitlines()[:3]
    assert len(default.splitlines()) == len(tuned.splitlines())


def test_what_the_environment_names_cannot_be_used(path, run, tmp_path):
    default, _ = run("")
    found, said = run(path)
    assert found == default
    assert said.count("Warning") == 1
    assert f"JITFFI_PROFILE: FileNotFoundError: [Errno 2] No such file or directory: '{path}'" in said
    path.write_text("words of another kind")
    found, said = run(path)
    assert (found, said.count("Warning")) == (default, 1)
    assert f"{path}: this is no profile: Expecting value" in said
    assert run(path, PROGRAM, "-W", "ignore") == (default, "")
    Report("w", environment={**HERE, "cpu": "Z80"}).save(tmp_path / "foreign.json")
    found, said = run(tmp_path / "foreign.json")
    assert (found, said.count("Warning")) == (default, 1)
    assert "the profile is ignored: it was made for CPU Z80" in said


def test_a_profile_needs_no_llvm_once_the_code_is_there(path, run):
    chosen({"f:1": {"*": 1}}).save(path)
    run(path)
    look = textwrap.dedent(
        "import sys\nassert 'llvmlite.binding' not in sys.modules\nassert 'jitffi.profiles.pads' in sys.modules\n"
    )
    assert run(path, PROGRAM + look)[1] == ""


def test_saving_needs_what_check_needs(path):
    saving.check(path)
    path.write_text("x")
    with pytest.raises(ProfileError):
        saving.check(path)
