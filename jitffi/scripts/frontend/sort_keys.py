"""Readers of `key=`: the one place where a script may have a lambda."""

from __future__ import annotations

from _ast import Call, Lambda, Load, Name, arg, arguments

from jitffi.scripts.frontend import kept, modules, names
from jitffi.scripts.frontend.context import Context, Scope
from jitffi.scripts.frontend.python_calls import is_compiled, is_left, read_global
from jitffi.scripts.frontend.targets import nodes_of
from jitffi.scripts.library.methods import METHODS
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

_BUILTINS = frozenset(("len", "abs", "int", "float", "str", "bool", "ord", "chr", "repr", "min", "max", "sum", "hash"))


#: Flags of code.
_VARARGS, _VARKEYWORDS = 0x04, 0x08


class Anonymous:
    """What a lambda is for those who ask a script for its tree."""

    __slots__ = ("tree",)

    def __init__(self, function: tree.Function | None) -> None:
        #: None until it is read.
        self.tree: Any = function


def read_key(cx: Context, node: Any) -> tree.Callee | None:
    """What `key=` is given: a lambda, a function by name, a method of a class, or None."""
    kind = type(node).__name__
    if kind == "Constant" and node.value is None:
        return None
    if kind == "Lambda":
        return tree.Callee(script=Anonymous(_lambda(cx, node)))
    if kind == "Attribute" and type(node.value).__name__ == "Name" and cx.is_outside(node.value.id):
        owner = names.builtin_name(cx.outside(node.value.id))
        row = METHODS.get(owner, {}).get(node.attr)
        if row is not None and not row.required:
            return tree.Callee(builtin=f"{owner}.{node.attr}")
    elif kind == "Attribute" and node.attr == "get":
        return tree.Callee(builtin=".get", value=cx.expr(node.value))
    if kind == "Name" and cx.is_outside(node.id):
        value = cx.outside(node.id)
        if names.builtin_name(value) in _BUILTINS:
            return tree.Callee(builtin=names.builtin_name(value))
        function = names.python_function(value)
        if function is not None and is_compiled(cx, function) and (_takes_one(function) or not cx.foreign):
            modules.refuse_of_library(cx, node, node.id, function)
            if not _takes_one(function):
                cx.refuse(node, "the function of a key has one parameter, without a default: write one that calls it")
            if cx.resolve is None:
                cx.called.append(function)
            return tree.Callee(script=function if cx.resolve is None else cx.resolve.script(function))
        native = names.jitffi_function(value)
        if native is not None and not is_left(native):
            return tree.Callee(native=native)
        if value is names.MISSING and cx.resolve is None:
            return tree.Callee()
    return tree.Callee(value=cx.expr(node))


def read_sort_key(cx: Context, node: Any) -> tree.Callee | None:
    """The same of list.sort, where the list may turn out to be Python's own, which Python sorts."""
    if not cx.foreign:
        return read_key(cx, node)
    if captures(cx, node):
        return tree.Callee(value=kept.function(cx, node))
    found = read_key(cx, node)
    if found is not None and (found.script is not None or found.native is not None):
        found.python = kept.function(cx, node) if type(node).__name__ == "Lambda" else read_global(cx, node)
    return found


def _takes_one(function: FunctionType) -> bool:
    code = function.__code__
    return (code.co_argcount, code.co_kwonlyargcount, code.co_flags & (_VARARGS | _VARKEYWORDS)) == (1, 0, 0)


def _parameter(cx: Context, node: Any) -> str:
    args = node.args
    if len(args.args) + len(args.posonlyargs) != 1 or args.defaults or args.vararg or args.kwonlyargs or args.kwarg:
        cx.refuse(node, "the lambda of a key has one parameter, without a default")
    name: str = (args.posonlyargs + args.args)[0].arg
    return name


