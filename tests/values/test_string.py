"""jitffi.String and UCS4String against str: every method, operator and protocol gives what str gives."""

from __future__ import annotations

import collections.abc
import copy
import operator
import pickle
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.leaks import assert_nothing_stays

import jitffi

CLASSES = [jitffi.String, jitffi.UCS4String]
TEXTS = [
    "",
    "a",
    "abc",
    "Grüße",
    "naïve 😀",
    "  x y\tz\n",
    "a\0b",
    "ＡＢＣ１２３",
    "ß",
    "x" * 300,
    "日本語" * 40,
    "\U0010ffff",
    "İı",
]
#: Characters of every width in UTF-8, no surrogates.
ALPHABET = st.one_of(st.sampled_from("abAB xX\t\n.,%{}\0ßéÿ中日😀ﬁ²"), st.characters(exclude_categories=["Cs"]))
TEXT = st.text(ALPHABET, max_size=40)


def outcome(call):
    """What a call gives: its result, or the class of its exception."""
    try:
        return call()
    except Exception as error:
        return type(error)


def same(one, two):
    """Equal, and of the same class, all the way down."""
    return repr(one) == repr(two) and one == two and type(one) is type(two)


@pytest.fixture(params=CLASSES, ids=lambda c: c.__name__)
def cls(request):
    return request.param


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_equals_its_str_and_has_its_hash(cls, text):
    made = cls(text)
    assert made == text and text == made and (made != text) is False
    assert hash(made) == hash(text)
    assert {text: 1}[made] == 1 and {made: 1}[text] == 1
    assert str(made) == text and type(str(made)) is str
    assert repr(made) == f"{cls.__name__}({text!r})"
    assert len(made) == len(text) and bool(made) is bool(text)
    assert list(made) == list(text) and list(reversed(made)) == list(reversed(text))
    assert made.to_python() == text and type(made.to_python()) is str
    assert f"{made}" == text and f"{made:>12}" == f"{text:>12}" and "%s" % made == text  # noqa: UP031


@pytest.mark.parametrize("text", TEXTS)
def test_items_and_slices_are_those_of_the_str(cls, text):
    made = cls(text)
    size = len(text)
    for index in {*range(-size - 2, min(size + 2, 20)), size - 1, size, sys.maxsize, -sys.maxsize - 1, 2**80}:
        assert same(outcome(lambda: made[index]), outcome(lambda: text[index]))  # noqa: B023
    ends = [None, 0, 1, 2, -1, -2, size, size + 3, -size - 3, 2**70]
    for start in ends:
        for stop in ends:
            for step in (None, 1, 2, -1, -3, 0):
                cut = slice(start, stop, step)
                assert same(outcome(lambda: made[cut]), outcome(lambda: text[cut]))  # noqa: B023


def test_messages_name_the_class(cls):
    name = cls.__name__
    with pytest.raises(IndexError, match=f"{name} index out of range"):
        cls("abc")[3]
    with pytest.raises(TypeError, match=f"{name} indices must be integers, not 'str'"):
        cls("abc")["a"]
    with pytest.raises(TypeError, match=rf"{name}\(\) argument must be str, not int"):
        cls(3)
    with pytest.raises(TypeError, match=rf"{name}\(\) argument must be str, not bytes"):
        cls(b"abc")
    with pytest.raises(TypeError, match="no keyword"):
        cls(text="a")
    with pytest.raises(TypeError):
        cls("a", "b")
    with pytest.raises(TypeError, match=f"'in <{name}>' requires string as left operand, not int"):
        3 in cls("abc")  # noqa: B015
    with pytest.raises(UnicodeEncodeError, match="surrogates not allowed"):
        cls("a\udc80")
    with pytest.raises(TypeError):
        cls("a") + 1
    with pytest.raises(TypeError):
        cls("a") < 1  # noqa: B015
    with pytest.raises(AttributeError):
        cls("a").extra = 1
    assert (cls("a") == 1) is False and (cls("a") == b"a") is False


def test_what_it_is_made_from(cls):
    class Sub(str):
        pass

    assert cls() == "" and cls(Sub("abc")) == "abc"
    for other in CLASSES:
        made = cls(other("naïve"))
        assert made == "naïve" and type(made) is cls
    one = cls("abc")
    assert cls(one) is one and copy.copy(one) is one and copy.deepcopy([one])[0] is one


def test_classes_and_protocols(cls):
    made = cls("abc")
    assert isinstance(made, jitffi.Object) and not isinstance(made, str)
    assert isinstance(made, collections.abc.Sequence) and isinstance(made, collections.abc.Hashable)
    match made:
        case [*_]:
            pytest.fail("a text matches no sequence pattern")
        case _:
            pass


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
@pytest.mark.parametrize("text", TEXTS)
def test_pickling(cls, text, protocol):
    back = pickle.loads(pickle.dumps(cls(text), protocol))
    assert type(back) is cls and back == text


ORDERS = [operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge]


