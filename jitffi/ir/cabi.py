"""C's calling conventions as far as LLVM leaves them to the code generator: which integers a caller extends, how wide a
pointer is, and how a small struct is passed by value.

Sources: System V psABI 3.2.3 (x86-64), AAPCS and AAPCS64, Apple's arm64 conventions, RISC-V psABI 2.1, the WebAssembly
tool conventions ("Basic C ABI"), OpenPOWER ELFv2, MIPS N64 and O32, LoongArch ELF psABI. The tests compare each row
with what clang writes for the same prototypes.
"""

from __future__ import annotations

import os
import sys

#: A struct is passed by the address of a copy.
BY_ADDRESS = ("address",)

_WIDTHS = {"i1": 1, "i8": 8, "i16": 16, "i32": 32, "i64": 64}

# How an integer is extended: NARROW below 32 bits, as its own sign says; SIGN also 32 bits, by the sign bit whatever
# the type; OWN also 32 bits, as the type's sign says; BOOL truth values only; NONE not at all.
NARROW, SIGN, OWN, BOOL, NONE = "narrow", "sign", "own", "bool", "none"


class CABI:
    """One C ABI. `dtype` and `device` are the LLVM types that a DLDataType and a DLDevice are passed as, None where
    nobody here knows; `long_double` is that of a long double, "" where it is passed in a way that nobody here knows."""

    __slots__ = ("device", "dtype", "extends", "inreg", "long_double", "name", "pointer_bytes")

    def __init__(
        self,
        name: str,
        pointer_bytes: int,
        extends: str,
        dtype: tuple[str, ...] | None = None,
        device: tuple[str, ...] | None = None,
        inreg: bool = False,
        long_double: str = "fp128",
    ) -> None:
        self.name = name
        self.pointer_bytes = pointer_bytes
        self.extends = extends
        self.dtype = dtype
        self.device = device
        self.inreg = inreg
        self.long_double = long_double

    def with_long_double(self, type_: str) -> CABI:
        """The same on a system that has another long double."""
        return CABI(self.name, self.pointer_bytes, self.extends, self.dtype, self.device, self.inreg, type_)

    @property
    def size(self) -> str:
        """The LLVM type of size_t."""
        return "i64" if self.pointer_bytes == 8 else "i32"

    def machine_type(self, type_: str) -> str:
        """The LLVM type of *type_*, which may also be "size" for size_t, or "longdouble". TypeError for what C has not
        got, or passes in a way that is not known."""
        if type_ == "size":
            return self.size
        if type_ == "longdouble":
            type_ = self.long_double
        if not type_:
            raise TypeError(f"convention 'c' cannot carry longdouble: how {self.name} passes it there is not known")
        if type_ == "i128" and self.pointer_bytes < 8 and not self.name.startswith("wasm"):
            raise TypeError(f"convention 'c' cannot carry integers of 128 bits: C has none on {self.name}")
        if type_ == "i128" and self.name == "x86-64 Windows":
            raise TypeError(f"convention 'c' cannot carry integers of 128 bits: {self.name} passes them by address")
        return type_

    def extension(self, type_: str, sign: str) -> str:
        """The attribute of a parameter or result of an integer type; *sign* is what the type itself asks for: signext,
        zeroext, or "" for nothing."""
        width = _WIDTHS.get(type_, 64)
        if not sign or width == 64 or self.extends == NONE:
            return ""
        if self.extends == BOOL:
            return sign if width == 1 else ""
        if width < 32:
            return sign
        return {NARROW: "", SIGN: "signext", OWN: sign}[self.extends]

    def struct(self, name: str) -> tuple[str, ...]:
        """The LLVM types that "dtype" or "device" is passed as. TypeError where that is not known."""
        types: tuple[str, ...] | None = getattr(self, name)
        if types is None:
            raise TypeError(f"convention 'c' cannot carry {name}: how {self.name} passes structs by value is not known")
        return types


_I32, _I64, _PAIR = ("i32",), ("i64",), ("i32", "i32")

#: By name; `of` finds the one for a target.
ABIS = {
    abi.name: abi
    for abi in (
        CABI("x86-64", 8, NARROW, _I32, _I64, long_double="x86_fp80"),
        CABI("x86-64 Windows", 8, BOOL, _I32, _I64, long_double="double"),
        CABI("i386", 4, NARROW, _I32, _PAIR, long_double="x86_fp80"),
        CABI("aarch64", 8, NONE, _I64, _I64),
        CABI("arm64 Darwin", 8, NARROW, _I64, _I64, long_double="double"),
        CABI("arm", 4, NARROW, _I32, _PAIR, long_double="double"),
        CABI("riscv64", 8, SIGN, _I64, _I64),
        CABI("riscv32", 4, NARROW, _I32, _PAIR),
        CABI("wasm32", 4, NARROW, BY_ADDRESS, BY_ADDRESS),
        CABI("wasm64", 8, NARROW, BY_ADDRESS, BY_ADDRESS),
        CABI("powerpc64le", 8, OWN, _I32, _I64, long_double="ppc_fp128"),
        CABI("mips64el", 8, SIGN, _I32, _I64, inreg=True),
        CABI("mipsel", 4, NARROW, _I32, _PAIR, inreg=True, long_double="double"),
        CABI("loongarch64", 8, SIGN, _I64, _I64),
        CABI("hexagon", 4, NARROW, _I32, _I64, long_double="double"),
        CABI("nvptx64", 8, NARROW, long_double="double"),
    )
}


def host() -> CABI:
    """The ABI of this process, for code that is made at run time."""
    machine = os.uname().machine.lower()
    if machine in ("aarch64", "arm64"):
        return ABIS["arm64 Darwin" if sys.platform == "darwin" else "aarch64"]
    return ABIS.get(machine, ABIS["x86-64"])


HOST = host()
