"""Registered classes of the arguments of a script: each is looked at when it is met, and gets a number.

    argument --exactly of a class, whose versions are as noted--> its number, in the type tag   (script_class.c)
        else --look--> what its names stand for now, as text --known?--> the number of that, or the next one

A number stands for a class as it was: the places of its fields, the functions that are its methods, its constants, and
the same of the classes that its fields are of; but for names of which a derived class has something else, since a field
may hold one of its objects. A derived class that is made, or given such a name, changes the versions of those above it
(instance_class.c). Variants are made for a number, so a class that is changed gets others, and its old ones when it is
changed back. On the way of a warm start: what is a field for scripts, instances.py knows.
"""

from __future__ import annotations

from _weakref import ref
from types import FunctionType

from jitffi import _core

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

#: Numbers of one script, from 1, and classes that one number goes by (script_class.c).
_MOST, _MOST_BEHIND = 15, 8
INIT = "__init__"
_ACCESS = ("__getattr__", "__getattribute__", "__setattr__")
#: The number of objects of Python's among type tags, and how many parameters tell variants apart (dispatch.py).
_OBJECT, _MOST_TOLD_APART = 11, 16
#: The same of lists, and what numbers of their items' classes stand behind.
_LIST, _BEHIND = 12, 6


class Look:
    """What a class was like."""

    __slots__ = ("behind", "cls", "key", "methods", "replaced", "text")

    def __init__(self, cls: Any) -> None:
        self.cls = cls
        self.key: str = cls.__jitffi_type_key__
        #: Itself, and the classes that its fields are of.
        self.behind = _behind(cls)
        #: Its methods and constants and those of the others, by key and name, as they stand in the class.
        self.methods: dict[tuple[str, str], Any] = {}
        #: What stands behind these in the bases, which super() may find, in order.
        self.replaced: list[Any] = []
        self.text = " ".join([f"{each.__jitffi_type_key__}: {self._described(each)}" for each in self.behind])

    def _described(self, cls: Any) -> list[str]:
        found = [str(has_own_access(cls))]
        for name, value in sorted(named(cls).items()):
            if name != INIT and is_overridden(cls, name):
                continue
            if is_field(cls, value):
                what = f"{value.type} {value.arrays or ''}"
                found.append(f"{name} {what} {value.offset} {value.flags} {value.enumeration is None}")
            elif cls.__dictoffset__ != 0 or (name == INIT and type(value) is not FunctionType):
                continue  # an instance may have another one; a constructor that is native has no code
            elif function_of(value) is not None:
                behind = replaced(cls.__jitffi_type_key__, name)
                found.append(f"{name}() {type(value).__name__} {len(behind)}")
                self.methods[cls.__jitffi_type_key__, name] = value
                self.replaced += behind
            elif is_constant(name, value):
                found.append(f"{name} = {value!r}")
                self.methods[cls.__jitffi_type_key__, name] = value
        return found

    def is_as(self, other: Look) -> bool:
        same = self.cls is other.cls and self.text == other.text  # which has the names of the methods
        same = same and all(each is other.methods[name] for name, each in self.methods.items())
        return same and all(x is y for x, y in zip(self.replaced, other.replaced, strict=True))


def named(cls: Any) -> dict[str, Any]:
    """What the names of a class stand for, as far as they are no special methods but the constructor."""
    found: dict[str, Any] = {}
    for each in reversed(cls.__mro__):
        found |= {name: value for name, value in vars(each).items() if name == INIT or not name.startswith("__")}
    return found


def find(cls: Any, name: str) -> Any:
    """What a name of a class stands for; None."""
    return next((vars(each)[name] for each in cls.__mro__ if name in vars(each)), None)


def behind(key: str, owner: str, name: str) -> Any:
    """What `super(owner, object).name` finds for an object of a class, both by their keys; None."""
    order: tuple[type, ...] = class_of(key).__mro__
    after = class_of(owner)
    rest = order[order.index(after) + 1 :] if after in order else ()
    return next((vars(each)[name] for each in rest if name in vars(each)), None)


def replaced(key: str, name: str) -> list[Any]:
    """What the bases of a class have of that name, which super() may find."""
    mro = class_of(key).__mro__
    found = [vars(each)[name] for each in mro if name in vars(each)] if len(mro) > 2 else []
    return [each for each in found[1:] if function_of(each) is not None]


def is_overridden(cls: Any, name: str) -> bool:
    """Whether a class that is derived from it by now has something else of that name, or its own way to all of them:
    what an object of the class is said to have says nothing of what one of that has."""
    mine = find(cls, name)
    waiting = type.__subclasses__(cls)
    for each in waiting:  # which grows
        theirs = find(each, name)
        is_same = theirs is mine or (is_field(cls, mine) and _place(theirs) == _place(mine))
        if not is_same or has_own_access(each):
            return True
        waiting += type.__subclasses__(each)
    return False


def _place(value: Any) -> tuple[Any, ...]:
    """What is alike in the fields of a class and of one that is derived from it, each of which has its own."""
    return tuple([getattr(value, each, None) for each in ("type", "offset", "flags", "enumeration")])


