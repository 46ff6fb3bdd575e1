"""Functions as the reader gives them: what their trees do is what they do."""

from __future__ import annotations

import copy
import copyreg
import importlib
import pickle
import random
import sys
from pathlib import Path
from types import TracebackType
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api.program import Program
from jitffi.scripts.frontend import names, reader, source
from jitffi.scripts.tree import tree, types
from tests.support import script_trees
from tests.support.script_programs import PROGRAMS, Notes, module, outcome


@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_programs(number: int) -> None:
    text, calls = PROGRAMS[number]
    f = module(text, f"<program {number}>")["f"]
    reader.read(f)
    read = reader.read(f, resolve=Program({}))
    for args in calls:
        given = [Notes() if arg == "t" else arg for arg in args]
        expected = outcome(f, copy.deepcopy(given))
        found = outcome(lambda *args: script_trees.call(read, args, f.__defaults__ or ()), copy.deepcopy(given))
        assert repr(found) == repr(expected)


# -- random programs --------------------------------------------------------------------------------------------------


class Writer:
    """Functions that bind and read a few variables on many ways, and always end."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.loops = 0

    def name(self) -> str:
        return self.random.choice("abcd")

    def expression(self, depth: int = 2) -> str:
        if depth == 0 or self.random.random() < 0.3:
            return self.random.choice([*"abcdab", "0", "1", "x"])
        e, f, n = self.expression(depth - 1), self.expression(depth - 1), self.name()
        return self.random.choice(
            [
                f"({e} + {f})", f"({e} < {f} < {self.expression(0)})", f"({e} and {f})", f"({e} or {f})", f"(not {e})",
                f"({e} if {f} else {self.expression(0)})", f"sum([{n} + {e} for {n} in range(2)])",
                f"sum([{f} for {n} in range(x) for {self.name()} in [{n}, 1] if {n} != {e}])",
                f"len(f'{{{n}}}{{{self.name()}!r:>3}}')",
                f"len({{{n}: {e} for {n} in [{f}, 1]}})", f"max({e}, {f}, key=lambda {n}: -{n})", f"g(y={e}, z=t({f}))",
                f"sorted([{e}, {f}, 1], key=lambda {n}: {n} % 2 + {self.name()}, reverse={e > f})[0]",
                f"max({e}, {f}, 1, key=lambda {n}: {n} & {self.expression(0)})",
                f"min([{e}, 2], key=lambda {n}: t({n}))",
                f"t({e})", f"({e}, {f})[x > 1]", f"[{e}, {f}][-1]", f"g({f})",
            ]
        )  # fmt: skip

    def block(self, depth: int, indent: str, in_loop: bool) -> str:
        count = self.random.randint(1, 3)
        return "".join(self.statement(depth, indent, in_loop) for _ in range(count))

    def statement(self, depth: int, indent: str, in_loop: bool) -> str:
        inner = indent + "    "
        kinds = ["=", "=", "=", "+=", "unpack", "expr", "chain"] + ["if", "while", "for", "true"] * (depth > 0)
        kind = self.random.choice(kinds + ["break", "continue"] * in_loop + ["return", "raise", "assert"] * (depth < 2))
        n, e = self.name(), self.expression()
        other = lambda: f"{indent}else:\n{self.block(depth - 1, inner, in_loop)}" * self.random.randint(0, 1)  # noqa: E731
        if kind == "if":
            return f"{indent}if {e}:\n{self.block(depth - 1, inner, in_loop)}{other()}"
        if kind == "for":
            over = self.random.choice(["range(x)", f"[{e}, {n}]", "range(2)", f"range({self.random.choice('01')})"])
            return f"{indent}for {n} in {over}:\n{self.block(depth - 1, inner, True)}{other()}"
        if kind in ("while", "true"):
            self.loops += 1
            w = f"w{self.loops}"
            test = "True" if kind == "true" else e
            body = f"{inner}{w} += 1\n{inner}if {w} > 3: break\n{self.block(depth - 1, inner, True)}"
            return f"{indent}{w} = 0\n{indent}while {test}:\n{body}{other()}"
        lines = {
            "=": f"{n} = {e}", "+=": f"{n} += {e}", "unpack": f"{n}, *{self.name()}x, {self.name()} = {e}, {n}, 1",
            "chain": f"{n} = {self.name()} = {e}", "expr": e, "return": f"return {e}, {n}",
            "raise": f"raise ValueError({e})", "assert": f"assert {e}, {n}",
        }  # fmt: skip
        return f"{indent}{lines.get(kind, kind)}\n"

    def program(self) -> str:
        body = self.block(3, "    ", False) + self.block(3, "    ", False)
        # All four are variables of the function, on whatever way they are bound.
        return f"def f(x, t, a):\n    if x < 2: b = c = d = 1\n{body}    return a, b, c, d\ndef g(y, z=1): return y\n"


@pytest.mark.parametrize("seed", range(200))
def test_random_programs(seed: int) -> None:
    text = Writer(seed).program()
    f = module(text, f"<random {seed}>")["f"]
    read = reader.read(f, resolve=Program({}))
    for x in (0, 1, 3):
        given = [x, Notes(), 1]
        expected = outcome(f, copy.deepcopy(given))
        found = outcome(lambda *args: script_trees.call(read, args, f.__defaults__ or ()), copy.deepcopy(given))
        assert repr(found) == repr(expected), text


# -- names ------------------------------------------------------------------------------------------------------------


def calls(function: tree.Function) -> list[tree.Call]:
    """The calls among the expressions of its statements, in their order."""
    found: list[tree.Call] = []

    def walk(node: Any) -> None:
        if isinstance(node, tree.Call):
            found.append(node)
        if isinstance(node, list):
            for each in node:
                walk(each)
        elif isinstance(node, (tree.Expr, tree.Stmt, tree.Clause, tree.Field)):
            for each in vars(node).values():
                walk(each)

    walk(function.body)
    return found


def test_a_name_is_looked_up_when_code_is_made() -> None:
    space = module("def f(x):\n    return later(x, y=2)\n", "<later>")
    reader.read(space["f"])  # nothing is called so, yet
    with pytest.raises(jitffi.ScriptError, match="name 'later' is not defined"):
        reader.read(space["f"], resolve=Program({}))
    space["later"] = module("def later(x, z=0, y=1): return x, z, y", "<later 1>")["later"]
    assert script_trees.call(reader.read(space["f"], resolve=Program({})), [5]) == (5, 0, 2)
    space["later"] = module("def later(y, x): return x - y", "<later 2>")["later"]
    reader.read(space["f"])
    with pytest.raises(jitffi.ScriptError, match=r"later\(\) gets two values for its parameter 'y'"):
        reader.read(space["f"], resolve=Program({}))


def test_at_decoration_its_own_name_is_the_function() -> None:
    space = module("def f(x):\n    return f(x, 1)\n", "<own 1>")
    old = space["f"]
    with pytest.raises(jitffi.ScriptError, match=r"f\(\) takes 1 argument but 2 are given"):
        reader.read(old)
    new = module("def f(x, y):\n    return f(x, y) if x else y\n", "<own 2>")
    f, new["f"] = new["f"], old
    reader.read(f)


def test_scripts_are_asked_for_by_their_functions() -> None:
    asked = []

    class Resolver:
        def script(self, function: Any) -> Any:
            asked.append(function)
            return function.__name__

    space = module("def f(x): return g(x) + f(x)\ndef g(x): return sorted(x, key=h)\ndef h(x): return x", "<asked>")
    read = reader.read(space["f"], resolve=Resolver())
    assert asked == [space["g"], space["f"]]
    assert [each.callee.script for each in calls(read)] == ["g", "f"]
    (returned,) = reader.read(space["g"], resolve=Resolver()).body
    assert returned.value.key.script == "h"  # type: ignore[attr-defined]


def test_functions_of_the_function_around() -> None:
    text = """
