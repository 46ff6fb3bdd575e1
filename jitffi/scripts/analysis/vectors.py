"""Which lists are vectors: numbers in a row, without slots, since nobody but this function ever sees them.

A list is *private* where all that is done with it is known here: it is made by a display, a comprehension, `*`, `+`, a
slice or list(); it is indexed, written to, appended to, gone through; variables and other private lists hold it. It is
never returned, passed on, compared or printed. A private list of ints, floats or bools is a vector. What is not on the
lists below makes a list an ordinary one, and with it those that must be of one kind with it, and those that are in it.
"""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Cell, Tup
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BOOL, FLOAT, INT, NONE, U64, Type
from jitffi.scripts.tree.walk import element_pairs, walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any, Final

    from jitffi.scripts.analysis.cells import Value

#: What goes through the items of its argument.
_THROUGH: Final = frozenset(("enumerate", "zip", "reversed", "sum", "min", "max", "any", "all", "list"))
_METHODS: Final = frozenset(("append", "pop", "clear", "reverse", "copy"))
_NUMBERS: Final = (INT, U64, FLOAT, BOOL)
_VIRTUAL: Final = frozenset(("range", "enumerate", "zip", "reversed"))


class _Finder:
    def __init__(self, values: dict[Any, Value], local: Callable[[tree.Variable], Value]) -> None:
        self._values: Final = values
        self._local: Final = local
        self.ordinary: Final[set[Cell]] = set()
        #: Cells that are ordinary where the first one is.
        self._with: Final[list[tuple[Cell, Cell]]] = []
        self.found: Final[set[Cell]] = set()
        #: Tuples that are only written.
        self.unmade: Final[set[tree.Expr]] = set()

    def cell(self, node: object) -> Cell | None:
        """The list that an expression gives."""
        value = self._values.get(node)
        if not isinstance(value, Cell) or value.kind != "list":
            return None
        return value.find()

    def refuse(self, value: Value | None) -> None:
        if isinstance(value, Cell):
            self.ordinary.add(value.find())
        elif value is not None and not isinstance(value, Type):
            for item in value.items:
                self.refuse(item)

    def alike(self, node: tree.Expr, other: tree.Expr) -> None:
        """Both are vectors or none is."""
        a, b = self.cell(node), self.cell(other)
        if a is None or b is None:
            self.refuse(a)
            self.refuse(b)
        elif a is not b:
            self._with.extend(((a, b), (b, a)))

    def index(self, node: tree.Expr, index: tree.Expr) -> None:
        """What is no int gets its error from ordinary lists."""
        if self._values.get(index) not in (INT, U64, BOOL):
            self.refuse(self.cell(node))

    # -- what is done with each expression ---------------------------------------------------------------------------

    def visit(self, node: tree.Expr, is_fine: bool) -> None:
        """Look at an expression whose use is one of a private list's, or not."""
        cell = self.cell(node)
        if cell is not None and not _is_unmade(node):
            self.found.add(cell)
            if not (is_fine and self._is_source(node)):
                self.ordinary.add(cell)
        for child, fine in self._children(node):
            self.visit(child, fine)

    def _is_source(self, node: tree.Expr) -> bool:
        if isinstance(node, tree.Method):
            return node.name == "copy"
        if isinstance(node, tree.Builtin):
            return node.name == "list"
        return isinstance(node, tree.Local | tree.ListOf | tree.Comprehension | tree.Binary | tree.Slice | tree.Item)

    def _children(self, node: tree.Expr) -> Iterable[tuple[tree.Expr, bool]]:
        if isinstance(node, tree.ListOf):
            is_private = self.cell(node) is not None  # what one of Python's own holds becomes Python's
            return [(each, is_private) for each in node.items]
        if isinstance(node, tree.Spread):
            return [(node.value, True)]
        if isinstance(node, tree.Item):
            self.index(node.value, node.index)
            return [(node.value, True), (node.index, False)]
        if isinstance(node, tree.Slice):
            self.alike(node, node.value)
            for bound in (node.start, node.stop, node.step):
                if bound is not None and self._values.get(bound) != NONE:
                    self.index(node.value, bound)
            return [(node.value, True), *[(each, False) for each in (node.start, node.stop, node.step) if each]]
        if isinstance(node, tree.Binary) and self.cell(node) is not None and node.op in "+*":
            parts = [each for each in (node.left, node.right) if self.cell(each) is not None]
            for each in parts:
                self.alike(node, each)
            return [(each, each in parts) for each in (node.left, node.right)]
        if isinstance(node, tree.Unary):
            return [(node.operand, node.op == "not")]
        if isinstance(node, tree.Comprehension):
            return self._of_comprehension(node)
        if isinstance(node, tree.Method):
            fine = node.name in _METHODS and not node.keywords and self.cell(node.value) is not None
            if node.name == "copy":
                self.alike(node, node.value)
            fine = fine and len(node.args) in (
                (1,) if node.name == "append" else (0, 1) if node.name == "pop" else (0,)
            )
            if node.name == "pop" and fine and node.args:
                self.index(node.value, node.args[0])
            own = [node.value, *(node.args if node.name == "append" else [])]
            return [(each, fine and each in own) for each in parts_of(node)]
        if isinstance(node, tree.Builtin):
            return self._of_builtin(node)
        return [(each, False) for each in parts_of(node)]

    def _of_comprehension(self, node: tree.Comprehension) -> Iterable[tuple[tree.Expr, bool]]:
        for clause in node.clauses:
            yield clause.iterable, True
            yield from ((each, False) for each in clause.conditions)
            self.target(clause.target)
            self._unpack_items(clause.target, clause.iterable)
        yield node.value, node.key is None and not node.is_lazy
        if node.key is not None:
            yield node.key, False

    def _of_builtin(self, node: tree.Builtin) -> Iterable[tuple[tree.Expr, bool]]:
        alone = len(node.args) == 1 and not node.keywords and node.key is None
        if node.name in _VIRTUAL:
            fine = node.key is None
        else:
            fine = alone and (node.name in _THROUGH or node.name in ("len", "bool"))
        if node.name in ("sum", "min", "max") and node.args:
            cell = self.cell(node.args[0])
            self.refuse(cell.contents[0] if cell else None)  # lists are added, and compared
        return [(each, fine and each in node.args) for each in parts_of(node)]

    # -- statements --------------------------------------------------------------------------------------------------

    def target(self, target: tree.Target) -> None:
        if isinstance(target, tree.TargetItem):
            self.index(target.value, target.index)
            self.visit(target.value, True)
            self.visit(target.index, False)
        elif isinstance(target, tree.TargetSlice):
            for each in (target.value, target.start, target.stop, target.step):
                if each is not None:
                    self.visit(each, False)
        elif isinstance(target, tree.TargetTuple):
            for inner in target.targets:
                self.target(inner)
            if target.star >= 0:
                self._refuse_in(target.targets[target.star])

    def _refuse_in(self, target: tree.Target) -> None:
        """The list of what a star leaves is an ordinary one."""
        if isinstance(target, tree.TargetLocal):
            self.refuse(self._local(target.variable))
        elif isinstance(target, tree.TargetItem):
            cell = self.cell(target.value)
            self.refuse(cell.contents[0] if cell else None)

    def _unpack_items(self, target: tree.Target, iterable: tree.Expr) -> None:
        value = self._values.get(iterable)
        self._unpack(target, value.find().contents[0] if isinstance(value, Cell) else value)

    def _unpack(self, target: tree.Target, value: Value | None) -> None:
        """What is taken apart is an ordinary list."""
        if not isinstance(target, tree.TargetTuple):
            return
        if isinstance(value, Tup) and target.star < 0 and len(value.items) == len(target.targets):
            for each, item in zip(target.targets, value.items, strict=True):
                self._unpack(each, item)
        else:
            self.refuse(value)

    def statement(self, stmt: tree.Stmt) -> None:
        if isinstance(stmt, tree.Assign):
            self._assign(stmt)
        elif isinstance(stmt, tree.AugAssign):
            self.target(stmt.target)
            self.visit(stmt.value, False)
            if isinstance(stmt.target, tree.TargetLocal):
                self.refuse(self._local(stmt.target.variable))
            elif isinstance(stmt.target, tree.TargetItem):
                cell = self.cell(stmt.target.value)
                self.refuse(cell.contents[0] if cell else None)
        elif isinstance(stmt, tree.For):
            self.target(stmt.target)
            self._unpack_items(stmt.target, stmt.iterable)
            self.visit(stmt.iterable, True)
        elif isinstance(stmt, tree.If | tree.While):
            for each in _asked(stmt.test):
                self.visit(each, True)
        elif isinstance(stmt, tree.DeleteItem):
            for each in parts_of(stmt.target):
                self.visit(each, False)
        elif isinstance(stmt, tree.ExprStmt):
            self.visit(stmt.value, True)
        else:
            for each in parts_of(stmt):
                self.visit(each, False)

    def _assign(self, stmt: tree.Assign) -> None:
        pairs = element_pairs(stmt.targets[0], stmt.value) if len(stmt.targets) == 1 else None
        for target in stmt.targets:
            self.target(target)
        if pairs is None:
            plain = all(isinstance(each, tree.TargetLocal | tree.TargetItem) for each in stmt.targets)
            self.visit(stmt.value, plain)
            return
        self.refuse(self._values.get(stmt.value) if isinstance(stmt.value, tree.ListOf) else None)
        self.unmade.add(stmt.value)
        for each, item in pairs:
            self.visit(item, isinstance(each, tree.TargetLocal))

    def spread(self) -> None:
        """What is in an ordinary list is ordinary, and what must be like it."""
        while True:
            more: set[Cell] = set()
            for cell in self.ordinary:
                for content in cell.contents:
                    more.update(_lists_in(content))
            more.update(b for a, b in self._with if a in self.ordinary or not _same_items(a, b))
            if more <= self.ordinary:
                return
            self.ordinary.update(more)


