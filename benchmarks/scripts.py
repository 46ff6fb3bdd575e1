"""Scripts: the same functions of script_functions.py run by Python, compiled by jitffi and by its peers, on one text.

    native         arguments and result stay jitffi.List and Map, a list of matxscript's, a std::vector
    to Python      Python's own lists and dicts go in, and come back

A row is one function on one text. Peers do what they can: numba has no dict of str that pays, matxscript needs types,
C++ treats UTF-8 as bytes where that is enough. English is what `help()` says of the language; Chinese is a text that
the encodings' tests of Python ship, or characters in the range where there is none. The rows of script_pairs.py are
Python's and ours alone, and both ways where there is a list or dict on the way.
"""

from __future__ import annotations

import json
import os
import pathlib
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from benchmarks import build, peers, script_functions, script_pairs
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare, ratio_goal

TITLE = "Scripts, ns per character or word"
RELATION = "ratio"
LIMIT = "CPython"
OURS, MATX, NUMBA, CPP, BACK = "jitffi", "matxscript", "numba", "C++", "jitffi, to Python"
#: At most this share of CPython's time, by row; with the result native.
AGAINST_PYTHON = {
    "unicode_split English": 2,
    "unicode_split Chinese": 3,
    "split": 1.8,
    "lower and strip": 1,
    "word count": 1.3,
    "join": 1,
    "vowels": 20,
    "tokenizer": 2,
    "n-grams": 1.5,
    "edit distance": 20,
}
AGAINST_CPP = 1.5
#: The same for what is closest to C++, by row.
CLOSE_TO_CPP = {"tokenizer": 1.2, "n-grams": 1.2, "edit distance": 1.2}
FIRST_MS, WARM_MS = 20, 2
_CHARACTERS = 20_000


def english() -> str:
    from benchmarks.values import english as words

    return " ".join(words())[:_CHARACTERS]


def chinese() -> str:
    samples = pathlib.Path(sysconfig.get_paths()["stdlib"]) / "test" / "cjkencodings"
    for name in ("gb18030-utf8.txt", "big5-utf8.txt", "euc_jp-utf8.txt"):
        if (samples / name).exists():
            return "".join((samples / name).read_text(encoding="utf-8").split())[:400]
    return "".join(chr(0x4E00 + 37 * i % 20000) for i in range(400))


class Row(NamedTuple):
    """One function on its arguments; `per` units of work in one call. *words*: the argument is a list of str."""

    function: str
    args: tuple[Any, ...]
    per: int


def rows() -> dict[str, Row]:
    text, wide = english(), chinese()
    words = text.split()
    # Pieces of words: every prefix and suffix of up to four letters, as learned vocabularies have them.
    pieces = sorted({part for word in words for n in range(1, 5) for part in (word[:n], word[-n:])} | set(words[::3]))
    vocabulary = {piece: number for number, piece in enumerate(pieces)}
    return {
        "unicode_split English": Row("unicode_split", (text[:4000],), 4000),
        "unicode_split Chinese": Row("unicode_split", (wide,), len(wide)),
        "split": Row("split", (text,), len(words)),
        "lower and strip": Row("lower_strip", (text,), len(text)),
        "word count": Row("word_count", (text,), len(words)),
        "join": Row("join", (words[:1000],), 1000),
        "vowels": Row("vowels", (text,), len(text)),
        "tokenizer": Row("tokenize", (text, vocabulary), len(words)),
        "n-grams": Row("ngrams", (text, 3), len(text)),
        "edit distance": Row("edit_distance", (text[:100], text[100:200]), 100 * 100),
    }


def _plain(result: Any) -> Any:
    """Python's own value of what a contender returns."""
    if hasattr(result, "to_python"):
        return result.to_python()
    if isinstance(result, (str, int)):
        return result
    return dict(result.items()) if hasattr(result, "items") else [str(each) for each in result]


def _same(wanted: Any) -> Callable[[Any], bool]:
    def check(result: Any) -> bool:
        got = _plain(result)
        if isinstance(wanted, list) and wanted and isinstance(wanted[0], int):
            got = [int(each) for each in got]
        return bool(got == wanted)

    return check


def _equal(wanted: Any) -> Callable[[Any], bool]:
    return lambda result: bool((result.to_python() if hasattr(result, "to_python") else result) == wanted)


def _as_ours(value: Any) -> Any:
    import jitffi

    return jitffi.List(value) if isinstance(value, list) else jitffi.Map(value) if isinstance(value, dict) else value


def _as_matx(value: Any) -> Any:
    import matx

    return matx.List(value) if isinstance(value, list) else matx.Dict(value) if isinstance(value, dict) else value


def _ours(row: Row, wanted: Any) -> dict[str, Case]:
    import jitffi

    python = getattr(script_functions, row.function)
    native = {"f": jitffi.script(python, returns="native"), "a": tuple(map(_as_ours, row.args))}
    found = {OURS: Case("f(*a)", native, _same(wanted), row.per)}
    if _has_containers(wanted, *row.args):
        found[BACK] = Case("f(*a)", {"f": jitffi.script(python), "a": row.args}, _same(wanted), row.per)
    return found


def _has_containers(*values: Any) -> bool:
    return any(isinstance(value, list | dict | tuple) for value in values)


def _matx() -> dict[str, Callable[..., Any]]:
    matx = peers.matxscript()
    from benchmarks import script_typed

    made = {}
    for name in dict.fromkeys(row.function for row in rows().values()):
        try:
            made[name] = matx.script(getattr(script_typed, name))
        except Exception as error:  # of any kind: what it cannot compile is left out
            print(f"matxscript: {name}: {str(error)[:100]}", file=sys.stderr)
    return made


