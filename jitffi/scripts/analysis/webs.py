"""One variable of Python, several of ours: where a name is used again for something else, each use has its own type.

Definitions that reach the same use are one *web*; each web becomes a variable, before types are inferred (and of equal
types one again, afterwards: coalesce.py).

What the type of a parameter decides at once is decided here, too, since it parts webs: of
`if sep is None: sep = " "` in the variant for None only the assignment is left.
"""

from __future__ import annotations

from jitffi.scripts.analysis import constant_conditions, type_narrowing
from jitffi.scripts.analysis.definitions import Definitions
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

#: What variables may hold at a point, as numbers of definitions.
Env = dict[tree.Variable, frozenset[int]]


class Webs:
    """What split has done."""

    __slots__ = ("narrowed", "parts")

    def __init__(self, parts: dict[tree.Variable, tree.Variable], narrowed: type_narrowing.Narrowed) -> None:
        #: Of the new variables, which one they were part of.
        self.parts: Final = parts
        #: Assignments of a variable to itself, and the type of the value where it could be anything
        #: (type_narrowing.py).
        self.narrowed: Final = narrowed


def split(function: tree.Function, types: tuple[Type, ...]) -> Webs:
    """Gives each web a variable of its own, in a copy of the caller's function."""
    return _Splitter(function, types).split()


