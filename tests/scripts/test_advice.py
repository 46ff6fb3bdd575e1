"""Each refusal says what to write instead: that is accepted, and gives what Python gives for what was refused.

A case is what is refused, and what one writes who follows the advice: the text of a function `f` each, with what stands
around it. Arguments are those of both, unless the advice is to pass something.
"""

from __future__ import annotations

# ruff: noqa: E501
import collections
import copy
import inspect
import io
import itertools
import linecache
import math
import sys
from typing import Any

import pytest

import jitffi
from jitffi.scripts.frontend import refusals

TEXT, NUMBERS, PAIRS = "to be or not", [3, 1, 2, 1], {"a": 1, "b": 2}


class Case:
    def __init__(self, refused: str, followed: str, *args: Any, more: tuple[Any, ...] = (), wanted: Any = ...) -> None:
        self.refused, self.followed, self.args = refused, followed, args
        #: What the advice says to pass, behind the arguments.
        self.more = more
        #: The result, where Python cannot give it.
        self.wanted = wanted


def body(refused: str, followed: str, *args: Any, wanted: Any = ...) -> Case:
    """Of functions of `x`, by what they return or, in several lines, do."""
    made = [f"def f(x):\n    {'' if chr(10) in each else 'return '}{each}\n" for each in (refused, followed)]
    return Case(*made, *args, wanted=wanted)