def _numba() -> dict[str, Callable[..., Any]]:
    numba = build.installed("numba")
    return {
        name: numba.njit(getattr(script_functions, name))
        for name in ("unicode_split", "split", "lower_strip", "vowels", "edit_distance")
    }


def _cpp() -> dict[str, Callable[..., Any]]:
    module = peers.nanobind("nanobind_text")
    return {name: getattr(module, name) for name in dir(module) if not name.startswith("__")}


def _cpp_case(functions: Mapping[str, Any], row: Row, wanted: Any) -> Case:
    args = []
    for value in row.args:
        kept = {list: "Kept", dict: "Vocabulary"}.get(type(value))
        args.append(functions[kept](value) if kept else value)
    native = functions.get(row.function + "_native")
    if native is None:
        return Case("f(*a)", {"f": functions[row.function], "a": tuple(args)}, _same(wanted), row.per)
    size = len(wanted)
    return Case("f(*a)", {"f": native, "a": tuple(args)}, lambda got: got == size, row.per)


def measure(settings: Settings) -> Measured:
    measured = Measured()
    makers = {MATX: _matx, NUMBA: _numba, CPP: _cpp} if settings.peers else {}
    made = peers.gathered(makers, measured.remarks)
    for name, row in rows().items():
        python = getattr(script_functions, row.function)
        wanted = python(*row.args)
        cases = {LIMIT: Case("f(*a)", {"f": python, "a": row.args}, _same(wanted), row.per)}
        cases |= _ours(row, wanted)
        for who in (MATX, NUMBA):
            function = made.get(who, {}).get(row.function)
            if function is not None:
                args = tuple(map(_as_matx, row.args)) if who == MATX else row.args
                cases[who] = Case("f(*a)", {"f": function, "a": args}, _same(wanted), row.per)
        if CPP in made:
            cases[CPP] = _cpp_case(made[CPP], row, wanted)
        measured.times.append(compare(name, cases, settings.rounds))
    measured.times += _pairs(settings)
    measured.times += _starts(settings)
    return measured


def _pairs(settings: Settings) -> list[Times]:
    """Against Python alone: texts cut in two, tuples, dicts by tuples, and arguments that come again."""
    import jitffi

    found = []
    words = english().split()
    for given, native in ((script_pairs.rows(words), True), (script_pairs.in_python(words), False)):
        for name, (function, args, per) in given.items():
            python = getattr(script_pairs, function)
            wanted = python(*args)
            same = _equal(wanted)
            cases = {LIMIT: Case("f(*a)", {"f": python, "a": args}, same, per)}
            if native:
                ours = {"f": jitffi.script(python, returns="native"), "a": tuple(map(_as_ours, args))}
                cases[OURS] = Case("f(*a)", ours, same, per)
            if _has_containers(wanted, *args):
                cases[BACK] = Case("f(*a)", {"f": jitffi.script(python), "a": args}, same, per)
            found.append(compare(name, cases, settings.rounds))
    return found


#: Compiles one function, or finds it in the cache: milliseconds of the decoration and the first call.
_START = """
import json, sys, time
import jitffi
from benchmarks import script_functions, scripts
found = {}
rows = {row.function: row for row in scripts.rows().values()}
jitffi.script(script_functions.nothing)()  # what is loaded once a process
for name in scripts.AGAINST_PYTHON:
    row = scripts.rows()[name]
    if name == "unicode_split Chinese":
        continue
    args = tuple(map(scripts._as_ours, row.args))
    begin = time.perf_counter()
    jitffi.script(getattr(script_functions, row.function))(*args)
    found[name] = 1e3 * (time.perf_counter() - begin)
assert sys.argv[1] == "first" or "llvmlite" not in sys.modules
print(json.dumps(found))
"""


def _starts(settings: Settings) -> list[Times]:
    """Milliseconds of decorating and calling once, compiled and from the cache: of the slowest function, its median. A
    single time of each would tell how busy the machine is: one of nine is always interrupted."""
    kinds = {"first": Times("first compile, the slowest", "ms"), "warm": Times("from the cache, the slowest", "ms")}
    seen: dict[str, list[dict[str, float]]] = {kind: [] for kind in kinds}
    for _ in range(max(5, settings.starts // 5)):
        with tempfile.TemporaryDirectory() as cache:
            environment = {**os.environ, "JITFFI_CACHE_DIR": cache, "JITFFI_COMPILE": "hot"}
            for kind, times in kinds.items():
                command = [sys.executable, "-c", _START, kind]
                done = subprocess.run(command, env=environment, capture_output=True, text=True)
                if done.returncode:
                    times.faults[OURS] = done.stderr.strip().splitlines()[-1]
                    continue
                seen[kind].append(json.loads(done.stdout))
    for kind, runs in seen.items():
        if runs:
            medians = [statistics.median(run[name] for run in runs) for name in runs[0]]
            kinds[kind].samples[OURS] = [max(medians)]
    return list(kinds.values())


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case in AGAINST_PYTHON:
            goals += ratio_goal(times, OURS, LIMIT, 1 / AGAINST_PYTHON[times.case])
            goals += ratio_goal(times, OURS, MATX, 1.0, below=True)
            goals += ratio_goal(times, OURS, CPP, CLOSE_TO_CPP.get(times.case, AGAINST_CPP))
            goals += ratio_goal(times, BACK, LIMIT, 1.0, below=True)
        elif LIMIT in times.samples:
            goals += ratio_goal(times, OURS, LIMIT, 1.0, below=True)
            goals += ratio_goal(times, BACK, LIMIT, 1.0, below=True)
        elif OURS in times.samples:
            limit = FIRST_MS if times.case.startswith("first") else WARM_MS
            goals.append(Goal(times.case, OURS, "", "", Spread.of(times.samples[OURS]), limit, " ms"))
    return goals
