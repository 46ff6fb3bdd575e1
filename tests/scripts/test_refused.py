"""What scripts do not have: each construct of Python is refused at its line and column, with what to write instead.

A case is a module's text with the culprit in «», and words that its message must have.
"""

from __future__ import annotations

import ast
import linecache
import sys
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import jitffi
from jitffi.scripts.api.program import Program
from jitffi.scripts.frontend import context, names, reader, refusals

# The modules that register the readers.
assert reader

SINCE = {"TypeAlias": (3, 12), "TemplateStr": (3, 14), "Interpolation": (3, 14)}
HAS_FSTRING_POSITIONS = sys.version_info >= (3, 12)

#: By the class of the node that is refused, or a few words.
CASES: dict[str, list[tuple[str, str]]] = {
    "FunctionDef": [
        ("def f(x):\n    «def g(y)»:\n        return y\n    return g", "write a def of the module"),
        ("def f(x):\n    def g(y):\n        yield y\n    return «g»(x)", "do not keep or pass on g"),
        ("def f(x):\n    if x:\n        def g(y): return y\n    return «g»(x)", "may not be defined here yet"),
        ("def f(x):\n    def g(y): return y + z\n    «g»(x)\n    z = 1", "'z', which g uses, may not be assigned"),
    ],
    "AsyncFunctionDef": [
        ("def f(x):\n    «async def g(y)»:\n        return y", "write a def of the module"),
        ("«async def f(x):»\n    return x", "write a plain def"),
    ],
    "ClassDef": [("def f(x):\n    «class A»: pass\n    return x", "tuples or dicts")],
    "TemplateStr": [("def f(x):\n    return «t'{x}!'»", "write an f-string")],
    "TryStar": [("def f(x):\n    «try»:\n        return x\n    except* ValueError:\n        pass", "test before")],
    "with": [("def f(x):\n    «with x»:\n        pass", "open and close in the caller")],
    "Match": [("def f(x):\n    match x:\n        case «object()»: return 2", "patterns of scripts have the classes")],
    "Global": [("n = 0\ndef f(x):\n    «global n»\n    n = x", "pass the value as a parameter")],
    "Nonlocal": [
        ("def g():\n    n = 0\n    def f(x):\n        «nonlocal n»\n        n = x\n    return f\nf = g()", "pass"),
    ],
    "Import": [("def f(x):\n    «import re»\n    return x", "at the top of the module")],
    "ImportFrom": [("def f(x):\n    «from re import sub»\n    return x", "at the top of the module")],
    "TypeAlias": [("def f(x):\n    «type A = int»\n    return x", "at the top of the module")],
    "Lambda": [
        ("def f(x):\n    g = «lambda y: y»\n    return [g]", "write a def"),
        ("def f(x):\n    return map_(x, «lambda y: y»)\ndef map_(x, y): return x", "sorted, min, max and list.sort"),
        ("def f(x):\n    x.sort(key=lambda a: a + «x»[0])", "write items[:] = sorted(items, key=...)"),
        ("def f(x):\n    return sorted(x, key=«lambda a, b=1: a»)", "one parameter"),
        ("def f(x):\n    return sorted(x, key=«lambda *a: a»)", "one parameter"),
        ("def f(x):\n    return sorted(x, key=lambda a: x(a), reverse=«x»)", "write reverse=True or False"),
        ("def f(x):\n    return max(x, key=«lambda a, b: x(a)»)", "one parameter"),
    ],
    "Yield": [
        ("def f(x):\n    «yield x»", "return a list"),
        ("def f(x):\n    y = «yield»\n    return y", "return a list"),
    ],
    "YieldFrom": [("def f(x):\n    «yield from x»", "return a list")],
    "GeneratorExp": [
        ("def f(x):\n    return «(y for y in x)»", "write a list comprehension, with [ and ]"),
        ("def f(x):\n    y = «(y for y in x)»\n    return sum(y)", "for what goes through them at once"),
        ("def f(x):\n    return max(«(y for y in x)», 1)", "write a list comprehension"),
    ],
    "NamedExpr": [("def f(x):\n    x += («x := 1»)", "assign to it before")],
    "Starred": [
        ("def f(x):\n    print(«*x»)", "write the arguments out"),
    ],
    "keyword **": [
        ("def f(x):\n    print(**«x»)", "write the arguments out"),
    ],
    "Attribute": [
        ("def f(x):\n    return «x.shape»[0]", "write len(x), and len(x[0]) for the next dimension"),
        ("def f(x):\n    return «x.name»", "write .name(...), or use a dict or a tuple"),
        ("def f(x):\n    «x.name» = 1", "use a dict"),
        ("def f(x):\n    «x.name» += 1", "use a dict"),
        ("def f(x):\n    del «x.name»", "use a dict"),
        ("def f(x):\n    for «x.name» in x: pass", "use a dict"),
        ("import math\ndef f(x):\n    return «math.pi» * x", "write `PI = math.pi` at the top of the module"),
        ("import math\ndef f(x):\n    return «math.sqrt»(x)", "pass math.sqrt as a parameter"),
        ("def f(x):\n    return «f.__name__»", "pass f.__name__ as a parameter"),
        ("def f(x):\n    return «str.lower»()", "write x.lower(...)"),
        ("def f(x):\n    return dict.fromkeys(x, «[]»)", "assign it before"),
        ("def f(x):\n    return «str.maketrans»(x)", "use a dict"),
    ],
    "operators": [
        ("def f(x):\n    return «x @ x»", "write loops"),
        ("def f(x):\n    «x @= x»", "write loops"),
        ("def f(x):\n    return «'%s' % x»", "write an f-string"),
        ("def f(x):\n    return «b'%d' % (x, 1)»", "write an f-string"),
    ],
    "slices": [
        ("def f(x):\n    return x[«1:2», 3]", "items[start:stop] for each"),
        ("def f(x):\n    x[0, «1:2»] = 3", "items[start:stop] for each"),
    ],
    "literals": [
        ("def f(x):\n    return x + «1j»", "use two floats"),
        ("def f(x):\n    «...»", "write pass"),
        ("def f(x):\n    return x[«...»]", "write pass, or None"),
        ("def f(x):\n    return x + «18446744073709551616»", "use a float, or two ints"),
        ("def f(x):\n    return x + «-9223372036854775809»", "use a float, or two ints"),
        ("def f(x):\n    return x & «(1 << 64) + 1»", "use a float, or two ints"),
        ("def f(x, y=«2**64»):\n    return x", "use a float, or two ints"),
        ("BIG = 1 << 64\ndef f(x):\n    return x & «BIG»", "use a float, or two ints"),
    ],
    "parameters": [
        ("def f(x, y=«[]»):\n    return 1", "write None, and make the list in the script"),
        ("def f(x, *, y=«{}»):\n    return 1", "make the dict in the script"),
        ("def f(x: int, y: str = «None»):\n    return y", "write y: str | None"),
        ("def f(x, y: 'list[str]' = «None», z=1):\n    return y", "its type is list[str]: write y: list[str] | None"),
    ],
    "annotations": [
        ("def f(x: «complex»):\n    return 1", "write int, float"),
        ("def f(x) -> «frozenset[int]»:\n    return 1", "no type for the annotation frozenset[int]"),
        ("def f(x):\n    y: «Unknown» = x\n    return y", "name 'Unknown' is not defined"),
        ("def f(x):\n    y: «jitffi.i32» = x\n    return y", "write int"),
        ("def f(x):\n    y: «print(1)» = x\n    return y", "annotations of scripts are types"),
        ("def f(x):\n    y: int = x\n    y: «str» = x\n    return y", "give it one type"),
        ("def f(x):\n    «x[0]»: int = 1", "write it without one"),
        ("from __future__ import annotations\ndef f(x: «Unknown»):\n    return 1", "name 'Unknown' is not defined"),
        ("def f(x: «'list[Unknown]'»):\n    return 1", "name 'Unknown' is not defined"),
    ],
    "except": [
        ("def f(x):\n    try:\n        x()\n    except «x»:\n        pass", "write except ValueError"),
        ("def f(x):\n    try:\n        x()\n    «except ValueError as error»:\n        pass", "without `as`"),
    ],
    "raise": [
        ("def f(x):\n    raise ValueError('a') from «None»", "raise the exception alone"),
        ("def f(x):\n    raise «x»", "write raise ValueError('...')"),
        ("def f(x):\n    raise «ValueError('a', 1)»", "write ValueError('...')"),
        ("class MyError(Exception): pass\ndef f(x):\n    raise «MyError»('a')", "write ValueError"),
        ("def f(x):\n    raise «UnicodeDecodeError»('a')", "write ValueError"),
        ("def f(x):\n    raise «ValueErr»('a')", "did you mean 'ValueError'?"),
    ],
    "names": [
        ("word = 'a'\ndef f(x):\n    return x + «word»", "pass 'word' as a parameter, or name it WORD"),
        ("WORDS = ['a']\ndef f(x):\n    return x in «WORDS»", "pass 'WORDS', of type list, as a parameter"),
        ("words = ['a']\ndef f(x):\n    return «words».index(x)", "pass 'words' as a parameter"),
        ("def f(text):\n    return «txt»", "did you mean 'text'?"),
        ("def f(text):\n    return «txt».lower()", "did you mean 'text'?"),
        ("def f(x):\n    return «len»", "call len"),
        ("def g(x): return x\ndef f(x):\n    return «g»", "take a callable as a parameter"),
        ("def f(x):\n    return [x, «f»]", "take a callable as a parameter"),
        ("def g(n):\n    def f(x):\n        return x + «n»\n    return f\nf = g(1)", "no closures: 'n'"),
        ("def f(x):\n    return [z for z in x for y in «w» for w in z]", "put that one first"),
        ("def f(x):\n    return «__name__»", "pass '__name__' as a parameter"),
    ],
    "calls": [
        ("def f(x):\n    return «frozenset»(x)", "use a set"),
        ("def f(x):\n    return list(map(«f(x)», x))", "assign it to a variable before"),
        ("def f(x):\n    return list(map(«lambda y, z: y», x))", "a parameter for each iterable"),
        ("def f(x):\n    return «next(x)»", "for the first item"),
        ("def f(x):\n    return «type»(x) is int", "write isinstance(x, int)"),
        ("def f(x):\n    return «open»(x)", "read in the caller"),
        ("from collections import Counter\ndef f(x):\n    return «Counter»(x)", "d[key] = d.get(key, 0) + 1"),
        ("from math import sqrt\ndef f(x):\n    return «sqrt»(x)", "pass sqrt"),
        ("def f(x):\n    return «range(x)»", "write list(range(...))"),
        ("def f(x):\n    return x in «range(3)»", "write list(range(...))"),
        ("def f(x):\n    for a in [«zip(x, x)»]: pass", "write list(zip(...))"),
        ("def f(x):\n    return x.«format»(1)", "write an f-string"),
        ("def f(x):\n    return x.«uper»()", "did you mean 'upper'?"),
        ("def f(x):\n    return x.strip().«frobnicate»()", "those of str, bytes, list, tuple, set and dict"),
        ("def f(x):\n    return «x.upper(1)»", "takes no arguments, and 1 is given"),
        ("def f(x):\n    return «x.replace('a')»", "takes 2 to 3 arguments, and 1 is given"),
        ("def f(x):\n    return x.find(sub=«'a'»)", "pass it by position"),
        ("def f(x):\n    return x.split(seperator=«','»)", "it has sep, maxsplit"),
        ("def f(x):\n    return «x.split(',', sep=',')»", "split() takes 0 to 2 arguments, and 2 are given"),
        ("def f(x):\n    «x.sort(len)»", "write key=..."),
        ("def f(x):\n    x.sort(cmp=«1»)", "it has key, reverse"),
        ("def f(x):\n    return «len(x, x)»", "len() takes 1 argument, and 2 are given"),
        ("def f(x):\n    return «len()»", "len() takes 1 argument, and 0 are given"),
        ("def f(x):\n    print(x, file=«x»)", "it has end, sep"),
        ("def f(x):\n    return sorted(x, reversed=«True»)", "it has key, reverse"),
        ("def f(x):\n    return round(x, number=«1»)", "two values for its parameter 'number'"),
        ("def f(x):\n    return «pow(1, mod=2)»", "needs an argument for its parameter 'exp'"),
        ("def f(x):\n    return isinstance(x, «f»)", "knows the classes"),
        ("def f(x):\n    return «isinstance(x)»", "a class or a tuple of classes"),
        ("def f(x, g):\n    return g(x, by=«1»)", "pass it by position"),
        ("def f(x):\n    return «f(x, x)»", "f() takes 1 argument but 2 are given"),
        ("def f(x):\n    return «f()»", "f() needs an argument for its parameter 'x'"),
        ("def f(x):\n    return f(x, y=«1»)", "f() has no parameter 'y'"),
        ("def f(x):\n    return «g(x)»\ndef g(x, y=[]): return x", "pass an argument for it"),
        ("def f(x, /):\n    return f(x=«1»)", "f() has no parameter 'x'"),
        ("def g(x, y): return x\ndef f(x):\n    return g(«*x»)", "write them out"),
        ("def g(x, **y): return x\ndef f(x):\n    return g(1, **«x»)", "write them out"),
        ("def f(x):\n    return f(x, x=«1»)", "two values for its parameter 'x'"),
        ("import jitffi\ndef f(x):\n    g = «jitffi.get_global_func('a')»", "get_global_func('name')(...)"),
        ("import jitffi\ndef f(x):\n    return «jitffi.get_global_func(x)»(1)", "as a str literal"),
    ],
    "f-strings": [
        ("def f(x):\n    return f'a{«(y for y in x)»}'", "list comprehension"),
        ("def f(x):\n    return f'é{«x.name»:>{x}}'", "write .name(...)"),
        ("def f(x):\n    return f'{x:>{«x.name»}}'", "write .name(...)"),
    ],
    "columns": [
        ("def f(x):\n    return 'äöü€𝄞', «frozenset»(x)", "use a set"),
        ("def f(x):\n\treturn «frozenset»(x)", "use a set"),
        ("if True:\n    def f(x):\n        return '''\nö''', «frozenset»(x)", "use a set"),
        ("class A:\n    «def f(self): return 1»\nf = A.f", "move it out of the class A"),
        ("«f = lambda x: x»", "write a def"),
    ],
}  # fmt: skip
# `await`, `async for` and `async with` can only stand in what is refused for being async itself.
ONLY_ASYNC = {"Await", "AsyncFor", "AsyncWith"}
#: Read with the node around them.
PARTS = {"Slice", "FormattedValue"}


