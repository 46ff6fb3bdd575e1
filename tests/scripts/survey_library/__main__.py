"""Every function of the modules of modules.txt as a script: what becomes of it, and whether it does what Python does.

`make survey SURVEY='MODULE ... --left'` prints a line for each difference, the counts, and the commonest reasons. Each
module has a process of its own, so that a crash is one of its functions'. JITFFI_FUZZ_SEED asks for other arguments,
JITFFI_FUZZ_CASES for more calls than six a function.
"""

from __future__ import annotations

import argparse
import collections
import importlib
import json
import os
import re
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from types import FunctionType
from typing import Any

HERE = Path(__file__).resolve().parent
SEED = int(os.environ.get("JITFFI_FUZZ_SEED", "0"))
CALLS = int(os.environ.get("JITFFI_FUZZ_CASES", "6"))
#: They ask somebody, never end, or change the process that they run in.
EXCEPT = re.compile(
    r".*\.(main|_main|test|_test|interact|install|serve|.*browse.*|getpass|_shutdown|_at_fork.*|_after_fork|_.*_at_exit.*|help|"
    r"_perfcheck|register_pipe|setpager|getpager|pager|.*_pager|breakpoint|set_trace|basicConfig|shutdown|captureWarnings|"
    r"setprofile.*|settrace.*|_exitfunc|exec_prefix|call_tracing|_set_sentinel|faulthandler.*|resetwarnings|simplefilter|filterwarnings|"
    r"_setup|_install|_bootstrap|invalidate_caches|_install_external_importers|patch.*|_patch.*|setlocale|resetlocale|execsitecustomize|"
    r"execusercustomize|abs_paths|removeduppaths|enablerlcompleter|register_readline|venv|addsitedir|addpackage|setquit|setcopyright|"
    r"sethelper|setencoding|_fix_up_module|clearcache|clear_cache|purge|reset|_reset_cache)"
)


def modules() -> list[str]:
    lines = (HERE / "modules.txt").read_text().splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def functions_of(name: str) -> list[tuple[str, FunctionType]]:
    """The functions that the module defines itself and that have no effects; [] where there is no such module."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = importlib.import_module(name)
        except ImportError:
            return []
    found = []
    for each, value in sorted(vars(module).items()):
        is_own = isinstance(value, FunctionType) and value.__module__ == name and not hasattr(value, "__wrapped__")
        if is_own and not EXCEPT.fullmatch(f"{name}.{each}"):
            found.append((each, value))
    return found


# -- in the process of a module ---------------------------------------------------------------------------------------


def survey_module(name: str, skipped: set[str]) -> None:
    """A line of JSON for each function, and one in front of it: who crashes is known by that."""
    import jitffi
    from jitffi.scripts.api.survey import survey
    from survey_library import calls

    out = os.fdopen(os.dup(1), "w", buffering=1)
    calls.deny_effects()
    warnings.simplefilter("ignore")
    for each, function in functions_of(name):
        if each in skipped:
            continue
        print(json.dumps({"begins": each}), file=out)
        script = jitffi.script(function)
        state = survey(script)
        found = calls.compare(function, script, SEED, CALLS)
        why = state.why[0][1] if state.why else ""
        print(json.dumps({"name": each, "state": state.state, "why": why, **found._asdict()}), file=out)


# -- all of them ------------------------------------------------------------------------------------------------------


def results_of(name: str) -> list[dict[str, Any]]:
    """What the processes of a module say; a crash is a difference of the function that was called."""
    found: list[dict[str, Any]] = []
    environment = {**os.environ, "PYTHONPATH": f"{HERE.parent}:{HERE.parents[2]}", "JITFFI_CACHE_DIR": ""}
    environment.setdefault("JITFFI_COMPILE", "now")
    environment.setdefault("JITFFI_SCRIPT_LEVEL", "0")
    while True:
        done = ",".join([each["name"] for each in found])
        command = [sys.executable, "-P", "-m", "survey_library", "--inside", name, "--skip", done]
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.Popen(
                command, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )  # fmt: skip
            try:
                printed, said = ended.communicate(timeout=300)
            except subprocess.TimeoutExpired:
                ended.kill()
                printed, said = ended.communicate()
        lines = [json.loads(line) for line in printed.splitlines() if line.startswith("{")]
        found += [each for each in lines if "name" in each]
        if ended.returncode == 0 or not lines or "name" in lines[-1]:
            if ended.returncode:
                print(f"{name}: the process ends with {ended.returncode}: {said[-500:]}")
            return found
        difference = f"the process ends with {ended.returncode}: {said[-1500:]}"
        crashed = {"state": "left", "why": "", "compared": 1, "returned": 0, "differences": [difference]}
        found.append({"name": lines[-1]["begins"], **crashed})


def _reason(text: str) -> str:
    """A reason without the names in it."""
    return re.sub(r"\W*:.*|`.*?`|'.*?'|\b_?\w*[._A-Z]\w*\b|\(.*", "", text).strip()


def report(found: dict[str, list[dict[str, Any]]]) -> int:
    rows = [row for each in found.values() for row in each]
    states = collections.Counter(row["state"] for row in rows)
    total = len(rows) or 1
    equal = [row for row in rows if not row["differences"]]
    called = [row for row in rows if row["compared"]]
    print(f"\n{len(rows)} functions of {sum(1 for each in found.values() if each)} modules")
    for state in ("native", "in part", "left"):
        print(f"  {state:10} {states[state]:5} {100 * states[state] / total:5.1f} %")
    times, returned = sum(row["compared"] for row in rows), sum(1 for row in rows if row["returned"])
    print(f"  called     {len(called):5}, {times} times; {returned} returned")
    print(f"  equal      {len(equal):5} {100 * len(equal) / total:5.1f} %")
    reasons = collections.Counter(_reason(row["why"]) for row in rows if row["state"] == "left")
    for reason, count in reasons.most_common(25):
        print(f"  {count:5} left: {reason}")
    return 1 if len(equal) < len(rows) else 0


def main() -> int:
    parser = argparse.ArgumentParser(prog="survey_library", description=__doc__)
    parser.add_argument("modules", nargs="*")
    parser.add_argument(
        "--left", action="store_true", help="name the functions that are left to the interpreter, and why"
    )
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    parser.add_argument("--skip", default="", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        survey_module(args.inside, set(args.skip.split(",")))
        return 0
    found = {}
    for name in args.modules or modules():
        found[name] = results_of(name)
        if args.left:
            print(f"-- {name}: {len(found[name])}", flush=True)
        for row in found[name]:
            for difference in row["differences"]:
                print(f"{name}.{row['name']}: {difference}", flush=True)
            if args.left and row["state"] == "left":
                print(f"{name}.{row['name']}: left: {row['why']}", flush=True)
    return report(found)


if __name__ == "__main__":
    sys.exit(main())
