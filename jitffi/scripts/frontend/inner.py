"""Functions inside of functions, and lambdas, that are only called: each is read as a function of its own, which gets
what it captures as further arguments.

    def f(rows):                         def walk(i, rows, found): ...
        found = 0                        def f(rows):
        def walk(i):                         found = [0]
            nonlocal found          ->       walk(0, rows, found)
            found += rows[i]                 return found[0]
        walk(0)
        return found

While such a function runs, nobody but functions with `nonlocal` assigns to what it captures, so the values of the time
of the call will do. What `nonlocal` is said of lies in a list of one item, its *box*.
"""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.frontend import binding, codes, kept, shared
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.sort_keys import Anonymous
from jitffi.scripts.frontend.targets import bound_names, deleted_names, statements_of, without_docstring
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import CodeType
    from typing import Any, Final

_CODE = type((lambda: None).__code__)
_GENERATOR = 0x20 | 0x80 | 0x200


class Inner:
    """One function. It is *bound* where its definition has run."""

    __slots__ = ("captured", "code", "defaults", "direct", "name", "node", "script", "shape", "variable")

    def __init__(self, name: str, node: Any, code: CodeType | None) -> None:
        self.name: Final = name
        self.node: Final = node
        #: None of a lambda.
        self.code: Final = code
        #: The names that it sees around it.
        self.direct: Final = set(code.co_freevars) if code is not None else set(_names_in(node))
        #: Those of variables, its own and those of the functions that it calls.
        self.captured: tuple[str, ...] = ()
        self.script: Final = Anonymous(None)
        self.variable: Final = tree.Variable(name)
        #: Defaults that are no literals, by their parameters: the variables that they are in.
        self.defaults: Final[dict[str, str]] = {}
        self.shape: Final = shape_of(name, node.args)


def shape_of(name: str, args: Any) -> binding.Shape:
    by_position = [each.arg for each in (*args.posonlyargs, *args.args)]
    by_name = [each.arg for each in args.kwonlyargs]
    stars = [each.arg for each in (args.vararg, args.kwarg) if each is not None]
    optional = by_position[len(by_position) - len(args.defaults) :]
    defaults: dict[str, Any] = dict(zip(optional, args.defaults, strict=True))
    defaults.update({each: node for each, node in zip(by_name, args.kw_defaults, strict=True) if node is not None})
    return binding.Shape(
        name, (*by_position, *by_name), len(args.posonlyargs), len(by_position), tuple(stars),
        args.vararg is not None, args.kwarg is not None, defaults,
    )  # fmt: skip


def _names_in(node: Any) -> Iterator[str]:
    """The names that a lambda reads, without its own."""
    args = node.args
    own = {each.arg for each in (*args.posonlyargs, *args.args, *args.kwonlyargs)}
    own |= {each.arg for each in (args.vararg, args.kwarg) if each is not None}
    if isinstance(node.body, list):
        own.update(bound_names(node.body))
    yield from loaded(node.body) - own


def loaded(node: Any) -> set[str]:
    """The names in a tree of Python's."""
    return {each.id for each in _nodes(node) if type(each).__name__ == "Name"}


def _nodes(root: Any) -> Iterator[Any]:
    waiting = [root]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif hasattr(node, "_fields"):
            yield node
            waiting += [getattr(node, name, None) for name in node._fields]


# -- which there are -------------------------------------------------------------------------------------------------


def read_body(
    cx: Context, body: list[Any], parameters: list[tree.Variable], code: CodeType | None, place: tree.Place
) -> list[tree.Stmt]:
    """Read the statements of a function, whose parameters are known."""
    cx.code = code or cx.code
    outside = _said(body, "Nonlocal")
    cx.globals |= frozenset(_said(body, "Global"))
    for name in bound_names(body):
        if name not in cx.scope.names and name not in outside | cx.globals:
            cx.new_variable(name)
    cx.deleted = frozenset([cx.scope.names[name] for name in deleted_names(body) if name in cx.scope.names])
    cx.bound = None if cx.bound is None else cx.bound - cx.deleted
    _find(cx, body, code)
    celled = _find_kept(cx, body, parameters) if cx.foreign else set()
    made = shared.into_cells(cx, celled, parameters, place)
    made += _box(cx, _boxed(body) - celled, parameters, place)
    return [*made, *cx.block(body)]


