"""Structs by value in calls and callbacks: what is refused, what failures give C, and what stays alive."""

from __future__ import annotations

import gc

import pytest
from support.leaks import assert_nothing_stays

import jitffi
from jitffi.conventions.table import convention
from jitffi.signature.model import Signature

SOURCE = """
typedef struct { double x; int n; } pair;
typedef struct { signed char a[20]; float f; } large;
static double last;
double get_last(void) { return last; }
static pair (*kept_pair)(pair, int);
static large (*kept_large)(large);
pair twice(pair p, int k) { p.x *= k; p.n += k; return p; }
void fill(large* b) { b->f += 7; b->a[19] += 5; }
double through(void (*f)(large*, pair*)) {
  large b = {{1}, 2.5f};
  pair p = {7, 7};
  f(&b, &p);
  return b.f + b.a[19] + p.x + p.n;
}
large next(large b) { b.f += 1; b.a[3] = 'z'; return b; }
void keep_pair(pair (*f)(pair, int)) { kept_pair = f; }
void keep_large(large (*f)(large)) { kept_large = f; }
double call_pair(void) { pair p = {2, 3}, r = kept_pair(p, 4); return last = r.x + r.n; }
double call_large(void) {
  large b = {{1, 2, 3}, 2.5f}, r;
  for (int i = 0; i < 20; i++) r.a[i] = 100;
  r = kept_large(b);
  double sum = r.f;
  for (int i = 0; i < 20; i++) sum += r.a[i];
  return last = sum;
}
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE))


@pytest.fixture(scope="module")
def classes():
    return jitffi.struct("calls.Pair", "x: f64, n: i32"), jitffi.struct("calls.Large", "a: i8[20], f: f32")


def test_they_go_in_and_come_back(lib, classes):
    Pair, Large = classes
    twice = lib.bind("twice", "(p: calls.Pair, k: i32) -> calls.Pair")
    given = Pair(1.5, 2)
    result = twice(given, 4)
    assert isinstance(result, Pair) and (result.x, result.n) == (6.0, 6) and (given.x, given.n) == (1.5, 2)
    assert twice(k=2, p=given) == Pair(3.0, 4)
    after = lib.bind("next", "(calls.Large) -> calls.Large")(Large(f=2.0))
    assert after.f == 3.0 and after.a[3] == ord("z")

    class More(Pair):
        pass

    assert twice(More(1.0, 1), 2) == Pair(2.0, 3)


def test_views_are_read_where_they_lie(lib, classes):
    outer = jitffi.struct("calls.Outer", "head: i64, pair: calls.Pair")(pair=classes[0](2.0, 3))
    assert lib.bind("twice", "(calls.Pair, i32) -> calls.Pair")(outer.pair, 3) == classes[0](6.0, 6)


def test_other_objects_are_refused(lib, classes):
    twice = lib.bind("twice", "(calls.Pair, i32) -> calls.Pair")
    for other in (None, 3, (1.0, 2), classes[1](), classes[0]):
        with pytest.raises(TypeError, match=r"twice: argument 1: expected calls\.Pair, got "):
            twice(other, 1)
    by_address = lib.bind("fill", "(b: ptr[calls.Large]) -> void")
    with pytest.raises(TypeError, match=r"argument 1 'b': expected ptr\[calls.Large\], got calls.Pair$"):
        by_address(classes[0]())


def test_nothing_stays(lib, classes):
    Pair, Large = classes
    twice = lib.bind("twice", "(calls.Pair, i32) -> calls.Pair")
    after = lib.bind("next", "(calls.Large) -> calls.Large")

    def calls():
        twice(Pair(1.0, 2), 3), after(Large())
        with pytest.raises(TypeError):
            twice(Large(), 1)

    assert_nothing_stays(calls)


TYPES = {"pair": "(calls.Pair, i32) -> calls.Pair", "large": "(calls.Large) -> calls.Large"}


@pytest.mark.parametrize("name", TYPES)
def test_a_callback_that_fails_gives_zeros(lib, classes, name):
    @jitffi.function(TYPES[name])
    def wrong(*given):
        seen.append(given[0])
        return answer

    seen, answer = [], 3
    lib.bind(f"keep_{name}", f"(func[{TYPES[name]}]) -> void")(wrong)
    call = lib.bind(f"call_{name}", "() -> f64")
    with pytest.raises(TypeError, match=rf"result: expected calls\.{name.capitalize()}, got int 3"):
        call()
    assert lib.bind("get_last", "() -> f64")() == 0 and isinstance(seen[0], classes[name == "large"])
    answer = seen[0]
    assert call() == {"pair": 5.0, "large": 8.5}[name]


@pytest.mark.parametrize("name", TYPES)
def test_after_its_death_a_callback_gives_zeros(lib, classes, name):
    made = jitffi.function(TYPES[name])(lambda value, *_: value)
    keep = lib.bind(f"keep_{name}", f"(func[{TYPES[name]}]) -> void")
    keep(made)
    call = lib.bind(f"call_{name}", "() -> f64")
    assert call() > 0
    del made
    gc.collect()
    for _ in range(3):
        with pytest.raises(RuntimeError, match="called after its Function was released"):
            call()
        assert lib.bind("get_last", "() -> f64")() == 0


def test_callables_are_called_from_python(classes):
    taken = jitffi.function("(calls.Pair) -> f64")(lambda pair: pair.x)
    assert taken(classes[0](2.5, 1)) == 2.5


def test_they_are_passed_back(lib, classes):
    Pair, Large = classes
    made = lib.bind("fill", "(out[calls.Large]) -> void")()
    assert isinstance(made, Large) and (made.f, made.a[19], made.a[0]) == (7.0, 5, 0)
    given = Large(f=1.5)
    changed = lib.bind("fill", "(inout[calls.Large]) -> void")(given)
    assert (changed.f, changed.a[19], given.f) == (8.5, 5, 1.5)
    with pytest.raises(TypeError, match=r"fill: argument 1: expected inout\[calls\.Large\], got int 3"):
        lib.bind("fill", "(inout[calls.Large]) -> void")(3)


def test_callbacks_give_back_structs(lib, classes):
    Pair, Large = classes
    through = lib.bind("through", "(func[(inout[calls.Large], out[calls.Pair]) -> void]) -> f64")
    assert through(lambda large: (Large(f=large.f * 2), Pair(0.5, 3))) == 5.0 + 3.5
    with pytest.raises(TypeError, match=r"calls\.Pair"):
        through(lambda large: (large, large))


def test_what_is_incomplete_is_not_passed_back():
    with pytest.raises(jitffi.SignatureError, match=r"calls\.Later is incomplete"):
        jitffi.struct("calls.Later", "next: ptr[calls.Later], wrong: func[(out[calls.Later]) -> void]")


def test_in_slots_they_are_objects_of_their_type(classes, build_library, tmp_path):
    Pair, Large = classes
    names = {"twice": "(calls.Pair, i32) -> calls.Pair", "fill": "(inout[calls.Large]) -> void"}
    path = jitffi.emit(names, tmp_path / "made.so", entry="packed", callee="c", link=build_library(SOURCE))
    module = jitffi.load_module(path)
    assert module["twice"](Pair(1.5, 2), 2) == Pair(3.0, 4)
    assert module["fill"](Large(f=1.0)).f == 8.0
    assert_nothing_stays(lambda: [module["twice"](Pair(1.5, 2), 2), module["fill"](Large(f=1.0))])
    with pytest.raises(TypeError, match=r"expected calls\.Pair"):
        module["twice"](Large(), 2)


def untyped(function):
    """The same function as a packed one that says nothing of its types."""
    made = jitffi.Function(function)
    return jitffi.Function.from_packed(made.packed_address, self_handle=made.handle, name="it", keep_alive=made)


def test_what_is_aligned_beyond_memory_is_so_in_slots(build_library):
    wide = "calls.Wide", "x: f64, n: i32"
    Wide = jitffi.struct(*wide, align=64)
    source = """
