"""The generator: the typed tree of a script -> LLVM IR text.

module.py     the module, its constants; variants by need        entry.py     packed entries around variants
body.py       one variant: dispatch by node and type             registry.py  who generates what
frame.py      temporaries, failing, calls of the runtime         storage.py, variables.py   where values are
control.py    statements      numbers.py  int, float, bool       calls.py     calls
texts.py, formats.py   str, bytes, f-strings                     containers.py, loops.py, dynamic.py, builtins.py
"""