def _said(body: list[Any], kind: str) -> set[str]:
    """The names that a function says `nonlocal` or `global` of."""
    return {name for stmt in statements_of(body) if type(stmt).__name__ == kind for name in stmt.names}


def _find_kept(cx: Context, body: list[Any], parameters: list[tree.Variable]) -> set[str]:
    """Note the functions that Python makes; the names of the variables that they share, which lie in cells."""
    native = [each.node for each in cx.functions.values()] + list(cx.generators.values())
    rest = [stmt for stmt in statements_of(body) if type(stmt).__name__ in kept.DEFINITIONS and stmt not in native]
    for stmt in rest:
        if stmt.name not in cx.scope.names and stmt.name not in cx.globals | _said(body, "Nonlocal"):
            cx.new_variable(stmt.name)
    own = {name for name, each in cx.scope.names.items() if each not in cx.captured}
    given = [name for name in own if cx.scope.names[name] in parameters]
    nonlocals = {name for node in _nodes(body) if type(node).__name__ == "Nonlocal" for name in node.names}
    stay = kept.finals(body, given, nonlocals)
    cx.finals.update(cx.scope.names[name] for name in own & stay)
    seen = {name for stmt in rest if (found := codes.code_of(cx.code, stmt)) for name in found.co_freevars}
    return {name for name in own if (name in seen and name not in stay) or (cx.scope.key, name) in cx.keeping}


def _find(cx: Context, body: list[Any], code: CodeType | None) -> None:
    """Note the functions in a body that are only called; the others are refused where they stand, or Python's."""
    bound = list(bound_names(body))
    defined = kept.defined_names(body)
    bound += [name for name in defined if cx.foreign and defined.count(name) > 1]
    found: dict[str, Inner] = {}
    generators: dict[str, Any] = {}
    for stmt in statements_of(body):
        if cx.foreign and hasattr(stmt, "lineno") and kept.is_kept(cx, getattr(stmt, "value", None) or stmt):
            continue
        if type(stmt).__name__ == "FunctionDef" and not stmt.decorator_list and stmt.name not in (*bound, *found):
            inside = _code_of(code, stmt)
            if inside is not None and not inside.co_flags & _GENERATOR:
                found[stmt.name] = Inner(stmt.name, stmt, inside)
            elif inside is not None and inside.co_flags & _GENERATOR == 0x20:
                generators[stmt.name] = stmt
        elif _is_lambda(stmt) and bound.count(stmt.targets[0].id) == 1:
            found[stmt.targets[0].id] = Inner(stmt.targets[0].id, stmt.value, None)
    nodes = list(_nodes(body))
    called = {each for node in nodes for each in _called(node)}
    for each in nodes:
        if type(each).__name__ == "Name" and each.id in found and each not in called and not _is_target(each):
            del found[each.id]
    _drop_seen(cx, body, found, generators)
    for name, inner in found.items():
        if inner.code is None:
            cx.variables.remove(cx.scope.names.pop(name))
    cx.functions = {**cx.functions, **found}
    cx.generators = {**cx.generators, **generators}
    _note_captured(cx, found)


def _drop_seen(cx: Context, body: list[Any], found: dict[str, Inner], generators: dict[str, Any]) -> None:
    """What a function that Python makes sees is Python's, too."""
    changed = cx.foreign
    while changed:
        native = [*[each.node for each in found.values()], *generators.values()]
        rest = [each for each in statements_of(body) if type(each).__name__ in kept.DEFINITIONS and each not in native]
        seen = {name for stmt in rest if (code := codes.code_of(cx.code, stmt)) for name in code.co_freevars}
        dropped = seen & {*found, *generators}
        for name in dropped:
            found.pop(name, None)
            generators.pop(name, None)
        changed = bool(dropped)


def _called(node: Any) -> list[Any]:
    """What a node calls: a function, and those of map, filter and `key=`."""
    if type(node).__name__ != "Call":
        return []
    found = [node.func, *[each.value for each in node.keywords if each.arg == "key"]]
    name = getattr(node.func, "id", "")
    if name in ("map", "filter") and node.args:
        found.append(node.args[0])
    return found


