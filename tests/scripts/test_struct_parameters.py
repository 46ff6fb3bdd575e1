"""Scripts read and write members of structs that they are given, as Python does with the same class."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import pytest

import jitffi

if TYPE_CHECKING:
    from collections.abc import Callable

Inner = jitffi.struct("script_structs.Inner", "x: f32, n: u8")
All = jitffi.struct(
    "script_structs.All",
    "a: u8, b: i64, c: f32, d: f64, e: bool, k: u32:3, s: i16:4, v: f64[3], m: i32[2, 3], inner: script_structs.Inner, "
    "many: script_structs.Inner[2], u: u64, eb: bool:1, w: u8[4], i: i8, h: i16, l: i32, uh: u16, ul: u32, "
    "text: cstr, next: ptr[script_structs.All], half: f16, _: script_structs.Inner",
)
Packed = jitffi.struct("script_structs.Packed", "a: u8:3, b: u64:64, c: i64:61, d: f64", pack=1)
Word = jitffi.union("script_structs.Word", "all: u32, low: u16, bits: u32:5, f: f32")


@jitffi.struct("script_structs.Point")
class Point:
    x: jitffi.f64
    y: jitffi.f64 = 1.0

    def norm(self) -> float:
        return math.hypot(self.x, self.y)


def outcome(function: Callable[..., Any], *args: Any) -> Any:
    """What it returns, with its type, or what it raises."""
    try:
        found = function(*args)
    except (TypeError, ValueError, OverflowError, IndexError) as error:
        return type(error), str(error)
    return type(found), found


def alike(script: Any, *args: Any, of: Any = All) -> Any:
    """That the script does what its Python function does: what it returns or raises, and what is in the struct then."""
    ours, theirs = of(), of()
    assert outcome(script, ours, *args) == outcome(script.__wrapped__, theirs, *args), args
    assert bytes(ours) == bytes(theirs), args
    return ours


@jitffi.script
def norm(p: Point) -> float:
    return (p.x * p.x + p.y * p.y) ** 0.5


@jitffi.script
def move(p: Point, dx: float) -> None:
    p.x += dx


def test_members_are_read_and_written_in_place() -> None:
    point = Point(3.0, 4.0)
    assert norm(point) == 5.0
    assert move(point, 2.5) is None
    assert point == Point(5.5, 4.0)
    assert norm(Point(x=6.0, y=8.0)) == 10.0


@jitffi.script
def set_a(p: All, value):
    p.a = value
    return p.a


@jitffi.script
def set_i(p: All, value):
    p.i = value
    return p.i


@jitffi.script
def set_h(p: All, value):
    p.h = value
    return p.h


@jitffi.script
def set_uh(p: All, value):
    p.uh = value
    return p.uh


@jitffi.script
def set_l(p: All, value):
    p.l = value
    return p.l


@jitffi.script
def set_ul(p: All, value):
    p.ul = value
    return p.ul


@jitffi.script
def set_b(p: All, value):
    p.b = value
    return p.b


@jitffi.script
def set_u(p: All, value):
    p.u = value
    return p.u


@jitffi.script
def set_c(p: All, value):
    p.c = value
    return p.c


@jitffi.script
def set_d(p: All, value):
    p.d = value
    return p.d


@jitffi.script
def set_e(p: All, value):
    p.e = value
    return p.e


@jitffi.script
def set_k(p: All, value):
    p.k = value
    return p.k


@jitffi.script
def set_s(p: All, value):
    p.s = value
    return p.s


@jitffi.script
def set_eb(p: All, value):
    p.eb = value
    return p.eb


@jitffi.script
def set_inner(p: All, value):
    p.inner.n = value
    return p.inner.n


@jitffi.script
def set_anonymous(p: All, value):
    p.n = value
    return p.n


SETTERS = [
    set_a, set_i, set_h, set_uh, set_l, set_ul, set_b, set_u, set_c, set_d, set_e, set_k, set_s, set_eb, set_inner,
    set_anonymous,
]  # fmt: skip
POWERS = [1 << bits for bits in (0, 3, 4, 7, 8, 15, 16, 31, 32)]
EDGES = [edge + more for power in POWERS for edge in (power, -power) for more in (-1, 0)]


@pytest.mark.parametrize("script", SETTERS, ids=lambda script: script.__name__)
def test_what_a_member_takes_and_refuses_is_what_its_class_does(script: Any) -> None:
    for value in [*EDGES, 2**63 - 1, -(2**63), True, False, 0.5, 1e300, -1e39, math.inf, "text", None]:
        alike(script, value)


def test_a_number_beyond_63_bits_is_an_overflow() -> None:
    @jitffi.script
    def read(p: All) -> int:
        return p.u

    given = All(u=2**63 - 1)
    assert read(given) == 2**63 - 1
    given.u = 2**63
    with pytest.raises(OverflowError):
        read(given)


def test_packed_bit_fields_touch_their_own_bytes_alone() -> None:
    @jitffi.script
    def write(p: Packed, a: int, b: int, c: int):
        p.a = a
        p.b = b
        p.c = c
        return p.a + 2 * p.b + 3 * p.c

    for a, b, c in [(7, 0, -1), (0, 2**40 - 1, 2**40), (5, 1, -(2**59)), (8, 0, 0), (1, -1, 0), (1, 2**62, 2**60)]:
        if b < 2**40:
            alike(write, a, b, c, of=Packed)

    @jitffi.script
    def change(p: Packed) -> None:
        p.b = 12345678901

    given = Packed(a=5, b=2**64 - 1, c=-3, d=2.5)
    change(given)
    assert (given.a, given.b, given.c, given.d) == (5, 12345678901, -3, 2.5)


def test_members_of_a_union_lie_over_each_other() -> None:
    @jitffi.script
    def write(p: Word, f: float):
        p.f = f
        p.low = 7
        return p.all + p.bits

    alike(write, 1.5, of=Word)


@jitffi.script
def element(p: All, i: int):
    return p.v[i] + len(p.v)


@jitffi.script
def set_element(p: All, i: int, value):
    p.w[i] = value
    p.v[1] = value
    p.w[0] += 1
    return p.w[i]


@jitffi.script
def matrix(p: All, i: int, j: int, value: int):
    p.m[i, j] = value
    row = p.m[i]
    return row[j] + p.m[i][j] * 2


@jitffi.script
def of_many(p: All, i: int, value: float):
    each = p.many[i]
    each.x = value
    p.many[i].n = 3
    return each.x + p.many[1].n


def test_arrays_in_structs() -> None:
    pytest.importorskip("numpy")
    for i in range(-5, 6):
        assert element_outcome(element, i)
        assert element_outcome(set_element, i, 7)
        assert element_outcome(of_many, i, 0.25)
        for j in range(-4, 4):
            if -2 <= i < 2:
                assert element_outcome(matrix, i, j, 9 * i + j)
    with pytest.raises(OverflowError, match="300"):
        set_element(All(), 0, 300)


def element_outcome(script: Any, *args: Any) -> bool:
    """As `alike`, of numbers that are NumPy's in Python."""
    ours, theirs = All(), All()
    found, expected = outcome(script, ours, *args), outcome(script.__wrapped__, theirs, *args)
    assert found[1] == expected[1], args
    assert bytes(ours) == bytes(theirs), args
    return True


