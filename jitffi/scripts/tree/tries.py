"""Statements that catch exceptions, or run on the way out of others, and `del` of a variable.

`finally` is none of them: the reader has written its statements behind the `try`, into a handler of everything, and
into each `return`, `break` and `continue` that leaves the `try`. So each copy has the types that hold on its way.

    try:                try:
        return f(x)         return = f(x)
    finally:                leaving 1:          what it fails with does not go to the handlers of try 1
        close()                 close()
                                return return
                        except:
                            close()
                            raise
"""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.tree.tree import Expr, Stmt

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.tree.tree import Local, TargetLocal


@record
class Handler(Stmt):
    """`except classes:`, of built-in exceptions by their names; with none of them what a `finally` does with whatever
    comes, errors that no program can catch among them."""

    classes: tuple[str, ...]
    body: list[Stmt]


@record
class Try(Stmt):
    """`other` runs behind `body`, and what it raises is not caught. `number` is its own in the function."""

    number: int
    body: list[Stmt]
    handlers: list[Handler]
    other: list[Stmt]


@record
class Leaving(Stmt):
    """What runs in the `try` of that number, and is outside of it: it has no handlers, and nothing is being handled."""

    number: int
    body: list[Stmt]


@record
class Reraise(Stmt):
    """`raise` alone. `own`: of what a handler around it is handling."""

    own: bool


@record
class Unbind(Stmt):
    """`del name`. `value` is the variable that is left, `target` one that is not bound afterwards."""

    value: Local
    target: TargetLocal


# -- by Python's own objects ------------------------------------------------------------------------------------------


@record
class Matches(Expr):
    """Whether what the handler around is handling is of one of these: built-in classes by name, or classes and tuples
    of them as values. It is a bool."""

    tests: list[str | Expr]


@record
class Titled(Stmt):
    """Statements for which `target` is what the handler around is handling. Where they fail, `unbound` is not bound
    afterwards; else an Unbind says so. `is_told`: they ask for its text alone, and `target` is None."""

    target: TargetLocal
    body: list[Stmt]
    unbound: TargetLocal
    is_told: bool = False


@record
class Told(Expr):
    """str() of what the handler around is handling, or format() of it."""

    is_formatted: bool


@record
class Raised(Stmt):
    """`raise value from cause`, of a class or an exception."""

    value: Expr
    cause: Expr | None


@record
class Enter(Stmt):
    """`with manager as entered:`, its beginning; `exit` is its way out."""

    manager: Expr
    exit: TargetLocal
    entered: TargetLocal


@record
class Exits(Expr):
    """The call of that way out. `failed`: with what the handler around is handling; it is a bool, whether that is
    suppressed."""

    exit: Local
    failed: bool
