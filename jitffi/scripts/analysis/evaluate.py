"""Inference of expressions: what value each has, given the variables' values so far."""

from __future__ import annotations

from jitffi.scripts.analysis import (
    array_uses,
    constant_conditions,
    evaluate_calls,
    evaluate_defaulting,
    evaluate_items,
    evaluate_methods,
    evaluate_python,
    evaluate_regexes,
    evaluate_sets,
)
from jitffi.scripts.analysis.cells import Cell, Tup, Value, is_any, is_never, kind_of, stored, type_of, value_of, whole
from jitffi.scripts.analysis.evaluate_python import is_object, to_python
from jitffi.scripts.analysis.evaluate_targets import Values, made_as
from jitffi.scripts.analysis.finer_types import SIGNED, Maybe
from jitffi.scripts.analysis.results import may_stay
from jitffi.scripts.library import rules
from jitffi.scripts.library.own import SEQUENCES, class_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import regexes, tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.types import (
    ANY,
    BOOL,
    INT,
    NEVER,
    OBJECT,
    STR,
    TUPLE,
    U64,
    Type,
    object_of,
    promised,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Comparisons that objects of Python's give any value for.
RICH = frozenset(("<", "<=", "==", "!=", ">", ">="))
#: What stands for a sequence without being one.
VIRTUAL = ("range", "enumerate", "zip", "reversed")


class Evaluator(Values):
    """Gives expressions their values."""

    # -- expressions -----------------------------------------------------------------------------------------------

    def expr(self, node: tree.Expr) -> Value:
        value = _EXPRESSIONS[type(node)](self, node)
        if isinstance(value, Type) and value.kind == "array" and self.array_uses is not None:
            value = value if array_uses.is_native(self, value, node) else OBJECT
        if isinstance(value, Type) and value.kind == "object":
            self.cells.places.add_outer(value)
        if self.final and is_never(value):
            value = ANY
        self.values[node] = value
        return value

    def iterate(self, node: tree.Expr) -> Value:
        """The same of an expression, which may be one that no value stands for. Tuples that are not made have
        characters in them."""
        item: Value
        if isinstance(node, tree.Builtin) and node.name in VIRTUAL:
            item = self._virtual(node)
        elif isinstance(node, tree.Method) and node.name in ("keys", "values", "items") and not node.args:
            receiver = self.expr(node.value)
            if isinstance(receiver, Type) and class_of(receiver) == "dict":
                self.values[node] = OBJECT
                both = promised(receiver), promised(receiver, 1)
                return Tup(both) if node.name == "items" else both[node.name == "values"]
            if not isinstance(receiver, Cell) or receiver.kind != "dict":
                return self.item_of(self.expr(node))
            key, value = receiver.find().contents
            item = {"keys": key, "values": value, "items": Tup((key, value))}[node.name]
            if is_never(key) and is_never(value):
                item = NEVER
        elif isinstance(node, tree.Comprehension) and node.is_lazy:
            item = self._rounds(node)
        elif isinstance(node, regexes.Matches):
            item = evaluate_regexes.matches(self, node)
        else:
            return self.item_of(self.expr(node))
        self.values[node] = self.made(node, item)
        return item

    def _virtual(self, node: tree.Builtin) -> Value:
        for each in node.keywords.values():
            self.expr(each)
        if node.name == "range":
            for each in node.args:
                self.expr(each)
            return INT
        if node.name == "zip":
            items = [self.iterate(each) for each in node.args]
            return NEVER if any(is_never(item) for item in items) else Tup(tuple(items))
        item = self.iterate(node.args[0])
        for each in node.args[1:]:
            self.expr(each)
        if node.name == "enumerate" and not is_never(item):
            return Tup((INT, item))
        return item

    def truth(self, node: tree.Expr) -> tuple[bool, bool]:
        """Whether the test, which has been evaluated, can be true, and whether it can be false."""
        return constant_conditions.truth(node, self._kind)

    def _kind(self, node: tree.Local) -> str:
        value = self.local(node.variable)
        if self.final and is_never(value):
            return ""
        return "" if is_any(value) or is_object(value) else kind_of(value)

    def _const(self, node: tree.Const) -> Value:
        if isinstance(node.value, tuple):
            return value_of(type_of(_constant(node.value)))
        return _constant(node.value)

    def _local(self, node: tree.Local) -> Value:
        value = self.local(node.variable)
        if node.not_none and isinstance(value, Maybe) and value.inner.kind in ("int", "u64", "float", "bool", "char"):
            return value.inner
        return value

    def _unary(self, node: tree.Unary) -> Value:
        if node.op == "not":
            self.test(node.operand)
            return BOOL
        operand = self.expr(node.operand)
        if rules.is_beyond(node):
            return ANY
        found = NEVER if is_never(operand) else rules.unary(node.op, type_of(operand))
        return SIGNED if found == INT and node.op != "+" else found

    def _binary(self, node: tree.Binary) -> Value:
        left, right = self.expr(node.left), self.expr(node.right)
        if rules.is_cut_to_u64(node) and kind_of(left) in ("int", "u64", "bool"):
            return U64
        if node.op == "&" and any(
            rules.is_beyond(mask) and kind_of(each) == "u64" for each, mask in ((left, node.right), (right, node.left))
        ):
            return U64
        if rules.is_beyond(node) and kind_of(right) in ("int", "u64", "bool"):
            return ANY
        known = node.right if isinstance(node.right, tree.Const) or node.op != "&" else node.left
        return self.binary(node, node.op, left, right, known.value if isinstance(known, tree.Const) else None)

    def binary(self, node: object, op: tree.BinaryOp, left: Value, right: Value, exponent: object = None) -> Value:
        if is_never(left) or is_never(right):
            return NEVER
        kinds = {kind_of(left), kind_of(right)}
        if "array" in kinds and self.array_uses is not None:  # of a variable that it is assigned to
            kinds = {"object", *kinds} - {"array"}
        if "object" in kinds or op == "@":
            to_python(self, left)
            to_python(self, right)
            if op == "+" and left == right and isinstance(left, Type) and class_of(left) in SEQUENCES:
                return left
            has_class = any(isinstance(each, Type) and each.kind == "object" and each.args for each in (left, right))
            is_object_too = has_class or self.has_arrays or op in ("%", "@")
            return OBJECT if len(kinds) == 1 or is_object_too else ANY
        of_sets = evaluate_sets.binary(self, node, op, left, right)
        if of_sets is not None:
            return of_sets
        if op == "+" and kinds == {"list"}:
            self.made(node, self.item_of(left))
            return self.made(node, self.item_of(right))
        if op == "*" and (kinds == {"list", "int"} or kinds == {"list", "bool"}):
            return self.made(node, self.item_of(left if isinstance(left, Cell) else right))
        if op == "+" and isinstance(left, Tup) and isinstance(right, Tup):
            return self.cells.tup(left.items + right.items)
        if isinstance(left, Type) and isinstance(right, Type) and kinds != {"tuple"}:
            if op == "+" and isinstance(node, tree.Binary) and left.kind == "any" and right.kind in ("str", "char"):
                return ANY if self.cells.places.allowed else STR  # an object makes of a text what it likes
            found = rules.binary(op, left, right, exponent)
            if node in self.grows and found.kind in ("int", "u64"):
                return ANY
            return ANY if node in self.unmasked and found.kind == "u64" else found
        self.cells.escape(left)
        self.cells.escape(right)
        if (op == "+" and kinds == {"tuple"}) or (op == "*" and kinds in ({"tuple", "int"}, {"tuple", "bool"})):
            return TUPLE
        return ANY

    def _compare(self, node: tree.Compare) -> Value:
        self.passing.update(each for op, each in zip(node.ops, node.operands[1:], strict=True) if "in" in op)
        values = [self.expr(each) for each in node.operands]
        for op, left, right in zip(node.ops, values, values[1:], strict=False):
            self.cells.give_defaulting(*([left, right] if op in RICH else [left] if op in ("in", "not in") else []))
            if op in ("in", "not in"):
                self.cells.ask(right, left)
            elif op in RICH and {kind_of(left), kind_of(right)} == {"set", "object"}:
                self.cells.give(left)
                self.cells.give(right)
        if node.ops[0] in RICH and len(values) == 2 and any(map(is_object, values)):
            return OBJECT  # it need not be a bool
        return BOOL

    def _logic(self, node: tree.Logic) -> Value:
        return self.either([self.expr(each) for each in node.operands])

    def either(self, values: list[Value]) -> Value:
        found: Value = NEVER
        for value in values:
            found = self.cells.join(found, value)
        return found

    def test(self, node: tree.Expr) -> None:
        """The same of what only its truth is asked of: operands of `and` and `or` do not meet."""
        if isinstance(node, tree.Logic):
            for each in node.operands:
                self.test(each)
            values = [self.values[each] for each in node.operands]
            plain = all(isinstance(each, Type) for each in values)
            self.values[node] = self.either(values) if plain else ANY
        elif isinstance(node, tree.Unary) and node.op == "not":
            self.test(node.operand)
            self.values[node] = BOOL
        else:
            self.expr(node)

    def _choice(self, node: tree.Choice) -> Value:
        self.test(node.test)
        return self.either([self.expr(node.then), self.expr(node.other)])

    def _item(self, node: tree.Item) -> Value:
        value = self.expr(node.value)
        found = evaluate_methods.attribute(self, node, value)
        return found or evaluate_items.item(self, value, self.index(value, node.index), node.index, node)

    def index(self, value: Value, node: tree.Expr) -> Value:
        """What stands in the brackets behind a value: of arrays an index for each dimension, whatever these are."""
        found = self.expr(node)
        if kind_of(value) == "array" and isinstance(node, tree.TupleOf):
            found = self.values[node] = Tup(tuple([stored(self.values[each]) for each in node.items]))
        return found

    def set_property(self, target: tree.TargetItem, receiver: Value, value: Value) -> None:
        evaluate_methods.store(self, target, receiver, value)

    def _member_name(self, node: tree.MemberName) -> Value:
        return Type("member", (Type(node.name),))

    def _slice(self, node: tree.Slice) -> Value:
        return evaluate_items.sliced(self, node, self.slice_parts(node), node)

    def _format(self, node: tree.Format) -> Value:
        for part in node.parts:
            if not isinstance(part, str):
                self.cells.give_defaulting(self.expr(part.value))
                if part.spec is not None:
                    self.expr(part.spec)
        return STR

    def _named(self, node: tree.Named) -> Value:
        self.assign(node.target, self.expr(node.value))
        return self.local(node.target.variable)

    def _spread(self, node: tree.Spread) -> Value:
        return self.iterate(node.value)

    def _list_of(self, node: tree.ListOf) -> Value:
        given = [each for each in node.items if not isinstance(each, tree.Undefined)]
        for value in self._held(node, given, [self.expr(each) for each in given]):
            self.made(node, value)
        return made_as(self.site(node, "list"))

    def _held(self, node: tree.Expr, items: list[tree.Expr], values: list[Value]) -> list[Value]:
        """What is put into a display: of what may stay native until Python gets it nothing is said."""
        if node is not self.returned or not self.is_display:
            return values
        stays = may_stay(items, values, self.local)
        self.seen_at_last += [value for value, may in zip(values, stays, strict=True) if may]
        return [NEVER if may else value for value, may in zip(values, stays, strict=True)]

    def _tuple_of(self, node: tree.TupleOf) -> Value:
        values = [self.expr(each) for each in node.items]
        if any(map(is_object, values)) and self.cells.places.holds:
            stays = may_stay(node.items, values, self.local) if node is self.returned else [False] * len(values)
            for each, may in zip(values, stays, strict=True):
                if may:
                    self.seen_at_last.append(each)
                else:
                    to_python(self, each)
            return object_of("tuple")
        return self.cells.tup(tuple(map(stored, values)))

    def _dict_of(self, node: tree.DictOf) -> Value:
        made = self.site(node, "dict", kind="dict")
        keys: list[Value | None] = []
        values = []
        for name, value in zip(node.keys, node.values, strict=True):
            keys.append(None if name is None else self.expr(name))
            values.append(self.expr(value))
        plain = all(each is None or isinstance(each, tree.Const) for each in node.keys)
        for key, other in zip(keys, self._held(node, node.values, values) if plain else values, strict=True):
            if key is not None:
                self.made(node, key, other, kind="dict")
                continue
            contents: list[Value] = [OBJECT, OBJECT] if is_object(other) else [ANY, ANY]
            if isinstance(other, Cell) and other.kind == "dict":
                contents = other.find().contents
            if not is_never(other):
                self.cells.put(made, *contents)
        return made_as(made)

    def _comprehension(self, node: tree.Comprehension) -> Value:
        if node.is_lazy:
            self.iterate(node)
            return self.values[node]
        value = self._rounds(node)
        if node.key is None:
            return self.made(node, value)
        return self.made(node, self.values[node.key], value, kind="dict")

    def _rounds(self, node: tree.Comprehension) -> Value:
        """What each round of a comprehension gives."""
        for clause in node.clauses:
            self.assign(clause.target, self.iterate(clause.iterable))
            for condition in clause.conditions:
                self.test(condition)
        if node.key is not None:
            self.expr(node.key)
        return self.expr(node.value)

    def _builtin(self, node: tree.Builtin) -> Value:
        if node.name in VIRTUAL:
            self.iterate(node)
            return self.values[node]
        found = evaluate_calls.builtin(self, node)
        return U64 if rules.is_word(node) and kind_of(self.values[node.args[0]]) == "bytes" else found

    def _python_call(self, node: pytree.PyCall) -> Value:
        found = evaluate_defaulting.most_common(self, node) or evaluate_methods.call(self, node)
        return evaluate_python.call(self, node) if found is None else found

    def _method(self, node: tree.Method) -> Value:
        found = evaluate_methods.of_a_name(self, node)
        return evaluate_calls.method(self, node) if found is None else found

    def _call(self, node: tree.Call) -> Value:
        args = [whole(self.expr(each)) for each in node.args]
        return evaluate_calls.call(self, node, node.callee, args)


def _constant(value: object) -> Value:
    if isinstance(value, tuple):
        return Tup(tuple([_constant(each) for each in value]))
    return SIGNED if isinstance(value, int) and value < 0 else rules.const_type(value)


_EXPRESSIONS: dict[type, Callable[[Evaluator, Any], Value]] = {
    tree.Const: Evaluator._const,
    tree.Local: Evaluator._local,
    tree.Unary: Evaluator._unary,
    tree.Binary: Evaluator._binary,
    tree.Compare: Evaluator._compare,
    tree.Logic: Evaluator._logic,
    tree.Choice: Evaluator._choice,
    tree.Item: Evaluator._item,
    tree.MemberName: Evaluator._member_name,
    pytree.CellName: Evaluator._member_name,
    pytree.AttributeName: Evaluator._member_name,
    tree.Slice: Evaluator._slice,
    tree.Named: Evaluator._named,
    tree.Spread: Evaluator._spread,
    tree.Format: Evaluator._format,
    tree.ListOf: Evaluator._list_of,
    tree.TupleOf: Evaluator._tuple_of,
    tree.DictOf: Evaluator._dict_of,
    tree.Comprehension: Evaluator._comprehension,
    tree.Builtin: Evaluator._builtin,
    tree.Method: Evaluator._method,
    tree.Call: Evaluator._call,
    Defaulting: evaluate_defaulting.made,
    **evaluate_python.EXPRESSIONS,
    pytree.SetOf: evaluate_sets.display,
    **evaluate_regexes.EXPRESSIONS,
    pytree.PyCall: Evaluator._python_call,
}
