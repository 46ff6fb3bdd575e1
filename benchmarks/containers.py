"""Containers of 1000 items: made of Python's, turned back, and one item taken out. ns an item; `c[i]`: ns each.

    ints    7 apart, from 300 on            short, long   text of 5, of 20 characters
    mixed   int, short text, float          dict, set     short text to int, short text; of a set `c[i]` is `x in c`

Everybody is given the same list, dict or set, and gives back one that is equal. "C loop" is native/back.c, which makes
the same Python objects of plain C values. nanobind has a class for each type of item: its vectors and unordered_map,
and none for mixed items.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, NamedTuple

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare, ratio_goal

TITLE = "Containers of 1000 items from Python and back, ns an item"
RELATION = "ratio"
LIMIT = "Python's copy"
OURS = "jitffi"
C_LOOP = "C loop"

COUNT = 1000
_INTS = [7 * i + 300 for i in range(COUNT)]
_SHORT = [f"w{i:04}" for i in range(COUNT)]
KINDS: dict[str, Any] = {
    "ints": _INTS,
    "short": _SHORT,
    "long": [f"word-number-{i:08}" for i in range(COUNT)],
    "mixed": [(_INTS[i], _SHORT[i], i + 0.5)[i % 3] for i in range(COUNT)],
    "dict": dict(zip(_SHORT, _INTS, strict=True)),
    "set": set(_SHORT),
}
#: ns an item.
BUILD = {"ints": 8.0, "short": 25.0, "mixed": 25.0, "dict": 80.0}
#: Against the C loop: of dicts, and of all others.
BACK_DICT, BACK = 1.05, 1.15
#: ns.
ITEM = {"ints": 35.0, "short": 60.0}


class Ways(NamedTuple):
    """What a contender does with one kind: None where there is no such thing."""

    build: Callable[[Any], Any] | None
    back: Callable[[Any], Any]


def _all(lists: Ways, dicts: Ways, sets: Ways | None = None) -> dict[str, Ways]:
    ways = {kind: {"dict": dicts, "set": sets}.get(kind, lists) for kind in KINDS}
    return {kind: found for kind, found in ways.items() if found is not None}


def bind() -> SimpleNamespace:
    import jitffi

    return SimpleNamespace(ways=_all(*[Ways(cls, cls.to_python) for cls in (jitffi.List, jitffi.Map, jitffi.Set)]))


def _items(mapping: Any) -> dict[Any, Any]:
    return dict(mapping.items())


def _tvm(of_list: str, of_dict: str) -> dict[str, Ways]:
    module = build.installed("tvm_ffi")
    return _all(Ways(getattr(module, of_list), list), Ways(getattr(module, of_dict), _items))


def _matxscript() -> dict[str, Ways]:
    module = peers.matxscript()
    return _all(Ways(module.List, list), Ways(module.Dict, _items))


def _nanobind() -> dict[str, Ways]:
    module = peers.nanobind("nanobind_containers")
    texts = Ways(module.Texts, module.Texts.to_list)
    ints, counts = Ways(module.Ints, module.Ints.to_list), Ways(module.Counts, module.Counts.to_dict)
    return {"ints": ints, "short": texts, "long": texts, "dict": counts}


PEERS = {
    "tvm_ffi Array, Map": lambda: _tvm("Array", "Map"),
    "tvm_ffi List, Dict": lambda: _tvm("List", "Dict"),
    "matxscript": _matxscript,
    "nanobind": _nanobind,
}


def _in_c() -> dict[str, Ways]:
    module = build.extension("back")
    loops = {"ints": module.ints, "mixed": module.mixed, "dict": module.dict}
    return {kind: Ways(None, loops.get(kind, module.texts)) for kind in KINDS if kind != "set"}


def _cases(kind: str, ways: Ways, hold: Callable[[Any], Any]) -> dict[str, Case]:
    wanted = KINDS[kind]
    key = _SHORT[500] if kind in ("dict", "set") else 500
    built = (ways.build or hold)(wanted)
    cases = {"back": Case("f(c)", {"f": ways.back, "c": built}, wanted.__eq__, per=COUNT)}
    if ways.build is not None:
        made = Case("f(d)", {"f": ways.build, "d": wanted}, lambda c: ways.back(c) == wanted, per=COUNT)
        cases["build"] = made
        if kind == "set":
            cases["c[i]"] = Case("k in c", {"c": built, "k": key}, lambda found: found is True)
        else:
            cases["c[i]"] = Case("c[k]", {"c": built, "k": key}, lambda item: item == wanted[key])
    return cases


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    hold = build.extension("back").hold
    contenders = {LIMIT: _all(Ways(list, list), Ways(dict, dict), Ways(set, set)), C_LOOP: _in_c(), OURS: bound.ways}
    contenders |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    rows: dict[str, dict[str, Case]] = {}
    for who, kinds in contenders.items():
        for kind, ways in kinds.items():
            for what, case in _cases(kind, ways, hold).items():
                rows.setdefault(f"{what} {kind}", {})[who] = case
    for what in ("build", "back", "c[i]"):
        measured.times += [compare(f"{what} {kind}", rows[f"{what} {kind}"], settings.rounds) for kind in KINDS]
    return measured


def _time_goal(times: Times, limit: float | None) -> list[Goal]:
    if limit is None or OURS not in times.samples:
        return []
    return [Goal(times.case, OURS, "", "", Spread.of(times.samples[OURS]), limit, " ns")]


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        what, kind = times.case.split()
        if what == "back" and kind == "set":
            continue  # no C loop makes one
        if what == "back":
            goals += ratio_goal(times, OURS, C_LOOP, BACK_DICT if kind == "dict" else BACK)
            continue
        goals += _time_goal(times, BUILD.get(kind) if what == "build" else ITEM.get(kind))
    return goals
