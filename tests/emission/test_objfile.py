"""Objects as they are linked: every type through every pair of conventions, with C at both ends.

All objects are linked with the C compiler into one library, so they also show that any number of them goes together.
"""

from __future__ import annotations

import shlex
import shutil
import subprocess

import pytest
from support.adapters import FarEnds
from support.native import echo_signature, echo_source
from support.values import ALL, edges, ids, same

import jitffi
from jitffi.api.functions import Function
from jitffi.base import config
from jitffi.emission import adapter_modules
from jitffi.llvm import object_files
from jitffi.llvm.target import Target
from jitffi.signature.model import TYPES, Signature

HOST = Target.of()
TYPES_AND_VOID = [*ALL, TYPES["void"]]
PAIRS = [(entry, callee) for entry in ("c", "packed") for callee in ("c", "packed")]
LEVELS = (0, 2)
COMPILER = next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)
pytestmark = pytest.mark.skipif(COMPILER is None, reason="no C compiler to link with")

PACKED_CALLEE = """
int32_t __jf_echo(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  return self == NULL ? packed_echo(self, num_args, args, out) : -1;
}
"""


def emit(name, text, entry, callee, callee_name=None, opt=2, form="o", **options):
    """One object."""
    sig = Signature.parse(text) if isinstance(text, str) else text
    made = adapter_modules.module_text(
        {name: sig}, entry=entry, callee=callee, callee_name=callee_name, target=HOST, **options
    )
    return object_files.compile_text(made, HOST, opt, form)


def link(folder, objects, source):
    """The path of a library of emitted objects and C source."""
    (folder / "source.c").write_text(source)
    paths = []
    for i, data in enumerate(objects):
        paths.append(folder / f"{i}.o")
        paths[-1].write_bytes(data)
    library = folder / "libemitted.so"
    (folder / "objects").write_text("\n".join(map(str, paths)))
    command = [COMPILER, "-O1", "-Wall", "-Werror", "-shared", "-fPIC", "-pthread", "-Wl,-z,defs", "-o", str(library)]
    command += [str(folder / "source.c"), f"@{folder / 'objects'}", *shlex.split(config.flags("includes"))]
    done = subprocess.run([*command, *shlex.split(config.flags("libs"))], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return str(library)


@pytest.fixture(scope="module")
def ends(tmp_path_factory):
    objects = []
    for i, type_ in enumerate(TYPES_AND_VOID):
        for entry, callee in PAIRS:
            for opt in LEVELS:
                far = f"echo_{i}" if callee == "c" else "echo"
                name = f"{entry}_{callee}_{i}_O{opt}"
                objects.append(emit(name, echo_signature(type_), entry, callee, far, opt))
    source = echo_source(TYPES_AND_VOID) + PACKED_CALLEE
    return FarEnds(jitffi.load_library(link(tmp_path_factory.mktemp("objects"), objects, source)), TYPES_AND_VOID)


def caller(ends, entry, symbol, type_, sig):
    """An emitted function as Python calls it, through C for a C entry."""
    if entry == "packed":
        return Function.from_packed(ends.address(f"__jf_{symbol}"), signature=sig, keep_alive=ends.library)
    from support.native import call_signature

    call, native = ends.library.bind(ends.symbol("call", type_), call_signature(sig)), ends.address(symbol)
    return lambda *args: call(native, *args)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("pair", PAIRS, ids="-".join)
@pytest.mark.parametrize("type_", TYPES_AND_VOID, ids=ids(TYPES_AND_VOID))
def test_every_pair_carries_every_type(ends, type_, pair, level):
    entry, callee = pair
    sig = echo_signature(type_)
    number = TYPES_AND_VOID.index(type_)
    call = caller(ends, entry, f"{entry}_{callee}_{number}_O{level}", type_, sig)
    if not sig.params:
        assert call() is None
    for value in edges(type_):
        args = (value, *[edges(p.type)[0] for p in sig.params[1:]])
        expected = args[-1] if value is None else value
        got = call(*args)
        assert same(got, expected), (value, got)
