"""The names of callbacks' parameters, which clang's types do not have, from the header's text.

They say which `const char *` has its length behind it, and so is no text that ends with a NUL.
"""

from __future__ import annotations

import re

from jitffi.bind.cxx.spelling import HOLE, OWN_NAME, declared

_POINTER = re.compile(r"\(\s*[\w\s]*\**[\w\s]*\)\s*\(")  # (*name)( or (CALL *)( or CALLBACK(name)(
_FUNCTION = re.compile(r"\w\s*\(")
_NAME = re.compile(r"[\s*&]([^\W\d]\w*)\s*(?:\[[^\]]*\]\s*)*\Z")
_TYPES = frozenset(("int", "char", "short", "long", "unsigned", "signed", "float", "double", "bool", "void", "const"))


def with_names(type_: str, source: str) -> str:
    """Return the type of a function or of a pointer to one, with a hole, with the names that *source* has for its
    parameters, marked as such.

    >>> with_names("int (*@)(const char *, int (*)(int))", "typedef int (*visit)(const char *text, int (*f)(int));")
    'int (*@)(const char * #text, int (*#f)(int))'
    >>> with_names("int (*@)(const char *, unsigned int)", "using visit = int (*)(const char *, unsigned int);")
    'int (*@)(const char *, unsigned int)'
    """
    hole = f"{HOLE})(" if f"{HOLE})(" in type_ else f"{HOLE}("
    begin, said = type_.find(hole), (_FUNCTION if hole == f"{HOLE}(" else _POINTER).search(source)
    if begin < 0 or said is None:
        return type_
    begin += len(hole)
    types, end = _list(type_, begin)
    sources, _ = _list(source, said.end())
    if len(types) != len(sources):
        return type_
    pairs = zip(types, sources, strict=True)
    return f"{type_[:begin]}{', '.join([_named(each, text) for each, text in pairs])}{type_[end:]}"


def _named(type_: str, source: str) -> str:
    """The type of a parameter with its name, if it has one."""
    pointer = re.search(r"\(\s*[\w\s]*\*\s*(\w+)\s*\)\s*\(", source)
    found = pointer or _NAME.search(source)
    if type_ in ("void", "...") or found is None or found[1] in _TYPES or type_.endswith(found[1]):
        return type_
    return declared(type_).replace(HOLE, OWN_NAME + found[1])


def _list(text: str, begin: int) -> tuple[list[str], int]:
    """The parameters of a list whose parenthesis opens before *begin*, and where it closes."""
    items, depth, last = [], 1, begin
    for i in range(begin, len(text)):
        depth += (text[i] in "([{<") - (text[i] in ")]}>")
        if depth == 0 or (depth == 1 and text[i] == ","):
            items.append(text[last:i].strip())
            last = i + 1
        if depth == 0:
            return items, i
    return [], begin
