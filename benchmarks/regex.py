"""Regular expressions: the functions of regex_functions.py run by Python with `re` and with its peers, and compiled by
jitffi. ns a call.

    jitffi            the function as a script: the pattern is part of its code
    re, regex, RE2, PCRE2    the function in Python, its patterns compiled by `re`, or by that package: PCRE2 with JIT

Texts are English prose and source text of this package, with a date, an address and tags in some lines.
"""

from __future__ import annotations

import pathlib
import re
from collections.abc import Callable
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from benchmarks import peers, regex_functions
from benchmarks.build import installed
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Regular expressions, ns a call"
RELATION = "ratio"
LIMIT = "re"
OURS = "jitffi"
#: At most this share of the other's time.
AGAINST = {"re": 0.3, "PCRE2": 1.0}
ROWS = (
    "words", "numbers", "dates", "mail", "choice", "tokens", "log", "tags", "twice", "nested", "spaces", "pieces",
)  # fmt: skip
_LINES = 300


def prose() -> str:
    from benchmarks.values import english

    text = english()
    lines = [" ".join(text[i : i + 12]) for i in range(0, 12 * _LINES, 12)]
    for i in range(0, len(lines), 5):
        lines[i] += (
            f" on 2024-{1 + i % 12:02}-{1 + i % 28:02} from jo.doe{i}@example.org for the the <b class='x'>{i}.5</b>"
        )
    return "\n".join(lines)


def source() -> str:
    return pathlib.Path(regex_functions.__file__).read_text()


def log() -> str:
    line = '127.0.0.{} - frank [10/Oct/2000:13:55:36 -0700] "GET /page/{}.gif HTTP/1.0" 200 {}'
    return "\n".join([line.format(i % 256, i, 17 * i) for i in range(_LINES)])


def arguments() -> dict[str, str]:
    texts = dict.fromkeys(ROWS, prose())
    return {**texts, "tokens": source(), "log": log()}


def bind() -> SimpleNamespace:
    import jitffi

    scripts = {name: jitffi.script(getattr(regex_functions, name), strict=True) for name in ROWS}
    for name, text in arguments().items():
        scripts[name](text)
    return SimpleNamespace(scripts=scripts)


def _with(compiler: Callable[[str], Any]) -> dict[str, Callable[..., Any]]:
    """The functions whose patterns another package takes, with its own."""
    names = vars(regex_functions)
    made: dict[str, Any] = {}
    for key, each in names.items():
        if isinstance(each, re.Pattern):
            try:
                made[key] = compiler(each.pattern)
            except Exception:  # of a class of the package's: it has no references to groups, say
                made[key] = None
    codes = {name: getattr(regex_functions, name).__code__ for name in ROWS}
    return {
        name: FunctionType(code, {**names, **made})
        for name, code in codes.items()
        if all(made.get(each, code) is not None for each in code.co_names)
    }


def _regex() -> ModuleType:
    return installed("regex")


def _re2() -> ModuleType:
    return installed("re2")


def _pcre2() -> ModuleType:
    return installed("pcre2")


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders: dict[str, dict[str, Callable[..., Any]]] = {LIMIT: _with(re.compile), OURS: bound.scripts}
    if settings.peers:
        found = peers.gathered({"regex": _regex, "RE2": _re2, "PCRE2": _pcre2}, measured.remarks)
        for who, package in found.items():
            contenders[who] = _with(package.compile)
    for name, text in arguments().items():
        wanted = getattr(regex_functions, name)(text)
        cases = {}
        for who, functions in contenders.items():
            if name not in functions:
                continue
            cases[who] = Case("f(text)", {"f": functions[name], "text": text}, equals(wanted))
        measured.times.append(compare(name, cases, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    return [
        goal
        for times in measured
        for other, limit in AGAINST.items()
        if other in times.samples
        for goal in ratio_goal(times, OURS, other, limit)
    ]
