"""How long objects with fields live: while Python or native code has them, with all that Python knows of them."""

import gc
import threading
import weakref

import pytest

import jitffi
from jitffi import _core
from jitffi.base import config


@jitffi.register_object("tests.life.Node", eq=False, attributes=True)
class Node:
    name: str
    next: "Node | None" = None
    items: list = jitffi.field(default_factory=list)
    any: object = None


@jitffi.register_object("tests.life.Leaf")
class Leaf:
    value: int


@jitffi.register_object("tests.life.Failing")
class Failing:
    a: list = jitffi.field(default_factory=lambda: 1 // 0)


class Derived(Node):
    pass


class Loud(Node):
    ended = []

    def __del__(self):
        Loud.ended.append(self.name)


@pytest.fixture(autouse=True)
def nothing_is_left():
    gc.collect()
    jitffi.collect_cycles()  # what other tests have left
    before = _core.live_objects()
    yield
    Loud.ended.clear()
    gc.collect()
    assert jitffi.collect_cycles() == 0 and _core.live_objects() == before


def test_identity_and_attributes_stay_while_native_code_has_it():
    one = Derived("a")
    one.more = [1]
    number, holder = id(one), jitffi.List([one])
    del one
    gc.collect()
    again = holder[0]
    assert id(again) == number and type(again) is Derived and again.more == [1]
    assert jitffi.Map({"k": again})["k"] is again


def test_weak_references_see_the_end_only():
    ended = []
    one = Node("a")
    reference = weakref.ref(one, lambda _: ended.append(1))
    holder = jitffi.List([one])
    del one
    assert ended == [] and holder[0] is reference()
    holder.clear()
    assert ended == [1] and reference() is None


def test_the_finaliser_runs_once_at_the_end():
    one = Loud("a")
    holder = jitffi.List([one])
    del one
    assert Loud.ended == []
    for _ in range(3):
        assert holder[0].name == "a"
    holder.clear()
    assert Loud.ended == ["a"]


def test_a_finaliser_may_save_its_object():
    saved = jitffi.List()

    class Saving(Node):
        def __del__(self):
            saved.append(self)

    Saving("a")
    assert saved[0].name == "a" and type(saved[0]) is Saving
    saved.clear()


def test_cycles_of_fields():
    one = Node("a")
    one.next = Node("b", one)
    reference = weakref.ref(one)
    del one
    gc.collect()
    assert reference() is None


def test_cycles_through_attributes():
    one = Node("a")
    one.more = {"me": one}
    two = Node("b")
    two.holder = jitffi.List([two])
    references = [weakref.ref(one), weakref.ref(two)]
    del one, two
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None, None]


def test_cycles_through_containers_and_python_objects():
    class Plain:
        pass

    one, plain = Node("a"), Plain()
    one.any, plain.node = plain, one
    two = Node("b")
    two.items.append([two])
    references = [weakref.ref(one), weakref.ref(two), weakref.ref(plain)]
    del one, two, plain
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None, None, None]


def test_cycles_through_functions():
    """What a Python function closes over is seen through the function object that a field, list or map holds."""

    def closing_over(value):
        return lambda: value

    one, two, three = Node("a"), Node("b"), Node("c")
    one.any = closing_over(one)
    two.items.append(closing_over(two))
    three.any = jitffi.Map({"k": [closing_over(three)]})
    assert one.any() is one and three.any["k"][0]() is three
    functions = jitffi.List()
    functions.append(closing_over(functions))
    references = [weakref.ref(each) for each in (one, two, three, functions)]
    del one, two, three, functions
    gc.collect()
    gc.collect()
    assert [each() for each in references] == [None] * 4


def test_what_others_have_is_not_cleared():
    one = Node("a")
    one.more = {"me": one}
    one.items = [1]
    holder = jitffi.List([one])
    del one
    gc.collect()
    assert holder[0].more["me"] is holder[0] and holder[0].items == [1]
    holder[0].more.clear()


def test_deep_chains():
    last = None
    for i in range(200_000):
        last = Node(str(i), last)
    assert last.next.next.name == "199997"
    del last
    lists = jitffi.List()
    for _ in range(100_000):
        lists = jitffi.List([Node("n", None, lists)])
    del lists


def test_a_chain_with_finalisers_ends():
    last = None
    for i in range(5000):
        last = Loud(str(i), last)
    del last
    assert len(Loud.ended) == 5000