DEF = "def double(y):\n    return y * 2\n"
STATEMENTS = {
    "AsyncFunctionDef": Case(
        "def f(x):\n    async def g():\n        return x\n    return 8\n",
        f"{DEF}def f(x):\n    return double(x)\n",
        4,
    ),
    "ClassDef": body("class A: pass\n    return (x, 1)", "(x, 1)", 4),
    "TryStar": body(
        "try:\n        return int(x)\n    except* ValueError:\n        pass\n    return 0", "int(x) if x.isdigit() else 0", "n"
    ),
    "AsyncWith": Case("async def f(x):\n    async with x:\n        pass\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "AsyncFor": Case("async def f(x):\n    async for y in x: pass\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "Global": Case("n = 1\ndef f(x):\n    global n\n    n += x\n    return n\n", "def f(n, x):\n    return n + x\n", wanted=3, more=(1, 2)),
    "TypeAlias": Case(
        "def f(x):\n    type A = int\n    y: A = x\n    return y\n", "type A = int\ndef f(x):\n    y: A = x\n    return y\n", 3
    ),
}  # fmt: skip
EXPRESSIONS = {
    "Lambda": Case(
        "def f(x):\n    g = lambda y: y * 2\n    return [g][0](x)\n", f"{DEF}def f(x):\n    return double(x)\n", 4
    ),
    "Await": Case("async def f(x):\n    return await x\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "Yield": body("for y in x:\n        yield y * 2", "found = []\n    for y in x:\n        found.append(y * 2)\n    return found", NUMBERS),
    "YieldFrom": body("yield from x\n    ", "list(x)", NUMBERS),
    "Starred": Case("def f(x):\n    print(*x)\n    return x\n", "def f(x):\n    for y in x:\n        print(y, end=' ')\n    return x\n", NUMBERS),
    "TemplateStr": Case("def f(x):\n    return t'{x}'\n", "def f(x):\n    return f'{x}'\n", wanted="3", more=(3,)),
    "Interpolation": Case("def f(x):\n    return t'{x}'\n", "def f(x):\n    return f'{x}'\n", wanted="3", more=(3,)),
}  # fmt: skip
LITERALS = {
    "complex": Case("def f(x):\n    return x + 1j\n", "def f(x):\n    return x, 1.0\n", wanted=(2.0, 1.0), more=(2.0,)),
    "ellipsis": body("...\n    return x", "pass\n    return x", 2),
}
BUILTINS = {
    "frozenset": body("[frozenset(x)] == [3]", "[set(x)] == [3]", NUMBERS),
    "iter": body("[y for y in iter(x)]", "found = []\n    for y in x:\n        found.append(y)\n    return found", NUMBERS),
    "type": body("type(x) is int", "isinstance(x, int)", 3),
    "input": Case("def f():\n    return input().upper()\n", "def f(x):\n    return x.upper()\n", wanted="A", more=("a",)),
    "open": Case("def f(x):\n    return len(open(x).read())\n", "def f(x):\n    return len(x)\n", wanted=1, more=("a",)),
    "bytearray": body("bytes(bytearray([1, x]))", "items = [1]\n    items.append(x)\n    return bytes(items)", 3),
    "memoryview": body("bytes(memoryview(x)[1:])", "x[1:]", b"abc"),
    "complex": Case("def f(x):\n    return complex(x, 2.0)\n", "def f(x):\n    return x, 2.0\n", wanted=(1.0, 2.0), more=(1.0,)),
    "slice": body("x[slice(1, 3)]", "x[1:3]", NUMBERS),
    "callable": Case("def f(x):\n    return x(3) if callable(x) else 0\n", "def f(x):\n    return x(3)\n", abs),
    "id": body("id(x) == id(None)", "x is None", None),
    "object": body("y = object()\n    return y is x", "y = None\n    return y is x", 3),
    "frozendict": Case("def f(x):\n    return frozendict(x)['a']\n", "def f(x):\n    return dict(x)['a']\n", PAIRS),
    "sentinel": Case("def f(x):\n    y = sentinel('y')\n    return y is x\n", "def f(x):\n    y = None\n    return y is x\n", 3),
    "super": Case("def f(x):\n    return super().f(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "property": Case("def f(x):\n    return property(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "staticmethod": Case("def f(x):\n    return staticmethod(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "classmethod": Case("def f(x):\n    return classmethod(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "getattr": body("getattr(x, 'upper')()", "x.upper()", "a"),
    "setattr": Case("def f(x):\n    setattr(x, 'a', 1)\n", "def f(x):\n    x['a'] = 1\n    return x['a']\n", wanted=1, more=({},)),
    "hasattr": body("hasattr(x, 'upper')", "isinstance(x, str)", "a"),
    "delattr": Case("def f(x):\n    delattr(x, 'a')\n", "def f(x):\n    del x['a']\n    return len(x)\n", wanted=0, more=({"a": 1},)),
    "issubclass": body("issubclass(type(x), int)", "isinstance(x, int)", 3),
    "eval": body("eval('x + 1')", "x + 1", 3),
    "exec": body("exec('pass')\n    return x", "pass\n    return x", 3),
    "compile": Case("def f(x):\n    return compile(x, '', 'eval')\n", "def f(x):\n    return 1 + 1\n", wanted=2, more=("",)),
    "globals": Case("n = 2\ndef f(x):\n    return globals()['n'] + x\n", "def f(x, n):\n    return n + x\n", 3, more=(2,)),
    "locals": body("locals()['x']", "names = {'x': x}\n    return names['x']", 3),
    "vars": body("vars()['x']", "names = {'x': x}\n    return names['x']", 3),
    "dir": body("dir()", "names = {'x': x}\n    return list(names)", 3),
    "aiter": Case("def f(x):\n    return aiter(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "anext": Case("def f(x):\n    return anext(x)\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "breakpoint": Case("def f(x):\n    breakpoint()\n    return x\n", "def f(x):\n    print(x, end='')\n    return x\n", wanted=1, more=(1,)),
    "help": Case("def f(x):\n    help()\n    return x\n", "def f(x):\n    return x\n", wanted=1, more=(1,)),
    "__import__": Case("def f(x):\n    return __import__('colorsys').rgb_to_yiq(x, x, x)\n", "from colorsys import rgb_to_yiq\ndef f(x):\n    return rgb_to_yiq(x, x, x)\n", 0.5),
}  # fmt: skip
METHODS = {
    "format": body("'{} {:>4}'.format(x, x)", "f'{x} {x:>4}'", 3),
    "format_map": body("'{a}'.format_map(x)", "f'{x[\"a\"]}'".replace('"', "'") if sys.version_info >= (3, 12) else 'y = x["a"]\n    return f"{y}"', PAIRS),
    "translate": body("x.translate({97: 'b'})", "table = {'a': 'b'}\n    return ''.join([table.get(c, c) for c in x])", "banana"),
    "maketrans": body("x.translate(x.maketrans('a', 'b'))", "table = {'a': 'b'}\n    return ''.join([table.get(c, c) for c in x])", "banana"),
    "fromkeys": body("x.fromkeys('ab', 1)", "{key: 1 for key in 'ab'}", PAIRS),
    "fromhex": body("x.fromhex('0aff')", "text = '0aff'\n    return bytes([int(text[i:i + 2], 16) for i in range(0, len(text), 2)])", b""),
    "from_bytes": body("x.from_bytes(b'ab', 'big')", "n = 0\n    for byte in b'ab':\n        n = n << 8 | byte\n    return n", 0),
    "most_common": Case("def f(x):\n    return x.most_common()\n", "def f(x):\n    d = {}\n    for key in x:\n        d[key] = d.get(key, 0) + 1\n    return sorted(d.items(), key=lambda item: -item[1])\n", wanted=[("a", 3), ("n", 2), ("b", 1)], more=("banana",)),
    "read": Case("def f(x):\n    return x.read().upper()\n", "def f(x):\n    return x.upper()\n", wanted="A", more=("a",)),
    "readline": Case("def f(x):\n    return x.readline().upper()\n", "def f(x):\n    return x.upper()\n", wanted="A", more=("a",)),
    "readlines": Case("def f(x):\n    return len(x.readlines())\n", "def f(x):\n    return len(x)\n", wanted=1, more=(["a"],)),
    "write": Case("def f(x):\n    x.write('a')\n", "def f():\n    return 'a'\n", wanted="a"),
    "send": Case("def f(x):\n    return x.send(1)\n", "def f(x):\n    for y in x:\n        return y\n", wanted=3, more=([3],)),
    "match": Case("def f(x):\n    return x.match('to ')\n", "def f(x):\n    return x.startswith('to ')\n", wanted=True, more=(TEXT,)),
    "search": Case("def f(x):\n    return x.search('or')\n", "def f(x):\n    return x.find('or') >= 0\n", wanted=True, more=(TEXT,)),
    "findall": Case("def f(x):\n    return x.findall('o')\n", "def f(x):\n    n, at = 0, x.find('o')\n    while at >= 0:\n        n, at = n + 1, x.find('o', at + 1)\n    return n\n", wanted=3, more=(TEXT,)),
    "sub": Case("def f(x):\n    return x.sub('o', '0')\n", "def f(x):\n    return x.replace('o', '0')\n", wanted='t0 be 0r n0t', more=(TEXT,)),
}  # fmt: skip
CLASS_METHODS = {
    "str.maketrans": Case("def f(x):\n    return str.maketrans(x)\n", "def f(x):\n    return ''.join([x.get(c, c) for c in 'foo'])\n", wanted="f00", more=({"o": "0"},)),
    "bytes.maketrans": Case("def f(x):\n    return bytes.maketrans(x, b'b')\n", "def f(x):\n    return bytes([x.get(c, c) for c in b'banana'])\n", wanted=b"bbnbnb", more=({97: 98},)),
    "bytes.fromhex": body("bytes.fromhex(x)", "bytes([int(x[i:i + 2], 16) for i in range(0, len(x), 2)])", "0aff"),
    "float.fromhex": Case("def f(x):\n    return float.fromhex('0x1p3') + x\n", "def f(x, y):\n    return y + x\n", 1.0, more=(8.0,)),
}  # fmt: skip
COUNTED = "def f(x):\n    d = {}\n    for key in x:\n        d[key] = d.get(key, 0) + 1\n    return d\n"
JOINED = "def f(x):\n    parts = []\n    for word in x:\n        parts.append(word + ';')\n    return ''.join(parts)\n"
FLAT = "def f(x):\n    found = []\n    for y in x:\n        found.append(y)\n    for y in x:\n        found.append(y)\n    return found\n"
CLASSES = {
    "collections.Counter": Case("from collections import Counter\ndef f(x):\n    return Counter(x)\n", COUNTED, TEXT),
    "collections.defaultdict": Case(
        "import collections\ndef f(x):\n    d = collections.defaultdict(list)\n    for y in x: d[y].append(y)\n    return d\n",
        "def f(x):\n    d = {}\n    for y in x:\n        d.setdefault(y, []).append(y)\n    return d\n",
        TEXT,
    ),
    "collections.OrderedDict": Case("from collections import OrderedDict\ndef f(x):\n    return list(OrderedDict(x))\n", "def f(x):\n    return list(dict(x))\n", PAIRS),
    "collections.deque": Case("from collections import deque\ndef f(x):\n    d = deque(x)\n    return d.popleft()\n", "def f(x):\n    d = list(x)\n    return d.pop(0)\n", NUMBERS),
    "collections.ChainMap": Case("from collections import ChainMap\ndef f(x):\n    return ChainMap(x, {'c': 3})['c']\n", "def f(x):\n    d = {'c': 3}\n    d.update(x)\n    return d['c']\n", PAIRS),
    "io.StringIO": Case("from io import StringIO\ndef f(x):\n    out = StringIO()\n    for word in x: out.write(word + ';')\n    return out.getvalue()\n", JOINED, ["a", "b"]),
    "io.BytesIO": Case("from io import BytesIO\ndef f(x):\n    out = BytesIO()\n    out.write(x)\n    return out.getvalue()\n", "def f(x):\n    parts = []\n    parts.append(x)\n    return b''.join(parts)\n", b"ab"),
    "array.array": Case("from array import array\ndef f(x):\n    return list(array('q', x))\n", "def f(x):\n    return list(x)\n", NUMBERS),
    "itertools.chain": Case("import itertools\ndef f(x):\n    return list(itertools.chain(x, x))\n", FLAT, NUMBERS),
    "itertools.count": Case("from itertools import count\ndef f(x):\n    for n in count():\n        if n * n > x: return n\n", "def f(x):\n    n = 0\n    while n * n <= x:\n        n = n + 1\n    return n\n", 50),
    "itertools.product": Case("from itertools import product\ndef f(x):\n    return [a * b for a, b in product(x, x)]\n", "def f(x):\n    return [a * b for a in x for b in x]\n", NUMBERS),
}  # fmt: skip
#: Those that no table has: by a few words of the message.
OTHERS = {
    "pass math.ceil as a parameter, and call that": Case("import math\ndef f(x):\n    return math.ceil(x)\n", "def f(x, ceil):\n    return ceil(x)\n", 2.5, more=(math.ceil,)),
    "pass ceil, a builtin_function_or_method, as a parameter": Case("from math import ceil\ndef f(x):\n    return ceil(x)\n", "def f(x, ceil):\n    return ceil(x)\n", 2.5, more=(math.ceil,)),
    "write `PI = math.pi` at the top of the module, and PI here": Case("import math\ndef f(x):\n    return math.pi * x\n", "import math\nPI = math.pi\ndef f(x):\n    return PI * x\n", 2.5),
    "write `SEP = os.path.sep`": Case("import os.path\ndef f(x):\n    return os.path.sep + x\n", "import os.path\nSEP = os.path.sep\ndef f(x):\n    return SEP + x\n", "a"),
    "write `from colorsys import rgb_to_yiq` at the top": Case("import colorsys\ndef f(x):\n    return colorsys.rgb_to_yiq(x, x, x)\n", "from colorsys import rgb_to_yiq\ndef f(x):\n    return rgb_to_yiq(x, x, x)\n", 0.5),
    "loads of json cannot be compiled along (scripts raise built-in exceptions): pass loads as a parameter": Case("from json import loads\ndef f(x):\n    return loads(x)\n", "def f(x, loads):\n    return loads(x)\n", "[1, 2]", more=(__import__("json").loads,)),
    "json.loads cannot be compiled along (scripts raise built-in exceptions): pass json.loads as a parameter": Case("import json\ndef f(x):\n    return json.loads(x)\n", "def f(x, loads):\n    return loads(x)\n", "[1, 2]", more=(__import__("json").loads,)),
    "os.path.join cannot be compiled along": Case("import os\ndef f(x):\n    return os.path.join(x, x)\n", "def f(x, join):\n    return join(x, x)\n", "a", more=(__import__("os").path.join,)),
    "pass loads as a parameter, and call that": Case("from json import loads\ndef f(x):\n    return sorted(x, key=loads)\n", "def f(x, loads):\n    return sorted(x, key=loads)\n", ["2", "1"], more=(__import__("json").loads,)),
    "call Decimal in the caller, and pass what it gives": Case("from decimal import Decimal\ndef f(x):\n    return str(Decimal(x))\n", "def f(x):\n    return str(x)\n", wanted="1.50", more=(__import__("decimal").Decimal("1.50"),)),
    "pass sys.version_info.major as a parameter": Case("import sys\ndef f(x):\n    return sys.version_info.major + x\n", "def f(x, major):\n    return major + x\n", 1, more=(sys.version_info.major,)),
    "pass Colour.RED as a parameter": Case("import enum\nclass Colour(enum.Enum):\n    RED = 1\ndef f(x):\n    return x == Colour.RED\n", "def f(x, red):\n    return x == red\n", 1, more=(None,)),
    "pass 'most' as a parameter, or name it MOST": Case("most = 3\ndef f(x):\n    return x + most\n", "MOST = 3\ndef f(x):\n    return x + MOST\n", 1),
    "pass 'LIST', of type list, as a parameter": Case("LIST = [3]\ndef f(x):\n    return x + LIST[0]\n", "def f(x, items):\n    return x + items[0]\n", 1, more=([3],)),
    "'n' is a variable of the function around, pass it as a parameter": Case("def g(n):\n    def f(x):\n        return x + n\n    return f\nf = g(2)\n", "def f(x, n):\n    return x + n\n", 1, more=(2,)),
    "call double, or take a callable as a parameter": Case(f"{DEF}def f(x):\n    g = double\n    return g(x)\n", f"{DEF}def f(x):\n    return double(x)\n", 1),
    "write list(range(...))": body("y = range(x)\n    return list(y)", "y = list(range(x))\n    return y", 3),
    "write isinstance(x, int)": body("type(x) == int", "isinstance(x, int)", 3),
    "write an f-string": body("'%d items' % x", "f'{x} items'", 3),
    "write the arguments out": body("max(*x)", "max(x)", NUMBERS),
    "write reverse=True or False": Case("def f(x, y):\n    d = {1: 2}\n    return sorted(x, key=lambda a: d.get(a, a), reverse=y)\n", "def f(x, y):\n    d = {1: 2}\n    return sorted(x, key=lambda a: d.get(a, a), reverse=True)\n", NUMBERS, True),
    "write items[:] = sorted(items, key=...)": body("d = {1: 9}\n    x.sort(key=lambda a: d.get(a, a))\n    return x", "d = {1: 9}\n    x[:] = sorted(x, key=lambda a: d.get(a, a))\n    return x", NUMBERS),
    "write key=... or reverse=True": Case("def f(x):\n    x.sort(abs)\n    return x\n", "def f(x):\n    x.sort(key=abs)\n    return x\n", wanted=[1, -2], more=([-2, 1],)),
    "write items[start:stop] for each": Case("def f(x):\n    return x[0:1, 2]\n", "def f(x):\n    return x[0:1], x[2]\n", wanted=([3], 2), more=(NUMBERS,)),
    "write ValueError instead of": Case("def f(x):\n    if x: raise UnicodeDecodeError('utf-8', b'', 0, 1, '')\n    return x\n", "def f(x):\n    if x: raise ValueError('')\n    return x\n", 0),
    "write ValueError('...')": Case("def f(x):\n    if x: raise ValueError('a', 1)\n    return x\n", "def f(x):\n    if x: raise ValueError('a')\n    return x\n", 0),
    "write raise ValueError('...')": Case("def f(x):\n    if x: raise x\n    return x\n", "def f(x):\n    if x: raise ValueError('again')\n    return x\n", 0),
    "raise the exception alone": Case("def f(x):\n    if x: raise ValueError('a') from None\n    return x\n", "def f(x):\n    if x: raise ValueError('a')\n    return x\n", 0),
    "write x: int | None": Case("def f(x: int = None):\n    return x\n", "def f(x: int | None = None):\n    return x\n", 3),
    "write None, and make the list in the script": Case("def f(x, y=[]):\n    return y + [x]\n", "def f(x, y=None):\n    if y is None:\n        y = []\n    return y + [x]\n", 3),
    "write loops over lists": Case("def f(x):\n    return x @ x\n", "def f(x):\n    return sum([a * b for a, b in zip(x, x)])\n", wanted=15, more=(NUMBERS,)),
    "import at the top of the module": Case("def f(x):\n    import colorsys\n    return colorsys.rgb_to_yiq(x, x, x)\n", "from colorsys import rgb_to_yiq\ndef f(x):\n    return rgb_to_yiq(x, x, x)\n", 0.5),
    "use a float, or two ints": body("float(2 ** 70 + 9223372036854775808) * x", "(2.0 ** 70 + 9223372036854775808.0) * x", 2.0),
}  # fmt: skip


def function_of(source: str, name: str) -> Any:
    filename = f"<advice {name}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    space: dict[str, Any] = {}
    exec(compile(source, filename, "exec"), space)
    return space["f"]


def plain(value: Any) -> Any:
    value = list(value) if inspect.isgenerator(value) else value
    return value.to_python() if hasattr(value, "to_python") else value


#: Statements and expressions that are refused where Python's objects are.
PYTHONS = ({**refusals.PYTHONS}, {"Lambda": refusals.PYTHONS["Lambda"]})
del PYTHONS[0]["Lambda"]
TABLES = {
    "STATEMENTS": (STATEMENTS, refusals.STATEMENTS | PYTHONS[0]),
    "EXPRESSIONS": (EXPRESSIONS, refusals.EXPRESSIONS | PYTHONS[1]),
    "LITERALS": (LITERALS, refusals.LITERALS), "BUILTINS": (BUILTINS, refusals.BUILTINS),
    "METHODS": (METHODS, refusals.METHODS), "CLASS_METHODS": (CLASS_METHODS, refusals.CLASS_METHODS),
    "CLASSES": (CLASSES, refusals.CLASSES),
}  # fmt: skip
SINCE = {
    "frozendict": (3, 15),
    "sentinel": (3, 15),
    "TypeAlias": (3, 12),
    "TemplateStr": (3, 14),
    "Interpolation": (3, 14),
}
#: Never reached: what is around it is refused before; and another name of the same.
INSIDE = ("Await", "AsyncWith", "AsyncFor", "Interpolation")


def cases() -> list[Any]:
    found = [
        pytest.param(case, name if name in INSIDE else words[name], name, id=f"{table}-{name}")
        for table, (rows, words) in TABLES.items()
        for name, case in rows.items()
        if name in words
    ]
    return found + [pytest.param(case, words, "", id=f"others-{words[:30]}") for words, case in OTHERS.items()]


@pytest.mark.parametrize(("case", "words", "name"), cases())
def test_advice_leads_to_what_python_gives(case: Case, words: str, name: str, capsys: Any) -> None:
    if sys.version_info < SINCE.get(name, ()):
        pytest.skip("not in this version of Python")
    refused = function_of(case.refused, "refused")
    with pytest.raises(jitffi.ScriptError) as caught:
        jitffi.script(refused, strict=True)
    if name not in INSIDE:
        assert words in str(caught.value)
    assert caught.value.filename == "<advice refused>"
    wanted = plain(refused(*copy.deepcopy(case.args))) if case.wanted is ... else case.wanted
    followed = jitffi.script(function_of(case.followed, "followed"))
    assert plain(followed(*copy.deepcopy(case.args), *case.more)) == wanted


@pytest.mark.parametrize("table", TABLES)
def test_all_advice_is_followed(table: str) -> None:
    rows, words = TABLES[table]
    same = {"_io.StringIO", "_io.BytesIO"}
    later = {"frozendict", "sentinel"}
    assert set(words) - same - later == set(rows) - later


def test_classes_are_found_by_their_names() -> None:
    import array

    known = (
        collections.Counter, collections.defaultdict, collections.OrderedDict, collections.deque, collections.ChainMap,
        io.StringIO, io.BytesIO, array.array, itertools.chain, itertools.count, itertools.product,
    )  # fmt: skip
    for each in known:
        assert f"{each.__module__}.{each.__qualname__}" in refusals.CLASSES, each


MOST = 3


def limited(x):
    return x + MOST


def test_constants_of_the_module_are_built_in_and_shown() -> None:
    script = jitffi.script(limited)
    assert script(1) == 4
    assert script.inspect_types().endswith("\n\nbuilt in, as it was when this was compiled: MOST = 3\n")
