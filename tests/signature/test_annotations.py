"""jitffi/signature/annotations.py: Python functions are read as signatures."""

# ruff: noqa: UP006, UP007, UP035, UP045 - every spelling of a union is under test

import collections.abc
import ctypes
import functools
import inspect
import subprocess
import sys
import types
import typing
from typing import Annotated, Any, Callable, Optional, Union  # noqa: UP035

import numpy as np
import numpy.typing
import pytest
from support.bare import PRELUDE

import jitffi
from jitffi.base.errors import SignatureError
from jitffi.signature.annotations import of
from jitffi.signature.model import TYPES, Signature, optional
from jitffi.signature.text import parse
from jitffi.signature.text_signature import annotation as shown_as

i8, i32, f32, cstr, void = (TYPES[name] for name in ("i8", "i32", "f32", "cstr", "void"))

# Without site-packages nothing is loaded that we did not ask for; the package itself must be found all the same.


def make(annotation):
    def f(x): ...

    f.__annotations__["x"] = annotation
    return f


@pytest.mark.parametrize(
    ("annotation", "text"),
    [
        (int, "i64"),
        (float, "f64"),
        (bool, "bool"),
        (str, "str"),
        (bytes, "bytes"),
        (object, "any"),
        (Any, "any"),
        (i8, "i8"),
        (optional(cstr), "optional[cstr]"),
        (i8 | None, "optional[i8]"),
        (Optional[int], "optional[i64]"),
        (Optional["int"], "optional[i64]"),
        (Union[None, str], "optional[str]"),
        (Union[int, str], "i64 | str"),
        (Union[int, list[int | str], None], "i64 | list[i64 | str] | null"),
        (int | None, "optional[i64]"),
        (Optional[Any], "optional[any]"),
        (Annotated[int, "doc", i32], "i32"),
        (Annotated[str, "doc"], "str"),
        (Annotated[int, "u32"], "u32"),
        (Annotated[int, "doc", "u32", i32], "u32"),
        (Annotated[float, "metres, in [0, 1]"], "f64"),
        (Annotated[float, "see f32[n] of the paper [1]"], "f64"),
        (Annotated[float, "[0, 1]"], "f64"),
        (np.ndarray[Any, np.dtype[np.complex64]], "tensor[c64]"),
        (Annotated[Any, "const f64[n @ inc]"], "const f64[n @ inc]"),
        (Annotated[Any, " ptr[ const f32 ]"], "ptr[const f32]"),
        (Optional[Annotated[Any, "ptr[i32]"]], "optional[ptr[i32]]"),
        ("Annotated[Any, 'f32[n]']", "f32[n]"),
        (Annotated[Optional[int], i8 | None], "optional[i8]"),
        (Optional[Annotated[int, i8]], "optional[i8]"),
        (Optional[Annotated[int, i8 | None]], "optional[i8]"),
        (callable, "func"),
        (Callable, "func"),
        (collections.abc.Callable, "func"),
        (Callable[..., int], "func"),
        (Callable[[], None], "func[() -> void]"),
        (Callable[[int, Optional[str]], float], "func[(i64, optional[str]) -> f64]"),
        (collections.abc.Callable[[int, "float"], "bool"], "func[(i64, f64) -> bool]"),
        (Optional[Callable[[Callable[[int], int]], None]], "optional[func[(func[(i64) -> i64]) -> void]]"),
        (types.new_class("Function", exec_body=lambda ns: ns.update(__module__="jitffi.api.functions")), "func"),
        (types.new_class("Function", exec_body=lambda ns: ns.update(__module__="jitffi")), "func"),
        (types.new_class("Object", exec_body=lambda ns: ns.update(__module__="jitffi._core")), "object"),
        (list, "list"),
        (dict, "map"),
        (set, "set"),
        (frozenset[str], "set[str]"),
        (jitffi.Set[int], "set[i64]"),
        (tuple, "tuple"),
        (typing.List, "list"),
        (typing.Tuple, "tuple"),
        (list[int], "list[i64]"),
        (list[i8], "list[i8]"),
        (typing.List[int], "list[i64]"),
        (dict[str, list[float]], "map[str, list[f64]]"),
        (tuple[int, "str"], "tuple[i64, str]"),
        (tuple[int, ...], "tuple[i64, ...]"),
        (Optional[list[Optional[bytes]]], "optional[list[optional[bytes]]]"),
        (types.new_class("List", exec_body=lambda ns: ns.update(__module__="jitffi")), "list"),
        (types.new_class("Map", exec_body=lambda ns: ns.update(__module__="jitffi")), "map"),
        (ctypes.c_void_p, "ptr"),
        (ctypes.c_char_p, "cstr"),
        (ctypes.c_uint32, "u32"),
        (Optional[ctypes.c_longlong], "optional[i64]"),
        (ctypes.c_float, "f32"),
        (np.int8, "i8"),
        (np.uint16, "u16"),
        (np.int32, "i32"),
        (np.uint64, "u64"),
        (np.longlong, "i64"),
        (np.float16, "f16"),
        (np.float32, "f32"),
        (np.float64, "f64"),
        (np.bool_, "bool"),
        ("int", "i64"),
        ("i32 | None", "optional[i32]"),
        ("typing.Optional[np.float32]", "optional[f32]"),
        ("'int'", "i64"),
        (np.typing.NDArray[np.float64], "tensor[f64]"),
        (np.typing.NDArray[np.bool_] | None, "optional[tensor[bool]]"),
    ],
)  # fmt: skip
def test_annotations_have_types(annotation, text):
    assert str(of(make(annotation)).params[0].type) == text


