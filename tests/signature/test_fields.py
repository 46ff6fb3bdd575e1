"""Where members of structs are, beside what clang says for the same declarations on each target."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import pytest

from jitffi.signature import datamodel
from jitffi.signature.fields import Layout, Member, place

CLANG = shutil.which("clang")
MACHINES = {
    "x86_64-linux-gnu": ("x86_64", "linux", 64),
    "aarch64-linux-gnu": ("aarch64", "linux", 64),
    "arm64-apple-darwin": ("aarch64", "darwin", 64),
    "x86_64-pc-windows-msvc": ("x86_64", "windows", 64),
    "riscv64-linux-gnu": ("riscv64", "linux", 64),
    "riscv32-linux-gnu": ("riscv32", "linux", 32),
    "armv7-linux-gnueabihf": ("arm", "linux", 32),
    "i686-linux-gnu": ("i386", "linux", 32),
    "wasm32-wasi": ("wasm32", "wasi", 32),
    "powerpc64le-linux-gnu": ("powerpc64le", "linux", 64),
    "mips64el-linux-gnuabi64": ("mips64el", "linux", 64),
}
C_NAMES = {
    "bool": "_Bool", "i8": "signed char", "u8": "unsigned char", "i16": "short", "u16": "unsigned short", "i32": "int",
    "u32": "unsigned", "i64": "long long", "u64": "unsigned long long", "f32": "float", "f64": "double",
    "c64": "float _Complex", "c128": "double _Complex", "pointer": "void*", "longdouble": "long double",
}  # fmt: skip
INTEGERS = ("bool", "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64")


class Declared:
    """One struct in C, and what it is made of."""

    def __init__(self, rng: random.Random, name: str, others: list[Declared]) -> None:
        self.name = name
        self.is_union = rng.random() < 0.2
        self.pack = rng.choice((0, 0, 0, 1, 2, 4))
        self.align = rng.choice((0, 0, 0, 0, 16))
        self.parts = [self._part(rng, at, others) for at in range(rng.randrange(1, 8))]

    def _part(self, rng: random.Random, at: int, others: list[Declared]):
        if rng.random() < 0.35:
            type_ = rng.choice(INTEGERS)
            most = 1 if type_ == "bool" else 8 * {"i": 1, "u": 1}[type_[0]] * (int(type_[1:]) // 8)
            bits = rng.choice((rng.randrange(1, most + 1), rng.randrange(1, most + 1), 0))
            return (f"m{at}" if bits and rng.random() < 0.85 else None, type_, (), bits)
        type_ = rng.choice([*C_NAMES, *others]) if others else rng.choice(list(C_NAMES))
        return f"m{at}", type_, rng.choice(((), (), (3,), (2, 2))), None

    @property
    def source(self) -> str:
        lines = []
        for name, type_, dims, bits in self.parts:
            spelled = C_NAMES[type_] if isinstance(type_, str) else f"struct {type_.name}"
            if isinstance(type_, Declared) and type_.is_union:
                spelled = f"union {type_.name}"
            tail = "".join(f"[{n}]" for n in dims) if bits is None else f":{bits}"
            lines.append(f"  {spelled} {name or ''}{tail};")
        kind = "union" if self.is_union else "struct"
        aligned = f" __attribute__((aligned({self.align})))" * bool(self.align)
        body = "\n".join([f"{kind}{aligned} {self.name} {{", *lines, "};"])
        packed = f"#pragma pack(push, {self.pack})\n{body}\n#pragma pack(pop)" if self.pack else body
        return f"{packed}\n{kind} {self.name} the_{self.name};\n"

    def layout(self, machine: datamodel.DataModel) -> Layout:
        members = [
            Member(name, type_.layout(machine) if isinstance(type_, Declared) else type_, dims, bits)
            for name, type_, dims, bits in self.parts
        ]
        return place(members, machine, is_union=self.is_union, pack=self.pack, align=self.align)


def said_by_clang(triple: str, source: str) -> dict[str, tuple[int, int, list[tuple[str, int, int]]]]:
    """By name: size, alignment, and each own member with its offset and first bit."""
    command = [CLANG, f"--target={triple}", "-xc", "-Xclang", "-fdump-record-layouts", "-S", "-emit-llvm"]
    done = subprocess.run([*command, "-o", "/dev/null", "-"], input=source, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this clang has no {triple}: {done.stderr[:200]}")
    found = {}
    for part in done.stdout.split("*** Dumping AST Record Layout")[1:]:
        head = re.search(r"^ +0 \| (?:struct|union) (\w+)$", part, re.MULTILINE)
        end = re.search(r"\[sizeof=(\d+), align=(\d+)", part)
        assert head and end, part
        own = []
        for at, first, name in re.findall(r"^ *(\d+)(?::(\d+)-\d+)? \|   \S.* (m\d+)$", part, re.MULTILINE):
            if name not in [each[0] for each in own]:
                own.append((name, int(at), int(first or 0)))
        found[head[1]] = int(end[1]), int(end[2]), own
    return found


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", MACHINES)
def test_as_clang_places_them(triple):
    rng = random.Random(1)
    made: list[Declared] = []
    for at in range(200):
        made.append(Declared(rng, f"s{at}", made[-5:]))
    machine = datamodel.of(*MACHINES[triple])
    expected = said_by_clang(triple, "".join(each.source for each in made))
    wrong = []
    for each in made:
        layout = each.layout(machine)
        own = [(p.member.name, p.offset, p.bit) for p in layout.members if p.member.name]
        if (layout.size, layout.align, own) != expected[each.name]:
            wrong.append((each.source, (layout.size, layout.align, own), expected[each.name]))
    shortest = min(wrong, key=lambda each: len(each[0]), default=())
    assert not wrong, f"{len(wrong)} of {len(made)}, the shortest: " + "\n".join(map(str, shortest))


def test_what_is_no_member_is_refused():
    with pytest.raises(ValueError, match="x: 9 bits of u8 are no bit-field"):
        place([Member("x", "u8", bits=9)], datamodel.HOST)
    with pytest.raises(ValueError, match="x: only the last member of a struct has no length"):
        place([Member("x", "u8", (-1,)), Member("y", "u8")], datamodel.HOST)
    made = place([Member("n", "u32"), Member("x", "f64", (-1,))], datamodel.HOST)
    assert (made.size, made.align, made.members[1].offset) == (8, 8, 8)
