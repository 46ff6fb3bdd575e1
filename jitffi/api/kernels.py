"""Kernels: functions whose code is LLVM IR, for `Function.from_ir`, and C functions of object files, for `load_module`.

IR, name, signature --key--> cache: image ------------------> in memory, without LLVM
                       else  joined with its Python entry (adapters/kernel.py) --> cache --> in memory
"""

from __future__ import annotations

import sys
from _blake2 import blake2b
from collections.abc import Mapping

from jitffi import _core
from jitffi.adapters import cache
from jitffi.adapters.code_store import Compiled
from jitffi.api.options import option_letters
from jitffi.base import pad_policy
from jitffi.base.files import library_names
from jitffi.base.fork_locks import IMPORTS, LLVM
from jitffi.base.off_thread import run
from jitffi.base.symbol_names import KERNEL_ENTRY
from jitffi.base.version import fingerprint
from jitffi.link import loaded
from jitffi.link.image import Libraries
from jitffi.signature.model import Signature
from jitffi.signature.signature_lists import check_name
from jitffi.signature.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.api.functions import Function


class Kernel:
    """The function of some IR, compiled and in memory as long as this."""

    __slots__ = ("_entry", "_library", "address", "ir", "link", "name", "options", "pad", "sig")

    def __init__(
        self, ir: str, name: str, sig: Signature, options: str, pad: int | None, link: tuple[str, ...]
    ) -> None:
        self.ir = ir
        self.name = name
        self.sig = sig
        #: Letters of `Options`.
        self.options = options
        self.pad = pad
        #: Libraries for what the IR does not define.
        self.link = link
        code = self._load()
        #: Of the C function.
        self.address = code.functions[name]
        self._entry = code.functions[KERNEL_ENTRY]
        #: Where the extension looks for what stays when the address has been given out.
        self._library = code.image

    def equip(self, function: Function) -> None:
        """Give *function* the Python entry that calls the kernel."""
        entry = _Entry(self._entry, self._library)
        _core.set_python_entry(function, entry, "k" in self.options)
        function._compiled = Compiled(entry, 0, 2)

    def _load(self) -> loaded.Loaded:
        """Its code in memory, from the cache or made now."""
        digest = blake2b(self.ir.encode("utf-8", "surrogatepass"), digest_size=32).hexdigest()
        # The files that make images are not among those that the cache knows.
        key = f"kernel|{fingerprint(('link',))}|{self.name}|{self.options}|{self.sig.types}|{digest}"
        flat = cache.load(key)
        if flat is None:
            flat = run(self._made, "image")
            cache.store(key, flat)
        libraries = Libraries(self.link)
        shown = {self.name: f"jitffi$kernel${self.name}", KERNEL_ENTRY: f"jitffi$python${self.name}"}
        return loaded.put(flat, lambda symbol: self._find(libraries, symbol), libraries.opened, shown)

    def _made(self, how: str, *more: str) -> Any:
        with IMPORTS, LLVM:  # a fork waits for both
            from jitffi.adapters import kernel

            return getattr(kernel, how)(self.ir, self.name, self.sig, self.options, *more)

    def _find(self, libraries: Libraries, symbol: str) -> int:
        found = libraries.find(symbol)
        llvm = sys.modules.get("llvmlite.binding")
        if found is None and llvm is not None:  # what others have told LLVM of, as numba does
            found = llvm.address_of_symbol(symbol)
        if found is None:
            raise OSError(f"{self.name}: undefined: {symbol}; link=... names the shared libraries to look into")
        return found

    def text(self) -> str:
        """The IR of the kernel and its Python entry."""
        found: str = run(self._made, "text")
        return found

    def assembly(self) -> str:
        """What they are compiled to."""
        found: bytes = run(self._made, "compiled", "s")
        return found.decode()


class _Entry:
    """The Python entry, as a Function holds code: where it is, and what keeps it there."""

    __slots__ = ("address", "image")

    def __init__(self, address: int, image: _core.Image) -> None:
        self.address = address
        self.image = image


def read(source: Any, name: str, sig: Signature | None, nogil: bool, errno: bool, pad: int | None, link: Any) -> Kernel:
    """The kernel that `Function.from_ir` is given, in memory."""
    if not isinstance(name, str):
        raise TypeError(f"from_ir: the function's name is a str, not {type(name).__name__}")
    if sig is None:
        raise TypeError(f"from_ir: {name}: a function of native code needs a signature")
    if pad_policy.current is not None:
        pad = pad_policy.current.of_typed(name, sig, pad)
    letters = option_letters(sig, nogil, errno, pad)
    return Kernel(_text_of(source), name, sig, letters, pad, library_names("from_ir", link))


def _text_of(source: Any) -> str:
    """The text of IR: a str, or a module of llvmlite's, whose text it is."""
    if isinstance(source, str):
        return source
    if type(source).__module__.partition(".")[0] == "llvmlite" and type(source).__name__ in ("Module", "ModuleRef"):
        return str(source)
    raise TypeError(f"from_ir: expected LLVM IR as text or a module of llvmlite, got {type(source).__name__}")


# -- of object files ------------------------------------------------------------------------------------------------


def packed_entries(signatures: Mapping[str, Signature | str]) -> tuple[dict[str, Signature], list[bytes]]:
    """Read what `load_module` is given for C functions; return that, and an object file of packed entries that call
    them, from the cache or made now."""
    if not isinstance(signatures, Mapping) or not all(isinstance(name, str) for name in signatures):
        raise TypeError("load_module: signatures is a mapping of functions' names to their signatures")
    for name in signatures:
        check_name(name, "load_module: ")
    sigs = {name: each if isinstance(each, Signature) else parse(each) for name, each in signatures.items()}
    key = f"entries|{[(name, str(sig)) for name, sig in sigs.items()]}"
    made = cache.load(key)
    if made is None:
        made = run(_entries_made, sigs)
        cache.store(key, made)
    return sigs, [made]


def _entries_made(sigs: dict[str, Signature]) -> bytes:
    with IMPORTS, LLVM:
        from jitffi.adapters import kernel

        return kernel.packed_entries(sigs)
