"""jitffi/ir: the typed emitter refuses what would be wrong IR, and what it writes is IR that LLVM verifies and runs."""

from __future__ import annotations

import ctypes

import pytest

from jitffi import _core
from jitffi.adapters.blob import extract
from jitffi.api.making import make
from jitffi.base import layout
from jitffi.ir import primitives
from jitffi.ir.builder import FALSE, NULL, TRUE, V, const
from jitffi.ir.emitter import Emitter
from jitffi.ir.linkage import Table
from jitffi.llvm import codegen
from jitffi.signature.model import Signature

SIG = Signature.parse("(i64) -> i64")
I64, I32, DOUBLE, PTR = V("i64", "%a"), V("i32", "%b"), V("double", "%c"), V("ptr", "%d")


@pytest.fixture
def e():
    """An emitter at the beginning of a function."""
    emitter = Emitter("f", SIG, layout.HOST, Table(layout.HOST))
    emitter.begin("i64", [("i64", "", "a")])
    return emitter


def ends(e, value):
    e.ret(value)
    return e.finish(lambda e, where: e.ret(const("i64", -1)))


# -- what is refused ---------------------------------------------------------------------------------------------------

WRONG = [
    lambda e: e.add(I64, I32),
    lambda e: e.add(DOUBLE, DOUBLE),
    lambda e: e.add(PTR, PTR),
    lambda e: e.icmp("eq", I64, I32),
    lambda e: e.icmp("eq", DOUBLE, DOUBLE),
    lambda e: e.select(I64, I64, I64),
    lambda e: e.select(TRUE, I64, I32),
    lambda e: e.branch(I64, "a", "b"),
    lambda e: e.phi([(I64, "a"), (I32, "b")]),
    lambda e: e.offset(I64, 8),
    lambda e: e.load("i64", I64),
    lambda e: e.store(I64, I64),
    lambda e: e.call("void", I64, []),
    lambda e: e.cast("trunc", I32, "i64"),
    lambda e: e.cast("zext", I64, "i32"),
    lambda e: e.cast("sext", DOUBLE, "i64"),
    lambda e: e.cast("fpext", DOUBLE, "float"),
    lambda e: e.cast("bitcast", I64, "i32"),
    lambda e: e.helper("box_i64", I32),
    lambda e: e.helper("box_i64"),
    lambda e: e.setup(I64, PTR),
    lambda e: e.at("the.body.is.open"),
    lambda e: e.helper("box_i64", I64),  # nobody has said where the state is
    lambda e: const("double", 1),
]


@pytest.mark.parametrize("wrong", range(len(WRONG)))
def test_what_would_be_wrong_is_an_error_at_its_line(e, wrong):
    with pytest.raises(AssertionError):
        WRONG[wrong](e)


@pytest.mark.parametrize("name", ["no_such_helper", "none"])
def test_unknown_names_are_errors(e, name):
    with pytest.raises(KeyError):
        e.helper(name)


def test_nothing_is_written_behind_the_end_of_a_block(e):
    e.ret(I64)
    with pytest.raises(AssertionError, match="instruction after the end of block body"):
        e.add(I64, I64)


def test_an_open_block_is_found(e):
    e.br("next")
    e.at("next")
    with pytest.raises(AssertionError, match="f: block next was not closed"):
        e.finish(lambda e, where: e.ret(None))


def test_a_phi_stands_on_top_of_its_block(e):
    e.br("next")
    e.at("next")
    e.store(I64, PTR)
    with pytest.raises(AssertionError, match="a phi behind store"):
        e.phi([(I64, "body"), (const("i64", 1), "other")])


# -- what is written ---------------------------------------------------------------------------------------------------


def test_names_are_unique(e):
    names = [e.add(I64, I64).text for _ in range(3)]
    assert names == ["%sum", "%sum.1", "%sum.2"]
    assert [e.label("ok") for _ in range(2)] == ["ok", "ok.1"]
    assert e.add(I64, I64, "entry").text == "%entry.1"  # no value is called like a block of ours


def test_what_needs_no_instruction_gets_none(e):
    assert e.offset(PTR, 0) is PTR
    assert e.cast("zext", I64, "i64") is I64
    assert e.phi([(I64, "a"), (I64, "b")]) is I64
    text = ends(e, I64)
    assert text.split("body:\n")[1] == "  ret i64 %a\n}"


def test_storage_stands_in_the_entry_block(e):
    e.br("later")
    e.at("later")
    slot = e.frame(16, "slot")
    e.setup(const("i64", 0), slot, 8)
    text = ends(e, I64)
    entry = text.split("entry:\n")[1].split("  br label %body")[0].splitlines()
    assert entry[0] == "  %slot = alloca [16 x i8], align 8"
    assert entry[-1].startswith("  store i64 0, ptr %p")


def test_cleanups_run_newest_first_and_some_on_failure_only(e):
    ran = []
    e.on_exit(lambda e: ran.append("first"))
    e.on_failure(lambda e: ran.append("failure"))
    e.on_exit(lambda e: ran.append("last"))
    e.run_cleanups()
    assert ran == ["last", "first"]
    ran.clear()
    e.run_cleanups(failed=True)
    assert ran == ["last", "failure", "first"]


