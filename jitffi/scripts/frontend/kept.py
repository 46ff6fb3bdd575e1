"""Functions, classes and generator expressions that are kept, passed on, decorated or returned: Python's own.

The interpreter has compiled them, and a script makes them as the interpreter does, of that code. A variable that such a
function sees and that may change later lies in a *cell* of Python's, which both share; of any other the function gets a
cell of its own, with the value.

    def f(n):                                n = cell(n)
        def step():                          step = function(code of step, n)
            nonlocal n; n += 1        ->     return step
        return step

What turns out while a function is read, that an inner function is kept, or a variable in a cell, is noted, and the
function is read again.
"""

from __future__ import annotations

from collections import Counter

from jitffi.scripts.frontend import codes
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.targets import bound_names, imported_name, statements_of, target_names, target_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any, Final, NoReturn

    Key = tuple[Any, ...]

#: Of code: annotations are texts (`from __future__ import annotations`).
_FUTURE_ANNOTATIONS: Final = 0x1000000
DEFINITIONS: Final = ("FunctionDef", "AsyncFunctionDef", "ClassDef")
_ONCE: Final = ("Assign", "AnnAssign", "Import", "ImportFrom", *DEFINITIONS)


class Again(Exception):  # noqa: N818  it is no error
    """What has been found out: the function is read again."""

    def __init__(self, functions: Key = (), cell: Key = ()) -> None:
        self.functions: Final = functions
        self.cell: Final = cell


def key_of(cx: Context, node: Any) -> Key:
    return (cx.source.filename, type(node).__name__, node.lineno, node.col_offset)


def keep(cx: Context, node: Any) -> NoReturn:
    """Read again, with what is defined there made by Python."""
    if is_kept(cx, node):
        _refuse(cx, node, "what is kept here is not known where it is used")
    raise Again(functions=key_of(cx, node))


def is_kept(cx: Context, node: Any) -> bool:
    return key_of(cx, node) in cx.keeping


def code_of(cx: Context, node: Any) -> CodeType:
    found = codes.code_of(cx.code, node)
    if found is None:
        _refuse(cx, node, "the code of this was not found among what the interpreter has compiled")
    return found


def _refuse(cx: Context, node: Any, message: str) -> NoReturn:
    if isinstance(getattr(node, "body", None), list):
        cx.refuse_head(node, message)
    cx.refuse(node, message)


# -- variables in cells -----------------------------------------------------------------------------------------------


def finals(body: list[Any], parameters: list[str], nonlocals: set[str]) -> set[str]:
    """Of the names of a function those that are assigned once, and stay what they are as soon as they are bound."""
    counts = Counter(bound_names(body))
    counts.update(defined_names(body))
    found = {name for name in parameters if not counts[name]}
    for stmt in body:
        kind = type(stmt).__name__
        if kind in DEFINITIONS:
            names = [stmt.name]
        elif kind in ("Import", "ImportFrom"):
            names = [imported_name(each) for each in stmt.names]
        elif kind == "Assign":
            names = [name for target in stmt.targets for name in target_names(target)]
        else:
            names = list(target_names(stmt.target)) if kind == "AnnAssign" else []
        found.update(name for name in names if counts[name] == 1 and name not in parameters)
    return found - nonlocals


def defined_names(body: list[Any]) -> list[str]:
    return [stmt.name for stmt in statements_of(body) if type(stmt).__name__ in DEFINITIONS]


def into_cell(cx: Context, node: Any, variable: tree.Variable, name: str) -> NoReturn:
    """Read again, with that variable in a cell of Python's."""
    key = cx.keys.get(variable)
    if key is None or key in cx.keeping:
        _refuse(cx, node, f"the variable {name!r} cannot be shared with what is kept here")
    raise Again(cell=key)


def _cell(cx: Context, node: Any, name: str) -> tree.Expr:
    """The cell of a variable that the code of *node* sees around it."""
    place, variable = cx.place(node), cx.scope.find(name)
    if name in cx.kept:
        keep(cx, cx.kept[name][0])
    if variable is not None:
        if variable in cx.cells:
            return tree.Local(place, variable)
        if variable in cx.finals and cx.is_bound(variable) and variable not in cx.boxes:
            return pytree.NewCell(place, tree.Local(place, variable))
        into_cell(cx, node, variable, name)
    if name in cx.functions:
        keep(cx, cx.functions[name].node)
    if name in cx.generators:
        keep(cx, cx.generators[name])
    if name in cx.function.__code__.co_freevars and (cx.hidden is None or cx.hidden.find(name) is None):
        return pytree.OuterCell(place, pytree.Outside(cx.function, name))
    _refuse(cx, node, f"the variable {name!r} cannot be shared with what is kept here")


# -- what is made -----------------------------------------------------------------------------------------------------