def g():
    def f(n):
        return 1 if n < 2 else n * f(n - 1) + h(n)
    def h(n): return 0
    return f
f = g()
"""
    assert script_trees.call(reader.read(module(text, "<around>")["f"], resolve=Program({})), [4]) == 24


def test_functions_of_jitffi() -> None:
    libm = jitffi.load_library("libm.so.6")
    space = module("def f(x, y): return power(x, y), hypot(y=x, x=y), named(x)", "<native>")
    space["power"] = libm.bind("pow", "(f64, f64) -> f64")
    space["hypot"] = libm.bind("hypot", "(x: f64, y: f64 = 4.0) -> f64")
    space["named"] = libm.bind("hypot", "(x: f64, y: f64 = 4.0) -> f64")
    read = reader.read(space["f"], resolve=Program({}))
    assert [each.callee.native for each in calls(read)] == [
        jitffi.Function(space[name]) for name in ("power", "hypot", "named")
    ]
    assert [[getattr(arg, "value", None) or arg.variable.name for arg in each.args] for each in calls(read)] == [  # type: ignore[attr-defined]
        ["x", "y"], ["y", "x"], ["x", 4.0],
    ]  # fmt: skip
    space["power"] = libm.bind("pow", "(f64, f64) -> f64")
    for text in ("def f(x): return power(x)", "def f(x): return power(x, y=x)", "def f(x): return power(x, x, x)"):
        g = module(text, f"<{text}>")["f"]
        g.__globals__["power"] = space["power"]
        with pytest.raises(jitffi.ScriptError, match=r"pow\(\) (needs|has no|takes)"):
            reader.read(g)


@pytest.mark.parametrize("head", ["import jitffi as j", "from jitffi import get_global_func"])
def test_global_functions(head: str) -> None:
    called = "j.get_global_func" if "as j" in head else "get_global_func"
    f = module(f"{head}\ndef f(x):\n    return {called}('demo.add')(x, 1)", f"<{head}>")["f"]
    (call,) = calls(reader.read(f))
    assert (call.callee.global_name, call.callee.value, len(call.args)) == ("demo.add", None, 2)


def test_names_outside() -> None:
    text = """
