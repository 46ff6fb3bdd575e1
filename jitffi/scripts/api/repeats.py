"""Whether a call that goes on for long can be given up and made again, by code: what it changes, it has made itself.

    found = []              its own
    found.append(word)      changes its own, and keeps what `word` is
    other = counts          an argument by another name
    other[word] = 1         changes an argument
    print(word)             who knows what else: refused

A parameter that is changed or kept may be no container then, but text or a number, which nobody can change; other
arguments may be containers of such. So whatever there is in a container is either immutable, or the call's own. As
arguments are Python's own (runtime_c/python/package/script_first.c), the name of a method tells what it does.
"""

from __future__ import annotations

import _ast

from jitffi.scripts.api import dispatch
from jitffi.scripts.api.loop_text import UnfitError, all_below, refuse_if
from jitffi.scripts.api.scopes import Scopes
from jitffi.scripts.frontend import names, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FunctionType
    from typing import Any

_MOST_PARAMETERS = 62
#: Bit of a container of the module's, which may be anything next time.
_OUTSIDE = 1 << 62
_UNFIT = (
    _ast.AsyncFunctionDef, _ast.AsyncFor, _ast.AsyncWith, _ast.With, _ast.ClassDef, _ast.Global, _ast.Import,
    _ast.ImportFrom, _ast.Yield, _ast.YieldFrom, _ast.Await,
)  # fmt: skip
#: Functions that change nothing: what those of the first line give is new, or an item, and never an argument itself.
_NEW = frozenset(
    (
        "len", "sorted", "list", "set", "dict", "str", "int", "float", "bool", "bytes", "repr", "range", "enumerate",
        "zip", "reversed", "any", "all", "abs", "round", "ord", "isinstance", "iter", "divmod", "pow", "bin", "hex",
        "oct", "ascii", "format", "callable", "slice", "type", "map", "filter",
    )
)  # fmt: skip
_GIVING = frozenset(("min", "max", "sum", "next", "tuple", "object", "issubclass", "frozenset"))
_COLLECTIONS = ("Counter", "defaultdict", "deque", "OrderedDict")
#: Modules whose functions change nothing, and those that change or keep what they are given.
_MODULES, _KEEPING = ("math", "cmath", "string", "unicodedata", "re"), ("heapq", "bisect", "itertools", "operator")
_READING = frozenset(
    (
        *[each for each in dir(str) if each[0] != "_"], *[each for each in dir(bytes) if each[0] != "_"],
        "get", "keys", "values", "items", "copy", "most_common", "elements", "total", "union", "intersection",
        "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "bit_length", "bit_count",
        "is_integer", "real", "imag", "conjugate", "hex", "args", "match", "fullmatch", "search", "findall", "finditer",
        "sub", "subn", "group", "groups", "groupdict", "start", "end", "span", "expand", "string", "pattern",
    )
)  # fmt: skip
#: Functions of `re` that a call may end in.
_OF_RE = ("match", "fullmatch", "search", "findall", "finditer", "sub", "subn", "split")
#: What only numbers can.
_OF_NUMBERS = (_ast.FloorDiv, _ast.Mod, _ast.Div, _ast.Pow, _ast.LShift, _ast.RShift)
_IMMUTABLE = (type(None), bool, int, float, complex, str, bytes)
_CODE = type((lambda: None).__code__)
_CLASS_PARTS = frozenset(
    ("__module__", "__doc__", "__qualname__", "__dict__", "__weakref__", "__firstlineno__", "__static_attributes__")
)


def look_at(function: FunctionType) -> tuple[int, tuple[CodeType, ...]] | None:
    """A bit for each parameter that is changed or kept, and all code that a call runs; None where it does anything else
    that outlives it."""
    try:
        found = _Function(function, {})
    except UnfitError:
        return None
    return found.kept, tuple(found.codes)


