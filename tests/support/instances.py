"""Registered classes that tests of scripts share, and what two functions give in words that can be compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import jitffi

if TYPE_CHECKING:
    from collections.abc import Callable


@jitffi.register_object("script_instances.Inner")
class Inner:
    v: float
    n: jitffi.i32 = 5


@jitffi.register_object("script_instances.All")
class All:
    x: float
    y: int
    b: bool = True
    h: jitffi.f32 = 0.5
    u: jitffi.u64 = 7
    s: jitffi.i8 = 3
    name: str = "abc"
    inner: Inner | None = None
    fixed: int = jitffi.field(default=4, frozen=True)


class Derived(All):
    @property
    def name(self):
        return "derived"


class Plain:
    x, y, b, h, u, s, name, inner, fixed = 1.0, 2, 3, 4, 5, 6, "n", None, 1


@jitffi.register_object("script_instances.Shape")
class Shape(Inner):
    w: float = 1.5
    next: Shape | None = None

    def area(self):
        return self.w * self.n

    def scaled(self, factor, by=1):
        return self.area() * factor + by

    @property
    def double(self):
        return self.area() * 2

    @property
    def label(self):
        return "n" + str(self.n)

    def grow(self, by):
        self.w += by

    def factorial(self, n):
        return 1 if n <= 1 else n * self.factorial(n - 1)

    def deeper(self, n):
        return self.deeper(n + 1)

    def text(self):
        return self.label + "."

    def itself(self):
        return self

    def several(self):
        return [self.n, self.w]

    def fails(self):
        raise ValueError(f"of {self.n}")

    def at_times(self):
        return None if self.n > 5 else self.n

    def named(self, *, a=1):
        return self.w + a

    def _dict(self):
        return self.__dict__

    @staticmethod
    def added(a, b):
        return a + b

    @classmethod
    def made(cls):
        return cls(3.0).w

    @jitffi.script
    def squared(self):
        return self.w * self.w


class Square(Shape):
    def itself(self):
        return "square"


@jitffi.register_object("script_instances.Sum")
class Sum:
    x: int
    text: str = ""
    rows: list[list[int]] = jitffi.field(default_factory=list)

    def __add__(self, other):
        return Sum(self.x + (other.x if isinstance(other, Sum) else other))

    def __radd__(self, other):
        return self + other

    def __iadd__(self, other):
        self.x += other
        return self

    def __neg__(self):
        return Sum(-self.x)

    def renamed(self, text):
        self.text = text
        return "R"


def outcome(function: Callable[..., Any], *args: Any) -> str:
    """What it returns, with types, or what it raises."""
    try:
        return repr(function(*args)).partition(" at 0x")[0]
    except Exception as error:
        return f"{type(error)} {error}"
