"""What was compiled ahead of time: what a file costs to make, and what its functions cost to call.

The calls are those of `calls`, to the same C functions: bound at run time; as a module, which is a shared library of
packed functions, each called by an adapter made from its signature; as an extension module, which needs no package. So
the two of ours that come from files can be compared with the one that does not. tvm_ffi loads a library of its own.
"""

from __future__ import annotations

import importlib.util
import pathlib
import time
from types import SimpleNamespace
from typing import Any

from benchmarks import build, calls, peers
from benchmarks.harness import Goal, Measured, Settings, Spread, Times, compare, ratio_goal

TITLE = "Files: ms a signature, ns a call"
RELATION = "ratio"
LIMIT = "C extension"
OURS, MODULE, EXTENSION = "jitffi", "jitffi, module", "jitffi, extension module"
#: Row -> what an extension module's ratio to what is bound at run time may be.
GOALS = {"noop": 1.05, "i64": 1.05, "8 x f64": 1.05, "str length": 1.05, "str to str, 5": 1.05, "3 keywords": 1.05}
COUNT = 100
FORMATS = ("o", "s", "ll", "bc", "so", "so, python")
EACH = 15.0


def _emitted(entry: str) -> pathlib.Path:
    """A shared library of all functions; the first process of a run makes it, in the directory of all of them."""
    made = pathlib.Path(f"emitted_{entry}.so").resolve()
    if not made.exists():
        import jitffi

        library = build.plain()
        jitffi.emit(calls.SIGNATURES, made, entry=entry, link=[str(library), f"-rpath={library.parent}"])
    return made


def bind() -> SimpleNamespace:
    import jitffi

    made = _emitted("python")
    spec = importlib.util.spec_from_file_location("emitted_python", made)
    assert spec is not None and spec.loader is not None
    extension = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(extension)
    module = jitffi.load_module(str(_emitted("packed")))
    taken = SimpleNamespace(**{name: module.get_function(name) for name in calls.SIGNATURES})
    return SimpleNamespace(bound=calls.bind(), module=taken, extension=extension)


def _tvm() -> dict[str, Any]:
    return calls.PEERS["tvm_ffi"]()


def measure(settings: Settings, made: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {
        LIMIT: calls.cases(build.hand_written()),
        OURS: calls.cases(made.bound),
        MODULE: calls.cases(made.module),
        EXTENSION: calls.cases(made.extension),
    }
    others = {"nanobind": lambda: calls.cases(peers.nanobind()), "tvm_ffi": _tvm}
    contenders |= peers.gathered(others, measured.remarks) if settings.peers else {}
    for row in GOALS:
        taking_part = {who: cases[row] for who, cases in contenders.items() if row in cases}
        measured.times.append(compare(row, taking_part, settings.rounds))
    measured.times += _emitting(3 if settings.repeats > 1 else 1)
    return measured


def _emitting(rounds: int) -> list[Times]:
    """Milliseconds a signature, LLVM being loaded; objects also made by two processes."""
    import jitffi

    texts = list(calls.SIGNATURES.values())
    sigs = {f"f{number}": texts[number % len(texts)] for number in range(COUNT)}
    jitffi.emit(sigs["f0"], "first.o")
    found = [Times(f"{COUNT} signatures: .{form}", "ms") for form in FORMATS]
    for _ in range(rounds):
        for form, times in zip(FORMATS, found, strict=True):
            ending, _, entry = form.partition(", ")
            for who, jobs in ((OURS, 1), (f"{OURS}, -j 2", 2)) if form == "o" else ((OURS, 1),):
                start = time.perf_counter()
                jitffi.emit(sigs, f"hundred.{ending}", entry=entry or "packed", jobs=jobs)
                times.samples.setdefault(who, []).append(1e3 * (time.perf_counter() - start) / COUNT)
    return found


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case in GOALS:
            goals += ratio_goal(times, EXTENSION, OURS, GOALS[times.case])
            goals += ratio_goal(times, EXTENSION, "nanobind", 1.0, below=True)
            goals += ratio_goal(times, MODULE, "tvm_ffi", 1.0, below=True)
        else:
            goals.append(Goal(times.case, OURS, "", "", Spread.of(times.samples[OURS]), EACH, " ms"))
    return goals
