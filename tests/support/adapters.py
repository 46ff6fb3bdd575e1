"""Adapters of any pair of conventions at either level, and what stands at both ends of them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any

import jitffi
from jitffi import _core
from jitffi.adapters import tiers
from jitffi.adapters.blob import extract
from jitffi.adapters.code_store import Request
from jitffi.api.functions import Function
from jitffi.api.making import make
from jitffi.llvm import codegen
from jitffi.signature.model import Signature

try:
    import tvm_ffi  # noqa: F401 - its library makes maps and errors of that convention
except ImportError:
    HAS_TVM_FFI = False
else:
    HAS_TVM_FFI = True

CONVENTIONS = ("python", "packed", "packed_legacy", "tvm_ffi", "c")
#: A convention that one end of each pair has to be, where it alone may have changed: "python" with another CPython.
END = os.environ.get("JITFFI_END")
PAIRS = [(entry, callee) for entry in CONVENTIONS for callee in CONVENTIONS if not END or END in (entry, callee)]


def code_at(request: Request, level: int) -> Any:
    """The machine code for *request*, compiled at *level* whatever the cache holds."""
    functions = extract(codegen.object_code(tiers.adapter_text(request, level), level, request.symbol))
    return _core.Code(functions[request.symbol].image, True)


def function_at(
    name: str, sig: Signature, entry: str, callee: str, target: object, level: int, **options: Any
) -> Function:
    """A Function with code of *level* at the one entry that is asked for."""
    if callee == "packed_legacy" and isinstance(target, Function):  # which its entry for that convention calls
        options |= {"owner": target, "self_handle": target.handle}
        target = _core.legacy_entries()[0]
    if callee == "tvm_ffi" and isinstance(target, Function):
        options |= {"owner": target, "self_handle": target.handle}
        target = _core.tvm_entry()
    made = make(name, sig, callee, target, entry=False, **options)
    letters = "k" if entry == "python" and any(p.name for p in sig.params) else ""
    letters += "d" if entry != "c" and sig.num_required < len(sig.params) else ""
    code = code_at(Request(entry, callee, sig, letters), level)
    if entry == "python":
        _core.set_python_entry(made, code, "k" in letters)
    elif entry == "packed":
        _core.set_packed_entry(made, code)
    elif entry in ("packed_legacy", "tvm_ffi"):
        made.entry_code = code
    else:
        _core.set_c_entry(made, code, tiers.result_class(sig), True)
    return made


def _parts(value: Any) -> list[Any]:
    """The value, or what a container of any depth holds."""
    inside = [*value.keys(), *value.values()] if isinstance(value, dict) else value
    return [p for each in inside for p in _parts(each)] if isinstance(inside, (list, tuple)) else [value]


def has_no_set(type_: Any) -> bool:
    """Whether tvm-ffi's convention takes the type."""
    return not re.search(r"\bset\b", type_.text)


def carries(pair: tuple[str, ...], type_: Any, value: Any, has_tvm_ffi: bool = HAS_TVM_FFI) -> bool:
    """Whether a value is the same behind those conventions: the packed convention of before has no room for the length
    of text, and a bool is an int in it, unless a type says otherwise; tvm-ffi's maps and errors are its library's."""
    if "tvm_ffi" in pair and not has_tvm_ffi and ("map" in type_.text or isinstance(value, (dict, jitffi.Error))):
        return False
    if "packed_legacy" not in pair:
        return True
    if isinstance(value, str):
        return "\0" not in value
    return not isinstance(value, bool) or "bool" in type_.text


class FarEnds:
    """Targets by convention, and callers by convention, out of one C library of `native.echo_source`."""

    def __init__(self, library: Any, types: list[Any]) -> None:
        self._numbers = {type_.text: i for i, type_ in enumerate(types)}
        self.library = library
        self._set_forward = library.bind("set_forward", "(ptr) -> void")

    def symbol(self, kind: str, type_: Any) -> str:
        return f"{kind}_{self._numbers[type_.text]}"

    def address(self, name: str) -> int:
        address: int = Function(self.library.bind(name, "() -> void")).native_address
        return address

    def target(self, callee: str, type_: Any, python: Callable[..., Any]) -> Any:
        """What an adapter of that callee calls: C's echo, C's packed echo, or *python*."""
        if callee == "python":
            return python
        if callee in ("packed_legacy", "tvm_ffi"):
            return Function.from_packed(self.address("packed_echo"), keep_alive=self.library)
        return self.address("packed_echo" if callee == "packed" else self.symbol("echo", type_))

    def caller(self, function: Function, entry: str, type_: Any, sig: Signature, packed: str) -> Callable[..., Any]:
        """*function* as Python calls it, through a C caller of its *entry* unless that is Python's own."""
        from support.native import call_signature

        if entry == "python":
            return function
        if entry == "packed_legacy":
            return _core.legacy_function(
                function.entry_code.address, "function", function.handle, function, str(sig), False
            )
        if entry == "tvm_ffi":
            return _core.tvm_function(function.entry_code.address, "function", function.handle, function, str(sig))
        if entry == "packed":
            self._set_forward(function.handle)
            return Function.from_packed(
                self.address(packed), name="forward", signature=sig, keep_alive=(function, self.library)
            )
        call = self.library.bind(self.symbol("call", type_), call_signature(sig))
        native = function._native
        return lambda *args: call(native, *args)
