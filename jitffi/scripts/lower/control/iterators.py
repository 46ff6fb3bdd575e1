"""What is iterated over: one protocol for loops, comprehensions and the builtins that take an iterable.

    it = iterate(b, node)       evaluates what the iteration needs; its state is temporaries of the scope that is open
    label: it.next(b, done)     goes on to the next item, or to `done`; what is open there is as it was at `label`
    it.item(b)                  that item; may be volatile, and is asked for once a round
    it.parts(b)                 the same as several values, where the item is a tuple that need not be made; else None

Ranges, text, pieces of text, lists, tuples, dicts and their keys, values and items, and enumerate, zip and reversed
of those make no object. A list is asked for its size in each round, as CPython does; a dict that changes is a
RuntimeError.
"""

from __future__ import annotations

from jitffi.scripts.analysis.module_values import is_gone_through
from jitffi.scripts.library.own import class_of
from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.containers import lists
from jitffi.scripts.lower.control import sorted_items
from jitffi.scripts.lower.control.array_iteration import Array
from jitffi.scripts.lower.control.generators import Generator
from jitffi.scripts.lower.control.iteration import (
    ONE,
    OVER_ITEMS,
    OVER_REVERSED,
    OVER_STARRED,
    ZERO,
    Dynamic,
    Iterator,
    Map,
    Sequence,
    Split,
    Text,
    counter,
)
from jitffi.scripts.lower.control.ranges import range_of, reversed_range
from jitffi.scripts.lower.function import operations, registry
from jitffi.scripts.lower.function.emit import FALSE, V, const
from jitffi.scripts.lower.function.values import TEXTS, Value, int_
from jitffi.scripts.lower.python.iteration import PythonIterator, reversed_object
from jitffi.scripts.lower.python.module_dicts import ModuleDict
from jitffi.scripts.lower.python.own_iteration import OwnDict, OwnSequence
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.regexes import Matches
from jitffi.scripts.tree.types import ANY, CHAR, INT, Type, array_item, promised, promised_items, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.body import Body

__all__ = ["Iterator", "is_virtual", "item_type", "iterate", "of_type", "of_value"]


# -- of several -----------------------------------------------------------------------------------------------------


class Enumerate(Iterator):
    has_parts = True

    def __init__(self, b: Body, inner: Iterator, start: V) -> None:
        self._inner: Final = inner
        self._start: Final = start
        self._number = counter(b, start, "number")
        #: Whether the number after the last is beyond 64 bits: an error if there is another item. None: from the start
        #: on there are fewer than 2**62.
        self._over: V | None = None
        if not start.text.lstrip("-").isdigit() or abs(int(start.text)) >= 1 << 62:
            self._over = b.e.alloca("i1", "number.over")
            b.e.store(FALSE, self._over)
        self._item = ZERO
        self.type = tuple_of(INT, inner.type)
        self.of_items, self.lends = inner.of_items, inner.lends

    def keep_texts(self, b: Body) -> None:
        self._inner.keep_texts(b)

    def stretch(self, b: Body, rounds: int) -> bool:
        return self._inner.stretch(b, rounds)

    def next(self, b: Body, done: str) -> None:
        self._inner.next(b, done)
        at = self._inner.position()
        if at is not None and self._over is None:
            # Of a list or text that is in memory there are so few that the sum is an int.
            self._item = at if self._start.text == "0" else b.e.add(at, self._start)
            return
        number = b.e.load("i64", self._number, 0, "number")
        if self._over is not None:
            b.frame.overflow_if(b.e.load("i1", self._over, 0, "number.over"))
        after, over = b.e.overflowing("sadd", number, ONE, "number")
        if self._over is None:
            b.frame.overflow_if(over)
        else:
            b.e.store(over, self._over)
        b.e.store(after, self._number)
        self._item = number

    def bounds(self) -> tuple[V, V] | None:
        found = self._inner.bounds() if self._start.text == "0" else None
        return found if found and found[0].text == "0" else None

    def number(self) -> V:
        return self._item

    def item(self, b: Body) -> Value:
        return lists.new_tuple(b, self.parts(b))

    def parts(self, b: Body) -> list[Value]:
        return [int_(self._item), self._inner.item(b)]

    def length(self, b: Body) -> V | None:
        return self._inner.length(b)


