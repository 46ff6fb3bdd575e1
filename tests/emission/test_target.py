"""Targets of files: each of this LLVM's makes an object or says why not; formats, symbols, and C's own conventions as
clang sees them."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap

import pytest
from support.native import SCALARS, STRUCTS
from support.objects import elf_machine, symbols

from jitffi import _core
from jitffi.emission import adapter_modules
from jitffi.llvm import object_files, triples
from jitffi.llvm.target import HOST, Target, TargetError
from jitffi.signature.model import WIDE_NAMES, Signature

#: One that says something of each kind of value.
EVERYTHING = Signature.parse(
    "(a: i64, b: u8, c: f32, d: bool, e: str, f: ptr, g: optional[i32], h: func[(i64, str) -> i32], i: list[str], "
    "j: dtype = 'int8', k: device = 'cuda:1', l: bytes = b'x', m: cstr = 'text', n: optional[f64] = None) -> cstr"
)
SMALL = Signature.parse("(x: i64, s: str) -> i32")

# name: (format, bits, ELF's e_machine)
MADE = {
    "x86_64-linux-gnu": ("elf", 64, 62),
    "x86_64-linux-musl": ("elf", 64, 62),
    "i686-linux-gnu": ("elf", 32, 3),
    "aarch64-linux-gnu": ("elf", 64, 183),
    "armv7-linux-gnueabihf": ("elf", 32, 40),
    "thumbv7em-none-eabi": ("elf", 32, 40),
    "riscv64-linux-gnu": ("elf", 64, 243),
    "riscv32-unknown-elf": ("elf", 32, 243),
    "powerpc64le-linux-gnu": ("elf", 64, 21),
    "mips64el-linux-gnuabi64": ("elf", 64, 8),
    "mipsel-linux-gnu": ("elf", 32, 8),
    "loongarch64-linux-gnu": ("elf", 64, 258),
    "hexagon-unknown-linux-musl": ("elf", 32, 164),
    "wasm32-unknown-unknown": ("wasm", 32, 0),
    "wasm32-wasi": ("wasm", 32, 0),
    "wasm64-unknown-unknown": ("wasm", 64, 0),
    "arm64-apple-macos11.0": ("macho", 64, 0),
    "x86_64-apple-macos": ("macho", 64, 0),
    "x86_64-pc-windows-msvc": ("coff", 64, 0),
    "x86_64-w64-mingw32": ("coff", 64, 0),
    "aarch64-pc-windows-msvc": ("coff", 64, 0),
}
BIG = "is big-endian"
REFUSED = {
    "aarch64_be": BIG, "armeb": BIG, "thumbeb": BIG, "mips": BIG, "mips64": BIG, "powerpc": BIG, "powerpc64": BIG,
    "riscv32be": BIG, "riscv64be": BIG, "s390x": BIG, "sparc": BIG, "sparcv9": BIG, "lanai": BIG, "bpfeb": BIG,
    "arm64_32": "pointers of 4 bytes", "amdgcn": "GPU", "r600": "GPU", "spirv": "GPU", "spirv32": "GPU",
    "spirv64": "GPU", "nvptx": "nvptx64", "avr": "2 bytes", "msp430": "2 bytes", "bpfel": "BPF",
    "loongarch32": "not known", "powerpcle": "not known", "sparcel": "not known", "ve": "not known",
    "xcore": "not known", "x86_64-linux-gnux32": "x32", "xtensa": "this LLVM has no xtensa",
}  # fmt: skip
#: The architectures of LLVM 22 as llvmlite is built with it, by the names of their triples.
REGISTRY = """
    aarch64 aarch64_32 aarch64_be amdgcn arm armeb avr bpfel bpfeb hexagon lanai loongarch32 loongarch64 mips mips64
    mips64el mipsel msp430 nvptx nvptx64 powerpc powerpc64 powerpc64le powerpcle r600 riscv32 riscv64 riscv32be
    riscv64be sparc sparcel sparcv9 spirv spirv32 spirv64 s390x thumb thumbeb ve wasm32 wasm64 i386 x86_64 xcore