@pytest.mark.parametrize(
    ("annotation", "message"),
    [
        (bytearray, "no type for the annotation bytearray"),
        (set[list], r"no type for the annotation set\[list\]: list cannot be the type of a set's items"),
        (list[bytearray], r"no type for the annotation list\[bytearray\], because of bytearray"),
        (dict[list, int], r".* list cannot be the type of a map's keys"),
        (tuple[()], "no type for the annotation tuple"),
        (list[None], r".* list\[...\] cannot hold void"),
        (Union[int, complex], ".*no union holds c128: it stands for what the runtime knows by name"),
        (
            Optional[bytearray],
            r"no type for the annotation (typing.Optional\[bytearray\]|bytearray \| None), because of bytearray",
        ),
        (Callable[[bytearray], int], r".* because of bytearray"),
        (Callable[[None], int], r".* because of NoneType"),
        (Optional[Annotated[int, void]], r".*: optional\[void\] is no type"),
        (Annotated[Any, "f32[n"], r"no type for the annotation .*: expected ']'.*\nf32\[n\n     \^"),
        (Annotated[Any, "f33[n]"], r"no type for the annotation .*: unknown type 'f33'.*\nf33\[n\]\n\^\^\^"),
        (ctypes.c_wchar, r"no type for the annotation ctypes.c_wchar"),
        (np.typing.NDArray[typing.Any], r"no type for the annotation (numpy.ndarray|.*NDArray)\[.*"),
        (typing.TypeVar("T"), "no type for the annotation ~T"),
        (3, "no type for the annotation 3"),
        ("nowhere", "cannot evaluate the annotation nowhere: name 'nowhere' is not defined"),
        ("int[", "no type for the annotation int.: SyntaxError"),
        ("1/0", "no type for the annotation 1/0: ZeroDivisionError"),
    ],
)
def test_annotations_without_a_type_are_named(annotation, message):
    with pytest.raises(TypeError, match=f"f: parameter 1 'x': {message}"):
        of(make(annotation))


def test_results():
    def nothing() -> None: ...
    def text() -> "str": ...
    def anything(): ...
    def bad() -> bytearray: ...

    assert [str(of(f)) for f in (nothing, text, anything)] == ["() -> void", "() -> str", "() -> any"]
    with pytest.raises(TypeError, match="bad: result: no type for the annotation bytearray"):
        of(bad)


