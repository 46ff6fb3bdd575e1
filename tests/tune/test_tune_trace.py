"""JITFFI_TRACE: what is written of calls, and what is read of it."""

from __future__ import annotations

import collections
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import jitffi
from jitffi.base.errors import ArgumentError
from jitffi.tune.traces import replay, trace
from jitffi.tune.traces import trace as shapes

PACKAGE = Path(jitffi.__file__).resolve().parent
PRELUDE = """
import jitffi, os, sys
@jitffi.script
def same(value):
    return value
@jitffi.script
def pieces(text, n=2):
    found = []
    for i in range(0, len(text), n):
        found.append(text[i : i + n])
    return found
labs = jitffi.load_library(None).bind("labs", "(x: i64) -> i64")
"""


def run(folder, program, *options, check=True, env=None):
    """The process, and the lines of the trace."""
    path = folder / "program.py"
    path.write_text(PRELUDE + program, encoding="utf-8")
    found = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "JITFFI_TRACE": str(folder / "trace"), **(env or {})}
    done = subprocess.run(
        [sys.executable, *options, str(path)], capture_output=True, text=True, timeout=600, env=found, cwd=folder
    )
    if check:
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
    file = folder / "trace"
    return done, file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def calls(lines):
    return [line.partition(" ")[2] for line in lines if line[:1].isdigit()]


def totals(lines):
    """How often each function was called, by its number in one process."""
    function = {line.split()[1]: line.split()[2] for line in lines if line.startswith("S ")}
    found = collections.Counter()
    for line in lines:
        if line.startswith("T "):
            _, site, count = line.split()
            found[function[site]] += int(count)
    return dict(found)


# -- values -----------------------------------------------------------------------------------------------------------


VALUES = [
    ("None", "n > n"),
    ("True", "b > b"),
    ("7", "i > i"),
    ("1024", "I > I"),
    ("-129", "I > I"),
    ("2.5", "f > f"),
    ("'hello'", "s5 > s5"),
    ("''", "s0 > s0"),
    ("'äöü'", "u3:6 > u3:6"),
    ("'漢字x'", "u3:7 > u3:7"),
    ("'a\\U0001f600'", "u2:5 > u2:5"),
    ("b'bytes'", "y5 > y5"),
    ("jitffi.String('äb')", "u2:3 > u2:3"),
    ("jitffi.UCS4String('äb')", "w2:3 > u2:3"),
    ("jitffi.Bytes(b'ab')", "y2 > y2"),
    ("[1, 'ab', None]", "l3[i s2 n] > l3[i s2 n]"),
    ("(1.5, 'ä')", "t2[f u1:2] > t2[f u1:2]"),
    ("{'a': [2], 'bcd': 10**6}", "d2[s1 l1[i] s3 I] > d2[s1 l1[i] s3 I]"),
    ("[]", "l0 > l0"),
    ("jitffi.List(range(20))", "L20[i i i i i i i i] > L20[i i i i i i i i]"),
    ("['a' * n for n in range(16)]", "l16[s0 s2 s4 s6 s8 s10 s12 s14] > l16[s0 s2 s4 s6 s8 s10 s12 s14]"),
    ("[[[[['deep']]]]]", "l1[l1[l1[l1[l1]]]] > l1[l1[l1[l1[l1]]]]"),
    ("jitffi.Map({'k': jitffi.Tuple(('ab', 2))})", "D1[s1 T2[s2 i]] > D1[s1 T2[s2 i]]"),
    ("range(3)", "orange > orange"),
]


def test_a_value_is_its_kind_and_length(tmp_path):
    _, lines = run(tmp_path, "".join([f"same({value})\n" for value, _ in VALUES]))
    found = dict(zip([value for value, _ in VALUES], calls(lines), strict=True))
    assert found == dict(VALUES)
    assert all(shapes.parse(each).result is not None for each in found.values())


