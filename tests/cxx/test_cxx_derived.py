"""Python classes that derive from C++ classes whose constructors take arguments."""

from __future__ import annotations

import copy
import dataclasses
import gc
import pickle
import threading
import weakref
from pathlib import Path

import pytest
from support.cxx import compiled
from support.leaks import live_objects

import jitffi

LONG = "a text that no slot has room for"


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    source = Path(__file__).parent / "programs" / "derived.cxx"
    made = compiled(source, tmp_path_factory.mktemp("derived") / "derived.so", "-shared", "-fPIC")
    return jitffi.load_module(str(made))


@pytest.fixture(scope="module")
def Shape(library):
    @jitffi.register_object("derived.Shape")
    class Shape:
        pass

    return Shape


@pytest.fixture(scope="module")
def Group(library):
    @jitffi.register_object("derived.Group")
    class Group:
        members: list  # told again, for who reads it
        limit: int

    with pytest.raises(
        ValueError, match=r"derived.Group is .* native code, without a field 'lid': it has members, lim"
    ):
        jitffi.register_object("derived.Group")(type("Group", (), {"__annotations__": {"lid": int}}))
    with pytest.raises(
        TypeError, match=r"derived.Group is .* native code, .*: not order=True, frozen=True, kw_only=True"
    ):
        jitffi.register_object("derived.Group", frozen=True, order=True, kw_only=True)(type("Group", (), {}))
    return Group


@pytest.fixture(autouse=True)
def none_stays(Shape):
    before = Shape.alive()
    yield
    gc.collect()
    gc.collect()
    assert Shape.alive() == before


def test_the_native_part_is_made_by_its_constructor(library, Shape):
    class Mine(Shape):
        def __init__(self, side, note):
            self.note = note
            super().__init__(side, side)
            self.later = self.area()

    mine = Mine(3, "n")
    assert (mine.width, mine.height, mine.note, mine.later, library.area(mine)) == (3, 3, "n", 9, 9)
    assert isinstance(mine, Shape) and isinstance(mine, jitffi.Object) and type(mine) is Mine
    assert mine.name == "a name that no slot has room for" and Shape.alive() == 1
    mine.width = 5
    assert library.area(mine) == 15 and repr(mine).startswith("Shape(width=5.0, height=3.0")
    with pytest.raises(AttributeError):
        mine.height = 1
    kept, number, reference = library.keep(mine), id(mine), weakref.ref(mine)
    del mine
    gc.collect()
    assert id(kept()) == number and kept() is reference() and type(kept()) is Mine and kept().note == "n"
    del kept
    assert reference() is None and Shape.alive() == 0


def test_without_a_constructor_of_its_own(library, Shape):
    class Plain(Shape):
        pass

    class Deeper(Plain):
        __slots__ = ("more",)

    assert Plain(2, 3).area() == 6 and Deeper(2, 3).area() == 6
    deeper = Deeper(1, 1)
    deeper.more = deeper
    assert Shape(2, 3).area() == 6


def test_fields_beside_the_native_ones(library, Shape):
    @jitffi.register_object("derived.Named")
    class Named(Shape):
        label: str
        tags: list[int] = jitffi.field(default_factory=list)

    @jitffi.register_object("derived.Own", attributes=True)
    class Own(Shape):
        label: str = "none"

        def __init__(self, side):
            super().__init__(side, side)
            assert self.label == "none"
            self.label = str(side)

    named = Named(2, 3, label="l")
    assert (named.area(), named.label, list(named.tags), named.width) == (6, "l", [], 2)
    assert library.keep(named)() is named and Own(2).label == "2" and Own(2).area() == 4
    assert jitffi.type_info("derived.Named").fields[-1].name == "tags"
    with pytest.raises(TypeError, match=r"derived\.Named: missing required argument 'label'"):
        Named(1, 2)
    with pytest.raises(TypeError, match="there is no argument 'x'"):
        Named(1, 2, label="a", x=1)
    with pytest.raises(TypeError, match="takes arguments by position, not 'width'"):
        Named(1, width=2, label="a")
    with pytest.raises(TypeError, match=r"derived\.Named\.label: expected str, got int 3"):
        Named(1, 2, label=3)


