"""Frozensets that nobody sees as such: what is asked of them is what a set says, too, so they are native sets.

    stop = frozenset(text.split())      `word in stop`, `len(stop & other)`, `stop <= other`, `for word in stop`

A variable is one where nothing else is assigned to it and nothing else is done with it; one that is kept, returned,
hashed or passed on is Python's own, and so is what functions inside see.
"""

from __future__ import annotations

from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Context

#: Builtins that go through a set, or count it.
_THROUGH: Final = frozenset(("len", "bool", "sorted", "sum", "min", "max", "any", "all", "set", "list", "tuple"))
_TELLING: Final = frozenset(("issubset", "issuperset", "isdisjoint"))
_MAKING: Final = frozenset(("union", "intersection", "difference", "symmetric_difference", "copy"))
_OPERATORS: Final = frozenset(("BitAnd", "BitOr", "Sub", "BitXor"))
_SCOPES: Final = frozenset(("FunctionDef", "AsyncFunctionDef", "Lambda", "ClassDef"))


def calls(cx: Context) -> set[Any]:
    """The calls of frozenset in a function that are read as calls of set."""
    found = _Uses(cx)
    while True:
        wrong = {found.key(node) for node in found.named if not found.fits(node)} & found.frozen
        if not wrong:
            return {node for node in found.made if found.is_asked(node)}
        found.frozen -= wrong


class _Uses:
    """Where the names and calls of a function stand."""

    def __init__(self, cx: Context) -> None:
        self._parents: Final[dict[Any, Any]] = {}
        self._scopes: Final[dict[Any, Any]] = {}
        self.named: Final[list[Any]] = []
        self.made: Final[list[Any]] = []
        self._cx: Final = cx
        self._walk(cx.source.node)
        #: Variables, by function and name, that are frozensets as far as is known.
        self.frozen = {self.key(node) for node in self.named if type(node.ctx).__name__ == "Store"}
        scopes: dict[str, set[Any]] = {}
        for scope, name in map(self.key, self.named):
            scopes.setdefault(name, set()).add(scope)
        self.frozen = {each for each in self.frozen if len(scopes[each[1]]) == 1}

    def _walk(self, root: Any) -> None:
        waiting = [(root, root)]
        while waiting:
            node, scope = waiting.pop()
            self._scopes[node] = scope
            kind = type(node).__name__
            if kind == "Name":
                self.named.append(node)
            elif kind == "Call" and self._is_made(node):
                self.made.append(node)
            inside = node if kind in _SCOPES else scope
            for value in vars(node).values():
                for each in value if isinstance(value, list) else (value,):
                    if hasattr(each, "_fields"):
                        self._parents[each] = node
                        waiting.append((each, inside))

    def _is_made(self, node: Any) -> bool:
        is_plain = not node.keywords and all(type(each).__name__ != "Starred" for each in node.args)
        return is_plain and len(node.args) < 2 and self._is_builtin(node.func, ("frozenset",))

    def _is_builtin(self, node: Any, wanted: Any) -> bool:
        if type(node).__name__ != "Name" or node.id not in wanted or not self._cx.is_outside(node.id):
            return False
        return bool(names.builtin_name(self._cx.outside(node.id)) == node.id)

    def key(self, node: Any) -> tuple[Any, str]:
        return self._scopes[node], node.id

    def fits(self, node: Any) -> bool:
        """Whether a mention of a variable is one that a frozenset fits."""
        if type(node.ctx).__name__ == "Load":
            return self.is_asked(node)
        value = self._counterpart(node)
        return value is not None and self._is_frozen(value)

    def _counterpart(self, node: Any) -> Any:
        """What a target is assigned, or the target of a value: `x = y`, `a, b = c, d`; else
        None."""
        inner: Any = node
        outer: Any = self._parents.get(node)
        if type(outer).__name__ == "Tuple":
            inner, outer = outer, self._parents.get(outer)
        if type(outer).__name__ != "Assign" or len(outer.targets) > 1:
            return None
        other = outer.value if inner is outer.targets[0] else outer.targets[0]
        if inner is node:
            return other
        if type(other).__name__ != "Tuple" or len(other.elts) != len(inner.elts):
            return None
        if any(type(each).__name__ == "Starred" for each in (*other.elts, *inner.elts)):
            return None
        return other.elts[inner.elts.index(node)]

    def _is_frozen(self, node: Any) -> bool:
        """Whether an expression is a frozenset for sure."""
        kind = type(node).__name__
        if kind == "Name":
            return self.key(node) in self.frozen
        if kind == "BinOp":
            return type(node.op).__name__ in _OPERATORS and self._is_frozen(node.left) and self._is_set(node.right)
        if kind == "Call" and type(node.func).__name__ == "Attribute":
            return node.func.attr in _MAKING and self._is_frozen(node.func.value)
        return node in self.made

    def _is_set(self, node: Any) -> bool:
        """Whether it is that or a set: with others messages tell which of both it was."""
        is_made = type(node).__name__ == "Call" and self._is_builtin(node.func, ("set",))
        return is_made or type(node).__name__ in ("Set", "SetComp") or self._is_frozen(node)

    def is_asked(self, node: Any) -> bool:
        """Whether what is done with a frozenset gives what it would with a set."""
        parent: Any = self._parents.get(node)
        kind = type(parent).__name__
        if kind == "Compare":
            if type(parent.ops[-1]).__name__ in ("In", "NotIn"):
                return len(parent.ops) == 1 and node is not parent.left
            tests = {type(op).__name__ for op in parent.ops}
            return not {"Is", "IsNot"} & tests and all(map(self._is_set, (parent.left, *parent.comparators)))
        if kind in ("For", "comprehension"):
            return node is parent.iter
        if kind in ("If", "While", "IfExp"):
            return node is parent.test
        if kind == "UnaryOp":
            return type(parent.op).__name__ == "Not"
        if kind == "BinOp":
            are_sets = self._is_set(parent.left) and self._is_set(parent.right)
            return type(parent.op).__name__ in _OPERATORS and are_sets and self.is_asked(parent)
        if kind in ("Assign", "Tuple"):
            target = self._counterpart(node)
            return type(target).__name__ == "Name" and self.key(target) in self.frozen
        if kind == "Attribute":
            call = self._parents[parent]
            is_called = type(call).__name__ == "Call" and call.func is parent
            return is_called and (parent.attr in _TELLING or (parent.attr in _MAKING and self.is_asked(call)))
        if kind != "Call":
            return False
        func = parent.func
        if type(func).__name__ == "Attribute":
            return func.attr in _TELLING | _MAKING and self._is_frozen(func.value)
        return len(parent.args) == 1 and self._is_builtin(func, _THROUGH)