def test_what_has_no_room_is_left_out(tmp_path):
    program = """
big = [["x" * 100_000] * 8 for _ in range(8)]
same([big, big, big])
labs(*[5])
try:
    same(*(["abc"] * 300))
except TypeError:
    pass
"""
    _, lines = run(tmp_path, program)
    first, second, third = calls(lines)
    assert first.count("s100000") < 64
    assert second == "i > i"
    assert third.endswith("~ ! TypeError")
    assert all(len(line) < 1024 for line in lines)
    assert [shapes.parse(each).result is None for each in (first, second, third)] == [False, False, True]


def test_arguments_have_names_where_they_are_given_by_name(tmp_path):
    _, lines = run(tmp_path, "pieces(n=3, text='abcd')\nlabs(x=-5)\npieces('abc', **{'n': 1})\n")
    assert calls(lines) == ["n=i text=s4 > l2[s3 s1]", "x=i > i", "s3 n=i > l3[s1 s1 s1]"]


def test_names_that_have_no_utf8(tmp_path):
    program = "try:\n    pieces(**{'\\ud800': 'abc'})\nexcept TypeError:\n    labs(1)\n"
    _, lines = run(tmp_path, program)
    assert calls(lines) == ["_=s3 ! TypeError", "i > i"]
    assert shapes.parse(calls(lines)[0]).result is None


def test_exceptions_are_named_and_come_out(tmp_path):
    program = """
class Odd(Exception):
    pass
def fail(x):
    raise Odd("x")
calling = jitffi.function("(x: i64) -> i64")(fail)
for f, value in ((labs, "x"), (calling, 1), (pieces, 5)):
    try:
        f(value)
    except (TypeError, Odd) as error:
        print(type(error).__name__)
"""
    done, lines = run(tmp_path, program)
    assert done.stdout.split() == ["TypeError", "Odd", "TypeError"]
    assert [re.sub("__main__.", "", each) for each in calls(lines)] == ["s1 ! TypeError", "i ! Odd", "i ! TypeError"]


# -- places -----------------------------------------------------------------------------------------------------------


def test_functions_and_sites_are_described(tmp_path):
    program = """
def main():
    pieces("ab"); pieces("abc")
    return list(map(labs, [1, 2, 3]))
main()
main()
"""
    _, lines = run(tmp_path, program)
    found = trace.read(tmp_path / "trace")
    pieces, labs = found.functions
    assert re.fullmatch("pieces:[0-9a-f]{16}", pieces.key)
    assert (pieces.name, pieces.is_script, pieces.file, pieces.line, pieces.padded) == (
        "pieces", True, str(tmp_path / "program.py"), 6, False,
    )  # fmt: skip
    assert (labs.key, labs.is_script) == ("labs: (i64) -> i64", False)
    assert [json.loads(line[4:]).get("signature") for line in lines if line.startswith("F 2")] == ["(x: i64) -> i64"]
    assert (totals(lines), found.notes) == ({"1": 4, "2": 6}, ())
    assert sorted(found.calls) == sorted([(0, "s2 > l1[s2]")] * 2 + [(0, "s3 > l2[s2 s1]")] * 2 + [(1, "i > i")] * 6)


def test_the_same_program_writes_the_same(tmp_path):
    program = "for i in range(5000):\n    pieces('x' * (i % 7)); same(i)\n"
    files = []
    for _ in range(2):
        _, lines = run(tmp_path, program)
        files.append([line for line in lines if "@" not in line and line])
        (tmp_path / "trace").unlink()
    assert files[0] == files[1]


