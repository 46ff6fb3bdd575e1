"""What scripts do not have, and what to write instead: one row a construct of Python.

Python's classes of nodes by name, since some come and go between its versions. Every class of statement and of
expression is either read (statements.py, expressions.py) or has its row here.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_DEF = "write a def of the module, and call it"
_TRY = "test before (`if key in d`, `s.isdigit()`), or let the exception go to the caller and catch it there"
_GLOBAL = "pass the value as a parameter, and return what has changed"
_LOOP = "return a list, or take a callable as parameter and call it for each item"
_NO_ASYNC = "scripts do not wait for anything: await in the caller, and pass the value as a parameter"

STATEMENTS: Final = {
    "TryStar": f"scripts have no except*: {_TRY}",
    "AsyncWith": f"scripts have no async with: {_NO_ASYNC}",
    "AsyncFor": f"scripts have no async for: {_NO_ASYNC}",
    "TypeAlias": "scripts have no type aliases inside: write it at the top of the module",
}

EXPRESSIONS: Final = {
    "Await": f"scripts have no await: {_NO_ASYNC}",
    "Yield": f"scripts have no generators: {_LOOP}",
    "YieldFrom": f"scripts have no generators: {_LOOP}",
    "Starred": "scripts have no * in calls of this: write the arguments out, or pass the list itself",
    "TemplateStr": "scripts have no template strings: write an f-string",
    "Interpolation": "scripts have no template strings: write an f-string",
}

#: Of import statements in a function, where Python's own objects are refused, or of one whose package nobody knows.
IMPORT: Final = "scripts have no imports inside: import at the top of the module"

#: Of what is Python's own, and refused where its objects are.
PYTHONS: Final = {
    "AsyncFunctionDef": f"scripts have no functions inside, and no async: {_DEF}",
    "ClassDef": "scripts have no classes: use tuples or dicts, or define the class outside and pass values of it",
    "Global": f"scripts have no global variables: {_GLOBAL}",
    "Lambda": "scripts have lambda as key= of sorted, min, max and list.sort only: " + _DEF,
}

#: Of functions inside that are not only called, and of `nonlocal` in what is no such function.
FUNCTION: Final = f"scripts have functions inside that are only called, not kept, passed on or decorated: {_DEF}"
NONLOCAL: Final = f"scripts have no variables of a function around them: {_GLOBAL}"

#: Of a generator expression that nothing goes through where it stands.
GENERATOR: Final = (
    "generator expressions of scripts are for what goes through them at once, as a for, any, sum or join: write a list "
    "comprehension, with [ and ]"
)

#: Literals, by the class of their value.
LITERALS: Final = {
    "complex": "scripts have no complex numbers: use two floats",
    "ellipsis": "scripts have no ...: write pass, or None",
}

#: Builtins that scripts do not have.
BUILTINS: Final = {
    "frozenset": "use a set",
    "frozendict": "use a dict",
    "sentinel": "use None, or a str",
    "iter": "write a for loop",
    "type": "write isinstance(x, int)",
    "input": "read in the caller, and pass the text as a parameter",
    "open": "read in the caller, and pass the text as a parameter",
    "bytearray": "use bytes, or a list of ints and bytes(items)",
    "memoryview": "use bytes, and slices of it",
    "complex": "use two floats",
    "slice": "write it in brackets: items[start:stop]",
    "callable": "pass something that is",
    "id": "compare with `is`",
    "object": "use None, or a str that names it",
    "super": "scripts have no classes",
    "property": "scripts have no classes",
    "staticmethod": "scripts have no classes",
    "classmethod": "scripts have no classes",
    "getattr": "write the method's name: x.upper()",
    "setattr": "use a dict",
    "hasattr": "write isinstance(x, str)",
    "delattr": "use a dict",
    "issubclass": "write isinstance(x, int)",
    "eval": "write what it would evaluate",
    "exec": "write what it would do",
    "compile": "write what it would do",
    "globals": _GLOBAL,
    "locals": "use a dict",
    "vars": "use a dict",
    "dir": "use a dict",
    "aiter": _NO_ASYNC,
    "anext": _NO_ASYNC,
    "breakpoint": "print what you want to see",
    "help": "ask in the interpreter",
    "__import__": "import at the top of the module",
}

#: Methods of Python's that scripts do not have.
METHODS: Final = {
    "format": "write an f-string",
    "format_map": "write an f-string",
    "translate": "use a dict, with get() for each character, and join()",
    "maketrans": "use a dict",
    "fromkeys": "write a dict comprehension: {key: value for key in keys}",
    "from_bytes": "write a loop with shifts",
    "fromhex": "write int(text, 16) for each byte, and bytes(items)",
    "most_common": "use a dict, and sorted(d.items(), key=lambda item: -item[1])",
    "read": "read in the caller, and pass the text as a parameter",
    "readline": "read in the caller, and pass the text as a parameter",
    "readlines": "read in the caller, and pass the lines as a parameter",
    "write": "return the text, and write it in the caller",
    "send": "scripts have no generators: write a loop",
    "match": "scripts have no regular expressions inside: use find, startswith and partition",
    "search": "scripts have no regular expressions inside: use find",
    "findall": "scripts have no regular expressions inside: write a loop with find",
    "sub": "scripts have no regular expressions inside: use replace",
}

#: Methods that belong to a class.
CLASS_METHODS: Final = {
    "str.maketrans": "scripts have no str.maketrans: use a dict, with get() for each character, and join()",
    "bytes.maketrans": "scripts have no bytes.maketrans: use a dict, with get() for each byte",
    "bytes.fromhex": "scripts have no bytes.fromhex: write int(text, 16) for each byte, and bytes(items)",
    "float.fromhex": "scripts have no float.fromhex: call it in the caller, and pass what it gives as a parameter",
}

#: Classes of the standard library whose objects a script could only hold, by their full names.
CLASSES: Final = {
    "collections.Counter": "use a dict, and count with d[key] = d.get(key, 0) + 1",
    "collections.defaultdict": "use a dict, with d[key] = d.get(key, 0) + 1 or d.setdefault(key, []).append(value)",
    "collections.OrderedDict": "use a dict, which keeps the order of its keys",
    "collections.deque": "use a list, with append() and pop(0), or an index of what comes next",
    "collections.ChainMap": "use a dict, and update() it with each of the others",
    "io.StringIO": "append the parts to a list, and put them together with join()",
    "_io.StringIO": "append the parts to a list, and put them together with join()",
    "io.BytesIO": "append the parts to a list, and put them together with join()",
    "_io.BytesIO": "append the parts to a list, and put them together with join()",
    "array.array": "use a list of numbers",
    "itertools.chain": "write a for loop over each of them, or add the lists",
    "itertools.count": "count with a variable: n = n + 1",
    "itertools.product": "write a for loop in a for loop",
}
