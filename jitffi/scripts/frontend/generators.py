"""Generator functions that a `for` goes through where they are called: their statements stand in its place, and its
body in the place of each `yield`.

    for x in g(a): body        p = a
    else: other           ->   behind: {
                                   end: { ...  x = value; round: { body }  ... }     `return` leads to the end,
                                   other                                             `continue` behind the round,
                               }                                                     `break` behind it all
"""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import binding, codes, inner, kept, names, source
from jitffi.scripts.frontend.context import Context, Loop, Scope, meet
from jitffi.scripts.frontend.targets import named_in, read_target, without_docstring
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.frontend.context import Bound

_GENERATOR, _KINDS = 0x20, 0x20 | 0x80 | 0x200
#: As many places of a `yield` may get a copy of the body.
_MOST_YIELDS = 6
_MOST_DEEP = 8


class _Found:
    """A generator function: its definition, and the function, None where it is inside of the one that is read."""

    __slots__ = ("function", "node", "source")

    def __init__(self, node: Any, function: Any, text: Any) -> None:
        self.node: Final = node
        self.function: Final = function
        self.source: Final = text

    @property
    def key(self) -> Any:
        return self.node if self.function is None else self.function


class Consumer:
    """The `for` that a generator is read for."""

    def __init__(self, cx: Context, node: Any) -> None:
        self._cx: Final = cx
        self._node: Final = node
        self._entry: Final = cx.bound
        self.behind: Final = cx.new_label()
        self.end: Final = cx.new_label()
        #: What is bound where a break leads out.
        self.breaks: Final[list[Bound]] = []
        self._count = 0
        #: The error of the body, which is none of the generator's.
        self.failed: ScriptError | None = None

    def take(self, own: Context, node: Any) -> list[tree.Stmt]:
        """What stands in the place of a `yield`, which is read in the context *own*."""
        if type(node).__name__ == "YieldFrom":
            return self._take_all(own, node)
        self._count += 1
        if self._count > _MOST_YIELDS:
            own.refuse(node, "generators that a for of a script goes through have a yield or a few")
        place = own.place(node)
        value = tree.Const(place, None) if node.value is None else own.expr(node.value)
        if own.trying or own.handling:
            own.refuse(node, "generators that a for of a script goes through yield outside of try: return a list")
        try:
            return self._round(place, value, own.loops)
        except ScriptError as error:
            self.failed = error
            raise

    def _round(self, place: tree.Place, value: tree.Expr, loops: int) -> list[tree.Stmt]:
        cx, label = self._cx, self._cx.new_label()
        cx.bound = self._entry
        first: tree.Stmt = tree.Assign(place, [read_target(cx, self._node.target)], value)
        loop = Loop(cx.loops, (self.behind, label))
        cx.blocks, cx.loops = [*cx.blocks, loop], cx.loops + loops
        body = cx.block(self._node.body)
        cx.blocks, cx.loops = cx.blocks[:-1], cx.loops - loops
        self.breaks.extend(loop.breaks)
        cx.bound = self._entry
        return [first, tree.Labelled(place, label, body)]

    def _take_all(self, own: Context, node: Any) -> list[tree.Stmt]:
        """`yield from x` as `for y in x: yield y`; what sends values or wants the result, is refused elsewhere."""
        from _ast import Expr, For, Load, Name, Store, Yield

        where = {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
        name = f" from{own.new_label()}"
        own.new_variable(name, f"from.{own.new_label()}")
        again: list[Any] = [Expr(Yield(Name(name, Load(), **where), **where), **where)]
        return own.stmt(For(Name(name, Store(), **where), node.value, again, [], **where))


def read_for(cx: Context, node: Any) -> list[tree.Stmt] | None:
    """Read a `for` over a call of a generator function; None where it is over something else."""
    found = _generator(cx, node.iter)
    if found is None:
        return None
    if found.key in cx.inlined or len(cx.inlined) + _deep(cx) >= _MOST_DEEP:
        cx.refuse(node.iter, "scripts have no generators that go through themselves: return a list")
    place, call = cx.place(node), node.iter
    shape = inner.shape_of(found.node.name, found.node.args)
    defaults = _defaults(found, shape)
    args, order = binding.bind_shape(cx, call, shape, defaults)
    if order:
        cx.refuse(call, "write the arguments of a generator in the order of its parameters")
    own = _context(cx, found, call)
    made: list[tree.Stmt] = []
    parameters = []
    for name, value in zip((*shape.parameters, *shape.stars), args, strict=True):
        parameters.append(_variable(own, name))
        own.bind(parameters[-1])
        made.append(tree.Assign(place, [tree.TargetLocal(place, parameters[-1])], value))
    consumer = own.consumer = Consumer(cx, node)
    body = _body(cx, own, found, call, consumer)
    cx.constants.update(own.constants)
    cx.called.extend(own.called)
    cx.bound = consumer._entry
    other = cx.block(node.orelse)
    for each in consumer.breaks:
        cx.bound = meet(cx.bound, each)
    return [*made, tree.Labelled(place, consumer.behind, [tree.Labelled(place, consumer.end, body), *other])]


def _deep(cx: Context) -> int:
    """How many loops around go through generators."""
    return len([each for each in cx.blocks if isinstance(each, Loop) and each.labels is not None])


def _body(cx: Context, own: Context, found: _Found, call: Any, consumer: Consumer) -> list[tree.Stmt]:
    nodes = without_docstring(found.node.body)
    code = None if found.function is None else found.function.__code__
    if found.function is None and any(named_in(nodes)):
        cx.refuse(call, "a generator inside of a function has no :=: write an assignment")
    own.inlined = [*cx.inlined, found.key]
    try:
        return inner.read_body(own, nodes, [], code, own.place(found.node) if own.fixed is None else own.fixed)
    except ScriptError as error:
        if found.function is None or consumer.failed is error:
            raise
        why = (error.msg or "").partition(":")[0]
        cx.refuse(call, f"the generator {found.node.name} cannot be compiled along ({why}): return a list")


def is_call(cx: Context, node: Any) -> bool:
    """Whether an expression is a call of a generator function of the module."""
    found = _generator(cx, node)
    return found is not None and found.function is not None


def _generator(cx: Context, node: Any) -> _Found | None:
    if type(node).__name__ != "Call" or type(node.func).__name__ != "Name":
        return None
    name = node.func.id
    if name in cx.generators and cx.scope.find(name) is None:
        if not cx.is_bound(cx.generator_variable(name)):
            cx.refuse(node.func, f"{name!r} may not be defined here yet: define it before")
        return _Found(cx.generators[name], None, cx.source)
    if not cx.is_outside(name):
        return None
    function = names.python_function(cx.outside(name))
    if function is None or function.__code__.co_flags & _KINDS != _GENERATOR or function.__code__.co_freevars:
        return None
    text = source.of(function)
    return None if text.node.decorator_list else _Found(text.node, function, text)


def _defaults(found: _Found, shape: binding.Shape) -> dict[str, Any]:
    if found.function is not None:
        values = names.defaults_of(found.function)
        given = dict(zip(shape.parameters[shape.by_position - len(values) : shape.by_position], values, strict=True))
        return {**given, **(found.function.__kwdefaults__ or {})}
    literals = {name: each.value for name, each in shape.defaults.items() if type(each).__name__ == "Constant"}
    return {name: literals.get(name, object()) for name in shape.defaults}


def _context(cx: Context, found: _Found, call: Any) -> Context:
    """Where the generator is read: its variables are the function's own."""
    own = Context(found.source, found.function or cx.function, cx.resolve, cx.check, cx.variables, cx.foreign)
    own.keeping = cx.keeping
    if found.function is None:
        own.scope = Scope(cx.scope)
        own.functions, own.generators, own.has_structs = cx.functions, cx.generators, cx.has_structs
        own._generator_variables = cx._generator_variables
        own.boxes.update(cx.boxes)
        own.cells.update(cx.cells)
        own.finals.update(cx.finals)
        own.captured.update(cx.captured)
        own.keys.update(cx.keys)
        own.code = codes.code_of(cx.code, found.node)
        own.bound, own.fixed = cx.bound, cx.fixed
    else:
        own.bound = cx.bound
        own.code = found.function.__code__
        own.fixed = cx.place(call)  # its lines are those of another function
    own.scope.key = kept.key_of(own, found.node)
    return own


def _variable(own: Context, name: str) -> tree.Variable:
    taken = {each.name for each in own.variables}
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    return own.new_variable(name, f"{name}.{number}")
