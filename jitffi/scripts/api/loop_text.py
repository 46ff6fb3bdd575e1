"""What the text of a function says of its loops: in which each node is, what sets its variables, what adds to its
containers, and what moves the counters of a `while`."""

from __future__ import annotations

import _ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator
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
#: Functions that add nothing to what they are given.
_HARMLESS = frozenset(
    (
        "len", "sum", "min", "max", "sorted", "list", "tuple", "set", "dict", "any", "all", "zip", "enumerate",
        "reversed", "str", "repr", "bool", "print", "isinstance", "Counter", "range", "int", "float", "abs", "round",
    )
)  # fmt: skip
_ORDERED = (_ast.Lt, _ast.LtE, _ast.Gt, _ast.GtE)
_HALVES = (_ast.FloorDiv, _ast.RShift, _ast.Mod)


class UnfitError(Exception):
    """The text does not tell how often its loops go round."""


def refuse_if(found: object) -> None:
    if found:
        raise UnfitError


class Added:
    """Where a container gets something in some loops: an item more, unless it *is_index* at which it is put."""

    def __init__(self, container: Any, given: list[Any], loops: Loops, is_index: bool = False) -> None:
        self.container, self.given, self.loops, self.is_index = container, given, loops, is_index


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
        self.added: list[Added] = []
        self.whiles: dict[Any, While] = {}
        #: Nodes in lambdas: how often those run is not told.
        self.in_lambdas: set[Any] = set()
        #: In which list of statements each is, and where.
        self._blocks: dict[Any, tuple[list[Any], int]] = {each: (body, i) for i, each in enumerate(body)}
        for node in body:
            self._enter(node, ())

    def look_at_loops(self) -> None:
        """What bounds them, beside the arguments; refused where that is not told."""
        calls = [node for node in self.loops if type(node) is _ast.Call]
        self._called = {node.func for node in calls}
        self._arguments = {each for node in calls for each in (*node.args, *[given.value for given in node.keywords])}
        for node in self.loops:
            self._note_added(node)
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
            if type(value) is list:
                self._blocks.update({each: (value, i) for i, each in enumerate(value) if isinstance(each, _ast.stmt)})
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
        elif kind is _ast.Lambda:
            self.in_lambdas.update(all_below(node.body))

    def _note_added(self, node: Any) -> None:
        kind, loops = type(node), self.loops[node]
        if kind is _ast.Assign:
            for target in node.targets:
                self._note_stored(target, node.value)
        elif kind is _ast.AugAssign:
            self._note_stored(node.target, node)
        elif kind is _ast.Attribute:
            refuse_if(node.attr in _ADDS and node not in self._called)
        elif kind is _ast.Lambda:
            refuse_if(node not in self._arguments)  # it may call itself
        elif kind in (*LOOPS, *GENERATED):
            refuse_if(node in self.in_lambdas)
        elif kind is _ast.Call and type(node.func) is _ast.Attribute and node.func.attr in _ADDS:
            self.added.append(Added(node.func.value, node.args, loops))
        elif kind is _ast.Call and self._is_outside(node.func):
            made = [each for each in node.args if type(each) is _ast.Name and self.is_made(each.id, is_hashed=False)]
            self.added += [Added(each, [node], loops) for each in made]
        elif kind is _ast.Subscript and type(node.value) is _ast.Name:  # which may make an item
            values = self.values.get(node.value.id, ())
            if any(getattr(getattr(each, "func", None), "id", "") == "defaultdict" for each in values):
                self.added.append(Added(node.value, [node.slice], loops))

    def _is_outside(self, func: Any) -> bool:
        """Whether that is a function, perhaps of a module, that may add to what it is given."""
        if type(func) is _ast.Attribute:
            func = func.value
            return type(func) is _ast.Name and func.id not in self.values and func.id not in self.parameters
        return type(func) is not _ast.Name or func.id not in _HARMLESS

    def _note_stored(self, target: Any, value: Any) -> None:
        if type(target) in (_ast.Tuple, _ast.List):
            for each in target.elts:
                self._note_stored(each, target)
        elif type(target) is _ast.Subscript:
            refuse_if(type(target.slice) is _ast.Slice)
            is_index = not self._may_be_key(target)
            given = [value] if is_index else [value, target.slice]
            self.added.append(Added(target.value, given, self.loops[target], is_index))

    def _set(self, target: Any, value: Any) -> None:
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

    def owns_items(self, name: str) -> bool:
        """Whether what is in the containers of a variable is in nothing else."""
        values = self.values.get(name, [])
        stored = [each for added in self.added if root(added.container) == name for each in added.given[:1]]
        items = [each.elt for each in values if type(each) is _ast.ListComp]
        empty = [each for each in values if type(each) is not _ast.ListComp]
        are_empty = not any(getattr(each, part, None) for each in empty for part in ("elts", "keys", "generators"))
        are_made = all(_makes(each, is_hashed=False) for each in (*items, *stored))
        return self.is_made(name, is_hashed=False) and are_empty and are_made

    def _may_be_key(self, node: _ast.Subscript) -> bool:
        """Whether that may be a dict's new key, and no index."""
        if type(node.value) is _ast.Name and self.is_made(node.value.id, is_hashed=True):
            return True
        return not self.is_index(node.slice, 3)

    def is_index(self, value: Any, depth: int) -> bool:
        """Whether that is an int, rather than a key."""
        if type(value) is _ast.Name and depth:
            values = self.values.get(value.id, [])
            return bool(values) and all(self.is_index(each, depth - 1) for each in values)
        if type(value) is _ast.BinOp:
            return self.is_index(value.left, depth) or self.is_index(value.right, depth)
        if type(value) is Item:
            called = getattr(getattr(value.loop.iter, "func", None), "id", "")
            return called in ("range", "enumerate")
        is_int = type(value) is _ast.Constant and type(value.value) is int
        return is_int or type(value) in (_ast.UnaryOp, _ast.AugAssign, _ast.Slice) or _is_len(value)

    def goes_on(self, loop: Any, outer: Any) -> bool:
        """Whether a `while` is `j = i`, `while ...: j += 1`, `i = j`, in this order, of one around it that counts i."""
        if type(loop) is not _ast.While or type(outer) is not _ast.While:
            return False
        block, i = self._blocks[loop]
        for name in self.whiles[outer].moves:
            for other in self.whiles[loop].moves:
                begins = any(_sets(each, other, name) for each in block[:i])
                if begins and block[i + 1 :] and any(_sets(each, name, other) for each in block[i + 1 :]):
                    return not any(type(each) is _ast.Continue for one in block[i + 1 :] for each in all_below(one))
        return False

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
        refuse_if(isinstance(node.test, _ast.BoolOp) and type(node.test.op) is _ast.Or)
        for part in node.test.values if isinstance(node.test, _ast.BoolOp) else (node.test,):
            if not self.compared:
                self._look_at(part, set_in, node.body)

    def _look_at(self, test: Any, set_in: dict[str, list[Any]], body: list[Any]) -> None:
        is_compare = type(test) is _ast.Compare and len(test.ops) == 1
        sides = [test.left, test.comparators[0]] if is_compare else [test]
        counters = [_counter(each) for each in sides]
        moves = {each.id: set_in[each.id] for each in counters if each is not None and each.id in set_in}
        values = [each for below in moves.values() for each in below]
        if not values or not _moves_always(body, moves):
            return
        if is_compare and type(test.ops[0]) in _ORDERED:
            self._compare(sides, counters, moves, type(test.ops[0]) in (_ast.Lt, _ast.LtE))
        elif type(sides[-1]) in (_ast.Name, _ast.Constant):
            self.is_short = all(_halves(each, name) for name, below in moves.items() for each in below)

    def _compare(self, sides: list[Any], counters: list[Any], moves: dict[str, list[Any]], is_less: bool) -> None:
        """The smaller side goes up, the larger one down."""
        for i, counter in enumerate(counters):
            goes_up = (i == 0) is is_less
            for value in moves.get(counter.id, ()) if counter is not None else ():
                if not _is_move(value, goes_up):
                    return
        self.moves = moves
        for side, counter in zip(sides, counters, strict=True):
            is_moved = counter is not None and counter.id in moves
            self.compared.append(counter if is_moved else side)
            self.unmoved += [] if is_moved else [side]