#include <stdint.h>
typedef struct { _Alignas(64) double x; int n; } wide;
wide more(wide w, double by) { if ((uintptr_t)&w % 64) w.n = -1; w.x += by; return w; }
"""
    call = untyped(jitffi.load_library(build_library(source)).bind("more", "(calls.Wide, f64) -> calls.Wide"))
    made = [call(Wide(n, n=7), 0.5) for n in range(9)]
    assert made == [Wide(n + 0.5, n=7) for n in range(9)]
    assert_nothing_stays(lambda: call(made[0], 1.0))


def test_functions_without_types_take_and_give_instances(lib, classes):
    Pair, Large = classes
    twice = untyped(lib.bind("twice", "(p: calls.Pair, k: i32) -> calls.Pair"))
    result = twice(Pair(1.5, 2), 2)
    assert type(result) is Pair and result == Pair(3.0, 4)
    assert twice(jitffi.struct("calls2.Pair", "x: f64, n: i32")(1.5, 2), 2) == result  # one in C
    assert twice(jitffi.List([result])[0], 2) == Pair(6.0, 6)
    for wrong in (Large(), None, 1, (1.5, 2), object()):
        with pytest.raises(TypeError, match=r"twice: argument 1 'p': expected calls\.Pair, got"):
            twice(wrong, 2)
    assert_nothing_stays(lambda: twice(result, 2))


def test_a_key_is_of_structs_or_of_objects(classes):
    @jitffi.register_object("calls.Fielded")
    class Fielded(jitffi.Object):
        x: int

    with pytest.raises(ValueError, match=r"calls\.Fielded is the key of a registered type of objects"):
        jitffi.struct("calls.Fielded", "x: i64[100]")
    with pytest.raises(jitffi.SignatureError, match="unknown type"):
        jitffi.new("calls.Missing")
    with pytest.raises(ValueError, match=r"calls\.Pair is the key of a struct"):
        jitffi.register_object("calls.Pair")(type("Pair", (jitffi.Object,), {}))


def test_places_go_by_number(classes):
    sig = Signature.parse("(calls.Pair, i32) -> calls.Large")
    places = convention("c").places(sig, ["pair", "number"])
    assert [(where, what) for where, what, _ in places[:2]] == [("argument 1", "pair"), ("argument 2", "number")]


def test_a_struct_of_another_module_is_the_same_where_tag_and_members_are(lib, classes):
    """As C has it of what several sources declare: `c.FILE` goes where `png16.FILE` is asked for."""
    Pair, _ = classes
    text = "value: calls{}.Pair, next: ptr[calls{}.Node], many: calls{}.Pair[2]"
    other = jitffi.struct("calls2.Pair", "x: f64, n: i32")
    nodes = [jitffi.struct(f"calls{n}.Node", text.format(n, n, n)) for n in ("", 2)]
    twice = lib.bind("twice", "(p: calls.Pair, k: i32) -> calls.Pair")
    same = lib.bind("fill", "(b: ptr[const calls.Node]) -> void")
    assert twice(other(1.5, 2), 4) == Pair(6.0, 6)
    for node in (nodes[1](), jitffi.new("calls2.Node")):
        same(node)  # into bytes of it
    place = jitffi.new("ptr[calls.Node]", made := jitffi.new("calls2.Node"))
    assert place.value.address == made.address
    made.value.value = Pair(1, 2)
    assert made.value.value == other(1, 2)
    for name, members in (
        ("calls2.Pairs", "x: f64, n: i32"), ("calls3.Pair", "x: f64, m: i32"), ("calls4.Pair", "x: f64, n: u32"),
        ("calls5.Pair", "x: f64, n: i32, k: i32"), ("calls6.Pair", "x: f64, n: i32 @ 16"),
    ):  # fmt: skip
        with pytest.raises(TypeError, match=r"argument 1 'p': expected calls.Pair, got"):
            twice(jitffi.struct(name, members)(), 1)
    unlike = jitffi.struct("calls3.Node", text.format(3, 3, 3))
    with pytest.raises(TypeError, match=r"argument 1 'b': expected ptr\[const calls.Node\], got a Pointer of type"):
        same(jitffi.new(unlike))
    with pytest.raises(TypeError, match="got a Pointer of type"):
        lib.bind("fill", "(b: ptr[calls.Node]) -> void")(jitffi.cast("ptr[const calls2.Node]", made.address))
