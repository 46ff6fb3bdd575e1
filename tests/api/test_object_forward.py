"""Annotations that name classes which are registered later, and constructors that call their base's."""

from __future__ import annotations

import inspect
import sys
import types
from typing import Optional

import pytest

import jitffi


def test_classes_that_name_each_other():
    @jitffi.register_object("tests.forward.Order", eq=False)
    class Order:
        customer: Customer | None = None
        others: list[Customer] = jitffi.field(default_factory=list)
        by_name: dict[str, Optional[Customer]] = jitffi.field(default_factory=dict)  # noqa: UP045

    assert Order().customer is None
    with pytest.raises(
        TypeError, match=r"tests.forward.Order.customer: expected optional\[tests.forward.Order.Customer\]"
    ):
        Order(3)

    @jitffi.register_object("tests.forward.Customers", eq=False)
    class Customer:
        name: str
        order: Order | None = None

    one = Customer("a")
    one.order = Order(one, [one], {"a": one, "b": None})
    assert one.order.customer is one and one.order.others[0] is one and one.order.by_name["a"] is one
    with pytest.raises(TypeError, match="got Order"):
        one.order.customer = one.order
    fields = {each.name: each.type for each in jitffi.type_info(Order).fields}
    assert fields["customer"] == "optional[tests.forward.Customers]"
    assert fields["by_name"] == "map[str, optional[tests.forward.Customers]]"
    one.order = None


def test_private_classes_that_compute_each_other():
    @jitffi.register_object("tests.forward.Even")
    class _Even:
        number: int

        @jitffi.init_property
        def below(self) -> _Odd | None:
            return _Odd(self.number - 1) if self.number > 0 else None

    @jitffi.register_object("tests.forward.Odd")
    class _Odd:
        number: int

        @jitffi.init_property
        def below(self) -> _Even:
            return _Even(self.number - 1)

    assert _Even(2).below.below.number == 0 and _Even(2).below.below.below is None


def declare(name, text):
    module = types.ModuleType(name)
    sys.modules[name] = module
    exec(f"from __future__ import annotations\nimport jitffi\n{text}", vars(module))
    return module


def test_classes_of_other_modules(request):
    names = [f"tests_forward_{letter}" for letter in "abc"]
    request.addfinalizer(lambda: [sys.modules.pop(name, None) for name in names])
    early = declare(
        names[0],
        "@jitffi.register_object('tests.forward.Holder')\nclass Holder:\n"
        "    item: ForwardItem | None\n    own: ForwardOwn | None\n",
    )
    late = declare(
        names[1],
        "@jitffi.register_object('tests.forward.Item')\nclass ForwardItem:\n    x: int\n",
    )
    assert early.Holder(late.ForwardItem(3), None).item.x == 3
    # One that is known already, from a module that the annotation's cannot import.
    again = declare(
        names[2],
        "@jitffi.register_object('tests.forward.Again')\nclass Again:\n    item: ForwardItem\n",
    )
    assert again.Again(late.ForwardItem(4)).item.x == 4
    with pytest.raises(TypeError, match=r"Again.item: expected tests.forward.Again.ForwardItem, got int 3"):
        again.Again(3)


def test_what_is_misspelt_is_told_at_once():
    with pytest.raises(TypeError, match=r"tests.forward.Wrong.x: cannot evaluate the annotation 'flaot'"):

        @jitffi.register_object("tests.forward.Wrong")
        class Wrong:
            x: flaot  # noqa: F821


@jitffi.register_object("tests.forward.Base")
class Base:
    x: int
    y: float = 2.0

    def __post_init__(self):
        self.y += 1


@jitffi.register_object("tests.forward.Middle")
class Middle(Base):
    name: str = "none"
    items: list[int] = jitffi.field(default_factory=list)
    flag: bool = jitffi.field(kw_only=True)

    def __init__(self, x):
        super().__init__(x, y=5)
        self.name = "own"


@jitffi.register_object("tests.forward.Leaf")
class Leaf(Middle):
    more: int


def test_constructors_call_their_base():
    one = Middle(4)
    assert (one.x, one.y, one.name, list(one.items), one.flag) == (4, 6.0, "own", [], False)
    leaf = Leaf(1, 2, flag=True)
    assert (leaf.x, leaf.more, leaf.y, leaf.name, leaf.flag) == (1, 2, 3.0, "none", True)

    class Derived(Base):
        def __init__(self):
            super().__init__(7)

    assert (Derived().x, Derived().y) == (7, 3.0)
    Base.__init__(one, 9, y=1.0)
    assert (one.x, one.y, one.name) == (9, 2.0, "own")
    with pytest.raises(TypeError, match="tests.forward.Base: there is no argument 'name'"):
        Base.__init__(one, 1, name="x")
    with pytest.raises(TypeError, match="tests.forward.Leaf: missing required keyword-only argument 'flag'"):
        Leaf(1, 2)
    with pytest.raises(TypeError, match="doesn't apply to a 'int' object"):
        Base.__init__(3, 9)


def test_signatures_are_told():
    assert str(inspect.signature(Base.__init__)) == "(self, /, x, y=2.0)"
    assert str(inspect.signature(Leaf.__init__)) == "(self, /, x, more, y=2.0, name='none', items=Ellipsis, *, flag)"
    assert list(inspect.signature(Leaf(1, 2, flag=True).__init__).parameters) == [
        "x",
        "more",
        "y",
        "name",
        "items",
        "flag",
    ]
