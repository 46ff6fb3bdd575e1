"""Random structs by value, with the C compiler at the other end: as arguments and results, behind pointers and in
callbacks on this machine, and through emitted adapters on others.

Another run: JITFFI_FUZZ_SEED=7 JITFFI_FUZZ_CASES=500 pytest tests/fuzz/test_random_structs.py
"""

from __future__ import annotations

import ctypes
import random

import pytest
from support.cross import MACHINES
from support.structs import MACHINES as MODELS
from support.structs import Declared, contents
from support.values import cases, seed

import jitffi
from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature import datamodel
from jitffi.signature.model import Param, Signature, Type

SCALARS = {"i32": ("int", -7), "f64": ("double", 2.5), "i64": ("long long", 1 << 40), "f32": ("float", -1.25)}
HEAD = """
#include <stdio.h>
#include <string.h>
static int wrong;
int take_wrong(void) { int n = wrong; wrong = 0; return n; }
static void same(const void* got, const unsigned char* data, const unsigned char* mask, int size) {
  for (int i = 0; i < size; i++) wrong += (((const unsigned char*)got)[i] & mask[i]) != (data[i] & mask[i]);
}
"""


class Case:
    """A function that takes and returns structs, and what it is given and gives."""

    def __init__(self, rng: random.Random, at: int, structs: list[Declared], machine: datamodel.DataModel) -> None:
        self.at = at
        self.result = structs[at]
        pick = lambda: rng.choice(structs) if rng.random() < 0.4 else rng.choice(list(SCALARS))  # noqa: E731
        self.params = [structs[at] if i == 0 else pick() for i in range(rng.choice((1, 2, 3, 9)))]
        rng.shuffle(self.params)
        self.contents = [
            contents(rng, each.layout(machine), machine)
            for each in (*self.params, self.result)
            if isinstance(each, Declared)
        ]

    def signature(self, prefix: str) -> Signature:
        types = [each.declare(prefix).type if isinstance(each, Declared) else Type(each) for each in self.params]
        return Signature([Param(None, type_) for type_ in types], self.result.declare(prefix).type)

    @property
    def _types(self) -> str:
        return ", ".join([each.c if isinstance(each, Declared) else SCALARS[each][0] for each in self.params])

    @property
    def source(self) -> str:
        """callee_<n>, and run_<n>, which calls a function like it."""
        i, c = self.at, self.result.c
        lines = []
        for n, (data, mask) in enumerate(self.contents):
            for name, value in (("d", data), ("m", mask)):
                lines.append(f"static const unsigned char {name}{i}_{n}[] = {{{', '.join(map(str, value))}}};")
        named, checks, sets, given, n = [], [], [], [], 0
        for at, each in enumerate(self.params):
            if isinstance(each, Declared):
                named.append(f"{each.c} a{at}")
                checks.append(f"same(&a{at}, d{i}_{n}, m{i}_{n}, sizeof a{at});")
                sets.append(f"{each.c} a{at}; memcpy(&a{at}, d{i}_{n}, sizeof a{at});")
                given.append(f"a{at}")
                n += 1
            else:
                type_, value = SCALARS[each]
                named.append(f"{type_} a{at}")
                checks.append(f"wrong += a{at} != {value};")
                given.append(str(value))
        params, last = ", ".join(named), f"d{i}_{n}, m{i}_{n}"
        lines += [
            f"{c} callee_{i}({params}) {{ {' '.join(checks)} {c} r; memcpy(&r, d{i}_{n}, sizeof r); return r; }}",
            f"void run_{i}({c} (*f)({self._types})) {{",
            f"  {' '.join(sets)} {c} r = f({', '.join(given)}); same(&r, {last}, sizeof r); }}",
            f"void by_pointer_{i}({c}* p, {c}* q) {{ {c} r = *p; *p = *q; *q = r; }}",
        ]
        return "\n".join(lines) + "\n"

    def arguments(self, prefix: str) -> list[object]:
        made, found = [], iter(self.contents)
        for each in self.params:
            made.append(instance(each, prefix, next(found)[0]) if isinstance(each, Declared) else SCALARS[each][1])
        return made

    def check(self, given: tuple[object, ...]) -> None:
        found = iter(self.contents)
        for value, each in zip(given, self.params, strict=True):
            if isinstance(each, Declared):
                check(value, next(found))
            else:
                assert value == SCALARS[each][1]