def _lambda(cx: Context, node: Any) -> tree.Function:
    parameter = _parameter(cx, node)
    place = cx.place(node)
    scope, hidden = cx.scope, cx.hidden
    inner = Context(cx.source, cx.function, cx.resolve, cx.check, foreign=cx.foreign)
    inner.hidden = Scope(None)
    for each in scope.visible():
        variable = scope.find(each)
        assert variable is not None
        inner.hidden.names[each] = variable
    if hidden is not None:
        inner.hidden.names.update(hidden.names)
    variable = inner.new_variable(parameter, is_parameter=True)
    inner.fixed, inner.keeping, inner.code = cx.fixed, cx.keeping, cx.code
    inner.bound = frozenset((variable,))
    body: list[tree.Stmt] = [tree.Return(inner.place(node.body), inner.expr(node.body))]
    made = tree.Function("<lambda>", cx.source.filename, place, [variable], inner.variables, body)
    made.takes_objects = cx.foreign
    return made


# -- lambdas that see variables around them ---------------------------------------------------------------------------


def captures(cx: Context, node: Any) -> bool:
    """Whether that is a lambda which reads variables of the function around it."""
    if type(node).__name__ != "Lambda":
        return False
    own = {each.arg for each in (*node.args.posonlyargs, *node.args.args)}
    read = (each.id for each in nodes_of(node.body) if type(each).__name__ == "Name")
    return any(name not in own and not cx.is_outside(name) for name in read)


def _reverse(cx: Context, node: Any) -> bool:
    """Whether what is sorted comes the other way round."""
    given = next((each.value for each in node.keywords if each.arg == "reverse"), None)
    read = cx.expr(given) if given is not None else None
    if read is not None and not isinstance(read, tree.Const):
        cx.refuse(given, "beside a lambda that sees variables around it: write reverse=True or False")
    return read is not None and bool(read.value)


#: By the builtin, and whether it has one argument.
_KEYWORDS = {
    ("sorted", True): {"key", "reverse"},
    **dict.fromkeys((("min", True), ("max", True)), {"key", "default"}),
    **dict.fromkeys((("min", False), ("max", False)), {"key"}),
}


def read_ordered(cx: Context, node: Any, name: str, key: Any) -> tree.Expr:
    """Read sorted, min or max by such a lambda, whose body is read in place."""
    if not _KEYWORDS[name, len(node.args) == 1].issuperset([each.arg for each in node.keywords]):
        cx.refuse(node, f"{name}() has no such arguments by name")
    if any(type(each).__name__ == "NamedExpr" for each in nodes_of(key.body)):
        cx.refuse(key, "beside variables around it, a lambda of a key binds none with :=")
    before = cx.bound
    read = _read_sorted(cx, node, key) if name == "sorted" else _read_least(cx, node, name, key)
    cx.bound = before
    return read


def _over(cx: Context, node: Any) -> tree.Expr:
    if len(node.args) == 1:
        return cx.iterable(node.args[0])
    return tree.ListOf(cx.place(node), [cx.expr(each) for each in node.args])


def _read_sorted(cx: Context, node: Any, key: Any) -> tree.Expr:
    """(key, position, item) for each item, sorted, and the items of these.

    The position keeps items of equal keys in their order, and from being compared.
    """
    place = cx.place(node)
    parameter = _parameter(cx, key)
    over, backwards = _over(cx, node), _reverse(cx, node)
    cx.enter_comprehension([parameter])
    item = cx.scope.names[parameter]
    position = cx.new_variable(" position", f"{item.name}.position")
    for each in (item, position):
        cx.bind(each)
    index: tree.Expr = tree.Local(place, position)
    value = tree.TupleOf(
        place, [cx.expr(key.body), tree.Unary(place, "-", index) if backwards else index, tree.Local(place, item)]
    )
    cx.leave_comprehension()
    target = tree.TargetTuple(place, [tree.TargetLocal(place, position), tree.TargetLocal(place, item)])
    each_item = tree.Builtin(place, "enumerate", [over], {})
    found = tree.Comprehension(place, None, value, [tree.Clause(target, each_item, [])])
    keywords: dict[str, tree.Expr] = {"reverse": tree.Const(place, True)} if backwards else {}
    cx.enter_comprehension([])
    last = cx.new_variable(" ordered", f"{item.name}.ordered")
    cx.bind(last)
    cx.leave_comprehension()
    clause = tree.Clause(tree.TargetLocal(place, last), tree.Builtin(place, "sorted", [found], keywords), [])
    return tree.Comprehension(place, None, tree.Item(place, tree.Local(place, last), tree.Const(place, 2)), [clause])


