"""`jitffi autotune` as a user meets it, as a process of its own: results, files, exit codes, progress, Ctrl-C."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import jitffi
from jitffi import cli as command_line
from jitffi.cli import tuning
from jitffi.signature.signature_lists import ArgumentError

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGES = str(Path(jitffi.__file__).resolve().parent.parent)
#: Beyond the budget: to start, to compile, to write, on a machine that is busy.
SLACK = 60.0

WORDS = """
import jitffi

@jitffi.script
def split(text):
    found = []
    for word in text.split():
        found.append(word)
    return found

def workload(item):
    split(item)

if __name__ == "__main__":
    raise SystemExit("not to be run")
"""
#: What a pad costs is what it says: four passes are four times as long.
SLEEPS = """
import time

def workload(item, pad=5):
    time.sleep({3: 0.001, 4: 0.01}.get(int(pad), 0.004))
"""
#: As `python -m jitffi`, with short runs: enough for what differs by a multiple, and for whoever only wants to know
#: that something was measured. The budget can then be one for a busy machine, and is soon done with on a quiet one.
QUICK = """
import sys
from jitffi import cli
from jitffi.tune.search import clock
clock._GOOD_ROUNDS = 8
sys.exit(cli.main(sys.argv[1:]))
"""
AMPLE = "--budget=40s"
#: Where the answer is plain, and ends it.
LIMIT = "--budget=10m"


class Result:
    def __init__(self, done: subprocess.CompletedProcess[str], seconds: float) -> None:
        self.code, self.out, self.err, self.seconds = done.returncode, done.stdout, done.stderr, seconds


def environment(**more: str) -> dict[str, str]:
    found = {name: value for name, value in os.environ.items() if not name.startswith("JITFFI_PROFILE")}
    path = os.pathsep.join(filter(None, [PACKAGES, os.environ.get("PYTHONPATH")]))
    return {**found, "PYTHONPATH": path, **more}


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "words.py").write_text(WORDS)
    (tmp_path / "sleeps.py").write_text(SLEEPS)
    (tmp_path / "text.txt").write_text(
        "somewhat extravagant foxes repeatedly overcome extraordinarily sluggish dogs\n" * 50
    )
    (tmp_path / "one.txt").write_text("one\n")
    return tmp_path


@pytest.fixture
def autotune(folder):
    """autotune(*arguments): what the command line said, run in the folder of the files."""

    def run(*arguments: str, program: tuple[str, ...] = ("-m", "jitffi"), stdin: str = "") -> Result:
        start = time.monotonic()
        program = ("-c", QUICK) if {AMPLE, LIMIT} & {*arguments} else program
        done = subprocess.run(
            [sys.executable, *program, "autotune", *arguments], capture_output=True, text=True, timeout=600, cwd=folder,
            env=environment(), input=stdin,
        )  # fmt: skip
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done, time.monotonic() - start)

    return run


# -- arguments --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("w.py --corpus a", "w.py --corpus a"),
        ("--corpus a b - c --json w.py", "--corpus a --corpus b --corpus - --corpus c --json w.py"),
        ("--corpus=a b --corpus c d", "--corpus=a --corpus b --corpus c --corpus d"),
        ("--corpus a -- b", "--corpus a -- b"),
        ("w.py -h x --corpus -", "w.py -h x --corpus -"),
        ("--report a b", "--report a b"),
    ],
)
def test_all_files_behind_the_option_are_its_own(given, expected):
    assert tuning.spread(given.split()) == expected.split()


def test_pads_are_ranges_and_numbers():
    assert tuning.parse_pads("0-15") == tuple(range(16))
    assert tuning.parse_pads(" 7, 1 - 3,2") == (1, 2, 3, 7)
    for text in ("", "16", "3-1", "-1", "1-", "a", "1;2", "0-99", "٣", "1,,2"):
        with pytest.raises(ArgumentError, match="expected pads as 0-15 or 0,1,4, got"):
            tuning.parse_pads(text)


MISUSES = [
    ("", "jitffi: expected WORKLOAD.py, or --trace FILE"),
    (
        "--corpus text.txt words.py",
        "jitffi: expected WORKLOAD.py, or --trace FILE; it stands before --corpus, which takes all that follows",
    ),
    ("missing.py --corpus text.txt", "jitffi: missing.py: no such file"),
    ("words.py --corpus", "jitffi: --corpus: expected one file or several behind it"),
    ("words.py --corpus --json", "jitffi: --corpus: expected one file or several behind it"),
    ("words.py --corpus missing.txt", "jitffi: missing.txt: no such file"),
    ("words.py --corpus text.txt missing.txt", "jitffi: missing.txt: no such file"),
    ("words.py --corpus .", "jitffi: .: it is a directory; name files"),
    (". --corpus text.txt", "jitffi: .: it is a directory; name a Python file"),
    ("words.py --corpus text.txt --pads 16", "jitffi: expected pads as 0-15 or 0,1,4, got '16'"),
    ("words.py --corpus text.txt --budget soon", "jitffi: budget: expected a number of seconds above 0"),
    ("words.py --corpus text.txt --budget 0s", "jitffi: budget: expected a number of seconds above 0"),
    ("words.py --corpus text.txt --seed x", "jitffi autotune: invalid value for '--seed'"),
    (
        "words.py --corpus text.txt --report out.pdf",
        "jitffi: out.pdf: unknown ending '.pdf'; known: .html, .json",
    ),
    ("words.py --corpus text.txt --report out", "jitffi: out: unknown ending ''; known: "),
    (
        "words.py --corpus text.txt --report out.png",
        "jitffi: out.png: reports are not drawn as pictures; name an .html file: a page, which a browser shows",
    ),
    ("words.py --corpus text.txt --report no/out.html", "jitffi: no/out.html: there is no such directory"),
    ("words.py --corpus text.txt --report /proc/out.html", "jitffi: /proc/out.html: "),
    ("words.py --corpus text.txt --save no/profile", "jitffi: no/profile: there is no such directory"),
    ("words.py --corpus text.txt --save .", "jitffi: .: it is a directory"),
    (
        "words.py --corpus text.txt --save a.json --report a.json",
        "jitffi: two of the files to be written have one name",
    ),
    ("words.py --corpus none.parquet", "jitffi: none.parquet: no Parquet file: "),
    ("--trace missing.trace", "jitffi: missing.trace: no such file"),
    ("words.py --trace one.txt", "jitffi: --trace has both workload and data; give neither WORKLOAD.py nor --corpus"),
    ("--trace one.txt --corpus text.txt", "jitffi: --trace has both workload and data"),
]
FAILURES = [
    ("words.py", "the workload is called with items, and there is no corpus"),
    ("none.py --corpus text.txt", "none.py: there is no function 'workload' in it"),
    ("syntax.py --corpus text.txt", "syntax.py:2:"),
    ("imports.py --corpus text.txt", "ModuleNotFoundError: No module named 'nowhere_at_all' (imports.py:1)"),
    ("raises.py --corpus text.txt", "ZeroDivisionError: division by zero (raises.py:1)"),
]


@pytest.fixture
def odd(folder):
    (folder / "none.py").write_text("x = 1\n")
    (folder / "syntax.py").write_text("x = 1\ndef workload(item:\n")
    (folder / "imports.py").write_text("import nowhere_at_all\ndef workload(item): pass\n")
    (folder / "raises.py").write_text("def workload(item): 1 / 0\n")
    (folder / "none.parquet").write_text("no table")
    return folder


@pytest.mark.parametrize(("line", "message"), MISUSES)
def test_wrong_arguments_are_one_line(line, message, odd, monkeypatch, capsys):
    if "parquet" in line:
        pytest.importorskip("pyarrow")
    monkeypatch.chdir(odd)
    monkeypatch.setattr(signal, "signal", lambda *_: None)
    monkeypatch.setattr(sys, "unraisablehook", sys.unraisablehook)
    before = sorted(odd.iterdir())
    code = command_line.main(["autotune", *line.split()])
    out, err = capsys.readouterr()
    assert (code, out) == (2, ""), err
    *progress, said = err.splitlines()
    assert message in said
    assert said.startswith("jitffi")
    assert all(each.startswith("autotune: reading") for each in progress)
    assert sorted(odd.iterdir()) == before


@pytest.mark.parametrize(("line", "message"), FAILURES)
def test_a_workload_that_fails_is_one_line(line, message, autotune, odd):
    before = sorted(odd.iterdir())
    result = autotune(*line.split(), "--budget=10m", "--report=out.html", "--save=profile.json")
    assert (result.code, result.out) == (1, ""), result.err
    said = [each for each in result.err.splitlines() if not each.startswith("autotune: ")]
    assert message in said[0]
    assert said[0].startswith("jitffi: ")
    assert not said[1:] or (len(said) == 3 and set(said[2]) <= {" ", "^"})  # the line of a SyntaxError, and its carets
    assert [path for path in sorted(odd.iterdir()) if path.name != "__pycache__"] == before


# -- results ----------------------------------------------------------------------------------------------------------


def test_reports_and_a_profile(autotune, folder):
    files = ["out.html", "out.json"]
    more = [part for name in files for part in ("--report", name)]
    result = autotune("words.py", "--corpus", "text.txt", "one.txt", "--pads=0", AMPLE, *more, "--save", "profile.json")
    assert result.code == 0, result.err
    assert result.out.startswith("words.py: ")
    assert (folder / "out.html").read_text().lower().startswith("<!doctype html>")
    found = json.loads((folder / "out.json").read_text())
    assert (found["workload"], found["interrupted"]) == ("words.py", False)
    assert [trial["pad"] for trial in found["trials"]] == [0]
    assert (found["default"]["pad"], found["default"]["locals"], found["default"]["pools"]) == (None, 0, 1)
    assert found["default"]["seconds"]["median"] > 0
    assert json.loads((folder / "profile.json").read_text())["entries"]
    assert not [path for path in folder.iterdir() if path.name.startswith(".jitffi")]
    # Progress, on standard error, a line at a time.
    assert result.err.startswith("autotune: reading, 40 s left at most\n")
    assert len(result.err.splitlines()) >= 3
    assert "\x1b" not in result.err + result.out


def test_json_and_the_pad_that_is_given(autotune):
    result = autotune("sleeps.py", "--corpus", "one.txt", "--pads=3-4", LIMIT, "--json", "--seed=3")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert found["best"] == 3, found["notes"]
    assert 2.5 < found["gain"]["median"] < 5
    assert found["trials"][1]["relative"]["median"] > 1.5


def test_standard_input_and_lines_of_json(autotune, folder):
    (folder / "keys.py").write_text("def workload(item):\n    assert list(item) == ['key'], item\n")
    (folder / "keys.jsonl").write_text('{"key": 1}\nnot this\n{"key": 2}\n')
    result = autotune("keys.py", "--corpus", "keys.jsonl", "--pads=1", "--budget=1s", "--json")
    assert result.code == 0, result.err
    assert any("keys.jsonl:2: no JSON, left out" in note for note in json.loads(result.out)["notes"])
    result = autotune("words.py", "--corpus", "-", "--pads=1", "--budget=1s", "--json", stdin="a word\nand another\n")
    assert result.code == 0, result.err
    assert json.loads(result.out)["items"] == 2


def test_a_trace_needs_neither_workload_nor_corpus(autotune, folder):
    (folder / "program.py").write_text(
        WORDS.split("def workload")[0] + "for n in range(50): split('a word or two ' * 20)\n"
    )
    subprocess.run(
        [sys.executable, "program.py"], cwd=folder, env=environment(JITFFI_TRACE="words.trace"), check=True, timeout=600
    )
    result = autotune("--trace", "words.trace", "--pads=0,1", "--budget=2s", "--save=profile.json", "--report=out.json")
    assert result.code == 0, result.err
    assert result.out.startswith("words.trace: ")
    assert [trial["pad"] for trial in json.loads((folder / "out.json").read_text())["trials"]] == [0, 1]
    assert [each["workload"] for each in json.loads((folder / "profile.json").read_text())["entries"]] == [
        "words.trace"
    ]
    (folder / "junk.trace").write_text("junk\n")
    result = autotune("--trace", "junk.trace")
    assert (result.code in (1, 2), result.out) == (True, "")
    assert "junk.trace:1: " in result.err


def test_a_scheduler_of_another_process(autotune):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, threads_per_worker=1, processes=True, dashboard_address=":0") as cluster:
        # All of it is used: enough for a worker to answer on a busy machine.
        options = ["--pads=4", "--budget=20s", "--json", "--scheduler", cluster.scheduler_address]
        result = autotune("sleeps.py", "--corpus=one.txt", *options, program=("-c", QUICK))
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert found["default"]["seconds"] is not None, found["notes"]
    result = autotune("words.py", "--corpus=text.txt", "--budget=2s", "--scheduler", "no address at all")
    assert (result.code, result.out) == (1, "")
    assert "jitffi: no Dask scheduler answers at 'no address at all'" in result.err


# -- corpora that are odd ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["empty.txt", "empty.jsonl", "junk.jsonl"])
def test_an_empty_corpus(name, autotune, folder):
    (folder / name).write_text("" if name.startswith("empty") else "no\njson\n")
    result = autotune("words.py", "--corpus", name, "--budget=2s", "--report=out.html", "--report=out.json")
    assert result.code == 0, result.err
    assert "note: the corpus is empty: nothing was measured\n" in result.out
    assert "othing was measured" in result.out
    found = json.loads((folder / "out.json").read_text())
    assert found["best"] is None
    assert [trial["pad"] for trial in found["trials"]] == list(range(16))
    assert all(trial["seconds"] is None for trial in found["trials"])
    assert (folder / "out.html").exists()


#: What it prints is nobody's business, nor are the arguments of the program its own.
LOUD = """
import sys, time
print('hello')
sys.stderr.write('hello\\n')
assert len(sys.argv) == 1

