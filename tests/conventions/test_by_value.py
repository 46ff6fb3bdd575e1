"""How structs are passed by value, beside what clang does for the same prototypes on each target."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import pytest
from support.structs import C_NAMES, MACHINES, Declared

from jitffi.conventions.by_value import COPY, NOTHING, SRET, STACK, ByValue, Passing
from jitffi.conventions.by_value_rules import RULES
from jitffi.signature import datamodel
from jitffi.signature.cdecl import parse_declarations
from jitffi.signature.fields import number

CLANG = shutil.which("clang")
ABI_NAMES = {
    "x86_64-linux-gnu": "x86-64", "aarch64-linux-gnu": "aarch64", "arm64-apple-darwin": "arm64 Darwin",
    "x86_64-pc-windows-msvc": "x86-64 Windows", "riscv64-linux-gnu": "riscv64", "armv7-linux-gnueabihf": "arm",
    "i686-linux-gnu": "i386", "wasm32-wasi": "wasm32", "powerpc64le-linux-gnu": "powerpc64le",
}  # fmt: skip
SCALARS = ("i32", "i64", "f64", "f32", "pointer")


class Prototype:
    """A random function: what it takes and returns, the structs among that by their declaration."""

    def __init__(self, rng: random.Random, at: int, structs: list[Declared]) -> None:
        self.name = f"f{at}"
        pick = lambda: rng.choice(structs) if rng.random() < 0.5 else rng.choice(SCALARS)  # noqa: E731
        self.params: list[Declared | str] = [pick() for _ in range(rng.randrange(9))]
        self.result = rng.choice(structs) if rng.random() < 0.5 else "i32"

    @property
    def source(self) -> str:
        params = ", ".join([f"{spell(type_)} a{i}" for i, type_ in enumerate(self.params)])
        return f"{spell(self.result)} {self.name}({params or 'void'}) {{ __builtin_trap(); }}\n"

    def ours(self, rules: ByValue, machine: datamodel.DataModel, family: str) -> list[str]:
        said = []
        if isinstance(self.result, Declared):
            made = rules.result(self.result.layout(machine))
            said += ["sret"] if made.kind == SRET else [f"-> {each}" for each in words_of(made, family)]
        for type_ in self.params:
            if isinstance(type_, Declared):
                said += words_of(rules.argument(type_.layout(machine)), family)
            else:
                rules.scalar(type_)
                said.append({"i32": "i32", "i64": "i64", "f64": "double", "f32": "float", "pointer": "ptr"}[type_])
        return [plain(word, family) for word in said]


def spell(type_: Declared | str) -> str:
    if isinstance(type_, str):
        return C_NAMES[type_]
    return f"{'union' if type_.is_union else 'struct'} {type_.name}"


def words_of(made: Passing, family: str) -> list[str]:
    if made.kind in (STACK, COPY, NOTHING):
        return {STACK: [f"stack {made.align}"], COPY: ["copy"], NOTHING: []}[made.kind]
    return [piece.type for piece in made.pieces]


def plain(word: str, family: str) -> str:
    """What is the same in registers is one word."""
    word = re.sub(r"^(-> )?\[1 x (\w+)\]$", r"\1\2", word).replace("-> i128", "-> [2 x i64]")
    if family == "arm":
        word = re.sub(r"-> i(8|16)$", "-> i32", word)
    word = re.sub(r"\S+\*$", "ptr", word)
    if family == "x86-64":
        word = word.replace("ptr", "i64")
        word = re.sub(r"<\d x (float|half)>|\bfloat\b|\bhalf\b", "double", word)
    return re.sub(r"\bi(\d+)\b", lambda m: f"i{max(64, int(m[1]))}" if family != "arm" else m[0], word)


def theirs(head: str, structs: dict[str, str], family: str) -> list[str]:
    """What clang's definition says, in the same words."""
    found = re.match(r"(.*) @\w+\((.*)\)$", head)
    assert found, head
    result, params = found.groups()
    said = []
    if result.startswith("%") or result in structs:
        said = [f"-> {structs[result]}"]
    elif result.startswith(("{", "<{")):
        said = [f"-> {each.strip()}" for each in re.sub(r"^<?{ | }>?$", "", result).split(", ")]
        if family == "powerpc64le":  # in the same two registers
            said = ["-> [2 x i64]"]
    elif result not in ("void", "i32 int"):
        said = [f"-> {result}"]
    for param in re.split(r", (?![^<{\[(]*[>}\])])", params) if params else []:
        words = re.sub(r"noundef |signext |zeroext |inreg ", "", param).split(" ")
        type_ = param.partition(" %")[0] if param[0] in "[<{" else words[0]
        type_ = re.match(r"\[.*?\]|<.*?>|\S+", param)[0] if param[0] in "[<" else words[0]  # type: ignore[index]
        if "sret" in param:
            said.append("sret")
        elif "byval" in param:
            said.append("stack " + re.search(r"align (\d+)", param)[1])  # type: ignore[index]
        elif type_.endswith("*"):
            said.append("copy" if type_.startswith("%") else "ptr")
        else:
            said.append(structs.get(type_, type_))
    return [plain(word, family) for word in said]