A = 1
def g(n):
    def f(x):
        y: Words = x
        return [len(z.lower()) + A for z in y if h(n)]
    return f
f = g(2)
"""
    f = module(text, "<outside>")["f"]
    assert set(names.global_names(f)) >= {"A", "len", "h", "n"}
    assert names.global_names(f) == tuple(sorted(names.global_names(f)))
    assert [names.outside(f, name) for name in ("A", "len", "n", "h")] == [1, len, 2, names.MISSING]


def test_constants() -> None:
    assert [names.is_constant_name(name) for name in ("A", "_A1", "A_B", "a", "Ab", "_")] == [True] * 3 + [False] * 3
    for value in (None, True, 1, 1.5, "a", b"a", (), (1, ("a", None))):
        assert names.is_constant(value)
    for value in ([], {}, (1, []), frozenset(), 1j, ..., len, type("S", (str,), {})("a")):
        assert not names.is_constant(value)


# -- what is said about variables -------------------------------------------------------------------------------------


def test_variables() -> None:
    text = """def f(a, b=1):
    c = a
    a = [x for x in c for y in [x for x in x]]
    for d in a: c += d
    return d"""
    read = reader.read(module(text, "<variables>")["f"])
    assert [each.name for each in read.variables] == ["a", "b", "c", "d", "x.1", "y.1", "x.2"]
    assert [each.is_parameter for each in read.variables] == [True, True] + [False] * 5
    assert [each.is_assigned for each in read.variables] == [True, False] + [True] * 5
    assert [each.maybe_unbound for each in read.variables] == [False] * 3 + [True] + [False] * 3
    assert (read.name, read.filename, read.place.line, read.place.column) == ("f", "<variables>", 1, 0)
    assert read.source == text.split("\n")


A, L = types.ANY, types.list_of
ANNOTATIONS = {
    "int": types.INT, "float": types.FLOAT, "bool": types.BOOL, "str": types.STR, "bytes": types.BYTES,
    "None": types.NONE, "list": L(A), "list[int]": L(types.INT), "dict": types.dict_of(A, A),
    "dict[str, list[float]]": types.dict_of(types.STR, L(types.FLOAT)), "tuple": types.TUPLE,
    "tuple[int, str]": types.tuple_of(types.INT, types.STR), "tuple[int, ...]": types.TUPLE,
    "tuple[()]": types.tuple_of(),
    "Any": A, "object": A, "typing.Any": A, "List[int]": L(types.INT), "List": L(A),
    "Dict[str, int]": types.dict_of(types.STR, types.INT), "Tuple[int, str]": types.tuple_of(types.INT, types.STR),
    "Optional[int]": A, "Union[int, str]": A, "int | None": A, "Callable": types.FUNC,
    "Callable[[int], str]": types.FUNC,
    "collections.abc.Callable[..., int]": types.FUNC, "Iterable[str]": A, "Mapping[str, int]": A, "Sequence": A,
    "jitffi.i64": types.INT, "jitffi.f64": types.FLOAT, "jitffi.List": L(A), "jitffi.Map": types.dict_of(A, A),
    "jitffi.Tuple": types.TUPLE, "jitffi.String": types.STR, "jitffi.Function": types.FUNC, "'int'": types.INT,
    "'list[Words]'": L(L(types.STR)), "Words": L(types.STR), "list['int']": L(types.INT),
    "List['Words']": L(L(types.STR)),
    "NewT": types.INT, "T": A, "Annotated[int, 'x']": types.INT, "Annotated[int, 'in [0, 1]']": types.INT,
    "Literal['a', 'b']": A,
}  # fmt: skip
HEAD = """
import collections.abc
import typing
from typing import Annotated, Any, Callable, Dict, Iterable, List, Literal
from typing import Mapping, Optional, Sequence, Tuple, TypeVar, Union
from typing import NewType
T = TypeVar("T")
NewT = NewType("NewT", int)
Words = list[str]
"""


@pytest.mark.parametrize("future", ["", "from __future__ import annotations\n"])
@pytest.mark.parametrize("text", ANNOTATIONS)
def test_annotations(text: str, future: str) -> None:
    source_text = f"{future}{HEAD}def f(a: {text}, b) -> {text}:\n    c: {text} = a\n    b: {text} = c\n    return b\n"
    read = reader.read(module(source_text, f"<{text}{future}>")["f"])
    expected = None if ANNOTATIONS[text] == A else ANNOTATIONS[text]  # what can be anything promises nothing
    assert read.declared_result == expected
    # A parameter's own annotation alone says what is passed.
    assert [each.declared for each in read.variables] == [expected, None, expected]


# -- sources ----------------------------------------------------------------------------------------------------------


def test_positions_are_the_files() -> None:
    text = """def same(f): return f
