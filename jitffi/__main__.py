"""`python -m jitffi`: the command line, found as its console script finds it. This file is on no floor of the house."""

from __future__ import annotations

import sys
from pkgutil import resolve_name

if __name__ == "__main__":
    sys.exit(resolve_name("jitffi.cli:main")())