def _is_target(node: Any) -> bool:
    return type(node.ctx).__name__ == "Store"


def _is_lambda(stmt: Any) -> bool:
    return (
        type(stmt).__name__ == "Assign"
        and type(stmt.value).__name__ == "Lambda"
        and len(stmt.targets) == 1
        and type(stmt.targets[0]).__name__ == "Name"
    )


def _code_of(code: CodeType | None, node: Any) -> CodeType | None:
    """The code of a function that is defined in another."""
    for each in () if code is None else code.co_consts:
        if type(each) is _CODE and each.co_name == node.name and each.co_firstlineno == node.lineno:
            return each
    return None


def _note_captured(cx: Context, found: dict[str, Inner]) -> None:
    """What each captures, with what those capture that it calls."""
    for inner in found.values():
        for parameter, node in inner.shape.defaults.items():
            if type(node).__name__ != "Constant":
                hidden = f"{inner.name} {parameter}"
                inner.defaults[parameter] = hidden
                cx.new_variable(hidden, f"{inner.name}.{parameter}")
    while True:
        changed = False
        for inner in found.values():
            names = {each for each in inner.direct if cx.scope.find(each) is not None}
            for each in inner.direct:
                other = cx.functions.get(each)
                if other is not None:
                    _refuse_two(cx, inner, other, names)
                    names |= {*other.captured, *other.defaults.values()}
            ordered = tuple(sorted(names))
            changed = changed or ordered != inner.captured
            inner.captured = ordered
        if not changed:
            return


def _refuse_two(cx: Context, inner: Inner, other: Inner, names: set[str]) -> None:
    """ScriptError where one name would be that of two captured variables."""
    for name in names.intersection(other.captured):
        if cx.scope.find(_hidden(name)) is not None and cx.functions.get(other.name) is other:
            cx.refuse(inner.node, f"{name!r} is a variable of two functions around this one: give one another name")


def _boxed(body: list[Any]) -> set[str]:
    """The names that functions in a body say `nonlocal` of."""
    inside = [stmt for stmt in statements_of(body) if type(stmt).__name__ in ("FunctionDef", "AsyncFunctionDef")]
    found = [node.names for stmt in inside for node in _nodes(stmt.body) if type(node).__name__ == "Nonlocal"]
    return {name for names in found for name in names}


def _box(cx: Context, names: set[str], parameters: list[tree.Variable], place: tree.Place) -> list[tree.Stmt]:
    """Put the variables of these names into boxes; the statements that make them."""
    made: list[tree.Stmt] = []
    for name in sorted(names):
        variable = cx.scope.names.get(name)
        if variable is None or variable in cx.boxes:
            continue
        first: tree.Expr = tree.Undefined(place)
        if variable in parameters:
            first = tree.Local(place, variable)
            variable = cx.new_variable(name, f"{name}.box")
            cx.bind(variable)
        cx.boxes.add(variable)
        variable.is_assigned = True
        made.append(tree.Assign(place, [tree.TargetLocal(place, variable)], tree.ListOf(place, [first])))
    return made


def _hidden(name: str) -> str:
    return f" outer {name}"


def _captured(cx: Context, name: str) -> tree.Variable:
    """The variable of that name of the function around, or of one around that."""
    found = cx.scope.find(_hidden(name)) or cx.scope.find(name)
    assert found is not None, name
    return found


# -- definitions and calls -------------------------------------------------------------------------------------------


def define(cx: Context, node: Any, inner: Inner) -> list[tree.Stmt]:
    """Read the definition: its defaults are evaluated here."""
    made: list[tree.Stmt] = []
    for parameter, name in inner.defaults.items():
        default = inner.shape.defaults[parameter]
        variable = cx.scope.find(name)
        assert variable is not None
        value = cx.expr(default)
        cx.bind(variable)
        made.append(tree.Assign(cx.place(default), [tree.TargetLocal(cx.place(default), variable)], value))
    cx.bind(inner.variable)
    if inner.script.tree is None:
        try:
            inner.script.tree = _read(cx, inner)
        except ScriptError:
            if not cx.foreign or inner.name[0] == " " or kept.is_kept(cx, inner.node):
                raise
            kept.keep(cx, inner.node)
    return made


