"""Names of exceptions that are only asked for their text.

    except ValueError as error:                    no object of Python's is made of the error: its
        problems.append(f"line {n}: {error}")      message is the text

So it is where each use of the name in the clause is `str(error)`, a field of an f-string, or an argument of
`print` among names and constants: print asks for texts when all of its arguments are there.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Context

#: What has variables of its own, which Python's cells may hold.
_SCOPES: Final = frozenset(
    ("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef", "ListComp", "SetComp", "DictComp", "GeneratorExp")
)
#: Nodes whose texts are no variables.
_WORDS: Final = frozenset(("Constant", "Attribute", "keyword"))
#: What runs no code as an argument.
_PLAIN: Final = frozenset(("Name", "Constant"))
_NO_CONVERSIONS: Final = (-1, ord("s"))


def is_only_told(cx: Context, clause: Any) -> bool:
    """Whether no more is asked of the exception that *clause*, an ExceptHandler with a name, has caught."""
    tells = [each for each in (str, print) if _is_outside(cx, each.__name__, each)]
    return _is_fine(clause.body, clause.name, frozenset(each.__name__ for each in tells))


def _is_outside(cx: Context, name: str, value: Any) -> bool:
    return cx.scope.find(name) is None and cx.is_outside(name) and cx.outside(name) is value


def _is_fine(node: Any, name: str, tells: frozenset[str]) -> bool:
    """*tells*: the functions that ask for the text, by their names."""
    if isinstance(node, list):
        return all(_is_fine(each, name, tells) for each in node)
    kind = type(node).__name__
    if not hasattr(node, "_fields"):
        return True
    if kind in _SCOPES:
        return not _names(node, name)
    if kind == "Try":  # a clause in it handles another exception
        inner = not _names([node.handlers, node.finalbody], name)
        return inner and _is_fine([node.body, node.orelse], name, tells)
    if kind == "FormattedValue" and node.conversion in _NO_CONVERSIONS and node.format_spec is None:
        if getattr(node.value, "id", "") == name:
            if node.conversion == _NO_CONVERSIONS[0]:
                node.value.is_formatted = True  # as the reader of names is to know
            return True
    elif kind == "Call" and getattr(node.func, "id", "") in tells and _asks(node):
        others = [each for each in node.args if getattr(each, "id", "") != name]
        return _is_fine([others, node.keywords], name, tells)
    return not _says(node, kind, name) and _is_fine([getattr(node, each, None) for each in node._fields], name, tells)


def _asks(call: Any) -> bool:
    if call.func.id != "print":
        return len(call.args) == 1
    return all(type(each).__name__ in _PLAIN for each in (*call.args, *[each.value for each in call.keywords]))


def _says(node: Any, kind: str, name: str) -> bool:
    return kind not in _WORDS and any(getattr(node, each, None) == name for each in node._fields)


def _names(node: Any, name: str) -> bool:
    """Whether the name stands anywhere in it."""
    if isinstance(node, list):
        return any(_names(each, name) for each in node)
    if not hasattr(node, "_fields"):
        return False
    parts = [getattr(node, each, None) for each in node._fields]
    return _says(node, type(node).__name__, name) or _names(parts, name)
