"""Remainders of products, `x * y % m` and `(x * y + z) % m`: they fit where what is divided does not."""

from __future__ import annotations

from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.function.values import Value, int_
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def of_product(b: Body, node: tree.Binary) -> Value | None:
    """The remainder, of ints; None of other operations."""
    found = _parts(node)
    if found is None:
        return None
    e, values = b.e, b.exprs([*found, node.right])
    x, y, *added, m = (numbers.as_int(b, each) for each in values)
    known = values[-1].const if isinstance(values[-1].const, int) else None
    numbers.check_divisor(b, m, known, numbers.BY_ZERO["%"])
    total, over = e.overflowing("smul", x, y, "product")
    for each in added:
        total, beyond = e.overflowing("sadd", total, each, "sum")
        over = e.or_(over, beyond)
    small, large, done = e.label("small"), e.label("large"), e.label("rest")
    e.branch(over, large, small, likely=False)
    e.at(large)
    of_large = b.frame.call("jf_int_rest_of_product", x, y, *(added or [numbers.ZERO]), m)
    at_large = e.here
    e.br(done)
    e.at(small)
    of_small = numbers.modulo(b, total, m, known)
    at_small = e.here
    e.br(done)
    e.at(done)
    return int_(e.phi([(of_large, at_large), (of_small, at_small)], "rest"))


def _parts(node: tree.Binary) -> list[tree.Expr] | None:
    """The factors, and what is added to their product."""
    product: tree.Expr = node.left
    added: list[tree.Expr] = []
    if isinstance(product, tree.Binary) and product.op == "+" and product.type.kind == "int":
        added.append(product.right)
        product = product.left
    if node.op != "%" or not isinstance(product, tree.Binary) or product.op != "*":
        return None
    parts = [product.left, product.right, *added]
    are_whole = all(each.type.kind in ("int", "bool") for each in (*parts, node.right))
    return parts if are_whole and product.type.kind == node.type.kind == "int" else None
