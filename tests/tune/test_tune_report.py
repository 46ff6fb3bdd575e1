"""Reports: the choice, the front, JSON, files, and the table of a terminal."""

from __future__ import annotations

import html
import io
import json
import math
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, replace
from pathlib import Path

import made_up
import pytest
from rich.console import Console

from jitffi.profiles.candidates import Pads
from jitffi.tune import formatting
from jitffi.tune.records import Failure, Interval, Trial
from jitffi.tune.reports import page, table
from jitffi.tune.reports.report import Report

ALL = pytest.mark.parametrize("name", made_up.ALL)


def made(name: str) -> Report:
    return made_up.ALL[name]()


@ALL
def test_reports_pickle_and_are_read_only(name: str) -> None:
    report = made(name)
    again = pickle.loads(pickle.dumps(report))
    assert repr(again) == repr(report) and again.as_dict() == report.as_dict()
    with pytest.raises(FrozenInstanceError):
        report.best = 3  # type: ignore[misc]


@ALL
def test_json_has_all_that_is_said_of_it(name: str) -> None:
    report = made(name)
    read = json.loads(json.dumps(report.as_dict(), allow_nan=False))
    assert read["best"] == report.best
    assert read["default"]["pad"] is None and (read["default"]["locals"], read["default"]["pools"]) == (0, 1)
    assert [trial["pad"] for trial in read["trials"]] == [trial.pads.everywhere for trial in report.trials]
    for trial, known in zip(read["trials"] + read["refined"], report.trials + report.refined, strict=True):
        assert (trial["seconds"] is None) == (known.seconds is None)
        assert trial["seconds"] is None or set(trial["seconds"]) == {"low", "median", "high"}
        assert trial["pad"] == known.pad and trial["peak_bytes"] == known.peak_bytes
        assert trial["failure"] == (known.failure and known.failure.text)
    assert read["choice"] == {key: dict(variables) for key, variables in report.functions.items()}
    assert read["notes"] == list(report.notes) and read["interrupted"] is report.interrupted
    assert {"environment", "gain", "refined", "winner"} <= set(read)


def test_json_of_a_winner_has_its_numbers() -> None:
    read = made("words").as_dict()
    assert read["gain"]["median"] == pytest.approx(1 / 0.41)
    assert read["gain"]["low"] == pytest.approx(1 / (0.41 * 1.01)) and read["gain"]["high"] > read["gain"]["median"]
    assert read["winner"]["functions"] == {made_up.WORDS: {"[]": 5, "word": 7}, made_up.LINES: {"*": 0}}
    assert read["trials"][7]["relative"]["median"] == 0.44
    assert read["trials"][0]["seconds"] is None and read["trials"][0]["pruned"] == "there was no time for it"


def test_nothing_is_no_winner() -> None:
    report = made("flat")
    assert (report.best, report.winner, report.gain, dict(report.functions)) == (None, None, None, {})


# -- files ------------------------------------------------------------------------------------------------------------


@ALL
def test_a_report_is_written_by_its_ending(name: str, tmp_path: Path) -> None:
    report = made(name)
    report.plot(tmp_path / "out.json")
    assert json.loads((tmp_path / "out.json").read_text()) == report.as_dict()
    report.plot(str(tmp_path / "out.HTML"))
    assert (tmp_path / "out.HTML").read_bytes().startswith(b"<!DOCTYPE html>")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["out.HTML", "out.json"]


