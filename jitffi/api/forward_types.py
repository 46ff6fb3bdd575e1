"""Classes that annotations of fields name before they are registered.

    class Foo:                      field "bar" of Foo: the type "demo.Foo.Bar", a key that nobody registers
        bar: Bar | None                     |
    class Bar: ...                  registered as "demo.Bar", which gets that key as another name

The class that is meant is the one of that name in the same module; or else, once that module is loaded and has none,
the only one of that name that there is.
"""

from __future__ import annotations

import sys

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: By the class's name: the keys that stand for it, and the modules of who names it.
_awaited: dict[str, list[tuple[str, str]]] = {}
#: Codes of registered types by the names of their classes, with the classes' modules.
_known: dict[str, list[tuple[str, int]]] = {}
#: What the keys stand for, as far as that is known.
_names: dict[str, int] = {}


def may_be_awaited(name: str) -> bool:
    """Whether a name that an annotation cannot find is a class's, rather than one that is misspelt."""
    return name.isidentifier() and name.lstrip("_")[:1].isupper()


def key_of(name: str, key: str, module: str) -> str:
    """Return the key that stands for the class *name* in annotations of the type *key*, whose class is of *module*."""
    alias = f"{key}.{name}"
    own = [code for where, code in _known.get(name, ()) if where == module]
    if own:  # in a scope that the annotation cannot see
        return _core.type_key(own[-1])
    if alias not in _names:
        _awaited.setdefault(name, []).append((alias, module))
        settle()
    return alias


def registered(cls: Any, code: int) -> None:
    """Say that the class of a type is there."""
    known = _known.setdefault(cls.__name__, [])
    if (cls.__module__, code) not in known:
        known.append((cls.__module__, code))
    if _awaited:
        settle(cls.__name__, cls.__module__, code)


def settle(name: str = "", module: str = "", code: int = 0) -> None:
    """Find out what is awaited; *name*, a class of *module*, has just come."""
    for wanted, waiting in list(_awaited.items()):
        for alias, where in list(waiting):
            found = code if (wanted, where) == (name, module) else _of_other_modules(wanted, where)
            if found:
                _core.type_alias(alias, found)
                _names[alias] = found
                waiting.remove((alias, where))
        if not waiting:
            del _awaited[wanted]


def _of_other_modules(name: str, module: str) -> int:
    """The code of the only class of that name; 0 while there is none, or several, or the module may still have its
    own."""
    spec = getattr(sys.modules.get(module), "__spec__", None)
    codes = {code for where, code in _known.get(name, ()) if where != module}
    return codes.pop() if len(codes) == 1 and not getattr(spec, "_initializing", False) else 0


def shown(text: str) -> str:
    """The text of a type with the keys that types are registered by."""
    for alias, code in _names.items():
        if alias in text:
            text = text.replace(alias, _core.type_key(code))
    return text
