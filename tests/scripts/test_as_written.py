"""Functions as they are found in Python's own library, and what of them scripts once did otherwise; and the survey of
all of these functions, `make survey`, on one module."""

from __future__ import annotations

import inspect
import re
import sys
import typing
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeVar

import pytest
from survey_library import __main__ as survey_library
from survey_library import calls, values

import jitffi
from jitffi.scripts.api.survey import survey
from tests.scripts.many import fresh, outcome

WIDE, BYTES = re.compile(r"(a)(b?)"), re.compile(rb"(a)(b?)")


class Text(str):
    pass


class Raw(bytes):
    pass


class Splits:
    def split(self, by: Any) -> Any:
        return [1, by]


class Items:
    def __init__(self, *items: int) -> None:
        self.items = items


def passed_on(f, args):
    return f(*args)


def parts_of_any(x):
    if x == 0:
        x = "to be"
    found = []
    for each in x.split(" "):
        found.append(each)
    return found


def half(n: int, m: int) -> int:
    return n // m


def halves(items):
    total = 0
    for each in items.items:
        total += each
    return half(total, 2), half(m=3, n=7)


def coded(text, encoding, errors):
    if isinstance(text, str):
        return text.encode(encoding, errors)
    return text.decode(encoding, errors)


def ordered(xs, key=None):
    return sorted([x + x for x in xs], key=key), max([x + x for x in xs], key=key)


def of_patterns(x):
    if x == 0:
        x = "ab"
    m = WIDE.match(x)
    return m.groups() if m else None


def of_bytes(x):
    if x == 0:
        x = b"ab"
    return BYTES.split(x), BYTES.split(x)


def number_of(x):
    if x == 0:
        x = [1, 2]
    return int.from_bytes(x, "big"), bytes(x)


if TYPE_CHECKING:
    from nowhere import Checked

T = TypeVar("T")
Words = list[str]


def kept(x: T, words: Words) -> Any:
    words.append("a")
    return type(x).__name__, x, words


def with_default(name, extra=None):
    if extra is None:
        extra = []
    TABLE[name] = name, extra
    return TABLE[name]


def chosen(items, which=None):
    return next(filter(which, items), "none"), list(filter(which, items))


EOF = "eof"


def ends(token):
    return token.items[0] is EOF, token.items[0] is not EOF


def grouped(items):
    """A list of lists and objects, which isinstance tells apart."""
    body: list[Any] = []
    for each in items.items:
        if each > 2:
            body.append(Items(each))
        elif body and isinstance(body[-1], list):
            body[-1].append(each)
        else:
            body.append([each])
    return [passed_on(len, [each]) if isinstance(each, list) else each.items for each in body]


def in_order(table):
    """The tuples of a generator expression, which a key of the script's looks into."""
    found = sorted(((name, each) for name, each in table.items() if each is not None), key=lambda pair: pair[1].items)
    return [name for name, _ in found], sorted(((each, 1) for each in table), key=lambda pair: pair[0])


def with_options(options=None):
    return Items((options or {}).get("a", []), (options or {}).get("b", {})).items  # type: ignore[arg-type]


def adder(n: int) -> typing.Callable[[int], int]:
    def add(by: int) -> int:
        return n + by

    return add


def added(n):
    return adder(n)(2)


def same_text(x) -> str:
    return x


def same_number(x: int) -> int:
    return x


def is_alike(x, y) -> bool:
    return NotImplemented if y is None else type(x) is type(y)


def listed(items: list[int], table: dict[str, int], pair: tuple[int, int]) -> list[int]:
    return items + [table["a"] + pair[0]]


def length(text: str) -> int:
    return len(text)


def lengths(items):
    """A class of its own is a text where a script's function asks for one."""
    return [length(each) for each in items]


class Number(int):
    pass


class Many(list[int]):
    pass


class Pair(typing.NamedTuple):
    a: int
    b: int


