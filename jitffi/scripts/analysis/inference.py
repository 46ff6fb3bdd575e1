"""The types of a variant: a script's tree, and the types of its parameters, become a typed tree.

One value a variable, whatever is assigned to it; statements are gone through again until no value grows any more
(cells.py says what values are, evaluate.py what expressions give). Branches that the types rule out, as behind an
`isinstance` of what is a str for sure, do not count, and are gone from the typed tree.
"""

from __future__ import annotations

from jitffi.scripts.analysis import (
    array_uses,
    coalesce,
    constant_conditions,
    cut,
    evaluate_items,
    evaluate_methods,
    evaluate_sets,
    field_uses,
    growing,
    products,
    scattered,
    vectors,
    webs,
)
from jitffi.scripts.analysis.cells import (
    Cell,
    Tup,
    Value,
    is_any,
    is_never,
    is_written,
    stored,
    type_of,
    value_of,
    whole,
)
from jitffi.scripts.analysis.copies import copy_function
from jitffi.scripts.analysis.evaluate import Evaluator
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.analysis.places import Places
from jitffi.scripts.analysis.results import is_converted, is_counted, may_stay
from jitffi.scripts.analysis.summaries import Summary
from jitffi.scripts.library import rules
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.types import (
    ANY,
    COUNTER,
    INT,
    NEVER,
    NONE,
    OBJECT,
    PROMISED,
    U64,
    Type,
    object_of,
)
from jitffi.scripts.tree.walk import element_pairs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final, Protocol

    class Results(Protocol):
        """What is known of scripts that are called."""

        def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
            """The variant that is called for arguments of these types, and what is known of it: None for nothing."""


#: Variants of one script that scripts call; one more is the one whose parameters without annotations are all ANY.
MAX_VARIANTS = 8


def parameter_types(function: tree.Function, types: list[Type]) -> tuple[Type, ...]:
    """The variant for arguments of these types: what is declared is as declared."""
    given = zip(function.parameters, types, strict=True)
    return tuple([each.declared.with_rank_of(type_) if each.declared else type_ for each, type_ in given])


