"""Random signatures, values and mistakes: a call by a plan does what compiled code does, in the same words.

Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=2000 pytest tests/fuzz/test_plans.py
"""

from __future__ import annotations

import random
import re

import numpy as np
import pytest
from support.values import PLAIN, WIDE, cases, random_value, same, seed

import jitffi
from jitffi import _core
from jitffi.adapters import plans
from jitffi.adapters.code_store import Request
from jitffi.api.functions import Function
from jitffi.api.making import from_native, make
from jitffi.signature.model import NO_DEFAULT, TYPES, Param, Signature, optional
from jitffi.signature.text import parse, parse_type
from jitffi.types.table import row

pytestmark = pytest.mark.skipif(not _core.PLAN_CODES, reason="calls need code on this machine")


def random_param(rng, name, type_):
    """Now and then with a default, which the types have that texts can spell."""
    if name is None or rng.random() < 0.7:
        return Param(name, type_)
    try:
        return Param(name, type_, random_value(rng, type_))
    except (TypeError, ValueError, OverflowError):
        return Param(name, type_)


def random_signature(rng, callee):
    """What the callee carries, and which argument the result is, or -1."""
    types = [rng.choice(PLAIN if callee == "packed" else [*PLAIN, *WIDE]) for _ in range(rng.randint(0, 9))]
    types = [optional(type_) if rng.random() < 0.25 else type_ for type_ in types]
    named = rng.randint(0, len(types))
    params = [random_param(rng, None if i < named else f"p{i}", type_) for i, type_ in enumerate(types)]
    which = [i for i, type_ in enumerate(types) if callee != "c" or not row(type_).c_result_refused]
    which = [i for i in which if not types[i].is_optional or types[i].inner not in WIDE]
    index = rng.choice(which) if which and rng.random() < 0.8 else -1
    return Signature(params, types[index] if index >= 0 else TYPES["void"]), index


def outcome(function, args, keywords):
    try:
        return function(*args, **keywords)
    except Exception as error:
        return type(error), str(error)


def both(monkeypatch, sig, echo, callee):
    """A call of *echo* from Python, through C or slots, by plans and in code."""
    made = []
    for way in ("never", "now"):
        monkeypatch.setenv("JITFFI_COMPILE", way)
        inner = make("f", sig, "python", echo, entry=callee == "python")
        if callee == "c":
            inner = from_native(inner.native_address, sig, "f", keep_alive=inner)
        elif callee == "packed":
            inner = Function.from_packed(inner.packed_address, name="f", signature=sig, self_handle=inner.handle)
        made.append(inner)
    return made


def mistaken(rng, types, args):
    """The arguments with one that is refused, or one too many or few."""
    refused = [(i, value) for i, type_ in enumerate(types) for value, _ in row(type_).refused]
    if refused and rng.random() < 0.8:
        i, value = rng.choice(refused)
        return [*args[:i], value, *args[i + 1 :]]
    return args[:-1] if args and rng.random() < 0.5 else [*args, 1]


@pytest.mark.parametrize("callee", ["c", "python", "packed"])
def test_what_a_callable_returns_wrongly_is_said_alike(callee, monkeypatch):
    rng = random.Random(seed())
    for _ in range(cases(10)):
        result = rng.choice([t for t in PLAIN if not row(t).c_result_refused and row(t).refused])
        sig, value = Signature([], result), rng.choice(row(result).refused)[0]
        plan, code = both(monkeypatch, sig, lambda value=value: value, callee)
        assert outcome(plan, (), {}) == outcome(code, (), {}), (str(sig), value)


