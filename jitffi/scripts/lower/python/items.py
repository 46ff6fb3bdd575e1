"""Items, slices and attributes of Python's own objects: read, assigned to, deleted."""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value
from jitffi.scripts.lower.python import instances, own
from jitffi.scripts.lower.python.boxing import boxed, object_in, owned_object
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree.types import OBJECT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree.types import Type


@of_kind("item", "object")
def item(b: Body, value: Value, index: Value, type_: Type) -> Value:
    found = own.item(b, value, index)
    if found is not None:
        return found
    if index.kind == "int":
        return owned_object(b, b.frame.call("core_op_item_at", value.ssa, index.ssa))
    return owned_object(b, b.frame.call("core_op_item", value.ssa, boxed(b, index).ssa))


@of_kind("slice", "object")
def slice_of(b: Body, value: Value, start: Value | None, stop: Value | None, step: Value | None) -> Value:
    found = own.slice_of(b, value, start, stop, step)
    return found or owned_object(b, b.frame.call("core_op_item", value.ssa, _slice(b, start, stop, step)))


def _slice(b: Body, *bounds: Value | None) -> V:
    return owned_object(b, b.frame.call("core_op_slice", *[object_in(b, each) for each in bounds])).ssa


@expression(pytree.SliceObject)
def _slice_object(b: Body, node: pytree.SliceObject) -> Value:
    parts = [None if each is None else b.storage.lasting(b.expr(each)) for each in (node.start, node.stop, node.step)]
    return owned_object(b, b.frame.call("core_op_slice", *[object_in(b, each) for each in parts]))


@of_kind("set_item", "object")
def set_item(b: Body, container: Value, index: Value, value: Value) -> bool:
    if not own.set_item(b, container, index, value):
        b.frame.call("core_op_set_item", container.ssa, boxed(b, index).ssa, boxed(b, value).ssa)
    return True


@of_kind("delete_item", "object")
def delete_item(b: Body, container: Value, index: Value) -> None:
    b.frame.call("core_op_set_item", container.ssa, boxed(b, index).ssa, NULL)


@of_kind("delete_item", "slice")
def delete_slice(b: Body, container: Value, bounds: list[Value | None]) -> None:
    set_slice(b, container, bounds, None)


def set_slice(b: Body, container: Value, bounds: list[Value | None], value: Value | None) -> None:
    """None: it is deleted."""
    items = None if value is None else own.converted_for_python(b, value)
    b.frame.call("core_op_set_item", container.ssa, _slice(b, *bounds), object_in(b, items))


# -- attributes -------------------------------------------------------------------------------------------------------


def _name(b: Body, index: Value) -> V:
    assert isinstance(index.const, str), index
    return b.module.python_attribute(index.const)


def _is_of_cell(index: Value) -> bool:
    """pytree.CellName has a blank in front of the name of the variable, or two."""
    return isinstance(index.const, str) and index.const.startswith(" ")


def _cell_name(b: Body, index: Value) -> tuple[V, V]:
    assert isinstance(index.const, str), index
    name = index.const.lstrip()
    return b.module.python_attribute(name), const("i32", len(index.const) - len(name) - 1)


def _cache(b: Body) -> V:
    """What script_attribute.c keeps for this place."""
    return b.module.python_cache()


def attribute_of(b: Body, value: Value, name: str) -> Value:
    """The attribute of an object."""
    found = b.frame.call("core_op_attribute", value.ssa, b.module.python_attribute(name), _cache(b))
    return owned_object(b, found)


@of_kind("item", "member")
def attribute(b: Body, value: Value, index: Value, type_: Type) -> Value:
    """`value.name` of an object, or of a value that becomes one for it; what a cell holds."""
    if _is_of_cell(index):
        return owned_object(b, b.frame.call("core_op_cell_get", value.ssa, *_cell_name(b, index)))
    if value.type.key and type_.kind != "object":
        number = instances.read(b, b.storage.lasting(value), str(index.const), type_)
        if number is not None:
            return number
        container = instances.read_container(b, b.storage.lasting(value), str(index.const), type_)
        if container is not None:
            return container
    if type_.key:
        object_ = instances.read_object(b, b.storage.lasting(value), str(index.const), type_)
        if object_ is not None:
            return object_
    found = b.frame.call("core_op_attribute", boxed(b, value).ssa, _name(b, index), _cache(b))
    return b.storage.new_object(type_ if type_.key else OBJECT, found)


@of_kind("set_item", "member")
def set_attribute(b: Body, value: Value, index: Value, given: Value) -> bool:
    if _is_of_cell(index):
        b.frame.call("core_op_cell_set", value.ssa, boxed(b, given).ssa)
        return True
    if value.type.key and instances.write(b, b.storage.lasting(value), str(index.const), given):
        return True
    set_attribute_of(b, boxed(b, value), str(index.const), given)
    return True


def set_attribute_of(b: Body, value: Value, name: str, given: Value) -> None:
    """The same of an object, by Python."""
    attribute, cache = b.module.python_attribute(name), _cache(b)
    b.frame.call("core_op_set_attribute", value.ssa, attribute, boxed(b, given).ssa, cache)


@of_kind("delete_item", "member")
def delete_attribute(b: Body, value: Value, index: Value) -> None:
    if _is_of_cell(index):
        b.frame.call("core_op_cell_set", value.ssa, NULL)
        return
    b.frame.call("core_op_set_attribute", boxed(b, value).ssa, _name(b, index), NULL, _cache(b))
