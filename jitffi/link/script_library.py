"""The library that scripts call, and the addresses of what their code refers to in it, the runtime, the process.

On the way of a script's warm start: imports next to nothing.
"""

from __future__ import annotations

import os
import sys

from jitffi import _core

_ENDING = ".dylib" if sys.platform == "darwin" else ".so"

_libraries: list[_core.Library] = []
_script_library: list[_core.Library] = []
_addresses: dict[str, int] = {}


def address_of(name: str) -> int:
    """Of a symbol that every script may refer to."""
    found = _addresses.get(name) or _core.SCRIPT_FUNCTIONS.get(name)
    if found is None:
        for library in _libraries or _open_libraries():
            found = library.find(name)
            if found is not None:
                break
        else:
            raise OSError(f"a script's code refers to {name}, which is nowhere")
        _addresses[name] = found
    return found


def library_path(stem: str) -> str:
    """The path of a library that was built together with the extension module: beside it, or beside what it is a link
    to. FileNotFoundError."""
    here = os.path.abspath(_core.__file__)
    looked = []
    for where in (os.path.dirname(here), os.path.dirname(os.path.realpath(here))):
        for folder in (os.path.join(where, "lib"), where):
            path = os.path.join(folder, stem + _ENDING)
            if os.path.exists(path):
                return path
            looked.append(path)
    raise FileNotFoundError(f"the library of scripts is not there: no {', no '.join(looked)}")


def script_library() -> _core.Library:
    """The library that scripts call. From now on `print` in them writes to sys.stdout; Ctrl-C ends them. OSError."""
    if not _script_library:
        library = _core.Library(library_path("libjitffi_script"))
        for symbol, set_hook in (
            ("jf_set_print", _core.script_print),
            ("jf_set_interrupt", _core.script_interrupt),
            ("jf_script_set_host", _core.script_host),
        ):
            address = library.find(symbol)
            if address is not None:
                set_hook(address)
        _script_library.append(library)
    return _script_library[0]


def _open_libraries() -> list[_core.Library]:
    _libraries[:] = [script_library(), _core.Library(library_path("libjitffi_runtime")), _core.Library(None)]
    return _libraries