@pytest.mark.parametrize("callee", ["c", "python", "packed"])
def test_a_plan_does_what_code_does(callee, monkeypatch):
    rng = random.Random(seed())
    planned = called_back = 0
    for _ in range(cases(25)):
        sig, index = random_signature(rng, callee)
        planned += plans.plan_for(Request("python", callee, sig)) is not None
        called_back += plans.callback_plan_for(Request("c", "python", sig)) is not None
        plan, code = both(monkeypatch, sig, lambda *args, index=index: args[index] if index >= 0 else None, callee)
        types = [p.type for p in sig.params]
        args = [random_value(rng, type_) for type_ in types]
        split = next((i for i, p in enumerate(sig.params) if p.name), len(args))
        keywords = {f"p{i}": args[i] for i in range(split, len(args))} if rng.random() < 0.3 else {}
        left_out = [p.name for p in sig.params if p.default is not NO_DEFAULT and rng.random() < 0.4]
        keywords = {name: value for name, value in keywords.items() if name not in left_out}
        positional = args[:split] if keywords else args
        got, wanted = outcome(plan, positional, keywords), outcome(code, positional, keywords)
        assert same(got, wanted) or got == wanted, (str(sig), args)
        wrong = mistaken(rng, types, args)
        got, wanted = outcome(plan, wrong, {}), outcome(code, wrong, {})
        assert same(got, wanted) or got == wanted, (str(sig), wrong)
    assert planned and called_back


@pytest.mark.parametrize(
    "result",
    [
        "list[i64]", "map[str, i64]", "tuple[i64, str]", "cstr", "shape", "dtype", "object", "i64 | str",
        "tensor[f32, 3]", "func[(i64) -> i64]", "optional[f64]", "ptr[i32]", "longdouble", "tests.plans.Point",
    ],
)  # fmt: skip
def test_functions_return_without_code(result):
    sig = parse(f"(x: any) -> {result}")
    assert all(plans.plan_for(Request("python", callee, sig)) is not None for callee in ("packed", "python"))
    assert result == "optional[f64]" or plans.callback_plan_for(Request("c", "python", sig)) is not None


@pytest.mark.parametrize("way", ["never", "now"])
def test_packed_results_are_of_their_type(way, monkeypatch):
    """What is read as bytes or as a str becomes that."""
    monkeypatch.setenv("JITFFI_COMPILE", way)
    given = [bytearray(b"a"), np.frombuffer(b"bc", "u1"), memoryview(b"d" * 40), jitffi.UCS4String("e"), "f"]
    found = []
    for value in given:
        inner = make("f", parse("() -> any"), "python", lambda value=value: value, entry=False)
        sig = parse(f"() -> {'str' if isinstance(value, (str, jitffi.UCS4String)) else 'optional[bytes]'}")
        outer = Function.from_packed(inner.packed_address, name="f", signature=sig, self_handle=inner.handle)
        found.append(outer())
    assert found == [b"a", b"bc", b"d" * 40, "e", "f"] and [type(each) for each in found[2:4]] == [bytes, str]


# -- arrays, tensors, structs ------------------------------------------------------------------------------------------

POINT = jitffi.struct("tests.plans.Point", "x: f64, y: f64")
MIXED = jitffi.struct("tests.plans.Mixed", "a: u8, b: i64, c: f32, d: f64")
WIDE_ONE = jitffi.struct("tests.plans.Wide", "a: longdouble")
WIDE_TWO = jitffi.struct("tests.plans.Wides", "a: longdouble, b: longdouble")
ARRAYS = (
    "f64[n]", "const f64[n]", "optional[f64[n]]", "i32[n, m]", "u8[n, 4]", "f32[n @ s]", "tensor[f64, n]", "tensor",
    "tensor[const f64, n, m]", "optional[tensor[f64, m]]",
)  # fmt: skip
VALUES = {
    "tests.plans.Point": POINT(1.5, -2.5), "tests.plans.Mixed": MIXED(200, -1, 0.5, 2.0), "ptr[f64]": np.arange(3.0),
    "c128": 1 - 2j, "optional[c64]": 2j, "i128": -1 << 100, "longdouble": 0.25, "i64": -7, "f32": 1.5, "str": "text",
    "tensor[f64, 3]": np.arange(3.0), "tensor[const f64, n]": np.arange(2.0), "optional[tensor]": None, "dtype": "f32",
    "tests.plans.Wide": WIDE_ONE(0.5), "tests.plans.Wides": WIDE_TWO(0.5, -1.5),
    "i64 | str": "either", "any": 1.5, "optional[str]": None, "optional[device]": jitffi.Device("cpu:0"),
}  # fmt: skip
RESULTS = (
    "tests.plans.Wide", "tests.plans.Wides",
    "tests.plans.Point", "tests.plans.Mixed", "c128", "i128", "i64", "str", "longdouble", "ptr[f64]", "tensor[f64, 3]",
    "tensor[const f64, n]", "optional[tensor]", "dtype", "i64 | str", "any", "optional[str]", "optional[device]",
)  # fmt: skip


