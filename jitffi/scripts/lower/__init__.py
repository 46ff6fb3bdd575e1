"""The generator: the typed tree of a script -> LLVM IR text.

    function/     a variant as a function
        module.py     the module, its constants; module_text, the way in     registry.py    who lowers what
        variants.py   a variant as a function, and calls of variants         entry.py       entries around variants
        body.py       one function: its parts, dispatch by node              operations.py  dispatch by kind
            emit.py       instructions, the builder
            frame.py      temporaries, failing, calls of the runtime         outlined.py    the same as calls, in
            storage.py    addresses of values, owned copies                                 large functions
            variables.py  memory of variables
            exits.py      the ways out of loops, and of the function
        conversion.py values as of other types                               values.py      a value, and who keeps it
        functions.py  what C functions do                                    lifetimes.py   variables whose text
        side_effects.py   where nothing else runs                                           outlives the call
    control/      statements, assignments, for, comprehensions, operators, choices, calls of functions
    text/         str and bytes
    containers/   lists, tuples, dicts, vectors; fragments, functions of IR on them
    numbers.py    int, float, bool                           dynamic.py        values of any type
    builtins.py   builtins                                   receivers.py      methods of receivers of any type

Which file lowers a node is what its class and the types of its parts say: registry.py.
"""

import importlib
import pkgutil

__all__ = ["load"]


def load() -> None:
    """Import all files of the package, so that each enters its functions in the registry."""
    for found in pkgutil.walk_packages(__path__, __name__ + "."):
        importlib.import_module(found.name)