def test_ends_on_other_threads():
    holders = [jitffi.List([Derived(str(i)) for i in range(100)]) for _ in range(4)]
    references = [weakref.ref(each) for holder in holders for each in holder]
    threads = [threading.Thread(target=holder.clear) for holder in holders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each() is None for each in references)


def test_released_without_the_lock():
    """The last reference is dropped without the interpreter's lock: the instance ends with the next one who has it."""
    one = Derived("a")
    one.more = 1
    reference = weakref.ref(one)
    address = one.handle
    library = config.library_dir() / "libjitffi_runtime.so"
    if not library.exists():
        pytest.skip("no shared runtime beside this build")
    runtime = jitffi.load_library(library)  # a copy: what it counts is the object's own
    retain = runtime.bind("jf_object_retain", "(ptr) -> void")
    release = runtime.bind("jf_object_release", "(ptr) -> void", nogil=True)
    retain(address)
    del one
    assert reference() is None  # it sleeps
    release(address)
    gc.collect()
    assert reference() is None


def test_values_that_fail_leave_the_object_as_it_was():
    one = Leaf(1)

    class Bad:
        def __index__(self):
            raise KeyError("no")

    with pytest.raises(KeyError):
        one.value = Bad()
    with pytest.raises(KeyError):
        Leaf(Bad())
    assert one.value == 1
    with pytest.raises(TypeError):
        Node("a", 3)
    with pytest.raises(ZeroDivisionError):
        Failing()


def test_a_million_of_each_grow_by_nothing():
    def round_():
        for i in range(2000):
            one = Node("a text that no slot has room for", Node("b"), [i], {"k": Leaf(i)})
            one.more = one.next
            one.any = one.items
            holder = jitffi.List([one, Leaf(i)])
            del one
            assert holder[0].next.name == "b"

    round_()
    gc.collect()
    before = _core.live_objects()
    for _ in range(5):
        round_()
    gc.collect()
    assert _core.live_objects() == before


def test_a_class_is_asked_with_a_value_of_another():
    with pytest.raises(TypeError, match="descriptor 'name'"):
        Node.name.__get__(Leaf(1))
    with pytest.raises(TypeError, match="descriptor 'name'"):
        Node.name.__set__(Leaf(1), "a")
    with pytest.raises(TypeError):
        Node.name.set(3, "a")
    assert repr(Node.name).startswith("<field name: str of ")


def test_del_is_called_for_objects_of_programs_alone() -> None:
    ended: list[int] = []

    @jitffi.register_object("test.lifetimes.Finalized")
    class Finalized(jitffi.Object):
        value: int = 3

        def __del__(self) -> None:
            ended.append(self.value)

    assert ended == []  # of the one that the class looks at its defaults by
    holder = jitffi.List([Finalized(7)])
    for _ in range(3):
        assert holder[0].value == 7
    assert ended == []  # it sleeps meanwhile
    del holder
    gc.collect()
    assert ended == [7]


@jitffi.register_object("tests.lifetimes.Moved", eq=False)
class Moved:
    text: str = "text that is too long for a slot"
    other: object = None


def test_an_object_that_is_moved_stays_within_its_python_object():
    kept = jitffi.List()
    take = jitffi.function("(any) -> any")(lambda value: value)
    for use in (jitffi.convert, kept.append, take, jitffi.to_json, lambda moved: Moved(other=moved)):
        for _ in range(40):
            one = Moved()
            use(one._move())
            assert one.text == Moved().text and not jitffi.List([one])[0].other
            del one
            gc.collect(0)
    assert all(each.text == Moved().text for each in kept)


def test_a_field_is_given_what_it_has():
    @jitffi.register_object("tests.object_lifetimes.Link", eq=False)
    class Link:
        next: object = None
        other: "Link | None" = None

    @jitffi.register_object("tests.object_lifetimes.Fixed", eq=False, frozen=True)
    class Fixed:
        link: Link

    last = Link()
    first, fixed, alive = Link(last, last), Fixed(last), weakref.ref(last)
    for _ in range(3):
        first.next = last
        first.other = last
    assert first.next is last and first.other is last
    with pytest.raises(AttributeError, match="link: it is read-only"):
        fixed.link = last
    first.next, first.other = None, Link()
    assert first.next is None and first.other is not last and fixed.link is last
    del last
    assert fixed.link is alive()
    del fixed
    gc.collect()
    assert alive() is None
