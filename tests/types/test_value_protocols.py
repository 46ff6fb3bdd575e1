"""Objects of any class that say what they are to native code."""

import ctypes
import math

import numpy
import pytest

import jitffi
from tests.support import builds

sqrt = jitffi.load_library("libm.so.6").bind("sqrt", "(f64) -> f64")
labs = jitffi.load_library(None).bind("labs", "(i64) -> i64")
echo = jitffi.convert(lambda x: x)


def saying(name, answer):
    return type("Saying", (), {name: lambda self: answer() if callable(answer) else answer})()


@pytest.mark.parametrize("prefix", ["__jitffi_", "__tvm_ffi_"])
def test_each_protocol(prefix):
    items = jitffi.List([1])
    assert echo(saying(f"{prefix}int__", 7)) == 7 and labs(saying(f"{prefix}int__", -7)) == 7
    assert echo(saying(f"{prefix}float__", 1.5)) == 1.5 and sqrt(saying(f"{prefix}float__", 4)) == 2.0
    assert echo(saying(f"{prefix}value__", "text")) == "text" and echo(saying(f"{prefix}value__", [1])) == [1]
    assert echo(saying(f"{prefix}object__", items)) is items
    assert int(echo(saying(f"{prefix}opaque_ptr__", 4096))) == 4096
    assert labs(saying(f"{prefix}value__", lambda: saying(f"{prefix}value__", -3))) == 3
    assert jitffi.List([saying(f"{prefix}value__", 3)]) == [3]


def counted(asked, **answers):
    """An object of a class with these protocols, which say so in *asked* when they are called."""

    def method(name, answer):
        return lambda self: (asked.append(name), answer)[1]

    return type("Saying", (), {f"__jitffi_{name}__": method(name, answer) for name, answer in answers.items()})()


@pytest.mark.parametrize(
    ("type_", "answers", "result", "by"),
    [
        ("str | list[i64] | f64", {"value": 3}, 3.0, "value"),
        ("i64 | str", {"int": 3, "value": "x"}, "x", "value"),
        ("any", {"int": 3, "value": "x"}, "x", "value"),
        ("f64", {"float": 2.5, "value": 4}, 4.0, "value"),
        ("f64 | str", {"int": 3, "float": 2.5}, 2.5, "float"),
        ("i64 | str | null", {"value": None}, None, "value"),
        ("null", {"value": None}, None, "value"),
        ("bool", {"value": True}, True, "value"),
        ("list[i64] | str", {"object": jitffi.List([1]), "value": "x"}, [1], "object"),
        ("i8 | str", {"int": 300}, TypeError, "int"),
        ("i64 | str", {"value": [1]}, TypeError, "value"),
        ("i64", {"int": 3, "value": "x"}, TypeError, "value"),
    ],
)
def test_one_protocol_is_asked_once(type_, answers, result, by):
    asked = []
    given = counted(asked, **answers)
    if result is TypeError:
        with pytest.raises(TypeError, match="expected .*, got Saying"):
            jitffi.convert(given, type_)
    else:
        assert jitffi.convert(given, type_) == result
    assert asked == [by]


def test_fields_of_any_type_ask():
    @jitffi.register_object("tests.value_protocols.Fields")
    class Fields:
        data: bytes = b""
        call: jitffi.Function | None = None
        text: str | None = None

    fields = Fields(data=saying("__jitffi_value__", b"x" * 30), call=saying("__jitffi_value__", lambda: len))
    fields.text = saying("__tvm_ffi_value__", "text")
    assert (fields.data, fields.call("abc"), fields.text) == (b"x" * 30, 3, "text")
    with pytest.raises(TypeError, match="Fields.data: expected bytes, got Saying"):
        fields.data = saying("__jitffi_value__", 3)


NATIVE = """
#include <stdint.h>
#include <string.h>
int64_t str_len(const char* data, size_t size) { (void)data; return (int64_t)size; }
int64_t cstr_len(int64_t more, const char* text, const char* second) {
  return more + (int64_t)(strlen(text) * 10 + strlen(second));
}
int64_t first(const unsigned char* memory) { return memory[0]; }
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
typedef struct { int32_t x; double y; } place;
double of_place(place p) { return p.x + p.y; }
double at_place(const place* p) { return p->x + p->y; }
int64_t texts_len(const char** texts, int64_t n) {
  int64_t size = 0;
  for (int64_t i = 0; i < n; i++) size = 10 * size + (int64_t)strlen(texts[i]);
  return size;
}
"""