def test_loops_names_and_calls() -> None:
    @jitffi.script
    def add(q: Inner, n: int) -> None:
        q.n += n

    @jitffi.script
    def total(p: All, rounds: int):
        q = p.inner
        for i in range(rounds):
            add(q, i)
            p.d += p.inner.n * 0.5 if i % 2 else 1
        add(p.many[1], rounds)
        return p.d

    alike(total, 10)
    alike(total, 40)


def test_a_name_may_be_of_a_struct_and_then_of_a_number() -> None:
    @jitffi.script
    def both(p: All):
        q = p.inner
        n = q.n + 1
        q = 5
        return q + n

    alike(both)


def test_only_the_struct_itself_is_taken() -> None:
    for wrong in (None, 1, 2.5, "text", b"bytes", [1] * 20, {1: 2}, All(), Point, object()):
        with pytest.raises(TypeError, match="'p': expected script_structs.Point, got"):
            move(wrong, 1.0)

    class Derived(Point):  # type: ignore[misc, valid-type]
        pass

    assert norm(Derived(3.0, 4.0)) == 5.0


def test_views_are_written_where_they_look() -> None:
    @jitffi.script
    def write(p: Inner) -> None:
        p.n = 5

    whole = All()
    write(whole.inner)
    write(whole.many[1])
    assert whole.inner.n == whole.many[1].n == 5
    assert whole.many[0].n == 0


