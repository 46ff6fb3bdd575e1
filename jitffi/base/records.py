"""Records: a decorator that gives a class the `__init__` of its annotations, as a dataclass has one.

Scripts' trees have ninety such classes, which a first script would wait for: `dataclasses` has each text compiled and
its signature inspected, while here all with as many fields share one function's code, with other names in it.
"""

from __future__ import annotations

from functools import cache
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Literal, TypeVar, dataclass_transform

    T = TypeVar("T")
else:

    def dataclass_transform(**_: Any) -> Any:
        return lambda function: function


def later(default: T, *, init: Literal[False] = False) -> T:
    """Of a field: no parameter, and this until it is set."""
    return _Later(default)  # type: ignore[return-value]  # the class has the value itself


class _Later:
    def __init__(self, default: Any) -> None:
        self.default = default


@dataclass_transform(eq_default=False, field_specifiers=(later,))
def record(cls: type[T]) -> type[T]:
    """Let the fields of *cls*, and before them those of its base, be parameters of its `__init__`."""
    names = fields_of(cls)
    defaults: dict[str, Any] = getattr(cls, "_defaults", {}).copy()
    not_given: frozenset[str] = getattr(cls, "_later", frozenset())
    for name in cls.__dict__.get("__annotations__", ()):
        if name not in names:
            names += (name,)
        if name in cls.__dict__:
            value = cls.__dict__[name]
            if isinstance(value, _Later):
                setattr(cls, name, value.default)
                not_given |= {name}
            else:
                defaults[name] = value
    given = tuple([name for name in names if name not in not_given])
    values = tuple([defaults[name] for name in given if name in defaults])
    init = FunctionType(_code(len(given)).replace(co_names=given, co_varnames=("self", *given)), {}, "__init__", values)
    for name, value in (("__fields__", names), ("_defaults", defaults), ("_later", not_given), ("__init__", init)):
        setattr(cls, name, value)
    return cls


def fields_of(cls: type) -> tuple[str, ...]:
    """The names of a record's fields, those of its bases first."""
    names: tuple[str, ...] = getattr(cls, "__fields__", ())
    return names


@cache
def _code(count: int) -> CodeType:
    """The code of an `__init__` of that many parameters, by names that stand for any."""
    names = [f"p{number}" for number in range(count)]
    made: dict[str, Any] = {}
    exec(f"def init(self, {', '.join(names)}):\n pass\n " + "\n ".join([f"self.{n} = {n}" for n in names]), made)
    code: CodeType = made["init"].__code__
    return code