def test_a_site_that_calls_often_is_sampled(tmp_path):
    _, lines = run(tmp_path, "for i in range(100_000):\n    labs(i)\nfor i in range(1024):\n    same(i)\n")
    # 3.11 calls by another instruction of the same line once it knows what is called: that is a site of its own.
    function = {line.split()[1]: line.split()[2] for line in lines if line.startswith("S ")}
    weights = {}
    for line in lines:
        if line[:1].isdigit():
            site, _, weight = line.split()[0].partition("*")
            weights.setdefault(function[site], {}).setdefault(site, []).append(int(weight or 1))
    often = max(weights["1"].values(), key=len)
    assert [sum(each) for each in weights["2"].values()] == [len(each) for each in weights["2"].values()]
    assert often[:1024] == [1] * 1024 and often == sorted(often) and set(often) == {2**n for n in range(8)}
    assert len(often) < 1024 + 512 * 7 and 100_000 - 200 <= sum(often) <= 100_000 + 128
    assert totals(lines) == {"1": 100_000, "2": 1024}


def test_calls_within_calls(tmp_path):
    program = """
@jitffi.script
def through(f, x):
    return f(x)
def back(x):
    return len(pieces("abc", x)) + labs(-1)
print(through(back, 1))
"""
    done, lines = run(tmp_path, program)
    assert done.stdout == "4\n"
    assert calls(lines)[:2] == ["s3 i > l3[s1 s1 s1]", "i > i"] and calls(lines)[2].endswith(" i > i")


# -- how it ends ------------------------------------------------------------------------------------------------------


def test_nothing_is_written_without_it(tmp_path):
    for value in ({}, {"JITFFI_TRACE": ""}):
        env = {**value, "JITFFI_TRACE": value.get("JITFFI_TRACE", "")}
        run(tmp_path, "same(1)\njitffi._core.trace_flush()\nassert 'jitffi.tune' not in sys.modules\n", env=env)
    assert sorted(each.name for each in tmp_path.iterdir()) == ["program.py"]


@pytest.mark.parametrize("options", [(), ("-W", "error")])
def test_a_path_that_cannot_be_written_is_warned_of_once(tmp_path, options):
    path = str(tmp_path / "no" / "folder")
    done, _ = run(tmp_path, "print(same(1), labs(2))\n", *options, check=False, env={"JITFFI_TRACE": path})
    assert (done.returncode, done.stdout) == (0, "1 2\n")
    assert done.stderr.count("JITFFI_TRACE: nothing is traced: ") == 1 and path in done.stderr


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_a_full_disk_is_told_of_once(tmp_path):
    done, _ = run(tmp_path, "for i in range(9999): same('x')\n", check=False, env={"JITFFI_TRACE": "/dev/full"})
    assert done.returncode == 0
    assert re.fullmatch(r"jitffi: the trace of process \d+ ends here: No space left on device\n", done.stderr)


def test_a_file_that_is_full_stays_as_it_is(tmp_path):
    with open(tmp_path / "trace", "wb") as file:
        file.truncate(16 << 20)
    done, _ = run(tmp_path, "for i in range(9999): same('x')\nprint(same(3))\n", check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "3\n", "")
    added = (tmp_path / "trace").read_bytes()[16 << 20 :]
    assert re.fullmatch(rb"\n@[0-9a-f.]+\nX\n", added)


def test_an_exception_ends_the_program_and_not_the_trace(tmp_path):
    done, lines = run(tmp_path, "same('abc')\nraise SystemExit(3)\n", check=False)
    assert (done.returncode, calls(lines), lines[-1]) == (3, ["s3 > s3"], "T 1 1")
    done, lines = run(tmp_path, "same('abcd')\nlabs('x')\n", check=False)
    assert (done.returncode, calls(lines)[-2:]) == (1, ["s4 > s4", "s1 ! TypeError"])


