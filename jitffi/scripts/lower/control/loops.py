"""`for` and comprehensions: rounds over what iterators.py iterates."""

from __future__ import annotations

from jitffi.scripts.lower.containers import fragments, items, lists, maps, vectors
from jitffi.scripts.lower.control import array_loops, interrupts, iterators
from jitffi.scripts.lower.control.taking import borrow, named_in, take
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.registry import expression, statement
from jitffi.scripts.lower.function.side_effects import borrowing_in_clause, borrowing_in_for
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python import own as pythons
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.walk import assigned_by, walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.control.iterators import Iterator
    from jitffi.scripts.lower.function.body import Body

#: Room that a list is made with where it is known how many items will come.
MOST_ROOM = 1 << 16
#: What is no more than that needs no room made before.
FEW = 16


def assigned_in(statements: list[tree.Stmt]) -> set[tree.Variable]:
    """The variables that these statements assign to."""
    found: set[tree.Variable] = set()
    for stmt in walk_statements(statements):
        given = list(stmt.targets) if isinstance(stmt, tree.Assign) else []
        if isinstance(stmt, tree.AugAssign | tree.For | tries.Unbind):
            given.append(stmt.target)
        if isinstance(stmt, tries.Unbind):
            found.add(stmt.value.variable)
        if isinstance(stmt, tries.Titled):
            found |= {stmt.target.variable, stmt.unbound.variable}
        for each in given:
            found.update(assigned_by(each))
    return found | named_in(statements)


@statement(tree.For)
def for_(b: Body, node: tree.For) -> None:
    e = b.e
    changed = assigned_in([node])
    found = iterators.iterate(b, node.iterable, lambda variable: variable not in changed)
    borrow(b, found, node.target, borrowing_in_for(b.function, node))
    _make_room(b, found, node, changed)
    over, done = e.label("for.else"), e.label("endfor")
    uses = array_loops.uses_in(found, node, changed)
    if uses:
        quick, checked = e.label("unchecked"), e.label("checked")
        e.branch(array_loops.condition(b, found, uses), quick, checked, likely=True)
        e.at(quick)
        _rounds_of(b, found, node, over, done, uses)
        e.at(checked)
    _rounds_of(b, found, node, over, done)
    e.at(over)
    b.block(node.other)
    if e.is_open:
        e.br(done)
    e.at(done)


def _rounds_of(
    b: Body, found: Iterator, node: tree.For, over: str, done: str, sure: array_loops.Uses | None = None
) -> None:
    """The loop itself, which ends at *over*, or by `break` at *done*. *sure*: uses that cannot fail."""
    e = b.e
    again = e.label("for")
    in_stretches = found.stretch(b, interrupts.stretch_length(node.body))
    e.br(again)
    e.at(again)
    if not in_stretches:
        interrupts.count_round(b, node.body)
    with b.frame.scope():
        found.next(b, over)
        take(b, found, node.target)
        if sure:
            array_loops.assume(b, found, sure)
    with b.exits.loop(done, again):
        b.block(node.body)
    if e.is_open:
        e.br(again)


def _make_room(b: Body, found: Iterator, node: tree.For, changed: set[tree.Variable]) -> None:
    """Vectors that each round appends to have the room at once, where it is known how many rounds there will be; and so
    has the first list, if it is empty: by far the most loops fill one."""
    filled = array_loops.filled_in(node, changed, "vector")
    first = array_loops.filled_in(node, changed, "list")[:1]
    length = found.length(b) if filled or first else None
    if length is None:
        return
    e = b.e
    most = e.intrinsic("llvm.umin", "i64", length, const("i64", MOST_ROOM))
    for variable in dict.fromkeys(filled):
        vectors.make_room(b, b.variables.load(variable), e.mul(most, const("i64", len(filled))))
    for variable in first:
        list_ = b.variables.load(variable).ssa
        room, done = e.label("room"), e.label("roomy")
        capacity = e.load_size(list_, fragments.CAPACITY, "capacity")
        many = e.icmp("ugt", length, const("i64", FEW), "many")
        e.branch(e.and_(e.icmp("eq", capacity, const("i64", 0)), many), room, done)
        e.at(room)
        b.frame.call("jf_list_reserve", list_, b.frame.size_arg(most))
        e.br(done)
        e.at(done)


