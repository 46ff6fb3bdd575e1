"""LLVM IR's types of integers and fractions, and which casts there are between two (LangRef, Conversion Operations)."""

from __future__ import annotations

#: i1, whole bytes, since bit-fields touch up to nine, and i128.
INTEGERS: dict[str, int] = {"i1": 1, **{f"i{8 * size}": 8 * size for size in (*range(1, 10), 16)}}
FLOATS = {"float": 32, "double": 64}


def is_legal_cast(op: str, from_: str, to: str) -> bool:
    """Whether there is such a cast between two types."""
    integer, other_integer = INTEGERS.get(from_, 0), INTEGERS.get(to, 0)
    float_, other_float = FLOATS.get(from_, 0), FLOATS.get(to, 0)
    if op in ("zext", "sext"):
        return 0 < integer < other_integer
    if op == "trunc":
        return integer > other_integer > 0
    if op == "fpext":
        return 0 < float_ < other_float
    if op == "fptrunc":
        return float_ > other_float > 0
    if op == "bitcast":
        return bool((integer and other_float) or (float_ and other_integer))
    if op in ("sitofp", "uitofp"):
        return bool(integer and other_float)
    if op in ("fptosi", "fptoui"):
        return bool(float_ and other_integer)
    return (op, from_, to in INTEGERS) == ("ptrtoint", "ptr", True) or (
        (op, to, from_ in INTEGERS) == ("inttoptr", "ptr", True)
    )
