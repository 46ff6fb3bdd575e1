"""The command line. `main` is what the console script calls; every failure leaves as one line and an exit code.

Codes: 0, done; 2, wrong options or arguments; 1, everything else that failed.
"""

from __future__ import annotations

import io
import os
import signal
import sys

_FAILED, _MISUSED = 1, 2


def main(arguments: list[str] | None = None) -> int:
    """Run the command line and return the exit code. For a process's own `main`: at the end it gives up Ctrl-C."""
    sys.unraisablehook = _report_unraisable
    if isinstance(sys.stdout, io.TextIOWrapper):  # rather an escape than no result, where the terminal knows no Unicode
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        code = _run(sys.argv[1:] if arguments is None else arguments)
        code = _flush() or code
    except KeyboardInterrupt:
        code = _interrupted()
    # What is left is to compile for the cache and to exit: nobody who presses Ctrl-C now wants to read of it.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return code


def _interrupted() -> int:
    print("jitffi: interrupted", file=sys.stderr, flush=True)
    return _FAILED


def _report_unraisable(unraisable: sys.UnraisableHookArgs) -> None:
    """Let Ctrl-C end us also where Python cannot raise it: in the callback of a weak reference, or of ctypes."""
    if issubclass(unraisable.exc_type, KeyboardInterrupt):
        os._exit(_flush() or _interrupted())
    sys.__unraisablehook__(unraisable)


def _flush() -> int:
    """Bring the output out; when that fails, the interpreter shall not try again when it exits."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            print(f"jitffi: standard output: {error.strerror}", file=sys.stderr)
        return _FAILED
    return 0


def _run(arguments: list[str]) -> int:
    """Run one command; turn what it raises into a line and a code."""
    import click

    from jitffi.base.errors import SignatureError
    from jitffi.cli import commands, report
    from jitffi.signature.signature_lists import ArgumentError

    try:
        if os.environ.get("JITFFI_PROFILE"):
            from jitffi.profiles import pads  # noqa: F401 - which reads it
        code = commands.jitffi.main(arguments, prog_name="jitffi", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except click.UsageError as error:
        path = error.ctx.command_path if error.ctx is not None else "jitffi"
        report.show_error(path, f"{_lower(error.format_message())}; see '{path} --help'")
        return _MISUSED
    except click.Abort:
        raise KeyboardInterrupt from None
    except (ArgumentError, SignatureError) as error:
        report.show_error("jitffi", str(error))
        return _MISUSED
    except SyntaxError as error:  # of a file of scripts: what scripts lack, or Python does
        report.show_error("jitffi", report.explain_source(error))
        return _FAILED
    except BrokenPipeError:  # whoever read our output has seen enough
        return _FAILED
    except Exception as error:  # what a user should see of any failure: never a traceback, unless it is asked for
        if os.environ.get("JITFFI_DEBUG"):
            raise
        report.show_error("jitffi", report.explain(error))
        return _FAILED


def _lower(text: str) -> str:
    """Return click's sentence as the others here are: no capital, no full stop."""
    return text[:1].lower() + text[1:].rstrip(".")