def fresh(text):
    """The value of VALUES, of an array a copy."""
    value = VALUES[text]
    return value.copy() if isinstance(value, np.ndarray) else value


def random_array(rng, text, lengths):
    """For a type of ARRAYS, as large as *lengths* say; now and then one that does not fit."""
    if text.startswith("optional") and rng.random() < 0.3:
        return None
    shape = [
        4 if dim == "4" else lengths.get(dim, 2) for dim in ("n", "m", "4") if f" {dim}]" in text or f"[{dim}" in text
    ]
    letters = next((form for name, form in (("i32", "i4"), ("u8", "u1"), ("f32", "f4")) if name in text), "f8")
    made = np.arange(2 * np.prod(shape or [3]), dtype=letters)[::2].reshape(shape or [3])
    made = made if "@" in text else np.ascontiguousarray(made)
    made.flags.writeable = rng.random() < 0.95
    return rng.choice([made[:-1], made.astype("i8"), "x", None]) if rng.random() < 0.08 else made


def shown(value):
    """What a callable, or who called, sees of a value."""
    if isinstance(value, (np.ndarray, jitffi.NDArray)):
        return type(value).__name__, str(value.dtype), value.shape, np.asarray(value).tobytes()
    return (value[0], type(value).__name__) if isinstance(value, jitffi.Pointer) else repr(value)


def of_arrays(rng, callee):
    """A signature with arrays, and what its parameters are but for the integers that they fill in."""
    values, results = [
        [text for text in which if callee != "packed" or not row(parse_type(text)).slot_refused]
        for which in (VALUES, RESULTS)
    ]
    types = [rng.choice(ARRAYS if rng.random() < 0.5 else values) for _ in range(rng.randint(1, 5))]
    params = [f"p{i}: {text}" for i, text in enumerate(types)]
    named = [name for name in "nms" if any(re.search(rf"[\[ ]{name}[\], ]", text) for text in types)]
    params += [f"{name}: {rng.choice(('i64', 'i16', 'u32'))}" for name in named]
    return parse(f"({', '.join(params)}) -> {rng.choice(results)}"), types


@pytest.mark.parametrize("callee", ["c", "python", "packed"])
def test_arrays_tensors_and_structs(callee, monkeypatch):
    rng = random.Random(seed())
    planned = 0
    for _ in range(cases(15)):
        sig, types = of_arrays(rng, callee)
        planned += plans.plan_for(Request("python", callee, sig)) is not None
        seen: list[object] = []

        def callable_(*args, seen=seen, result=sig.result.text):
            seen.append([shown(arg) for arg in args])
            for arg in args:
                array = np.asarray(arg) if isinstance(arg, (np.ndarray, jitffi.NDArray)) else np.zeros(1)
                if array.flags.writeable:
                    array *= 2
            return fresh(result)

        lengths = {"n": rng.randint(1, 4), "m": rng.randint(1, 4)}
        state = rng.getstate()
        outcomes = []
        for function in both(monkeypatch, sig, callable_, callee):
            rng.setstate(state)
            args = [fresh(text) if text in VALUES else random_array(rng, text, lengths) for text in types]
            got = outcome(function, args, {})
            outcomes.append((shown(got), [shown(arg) for arg in args], seen[:]))
            seen.clear()
        assert outcomes[0] == outcomes[1], str(sig)
    assert planned


# -- places ---------------------------------------------------------------------------------------------------------

