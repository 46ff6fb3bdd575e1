"""Objects of any class that say what they are to native code."""

import math

import numpy
import pytest

import jitffi

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