class Zip(Iterator):
    """Of several at once, to the end of the shortest; where `strict` is true, an i1, all must be of one length."""

    has_parts = True

    def __init__(self, inner: list[Iterator], strict: V | None = None) -> None:
        self._inner: Final = inner
        self._strict: Final = strict
        self.type = tuple_of(*[each.type for each in inner])
        self.lends = all(each.lends for each in inner)
        self.of_items = all(each.of_items or each.type.kind != "any" for each in inner)

    def keep_texts(self, b: Body) -> None:
        for each in self._inner:
            each.keep_texts(b)

    def stretch(self, b: Body, rounds: int) -> bool:
        return self._strict is None and any(each.stretch(b, rounds) for each in self._inner)

    def next(self, b: Body, done: str) -> None:
        e = b.e
        if not self._inner:
            e.br(done)
            e.at(e.label("never"))
        if self._strict is None or len(self._inner) < 2:
            for each in self._inner:
                each.next(b, done)
            return
        # The ends first: there others go on, too, and what the round is about must be what is written last.
        ends, again = [e.label("end") for _ in self._inner], e.label("strict")
        for end in ends:
            e.will_lead_to(end)
        e.br(again)
        for i, end in enumerate(ends):
            e.at(end)
            if i:
                message = f"zip() argument {i + 1} is shorter than argument{_first(i)}"
                b.frame.raise_if(self._strict, "ValueError", message)
            else:
                self._check_rest(b, done)
            e.br(done)
        e.at(again)
        for each, end in zip(self._inner, ends, strict=True):
            each.next(b, end)

    def _check_rest(self, b: Body, done: str) -> None:
        """The first has ended, and so must the others."""
        e = b.e
        assert self._strict
        check = e.label("strict")
        e.branch(self._strict, check, done)
        e.at(check)
        for i, each in enumerate(self._inner[1:], 1):
            end = e.label("end")
            each.next(b, end)
            b.frame.raise_("ValueError", f"zip() argument {i + 1} is longer than argument{_first(i)}")
            e.at(end)

    def item(self, b: Body) -> Value:
        return lists.new_tuple(b, self.parts(b))

    def parts(self, b: Body) -> list[Value]:
        found = []
        for i, each in enumerate(self._inner):
            item = each.item(b)
            # Reading another that makes a tuple, or widens text, runs nothing that could take this one away.
            found.append(b.storage.lasting(item) if i + 1 < len(self._inner) and isinstance(each, Dynamic) else item)
        return found


def _first(count: int) -> str:
    """The first arguments, as a message names them."""
    return " 1" if count == 1 else f"s 1-{count}"


# -- which ----------------------------------------------------------------------------------------------------------


def of_value(b: Body, value: Value, backwards: bool = False) -> Iterator:
    """The iteration over a value that lasts."""
    if value.kind == "char":
        value = b.storage.char_text(value)
    if value.kind in TEXTS:
        return Text(b, value, backwards)
    if value.kind in ("list", "tuple", "vector"):
        return Sequence(b, value, backwards)
    if value.kind == "array":
        return Array(b, value, backwards)
    if value.kind in ("dict", "set") and not backwards:
        return Map(b, value, "keys")
    if class_of(value.type) in ("list", "tuple"):
        return OwnSequence(b, value, backwards)
    if class_of(value.type) == "dict" and not backwards:
        return OwnDict(b, value, "keys")
    if value.kind == "object":
        return PythonIterator(b, reversed_object(b, value) if backwards else value)
    return Dynamic(b, value, OVER_REVERSED if backwards else OVER_ITEMS)


def kept(b: Body, node: tree.Expr, stays: Callable[[tree.Variable], bool]) -> Value:
    """What is iterated over, good for all rounds: a variable is not materialised where nothing in them assigns to
    it."""
    value = b.expr(node)
    if value.keep.kind == "local" and isinstance(node, tree.Local) and stays(node.variable):
        return value
    return b.storage.materialise(value)


def iterate(
    b: Body, node: tree.Expr, stays: Callable[[tree.Variable], bool] = lambda _: False, is_alone: bool = False
) -> Iterator:
    """The iteration over an expression. `stays` says of variables whether they are not assigned to meanwhile.
    *is_alone*: nothing runs between the rounds but what takes plain values, or puts items into a list."""
    if isinstance(node, tree.Comprehension) and node.is_lazy:
        return Generator(b, node, stays, iterate, is_alone)
    if isinstance(node, tree.Builtin):
        if node.name in _OF_BUILTINS:
            return _OF_BUILTINS[node.name](b, node, stays)
        dict_ = sorted_items.of_dict(node)
        if dict_ is not None:
            return Zip([of_value(b, each) for each in sorted_items.sorted_parts(b, node, dict_)])
    elif isinstance(node, tree.Method):
        found = _of_method(b, node, stays)
        if found is not None:
            return found
    elif isinstance(node, Matches):
        made: Iterator = registry.ITERATE[Matches](b, node, stays)
        return made
    return of_value(b, kept(b, node, stays))


def iterate_starred(b: Body, node: tree.Expr) -> Iterator:
    """The iteration over what a star stands before in a display."""
    if is_virtual(node):
        return iterate(b, node)
    value = b.storage.materialise(b.expr(node))
    if value.kind in (*TEXTS, "char", "list", "tuple", "vector", "set", "dict", "array", "never"):
        return of_value(b, value)
    return Dynamic(b, value, OVER_STARRED)