def _moves_always(body: list[Any], names: Container[str]) -> bool:
    """Whether each way through statements sets one of these variables, or leaves the loop."""
    for node in body:
        kind = type(node)
        targets = node.targets if kind is _ast.Assign else [node.target] if kind is _ast.AugAssign else []
        if any(name in names for each in targets for name in names_in(each)):
            return True
        if kind in (_ast.Return, _ast.Raise, _ast.Break):
            return True
        if kind is _ast.If:
            if _moves_always(node.body, names) and _moves_always(node.orelse, names):
                return True
            for part in (node.body, node.orelse):
                goes_back = any(_ast.Continue in map(type, all_below(each)) for each in part)
                refuse_if(goes_back and not _moves_always(part, names))
        elif kind is _ast.Continue:
            return False
    return False


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


def _is_move(value: Any, goes_up: bool) -> bool:
    """Whether that moves an int by one or more that way, or sets it to another variable, a length or a place: to what
    comes later, it is assumed, as the loop would not end else."""
    if type(value) in (_ast.AugAssign, _ast.BinOp) and type(value.op) is (_ast.Add if goes_up else _ast.Sub):
        by = value.value if type(value) is _ast.AugAssign else value.right
        is_int = type(by) is _ast.Constant and type(by.value) is int and by.value > 0
        return (is_int or _is_len(by)) and type(getattr(value, "left", None)) in (type(None), _ast.Name)
    is_place = type(value) is _ast.Call and type(value.func) is _ast.Attribute and value.func.attr in PLACES
    return type(value) is _ast.Name or _is_len(value) or is_place


