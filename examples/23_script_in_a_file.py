"""A script as an object file, with all that it calls: for a process that has neither its source nor a compiler."""

import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi


@jitffi.script
def slug(title: str, most: int = 40) -> str:
    """What stands for a title in an address."""
    return "-".join(parts(title.casefold()))[:most].rstrip("-")


def parts(text):
    """Its runs of letters and digits."""
    found = []
    start = 0
    for i, ch in enumerate(text + " "):
        if not ch.isalnum():
            if i > start:
                found.append(text[start:i])
            start = i + 1
    return found


# This process has the source. The other one has the file; a program in C would be linked with it, and include slug.h.
OTHER = """
import jitffi
module = jitffi.load_module("slug.o")
print(module, module.slug("Fische, frisch & günstig"), module.slug("a b c", 3))
try:
    module.slug("Fische", "forty")
except TypeError as error:
    print("TypeError:", error)
"""

with tempfile.TemporaryDirectory() as folder:
    made = jitffi.emit(slug, Path(folder, "slug.o"), header=Path(folder, "slug.h"))
    print(f"{made.name}: {made.stat().st_size} bytes; {slug.signature}")
    for line in made.with_suffix(".h").read_text().splitlines():
        if "__jf_slug(" in line:
            print(line)
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", OTHER], check=True, cwd=folder)
