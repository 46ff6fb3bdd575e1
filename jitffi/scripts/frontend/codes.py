"""Which code object the interpreter has compiled of a function, class or generator expression inside of a function."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any

_CODE = type((lambda: None).__code__)
_NAMES = {"Lambda": "<lambda>", "GeneratorExp": "<genexpr>"}
#: What is no scope of its own for scripts, and has code of its own in some version of Python.
_WITHIN = frozenset(("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>", "<lambda>"))


def code_of(outer: CodeType | None, node: Any) -> CodeType | None:
    """The code of a definition, lambda or generator expression in the function that has that code; None: not found."""
    name = _NAMES.get(type(node).__name__) or node.name
    decorators = getattr(node, "decorator_list", ())
    line = decorators[0].lineno if decorators else node.lineno
    found = [each for each in _codes(outer) if each.co_name == name and each.co_firstlineno == line]
    if len(found) > 1:
        # The first is the outermost: what is in its body comes behind it.
        body = node.elt if hasattr(node, "elt") else node.body
        found = [each for each in found if not isinstance(body, list) and _has_code_in(each, body)]
    return found[0] if found else None


def _codes(outer: CodeType | None) -> Iterator[CodeType]:
    waiting = [] if outer is None else [outer]
    while waiting:
        inside = [each for each in waiting.pop(0).co_consts if type(each) is _CODE]
        yield from inside
        waiting += [each for each in inside if each.co_name in _WITHIN]


def _has_code_in(code: CodeType, node: Any) -> bool:
    """Whether an instruction of its own is of that expression, or of a part of it."""
    start, end = (node.lineno, node.col_offset), (node.end_lineno, node.end_col_offset)
    for line, end_line, column, end_column in code.co_positions():
        if line is None or end_line is None or column is None or end_column is None:
            continue
        if start <= (line, column) and (end_line, end_column) <= end and end_column > 0:
            return True
    return False


def path_of(outer: CodeType, code: CodeType) -> tuple[int, ...] | None:
    """Where the code is among the constants of another: an index a level."""
    if outer is code:
        return ()
    for i, each in enumerate(outer.co_consts):
        rest = path_of(each, code) if type(each) is _CODE else None
        if rest is not None:
            return (i, *rest)
    return None
