"""The generator: the typed tree of a script -> LLVM IR text.

    module.py     the module, its constants; module_text, the way in     registry.py  who generates what
    variants.py   a variant as a function, and calls of variants         entry.py     packed entries around variants
    body.py       one function: dispatch by node and by kind           conversion.py  a value as one of another type

    what it stands on, from the bottom
    emit.py       instructions     values.py  a value, and who keeps what it borrows
    frame.py      temporaries, failing, calls of the runtime
    storage.py    addresses of values, owned copies      variables.py  memory of variables
    outlined.py   the same as calls, in large functions  rooted.py     variables that keep nothing
    quiet.py      where nothing else runs                fragments.py  functions of IR on lists and maps

    what generates nodes
    control.py    statements      targets.py  assignments      loops.py, iterators.py  for, comprehensions
    conditions.py operators, choices, indices                  numbers.py   int, float, bool
    texts.py, text*.py, chars.py, formats.py   str, bytes      calls.py     functions
    containers.py, lists.py, maps.py, items.py, keys.py        dynamic.py   values of any type
    builtins.py, aggregates.py, receivers.py   builtins, methods of unknown receivers

Which file generates a node is what its class and the types of its parts say: registry.py.
"""

import importlib
import pkgutil

__all__ = ["load"]


def load() -> None:
    """Import all files of the package, so that each enters its functions in the registry."""
    for found in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(found.name)