@pytest.fixture(scope="module", params=["hot", "now"])
def native(request, tmp_path_factory):
    """The calls of what is bound in both ways: by a plan, and compiled."""
    folder = tmp_path_factory.mktemp("said")
    (folder / "said.c").write_text(NATIVE)
    builds.run("cc", "-shared", "-fPIC", "-o", folder / "said.so", folder / "said.c")
    library = jitffi.load_library(folder / "said.so")

    def bind(name, signature, **options):
        return library.bind(name, signature, compile=request.param, **options)

    return bind


def test_parameters_of_all_types_ask(native):
    text = lambda value: saying("__jitffi_value__", value)  # noqa: E731
    fresh = lambda size: lambda: "x" * size  # noqa: E731 - nobody has it but the call
    length = native("str_len", "(s: str) -> i64")
    assert length(text(fresh(300))) == 300 and length(s=text("ab")) == length(text(jitffi.String("ab"))) == 2
    lengths = native("cstr_len", "(more: i64, text: cstr, second: cstr = 'abc') -> i64")
    assert lengths(1, text(fresh(2))) == 24 and lengths(text=text(b"abc"), second=text(fresh(4)), more=0) == 34
    assert native("str_len", "(bytes) -> i64")(text(b"x" * 40)) == 40
    assert native("first", "(ptr) -> i64")(text(bytearray(b"ab"))) == 97
    assert native("first", "(const u8[n]) -> i64")(text(numpy.array([7], "u1"))) == 7
    for signature in ("(func[(i64) -> i64], i64) -> i64", "(func[(i64) -> i64], x: i64 = 3) -> i64"):
        assert native("apply", signature)(text(lambda: lambda x: x + 1), 3) == 4
    taken = {
        type_: jitffi.function(f"({type_}) -> any")(lambda x: x)
        for type_ in ("str", "bytes", "func", "tensor[f64, 1]", "module", "ucs4", "func[(i64) -> i64]")
    }
    assert taken["str"](text(text("x" * 30))) == "x" * 30 == taken["ucs4"](text(fresh(30)))
    assert (
        taken["func"](saying("__jitffi_object__", lambda: len))("abc")
        == 3
        == taken["func[(i64) -> i64]"](text(lambda: abs))(-3)
    )
    assert list(taken["tensor[f64, 1]"](text(numpy.array([1.5])))) == [1.5]
    with pytest.raises(TypeError, match="expected module, got Saying"):
        taken["module"](text(3))


Place = jitffi.struct("said.Place", "x: i32, y: f64")


def test_structs_pointers_and_arrays_of_texts_ask(native):
    value = lambda answer: saying("__jitffi_value__", answer)  # noqa: E731
    for of_place in (
        native("of_place", "(p: said.Place) -> f64"),
        native("at_place", "(p: ptr[const said.Place]) -> f64"),
    ):
        assert of_place(value(lambda: Place(1, 0.5))) == 1.5 == of_place(p=value(value(Place(1, 0.5))))
        for wrong in (3, lambda: "x"):
            with pytest.raises(TypeError, match="argument 1 'p': expected .*said.Place.*, got Saying"):
                of_place(value(wrong))
        with pytest.raises(KeyError):
            of_place(value(lambda: {}[1]))
        with pytest.raises(TypeError, match="got object"):
            of_place(object())
    first = native("first", "(ptr[const u8]) -> i64")
    assert first(value(lambda: jitffi.new("u8[2]", [7, 8]))) == 7
    length = native("texts_len", "(texts: cstr[n], n: i64) -> i64")
    assert length(value(lambda: ["a" * 3, b"b"])) == 31 == length([value(lambda: "a" * 3), "b"])
    with pytest.raises(TypeError, match="argument 1 'texts': item 1: expected cstr, got Saying"):
        length(["a", value(1)])
    with pytest.raises(TypeError, match=r"argument 1 'texts': expected cstr\[n\], got Saying"):
        length(value(1))


