"""What C's arithmetic types, and the typedefs of its standard headers, are on a kind of machine."""

from __future__ import annotations

import functools
import os
import struct
import sys

#: Architectures, by how their names begin, where a plain `char` is unsigned, unless the system is one of those below.
_UNSIGNED_CHAR = ("aarch64", "arm", "thumb", "riscv", "powerpc", "ppc", "hexagon", "s390")
_UNSIGNED_WCHAR = ("aarch64", "arm", "thumb")
_I386 = ("i386", "i486", "i586", "i686")
_SIGNED_ANYWAY = ("darwin", "macosx", "ios", "windows", "win32")


class DataModel:
    """The types by their C names: `keywords`, words in alphabetical order, and `typedefs`; and what structs
    are laid out by (signature/fields.py)."""

    #: The alignment of numbers of eight bytes in memory.
    wide_align = 8
    #: Size and alignment.
    long_double = 16, 16
    #: Bit-fields without a name align the struct that they are in (AAPCS64 8.1.8.3).
    unnamed_bits_align = False
    is_windows = False

    def __init__(self, long_bits: int, pointer_bits: int, char: str, wchar: str, file_bits: int) -> None:
        self.char = char
        self.pointer_bits = pointer_bits
        self.long = long = f"i{long_bits}"
        self.ulong = ulong = f"u{long_bits}"
        size, diff = f"u{pointer_bits}", f"i{pointer_bits}"
        file, inode = f"i{file_bits}", f"u{file_bits}"
        keywords = {"void": "void", "_Bool": "bool", "float": "f32", "double": "f64", "char": char}
        keywords |= {"char signed": "i8", "char unsigned": "u8", "signed": "i32", "unsigned": "u32", "int": "i32"}
        for words, signed, unsigned in (("short", "i16", "u16"), ("long", long, ulong), ("long long", "i64", "u64")):
            for more, type_ in (("", signed), ("signed", signed), ("unsigned", unsigned)):
                for int_ in ("", "int"):
                    keywords[" ".join(sorted(f"{words} {more} {int_}".split()))] = type_
        keywords |= {"int signed": "i32", "int unsigned": "u32", "double long": "longdouble"}
        keywords |= {"_Complex float": "c64", "_Complex double": "c128", "_Complex": "c128"}
        self.keywords = keywords | {"__int128": "i128", "__int128 signed": "i128", "__int128 unsigned": "u128"}
        self.typedefs = {
            "bool": "bool", "wchar_t": wchar, "wint_t": "u32", "char16_t": "u16", "char32_t": "u32",
            "size_t": size, "ssize_t": diff, "ptrdiff_t": diff, "intptr_t": diff, "uintptr_t": size,
            "sig_atomic_t": "i32", "off_t": file, "off64_t": "i64", "loff_t": "i64", "time_t": file, "clock_t": file,
            "suseconds_t": file, "useconds_t": "u32", "clockid_t": "i32", "pid_t": "i32", "uid_t": "u32",
            "gid_t": "u32", "id_t": "u32", "mode_t": "u32", "dev_t": "u64", "ino_t": inode, "socklen_t": "u32",
            "key_t": "i32", "blkcnt_t": file, "pthread_t": ulong, "intmax_t": "i64", "uintmax_t": "u64",
            "u_char": "u8", "u_short": "u16", "u_int": "u32", "u_long": ulong, "ushort": "u16", "uint": "u32",
            "ulong": ulong, "_Float32": "f32", "_Float64": "f64", "_Float32x": "f64",
            "__int128_t": "i128", "__uint128_t": "u128",
        }  # fmt: skip
        for bits in (8, 16, 32, 64):
            fast = 8 if bits == 8 else long_bits
            for sign, prefix in (("i", ""), ("u", "u")):
                self.typedefs[f"{prefix}int{bits}_t"] = self.typedefs[f"{prefix}int_least{bits}_t"] = f"{sign}{bits}"
                self.typedefs[f"{prefix}int_fast{bits}_t"] = f"{sign}{max(bits, fast)}"


@functools.cache
def of(arch: str, system: str, pointer_bits: int) -> DataModel:
    """What they are on machines of an architecture and a system, by LLVM's names of both.

    >>> [of(arch, "linux", bits).typedefs["size_t"] for arch, bits in (("x86_64", 64), ("arm", 32))]
    ['u64', 'u32']
    >>> of("x86_64", "windows", 64).long, of("aarch64", "linux", 64).char, of("wasm32", "wasi", 32).typedefs["time_t"]
    ('i32', 'u8', 'i64')
    """
    windows = system in ("windows", "win32")
    by_system = system.startswith(_SIGNED_ANYWAY)
    long_bits = 32 if windows else pointer_bits
    char = "u8" if arch.startswith(_UNSIGNED_CHAR) and not by_system else "i8"
    wchar = "u16" if windows else "u32" if arch.startswith(_UNSIGNED_WCHAR) and not by_system else "i32"
    model = DataModel(long_bits, pointer_bits, char, wchar, 64 if arch.startswith("wasm") else long_bits)
    model.is_windows = windows
    is_arm = arch.startswith(_UNSIGNED_WCHAR)
    model.unnamed_bits_align = is_arm and not by_system
    if arch in _I386:
        model.wide_align, model.long_double = 8 if windows else 4, (12, 4)
    elif (
        windows
        or arch.startswith(("armv", "arm", "mipsel", "thumb", "hexagon"))
        and pointer_bits == 32
        or by_system
        and is_arm
    ):
        model.long_double = 8, 8
    return model


HOST = of(os.uname().machine.lower(), sys.platform, 8 * struct.calcsize("P"))

#: What the targets are of an ABI (ir/cabi.py) that passes structs by rules known here, as `of` is asked.
_MACHINES = {
    "x86-64": ("x86_64", "linux", 64),
    "x86-64 Windows": ("x86_64", "windows", 64),
    "i386": ("i386", "linux", 32),
    "aarch64": ("aarch64", "linux", 64),
    "arm64 Darwin": ("aarch64", "darwin", 64),
    "arm": ("arm", "linux", 32),
    "riscv64": ("riscv64", "linux", 64),
    "riscv32": ("riscv32", "linux", 32),
    "wasm32": ("wasm32", "wasi", 32),
    "powerpc64le": ("powerpc64le", "linux", 64),
}


def of_abi(name: str) -> DataModel:
    """How structs are laid out where C's ABI is the one of that name. KeyError where it is not known."""
    return of(*_MACHINES[name])