def cases() -> list[Any]:
    return [
        pytest.param(text, words, id=f"{kind}-{number}")
        for kind, each in CASES.items()
        if sys.version_info >= SINCE.get(kind, (3, 11))
        for number, (text, words) in enumerate(each)
    ]


def run(text: str, name: str) -> Any:
    """The function f of a module of that text."""
    linecache.cache[name] = (len(text), None, text.splitlines(True), name)
    namespace: dict[str, Any] = {"jitffi": jitffi, "__name__": "demo"}
    exec(compile(text, name, "exec", dont_inherit=True), namespace)
    return namespace["f"]


@pytest.mark.parametrize("text, words", cases())
def test_refused(text: str, words: str, request: pytest.FixtureRequest) -> None:
    start, end = text.index("«"), text.index("»") - 1
    clean = text.replace("«", "").replace("»", "")
    line = clean.count("\n", 0, start) + 1
    first = clean.rfind("\n", 0, start) + 1
    name = f"<{request.node.name}>"
    f = run(clean, name)
    with pytest.raises(jitffi.ScriptError) as caught:
        reader.read(f)
        reader.read(f, resolve=Program({}))  # what other functions are like is known when code is made
    error = caught.value
    assert words in error.msg
    assert (error.filename, error.lineno, error.text) == (name, line, clean.splitlines()[line - 1])
    if "f'" in text.splitlines()[line - 1] and not HAS_FSTRING_POSITIONS:
        # All that is in an f-string stands where the f-string stands.
        start = clean.index("f'")
        end = clean.rindex("'") + 1
    assert error.offset == start - first + 1
    assert (error.end_lineno, error.end_offset) == (line, end - first + 1)


