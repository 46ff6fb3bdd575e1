"""What `inspect_types` prints: the source, and beside each line the types that were found in it.

count(words: list[any]) -> dict[any, int]                                 words.py, line 3

     3  def count(words):
     4      counts = {}                # counts: dict[any, int]: any is put in, line 6
any  5      for word in words:         # word: any
any  6          counts[word] = counts.get(word, 0) + 1
     7      return counts              # -> dict[any, int]

any: decided while it runs, which is slower; annotations of parameters can say more: words
converted when it has changed: words, of Python's own; a jitffi.List never is
"""

from __future__ import annotations

from jitffi.scripts.analysis.by_python import by_python, is_looked_at
from jitffi.scripts.api.dispatch import text_of_parameters
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.types import ANY, Type
from jitffi.scripts.tree.walk import walk_statements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jitffi.base.errors import ScriptError
    from jitffi.scripts.api.script import Script

_MOST = 72  # the column that comments start at, or less
_MOST_OF_CONSTANT = 60
_FOOT = "any: decided while it runs, which is slower"
#: What variables are called that no program has.
_HIDDEN = ("return", "with")
_PYTHON = "py: in part or all done by Python's own objects, as fast as by the interpreter; the other lines are native"


def show(function: tree.Function, others: Iterable[tree.Function] = ()) -> str:
    """The types of a variant, for people; those of functions inside it, which are among the *others*, with it."""
    lines = [_head(function)]
    if not function.source:  # of a function inside, or a lambda, which is shown where it stands
        return lines[0]
    notes, slow = _Notes(function).found
    python = set(by_python(function))
    for each in others:
        if not each.source and each.filename == function.filename and _is_inside(each, function):
            said_there, more = _Notes(each).found
            for line, said in said_there.items():
                notes[line] = list(dict.fromkeys([*notes.get(line, ()), *said]))
            slow |= more
            python.update(by_python(each))
    lines.append("")
    texts = [line.rstrip() for line in function.source]
    noted = [len(text) for i, text in enumerate(texts) if function.place.line + i in notes]
    column = min(max(noted, default=0), _MOST) + 2
    width = len(str(function.place.line + len(texts)))
    indent = min([len(text) - len(text.lstrip()) for text in texts if text.strip()], default=0)
    for i, text in enumerate(texts):
        line = function.place.line + i
        gutter = f"{'py' if line in python else 'any' if line in slow else '':3} {line:{width}}  "
        comment = "; ".join(notes.get(line, ()))
        text = f"{text:{column}}# {comment}" if comment else text
        lines.append((gutter + text[indent:]).rstrip())
    if slow:
        vague = [each.name for each in function.parameters if each.declared is None and _has_any(each.type)]
        vague = [] if function.takes_objects else vague  # where annotations change nothing
        hint = f"; annotations of parameters can say more: {', '.join(vague)}" if vague else ""
        lines += ["", _FOOT + hint]
    if python:
        lines += ["", _PYTHON]
    if function.constants:
        given = ", ".join([f"{name} = {_short(value)}" for name, value in sorted(function.constants.items())])
        lines += ["", f"built in, as it was when this was compiled: {given}"]
    return "\n".join(lines)


def _is_inside(other: tree.Function, function: tree.Function) -> bool:
    return function.place.line <= other.place.line < function.place.line + len(function.source)


def left(script: Script, why: ScriptError) -> str:
    """Why a script is left to the interpreter, with the line that is not compiled."""
    given = script._given
    head = f"{script.__name__}{text_of_parameters(given)}: left to the interpreter"
    code = getattr(given.function, "__code__", None)
    if code is None:
        return f"{head}\n\n{why.msg}\n"
    head = f"{head:{_MOST}}  {code.co_filename}, line {code.co_firstlineno}"
    place = "" if why.filename == code.co_filename else f"{why.filename}, "
    line = f"{why.lineno:>5}  {why.text.strip()}\n" if why.text else ""
    return f"{head}\n\n{line}{place}line {why.lineno}: {why.msg}\n"


def annotated_otherwise(names: list[str]) -> str:
    return f"annotated otherwise, which changes nothing here, as in Python: {', '.join(names)}\n" if names else ""


def conversions(function: tree.Function, nogil: bool) -> str:
    """Which arguments of Python's own are converted for a variant, how often, and what needs no conversion."""
    lines = []
    for once in (False, True):
        found = [each for each in function.parameters if each.type.kind in _NATIVE]
        found = [each for each in found if (each.only_read and not nogil) == once]
        if found:
            when = "converted when it has changed" if once else "converted at each call"
            names = ", ".join([each.name for each in found])
            native = " or ".join(dict.fromkeys([_NATIVE[each.type.kind] for each in found]))
            lines.append(f"{when}: {names}, of Python's own; a {native} never is\n")
    return "".join(lines)