@given(a=TEXT, b=TEXT)
@settings(max_examples=150, deadline=None)
def test_comparison_is_that_of_the_str(a, b):
    for order in ORDERS:
        wanted = order(a, b)
        for cls in CLASSES:
            assert order(cls(a), b) is wanted and order(a, cls(b)) is wanted
            for other in CLASSES:
                assert order(cls(a), other(b)) is wanted
    assert jitffi.String(a) == a and jitffi.UCS4String(a) == jitffi.String(a)


def test_comparison_with_lone_surrogates(cls):
    for text in ("a", "\ud800", "\uffff", "a\udfff"):
        for mine in ("a", "b", "\ue000", "😀"):
            for order in ORDERS:
                assert order(cls(mine), text) is order(mine, text)
    assert ("\ud800" in cls("abc")) is False and ("\ud800" in cls("日本")) is False


#: Each method of str with what draws its arguments.
SMALL = st.integers(-5, 12)
PIECE = st.one_of(st.text(ALPHABET, max_size=2), st.sampled_from(["a", "b", " ", "", "ß", "中", "😀"]))
FILL = st.one_of(st.just(" "), ALPHABET)
BOUNDS = st.one_of(st.just(()), st.tuples(SMALL), st.tuples(SMALL, SMALL), st.just((None, None)))
NONE = st.just(())


def with_bounds(first):
    return st.builds(lambda a, b: (a, *b), first, BOUNDS)


PLAIN = """
    capitalize casefold isalnum isalpha isascii isdecimal isdigit isidentifier islower isnumeric isprintable isspace
    istitle isupper lower swapcase title upper splitlines
"""
METHODS = {
    **dict.fromkeys(PLAIN.split(), NONE),
    **{name: st.one_of(st.tuples(SMALL), st.tuples(SMALL, FILL)) for name in ("center", "ljust", "rjust")},
    **{name: with_bounds(PIECE) for name in ("count", "find", "rfind", "index", "rindex")},
    **{
        name: with_bounds(st.one_of(PIECE, st.tuples(PIECE, PIECE), st.just(()), st.integers()))
        for name in ("startswith", "endswith")
    },
    **{name: st.one_of(NONE, st.tuples(PIECE), st.just((None,))) for name in ("strip", "lstrip", "rstrip")},
    **{name: st.tuples(PIECE) for name in ("partition", "rpartition", "removeprefix", "removesuffix")},
    **{
        name: st.one_of(NONE, st.tuples(PIECE), st.tuples(PIECE, SMALL), st.just((None, 2)))
        for name in ("split", "rsplit")
    },
    "encode": st.sampled_from([(), ("utf-8",), ("ascii",), ("latin-1", "replace"), ("utf-16",), ("nonsense",)]),
    "expandtabs": st.one_of(NONE, st.tuples(SMALL)),
    "format": st.tuples(PIECE, SMALL),
    "format_map": st.just(({"a": 1},)),
    "join": st.tuples(st.one_of(st.lists(PIECE), PIECE, st.just(3), st.just(["a", 3]))),
    "replace": st.one_of(st.tuples(PIECE, PIECE), st.tuples(PIECE, PIECE, SMALL)),
    "translate": st.just(({97: "XY", 0x4E2D: None, 98: 99},)),
    "zfill": st.tuples(SMALL),
    "__mul__": st.tuples(st.integers(-1, 3)),
    "__rmul__": st.tuples(st.integers(-1, 3)),
    "__add__": st.tuples(PIECE),
    "__contains__": st.tuples(PIECE),
    "__getitem__": st.tuples(st.one_of(SMALL, st.slices(40))),
    "__mod__": st.one_of(st.tuples(PIECE), st.tuples(st.tuples(PIECE, SMALL))),
    "__format__": st.sampled_from([("",), (">10",), ("^5s",), ("d",)]),
    "__len__": NONE,
    "__hash__": NONE,
    "__str__": NONE,
}


def test_every_method_of_str_is_there_and_drawn(cls):
    mine = {name for name in dir(str) if not name.startswith("_")}
    assert mine <= set(dir(cls))
    assert mine - set(METHODS) == {"maketrans"}


def as_texts(cls, value):
    """The same arguments with texts of a class of ours."""
    if isinstance(value, str):
        return cls(value)
    if type(value) in (tuple, list):
        return type(value)(as_texts(cls, each) for each in value)
    return value


@given(text=TEXT, data=st.data())
@settings(max_examples=600, deadline=None)
def test_methods_give_what_those_of_str_give(text, data):
    name = data.draw(st.sampled_from(sorted(METHODS)))
    args = data.draw(METHODS[name])
    wanted = outcome(lambda: getattr(text, name)(*args))
    for cls in CLASSES:
        got = outcome(lambda: getattr(cls(text), name)(*args))  # noqa: B023
        assert same(got, wanted), (cls, text, name, args)
        if name in ("encode", "format", "__format__", "format_map"):
            continue
        got = outcome(lambda: getattr(cls(text), name)(*as_texts(cls, args)))  # noqa: B023
        if name in ("__add__", "join", "split") or got is not TypeError:
            assert same(got, wanted) or name == "__mod__", (cls, text, name, args)