def test_parameters_and_defaults():
    def f(
        a, b: float, /, c: int = 3, d: float = 1, e: Optional[str] = None, f: i8 | None = -128, g="x", h=None
    ) -> f32: ...

    text = (
        "(any, f64, c: i64 = 3, d: f64 = 1.0, e: optional[str] = None, f: optional[i8] = -128, g: any = 'x',"
        " h: any = None) -> f32"
    )
    assert of(f) == parse(text) == Signature.of(f)
    assert of(lambda x, y=2: x) == parse("(x: any, y: any = 2) -> any")
    assert of(lambda: 0) == parse("() -> any")


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda *, k: 0, TypeError, "<lambda>: parameter 'k' is keyword-only"),
        (lambda a, *, k=1, **kw: 0, TypeError, "<lambda>: parameter 'k' is keyword-only"),
        (lambda a, *args: 0, TypeError, r"<lambda>: parameter '\*args': a signature has a fixed number"),
        (lambda a, **kw: 0, TypeError, r"<lambda>: parameter '\*\*kw'"),
        (lambda a, b=[]: 0, TypeError, r"<lambda>: parameter 2 'b': bad default: expected None, bool.* got list \[\]"),
        (functools.partial(int, 3), TypeError, "expected a Python function, got partial: give its signature as text"),
        (len, TypeError, "expected a Python function, got builtin_function_or_method len"),
        ([].append, TypeError, "expected a Python function, got builtin_function_or_method append"),
        (int, TypeError, "expected a Python function, got the class int"),
        (str.upper, TypeError, "expected a Python function, got method_descriptor upper"),
        (3, TypeError, "expected a Python function, got int$"),
        (None, TypeError, "expected a Python function, got NoneType$"),
    ],
)
def test_what_no_signature_can_hold_is_refused(f, error, message):
    with pytest.raises(error, match=message):
        of(f)


def test_defaults_are_checked():
    def f(a: int, b: i8 = 300): ...
    def g(a: int = None): ...
    def h(a: cstr = "\0"): ...

    with pytest.raises(OverflowError, match="f: parameter 2 'b': bad default: 300 is out of range for i8"):
        of(f)
    with pytest.raises(TypeError, match="g: parameter 1 'a': bad default: expected i64, got None"):
        of(g)
    with pytest.raises(ValueError, match="h: parameter 1 'a': bad default: a cstr cannot hold a NUL"):
        of(h)


class Scale:
    def __init__(self, by):
        self.by = by

    def method(self, x: float) -> float: ...

    @classmethod
    def of_class(cls, x: int) -> str: ...

    @staticmethod
    def of_none(x: bytes) -> bool: ...

    def __call__(self, x: float, y: float = 0.0) -> float: ...


def test_callables_drop_what_is_bound():
    scale = Scale(2)
    assert str(of(scale.method)) == "(x: f64) -> f64"
    assert str(of(Scale.method)) == "(self: any, x: f64) -> f64"
    assert str(of(Scale.of_class)) == str(of(scale.of_class)) == "(x: i64) -> str"
    assert str(of(scale.of_none)) == "(x: bytes) -> bool"
    assert str(of(scale)) == str(of(scale.__call__)) == "(x: f64, y: f64 = 0.0) -> f64"
    with pytest.raises(TypeError, match="method: parameter 1 'x': no type"):
        of(types.MethodType(make_bad_method(), 1))


def make_bad_method():
    def method(self, x: bytearray): ...

    return method


def test_decorated_functions_are_read_through():
    def decorate(f):
        @functools.wraps(f)
        def wrapper(*args, **kwargs): ...

        return wrapper

    @decorate
    @functools.lru_cache
    def f(x: int) -> "float": ...

    assert str(of(f)) == "(x: i64) -> f64"

    def circle(x): ...

    circle.__wrapped__ = circle
    with pytest.raises(TypeError, match="expected a Python function"):
        of(circle)


