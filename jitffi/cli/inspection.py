"""What `jitffi inspect` shows of an adapter: layout, IR, assembly; and of a script, as `emit` writes it."""

from __future__ import annotations

from jitffi.adapters import adapter
from jitffi.base import layout
from jitffi.cli import drawing
from jitffi.conventions.base import Options
from jitffi.signature import signature_lists
from jitffi.signature.model import Signature


def text(arguments: tuple[str, ...], entry: str | None, callee: str, form: str | None) -> str:
    """Return the text for all SIG *arguments*; *form*: ir, asm, layout, or None for layout and IR. *entry* is python
    where it is None, and packed for scripts, as `emit` has it.

    ArgumentError for a bad SIG or an unknown convention, TypeError where a convention cannot carry a signature.
    """
    for name in (entry or "python", callee):
        try:
            adapter.convention(name)
        except ValueError as error:
            raise signature_lists.ArgumentError(str(error)) from None
    from jitffi.emission import scripts

    if len(arguments) == 1 and scripts.is_in_file(arguments[0]):
        return _script(arguments[0], entry or "packed", form)
    entry = entry or "python"
    found = signature_lists.read(arguments)
    if form == "layout":
        return _layouts(found, entry, callee)
    # Before anything is drawn: this is what refuses a signature that a convention cannot carry.
    functions = "\n\n".join(_ir(name, sig, entry, callee) for name, sig in found.items())
    from jitffi.llvm import codegen

    module = codegen.module_text(functions)
    if form == "asm":
        return codegen.assembly(module).rstrip()
    if form == "ir":
        return module.rstrip()
    return f"{_comment(_layouts(found, entry, callee))}\n\n{module.rstrip()}"


def _script(argument: str, entry: str, form: str | None) -> str:
    """A script has no callee: what it would call is itself."""
    from jitffi.emission import emitting, scripts

    script = scripts.from_file(argument)
    scripts.check(script)
    assert script.signature is not None
    layout = drawing.draw(script.__name__, script.signature, entry, None)
    if form == "layout":
        return layout
    kind = "s" if form == "asm" else "ll"
    module = emitting.prepare(script, f"{script.__name__}.{kind}", entry=entry).content(kind).decode().rstrip()
    return module if form else f"{_comment(layout)}\n;\n{_comment(script.inspect_types())}\n\n{module}"


def _comment(text: str) -> str:
    return "\n".join(f"; {line}".rstrip() for line in text.splitlines())


def _layouts(found: dict[str, Signature], entry: str, callee: str) -> str:
    for sig in found.values():
        adapter.check(sig, entry, callee, "")
    return "\n\n".join(drawing.draw(name, sig, entry, callee) for name, sig in found.items())


def _ir(name: str, sig: Signature, entry: str, callee: str) -> str:
    """Return the adapter's IR as it is made for the cache, with all that a Python caller may do with this signature."""
    options = Options(keywords=any(p.name is not None for p in sig.params), defaults=sig.has_defaults)
    symbol = f"jitffi${name}${entry}${callee}"
    halves = adapter.convention(entry), adapter.convention(callee)
    return adapter.build_adapter(symbol, sig, *halves, options, layout.HOST, keep_registers=True)
