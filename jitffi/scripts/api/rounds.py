"""Whether the interpreter may make first calls of a script, and how their rounds are counted.

The loops are bounded by the arguments (bounds.py), or the script may take long whatever it is given. A script that uses
patterns of `re` may, too, and one of what scripts do otherwise than Python has to do it from the first call on.
"""

from __future__ import annotations

import _ast
import sys

from jitffi.base.annotations import annotations_of
from jitffi.scripts.api import dispatch, exact
from jitffi.scripts.api.bounds import SMALL, Bounds
from jitffi.scripts.api.loop_text import Text, refuse_if
from jitffi.scripts.frontend import names, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.api.bounds import Rounds

    #: What the annotation of each parameter asks for (exact.py), and the class of the result, or None; then the text of
    #: the latter.
    Classes = tuple[Any, ...]

#: So many rounds are a short call: some ten milliseconds of the interpreter's, where code takes a hundred to make.
MOST = 250_000

_MODULE = type(_ast)
_UNFIT_NODES = (
    _ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Yield, _ast.YieldFrom, _ast.Await,
    _ast.Import, _ast.ImportFrom,
)  # fmt: skip
#: What is another value in scripts, and what goes through something unseen.
_UNFIT_NAMES = frozenset(("hash", "chr", "frozenset", "map", "filter", "iter", "eval", "exec", "locals"))
#: Methods by which a list or dict gets any number of items more.
_GROWS = ("extend", "update")
#: What is done with a set whatever its order, which is another one in scripts.
_OF_SETS = frozenset(("len", "sorted", "bool", "set"))
_SET_METHODS = frozenset(("add", "discard", "remove", "clear", "issubset", "issuperset", "isdisjoint"))
_MOST_CALLERS = 3


def look_at(function: FunctionType) -> tuple[bytes | None, Classes] | None:
    """How its rounds are counted, packed, None where there are no loops, and the classes of what it takes and gives;
    None where calls may be long whatever is given, or code does not do quite what Python does."""
    try:
        classes = _classes(function)
        found = _Function(function).rounds()
    except Exception:  # annotations and defaults are the user's, and may raise anything: code is made, and says it
        return None
    return (_packed(found) if found else None), classes


def _packed(found: Rounds) -> bytes:
    """As runtime_c/python/package/script_first.c reads it: of each product the number of factors, then those."""
    words: list[int] = []
    for factors in found:
        words.append(len(factors))
        for lengths, numbers, constant in factors:
            words += (lengths, numbers, min(constant, MOST + 1))
    return b"".join([each.to_bytes(8, sys.byteorder, signed=True) for each in words])


# -- annotations ------------------------------------------------------------------------------------------------------


def _classes(function: FunctionType) -> Classes:
    parameters, found = dispatch.parameters(function), exact.of_annotations(function)
    defaults = dict(zip(reversed(parameters), reversed(function.__defaults__ or ()), strict=False))
    defaults.update(function.__kwdefaults__ or {})
    for name, value in defaults.items():
        refuse_if(not _is_small(value) or not exact.allows(found.get(name, type(value)), value))
    result = found.pop("return", None)
    refuse_if(type(result) is tuple and exact.has_floats(result))  # which become floats in native containers
    class_ = result[0] if type(result) is tuple else result
    return (*[found.get(each) for each in parameters], None if type(class_) is list else class_, exact.text(result))


def _is_small(value: object) -> bool:
    kind = type(value)
    if kind is int or kind is float:
        return -SMALL <= value <= SMALL  # type: ignore[operator]
    if kind is str or kind is bytes:
        return len(value) <= SMALL  # type: ignore[arg-type]
    return value is None or kind is bool or (kind is tuple and not value)


# -- the text ---------------------------------------------------------------------------------------------------------