def test_new_of_derived_classes(Shape):
    class Mine(Shape):
        def __new__(cls, *args):
            made = super().__new__(cls)
            assert "is not constructed" in repr(made)
            return made

    assert Mine(2, 3).area() == 6 and type(Mine(1, 1)) is Mine
    with pytest.raises(TypeError):
        Shape.__new__(int)
    with pytest.raises(TypeError):
        object.__new__(Mine)


def test_who_has_not_called_it(library, Shape):
    class Forgets(Shape):
        seen: list = []

        def __init__(self):
            self.seen.append(self)

    with pytest.raises(TypeError, match=r"Forgets\.__init__ has not called super\(\)\.__init__"):
        Forgets()
    for one in (Forgets.seen.pop(),):
        for use in (
            lambda one=one: one.width, lambda one=one: setattr(one, "width", 1), lambda one=one: one.area(),
            lambda one=one: library.area(one), lambda one=one: jitffi.List([one]), lambda one=one: hash(one),
            lambda one=one: one.handle, lambda one=one: copy.copy(one), lambda one=one: library.keep(one),
            lambda one=one: one.type_key, lambda one=one: jitffi.structural_hash(one), lambda one=one: one.ref_count,
            lambda one=one: jitffi.to_json([one]), lambda one=one: one._move(), lambda one=one: one.same_as(one),
        ):  # fmt: skip
            with pytest.raises((ValueError, TypeError)):
                use()
        assert "is not constructed" in repr(one) and one == one
        one.note = one
        one.__init__ = None
        Shape.__init__(one, 1, 2)
        assert one.area() == 2
        with pytest.raises(TypeError, match="constructed already"):
            Shape.__init__(one, 1, 2)


def test_errors_of_the_constructor(library, Shape):
    class Tries(Shape):
        def __init__(self):
            for wrong in ((-1, 2), (1,), ("x", 1), (1, 2, 3), ()):
                with pytest.raises((ValueError, TypeError)):
                    super().__init__(*wrong)
            super().__init__(1, 2)

    assert Tries().area() == 2

    class Fails(Shape):
        def __init__(self):
            super().__init__(1, 2)
            raise KeyError("later")

    class Returns(Shape):
        def __init__(self):
            super().__init__(1, 2)
            return 1

    class Within(Shape):
        def __init__(self):
            within = self

            class Number:
                def __float__(self):
                    Shape.__init__(within, 1, 2)
                    return 1.0

                __index__ = __float__

            super().__init__(Number(), 1)

    with pytest.raises(ValueError, match="a negative width"):
        type("Direct", (Shape,), {})(-1, 2)
    for wrong, error in ((Fails, KeyError), (Returns, TypeError), (Within, TypeError)):
        with pytest.raises(error):
            wrong()


def test_objects_that_hold_others(Group):
    class Mine(Group):
        def __init__(self, *members):
            super().__init__(3, list(members))

    one = Mine(1, 2)
    assert list(one.members) == [1, 2] and one.limit == 3
    one.members.append(one)
    one.me = one
    two = Mine(one)
    one.members.append(two)
    references = [weakref.ref(one), weakref.ref(two)]
    del one, two
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None, None]
    assert copy.copy(Mine(1)).limit == 3


def test_a_class_of_arguments_alone_is_copied_by_its_copy_constructor(library):
    token = jitffi.type_info("derived.Token").cls(3)
    token.next = token
    for made in (copy.copy(token), copy.deepcopy(token), token.__replace__(n=3)):
        assert made is not token and (made.n, made.told()) == (3, "no 3")
        assert made.next is (made if made.next is not token else token)
    assert copy.deepcopy(token).next is not token and token.__replace__(n=4).n == 4
    with pytest.raises(TypeError):
        pickle.dumps(token)
    with pytest.raises(TypeError, match="derived.Token: its native constructor takes arguments by position, not 'n'"):
        dataclasses.replace(token, n=4)

    @jitffi.register_object("derived.py.Named")
    class Named(type(token)):
        name: str = ""

    for cls in (Named, type("Mine", (type(token),), {})):
        with pytest.raises(
            TypeError, match=f"{cls.__name__} does not support copying: only the C.. class that it derives"
        ):
            copy.copy(cls(3))


def test_a_reference_that_a_class_of_arguments_leaves_null_takes_none_whatever_it_holds(library):
    cls = jitffi.type_info("derived.Token").cls
    token = cls(1)
    token.next = cls(2)
    token.next = None
    assert token.next is None and token.__replace__(next=token).__replace__(next=None).next is None


