"""Random signatures, values and mistakes: a call by a plan does what compiled code does, in the same words.

Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=2000 pytest tests/fuzz/test_plans.py
"""

from __future__ import annotations

import random

import pytest
from support.values import PLAIN, cases, random_value, same, seed

from jitffi import _core
from jitffi.adapters import plans
from jitffi.adapters.code_store import Request
from jitffi.api.functions import Function
from jitffi.api.making import from_native, make
from jitffi.signature.model import TYPES, Param, Signature, optional
from jitffi.types.table import row

pytestmark = pytest.mark.skipif(not _core.PLAN_CODES, reason="calls need code on this machine")


def random_signature(rng, callee):
    """What the callee carries, and which argument the result is, or -1."""
    types = [rng.choice(PLAIN) for _ in range(rng.randint(0, 9))]
    types = [optional(type_) if rng.random() < 0.25 else type_ for type_ in types]
    named = rng.randint(0, len(types))
    params = [Param(None if i < named else f"p{i}", type_) for i, type_ in enumerate(types)]
    which = [i for i, type_ in enumerate(types) if callee != "c" or not row(type_).c_result_refused]
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
        positional = args[:split] if keywords else args
        got, wanted = outcome(plan, positional, keywords), outcome(code, positional, keywords)
        assert same(got, wanted) or got == wanted, (str(sig), args)
        wrong = mistaken(rng, types, args)
        assert outcome(plan, wrong, {}) == outcome(code, wrong, {}), (str(sig), wrong)
    assert planned and called_back