def _is_len(node: Any) -> bool:
    return type(node) is _ast.Call and type(node.func) is _ast.Name and node.func.id == "len"


def _halves(value: Any, name: str) -> bool:
    """Whether an int becomes half, or the remainder by itself, as in `a, b = b, a % b`."""
    if type(value) not in (_ast.AugAssign, _ast.BinOp) or type(value.op) not in _HALVES:
        return False
    by = value.value if type(value) is _ast.AugAssign else value.right
    if type(value.op) is _ast.Mod:
        return type(value) is _ast.BinOp and type(by) is _ast.Name and by.id == name
    least = 1 if type(value.op) is _ast.RShift else 2
    return type(by) is _ast.Constant and type(by.value) is int and by.value >= least


def _sets(node: Any, name: str, other: str) -> bool:
    """Whether a statement is `name = other`, or with a constant added."""
    if type(node) is not _ast.Assign or len(node.targets) > 1 or getattr(node.targets[0], "id", "") != name:
        return False
    value = node.value
    if type(value) is _ast.BinOp and type(value.op) is _ast.Add and type(value.right) is _ast.Constant:
        value = value.left
    return type(value) is _ast.Name and value.id == other


def is_number(node: Any) -> bool:
    """Whether that is a number, which has no items."""
    if type(node) is _ast.Constant:
        return type(node.value) in (int, float, bool)
    if type(node) is _ast.AugAssign:
        return is_number(node.value) and type(node.op) is not _ast.Mult
    if type(node) is _ast.BinOp and type(node.op) is not _ast.Mult:
        return is_number(node.right) or is_number(node.left)
    called = getattr(getattr(node, "func", None), "id", "")
    return type(node) is _ast.Compare or called in ("len", "int", "float", "ord", "abs", "round", "sum")