def test_what_a_killed_program_has_written_is_read(tmp_path):
    program = """
import time
print("here", flush=True)
while True:
    for _ in range(50):
        pieces("some text")
    time.sleep(0.01)
"""
    (tmp_path / "program.py").write_text(PRELUDE + program)
    env = {**os.environ, "PYTHONPATH": str(PACKAGE.parent), "JITFFI_TRACE": str(tmp_path / "trace")}
    with subprocess.Popen([sys.executable, str(tmp_path / "program.py")], stdout=subprocess.PIPE, env=env) as process:
        assert process.stdout.readline() == b"here\n"
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline and not (tmp_path / "trace").stat().st_size > 2000:
            time.sleep(0.05)
        process.send_signal(signal.SIGKILL)
    found = trace.read(tmp_path / "trace")
    assert len(found.calls) > 50 and {body for _, body in found.calls} == {"s9 > l5[s2 s2 s2 s2 s1]"}


def test_children_write_to_the_same_file(tmp_path):
    program = """
same("parent")
if hasattr(os, "fork"):
    child = os.fork()
    if child == 0:
        same("child")
        sys.exit(0)
    os.waitpid(child, 0)
    child = os.fork()
    if child == 0:  # it has called nothing, and writes nothing
        sys.exit(0)
    os.waitpid(child, 0)
same("again!")
"""
    _, lines = run(tmp_path, program)
    found = trace.read(tmp_path / "trace")
    assert sorted(body for _, body in found.calls) == ["s5 > s5", "s6 > s6", "s6 > s6"]
    assert len([line for line in lines if line.startswith("jitffi-trace")]) == 2
    assert [each.name for each in found.functions] == ["same"]


@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_workers_of_multiprocessing_write_to_the_same_file(tmp_path, method):
    program = f"""
import multiprocessing
def work(n):
    return [same("x" * n) for _ in range(10)] and n
if __name__ == "__main__":
    context = multiprocessing.get_context("{method}")
    work(1)
    workers = [context.Process(target=work, args=(n,)) for n in (2, 3)]
    for each in workers: each.start()
    for each in workers: each.join()
"""
    run(tmp_path, program)
    found = trace.read(tmp_path / "trace")
    assert sorted(body for _, body in found.calls) == [f"s{n} > s{n}" for n in (1, 2, 3) for _ in range(10)]
    assert found.notes == ()


def test_threads(tmp_path):
    program = """
import threading
def work(n):
    for _ in range(3000):
        assert len(pieces("x" * n, 1)) == n
threads = [threading.Thread(target=work, args=(n,)) for n in range(1, 5)]
for each in threads: each.start()
for each in threads: each.join()
"""
    _, lines = run(tmp_path, program)
    found = trace.read(tmp_path / "trace")
    assert totals(lines) == {"1": 12000}
    for _, body in found.calls:
        call = shapes.parse(body)
        assert call.result.size == call.arguments[0].size


# -- descriptions -----------------------------------------------------------------------------------------------------


def test_a_description_that_fails_is_done_without(tmp_path):
    program = """
from jitffi.profiles import trace_definition as definition
real = definition.of_function
def fail(function):
    raise error
definition.of_function = fail
error = KeyboardInterrupt()
try:
    same(1)
except KeyboardInterrupt:
    print("interrupted")
error = ValueError()
print(same("ab"), labs(3))
"""
    done, lines = run(tmp_path, program)
    assert done.stdout == "interrupted\nab 3\n"
    assert [line for line in lines if line[0:1] == "F"] == ["F 1 {}", "F 2 {}"] and calls(lines) == ["s2 > s2", "i > i"]
    found = trace.read(tmp_path / "trace")
    assert [(each.key, each.name) for each in found.functions] == [("", "")]
    assert sorted(found.calls) == [(0, "i > i"), (0, "s2 > s2")]
    assert replay.read(tmp_path / "trace")[1].notes == (
        "1 functions of the trace cannot be told by their text: not played",
        "there is no function in the trace whose pads could be chosen",
    )


# -- reading ----------------------------------------------------------------------------------------------------------

HEAD = 'jitffi-trace 1 @1.a {"pid": 1}\n'
BODY = HEAD + 'F 1 {"key": "f:0", "name": "f", "kind": "script"}\nS 1 1 {"file": "p.py", "line": 3}\n1 s5 > n\n'