def test_a_view_of_a_pointer_to_const_is_read_only() -> None:
    point = Point(3.0, 4.0)
    view = jitffi.cast("ptr[const script_structs.Point]", jitffi.addressof(point))[0]
    assert norm(view) == 5.0
    with pytest.raises(TypeError, match="const"):
        move(view, 1.0)
    assert point.x == 3.0


def test_no_references_are_left() -> None:
    point = Point(3.0, 4.0)
    before = sys.getrefcount(point)
    for _ in range(100):
        norm(point)
        with pytest.raises(TypeError):
            norm(1)
    assert sys.getrefcount(point) == before


# -- what scripts do not do ------------------------------------------------------------------------------------------


def refused(script: Callable[..., Any], *args: Any) -> tuple[str, int, int]:
    """The message, and the line within the function, and the column."""
    with pytest.raises(jitffi.ScriptError) as found:
        jitffi.script(script, strict=True)(*args)
    error = found.value
    assert error.lineno is not None and error.offset is not None and error.text is not None
    return str(error.msg), error.lineno - script.__code__.co_firstlineno, error.offset


def test_what_is_no_number_is_refused_with_its_place() -> None:
    def text(p: All):
        return p.text

    def pointer(p: All):
        return p.next

    def half(p: All):
        return p.half + 1

    def missing(p: All):
        return p.d + p.z

    for function, words in ((text, "cstr"), (pointer, "ptr"), (half, "f16"), (missing, "no member 'z'")):
        message, line, column = refused(function, All())
        assert words in message and line == 1
        assert column == (16 if function is not missing else 22)


def test_whole_structs_stay_where_they_are() -> None:
    def returned(p: Point):
        return p

    def inner(p: All):
        return p.inner

    def listed(p: Point):
        return [p]

    def printed(p: Point):
        print(p)

    def assigned(p: All):
        p.inner = p.many[0]

    def array(p: All):
        return sum(p.v)

    def deleted(p: Point):
        del p.x

    def method(p: Point):
        return p.norm()

    def truth(p: Point):
        return 1 if p else 2

    def either(p: All, q: Inner):
        found = p.inner if p.e else 1
        return found

    def attribute(p: Point, q):
        return q.x

    for function in (returned, listed, printed, deleted, method, truth):
        refused(function, Point())
    for function in (inner, assigned, array):
        refused(function, All())
    refused(either, All(), Inner())
    refused(attribute, Point(), {"x": 1})


def test_other_structs_are_no_arguments() -> None:
    @jitffi.script
    def inside(q: Inner) -> int:
        return q.n

    def outside(p: Point):
        return inside(p)

    refused(outside, Point())


def test_a_script_with_structs_is_called_by_its_name_alone() -> None:
    with pytest.raises(TypeError):
        norm.native_address  # noqa: B018
    with pytest.raises(TypeError, match="has no signature"):
        jitffi.script(norm, signature="(script_structs.Point) -> f64")

    @jitffi.script
    def call(f, x):
        return f(x)

    with pytest.raises(TypeError, match="structs"):
        call(norm, Point())


def test_a_struct_of_the_same_name_and_other_members_is_another_script() -> None:
    def make(members: str) -> tuple[Any, Any]:
        cls = jitffi.struct(f"script_structs.Local{len(members)}", members)

        def read(p: object) -> Any:
            return p.y  # type: ignore[attr-defined]

        read.__annotations__ = {"p": cls}
        return cls, jitffi.script(read)

    for members in ("x: f64, y: u8", "y: f32", "x: u8, y: i64, z: u8"):
        cls, read = make(members)
        assert read(cls(y=7)) == 7