def setup(corpus):
    print(corpus)
    assert isinstance(corpus, list) and all(isinstance(each, str) for each in corpus) and corpus

def workload(item, pad=0):
    print(item)
    time.sleep(0.003 if pad == 1 else 0.0005)
"""


def test_junk_and_a_giant_line_and_a_file_that_prints_and_has_no_main_part(autotune, folder):
    (folder / "loud.py").write_text(LOUD)
    (folder / "junk.bin").write_bytes(os.urandom(200_000))
    (folder / "giant.txt").write_text("a giant line " * (3 << 16))
    result = autotune("loud.py", "--corpus", "junk.bin", "giant.txt", "--pads=1", AMPLE, "--json")
    assert result.code == 0, result.err
    found = json.loads(result.out)
    assert any("no UTF-8" in note for note in found["notes"])
    assert any("giant.txt:1: longer than 1 MiB, cut there" in note for note in found["notes"])
    assert found["default"]["seconds"] is not None, found["notes"]
    assert "hello" not in result.err + result.out


LIMITED = """
import resource, sys
resource.setrlimit(resource.RLIMIT_AS, (3 << 30, 3 << 30))
import jitffi.cli
sys.exit(jitffi.cli.main(sys.argv[1:]))
"""


def test_a_corpus_larger_than_memory(autotune, folder):
    with open(folder / "large.txt", "wb") as file:
        for start in range(0, 16 << 30, 1 << 30):
            file.seek(start)
            file.write(b"\n" + b"some words of text\n" * 10_000)
        file.truncate(16 << 30)
    result = autotune(
        "words.py", "--corpus", "large.txt", "--pads=0-2", "--budget=4s", "--json", program=("-c", LIMITED)
    )
    assert result.code == 0, result.err
    assert result.seconds < 4 + SLACK
    found = json.loads(result.out)
    assert any(note.startswith("the corpus has 16.0 GiB; ") for note in found["notes"])
    assert found["items"] >= 1


# -- while it runs ----------------------------------------------------------------------------------------------------


def test_ctrl_c_keeps_what_was_measured(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "jitffi", "autotune", "words.py", "--corpus", "text.txt", "--pads=0,1",
         "--budget=100s", "--report=out.json", "--save=profile.json"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment(),
    )  # fmt: skip
    assert process.stderr is not None
    for line in process.stderr:
        if "choosing" in line:
            break
    start = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert time.monotonic() - start < SLACK
    assert "Traceback" not in err
    assert process.returncode == 1
    assert out.startswith("words.py: ")
    found = json.loads((folder / "out.json").read_text())
    assert found["interrupted"] is True
    assert found["default"]["seconds"] is not None


def test_ctrl_c_while_the_corpus_is_read_from_a_pipe(folder):
    process = subprocess.Popen(
        [sys.executable, "-m", "jitffi", "autotune", "words.py", "--corpus", "-", "--budget=60s"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder, env=environment(),
    )  # fmt: skip
    assert process.stderr is not None
    assert process.stderr.readline().startswith("autotune: reading")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 1
    assert "Traceback" not in err


def test_a_terminal_gets_a_bar_with_the_time_left(folder):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "jitffi", "autotune", "words.py", "--corpus", "text.txt", "--pads=1", "--budget=3s"],
        stdout=subprocess.PIPE, stderr=theirs, cwd=folder, env=environment(TERM="xterm", COLUMNS="80"),
    )  # fmt: skip
    os.close(theirs)
    shown = b""
    while True:
        if not select.select([ours], [], [], 600)[0]:
            break
        try:
            data = os.read(ours, 1 << 16)
        except OSError:  # the other end is closed
            break
        shown += data
    out, _ = process.communicate(timeout=600)
    os.close(ours)
    assert process.returncode == 0, shown
    assert b"left at most" in shown
    assert b"0:0" in shown
    assert b"\r" in shown
    assert b"\x1b" not in out


def test_reports_are_written_for_readers_that_have_seen_enough(folder):
    reader, writer = os.pipe()
    os.close(reader)
    (folder / "empty.txt").write_text("")
    done = subprocess.run(
        [sys.executable, "-m", "jitffi", "autotune", "words.py", "--corpus", "empty.txt", "--report=out.json"],
        stdout=writer, stderr=subprocess.PIPE, text=True, timeout=600, cwd=folder, env=environment(),
    )  # fmt: skip
    os.close(writer)
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert json.loads((folder / "out.json").read_text())["best"] is None


def test_examples_are_tuned_as_they_are(autotune):
    examples = sorted((ROOT / "examples").glob("2[56]_*.py"))
    tuned = [path for path in examples if "def workload(" in path.read_text()]
    assert tuned
    for path in tuned:
        result = autotune(str(path), "--corpus", str(ROOT / "README.md"), "--pads=0", AMPLE, "--json")
        assert result.code == 0, result.err
        found = json.loads(result.out)
        assert found["default"]["seconds"] is not None, found["notes"]