"""


def text_of(target, sigs=None, entry="packed", callee="c", **options):
    return adapter_modules.module_text(sigs or {"f": EVERYTHING}, entry=entry, callee=callee, target=target, **options)


# -- every target -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("triple", MADE)
def test_objects_of_each_target(triple):
    form, bits, machine = MADE[triple]
    target = Target.of(triple)
    assert (target.object_format, target.pointer_bits) == (form, bits)
    data = object_files.compile_text(text_of(target), target, 2, "o")
    if form == "elf":
        assert elf_machine(data)[:2] == (bits, machine)
    else:
        starts = {"wasm": b"\0asm", "macho": b"\xcf\xfa\xed\xfe", "coff": b"d\x86" if "64-" in triple[:7] else b"d\xaa"}
        assert data.startswith(starts[form])
    assert object_files.compile_text(text_of(target, entry="c", callee="packed"), target, 0, "o")


@pytest.mark.parametrize("triple", REFUSED)
def test_refused_targets_say_why(triple):
    with pytest.raises(TargetError) as caught:
        Target.of(triple)
    assert triple in str(caught.value) and REFUSED[triple] in str(caught.value)
    assert "\n" not in str(caught.value)


def test_each_architecture_of_this_llvm_is_in_one_of_the_lists():
    mentioned = {*triples.ARCHS, *triples._REFUSED, *triples._BIG_ENDIAN}
    made = {Target.of(triple).arch for triple in MADE} | {"nvptx64"}
    assert set(triples.ARCHS) <= made | {"arm"}
    for name in REGISTRY.split():
        assert name in mentioned, name


def test_ptx_is_assembly_only():
    target = Target.of("nvptx64-nvidia-cuda")
    text = text_of(target, {"f": SMALL})
    assert b".visible .func" in object_files.compile_text(text, target, 2, "s")
    with pytest.raises(TargetError, match=r"nvptx64 has no object files: emit assembly \(\.s\)"):
        object_files.compile_text(text, target, 2, "o")
    with pytest.raises(TypeError, match="f: convention 'c' cannot carry dtype: how nvptx64 passes structs by value"):
        text_of(target)


# -- what is not known ------------------------------------------------------------------------------------------------

UNKNOWN = [
    (("x86_65-linux-gnu",), "unknown target 'x86_65-linux-gnu'; did you mean x86_64-linux-gnu"),
    (("foo",), "unknown target 'foo'"),
    (("",), None),
    (("x86_64-linx-gnu",), "unknown 'linx' in target 'x86_64-linx-gnu'; did you mean linux"),
    (("aarch64-linux-gnx",), "unknown 'gnx' in target 'aarch64-linux-gnx'; did you mean gnu"),
    (("x86_64-linux-gnu", "haswel"), "unknown cpu 'haswel' for x86_64-unknown-linux-gnu; did you mean haswell"),
    (("riscv64-linux-gnu", None, "+vv"), "unknown feature 'vv' for riscv64-unknown-linux-gnu"),
    (("riscv64-linux-gnu", None, "v"), "feature 'v': expected +name or -name"),
    (("aarch64-linux-gnu", None, "+"), "feature '+': expected +name or -name"),
    (("wasm32", "native"), "cpu 'native' is this machine's own: wasm32-unknown-unknown needs the name of a CPU"),
]


@pytest.mark.parametrize(("given", "said"), UNKNOWN)
def test_unknown_names_show_the_nearest(given, said):
    if said is None:
        assert Target.of(*given).is_host
        return
    with pytest.raises(TargetError) as caught:
        Target.of(*given)
    assert str(caught.value).startswith(said)
    assert isinstance(caught.value, ValueError)


def test_cpus_and_features():
    plain = Target.of()
    assert plain.is_host and plain.known and plain.cpu != HOST.cpu and not plain.features.count("avx")
    native = Target.of(cpu="native")
    assert (native.cpu, native.features, native.known) == (HOST.cpu, HOST.features, True)
    vector = Target.of("riscv64-linux-gnu", features="+v")
    assert vector.llvm_abi == "lp64d" and not vector.known
    flags = elf_machine(object_files.compile_text(text_of(vector), vector, 2, "o"))[2]
    assert flags & 6 == 4  # floats of 64 bits in registers
    soft = Target.of("riscv64-linux-gnu", features="-d,-f")
    assert soft.llvm_abi == "lp64"
    assert elf_machine(object_files.compile_text(text_of(soft), soft, 2, "o"))[2] & 6 == 0


def test_what_llvm_dies_of_is_an_error():
    """A 32-bit CPU on a 64-bit target: LLVM ends its process."""
    target = Target.of("x86_64-linux-gnu", "i486")
    with pytest.raises(
        TargetError, match="x86_64-unknown-linux-gnu: LLVM cannot compile for it: 64-bit code requested"
    ):
        object_files.compile_text(text_of(target), target, 2, "o")


# -- symbols ----------------------------------------------------------------------------------------------------------

#: What a linker makes by itself, and conversions that a compiler's own library has where the machine has none.
OF_THE_LINKER = {"__stack_pointer", "__indirect_function_table", "_GLOBAL_OFFSET_TABLE_", "_gp_disp", ".TOC."}
OF_THE_COMPILER = {"__aeabi_d2f", "__truncdfsf2"}
ELF_AND_WASM = [triple for triple, row in MADE.items() if row[0] in ("elf", "wasm")]


@pytest.mark.parametrize("triple", ELF_AND_WASM)
@pytest.mark.parametrize("opt", [0, 2])
def test_objects_define_and_need_only_what_they_shall(triple, opt):
    if opt == 0 and not Target.of(triple).known:
        pytest.skip("once is enough for what a child compiles")
    target = Target.of(triple)
    defined, needed = symbols(object_files.compile_text(text_of(target), target, opt, "o"))
    assert defined == {"__jf_f", "__jfsig_f", "__jfabi"}
    assert {name for name in needed if not name.startswith("jf_")} - OF_THE_LINKER - OF_THE_COMPILER == {"f", "strlen"}
    defined, needed = symbols(object_files.compile_text(text_of(target, {"g": SMALL}, "c", "packed"), target, opt, "o"))
    assert defined == {"g", "__jfabi"}
    assert "__jf_g" in needed


@pytest.mark.parametrize("pad", [0, 2, 15])
def test_pad_is_the_size_of_the_slots_that_an_entry_makes(pad):
    text = text_of(Target.of(), {"f": Signature.parse("() -> cstr")}, "c", "packed", pad=pad)
    assert f"%result = alloca [{16 + 8 * pad} x i8], align 8" in text
    capacity = 8 + 8 * pad if pad else 0
    assert f"store i64 {0xFFFFFFFF | capacity << 32}, ptr %result" in text


def test_the_signature_and_version_are_in_the_object():
    target = Target.of()
    data = object_files.compile_text(text_of(target), target, 2, "o")
    assert str(EVERYTHING).encode() + b"\0" in data
    text = text_of(target)
    assert f'@"__jfabi" = weak_odr constant i32 {_core.abi_version()}, align 4' in text


def test_what_names_the_symbols():
    assert [adapter_modules.symbol_of(convention, "add") for convention in ("c", "packed", "python")] == [
        "add", "__jf_add", "__jfpy_add",
    ]  # fmt: skip
    with pytest.raises(ValueError, match="unknown convention 'fast'"):
        adapter_modules.symbol_of("fast", "add")
    with pytest.raises(ValueError, match="the entry __jf_f would call itself: callee_name is needed"):
        text_of(Target.of(), entry="packed", callee="packed")
    with pytest.raises(ValueError, match="callee_name is for one signature"):
        text_of(Target.of(), {"f": SMALL, "g": SMALL}, callee_name="h")
    for name in ("jf_any_release", "__jfabi"):
        with pytest.raises(ValueError, match=f"{name} is the name of what emitted code itself needs: take another"):
            text_of(Target.of(), {"f": EVERYTHING, name: Signature.parse("() -> cstr")}, "c", "packed")
        assert text_of(Target.of(), {name: Signature.parse("(cstr) -> u64")})
    with pytest.raises(ValueError, match="__jf_f would be an entry, and is another's callee"):
        text_of(Target.of(), {"f": SMALL, "__jf_f": SMALL})
    assert 'invoke i32 @"__jf_h"' in text_of(Target.of(), {"f": SMALL}, callee="packed", callee_name="h")


#: e_machine of what a child compiles: MIPS, LoongArch, Hexagon.
RARE = (8, 258, 164)
LINKERS = {
    "elf": ["ld.lld", "-r", "-o"],
    "wasm": ["wasm-ld", "-r", "-o"],
    "coff": ["lld-link", "/dll", "/noentry", "/force:unresolved", "/out:"],
}


@pytest.mark.parametrize("triple", [triple for triple, row in MADE.items() if row[0] in LINKERS and row[2] not in RARE])
def test_objects_link_together(triple, tmp_path):
    """Each has the version of the binary interface; a linker keeps one."""
    target = Target.of(triple)
    linker = LINKERS[target.object_format]
    tool = shutil.which(linker[0]) or shutil.which("lld")
    if tool is None:
        pytest.skip(f"no {linker[0]}")
    paths = []
    for name in ("a", "b"):
        paths.append(tmp_path / f"{name}.o")
        paths[-1].write_bytes(object_files.compile_text(text_of(target, {name: SMALL}), target, 2, "o"))
    flavor = {"elf": "gnu", "wasm": "wasm", "coff": "link"}[target.object_format]
    command = [tool] if shutil.which(linker[0]) else [tool, "-flavor", flavor]
    command += ["-mwasm64"] * (target.arch == "wasm64")
    output = [linker[-1] + str(tmp_path / "out")] if flavor == "link" else [linker[-1], str(tmp_path / "out")]
    done = subprocess.run(
        [*command, *linker[1:-1], *output, *map(str, paths)], capture_output=True, text=True, timeout=60
    )  # fmt: skip
    if "unknown file type" in done.stderr or "unknown emulation" in done.stderr or "is incompatible" in done.stderr:
        pytest.skip(f"this lld does not know {triple}")
    assert done.returncode == 0, done.stderr
    if flavor != "link":
        assert symbols((tmp_path / "out").read_bytes())[0] == {"__jf_a", "__jf_b", "__jfsig_a", "__jfsig_b", "__jfabi"}


# -- the same bytes ---------------------------------------------------------------------------------------------------

PROGRAM = """
import hashlib, sys
from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm import triples
from jitffi.llvm.target import Target
from jitffi.signature.model import WIDE_NAMES, Signature
sigs = {{name: Signature.parse({text!r}) for name in ("b", "a", "c")}}
for triple in (None, "aarch64-linux-gnu", "wasm32-wasi"):
    target = Target.of(triple)
    for entry, callee in (("packed", "c"), ("c", "packed")):
        text = adapter_modules.module_text(sigs, entry=entry, callee=callee, target=target, pad=2)
        for form in object_files.FORMS:
            print(form, hashlib.sha256(object_files.compile_text(text, target, 2, form)).hexdigest())
