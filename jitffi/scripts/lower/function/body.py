"""One variant of a script under construction: every node goes through here to whoever generates it.

    b.expr(node) -> Value          the file that is entered for the node's class (registry.py); numbers.py, control.py,
                                   calls.py, texts.py, containers.py, dynamic.py, builtins.py, loops.py
    b.stmt(node), b.block(list)
    b.truth(node, then, other)     a condition: branches, never a bool first
    b.binary(op, left, right), b.compare, b.item, ...   operations on values that are there, by their kinds
    b.convert(value, type)         INT -> ANY, CHAR -> STR, ANY -> STR with a test

Storage (storage.py), variables (variables.py), temporaries, failing and calls (frame.py) are its bases. Nothing here
knows how any operation is done.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

from jitffi.scripts.lower.function import registry
from jitffi.scripts.lower.function.conversion import Converting
from jitffi.scripts.lower.function.emit import FALSE, NULL, TRUE, V, const
from jitffi.scripts.lower.function.outlined import LARGE
from jitffi.scripts.lower.function.side_effects import locals_of
from jitffi.scripts.lower.function.values import TEXTS, Value
from jitffi.scripts.lower.text.texts import grown
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY
from jitffi.scripts.tree.walk import walk, walk_statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from jitffi.scripts.lower.function.module import Module
    from jitffi.scripts.lower.function.variants import Variant
    from jitffi.scripts.tree.types import Type


class Loop:
    """Where `break` and `continue` of the loop that is being written lead, and how many scopes were open around it."""

    __slots__ = ("break_to", "continue_to", "depth")

    def __init__(self, break_to: str, continue_to: str, depth: int) -> None:
        self.break_to = break_to
        self.continue_to = continue_to
        self.depth = depth


class Body(Converting):
    """See above."""

    def __init__(self, module: Module, function: tree.Function) -> None:
        super().__init__(module, function.name, function.filename)
        self.function = function
        self.cells = {}
        self.outliving = set()
        self.borrowing = set()
        self.receiving = {
            variable
            for node in walk(function.body)
            if isinstance(node, tree.For | tree.Clause)
            for variable in locals_of(node.target)
        }
        #: Text that looks as if it outlived the call is taken for it; DoesNotOutlive says that it does not.
        self.guesses = True
        self.growing = {
            stmt.target.variable
            for stmt in walk_statements(function.body)
            if isinstance(stmt, tree.AugAssign) and stmt.op == "+" and isinstance(stmt.target, tree.TargetLocal)
        }
        self.growing |= {found[0] for stmt in walk_statements(function.body) if (found := grown(stmt))}
        self.outlines = sum(1 for _ in walk_statements(function.body)) > LARGE
        self.loops: list[Loop] = []
        #: The expression that is evaluated for a variable, and n of the variable's slot.
        self.stored: tuple[tree.Expr, int] | None = None
        #: Where the result goes: an out-slot of the caller's, or an alloca.
        self.out: V = NULL
        #: Rounds of loops until it is asked whether the script is to end, and from question to question; None: there is
        #: no loop that counts them.
        self.rounds: tuple[V, V] | None = None
        #: How deep in calls of itself a recursive variant is, i32.
        self.depth: V = const("i32", 0)
        #: The lowest address that a frame may have.
        self.stack: V = const("i64", 0)
        self.variant: Variant | None = None
        self._leave = ""

    def fresh(self) -> Body:
        found = Body(self.module, self.function)
        found.outlines = False
        return found

    # -- dispatch ----------------------------------------------------------------------------------------

    def expr(self, node: tree.Expr) -> Value:
        """Evaluate it. The value is of the node's type, or of one that joins to it. A NEVER value does not come: what
        follows it is dead code (emit.py), which can be written like any other."""
        line, self.line = self.line, node.place.line
        value = registry.EXPRESSIONS[type(node)](self, node)
        self.line = line
        if not self.e.is_open:
            self.e.dead()
        return value

    def exprs(self, nodes: list[tree.Expr]) -> list[Value]:
        """From the left; each is good while the others are evaluated (volatile values are materialised)."""
        return [self.lasting(self.expr(node)) for node in nodes]

    def stmt(self, node: tree.Stmt) -> None:
        """Write a statement, in a scope of its own."""
        line, self.line = self.line, node.place.line
        self.e.comment(self._source(self.line))
        with self.scope():
            registry.STATEMENTS[type(node)](self, node)
        if self.e.is_open and self.e.is_dead:
            self.e.unreachable()
        self.line = line

    def _source(self, line: int) -> str:
        """That line as it stands in the file."""
        at = line - self.function.place.line
        return f"{line}: {self.function.source[at].strip()}" if 0 <= at < len(self.function.source) else ""

    def block(self, statements: list[tree.Stmt]) -> None:
        """Write statements up to the first that cannot be reached."""
        for each in statements:
            if not self.e.is_open:
                break
            self.stmt(each)

    # -- conditions --------------------------------------------------------------------------------------

    def truth(self, node: tree.Expr, then: str, other: str) -> None:
        """Branch by a condition, and close the block. `and`, `or` and `not` only branch; comparisons are i1."""
        if isinstance(node, tree.Unary) and node.op == "not":
            return self.truth(node.operand, other, then)
        if isinstance(node, tree.Logic):
            for each in node.operands[:-1]:
                on = self.e.label("and" if node.is_and else "or")
                self.truth(each, *((on, other) if node.is_and else (then, on)))
                self.e.at(on)
            return self.truth(node.operands[-1], then, other)
        if isinstance(node, tree.Compare) and len(node.ops) > 1:
            return self.compare_chain(node, then, other)
        value = self.expr(node)
        self.e.branch(self.is_true(value), then, other)
        return None

    def compare_chain(self, node: tree.Compare, then: str, other: str) -> None:
        left = self.lasting(self.expr(node.operands[0]))
        for i, (op, operand) in enumerate(zip(node.ops, node.operands[1:], strict=True)):
            right = self.lasting(self.expr(operand))
            last = i == len(node.ops) - 1
            on = then if last else self.e.label("chain")
            self.e.branch(self.compare(op, left, right), on, other)
            if not last:
                self.e.at(on)
            left = right

    def is_true(self, value: Value) -> V:
        """Python's truth of a value, an i1."""
        if value.kind == "bool":
            return value.ssa
        if value.kind in ("none", "never"):
            return FALSE
        if value.kind in TEXTS:
            return self.e.icmp("ne", value.size, const("i64", 0), "truth")
        if value.kind in ("char", "func"):
            return TRUE
        return registry.TRUTH[value.kind](self, value)

    # -- operations on values ------------------------------------------------------------------------------

    def binary(self, op: str, left: Value, right: Value) -> Value:
        """`left op right`. Operands must be lasting."""
        if "never" in (left.kind, right.kind):
            return self.never()
        handler = registry.BINARY.get(registry.kind_of_two(left, right))
        found = handler(self, op, left, right) if handler else None
        if found is None:
            found = registry.BINARY["any"](self, op, left, right)
        assert found is not None
        return found

    def compare(self, op: str, left: Value, right: Value) -> V:
        """`left op right` as an i1, for all ten comparisons."""
        if "never" in (left.kind, right.kind):
            return FALSE
        if op in ("is", "is not"):
            same = self.is_same(left, right)
            return self.e.not_(same) if op == "is not" else same
        if op in ("in", "not in"):
            handler = registry.CONTAINS.get("str" if right.kind == "char" else right.kind)
            inside = handler(self, right, left) if handler else None
            if inside is None:
                inside = registry.CONTAINS["any"](self, right, left)
            assert inside is not None
            return self.e.not_(inside) if op == "not in" else inside
        by_kind = registry.COMPARE.get(registry.kind_of_two(left, right))
        result = by_kind(self, op, left, right) if by_kind else None
        if result is None:
            result = registry.COMPARE["any"](self, op, left, right)
        assert result is not None
        return result

    def is_same(self, left: Value, right: Value) -> V:
        """`left is right`: None, bools and objects; other things as jf_op_is says."""
        kinds = {left.kind, right.kind}
        if kinds == {"none"}:
            return TRUE
        if kinds == {"bool"}:
            return self.e.icmp("eq", left.ssa, right.ssa)
        if kinds == {"any", "none"}:
            any_ = left if left.kind == "any" else right
            return self.e.icmp("eq", self.e.load("i32", any_.ssa, 0, "code"), const("i32", -1), "is.none")
        if "any" not in kinds and len(kinds) > 1 and kinds != {"str", "char"}:
            return FALSE
        same = self.call("jf_op_is", self.view(left), self.view(right))
        return self.e.icmp("ne", same, const("i32", 0), "is")

    def length(self, value: Value) -> V:
        """len(value), i64."""
        if value.kind in TEXTS:
            return value.size
        if value.kind in ("char", "never"):
            return const("i64", 1)
        handler = registry.LENGTH.get(value.kind)
        found = handler(self, value) if handler else None
        if found is None:
            found = registry.LENGTH["any"](self, value)
        assert found is not None
        return found

    def item(self, value: Value, index: Value, type_: Type) -> Value:
        """`value[index]`, of the type that inference found for it. May be volatile."""
        if "never" in (value.kind, index.kind):
            return self.never()
        handler = registry.ITEM.get("str" if value.kind == "char" else value.kind)
        found = handler(self, value, index, type_) if handler else None
        if found is None:
            found = registry.ITEM["any"](self, value, index, ANY)
        assert found is not None
        return found

    def slice(self, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
        """`value[start:stop:step]`."""
        if "never" in [each.kind for each in (value, start, stop, step) if each]:
            return self.never()
        handler = registry.SLICE.get("str" if value.kind == "char" else value.kind)
        found = handler(self, value, start, stop, step) if handler else None
        if found is None:
            found = registry.SLICE["any"](self, value, start, stop, step)
        assert found is not None
        return found

    # -- loops and the way out -----------------------------------------------------------------------------

    @contextmanager
    def loop(self, break_to: str, continue_to: str) -> Iterator[Loop]:
        """Around a loop's body: where `break` and `continue` lead. Scopes that are open now are not left by them."""
        loop = Loop(break_to, continue_to, len(self.scopes))
        self.loops.append(loop)
        yield loop
        self.loops.pop()

    def leave_scopes(self, depth: int) -> None:
        """Release what the scopes above the first *depth* have made, before a jump out of them."""
        for scope in reversed(self.scopes[depth:]):
            self.release_scope(scope)

    def leave_label(self) -> str:
        """Where the variables are released and the function returns; the result is in `out`."""
        self._leave = self._leave or self.e.label("leave")
        return self._leave

    def write_leave(self, ret: Callable[[], None]) -> None:
        """Write that block, if anything leads there; *ret* returns."""
        if not self._leave:
            return
        self.e.at(self._leave)
        for owner in reversed(self.owners):
            self.release_owner(owner, null=False)
        ret()
