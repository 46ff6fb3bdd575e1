"""Numbers and text as defaults of parameters: what rows have in common that take them, and how others are refused."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

    from jitffi.types.row import Row

_INF = float("inf")


def integer(row: Row, value: Any, low: int, high: int) -> int:
    """Return *value* as an int of that range."""
    if not hasattr(value.__class__, "__index__"):
        refuse(row, value)
    number = int(value.__index__())
    if not low <= number <= high:
        raise OverflowError(f"{short(number)} is out of range for {row.type.name}: {low} to {high}")
    return number


def number(row: Row, value: Any, beyond: float) -> float:
    """Return *value* as a float; *beyond* is the first that is too large, and infinity is a value."""
    if not hasattr(value.__class__, "__float__"):
        refuse(row, value)
    try:
        made = float(value)
    except OverflowError:  # an int beyond f64
        raise OverflowError(f"{short(value)} is out of range for {row.type.name}") from None
    if beyond <= abs(made) < _INF:
        raise OverflowError(f"{short(value)} is out of range for {row.type.name}")
    return made


def text(row: Row, value: Any) -> str:
    """Return *value* as a str that has a UTF-8 form."""
    if not isinstance(value, str):
        refuse(row, value)
    if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
        raise ValueError(f"lone surrogate in {short(value)}")
    return str(value)


def refuse(row: Row, value: object, wanted: str = "") -> NoReturn:
    raise TypeError(f"expected {wanted or row.type.name}, got {_kind(value)}")


def short(value: object) -> str:
    """A value as messages show it."""
    if isinstance(value, int) and value.bit_length() > 128:
        return f"an int of {value.bit_length()} bits"  # its digits may be too many for str()
    shown = repr(value)
    return shown if len(shown) <= 40 else shown[:37] + "..."


def _kind(value: object) -> str:
    shown = short(value)
    return shown if value is None or shown.startswith("an int") else f"{value.__class__.__name__} {shown}"
