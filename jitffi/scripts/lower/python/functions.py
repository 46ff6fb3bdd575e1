"""Functions that Python keeps, made as the interpreter makes them, and the cells that they share with the script."""

from __future__ import annotations

from jitffi.scripts.lower.control.targets import store
from jitffi.scripts.lower.function.emit import NULL, const
from jitffi.scripts.lower.function.registry import expression
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python.boxing import boxed, owned_object
from jitffi.scripts.lower.python.calls import array_of, names_of, object_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree.types import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


@expression(pytree.NewCell)
def _new_cell(b: Body, node: pytree.NewCell) -> Value:
    first = NULL if node.value is None else object_of(b, node.value).ssa
    return owned_object(b, b.frame.call("core_op_cell", first))


@expression(pytree.OuterCell)
def _outer_cell(b: Body, node: pytree.OuterCell) -> Value:
    return Value(OBJECT, b.module.data_symbol(b.module.outside(node.outside, "cell")))


@expression(pytree.Default)
def _default(b: Body, node: pytree.Default) -> Value:
    return Value(OBJECT, b.module.data_symbol(b.module.outside(node.outside, "default")))


@expression(pytree.ModuleDict)
def _module_dict(b: Body, node: pytree.ModuleDict) -> Value:
    return Value(OBJECT, b.module.data_symbol(b.module.outside(node.function, "globals")))


@expression(pytree.IteratorOf)
def _iterator_of(b: Body, node: pytree.IteratorOf) -> Value:
    return owned_object(b, b.frame.call("core_op_iterator", object_of(b, node.value).ssa))


@expression(pytree.Stored)
def _stored(b: Body, node: pytree.Stored) -> Value:
    value = b.storage.lasting(boxed(b, b.storage.lasting(b.expr(node.value))))
    store(b, node.target, Value(value.type, value.v))
    return value


@expression(pytree.MadeFunction)
def _made_function(b: Body, node: pytree.MadeFunction) -> Value:
    nodes = [*node.defaults, *node.by_name.values(), *node.annotations.values(), *node.cells]
    values = [object_of(b, each) for each in nodes]
    cells = len(node.cells)
    parts = array_of(b, [*values[len(values) - cells :], *values[: len(values) - cells]], 0)
    code = b.module.data_symbol(b.module.outside(node.code, "code of"))
    globals_ = b.module.data_symbol(b.module.outside(node.code.function, "globals"))
    names = [names_of(b, tuple(each)) for each in (node.by_name, node.annotations)]
    count = const("i64", len(node.defaults))
    made = owned_object(b, b.frame.call("core_op_function", code, globals_, parts, count, *names))
    if node.annotate is not None:
        made = b.storage.lasting(made)
        annotate, name = object_of(b, node.annotate), b.module.python_attribute("__annotate__")
        b.frame.call("core_op_set_attribute", made.ssa, name, annotate.ssa, b.module.python_cache())
    return made
