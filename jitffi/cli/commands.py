"""The commands: each parses its arguments, calls one function of a plain module, and prints what that returns.

A callback's result is the exit code, None for 0.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from jitffi.cli import report
from jitffi.emission import formats

_JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON, for programs.")


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        from jitffi.base.version import VERSION

        report.show(f"jitffi {VERSION}")
        context.exit()


def _help_when_alone(context: click.Context) -> None:
    if context.invoked_subcommand is None:
        report.show(context.get_help())


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Print the version."
)
@click.pass_context
def jitffi(context: click.Context) -> None:
    """Compile adapters between calling conventions from a signature."""
    _help_when_alone(context)


@jitffi.command()
@_JSON
def demo(as_json: bool) -> int:
    """Take the tour: this machine's own libraries through jitffi."""
    from jitffi.cli import timing, tour

    visits = []
    for stop in tour.STOPS:
        visits.append(visit := tour.visit(stop))
        if not as_json:
            report.show(f"# {stop.name}: {stop.title}\n{visit.transcript}")
        if visit.missing:
            report.show_error("demo", f"{stop.name} is left out: {visit.missing}")
        if visit.failure:
            report.show_error("demo", f"{stop.name} {visit.failure}")
    rows = timing.rows()
    if as_json:
        report.show_json({"stops": [visit.as_dict() for visit in visits], "times": [asdict(row) for row in rows]})
    else:
        report.show("# nanoseconds per call, measured just now: medians, both in turns, the empty loop taken off\n")
        cells = [(row.call, f"{row.jitffi_ns:.1f}", f"{row.ctypes_ns:.1f}", f"{row.ratio:.1f} x") for row in rows]
        report.show_table(
            ("call", "jitffi", "ctypes", "ctypes / jitffi"), cells, ("jitffi", "ctypes", "ctypes / jitffi")
        )
    return 1 if any(visit.failure for visit in visits) else 0


@jitffi.command()
@click.argument("sig", metavar="SIG")
@click.option(
    "--entry", metavar="E", help="Convention that the adapter is called in.  [default: python; of a script, packed]"
)
@click.option("--callee", default="c", show_default=True, metavar="C", help="Convention that it calls in.")
@click.option("--ir", "form", flag_value="ir", help="The adapter's LLVM IR.")
@click.option("--asm", "form", flag_value="asm", help="The machine code for this computer, as assembly.")
@click.option("--layout", "form", flag_value="layout", help="Where both conventions put parameters and result.")
def inspect(sig: str, entry: str | None, callee: str, form: str | None) -> None:
    """Show what is generated for SIG, without running it.

    A SIG is 'name: (x: i64, f64 = 1.0) -> i64', a C prototype, or @FILE with one a line; or a script, FILE.py:function,
    which is shown as emit writes it. Without one of --ir, --asm and --layout the layout is shown and the IR below it.
    """
    from jitffi.cli import inspection

    report.show(inspection.text((sig,), entry, callee, form))


@jitffi.command()
@click.argument("file", metavar="FILE.py")
@_JSON
def script(file: str, as_json: bool) -> None:
    """Say what becomes of each function of FILE.py as a script: native, native in part, or left to the interpreter.

    The file is run as a module of its name; its functions are read, and neither compiled nor called.
    """
    from jitffi.cli import scripts

    scripts.show(file, as_json)


@jitffi.command()
@click.argument("sigs", metavar="SIG...", nargs=-1, required=True)
@click.option(
    "-o", "--output", "out", required=True, metavar="OUT", help="The file to write; its ending says which kind."
)
@click.option("--format", metavar="F", help=f"The kind of file: {formats.listed()}.  [default: by OUT's ending]")
@click.option(
    "--entry",
    default="packed",
    show_default=True,
    metavar="E",
    help="What is defined: packed, packed_legacy, tvm_ffi, c or python.",
)
@click.option(
    "--callee",
    default="c",
    show_default=True,
    metavar="C",
    help="What it calls: c, packed, packed_legacy, tvm_ffi or python.",
)
@click.option("--callee-name", metavar="NAME", help="Name of the callee, for one SIG.  [default: the entry's]")
@click.option("--target", metavar="TRIPLE", help="What to compile for, as aarch64-linux-gnu.  [default: this machine]")
@click.option("--cpu", metavar="CPU", help="The least CPU that it shall run on.  [default: all of the target]")
@click.option("--features", metavar="LIST", help="More that the CPU has, or lacks: +avx2,-sse4a.")
@click.option("--pad", default=0, show_default=True, metavar="N", help="Words of padding in results' slots, 0 to 15.")
@click.option("--opt", default=2, show_default=True, metavar="0..3", help="Level of optimisation.")
@click.option("--header", metavar="FILE.h", help="Write a C and C++ header, too.")
@click.option("--stub", metavar="FILE.pyi", help="Write a stub for type checkers, too.")
@click.option("--js", metavar="FILE.mjs", help="Write an ES module for a .wasm file, and FILE.d.mts, too.")
@click.option(
    "--link", multiple=True, metavar="FILE", help="Object, library or option for the linker; can be repeated."
)
@click.option("-j", "--jobs", default=1, show_default=True, metavar="N", help="Compile many signatures in N processes.")
def emit(sigs: tuple[str, ...], **options: Any) -> None:
    """Write adapters for all SIG as a file that needs neither Python nor LLVM to run.

    A SIG is 'name: (x: i64, f64 = 1.0) -> i64', a C prototype, or @FILE with one a line; or a script, FILE.py:function,
    which is compiled itself and calls no callee. OUT is an object (.o), assembly (.s), LLVM IR (.ll, .bc), a shared
    library (.so; an extension module with --entry python), or a WebAssembly module (.wasm).
    """
    from jitffi.base import outputs
    from jitffi.emission import emitting

    if options["out"] == "-":
        options["out"] = "/dev/stdout"
    job = emitting.prepare(sigs, **options)
    with report.progress("emit", len(job.sigs)) as progress:
        made = job.run(progress)
    if not outputs.is_special(made):  # which has the file's text already
        report.show(str(made))


