"""What a hostile review of emitted files, the linker in memory and bind found: damage is an error, never a crash."""

from __future__ import annotations

import ast
import os
import shutil
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest

import jitffi
from jitffi.bind.source.literals import number
from jitffi.bind.source.macros import MacroError, expand, parse_define
from jitffi.bind.source.tokens import tokens
from jitffi.emission import stub
from jitffi.link.objects import Elf
from jitffi.llvm.target import Target
from jitffi.signature.model import Signature

COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
needs_elf = pytest.mark.skipif(Target.of().object_format != "elf", reason="what is damaged here are ELF files")
needs_linker = pytest.mark.skipif(COMPILER is None, reason="no C compiler to link with")
PACKAGES = str(Path(jitffi.__file__).resolve().parent.parent)
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [PACKAGES, os.environ.get("PYTHONPATH")]))}


def run(code: str, *arguments: str, timeout: float = 60) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=timeout, env=ENVIRONMENT
    )
    assert done.returncode == 0, f"{done.returncode}: {done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def emitted(tmp_path_factory) -> bytes:
    path = tmp_path_factory.mktemp("emitted") / "demo.o"
    sigs = ["labs: (x: i64) -> i64", "atoi: (s: cstr) -> i32", "abs: (x: i32 = -7) -> i32"]
    return jitffi.emit(sigs, path).read_bytes()


def section(data: bytes, name: str):
    return next(each for each in Elf(data).sections if each.name == name)


def changed(data: bytes, at: int, content: bytes) -> bytes:
    return data[:at] + content + data[at + len(content) :]


# -- object files -------------------------------------------------------------------------------------------------


def records(data: bytes) -> list[int]:
    """Where the descriptions of functions begin in the file."""
    frames = section(data, ".eh_frame")
    found, at = [], frames.offset
    while at < frames.offset + frames.size:
        length, identity = struct.unpack_from("<II", data, at)
        found += [at] * (identity != 0)
        at += 4 + length
    return found


@needs_elf
@pytest.mark.parametrize("size", [0x7FFFFFFF, 0xFFFFFFFF, 1 << 20], ids=hex)
def test_a_frame_that_covers_the_code_of_others_is_damage(emitted, size):
    data = changed(emitted, records(emitted)[0] + 12, struct.pack("<I", size))
    with pytest.raises(OSError, match=r"object file 1: is damaged: the description of a frame at byte \d+"):
        jitffi.load_module(data)


@needs_elf
def test_a_relocation_does_not_change_what_frames_are_made_of(emitted):
    table = section(emitted, ".rela.eh_frame")
    first = records(emitted)[0] - section(emitted, ".eh_frame").offset
    for offset in (0, 4, 8, 9, 16, first, first + 4):
        data = changed(emitted, table.offset, struct.pack("<Q", offset))
        with pytest.raises(OSError, match=r"object file 1: is damaged: "):
            jitffi.load_module(data)


@needs_elf
def test_names_that_are_no_utf_8(tmp_path):
    data = jitffi.emit("mine: (x: i64) -> i64", tmp_path / "demo.o", callee_name="labs").read_bytes()
    table = section(data, ".strtab")
    names = data[table.offset : table.offset + table.size]
    damaged = changed(data, table.offset + names.index(b"labs\0"), b"\xff")
    with pytest.raises(OSError, match=r"object file 1: undefined: \\udcffabs; link="):
        jitffi.load_module(damaged)
    damaged = changed(data, table.offset + names.index(b"__jf_mine\0") + 5, b"\xff")
    with pytest.raises(OSError, match=r"the name of a function is no UTF-8: '\\udcffine'"):
        jitffi.load_module(damaged)


def test_a_name_that_cannot_be_a_symbols():
    system = jitffi.system_library()
    for name in ("\ud800", "a\0b"):
        with pytest.raises(AttributeError, match="has no function"):
            system.get_function(name)
        with pytest.raises(KeyError):
            system[name]
        assert name not in system and not hasattr(system, name)


SOURCE = r"""
#include <stdexcept>
#include <map>
struct Table { std::map<int, int> m; Table() { m[1] = 2; } ~Table() {} };
static Table table;
template <class T> T twice(T x) { if (x > 100) throw std::runtime_error("large"); return 2 * x; }
extern "C" long twice_it(long x) { try { return twice<long>(x); } catch (std::exception&) { return -1; } }
"""

