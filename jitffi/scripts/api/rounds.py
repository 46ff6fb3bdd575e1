"""Whether the interpreter may make first calls of a script, and how their rounds are counted.

    do scripts and Python do the same in it? --no--> code, from the first call on
    are its loops bounded by the arguments?  --yes-> the rounds are counted (bounds.py), and few are a short call
    does it change only what is its own?     --yes-> a call that goes on for long is given up, and code makes it again
                                                     (repeats.py, runtime_c/python/package/script_long.c)

One that does neither may take long whatever it is given.
"""

from __future__ import annotations

import _ast
import sys

from jitffi.scripts.api import dispatch
from jitffi.scripts.api.bounds import SMALL, Bounds
from jitffi.scripts.api.loop_text import Text, UnfitError, refuse_if
from jitffi.scripts.frontend import names, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.api.bounds import Rounds

#: So many rounds are a short call: some ten milliseconds of the interpreter's, where code takes a hundred to make.
MOST = 250_000
#: Of a script whose loops nothing bounds.
_BEYOND: Rounds = [((0, 0, MOST + 1),)]

_MODULE = type(_ast)
_UNFIT_NODES = (
    _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Yield, _ast.YieldFrom, _ast.Await, _ast.Import, _ast.ImportFrom,
)  # fmt: skip
#: What is another value in scripts.
_UNFIT_NAMES = frozenset(("hash", "chr", "frozenset", "eval", "exec", "locals"))
#: What goes through something unseen, and methods by which a list or dict gets any number of items more.
_UNSEEN, _GROWS = ("map", "filter", "iter"), ("extend", "update")
#: What is done with a set whatever its order, which is another one in scripts.
_OF_SETS = frozenset(("len", "sorted", "bool", "set"))
_SET_METHODS = frozenset(("add", "discard", "remove", "clear", "issubset", "issuperset", "isdisjoint"))
_MOST_CALLERS = 3


class Found:
    """What is found of a script: how its rounds are counted, packed, None where there are no loops."""

    def __init__(self, function: FunctionType) -> None:
        _check_defaults(function)
        text = _Function(function)
        text.check()
        try:
            rounds = text.rounds()
        except UnfitError:
            rounds = _BEYOND
        self.rounds = _packed(rounds) if rounds else None


def look_at(function: FunctionType) -> Found | None:
    """None where code does not do quite what Python does. Not where a handler may run, whose errors would be lost."""
    try:
        return Found(function)
    except Exception:  # annotations and defaults are the user's, and may raise anything: code is made, and says it
        return None


def _packed(found: Rounds) -> bytes:
    """As runtime_c/python/package/script_first.c reads it: of each product the number of factors, then those."""
    words: list[int] = []
    for factors in found:
        words.append(len(factors))
        for lengths, numbers, constant in factors:
            words += (lengths, numbers, min(constant, MOST + 1))
    return b"".join([each.to_bytes(8, sys.byteorder, signed=True) for each in words])


# -- defaults and annotations -----------------------------------------------------------------------------------------


def _check_defaults(function: FunctionType) -> None:
    for value in (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()):
        refuse_if(not _is_small(value))


def _is_small(value: object) -> bool:
    kind = type(value)
    if kind is int or kind is float:
        return -SMALL <= value <= SMALL  # type: ignore[operator]
    if kind is str or kind is bytes:
        return len(value) <= SMALL  # type: ignore[arg-type]
    return value is None or kind is bool or (kind is tuple and not value)


def _promises(function: FunctionType, annotation: Any) -> bool:
    """Whether a variable's annotation is a type of ours, which is checked."""
    whole = annotation
    while type(annotation) is _ast.Subscript:
        annotation = annotation.value
    attributes: list[str] = []
    while type(annotation) is _ast.Attribute:
        attributes.insert(0, annotation.attr)
        annotation = annotation.value
    text = annotation.id if type(annotation) is _ast.Name else getattr(annotation, "value", None)
    if not isinstance(text, str):
        return False
    text = ".".join((text, *attributes))
    if annotation is not whole and dispatch.is_wrapper(function, text):
        import ast

        text = ast.unparse(whole)
    return dispatch.is_ours(function, text)


# -- the text ---------------------------------------------------------------------------------------------------------


class _Function:
    """A script, or a function that one calls, with its *callers*."""

    def __init__(self, function: FunctionType, callers: tuple[FunctionType, ...] = ()) -> None:
        self._function = function
        self._callers = callers
        self._called: list[_Function] = []
        self._has_patterns = False
        self._text = Text(source.of(function).node.body, dispatch.parameters(function))

    def check(self) -> None:
        """Refuse where code does not do what Python does."""
        for node in self._text.loops:
            _refuse_node(node)
            refuse_if(type(node) is _ast.AnnAssign and _promises(self._function, node.annotation))
        refuse_if(dispatch.promises_any(self._function))
        self._check_sets()
        for name in names.global_names(self._function):
            self._check_outside(names.outside(self._function, name))

    def rounds(self) -> Rounds:
        """What it calls has no loops, and does not call itself; patterns of `re` go through text unseen."""
        refuse_if(self._has_patterns)
        for node in self._text.loops:
            kind = type(node)
            refuse_if(kind is _ast.FunctionDef or (kind is _ast.Attribute and node.attr in _GROWS))
            refuse_if(kind is _ast.Name and node.id in _UNSEEN)
        for each in self._called:
            refuse_if(each._function in each._callers or each.rounds())
        return Bounds(self._text, self._constant).rounds()

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
            refuse_if(len(self._callers) > _MOST_CALLERS)
            called = _Function(python, (*self._callers, self._function))
            self._called.append(called)
            if python not in called._callers:
                called.check()
        else:
            module = _module_of(value if python is None else python)
            is_ours = names.jitffi_function(value) is not None or module.partition(".")[0] == "jitffi"
            refuse_if(is_ours)
            self._has_patterns |= module == "re" or module.startswith("re.")

    def _check_sets(self) -> None:
        """Refuse where a set's order matters."""
        nodes = list(self._text.loops)
        made = [each for each in nodes if _is_set(each)]
        sets = {name for name, values in self._text.values.items() if any(each in made for each in values)}
        used = made + [each for each in nodes if type(each) is _ast.Name and each.id in sets]
        is_result = not self._callers and all(type(each) is not _ast.FunctionDef for each in nodes)
        called = {each.func for each in nodes if type(each) is _ast.Call}
        refuse_if(any(getattr(each, "id", "") == "set" and each not in called for each in nodes))  # it makes more
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
            elif kind is _ast.Return and is_result:
                fine.append(node.value)
        refuse_if(any(each not in fine for each in used))


# -- nodes ------------------------------------------------------------------------------------------------------------


def _refuse_node(node: Any) -> None:
    kind = type(node)
    refuse_if(kind in _UNFIT_NODES)
    refuse_if(getattr(node, "annotation", None) is not None and kind is _ast.arg)
    refuse_if(kind is _ast.FunctionDef and (node.returns or node.decorator_list))
    if kind is _ast.Constant:
        refuse_if(type(node.value) is str and any("\ud800" <= each <= "\udfff" for each in node.value))
    elif kind is _ast.Name:
        refuse_if(node.id in _UNFIT_NAMES)
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
