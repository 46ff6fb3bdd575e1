"""One variant of a script under construction: what lowering functions are handed, and the way of every node to the one
that is entered for its class.

    b.expr(node) -> Value          the function that is entered (registry.py); numbers.py, control.py, calls.py,
                                   texts.py, containers.py, dynamic.py, builtins.py, loops.py
    b.stmt(node), b.block(list)
    b.truth(node, then, other)     a condition: branches, never a bool first

    b.e                            the builder: instructions
    b.frame                        temporaries, scopes, failing, calls of the runtime
    b.storage                      addresses of values, owned copies
    b.variables                    memory of variables
    b.exits                        loops, and the way out of the function
    b.module                       constants and functions that are shared

On values that are there, by their kinds: operations.py; values as of other types: conversion.py. Nothing here knows how
any operation is done.
"""

from __future__ import annotations

from jitffi.scripts.analysis.counters import counters
from jitffi.scripts.lower.function import conversion, operations, registry
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.exits import Exits
from jitffi.scripts.lower.function.frame import Frame
from jitffi.scripts.lower.function.outlined import LARGE
from jitffi.scripts.lower.function.side_effects import locals_of
from jitffi.scripts.lower.function.storage import Storage
from jitffi.scripts.lower.function.variables import Variables
from jitffi.scripts.lower.text.texts import grown
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk, walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.module import Module
    from jitffi.scripts.lower.function.values import Value
    from jitffi.scripts.lower.function.variants import Variant


class Body:
    """A function that is being lowered, in parts."""

    def __init__(self, module: Module, function: tree.Function) -> None:
        self.module = module
        self.abi = module.abi
        self.function = function
        self.frame = Frame(module, function.name, function.filename)
        self.frame.outlines = sum(1 for _ in walk_statements(function.body)) > LARGE
        self.e = self.frame.e
        self.storage = Storage(self.frame)
        self.variables = Variables(self.storage, _receiving(function), _growing(function))
        #: Ints whose sums with little need no check.
        self.counters = counters(function)
        self.exits = Exits(self.frame)
        #: What a conversion that fails calls its value: a variable's name, "result".
        self.naming = "value"
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
        #: Where the upper halves of variables are that are wide.
        self.upper: dict[tree.Variable, V] = {}

    # -- dispatch ----------------------------------------------------------------------------------------

    def expr(self, node: tree.Expr) -> Value:
        """Evaluate it. The value is of the node's type, or of one that joins to it. A NEVER value does not come: what
        follows it is dead code (emit.py), which can be written like any other."""
        line, self.frame.line = self.frame.line, node.place.line
        if node.type.kind == "object":
            value = registry.MAKERS[0](self, node) or registry.EXPRESSIONS[type(node)](self, node)
            if value.kind == "array":  # which is used as the object that it was made of
                value = self.storage.lasting(conversion.convert(self, value, node.type))
        else:
            value = registry.EXPRESSIONS[type(node)](self, node)
        self.frame.line = line
        if not self.e.is_open:
            self.e.dead()
        return value

    def exprs(self, nodes: list[tree.Expr]) -> list[Value]:
        """From the left; each is good while the others are evaluated (volatile values are materialised)."""
        return [self.storage.lasting(self.expr(node)) for node in nodes]

    def stmt(self, node: tree.Stmt) -> None:
        """Write a statement, in a scope of its own."""
        line, self.frame.line = self.frame.line, node.place.line
        self.e.comment(self._source(self.frame.line))
        with self.frame.scope():
            registry.STATEMENTS[type(node)](self, node)
        if self.e.is_open and self.e.is_dead:
            self.e.unreachable()
        self.frame.line = line

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
            return self._compare_chain(node, then, other)
        if isinstance(node, tree.Compare) and node.type.kind == "object":
            return self._compare_chain(node, then, other)  # its truth alone: no object is made for it
        if node in self.function.in_fields:
            for leave in registry.UNSET:
                leave(self, node, then, other)
        value = self.expr(node)
        self.e.branch(operations.is_true(self, value), then, other)
        return None

    def _compare_chain(self, node: tree.Compare, then: str, other: str) -> None:
        left = self.storage.lasting(self.expr(node.operands[0]))
        for i, (op, operand) in enumerate(zip(node.ops, node.operands[1:], strict=True)):
            right = self.storage.lasting(self.expr(operand))
            last = i == len(node.ops) - 1
            on = then if last else self.e.label("chain")
            self.e.branch(operations.compare(self, op, left, right), on, other)
            if not last:
                self.e.at(on)
            left = right


def _receiving(function: tree.Function) -> set[tree.Variable]:
    """The targets of loops, which get what lies in containers."""
    loops = [node for node in walk(function.body) if isinstance(node, tree.For | tree.Clause)]
    return {variable for node in loops for variable in locals_of(node.target)}


def _growing(function: tree.Function) -> set[tree.Variable]:
    """The variables with a `+=`, or what comes to the same."""
    found = {
        stmt.target.variable
        for stmt in walk_statements(function.body)
        if isinstance(stmt, tree.AugAssign) and stmt.op == "+" and isinstance(stmt.target, tree.TargetLocal)
    }
    return found | {each[0] for stmt in walk_statements(function.body) if (each := grown(stmt))}
