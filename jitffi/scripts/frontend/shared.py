"""Variables that a script shares with functions of Python's: those in cells, and those of the module."""

from __future__ import annotations

from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.frontend.context import Context


def value_of(cx: Context, place: tree.Place, variable: tree.Variable, name: str, is_around: bool = False) -> tree.Item:
    """What a variable holds that is in a cell; *is_around*: Python reads it in the function around this one."""
    blanks = "  " if (variable in cx.captured or cx.is_free(name)) and not is_around else " "
    return tree.Item(place, tree.Local(place, variable), pytree.CellName(place, blanks + name))


def target_of(cx: Context, place: tree.Place, variable: tree.Variable, name: str) -> tree.TargetItem:
    found = value_of(cx, place, variable, name)
    return tree.TargetItem(place, found.value, found.index)


def is_outer(cx: Context, name: str) -> bool:
    """Whether it is a variable of the function around the script's."""
    return cx.scope.find(name) is None and name in cx.function.__code__.co_freevars


def outer_target(cx: Context, place: tree.Place, name: str) -> tree.TargetItem:
    """Such a variable, which the script says `nonlocal` of."""
    cell = pytree.OuterCell(place, pytree.Outside(cx.function, name))
    return tree.TargetItem(place, cell, pytree.CellName(place, f"  {name}"))


def module_target(cx: Context, place: tree.Place, name: str) -> tree.TargetItem:
    """A name that the function says `global` of."""
    return tree.TargetItem(place, pytree.ModuleDict(place, cx.function), tree.Const(place, name))


def into_cells(cx: Context, names: set[str], parameters: list[tree.Variable], place: tree.Place) -> list[tree.Stmt]:
    """Put the variables of these names into cells; the statements that make them."""
    made: list[tree.Stmt] = []
    for name in sorted(names):
        variable = cx.scope.names.get(name)
        if variable is None or variable in cx.cells:
            continue
        first: tree.Expr | None = None
        if variable in parameters or (cx.bound is not None and variable in cx.bound):
            first = tree.Local(place, variable)
            key = cx.keys.get(variable)
            variable = cx.new_variable(name, f"{name}.cell")
            if key is not None:
                cx.keys[variable] = key
        cx.cells.add(variable)
        cx.bind(variable)
        made.append(tree.Assign(place, [tree.TargetLocal(place, variable)], pytree.NewCell(place, first)))
    cx.deleted -= cx.cells
    return made
