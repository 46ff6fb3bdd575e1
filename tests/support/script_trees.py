"""Trees of scripts, run by Python: what the reader makes of a function must do what the function does.

Nothing here knows of types or code. A variable that the reader takes to be bound must be bound: WrongTree where it is
not.
"""

from __future__ import annotations

import builtins
import operator
from collections.abc import Iterator
from typing import Any

from jitffi.scripts.tree import tree

BINARY = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv, "//": operator.floordiv,
    "%": operator.mod, "**": operator.pow, "<<": operator.lshift, ">>": operator.rshift, "&": operator.and_,
    "|": operator.or_, "^": operator.xor,
}  # fmt: skip
INPLACE = {
    "+": operator.iadd, "-": operator.isub, "*": operator.imul, "/": operator.itruediv, "//": operator.ifloordiv,
    "%": operator.imod, "**": operator.ipow, "<<": operator.ilshift, ">>": operator.irshift, "&": operator.iand,
    "|": operator.ior, "^": operator.ixor,
}  # fmt: skip
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}
COMPARE = {
    "<": operator.lt, "<=": operator.le, "==": operator.eq, "!=": operator.ne, ">": operator.gt, ">=": operator.ge,
    "is": operator.is_, "is not": operator.is_not, "in": lambda a, b: a in b, "not in": lambda a, b: a not in b,
}  # fmt: skip
CLASSES = {name: getattr(builtins, name) for name in ("int", "bool", "float", "str", "bytes", "list", "tuple", "dict")}
CLASSES["None"] = type(None)


class WrongTree(BaseException):
    """The reader has said something that is not so."""


def must(be: object) -> None:
    if not be:
        raise WrongTree


class Break(Exception):
    pass


class Continue(Exception):
    pass


class Return(Exception):
    pass


def call(function: tree.Function, args: Any, defaults: Any = ()) -> Any:
    """What the function gives for these arguments; defaults fill what is missing."""
    required = len(function.parameters) - len(defaults)
    full = [*args, *defaults[len(args) - required :]] if len(args) >= required else list(args)
    must(len(full) == len(function.parameters))
    frame = Frame(dict(zip(function.parameters, full, strict=True)))
    must(set(function.parameters) <= set(function.variables))
    try:
        frame.block(function.body)
    except Return as done:
        return done.args[0]
    return None


