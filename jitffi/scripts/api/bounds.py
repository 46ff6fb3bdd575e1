"""How often the loops of a function go round, as far as its text tells: a sum of products of what arguments come to.

    for word in text.split():       the length of text, as it goes through a part of that
        for other in words:             times the length of words
            while i < n:                    times the number n
        seen.append(word)               seen gets as many items
    for ch in word ...              of an item of a loop around: not more than is in what that loop goes through

Each factor is a `Sum`: of lengths of parameters, of numbers in them, and a constant. A loop is bounded where it goes
through an argument or a part of one, a range, or what the function makes itself, and where a `while` compares what each
round moves by an int. A `while` that halves or takes remainders is short. A function with any other loop is refused.
"""

from __future__ import annotations

import _ast

from jitffi.scripts.api.loop_text import (
    GENERATED,
    LOOPS,
    PARTS,
    PLACES,
    Added,
    Item,
    Text,
    is_number,
    refuse_if,
    root,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from jitffi.scripts.api.loop_text import Loops

    #: Masks of the parameters whose lengths and whose numbers it has, and what is added.
    Sum = tuple[int, int, int]
    #: A sum of products.
    Rounds = list[tuple[Sum, ...]]

#: How long text is, or how much a number, that is neither an argument nor in the text.
SMALL = 150
#: Rounds of a loop that halves an int of 64 bits, or takes remainders.
_HALVING = 100
_MOST_PARAMETERS, _MOST_PRODUCTS, _MOST_FACTORS, _MOST_ITEMS = 62, 40, 8, 10_000

#: Functions of what has no more items than their arguments have, and what goes through all that it is given; what goes
#: through text takes a hundredth of the time, and does not count.
_GOES_THROUGH = frozenset(("enumerate", "zip", "reversed", "sorted", "list", "tuple", "set", "dict", "Counter"))
_LINEAR = frozenset(("sum", "min", "max", "any", "all", *_GOES_THROUGH))
_LINEAR_METHODS = frozenset(("index", "count", "remove", "copy", "insert", "pop", "sort", "reverse", "split", "join"))
_DISPLAYS = (_ast.List, _ast.Tuple, _ast.Set)
_FEW = (_ast.Constant, *_DISPLAYS)


class Bounds:
    """The loops of a function. *outside* gives what a name of the module stands for."""

    def __init__(self, text: Text, outside: Callable[[str], Any]) -> None:
        self._text = text
        self._outside = outside
        refuse_if(len(text.parameters) > _MOST_PARAMETERS)
        text.look_at_loops()
        #: What moves counters to no more than they are compared with.
        self._moves = {value for each in text.whiles.values() for values in each.moves.values() for value in values}
        #: What is being looked at: what is a part of itself is not more than itself, unless something is added to it.
        self._under_way: dict[tuple[str, str], int] = {}
        self._adding = 0
        self._ranges: list[Any] = []

    def rounds(self) -> Rounds:
        """Of all loops, and of what goes through something without one."""
        found: Rounds = []
        for node, loops in self._text.loops.items():
            if type(node) in LOOPS:
                found += self._times((*loops, node))
            for each in self._gone_through(node):
                refuse_if(node in self._text.in_lambdas)
                found += self._times((*loops, each))
        refuse_if(len(found) > _MOST_PRODUCTS)
        ranges = [each for each in self._text.loops if type(each) is _ast.Name and each.id == "range"]
        refuse_if(any(each not in self._ranges for each in ranges))  # something else goes through it
        return found

    # -- loops --------------------------------------------------------------------------------------------------------

    def _times(self, loops: Loops) -> Rounds:
        """How often the innermost of loops in each other goes round altogether. All that go through items of another
        come to no more than there is in that; and so do those that move what another goes on from."""
        found: Rounds = [()]
        gone_through: list[Any] = []
        for loop in reversed(loops):
            if loop not in gone_through:
                found = product(found, self._rounds_of(loop))
            values = self._text.values.get(root(getattr(loop, "iter", loop)), ())
            if len(values) == 1 and type(values[0]) is Item:
                gone_through.append(values[0].loop)
            gone_through += [each for each in loops if self._text.goes_on(loop, each)]
        return found

    def _rounds_of(self, loop: Any) -> Rounds:
        if type(loop) is not _ast.While:
            return self._items(loop.iter if type(loop) in LOOPS else loop)
        found = self._text.whiles[loop]
        if found.is_short:
            return [((0, 0, _HALVING),)]
        refuse_if(not found.compared)
        for value in [each for values in found.moves.values() for each in values]:
            if type(value) is not _ast.AugAssign:
                self._number(value)  # is an int, then
        return self._numbers(found.compared)

    def _gone_through(self, node: Any) -> list[Any]:
        """What an expression goes through, other than with a loop."""
        if type(node) is _ast.Compare:
            asked = [
                each for op, each in zip(node.ops, node.comparators, strict=True) if type(op) in (_ast.In, _ast.NotIn)
            ]
            return [each for each in asked if type(each) not in _FEW and not self._is_dict(each)]
        if type(node) in _DISPLAYS:
            return [each.value for each in node.elts if type(each) is _ast.Starred]
        if type(node) is not _ast.Call:
            return []
        if type(node.func) is _ast.Name and node.func.id in _LINEAR:
            return node.args[:1] if len(node.args) == 1 or node.func.id in ("sum", "dict") else []
        if type(node.func) is _ast.Name:
            return []
        if type(node.func) is not _ast.Attribute or node.func.attr not in _LINEAR_METHODS:
            return []
        is_last = node.func.attr == "pop" and not node.args
        return node.args if node.func.attr == "join" else [] if is_last else [node.func.value]

    def _is_dict(self, node: Any) -> bool:
        if type(node) is _ast.Name and self._is_of_module(node.id):
            return type(self._outside(node.id)) in (dict, set, frozenset)
        return type(node) is _ast.Name and self._text.is_made(node.id, is_hashed=True)

    # -- containers ---------------------------------------------------------------------------------------------------

    def _items(self, node: Any, inside: bool = False) -> Rounds:
        """How many items there are; *inside*: with the items' items."""
        kind = type(node)
        if is_number(node):
            return []
        if kind is _ast.Name:
            return self._variable(node.id, "inside" if inside else "items", lambda each: self._items(each, inside))
        if kind is _ast.Subscript:
            return self._items(node.value, inside or type(node.slice) is not _ast.Slice)
        if kind is _ast.Constant:
            return [((0, 0, len(node.value)),)] if type(node.value) in (str, bytes) else []
        if kind is _ast.IfExp or kind is _ast.BoolOp:
            both = (node.body, node.orelse) if kind is _ast.IfExp else node.values
            return [each for part in both for each in self._items(part, inside)]
        if kind in (*_DISPLAYS, _ast.Dict):
            items = [*node.keys, *node.values] if kind is _ast.Dict else node.elts
            refuse_if(None in items)  # another one, spread
            spread = [each.value for each in items if type(each) is _ast.Starred]
            parts = spread + [each for each in items if inside and type(each) is not _ast.Starred]
            found = self._while_adding(lambda: [one for part in parts for one in self._items(part, inside)])
            return [((0, 0, len(items)),), *found]
        if kind in GENERATED:
            return self._while_adding(lambda: self._generated(node, inside))
        if kind is _ast.BinOp and type(node.op) is _ast.Add:
            return self._while_adding(lambda: self._items(node.left, inside) + self._items(node.right, inside))
        if kind is _ast.BinOp and self._text.is_index(node.left, 3) and self._text.is_index(node.right, 3):
            return []
        if kind is _ast.BinOp:
            refuse_if(type(node.op) is not _ast.Mult or type(node.left) not in (_ast.List, _ast.Constant))
            return product(self._items(node.left, inside), self._number(node.right))
        refuse_if(kind is not _ast.Call)
        return self._items_of_call(node, inside)

    def _generated(self, node: Any, inside: bool) -> Rounds:
        times = self._times(tuple(node.generators))
        given = [getattr(node, each) for each in ("elt", "key", "value") if inside and hasattr(node, each)]
        return product(times, self._each(given))

    def _items_of_call(self, node: _ast.Call, inside: bool) -> Rounds:
        func: Any = node.func
        if type(func) is _ast.Attribute:
            refuse_if(func.attr not in PARTS)
            return self._items(func.value, inside)
        name = getattr(func, "id", "")
        if name == "range":
            self._ranges.append(func)
            return self._numbers(node.args)
        refuse_if(name not in (*_GOES_THROUGH, "defaultdict") or any(each.arg is None for each in node.keywords))
        given = node.args[1:] if name == "defaultdict" else node.args
        return [((0, 0, len(node.keywords)),), *[each for one in given for each in self._items(one, inside)]]

    def _variable(self, name: str, asked: str, look_at: Callable[[Any], Rounds]) -> Rounds:
        """Of the items of a variable. *look_at* an expression that it is set to."""
        if (name, asked) in self._under_way:
            refuse_if(self._adding > self._under_way[name, asked] or asked == "number")
            return []
        self._under_way[name, asked] = self._adding
        found: Rounds = []
        if name in self._text.parameters:
            bit = self._text.parameters[name]
            found.append(((bit, 0, 0) if asked in ("items", "inside") else (0, bit, 0),))
        for value in self._text.values.get(name, ()):
            if type(value) is Item:
                found += self._numbers_in(value.loop.iter) if "number" in asked else self._items(value.loop.iter, True)
            elif value not in self._moves:
                found += look_at(value)
        if asked != "number":
            for added in self._text.added:
                if self._may_be(added.container, name):
                    found += self._add(asked, added)
        if self._is_of_module(name):
            lengths, numbers = _size(self._outside(name), 3)
            found.append(((0, 0, numbers if "number" in asked else lengths),))
        del self._under_way[name, asked]
        return found

    def _is_of_module(self, name: str) -> bool:
        return name not in self._text.parameters and name not in self._text.values

    def _may_be(self, node: Any, name: str) -> bool:
        """Whether a container that is added to may be that of a variable, or in it."""
        found, is_inside = root(node), type(node) is not _ast.Name
        for _ in range(_MOST_FACTORS):
            values = self._text.values.get(found, [])
            if len(values) == 1 and type(values[0]) is Item and found not in self._text.parameters:
                found, is_inside = root(values[0].loop.iter), True
        if found in self._text.parameters:  # which may be another one, too
            return name in self._text.parameters or found == name
        is_own = self._text.owns_items(found) if is_inside else self._text.is_made(found, is_hashed=False)
        return found == name or not is_own

    def _add(self, asked: str, added: Added) -> Rounds:
        if asked == "numbers":
            return self._while_adding(lambda: self._numbers(added.given))
        if asked == "items":
            return [] if added.is_index else self._while_adding(lambda: self._times(added.loops))
        return self._while_adding(lambda: product(self._times(added.loops), self._each(added.given)))

    def _each(self, given: list[Any]) -> Rounds:
        return [((0, 0, 1),), *[one for each in given for one in self._items(each, True)]]

    def _while_adding(self, look: Callable[[], Rounds]) -> Rounds:
        """What is more than its parts."""
        self._adding += 1
        found = look()
        self._adding -= 1
        return found

    # -- numbers ------------------------------------------------------------------------------------------------------

    def _numbers(self, nodes: Iterable[Any]) -> Rounds:
        return [each for node in nodes for each in self._number(node)]

    def _number(self, node: Any) -> Rounds:
        """What a number is at most, whatever its sign."""
        kind = type(node)
        if kind is _ast.Constant:
            refuse_if(type(node.value) is not int)
            return [((0, 0, abs(node.value)),)]
        if kind is _ast.Name:
            return self._number_of_variable(node.id)
        if kind is _ast.Subscript:
            return self._numbers_in(node.value)
        if kind is _ast.UnaryOp:
            return self._number(node.operand)
        if kind is _ast.BinOp and _is_less(node):
            return self._number(node.left)
        if kind is _ast.BinOp:
            left, right = self._number(node.left), self._number(node.right)
            if type(node.op) is _ast.Mult:
                return product(left, right)
            refuse_if(type(node.op) not in (_ast.Add, _ast.Sub, _ast.Mod, _ast.RShift))
            return left if type(node.op) is _ast.RShift else left + right
        refuse_if(kind is not _ast.Call or node.keywords or not node.args)
        given: Any = node.args[0]
        name = getattr(node.func, "id", "") or getattr(node.func, "attr", "")
        if name == "len":
            return self._items(given)
        if name in PLACES:
            return self._items(node.func.value)
        if name == "int":
            is_root = getattr(getattr(given, "func", None), "attr", "") in ("sqrt", "isqrt")
            refuse_if(not (is_root or is_number(given) or _is_less(given)))  # the digits of text
            return self._number(given)
        refuse_if(name not in ("min", "max", "abs", "isqrt", "sqrt"))
        return self._numbers(node.args)

    def _number_of_variable(self, name: str) -> Rounds:
        """Those that a `while` compares with each other come to what they are together in the beginning."""
        together, parts = {name}, []
        for each in self._text.whiles.values():
            if name in each.moves:
                together |= each.moves.keys()
                parts += each.unmoved
        found = self._numbers(parts)
        for other in together:
            found += self._variable(other, "number", self._number)
        return found

    def _numbers_in(self, node: Any) -> Rounds:
        """What the numbers in a container come to at most."""
        kind = type(node)
        if kind is _ast.Name:
            return self._variable(node.id, "numbers", self._numbers_in)
        if kind is _ast.Subscript:
            return self._numbers_in(node.value)
        if kind is _ast.Constant:
            return [((0, 0, 255),)]
        if kind in _DISPLAYS:
            parts = [each for each in node.elts if type(getattr(each, "value", 0)) not in (str, bytes, bool)]
            return [
                one for each in parts for one in (self._numbers_in if type(each) in _DISPLAYS else self._number)(each)
            ]
        if kind in (_ast.ListComp, _ast.GeneratorExp):
            return self._number(node.elt)
        if kind is _ast.BinOp:
            return self._numbers_in(node.left) + (self._numbers_in(node.right) if type(node.op) is _ast.Add else [])
        refuse_if(kind is not _ast.Call or node.keywords)
        if type(node.func) is _ast.Attribute:
            refuse_if(node.func.attr not in PARTS)
            return self._numbers_in(node.func.value)
        name = getattr(node.func, "id", "")
        if name == "range":
            return self._numbers(node.args)
        refuse_if(name not in _GOES_THROUGH)
        if name == "enumerate":
            return self._numbers(node.args[1:]) + self._items(node.args[0]) + self._numbers_in(node.args[0])
        found = [one for each in node.args for one in self._numbers_in(each)]
        return found + self._items_of_call(node, False) if name == "Counter" else found


def _is_less(node: Any) -> bool:
    """Whether that is `x / 2`, `x // 2` or `x ** 0.5`, with constants."""
    by: Any = getattr(getattr(node, "right", None), "value", None)
    if type(node) is not _ast.BinOp or type(by) not in (int, float):
        return False
    return bool(by >= 1 if type(node.op) in (_ast.Div, _ast.FloorDiv) else by <= 1 and type(node.op) is _ast.Pow)


def _size(value: Any, depth: int) -> tuple[int, int]:
    """The lengths in a constant of the module, and the numbers."""
    kind = type(value)
    if kind in (int, float, bool):
        return 0, abs(int(value))
    if kind in (str, bytes) or value is None:
        return len(value or ""), 255
    refuse_if(kind not in (tuple, list, dict, set, frozenset) or not depth or len(value) > _MOST_ITEMS)
    items = [*value.keys(), *value.values()] if kind is dict else value
    sizes = [_size(each, depth - 1) for each in items]
    return len(value) + sum(each for each, _ in sizes), sum(each for _, each in sizes)


def product(left: Rounds, right: Rounds) -> Rounds:
    found = [(*one, *other) for one in left for other in right if (0, 0, 0) not in (*one, *other)]
    refuse_if(len(found) > _MOST_PRODUCTS or any(len(each) > _MOST_FACTORS for each in found))
    return found