def test_every_node_of_python_is_read_or_refused() -> None:
    known = context.supported()
    rows = {**refusals.STATEMENTS, **refusals.EXPRESSIONS}
    found = set()
    for base in (ast.stmt, ast.expr):
        for cls in base.__subclasses__():
            name = cls.__name__
            if name in PARTS or "deprecated" in (cls.__doc__ or "").lower():
                continue
            found.add(name)
            assert (name in known) != (name in rows), name
    newer = {name for name, version in SINCE.items() if sys.version_info < version}
    assert set(rows) - newer <= found


@pytest.mark.parametrize("name", sorted({*refusals.STATEMENTS, *refusals.EXPRESSIONS} - ONLY_ASYNC - {"Interpolation"}))
def test_every_refused_node_has_a_case(name: str) -> None:
    if sys.version_info < SINCE.get(name, (3, 11)):
        pytest.skip("not in this Python")
    texts = [text.replace("«", "").replace("»", "") for text, _ in CASES[name]]
    assert any(type(node).__name__ == name for text in texts for node in ast.walk(ast.parse(text)))


def test_operators_are_read_or_refused() -> None:
    from jitffi.scripts.frontend import expressions

    for table, base in (
        (expressions._BINARY, ast.operator),
        (expressions._UNARY, ast.unaryop),
        (expressions._COMPARE, ast.cmpop),
    ):
        assert {cls.__name__ for cls in base.__subclasses__()} - {"MatMult"} == set(table)


