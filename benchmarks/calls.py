"""Python to native: one call from a Python loop, for each kind of argument.

jitffi's code is the stored one, level 2, as a second process finds it in the cache; the emitted extension is what
`jitffi emit` makes of the same signatures. The limit is native/handmade.c.
Everybody calls the same C functions, in a shared library of their own. Text comes back through an out-slot in both
ours and the limit: 136 bytes on the caller's stack, written in place and decoded from there. cffi and ctypes have
neither lengths nor slots and take C strings, with the `.encode()` and `.decode()` that a caller must write; their row
for None passes a NULL that is ready. tvm_ffi gives its own text back by reference.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Python to native, ns a call"
RELATION = "ratio"
LIMIT = "C extension"
OURS = "jitffi"
EMITTED = "emitted extension"
S5, S40 = "hello", "abcdefghij" * 4

#: Row -> what its ratio to the limit may be.
GOALS = {
    "noop": 1.03,
    "i64": 1.0,
    "big i64": 1.0,
    "f64": 1.0,
    "8 x f64": 1.0,
    "str length": 1.0,
    "bytes length": 1.03,
    "str to str, 5": 1.0,
    "str to str, 40": 1.0,
    "cstr to cstr": 1.0,
    "optional None": 1.03,
    "3 keywords": 1.03,
}


SIGNATURES = {
    "noop": "() -> void",
    "add_i64": "(i64, i64) -> i64",
    "add_f64": "(f64, f64) -> f64",
    "sum8": "(f64, f64, f64, f64, f64, f64, f64, f64) -> f64",
    "str_len": "(str) -> i64",
    "bytes_len": "(bytes) -> i64",
    "str_id": "(str) -> str",
    "cstr_id": "(cstr) -> cstr",
    "opt": "(optional[i64]) -> i64",
    "kw3": "(a: i64, b: i64, c: i64) -> i64",
}


def bind() -> SimpleNamespace:
    import jitffi

    library = jitffi.load_library(str(build.plain()))
    return SimpleNamespace(**{name: library.bind(name, text) for name, text in SIGNATURES.items()})


def cases(m: Any) -> dict[str, Case]:
    """Every row, for a namespace that has all functions under their plain names."""
    eight = {name: number + 1.5 for number, name in enumerate("abcdeghi")}
    return {
        "noop": Case("f()", {"f": m.noop}, equals(None)),
        "i64": Case("f(a, b)", {"f": m.add_i64, "a": 3, "b": 4}, equals(7)),
        "big i64": Case("f(a, b)", {"f": m.add_i64, "a": 1 << 40, "b": 4}, equals((1 << 40) + 4)),
        "f64": Case("f(a, b)", {"f": m.add_f64, "a": 1.5, "b": 2.5}, equals(4.0)),
        "8 x f64": Case("f(a, b, c, d, e, g, h, i)", {"f": m.sum8, **eight}, equals(40.0)),
        "str length": Case("f(s)", {"f": m.str_len, "s": S5}, equals(5)),
        "bytes length": Case("f(s)", {"f": m.bytes_len, "s": b"hello world"}, equals(11)),
        "str to str, 5": Case("f(s)", {"f": m.str_id, "s": S5}, equals(S5)),
        "str to str, 40": Case("f(s)", {"f": m.str_id, "s": S40}, equals(S40)),
        "cstr to cstr": Case("f(s)", {"f": m.cstr_id, "s": S5}, equals(S5)),
        "optional None": Case("f(a)", {"f": m.opt, "a": None}, equals(-1)),
        "3 keywords": Case("f(a=x, b=y, c=z)", {"f": m.kw3, "x": 1, "y": 2, "z": 3}, equals(321)),
    }


def _tvm() -> dict[str, Case]:
    from tvm_ffi.utils import kwargs_wrapper

    m = peers.tvm_ffi()
    names = "noop", "add_i64", "add_f64", "sum8", "str_len", "bytes_len", "str_id", "opt"
    with_keywords = kwargs_wrapper.make_kwargs_wrapper(m["kw3"], ["a", "b", "c"])
    made = cases(SimpleNamespace(**{name: m[name] for name in names}, cstr_id=None, kw3=with_keywords))
    del made["cstr to cstr"]  # its texts come with their sizes
    for text in (S5, S40):
        # Its own subclass of str comes back.
        made[f"str to str, {len(text)}"] = Case("f(s)", {"f": m.str_id, "s": text}, text.__eq__)
    return made


def _c_strings(lib: Any, null: object, length: str, identity: str, more: dict[str, Any]) -> dict[str, Case]:
    """For cffi and ctypes. They have no keywords."""
    plain = {name: getattr(lib, name, None) for name in ("noop", "add_i64", "add_f64", "sum8", "bytes_len", "opt")}
    made = cases(SimpleNamespace(**plain, str_len=None, str_id=None, cstr_id=None, kw3=None))
    del made["3 keywords"]
    made["str length"] = Case(length, {"f": lib.cstr_len, "s": S5}, equals(5))
    made["bytes length"] = Case("f(s, len(s))", {"f": lib.bytes_len, "s": b"hello world", "len": len}, equals(11))
    made["optional None"] = Case("f(a)", {"f": lib.opt, "a": null}, equals(-1))
    for text in (S5, S40):
        made[f"str to str, {len(text)}"] = Case(identity, {"f": lib.cstr_id, "s": text, **more}, equals(text))
    made["cstr to cstr"] = made["str to str, 5"]
    return made


def _cffi(m: Any) -> dict[str, Case]:
    # The argument's memory must outlive the pointer that comes back.
    identity = "(b := s.encode()) and text(f(buffer('char[]', b)), 4096).decode()"
    return _c_strings(m.lib, m.ffi.NULL, "f(s.encode())", identity, {"text": m.ffi.string, "buffer": m.ffi.from_buffer})


def _ctypes() -> dict[str, Case]:
    return _c_strings(peers.with_ctypes(), None, "f(s.encode())", "f(s.encode()).decode()", {})


PEERS = {
    "nanobind": lambda: cases(peers.nanobind()),
    "pybind11": lambda: cases(peers.pybind11()),
    "Cython": lambda: cases(peers.cython()),
    "cffi, compiled": lambda: _cffi(peers.cffi_compiled()),
    "cffi, loaded": lambda: _cffi(peers.cffi_loaded()),
    "tvm_ffi": _tvm,
    "ctypes": _ctypes,
}


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {
        LIMIT: cases(build.hand_written()),
        OURS: cases(bound),
        EMITTED: cases(build.emitted(SIGNATURES)),
        # Not the peers' flags: how much of a difference is the indirection of calls through the PLT.
        "C extension, -fno-plt": cases(build.hand_written("-fno-plt")),
    }
    contenders |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    for row in GOALS:
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        goals += ratio_goal(times, OURS, LIMIT, GOALS[times.case])
        goals += ratio_goal(times, EMITTED, OURS, 1.0)
        nearest = times.quickest(list(PEERS))
        goals += ratio_goal(times, OURS, nearest, 1.0, below=True) if nearest else []
    return goals