class _Function:
    """*known*: those that were looked at before, by their Python functions."""

    def __init__(self, function: FunctionType, known: dict[Any, _Function]) -> None:
        self._function = function
        self._known = known
        known[function] = self
        parameters = dispatch.parameters(function)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        refuse_if(len(parameters) > _MOST_PARAMETERS or not all(map(_is_immutable, defaults)))
        refuse_if(function.__code__.co_flags & (dispatch.VARARGS | dispatch.VARKEYWORDS))
        #: A bit for each parameter that is changed or kept; while it is looked at, of all: it may call itself.
        self.kept = (1 << len(parameters)) - 1
        self.codes = [function.__code__]
        for code in self.codes:
            self.codes += [each for each in code.co_consts if type(each) is _CODE]
        #: Which parameters a variable may be.
        self._origins = {name: 1 << i for i, name in enumerate(parameters)}
        body = source.of(function).node.body
        self._nodes = [each for node in body for each in all_below(node)]
        for node in self._nodes:
            self._refuse_node(node)
        scopes = Scopes(body, parameters)
        refuse_if(scopes.bound & scopes.outside)  # a name that is two things
        self._outside = {name: self._meaning(name) for name in scopes.outside}
        self._trace()
        kept = 0
        for node in self._nodes:
            kept |= self._kept_by(node)
        refuse_if(kept & _OUTSIDE)
        self.kept = kept

    # -- names --------------------------------------------------------------------------------------------------------

    def _refuse_node(self, node: Any) -> None:
        kind = type(node)
        refuse_if(kind in _UNFIT or (kind is _ast.Try and node.finalbody) or kind.__name__ == "TryStar")
        refuse_if(kind is _ast.Nonlocal and any(each in self._function.__code__.co_freevars for each in node.names))

    def _meaning(self, name: str) -> Any:
        """What a name of the module is. Functions are "new" and "giving", "keeping" ones and modules keep or change
        what they are given, and "error" is a class."""
        value = names.outside(self._function, name)
        builtin = names.builtin_name(value)
        if builtin in _NEW or builtin in _GIVING:
            return "new" if builtin in _NEW else "giving"
        if names.pattern_of(value) is not None:
            return "constant"
        if type(value) is type(_ast):
            if value.__name__ == "collections":
                for each in _COLLECTIONS:
                    self._let_end_in(getattr(value, each))
                return "collections"
            if value.__name__ == "re":
                self.codes += [getattr(value, each).__code__ for each in _OF_RE]
            return _of_module(value.__name__)
        python, module = names.python_function(value), getattr(value, "__module__", None)
        if python is not None and not names.is_of_library(self._function, python):
            known = self._known.get(python) or _Function(python, self._known)
            self.codes += known.codes
            return known
        if isinstance(value, type) and issubclass(value, Exception):
            refuse_if(not _is_plain(value))
            return "error"
        if isinstance(value, type) and module == "collections":
            refuse_if(value.__name__ not in _COLLECTIONS)
            self._let_end_in(value)
            return "new"
        if callable(value) and type(module) is str:
            return "giving" if _of_module(module.lstrip("_")) == "module" else "keeping"
        refuse_if(not names.is_constant_name(name) and type(value) not in (*_IMMUTABLE, tuple))
        refuse_if(not _is_flat(value))
        return "constant"

    def _let_end_in(self, collection: type) -> None:
        """They have methods that are Python's, and what those fill is the call's own."""
        self.codes += [each.__code__ for each in vars(collection).values() if type(each) is type(look_at)]

    def _called(self, func: Any) -> Any:
        """What is called, where it is outside."""
        if type(func) is not _ast.Attribute:
            return self._outside.get(getattr(func, "id", ""))
        module = self._outside.get(getattr(func.value, "id", ""))
        return "new" if module == "collections" else module if module in ("module", "keeping") else None

    # -- what variables may be ----------------------------------------------------------------------------------------

    def _trace(self) -> None:
        """Until nothing is new: variables are set from others."""
        pairs = [pair for node in self._nodes for pair in _set_by(node)]
        before = None
        while before != self._origins:
            before = dict(self._origins)
            for name, value in pairs:
                self._origins[name] = self._origins.get(name, 0) | self._of(value)

    def _of(self, node: Any) -> int:
        """Which parameters the value of an expression may be."""
        kind = type(node)
        if kind is _ast.Name:
            return self._origins.get(node.id, 0) | (_OUTSIDE if self._is_changing(node) else 0)
        if kind is _ast.IfExp:
            return self._of(node.body) | self._of(node.orelse)
        if kind is _ast.NamedExpr:
            return self._of(node.value)
        if kind is _ast.Call and self._called(node.func) != "new":
            return self._all((*node.args, *[each.value for each in node.keywords]))
        return self._all(node.values) if kind is _ast.BoolOp else 0

    def _all(self, nodes: Any) -> int:
        found = 0
        for each in nodes:
            found |= self._of(each)
        return found

    def _is_changing(self, node: _ast.Name) -> bool:
        """Whether that is a container of the module's."""
        if self._outside.get(node.id) != "constant":
            return False
        return type(names.outside(self._function, node.id)) in (list, dict, set)

    # -- what is changed, or kept -------------------------------------------------------------------------------------

    def _kept_by(self, node: Any) -> int:
        kind = type(node)
        if kind is _ast.Call:
            return self._kept_by_call(node)
        if kind is _ast.Attribute:
            return self._changed_by(node)
        if kind is _ast.Subscript:
            return 0 if type(node.ctx) is _ast.Load else self._base(node.value)
        if kind is _ast.Assign or kind is _ast.AnnAssign:
            targets = node.targets if kind is _ast.Assign else [node.target]
            return 0 if all(type(each) is _ast.Name for each in targets) else self._of(node.value)
        if kind is _ast.AugAssign:
            return self._kept_by_aug_assign(node)
        if kind in (_ast.List, _ast.Tuple, _ast.Set):
            return 0 if type(getattr(node, "ctx", None)) is _ast.Store else self._all(node.elts)
        if kind is _ast.Dict:
            return self._all((*node.keys, *node.values))
        if kind in (_ast.ListComp, _ast.SetComp, _ast.GeneratorExp):
            return self._of(node.elt)
        if kind is _ast.DictComp:
            return self._of(node.key) | self._of(node.value)
        if kind is _ast.Lambda:
            return self._of(node.body) | self._all((*node.args.defaults, *node.args.kw_defaults))
        if kind is _ast.FunctionDef:
            return self._kept_by_inner(node)
        if kind is _ast.ExceptHandler:
            caught = node.type.elts if type(node.type) is _ast.Tuple else [node.type]
            refuse_if(any(self._outside.get(getattr(each, "id", "")) != "error" for each in caught))
        refuse_if(kind is _ast.Return and self._of(node.value) & _OUTSIDE)  # whoever calls it might change that
        return 0

    def _kept_by_inner(self, node: _ast.FunctionDef) -> int:
        refuse_if(node.decorator_list)
        results = [each.value for one in node.body for each in all_below(one) if type(each) is _ast.Return]
        return self._all((*results, *node.args.defaults, *node.args.kw_defaults))

    def _kept_by_aug_assign(self, node: _ast.AugAssign) -> int:
        """`x += y` changes a list, and keeps nothing of y but its items; an item of something keeps y itself."""
        if type(node.target) is not _ast.Name:
            return self._of(node.value)
        is_int = type(node.value) is _ast.Constant and type(node.value.value) in (int, float)
        if type(node.op) in _OF_NUMBERS or (is_int and type(node.op) in (_ast.Add, _ast.Sub)):
            return 0
        return self._origins.get(node.target.id, 0)

    def _kept_by_call(self, node: _ast.Call) -> int:
        func, by_name = node.func, self._all([each.value for each in node.keywords])
        every = by_name | self._all(node.args)
        called = self._called(func)
        if called in ("new", "giving", "module"):
            return by_name
        if type(func) is _ast.Attribute and called is None:
            return 0 if func.attr in _READING else every
        if not isinstance(called, _Function) or any(type(each) is _ast.Starred for each in node.args):
            return every
        found = by_name
        for i, each in enumerate(node.args):
            found |= self._of(each) if called.kept >> i & 1 else 0
        return found

    def _changed_by(self, node: _ast.Attribute) -> int:
        """By a method that is called, or may be."""
        outside, is_read = self._outside.get(getattr(node.value, "id", "")), type(node.ctx) is _ast.Load
        refuse_if(outside is not None and (not is_read or isinstance(outside, _Function) or outside == "error"))
        refuse_if(outside == "collections" and node.attr not in _COLLECTIONS)
        if is_read and (node.attr in _READING or outside in ("module", "keeping", "collections")):
            return 0
        return self._base(node.value)

    def _base(self, node: Any) -> int:
        """The parameters that an expression may be a part of."""
        found = 0
        while type(node) in (_ast.Subscript, _ast.Attribute, _ast.Call):
            if type(node) is _ast.Call:
                found |= self._of(node)
                node = node.func
            else:
                node = node.value
        return found | self._of(node)