#: Loads damaged copies with what describes their frames, but without their constructors, which are code like any other.
MUTATE = r"""
import random, resource, struct, sys
import jitffi
from jitffi import _core
from jitffi.link import image, objects

class Quiet:
    def __init__(self, size):
        self.image = _core.Image(size)
        self.address, self.size = self.image.address, self.image.size
        self.keep, self.write, self.seal = self.image.keep, self.image.write, self.image.seal
    def start(self, constructors, destructors, frames):
        self.image.start([], [], frames)

files = [open(path, "rb").read() for path in sys.argv[1:]]
good = jitffi.load_module(*sys.argv[1:]).twice_it if len(files) > 1 else lambda x: -1
class Core:
    Image = Quiet
    def __getattr__(self, name):
        return getattr(_core, name)
image._core = Core()
resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))

def places(data):
    start = struct.unpack_from("<Q", data, 40)[0]
    sections = objects.Elf(data).sections
    found = [(0, 64), (start, start + 64 * len(sections)), (start, start + 64 * len(sections))]
    kinds = (objects.SYMTAB, objects.STRTAB, objects.RELA, objects.GROUP)
    for each in sections:
        frames = each.name in (".eh_frame", ".rela.eh_frame")
        if each.size and (each.type in kinds or frames):
            found += [(each.offset, each.offset + each.size)] * (5 if frames else 1)
    return found

words = [0, 1, 2, 4, 7, 8, 16, 24, 0x7F, 0xFFF1, 0xFFF2, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 40]
words += [(1 << 63) - 1, (1 << 64) - 1]
all_places = [places(data) for data in files]
loaded = refused = 0
for seed in range(900):
    rng = random.Random(seed)
    which = rng.randrange(len(files))
    data = bytearray(files[which])
    for _ in range(rng.choice((1, 1, 2, 5))):
        low, high = rng.choice(all_places[which])
        at, how = rng.randrange(low, high), rng.randrange(3)
        if how == 0:
            data[at] ^= 1 << rng.randrange(8)
        elif how == 1:
            struct.pack_into("<I", data, at & ~3, rng.choice(words) & 0xFFFFFFFF)
        else:
            struct.pack_into("<Q", data, at & ~7, rng.choice(words))
    if rng.random() < 0.05:
        del data[rng.randrange(len(data)) :]
    try:
        module = jitffi.load_module(bytes(data))
        list(module)
    except (OSError, MemoryError):
        refused += 1
        continue
    assert good(1000) == -1  # an exception goes its way past what was loaded
    module.close()
    loaded += 1
print(loaded, refused)
"""


@needs_elf
def test_damaged_object_files_do_not_crash(emitted, tmp_path):
    paths = [tmp_path / "demo.o"]
    paths[0].write_bytes(emitted)
    if shutil.which("g++"):
        (tmp_path / "twice.cpp").write_text(SOURCE)
        paths.append(tmp_path / "twice.o")
        command = ["g++", "-O1", "-fPIC", "-c", str(tmp_path / "twice.cpp"), "-o", str(paths[1])]
        subprocess.run(command, check=True, timeout=60)
        paths.append(jitffi.emit("twice_it: (x: i64) -> i64", tmp_path / "entry.o"))
    loaded, refused = map(int, run(MUTATE, *map(str, paths)).split())
    assert loaded + refused == 900 and loaded > 50 and refused > 300


# -- shared libraries ---------------------------------------------------------------------------------------------

LOAD = """
import sys, jitffi
try:
    module = jitffi.load_module(sys.argv[1])
    print("loaded", sorted(module))
except OSError as error:
    print(error)
"""


