"""A program is recorded as it runs: which of its places call what, with text of which kinds and lengths.

JITFFI_TRACE=calls.trace python program.py        no change to the program; no text of its data is in the file
jitffi autotune --trace calls.trace               pads for the functions that it calls, without the program
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi


@jitffi.script
def fields(line):
    """What stands between commas, without spaces around it."""
    return [field.strip() for field in line.split(",")]


@jitffi.script
def initials(names):
    return "".join([name[0] for name in names if name])


def program():
    rows = [f"{number}, Дерево № {number}, {'листья, ' * (number % 3)}зима" for number in range(3000)]
    words = [fields(row) for row in rows]
    print("program:", initials(words[2]), len(words))


if sys.argv[1:] == ["program"]:
    program()
    sys.exit()

with tempfile.TemporaryDirectory() as folder:
    trace = Path(folder, "calls.trace")
    command = [sys.executable, __file__, "program"]
    subprocess.run(command, check=True, env={**os.environ, "JITFFI_TRACE": str(trace)})
    lines = trace.read_text(encoding="utf-8").splitlines()

# u19:31: a str of 19 characters and 31 bytes; l3: a list of three, of which s is ASCII. A jitffi.List is L.
# After 1024 calls of a place only some are written, each for more of them: 1*2 stands for two.
calls = [line for line in lines if line[:1].isdigit()]
print("first:  ", calls[0])
print("later:  ", next(line for line in calls if "*" in line.split()[0]))
print("traced: ", len(calls), "calls in", len("\n".join(calls)) // 1000, "kB;", end=" ")
totals = [int(line.split()[2]) for line in lines if line.startswith("T ")]
print("there were", sum(totals), "at", len([line for line in lines if line.startswith("S ")]), "places")
print("of what was said, the file has nothing:", not any("Дерево" in line or "листья" in line for line in lines))
