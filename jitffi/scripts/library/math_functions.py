"""Functions of `math` that are native where their arguments are numbers of the script: what Python's own give, who are
called for everything that is no plain result, an error or an infinity say."""

from __future__ import annotations

import math

from jitffi.base.records import record
from jitffi.scripts.tree.types import BOOL, FLOAT, INT, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final


@record
class MathRow:
    """Of one function: how many arguments it takes, what it gives, and what it wants of the first one beside that it is
    a number: "" nothing, ">0"."""

    arguments: int
    result: Type = FLOAT
    wants: str = ""


#: In the order of script_math.c, so far as C's library computes them; then those that are a few instructions.
BY_C: Final = {
    **dict.fromkeys(("log", "log2", "log10"), MathRow(1, wants=">0")),
    **dict.fromkeys(("exp", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh"), MathRow(1)),
    **dict.fromkeys(("atan2", "pow", "fmod"), MathRow(2)),
}
ROWS: Final = {
    **BY_C,
    **dict.fromkeys(("sqrt", "fabs"), MathRow(1)),
    **dict.fromkeys(("floor", "ceil", "trunc"), MathRow(1, INT)),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), MathRow(1, BOOL)),
}
NUMBERS: Final = frozenset(("int", "float", "bool"))
_NAMES: Final = {getattr(math, name): name for name in ROWS}


def name_of(value: Any, arguments: int) -> str:
    """ "log" of `math.log`, if it takes so many arguments here; "" of others."""
    try:
        name = _NAMES.get(value, "")
    except TypeError:  # no hash
        return ""
    return name if name and ROWS[name].arguments == arguments else ""
