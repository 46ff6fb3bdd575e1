"""The tree of a script: what its statements and expressions are, freed of Python's many spellings.

The reader makes it without types. Inference copies it for each variant and fills in `Expr.type`, `Variable.type` and
`Function.result`; the generator reads it. Every node knows where it stands in the source.

What the reader has done, so that nobody after it need: names are resolved to variables, builtins, scripts, native
functions and constants; a chain of comparisons has its operands once; arguments stand at their positions, defaults and
keywords included; an elif is an if in the else; a docstring is gone; constants of the module are constants.
"""

from __future__ import annotations

from types import MappingProxyType

from jitffi.base.records import record
from jitffi.scripts.tree.expressions import Binary as Binary
from jitffi.scripts.tree.expressions import Builtin as Builtin
from jitffi.scripts.tree.expressions import Call as Call
from jitffi.scripts.tree.expressions import Callee as Callee
from jitffi.scripts.tree.expressions import Choice as Choice
from jitffi.scripts.tree.expressions import Clause as Clause
from jitffi.scripts.tree.expressions import Compare as Compare
from jitffi.scripts.tree.expressions import Comprehension as Comprehension
from jitffi.scripts.tree.expressions import Const as Const
from jitffi.scripts.tree.expressions import DictOf as DictOf
from jitffi.scripts.tree.expressions import Expr as Expr
from jitffi.scripts.tree.expressions import Field as Field
from jitffi.scripts.tree.expressions import Format as Format
from jitffi.scripts.tree.expressions import Item as Item
from jitffi.scripts.tree.expressions import ListOf as ListOf
from jitffi.scripts.tree.expressions import Local as Local
from jitffi.scripts.tree.expressions import Logic as Logic
from jitffi.scripts.tree.expressions import MemberName as MemberName
from jitffi.scripts.tree.expressions import Method as Method
from jitffi.scripts.tree.expressions import Named as Named
from jitffi.scripts.tree.expressions import Slice as Slice
from jitffi.scripts.tree.expressions import Spread as Spread
from jitffi.scripts.tree.expressions import Target as Target
from jitffi.scripts.tree.expressions import TargetItem as TargetItem
from jitffi.scripts.tree.expressions import TargetLocal as TargetLocal
from jitffi.scripts.tree.expressions import TargetSlice as TargetSlice
from jitffi.scripts.tree.expressions import TargetTuple as TargetTuple
from jitffi.scripts.tree.expressions import TupleOf as TupleOf
from jitffi.scripts.tree.expressions import Unary as Unary
from jitffi.scripts.tree.expressions import Undefined as Undefined
from jitffi.scripts.tree.types import NEVER, Type
from jitffi.scripts.tree.variable import Place as Place
from jitffi.scripts.tree.variable import Variable as Variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from typing import Any

    from jitffi.scripts.tree.expressions import BinaryOp as BinaryOp
    from jitffi.scripts.tree.expressions import CompareOp as CompareOp
    from jitffi.scripts.tree.expressions import UnaryOp as UnaryOp


@record
class Stmt:
    place: Place


@record
class Assign(Stmt):
    """`a = b = value`: the value once, then the targets from the left. An annotated assignment is one, too; its
    annotation is the variable's."""

    targets: list[Target]
    value: Expr
    #: Only the lowest 64 bits of the int that it gives are asked for (analysis/cut.py).
    is_cut: bool = False


@record
class AugAssign(Stmt):
    """`target op= value`: target's parts are evaluated once."""

    target: Target
    op: BinaryOp
    value: Expr
    is_cut: bool = False


@record
class DeleteItem(Stmt):
    """`del value[index]`, or of a slice."""

    target: TargetItem | TargetSlice


@record
class ExprStmt(Stmt):
    value: Expr


@record
class If(Stmt):
    test: Expr
    then: list[Stmt]
    other: list[Stmt]


@record
class While(Stmt):
    test: Expr
    body: list[Stmt]
    other: list[Stmt]


@record
class For(Stmt):
    """The iterable is an expression, or a Builtin range, enumerate, zip or reversed."""

    target: Target
    iterable: Expr
    body: list[Stmt]
    other: list[Stmt]


@record
class Labelled(Stmt):
    """Statements that a Leave of that label leads out of."""

    label: int
    body: list[Stmt]


@record
class Leave(Stmt):
    """Go on behind the Labelled of that label."""

    label: int


@record
class Break(Stmt):
    outer: int = 0  #: Of which loop: that many around the innermost one.


@record
class Continue(Stmt):
    outer: int = 0


@record
class Return(Stmt):
    """None: `return` alone; what falls off the end returns None, too."""

    value: Expr | None


@record
class Raise(Stmt):
    """`raise kind(message)`; kind is the name of a built-in exception."""

    kind: str
    message: Expr | None


@record
class Assert(Stmt):
    test: Expr
    message: Expr | None


@record
class Pass(Stmt): ...


@record
class Function:
    """One script. Parameters are variables, too: those by position, by name alone, `*args` and `**kwargs`."""

    name: str
    filename: str
    place: Place
    parameters: list[Variable]
    variables: list[Variable]  # parameters first
    body: list[Stmt]
    declared_result: Type | None = None
    #: The lines of its source, the first at place.line, for messages.
    source: Sequence[str] = ()
    result: Type = NEVER
    #: It changes lists or dicts that it is given, or what is in them, or does what may do so.
    changes_arguments: bool = False
    constants: Mapping[str, Any] = MappingProxyType({})  # of the module, as they were when it was read
    takes_objects: bool = False  # what is not native is done by Python's own objects
    has_signature: bool = False  # whose ints have a sign
    #: Its expressions that are containers in fields of registered classes (analysis/field_uses.py).
    in_fields: Collection[Expr] = ()
    has_arrays: bool = False  # what objects it has are likely NumPy's
    ints_grow: bool = False  # some of its ints may take more than 64 bits, and are Python's then
