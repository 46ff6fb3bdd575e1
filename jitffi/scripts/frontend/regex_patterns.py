"""Which regular expression an expression stands for: patterns of the module, and literals that `re` is called with."""

from __future__ import annotations

import sys

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.context import Context

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

#: Parameters of a pattern's methods behind the pattern, and those of the functions of `re`.
METHODS: Final[dict[str, tuple[str, ...]]] = {
    "search": ("string", "pos", "endpos"),
    "match": ("string", "pos", "endpos"),
    "fullmatch": ("string", "pos", "endpos"),
    "finditer": ("string", "pos", "endpos"),
    "findall": ("string", "pos", "endpos"),
    "sub": ("repl", "string", "count"),
    "split": ("string", "maxsplit"),
}
FUNCTIONS: Final[dict[str, tuple[str, ...]]] = {
    **dict.fromkeys(("search", "match", "fullmatch", "finditer", "findall"), ("string", "flags")),
    "sub": ("repl", "string", "count", "flags"),
    "split": ("string", "maxsplit", "flags"),
}
FINDS = ("search", "match", "fullmatch")
#: What 3.15 calls it: re.match is the same function, and has that name.
_NEWER_NAMES: Final = {"prefixmatch": "match"} if sys.version_info >= (3, 15) else {}


def kind_of(node: Any) -> str:
    return type(node).__name__


def _value(cx: Context, node: Any) -> Any:
    """What a name, or an attribute of a module, stands for; MISSING."""
    if kind_of(node) == "Name" and cx.is_outside(node.id):
        return cx.outside(node.id)
    if kind_of(node) == "Attribute" and kind_of(node.value) == "Name" and cx.is_outside(node.value.id):
        module = cx.outside(node.value.id)
        if type(module).__name__ == "module":
            return getattr(module, node.attr, names.MISSING)
    return names.MISSING


def _made(cx: Context, node: Any, text: str | bytes, flags: int) -> Any:
    import re

    from jitffi.scripts.regex.read import NotNativeError, Pattern

    try:
        re.compile(text, flags)
        made = Pattern(text, flags)
        made.check()
        return made
    except NotNativeError as error:
        cx.has_patterns = True
        try:
            cx.refuse(node, f"{error} is left to re")
        except ScriptError as refused:
            refused.is_of_text = type(text) is str  # type: ignore[attr-defined]
            raise
    except (re.error, ValueError, OverflowError, RecursionError) as error:
        cx.refuse(node, f"{error}: a pattern that re refuses")


def _pattern(cx: Context, node: Any) -> Any:
    """The Pattern that an expression is for sure; None."""
    if kind_of(node) == "Call" and _function(cx, node.func) == "compile":
        bound = _bind(node, ("pattern", "flags"))
        return None if bound is None else _literal_pattern(cx, bound.get("pattern"), bound.get("flags"))
    found = names.pattern_of(_value(cx, node))
    if found is None or kind_of(node) != "Name":
        return None
    cx.constants[node.id] = cx.outside(node.id)
    return _made(cx, node, *found)


def _literal_pattern(cx: Context, node: Any, flags: Any) -> Any:
    if node is None:
        return None
    value: Any = node.value if kind_of(node) == "Constant" else names.MISSING
    if kind_of(node) == "Name" and names.is_constant_name(node.id) and cx.is_outside(node.id):
        value = cx.constants[node.id] = cx.outside(node.id)
    said = 0 if flags is None else _flags(cx, flags)
    if type(value) not in (str, bytes) or said is None:
        return _pattern(cx, node) if flags is None else None
    return _made(cx, node, value, said)


def _flags(cx: Context, node: Any) -> int | None:
    if kind_of(node) == "BinOp" and kind_of(node.op) == "BitOr":
        left, right = _flags(cx, node.left), _flags(cx, node.right)
        return None if left is None or right is None else left | right
    value = node.value if kind_of(node) == "Constant" else _value(cx, node)
    return int(value) if type(value).__name__ in ("int", "RegexFlag") else None


def _function(cx: Context, node: Any) -> str:
    """The name of the function of `re` that an expression is; ""."""
    value = _value(cx, node)
    name = getattr(value, "__name__", "") if callable(value) else ""
    if not name or getattr(value, "__module__", "") != "re":
        return ""
    import re

    return _NEWER_NAMES.get(name, name) if getattr(re, name, None) is value else ""


def _bind(node: Any, parameters: tuple[str, ...]) -> dict[str, Any] | None:
    """Arguments by their parameters; None where they do not fit."""
    if len(node.args) > len(parameters) or any(kind_of(each) == "Starred" for each in node.args):
        return None
    found = dict(zip(parameters, node.args, strict=False))
    for each in node.keywords:
        if each.arg is None or each.arg in found or each.arg not in parameters:
            return None
        found[each.arg] = each.value
    return found


def operation(cx: Context, node: Any) -> tuple[str, Any, dict[str, Any]] | None:
    """A call of a pattern: the method, the pattern and the arguments; None for other expressions."""
    if kind_of(node) != "Call" or not cx.takes_patterns:
        return None
    try:
        found = _operation(cx, node)
    except ScriptError as error:
        # What re puts in the place of matches in a text is a text again.
        if not (cx.foreign and getattr(error, "is_of_text", False) and getattr(node.func, "attr", "") == "sub"):
            raise
        cx.texts.add(node)
        return None
    cx.has_patterns |= found is not None
    return found


def _operation(cx: Context, node: Any) -> tuple[str, Any, dict[str, Any]] | None:
    func = node.func
    method = _NEWER_NAMES.get(name := getattr(func, "attr", ""), name)
    if method in METHODS:
        pattern = _pattern(cx, func.value)
        bound = None if pattern is None else _bind(node, METHODS[method])
        if bound is not None and "string" in bound:
            return method, pattern, bound
    name = _function(cx, func)
    if name not in FUNCTIONS:
        return None
    bound = _bind(node, ("pattern", *FUNCTIONS[name]))
    if bound is None or "string" not in bound or "pattern" not in bound:
        return None
    pattern = _literal_pattern(cx, bound["pattern"], bound.get("flags"))
    return None if pattern is None else (name, pattern, bound)
