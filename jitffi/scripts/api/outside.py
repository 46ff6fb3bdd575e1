"""What the names outside of a script stand for, where a call of it changes nothing there, and whether they still do.

    "new", "giving"            a function that changes nothing; what the former gives is never what it was given
    "keeping"                  one that changes or keeps what it is given
    "error"                    a class of exceptions
    "constant"                 something immutable, or a container of such that is not to change
    a module                   of the library, of which some names are used
    whatever `helper` gives    another function of the user's

Each is looked at again before a call that may be given up.
"""

from __future__ import annotations

import _ast

from jitffi.scripts.api import linear
from jitffi.scripts.api.loop_text import refuse_if
from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import CodeType, FunctionType
    from typing import Any

_NEW = frozenset(
    (
        "len", "sorted", "list", "set", "dict", "str", "int", "float", "bool", "bytes", "repr", "range", "enumerate",
        "zip", "reversed", "any", "all", "abs", "round", "ord", "isinstance", "iter", "divmod", "pow", "bin", "hex",
        "oct", "ascii", "format", "callable", "type", "map", "filter",
    )
)  # fmt: skip
_GIVING = frozenset(("min", "max", "sum", "next", "tuple", "object", "issubclass", "frozenset"))
_COLLECTIONS = ("Counter", "defaultdict", "deque", "OrderedDict")
#: Modules whose functions change nothing, and those that change or keep what they are given.
_MODULES, _KEEPING = ("math", "cmath", "string", "unicodedata"), ("heapq", "bisect", "itertools", "operator")
#: Functions of `re` that a call may end in.
_OF_RE = ("match", "prefixmatch", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
_IMMUTABLE = (type(None), bool, int, float, complex, str, bytes)
_FUNCTIONS = (type(len), type(names.outside))
_CLASS_PARTS = frozenset(
    ("__module__", "__doc__", "__qualname__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__")
)


class Outside:
    """What one function sees, and those that it calls. *helper* looks at one of the user's."""

    def __init__(self, function: FunctionType, helper: Callable[[FunctionType], Any]) -> None:
        self._function = function
        self._helper = helper
        #: Code of the library that a call may end in: what that fills is the call's own.
        self.codes: list[CodeType] = []
        self._seen: list[tuple[FunctionType, str, Any]] = []
        self._attributes: list[tuple[Any, str, Any]] = []

    def is_as_seen(self) -> bool:
        for function, name, value in self._seen:
            if names.outside(function, name) is not value or (_is_container(value) and not is_flat(value)):
                return False
        return all(getattr(module, name, names.MISSING) is value for module, name, value in self._attributes)

    def meaning(self, name: str) -> Any:
        value = names.outside(self._function, name)
        self._seen.append((self._function, name, value))
        builtin, python = names.builtin_name(value), names.python_function(value)
        if builtin in _NEW or builtin in _GIVING:
            return "new" if builtin in _NEW else "giving"
        if python is not None and not names.is_of_library(self._function, python):
            return self._helper(python)
        if type(value) is type(_ast):
            refuse_if(value.__name__ not in (*_MODULES, *_KEEPING, "collections", "re"))
            return value
        if isinstance(value, type) and issubclass(value, Exception):
            refuse_if(not _is_plain(value))
            return "error"
        if callable(value):
            return self._of_library(value)
        pattern = names.pattern_of(value)
        if pattern is not None:
            refuse_if(not linear.is_linear(*pattern))
            return "constant"
        refuse_if(not names.is_constant_name(name) and type(value) not in (*_IMMUTABLE, tuple))
        refuse_if(not is_flat(value))
        return "constant"

    def attribute(self, module: Any, name: str) -> Any:
        """The same of an attribute of a module."""
        value: Any = getattr(module, name, names.MISSING)
        self._attributes.append((module, name, value))
        if module.__name__ == "re":
            refuse_if(name not in (*_OF_RE, "compile", "escape"))
            self.codes += [value.__code__] if name in _OF_RE else []
            return "re" if name != "escape" else "giving"
        if type(value) in _IMMUTABLE:
            return "constant"
        refuse_if(name.startswith("_") or not callable(value))
        return self._of_library(value)

    def is_changing(self, name: str) -> bool:
        """Whether that is a container."""
        return _is_container(names.outside(self._function, name))

    def _of_library(self, value: Any) -> str:
        """A function, or a class that is one of collections or iterators."""
        module = str(getattr(value, "__module__", "")).lstrip("_")
        if isinstance(value, type) and module == "collections":
            refuse_if(value.__name__ not in _COLLECTIONS)
            self.codes += [each.__code__ for each in vars(value).values() if type(each) in _FUNCTIONS[1:]]
            return "new"
        refuse_if(module not in (*_MODULES, *_KEEPING))
        refuse_if(type(value) not in _FUNCTIONS and module not in ("itertools", "operator"))
        return "keeping" if module in _KEEPING else "giving"


def is_immutable(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(is_immutable, value))
    return type(value) in _IMMUTABLE


def is_flat(value: Any) -> bool:
    """Whether nothing in it can be changed."""
    if type(value) is dict:
        return all(map(is_immutable, (*value.keys(), *value.values())))
    return all(map(is_immutable, value)) if _is_container(value) else is_immutable(value)


def _is_container(value: Any) -> bool:
    return type(value) in (list, dict, set)


def _is_plain(error: type) -> bool:
    """Whether a class of exceptions does nothing of its own when one is made."""
    own = [each for each in error.__mro__ if each.__module__ != "builtins"]
    return type(error) is type and all(_CLASS_PARTS.issuperset(vars(each)) for each in own)