"""


def test_the_same_input_gives_the_same_bytes(run_python):
    program = PROGRAM.format(text=str(EVERYTHING))
    runs = {run_python(program, env={"PYTHONHASHSEED": number}) for number in ("0", "1", "12345")}
    assert len(runs) == 1
    assert len(runs.pop().splitlines()) == 3 * 2 * len(object_files.FORMS)


def test_forms():
    target = Target.of()
    text = text_of(target)
    assert object_files.compile_text(text, target, 0, "ll").startswith(b"; ModuleID")
    assert object_files.compile_text(text, target, 0, "bc").startswith(b"BC\xc0\xde")
    assert b"__jf_f:" in object_files.compile_text(text, target, 1, "s")
    sizes = [len(object_files.compile_text(text, target, opt, "o")) for opt in range(4)]
    assert sizes[0] > sizes[2], "level 0 does no work"
    with pytest.raises(ValueError, match="unknown form 'exe'; known: o, s, ll, bc"):
        object_files.compile_text(text, target, 2, "exe")


# -- C's conventions, as clang has them -------------------------------------------------------------------------------

CLANG = shutil.which("clang")
C_TARGETS = [
    "x86_64-linux-gnu", "aarch64-linux-gnu", "riscv64-linux-gnu", "wasm32-unknown-unknown", "i686-linux-gnu",
    "armv7-linux-gnueabihf", "riscv32-unknown-elf", "powerpc64le-linux-gnu", "mips64el-linux-gnuabi64",
    "mipsel-linux-gnu", "hexagon-unknown-linux-musl", "x86_64-pc-windows-msvc", "x86_64-apple-macos",
    "arm64-apple-macos11.0", "aarch64-pc-windows-msvc",
]  # fmt: skip
HEADER = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;
typedef unsigned long long uint64_t; typedef __SIZE_TYPE__ size_t;
typedef struct { uint8_t code, bits; uint16_t lanes; } DLDataType;
typedef struct { int32_t device_type, device_id; } DLDevice;
"""
#: Signatures, and the same in C; "f" becomes f0, f1, ...
SAME = {
    **{f"({name}) -> {name}": f"{c} f({c} a)" for name, c in SCALARS.items() if name not in WIDE_NAMES[1:]},
    **{f"({name}) -> void": f"void f({c} a)" for name, c in STRUCTS.items()},
    "(str) -> void": "void f(const char* a, size_t b)",
    "(ptr, u32) -> i32": "int32_t f(void* a, uint32_t b)",
    "(optional[i16], u8) -> str": "int32_t f(const int16_t* a, uint8_t b, void* out)",
    "(i32, device, i8, dtype) -> void": "void f(int32_t a, DLDevice b, int8_t c, DLDataType d)",
}
#: What says nothing of how a value is passed.
IGNORED = re.compile(r"\b(noundef|dso_local|local_unnamed_addr|dllimport|declare|define)\b")