class Frame:
    def __init__(self, bound: dict[tree.Variable, Any]) -> None:
        self.bound = bound

    # -- expressions ------------------------------------------------------------------------------------------

    def expr(self, node: Any) -> Any:
        return None if node is None else getattr(self, type(node).__name__)(node)

    def Const(self, node: tree.Const) -> Any:
        return node.value

    def Local(self, node: tree.Local) -> Any:
        if node.check:
            must(node.variable.maybe_unbound)
            if node.variable not in self.bound:
                raise UnboundLocalError(node.variable.name)
        must(node.variable in self.bound)
        return self.bound[node.variable]

    def Unary(self, node: tree.Unary) -> Any:
        return UNARY[node.op](self.expr(node.operand))

    def Binary(self, node: tree.Binary) -> Any:
        left = self.expr(node.left)
        return BINARY[node.op](left, self.expr(node.right))

    def Compare(self, node: tree.Compare) -> Any:
        left = self.expr(node.operands[0])
        result = True
        for op, operand in zip(node.ops, node.operands[1:], strict=True):
            right = self.expr(operand)
            result = COMPARE[op](left, right)
            if not result:
                break
            left = right
        return result

    def Logic(self, node: tree.Logic) -> Any:
        value = None
        for each in node.operands:
            value = self.expr(each)
            if bool(value) != node.is_and:
                break
        return value

    def Choice(self, node: tree.Choice) -> Any:
        return self.expr(node.then) if self.expr(node.test) else self.expr(node.other)

    def Item(self, node: Any) -> Any:
        value = self.expr(node.value)
        return value[self.expr(node.index)]

    def Slice(self, node: Any) -> Any:
        value = self.expr(node.value)
        return value[self.slice(node)]

    def slice(self, node: Any) -> slice:
        start = self.expr(node.start)
        stop = self.expr(node.stop)
        return slice(start, stop, self.expr(node.step))

    def Format(self, node: tree.Format) -> str:
        parts = []
        for part in node.parts:
            if isinstance(part, str):
                parts.append(part)
                continue
            value = self.expr(part.value)
            if part.conversion:
                value = {"s": str, "r": repr, "a": ascii}[part.conversion](value)
            parts.append(format(value, self.expr(part.spec) or ""))
        return "".join(parts)

    def Named(self, node: tree.Named) -> Any:
        self.assign(node.target, self.expr(node.value))
        return self.bound[node.target.variable]

    def ListOf(self, node: tree.ListOf) -> Any:
        found: list[Any] = []
        for each in node.items:
            if isinstance(each, tree.Spread):
                found.extend(self.expr(each.value))
            else:
                found.append(None if isinstance(each, tree.Undefined) else self.expr(each))
        return found

    def TupleOf(self, node: tree.TupleOf) -> Any:
        return tuple([self.expr(each) for each in node.items])

    def DictOf(self, node: tree.DictOf) -> Any:
        found = {}
        for key, value in zip(node.keys, node.values, strict=True):
            if key is None:
                found.update({**self.expr(value)})
                continue
            read = self.expr(key)
            found[read] = self.expr(value)
        return found

    def Comprehension(self, node: tree.Comprehension) -> Any:
        if node.is_lazy:
            return (self.expr(node.value) for _ in self.clauses(node.clauses))
        if node.key is None:
            return [self.expr(node.value) for _ in self.clauses(node.clauses)]
        return {self.expr(node.key): self.expr(node.value) for _ in self.clauses(node.clauses)}

    def clauses(self, clauses: list[tree.Clause]) -> Iterator[None]:
        if not clauses:
            yield
            return
        for item in self.expr(clauses[0].iterable):
            self.assign(clauses[0].target, item)
            if all(self.expr(each) for each in clauses[0].conditions):
                yield from self.clauses(clauses[1:])

    def Method(self, node: tree.Method) -> Any:
        function = getattr(self.expr(node.value), node.name)
        args = [self.expr(each) for each in node.args]
        keywords = {name: self.expr(each) for name, each in node.keywords.items()}
        if node.key is not None:
            keywords["key"] = self.callee(node.key)
        return function(*args, **keywords)

    def Builtin(self, node: tree.Builtin) -> Any:
        args = [self.expr(each) for each in node.args]
        keywords = {name: self.expr(each) for name, each in node.keywords.items()}
        if node.key is not None:
            keywords["key"] = self.callee(node.key)
        if node.classes:
            args.append(tuple([CLASSES[name] for name in node.classes]))
        return getattr(builtins, node.name)(*args, **keywords)

    def Call(self, node: tree.Call) -> Any:
        function = self.callee(node.callee)
        values = {i: self.expr(node.args[i]) for i in node.order or range(len(node.args))}
        return function(*[values[i] for i in range(len(node.args))])

    def callee(self, callee: tree.Callee) -> Any:
        if callee.script is not None:
            return lambda *args: call(callee.script.tree, args)
        if callee.native is not None:
            return callee.native
        if callee.builtin == ".get":
            return self.expr(callee.value).get
        if callee.builtin:
            owner, _, name = callee.builtin.rpartition(".")
            return getattr(getattr(builtins, owner), name) if owner else getattr(builtins, name)
        must(callee.value)
        return self.expr(callee.value)

    # -- statements -------------------------------------------------------------------------------------------

    def block(self, body: list[tree.Stmt]) -> None:
        for stmt in body:
            getattr(self, type(stmt).__name__)(stmt)

    def assign(self, target: Any, value: Any) -> None:
        if isinstance(target, tree.TargetLocal):
            must(target.variable.is_assigned)
            self.bound[target.variable] = value
        elif isinstance(target, tree.TargetItem):
            base = self.expr(target.value)
            base[self.expr(target.index)] = value
        elif isinstance(target, tree.TargetSlice):
            base = self.expr(target.value)
            base[self.slice(target)] = value
        else:
            self.unpack(target, value)

    def unpack(self, target: tree.TargetTuple, value: Any) -> None:
        targets, star = target.targets, target.star
        if star < 0:
            values = list(value)
            if len(values) != len(targets):
                raise ValueError("not as many values as targets")
        else:
            values = list(value)
            behind = len(targets) - star - 1
            if len(values) < len(targets) - 1:
                raise ValueError("not enough values to unpack")
            end = len(values) - behind
            values[star:end] = [values[star:end]]
        for each, item in zip(targets, values, strict=True):
            self.assign(each, item)

    def Assign(self, stmt: tree.Assign) -> None:
        value = self.expr(stmt.value)
        for target in stmt.targets:
            self.assign(target, value)

    def AugAssign(self, stmt: tree.AugAssign) -> None:
        target: Any = stmt.target
        if isinstance(target, tree.TargetLocal):
            if target.variable not in self.bound:
                must(target.variable.maybe_unbound)
                raise UnboundLocalError(target.variable.name)
            old = self.bound[target.variable]
            self.bound[target.variable] = INPLACE[stmt.op](old, self.expr(stmt.value))
        else:
            base = self.expr(target.value)
            key = self.expr(target.index) if isinstance(target, tree.TargetItem) else self.slice(target)
            old = base[key]
            base[key] = INPLACE[stmt.op](old, self.expr(stmt.value))

    def DeleteItem(self, stmt: tree.DeleteItem) -> None:
        target: Any = stmt.target
        base = self.expr(target.value)
        del base[self.expr(target.index) if isinstance(target, tree.TargetItem) else self.slice(target)]

    def ExprStmt(self, stmt: tree.ExprStmt) -> None:
        self.expr(stmt.value)

    def If(self, stmt: tree.If) -> None:
        self.block(stmt.then if self.expr(stmt.test) else stmt.other)

    def While(self, stmt: tree.While) -> None:
        while self.expr(stmt.test):
            try:
                self.block(stmt.body)
            except Continue:
                continue
            except Break:
                return
        self.block(stmt.other)

    def For(self, stmt: tree.For) -> None:
        for item in self.expr(stmt.iterable):
            self.assign(stmt.target, item)
            try:
                self.block(stmt.body)
            except Continue:
                continue
            except Break:
                return
        self.block(stmt.other)

    def Break(self, stmt: tree.Break) -> None:
        raise Break

    def Continue(self, stmt: tree.Continue) -> None:
        raise Continue

    def Return(self, stmt: tree.Return) -> None:
        raise Return(self.expr(stmt.value))

    def Raise(self, stmt: tree.Raise) -> None:
        kind = getattr(builtins, stmt.kind)
        raise kind() if stmt.message is None else kind(self.expr(stmt.message))

    def Assert(self, stmt: tree.Assert) -> None:
        if not self.expr(stmt.test):
            raise AssertionError() if stmt.message is None else AssertionError(self.expr(stmt.message))

    def Pass(self, stmt: tree.Pass) -> None:
        pass
