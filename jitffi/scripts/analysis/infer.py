"""The types of a variant: a script's tree, and the types of its parameters, become a typed tree.

One value a variable, whatever is assigned to it; statements are gone through again until no value grows any more
(cells.py says what values are, evaluate.py what expressions give). Branches that the types rule out, as behind an
`isinstance` of what is a str for sure, do not count, and are gone from the typed tree.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, Protocol

from jitffi.scripts.analysis import coalesce, scattered, vectors, webs
from jitffi.scripts.analysis.cells import (
    Cell,
    Summary,
    Value,
    is_any,
    is_never,
    is_written,
    type_of,
    value_of,
    whole,
)
from jitffi.scripts.analysis.copies import copy_function
from jitffi.scripts.analysis.evaluate import Evaluator
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.library import rules
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.types import ANY, NEVER, NONE, OBJECT, Type
from jitffi.scripts.tree.walk import element_pairs

if TYPE_CHECKING:
    from collections.abc import Callable

#: Variants of one script that scripts call; one more is the one whose parameters without annotations are all ANY.
MAX_VARIANTS = 8


class Results(Protocol):
    """What is known of scripts that are called."""

    def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
        """The variant that is called for arguments of these types, and what is known of it, None for nothing yet."""


def parameter_types(function: tree.Function, types: list[Type]) -> tuple[Type, ...]:
    """The variant for arguments of these types: what is declared is as declared."""
    given = zip(function.parameters, types, strict=True)
    return tuple([each.declared.with_rank_of(type_) if each.declared else type_ for each, type_ in given])


class Inference:
    """The inference of one variant: `run` again when what it calls is known better; `finish` makes the typed tree."""

    def __init__(self, function: tree.Function, types: tuple[Type, ...], results: Results) -> None:
        self.function: Final = copy_function(function)
        for parameter, type_ in zip(self.function.parameters, types, strict=True):
            if parameter.declared is not None and parameter.declared.kind == "array":
                parameter.lengths = tuple([each.kind for each in (parameter.declared.args or ())[1:]])
                parameter.declared = type_  # which has a rank
        scattered.scatter(self.function, types)
        self._webs: Final = webs.split(self.function, types)
        self._ev: Final = Evaluator(lambda script, args: results.of(script, tuple(args)))
        self.result: Value = NEVER
        self._declared = function.declared_result is not None
        if function.declared_result is not None:
            self.result = value_of(function.declared_result, pinned=True)
        for parameter, type_ in zip(self.function.parameters, types, strict=True):
            self._ev.assign_local(parameter, value_of(type_))
        self._parameters: Final = [self._ev.local(parameter) for parameter in self.function.parameters]

    def run(self, final: bool) -> Summary:
        """Goes on until nothing changes. Without `final` what has no value yet may get one."""
        ev = self._ev
        ev.final = final
        while True:
            ev.cells.changed = False
            ev.values.clear()
            if self._block(self.function.body):
                self._return(NONE)
            if final and is_never(self.result):
                self.result = ANY
                ev.cells.changed = True
            if not ev.cells.changed:
                return Summary(self._parameters, self.result)

    def finish(self) -> tree.Function:
        """Writes the types into the tree. The Inference is used up."""
        for cell in vectors.find(self.function, self._ev.values, self._ev.local):
            cell.is_vector = True
        for node, value in self._ev.values.items():
            node.type = type_of(value)
        for variable in self.function.variables:
            value = self._ev.local(variable)
            variable.type = ANY if is_never(value) else type_of(value)
            if isinstance(value, Cell):
                variable.why = value.find().why
        for parameter, value in zip(self.function.parameters, self._parameters, strict=True):
            parameter.only_read = isinstance(value, Cell) and not value.find().written
        self.function.changes_arguments = any(map(is_written, self._parameters))
        self.function.result = type_of(self.result)
        self.function.body = self._pruned(self.function.body)
        coalesce.coalesce(self.function, self._webs)
        return self.function

    # -- statements: each says whether what stands behind it can be reached ----------------------------------------

    def _block(self, body: list[tree.Stmt]) -> bool:
        for stmt in body:
            self._ev.cells.line = stmt.place.line
            if not _STATEMENTS[type(stmt)](self, stmt):
                return False
        return True

    def _return(self, value: Value) -> None:
        if self._declared:
            self._ev.cells.conform(self.result, value)
            return
        new = self._ev.cells.join(self.result, value)
        if new is not self.result:
            self.result = new
            self._ev.cells.changed = True

    def _assign(self, stmt: tree.Assign) -> bool:
        ev = self._ev
        value = ev.expr(stmt.value)
        narrowed = self._webs.narrowed.get(stmt)
        if narrowed is not None and is_any(value):
            value = ev.narrowed(stmt, value, narrowed)
        for target in stmt.targets:
            pairs = element_pairs(target, stmt.value) if len(stmt.targets) == 1 else None
            if pairs is None:
                ev.assign(target, value)
            else:
                for each, item in pairs:
                    ev.assign(each, ev.values[item])
        return True

    def _augmented(self, stmt: tree.AugAssign) -> bool:
        ev, target = self._ev, stmt.target
        old: Value
        if isinstance(target, tree.TargetLocal):
            old = ev.local(target.variable)
        elif isinstance(target, tree.TargetItem):
            value = ev.expr(target.value)
            old = ev.item(value, ev.expr(target.index), target.index)
        else:
            assert isinstance(target, tree.TargetSlice)
            old = ev.sliced(target, ev.slice_parts(target), target)
        if stmt.op == "+":
            item = ev.iterate(stmt.value)
        else:
            item = NEVER
            ev.expr(stmt.value)
        new = self._inplace(stmt, old, ev.values[stmt.value], item)
        if isinstance(target, tree.TargetItem):
            ev.set_item(ev.values[target.value], ev.values[target.index], new)
        else:
            ev.assign(target, new)
        return True

    def _inplace(self, stmt: tree.AugAssign, old: Value, value: Value, item: Value) -> Value:
        ev = self._ev
        if is_object(old):
            to_python(ev, value)
            return OBJECT
        if not isinstance(old, Type) and type_of(old).kind == "list":
            if stmt.op == "+":
                ev.set_slice(old, ev.made(stmt, item))
                return old
            if stmt.op == "*" and isinstance(old, Cell):
                ev.cells.write(old)
                return old
        exponent = stmt.value.value if isinstance(stmt.value, tree.Const) else None
        return ev.binary(stmt, stmt.op, old, value, exponent)

    def _delete(self, stmt: tree.DeleteItem) -> bool:
        if isinstance(stmt.target, tree.TargetItem):
            value = self._ev.expr(stmt.target.value)
            self._ev.expr(stmt.target.index)
        else:
            value = self._ev.slice_parts(stmt.target)
        if isinstance(value, Cell):
            self._ev.cells.write(value)
        return True

    def _expression(self, stmt: tree.ExprStmt) -> bool:
        self._ev.expr(stmt.value)
        return True

    def _if(self, stmt: tree.If) -> bool:
        self._ev.expr(stmt.test)
        true, false = self._ev.truth(stmt.test)
        passes = true and self._block(stmt.then)
        return (false and self._block(stmt.other)) or passes

    def _while(self, stmt: tree.While) -> bool:
        self._ev.expr(stmt.test)
        if self._ev.truth(stmt.test)[0]:
            self._block(stmt.body)
        # What falls_through says of it holds for the pruned tree, too: only a constant makes a loop endless.
        forever = isinstance(stmt.test, tree.Const) and bool(stmt.test.value)
        return (not forever and self._block(stmt.other)) or rules.has_break(stmt.body)

    def _for(self, stmt: tree.For) -> bool:
        self._ev.assign(stmt.target, self._ev.iterate(stmt.iterable))
        self._block(stmt.body)
        return self._block(stmt.other) or rules.has_break(stmt.body)

    def _labelled(self, stmt: tree.Labelled) -> bool:
        return self._block(stmt.body) or rules.has_leave(stmt)

    def _returned(self, stmt: tree.Return) -> bool:
        self._return(NONE if stmt.value is None else whole(self._ev.expr(stmt.value)))
        return False

    def _raise(self, stmt: tree.Raise) -> bool:
        if stmt.message is not None:
            self._ev.expr(stmt.message)
        return False

    def _assert(self, stmt: tree.Assert) -> bool:
        self._ev.expr(stmt.test)
        if stmt.message is not None:
            self._ev.expr(stmt.message)
        return True

    def _try(self, stmt: tries.Try) -> bool:
        passes = self._block(stmt.body) and self._block(stmt.other)
        handled = [self._block(each.body) for each in stmt.handlers]
        return passes or any(handled)

    def _leaving(self, stmt: tries.Leaving) -> bool:
        return self._block(stmt.body)

    def _titled(self, stmt: tries.Titled) -> bool:
        self._ev.assign_local(stmt.target.variable, OBJECT)
        return self._block(stmt.body)

    def _enter(self, stmt: tries.Enter) -> bool:
        to_python(self._ev, self._ev.expr(stmt.manager))
        for each in (stmt.exit, stmt.entered):
            self._ev.assign_local(each.variable, OBJECT)
        return True

    def _raised(self, stmt: tries.Raised) -> bool:
        for each in (stmt.value, stmt.cause):
            if each is not None:
                to_python(self._ev, self._ev.expr(each))
        return False

    def _unbind(self, stmt: tries.Unbind) -> bool:
        self._ev.expr(stmt.value)
        return True

    def _passes(self, stmt: tree.Stmt) -> bool:
        return True

    def _leaves(self, stmt: tree.Stmt) -> bool:
        return False

    # -- what the types have ruled out -----------------------------------------------------------------------------

    def _pruned(self, body: list[tree.Stmt]) -> list[tree.Stmt]:
        """Without what cannot be reached: its expressions have no types."""
        found = []
        for stmt in body:
            found.append(stmt)
            if isinstance(stmt, tree.If):
                true, false = self._ev.truth(stmt.test)
                stmt.then = self._pruned(stmt.then) if true else rules.unreachable(stmt)
                stmt.other = self._pruned(stmt.other) if false else rules.unreachable(stmt)
            elif isinstance(stmt, tree.While):
                entered = self._ev.truth(stmt.test)[0]
                stmt.body = self._pruned(stmt.body) if entered else rules.unreachable(stmt)
                endless = isinstance(stmt.test, tree.Const) and bool(stmt.test.value)
                stmt.other = [] if endless else self._pruned(stmt.other)
            elif isinstance(stmt, tree.For):
                stmt.body = self._pruned(stmt.body)
                stmt.other = self._pruned(stmt.other)
            elif isinstance(stmt, tries.Leaving | tries.Titled | tree.Labelled):
                stmt.body = self._pruned(stmt.body)
            elif isinstance(stmt, tries.Try):
                stmt.body = self._pruned(stmt.body)
                stmt.other = self._pruned(stmt.other) if rules.falls_through(stmt.body) else []
                for handler in stmt.handlers:
                    handler.body = self._pruned(handler.body)
            if not rules.falls_through([stmt]):
                break
        return found


_STATEMENTS: dict[type, Callable[[Inference, Any], bool]] = {
    tree.Assign: Inference._assign,
    tree.AugAssign: Inference._augmented,
    tree.DeleteItem: Inference._delete,
    tree.ExprStmt: Inference._expression,
    tree.If: Inference._if,
    tree.While: Inference._while,
    tree.For: Inference._for,
    tree.Return: Inference._returned,
    tree.Raise: Inference._raise,
    tree.Assert: Inference._assert,
    tree.Pass: Inference._passes,
    tree.Labelled: Inference._labelled,
    tree.Leave: Inference._leaves,
    tries.Try: Inference._try,
    tries.Leaving: Inference._leaving,
    tries.Reraise: Inference._leaves,
    tries.Unbind: Inference._unbind,
    tries.Titled: Inference._titled,
    tries.Enter: Inference._enter,
    tries.Raised: Inference._raised,
    tree.Break: Inference._leaves,
    tree.Continue: Inference._leaves,
}


# -- a variant, and all that it calls --------------------------------------------------------------------------


class _CallGraph:
    """Variants of scripts that call each other, each inferred again when one that it calls is known better."""

    def __init__(self, tree_of: Callable[[Any], tree.Function]) -> None:
        self._tree_of = tree_of
        self.variants: dict[tuple[Any, tuple[Type, ...]], Inference] = {}
        self._counts: Counter[Any] = Counter()
        self.summaries: dict[tuple[Any, tuple[Type, ...]], Summary] = {}
        self.callees: dict[Any, dict[Any, None]] = {}
        self._callers: dict[Any, dict[Any, None]] = {}
        self._waiting: dict[Any, None] = {}
        self._again: dict[Any, None] = {}
        self._running: Any = None

    def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
        function = self._tree_of(script)
        types = parameter_types(function, list(types))
        if (script, types) not in self.variants:
            if self._counts[script] >= MAX_VARIANTS:
                types = parameter_types(function, [ANY] * len(types))
            self.add(script, types)
        key = (script, types)
        self._callers.setdefault(key, {})[self._running] = None
        self.callees.setdefault(self._running, {})[key] = None
        return types, self.summaries.get(key)

    def add(self, script: Any, types: tuple[Type, ...]) -> None:
        key = (script, types)
        if key not in self.variants:
            self.variants[key] = Inference(self._tree_of(script), types, self)
            self._counts[script] += 1
            self._waiting[key] = None

    def run(self, final: bool) -> None:
        """Until no summary changes."""
        if final:
            self._waiting.update(dict.fromkeys(self.variants))
        while self._waiting or self._again:
            # The youngest first, and callers again when nothing else waits: what is called is known before them.
            key = self._waiting.popitem()[0] if self._waiting else next(iter(self._again))
            self._again.pop(key, None)
            self._running = key
            self.callees[key] = {}
            summary = self.variants[key].run(final)
            if self.summaries.get(key) != summary:
                self.summaries[key] = summary
                self._again.update(self._callers.get(key, {}))


def infer_program(
    script: Any, types: tuple[Type, ...], tree_of: Callable[[Any], tree.Function]
) -> dict[tuple[Any, tuple[Type, ...]], tree.Function]:
    """The typed trees of a variant and of all variants that it calls, by script and types; the first is the variant's.

    Scripts are whatever stands in `Callee.script`, and hashable; `tree_of` gives their trees.
    """
    program = _CallGraph(tree_of)
    program.add(script, types)
    program.run(final=False)
    program.run(final=True)
    found: dict[tuple[Any, tuple[Type, ...]], tree.Function] = {}
    wanted = [(script, types)]
    while wanted:
        key = wanted.pop()
        if key not in found:
            found[key] = program.variants[key].finish()
            wanted += reversed(program.callees.get(key, {}))
    return found


def infer(function: tree.Function, types: tuple[Type, ...], results: Results | None = None) -> tree.Function:
    """The typed tree of one variant, given what is known of the scripts that it calls."""
    inference = Inference(function, types, results or _Nothing())
    inference.run(final=False)
    inference.run(final=True)
    return inference.finish()


class _Nothing:
    def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
        return types, None