def test_one_block_serves_all_failures_of_a_kind(e):
    for _ in range(3):
        e.fail_if(e.icmp("eq", I64, const("i64", 1)), "python")
    e.fail_if(e.icmp("eq", I64, const("i64", 2)), "runtime")
    e.ret(I64)
    written = []

    def fail(e, where):
        written.append(where)
        if where == "python":
            e.fail("runtime")  # a failure may lead to another one's block
        else:
            e.ret(const("i64", -1))

    text = e.finish(fail)
    assert written == ["python", "runtime"]
    assert text.count("fail.python:") == text.count("fail.runtime:") == 1
    assert text.count("label %fail.python") == 3 and text.count("label %fail.runtime") == 2
    codegen.parse(codegen.module_text(text))


def test_a_failure_block_may_need_another(e):
    """What is asked for while failures are written is written, too."""
    e.fail_if(TRUE, "python")
    e.ret(I64)

    def fail(e, where):
        if where == "python":
            e.fail("runtime")
        else:
            e.ret(const("i64", -1))

    assert "fail.runtime:" in e.finish(fail)


# -- what is run -------------------------------------------------------------------------------------------------------


def run(build, *types, level=0):
    """Compile a function of i64s, whose body *build* writes; the C function, by ctypes."""
    e = Emitter("f", SIG, layout.HOST, Table(layout.HOST))
    values = e.begin("i64", [(type_, "", "a") for type_ in types])
    result = build(e, *values)
    text = ends(e, e.cast("zext", result, "i64") if result.type != "i64" else result)
    code = extract(codegen.object_code(codegen.module_text(text), level, "test"))
    mapped = _core.Code(code["f"].image, True)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, *[ctypes.c_void_p if t == "ptr" else ctypes.c_int64 for t in types])
    return function(mapped.address), mapped


_NEAR_POWERS = {sign * (1 << bits) + delta for bits in range(64) for delta in (-1, 0, 1) for sign in (1, -1)}
NUMBERS = sorted(n for n in _NEAR_POWERS if -(1 << 63) <= n < 1 << 63)


@pytest.mark.parametrize(("bits", "signed"), [(8, 1), (16, 1), (32, 1), (8, 0), (16, 0), (32, 0), (64, 0)])
def test_fits_is_exact(bits, signed):
    fits, code = run(lambda e, a: primitives.fits(e, a, bits, signed), "i64")
    low, high = (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    assert [bool(fits(n)) for n in NUMBERS] == [low <= n <= high for n in NUMBERS]


@pytest.mark.parametrize("level", [0, 2])
def test_ints_are_read_in_place(level):
    """The exact value, or the way out: for ints of three digits, subclasses and other objects."""
    function = make("f", SIG, "c", 1, entry=False)
    state = id(function) + layout.HOST["function.state"]

    def build(e, obj, state):
        e.linkage.set_state(e, state)
        slow, done = e.label("slow"), e.label("done")
        value, here = primitives.long_value(e, obj, slow), e.here
        e.br(done)
        e.at(slow)
        e.br(done)
        e.at(done)
        return e.phi([(value, here), (const("i64", -(1 << 63)), slow)])

    read, code = run(build, "ptr", "ptr", level=level)
    missed = -(1 << 63)

    class Int(int):
        pass

    for n in NUMBERS:
        got = read(id(n), state)
        assert got == (n if abs(n) < 1 << 60 else missed), n
    for other in (True, False, Int(5), 1.5, None, "5", 1 << 63, -(1 << 100)):
        assert read(id(other), state) == missed, other


def test_slots_are_stored_whole():
    """Code, length and payload, each byte of the sixteen."""

    def build(e, slot):
        primitives.store_slot(e, slot, layout.HANDLE, e.offset(slot, 5))
        return const("i64", 0)

    store, code = run(build, "ptr")
    memory = ctypes.create_string_buffer(b"\xaa" * 24, 24)
    store(ctypes.addressof(memory))
    assert memory.raw[:4] == (-5).to_bytes(4, "little", signed=True) and memory.raw[4:8] == bytes(4)
    assert int.from_bytes(memory.raw[8:16], "little") == ctypes.addressof(memory) + 5
    assert memory.raw[16:] == b"\xaa" * 8


def test_a_new_out_slot_tells_its_capacity():
    for capacity, told in ((8, 0), (16, 16), (128, 128)):

        def build(e, capacity=capacity):
            return e.load("i64", primitives.new_out_slot(e, capacity, "out"))

        read, code = run(build)
        assert read() & (1 << 64) - 1 == told << 32 | 0xFFFFFFFF


def test_constants_of_truth():
    for value, expected in ((TRUE, 1), (FALSE, 0)):
        read, code = run(lambda e, value=value: e.select(value, const("i64", 1), const("i64", 0)))
        assert read() == expected
    read, code = run(lambda e: e.is_null(NULL))
    assert read() == 1
