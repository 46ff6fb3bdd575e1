"""Patterns as functions beside `re`: its own list of them, random ones, and what each part of them does."""

from __future__ import annotations

import re
import sys
import warnings
from random import Random

import pytest
from random_patterns import Patterns
from random_patterns import text as random_text
from regex_functions import MODES, Native, spans

from jitffi.scripts.regex import stack
from jitffi.scripts.regex.charset import CASED, Folding, charset, is_of, runs
from jitffi.scripts.regex.nodes import MANY, WIDE
from jitffi.scripts.regex.plan import Planner
from jitffi.scripts.regex.read import NotNativeError, Pattern


def compare(pattern: str | bytes, flags: int, texts: list, native: Native | None = None) -> None:
    """All methods, in both representations of a text, with ends of its own, too."""
    native = native or Native(pattern, flags)
    compiled = re.compile(pattern, flags)
    for text in texts:
        both = (False, True) if isinstance(text, str) and text.isascii() else (False,)
        for wide in both:
            said = f"{pattern!r} {flags} {text!r} {'wide' if wide else ''}"
            for mode in MODES:
                method = getattr(compiled, mode)
                assert native.find(mode, text, wide=wide) == spans(method(text)), f"{mode} {said}"
                start, end = len(text) // 3, len(text) - len(text) // 4
                found = native.find(mode, text, start, end, wide=wide)
                assert found == spans(method(text, start, end)), f"{mode} {start} {end} {said}"
            assert list(native.finditer(text, wide)) == list(map(spans, compiled.finditer(text))), f"finditer {said}"


def test_the_list_of_cpython() -> None:
    listed = pytest.importorskip("test.re_tests")
    texts: dict[str, list[str]] = {}
    for pattern, text, *_ in listed.tests:
        texts.setdefault(pattern, []).append(text)
    left = []
    for pattern, given in texts.items():
        try:
            compiled = re.compile(pattern)
        except re.error:
            continue
        try:
            native = Native(pattern, 0, ("search",))
        except NotNativeError:
            left.append(pattern)
            continue
        for text in given:
            for wide in (False, True):
                assert native.find("search", text, wide=wide) == spans(compiled.search(text)), (pattern, text, wide)
    assert len(left) <= 3, left


@pytest.mark.parametrize("seed", range(4))
def test_random_patterns(seed: int) -> None:
    random = Random(f"patterns {seed}")
    patterns = Patterns(random)
    warnings.simplefilter("ignore", FutureWarning)
    for _ in range(12):
        pattern, flags = patterns.pattern()
        texts = [random_text(random) for _ in range(6)]
        try:
            compare(pattern, flags, texts)
        except NotNativeError:
            continue


BYTES = [
    (rb"(\w+)@(\w+)", 0, [b"a@b", b"\xe4@b x@y", b""]),
    (rb"(?i)[k-m]+\xff?", 0, [b"KLM\xff", b"k\xfe"]),
    (rb"\b\w", 0, [b"\xe4a b"]),
]


@pytest.mark.parametrize(("pattern", "flags", "texts"), BYTES)
def test_bytes(pattern: bytes, flags: int, texts: list[bytes]) -> None:
    compare(pattern, flags, texts)


UNICODE = [
    (r"\w+", 0, ["Straße naïve 一二 ªº x_1", "\U0001d7d8\U00010400"]),
    (r"\d+|\s", 0, ["١٢ x\u2003y\x1c1"]),
    (r"\d+|\s", re.ASCII, ["١٢ x\u2003y\x1c1 "]),
    (r"(?i)straße|k|s|ſt|i̇", 0, ["STRASSE STRAßE \u212a ſ S st ST ﬆ İ i̇"]),
    (r"(?i)[α-ω]+", 0, ["ΑΒΓ αβγ ς Σ ϐ"]),
    (r"(?i)[^k]", 0, ["kK\u212ax"]),
    (r"[^\W\d_]+", 0, ["abcÄ12_é"]),
    (r"[一-龥]+", 0, ["abc 中文 字"]),
    (r"(?i)\w\Bé", 0, ["xÉ yé"]),
    (r"[\U0001f600-\U0001f64f]", 0, ["a\U0001f605b"]),
]


@pytest.mark.parametrize(("pattern", "flags", "texts"), UNICODE)
def test_unicode(pattern: str, flags: int, texts: list[str]) -> None:
    compare(pattern, flags, texts)


#: Searches by rows of characters, by what stands behind a run, and from behind a failed run.
SCANNED = (r"\d{4}-\d\d", r"\w+@\w+\.", r"(\w+)\s*=", r"question", r"(?m)^\w", r"\bt\w*", r"[^,]+,", r"x?", r"(?=ab)")


