"""Random values of many kinds, and which kinds fit a parameter of some name. Equal random numbers make equal values."""

from __future__ import annotations

import ast
import collections
import datetime
import decimal
import email.message
import fractions
import io
import re
import types
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from random import Random

_WORDS = (
    "a", "to", "be", "or", "not", "key", "value", "x", "name", "text", "utf-8", "ascii", "Mon", "GET", "/", "a/b.txt",
    "..", "http://x.org/a?b=c#d", "you@x.org", "12", "3.5", "-7", "0x1f", "1e3", "", " ", "\n", "naïve", "日本", "A",
    "%20",
    "%s", "&amp;", "<b>", "a=b", "a: b", "*.py", "[a-z]+", "(x)", "--help", "-v", "2024-02-29", "12:30:45", "rw",
    "strict", "é", "\U0001f600",
)  # fmt: skip
_SOURCES = (
    "x = 1\n",
    "def f(a, b=2):\n    return a + b\n",
    "for i in x: print(i)\n",
    "if x\n",
    "'a' 'b'\n",
    "(1,\n2)\n",
)


def _int(rng: Random) -> int:
    return rng.choice(
        (0, 1, 2, 3, 5, 7, 8, 10, 16, 60, 255, 2024, -1, -2, -5, rng.randint(-300, 300), rng.randint(0, 50))
    )


def _text(rng: Random) -> str:
    if rng.random() < 0.5:
        return rng.choice(_WORDS)
    return rng.choice(("", " ", ",", "\n", "&", ";", "=")).join(rng.choices(_WORDS, k=rng.randint(0, 6)))


def _bytes(rng: Random) -> bytes:
    if rng.random() < 0.3:
        return bytes(rng.choices(range(256), k=rng.randint(0, 20)))
    return _text(rng).encode()


def _scalar(rng: Random) -> Any:
    return rng.choice((_int, _text, _float, _int, _text, _bytes, _none, _bool))(rng)


def _float(rng: Random) -> float:
    return rng.choice((0.0, 1.0, 0.5, -0.25, 2.5, 1e10, rng.uniform(-10, 10), rng.random(), float("inf")))


def _none(rng: Random) -> None:
    return None


def _bool(rng: Random) -> bool:
    return rng.random() < 0.5


def _list_of(kind: Callable[[Random], Any]) -> Callable[[Random], list[Any]]:
    return lambda rng: [kind(rng) for _ in range(rng.randint(0, 6))]


def _pairs(rng: Random) -> list[tuple[str, Any]]:
    return [(_text(rng), _scalar(rng)) for _ in range(rng.randint(0, 4))]


def _nested(rng: Random) -> Any:
    return [_scalar(rng), [_int(rng), (_text(rng),)], {_text(rng): _int(rng), "a": [_none(rng)]}]


class Record:
    """An object with attributes of the names that functions ask for most."""

    def __init__(self, rng: Random) -> None:
        self.name, self.value, self.text, self.args = _text(rng), _int(rng), _text(rng), (_int(rng),)

    def __repr__(self) -> str:
        return f"Record({sorted(vars(self).items())})"

    def method(self, x: Any = 1) -> Any:
        return x


def _message(rng: Random) -> email.message.Message:
    made = email.message.Message()
    made["Subject"], made["To"] = rng.choice(("to be", "naive")), "you@x.org"
    made.set_payload("text\n" * rng.randint(0, 3))
    return made


def _tree(rng: Random) -> ast.AST:
    return ast.parse(rng.choice(("x = 1", "f(a, *b)", "[i for i in x]", "-1", "{'a': (1, 2.5)}")))


def _expression(rng: Random) -> ast.AST:
    return ast.parse(rng.choice(("x", "-1", "{'a': (1, 2.5)}", "'t' + x")), mode="eval")


def _date(rng: Random) -> Any:
    day = datetime.datetime(
        rng.choice((1970, 2000, 2024)), rng.randint(1, 12), rng.randint(1, 28), rng.randint(0, 23), 30
    )
    return rng.choice((day, day.date(), day.replace(tzinfo=datetime.UTC), day.time(), day.timetuple()))


def _function(rng: Random) -> Any:
    return rng.choice(
        (_none, _text, Record.method, Record, len, str, repr, int, lambda x: x, lambda *a, **k: (a, k), sorted)
    )


def _class(rng: Random) -> Any:
    own = type("Own", (Record,), {"__module__": __name__})  # decorators of classes change what they are given
    return rng.choice((int, str, list, dict, own, ValueError, collections.OrderedDict, type, object, datetime.date))


def _object(rng: Random) -> Any:
    return rng.choice((Record, _message, _date, _number, _tree, _reader, _exception, _code, _match, _pattern, _deque))(
        rng
    )


def _reader(rng: Random) -> Any:
    return io.StringIO(_text(rng)) if rng.random() < 0.6 else io.BytesIO(_bytes(rng))


def _exception(rng: Random) -> BaseException:
    return rng.choice((ValueError, KeyError, OSError))(_text(rng))