class _Function:
    """A script, or a function that one calls, with its *callers*: that has no loops."""

    def __init__(self, function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> None:
        self._function = function
        self._callers = callers
        self._text = Text(source.of(function).node.body, dispatch.parameters(function))

    def rounds(self) -> Rounds:
        text = self._text
        for node in text.loops:
            _refuse_node(node)
            refuse_if(type(node) is _ast.AnnAssign and not exact.is_indifferent(self._function, node.annotation))
        self._check_sets()
        for name in names.global_names(self._function):
            self._check_outside(names.outside(self._function, name))
        found = Bounds(text, self._constant).rounds()
        refuse_if(self._callers and (found or annotations_of(self._function)))
        return found

    def _constant(self, name: str) -> Any:
        """What a name of the module stands for, that is not to change: it is in capitals, or cannot."""
        value = names.outside(self._function, name)
        refuse_if(not names.is_constant_name(name) and type(value) not in (tuple, str, bytes, frozenset))
        return value

    def _check_outside(self, value: Any) -> None:
        """What a name stands for that is no variable; or a method's name does by chance."""
        python = names.python_function(value)
        if python is not None and python is not value:  # a script, which looks at its own arguments
            refuse_if(value._given.strict or value._given.returns != "python")
        elif python is not None and not names.is_of_library(self._function, python):
            callers = (*self._callers, self._function)
            refuse_if(python in callers or len(callers) > _MOST_CALLERS)
            _Function(python, callers).rounds()
        else:
            module = _module_of(value if python is None else python)
            is_ours = names.jitffi_function(value) is not None or module.partition(".")[0] == "jitffi"
            refuse_if(is_ours or module == "re" or module.startswith("re."))

    def _check_sets(self) -> None:
        """Refuse where a set's order matters."""
        nodes = list(self._text.loops)
        made = [each for each in nodes if _is_set(each)]
        sets = {name for name, values in self._text.values.items() if any(each in made for each in values)}
        used = made + [each for each in nodes if type(each) is _ast.Name and each.id in sets]
        if not used:
            return
        fine = [each for values in self._text.values.values() for each in values if each in made]
        for node in nodes:
            kind = type(node)
            if kind is _ast.Compare:
                fine += node.comparators
            elif kind is _ast.Name and type(node.ctx) is _ast.Store:
                fine.append(node)
            elif kind is _ast.Call and type(node.func) is _ast.Name and node.func.id in _OF_SETS:
                fine += node.args
            elif kind is _ast.Attribute and node.attr in _SET_METHODS:
                fine.append(node.value)
            elif kind in (_ast.If, _ast.While, _ast.IfExp):
                fine.append(node.test)
            elif kind is _ast.Return:
                fine.append(node.value)
        refuse_if(any(each not in fine for each in used))


# -- nodes ------------------------------------------------------------------------------------------------------------


def _refuse_node(node: Any) -> None:
    kind = type(node)
    refuse_if(kind in _UNFIT_NODES)
    if kind is _ast.Constant:
        refuse_if(type(node.value) is str and any("\ud800" <= each <= "\udfff" for each in node.value))
    elif kind is _ast.Name:
        refuse_if(node.id in _UNFIT_NAMES)
    elif kind is _ast.Attribute:
        refuse_if(node.attr in _GROWS)
    elif kind is _ast.Compare:
        refuse_if(_asks_for_identity(node))


def _is_set(node: Any) -> bool:
    return type(node) in (_ast.Set, _ast.SetComp) or (type(node) is _ast.Call and getattr(node.func, "id", "") == "set")


def _asks_for_identity(node: _ast.Compare) -> bool:
    """Whether that is `is`, of other things than None and the like."""
    if not any(type(each) in (_ast.Is, _ast.IsNot) for each in node.ops):
        return False
    return not any(type(each) is _ast.Constant and type(each.value) in (bool, type(None)) for each in node.comparators)


def _module_of(value: Any) -> str:
    """The name of a module, or of the module of a value's class, as far as they say it without the user's code."""
    found: object = vars(value).get("__name__") if type(value) is _MODULE else vars(type(value)).get("__module__")
    if type(value) is type(look_at):
        found = value.__module__
    return found if isinstance(found, str) else ""
