"""Operations on values that are there, by their kinds: each asks the function that is entered for them (registry.py),
and where that does not take them the one for values of any type."""

from __future__ import annotations

from jitffi.scripts.lower.function import conversion, registry
from jitffi.scripts.lower.function.emit import FALSE, TRUE, V, const
from jitffi.scripts.lower.function.values import OBJECTS, TEXTS, Value
from jitffi.scripts.tree.types import ANY, INT, OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


def is_true(b: Body, value: Value) -> V:
    """Python's truth of a value, an i1."""
    if value.kind == "bool":
        return value.ssa
    if value.kind in ("none", "never"):
        return FALSE
    if value.kind in TEXTS:
        return b.e.icmp("ne", value.size, const("i64", 0), "truth")
    if value.kind in ("char", "func"):
        return TRUE
    return registry.TRUTH[value.kind](b, value)


def binary(b: Body, op: str, left: Value, right: Value) -> Value:
    """`left op right`. Operands must be lasting."""
    if "never" in (left.kind, right.kind):
        return conversion.never(b)
    handler = registry.BINARY.get("object" if op == "@" else registry.kind_of_two(left, right))
    found = handler(b, op, left, right) if handler else None
    if found is None:
        found = registry.BINARY["any"](b, op, left, right)
    assert found is not None
    return found


def compare(b: Body, op: str, left: Value, right: Value) -> V:
    """`left op right` as an i1, for all ten comparisons."""
    if "never" in (left.kind, right.kind):
        return FALSE
    if op in ("is", "is not"):
        same = is_same(b, left, right)
        return b.e.not_(same) if op == "is not" else same
    if op in ("in", "not in"):
        handler = registry.CONTAINS.get("str" if right.kind == "char" else right.kind)
        inside = handler(b, right, left) if handler else None
        if inside is None:
            inside = registry.CONTAINS["any"](b, right, left)
        assert inside is not None
        return b.e.not_(inside) if op == "not in" else inside
    by_kind = registry.COMPARE.get(registry.kind_of_two(left, right))
    result = by_kind(b, op, left, right) if by_kind else None
    if result is None:
        result = registry.COMPARE["any"](b, op, left, right)
    assert result is not None
    return result


def is_same(b: Body, left: Value, right: Value) -> V:
    """`left is right`: None, bools and objects; other things as jf_op_is says."""
    kinds = {left.kind, right.kind}
    if kinds == {"none"}:
        return TRUE
    if "object" in kinds and (kinds & OBJECTS or kinds <= {"object", "none", "bool"}):
        return _is_same_object(b, left, right)
    if kinds == {"bool"}:
        return b.e.icmp("eq", left.ssa, right.ssa)
    if kinds == {"match", "none"}:
        return b.e.is_null(left.ssa if left.kind == "match" else right.ssa)
    if kinds == {"any", "none"}:
        any_ = left if left.kind == "any" else right
        return b.e.icmp("eq", b.e.load("i32", any_.ssa, 0, "code"), const("i32", -1), "is.none")
    if not kinds & {"any", "object"} and len(kinds) > 1 and kinds != {"str", "char"}:
        return FALSE
    same = b.frame.call("jf_op_is", b.storage.view(left), b.storage.view(right))
    return b.e.icmp("ne", same, const("i32", 0), "is")


def _is_same_object(b: Body, left: Value, right: Value) -> V:
    same = (conversion.convert(b, each, OBJECT).ssa for each in (left, right))
    return b.e.icmp("eq", next(same), next(same), "is")


def length(b: Body, value: Value) -> V:
    """len(value), i64."""
    if value.kind in TEXTS:
        return value.size
    if value.kind in ("char", "never"):
        return const("i64", 1)
    handler = registry.LENGTH.get(value.kind)
    found = handler(b, value) if handler else None
    if found is None:
        found = registry.LENGTH["any"](b, value)
    assert found is not None
    return found


_SEQUENCES = frozenset(("list", "vector", "tuple", "array", "str", "char", "bytes"))


def as_index(b: Body, container: Value, index: Value) -> Value:
    """What an index behind that container is: of a sequence an INT in the place of a U64."""
    return conversion.convert(b, index, INT) if index.kind == "u64" and container.kind in _SEQUENCES else index


def item(b: Body, value: Value, index: Value, type_: Type) -> Value:
    """`value[index]`, of the type that inference found for it. May be volatile."""
    if "never" in (value.kind, index.kind):
        return conversion.never(b)
    index = as_index(b, value, index)
    handler = registry.ITEM.get(registry.kind_of_item(value, index))
    found = handler(b, value, index, type_) if handler else None
    if found is None:
        found = registry.ITEM["any"](b, value, index, ANY)
    assert found is not None
    return found


def slice(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
    """`value[start:stop:step]`."""
    if "never" in [each.kind for each in (value, start, stop, step) if each]:
        return conversion.never(b)
    handler = registry.SLICE.get("str" if value.kind == "char" else value.kind)
    found = handler(b, value, start, stop, step) if handler else None
    if found is None:
        found = registry.SLICE["any"](b, value, start, stop, step)
    assert found is not None
    return found
