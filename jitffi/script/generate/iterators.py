"""What is iterated over: one protocol for loops, comprehensions and the builtins that take an iterable.

    it = iterate(b, node)       evaluates what the iteration needs; its state is temporaries of the scope that is open
    label: it.next(b, done)     goes on to the next item, or to `done`; what is open there is as it was at `label`
    it.item(b)                  that item; may be fleeting, and is asked for once a round
    it.parts(b)                 the same as several values, where the item is a tuple that need not be made; else None

Ranges, text, pieces of text, lists, tuples, dicts and their keys, values and items, and enumerate, zip and reversed
of those make no object. A list is asked for its size in each round, as CPython does; a dict that changes is a
RuntimeError.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from jitffi.script import tree
from jitffi.script.generate import dynamic, fragments, items, lists
from jitffi.script.generate.emit import NULL, P, V, const
from jitffi.script.generate.values import ROOTED, TEXTS, Value, char, fleeting, int_
from jitffi.script.types import ANY, CHAR, INT, Type, tuple_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.script.generate.body import Body

ZERO, ONE = const("i64", 0), const("i64", 1)
#: JF_OVER_*.
OVER_ITEMS, OVER_VALUES, OVER_PAIRS, OVER_REVERSED = 0, 1, 2, 3


class Iterator:
    """One iteration. `type`: what its items are."""

    type: Type = ANY
    #: `parts` has values.
    has_parts = False
    #: Where text is that had to be made of an item, until the next round; None: it is gone when the item was taken.
    keep: P | None = None

    def keep_texts(self, b: Body) -> None:
        """Text of an item is good until the next round."""
        self.keep = b.temp_slot(0)

    def slot(self, b: Body) -> P | None:
        """`keep`, null."""
        if self.keep is not None:
            b.release_slot(self.keep, 0)
        return self.keep

    def next(self, b: Body, done: str) -> None:
        raise NotImplementedError

    def item(self, b: Body) -> Value:
        raise NotImplementedError

    def parts(self, b: Body) -> list[Value] | None:
        return None

    def length(self, b: Body) -> V | None:
        """How many items there will be at most, if that is known now: room for a list of them."""
        return None


def counter(b: Body, start: V, name: str = "next") -> V:
    """An i64 of the frame, set now."""
    place = b.e.alloca("i64", name)
    b.e.store(start, place)
    return place


# -- range ----------------------------------------------------------------------------------------------------------


class Range(Iterator):
    """Ints from start to stop. In steps of 1 or -1 they are compared with the end; else rounds are counted, which
    serves all steps, and ranges that end at either end of the ints."""

    type = INT

    def __init__(self, b: Body, start: V, stop: V, step: V) -> None:
        self.step: Final = step
        self._at = counter(b, start)
        self._item = ZERO
        self._start, self._stop = start, stop
        self._left: V | None = None
        if step.text not in ("1", "-1"):
            self._left = counter(b, range_length(b, start, stop, step), "left")

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        at = e.load("i64", self._at, 0, "at")
        if self._left is None:
            e.branch(e.icmp("slt" if self.step.text == "1" else "sgt", at, self._stop), on, done)
            e.at(on)
        else:
            left = e.load("i64", self._left, 0, "left")
            e.branch(e.icmp("ne", left, ZERO), on, done)
            e.at(on)
            e.store(e.sub(left, ONE), self._left)
        e.store(e.add(at, self.step), self._at)
        self._item = at

    def item(self, b: Body) -> Value:
        return int_(self._item)

    def length(self, b: Body) -> V | None:
        return range_length(b, self._start, self._stop, self.step)


def range_length(b: Body, start: V, stop: V, step: V) -> V:
    """How many ints there are, unsigned: up to 2**64 - 1."""
    e = b.e
    up = e.icmp("sgt", step, ZERO, "up")
    low, high = e.select(up, start, stop, "low"), e.select(up, stop, start, "high")
    size = e.select(up, step, e.sub(ZERO, step), "step")
    some = e.icmp("slt", low, high, "some")
    # Unsigned: the distance can be more than an int holds.
    rounds = e.add(e.binary("udiv", e.sub(e.sub(high, low), ONE), size), ONE)
    return e.select(some, rounds, ZERO, "rounds")


def range_bounds(b: Body, node: tree.Builtin) -> tuple[V, V, V]:
    """start, stop and step of a range."""
    values = b.exprs(node.args)
    given = [dynamic.index(b, value) for value in values]
    if len(given) == 1:
        return ZERO, given[0], ONE
    if len(given) == 2:
        return given[0], given[1], ONE
    known = values[2].const
    if not (isinstance(known, int) and known):
        b.raise_if(b.e.icmp("eq", given[2], ZERO), "ValueError", "range() arg 3 must not be zero")
    return given[0], given[1], given[2]


def _range(b: Body, node: tree.Builtin) -> Iterator:
    return Range(b, *range_bounds(b, node))


def _reversed_range(b: Body, node: tree.Builtin) -> Iterator:
    """From the last one back; the ends may lie beyond the ints, so its rounds are counted."""
    e = b.e
    start, stop, step = range_bounds(b, node)
    rounds = range_length(b, start, stop, step)
    last = e.add(start, e.mul(e.sub(rounds, ONE), step), "last")
    found = Range(b, last, start, e.sub(ZERO, step))
    found._left = counter(b, rounds, "left")
    return found


# -- text -----------------------------------------------------------------------------------------------------------


class Text(Iterator):
    """The characters of a STR, the ints of a BYTES."""

    def __init__(self, b: Body, value: Value, backwards: bool = False) -> None:
        self.type = INT if value.kind == "bytes" else CHAR
        self._value: Final = value
        self._backwards: Final = backwards
        self._at = counter(b, value.size if backwards else ZERO)
        self._item = ZERO

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        at = e.load("i64", self._at, 0, "at")
        e.branch(e.icmp("ne", at, ZERO if self._backwards else self._value.size), on, done)
        e.at(on)
        after = e.sub(at, ONE) if self._backwards else e.add(at, ONE)
        e.store(after, self._at)
        self._item = after if self._backwards else at

    def item(self, b: Body) -> Value:
        if self._value.kind == "bytes":
            byte = b.e.load("i8", b.e.index(self._value.data, 1, self._item), 0, "byte")
            return int_(b.e.zext(byte, "i64"))
        return char(char_at(b, self._value, self._item))

    def length(self, b: Body) -> V | None:
        return self._value.size


def char_at(b: Body, value: Value, at: V) -> V:
    """The code point at an index that is in range."""
    e = b.e
    if value.wide.text == "false":
        return e.zext(e.load("i8", e.index(value.data, 1, at), 0, "byte"), "i32")
    wide, narrow, done = e.label("wide"), e.label("narrow"), e.label("char")
    e.branch(value.wide, wide, narrow)
    e.at(wide)
    long = e.load("i32", e.index(value.data, 4, at), 0, "point")
    e.br(done)
    e.at(narrow)
    short = e.zext(e.load("i8", e.index(value.data, 1, at), 0, "byte"), "i32")
    e.br(done)
    e.at(done)
    return e.phi([(long, wide), (short, narrow)], "char")


class Split(Iterator):
    """The pieces that text.split() would put into a list."""

    def __init__(self, b: Body, value: Value, separator: Value | None, most: V) -> None:
        self.type = value.type
        self._split = b.scratch(8 * 8)
        self._piece = b.scratch(24)
        # A piece lasts as long as the text, whose heap string keeps it where somebody wants it to last longer.
        self._keep = ROOTED if value.keep.kind == "rooted" else fleeting(b.heap_of(value))
        given = NULL if separator is None else b.text(separator)
        b.call("jf_text_split_init", "i32", self._split, b.text(value), given, most, fails="nonzero")

    def next(self, b: Body, done: str) -> None:
        on = b.e.label("round")
        more = b.call("jf_text_split_next", "i32", self._split, self._piece)
        b.e.branch(b.e.icmp("ne", more, const("i32", 0)), on, done)
        b.e.at(on)

    def item(self, b: Body) -> Value:
        return b.read_text(self.type, self._piece, self._keep)


# -- containers -----------------------------------------------------------------------------------------------------


class Sequence(Iterator):
    """Items of a list or tuple."""

    def __init__(self, b: Body, value: Value, backwards: bool = False) -> None:
        self.type = lists.item_type(value.type)
        self._value: Final = value
        self._backwards: Final = backwards
        start = b.e.load_size(value.ssa, fragments.SIZE) if backwards else ZERO
        self._at = counter(b, start)
        self._item = ZERO

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        at = e.load("i64", self._at, 0, "at")
        if self._backwards:
            at = e.sub(at, ONE)
        # Of a list that has become shorter the rest is not there; from 0 back it is far beyond.
        e.branch(e.icmp("ult", at, e.load_size(self._value.ssa, fragments.SIZE)), on, done)
        e.at(on)
        e.store(at if self._backwards else e.add(at, ONE), self._at)
        self._item = at

    def item(self, b: Body) -> Value:
        return items.read(b, lists.item_at(b, self._value.ssa, self._item), self.type, self.slot(b))

    def length(self, b: Body) -> V | None:
        return b.e.load_size(self._value.ssa, fragments.SIZE)


class Map(Iterator):
    """Keys, values or both of a dict, in order, from its entries."""

    def __init__(self, b: Body, value: Value, what: str) -> None:
        assert value.type.args
        self._types = value.type.args
        self._what: Final = what
        self.has_parts = what == "items"
        self.type = {"keys": self._types[0], "values": self._types[1], "items": tuple_of(*self._types)}[what]
        self._value: Final = value
        self._size = b.e.load_size(value.ssa, fragments.SIZE)
        self._at = counter(b, ZERO)
        self._entry = NULL
        self._key_keep: P | None = None

    def next(self, b: Body, done: str) -> None:
        e, map_ = b.e, self._value.ssa
        again, look, there = e.label("entry"), e.label("look"), e.label("there")
        same = e.icmp("eq", e.load_size(map_, fragments.SIZE), self._size, "same.size")
        b.raise_if(e.not_(same), "RuntimeError", "dictionary changed size during iteration")
        e.br(again)
        e.at(again)
        at = e.load("i64", self._at, 0, "at")
        e.branch(e.icmp("ult", at, e.load_size(map_, fragments.MAP_USED)), look, done)
        e.at(look)
        e.store(e.add(at, ONE), self._at)
        entries = e.load("ptr", map_, fragments.MAP_ENTRIES, "entries")
        self._entry = e.index(entries, 8 + 2 * b.abi.pointer_bytes, at, "entry")
        removed = e.is_null(e.load("ptr", self._entry, 8, "key"))
        e.branch(removed, again, there)
        e.at(there)

    def keep_texts(self, b: Body) -> None:
        super().keep_texts(b)
        self._key_keep = b.temp_slot(0)

    def _key_slot(self, b: Body) -> P | None:
        if self._key_keep is not None:
            b.release_slot(self._key_keep, 0)
        return self._key_keep

    def _read(self, b: Body, index: int) -> Value:
        item = b.e.load("ptr", self._entry, 8 + index * b.abi.pointer_bytes, "item")
        return items.read(b, item, self._types[index], self.slot(b) if index else self._key_slot(b))

    def item(self, b: Body) -> Value:
        if self._what != "items":
            return self._read(b, 1 if self._what == "values" else 0)
        return lists.new_tuple(b, [self._read(b, 0), self._read(b, 1)])

    def parts(self, b: Body) -> list[Value] | None:
        return [self._read(b, 0), self._read(b, 1)] if self._what == "items" else None

    def length(self, b: Body) -> V | None:
        return self._size


class Dynamic(Iterator):
    """Of a value of any type."""

    def __init__(self, b: Body, value: Value, what: int = OVER_ITEMS) -> None:
        self._state = b.temp_iteration()
        self._slot = b.temp_slot()
        b.call("jf_iterate", "i32", self._state, b.view(value), const("i32", what), fails="nonzero")

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("round")
        b.release_slot(self._slot, b.pad_of(self._slot))
        more = b.call("jf_iterate_next", "i32", self._state, self._slot)
        b.fail_if(e.icmp("slt", more, const("i32", 0), "failed"))
        e.branch(e.icmp("ne", more, const("i32", 0)), on, done)
        e.at(on)

    def item(self, b: Body) -> Value:
        return Value(ANY, self._slot, fleeting())


# -- of several -----------------------------------------------------------------------------------------------------


class Enumerate(Iterator):
    has_parts = True

    def __init__(self, b: Body, inner: Iterator, start: V) -> None:
        self._inner: Final = inner
        self._number = counter(b, start, "number")
        self._item = ZERO
        self.type = tuple_of(INT, inner.type)

    def keep_texts(self, b: Body) -> None:
        self._inner.keep_texts(b)

    def next(self, b: Body, done: str) -> None:
        self._inner.next(b, done)
        number = b.e.load("i64", self._number, 0, "number")
        after, over = b.e.overflowing("sadd", number, ONE, "number")
        b.overflow_if(over)
        b.e.store(after, self._number)
        self._item = number

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

    def keep_texts(self, b: Body) -> None:
        for each in self._inner:
            each.keep_texts(b)

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
        e.br(again)
        for i, end in enumerate(ends):
            e.at(end)
            if i:
                b.raise_if(self._strict, "ValueError", f"zip() argument {i + 1} is shorter than argument{_first(i)}")
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
            b.raise_("ValueError", f"zip() argument {i + 1} is longer than argument{_first(i)}")
            e.at(end)

    def item(self, b: Body) -> Value:
        return lists.new_tuple(b, self.parts(b))

    def parts(self, b: Body) -> list[Value]:
        found = []
        for i, each in enumerate(self._inner):
            item = each.item(b)
            # Reading another that makes a tuple, or widens text, runs nothing that could take this one away.
            found.append(b.lasting(item) if i + 1 < len(self._inner) and isinstance(each, Dynamic) else item)
        return found


def _first(count: int) -> str:
    """The first arguments, as a message names them."""
    return " 1" if count == 1 else f"s 1-{count}"


# -- which ----------------------------------------------------------------------------------------------------------


def of_value(b: Body, value: Value, backwards: bool = False) -> Iterator:
    """The iteration over a value that lasts."""
    if value.kind == "char":
        value = b.char_text(value)
    if value.kind in TEXTS:
        return Text(b, value, backwards)
    if value.kind in ("list", "tuple"):
        return Sequence(b, value, backwards)
    if value.kind == "dict" and not backwards:
        return Map(b, value, "keys")
    return Dynamic(b, value, OVER_REVERSED if backwards else OVER_ITEMS)


def kept(b: Body, node: tree.Expr, stays: Callable[[tree.Variable], bool]) -> Value:
    """What is iterated over, good for all rounds: a variable is not held where nothing in them assigns to it."""
    value = b.expr(node)
    if value.keep.kind == "local" and isinstance(node, tree.Local) and stays(node.variable):
        return value
    return b.hold(value)


def iterate(b: Body, node: tree.Expr, stays: Callable[[tree.Variable], bool] = lambda _: False) -> Iterator:
    """The iteration over an expression. `stays` says of variables whether they are not assigned to meanwhile."""
    if isinstance(node, tree.Builtin):
        if node.name in _OF_BUILTINS:
            return _OF_BUILTINS[node.name](b, node, stays)
    elif isinstance(node, tree.Method):
        found = _of_method(b, node, stays)
        if found is not None:
            return found
    return of_value(b, kept(b, node, stays))


def _of_range(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    return _range(b, node)


def _of_enumerate(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    inner = iterate(b, node.args[0], stays)
    start = node.args[1] if len(node.args) > 1 else node.keywords.get("start")
    return Enumerate(b, inner, ZERO if start is None else dynamic.index(b, b.expr(start)))


def _of_zip(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    inner = [iterate(b, each, stays) for each in node.args]
    strict = node.keywords.get("strict")
    if strict is None or (isinstance(strict, tree.Const) and not strict.value):
        return Zip(inner)
    return Zip(inner, b.is_true(b.lasting(b.expr(strict))))


def _of_reversed(b: Body, node: tree.Builtin, stays: Callable[[tree.Variable], bool]) -> Iterator:
    inner = node.args[0]
    if isinstance(inner, tree.Builtin) and inner.name == "range":
        return _reversed_range(b, inner)
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
        return None
    if node.name == "split" and kind == "str" and _is_plain_split(node):
        value = kept(b, node.value, stays)
        given = [*node.args, *node.keywords.values()]
        separator = b.expr(given[0]) if given else None
        if separator is not None and separator.kind == "none":
            separator = None
        if separator is not None:
            separator = b.hold(separator)
            if separator.kind == "str":
                empty = b.e.icmp("eq", separator.size, ZERO)
                b.raise_if(empty, "ValueError", "empty separator")
        return Split(b, value, separator, const("i64", -1))
    return None


def is_virtual(node: tree.Expr) -> bool:
    """Iterating over it makes no object: it need not be made, either."""
    if isinstance(node, tree.Builtin):
        return node.name in _OF_BUILTINS
    if not isinstance(node, tree.Method):
        return False
    kind = node.value.type.kind
    if node.name in ("keys", "values", "items"):
        return kind == "dict" and not node.args
    return node.name == "split" and kind == "str" and _is_plain_split(node)


def item_type(node: tree.Expr) -> Type:
    """The type of what iterating over an expression gives, before that is written."""
    if is_virtual(node):
        return node.type.args[0] if node.type.kind == "list" and node.type.args else ANY
    return of_type(node.type)


def of_type(type_: Type) -> Type:
    """The type of the items of a value."""
    if type_.kind in ("list", "dict") and type_.args:
        return type_.args[0]
    if type_.kind == "tuple":
        return lists.item_type(type_)
    return {"str": CHAR, "char": CHAR, "bytes": INT}.get(type_.kind, ANY)


def _is_plain_split(node: tree.Method) -> bool:
    given = [*node.args, *node.keywords.values()]
    if len(given) > 1 or any(name != "sep" for name in node.keywords):
        return False
    return not given or given[0].type.kind in ("str", "char", "none")