def read(tmp_path, text, seed=0):
    path = tmp_path / "t"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return trace.read(path, seed)


def test_what_was_cut_is_left_out(tmp_path):
    for cut in ("1 s", "1", "1 l3[s2 s", 'F 2 {"key', "S 1", "T 1", "jitffi-tra", "@", "1*"):
        found = read(tmp_path, BODY + cut)
        assert found.calls == ((0, "s5 > n"),), cut
        assert found.notes in ((), ("1 line of the trace cut short: left out",)), cut
        found = read(tmp_path, BODY + cut + "\n@1.a\n1 s6 > n\n")
        assert sorted(found.calls) == [(0, "s5 > n"), (0, "s6 > n")], cut


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ("word\n", 1, "this is no trace"),
        ("1 s5 > n\n", 1, "this is no trace"),
        (b"\x00\xff\xfe binary", 1, "this is no trace"),
        (HEAD + "hello\nworld\n", 2, "no line of a trace"),
        (BODY + "1 x5 > n\n1 s5 > n\n", 5, "expected a value"),
        (BODY + "1 s5\n1 s5 > n\n", 5, "expected arguments and > result"),
        (BODY + "F 1 {]\nX\n", 5, "no line of a trace"),
        (BODY + "1\u00b2 s5 > n\nX\n", 5, "no line of a trace"),
        (BODY + "9" * 5000 + " s5 > n\nX\n", 5, "4300 digits"),
        (BODY + "F 2 " + '{"a":' * 100000 + "1" + "}" * 100000 + "\nX\n", 5, "while decoding a JSON object"),
        (BODY + "1 > " + "l1[" * 5000 + "n" + "]" * 5000 + "\nX\n", 5, "recursion"),
        ("jitffi-trace 2 @1.a {}\n", 1, "expected 'jitffi-trace 1 ...', got 'jitffi-trace 2"),
    ],
)
def test_other_files_are_refused_with_the_line(tmp_path, text, line, what):
    with pytest.raises(ValueError, match=what) as caught:
        read(tmp_path, text)
    assert isinstance(caught.value, ArgumentError)
    assert str(caught.value).startswith(f"{tmp_path / 't'}:{line}: ") and "\n" not in str(caught.value)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(FileNotFoundError, match="none: no such file"):
        trace.read(tmp_path / "none")
    with pytest.raises(ArgumentError, match="it is a directory"):
        trace.read(tmp_path)
    assert read(tmp_path, "").notes == ("the trace is empty",)


def test_a_line_counts_by_its_weight(tmp_path):
    lines = "".join([f"1*{weight} s{weight} > n\n" for weight in (1000, 2000, 5000)])
    found = read(tmp_path, BODY + lines + "T 1 8001\n", seed=3)
    assert len(found.calls) == trace.DRAWN
    for weight in (1000, 2000, 5000):
        assert abs(found.calls.count((0, f"s{weight} > n")) - weight / 8) <= 1
    assert found.calls == read(tmp_path, BODY + lines, seed=3).calls != read(tmp_path, BODY + lines, seed=4).calls


def test_of_many_lines_some_are_kept(tmp_path):
    count = 3 * trace.KEPT
    found = read(tmp_path, BODY + "".join([f"1 s{n} > n\n" for n in range(count)]))
    assert len(found.calls) == trace.DRAWN
    sizes = [shapes.parse(body).arguments[0].size for _, body in found.calls]
    assert abs(sum(sizes) / len(sizes) - count / 2) < count / 40


def test_processes_are_told_apart(tmp_path):
    other = BODY.replace("@1.a", "@2.b").replace('"f', '"g')
    found = read(tmp_path, BODY + other + "\n@1.a\n1 s1 > n\n")
    assert [each.name for each in found.functions] == ["f", "g"]
    assert json.dumps(sorted(found.calls)) == '[[0, "s1 > n"], [0, "s5 > n"], [1, "s5 > n"]]'
