"""Whether `re` goes through any text once with a pattern: such a call is as long as its text, and needs no end.

    \\w+   [a-z]+|\\d   #(\\d+)      what is repeated comes last: nothing behind it can fail, so nothing is tried again
    \\s+$  (ab|c)*  <[^>]+>        may be tried again from each place that was gone through

The tree is that of Python's parser, which keeps it to itself (re/_parser.py); what is not known here is not linear.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What is one character.
_CHARACTERS = ("LITERAL", "NOT_LITERAL", "ANY", "IN", "RANGE", "CATEGORY")
#: So often a character may be repeated anywhere.
_FEW = 16


def is_linear(pattern: str | bytes, flags: int) -> bool:
    parser = sys.modules["re"]._parser
    try:
        return _is_linear(list(parser.parse(pattern, flags)), True)
    except (parser.error, OverflowError, RecursionError):  # whoever compiles it is told
        return False


def _is_linear(items: list[Any], is_last: bool) -> bool:
    """*is_last*: nothing comes behind them."""
    return all(_is_item_linear(each[0], each[1], is_last and each is items[-1]) for each in items)


def _is_item_linear(op: Any, given: Any, is_last: bool) -> bool:
    name = str(op)
    if name in _CHARACTERS or name == "AT":
        return True
    if name == "SUBPATTERN":
        return _is_linear(list(given[-1]), is_last)
    if name == "BRANCH":
        return all(_is_linear(list(each), is_last) for each in given[1])
    if name in ("MAX_REPEAT", "MIN_REPEAT"):
        least, most, body = given
        is_character = len(body) == 1 and str(body[0][0]) in _CHARACTERS
        return is_character and int(least if is_last else most) <= _FEW
    return False