def test_every_builtin_is_known() -> None:
    import builtins

    from jitffi.scripts.library.builtins import ROWS

    for name, value in vars(builtins).items():
        if callable(value) and name not in names.EXCEPTIONS:
            site = name in (
                "exit",
                "quit",
                "copyright",
                "credits",
                "license",
                "_",
                "__build_class__",
                "__loader__",
                "__lazy_import__",
            )
            lazy = name in ("map", "filter")
            assert site or lazy or (name in ROWS) != (name in refusals.BUILTINS), name


# -- what users see ---------------------------------------------------------------------------------------------------


def function_of(body: str, name: str) -> Callable[..., Any]:
    return run(f"def f(x):\n{body}", name)  # type: ignore[no-any-return]


def test_it_prints_as_a_syntax_error_does() -> None:
    with pytest.raises(jitffi.ScriptError) as caught:
        reader.read(function_of("    y = 1\n    return y is frozenset(x)", "<shown>"))
    error = caught.value
    assert isinstance(error, SyntaxError)
    message = "scripts have no frozenset: use a set"
    assert str(error) == f"{message} (<shown>, line 3)"
    shown = "".join(traceback.format_exception_only(error))
    assert shown == (
        '  File "<shown>", line 3\n    return y is frozenset(x)\n                ^^^^^^^^^\n'
        f"jitffi.ScriptError: {message}\n"
    )