class Inference:
    """The inference of one variant: `run` again when what it calls is known better; `finish` makes the typed tree."""

    def __init__(
        self, function: tree.Function, types: tuple[Type, ...], results: Results, places: Places, script: Any = None
    ) -> None:
        self.function: Final = copy_function(function)
        for parameter, type_ in zip(self.function.parameters, types, strict=True):
            if parameter.declared is not None and parameter.declared.kind == "array":
                parameter.lengths = tuple([each.kind for each in (parameter.declared.args or ())[1:]])
                parameter.declared = type_  # which has a rank
            elif type_.kind == "object":
                parameter.declared = None
        scattered.scatter(self.function, types)
        self._webs: Final = webs.split(self.function, types)
        self._growing: Final = growing.of(self.function, script, types) if places.ints_grow else (set(), set())
        self._field_uses: Final = field_uses.uses(self.function) if function.takes_objects else {}
        self._array_uses: Final = array_uses.Uses(self.function) if places.allowed else None
        self._types: Final = types
        self._results: Final = results
        self._places: Final = places
        #: Python gets the result, as its own.
        self.gives = False
        #: It is what is called from outside.
        self.is_root = False
        self.begin()

    def begin(self) -> None:
        """Nothing is known but the parameters, and which places' containers are Python's own."""
        self._ev = Evaluator(lambda script, args: self._results.of(script, tuple(args)), self, self._places)
        self._ev.has_signature = self.function.has_signature
        self._ev.grows, self._ev.unmasked = self._growing
        self._ev.has_arrays = any(each.kind == "array" for each in self._types)
        self._ev.field_uses, self._ev.array_uses = self._field_uses, self._array_uses
        self.result: Value = NEVER
        self._declared = self.function.declared_result is not None
        if self.function.declared_result is not None:
            self.result = value_of(self.function.declared_result, pinned=True)
        for parameter, type_ in zip(self.function.parameters, self._types, strict=True):
            self._ev.assign_local(parameter, value_of(type_))
        self._parameters = [self._ev.local(parameter) for parameter in self.function.parameters]

    def run(self, final: bool) -> Summary:
        """Goes on until nothing changes. Without `final` what has no value yet may get one."""
        ev = self._ev
        ev.final = final
        ev.arguments = set(self.function.parameters) if self.is_root else set()
        for type_ in self._types if self.is_root else ():
            self._places.add_outer(type_)
        while True:
            ev.cells.changed = False
            ev.values.clear()
            ev.seen_at_last.clear()
            if self._block(self.function.body):
                self._return(NONE)
            if final and is_never(self.result):
                self.result = ANY
                ev.cells.changed = True
            if final and not ev.cells.changed:
                self._see_at_last()
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
        self.function.ints_grow, self.function.has_arrays = any(self._growing), self._ev.has_arrays
        self.function.result = type_of(self.result)
        self.function.body = constant_conditions.pruned(self.function.body, self._ev.truth)
        if self._field_uses:
            self.function.in_fields = field_uses.containers(self.function)
        cut.mark(self.function)
        products.mark(self.function)
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
        # What the class of an object is derived from is not said.
        if self._declared and is_object(value) and self._places.allowed and type_of(self.result).kind in PROMISED:
            self.function.declared_result = None  # it is one of Python's, in its place
            self._places.grew = True
            return
        if self._declared and value == U64 and self.result == INT and not self.function.has_signature:
            self.result = U64  # an int, too
            self._ev.cells.changed = True
        if self._declared:
            self._ev.cells.conform(self.result, value)
            return
        new = self._ev.cells.join(self.result, value)
        if new is not self.result:
            self.result = new
            self._ev.cells.changed = True

    def _assign(self, stmt: tree.Assign) -> bool:
        ev = self._ev
        first = element_pairs(stmt.targets[0], stmt.value) if len(stmt.targets) == 1 else None
        if first is not None:  # no tuple is made
            ev.values[stmt.value] = ev.cells.tup(tuple([stored(ev.expr(item)) for _, item in first]))
            for target, item in first:
                ev.assign(target, ev.values[item])
            return True
        if all(isinstance(each, tree.TargetTuple) for each in stmt.targets):
            ev.passing.add(stmt.value)
        value = ev.expr(stmt.value)
        narrowed = self._webs.narrowed.get(stmt)
        if narrowed is not None and is_any(value) and self._places.is_exact(narrowed):
            value = ev.narrowed(stmt, value, narrowed)
        for target in stmt.targets:
            ev.assign(target, value)
        return True

    def _augmented(self, stmt: tree.AugAssign) -> bool:
        ev, target = self._ev, stmt.target
        old: Value
        if isinstance(target, tree.TargetLocal):
            old = ev.local(target.variable)
        elif isinstance(target, tree.TargetItem):
            value = ev.expr(target.value)
            old = evaluate_methods.attribute(ev, target, value) or evaluate_items.item(
                ev, value, ev.index(value, target.index), target.index
            )
        else:
            assert isinstance(target, tree.TargetSlice)
            old = evaluate_items.sliced(ev, target, ev.slice_parts(target), target)
        if stmt.op == "+":
            item = ev.iterate(stmt.value)
        else:
            item = NEVER
            ev.expr(stmt.value)
        new = self._inplace(stmt, old, ev.values[stmt.value], item)
        if isinstance(target, tree.TargetItem):
            ev.set_item(ev.values[target.value], ev.values[target.index], new)
            ev.set_property(target, ev.values[target.value], new)
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
        if evaluate_sets.in_place(ev, stmt.op, old, value):
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
            if value.find().default == COUNTER:
                self._ev.cells.give(value)  # which says nothing of a key that is not there
        return True

    def _expression(self, stmt: tree.ExprStmt) -> bool:
        self._ev.expr(stmt.value)
        return True

    def _if(self, stmt: tree.If) -> bool:
        self._ev.test(stmt.test)
        true, false = self._ev.truth(stmt.test)
        passes = true and self._block(stmt.then)
        return (false and self._block(stmt.other)) or passes

    def _while(self, stmt: tree.While) -> bool:
        self._ev.test(stmt.test)
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
        self._ev.returned = stmt.value if self.is_root and self.gives else None
        self._ev.is_display = self._places.holds and not self._declared
        value = NONE if stmt.value is None else whole(self._ev.expr(stmt.value))
        if self.is_root and self.gives and not self._declared and is_counted(value):
            value = OBJECT  # of the class that it is of, made of the Map at last
        elif self.is_root:
            self._ev.cells.give_defaulting(value)
        if self.gives and not self._declared:
            value = self._given(stmt.value, value)
        self._return(value)
        return False

    def _given(self, node: tree.Expr | None, value: Value) -> Value:
        """A result that Python gets: what is cheaper to make as Python's own than to convert is made so."""
        ev = self._ev
        if isinstance(node, tree.TupleOf) and isinstance(value, Tup):
            for each, may in zip(value.items, may_stay(node.items, value.items, ev.local), strict=True):
                ev.seen_at_last.append(each) if may else ev.cells.give(each)
            return object_of("tuple")
        if isinstance(node, tree.ListOf | tree.DictOf):
            ev.cells.give(value)
        elif isinstance(value, Cell):
            ev.seen_at_last.append(value)
        return value

    def _see_at_last(self) -> None:
        for value in self._ev.seen_at_last:
            if not (isinstance(value, Cell) and is_converted(value.find())):
                self._ev.cells.give(value)

    def _raise(self, stmt: tree.Raise) -> bool:
        if stmt.message is not None:
            self._ev.cells.give_defaulting(self._ev.expr(stmt.message))
        return False

    def _assert(self, stmt: tree.Assert) -> bool:
        self._ev.test(stmt.test)
        if stmt.message is not None:
            self._ev.cells.give_defaulting(self._ev.expr(stmt.message))
        return True

    def _try(self, stmt: tries.Try) -> bool:
        passes = self._block(stmt.body) and self._block(stmt.other)
        handled = [self._block(each.body) for each in stmt.handlers]
        return passes or any(handled)

    def _leaving(self, stmt: tries.Leaving) -> bool:
        return self._block(stmt.body)

    def _titled(self, stmt: tries.Titled) -> bool:
        self._ev.assign_local(stmt.target.variable, NONE if stmt.is_told else OBJECT)
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
