"""A process with the package and without site-packages: what starts such a program."""

from __future__ import annotations

from pathlib import Path

import jitffi
from jitffi import _core

#: Where the package is, and where its compiled part is, which an editable install has elsewhere.
FOLDER, COMPILED = str(Path(jitffi.__file__).resolve().parent.parent), str(Path(_core.__file__).resolve().parent)
PRELUDE = f"""
import sys
class Core:
    def find_spec(name, path=None, target=None):
        return paths.find_spec(name, [{COMPILED!r}]) if name == "jitffi._core" else None
paths = sys.meta_path[-1]
sys.meta_path.append(Core)
sys.path.insert(0, {FOLDER!r})
before = set(sys.modules)
"""