PLACES = (
    "tests.plans.Mixed", "longdouble", "i64", "f32", "dtype", "i128", "optional[cstr]", "optional[ptr[i32]]", "bool",
    "u8", "f16", "c64", "device", "cstr", "ptr", "optional[ptr[tests.plans.Point]]",
)  # fmt: skip
IN_PLACES = {
    **VALUES, "optional[cstr]": "text", "optional[ptr[i32]]": None, "out[f64[n]]": np.arange(2.0), "bool": True,
    "u8": 200, "f16": 1.5, "c64": 2j, "device": jitffi.Device("cpu:0"), "cstr": "t" * 30, "ptr": 0x1234,
    "optional[ptr[tests.plans.Point]]": None,
}  # fmt: skip


@pytest.mark.parametrize("callee", ["c", "python", "packed"])
def test_what_callables_give_back_in_places(callee, monkeypatch):
    """As it is returned, and now and then with one thing that does not fit, or one too many."""
    rng = random.Random(seed())
    places = [text for text in PLACES if callee != "packed" or not row(parse_type(text)).slot_refused]
    for _ in range(cases(15)):
        types = [(rng.choice(("", "out", "inout")), rng.choice(places)) for _ in range(rng.randint(1, 4))]
        params = [f"p{i}: {way}[{text}]" if way else f"p{i}: {text}" for i, (way, text) in enumerate(types)]
        result = rng.choice(("void", "i64", "str"))
        sig = parse(f"(n: i64, {', '.join(params)}, q: out[f64[n]]) -> {result}")
        assert plans.plan_for(Request("python", callee, sig)) is not None
        assert plans.callback_plan_for(Request("c", "python", sig)) is not None
        args = [2, *[IN_PLACES[text] for way, text in types if way != "out"]]
        given = [result] if result != "void" else []
        given = [IN_PLACES[text] for text in (*given, *[text for way, text in types if way], "out[f64[n]]")]
        if rng.random() < 0.3:
            given[rng.randrange(len(given))] = rng.choice((object(), 1 << 200, "x", None))
        given += [1] * (rng.random() < 0.05)
        if rng.random() < 0.1:
            args[rng.randrange(len(args))] = object()
        outcomes, seen = [], []

        def callable_(*args, given=given, seen=seen):
            seen.append(repr(args))
            return tuple(given) if len(given) > 1 else given[0]

        for function in both(monkeypatch, sig, callable_, callee):
            outcomes.append((repr(outcome(function, args, {})), seen[:]))
            seen.clear()
        assert outcomes[0] == outcomes[1], (str(sig), given)


READS = """
#include <stdint.h>
static const char *text[2];
void ask(void (*f)(const char **, const char **)) { f(&text[0], &text[1]); }
int64_t first(int64_t which) { return (unsigned char)text[which][0]; }
void *wide(void *(*f)(int64_t), int64_t n) { return f(n); }
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
"""


@pytest.mark.parametrize("way", ["never", "now"])
def test_text_in_places_stays_and_lengths_are_as_wide_as_their_types(build_library, run_python, way):
    """C reads what was given when the call is over, and leaves any bits beside an integer."""
    program = f"""
import gc, numpy, jitffi
lib = jitffi.load_library({str(build_library(READS))!r})
number = 0

def texts():
    global number
    number += 1
    return f"a{{number:60}}", f"b{{number:60}}"

given = jitffi.function("(p: out[cstr], q: out[cstr]) -> void")(texts)
lib.bind("ask", "(ptr) -> void")(jitffi.Function(given).native_address)
assert [lib.bind("first", "(i64) -> i64")(i) for i in (0, 1)] == [97, 98]

made = jitffi.function("(n: i32) -> tensor[f32, n]")(lambda n: numpy.zeros(n, numpy.float32))
got = lib.bind("wide", "(ptr, i64) -> tensor[f32]")(jitffi.Function(made).native_address, 5 << 32 | 3)
assert got.shape == (3,)

held = []

def fails(x):
    held.clear()
    gc.collect()
    raise ValueError(x)

held.append(jitffi.function("(i64) -> i64")(fails))
address = jitffi.Function(held[0]).native_address
del fails
try:
    lib.bind("apply", "(ptr, i64) -> i64")(address, 5)
except ValueError as error:
    print(error)
"""
    environment = {"JITFFI_COMPILE": way, "PYTHONMALLOC": "debug", "JITFFI_CACHE_DIR": ""}
    assert run_python(program, env=environment) == "5\n"