def _read_least(cx: Context, node: Any, name: str, key: Any) -> tree.Expr:
    """The item whose key is the first that no other is less than (of max: greater), kept while they go by:

    (has := False,
     any(False for item in ... if (k := key(item)) if not has or k < least
                   if (least := k) if (best := item) if (has := True)),
     best if has else default)
    """
    place = cx.place(node)
    parameter = _parameter(cx, key)
    over = _over(cx, node)
    default = next((cx.expr(each.value) for each in node.keywords if each.arg == "default"), None)
    if default is not None and not _is_plain(default):
        cx.refuse(node, "beside a lambda that sees variables around it, the default is a constant or a variable")
    cx.enter_comprehension([parameter])
    item = cx.scope.names[parameter]
    has, new, least, best = (_kept(cx, item, each) for each in ("has", "key", "least", "best"))
    cx.bind(item)

    def local(variable: tree.Variable) -> tree.Expr:
        return tree.Local(place, variable)

    def named(variable: tree.Variable, value: tree.Expr) -> tree.Expr:
        return tree.Named(place, tree.TargetLocal(place, variable), value)

    def constant(value: object) -> tree.Expr:
        return tree.Const(place, value)

    def done(value: tree.Expr) -> tree.Expr:
        """True, once that is evaluated, whatever its truth."""
        return tree.Logic(place, False, [tree.Compare(place, [value, constant(None)], ["is"]), constant(True)])

    steps = [done(named(new, cx.expr(key.body)))]
    is_better = tree.Compare(place, [local(new), local(least)], ["<" if name == "min" else ">"])
    steps += [tree.Logic(place, False, [tree.Unary(place, "not", local(has)), is_better])]
    steps += map(done, (named(least, local(new)), named(best, local(item)), named(has, constant(True))))
    cx.leave_comprehension()
    clause = tree.Clause(tree.TargetLocal(place, item), over, steps)
    each = tree.Comprehension(place, None, constant(False), [clause], is_lazy=True)
    parts = [named(has, constant(False)), tree.Builtin(place, "any", [each], {})]
    if default is not None:
        parts.append(tree.Choice(place, local(has), local(best), default))
    else:
        parts += [_fail_unless(cx, place, name, has), local(best)]
    return tree.Item(place, tree.TupleOf(place, parts), constant(len(parts) - 1))


def _is_plain(node: tree.Expr) -> bool:
    """Whether it can be evaluated later, or not at all."""
    if isinstance(node, tree.TupleOf):
        return all(map(_is_plain, node.items))
    return isinstance(node, tree.Const | tree.Local) or isinstance(node, tree.Unary) and _is_plain(node.operand)


def _kept(cx: Context, item: tree.Variable, name: str) -> tree.Variable:
    variable = cx.new_variable(f" {name}", f"{item.name}.{name}")
    variable.is_unsteady = True
    cx.bind(variable)
    return variable


def _fail_unless(cx: Context, place: Any, name: str, has: tree.Variable) -> tree.Expr:
    """min or max of a list with one item, or none: its ValueError where nothing was found."""
    cx.enter_comprehension([])
    each = cx.new_variable(" one", f"{has.name}.one")
    cx.bind(each)
    cx.leave_comprehension()
    one = tree.ListOf(place, [tree.Const(place, 0)])
    clause = tree.Clause(tree.TargetLocal(place, each), one, [tree.Local(place, has)])
    return tree.Builtin(place, name, [tree.Comprehension(place, None, tree.Local(place, each), [clause])], {})


def as_lambda(node: Any) -> Any:
    """`lambda x: f(x)` for a function that only calls can name."""
    where = {name: getattr(node, name) for name in ("lineno", "col_offset", "end_lineno", "end_col_offset")}
    given = arguments([], [arg(" x", **where)], None, [], [], None, [])
    return Lambda(given, Call(node, [Name(" x", Load(), **where)], [], **where), **where)