class _Splitter:
    def __init__(self, function: tree.Function, types: tuple[Type, ...]) -> None:
        self._function: Final = function
        self._types: Final = types
        self._definitions: Final = Definitions()
        self._kinds: dict[int, str] = {}
        #: What tests can be, by their types: what was found the last time.
        self._decided: dict[tree.Stmt | tree.Expr, Any] = {}
        #: What each variable may hold where the walk is, what it held before each change, and whether the program can
        #: come there. A way through a branch or loop is told by what changes on it, so that a long function with many
        #: variables takes linear time.
        self._env: Env = {}
        self._log: list[tuple[tree.Variable, frozenset[int]]] = []
        self._reached = True
        #: Of the loops around: the length of the log before them, and the ways that `break` and `continue` lead.
        self._loops: list[tuple[int, list[Env], list[Env]]] = []
        #: Of labels the length of the log before what they are of, and the ways that lead behind it.
        self._labels: dict[int, tuple[int, list[Env]]] = {}
        #: Of the try statements around: what their bodies define, which is what their handlers may find.
        self._tries: list[Env] = []
        self._narrowed: type_narrowing.Narrowed = {}

    def split(self) -> Webs:
        function = self._function
        narrowed = self._narrowed = type_narrowing.insert(function.body)
        for variable in function.variables:
            self._env[variable] = frozenset((self._definitions.number(variable, variable),))
        for parameter, type_ in zip(function.parameters, self._types, strict=True):
            if type_.kind not in ("any", "object") and not parameter.is_unsteady:
                self._kinds[self._definitions.numbers[parameter]] = type_.kind
        self._block(function.body)
        if narrowed:
            type_narrowing.forget(function.body, narrowed, self._definitions.nodes, self._definitions.find)
        parts = self._definitions.name(function)
        if self._decided:
            constant_conditions.decide(function.body, self._decided)
        return Webs(parts, narrowed)

    # -- definitions -------------------------------------------------------------------------------------------------

    def _use(self, node: tree.Local | tree.TargetLocal) -> None:
        if not self._reached:
            return
        numbers = sorted(self._env[node.variable])
        definitions = self._definitions
        first = definitions.find(numbers[0])
        if len(numbers) > 1:
            # From here on one number stands for them.
            number = definitions.number((node, "use"), node.variable)
            for each in (*numbers[1:], number):
                definitions.unite(each, first)
            self._change(node.variable, frozenset((number,)))
        definitions.nodes[node] = first

    def _define(self, target: tree.TargetLocal) -> None:
        number = self._definitions.number(target, target.variable)
        if target.variable.is_unsteady:
            self._definitions.unite(number, self._definitions.numbers[target.variable])
        self._definitions.nodes[target] = number
        if self._reached:
            self._change(target.variable, frozenset((number,)))
            self._may_be_left_with(target.variable, number)

    def _may_be_left_with(self, variable: tree.Variable, number: int) -> None:
        """What is raised from here on may find the variable so."""
        if self._tries:
            found = self._tries[-1]
            found[variable] = found.get(variable, frozenset()) | {number}

    # -- the flow ----------------------------------------------------------------------------------------------------

    def _change(self, variable: tree.Variable, numbers: frozenset[int]) -> None:
        self._log.append((variable, self._env[variable]))
        self._env[variable] = numbers

    def _way(self, mark: int) -> list[Env]:
        """What has changed since the log was that long; nothing where the program cannot come."""
        return [{variable: self._env[variable] for variable, _ in self._log[mark:]}] if self._reached else []

    def _leave_way(self, mark: int) -> list[Env]:
        """The same, and go back there."""
        way = self._way(mark)
        for variable, numbers in reversed(self._log[mark:]):
            self._env[variable] = numbers
        del self._log[mark:]
        return way

    def _join(self, ways: list[Env]) -> None:
        """Go on where these ways from here come together."""
        self._reached = bool(ways)
        for variable in dict.fromkeys([variable for way in ways for variable in way]):
            before = self._env[variable]
            numbers = frozenset().union(*[way.get(variable, before) for way in ways])
            if numbers != before:
                self._change(variable, numbers)

    def _block(self, body: list[tree.Stmt]) -> None:
        for stmt in body:
            if not self._reached:
                return
            _FLOW.get(type(stmt), _Splitter._plain)(self, stmt)

    def _plain(self, stmt: Any) -> None:
        for part in vars(stmt).values():
            self._expr(part)
        if isinstance(stmt, tree.Return | tree.Raise | tries.Reraise | tries.Raised):
            self._reached = False

    def _assign(self, stmt: tree.Assign) -> None:
        self._expr(stmt.value)
        if stmt in self._narrowed:
            # The variable itself is as it was, and that is what handlers find.
            around, self._tries = self._tries, []
            self._target(stmt.targets[0])
            self._tries = around
            return
        for target in stmt.targets:
            self._target(target)

    def _target(self, target: tree.Target) -> None:
        if isinstance(target, tree.TargetLocal):
            self._define(target)
        elif isinstance(target, tree.TargetTuple):
            for each in target.targets:
                self._target(each)
        else:
            self._expr(target)

    def _augmented(self, stmt: tree.AugAssign) -> None:
        self._expr(stmt.value)
        if isinstance(stmt.target, tree.TargetLocal):
            self._use(stmt.target)
            before = self._definitions.nodes[stmt.target]
            self._define(stmt.target)
            self._definitions.unite(self._definitions.nodes[stmt.target], before)
        else:
            self._expr(stmt.target)

    def _if(self, stmt: tree.If) -> None:
        possible = self._test(stmt, stmt.test)
        mark = len(self._log)
        ways: list[Env] = []
        for body, self._reached in zip((stmt.then, stmt.other), possible, strict=True):
            self._block(body)
            ways += self._leave_way(mark)
        self._join(ways)

    def _while(self, stmt: tree.While) -> None:
        endless = isinstance(stmt.test, tree.Const) and bool(stmt.test.value)
        self._loop(stmt, lambda: self._expr(stmt.test), lambda: None, endless)

    def _for(self, stmt: tree.For) -> None:
        self._expr(stmt.iterable)
        # What is lazy is evaluated in each round.
        again = stmt.iterable if any(isinstance(each, tree.Comprehension) for each in walk([stmt.iterable])) else None
        self._loop(stmt, lambda: self._expr(again), lambda: self._target(stmt.target), False)

    def _loop(
        self, stmt: tree.While | tree.For, test: Callable[[], None], start: Callable[[], None], endless: bool
    ) -> None:
        mark = len(self._log)
        head: Env = {}
        while True:
            self._loops.append((mark, [], []))
            for variable, numbers in head.items():
                self._change(variable, numbers)
            test()
            start()
            self._block(stmt.body)
            _, breaks, continues = self._loops.pop()
            again = dict(head)
            for way in (*self._leave_way(mark), *continues):
                for variable, numbers in way.items():
                    again[variable] = again.get(variable, self._env[variable]) | numbers
            self._reached = True
            if again == head:
                break
            head = again
        for variable, numbers in head.items():
            self._change(variable, numbers)
        self._reached = not endless
        self._block(stmt.other)
        self._join([*self._leave_way(mark), *breaks])

    def _labelled(self, stmt: tree.Labelled) -> None:
        mark = len(self._log)
        ways: list[Env] = []
        self._labels[stmt.label] = mark, ways
        self._block(stmt.body)
        self._join([*self._leave_way(mark), *ways])

    def _leave(self, stmt: tree.Leave) -> None:
        mark, ways = self._labels[stmt.label]
        ways += self._way(mark)
        self._reached = False

    def _break(self, stmt: tree.Break) -> None:
        mark, breaks, _ = self._loops[-1 - stmt.outer]
        breaks += self._way(mark)
        self._reached = False

    def _continue(self, stmt: tree.Continue) -> None:
        mark, _, continues = self._loops[-1 - stmt.outer]
        continues += self._way(mark)
        self._reached = False

    def _try(self, stmt: tries.Try) -> None:
        """A handler finds what held before the body, or any definition in it."""
        mark = len(self._log)
        self._tries.append({})
        self._block(stmt.body)
        defined = self._tries.pop()
        self._block(stmt.other)
        ways = self._leave_way(mark)
        for handler in stmt.handlers:
            self._reached = True
            for variable, numbers in defined.items():
                self._change(variable, self._env[variable] | numbers)
            self._block(handler.body)
            ways += self._leave_way(mark)
        for variable, numbers in defined.items():
            for number in numbers:
                self._may_be_left_with(variable, number)
        self._join(ways)

    def _leaving(self, stmt: tries.Leaving) -> None:
        self._block(stmt.body)

    def _titled(self, stmt: tries.Titled) -> None:
        number = self._definitions.nodes[stmt.unbound] = self._definitions.numbers[stmt.unbound.variable]
        self._may_be_left_with(stmt.unbound.variable, number)
        self._define(stmt.target)
        self._block(stmt.body)

    def _enter(self, stmt: tries.Enter) -> None:
        self._expr(stmt.manager)
        self._define(stmt.exit)
        self._define(stmt.entered)

    def _unbind(self, stmt: tries.Unbind) -> None:
        """The variable is again as it was when the function began: not bound."""
        self._expr(stmt.value)
        number = self._definitions.nodes[stmt.target] = self._definitions.numbers[stmt.target.variable]
        if self._reached:
            self._change(stmt.target.variable, frozenset((number,)))
            self._may_be_left_with(stmt.target.variable, number)

    # -- expressions -------------------------------------------------------------------------------------------------

    def _expr(self, node: Any) -> None:
        if isinstance(node, tree.Local):
            self._use(node)
        elif isinstance(node, list):
            for each in node:
                self._expr(each)
        elif isinstance(node, dict):
            for each in node.values():
                self._expr(each)
        elif isinstance(node, tree.Choice):
            true, false = self._test(node, node.test)
            if true:
                self._expr(node.then)
            if false:
                self._expr(node.other)
        elif isinstance(node, tree.Logic):
            self._logic(node)
        elif isinstance(node, tree.Named):
            self._expr(node.value)
            self._define(node.target)
        elif isinstance(node, tree.Comprehension):
            for clause in node.clauses:
                self._expr(clause.iterable)
                self._target(clause.target)
                self._expr(clause.conditions)
            self._expr(node.key)
            self._expr(node.value)
        elif isinstance(node, tree.Expr | tree.Field | tree.Callee | tree.TargetItem | tree.TargetSlice):
            for name, each in vars(node).items():
                if name not in ("script", "native", "place", "type"):
                    self._expr(each)

    def _logic(self, node: tree.Logic) -> None:
        """Operands of variables that cannot decide are left out, and what stands behind one that does."""
        kept = []
        for each in node.operands:
            true, false = constant_conditions.truth(each, self._kind)
            simple = isinstance(each, tree.Local)
            if simple and each is not node.operands[-1] and not (false if node.is_and else true):
                continue
            kept.append(each)
            self._expr(each)
            if simple and not (true if node.is_and else false):
                break
        self._decided.pop(node, None)
        if len(kept) < len(node.operands):
            self._decided[node] = kept

    def _test(self, node: tree.If | tree.Choice, test: tree.Expr) -> tuple[bool, bool]:
        self._expr(test)
        found = constant_conditions.truth(test, self._kind)
        self._decided.pop(node, None)
        if isinstance(node, tree.Choice) and not constant_conditions.is_pure(test):
            return constant_conditions.EITHER
        if found != constant_conditions.EITHER:
            self._decided[node] = found
        return found

    def _kind(self, node: tree.Expr) -> str:
        """The kind of what a variable holds, if that is a parameter's value; "" for not known."""
        if not isinstance(node, tree.Local) or not self._reached or node.variable.declared is not None:
            return ""
        numbers = self._env[node.variable]
        return self._kinds.get(next(iter(numbers)), "") if len(numbers) == 1 else ""


_FLOW: dict[type, Callable[[_Splitter, Any], None]] = {
    tree.Assign: _Splitter._assign,
    tree.AugAssign: _Splitter._augmented,
    tree.If: _Splitter._if,
    tree.While: _Splitter._while,
    tree.For: _Splitter._for,
    tree.Labelled: _Splitter._labelled,
    tree.Leave: _Splitter._leave,
    tree.Break: _Splitter._break,
    tree.Continue: _Splitter._continue,
    tries.Try: _Splitter._try,
    tries.Leaving: _Splitter._leaving,
    tries.Unbind: _Splitter._unbind,
    tries.Titled: _Splitter._titled,
    tries.Enter: _Splitter._enter,
}
