"""The functions of llvmlite's library that machine code for this process is made by.

llvmlite's own modules take several times as long to load as the library, so a first compile does without them: the
versions that are known have these functions, declared as below. Of another version they are taken as llvmlite.binding
declares them, and ctypes compares what they are given with that.

All of it is called with the lock around LLVM, on a thread on which no signal handler runs.
"""

from __future__ import annotations

import functools
import os
from ctypes import CDLL, POINTER, byref, c_bool, c_char_p, c_int, c_size_t, c_void_p, cast, string_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: Versions of llvmlite.
_KNOWN = tuple([f"0.{minor}." for minor in range(45, 51)])
_OUT = POINTER(c_char_p)
#: What they return, None where that is nothing, and their arguments.
_TYPES: dict[str, tuple[Any, tuple[Any, ...]]] = {
    "InitializeNativeTarget": (c_int, ()),
    "InitializeNativeAsmPrinter": (c_int, ()),
    "InitializeNativeAsmParser": (c_int, ()),
    "GetProcessTriple": (None, (_OUT,)),
    "GetTripleParts": (None, (c_char_p, _OUT, _OUT, _OUT, _OUT)),
    "GetHostCPUName": (None, (_OUT,)),
    "GetHostCPUFeatures": (c_int, (_OUT,)),
    "GetTargetFromTriple": (c_void_p, (c_char_p, _OUT)),
    "CreateTargetMachine": (
        c_void_p,
        (c_void_p, c_char_p, c_char_p, c_char_p, c_int, c_char_p, c_char_p, c_int, c_int, c_char_p),
    ),
    "CreateTargetMachineData": (c_void_p, (c_void_p,)),
    "CopyStringRepOfTargetData": (None, (c_void_p, _OUT)),
    "DisposeTargetData": (None, (c_void_p,)),
    "CreatePipelineTuningOptions": (c_void_p, ()),
    "PTOSetSLPVectorization": (None, (c_void_p, c_bool)),
    "ContextCreate": (c_void_p, ()),
    "ContextDispose": (None, (c_void_p,)),
    "ParseAssembly": (c_void_p, (c_void_p, c_char_p, _OUT)),
    "VerifyModule": (c_bool, (c_void_p, _OUT)),
    "DisposeModule": (None, (c_void_p,)),
    "TargetMachineEmitToMemory": (c_void_p, (c_void_p, c_void_p, c_int, _OUT)),
    "GetBufferStart": (c_void_p, (c_void_p,)),
    "GetBufferSize": (c_size_t, (c_void_p,)),
    "DisposeMemoryBuffer": (None, (c_void_p,)),
    "DisposeString": (None, (c_char_p,)),
}


@functools.cache
def _library() -> Any:
    """The library, with its functions as attributes."""
    import llvmlite
    from llvmlite.utils import get_library_name

    if llvmlite.__version__.startswith(_KNOWN):
        try:
            library = CDLL(os.path.join(llvmlite.__path__[0], "binding", get_library_name()))
            for name, (result, arguments) in _TYPES.items():
                function = getattr(library, f"LLVMPY_{name}")
                function.restype, function.argtypes = result, arguments
        except (OSError, AttributeError):
            pass  # llvmlite finds it, or says what is wrong
        else:
            return library
    from llvmlite.binding import ffi

    return ffi.lib


def _call(name: str, *arguments: Any) -> Any:
    return getattr(_library(), f"LLVMPY_{name}")(*arguments)


def _taken(text: c_char_p) -> str:
    """What LLVM has left there, which is given back."""
    found = (text.value or b"").decode()
    if text:
        _call("DisposeString", text)
    return found


def _text(name: str, *arguments: Any) -> str:
    """The text that a function leaves behind its other arguments."""
    text = c_char_p()
    _call(name, *arguments, byref(text))
    return _taken(text)


def host() -> tuple[str, str, str, str, str, str]:
    """Of this process: its triple, and the architecture, system and environment in it; the CPU, and what it has. Loads
    the library."""
    for what in ("Target", "AsmPrinter", "AsmParser"):  # the last for assembly inside kernels
        _call(f"InitializeNative{what}")
    triple = _text("GetProcessTriple")
    parts = [c_char_p() for _ in range(4)]
    _call("GetTripleParts", triple.encode(), *[byref(each) for each in parts])
    arch, _, system, environment = [_taken(each) for each in parts]
    has = {each[1:]: each[0] for each in _text("GetHostCPUFeatures").split(",") if each}
    features = ",".join([flag + name for name, flag in sorted(has.items())])
    return triple, arch, system, environment, _text("GetHostCPUName"), features


def machine(triple: str, cpu: str, features: str, level: int) -> Any:
    """The address of a target machine, which is there for ever: of code as for a shared library."""
    error = c_char_p()
    target = _call("GetTargetFromTriple", triple.encode(), byref(error))
    made = target and _call(
        "CreateTargetMachine",
        target,
        triple.encode(),
        cpu.encode(),
        features.encode(),
        level,
        b"pic",
        b"small",
        0,
        0,
        b"",
    )
    if not made:
        raise RuntimeError(_taken(error) or "Cannot create target machine")
    return made


def data_layout(machine: Any) -> str:
    """What a machine says of the sizes and places of data."""
    data = _call("CreateTargetMachineData", machine)
    try:
        return _text("CopyStringRepOfTargetData", data)
    finally:
        _call("DisposeTargetData", data)


def compile_object(machine: Any, text: str) -> bytes:
    """The object file of a text, without passes but those of the machine's level. RuntimeError with LLVM's words
    where the text is wrong, which is a defect of ours."""
    error = c_char_p()
    context = _call("ContextCreate")
    try:
        module = _call("ParseAssembly", context, text.encode(), byref(error))
        if not module:
            raise RuntimeError(f"LLVM IR parsing error\n{_taken(error)}")
        try:
            is_wrong = _call("VerifyModule", module, byref(error))
            words = _taken(error)  # there is a text, if an empty one, where nothing is wrong, too
            if is_wrong:
                raise RuntimeError(words)
            return _emitted(machine, module)
        finally:
            _call("DisposeModule", module)
    finally:
        _call("ContextDispose", context)


def _emitted(machine: Any, module: Any) -> bytes:
    error = c_char_p()
    buffer = _call("TargetMachineEmitToMemory", machine, module, 1, byref(error))
    if not buffer:
        raise RuntimeError(_taken(error))
    try:
        return string_at(_call("GetBufferStart", buffer), _call("GetBufferSize", buffer))
    finally:
        _call("DisposeMemoryBuffer", buffer)


def addresses(names: tuple[str, ...]) -> list[int]:
    """Where functions of the library are. AttributeError for one that this version does not have."""
    library = _library()
    library = getattr(library, "_lib", library)  # behind llvmlite's
    return [cast(getattr(library, f"LLVMPY_{name}"), c_void_p).value or 0 for name in names]


def tuning() -> Any:
    """The address of options for passes, which is there for ever: as of level 2, without vectors of what is no loop."""
    made = _call("CreatePipelineTuningOptions")
    _call("PTOSetSLPVectorization", made, False)
    return made


def address(pointer: Any) -> int:
    """Where something of LLVM's is, by a number."""
    return cast(pointer, c_void_p).value or 0
