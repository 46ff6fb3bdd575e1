"""What `jitffi inspect` shows of an adapter: layout, IR, assembly."""

from __future__ import annotations

from jitffi import adapter, layout
from jitffi.cli import drawing
from jitffi.conventions.base import Options
from jitffi.signature import sigs
from jitffi.signature.model import Signature


def text(arguments: tuple[str, ...], entry: str, callee: str, form: str | None) -> str:
    """Return the text for all SIG *arguments*; *form*: ir, asm, layout, or None for layout and IR.

    ArgumentError for a bad SIG or an unknown convention, TypeError where a convention cannot carry a signature.
    """
    for name in (entry, callee):
        try:
            adapter.convention(name)
        except ValueError as error:
            raise sigs.ArgumentError(str(error)) from None
    found = sigs.read(arguments)
    if form == "layout":
        return _layouts(found, entry, callee)
    # Before anything is drawn: this is what refuses a signature that a convention cannot carry.
    functions = "\n\n".join(_ir(name, sig, entry, callee) for name, sig in found.items())
    from jitffi.compile import codegen

    module = codegen.module_text(functions)
    if form == "asm":
        return codegen.assembly(module).rstrip()
    if form == "ir":
        return module.rstrip()
    comment = "\n".join(f"; {line}".rstrip() for line in _layouts(found, entry, callee).splitlines())
    return f"{comment}\n\n{module.rstrip()}"


def _layouts(found: dict[str, Signature], entry: str, callee: str) -> str:
    for sig in found.values():
        adapter.convention(entry).refuse(sig, Options())
        adapter.convention(callee).refuse(sig, Options())
    return "\n\n".join(drawing.draw(name, sig, entry, callee) for name, sig in found.items())


def _ir(name: str, sig: Signature, entry: str, callee: str) -> str:
    """Return the adapter's IR as it is made for the cache, with all that a Python caller may do with this signature."""
    options = Options(keywords=any(p.name is not None for p in sig.params), defaults=sig.num_required < len(sig.params))
    symbol = f"jitffi${name}${entry}${callee}"
    halves = adapter.convention(entry), adapter.convention(callee)
    return adapter.build_adapter(symbol, sig, *halves, options, layout.HOST, keep_registers=True)
