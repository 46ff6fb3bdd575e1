"""Words counted in C, into a Map: Python sees no word before it asks for one. collections.Counter does the same."""

import collections
import shlex
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import jitffi

SOURCE = Path(__file__).resolve().parent / "values" / "words.c"


def flags(what: str) -> list[str]:
    return shlex.split(subprocess.check_output([sys.executable, "-m", "jitffi", "config", what], text=True))


with tempfile.TemporaryDirectory() as folder:
    library = Path(folder, "words.so")
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), *flags("--includes"), str(SOURCE)]
    subprocess.run([*command, *flags("--libs")], check=True)
    count = jitffi.load_library(library).bind("count", "(text: str) -> map")

text = "Zum Sehen geboren, zum Schauen bestellt, dem Turme geschworen gefällt mir die Welt. Ich blick' in die Ferne "
counts = count(text)
print(type(counts).__name__, len(counts), "words, 'die':", counts["die"], "'Welt':", counts.get("Welt", 0))

text += "\n".join(f"seh' {n} in der Näh den Mond und die Sterne, den Wald und das Reh." for n in range(20000))
counts = count(text)
assert counts == collections.Counter(text.split()) and list(counts) == list(collections.Counter(text.split()))
print("most:", sorted(counts.items(), key=lambda item: -item[1])[:3])


def spent(function) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


ours = min(spent(lambda: count(text)) for _ in range(5))
theirs = min(spent(lambda: collections.Counter(text.split())) for _ in range(5))
print(f"{len(text) / 1e6:.1f} million characters: {ours * 1e3:.0f} ms, Counter {theirs * 1e3:.0f} ms")