def other(n): return same
# ä
if True:

    @same
    @other(
        1)
    def f(x):
        'é'; return 'ö𝄞', x.lower(
            )
"""
    read = reader.read(module(text, "<positions>")["f"])
    assert (read.place.line, read.place.column, read.source[0]) == (9, 4, "    def f(x):")
    (returned,) = read.body
    place = returned.value.items[1].place  # type: ignore[attr-defined]
    assert (place.line, place.column, place.end_line, place.end_column) == (10, 26, 11, 13)


@pytest.mark.parametrize(
    "content",
    [
        b"def f(x):\n    return x, 'ab'",
        b"\n\n#\ndef f(x):\n\n    return x, 'ab'\n\n\n# end\nprint\n",
        b"\xef\xbb\xbfdef f(x):\n    return x, 'ab'\n",
        b"def f(x):\r\n    return x, 'ab'\r\n# x\r\n",
        b"def f(x):\r    return x, 'ab'\r",
        b"# \x0c\n\x0cdef f(x):\n\x0c    return x, 'ab'\n",
        b"if 1:\n\tdef f(x):\n\t\treturn x, 'ab'\n\telse_ = 1\nelse:\n\tpass\n",
        b"def f(x): return x, 'ab'\ndef g(x): return x\n",
        b"def f(x): \\\n return x, 'ab'\n",
        b"def f(x):\n    return (\nx,\n# c\n'ab'\n)\n",
    ],
)
def test_files(content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file_of_script.py").write_bytes(content)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "file_of_script", raising=False)
    importlib.invalidate_caches()
    f = importlib.import_module("file_of_script").f
    assert script_trees.call(reader.read(f), [1]) == (1, "ab")


def test_an_encoding_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes("# -*- coding: latin-1 -*-\ndef f(x): return x, 'é'\n".encode("latin-1"))
    space: dict[str, Any] = {}
    exec(compile(path.read_bytes(), str(path), "exec"), space)
    assert script_trees.call(reader.read(space["f"]), [1]) == (1, "é")


def test_many_lines_that_look_like_the_end() -> None:
    text = "def f(x):\n    s = '''\n" + "word\n" * 50 + "'''\n    return s.count('word') + x\nx = 1\n"
    read = reader.read(module(text, "<long>")["f"])
    assert script_trees.call(read, [1]) == 51
    assert len(source.of(module(text, "<long>")["f"]).lines) == 54


def test_from_an_archive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import zipfile

    path = tmp_path / "scripts.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("zipped_script.py", "def f(x):\n    return x + 1\n")
    monkeypatch.syspath_prepend(str(path))
    monkeypatch.delitem(sys.modules, "zipped_script", raising=False)
    f = importlib.import_module("zipped_script").f
    assert script_trees.call(reader.read(f), [1]) == 2


def test_digest() -> None:
    text = "Words = list[str]\ndef f(x):\n    y: Words = x\n    return y\n"

    def digest(text: str) -> bytes:
        return source.digest(module(text, "<digest>")["f"])

    found = digest(text)
    assert len(found) == 16
    assert digest(text) == digest(text + "# more\n\nz = 1\n") == found
    others = [
        digest(text.replace("return y", "return  y")),
        digest("\n" + text),
        digest(text.replace("list[str]", "list[int]")),
        digest(text.replace("    return", "    # comment\n    return")),
    ]
    assert len({found, *others}) == 5


@pytest.mark.parametrize("by_tblib", [False, True])
def test_an_error_can_be_pickled(by_tblib: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    if by_tblib:  # which Dask lets pickle all errors
        support = pytest.importorskip("tblib.pickling_support")
        monkeypatch.setitem(copyreg.dispatch_table, jitffi.ScriptError, support.pickle_exception)
        monkeypatch.setitem(copyreg.dispatch_table, TracebackType, support.pickle_traceback)
    with pytest.raises(jitffi.ScriptError) as caught:
        reader.read(module("def f(x): return x @ x", "<pickled>")["f"])
    again = pickle.loads(pickle.dumps(caught.value))
    assert type(again) is jitffi.ScriptError
    assert vars(again) == vars(caught.value)
    assert (again.msg, again.lineno, again.offset, again.text) == (
        caught.value.msg, 1, 18, "def f(x): return x @ x",
    )  # fmt: skip
