"""Generator expressions that something goes through where they stand: an iteration whose round makes the next item.

    next:     in the middle of an inner `for`? --yes-->  again.1
                 | no
    again.0:  the next of the first iterable, or done; conditions, or again.0
              the inner `for` begins
    again.1:  the next of the inner iterable, or the end of it: again.0; conditions, or again.1
              the item can be evaluated

Rounds are gone on with from elsewhere, so what an inner iteration has in registers is kept in memory meanwhile.
"""

from __future__ import annotations

from jitffi.scripts.lower.control import interrupts
from jitffi.scripts.lower.control.iteration import Iterator
from jitffi.scripts.lower.control.taking import borrow, named_in, take
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import FALSE, TRUE, P, V
from jitffi.scripts.lower.function.side_effects import borrowing_in_clause
from jitffi.scripts.lower.function.temporaries import Scope
from jitffi.scripts.lower.function.values import Keep, Value
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import assigned_by

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from jitffi.scripts.lower.function.body import Body


class Generator(Iterator):
    """`(value for ...)`. *is_alone*: between the rounds nothing runs but what takes plain values, or puts items into a
    list."""

    lends = False

    def __init__(
        self, b: Body, node: tree.Comprehension, stays: Callable[[tree.Variable], bool], iterate: Any, is_alone: bool
    ) -> None:
        self.type = node.value.type
        self.has_parts = isinstance(node.value, tree.TupleOf)
        self._node: Final = node
        self._iterate: Final = iterate
        self._own = {variable for clause in node.clauses for variable in assigned_by(clause.target)} | named_in([node])
        self._stays: Final = lambda variable: variable not in self._own and stays(variable)
        self._borrows: Final = is_alone
        #: Where the inner iterations' temporaries belong.
        self._scope: Final = b.frame.scopes[-1]
        #: For each inner `for` whether the rounds are in the middle of it.
        self._inside: Final = [b.e.alloca("i1", "inside") for _ in node.clauses[1:]]
        for each in self._inside:
            b.e.store(FALSE, each)
        self._first: Final = self._over(b, 0)
        self._in_stretches = False

    def _over(self, b: Body, i: int) -> Iterator:
        clause = self._node.clauses[i]
        found: Iterator = self._iterate(b, clause.iterable, self._stays)
        borrow(b, found, clause.target, borrowing_in_clause(self._node, i) if self._borrows else set())
        return found

    def stretch(self, b: Body, rounds: int) -> bool:
        plain = not self._inside and not self._node.clauses[0].conditions
        self._in_stretches = plain and self._first.stretch(b, rounds)
        return self._in_stretches

    def next(self, b: Body, done: str) -> None:
        e, clauses = b.e, self._node.clauses
        agains = [e.label("again") for _ in clauses]
        for inside, again in reversed(list(zip(self._inside, agains[1:], strict=True))):
            other = e.label("not.inside")
            e.branch(e.load("i1", inside, 0, "is.inside"), again, other)
            e.at(other)
        e.br(agains[0])
        e.at(agains[0])
        if not self._in_stretches:
            interrupts.count_round(b, [clauses[0].conditions, self._node.value])
        self._advance(b, 0, self._first, agains[0], done)
        ends: list[tuple[str, Scope]] = []
        for i, inside in enumerate(self._inside, 1):
            state = Scope()
            b.frame.scopes.append(state)
            found = self._over(b, i)
            b.frame.scopes.pop()
            self._scope.made += state.made
            self._scope.scratch += state.scratch
            kept = _Kept(b, found)
            e.store(TRUE, inside)
            e.br(agains[i])
            e.at(agains[i])
            kept.restore(b)
            interrupts.count_round(b, [clauses[i].conditions, self._node.value])
            ends.append((e.label("end"), state))
            self._advance(b, i, found, agains[i], ends[-1][0])
        if ends:
            self._write_ends(b, ends, agains)

    def _write_ends(self, b: Body, ends: list[tuple[str, Scope]], agains: list[str]) -> None:
        """Where an inner `for` is over, the one around it goes on."""
        e, out = b.e, b.e.label("item")
        e.br(out)
        for (end, state), inside, again in zip(ends, self._inside, agains, strict=False):
            e.at(end)
            e.store(FALSE, inside)
            b.frame.release_scope(state)
            e.br(again)
        e.at(out)

    def _advance(self, b: Body, i: int, found: Iterator, again: str, done: str) -> None:
        """The next of one `for` that its conditions choose."""
        e, clause = b.e, self._node.clauses[i]
        scope, made, skip = Scope(), Scope(), e.label("skip")
        b.frame.scopes.append(scope)
        found.next(b, done)
        take(b, found, clause.target)
        for condition in clause.conditions:
            on = e.label("chosen")
            b.truth(condition, on, skip)
            e.at(on)
        b.frame.scopes.pop()
        made.made = list(scope.made)
        b.frame.release_scope(made)
        if clause.conditions:
            on = e.label("on")
            e.br(on)
            e.at(skip)
            b.frame.release_scope(made)
            e.br(again)
            e.at(on)
        b.frame.free_scope(scope)

    def item(self, b: Body) -> Value:
        return conversion.convert(b, b.expr(self._node.value), self.type)

    def parts(self, b: Body) -> list[Value] | None:
        value = self._node.value
        return b.exprs(value.items) if isinstance(value, tree.TupleOf) else None

    def length(self, b: Body) -> V | None:
        plain = not self._inside and not self._node.clauses[0].conditions
        return self._first.length(b) if plain else None


class _Kept:
    """What an iteration has in registers, in memory: it is restored where rounds may be gone on with from elsewhere."""

    def __init__(self, b: Body, found: Iterator) -> None:
        self._places: list[tuple[Any, str, Any, dict[V, V]]] = []
        self._own = b.e.allocated()
        self._look(b, found)

    def _look(self, b: Body, found: Iterator) -> None:
        for name, part in vars(found).items():
            if isinstance(part, Iterator):
                self._look(b, part)
            elif isinstance(part, list):
                for each in part:
                    if isinstance(each, Iterator):
                        self._look(b, each)
            else:
                registers = [v for v in _registers(part) if v.text.startswith("%") and v.text not in self._own]
                places = {}
                for v in registers:
                    places[v] = b.e.alloca(v.type, "kept")
                    b.e.store(v, places[v])
                if places:
                    self._places.append((found, name, part, places))

    def restore(self, b: Body) -> None:
        for found, name, part, places in self._places:
            now = {v: b.e.load(v.type, place, 0, "kept") for v, place in places.items()}
            setattr(found, name, _replaced(part, now))


def _registers(part: object) -> list[V]:
    if isinstance(part, V):
        return [part]
    if isinstance(part, Value):
        texts = [getattr(part, name, None) for name in ("data", "size", "wide")]
        return [v for v in (part.v, *texts, part.keep.place, part.keep.object) if v is not None]
    if isinstance(part, Keep):
        return [v for v in (part.place, part.object) if v is not None]
    return []


def _replaced(part: Any, now: dict[V, V]) -> Any:
    """The same of other registers."""

    def new(v: V | None) -> V | None:
        found = None if v is None else now.get(v)
        return v if found is None else P(found.text, v.attributes) if isinstance(v, P) else found

    if isinstance(part, V):
        return new(part)
    if isinstance(part, Keep):
        return Keep(part.kind, new(part.place), new(part.object))
    data, size, wide = (new(getattr(part, name, None)) for name in ("data", "size", "wide"))
    keep = _replaced(part.keep, now)
    return Value(part.type, new(part.v), keep, data=data, size=size, wide=wide, const=part.const)