def _asked(test: tree.Expr) -> Iterable[tree.Expr]:
    """The expressions whose truth a test asks."""
    if isinstance(test, tree.Logic):
        for each in test.operands:
            yield from _asked(each)
    else:
        yield test


def _is_unmade(node: tree.Expr) -> bool:
    """No list is made of it."""
    if isinstance(node, tree.Comprehension):
        return node.is_lazy
    return isinstance(node, tree.Spread) or (isinstance(node, tree.Builtin) and node.name in _VIRTUAL)


def _same_items(a: Cell, b: Cell) -> bool:
    left, right = a.contents[0], b.contents[0]
    if isinstance(left, Cell) and isinstance(right, Cell):
        return left.find() is right.find()
    return isinstance(left, Type) and left == right


def _lists_in(value: Value) -> Iterable[Cell]:
    if isinstance(value, Cell):
        cell = value.find()
        yield cell
        if cell.kind == "dict":
            for content in cell.contents:
                yield from _lists_in(content)
    elif not isinstance(value, Type):
        for item in value.items:
            yield from _lists_in(item)


def parts_of(node: object) -> list[tree.Expr]:
    """The expressions right below a node, whatever stands between."""
    found: list[tree.Expr] = []

    def look(part: object) -> None:
        if isinstance(part, tree.Expr):
            found.append(part)
        elif isinstance(part, list | tuple):
            for each in part:
                look(each)
        elif isinstance(part, dict):
            for each in part.values():
                look(each)
        elif isinstance(part, tree.Callee):
            look(part.value)
        elif isinstance(part, tree.Field | tree.Clause | tree.TargetItem | tree.TargetSlice | tree.TargetTuple):
            for each in vars(part).values():
                look(each)

    for name, part in vars(node).items():
        if name not in ("then", "body", "other") or not isinstance(part, list):
            look(part)
    return found


def find(function: tree.Function, values: dict[Any, Value], local: Callable[[tree.Variable], Value]) -> set[Cell]:
    """The cells of a variant's vectors; *values* has those of all expressions that can be reached."""
    finder = _Finder(values, local)
    for parameter in function.parameters:
        finder.refuse(local(parameter))
    for variable in function.variables:
        value = local(variable)
        if isinstance(value, Cell):
            finder.found.add(value.find())
        else:
            finder.refuse(value)  # what is in a tuple
    for stmt in walk_statements(function.body):
        finder.statement(stmt)
    for node, value in values.items():
        if isinstance(value, Cell):
            held = value.find().contents if value.kind == "dict" else []
        elif isinstance(value, Type) or node in finder.unmade:
            continue
        else:
            held = list(value.items)
        for content in held:
            finder.ordinary.update(_lists_in(content))
    for cell in finder.found:
        for content in cell.contents:
            if not isinstance(content, Cell):
                finder.refuse(content)  # a tuple's
    finder.ordinary.update([cell for cell in finder.found if cell.pinned])
    finder.spread()
    private = [cell for cell in finder.found if cell.kind == "list" and cell not in finder.ordinary]
    return {cell for cell in private if cell.contents[0] in _NUMBERS}