def test_the_class_of_a_native_type_has_a_constructor_of_its_own(library):
    native = jitffi.type_info("derived.Token").cls  # which is there before the class is declared

    @jitffi.register_object("derived.Token")
    class Token:
        def __init__(self, n, twice=False):
            if n >= 0:
                self.__jitffi_init__(2 * n if twice else n)

    class Named(Token):
        def __init__(self, name):
            super().__init__(len(name), twice=True)

    assert Token is native and (Token(3).n, Named("four").told()) == (3, "no 8") and Token.__ffi_init__
    with pytest.raises(TypeError, match="Token.__init__ has not called self.__jitffi_init__"):
        Token(-1)
    with pytest.raises(TypeError, match="derived.Token: argument 1: expected i64, got str 'x'"):
        type("Wrong", (Token,), {"__init__": lambda self: self.__ffi_init__("x")})()


def test_a_reference_that_is_told_to_be_nullable_takes_none_before_any_was_null(library):
    cls = jitffi.type_info("derived.Group").cls
    group = cls(members=[1], limit=2)
    group.members = None
    assert group.members is None and jitffi.type_info(cls).fields[0].type == "optional[list]"
    with pytest.raises(TypeError, match=r"derived.Group.members: expected optional\[list\], got int 3"):
        group.members = 3


def test_what_the_constructor_without_arguments_has_made_goes_when_arguments_take_its_place(library):
    cls = jitffi.type_info("derived.Link").cls

    @jitffi.script
    def named(name: str) -> object:
        return cls(name=name + "!")

    makers = (lambda: cls(1, None, [], LONG), lambda: cls(all=[]), lambda: cls(name="x"), lambda: named(LONG))
    for make in makers:
        assert isinstance(make(), cls)
        before = live_objects()
        for _ in range(20):
            make()
        assert live_objects() == before


def test_a_reference_that_cxx_leaves_null_takes_none(library):
    cls = jitffi.type_info("derived.Link").cls
    link = cls()
    assert link.next is None and cls(2, None).next is None
    other = dataclasses.replace(link, n=5)
    assert (other.n, other.next) == (5, None) and other is not link
    link.next = other
    assert dataclasses.replace(link).next is other
    link.next = None
    assert link.next is None
    with pytest.raises(TypeError, match="derived.Link.all: expected list.*got None"):
        link.all = None
    with pytest.raises(TypeError, match="derived.Link.next: expected derived.Link, got int 3"):
        link.next = 3


def test_what_cannot_be_made_without_arguments(Shape):
    shape = Shape(1, 2)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps, jitffi.to_json):
        with pytest.raises((TypeError, ValueError, pickle.PicklingError)):
            attempt(shape)
    with pytest.raises(
        TypeError, match="derived.Shape does not support copying: its C.. class is not copy-constructible"
    ):
        copy.copy(shape)
    opaque = jitffi.type_info("derived.Opaque")
    assert opaque.parent.key == "derived.Shape"


def test_fields_of_a_frozen_class_are_read_only_in_a_derived_one_and_both_are_pickled_by_key(library):
    line = jitffi.type_info("derived.Line").cls(3.0, n=4)
    line.n = 5
    with pytest.raises(AttributeError, match=r"derived\.\w+\.x: it is read-only"):
        line.x = 1.0
    assert line.x == 3.0 and type(pickle.loads(pickle.dumps(line))) is type(line)
    assert pickle.loads(pickle.dumps([line, line]))[1] == line
    with pytest.raises(ValueError, match="no type of objects with the key 'derived.Lime'"):
        pickle.loads(pickle.dumps(line, 0).replace(b"derived.Line", b"derived.Lime"))


def test_a_derived_class_of_cxx_that_makes_itself(library, Shape):
    @jitffi.register_object("derived.Opaque")
    class Opaque(Shape):
        pass

    assert Opaque().area() == 0.5 and Opaque(width=3).area() == 3


def test_on_many_threads(library, Shape):
    class Mine(Shape):
        def __init__(self, i):
            self.i = i
            super().__init__(i, i)

    def work():
        held = [library.keep(Mine(i)) for i in range(300)]
        assert [each().i for each in held] == list(range(300))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
