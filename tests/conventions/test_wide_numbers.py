"""How long double, 128-bit integers and complex numbers are passed, beside what clang does for the same prototypes."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from jitffi.conventions.c_values import shape
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

CLANG = shutil.which("clang")
TARGETS = [
    "x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "wasm32-unknown-unknown", "i686-linux-gnu",
    "armv7-linux-gnueabihf", "powerpc64le-linux-gnu", "x86_64-pc-windows-msvc", "x86_64-apple-macos",
    "arm64-apple-macos11.0", "aarch64-pc-windows-msvc", "x86_64-linux-android", "powerpc64le-linux-musl",
]  # fmt: skip
C_NAMES = {
    "longdouble": "long double", "i128": "__int128", "u128": "unsigned __int128", "c64": "float _Complex",
    "c128": "double _Complex", "i32": "int", "f64": "double",
}  # fmt: skip
SIGNATURES = [
    "(longdouble, i32) -> longdouble",
    "(i128) -> i128",
    "(i32, u128, i32, i128) -> u128",
    "(c64, i32) -> c64",
    "(c128) -> c128",
    "(i32, c128, c64, f64) -> i32",
]


def prototype(text: str, name: str) -> str:
    sig = Signature.parse(text)
    given = ", ".join([f"{C_NAMES[p.type.text]} a{i}" for i, p in enumerate(sig.params)])
    return f"{C_NAMES[sig.result.text]} {name}({given})"


def words(text: str) -> list[str]:
    """The registers, or memory, that LLVM's types and attributes ask for, the result's first."""
    found = []
    for word in re.findall(r"(?:[^,(\[{<]|\([^)]*\)|\[[^]]*\]|\{[^}]*\}|<[^>]*>)+", text):
        word = re.sub(r"(\{[^}]*\}|[\w.]+) ?\*", "ptr", re.sub(r"<2 x float>", "double", word))
        if "byval" in word or "sret" in word:
            found.append("memory")
        elif inside := re.search(r"\[(\d+) x (\w+)\]", word):
            found += [inside[2]] * int(inside[1])
        elif inside := re.search(r"\{ (.*) \}", word):
            found += inside[1].split(", ")
        else:
            found.append(word.split()[0] if word.strip() else "void")
    return [part for word in found for part in (["i64", "i64"] if word == "i128" else [word])]


def theirs(triple: str, sigs: list[str], folder) -> dict[str, list[str]]:
    source = folder / "f.c"
    source.write_text("".join([prototype(text, f"f{i}") + " { __builtin_trap(); }\n" for i, text in enumerate(sigs)]))
    command = [CLANG, f"--target={triple}", "-O0", "-S", "-emit-llvm", "-w", "-o", "-", str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if "unable to create target" in done.stderr.lower():
        pytest.skip(f"this clang has no {triple}")
    assert done.returncode == 0, done.stderr
    found = {}
    for line in done.stdout.splitlines():
        if head := re.match(r"define (.*?)@(f\d+)\((.*)\)", line):
            plain = [
                re.sub(r"\b(noundef|dso_local|hidden|signext|zeroext|%[\w.]+)\b|%\w+$", "", part)
                for part in (head[1], head[3])
            ]
            params = plain[1][: plain[1].rindex(")")] if plain[1].count(")") > plain[1].count("(") else plain[1]
            found[head[2]] = [*words(plain[0]), "<-", *(words(params) if params.strip() else [])]
    return found


def ours(target: Target, text: str) -> list[str]:
    made = shape(target.abi, Signature.parse(text))
    params = [*made.hidden, *[each for value in made.params for each in value.types]]
    return [*words(made.returns[0]), "<-", *[word for each in params for word in words(" ".join(each))]]


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", TARGETS)
def test_they_are_passed_as_clang_does(triple, tmp_path):
    target = Target.of(triple)
    has_128 = target.pointer_bits == 64 or target.arch == "wasm32"
    sigs = [text for text in SIGNATURES if "128" not in re.sub("c128", "", text) or has_128 and "windows" not in triple]
    sigs += [text for text in SIGNATURES if text not in sigs and "aarch64" in triple]
    found = theirs(triple, sigs, tmp_path)
    for i, text in enumerate(sigs):
        assert ours(target, text) == found[f"f{i}"], text


@pytest.mark.parametrize(
    ("triple", "text", "why"),
    [
        ("i686-linux-gnu", "(i128) -> void", "C has none on i386"),
        ("x86_64-pc-windows-msvc", "() -> u128", "x86-64 Windows passes them by address"),
        ("x86_64-w64-mingw32", "(longdouble) -> void", "how x86-64 Windows passes it there is not known"),
    ],
)
def test_what_is_not_known_is_refused(triple, text, why):
    with pytest.raises(TypeError, match=f"convention 'c' cannot carry .*: {why}"):
        shape(Target.of(triple).abi, Signature.parse(text))
