"""Python, C and C++ do the same to each other: nine pairs that pass every kind of value, register, list, remove."""

from __future__ import annotations

import gc
import itertools
from pathlib import Path

import numpy
import pytest
from support.cxx import compiled
from support.leaks import live_objects

import jitffi

FOLDER = Path(__file__).parent / "programs"
LANGUAGES = ("py", "c", "cpp")
PAIRS = list(itertools.product(LANGUAGES, LANGUAGES))


@jitffi.register_object("three.Point")
class Point(jitffi.Object):
    x: jitffi.f64
    name: str = "p"


class Mine(LookupError):
    pass


def py_call(name, *args):
    return jitffi.get_global_func(name)(*args)


def py_caught(name, *args):
    try:
        py_call(name, *args)
    except Exception as error:
        return error
    return None


def py_change(name, *function):
    if function:
        jitffi.register_global_func(name, *function)
    else:
        jitffi.remove_global_func(name)


@jitffi.register_object("py.Point")
class PyPoint(jitffi.Object):
    x: jitffi.f64 = 1.5

    def twice(self):
        return 2 * self.x


def py_field(thing, name, *value):
    return setattr(thing, name, *value) if value else getattr(thing, name)


def py_raise(error):
    raise error.exception if isinstance(error, jitffi.Error) else error


def py_fail(kind, message):
    raise {"Mine": Mine, "ValueError": ValueError, "KeyError": KeyError}[kind](message)


@pytest.fixture(scope="module", autouse=True)
def languages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("three")
    c = compiled(FOLDER / "three_c.c", folder / "c.so", "-shared", "-fPIC", compiler="gcc")
    cpp = compiled(FOLDER / "three_cpp.cxx", folder / "cpp.so", "-shared", "-fPIC")
    modules = [jitffi.load_module(str(path)) for path in (c, cpp)]
    modules[0].start()
    python = {
        "echo": lambda value: value, "call": py_call, "caught": py_caught, "names": jitffi.list_global_func_names,
        "change": py_change, "fail": py_fail, "apply": lambda f, *args: f(*args), "make": PyPoint, "field": py_field,
        "method": lambda thing, name: getattr(thing, name)(), "raise": py_raise,
        "kind": lambda error: jitffi.Error.of(error).kind,
    }  # fmt: skip
    for name, function in python.items():
        jitffi.register_global_func(f"py.{name}", function)
    yield modules
    for name in [name for name in jitffi.list_global_func_names() if name.split(".")[0] in LANGUAGES]:
        jitffi.remove_global_func(name)


def call(language, function, *args):
    return jitffi.get_global_func(f"{language}.{function}")(*args)


VALUES = {
    "null": None, "bool": True, "int": -(2**63), "uint": 2**64 - 1, "float": 2.5, "empty": "", "short": "short",
    "long": "text that is too long for a slot", "wide": "w\u00f6rd \U0001f600" * 9, "bytes": b"\0bytes",
    "more": b"b" * 99,
    "dtype": jitffi.DataType("float32"), "device": jitffi.Device("cuda", 1),
}  # fmt: skip
OBJECTS = {
    "list": lambda: jitffi.List([1, "two", None, [3]]), "map": lambda: jitffi.Map({"a": 1, 2: [b"x"]}),
    "tuple": lambda: jitffi.Tuple((1, "two")), "shape": lambda: jitffi.Shape((2, 3)), "function": lambda: len,
    "lambda": lambda: lambda x: x, "array": lambda: jitffi.from_dlpack(numpy.arange(3.0)),
    "point": lambda: Point(1.5, "a point"), "type": lambda: Mine, "host": lambda: frozenset((1, 2)),
    "set": lambda: jitffi.Set([1, (2,)]), "module": jitffi.system_library,
    "typed": lambda: jitffi.function("(i64) -> i64")(lambda x: x + 1),
    "error": lambda: jitffi.Error("demo.Kind", "x"),
    "nested": lambda: jitffi.List([{"a": [(1, Point(1.0))]}, len]),
}  # fmt: skip