def test_postponed_annotations_see_globals_and_captured_names():
    source = (
        "from __future__ import annotations\n"
        "def outer():\n"
        "    Local = int\n"
        "    later = lambda: missing\n"
        "    def f(a: Local, b: np.int8, c: Optional[i32], d: later | None = 0): return Local, later\n"
        "    def g(a: Local, b: np.int8, c: Optional[Annotated[int, i32]] = None) -> None: return Local\n"
        "    return f, g\n"
    )
    module = {"np": np, "Optional": Optional, "i32": i32, "Annotated": Annotated}
    exec(source, module)
    f, g = module["outer"]()
    assert str(of(g)) == "(a: i64, b: i8, c: optional[i32] = None) -> void"
    with pytest.raises(TypeError, match="f: parameter"):
        of(f)


def test_plain_annotations_import_nothing():
    script = (
        PRELUDE + "import jitffi.signature.annotations as a\n"
        "def f(x: int, y: 'float' = 1.0, z: str | None = None) -> None: ...\n"
        "print(a.of(f)); print(*(m for m in set(sys.modules) - before if not m.startswith('jitffi')))"
    )
    ran = subprocess.run([sys.executable, "-S", "-c", script], capture_output=True, text=True)
    text, loaded = ran.stdout.split("\n")[:2]
    assert text == "(x: i64, y: f64 = 1.0, z: optional[str] = None) -> void", ran.stderr
    assert not set(loaded.split()) & {"typing", "inspect", "collections", "functools", "re", "numpy", "types"}


@pytest.mark.parametrize(
    "text",
    [
        "(x: f64, y: f64 = 1.0) -> f64",
        "(a: i32, b: optional[str] = None, c: bytes = b'x') -> void",
        "(a: list[i64], b: map[str, f32], c: tuple[any, ...], d: tuple) -> list[map[str, i64]]",
        "(a: func[(i64) -> void], b: optional[tuple[u8, bool]], c: any, d: ptr) -> optional[str]",
    ],
)
def test_a_function_shows_inspect_what_its_signature_is_read_from(text):
    sig = jitffi.Signature.parse(text)
    builtin = jitffi.function(sig)(lambda *args: None)
    shown = inspect.signature(jitffi.Function(builtin))
    plain = inspect.signature(builtin)
    assert [(p.name, p.default) for p in shown.parameters.values()] == [
        (p.name, p.default) for p in plain.parameters.values()
    ]

    space = {}
    exec(f"def declared({', '.join(shown.parameters)}): ...", space)
    found = {p.name: p.annotation for p in shown.parameters.values()}
    space["declared"].__annotations__ = {**found, "return": shown.return_annotation}
    assert jitffi.Signature.of(space["declared"]).types == sig.types


def test_inspect_shows_classes_of_python():
    add = jitffi.function("(a: i64, b: i32 = 2) -> list[str]")(lambda a, b: [])
    assert str(inspect.signature(jitffi.Function(add))) == "(a: int, b: Type('i32') = 2) -> jitffi.List[str]"


def test_what_inspect_shows_leads_back_to_the_same_signature():
    def dot(
        n: Annotated[int, "u64"], x: Annotated[Any, "const f64[n @ inc]"], inc: int, y: Annotated[Any, "f32[n]"],
        p: Annotated[Any, "ptr[const void]"], q: Annotated[Any, "optional[ptr[const f32]]"],
    ) -> Annotated[Any, "optional[ptr[i32]]"]: ...  # fmt: skip

    signature = of(dot)
    assert str(signature) == (
        "(n: u64, x: const f64[n @ inc], inc: i64, y: f32[n], p: ptr[const void], q: optional[ptr[const f32]])"
        " -> optional[ptr[i32]]"
    )
    shown = {p.name: shown_as(p.type) for p in signature.params} | {"return": shown_as(signature.result, True)}
    dot.__annotations__ = shown
    assert of(dot) == signature


def test_parameters_that_do_not_go_together_name_the_function():
    def scale(n: str, x: Annotated[Any, "f64[n]"]) -> None: ...

    with pytest.raises(SignatureError, match=r"^scale: the dimension 'n' is a parameter of type str: no integer$"):
        of(scale)


def test_none_is_nothing_as_a_result_and_a_value_as_a_parameter():
    def given(nothing: None) -> None: ...

    assert str(of(given)) == "(nothing: null) -> void"