def test_what_has_the_wrong_text_is_refused_by_its_own_name(native):
    asked = []
    for name, signature in (
        ("str_len", "(s: str) -> i64"),
        ("str_len", "(s: bytes) -> i64"),
        ("first", "(s: ptr) -> i64"),
    ):
        function = native(name, signature)
        with pytest.raises(
            TypeError, match=rf"{name}: argument 1 's': expected {signature[4:].split(')')[0]}, got Saying$"
        ):
            function(counted(asked, value=2.5, int=3))
        with pytest.raises(TypeError, match=r"got object$"):
            function(object())
        with pytest.raises(KeyError):
            function(saying("__jitffi_value__", lambda: {}[1]))
    assert asked == ["value"] * 3
    lengths = native("cstr_len", "(i64, cstr, cstr) -> i64")
    with pytest.raises(TypeError, match="argument 3: expected cstr, got float 1.5"):
        lengths(1, saying("__jitffi_value__", "a"), 1.5)
    with pytest.raises(ValueError, match="argument 2: expected cstr without NUL"):
        lengths(1, saying("__jitffi_value__", "a\0"), "b")
    with pytest.raises(RecursionError):
        circle = type("Circle", (), {"__jitffi_value__": lambda self: type(self)()})
        lengths(1, circle(), "b")


def test_results_that_are_text_say_it():
    for type_, value in (("str", "x" * 40), ("ucs4", "x" * 40), ("bytes", b"x" * 40), ("str", jitffi.String("abc"))):
        made = jitffi.function(f"() -> {type_}")(lambda value=value: saying("__jitffi_value__", value))
        assert made() == value
        with pytest.raises(TypeError, match=f"result: expected {type_}, got Saying"):
            jitffi.function(f"() -> {type_}")(lambda: saying("__jitffi_value__", 3))()


@pytest.mark.parametrize("way", ["now", "never"], indirect=True)
def test_results_that_are_pointers_say_it(way):
    numbers = jitffi.new("f64[4]")
    for value in (numbers, ctypes.pointer(ctypes.c_double(3))):
        for type_ in ("ptr[f64]", "ptr[const f64]", "optional[ptr[f64]]"):
            found = jitffi.function(f"() -> {type_}")(lambda value=value: saying("__jitffi_value__", value))()
            assert found.address == (ctypes.addressof(value.contents) if value is not numbers else numbers.address)


@pytest.mark.parametrize("way", ["now", "never"], indirect=True)
def test_one_object_for_two_parameters_says_to_each_what_that_takes(way):
    class Both:
        def __index__(self) -> int:
            return 7

        def __jitffi_value__(self) -> str:
            return "seven"

    def joined(n: jitffi.i64, first: str, second: str = "") -> str:
        return f"{n} {first} {second}"

    both, call = Both(), jitffi.function(joined)
    assert call(both, both, both) == call(both, second=both, first=both) == "7 seven seven"


@pytest.mark.parametrize("way", ["now", "never"], indirect=True)
def test_results_that_are_copied_say_it_and_their_function_is_called_once(way):
    @jitffi.struct("tests.said.Pair")
    class Pair:
        x: jitffi.f64
        y: jitffi.i32

    for type_, value in (("cstr", "abc"), ("cstr", "x" * 500), ("tests.said.Pair", Pair(1.5, 2))):
        calls = []

        def returns(text, value=value, calls=calls):
            calls.append(text)
            return saying("__jitffi_value__", lambda: saying("__jitffi_value__", value))

        signature = f"(text: cstr) -> {type_}"
        made = jitffi.Function(jitffi.function(signature)(returns))
        native = jitffi.Function.from_native(made.native_address, signature, name="native")
        packed = jitffi.Function.from_packed(
            made.packed_address, name="packed", signature=signature, self_handle=made.handle, keep_alive=made
        )
        for call in (made, native, packed):
            assert call(saying("__jitffi_value__", "x")) == value
        assert calls == ["x"] * 3
        with pytest.raises(TypeError, match=f"result: expected {type_}, got Saying"):
            jitffi.function(f"() -> {type_}")(lambda: saying("__jitffi_value__", 3))()