@jitffi.command()
@click.argument("headers", nargs=-1, required=True, metavar="HEADER.h...")
@click.option("--library", "-l", required=True, metavar="LIB", help="A soname, a path, or a short name like z.")
@click.option("-o", "out", required=True, metavar="MODULE.py", help="Where the module goes; - is standard output.")
@click.option("-I", "include_dirs", multiple=True, metavar="DIR", help="Look for headers here, too.")
@click.option("-D", "defines", multiple=True, metavar="NAME[=VALUE]", help="Define a macro.")
@click.option("--also", multiple=True, metavar="PATTERN", help="Bind from included headers that fit, too.")
@click.option(
    "--keep-callbacks",
    "keep",
    multiple=True,
    metavar="PATTERN",
    help="Functions that keep the callables given to them.",
)
@click.option("--side", metavar="FILE.toml", help="What the header does not say; else HEADER.toml beside it.")
@click.option("--prefix", metavar="NAME", help="What keys of structs begin with, in place of LIB's name.")
@click.option("--suggest", is_flag=True, help="Propose a side file in the place of a module.")
@click.option("--no-check", is_flag=True, help="Do not load LIB to see which functions it has.")
@click.option("--brief", is_flag=True, help="Take the first paragraph of each comment only.")
@click.option("--no-cpp", is_flag=True, help="Read the header without a C preprocessor.")
@click.option("--cxx", is_flag=True, help="Read the header as C++; .hpp, .hh, .hxx and .h++ are read so.")
@_JSON
def bind(
    headers: tuple[str, ...], library: str, out: str, include_dirs: tuple[str, ...], defines: tuple[str, ...],
    also: tuple[str, ...], keep: tuple[str, ...], side: str | None, prefix: str | None, suggest: bool, no_check: bool,
    brief: bool, no_cpp: bool, cxx: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write a Python module with typed wrappers, docstrings and constants from a C header, or from several.

    What cannot be bound stands at the module's end with the reason; --json prints it all.
    """
    from jitffi.cli import binding

    if suggest:
        if side is not None or as_json:
            raise click.UsageError("--suggest goes with neither --side nor --json", click.get_current_context())
        text = binding.suggest(
            headers, library, out, include_dirs, defines, also, not no_check, not no_cpp, prefix, cxx
        )
        if out == "-":
            report.show(text.rstrip("\n"))
        return
    if as_json and out == "-":
        raise click.UsageError("--json and '-o -' both print", click.get_current_context())
    made = binding.bind(
        headers, library, out, include_dirs, defines, also, not no_check, keep, brief, not no_cpp, side, prefix, cxx
    )
    for line in binding.remarks(made):
        report.show_error("jitffi", line)
    if as_json:
        report.show_json(made.as_dict())
    elif out == "-":
        report.show(made.text.rstrip("\n"))


class _ManyFiles(click.Command):
    """A command whose --corpus takes all values that follow it."""

    def parse_args(self, context: click.Context, arguments: list[str]) -> list[str]:
        from jitffi.cli import tuning

        return super().parse_args(context, tuning.spread(arguments))


@jitffi.command(cls=_ManyFiles)
@click.argument("workload", metavar="[WORKLOAD.py]", required=False)
@click.option(
    "--corpus", multiple=True, metavar="FILE...", help="What it is fed: text, .jsonl, .parquet, .arrow; - is stdin."
)
@click.option("--pads", default="0-15", show_default=True, metavar="PADS", help="Pads to try, as 0-15 or 0,1,4.")
@click.option("--budget", default="30s", show_default=True, metavar="TIME", help="For all of it: 500ms, 10s or 2m.")
@click.option(
    "--report", "reports", multiple=True, metavar="OUT", help="Write a report, too: .html or .json; repeatable."
)
@click.option("--save", "profile", metavar="PROFILE", help="Put the choice into a profile, for JITFFI_PROFILE.")
@click.option("--trace", metavar="FILE", help="Tune for what a program did that ran with JITFFI_TRACE=FILE.")
@click.option("--scheduler", metavar="ADDRESS", help="Measure on the machines of a Dask cluster.")
@click.option("--explain", is_flag=True, help="Say why the winner wins.")
@click.option("--seed", default=0, show_default=True, metavar="N", help="Draws the sample, and the order of the runs.")
@_JSON
def autotune(explain: bool, as_json: bool, reports: tuple[str, ...], profile: str | None, **options: Any) -> int:
    """Find the padding at which a workload runs best, and say how sure that is.

    WORKLOAD.py defines workload(item), which is called with each item of the corpus: a line of a text file, the object
    of a line of JSON, a row of a table. With a parameter `pad` it is given the pad that is tried; without one, the
    scripts that it calls are. Ctrl-C ends it with what has been measured.
    """
    from jitffi.cli import tuning

    found = tuning.tune(**options, reports=reports, profile=profile)
    try:
        for place in reports:
            found.plot(place)
        if profile is not None:
            found.save(profile)
    finally:  # what was found out in a minute is not lost to a disk that is full
        if as_json:
            report.show_json(found.as_dict())
        else:
            report.show_tuned(found, explain)
    return 1 if found.interrupted else 0


@jitffi.command()
@_JSON
def doctor(as_json: bool) -> int:
    """Report versions, CPU, compiler and cache, and what would be missing."""
    from jitffi.cli import doctor as examination

    found = examination.examine()
    if as_json:
        report.show_json(found.as_dict())
    else:
        report.show_table(("", "state", "found"), [(check.name, check.state, check.detail) for check in found.checks])
    return found.exit_code


@jitffi.group(invoke_without_command=True)
@click.pass_context
def cache(context: click.Context) -> None:
    """The machine code kept for the next process."""
    _help_when_alone(context)


@cache.command()
@_JSON
def info(as_json: bool) -> None:
    """Say where the cache is and how much is in it."""
    from jitffi.adapters import cache as store

    found = store.info()
    if as_json:
        report.show_json(found)
    else:
        path = found["path"] or "off: JITFFI_CACHE_DIR is empty"
        report.show_table(("path", "entries", "bytes"), [(str(path), str(found["entries"]), str(found["bytes"]))])


@cache.command()
def clear() -> None:
    """Remove all entries, those of other versions too."""
    from jitffi.adapters import cache as store

    removed = store.clear()
    report.show(f"removed {removed} {'entry' if removed == 1 else 'entries'}")


@cache.command()
@click.argument("modules", metavar="MODULE", nargs=-1)
@click.option("--run", "program", metavar="FILE", help="A program to run, for what only calls say: types of scripts.")
@click.option("--argument", "arguments", metavar="TEXT", multiple=True, help="An argument of that program.")
def warm(modules: tuple[str, ...], program: str | None, arguments: tuple[str, ...]) -> None:
    """Compile what MODULEs bind and define, and what a program calls, so that no later process has to."""
    from jitffi.cli.warming import warm as fill

    if not modules and program is None:
        raise click.UsageError("expected a module, or --run FILE")
    done = fill(list(modules), program, list(arguments))
    report.show(f"{len(done.functions)} functions and {len(done.scripts)} scripts of modules are in the cache")
    if done.untyped:
        report.show(f"scripts without types, which a program's calls compile (--run): {', '.join(done.untyped)}")


@cache.command("export")
@click.argument("file", metavar="FILE")
def export_entries(file: str) -> None:
    """Write all entries to FILE, a tar; compressed where it ends with .gz."""
    from jitffi.adapters.cache_files import export_to

    written = export_to(file)
    report.show(f"wrote {written} {'entry' if written == 1 else 'entries'}")


@cache.command("import")
@click.argument("file", metavar="FILE")
def import_entries(file: str) -> None:
    """Take over the entries of FILE, which `export` has written; its code will run here, so know whose it is."""
    from jitffi.adapters.cache_files import import_from

    taken, refused = import_from(file)
    report.show(f"took {taken} {'entry' if taken == 1 else 'entries'}" + (f", refused {refused}" if refused else ""))


@jitffi.command()
@click.option("--includes", is_flag=True, help="Flags to compile with.")
@click.option("--libs", is_flag=True, help="Flags to link with, behind the program's own files.")
@click.option("--static", is_flag=True, help="With --libs: the static libraries, for a program of one file.")
@click.option("--cmakedir", is_flag=True, help="Directory of the CMake package, for jitffi_DIR.")
@click.option("--pkgconfigdir", is_flag=True, help="Directory of jitffi.pc, for PKG_CONFIG_PATH.")
def config(includes: bool, libs: bool, static: bool, cmakedir: bool, pkgconfigdir: bool) -> None:
    """Print flags for a C compiler: headers and runtime library of this installation."""
    context = click.get_current_context()
    if cmakedir + pkgconfigdir + (includes or libs) != 1:
        raise click.UsageError("choose --includes, --libs or both, --cmakedir, or --pkgconfigdir", context)
    if static and not libs:
        raise click.UsageError("--static goes with --libs", context)
    from jitffi.base import config as installed

    wanted = {"includes": includes, "static": static, "libs": libs and not static}
    wanted |= {"cmakedir": cmakedir, "pkgconfigdir": pkgconfigdir}
    report.show(" ".join([installed.flags(what) for what, is_wanted in wanted.items() if is_wanted]))
