"""Runs functions in CPython with a check around each expression: is what it gives of the type that inference promises?

Types are found by place. A place that has types in several variants must have a value of one of them.
"""

from __future__ import annotations

import ast
import inspect
import textwrap

from jitffi.scripts.analysis import infer
from jitffi.scripts.api.program import Program
from jitffi.scripts.tree import tree
from jitffi.scripts.tree import types as t

_VIRTUAL = (
    type({}.keys()),
    type({}.values()),
    type({}.items()),
    range,
    zip,
    enumerate,
    reversed,
    type(reversed([])),
    type(reversed({})),
)


def conforms(value, type_):
    """Whether a value is of the type, and what is in it, too."""
    kind = type_.kind
    if kind == "any":
        return True
    if kind == "char":
        return type(value) is str and len(value) == 1
    if kind in ("list", "vector"):
        return type(value) is list and all(conforms(each, type_.args[0]) for each in value)
    if kind == "dict":
        key, item = type_.args
        return type(value) is dict and all(conforms(k, key) and conforms(v, item) for k, v in value.items())
    if kind == "tuple":
        if type(value) is not tuple or type_.args is None:
            return type(value) is tuple
        return len(value) == len(type_.args) and all(map(conforms, value, type_.args))
    if kind == "func":
        return callable(value)
    classes = {"int": int, "float": float, "bool": bool, "none": type(None), "str": str, "bytes": bytes}
    return kind in classes and type(value) is classes[kind]


def type_of(value):
    """The type that an argument has for a variant, as a caller outside of scripts passes it."""
    if callable(value):
        return t.FUNC
    if isinstance(value, tuple):
        return t.TUPLE
    found = {int: t.INT, float: t.FLOAT, bool: t.BOOL, type(None): t.NONE, str: t.STR, bytes: t.BYTES}
    found[list], found[dict] = t.list_of(t.ANY), t.dict_of(t.ANY, t.ANY)
    return found[type(value)]


def _nodes(part):
    if isinstance(part, tree.Expr):
        yield part
    if isinstance(part, tree.Place | tree.Variable | t.Type | type(None) | str | int):
        return
    if hasattr(part, "__dict__") and type(part).__module__ == tree.__name__:
        for name, each in vars(part).items():
            if name not in ("script", "native"):
                yield from _nodes(each)
    elif isinstance(part, list | tuple):
        for each in part:
            yield from _nodes(each)
    elif isinstance(part, dict):
        yield from _nodes(list(part.values()))


class _Wrap(ast.NodeTransformer):
    """Puts `__check(value, place)` around each expression that is read."""

    def generic_visit(self, node):
        super().generic_visit(node)
        plain = isinstance(node, ast.expr) and not isinstance(node, ast.Starred | ast.JoinedStr | ast.Lambda)
        if not plain or not isinstance(getattr(node, "ctx", ast.Load()), ast.Load):
            return node
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        call = ast.Call(ast.Name("__check", ast.Load()), [node, ast.Constant(place)], [])
        return ast.copy_location(call, node)

    def visit_Call(self, node):
        # Not what is called: a name or a method.
        node.args = [self.visit(each) for each in node.args]
        for each in node.keywords:
            if each.arg != "key":
                each.value = self.visit(each.value)
            elif isinstance(each.value, ast.Lambda):
                each.value.body = self.visit(each.value.body)
        if isinstance(node.func, ast.Attribute):
            node.func.value = self.visit(node.func.value)
        if isinstance(node.func, ast.Name) and node.func.id in ("isinstance", "print"):
            return node
        place = (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)
        return ast.copy_location(ast.Call(ast.Name("__check", ast.Load()), [node, ast.Constant(place)], []), node)

    def visit_JoinedStr(self, node):
        return node

    def visit_arguments(self, node):
        return node

    def visit_AnnAssign(self, node):
        node.value = node.value and self.visit(node.value)
        return node


class Checked:
    """A function, and what it calls, as CPython runs it; `lies` are the broken promises."""

    def __init__(self, function, others=()):
        self.scripts = Program({})
        self.function = function
        self.others = [function, *others]
        self.lies = []
        self.types = {}
        self.programs = {}
        self.places = set()
        self.space = dict(function.__globals__, __check=self._check)
        for each in self.others:
            lines, first = inspect.getsourcelines(each)
            module = ast.parse(textwrap.dedent("".join(lines)))
            ast.increment_lineno(module, first - 1)
            module.body[0].decorator_list = []
            module = ast.fix_missing_locations(_Wrap().visit(module))
            exec(compile(module, each.__code__.co_filename, "exec"), self.space)

    def infer(self, *types):
        if types not in self.programs:
            self.programs[types] = infer.infer_program(self.scripts.script(self.function), types, lambda s: s.tree)
        return self.programs[types]

    def _check(self, value, place):
        for type_ in self.types.get(place, ()):
            if conforms(value, type_):
                break
        else:
            if place in self.types and not isinstance(value, _VIRTUAL):
                self.lies.append((place, repr(value)[:80], [str(each) for each in self.types[place]]))
        return value

    def __call__(self, *args, types=None):
        """The result in CPython, or the exception; AssertionError for a broken promise."""
        program = self.infer(*(types or [type_of(arg) for arg in args]))
        self.types = {}
        for typed in program.values():
            for node in _nodes(typed.body):
                p = node.place
                key = (p.line, p.column, p.end_line, p.end_column)
                self.types.setdefault(key, []).append(node.type)
        try:
            result = self.space[self.function.__name__](*args)
        except Exception as error:  # the programs may fail, as long as they do not lie
            result = error
        else:
            first = next(iter(program.values()))
            if not conforms(result, first.result):
                self.lies.append(("result", repr(result), str(first.result)))
        assert not self.lies, self.lies
        return result
