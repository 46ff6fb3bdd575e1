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

from jitffi.scripts.api import dispatch, linear
from jitffi.scripts.api.loop_text import all_below, refuse_if
from jitffi.scripts.api.outside import Outside, is_immutable
from jitffi.scripts.api.scopes import Scopes
from jitffi.scripts.frontend import source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

_MOST_PARAMETERS = 62
#: Bit of a container of the module's, which may be anything next time.
_OUTSIDE = 1 << 62
_UNFIT = (
    _ast.AsyncFunctionDef, _ast.AsyncFor, _ast.AsyncWith, _ast.With, _ast.ClassDef, _ast.Global, _ast.Import,
    _ast.ImportFrom, _ast.Yield, _ast.YieldFrom, _ast.Await,
)  # fmt: skip
#: Public methods and attributes by which nothing is changed, and all others.
_READING = frozenset(
    (
        *[each for each in dir(str) if each[0] != "_"], *[each for each in dir(bytes) if each[0] != "_"],
        "get", "keys", "values", "items", "copy", "most_common", "elements", "total", "union", "intersection",
        "difference", "symmetric_difference", "issubset", "issuperset", "isdisjoint", "bit_length", "bit_count",
        "is_integer", "args", "match", "prefixmatch", "fullmatch", "search", "findall", "finditer", "sub", "subn",
        "group", "groups", "groupdict", "start", "end", "span",
    )
)  # fmt: skip
_CHANGING = frozenset(
    (
        "append", "extend", "insert", "remove", "pop", "clear", "sort", "reverse", "add", "discard", "update",
        "setdefault", "popitem", "fromkeys", "difference_update", "intersection_update", "symmetric_difference_update",
        "appendleft", "extendleft", "popleft", "rotate", "subtract", "move_to_end",
    )
)  # fmt: skip
#: What only numbers can.
_OF_NUMBERS = (_ast.FloorDiv, _ast.Mod, _ast.Div, _ast.Pow, _ast.LShift, _ast.RShift)
#: What makes any number of items, and constants that are no such number.
_ENDLESS = frozenset(
    ("range", "product", "permutations", "combinations", "combinations_with_replacement", "count", "repeat", "cycle")
)
_MOST_CONSTANT = 1_000_000
#: Arguments of functions of `re`, without flags, of which one prints; others have two.
_WITHOUT_FLAGS = {"compile": 1, "sub": 3, "subn": 3}
_CODE = type((lambda: None).__code__)


class Found:
    """A bit for each parameter that is changed or kept, and all code that a call may end in."""

    def __init__(self, kept: int, functions: list[_Function]) -> None:
        self.kept = kept
        self.codes = tuple([code for each in functions for code in (*each.codes, *each.outside.codes)])
        self._functions = functions

    def is_as_seen(self) -> bool:
        """Whether all names outside stand for what they stood for."""
        return all(each.outside.is_as_seen() for each in self._functions)


def look_at(function: FunctionType) -> Found | None:
    """None where a call does anything else that outlives it, or may be long in one step. Not where a handler may run,
    whose errors would be lost."""
    known: dict[Any, _Function] = {}
    try:
        return Found(_Function(function, known).kept, list(known.values()))
    except Exception:  # names are the user's, and may stand for what raises anything when it is looked at
        return None


