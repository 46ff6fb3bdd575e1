"""Shared libraries made for tvm-ffi: what they are loaded with, and the types that their metadata tells.

    __tvm_ffi_<name>              a function; the runtime's modules have it as one that takes whatever it is given
    __tvm_ffi__metadata_<name>    a function that gives JSON: its types, and in our own files its signature
    __tvm_ffi__library_ctx, ...   variables that tvm-ffi's own loader sets, which is asked to where there are any

What says its types is compiled for them when it is taken from its module.
"""

from __future__ import annotations

import json
import re

from jitffi import _core
from jitffi.api.tvm_ffi import opened, typed
from jitffi.link.script_library import script_library
from jitffi.signature import schema
from jitffi.signature.text import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature

#: Types all of whose values there are values of ours.
_SHARED = {"i64", "f64", "bool", "void", "null", "any", "ptr", "dtype", "device", "str", "bytes"}
#: How the system's loader says that its library is missing, or what is in it, of libraries that are not linked with it.
_NEEDED = re.compile(r"libtvm_ffi|undefined symbol: (TVMFFI|_Z\w*3tvm3ffi)|symbol not found.*TVMFFI", re.DOTALL)
#: The same of our runtime.
_UNLINKED = re.compile(r"undefined symbol: jf_|symbol not found.*'_jf_", re.DOTALL)
#: Variables that tvm-ffi's loader sets (tvm/ffi/extra/module.h), and what it reads.
_LOADED_BY_IT = ("__tvm_ffi__library_ctx", "__tvm_ffi__library_bin")


def open_library(path: str) -> tuple[Any, Any]:
    """Open a shared library, and before it ours of scripts or tvm-ffi's where it needs those, and return it with what
    keeps it set up; OSError says that it needs tvm-ffi and why."""
    try:
        code = _core.Library(path)
    except OSError as error:
        if "libjitffi_script" in str(error):
            script_library()  # ours, of scripts, which this process had no need of yet
        elif _NEEDED.search(str(error)):
            _import(path, error)  # which loads the library that is missing
        elif _UNLINKED.search(str(error)):
            raise OSError(f"{error}: link it with what `jitffi config --libs` prints") from None
        else:
            raise
        code = _core.Library(path)
    needs = [name for name in _LOADED_BY_IT if code.find_variable(name) is not None]
    return code, _import(path, None).load_module(path) if needs else None


def _import(path: str, cause: OSError | None) -> Any:
    try:
        return opened()
    except ImportError as error:
        raise OSError(f"{path}: needs tvm-ffi ({error}): install apache-tvm-ffi") from cause


def told_of(module: Any, name: str) -> Signature | None:
    """What the library of a module tells of a function's types."""
    code = getattr(module._owner, "code", None)
    return _signature_of(code, name) if isinstance(code, _core.Library) else None


def with_types(function: Any, name: str) -> Any:
    """Return a function of the convention that was taken from a module, compiled for the types that are told of it."""
    home = _core.module_of(function)
    sig = None if home is None else told_of(home, name)
    return function if sig is None else typed(function, name, sig)


def _signature_of(library: Any, name: str) -> Signature | None:
    """The signature of an exported function, by its metadata; None where that tells none, or less than there is."""
    address = library.find(f"__tvm_ffi__metadata_{name}")
    if address is None:
        return None
    try:
        metadata = json.loads(_core.tvm_function(address, "metadata", 0, library, None)())
        if "jitffi" in metadata:
            return parse(metadata["jitffi"])
        told = parse(schema.signature_text_of(json.loads(metadata["type_schema"])))
        types = [*[param.type for param in told.params], told.result]
        return told if {(each.inner if each.is_optional else each).name for each in types} <= _SHARED else None
    except Exception:  # whatever that function raises or gives: what it describes can be called without types
        return None
