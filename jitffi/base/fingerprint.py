"""The compiler's fingerprint: the package's files that machine code depends on, as a text for the keys of the cache.

Two installations of one version may differ in their files, so their sizes and times stand for them. On the way of a
warm start: imports next to nothing.
"""

from __future__ import annotations

import os

#: Folders whose files make the code of adapters; "" is the package itself, which holds the extension module.
ADAPTER_FOLDERS = ("", "base", "runtime", "ir", "types", "conventions", "llvm", "adapters")
#: Folders whose files make the code of scripts, beside those of adapters.
SCRIPT_FOLDERS = ("link", "emission", "scripts/tree", "scripts/library", "scripts/frontend", "scripts/analysis",
                  "scripts/lower", "scripts/api")  # fmt: skip


def fingerprint(folders: tuple[str, ...]) -> str:
    """Return sizes and times of the files in those folders of the package; "unknown" where they are no files, in an
    archive, say, so that the version must do."""
    package = os.path.dirname(os.path.dirname(__file__))
    found = []
    try:
        for folder in folders:
            with os.scandir(os.path.join(package, folder)) as entries:
                for entry in entries:
                    if entry.name.endswith((".py", ".so")):
                        info = entry.stat()
                        found.append(f"{folder}/{entry.name}:{info.st_size}:{info.st_mtime_ns}")
    except OSError:
        return "unknown"
    return ",".join(sorted(found))
