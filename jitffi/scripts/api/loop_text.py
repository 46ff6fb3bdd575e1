"""What the text of a function says of its loops: in which each node is, what sets its variables, what adds to its
containers, and what moves the counters of a `while`."""

from __future__ import annotations

import _ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

    #: From the outermost on.
    Loops = tuple[Any, ...]

LOOPS = (_ast.For, _ast.While, _ast.comprehension)
GENERATED = (_ast.ListComp, _ast.DictComp, _ast.SetComp, _ast.GeneratorExp)
#: Kinds of nodes that make a container, and functions that do.
_LISTS, _HASHED = (_ast.List, _ast.ListComp), (_ast.Dict, _ast.DictComp, _ast.Set, _ast.SetComp)
_DICT_MAKERS = ("dict", "defaultdict", "Counter", "set")
#: Methods that give no more than there is, and those that give a place in it.
PARTS = frozenset(
    (
        "split", "rsplit", "splitlines", "strip", "lstrip", "rstrip", "partition", "rpartition", "lower", "upper",
        "title", "casefold", "capitalize", "items", "keys", "values", "copy", "most_common",
    )
)  # fmt: skip
PLACES = ("find", "rfind", "index", "count")
#: Methods by which a list or dict gets an item more.
_ADDS = ("append", "insert", "setdefault", "add")
_ORDERED = (_ast.Lt, _ast.LtE, _ast.Gt, _ast.GtE)
_HALVES = (_ast.FloorDiv, _ast.RShift, _ast.Mod)


class UnfitError(Exception):
    """The text does not tell how often its loops go round."""


def refuse_if(found: object) -> None:
    if found:
        raise UnfitError


class Item:
    """What a variable is that a loop sets."""

    def __init__(self, loop: Any) -> None:
        self.loop = loop


class Text:
    """The text of a function's *body*."""

    def __init__(self, body: list[Any], parameters: Iterable[str]) -> None:
        self.parameters = {name: 1 << i for i, name in enumerate(parameters)}
        #: In which loops each node is.
        self.loops: dict[Any, Loops] = {}
        #: What each variable is set to: expressions, and items.
        self.values: dict[str, list[Any]] = {}
        #: Where containers get items: the container, what it gets, and the loops.
        self.added: list[tuple[Any, list[Any], Loops]] = []
        self._stored: list[tuple[_ast.Subscript, Loops]] = []
        for node in body:
            self._enter(node, ())
        self.added += [(node.value, [], loops) for node, loops in self._stored if self._may_be_key(node)]
        self.whiles = {node: While(node, self._set_in(node)) for node in self.loops if type(node) is _ast.While}

    def _enter(self, node: Any, loops: Loops) -> None:
        kind = type(node)
        self.loops[node] = loops
        self._note(node, loops)
        inside: tuple[str, ...] = ()
        if kind is _ast.For or kind is _ast.While:
            inside = ("target", "test", "body")
        elif kind is _ast.comprehension:
            inside = ("target", "ifs")
        elif kind in GENERATED:
            for each in node.generators:
                self._enter(each, loops)
                loops = (*loops, each)
        for part, value in vars(node).items():
            if part != "generators":
                for each in value if type(value) is list else (value,):
                    if isinstance(each, _ast.AST):
                        self._enter(each, (*loops, node) if part in inside else loops)

    def _note(self, node: Any, loops: Loops) -> None:
        kind = type(node)
        if kind is _ast.Assign:
            for target in node.targets:
                self._set(target, node.value)
        elif kind is _ast.AnnAssign:
            self._set(node.target, node.value or node)
        elif kind is _ast.AugAssign or kind is _ast.NamedExpr:
            self._set(node.target, node if kind is _ast.AugAssign else node.value)
        elif kind is _ast.For or kind is _ast.comprehension:
            self._set(node.target, Item(node))
        elif kind in (_ast.MatchAs, _ast.MatchStar, _ast.MatchMapping, _ast.withitem):
            for part in ("name", "rest", "optional_vars"):
                target = getattr(node, part, None)
                for name in [target] if type(target) is str else names_in(target):
                    self.values.setdefault(name, []).append(node)  # any value
        elif kind is _ast.Subscript and type(node.ctx) is _ast.Store:
            self._stored.append((node, loops))
        elif kind is _ast.Call and type(node.func) is _ast.Attribute and node.func.attr in _ADDS:
            self.added.append((node.func.value, node.args, loops))

    def _set(self, target: Any, value: Any) -> None:
        refuse_if(type(value) is _ast.Lambda)  # which may call itself
        if type(target) is _ast.Name:
            self.values.setdefault(target.id, []).append(value)
        elif type(target) is _ast.Starred:
            self._set(target.value, value if type(value) is Item else target)
        elif type(target) in (_ast.Tuple, _ast.List):
            given = value.elts if type(value) is _ast.Tuple else []
            is_paired = len(given) == len(target.elts) and not any(type(each) is _ast.Starred for each in target.elts)
            for i, each in enumerate(target.elts):  # parts of items are parts, too; of anything else nothing is known
                self._set(each, given[i] if is_paired else value if type(value) is Item else target)

    def is_made(self, name: str, is_hashed: bool) -> bool:
        """Whether a variable is only ever set to containers made there; *is_hashed*: to dicts and sets."""
        values = self.values.get(name, [])
        return bool(values) and name not in self.parameters and all(_makes(each, is_hashed) for each in values)

    def _may_be_key(self, node: _ast.Subscript) -> bool:
        """Whether that may be a dict's new key, and no index."""
        if type(node.value) is _ast.Name and self.is_made(node.value.id, is_hashed=True):
            return True
        return not self._is_index(node.slice, 3)

    def _is_index(self, value: Any, depth: int) -> bool:
        """Whether that is an int, rather than a key."""
        if type(value) is _ast.Name and depth:
            values = self.values.get(value.id, [])
            return bool(values) and all(self._is_index(each, depth - 1) for each in values)
        if type(value) is _ast.BinOp:
            return self._is_index(value.left, depth) or self._is_index(value.right, depth)
        if type(value) is Item:
            called = getattr(getattr(value.loop.iter, "func", None), "id", "")
            return called in ("range", "enumerate")
        is_int = type(value) is _ast.Constant and type(value.value) is int
        return is_int or type(value) in (_ast.UnaryOp, _ast.AugAssign, _ast.Slice) or _is_len(value)

    def _set_in(self, loop: _ast.While) -> dict[str, list[Any]]:
        """What variables are set to in a loop."""
        found = {}
        for name, values in self.values.items():
            inside = [each for each in values if loop in self.loops[each.loop if type(each) is Item else each]]
            if inside:
                found[name] = inside
        return found