def _read(cx: Context, inner: Inner) -> tree.Function:
    """As a function whose last parameters are what it captures."""
    own = Context(cx.source, cx.function, cx.resolve, cx.check, foreign=cx.foreign)
    own.promises = cx.promises
    own.fixed, own.has_structs, own.functions = cx.fixed, cx.has_structs, dict(cx.functions)
    own.keeping, own.code = cx.keeping, inner.code or cx.code
    own.scope.key = kept.key_of(cx, inner.node)
    parameters = [own.new_variable(each, is_parameter=True) for each in (*inner.shape.parameters, *inner.shape.stars)]
    for name in inner.captured:
        # What only functions that it calls see may be called as something of its own is.
        shown = name if name in inner.direct else _hidden(name)
        parameters.append(own.new_variable(shown, name, is_parameter=True))
        _share(own, parameters[-1], cx, _captured(cx, name))
    for each in (*inner.shape.parameters, *inner.shape.stars):
        own.functions.pop(each, None)
    own.bound = frozenset(parameters) | {each.variable for each in cx.functions.values()}
    place = own.place(inner.node)
    if not isinstance(inner.node.body, list):
        body: list[tree.Stmt] = [tree.Return(own.place(inner.node.body), own.expr(inner.node.body))]
    else:
        body = read_body(own, without_docstring(inner.node.body), parameters, inner.code, place)
    cx.constants.update(own.constants)
    cx.called.extend(own.called)
    name = inner.name if inner.code is not None else cx.function.__name__ if inner.name[0] == " " else "<lambda>"
    made = tree.Function(name, cx.source.filename, place, parameters, own.variables, body)
    made.takes_objects = cx.foreign
    return made


def _share(own: Context, parameter: tree.Variable, cx: Context, variable: tree.Variable) -> None:
    """Note of what is captured what is known of the variable itself."""
    own.captured.add(parameter)
    for mine, of_all in ((own.boxes, cx.boxes), (own.cells, cx.cells), (own.finals, cx.finals)):
        if variable in of_all:
            mine.add(parameter)
    if variable in cx.keys:
        own.keys[parameter] = cx.keys[variable]
    else:
        own.keys.pop(parameter, None)


def call(cx: Context, node: Any, inner: Inner) -> tree.Expr:
    """Read a call of one."""
    place = cx.place(node)
    if not cx.is_bound(inner.variable):
        cx.refuse(node.func, f"{inner.name!r} may not be defined here yet: define it before")
    args, order = binding.bind_shape(cx, node, inner.shape, _defaults(cx, node, inner))
    captured: list[tree.Expr] = []
    for name in inner.captured:
        variable = _captured(cx, name)
        if not cx.is_bound(variable):
            cx.refuse(node.func, f"{name!r}, which {inner.name} uses, may not be assigned here yet: assign it before")
        captured.append(tree.Local(place, variable))
    if order:
        order = (*order, *range(len(args), len(args) + len(captured)))
    return tree.Call(place, tree.Callee(script=inner.script), [*args, *captured], order)


def _defaults(cx: Context, node: Any, inner: Inner) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for parameter, default in inner.shape.defaults.items():
        name = inner.defaults.get(parameter)
        if name is None:
            found[parameter] = default.value
            continue
        variable = cx.scope.find(name)
        found[parameter] = variable if variable is not None and cx.is_bound(variable) else object()
    return found


def define_here(cx: Context, name: str, node: Any) -> None:
    """Define a function without parameters that no source has."""
    made = Inner(name, node, None)
    _note_captured(cx, {name: made})
    cx.functions = {**cx.functions, name: made}
    define(cx, node, made)


def call_lambda(cx: Context, node: Any) -> tree.Expr:
    """Read `(lambda x: ...)(y)`."""
    inner = Inner("<lambda>", node.func, None)
    _note_captured(cx, {"<lambda>": inner})
    before = define(cx, node.func, inner)
    if before:
        cx.refuse(node.func, "a lambda that is called at once has literals as defaults here")
    return call(cx, node, inner)