# -- comprehensions -------------------------------------------------------------------------------------------------


@expression(tree.Comprehension)
def comprehension(b: Body, node: tree.Comprehension) -> Value:
    """Of a lazy one, where something takes any iterable, a list."""
    borrowing = [borrowing_in_clause(node, i) for i in range(len(node.clauses))]
    own = {variable for clause in node.clauses for variable in assigned_by(clause.target)} | named_in([node])
    made: list[Value] = []

    def start(found: Iterator) -> None:
        if node.type.kind == "object":
            made.append(pythons.new_list(b) if node.key is None else pythons.new_dict(b))
            return
        if node.key is not None:
            made.append(maps.new_map(b, 0, node.type))
            return
        length = found.length(b) if len(node.clauses) == 1 and not node.clauses[0].conditions else None
        room = const("i64", 0)
        if length is not None:
            room = b.e.intrinsic("llvm.umin", "i64", length, const("i64", MOST_ROOM))
        made.append(lists.new_list(b, room, node.type))

    def put() -> None:
        if node.type.kind == "object":
            pythons.put(b, made[0], node)
            return
        if node.key is None:
            vectors.add(b, made[0], lists.element(b, made[0], node.value))
            return
        key = maps.key_of(b, made[0], node.key)
        maps.set_item(b, made[0], key, b.storage.lasting(b.expr(node.value)))

    _clause(b, node.clauses, [node.key, node.value], borrowing, lambda variable: variable not in own, start, put)
    return made[0]


def _clause(
    b: Body,
    clauses: list[tree.Clause],
    made: list[tree.Expr | None],
    borrowing: list[set[tree.Variable]],
    stays: Callable[[tree.Variable], bool],
    start: Callable[[Iterator], None] | None,
    put: Callable[[], None],
) -> None:
    """One `for` of a comprehension, and those in it. `start` makes what they fill, when the first iterable is there."""
    e, clause = b.e, clauses[0]
    found = iterators.iterate(b, clause.iterable, stays)
    borrow(b, found, clause.target, borrowing[0])
    if start is not None:
        start(found)
    again, done = e.label("each"), e.label("all")
    inside = [clause.conditions, clauses[1:], *made]
    in_stretches = found.stretch(b, interrupts.stretch_length(inside))
    e.br(again)
    e.at(again)
    if not in_stretches:
        interrupts.count_round(b, inside)
    with b.frame.scope():
        found.next(b, done)
        take(b, found, clause.target)
        skip = e.label("next")
        for condition in clause.conditions:
            on = e.label("chosen")
            b.truth(condition, on, skip)
            e.at(on)
        if len(clauses) > 1:
            with b.frame.scope():
                _clause(b, clauses[1:], made, borrowing[1:], stays, None, put)
        else:
            put()
        e.br(skip)
        e.at(skip)
    e.br(again)
    e.at(done)


def rounds(b: Body, found: Iterator, each: Callable[[Value], None], made: bool = True) -> None:
    """Do this with each item; values that are to outlive the round go through memory. Not *made*: a tuple of parts need
    not be made for it."""
    e = b.e
    again, done = e.label("each"), e.label("all")
    e.br(again)
    e.at(again)
    with b.frame.scope():
        found.next(b, done)
        parts = None if made or not found.has_parts else found.parts(b)
        some = parts is not None and 0 < len(parts) <= items.MOST_PARTS
        each(Value(found.type, None, parts=parts) if some else found.item(b))
    e.br(again)
    e.at(done)