def _code(rng: Random) -> types.CodeType:
    return compile(rng.choice([each for each in _SOURCES if each != "if x\n"]), "<survey>", "exec")


def _match(rng: Random) -> Any:
    return re.search(r"(\w)(\w*)", rng.choice(("to be", "x y", "naïve")))


def _pattern(rng: Random) -> re.Pattern[str]:
    return re.compile(rng.choice((r"\w+", "[a-c]", "x|y", "(a)(b)?")))


def _number(rng: Random) -> Any:
    return rng.choice((fractions.Fraction(_int(rng), 7), decimal.Decimal(_int(rng)) / 8, complex(1, _int(rng))))


def _deque(rng: Random) -> Any:
    return rng.choice((collections.deque, collections.Counter, collections.OrderedDict.fromkeys))(_list_of(_text)(rng))


def _module(rng: Random) -> types.ModuleType:
    return rng.choice((re, collections, io))


KINDS: dict[str, Callable[[Random], Any]] = {
    "int": _int, "text": _text, "bytes": _bytes, "float": _float, "none": _none, "bool": _bool, "ints": _list_of(_int),
    "texts": _list_of(_text), "floats": _list_of(_float), "lists": _list_of(_list_of(_int)),
    "scalars": _list_of(_scalar),
    "pairs": _pairs, "nested": _nested, "dict": lambda rng: dict(_pairs(rng)),
    "counts": lambda rng: {_text(rng): _int(rng) for _ in range(rng.randint(0, 5))},
    "tuple": lambda rng: tuple(_list_of(_scalar)(rng)), "set": lambda rng: set(_list_of(_text)(rng)), "record": Record,
    "char": lambda rng: rng.choice(_text(rng) or "a"), "source": lambda rng: rng.choice(_SOURCES), "tree": _tree,
    "expression": _expression, "date": _date, "function": _function, "class": _class, "object": _object,
    "reader": _reader,
    "message": _message, "module": _module, "code": _code, "match": _match, "pattern": _pattern, "number": _number,
    "exception": _exception, "bytearray": lambda rng: bytearray(_bytes(rng)), "deque": _deque,
    "range": lambda rng: range(_int(rng)), "iterator": lambda rng: iter(_list_of(_scalar)(rng)),
}  # fmt: skip

#: Patterns of parameters' names, and the kinds that fit those that match all of one.
HINTS: tuple[tuple[str, str], ...] = (
    ("self", "record object dict deque"),
    ("ch? char delim\\w* sep quote\\w* fill\\w* .*char", "char text int"),
    (
        "s st str\\w* text string line value val name .*name word url uri path\\w* p q pat\\w* .*text title msg fmt "
        "format header host addr\\w* encoding charset mode locale lang\\w* prefix suffix tag field query qs netloc "
        "scheme ext delta spec option arg key mimetype",
        "text bytes char",
    ),
    (
        "n i j k m x y z num\\w* index year month day lo hi width size count start stop end level depth indent pos "
        "flags? days? hour minute second .*len\\w* max\\w* min\\w* limit base digits code exp prec step times r g b "
        "h v lineno offset port",
        "int float number",
    ),
    ("data buf\\w* raw bs byte\\w* .*bytes body payload blob", "bytes text bytearray"),
    (
        "a l xs seq\\w* items iterable\\w* values list\\w* .*list lst args argv heap population sample weights points "
        "rows elements iter\\w* lines words names parts tokens paths? options",
        "ints texts lists scalars pairs floats text iterator tuple",
    ),
    ("d dict\\w* map\\w* .*map table kw\\w* attrs params env\\w* ns globals locals counts caps", "dict counts pairs"),
    (
        "f func\\w* fn callable callback key_?func\\w* key predicate wrapper wrapped method factory user_function test",
        "function",
    ),
    ("o ob obj\\w* object thing instance item e element data", "object record nested scalars class"),
    ("cls klass typ\\w* class\\w* tp t etype origin", "class"),
    ("node tree root expr", "tree expression"),
    ("source src program script code co readline", "source code reader function"),
    ("fp file\\w* stream out\\w* f input reader fileobj infp", "reader"),
    ("m match mo", "match"),
    ("mod\\w*", "module"),
    ("dt date tt timetuple time\\w* when", "date int float"),
    ("exc\\w* err\\w* ex", "exception class"),
    ("msg message mail", "message"),
)
_HINTS = tuple((re.compile("|".join(patterns.split())), kinds.split()) for patterns, kinds in HINTS)
_NAMES = tuple(KINDS)


def fitting(name: str) -> list[str]:
    """The kinds that may fit a parameter of the name."""
    return [kind for pattern, kinds in _HINTS if pattern.fullmatch(name.lower()) for kind in kinds]


def kind_for(rng: Random, name: str, known: list[str]) -> str:
    """One kind for a parameter: mostly what has fitted before, or should by the name."""
    hints = fitting(name)
    if known and rng.random() < 0.6:
        return rng.choice(known)
    return rng.choice(hints) if hints and rng.random() < 0.75 else rng.choice(_NAMES)
