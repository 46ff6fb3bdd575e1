"""A Python function, read: Python's tree to ours (tree.py), with a ScriptError for what scripts do not have."""

from __future__ import annotations

from jitffi.base.annotations import annotations_of
from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import calls as _calls  # noqa: F401  registers its readers, as the next ones do
from jitffi.scripts.frontend import displays as _displays  # noqa: F401
from jitffi.scripts.frontend import expressions as _expressions  # noqa: F401
from jitffi.scripts.frontend import imports as _imports  # noqa: F401
from jitffi.scripts.frontend import inner, kept, match_uses, matches, names, source, statements
from jitffi.scripts.frontend import patterns as _patterns  # noqa: F401
from jitffi.scripts.frontend.annotations import convert
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.expressions import INT_TOO_LARGE, NATIVE_INTS
from jitffi.scripts.frontend.targets import without_docstring
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
    foreign: bool = False,
    promises: bool = False,
) -> tree.Function:
    """Return the tree of a function. ScriptError for what scripts do not have.

    `resolve` keeps the scripts. Without it the function is only checked: names of functions may stand for nothing yet,
    and no code can be made of the tree. `text` is the function's source, where it has been read already. `called` gets
    the Python functions that a function which is only checked calls. `foreign`: what scripts lack may be done by
    Python's own objects, and annotations are what they are to Python, unless the function `promises` them.
    """
    try:
        with Room(function):
            found, cx = _read_again(function, resolve, text, foreign, promises or not foreign)
        if called is not None:
            called += cx.called
        return found
    except ScriptError as error:
        # Where it is raised says nothing: the error is the script's.
        raise error.with_traceback(None) from None


def _read_again(
    function: FunctionType, resolve: Resolver | None, text: source.Source | None, foreign: bool, promises: bool
) -> tuple[tree.Function, Context]:
    """Until nothing more is found out about what is in it."""
    keeping: set[Any] = set()
    takes_patterns = True
    if not foreign:
        source.refuse_method(function)
    while True:
        cx = Context(text or source.of(function), function, resolve, _check, foreign=foreign)
        cx.takes_patterns, cx.keeping, cx.promises, text = takes_patterns, keeping, promises, None
        try:
            found = _read(cx, function)
            if takes_patterns:
                match_uses.check(found, cx.matches)
            return found, cx
        except kept.Again as again:
            keeping.add(again.functions or again.cell)
        except ScriptError:
            if not (foreign and takes_patterns and cx.has_patterns):
                raise
            # Python's own objects can do with patterns and matches what scripts cannot.
            takes_patterns = False


def _check(function: FunctionType, called: list[FunctionType]) -> None:
    read(function, called=called)


def _read(cx: Context, function: FunctionType) -> tree.Function:
    text, node = cx.source, cx.source.node
    cx.scope.key = kept.key_of(cx, node)
    parameters = _parameters(cx, node.args)
    _check_defaults(cx, node.args, parameters)
    cx.bound = frozenset(parameters)
    body = inner.read_body(cx, without_docstring(node.body), parameters, function.__code__, cx.place(node))
    matches.check(cx)
    annotations = annotations_of(function)
    declared = convert(cx, node.returns, annotations["return"]) if "return" in annotations and node.returns else None
    return tree.Function(
        function.__name__,
        text.filename,
        cx.place(node),
        parameters,
        cx.variables,
        body,
        None if declared is None or is_open(declared) else declared,
        text.lines[node.lineno - text.first_line :],
        constants=cx.constants,
        takes_objects=cx.foreign,
    )


def _parameters(cx: Context, args: Any) -> list[tree.Variable]:
    annotations = annotations_of(cx.function)
    parameters = []
    stars = [each for each in (args.vararg, args.kwarg) if each is not None]
    for each in (*args.posonlyargs, *args.args, *args.kwonlyargs, *stars):
        variable = cx.new_variable(each.arg, is_parameter=True)
        if each not in stars and each.arg in annotations and each.annotation is not None:
            declared = convert(cx, each.annotation, annotations[each.arg])
            # `str | None` and the like promise nothing: what the call passes says more.
            # So does set[T], where Python's own are taken: any kind of set is good for it.
            promises = declared != ANY and not (cx.foreign and declared.kind == "set")
            variable.declared = declared if promises else None
            if declared.kind == "struct":
                if names.annotated_struct(cx.function, annotations[each.arg], not cx.foreign) is None:
                    cx.refuse(each.annotation, f"write the class of {declared} by its name")
                cx.has_structs = True
        parameters.append(variable)
    return parameters


def _check_defaults(cx: Context, args: Any, variables: list[tree.Variable]) -> None:
    """ScriptError for defaults that are no arguments of their parameters."""
    # The function's own, which can have been set to others than its text says.
    values = list(names.defaults_of(cx.function))
    parameters = [*args.posonlyargs, *args.args]
    nodes = args.defaults if len(args.defaults) == len(values) else parameters[len(parameters) - len(values) :]
    by_position = variables[len(parameters) - len(values) : len(parameters)]
    given = list(zip(nodes, values, by_position, strict=True))
    by_name, named = cx.function.__kwdefaults__ or {}, variables[len(parameters) :]
    for each, node, variable in zip(args.kwonlyargs, args.kw_defaults, named, strict=False):
        if each.arg in by_name:
            given.append((node or each, by_name[each.arg], variable))
    for node, value, variable in given:
        if value is None and variable.declared is not None and variable.declared != NONE:
            cx.refuse(
                node,
                f"the default of {variable.name!r} is None, and its type is {variable.declared}: "
                f"write {variable.name}: {variable.declared} | None",
            )
        if not cx.foreign and not names.is_shared_as_it_is(value):
            cx.refuse(
                node,
                "calls share the default of a parameter, and scripts have copies: write None, and make the "
                f"{type(value).__name__} in the script",
            )
        if type(value) is int and value not in NATIVE_INTS:
            cx.refuse(node, INT_TOO_LARGE)