def test_no_source() -> None:
    namespace: dict[str, Any] = {}
    exec("def f(x): return x", namespace)
    with pytest.raises(jitffi.ScriptError, match="f has no source text: .* write it into a file") as caught:
        reader.read(namespace["f"])
    assert caught.value.filename == "<string>"


def test_a_file_that_has_changed() -> None:
    f = function_of("    return x", "<changed>")
    for text in (
        "",
        "x = 1\n",
        "def g(x):\n    return x\n",
        "def f(y):\n    return x\n",
        "def f(x:\n",
        "class f: pass\n",
    ):
        linecache.cache["<changed>"] = (len(text), None, text.splitlines(True), "<changed>")
        with pytest.raises(jitffi.ScriptError, match="f (is not in its file any more|has no source text)"):
            reader.read(f)


def of_sets(x: Any) -> Any:
    return frozenset(x)


def between(x: Any) -> Any:
    return of_sets(x)


def by_key(x: Any) -> Any:
    return sorted(x, key=of_sets)


def count(x: Any) -> Any:
    return frozenset(x)


def calls_the_method(x: Any) -> Any:
    return x.count("a")


def test_what_a_script_calls_is_refused_with_it() -> None:
    for _ in range(2):
        for calls in (between, by_key):
            with pytest.raises(jitffi.ScriptError, match="scripts have no frozenset") as caught:
                jitffi.script(calls, strict=True)
            assert (caught.value.filename, caught.value.text) == (__file__, "    return frozenset(x)")
    assert jitffi.script(calls_the_method)("banana") == 3