TABLE: dict[str, Any] = {}
SUBJECTS = (0, b"abx", bytearray(b"abx"), Text("aé日"), Raw(b"ab"), 2.5)
CASES: dict[Any, list[tuple[Any, ...]]] = {
    with_default: [("a", [2]), ("b",), ("c", None), ("d", ["x"])],
    chosen: [([0, "a", ""],), ([0, "a"], lambda each: not each), ([],)],
    ends: [(Items(EOF),), (Items("x"),), (Items(7),)],  # type: ignore[arg-type]
    grouped: [(Items(1, 3, 2, 1, 5),), (Items(),)],
    in_order: [({"b": Items(2), "a": Items(1), "c": Items(0, 5)},), ({},)],
    with_options: [(), ({"a": 1},)],
    added: [(1,), (True,)],
    same_text: [(Text("a"),)],
    same_number: [(Number(3),), (4,)],
    is_alike: [(1, None), (1, 2)],
    listed: [(Many([1]), defaultdict(int), Pair(3, 4)), ([1], {"a": 1}, (1, 2))],
    lengths: [([Text("abc"), "d"],), ((Text("aé"), "日"),)],
    kept: [([1], ["b"]), ({1: 2}, [])],
    passed_on: [(len, [[1, 2]]), (max, (1, 2)), (len, [1, 2]), ([1], [2]), (dict, [])],
    parts_of_any: [(0,), (Text("a b"),), (Splits(),), ("x y",), (3,)],
    halves: [(Items(1, 2),), (Items(2**70),), (Items(2**62, 2**62, 2**62),)],
    coded: [
        ("aé", "cp1252", "strict"), ("a日", "ascii", "namereplace"), ("x", "rot13", "strict"), ("", "nowhere", "x"),
        ("a日", "ascii", "nowhere"), ("a\ud800", "nowhere", "strict"), ("a\ud800", "cp1252", "ignore"),
        (b"a\xe9", "cp1252", "strict"), (b"a\xe9", "ascii", "surrogateescape"),
        (b"\\n", "unicode_escape", "strict"), (b"", "nowhere", "strict"), (b"a", "nowhere", "strict"),
    ],
    ordered: [([3, 1, -2],), ([3, 1, -2], abs), ([3, 1, -2], None), (["b", "a"], str.upper), ([1, "a"],)],
    of_patterns: [(each,) for each in SUBJECTS],
    of_bytes: [(each,) for each in SUBJECTS],
    number_of: [(each,) for each in (0, b"ab", bytearray(b"ab"), (1, 2), "x", 5, None)],
}  # fmt: skip


@pytest.mark.parametrize("function", CASES, ids=lambda each: each.__name__)
def test_results_and_exceptions_are_pythons(function: Any) -> None:
    script = jitffi.script(function)
    for given in CASES[function]:
        assert outcome(script, fresh(given)) == outcome(function, fresh(given)), given
    assert survey(script).state != "left"


class Point:
    def __init__(self, x: int) -> None:
        self.x = x


def annotated(
    point: Point,
    points: list[Point],
    seen: "set[int]",  # noqa: UP037
    later: Later,
    f: typing.Callable[[int], int],
) -> tuple[Point, Checked]:
    total: int = 0
    for each in points:
        total += each.x
    seen.add(f(total))
    first: Point = points[0]
    return first.x + point.x, seen, later


class Later:
    pass


def test_classes_and_names_of_checkers_in_annotations_promise_nothing() -> None:
    script, points, seen = jitffi.script(annotated), [Point(1), Point(2)], {7}
    found = script(Point(4), points, seen, 2.5, lambda x: x + 1)
    assert found == (5, {7, 4}, 2.5) and found[1] is seen
    assert survey(script).state == "in part"


def test_annotations_that_are_names_leave_arguments_where_they_are() -> None:
    given: list[str] = []
    assert jitffi.script(kept)(given, given)[1] is given and given == ["a"]


def its_name(x):
    return sys._getframe().f_code.co_name, inspect.currentframe().f_code.co_name


def makes_class(name):
    return type(name, (), {"x": 1})


def test_what_looks_at_its_frame_is_left_to_the_interpreter() -> None:
    script = jitffi.script(its_name)
    assert script(3) == its_name(3)
    made = jitffi.script(makes_class)("Made")
    assert made.__module__ == __name__ and survey(jitffi.script(makes_class)).state == "left"
    found = survey(script)
    assert found.state == "left" and "looks at the frame that it is called from" in found.why[0][1]


# -- the survey -------------------------------------------------------------------------------------------------------


def test_a_module_is_surveyed() -> None:
    found = dict(survey_library.functions_of("colorsys"))
    assert {"rgb_to_hls", "hls_to_rgb"} <= set(found) and survey_library.functions_of("no_such_module_at_all") == []
    script = jitffi.script(found["rgb_to_yiq"])
    compared = calls.compare(found["rgb_to_yiq"], script, 0, 3)
    assert compared.returned == 3 and not compared.differences
    wrong = calls.compare(found["rgb_to_yiq"], lambda r, g, b: (r, g), 0, 1)
    assert any("Python ('returned'" in each for each in wrong.differences)


def test_what_is_called_fits() -> None:
    names = survey_library.modules()
    assert len(names) > 150 and len(set(names)) == len(names)
    assert values.fitting("encoding")[0] == "text" and "ints" in values.fitting("population")
    assert all(kind in values.KINDS for _, kinds in values.HINTS for kind in kinds.split())
