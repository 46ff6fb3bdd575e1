"""Which build of the package this is: its version, and the fingerprint of the files that make machine code.

On the way of a warm start: imports next to nothing.
"""

from __future__ import annotations

import os

from jitffi import _core

#: Kept in pyproject.toml, and compiled into the extension.
VERSION: str = _core.VERSION

#: Folders whose files make the code of adapters; "" is the package itself, which holds the extension module.
ADAPTER_FOLDERS = ("", "base", "runtime", "ir", "types", "conventions", "llvm", "adapters")
#: Folders whose files make the code of scripts, beside those of adapters.
SCRIPT_FOLDERS = ("link", "scripts/tree", "scripts/library", "scripts/regex", "scripts/frontend", "scripts/analysis",
                  "scripts/lower", "scripts/lower/function", "scripts/lower/control", "scripts/lower/text",
                  "scripts/lower/containers", "scripts/lower/python", "scripts/api")  # fmt: skip


def fingerprint(folders: tuple[str, ...], before: float = float("inf")) -> str:
    """Return sizes and times of the files in those folders of the package; "unknown" where they are no files, in an
    archive, say, so that the version must do; "" where one has changed since *before*, in seconds of the epoch."""
    package = os.path.dirname(os.path.dirname(__file__))
    found = []
    newest = 0.0
    try:
        for folder in folders:
            with os.scandir(os.path.join(package, folder)) as entries:
                for entry in entries:
                    if entry.name.endswith((".py", ".so")):
                        info = entry.stat()
                        newest = max(newest, info.st_ctime)
                        found.append(f"{folder}/{entry.name}:{info.st_size}:{info.st_mtime_ns}")
    except OSError:
        return "unknown"
    return ",".join(sorted(found)) if newest < before else ""
