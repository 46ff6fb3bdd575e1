"""The generator: the typed tree of a script -> LLVM IR text.

module.py     the module, its constants, module_text             registry.py  who generates what
variants.py   a variant as a function, calls of variants         entry.py     packed entries around variants
body.py       one function: dispatch by node and type            control.py   statements; targets.py assignments
frame.py      temporaries, failing, calls of the runtime         storage.py, variables.py   where values are
numbers.py    int, float, bool    conditions.py  operators, choices    calls.py     calls of functions
texts.py, formats.py   str, bytes, f-strings                     containers.py, loops.py, dynamic.py, builtins.py
"""

import importlib
import pkgutil

__all__ = ["load"]


def load() -> None:
    """Import all files of the package, so that each enters its functions in the registry."""
    for found in pkgutil.iter_modules(__path__, __name__ + "."):
        importlib.import_module(found.name)
