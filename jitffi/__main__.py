"""`python -m jitffi`, where the script `jitffi` is not on the path."""

import sys

from jitffi.cli import main

if __name__ == "__main__":
    sys.exit(main())
