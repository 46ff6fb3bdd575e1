"""Random structs: their declaration in C, and what they are laid out from."""

from __future__ import annotations

import ctypes
import math
import os
import random
import struct

from jitffi.signature import datamodel, structs
from jitffi.signature.fields import Layout, Member, number, place
from jitffi.signature.model import Type

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

    @property
    def c(self) -> str:
        return f"{'union' if self.is_union else 'struct'} {self.name}"

    def declare(self, prefix: str) -> structs.Struct:
        """Its declaration, and those of what is in it."""
        members = []
        for name, type_, dims, bits in self.parts:
            if isinstance(type_, Declared):
                inner = type_.declare(prefix).type
            else:
                inner = Type("ptr" if type_ == "pointer" else type_)
            members.append(structs.Member(name, inner, dims, bits))
        key = f"{prefix}.{self.name}"
        return structs.declare(key, members, is_union=self.is_union, pack=self.pack, align=self.align, c_name=self.c)


def contents(rng: random.Random, layout: Layout, machine: datamodel.DataModel) -> tuple[bytes, bytes]:
    """Random bytes of a struct, and which of their bits are a member's: of a union those of one member."""
    data, mask = bytearray(layout.size), bytearray(layout.size)
    _fill(rng, layout, machine, 0, data, mask)
    return bytes(data), bytes(mask)


def _fill(
    rng: random.Random, layout: Layout, machine: datamodel.DataModel, base: int, data: bytearray, mask: bytearray
) -> None:
    named = [placed for placed in layout.members if placed.member.name is not None]
    for member, offset, bit in [rng.choice(named)] if layout.is_union and named else named:
        at = base + offset
        if member.bits is not None:
            _set_bits(data, at, bit, member.bits, rng.getrandbits(member.bits))
            _set_bits(mask, at, bit, member.bits, (1 << member.bits) - 1)
            continue
        for _ in range(math.prod(member.dims)):
            if isinstance(member.type, Layout):
                _fill(rng, member.type, machine, at, data, mask)
                at += member.type.size
                continue
            size, _align = number(member.type, machine)
            value, known = _number(rng, member.type, size)
            data[at : at + known], mask[at : at + known] = value, b"\xff" * known
            at += size


def _set_bits(data: bytearray, at: int, bit: int, bits: int, value: int) -> None:
    size = (bit + bits + 7) // 8
    whole = int.from_bytes(data[at : at + size], "little") | value << bit
    data[at : at + size] = whole.to_bytes(size, "little")


def _number(rng: random.Random, type_: str, size: int) -> tuple[bytes, int]:
    """A value that survives any register, and how many bytes of it are told."""
    if type_ == "longdouble" and size == 16 and os.uname().machine == "x86_64":
        return bytes(ctypes.c_longdouble(rng.randrange(1, 1000)))[:10], 10
    form = {"bool": "?", "f32": "f", "f64": "d", "c64": "ff", "c128": "dd"}.get(type_)
    if form is None:
        return rng.randbytes(size), size
    values = [rng.randrange(2) if form == "?" else rng.randrange(1000) / 4 for _ in form]
    return struct.pack(f"<{form}", *values), size