@pytest.mark.parametrize("pattern", SCANNED)
def test_long_texts(pattern: str) -> None:
    random = Random(pattern)
    words = ("to", "question", "2024-11", "ab@cd.", "x=1", " ", "\n", "12-", "--", "é", ",", "t" * 20, "a" * 40)
    native = Native(pattern)
    for count in (0, 1, 3, 30, 200):
        text = "".join(random.choice(words) for _ in range(count))
        compare(pattern, 0, [text, text.replace("é", "")], native)


def test_what_is_left_behind_is_undone() -> None:
    for pattern in (r"(?:(a)|b)*", r"(?:(a)x|ab)(c)?", r"(?=(a)b?)(?:\1c|ab)", r"(?!(a)c)a", r"(a)?(?(1)b|c)"):
        compare(pattern, 0, ["aab", "abc", "ab", "aba", "ac", "c", "bab"])


@pytest.mark.parametrize("pattern", [r"(?:a+)+c", r"(?:a|aa)*c", r"(?:\w+\s?)*=", r"(a*?b?a)+?c", r"(?:.*,)*.*;x"])
def test_no_way_is_gone_twice(pattern: str) -> None:
    """These have as many ways through a text as there are numbers with so many digits."""
    native = Native(pattern)
    assert native.find("match", "a" * 2000 + ",;") is None
    assert native.find("search", "aa a" * 200 + ",;c=", wide=True) == native.find("search", "aa a" * 200 + ",;c=")


@pytest.mark.parametrize("seed", range(2))
def test_what_is_remembered_is_right(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stack, "AFTER", (0, 1))
    random = Random(f"memory {seed}")
    patterns = Patterns(random)
    warnings.simplefilter("ignore", FutureWarning)
    for _ in range(12):
        pattern, flags = patterns.pattern()
        try:
            compare(pattern, flags, [random_text(random) for _ in range(6)])
        except NotNativeError:
            continue


def test_stacks_grow() -> None:
    """No choice is lost, and none takes the thread's stack."""
    native = Native(r"(?:(a)|b)*c")
    assert native.find("match", "ab" * 100000 + "c") == ((((0, 200001), (199998, 199999))), 1)
    assert native.find("match", "ab" * 100000) is None


def plans(pattern: str) -> list[str]:
    node = Pattern(pattern, 0).nodes(WIDE)
    planner = Planner(WIDE, frozenset())
    planner.plan(node, planner.sure)
    return [node.pushes]


@pytest.mark.parametrize(
    "pattern",
    [r"\d+-\w+", r'"(?:[^"\\]|\\.)*"', r"(\d+)|([a-z]\w*)|(\s+)", r"(?:foo|far|bar)+", r"(?:\d+,)*;"],
)
def test_these_need_no_stack(pattern: str) -> None:
    assert plans(pattern) == [False]


def test_what_is_not_native_says_why() -> None:
    with pytest.raises(NotNativeError, match="locale"):
        Native(rb"(?L)a")
    with pytest.raises(NotNativeError, match="possessive"):
        Native(r"(?:(a)|b)*+")


# -- sets --------------------------------------------------------------------------------------------------------------


def test_runs() -> None:
    assert runs(0b1011001) == [(0, 0), (3, 4), (6, 6)]
    assert runs(0) == []


def test_no_character_beyond_has_case() -> None:
    folding = Folding(True, True)
    assert not any(folding.is_cased(code) for code in range(CASED, sys.maxunicode + 1))


@pytest.mark.parametrize(
    "given", [([(97, 122)], [], False), ([(65, 300)], [], True), ([(0x400, 0x450)], ["digit"], False)]
)
def test_sets_are_those_of_re(given: tuple) -> None:
    ranges, classes, negated = given
    text = "".join(f"{re.escape(chr(a))}-{re.escape(chr(b))}" for a, b in ranges) + "".join(
        rf"\{c[0]}" for c in classes
    )
    for flags in (0, re.IGNORECASE):
        made = charset(ranges, classes, negated, Folding(bool(flags), True))
        pattern = re.compile(f"[{'^' * negated}{text}]", flags)
        wrong = [code for code in range(0x3000) if (code in made) != bool(pattern.fullmatch(chr(code)))]
        assert not wrong, wrong[:10]


def test_sets_that_have_nothing_in_common() -> None:
    word, space, digit = (charset([], [name], False, Folding(False, True)) for name in ("word", "space", "digit"))
    no_word = charset([], ["word"], True, Folding(False, True))
    assert word.is_disjoint(space) and digit.is_disjoint(space) and word.is_disjoint(no_word)
    assert digit.is_disjoint(no_word) and not word.is_disjoint(digit) and not no_word.is_disjoint(space)
    assert is_of(ord("_"), "word") and sys.maxsize // 4 < MANY