def has_own_access(cls: Any) -> bool:
    """Whether attributes of its objects are what it says itself."""
    return any(getattr(cls, each, None) is not getattr(object, each, None) for each in _ACCESS)


def is_field(cls: Any, value: object) -> bool:
    return any(value is each for each in _core.class_members(cls))


def is_constant(name: str, value: object) -> bool:
    """Whether a variable of a class is one that does not change, as one of a module is: in CAPITALS."""
    return name.isupper() and is_native(value) and value is not None


def is_native(value: object) -> bool:
    """Whether a value that does not change is one that scripts hold themselves, in one piece."""
    if type(value) is int:
        return -(2**63) <= value < 2**64
    return value is None or type(value) in (bool, float, str, bytes)


def function_of(value: Any) -> FunctionType | None:
    """The Python function that is compiled for a method: itself, of a static or class method, of a property, of a
    script; None of others."""
    if type(value) in (staticmethod, classmethod, property):
        value = value.fget if type(value) is property else value.__func__
    elif type(value).__name__ == "Script":
        value = value._given.function
    return value if type(value) is FunctionType else None


def setter_of(value: Any) -> FunctionType | None:
    """The same of what a property is set by."""
    found = value.fset if type(value) is property else None
    return found if type(found) is FunctionType else None


def class_of(text: str) -> Any:
    """The class of a field's type, or of what it is optional of; None where that is no registered class."""
    inner = text[9:-1] if text.startswith("optional[") else text
    code = _core.type_code(inner)
    return _core.class_of(code) if code > 0 and _core.type_row(code) is not None else None


def _behind(cls: Any) -> tuple[Any, ...]:
    found = [cls]
    for each in found:  # which grows
        for other in _classes_in(each):
            if len(found) < _MOST_BEHIND and other not in found:
                found.append(other)
    return tuple(found)


def _classes_in(cls: Any) -> Iterator[Any]:
    """Those of its fields, and of items and values of its lists and dicts."""
    found = (class_of(item_of(each.type) or each.type) for each in _core.class_members(cls))
    return (each for each in found if each is not None)


def item_of(text: str) -> str:
    """What is in a list of that type, as a field's text has it, or the values of a dict; "" of others."""
    word, _, rest = text.partition("[")
    if word != "map":
        return rest[:-1] if word == "list" else ""
    depth = 0
    for i, each in enumerate(rest):  # of a map's key, which may be a tuple, there is a comma at no depth
        depth += (each == "[") - (each == "]")
        if each == "," and depth == 0:
            return rest[i + 2 : -1]
    return ""


def number_of(known: list[Look], cls: Any) -> tuple[int, tuple[Any, ...]]:
    """What `Script._class_number` says: the number, 0 for none, and the classes that it goes by. *known*:
    those of the script so far."""
    look = Look(cls)
    for number, each in enumerate(known, 1):
        if each.is_as(look):
            return number, look.behind
    if len(known) == _MOST:
        return 0, look.behind
    known.append(look)
    return len(known), look.behind


#: By registered class, what scripts know of those that stand on it, and what to call when that is so no more.
_watched: dict[Any, list[tuple[Look, ref[Any], Callable[[Any], None]]]] = {}


def watch(look: Look, script: Any, changed: Callable[[Any], None]) -> None:
    """Have *changed* called with the script when its class or one behind it is given something else under a name that
    counts."""
    if not _watched:
        _core.watch_classes(_changed)
    for each in _stands_on(look):
        alive = [known for known in _watched.get(each, ()) if known[1]() is not None]
        _watched[each] = [*alive, (look, ref(script), changed)]


def _stands_on(look: Look) -> set[Any]:
    """The registered classes whose attributes it has looked at."""
    return {base for each in look.behind for base in each.__mro__ if "__jitffi_type_key__" in vars(base)}


def _changed(cls: Any, name: str) -> None:
    """What the extension says of an attribute of a registered class that was set or deleted."""
    waiting = _watched.get(cls, ())
    for known in [*waiting] if waiting and _counts(cls, name) else ():
        look, script, changed = known
        if not Look(look.cls).is_as(look):
            for each in _stands_on(look):
                _watched[each] = [other for other in _watched[each] if other is not known]
            changed(script())


def _counts(cls: Any, name: str) -> bool:
    """Whether a class may be another one for scripts where that is set: variables of the class are none of theirs."""
    waiting = _watched[cls]
    is_method = any(name == each for look, _, _ in waiting for _, each in look.methods)
    return is_method or name in _ACCESS or any(each.__name__ == name for each in _core.class_members(cls))


def used(known: list[Look], type_tags: int) -> dict[int, Look]:
    """By their numbers, the classes that type tags name, so far as they still are what they were: objects of others
    are objects as any."""
    tags = [(type_tags >> 4 * i & 15, type_tags >> 64 + 4 * i & 15) for i in range(_MOST_TOLD_APART)]
    numbers = {number for kind, number in tags if kind == _OBJECT and number > 0}
    numbers |= {number - _BEHIND for kind, number in tags if kind == _LIST and number > _BEHIND}
    found = {number: known[number - 1] for number in sorted(numbers)}
    return {number: each for number, each in found.items() if Look(each.cls).is_as(each)}