@pytest.mark.parametrize(("caller", "callee"), PAIRS)
@pytest.mark.parametrize("kind", VALUES)
def test_values(caller, callee, kind):
    back = call(caller, "call", f"{callee}.echo", VALUES[kind])
    assert back == VALUES[kind] and type(back) is type(VALUES[kind])


@pytest.mark.parametrize(("caller", "callee"), PAIRS)
@pytest.mark.parametrize("kind", OBJECTS)
def test_objects_come_back_as_themselves(caller, callee, kind):
    made = OBJECTS[kind]()
    back = call(caller, "call", f"{callee}.echo", made)
    if kind == "tuple":
        assert back == made
    else:
        assert back is made or (back == made and kind in ("list", "map", "shape", "function", "lambda"))


@pytest.mark.parametrize(("maker", "caller"), PAIRS)
def test_functions_are_passed_and_called(maker, caller):
    echo = jitffi.get_global_func(f"{maker}.echo")
    for value in [*VALUES.values(), Point(1.0)]:
        assert call(caller, "apply", echo, value) == value
    assert call(caller, "apply", lambda x: x + 1, 2) == 3
    with pytest.raises(ZeroDivisionError):
        call(caller, "apply", jitffi.get_global_func(f"{maker}.apply"), lambda: 1 / 0)


@pytest.mark.parametrize(("maker", "user"), PAIRS)
def test_objects_of_each_others_types(maker, user):
    made = call(maker, "make")
    assert call(user, "field", made, "x") == 1.5 and call(user, "method", made, "twice") == 3
    call(user, "field", made, "x", 2.5)
    assert call(user, "method", made, "twice") == 5 and call(maker, "field", made, "x") == 2.5
    with pytest.raises(TypeError, match=rf"{maker}\.Point\.x: expected f64, got str 'x'"):
        call(user, "field", made, "x", "x")
    with pytest.raises(AttributeError):
        call(user, "field", made, "y")
    with pytest.raises(AttributeError):
        call(user, "method", made, "thrice")


@pytest.mark.parametrize(("maker", "user"), PAIRS)
def test_errors_are_passed(maker, user):
    made = call(maker, "caught", f"{maker}.fail", "KeyError", "a message")
    assert call(user, "kind", made) == "KeyError"
    with pytest.raises(KeyError) as raised:
        call(user, "raise", made)
    assert raised.value.args == ("a message",)


@pytest.mark.parametrize(("caller", "callee"), PAIRS)
def test_the_registry(caller, callee):
    call(caller, "change", "three.new", jitffi.get_global_func(f"{callee}.echo"))
    assert "three.new" in list(call(callee, "names"))
    assert call(caller, "call", "three.new", 7) == 7
    taken = call(callee, "caught", f"{caller}.change", "three.new", len)
    assert "already registered" in str(getattr(taken, "message", taken))
    call(callee, "change", "three.new")
    assert "three.new" not in list(call(caller, "names"))
    with pytest.raises(ValueError, match=r"unknown global function 'three\.new'"):
        call(caller, "call", "three.new", 7)


@pytest.mark.parametrize(("caller", "callee"), PAIRS)
@pytest.mark.parametrize("kind", [ValueError, KeyError])
def test_errors(caller, callee, kind):
    with pytest.raises(kind) as raised:
        call(caller, "call", f"{callee}.fail", kind.__name__, "a message")
    assert raised.value.args == ("a message",)
    assert call(caller, "caught", f"{callee}.echo", 1) is None


@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_an_exception_of_python_is_the_same_through_all(first, second):
    raised = Mine("of Python", 3)

    def fails():
        raise raised

    jitffi.register_global_func("three.fails", fails)
    try:
        with pytest.raises(Mine) as caught:
            call(first, "call", f"{second}.call", "three.fails")
        assert caught.value is raised
    finally:
        jitffi.remove_global_func("three.fails")


def test_nothing_is_left():
    def everything():
        for caller, callee in PAIRS:
            for value in [*VALUES.values(), *(make() for make in OBJECTS.values())]:
                call(caller, "call", f"{callee}.echo", value)
            call(caller, "caught", f"{callee}.fail", "ValueError", "x" * 50)
        gc.collect()
        return live_objects()

    everything()
    assert everything() == everything()
