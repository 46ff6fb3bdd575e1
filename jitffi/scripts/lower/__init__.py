"""The generator: the typed tree of a script -> LLVM IR text.

    function/     a variant as a function
        module.py         the module, its constants; module_text, the way in
        variants.py       a variant as a function, and calls of variants
        entry.py          entries around variants
        body.py           what lowering functions are handed: the parts below, and dispatch by node
            emit.py           the builder: instructions
            frame.py          temporaries, failing, calls of the runtime
            storage.py        addresses of values, owned copies
            variables.py      memory of variables
            exits.py          the ways out of loops, and of the function
        registry.py       who lowers what
        operations.py     dispatch by the kinds of values
        conversion.py     values as of other types
        values.py         a value, and who keeps it
        functions.py      what C functions do
        outlined.py       what frame and storage write in line, as calls, in large functions
        lifetimes.py      variables whose text outlives the call
        side_effects.py   where nothing else runs
    control/      statements, assignments, for, comprehensions, operators, choices, calls of functions
    text/         str and bytes
    containers/   lists, tuples, dicts, vectors; fragments, functions of IR on them
    number_methods.py    methods of ints and floats
    unsigned.py          ints of 64 bits without a sign       products.py       their products, of 128 bits
    numbers.py    int, float, bool                           dynamic.py        values of any type
    builtins.py   builtins                                   receivers.py      methods of receivers of any type

Which file lowers a node is what its class and the types of its parts say: registry.py.
"""

import functools
import os

__all__ = ["load"]


@functools.cache
def load() -> None:
    """Import all files of the package, so that each enters its functions in the registry."""
    for folder, _, files in os.walk(__path__[0]):
        package = __name__ + folder[len(__path__[0]) :].replace(os.sep, ".")
        for name in sorted(files):
            if name.endswith(".py") and name != "__init__.py":
                __import__(f"{package}.{name[:-3]}")
