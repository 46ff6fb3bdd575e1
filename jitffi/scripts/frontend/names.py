"""What the names in a script stand for: its variables, and what it sees of the world outside.

Outside are other functions, looked up by name when code is made of them and not before: a script may call what is
defined behind it, or call a function that is decorated later. Variables of the module count only where their names are
in CAPITALS, as constants.
"""

from __future__ import annotations

import builtins
import sys

from jitffi.base.annotations import without_aliases
from jitffi.scripts.library import classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType, FunctionType
    from typing import Any, Final, Protocol

    class Resolver(Protocol):
        """Whoever keeps the scripts (program.py), asked while a tree is made of one."""

        def can_compile(self, function: FunctionType) -> bool:
            """Whether a function that is called can be a script; else Python calls it."""

        def methods(self, name: str, owner: str = "") -> dict[str, Any]:
            """What has that name in registered classes, by their keys, and can be a script, or is a constant. *owner*:
            the key of a class, behind which it is looked for."""

        def script(self, function: FunctionType) -> Any:
            """The script of a Python function: what `Callee.script` will hold. Its attribute `tree` is the function's
            tree.Function when it is asked for, and not yet when this is called: scripts call each other."""


#: The built-in exceptions, by name.
EXCEPTIONS: Final = {
    name: value
    for name, value in vars(builtins).items()
    if isinstance(value, type) and issubclass(value, BaseException)
}
#: Of a name that stands for nothing, yet.
MISSING: Final = object()
#: The module `types` would have to be imported.
_CODE = type((lambda: None).__code__)
_FUNCTION: Any = type(lambda: None)
_CONSTANTS = (type(None), bool, int, float, str, bytes)


def global_names(function: FunctionType) -> tuple[str, ...]:
    """The names of everything that the function may see outside, sorted; attributes and methods among them. Cheap."""
    names: set[str] = set()
    waiting: list[CodeType] = [function.__code__]
    while waiting:
        code = waiting.pop()
        names.update(code.co_names, code.co_freevars)
        waiting += [each for each in code.co_consts if type(each) is _CODE]
    return tuple(sorted(names))


def outside(function: FunctionType, name: str) -> Any:
    """What a name that is no variable of the function stands for: MISSING, or the value."""
    code = function.__code__
    if name in code.co_freevars:
        cells = function.__closure__ or ()
        try:
            return cells[code.co_freevars.index(name)].cell_contents
        except ValueError:  # not assigned yet
            return MISSING
    found = function.__globals__.get(name, MISSING)
    if type(found).__name__ == "lazy_import":  # 3.15: whoever uses the name imports what it is of (PEP 810)
        found = found.resolve()
    return getattr(builtins, name, MISSING) if found is MISSING else found


#: By what a name is looked up in, and the name: where code finds what it stands for, for ever.
_addresses: dict[tuple[Any, ...], int] = {}


def address_of(function: FunctionType, name: str) -> int:
    """The address of what code of a script reads such a name by. It keeps the module's dict, or the closure's cell."""
    from jitffi import _core

    code = function.__code__
    cell = None if name not in code.co_freevars else (function.__closure__ or ())[code.co_freevars.index(name)]
    builtin: Any = getattr(function, "__builtins__")  # noqa: B009  which typeshed does not know
    key = (id(function.__globals__), id(builtin), name) if cell is None else (id(cell), name)
    found = _addresses.get(key)
    if found is None:
        if cell is None:
            found = _core.script_global(function.__globals__, builtin, name)
        else:
            found = _core.script_cell(cell, name)
        _addresses[key] = found
    return found


#: Objects that code refers to, for ever, by their addresses.
_kept: dict[int, object] = {}


def address_of_kept(value: object) -> int:
    return id(_kept.setdefault(id(value), value))


def cell_of(function: FunctionType, name: str) -> object:
    """The cell of a variable of the function around."""
    return (function.__closure__ or ())[function.__code__.co_freevars.index(name)]


def defaults_of(function: FunctionType) -> tuple[Any, ...]:
    """Of its last parameters by position. A function that was given another's can have more than parameters."""
    values = function.__defaults__ or ()
    return values[max(len(values) - function.__code__.co_argcount, 0) :]


def default_of(function: FunctionType, parameter: str) -> object:
    """The default of a parameter."""
    code, values = function.__code__, defaults_of(function)
    by_position = dict(zip(code.co_varnames[code.co_argcount - len(values) : code.co_argcount], values, strict=True))
    return {**by_position, **(function.__kwdefaults__ or {})}[parameter]


def code_at(outer: CodeType, path: tuple[int, ...]) -> CodeType:
    """Code inside of other code: an index a level among the constants."""
    for i in path:
        outer = outer.co_consts[i]
    return outer


def is_constant_name(name: str) -> bool:
    """CAPITALS are what Python's programmers write for constants."""
    return name.isupper()


def is_table(value: Any) -> bool:
    """Whether it is a table for translate that code can have built in: a dict of ints and what becomes of them."""
    if type(value) is not dict or len(value) > 4096:
        return False
    return all(type(key) is int and (each is None or type(each) in (int, str)) for key, each in value.items())


def is_constant(value: Any) -> bool:
    """What a constant of the module, or a default, can be."""
    return type(value) in _CONSTANTS or (type(value) is tuple and all(map(is_constant, value)))


def is_plain(value: Any) -> bool:
    """The same, with 64 bits if it is an int."""
    if type(value) is tuple:
        return all(map(is_plain, value))
    return is_constant(value) and (type(value) is not int or -(2**63) <= value < 2**64)


def is_shared_as_it_is(value: Any) -> bool:
    """Whether a default is the same object in each call: of what is copied it would be another one."""
    if type(value) is tuple:
        return all(map(is_shared_as_it_is, value))
    return type(value) not in (list, dict)