def inside(text: str) -> dict[str, str]:
    """LLVM's struct types that are passed as such: arrays of floating-point numbers that all are alike."""
    defined = dict(re.findall(r"^(%\S+) = type <?\{ (.*?) \}>?$", text, re.MULTILINE))

    def flat(type_: str) -> list[str]:
        if type_.startswith("{"):  # a complex number
            return type_.strip("{} ").split(", ")
        if type_ in defined:
            return [each for part in re.split(r", (?![^\[{]*[\]}])", defined[type_]) for each in flat(part)]
        array = re.match(r"\[(\d+) x (.*)\]$", type_)
        return flat(array[2]) * int(array[1]) if array else [type_]

    found = {}
    for name in defined:
        parts = flat(name)
        found[name] = f"[{len(parts)} x {parts[0]}]" if len(set(parts)) == 1 else "{" + ", ".join(parts) + "}"
    return found


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", ABI_NAMES)
def test_as_clang_passes_them(triple):
    rng = random.Random(1)
    structs: list[Declared] = []
    while len(structs) < 120:
        made = Declared(rng, f"s{len(structs)}", structs[-3:] if rng.random() < 0.3 else [], small=True)
        # What is padding alone is nothing to some, and something to others. clang before 16 takes bit-fields of no bits
        # for members on RISC-V, which GCC and the psABI (2.1) do not.
        no_bits = triple.startswith(("riscv", "powerpc")) and any(part[3] == 0 for part in made.parts)
        # Its long double is two of another, in pairs of registers.
        other = triple.startswith("powerpc") and "long double" in made.source
        if any(part[0] for part in made.parts) and not no_bits and not other:
            structs.append(made)
    functions = [Prototype(rng, at, structs) for at in range(300)]
    source = "".join([each.source for each in (*structs, *functions)])
    command = [str(CLANG), f"--target={triple}", "-w", "-xc", "-S", "-emit-llvm", "-o", "-", "-"]
    done = subprocess.run(command, input=source, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this clang has no {triple}: {done.stderr[:500]}")
    machine = datamodel.of(*MACHINES[triple])
    family = ABI_NAMES[triple]
    heads = {
        name: re.sub(r"^(?:dso_local |hidden |noundef |signext |zeroext )+", "", head)
        for head, name in re.findall(r"^define (.* @(f\d+)\(.*\)) ", done.stdout, re.MULTILINE)
    }
    known = inside(done.stdout)
    wrong = []
    for each in functions:
        rules = RULES[family](lambda name: number(name, machine))
        ours = each.ours(rules, machine, family)
        clangs = theirs(heads[each.name], known, family)
        if not isinstance(each.result, Declared):
            clangs = [word for word in clangs if not word.startswith("->")]
        if family == "i386":  # clang lays some out on the stack part by part, where a whole one would be
            ours, clangs = [[word for word in words if word == "sret"] for words in (ours, clangs)]
        if ours != clangs:
            involved = [t.source for t in (each.result, *each.params) if isinstance(t, Declared)]
            wrong.append(("".join(involved) + each.source, heads[each.name], ours, clangs))
    shortest = min(wrong, key=lambda each: len(each[0]), default=())
    assert not wrong, f"{len(wrong)} of {len(functions)}, the shortest: " + "\n".join(map(str, shortest))


VARIABLE = """
struct f2 { float a, b; };
struct f4 { float a[4]; };
struct d2 { double a, b; };
struct d4 { double a[4]; };
struct mix { int i; float f; };
struct pair { long long i; double f; };
struct bytes { char a[3]; };
struct wide { long long a[2]; int b; };
int g(struct f2 *fixed, ...);
"""


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", [triple for triple in ABI_NAMES if not triple.startswith("i686")])  # as its words
def test_behind_an_ellipsis_as_clang_passes_them(triple):
    """What goes through registers of its own otherwise goes where integers do on some targets."""
    names = re.findall(r"struct (\w+) \{", VARIABLE)
    callers = [f"int use_{name}(struct {name} *p) {{ return g(0, *p, 1.5, *p); }}\n" for name in names]
    command = [str(CLANG), f"--target={triple}", "-w", "-xc", "-O1", "-S", "-emit-llvm", "-o", "-", "-"]
    done = subprocess.run(command, input=VARIABLE + "".join(callers), capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this clang has no {triple}: {done.stderr[:500]}")
    family, machine = ABI_NAMES[triple], datamodel.of(*MACHINES[triple])
    calls = dict(re.findall(r"define [^\n]*@use_(\w+)\(.*?call [^\n]*@g\(([^\n]*)\) #", done.stdout, re.S))
    known = parse_declarations(VARIABLE, "variable").names
    for name in names:
        rules, layout = (
            RULES[family](lambda each: number(each, machine)),
            known[f"struct {name}"].args[0].layout(machine),
        )
        rules.begin_variadic()
        rules.scalar("pointer")
        rules.begin_variable()
        first = words_of(rules.argument(layout), family)
        rules.scalar("f64")
        ours = ["ptr", *first, "double", *words_of(rules.argument(layout), family)]
        args = calls[name].replace("%struct.f2* noundef null", "ptr").replace("double noundef 1.500000e+00", "double")
        assert [plain(word, family) for word in ours] == theirs(f"void @g({args})", {}, family), (name, calls[name])