#: What is passed in as it is, by the kind of the parameter.
_NATIVE = {"list": "jitffi.List", "dict": "jitffi.Map", "tuple": "jitffi.Tuple"}


def _head(function: tree.Function) -> str:
    parameters = ", ".join([f"{each.name}: {each.type}" for each in function.parameters])
    head = f"{function.name}({parameters}) -> {function.result}"
    return f"{head:{_MOST}}  {function.filename}, line {function.place.line}"


def _short(value: object) -> str:
    """A constant's repr, or the beginning of it."""
    text = repr(value)
    return text if len(text) <= _MOST_OF_CONSTANT else text[: _MOST_OF_CONSTANT - 3] + "..."


def _has_any(type_: Type) -> bool:
    return type_ == ANY or type_.args is None or any(_has_any(each) for each in type_.args)


class _Notes:
    """The notes of each line, and the lines in which something is of type ANY."""

    def __init__(self, function: tree.Function) -> None:
        self._notes: dict[int, list[str]] = {}
        self._slow: set[int] = set()
        self._tests: set[tree.Expr] = set()
        for each in function.parameters:
            if _has_any(each.type) and each.why:
                self._note(function.place.line, f"{each.name}: {each.type}: {each.why}")
        for stmt in walk_statements(function.body):
            for target in _targets(stmt):
                self._target(target)
            self._tests = set(_conditions(getattr(stmt, "test", None)))
            for node in _parts(stmt):
                self._node(node)
            if isinstance(stmt, tree.Return) and stmt.value is not None:
                self._note(stmt.place.line, f"-> {stmt.value.type}")

    @property
    def found(self) -> tuple[dict[int, list[str]], set[int]]:
        return self._notes, self._slow

    def _note(self, line: int, text: str) -> None:
        notes = self._notes.setdefault(line, [])
        if text not in notes:
            notes.append(text)

    def _target(self, target: tree.Target) -> None:
        if isinstance(target, tree.TargetTuple):
            for each in target.targets:
                self._target(each)
        elif isinstance(target, tree.TargetLocal):
            variable = target.variable
            name = variable.name.partition(".")[0]
            if name in _HIDDEN:
                return
            why = f": {variable.why}" if variable.why and _has_any(variable.type) else ""
            self._note(target.place.line, f"{name}: {variable.type}{why}")
            if variable.type == ANY:
                self._slow.add(target.place.line)

    def _node(self, node: object) -> None:
        if isinstance(node, tree.Clause):
            self._target(node.target)
        elif isinstance(node, tree.Call) and node.callee.script is not None:
            given = ", ".join([str(each) for each in node.callee.variant])
            script = node.callee.script
            name = getattr(getattr(script, "tree", script), "name", "")
            self._note(node.place.line, f"{name}({given}) -> {node.type}")
        decided = isinstance(node, tree.Method) and is_looked_at(node)
        if isinstance(node, tree.Expr) and (node.type == ANY or decided) and node not in self._tests:
            self._slow.add(node.place.line)


def _conditions(test: tree.Expr | None) -> Iterator[tree.Expr]:
    """Those of a test that are no values: it only branches."""
    if isinstance(test, tree.Logic):
        yield test
        for each in test.operands:
            yield from _conditions(each)
    elif isinstance(test, tree.Unary):
        yield from _conditions(test.operand)


def _targets(stmt: tree.Stmt) -> list[tree.Target]:
    if isinstance(stmt, tree.Assign):
        return stmt.targets
    if isinstance(stmt, tries.Titled) and stmt.is_told:
        return []  # the name is a text where it is used, and no variable
    return [stmt.target] if isinstance(stmt, tree.AugAssign | tree.For | tries.Titled) else []


def _parts(node: object) -> Iterator[object]:
    """All nodes in a statement, without the statements in it."""
    for part in vars(node).values():
        for each in part if isinstance(part, list) else part.values() if isinstance(part, dict) else [part]:
            if isinstance(
                each, tree.Expr | tree.Clause | tree.Callee | tree.Field | tree.TargetItem | tree.TargetSlice
            ):
                yield each
                yield from _parts(each)
            elif isinstance(each, tree.TargetTuple):
                yield from _parts(each)
