"""A Python function, read: Python's tree to ours (tree.py), with a ScriptError for what scripts do not have."""

from __future__ import annotations

from jitffi.base.annotations import annotations_of
from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import calls as _calls  # noqa: F401  registers its readers, as the next two do
from jitffi.scripts.frontend import expressions as _expressions  # noqa: F401
from jitffi.scripts.frontend import names, source, statements
from jitffi.scripts.frontend.annotations import convert
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.expressions import INT_TOO_LARGE
from jitffi.scripts.frontend.targets import bound_names
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.deep import Room
from jitffi.scripts.tree.types import ANY, NONE, is_open

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.frontend.names import Resolver

assert statements


def read(
    function: FunctionType,
    *,
    resolve: Resolver | None = None,
    text: source.Source | None = None,
    called: list[FunctionType] | None = None,
) -> tree.Function:
    """Return the tree of a function. ScriptError for what scripts do not have.

    `resolve` keeps the scripts. Without it the function is only checked: names of functions may stand for nothing yet,
    and no code can be made of the tree. `text` is the function's source, where it has been read already. `called` gets
    the Python functions that a function which is only checked calls.
    """
    try:
        with Room(function):
            cx = Context(text or source.of(function), function, resolve, _check)
            found = _read(cx, function)
        if called is not None:
            called += cx.called
        return found
    except ScriptError as error:
        # Where it is raised says nothing: the error is the script's.
        raise error.with_traceback(None) from None


def _check(function: FunctionType, called: list[FunctionType]) -> None:
    read(function, called=called)


def _read(cx: Context, function: FunctionType) -> tree.Function:
    text, node = cx.source, cx.source.node
    parameters = _parameters(cx, node.args)
    defaults = _defaults(cx, node.args, parameters)
    for name in bound_names(node.body):
        if name not in cx.scope.names:
            cx.new_variable(name)
    cx.bound = frozenset(parameters)
    body = cx.block(_without_docstring(node.body))
    annotations = annotations_of(function)
    declared = convert(cx, node.returns, annotations["return"]) if "return" in annotations and node.returns else None
    return tree.Function(
        function.__name__,
        text.filename,
        cx.place(node),
        parameters,
        defaults,
        cx.variables,
        body,
        None if declared is None or is_open(declared) else declared,
        text.lines[node.lineno - text.first_line :],
        constants=cx.constants,
    )


def _parameters(cx: Context, args: Any) -> list[tree.Variable]:
    for star, each in (("*", args.vararg), ("**", args.kwarg)):
        if each is not None:
            cx.refuse(each, f"scripts have no {star}{each.arg}: take a {'list' if star == '*' else 'dict'}")
    if args.kwonlyargs:
        cx.refuse(args.kwonlyargs[0], "scripts have no keyword-only parameters: leave the * out")
    annotations = annotations_of(cx.function)
    parameters = []
    for each in (*args.posonlyargs, *args.args):
        variable = cx.new_variable(each.arg, is_parameter=True)
        if each.arg in annotations and each.annotation is not None:
            declared = convert(cx, each.annotation, annotations[each.arg])
            # `str | None` and the like promise nothing: what the call passes says more.
            variable.declared = None if declared == ANY else declared
            if declared.kind == "struct":
                if names.annotated_struct(cx.function, annotations[each.arg]) is None:
                    cx.refuse(each.annotation, f"write the class of {declared} by its name")
                cx.has_structs = True
        parameters.append(variable)
    return parameters


def _defaults(cx: Context, args: Any, variables: list[tree.Variable]) -> list[Any]:
    # The function's own, which can have been set to others than its text says.
    values = list(cx.function.__defaults__ or ())
    parameters = [*args.posonlyargs, *args.args]
    nodes = args.defaults if len(args.defaults) == len(values) else parameters[len(parameters) - len(values) :]
    for node, value, variable in zip(nodes, values, variables[len(variables) - len(values) :], strict=True):
        if value is None and variable.declared is not None and variable.declared != NONE:
            cx.refuse(
                node,
                f"the default of {variable.name!r} is None, and its type is {variable.declared}: "
                f"write {variable.name}: {variable.declared} | None",
            )
        if type(value) is int and not -(2**63) <= value < 2**63:
            cx.refuse(node, INT_TOO_LARGE)
        if not names.is_constant(value):
            cx.refuse(
                node,
                "defaults of scripts are None, bool, int, float, str, bytes and tuples of them: write None, and make "
                f"the {type(value).__name__} in the script",
            )
    return values


def _without_docstring(body: list[Any]) -> list[Any]:
    first = body[0]
    is_docstring = type(first).__name__ == "Expr" and type(getattr(first.value, "value", None)) is str
    return body[1:] if is_docstring else body
