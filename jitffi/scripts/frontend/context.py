"""What the readers of statements and expressions share: positions, variables and scopes, and the state of the flow.

A reader is a function for one class of Python's nodes; `reads` registers it, `Context.expr` and `Context.stmt` find it.
Statements are read in the order in which they run, so what is bound at a point is known when it is read: what a loop's
body binds is not bound where the loop begins, and variables that some `del` unbinds are never known to be bound.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from itertools import count

from jitffi.base.errors import nearest
from jitffi.scripts.frontend import constant_tuples, frozen, names, refusals
from jitffi.scripts.library.builtins import ROWS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final, NoReturn

    from jitffi.scripts.frontend.names import Resolver
    from jitffi.scripts.frontend.source import Source

    Bound = frozenset[tree.Variable] | None
    #: Given a function and a list that gets the Python functions which it calls; ScriptError.
    Check = Callable[[Any, list[Any]], object]

_READERS: dict[str, Any] = {}
#: Positions in f-strings are right from this version on.
_HAS_FSTRING_POSITIONS: Final = sys.version_info >= (3, 12)


def reads(*kinds: str) -> Callable[[Any], Any]:
    """Register the reader of nodes of these classes."""

    def register(reader: Any) -> Any:
        for kind in kinds:
            assert kind not in _READERS, kind
            _READERS[kind] = reader
        return reader

    return register


def supported() -> frozenset[str]:
    """The classes of nodes that have a reader."""
    return frozenset(_READERS)


_labels = count(1)


class Scope:
    """The variables of the function, or of one comprehension in it."""

    __slots__ = ("key", "names", "outer")

    def __init__(self, outer: Scope | None, key: Any = None) -> None:
        self.names: Final[dict[str, tree.Variable]] = {}
        self.outer: Final = outer
        #: What it is known by when the function is read again; None where that is not known.
        self.key: Any = key

    def find(self, name: str) -> tree.Variable | None:
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.outer
        return None

    def visible(self) -> Iterable[str]:
        scope: Scope | None = self
        while scope is not None:
            yield from scope.names
            scope = scope.outer


class Loop:
    """A loop around a statement: how many there are with it, and what is bound where a break leaves it. A generator's
    has labels, behind it and behind its round."""

    __slots__ = ("breaks", "depth", "labels")

    def __init__(self, depth: int, labels: tuple[int, int] | None = None) -> None:
        self.depth: Final = depth
        self.labels: Final = labels
        self.breaks: Final[list[Bound]] = []


class Finally:
    """A `try` that is around a statement, and has something to do on the way out, which `read` reads."""

    __slots__ = ("handling", "number", "read", "told")

    def __init__(self, read: Callable[[], list[tree.Stmt]], number: int, cx: Context) -> None:
        self.read: Final = read
        self.number: Final = number
        self.handling: Final = cx.handling
        self.told: Final = cx.told


class Title:
    """An except clause with a name, which is not bound outside of it."""

    __slots__ = ("unbind",)

    def __init__(self, unbind: Callable[[], tree.Stmt]) -> None:
        self.unbind: Final = unbind


class Context:
    """One function as it is read."""

    def __init__(
        self, source: Source, function: Any, resolve: Resolver | None, check: Check,
        variables: list[tree.Variable] | None = None, foreign: bool = False,
    ) -> None:  # fmt: skip
        self.source: Final = source
        #: What scripts lack is done by Python's own objects, where those can.
        self.foreign: Final = foreign
        #: All annotations are promises; else those with types of ours.
        self.promises = not foreign
        self.function: Final = function
        #: Reads another function only to see whether it is a script.
        self.check: Final = check
        #: None while the function is only checked, at decoration, when not all names need stand for something.
        self.resolve: Final = resolve
        #: The Python functions that are called, where resolve is None.
        self.called: Final[list[Any]] = []
        #: The constants of the module that are built in.
        self.constants: Final[dict[str, Any]] = {}
        self.scope = Scope(None)
        self.variables: Final[list[tree.Variable]] = [] if variables is None else variables
        #: The variables that are bound here for sure; None where the program cannot come.
        self.bound: Bound = frozenset()
        #: What is done with what is yielded; None where it is no generator that is read.
        self.consumer: Any = None
        #: The generators that are being read, one in the other.
        self.inlined: list[Any] = []
        self._generator_variables: dict[str, tree.Variable] = {}
        #: Generators inside, by name.
        self.generators: dict[str, Any] = {}
        #: The variables that some `del` unbinds.
        self.deleted: frozenset[tree.Variable] = frozenset()
        #: What is around, from the outside, where a jump may lead out of it; and how many loops, also those out of
        #: which what is read has been taken, being in a `finally`.
        self.blocks: list[Loop | Finally | Title] = []
        self.loops = 0
        #: How many bodies of try statements are around; how many except clauses, or ways through a `finally` that
        #: exceptions take.
        self.trying = 0
        self.handling = 0
        #: The variables of exceptions that are here no more than their text.
        self.told: frozenset[tree.Variable] = frozenset()
        #: How often statements of a `finally` have been read.
        self.copies = 0
        #: Some parameter is a struct, so that attributes may be members.
        self.has_structs = False
        #: Functions inside that are only called, by name: those of inner.py.
        self.functions: dict[str, Any] = {}
        #: The statement behind the one that is read, in its block.
        self.following: Any = None
        #: Generator expressions with a name, and what they go through (kept_generators.py).
        self.kept: Final[dict[str, tuple[Any, tree.Expr]]] = {}
        #: The variables that are in boxes.
        self.boxes: Final[set[tree.Variable]] = set()
        #: Of what Python keeps (kept.py): what earlier readings have found out; the variables in cells; those of
        #: another function; those that stay what they are; what each is known by; the code of the function.
        self.keeping: set[Any] = set()
        self.cells: Final[set[tree.Variable]] = set()
        self.captured: Final[set[tree.Variable]] = set()
        self.finals: Final[set[tree.Variable]] = set()
        self.keys: Final[dict[tree.Variable, Any]] = {}
        self.code: Any = getattr(function, "__code__", None)
        #: The names that the function says `global` of.
        self.globals: frozenset[str] = frozenset()
        #: Patterns of regular expressions are native; and whether there is one.
        self.takes_patterns = False
        self.has_patterns = False
        #: Calls by which `re` itself makes a text of another.
        self.texts: Final[set[Any]] = set()
        #: Variables that are matches of regular expressions: the text beside each, and what is asked of it.
        self.matches: Final[dict[tree.Variable, Any]] = {}
        #: Variables that are assigned something else.
        self.others: Final[set[tree.Variable]] = set()
        #: In a lambda: the variables of the function around it, which it must not see.
        self.hidden: Scope | None = None
        #: How many generator expressions and lambdas are around, which Python has functions for.
        self.within = 0
        #: Calls of frozenset that are read as calls of set; None: nobody has asked.
        self._frozen: set[Any] | None = None
        #: Names of the module's tuples that are built in; None: nobody has asked.
        self._looked_into: set[Any] | None = None
        #: The place of the f-string that is being read, where its parts have none.
        self.fixed: tree.Place | None = None

    def is_frozen(self, call: Any) -> bool:
        """Whether nobody sees that what this call of frozenset makes is a set."""
        if self._frozen is None:
            self._frozen = frozen.calls(self)
        return call in self._frozen

    def is_looked_into(self, name: Any) -> bool:
        """Whether nobody sees which tuple it is that a name of the module stands for."""
        if self._looked_into is None:
            self._looked_into = constant_tuples.looked_into(self.source.node)
        return name in self._looked_into

    # -- positions and errors ------------------------------------------------------------------------------

    def place(self, node: Any) -> tree.Place:
        if self.fixed is not None:
            return self.fixed
        line, end = node.lineno, node.end_lineno
        column = self.source.column
        return tree.Place(line, column(line, node.col_offset), end, column(end, node.end_col_offset))

    def refuse(self, node: Any, message: str) -> NoReturn:
        self.refuse_at(self.place(node), message)

    def refuse_at(self, place: tree.Place, message: str) -> NoReturn:
        raise self.source.error(message, place.line, place.column, place.end_line, place.end_column)

    def in_format(self, node: Any, read: Callable[[], Any]) -> Any:
        """Read what is inside an f-string, whose parts have no good positions of their own in old Pythons."""
        if _HAS_FSTRING_POSITIONS or self.fixed is not None:
            return read()
        self.fixed = self.place(node)
        try:
            return read()
        finally:
            self.fixed = None

    # -- dispatch --------------------------------------------------------------------------------------------

    def expr(self, node: Any) -> tree.Expr:
        kind = type(node).__name__
        reader = _READERS.get(kind)
        if reader is None:
            self.refuse(node, refusals.EXPRESSIONS.get(kind, f"scripts have no {kind} expressions"))
        found: tree.Expr = reader(self, node)
        return found

    def iterable(self, node: Any) -> tree.Expr:
        """What a for runs over: an expression, or what is nothing else, as range, and generator expressions."""
        kind = type(node).__name__
        if kind in ("Call", "GeneratorExp"):
            found: tree.Expr = _READERS[kind](self, node, is_iterated=True)
            return found
        if kind == "Name" and node.id in self.kept:
            kept, over = self.kept[node.id]
            again: tree.Expr = _READERS["GeneratorExp"](self, kept, is_iterated=True, over=over)
            return again
        return self.expr(node)

    def optional(self, node: Any) -> tree.Expr | None:
        return None if node is None else self.expr(node)

    def stmt(self, node: Any) -> list[tree.Stmt]:
        kind = type(node).__name__
        reader = _READERS.get(kind)
        if reader is None:
            self.refuse_head(node, refusals.STATEMENTS.get(kind, f"scripts have no {kind} statements"))
        found: list[tree.Stmt] = reader(self, node)
        return found

    def block(self, nodes: list[Any]) -> list[tree.Stmt]:
        found: list[tree.Stmt] = []
        for i, node in enumerate(nodes):
            self.following = nodes[i + 1] if i + 1 < len(nodes) else None
            found += self.stmt(node)
        return found

    def refuse_head(self, node: Any, message: str) -> NoReturn:
        """The error of a statement marks its first line only, and without what stands behind a colon."""
        place = self.place(node)
        text = self.source.line(place.line)
        end = place.end_column if place.end_line == place.line else len(text.rstrip().rstrip(":"))
        inside = getattr(node, "body", ())
        if inside and inside[0].lineno == place.line:
            end = text.rfind(":", 0, self.place(inside[0]).column)
        self.refuse_at(tree.Place(place.line, place.column, place.line, end), message)

    # -- variables -------------------------------------------------------------------------------------------

    def new_variable(self, name: str, shown: str = "", is_parameter: bool = False) -> tree.Variable:
        variable = tree.Variable(shown or name, is_parameter=is_parameter)
        self.scope.names[name] = variable
        self.variables.append(variable)
        if self.scope.key is not None:
            self.keys[variable] = (self.scope.key, name)
        return variable

    def generator_variable(self, name: str) -> tree.Variable:
        """What is bound where a generator inside is defined."""
        return self._generator_variables.setdefault(name, tree.Variable(name))

    def new_label(self) -> int:
        """The number of a tree.Labelled."""
        return next(_labels)

    def enter_comprehension(self, targets: Iterable[str], key: Any = None) -> None:
        self.scope = Scope(self.scope, key)
        self.within += 1
        taken = {each.name for each in self.variables}
        for name in targets:
            number = 1
            while f"{name}.{number}" in taken:
                number += 1
            self.new_variable(name, f"{name}.{number}")

    def leave_comprehension(self) -> None:
        assert self.scope.outer is not None
        self.scope = self.scope.outer
        self.within -= 1

    def is_free(self, name: str) -> bool:
        """Whether a variable is the function's, and is read in what Python has another function for."""
        scope: Scope | None = self.scope
        while scope is not None and name not in scope.names:
            scope = scope.outer
        return self.within > 0 and scope is not None and scope.outer is None

    @contextmanager
    def in_function(self) -> Iterator[None]:
        """Within comprehensions: where names are those of the function around them, as those that `:=` binds."""
        inner = self.scope
        while self.scope.outer is not None:
            self.scope = self.scope.outer
        yield
        self.scope = inner

    def is_bound(self, variable: tree.Variable) -> bool:
        return self.bound is None or variable in self.bound

    def bind(self, variable: tree.Variable) -> None:
        variable.is_assigned = True
        if self.bound is not None and variable not in self.deleted:
            self.bound |= {variable}

    def is_outside(self, name: str) -> bool:
        """Whether it is the name of no variable."""
        if self.scope.find(name) is not None or name in self.functions or name in self.generators:
            return False
        return self.hidden is None or self.hidden.find(name) is None

    def outside(self, name: str) -> Any:
        return names.outside(self.function, name)

    def nearest_name(self, name: str) -> str:
        """What to say of a name that is not there: the one that may be meant, or nothing."""
        known = {*self.scope.visible(), *self.function.__globals__, *ROWS, *names.EXCEPTIONS}
        found = nearest(name, known)
        return f"; {found}" if found else ""


def meet(a: Bound, b: Bound) -> Bound:
    """What is bound where two ways come together."""
    if a is None or b is None:
        return b if a is None else a
    return a & b