def declared(text):
    """name: result, then parameters, as types and attributes, of each function f... that *text* declares or defines."""
    found = {}
    for line in text.splitlines():
        if not (head := re.match(r'(?:declare|define) ([^@]*)@"?(f\d+)"?\((.*)\)', line)):
            continue
        params = head[3]
        while params.count("(") < params.count(")"):  # the greedy match goes on to the attributes behind
            params = params[: params.rindex(")")]
        words = [re.sub(r'%"?[\w.]+"?$', "", IGNORED.sub("", p).strip()).strip() for p in _split(params)]
        found[head[2]] = [
            " ".join(IGNORED.sub("", head[1]).split()),
            *[form for word in words for form in _forms(word)],
        ]
    return found


def _split(text):
    """The parts between commas that stand in no brackets."""
    return re.findall(r"(?:[^,(\[{]|\([^)]*\)|\[[^]]*\]|\{[^}]*\})+", text)


def _forms(word):
    """A parameter, without what differs between LLVM's versions; an array as its items."""
    if "byval" in word:
        return ["memory"]
    word = re.sub(r"[\w.%]+\*+", "ptr", word)
    word = " ".join(re.sub(r"align \d+", "", word).split())
    if array := re.match(r"\[(\d+) x (\w+)\]", word):
        return [array[2]] * int(array[1])
    return [re.sub(r"^(i64) (signext|zeroext)$", r"\1", word)]  # no register has more than 64 bits


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", C_TARGETS)
def test_c_functions_are_declared_as_clang_does(triple, tmp_path):
    lines, calls = [HEADER], []
    for i, prototype in enumerate(SAME.values()):
        lines.append(prototype.replace("f(", f"f{i}(") + ";")
        types = [part.strip().rpartition(" ")[0] for part in prototype[prototype.index("(") + 1 : -1].split(",")]
        calls.append(f"f{i}({', '.join([f'*({type_}*)p' for type_ in types])});")
    (tmp_path / "f.c").write_text("\n".join([*lines, "void go(void* p) {", *calls, "}\n"]))
    done = subprocess.run(
        [CLANG, "-std=c11", f"--target={triple}", "-O1", "-S", "-emit-llvm", "-o", "-", str(tmp_path / "f.c")],
        capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    if "unknown target" in done.stderr or "unable to create target" in done.stderr.lower():
        pytest.skip(f"this clang has no {triple}")
    assert done.returncode == 0, done.stderr
    theirs = declared(done.stdout)
    target = Target.of(triple)
    sigs = {f"f{i}": Signature.parse(text) for i, text in enumerate(SAME)}
    called, defined = declared(text_of(target, sigs, "packed", "c")), declared(text_of(target, sigs, "c", "packed"))
    # A struct in memory: its address where that is what the callee gets; a word where it lies on the stack.
    memory = {"wasm32": "ptr", "i386": "i32"}
    for i, text in enumerate(SAME):
        wanted = [memory[target.arch] if word == "memory" else word for word in theirs[f"f{i}"]]
        if target.pointer_bits == 32:
            wanted = [word.replace("i32 signext", "i32") for word in wanted]  # MIPS's, in registers of 32 bits
        assert called[f"f{i}"] == defined[f"f{i}"] == wanted, text


def test_no_struct_is_returned_across_symbols():
    for triple in MADE:
        if Target.of(triple).known:
            assert not re.search(r"declare .*\{", text_of(Target.of(triple)))


def test_loading_this_module_initialises_no_foreign_target(run_python):
    program = """
    import llvmlite.binding as llvm
    from jitffi.llvm.target import Target
    Target.of()
    try:
        llvm.Target.from_triple("riscv64-unknown-linux-gnu")
    except RuntimeError:
        print("not there")
    Target.of("riscv64-linux-gnu")
    print(llvm.Target.from_triple("riscv64-unknown-linux-gnu").name)
    """
    if HOST.arch == "riscv64":
        pytest.skip("it is the host")
    assert run_python(textwrap.dedent(program)).split() == ["not", "there", "riscv64"]