def test_what_code_in_c_raises_is_no_refusal_of_a_union():
    for name in ("__jitffi_value__", "__dlpack__"):
        exporter = type("Exporter", (), {name: staticmethod(math.sqrt), "__dlpack_device__": lambda self: (1, 0)})()
        for type_ in ("ndarray | str", "str | list[ndarray]"):
            with pytest.raises(TypeError, match="exactly one argument"):
                jitffi.convert(exporter if "list" not in type_ else [exporter], type_)
    with pytest.raises(TypeError, match=r"expected i64 \| str, got numpy.ndarray"):
        jitffi.convert(numpy.zeros(2), "i64 | str")  # whose __index__ says no


def test_data_types():
    assert echo(saying("__dlpack_data_type__", (2, 32, 1))) == jitffi.DataType("float32")


def test_dtypes_of_numpy():
    for name in ("float32", "int8", "bool", "complex64"):
        found = echo(numpy.dtype(name))
        assert type(found) is jitffi.DataType and found == name
    assert jitffi.List([numpy.dtype("f4")])[0] == jitffi.DataType("f32")
    for other in (numpy.dtype("O"), numpy.dtype([("x", "i4")]), numpy.dtype(">i4"), numpy.float32):
        assert echo(other) is other


def test_streams_of_cuda():
    stream = saying("__cuda_stream__", (0, 4096))
    assert echo(stream) == 4096 and jitffi.function("(x: ptr) -> u64")(lambda x: x or 0)(stream) == 4096
    with pytest.raises(TypeError):
        echo(saying("__cuda_stream__", (0, "4096")))


def test_devices():
    cuda = jitffi.Device("cuda:1")
    assert echo(saying("__dlpack_device__", (2, 1))) == cuda
    taken = jitffi.function("(x: device, y: dtype) -> any")(lambda x, y: (x, y))
    assert tuple(taken(saying("__dlpack_device__", (2, 1)), saying("__dlpack_data_type__", (2, 32, 1)))) == (
        cuda,
        jitffi.DataType("float32"),
    )
    with pytest.raises(TypeError, match="expected device, got Saying"):
        taken(saying("__dlpack_data_type__", (2, 32, 1)), "f32")
    with pytest.raises(OverflowError, match="gave more than 32 bits"):
        echo(saying("__dlpack_device__", (2**40, 1)))


@pytest.mark.parametrize(
    ("type_", "name", "answer", "result"),
    [
        ("dtype", "value", "f32", jitffi.DataType("float32")),
        ("dtype", "value", numpy.dtype("i8"), jitffi.DataType("int64")),
        ("device", "value", "cuda:1", jitffi.Device("cuda:1")),
        ("i128", "int", 2**100, 2**100),
        ("u128", "value", 7, 7),
        ("c128", "value", 1j, 1j),
        ("c64", "float", 2.5, 2.5),
    ],
)
def test_names_and_wide_numbers_are_said(type_, name, answer, result):
    say = f"__jitffi_{name}__"
    assert jitffi.convert(saying(say, answer), type_) == result
    assert jitffi.convert(saying("__jitffi_value__", lambda: saying(say, answer)), type_) == result
    for wrong, error in (([], TypeError), (lambda: 1 // 0, ZeroDivisionError)):
        with pytest.raises(error):
            jitffi.convert(saying(say, wrong), type_)


def test_what_is_never_what_was_asked_for():
    with pytest.raises(TypeError, match="sqrt: argument 1: expected f64, got Saying"):
        sqrt(saying("__jitffi_value__", "text"))
    with pytest.raises(TypeError):
        labs(saying("__jitffi_int__", "7"))
    with pytest.raises(TypeError):
        labs(saying("__jitffi_float__", 7.0))


@pytest.mark.parametrize("call", [echo, sqrt, labs, lambda x: jitffi.List([x])], ids=["any", "f64", "i64", "item"])
def test_exceptions_come_out_and_circles_end(call):
    class Raising:
        def __jitffi_value__(self):
            raise KeyError("mine")

    class Circle:
        def __jitffi_value__(self):
            return Circle()

    class Itself:
        def __jitffi_value__(self):
            return self

    with pytest.raises(KeyError, match="mine"):
        call(Raising())
    with pytest.raises(RecursionError):
        call(Circle())
    with pytest.raises(TypeError, match="gave the object itself"):
        call(Itself())
