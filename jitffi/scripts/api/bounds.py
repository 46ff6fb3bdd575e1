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
    Item,
    Text,
    refuse_if,
    root,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable
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
_MOST_PARAMETERS, _MOST_PRODUCTS, _MOST_FACTORS = 62, 40, 8

#: Functions of what has no more items than their arguments have, and what goes through all that it is given; what goes
#: through text takes a hundredth of the time, and does not count.
_GOES_THROUGH = frozenset(("enumerate", "zip", "reversed", "sorted", "list", "tuple", "set", "dict", "Counter"))
_LINEAR = frozenset(("sum", "min", "max", "any", "all", *_GOES_THROUGH))
_LINEAR_METHODS = frozenset(("index", "count", "remove", "copy", "insert", "pop", "sort", "reverse", "split", "join"))
_DISPLAYS = (_ast.List, _ast.Tuple, _ast.Set)
_FEW = (_ast.Constant, *_DISPLAYS)


class Bounds:
    """The loops of a function. *outside* tells how many items a name of the module has, or refuses it."""

    def __init__(self, text: Text, outside: Callable[[str], int]) -> None:
        self._text = text
        self._outside = outside
        refuse_if(len(text.parameters) > _MOST_PARAMETERS)
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
            if type(loop) is _ast.While:
                moved = self._text.whiles[loop].moves
                gone_through += [each for each in loops if self._goes_on_from(each, moved)]
        return found

    def _goes_on_from(self, loop: Any, moved: Container[str]) -> bool:
        moves = self._text.whiles[loop].moves if type(loop) is _ast.While else {}
        return any(type(each) is _ast.Name and each.id in moved for values in moves.values() for each in values)

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
        if type(node) is not _ast.Call:
            return []
        if type(node.func) is _ast.Name:
            return node.args if node.func.id in _LINEAR and len(node.args) == 1 else []
        if type(node.func) is not _ast.Attribute or node.func.attr not in _LINEAR_METHODS:
            return []
        is_last = node.func.attr == "pop" and not node.args
        return node.args if node.func.attr == "join" else [] if is_last else [node.func.value]

    def _is_dict(self, node: Any) -> bool:
        return type(node) is _ast.Name and self._text.is_made(node.id, is_hashed=True)

    # -- containers ---------------------------------------------------------------------------------------------------

    def _items(self, node: Any, inside: bool = False) -> Rounds:
        """How many items there are; *inside*: with the items' items."""
        kind = type(node)
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
            return [((0, 0, len(items)),), *[one for part in parts for one in self._items(part, inside)]]
        if kind in GENERATED:
            times = self._times(tuple(node.generators))
            given = [getattr(node, each, None) for each in ("elt", "key", "value") if inside]
            return product(times, [((0, 0, 1),), *[one for each in given if each for one in self._items(each, True)]])
        if kind is _ast.BinOp and type(node.op) is _ast.Add:
            return self._while_adding(lambda: self._items(node.left, inside) + self._items(node.right, inside))
        if kind is _ast.BinOp:
            refuse_if(type(node.op) is not _ast.Mult or type(node.left) not in (_ast.List, _ast.Constant))
            return product(self._items(node.left, inside), self._number(node.right))
        refuse_if(kind is not _ast.Call)
        return self._items_of_call(node, inside)

    def _items_of_call(self, node: _ast.Call, inside: bool) -> Rounds:
        func: Any = node.func
        if type(func) is _ast.Attribute:
            refuse_if(func.attr not in PARTS)
            return self._items(func.value, inside)
        name = getattr(func, "id", "")
        if name == "range":
            self._ranges.append(func)
            return self._numbers(node.args)
        if name in ("defaultdict", "len", "int", "float", "ord"):  # which has none in the beginning, or never
            return []
        refuse_if(name not in _GOES_THROUGH)
        return [each for one in node.args for each in self._items(one, inside)]

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
            for node, given, loops in self._text.added:
                if self._may_be(node, name):
                    found += self._add(asked, given, loops)
        if name not in self._text.parameters and name not in self._text.values:
            found.append(((0, 0, self._outside(name)),))
        del self._under_way[name, asked]
        return found

    def _may_be(self, node: Any, name: str) -> bool:
        """Whether a container that is added to may be that of a variable, or in it."""
        found = root(node)
        for _ in range(_MOST_FACTORS):
            values = self._text.values.get(found, [])
            if len(values) == 1 and type(values[0]) is Item and found not in self._text.parameters:
                found = root(values[0].loop.iter)
        if found in self._text.parameters or self._text.is_made(found, is_hashed=False):
            return found == name
        return True

    def _add(self, asked: str, given: list[Any], loops: Loops) -> Rounds:
        if asked == "numbers":
            refuse_if(not given)
            return self._while_adding(lambda: self._numbers(given))
        inside = given if asked == "inside" else ()
        return self._while_adding(
            lambda: product(
                self._times(loops), [((0, 0, 1),), *[one for each in inside for one in self._items(each, True)]]
            )
        )

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
            refuse_if(type(node.op) not in (_ast.Add, _ast.Sub, _ast.Mod, _ast.FloorDiv, _ast.RShift))
            return left if type(node.op) in (_ast.FloorDiv, _ast.RShift) else left + right
        refuse_if(kind is not _ast.Call or node.keywords or not node.args)
        given: Any = node.args[0]
        name = getattr(node.func, "id", "") or node.func.attr
        if name == "len":
            return self._items(given)
        if name in PLACES:
            return self._items(node.func.value)
        if name == "int":
            refuse_if(type(given) not in (_ast.Call, _ast.BinOp))  # the digits of text
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
        if kind in (_ast.List, _ast.Tuple, _ast.Set):
            parts = [each for each in node.elts if type(getattr(each, "value", 0)) not in (str, float, bool)]
            return [
                one for each in parts for one in (self._numbers_in if type(each) in _DISPLAYS else self._number)(each)
            ]
        if kind in (_ast.ListComp, _ast.GeneratorExp):
            return self._number(node.elt)
        if kind is _ast.BinOp:
            return self._numbers_in(node.left)
        refuse_if(kind is not _ast.Call or node.keywords)
        if type(node.func) is _ast.Attribute:
            refuse_if(node.func.attr not in PARTS)
            return self._numbers_in(node.func.value)
        name = getattr(node.func, "id", "")
        if name == "range":
            return self._numbers(node.args)
        refuse_if(name not in _GOES_THROUGH)
        found = [one for each in node.args for one in self._numbers_in(each)]
        return found + self._items(node.args[0]) if name == "enumerate" and node.args else found


def _is_less(node: Any) -> bool:
    """Whether that is `x / 2` or `x ** 0.5`, with constants."""
    by: Any = getattr(getattr(node, "right", None), "value", None)
    if type(node) is not _ast.BinOp or type(by) not in (int, float):
        return False
    return bool(by >= 1 if type(node.op) is _ast.Div else by <= 1 and type(node.op) is _ast.Pow)


def product(left: Rounds, right: Rounds) -> Rounds:
    found = [(*one, *other) for one in left for other in right]
    refuse_if(len(found) > _MOST_PRODUCTS or any(len(each) > _MOST_FACTORS for each in found))
    return found
