"""Patterns of `match`, of what can be any object."""

from __future__ import annotations

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.control.conditions import Join
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.lower.python.calls import names_of, object_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree.types import BOOL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def fits(b: Body, value: Value, is_mapping: bool) -> Value:
    """Whether a pattern of a sequence, or a mapping, may fit an object."""
    return conversion.status(b, b.frame.call("core_op_fits", value.ssa, const("i32", int(is_mapping))))


def any_fits(b: Body, value: Value, mask: int, is_mapping: bool) -> Value:
    """The same of any value; *mask*: the classes of native ones."""
    e, join, value = b.e, Join(b, BOOL), b.storage.lasting(value)
    other, native, done = e.label("object"), e.label("native"), e.label("fits")
    e.branch(dynamic.is_host(b, value.ssa), other, native)
    e.at(other)
    join.set(fits(b, boxed(b, value), is_mapping))
    e.br(done)
    e.at(native)
    join.set(conversion.status(b, b.frame.call("jf_op_isinstance", b.storage.view(value), const("i32", mask))))
    e.br(done)
    e.at(done)
    return join.get()


@expression(pytree.MatchClass)
def _match_class(b: Body, node: pytree.MatchClass) -> Value:
    subject, cls = object_of(b, node.subject), object_of(b, node.cls)
    count = const("i64", node.count)
    b.frame.check_stack()
    return owned_object(b, b.frame.call("core_op_match_class", subject.ssa, cls.ssa, count, names_of(b, node.names)))