class _Function:
    """*known*: those that were looked at before, by their Python functions."""

    def __init__(self, function: FunctionType, known: dict[Any, _Function]) -> None:
        self._function = function
        self._known = known
        known[function] = self
        parameters = dispatch.parameters(function)
        defaults = (*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values())
        refuse_if(len(parameters) > _MOST_PARAMETERS or not all(map(is_immutable, defaults)))
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
        loops = [each for each in self._nodes if type(each) in (_ast.For, _ast.comprehension)]
        self._gone_through = {each for loop in loops for each in _gone_through(loop)}
        self._callees = {each.func for each in self._nodes if type(each) is _ast.Call}
        scopes = Scopes(body, parameters)
        refuse_if(scopes.bound & scopes.outside)  # a name that is two things
        self.outside = Outside(function, self._helper)
        self._meanings = {name: self.outside.meaning(name) for name in scopes.outside}
        self._trace()
        kept = 0
        for node in self._nodes:
            kept |= self._kept_by(node)
        refuse_if(kept & _OUTSIDE)
        self.kept = kept

    # -- names --------------------------------------------------------------------------------------------------------

    def _refuse_node(self, node: Any) -> None:
        kind = type(node)
        refuse_if(kind in _UNFIT or (kind is _ast.Try and node.finalbody))
        refuse_if(kind.__name__ in ("TryStar", "TemplateStr"))
        refuse_if(kind is _ast.Nonlocal and any(each in self._function.__code__.co_freevars for each in node.names))
        refuse_if(kind is _ast.MatchClass and node.kwd_attrs)  # which may be methods

    def _helper(self, python: FunctionType) -> _Function:
        return self._known.get(python) or _Function(python, self._known)

    def _called(self, func: Any) -> Any:
        """What is called, where it is outside."""
        if type(func) is not _ast.Attribute:
            return self._meanings.get(getattr(func, "id", ""))
        module = self._meanings.get(getattr(func.value, "id", ""))
        return self.outside.attribute(module, func.attr) if type(module) is type(_ast) else None

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
        return self._meanings.get(node.id) == "constant" and self.outside.is_changing(node.id)

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
            refuse_if(any(self._meanings.get(getattr(each, "id", "")) != "error" for each in caught))
        if kind is _ast.Assert:
            return self._of(node.msg)
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
        self._refuse_call(node, called)
        if called == "giving" and node.keywords and len(node.args) != 1:
            return every  # which key=f is given
        if called in ("new", "giving", "re"):
            return by_name
        if type(func) is _ast.Attribute and called is None:
            return 0 if func.attr in _READING else every
        if not isinstance(called, _Function) or any(type(each) is _ast.Starred for each in node.args):
            return every
        found = by_name
        for i, each in enumerate(node.args):
            found |= self._of(each) if called.kept >> i & 1 else 0
        return found

    def _refuse_call(self, node: _ast.Call, called: Any) -> None:
        """What makes a class, and what may be long without an instruction of Python's: loops of C, and patterns."""
        name, first = getattr(node.func, "attr", getattr(node.func, "id", "")), node.args[0] if node.args else None
        refuse_if(name == "type" and called == "new" and len(node.args) != 1)
        refuse_if(name == "iter" and called == "new" and len(node.args) != 1)
        if called == "re":
            is_pattern = type(first) is _ast.Name and self._meanings.get(first.id) == "constant"
            text: Any = getattr(first, "value", None)
            refuse_if(not is_pattern and (type(text) not in (str, bytes) or not linear.is_linear(text, 0)))
            refuse_if(node.keywords or len(node.args) > _WITHOUT_FLAGS.get(name, 2))
        is_endless = called in ("new", "keeping") and name in _ENDLESS
        refuse_if(is_endless and node not in self._gone_through and not all(map(_is_length, node.args)))

    def _changed_by(self, node: _ast.Attribute) -> int:
        """By a method that is called, or may be."""
        outside = self._meanings.get(getattr(node.value, "id", ""))
        refuse_if(type(node.ctx) is not _ast.Load or isinstance(outside, _Function) or outside == "error")
        if type(outside) is type(_ast):
            refuse_if(self.outside.attribute(outside, node.attr) == "re" and node not in self._callees)
            return 0
        refuse_if(node.attr not in _READING and node.attr not in _CHANGING)
        return 0 if node.attr in _READING else self._base(node.value)

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


def _is_length(node: Any) -> bool:
    """Whether that is a constant, or a length with one added or taken off."""
    if type(node) is _ast.BinOp:
        return type(node.op) in (_ast.Add, _ast.Sub) and _is_length(node.left) and _is_length(node.right)
    is_len = type(node) is _ast.Call and getattr(node.func, "id", "") == "len"
    return is_len or (type(node) is _ast.Constant and type(node.value) is int and node.value < _MOST_CONSTANT)


def _gone_through(node: Any) -> list[Any]:
    """The calls whose items a loop of Python's goes through one after the other."""
    found = [node.iter]
    for each in found:
        if type(each) is _ast.Call and getattr(each.func, "id", "") in ("reversed", "enumerate", "zip"):
            found += each.args
    return found


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
