"""Adapters as files: the IR of a module with the entries of many signatures.

An object defines what ABI section 5 says: an entry for each signature by its convention's name, `__jfsig_<name>` beside
a packed one, and `__jfabi`. It needs its callees' symbols, the runtime's public functions and strlen; nothing else is
visible, so any number of objects link together. The same input gives the same bytes.
"""

from __future__ import annotations

from jitffi.adapters.unit import Unit, assemble, define_version
from jitffi.base.errors import ArgumentError
from jitffi.base.symbol_names import ABI_VERSION, SIGNATURE_PREFIX
from jitffi.conventions.base import Options
from jitffi.conventions.table import convention
from jitffi.emission import extension
from jitffi.llvm.object_files import catches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.llvm.target import Target
    from jitffi.signature.model import Signature


def symbol_of(which: str, name: str) -> str:
    """The symbol of function *name* for callers of that convention."""
    return convention(which).prefix + name


def in_python(entry: str, callee: str) -> bool:
    """Whether code that joins them follows the interpreter's structs."""
    return convention(entry).needs_python or convention(callee).needs_python


def module_text(
    sigs: dict[str, Signature],
    *,
    entry: str,
    callee: str,
    callee_name: str | None = None,
    target: Target,
    pad: int = 0,
    module: str | None = None,
) -> str:
    """The IR of a whole module with an entry for each of *sigs*, by name. TypeError where a convention cannot carry a
    signature, which it names; ValueError for equal conventions without a *callee_name*, and for Python code elsewhere
    than here. Python entries are functions of the extension module *module*; None: `extension_text` makes that."""
    if callee_name is None and entry == callee:
        raise ValueError(
            f"the entry {symbol_of(entry, next(iter(sigs), 'f'))} would call itself: callee_name is needed"
        )
    if callee_name is not None and len(sigs) != 1:
        raise ValueError("callee_name is for one signature")
    is_elf = target.object_format == "elf"
    unit = Unit(target.abi, sections=is_elf, closures=target.object_format != "wasm", catches=catches(target))
    if in_python(entry, callee):
        extension.check_target(target)
    for name, sig in sigs.items():
        try:
            _add(unit, name, sig, entry, callee, callee_name or name, Options(defaults=_has_defaults(sig), pad=pad))
        except TypeError as error:
            raise TypeError(f"{name}: {error}") from None
    _check_symbols(unit, [symbol_of(entry, name) for name in sigs], [symbol_of(callee, callee_name or n) for n in sigs])
    if entry == "python" and module is not None:
        extension.add_module(unit, module, sigs)
    define_version(unit, target)
    return assemble(unit, target)


def extension_text(sigs: dict[str, Signature], module: str, target: Target) -> str:
    """The IR of what makes an extension module of the Python entries of other objects."""
    unit = Unit(target.abi)
    extension.add_module(unit, module, sigs)
    return assemble(unit, target)


def _check_symbols(unit: Unit, entries: list[str], callees: list[str]) -> None:
    for symbol in entries:
        if symbol in unit.called or symbol.startswith(("jf_", SIGNATURE_PREFIX, ABI_VERSION)):
            raise ArgumentError(f"{symbol} is the name of what emitted code itself needs: take another")
        if symbol in callees:
            raise ArgumentError(f"{symbol} would be an entry, and is another's callee: take another name")


def _has_defaults(sig: Signature) -> bool:
    return sig.has_defaults


def _add(unit: Unit, name: str, sig: Signature, entry: str, callee: str, callee_name: str, options: Options) -> None:
    linkage = None
    if in_python(entry, callee):
        linkage = extension.linkage_of(unit, name, sig, entry, callee, symbol_of(callee, callee_name), options)
    unit.entry(name, sig, entry, callee, symbol_of(callee, callee_name), options, linkage)
    if entry == "python":
        extension.add_function(unit, name, sig, symbol_of(entry, name), callee, symbol_of(callee, callee_name))
