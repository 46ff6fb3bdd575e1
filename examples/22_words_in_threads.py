"""Words counted in several threads: with nogil=True a script runs without the interpreter's lock."""

import collections
import os
import sysconfig
import threading
import time
from pathlib import Path

import jitffi


@jitffi.script(nogil=True)
def count(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for word in text.split():
        counts[word] = counts.get(word, 0) + 1
    return counts


@jitffi.script
def merge(into, counts):
    for word, n in counts.items():
        into[word] = into.get(word, 0) + n


def count_in(texts):
    """One thread for each text, and what they find together."""
    found = [None] * len(texts)

    def work(i):
        found[i] = count(texts[i])

    threads = [threading.Thread(target=work, args=(i,)) for i in range(len(texts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    total = jitffi.Map()
    for each in found:
        merge(total, each)
    return total


# What `help()` knows of the language comes with Python.
text = (Path(sysconfig.get_paths()["stdlib"]) / "pydoc_data" / "topics.py").read_text(encoding="utf-8")
lines = text.splitlines(keepends=True)
half = len(lines) // 2
parts = ["".join(lines[:half]), "".join(lines[half:])]

counted = count_in(parts)
assert counted == count(text) == collections.Counter(text.split())
print("the most:", sorted(counted.items(), key=lambda item: -item[1])[:3])


def spent(function, *args) -> float:
    times = []
    for _ in range(5):
        start = time.perf_counter()
        function(*args)
        times.append(time.perf_counter() - start)
    return min(times) * 1e3


print(f"{len(text.split())} words, {os.cpu_count()} processors")
print(f"two threads {spent(count_in, parts):.1f} ms, one {spent(count, text):.1f} ms, ", end="")
print(f"Counter {spent(lambda: collections.Counter(text.split())):.1f} ms")