@needs_elf
@needs_linker
@pytest.mark.parametrize(
    ("where", "content", "message"),
    [
        ("__jf_labs value", struct.pack("<Q", 1 << 40), "__jf_labs is no code"),
        ("__jfabi value", struct.pack("<Q", 1 << 40), "is corrupted: its __jfabi"),
        ("__jfsig_labs value", struct.pack("<Q", 1 << 40), "__jfsig_labs is no text"),
        ("__jfsig_labs name", struct.pack("<I", 0x7FFFFFF0), "is corrupted: its dynamic symbols"),
        ("chains", b"", "is corrupted: its dynamic symbols"),
    ],
)
def test_symbols_that_lead_out_of_a_library(tmp_path, where, content, message):
    path = jitffi.emit("labs: (x: i64) -> i64", tmp_path / "demo.so")
    data = path.read_bytes()
    if where == "chains":
        if not any(each.name == ".gnu.hash" for each in Elf(data).sections):
            pytest.skip("the library has another table")
        table = section(data, ".gnu.hash")
        buckets, _, words = struct.unpack_from("<III", data, table.offset)
        at = table.offset + 16 + 8 * words
        data = changed(data, at, struct.pack("<I", 0x7FFFFFFF) * buckets)
    else:
        name, field = where.split()
        names = [symbol.name for symbol in Elf(data).symbols(11)]
        at = section(data, ".dynsym").offset + 24 * names.index(name)
        data = changed(data, at + (8 if field == "value" else 0), content)
    path.write_bytes(data)
    assert message in run(LOAD, str(path))


# -- extension modules ------------------------------------------------------------------------------------------

OTHERS = """
import sys
sys.path.insert(0, sys.argv[1])
import jitffi, others

def outcome(function, value):
    try:
        function(value)
    except Exception as error:
        return type(error).__name__
    return "fine"

class Itself(jitffi.List):
    def to_python(self):
        return self

class Within(jitffi.List):
    def to_python(self):
        return [self]

class Nothing(jitffi.Map):
    def to_python(self):
        return None

class Raises(jitffi.Tuple):
    def to_python(self):
        raise KeyError

ring = jitffi.List([1])
ring.append(ring)
for value in (jitffi.List([1]), Itself([1]), Within([1]), Nothing({}), Raises(()), ring, [Itself([1])]):
    print(outcome(others.labs, value), outcome(others.llabs, value))
"""


@needs_elf
@needs_linker
def test_what_the_packages_containers_say_of_themselves_is_checked(tmp_path):
    sigs = ["labs: (x: list[any]) -> i64", "llabs: (x: any) -> i64"]
    jitffi.emit(sigs, tmp_path / "others.so", entry="python")
    assert run(OTHERS, str(tmp_path)).splitlines() == [
        "fine fine",
        "TypeError TypeError",
        "RecursionError RecursionError",
        "TypeError TypeError",
        "KeyError KeyError",
        "RecursionError RecursionError",
        "TypeError TypeError",
    ]


# -- bind ---------------------------------------------------------------------------------------------------------


def exploding(lines: list[str], use: str) -> str:
    """What expanding says, and soon: in full it would take years."""
    macros = {macro.name: macro for macro in map(parse_define, lines)}
    begin = time.perf_counter()
    with pytest.raises(MacroError) as caught:
        expand(tokens(use), macros)
    assert time.perf_counter() - begin < 60
    return str(caught.value)


def test_macros_that_double():
    lines = ["A0 1 + 1", *[f"A{i + 1} A{i} + A{i}" for i in range(60)]]
    assert exploding(lines, "A60").endswith("expands to too much")


def test_macros_that_double_and_leave_nothing():
    lines = ["A0", *[f"A{i + 1} A{i} A{i}" for i in range(60)]]
    assert exploding(lines, "A60").endswith("expands to too much")


def test_macros_that_double_their_arguments():
    lines = ["F(x) x x", *[f"G{i}(x) F(x) F(x)" for i in range(40)]]
    assert exploding(lines, "".join(f"G{i}(" for i in range(40)) + "1" + ")" * 40).endswith("expands to too much")


def test_a_chain_of_macros():
    lines = ["A0 1", *[f"A{i + 1} A{i}" for i in range(3000)]]
    assert exploding(lines, "A2999") == "macros that lead to too many others"
    macros = {macro.name: macro for macro in map(parse_define, lines)}
    assert expand(["A150"], macros) == ["1"]


def test_a_long_text_of_many_macros_is_not_too_much():
    macros = {"ONE": parse_define("ONE 1 + 0")}
    words = ["ONE", ","] * 20_000
    assert len(expand(words, macros)) == 80_000


def test_constants_beyond_a_double():
    assert number("0x1p99999999") == number("1e999999") == float("inf")
    assert number("0x1p-99999999") == 0.0