def builtin_name(value: Any) -> str:
    """The name of a builtin function or class; "" for other values."""
    name = getattr(value, "__name__", None) if callable(value) else None
    return name if isinstance(name, str) and getattr(builtins, name, MISSING) is value else ""


def defaulting_class(value: Any) -> str:
    """The name of collections.Counter or defaultdict; "" for other values."""
    module = sys.modules.get("collections")
    if module is None or not isinstance(value, type):
        return ""
    return value.__name__ if value in (module.Counter, module.defaultdict) else ""


def meaning(function: FunctionType, digest: bytes, annotations: list[str]) -> bytes:
    """A hash of the function, given that of its text: of what the names in its annotations stand for, too."""
    meant = []
    for name in annotations:
        first, *attributes = name.split(".")
        value = outside(function, first)
        for each in attributes:
            value = getattr(value, each, MISSING)
        if not builtin_name(value):
            meant.append(f"{name}: {_meant(value)}\n")
    if not meant:
        return digest
    from _blake2 import blake2b

    return blake2b("".join(meant).encode("utf-8", "surrogatepass"), digest_size=16, key=digest).digest()


def _meant(annotation: Any, depth: int = 8) -> str:
    """What an annotation stands for, in words that are the same in every process. New types and aliases print as their
    names only, which says nothing of what is behind them; an alias may be behind itself."""
    if annotation is MISSING:
        return "nothing"
    if depth == 0:
        return repr(annotation)
    for inner in ("__supertype__", "__value__"):
        try:
            behind = getattr(annotation, inner, MISSING)
        except Exception as error:  # of the user's, who is told when the annotation is read
            return f"{annotation!r}: {type(error).__name__}"
        if behind is not MISSING:
            return f"{annotation!r} = {_meant(behind, depth - 1)}"
    args = getattr(annotation, "__args__", None)
    if type(args) is not tuple or not args:
        return repr(annotation)
    return f"{annotation!r} of {', '.join([_meant(each, depth - 1) for each in args])}"


def unwrapped(function: FunctionType, annotation: Any) -> Any:
    """What is behind an annotation's text, and within aliases, NewType, Final and Annotated: of the last, the type of
    ours that stands there, as in signatures. The text is evaluated, which may raise anything; SignatureError where
    Annotated has a type that is misspelled."""
    for _ in range(100):  # a text may stand for itself
        inner = getattr(annotation, "__forward_arg__", annotation)
        if isinstance(inner, str):
            free = function.__code__.co_freevars
            captured = {name: value for name in free if (value := outside(function, name)) is not MISSING}
            inner = eval(inner, function.__globals__, captured)
        elif type(inner).__name__ == "_AnnotatedAlias":
            from jitffi.signature.annotations import said_type

            said = [each for each in map(said_type, inner.__metadata__) if each is not None]
            inner = said[0] if said else inner.__origin__
        else:
            inner = without_aliases(inner)
        if inner is annotation:
            break
        annotation = inner
    return annotation


def struct_of(value: Any) -> Any:
    """The declaration that a class of `jitffi.struct` or `union` is of; None for other values."""
    return getattr(value, "__jitffi_struct__", None) if isinstance(value, type) else None


def registered_key(value: Any) -> str:
    """The key of a registered class; "" of other values."""
    return vars(value).get("__jitffi_type_key__", "") if isinstance(value, type) else ""


def annotated_struct(function: FunctionType, annotation: Any, strict: bool = False) -> Any:
    """The class of a struct that an annotation names, or is, in a *strict* script a registered class, too; None."""
    if isinstance(annotation, str):
        first, *attributes = annotation.split(".")
        annotation = outside(function, first)
        for each in attributes:
            annotation = getattr(annotation, each, MISSING)
    is_struct = struct_of(annotation) is not None or (strict and registered_key(annotation) != "")
    return annotation if is_struct else None


def struct_text(cls: Any) -> str:
    """The declaration of a class of structs with those that are in it: names, types and places. Of a registered class
    what it is like."""
    if struct_of(cls) is None:
        return classes.Look(cls).text
    return _declaration_text(struct_of(cls))


def _declaration_text(struct: Any) -> str:
    from jitffi.signature.structs import declared

    placed = [(each.member.name, str(each.member), each.offset, each.bit) for each in struct.placed()]
    inner = [declared(each.member.type) for each in struct.placed()]
    return f"{struct.key} {placed} {[_declaration_text(each) for each in inner if each is not None]}"


def pattern_of(value: Any) -> tuple[str | bytes, int] | None:
    """The text and the flags of a compiled regular expression; None for other values."""
    kind = type(value)
    return (value.pattern, value.flags) if (kind.__module__, kind.__name__) == ("re", "Pattern") else None


def python_function(value: Any) -> FunctionType | None:
    """The Python function of a script, or of what can be taken as one; None for other values."""
    if type(value) is _FUNCTION:
        return value  # type: ignore[no-any-return]
    function = jitffi_function(value)
    wrapped = function._given.function if type(function).__name__ == "Script" else None
    return wrapped if type(wrapped) is _FUNCTION else None


def is_of_library(user: FunctionType, function: FunctionType) -> bool:
    """Whether a function is of the standard library or of an installed package, and not of the user's."""
    top = (function.__module__ or "").partition(".")[0]
    if top == (user.__module__ or "").partition(".")[0]:
        return False
    file = function.__code__.co_filename.replace("\\", "/")
    return top in sys.stdlib_module_names or "/site-packages/" in file or "/dist-packages/" in file


def jitffi_function(value: Any) -> Any:
    """The jitffi.Function that a value is or is a builtin of; None for other values."""
    from jitffi import _core

    return _core.function_of(value)
