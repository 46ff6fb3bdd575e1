"""Random structs: their declaration in C, and what they are laid out from."""

from __future__ import annotations

import random

from jitffi.signature import datamodel
from jitffi.signature.fields import Layout, Member, place

#: By the names that clang has for targets: architecture, system and bits.
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

    def __init__(self, rng: random.Random, name: str, others: list[Declared], small: bool = False) -> None:
        self.name = name
        self.is_union = rng.random() < 0.2
        self.pack = rng.choice((0, 0, 0, 1, 2, 4))
        self.align = rng.choice((0, 0, 0, 0, 16))
        count = rng.randrange(1, 4) if small else rng.randrange(1, 8)
        alike = rng.choice(("f32", "f64", "")) if small and rng.random() < 0.4 else ""
        self.parts = [self._part(rng, at, others, alike) for at in range(count)]

    def _part(self, rng: random.Random, at: int, others: list[Declared], alike: str):
        if alike:
            return f"m{at}", alike, rng.choice(((), (), (2,))), None
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