def bind(tmp_path: Path, header: bytes, compiler: bool) -> tuple[int, str, str]:
    """The code, the message and the module of `jitffi bind` of a header, for the C library."""
    (tmp_path / "h.h").write_bytes(header)
    environment = ENVIRONMENT if compiler else {**ENVIRONMENT, "PATH": "/nowhere", "CC": ""}
    done = subprocess.run(
        [sys.executable, "-m", "jitffi", "bind", "h.h", "--library", "libc.so.6", "-o", "made.py"],
        capture_output=True, text=True, timeout=30, cwd=tmp_path, env=environment,
    )  # fmt: skip
    made = tmp_path / "made.py"
    text = made.read_text(encoding="utf-8") if made.exists() else ""
    ast.parse(text)
    assert "Traceback" not in done.stderr
    return done.returncode, done.stderr, text


@pytest.fixture(params=[True, False], ids=["compiler", "builtin"])
def compiler(request):
    if request.param and COMPILER is None:
        pytest.skip("no C compiler to preprocess with")
    return request.param


def test_a_ring_of_includes_ends(tmp_path, compiler):
    code, message, _ = bind(tmp_path, b'#include "h.h"\n#include "h.h"\nint abs(int x);\n', compiler)
    assert code == 1 and len(message.splitlines()) == 1
    assert ("#include nested" if compiler else "headers include one another without end") in message


def test_what_is_not_understood_leaves_the_rest(tmp_path, compiler):
    header = (
        b"int " + b"*" * 20_000 + b"deep(int);\n"
        b"int " + b"* const " * 500 + b"deeper(int);\n"
        b"#define HUGE_ONE 0x1p99999999\n#define LONG_ONE " + b"9" * 5000 + b"\n#define SHIFTED (1 << 2147483648)\n"
        b'#define CODE __import__("os").abort()\n#define TEXT "\\"\\"\\"\\n\\\\"\n'
        b'/** """ + __import__("os").abort() + """ \\ */\nint abs(int lambda);\n'
        b"/* \x00 \xff */\n"
    )  # fmt: skip
    code, message, text = bind(tmp_path, header, compiler)
    assert code == 0, message
    assert "def abs(" in text and 'HUGE_ONE: Final = float("inf")' in text
    assert all(name not in text.partition("not bound")[0] for name in ("deep", "LONG_ONE", "SHIFTED", "CODE"))


def test_old_line_ends(tmp_path, compiler):
    code, message, text = bind(tmp_path, b"/* hi */\rint abs(int x);\rlong labs(long x);\r#define A 3\r", compiler)
    assert code == 0, message
    assert "def abs(" in text and "def labs(" in text


def test_conditions_that_do_not_end(tmp_path):
    header = b"#if __has_include(\nint abs(int x);\n#endif\n#if defined(\n#endif\n#if (\n#endif\nlong labs(long x);\n"
    code, message, text = bind(tmp_path, header, False)
    assert code == 0, message
    assert "def labs(" in text


@pytest.mark.parametrize("name", ["y\\u12.h", "n\\N{DASH}.h", "triple'''.h", "end\\"])
def test_names_of_headers_and_definitions_are_text(tmp_path, name):
    (tmp_path / name).write_text("int abs(int x);\n")
    defined = 'A="""\\\n"""\nimport nothing'
    command = [sys.executable, "-m", "jitffi", "bind", name, "--library", "libc.so.6", "-o", "made.py", "-D", defined]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, cwd=tmp_path, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    body = ast.parse((tmp_path / "made.py").read_text(encoding="utf-8")).body
    assert body[0].value.value.startswith(f"{name} for Python: 1 function of libc.so.6")
    assert not any(isinstance(each, ast.Import) and each.names[0].name == "nothing" for each in body)


def test_prototypes_of_many_pointers():
    for stars in ("*" * 20_000, "* const " * 500):
        with pytest.raises(jitffi.SignatureError, match="nested too deep"):
            Signature.from_c(f"int {stars}f(int);")
    assert str(Signature.from_c(f"int {'*' * 50}f(int);")).startswith("(i32) -> optional[ptr[ptr[")


# -- stubs --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["def", "close"])
def test_a_stub_of_nothing_but_a_name_that_cannot_be_defined(name):
    text = stub.text({name: Signature.parse("(x: i64) -> i64")}, entry="packed", file_name="demo.o")
    assert len(ast.parse(text).body[-1].body) == 1
