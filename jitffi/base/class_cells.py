"""The cells by which methods find the class that they are of, where another class takes its place."""

from __future__ import annotations


def let_super_find(before: type, made: type) -> None:
    """Methods that name `__class__`, or call `super()`, have the class in a cell."""
    for value in vars(before).values():
        function = getattr(value, "__func__", getattr(value, "fget", value))
        for cell in getattr(function, "__closure__", None) or ():
            try:
                if cell.cell_contents is before:
                    cell.cell_contents = made
            except ValueError:  # it is empty: of a variable that has no value yet
                continue