@pytest.mark.parametrize("name", ["out.pdf", "out", "html", ".json", "out.png"])
def test_other_endings_are_refused(name: str, tmp_path: Path) -> None:
    why = r"not drawn as pictures; name an \.html file" if name == "out.png" else r"known: \.html, \.json"
    with pytest.raises(ValueError, match=f"plot: .*{name}: .*{why}"):
        made("words").plot(tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_a_report_that_cannot_be_written_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "out.json"
    place.write_text("before")
    monkeypatch.setattr(Path, "write_bytes", lambda self, content: self.write_text("half") and 1 / 0)
    with pytest.raises(ZeroDivisionError):
        made("words").plot(place)
    assert place.read_text() == "before" and list(tmp_path.iterdir()) == [place]
    monkeypatch.undo()
    with pytest.raises(FileNotFoundError, match="there is no such directory"):
        made("words").plot(tmp_path / "none" / "out.json")


def test_save_hands_the_report_to_the_profile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[object] = []
    monkeypatch.setattr("jitffi.profiles.saving.save_report", lambda report, path: saved.extend((report, path)))
    report = made("words")
    report.save(tmp_path / "profile")
    assert saved == [report, tmp_path / "profile"]


# -- the terminal -----------------------------------------------------------------------------------------------------


@ALL
def test_the_table_fits_a_terminal_and_controls_nothing(name: str) -> None:
    shown = str(made(name))
    assert max(map(len, shown.splitlines())) <= 80
    assert not any(formatting.clean(line, 1000) != line for line in shown.splitlines())
    assert len(repr(made(name))) < 200 and formatting.clean(repr(made(name))) == repr(made(name))


def test_the_table_says_all_of_a_winner() -> None:
    lines = table.as_text(made("words"), explain=True).splitlines()
    assert lines[0] == "words.py: Pads by function make it 2.44 times as fast as the default."
    assert "With 95 % confidence, 2.41 to 2.46 times. Measured in 6 processes." in lines[1]
    text = "\n".join(lines)
    assert "10 allocations instead of" in text and "10 allocations instead of" not in str(made("words"))
    words = [line.split() for line in lines]
    assert ["pad", "7", "84.7", "0.440", "(0.436..0.444)", "848"] in words
    assert ["default", "192", "1.000", "785"] in words
    assert ["pad", "0", "797", "unmeasured"] in words and ["pad", "14", "failed"] in words
    assert ["pad", "7", "78.9", "0.410", "(0.406..0.414)", "678", "winner"] in words
    assert "split_words: word 7, [] 5, * 7" in lines
    assert "failed: pad 14: MemoryError: 1.2 GiB asked for" in lines
    assert "note: 3 bytes of the corpus are no UTF-8: read as U+FFFD" in lines


def test_the_table_says_no_difference() -> None:
    shown = str(made("flat"))
    assert shown.startswith("numbers.py: No difference: nothing beats the default beyond the noise.")
    assert "winner" not in shown and "The choice" not in shown
    assert str(made("empty")).startswith("words.py: Nothing was measured.")
    assert "note: the corpus is empty: nothing was measured" in str(made("empty"))
    assert "failed: default, pad 0, 1, 2," in str(made("failed"))


def test_times_of_one_process_are_not_relied_on() -> None:
    report = made("screened")
    assert [trial.pads.everywhere for trial in report.trials if not report.is_rough(trial)] == [10, 11, 12]
    words = [line.split() for line in str(report).splitlines()]
    assert ["pad", "0", "0.578", "0.250", "(1", "process)", "785"] in words
    alone = replace(report, trials=report.trials[:3], default=replace(report.default, runs=1))
    assert not any(map(alone.is_rough, alone.trials))  # none has more


def test_a_default_that_fails_is_told() -> None:
    report = made("no_default")
    assert str(report).startswith("no_default.py: The default fails: there is nothing to compare the others with.")
    assert "failed: default: OverflowError: 3 is too much" in str(report) and "3.47" in str(report)
    assert repr(report).startswith("<Report of no_default.py: The default fails") and report.gain is None


def test_a_terminal_has_colours() -> None:
    sink = io.StringIO()
    console = Console(file=sink, force_terminal=True, color_system="standard", width=80, legacy_windows=False)
    table.show(made("words"), console)
    winner = next(line for line in sink.getvalue().splitlines() if "winner" in line)
    assert "\x1b[1;32m" in winner


@pytest.mark.parametrize("encoding", ["utf-8", "ascii"])
def test_what_goes_to_a_pipe_has_no_colours(encoding: str) -> None:
    code = f"""import sys; sys.path.insert(0, {str(Path(made_up.__file__).parent)!r})
import made_up
from dataclasses import replace
from jitffi.tune.reports import table
table.show(replace(made_up.words(), workload="m\\xfcller.py"))"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        timeout=600,
        env={"PYTHONIOENCODING": encoding, "PYTHONPATH": str(Path(made_up.__file__).parents[2]), "FORCE_COLOR": ""},
    )
    assert done.returncode == 0, done.stderr
    expected = "müller.py" if encoding == "utf-8" else r"m\xfcller.py"
    assert done.stdout.decode(encoding).startswith(expected) and b"\x1b" not in done.stdout


# -- words ------------------------------------------------------------------------------------------------------------


def test_what_is_in_no_report_is_not_missed() -> None:
    report = Report("w", trials=(Trial(Pads(1), Interval(1, 1, 1), None, runs=1),), runs=1)
    assert "No difference" in str(report) and report.as_dict()["noise"] is None
    failed = replace(report, trials=(Trial(Pads(1), failure=Failure("a\nb")),))
    assert "failed: pad 1: a b" in str(failed)
    zero = Report("w", 1, Trial(Pads(1), Interval(0, 0, 0), Interval(0.0, 0.0, 0.0)))
    assert zero.gain == Interval(math.inf, math.inf, math.inf) and zero.as_dict()["gain"]["median"] is None
    assert str(zero)


@pytest.mark.parametrize(
    ("char", "shown"),
    [("\x1b", r"\x1b"), ("\u202e", r"\u202e"), ("\ud800", r"\ud800"), ("\u2028", r"\u2028"), ("\n", " "), ("é", "é")],
)
def test_clean_text_is_one_line_without_controls(char: str, shown: str) -> None:
    assert formatting.clean(f"a{char}b") == f"a{shown}b"


def test_one_figure_for_one_thing_in_all_outputs():
    """The winner's and the default's time and memory as the terminal shows them, on the page and in the JSON, too."""
    report = made("words")
    text, page_text = str(report), strip(page.page(report))
    pace, memory = report.pace_unit, report.memory_unit
    as_json = report.as_dict()
    for trial, plain in [(report.default, as_json["default"]), *zip(report.trials, as_json["trials"], strict=True)]:
        for value, unit in ((plain["seconds"] and plain["seconds"]["median"], pace), (plain["peak_bytes"], memory)):
            if value is not None:
                shown = formatting.digits(value / unit[0])
                name = re.escape(formatting.candidate(trial.pads))
                assert re.search(rf"(?m)^{name} .*\b{re.escape(shown)}\b", text)
                assert re.search(rf"\b{name} [^a-z]*\b{re.escape(shown)}\b", page_text)


def test_what_has_not_won_is_told_in_all_outputs():
    plain = made("words")
    trials = list(plain.trials)
    trials[3] = replace(trials[3], not_won="measured in 1 process, and it takes 5 to be sure")
    report = replace(plain, trials=tuple(trials))
    for text in (" ".join(str(report).split()), strip(page.page(report))):
        assert "pad 3 looks faster than the winner, 0.660, and has not won: measured in 1 process, and it" in text
    assert report.as_dict()["trials"][3]["not_won"].startswith("measured in 1 process")


def strip(markup):
    """A page's text, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", markup)).split())
