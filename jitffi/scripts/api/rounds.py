"""How many rounds a call of a script can take, as far as its text tells: whether small arguments make it a short call.

A loop is bounded where it goes through an argument or a part of one, through a range up to arguments and lengths, or
through a list or dict that the script makes, and where a `while` counts up to such a bound. A script with any other
loop (or recursion, or patterns of `re`) may take long whatever it is given, and one of what scripts do otherwise than
Python has to do it from the first call on.
"""

from __future__ import annotations

import _ast

from jitffi.base.annotations import annotations_of
from jitffi.scripts.api import dispatch
from jitffi.scripts.frontend import names, source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from types import FunctionType
    from typing import Any

    #: The class that the annotation of each parameter names, and of the result, or None; then the text of the latter.
    Classes = tuple[type | str | None, ...]

#: What numbers and lengths of the arguments may come to together, by how deep loops are in each other (without any:
#: anything): some milliseconds of the interpreter's, also where each round goes through an argument once more, as `in`
#: does.
_LIMITS = (None, 2_000, 150, 40, 15)
#: What is a small number, or length, where it is no argument.
_SMALL = 150

#: Classes of which code takes and gives what Python does.
_EXACT = (bool, int, float, str, bytes, list, dict, type(None))
_MODULE = type(_ast)
_LOOPS = (_ast.For, _ast.While)
_UNFIT_NODES = (
    _ast.AnnAssign, _ast.FunctionDef, _ast.AsyncFunctionDef, _ast.ClassDef, _ast.Yield, _ast.YieldFrom, _ast.Await,
    _ast.Import, _ast.ImportFrom, _ast.SetComp,
)  # fmt: skip
#: What is another value in scripts (sets have another order), and what goes through something unseen.
_UNFIT_NAMES = frozenset(("hash", "chr", "set", "frozenset", "map", "filter", "iter", "eval", "exec", "locals"))
#: What has no more items than its arguments, and methods that give no more than there is.
_GOES_THROUGH = frozenset(("enumerate", "zip", "reversed", "sorted", "list", "tuple"))
_PARTS = frozenset(
    ("split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "lower", "partition", "items", "keys", "values")
)
_VIEWS = ("items", "keys", "values")
#: Methods by which a list or dict gets an item more, and those by which it gets any number.
_ADDS, _GROWS = ("append", "insert", "setdefault"), ("extend", "update")
_CONTAINERS = (_ast.List, _ast.Dict, _ast.ListComp, _ast.DictComp)


class _UnfitError(Exception):
    """Code is to be made at once."""


def look_at(function: FunctionType) -> tuple[int | None, Classes] | None:
    """What the numbers and lengths of its arguments may come to together, None for anything, and the classes of what it
    takes and gives; None where calls may be long all the same, or code does not do quite what Python does."""
    try:
        classes = _classes(function)
        text = _Text(function)
        depth = text.depth()
        _refuse_if(depth >= len(_LIMITS))
    except (_UnfitError, SyntaxError, RecursionError):
        return None
    limit = _LIMITS[depth]
    return None if limit is not None and text.largest > limit else (limit, classes)


def _refuse_if(found: object) -> None:
    if found:
        raise _UnfitError


# -- annotations ------------------------------------------------------------------------------------------------------


def _classes(function: FunctionType) -> Classes:
    parameters, annotations = dispatch.parameters(function), annotations_of(function)
    found = {name: _class_of(function, each) for name, each in annotations.items()}
    defaults = dict(zip(reversed(parameters), reversed(function.__defaults__ or ()), strict=False))
    defaults.update(function.__kwdefaults__ or {})
    for name, value in defaults.items():
        _refuse_if(type(value) is not found.get(name, type(value)) or not _is_small(value))
    result = found.get("return", type(None))
    text = {type(None): "none", list: "list[any]", dict: "dict[any, any]"}.get(result, result.__name__)
    return (*[found.get(each) for each in (*parameters, "return")], text)


def _class_of(function: FunctionType, annotation: Any) -> type:
    """What annotates several classes, or says what items are, is unfit."""
    meant = type(None) if annotation is None else dispatch.named(function, annotation)
    for each in _EXACT:
        if meant is each:
            return each
    raise _UnfitError


def _is_small(value: object) -> bool:
    kind = type(value)
    if kind is int or kind is float:
        return -_SMALL <= value <= _SMALL  # type: ignore[operator]
    if kind is str or kind is bytes:
        return len(value) <= _SMALL  # type: ignore[arg-type]
    return value is None or kind is bool or value == ()


# -- the text ---------------------------------------------------------------------------------------------------------


class _Text:
    """The text of a script, or of a function that *is_called* by one: that has no loops."""

    def __init__(self, function: FunctionType, is_called: bool = False) -> None:
        self._function = function
        self._is_called = is_called
        self._tree = source.of(function).node
        self._nodes = [each for node in self._tree.body for each in _all_below(node)]
        #: What gives a variable its values: an expression; None for parameters, and for items of what loops go through.
        self._values: dict[str, list[Any]] = {each: [None] for each in dispatch.parameters(function)}
        #: The largest number in the text that loops count up to.
        self.largest = 0
        #: Containers of the script's that loops go through.
        self._made: set[str] = set()
        #: Variables that are being looked at: what is part of itself is not more than itself.
        self._under_way: set[str] = set()

    def depth(self) -> int:
        """How deep loops are in each other at most."""
        for node in self._nodes:
            self._take(node)
        through = [node.iter for node in self._nodes if type(node) in (_ast.For, _ast.comprehension)]
        for node in through:
            self._check_items(node)
        self._check_views(through)
        asked = [each for node in self._nodes if type(node) is _ast.Compare for each in node.comparators]
        for node in self._nodes:
            _refuse_if(type(node) is _ast.Set and not any(node is each for each in asked))
        ranges = sum(type(node) is _ast.Name and node.id == "range" for node in self._nodes)
        _refuse_if(ranges > sum("range" in _names_in(each) for each in through))
        for node in self._nodes:
            if type(node) is _ast.While:
                self._check_while(node)
            if type(node) in _LOOPS:
                bound = set(_names_in(node.test if type(node) is _ast.While else node.iter))
                _refuse_if(any(_adds_to(each, bound) for inner in node.body for each in _all_below(inner)))
        for name in names.global_names(self._function):
            self._check_outside(names.outside(self._function, name))
        deepest = max(map(_depth, self._tree.body), default=0)
        _refuse_if(self._is_called and (deepest or annotations_of(self._function)))
        return deepest + len(self._made)  # what is made may have more items than an argument

    def _take(self, node: Any) -> None:
        """Refuse what is unfit, and note what gives variables their values."""
        kind = type(node)
        _refuse_if(kind in _UNFIT_NODES)
        if kind is _ast.Constant:
            _refuse_if(type(node.value) is str and any("\ud800" <= each <= "\udfff" for each in node.value))
        elif kind is _ast.Name:
            _refuse_if(node.id in _UNFIT_NAMES)
        elif kind is _ast.Attribute:
            _refuse_if(node.attr in _GROWS)
        elif kind is _ast.Compare:
            _refuse_if(_asks_for_identity(node))
        elif kind is _ast.Assign:
            for target in node.targets:
                self._give(target, node.value)
        elif kind is _ast.AugAssign:
            self._give(node.target, node)
        elif kind is _ast.NamedExpr:
            self._give(node.target, node.value)
        elif kind in (_ast.For, _ast.comprehension):
            for name in _names_in(node.target):
                self._values.setdefault(name, []).append(None)
        elif kind in (_ast.MatchAs, _ast.MatchStar, _ast.MatchMapping, _ast.withitem):
            for part in ("name", "rest"):
                self._values.setdefault(getattr(node, part, None) or "", []).append(node)  # any value

    def _give(self, target: Any, value: Any) -> None:
        _refuse_if(type(value) is _ast.Lambda)  # which may call itself
        if type(target) is _ast.Name:
            self._values.setdefault(target.id, []).append(value)
        elif type(target) in (_ast.Tuple, _ast.List):
            for name in _names_in(target):
                self._values.setdefault(name, []).append(target)  # any value

    def _check_outside(self, value: Any) -> None:
        """What a name stands for that is no variable; or a method's name does by chance."""
        python = names.python_function(value)
        if python is not None and python is not value:  # a script, which looks at its own arguments
            _refuse_if(value._given.strict or value._given.returns != "python")
        elif python is not None and not names.is_of_library(self._function, python):
            _refuse_if(self._is_called)
            _Text(python, is_called=True).depth()
        else:
            module = _module_of(value if python is None else python)
            is_ours = names.jitffi_function(value) is not None or module.partition(".")[0] == "jitffi"
            _refuse_if(is_ours or module == "re" or module.startswith("re."))
            _refuse_if(type(value) in (list, tuple) and len(value) > _SMALL)  # `in` goes through it

    def _check_views(self, through: list[Any]) -> None:
        """`d.items()` is a list in scripts where nothing goes through it at once."""
        fine = [each.func for each in through if type(each) is _ast.Call]
        for node in self._nodes:
            if type(node) is _ast.Call and type(node.func) is _ast.Name:
                fine += [each.func for each in node.args if type(each) is _ast.Call]
        for node in self._nodes:
            _refuse_if(type(node) is _ast.Attribute and node.attr in _VIEWS and not any(node is each for each in fine))

    # -- bounds -------------------------------------------------------------------------------------------------------

    def _check_items(self, node: Any) -> None:
        """Refuse what may have more items than the arguments tell."""
        kind = type(node)
        if kind is _ast.Name:
            self._check_variable(node.id, self._check_items)
        elif kind is _ast.Subscript:
            self._check_items(node.value)
        elif kind is _ast.Call and type(node.func) is _ast.Attribute:
            _refuse_if(node.func.attr not in _PARTS)
            self._check_items(node.func.value)
        elif kind is _ast.Call and type(node.func) is _ast.Name and not node.keywords:
            _refuse_if(node.func.id != "range" and node.func.id not in _GOES_THROUGH)
            for each in node.args:
                (self._check_number if node.func.id == "range" else self._check_items)(each)
        elif kind is _ast.Constant:
            _refuse_if(not _is_small(node.value))
        else:
            _refuse_if(kind not in (_ast.List, _ast.Tuple))

    def _check_number(self, node: Any) -> None:
        """Refuse what may be more than the arguments tell."""
        kind = type(node)
        if kind is _ast.Name:
            _refuse_if(node.id in self._under_way)  # it may be more each time
            self._check_variable(node.id, self._check_number)
        elif kind is _ast.BinOp:
            is_part = type(node.op) in (_ast.FloorDiv, _ast.Mod) and type(node.right) is _ast.Constant
            _refuse_if(not is_part and type(node.op) not in (_ast.Add, _ast.Sub))
            self._check_number(node.left)
            self._check_number(node.right)
        elif kind is _ast.UnaryOp:
            self._check_number(node.operand)
        elif kind is _ast.Call:
            _refuse_if(type(node.func) is not _ast.Name or node.func.id != "len" or len(node.args) != 1)
            self._check_items(node.args[0])
        else:
            _refuse_if(kind is not _ast.Constant or type(node.value) is not int)
            self.largest = max(self.largest, abs(node.value))

    def _check_variable(self, name: str, check: Callable[[Any], None]) -> None:
        values = self._values.get(name)
        _refuse_if(values is None)
        if name in self._under_way:
            return
        self._under_way.add(name)
        for value in values or ():
            if check == self._check_items and type(value) in _CONTAINERS:
                self._made.add(name)
            elif value is not None:
                check(value)
        self._under_way.discard(name)

    def _check_while(self, node: _ast.While) -> None:
        """Refuse all but `while i < n` and `while i * i <= n`, where each round adds to i."""
        test = node.test
        if not isinstance(test, _ast.Compare) or len(test.ops) > 1 or type(test.ops[0]) not in (_ast.Lt, _ast.LtE):
            raise _UnfitError
        counter: Any = test.left
        if isinstance(counter, _ast.BinOp) and type(counter.op) is _ast.Mult:
            counter, other = counter.left, counter.right
            _refuse_if(type(other) is not _ast.Name or other.id != getattr(counter, "id", ""))
        _refuse_if(type(counter) is not _ast.Name)
        counted: list[Any] = [each for each in node.body if _counts(each, counter.id)]
        _refuse_if(not counted)
        for each in node.body:
            for below in _all_below(each):
                is_set = type(below) is _ast.Name and type(below.ctx) is _ast.Store and below.id == counter.id
                _refuse_if(is_set and not any(one.target is below for one in counted))
        self._check_number(test.comparators[0])


# -- nodes ------------------------------------------------------------------------------------------------------------


def _below(node: Any) -> Iterator[Any]:
    for part in vars(node).values():
        yield from [each for each in (part if isinstance(part, list) else [part]) if isinstance(each, _ast.AST)]


def _all_below(node: Any) -> Iterator[Any]:
    """The node, too."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += _below(node)


def _depth(node: Any) -> int:
    """How deep loops are in each other, those of a comprehension among them."""
    own = 1 if type(node) in _LOOPS else len(getattr(node, "generators", ()))
    return own + max(map(_depth, _below(node)), default=0)


def _names_in(target: Any) -> list[str]:
    return [each.id for each in _all_below(target) if type(each) is _ast.Name]


def _counts(node: Any, name: str) -> bool:
    """Whether that is `name += 1`, or another int."""
    if type(node) is not _ast.AugAssign or type(node.op) is not _ast.Add or type(node.value) is not _ast.Constant:
        return False
    added = node.value.value
    return type(node.target) is _ast.Name and node.target.id == name and type(added) is int and added > 0


def _adds_to(node: Any, variables: set[str]) -> bool:
    is_method = type(node) is _ast.Attribute and node.attr in _ADDS
    return is_method and type(node.value) is _ast.Name and node.value.id in variables


def _asks_for_identity(node: _ast.Compare) -> bool:
    """Whether that is `is`, of other things than None and the like."""
    if not any(type(each) in (_ast.Is, _ast.IsNot) for each in node.ops):
        return False
    return not any(type(each) is _ast.Constant and type(each.value) in (bool, type(None)) for each in node.comparators)


def _module_of(value: Any) -> str:
    """The name of a module, or of the module of a value's class, as far as they say it without the user's code."""
    found: object = vars(value).get("__name__") if type(value) is _MODULE else vars(type(value)).get("__module__")
    if type(value) is type(_depth):
        found = value.__module__
    return found if isinstance(found, str) else ""