def _of_module(name: str) -> str:
    refuse_if(name not in (*_MODULES, *_KEEPING))
    return "keeping" if name in _KEEPING else "module"


def _set_by(node: Any) -> list[tuple[str, Any]]:
    """The variables that a node sets, and to what; what is an item of something, or a part of it, is no argument."""
    kind = type(node)
    if kind is _ast.Assign:
        return [(each.id, node.value) for each in node.targets if type(each) is _ast.Name]
    if kind is _ast.AnnAssign or kind is _ast.NamedExpr:
        return [(node.target.id, node.value)] if type(node.target) is _ast.Name else []
    if kind is _ast.Match:
        below = [each for case in node.cases for each in all_below(case.pattern)]
        return [(each.name, node.subject) for each in below if type(each) is _ast.MatchAs and each.name]
    return []


def _is_flat(value: Any) -> bool:
    """Whether nothing in it can be changed."""
    kind = type(value)
    if kind is dict:
        return all(map(_is_immutable, (*value.keys(), *value.values())))
    return all(map(_is_immutable, value)) if kind in (list, set) else _is_immutable(value)


def _is_immutable(value: Any) -> bool:
    if type(value) in (tuple, frozenset):
        return all(map(_is_immutable, value))
    return type(value) in _IMMUTABLE


def _is_plain(error: type) -> bool:
    """Whether a class of exceptions does nothing of its own when one is made."""
    own = [each for each in error.__mro__ if each.__module__ != "builtins"]
    return type(error) is type and all(_CLASS_PARTS.issuperset(vars(each)) for each in own)
