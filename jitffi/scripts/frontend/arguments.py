"""The arguments of builtins and methods, by their rows: how many there are, and by which names."""

from __future__ import annotations

from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.sort_keys import as_lambda, captures, read_key, read_ordered
from jitffi.scripts.library.builtins import MANY, ROWS
from jitffi.scripts.library.methods import OF_MANY_SETS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What stands for an argument that is not given where a later one is.
_BETWEEN = {"encoding": "utf-8"}


def read_builtin(cx: Context, node: Any, name: str) -> tree.Expr:
    """Read the call of a builtin that has a row."""
    row = ROWS[name]
    place = cx.place(node)
    if name == "dict" and node.keywords and not node.args:
        return _dict_of_keywords(cx, node)
    count = len(node.args) + sum(each.arg in row.order for each in node.keywords)
    if not row.least <= count <= row.most:
        cx.refuse(
            node, f"{name}() takes {counted(row.least, row.most)}, and {count} {'is' if count == 1 else 'are'} given"
        )
    for each in node.keywords:
        if each.arg == "key" and getattr(each.value, "id", "") in cx.functions:
            each.value = as_lambda(each.value)
        if each.arg not in row.keywords and each.arg not in row.order:
            cx.refuse(each.value, _no_keyword(name, each.arg, row.names))
        if each.arg == "key" and captures(cx, each.value):
            return read_ordered(cx, node, name, each.value)
    is_alone = len(node.args) == 1 or name not in ("min", "max", "bytes")
    inside = cx.iterable if row.iterates and is_alone else cx.expr
    args: list[tree.Expr | None] = [inside(each) for each in node.args]
    keywords: dict[str, tree.Expr] = {}
    key = None
    for each in node.keywords:
        if each.arg == "key":
            key = read_key(cx, each.value)
        elif each.arg in row.keywords:
            keywords[each.arg] = cx.expr(each.value)
        else:
            at = row.order.index(each.arg)
            if at < len(args) and args[at] is not None:
                cx.refuse(each.value, f"{name}() gets two values for its parameter {each.arg!r}: write one")
            args += [None] * (at + 1 - len(args))
            args[at] = inside(each.value)
    for at, arg in enumerate(args):
        if arg is None and row.order[at] not in _BETWEEN:
            cx.refuse(node, f"{name}() needs an argument for its parameter {row.order[at]!r} here")
    read = [tree.Const(place, _BETWEEN[row.order[at]]) if arg is None else arg for at, arg in enumerate(args)]
    return tree.Builtin(place, name, read, keywords, key=key)


def counted(least: int, most: int) -> str:
    """ "1 argument", "1 to 3 arguments", "1 or more arguments"."""
    if least == most:
        return f"{most or 'no'} argument{'s' * (most != 1)}"
    return f"{least}{f' to {most}' if most < MANY else ' or more'} arguments"


def _no_keyword(name: str, keyword: str, known: list[str]) -> str:
    if not known:
        return f"{name}() of scripts takes no arguments by name: pass it by position"
    return f"{name}() of scripts has no parameter {keyword!r}: it has {', '.join(known)}"


def _dict_of_keywords(cx: Context, node: Any) -> tree.Expr:
    keys: list[tree.Expr | None] = [tree.Const(cx.place(each), each.arg) for each in node.keywords]
    return tree.DictOf(cx.place(node), keys, [cx.expr(each.value) for each in node.keywords])


# -- methods ----------------------------------------------------------------------------------------------------------


def check_method(cx: Context, node: Any, name: str, rows: Any) -> None:
    """ScriptError where the arguments fit no method of that name: a TypeError whatever the value is."""
    given = len(node.args)
    keywords = [each.arg for each in node.keywords]
    if name == "sort":
        if given:
            cx.refuse(node, "sort() takes its arguments by name: write key=... or reverse=True")
        for each in node.keywords:
            if each.arg not in ("key", "reverse"):
                cx.refuse(each.value, _no_keyword("sort", each.arg, ["key", "reverse"]))
        return
    if name in OF_MANY_SETS and not keywords:
        return
    for row in rows:
        names = [each.name for each in row.params]
        if keywords and not (row.keywords and set(keywords) <= set(names[given:])):
            continue
        needed = [each.name for each in row.params if not each.default]
        if given <= len(names) and all(each in names[:given] or each in keywords for each in needed):
            return
    if keywords and any(row.keywords for row in rows):
        known = next([each.name for each in row.params] for row in rows if row.keywords)
        wrong = [each for each in node.keywords if each.arg not in known]
        if wrong:
            cx.refuse(wrong[0].value, _no_keyword(name, wrong[0].arg, known))
    elif keywords:
        cx.refuse(node.keywords[0].value, _no_keyword(name, keywords[0], []))
    least = min(row.required for row in rows)
    most = max(len(row.params) for row in rows)
    count = given + len(keywords)
    cx.refuse(node, f"{name}() takes {counted(least, most)}, and {count} {'is' if count == 1 else 'are'} given")
