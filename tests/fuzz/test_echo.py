"""Random values through compositions of conventions: each adapter's callee is the entry of the one before.

    Python --python--> adapter --packed--> adapter --c--> adapter --python--> echo

What comes out at the far end, and what comes back, is what went in. Another run: JITFFI_FUZZ_SEED=7
JITFFI_FUZZ_CASES=2000 pytest tests/fuzz/test_echo.py
"""

from __future__ import annotations

import random

import pytest
from support.adapters import CONVENTIONS, carries, function_at, has_no_set
from support.values import PLAIN, cases, random_value, same, seed

from jitffi import _core
from jitffi.signature.model import CONTAINERS, NO_DEFAULT, TYPES, Param, Signature, Type, func, optional
from jitffi.types.table import row

NAMES = ("self", "x", "y_1", "\u00e9t\u00e9", "print", "args", "f", "cls", "kwargs", "out")


CALLBACK = func(Signature([Param(None, TYPES["i64"])], TYPES["i64"]))


def random_type(rng: random.Random, chain: list[str]) -> Type:
    type_ = CALLBACK if rng.random() < 0.1 else rng.choice(PLAIN)
    if "tvm_ffi" in chain and not has_no_set(type_):
        return random_type(rng, chain)
    return optional(type_) if rng.random() < 0.25 else type_


def carried_value(rng: random.Random, type_: Type, chain: list[str]) -> object:
    """A value that each convention of *chain* carries."""
    while not carries(tuple(chain), type_, value := random_value(rng, type_)):
        pass
    return value


def random_default(rng: random.Random, type_: Type, chain: list[str]) -> object:
    """A default for a parameter of *type_*, where it takes one."""
    if type_.is_optional:
        return None
    is_open = type_.name in ("object", "func", "module", "any", *CONTAINERS)
    return NO_DEFAULT if is_open else carried_value(rng, type_, chain)


def random_signature(rng: random.Random, chain: list[str]) -> tuple[Signature, int]:
    """A signature that all of *chain* can carry, with names and defaults, and which argument its result is, or -1."""
    types = [random_type(rng, chain) for _ in range(rng.randint(0, 8))]
    first_named = rng.randint(0, len(types))
    defaults = [random_default(rng, type_, chain) for type_ in types]
    last_without = max((i for i, default in enumerate(defaults) if default is NO_DEFAULT), default=-1)
    first_default = rng.randint(max(first_named, last_without + 1), max(len(types), last_without + 1))
    params = [
        Param(NAMES[i] if i >= first_named else None, type_, defaults[i] if i >= first_default else NO_DEFAULT)
        for i, type_ in enumerate(types)
    ]
    which = [i for i, type_ in enumerate(types) if "c" not in chain or not row(type_).c_result_refused]
    index = rng.choice(which) if which and rng.random() < 0.9 else -1
    return Signature(params, types[index] if index >= 0 else TYPES["void"]), index


def chain_of(sig: Signature, conventions: list[str], echo, levels: list[int]) -> list[object]:
    """Functions, the innermost first; each is entered by the convention that the next one calls out in."""
    functions: list[object] = []
    target, options = echo, {}
    callee = "python"
    for entry, level in zip(conventions, levels, strict=True):
        function = function_at("link", sig, entry, callee, target, level, **options)
        functions.append(function)
        callee, options = entry, {}
        if entry in ("packed_legacy", "tvm_ffi"):
            target, options = function.entry_code.address, {"self_handle": function.handle, "owner": function}
        elif entry == "packed":
            target, options = function._packed, {"self_handle": _core.handle(function)}
        else:
            target = function._native if entry == "c" else function
    return functions


def draw(rng: random.Random):
    conventions = [rng.choice(CONVENTIONS) for _ in range(rng.randint(0, 4))] + ["python"]
    levels = [rng.choice((0, 2)) for _ in conventions]
    sig, index = random_signature(rng, conventions)
    return conventions, levels, sig, index


def run(number: int, rng: random.Random) -> None:
    conventions, levels, sig, index = draw(rng)
    seen: list[object] = []

    def echo(*args):
        seen.append(args)
        return args[index] if index >= 0 else None

    functions = chain_of(sig, conventions, echo, levels)
    for _ in range(3):
        values = [carried_value(rng, p.type, conventions) for p in sig.params]
        # Names in order or not, defaults left out: all that the Python entry can arrange.
        first_named = next((i for i, p in enumerate(sig.params) if p.name), len(values))
        positional = rng.randint(first_named, len(values))
        keywords = list(zip([p.name for p in sig.params], values, strict=True))[positional:]
        left_out = {p.name for p in sig.params[positional:] if p.has_default and rng.random() < 0.5}
        if rng.random() < 0.5:
            rng.shuffle(keywords)
        expected = [p.default if p.name in left_out else v for p, v in zip(sig.params, values, strict=True)]
        case = f"JITFFI_FUZZ_SEED={seed()} case {number}: {conventions} at {levels}, {sig} with {expected}"
        seen.clear()
        got = functions[-1](*values[:positional], **{name: v for name, v in keywords if name not in left_out})
        assert len(seen) == 1 and len(seen[0]) == len(values), case
        assert all(map(same, seen[0], expected)), f"{case}, seen {seen}"
        assert same(got, expected[index] if index >= 0 else None), f"{case}, got {got!r}"


@pytest.mark.parametrize("part", range(4))
def test_values_pass_any_chain_of_conventions(part):
    rng = random.Random(seed() * 4 + part)
    for number in range(cases(120) // 4):
        run(number, rng)
