"""Tables of `text.translate(table)` that are known when a function is read: dicts and calls of maketrans of nothing but
constants, written there, kept in a variable of which nothing else is asked, or a constant of the module."""

from __future__ import annotations

from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Context

#: The characters that a table has words for in its beginning, and the mark of a text (text_translate.c).
_FIRST: Final = 128
_TEXT_AT: Final = 1 << 31
_STAYS_NARROW: Final = 1 << 31
_SHRINKS: Final = 1 << 30


def of_call(cx: Context, node: Any) -> tuple[int, ...] | bytes | None:
    """The table of a call of translate, as native code has it; None for others."""
    func = node.func
    if getattr(func, "attr", "") != "translate" or len(node.args) != 1 or node.keywords:
        return None
    found = _table(cx, node.args[0])
    if isinstance(found, bytes):
        return found if len(found) == 256 else None
    return _words(found) if found is not None and names.is_table(found) else None


def _table(cx: Context, node: Any) -> dict[Any, Any] | bytes | None:
    kind = type(node).__name__
    if kind == "Name" and cx.scope.find(node.id) is not None:
        value = _assigned(cx, node.id)
        return None if value is None else _written(cx, value)
    if kind == "Name":
        value = _constant(cx, node.id)
        return value if type(value) is bytes or names.is_table(value) else None
    return _written(cx, node)


def _constant(cx: Context, name: str) -> Any:
    """A constant of the module, which is built in; MISSING of others."""
    if not names.is_constant_name(name) or not cx.is_outside(name) or name in cx.globals:
        return names.MISSING
    value = cx.outside(name)
    if type(value) in (str, bytes, int) or names.is_table(value):
        cx.constants[name] = value
    return value


def _assigned(cx: Context, name: str) -> Any:
    """What a variable is given, once, that is only ever the table of calls; None of others."""
    import ast

    found, uses = [], 0
    for each in ast.walk(cx.source.node):
        if isinstance(each, ast.Name) and each.id == name:
            uses += 1
        elif isinstance(each, ast.arg) and each.arg == name:
            return None
        if isinstance(each, ast.Assign) and [getattr(target, "id", "") for target in each.targets] == [name]:
            found.append(each.value)
            uses -= 1
        elif isinstance(each, ast.Call) and getattr(each.func, "attr", "") == "translate" and len(each.args) == 1:
            uses -= isinstance(each.args[0], ast.Name) and each.args[0].id == name
    return found[0] if len(found) == 1 and not uses else None


def _written(cx: Context, node: Any) -> dict[Any, Any] | bytes | None:
    kind = type(node).__name__
    if kind == "Dict":
        keys = [_plain(cx, each) for each in node.keys]
        values = [_plain(cx, each) for each in node.values]
        return None if names.MISSING in (*keys, *values) else dict(zip(keys, values, strict=True))
    if kind != "Call" or node.keywords or getattr(node.func, "attr", "") != "maketrans":
        return None
    name = getattr(node.func.value, "id", "")
    owner = names.builtin_name(cx.outside(name)) if name and cx.is_outside(name) else ""
    if owner not in ("str", "bytes"):
        return None
    args = [_written(cx, each) if type(each).__name__ == "Dict" else _plain(cx, each) for each in node.args]
    if names.MISSING in args or None in args:
        return None
    make: Any = str.maketrans if owner == "str" else bytes.maketrans
    try:
        found: dict[Any, Any] | bytes = make(*args)
        return found
    except (TypeError, ValueError):
        return None  # which Python says


def _plain(cx: Context, node: Any) -> Any:
    """The constant that an expression is; MISSING of others."""
    kind = type(node).__name__
    if kind == "Constant" and names.is_constant(node.value):
        return node.value
    if kind == "Call" and getattr(node.func, "id", "") == "ord" and cx.is_outside("ord") and len(node.args) == 1:
        value = _plain(cx, node.args[0])
        is_ord = names.builtin_name(cx.outside("ord")) == "ord" and not node.keywords
        return ord(value) if is_ord and type(value) is str and len(value) == 1 else names.MISSING
    value = _constant(cx, node.id) if kind == "Name" else names.MISSING
    return value if type(value) in (str, bytes, int) else names.MISSING


def _words(table: dict[Any, Any]) -> tuple[int, ...] | None:
    """As text_translate.c has it; None where there is something in it that is an error, or no text of scripts."""
    found, texts = {}, {}
    for key, value in table.items():
        if type(key) is not int or not 0 <= key < 0x110000:
            continue  # nothing asks for it
        text = "" if value is None else chr(value) if type(value) is int and 0 <= value < 0x110000 else value
        if type(text) is not str or any("\ud800" <= each <= "\udfff" for each in text):
            return None
        texts[key] = text
    others = sorted(each for each in texts if each >= _FIRST)
    words = [*range(_FIRST), len(others), *[part for each in others for part in (each, 0)]]
    places = {each: _FIRST + 2 + 2 * i for i, each in enumerate(others)}
    for key, text in texts.items():
        at = places.get(key, key)
        if len(text) == 1:
            words[at] = ord(text)
            continue
        if text not in found:
            found[text] = len(words) | _TEXT_AT
            words += [len(text), *map(ord, text)]
        words[at] = found[text]
    first = [texts.get(each, "a") for each in range(_FIRST)]
    if all(each.isascii() and len(each) < 2 for each in first):
        words[_FIRST] |= _STAYS_NARROW | (_SHRINKS if "" in first else 0)
    return tuple(words)