def instance(each: Declared, prefix: str, data: bytes):
    made = each.declare(prefix).cls()
    ctypes.memmove(jitffi.addressof(made), data, len(data))
    return made


def check(value: object, wanted: tuple[bytes, bytes]) -> None:
    data, mask = wanted
    got = ctypes.string_at(jitffi.addressof(value), len(data))
    assert [g & m for g, m in zip(got, mask, strict=True)] == [d & m for d, m in zip(data, mask, strict=True)]


def random_cases(machine: datamodel.DataModel, count: int) -> tuple[list[Case], str]:
    rng = random.Random(seed())
    structs: list[Declared] = []
    while len(structs) < count:
        inner = structs[-3:] if rng.random() < 0.3 else []
        made = Declared(rng, f"s{len(structs)}", inner, small=rng.random() < 0.8)
        # Whether bits without a name take a register, GCC and clang do not agree on.
        if all(part[0] for part in made.parts):
            structs.append(made)
    made = [Case(rng, at, structs, machine) for at in range(count)]
    source = "".join([HEAD, *[each.source for each in structs], *[each.source for each in made]])
    return made, source


@pytest.fixture(scope="module")
def here(build_library):
    made, source = random_cases(datamodel.HOST, cases(40))
    return made, jitffi.load_library(build_library(source))


def test_arguments_and_results(here):
    made, lib = here
    take_wrong = lib.bind("take_wrong", "() -> i32")
    for case in made:
        result = lib.bind(f"callee_{case.at}", case.signature("fuzz"))(*case.arguments("fuzz"))
        assert take_wrong() == 0, case.source
        check(result, case.contents[-1])


def test_callbacks(here):
    made, lib = here
    take_wrong = lib.bind("take_wrong", "() -> i32")
    for case in made:

        def callback(*given, case=case):
            case.check(given)
            return instance(case.result, "fuzz", case.contents[-1][0])

        lib.bind(f"run_{case.at}", f"(func[{case.signature('fuzz')}]) -> void")(callback)
        assert take_wrong() == 0, case.source


def test_pointers(here):
    made, lib = here
    for case in made:
        key = case.result.declare("fuzz").key
        swap = lib.bind(f"by_pointer_{case.at}", f"(ptr[{key}], ptr[{key}]) -> void")
        one, two = instance(case.result, "fuzz", case.contents[-1][0]), case.result.declare("fuzz").cls()
        swap(one, two)
        check(two, case.contents[-1])


@pytest.mark.parametrize("name", ["host", "aarch64", "riscv64"])
def test_emitted_for_machines(name, tmp_path):
    machine = MACHINES[name]
    machine.need()
    model = datamodel.HOST if name == "host" else datamodel.of(*MODELS[f"{name}-linux-gnu"])
    made, source = random_cases(model, cases(40))
    target, paths = Target.of(machine.triple), []
    for case in made:
        n, sig = case.at, case.signature(f"fuzz_{name}")
        ways = [(f"out_{n}", "c", "c", f"callee_{n}")]
        if n % 2:
            ways = [(f"out_{n}", "c", "packed", f"mid_{n}"), (f"mid_{n}", "packed", "c", f"callee_{n}")]
        for entry_name, entry, callee, callee_name in ways:
            text = adapter_modules.module_text(
                {entry_name: sig}, entry=entry, callee=callee, target=target, callee_name=callee_name
            )
            paths.append(tmp_path / f"{entry_name}.o")
            paths[-1].write_bytes(object_files.compile_text(text, target, n % 3, "o"))
    calls = [f"{case.result.c} out_{case.at}({case._types});" for case in made]
    runs = [f'run_{case.at}(out_{case.at}); if (take_wrong()) printf("{case.at} ");' for case in made]
    main = tmp_path / "main.c"
    main.write_text("\n".join([source, *calls, "int main(void) {", *runs, "return 0; }"]))
    program = tmp_path / "program"
    machine.compile(program, [main, *paths], "-w")
    assert machine.run(program) == ""
