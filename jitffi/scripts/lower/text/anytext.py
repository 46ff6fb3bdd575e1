"""An ANY that is a str as a rule: comparisons of it, and `x in ("a", "b")` of whatever type, without calls.

What it is is looked at where it lies (fragments.py: item.text); what is no str goes the way of any value.
"""

from __future__ import annotations

from jitffi.scripts.library.own import constants_of
from jitffi.scripts.lower.containers.items import call_fragment
from jitffi.scripts.lower.function import operations, registry
from jitffi.scripts.lower.function.emit import FALSE, TRUE, P, V, const
from jitffi.scripts.lower.function.side_effects import constant_of
from jitffi.scripts.lower.function.values import Value, local, text
from jitffi.scripts.lower.text import chars
from jitffi.scripts.lower.text.texts import new_slot
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.lower.function.body import Body

#: JF_OP_ADD.
_ADD = 0


def if_text(b: Body, value: Value, then: Callable[[Value], V], other: Callable[[], V]) -> V:
    """An i1: `then` of the STR that the ANY is, or `other`."""
    e = b.e
    out, keep = b.frame.scratch(32), b.frame.temp_slot(0)
    status = call_fragment(b, "item.text", "i32", value.ssa, out, keep)
    is_text, no_text, no_str, done = e.label("text"), e.label("no.text"), e.label("no.str"), e.label("told")
    e.branch(e.icmp("eq", status, const("i32", 0)), is_text, no_text, likely=True)
    e.at(is_text)
    wide = e.icmp("ne", e.load("i32", out, 16, "wide"), const("i32", 0), "is.wide")
    data, size = e.load("ptr", out, 0, "data"), e.load("i64", out, 8, "size")
    with b.frame.sometimes():
        yes = then(text(STR, data, size, wide, local(None)))
    at_yes = e.here
    e.br(done)
    e.at(no_text)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), no_str)
    e.at(no_str)
    with b.frame.sometimes():
        no = other()
    at_no = e.here
    e.br(done)
    e.at(done)
    return e.phi([(yes, at_yes), (no, at_no)], "told")


def compare(b: Body, op: str, left: Value, right: Value) -> V | None:
    """`left op right` of an ANY and a STR or CHAR, in either order; None for others."""
    kinds = {left.kind, right.kind}
    if "any" not in kinds or not kinds & {"str", "char"}:
        return None
    typed = registry.COMPARE["str"]

    def of_texts(found: Value) -> V:
        result = typed(b, op, found, right) if left.kind == "any" else typed(b, op, left, found)
        assert result is not None
        return result

    any_ = left if left.kind == "any" else right
    return if_text(b, any_, of_texts, lambda: _by_views(b, op, left, right))


def _by_views(b: Body, op: str, left: Value, right: Value) -> V:
    result = registry.COMPARE["views"](b, op, left, right)
    assert result is not None
    return result


def if_str(b: Body, value: Value, then: Callable[[Value], None], other: Callable[[], None]) -> None:
    """`then` with the STR that the ANY is, or `other`."""
    e = b.e
    out, keep = b.frame.scratch(32), b.frame.temp_slot(0)
    is_text, no_str, done = e.label("text"), e.label("no.str"), e.label("done")
    _look(b, value.ssa, out, keep, is_text, no_str)
    with b.frame.sometimes():
        other()
    e.br(done)
    e.at(is_text)
    with b.frame.sometimes():
        then(_found(b, out))
    e.br(done)
    e.at(done)


def sum_of(b: Body, left: Value, right: Value, slot: P) -> None:
    """What an object of Python's makes of a text and itself, or a TypeError."""
    b.frame.call("jf_op_binary", const("i32", _ADD), b.storage.view(left), b.storage.view(right), slot)


def text_of_sum(b: Body, left: Value, right: Value) -> Value:
    """The same where that is to be a text."""
    given, out, keep = b.frame.temp_slot(), b.frame.scratch(32), b.frame.temp_slot(0)
    sum_of(b, left, right, given)
    is_sum, no_sum = b.e.label("is.sum"), b.e.label("no.sum")
    _look(b, given, out, keep, is_sum, no_sum)
    b.frame.raise_("TypeError", "can only concatenate str to str")
    b.e.at(is_sum)
    return _found(b, out)