def function(cx: Context, node: Any) -> tree.Expr:
    """What a `def` or a lambda makes, without its decorators."""
    args = node.args
    if getattr(node, "type_params", ()):
        cx.refuse_head(node, "functions inside that are kept have no parameters of types")
    defaults = [cx.expr(each) for each in args.defaults]
    pairs = zip(args.kwonlyargs, args.kw_defaults, strict=True)
    by_name = {each.arg: cx.expr(default) for each, default in pairs if default is not None}
    code = code_of(cx, node)
    annotations, annotate = _annotations(cx, node, code)
    what = f"the function {node.name}" if hasattr(node, "name") else "a lambda"
    return _made(cx, node, what, code, defaults, by_name, annotations, annotate)


def _made(
    cx: Context, node: Any, what: str, code: CodeType, defaults: list[tree.Expr] | None = None,
    by_name: dict[str, tree.Expr] | None = None, annotations: dict[str, tree.Expr] | None = None,
    annotate: tree.Expr | None = None,
) -> tree.Expr:  # fmt: skip
    path = codes.path_of(cx.function.__code__, code)
    assert path is not None, code
    cells = [_cell(cx, node, name) for name in code.co_freevars]
    found = pytree.Code(cx.function, path)
    return pytree.MadeFunction(
        cx.place(node), what, found, cells, defaults or [], by_name or {}, annotations or {}, annotate
    )


def _annotations(cx: Context, node: Any, code: CodeType) -> tuple[dict[str, tree.Expr], tree.Expr | None]:
    """What a function's annotations are, by name; or the function that evaluates them."""
    args = node.args
    given = [*args.posonlyargs, *args.args, args.vararg, *args.kwonlyargs, args.kwarg]
    found = {each.arg: each.annotation for each in given if each is not None and each.annotation is not None}
    if getattr(node, "returns", None) is not None:
        found["return"] = node.returns
    if not found:
        return {}, None
    if code.co_flags & _FUTURE_ANNOTATIONS:
        from ast import unparse

        return {name: pytree.PyConst(cx.place(each), unparse(each)) for name, each in found.items()}, None
    evaluating = [each for each in code_siblings(cx) if each.co_name == "__annotate__"]
    evaluating = [each for each in evaluating if each.co_firstlineno == code.co_firstlineno or _is_near(each, node)]
    if evaluating:
        return {}, _made(cx, node, "annotations", evaluating[0])
    return {name: cx.expr(each) for name, each in found.items()}, None


def code_siblings(cx: Context) -> list[CodeType]:
    return [] if cx.code is None else [each for each in cx.code.co_consts if hasattr(each, "co_firstlineno")]


def _is_near(code: CodeType, node: Any) -> bool:
    return bool(node.lineno <= code.co_firstlineno < node.body[0].lineno)


def decorated(cx: Context, node: Any, decorators: list[tree.Expr], made: tree.Expr) -> tree.Expr:
    """What is bound to the name in the end."""
    for each in reversed(decorators):
        made = pytree.PyCall(each.place, each, [made])
    return made


def define(cx: Context, node: Any) -> list[tree.Stmt]:
    """Read a definition of what is kept."""
    place = cx.place(node)
    decorators = [cx.expr(each) for each in node.decorator_list]
    made = _class(cx, node) if type(node).__name__ == "ClassDef" else function(cx, node)
    return [tree.Assign(place, [target_of(cx, node.name, place)], decorated(cx, node, decorators, made))]


def _class(cx: Context, node: Any) -> tree.Expr:
    """By __build_class__, as the interpreter does."""
    if getattr(node, "type_params", ()):
        cx.refuse_head(node, "classes inside have no parameters of types")
    place = cx.place(node)
    body = _made(cx, node, f"the class {node.name}", code_of(cx, node))
    args: list[tree.Expr] = [body, tree.Const(place, node.name)]
    for each in node.bases:
        if type(each).__name__ == "Starred":
            args.append(pytree.Starred(cx.place(each), cx.expr(each.value), False))
        else:
            args.append(cx.expr(each))
    for each in node.keywords:
        at, value = cx.place(each.value), cx.expr(each.value)
        args.append(pytree.Starred(at, value, True) if each.arg is None else pytree.Named(at, each.arg, value))
    return pytree.PyCall(place, pytree.Global(place, pytree.Outside(cx.function, "__build_class__")), args)


def generator(cx: Context, node: Any) -> tree.Expr:
    """A generator expression that something may go through later."""
    if any(each.is_async for each in node.generators):
        cx.refuse(node, "generator expressions of scripts have no async for")
    place = cx.place(node)
    over = pytree.IteratorOf(place, cx.expr(node.generators[0].iter))
    return pytree.PyCall(place, _made(cx, node, "a generator expression", code_of(cx, node)), [over])