class While:
    """A loop that ends when what it compares has come far enough; *set_in*: what its body sets variables to."""

    def __init__(self, node: _ast.While, set_in: dict[str, list[Any]]) -> None:
        #: What moves each variable that is compared.
        self.moves: dict[str, list[Any]] = {}
        #: What is compared, where a side moves, and the sides that do not.
        self.compared: list[Any] = []
        self.unmoved: list[Any] = []
        #: It halves an int, or takes remainders.
        self.is_short = False
        for part in node.test.values if isinstance(node.test, _ast.BoolOp) else (node.test,):
            refuse_if(type(getattr(node.test, "op", None)) is _ast.Or)
            if not self.compared:
                self._look_at(part, set_in)

    def _look_at(self, test: Any, set_in: dict[str, list[Any]]) -> None:
        is_compare = type(test) is _ast.Compare and len(test.ops) == 1
        sides = [test.left, test.comparators[0]] if is_compare else [test]
        counters = [_counter(each) for each in sides]
        moves = {each.id: set_in[each.id] for each in counters if each is not None and each.id in set_in}
        values = [each for below in moves.values() for each in below]
        if not values:
            return
        if is_compare and type(test.ops[0]) in _ORDERED and all(map(_is_move, values)):
            self.moves = moves
            for side, counter in zip(sides, counters, strict=True):
                is_moved = counter is not None and counter.id in moves
                self.compared.append(counter if is_moved else side)
                self.unmoved += [] if is_moved else [side]
        elif type(sides[-1]) in (_ast.Name, _ast.Constant) and all(map(_halves, values)):
            self.is_short = True


def names_in(target: Any) -> list[str]:
    return [each.id for each in all_below(target) if type(each) is _ast.Name]


def all_below(node: Any) -> Iterator[Any]:
    """The node, too."""
    waiting = [node] if isinstance(node, _ast.AST) else []
    while waiting:
        node = waiting.pop()
        yield node
        for part in vars(node).values():
            waiting += [each for each in (part if type(part) is list else [part]) if isinstance(each, _ast.AST)]


def root(node: Any) -> str:
    """The variable that an expression gives the items of, or a part of them; empty: another expression."""
    while type(node) is not _ast.Name:
        if type(node) is _ast.Subscript:
            node = node.value
        elif type(node) is _ast.Call and type(node.func) is _ast.Attribute and node.func.attr in PARTS:
            node = node.func.value
        elif type(node) is _ast.Call and getattr(node.func, "id", "") in ("enumerate", "sorted", "list", "reversed"):
            node = node.args[0] if node.args else None
        else:
            return ""
    return str(node.id)


def _counter(side: Any) -> _ast.Name | None:
    """The variable of `i`, `i * i`, `i + 1`."""
    if type(side) is _ast.BinOp and type(side.left) is _ast.Name:
        is_square = type(side.op) is _ast.Mult and getattr(side.right, "id", "") == side.left.id
        if is_square or (type(side.op) in (_ast.Add, _ast.Sub) and type(side.right) is _ast.Constant):
            side = side.left
    return side if type(side) is _ast.Name else None


def _makes(value: Any, is_hashed: bool) -> bool:
    if type(value) is _ast.Call and type(value.func) is _ast.Name:
        return value.func.id in _DICT_MAKERS or (value.func.id in ("list", "sorted") and not is_hashed)
    return type(value) in _HASHED or (type(value) in _LISTS and not is_hashed)


def _is_move(value: Any) -> bool:
    """Whether that moves an int by one or more, as far as can be told: it is another variable, perhaps."""
    if type(value) in (_ast.AugAssign, _ast.BinOp) and type(value.op) in (_ast.Add, _ast.Sub):
        by = value.value if type(value) is _ast.AugAssign else value.right
        is_int = type(by) is _ast.Constant and type(by.value) is int and by.value > 0
        return (is_int or _is_len(by)) and type(getattr(value, "left", None)) in (type(None), _ast.Name)
    is_place = type(value) is _ast.Call and type(value.func) is _ast.Attribute and value.func.attr in PLACES
    return type(value) is _ast.Name or _is_len(value) or is_place


def _is_len(node: Any) -> bool:
    return type(node) is _ast.Call and type(node.func) is _ast.Name and node.func.id == "len"


def _halves(value: Any) -> bool:
    if type(value) not in (_ast.AugAssign, _ast.BinOp) or type(value.op) not in _HALVES:
        return False
    by = value.value if type(value) is _ast.AugAssign else value.right
    least = 1 if type(value.op) is _ast.RShift else 2
    if type(by) is _ast.Constant:
        return type(by.value) is int and by.value >= least
    return type(value.op) is _ast.Mod and type(by) is _ast.Name