@given(
    start=TEXT,
    steps=st.lists(st.tuples(st.sampled_from(sorted(METHODS)), st.randoms(use_true_random=False)), max_size=8),
)
@settings(max_examples=50, deadline=None)
def test_sequences_of_operations(start, steps):
    """The result of one operation is the text of the next."""
    operations = [
        lambda t, r: t.replace("a", r.choice(["", "bb", "ß"])),
        lambda t, r: t[r.randrange(-3, 3) : r.choice([None, 5, -1])],
        lambda t, r: t + r.choice(["x", "中", "😀", ""]),
        lambda t, r: t * r.randrange(3),
        lambda t, r: t.upper(),
        lambda t, r: t.strip(),
        lambda t, r: r.choice(["-", ""]).join(t.split()),
        lambda t, r: t[::-1],
        lambda t, r: t.center(r.randrange(20), "*"),
    ]
    for cls in CLASSES:
        model, mine = start, cls(start)
        for _, random in steps:
            step = random.choice(operations)
            state = random.getstate()
            model = step(model, random)[:2000]
            random.setstate(state)
            mine = cls(step(mine, random)[:2000])
            assert mine == model and hash(mine) == hash(model)


def test_arguments_by_keyword(cls):
    assert cls("a b c").split(sep=" ", maxsplit=1) == ["a", "b c"]
    assert cls("a b c").split(cls(" "), maxsplit=1) == ["a", "b c"]
    assert cls("ä").encode(encoding="latin-1") == b"\xe4"
    assert cls("{x}").format(x=cls("y")) == "y"
    assert cls("{!r}").format(cls("y")) == f"{cls.__name__}('y')"
    assert cls("%(x)s") % {"x": 1} == "1"
    assert "x%s" % cls("y") == "xy"  # noqa: UP031
    assert cls("abc").translate(cls.maketrans("ab", cls("xy"))) == "xyc"
    with pytest.raises(TypeError):
        cls("a").split(nonsense=1)


def test_either_side(cls):
    assert "a" + cls("b") == "ab" and cls("a") + "b" == "ab" and cls("a") + cls("b") == "ab"
    assert type(cls("a") + cls("b")) is str
    assert 2 * cls("ab") == "abab"

    class Right:
        def __radd__(self, other):
            return ("radd", other)

        def __eq__(self, other):
            return "eq"

    assert cls("a") + Right() == ("radd", cls("a"))
    assert (cls("a") == Right()) == "eq"


def test_native_code_is_given_the_text(cls):
    strlen = jitffi.load_library(None).bind("strlen", "(text: cstr) -> u64")
    for text in ("", "abc", "Grüße", "日本語" * 40):
        assert strlen(cls(text)) == len(text.encode())
        assert strlen(text=cls(text)) == len(text.encode())
    with pytest.raises(ValueError, match="strlen: argument 1 'text'.*NUL"):
        strlen(cls("a\0b"))
    same_text = jitffi.function("(s: str) -> str")(lambda s: s)
    for text in TEXTS:
        assert same_text(cls(text)) == text and type(same_text(cls(text))) is str
    echo = jitffi.convert(lambda x: x)
    assert echo(cls("Grüße")) == "Grüße"


def test_results_of_a_callback(cls):
    made = jitffi.function("() -> str")(lambda: cls("Grüße" * 9))
    assert jitffi.Function(made)() == "Grüße" * 9
    seen = []
    jitffi.Function.from_packed(jitffi.Function(jitffi.convert(seen.append)).packed_address, name="p")
    jitffi.convert(seen.append)(cls("abc"))
    assert seen == ["abc"]


def test_any_passes_the_object_itself(cls):
    """No copy: the native object has one more reference while it is held."""
    text = cls("abc" * 50)
    before = text.ref_count
    held = []
    jitffi.convert(lambda x: held.append(text.ref_count))(text)
    assert held[0] > before and text.ref_count == before


def test_nothing_is_left(cls):
    def work():
        text = cls("Grüße" * 10)
        jitffi.load_library(None).bind("strlen", "(cstr) -> u64")(text)
        text.upper(), text[1:3], text == "x", "ü" in text, text.join([cls("a"), "b"]), hash(text), list(text)
        outcome(lambda: cls("\ud800"))
        outcome(lambda: text.join([cls("a"), 3]))
        outcome(lambda: text.startswith((cls("a"), 3)))
        outcome(lambda: text[99])
        pickle.loads(pickle.dumps(text))

    assert_nothing_stays(work)


def test_a_large_text(cls):
    text = "ab😀" * 100_000
    made = cls(text)
    assert len(made) == 300_000 and made[299_999] == "😀" and made[150_000] == text[150_000] and made == text


def test_moving_leaves_the_text(cls):
    text = cls("abc")
    assert jitffi.convert(lambda x: x)(text._move()) == "abc"
    assert text == "abc"