def _awaited(b: Body, node: tree.Expr, stays: Callable[[tree.Variable], bool]) -> Callable[[], Iterator]:
    """What makes the iteration, of an expression that is evaluated now: Python's order where there are several."""
    if isinstance(node, (tree.Builtin, tree.Method, tree.Comprehension)):
        made = iterate(b, node, stays)
        return lambda: made
    value = kept(b, node, stays)
    return lambda: of_value(b, value)


def _of_range(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    return range_of(b, node)


def _of_enumerate(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    inner = _awaited(b, node.args[0], stays)
    start = node.args[1] if len(node.args) > 1 else node.keywords.get("start")
    first = ZERO if start is None else dynamic.index(b, b.expr(start))
    return Enumerate(b, inner(), first)


def _of_zip(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    waiting = [_awaited(b, each, stays) for each in node.args]
    strict = node.keywords.get("strict")
    if strict is None or (isinstance(strict, tree.Const) and not strict.value):
        return Zip([make() for make in waiting])
    is_strict = operations.is_true(b, b.storage.lasting(b.expr(strict)))
    return Zip([make() for make in waiting], is_strict)


def _of_reversed(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    inner = node.args[0]
    if isinstance(inner, tree.Builtin) and inner.name == "range":
        return reversed_range(b, inner)
    return of_value(b, kept(b, inner, stays), backwards=True)


_OF_BUILTINS: Final = {
    "range": _of_range,
    "enumerate": _of_enumerate,
    "zip": _of_zip,
    "reversed": _of_reversed,
}


def _of_method(b: Body, node: tree.Method, stays: Callable[[tree.Variable], bool]) -> Iterator | None:
    """Of the dict or text itself, where the method would make a list of it."""
    kind = node.value.type.kind
    if node.name in ("keys", "values", "items") and not node.args:
        if kind == "dict":
            return Map(b, kept(b, node.value, stays), node.name)
        if class_of(node.value.type) == "dict":
            return OwnDict(b, kept(b, node.value, stays), node.name)
        return ModuleDict(b, kept(b, node.value, stays), node.name) if is_gone_through(node) else None
    if node.name == "split" and kind in TEXTS and _is_plain_split(node):
        value = kept(b, node.value, stays)
        given = [*node.args, *node.keywords.values()]
        separator = b.expr(given[0]) if given else None
        if separator is not None and separator.kind == "none":
            separator = None
        if separator is not None:
            separator = b.storage.materialise(separator)
            if separator.kind in TEXTS:
                empty = b.e.icmp("eq", separator.size, ZERO)
                b.frame.raise_if(empty, "ValueError", "empty separator")
        return Split(b, value, separator, const("i64", -1))
    return None


def is_virtual(node: tree.Expr) -> bool:
    """Iterating over it makes no object: it need not be made, either."""
    if isinstance(node, tree.Comprehension):
        return node.is_lazy
    if isinstance(node, tree.Builtin):
        return node.name in _OF_BUILTINS or sorted_items.of_dict(node) is not None
    if not isinstance(node, tree.Method):
        return False
    kind = node.value.type.kind
    if node.name in ("keys", "values", "items"):
        return (kind == "dict" or class_of(node.value.type) == "dict") and not node.args
    return node.name == "split" and kind in TEXTS and _is_plain_split(node)


def item_type(node: tree.Expr) -> Type:
    """The type of what iterating over an expression gives, before that is written."""
    if isinstance(node, tree.Comprehension) and node.is_lazy:
        return node.value.type
    if isinstance(node, tree.Method) and is_virtual(node) and node.type.kind == "object":
        both = promised(node.value.type), promised(node.value.type, 1)
        return tuple_of(*both) if node.name == "items" else both[node.name == "values"]
    if is_virtual(node):
        return node.type.args[0] if node.type.kind in ("list", "vector") and node.type.args else ANY
    return of_type(node.type)


def of_type(type_: Type) -> Type:
    """The type of the items of a value."""
    if type_.kind in ("list", "set", "dict", "vector") and type_.args:
        return type_.args[0]
    if type_.kind == "tuple":
        return lists.item_type(type_)
    if type_.kind == "array":
        return array_item(type_)
    if type_.kind == "object":
        return promised_items(type_)
    return {"str": CHAR, "char": CHAR, "bytes": INT}.get(type_.kind, ANY)


def _is_plain_split(node: tree.Method) -> bool:
    given = [*node.args, *node.keywords.values()]
    if len(given) > 1 or any(name != "sep" for name in node.keywords):
        return False
    kinds = ("bytes", "none") if node.value.type.kind == "bytes" else ("str", "char", "none")
    return not given or given[0].type.kind in kinds