def _look(b: Body, value: V, out: V, keep: V, is_text: str, no_str: str) -> None:
    """Go to *is_text* with the text at *out*; *no_str* is open behind."""
    e, no_text = b.e, b.e.label("no.text")
    status = call_fragment(b, "item.text", "i32", value, out, keep)
    e.branch(e.icmp("eq", status, const("i32", 0)), is_text, no_text, likely=True)
    e.at(no_text)
    e.branch(e.icmp("slt", status, const("i32", 0)), b.frame.failing(), no_str)
    e.at(no_str)


def _found(b: Body, out: V) -> Value:
    e = b.e
    wide = e.icmp("ne", e.load("i32", out, 16, "wide"), const("i32", 0), "is.wide")
    data, size, heap = e.load("ptr", out, 0, "data"), e.load("i64", out, 8, "size"), e.load("ptr", out, 24, "heap")
    return text(STR, data, size, wide, local(None, heap))


def plus(b: Body, left: Value, right: Value, is_str: bool) -> Value | None:
    """`left + right` of an ANY and a STR or CHAR, in either order; None for others. *is_str*: it is a STR, or an
    error."""
    kinds = {left.kind, right.kind}
    if "any" not in kinds or not kinds & {"str", "char"}:
        return None
    slot = new_slot(b)

    def joined(found: Value) -> None:
        pieces = (found, right) if left.kind == "any" else (left, found)
        b.frame.call("jf_text_concat", *[b.storage.text(each) for each in pieces], slot)

    def summed() -> None:
        if is_str:
            b.frame.call("jf_text_out", b.storage.text(text_of_sum(b, left, right)), slot)
        else:
            sum_of(b, left, right, slot)

    if_str(b, left if left.kind == "any" else right, joined, summed)
    return b.storage.result_text(STR, slot) if is_str else b.storage.any_in(slot)


def in_display(b: Body, node: tree.Compare) -> V | None:
    """`value in (a, b, c)` of constants, or a set, without one. None, and nothing is written, for something else."""
    value, display = node.operands
    items = constants_of(display)
    if items is None:
        return None
    constants = [constant_of(each) for each in items]
    # A NaN is in a tuple that holds it.
    if any(each is ... or each != each for each in constants):  # noqa: PLR0124
        return None
    kind = value.type.kind
    only_text = all(isinstance(each, str) for each in constants)
    if kind not in ("str", "char", "int", "bool") and not (kind == "any" and only_text):
        return None
    left = b.storage.lasting(b.expr(value))
    if left.kind == "any":
        inside = if_text(b, left, lambda found: _is_one(b, found, items), lambda: _slowly(b, left, display))
    else:
        inside = _is_one(b, left, items)
    return b.e.not_(inside) if node.ops[0] == "not in" else inside


def _slowly(b: Body, left: Value, display: tree.Expr) -> V:
    with b.frame.scope():
        return operations.compare(b, "in", left, b.storage.lasting(b.expr(display)))


def _is_one(b: Body, left: Value, items: list[tree.Expr]) -> V:
    """`left == a or left == b`, up to the first that holds."""
    e = b.e
    if left.kind == "char":
        points = "".join([each.value for each in items if isinstance(each, tree.Const) and _is_char(each.value)])
        found = chars.is_one_of(b, left.ssa, points)
        if found is not None:
            return found
    if not items:
        return FALSE
    done, ways = e.label("found"), []
    for each in items[:-1]:
        equal, on = operations.compare(b, "==", left, b.expr(each)), e.label("or")
        if equal.text != "false":  # of another type
            ways.append((TRUE, e.here))
        e.branch(equal, done, on)
        e.at(on)
    ways.append((operations.compare(b, "==", left, b.expr(items[-1])), e.here))
    e.br(done)
    e.at(done)
    return e.phi(ways, "is.in")


def _is_char(value: object) -> bool:
    return isinstance(value, str) and len(value) == 1
