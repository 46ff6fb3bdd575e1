"""The peers as namespaces: each function under the name of plain.h, built or declared as the peer's manual says."""

from __future__ import annotations

import ctypes
import logging
import pathlib
import subprocess
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

from benchmarks import build
from benchmarks.build import CPP, FLAGS, NATIVE, PYTHON_INCLUDE, SUFFIX, Missing, against_plain, compiler, installed


def nanobind(name: str = "nanobind_peer", links: tuple[str, ...] | None = None) -> ModuleType:
    """The module made of native/*name*.cpp, linked with `plain` unless *links* are given."""
    source = NATIVE / f"{name}.cpp"
    command = [compiler(cpp=True), *CPP, *FLAGS, "-Wl,--gc-sections", *nanobind_includes(), str(source)]
    made = build.build(f"{name}{SUFFIX}", [*command, str(nanobind_core()), *(links or against_plain())], [source])
    return build.load(name, made)


def nanobind_includes() -> list[str]:
    package = installed("nanobind")
    robin_map = pathlib.Path(package.source_dir()).parent / "ext" / "robin_map" / "include"
    return [PYTHON_INCLUDE, f"-I{package.include_dir()}", f"-I{robin_map}"]


def nanobind_core() -> pathlib.Path:
    """What every module of nanobind links, with the flags of its own CMake file."""
    source = pathlib.Path(installed("nanobind").source_dir()) / "nb_combined.cpp"
    flags = [flag for flag in FLAGS if flag not in ("-shared", "-s")]
    sections = ["-fno-strict-aliasing", "-ffunction-sections", "-fdata-sections"]
    command = [compiler(cpp=True), *CPP, *flags, *sections, *nanobind_includes(), "-c", str(source)]
    return build.build("nb_combined.o", command, [source])


def pybind11(name: str = "pybind11_peer", links: tuple[str, ...] | None = None) -> ModuleType:
    source = NATIVE / f"{name}.cpp"
    include = f"-I{installed('pybind11').get_include()}"
    linked = against_plain() if links is None else links
    command = [compiler(cpp=True), *CPP, *FLAGS, PYTHON_INCLUDE, include, str(source), *linked]
    return build.load(name, build.build(f"{name}{SUFFIX}", command, [source]))


def cython() -> ModuleType:
    version = installed("Cython").__version__
    source = NATIVE / "cython_peer.pyx"
    translate = [sys.executable, "-m", "cython", "-3", "--module-name", "cython_peer", str(source)]
    translated = build.build(f"cython_peer-{version}.c", translate, [source])
    command = [compiler(), *FLAGS, PYTHON_INCLUDE, str(translated), *against_plain()]
    return build.load("cython_peer", build.build(f"cython_peer{SUFFIX}", command, [translated]))


def matxscript() -> Any:
    """Its import complains of a library for graphics cards; nothing here needs one."""
    logging.disable(logging.WARNING)
    try:
        return installed("matx")
    finally:
        logging.disable(logging.NOTSET)


def tvm_ffi(name: str = "tvm_peer", links: tuple[str, ...] | None = None) -> Any:
    package = installed("tvm_ffi")
    return package.load_module(str(tvm_library(name, links)))


def tvm_library(name: str, links: tuple[str, ...] | None = None) -> pathlib.Path:
    """The shared library made of native/*name*.cpp, linked with `plain` unless *links* are given."""
    info = installed("tvm_ffi").libinfo
    library = pathlib.Path(info.find_libtvm_ffi())
    includes = [f"-I{path}" for path in dict.fromkeys((info.find_include_path(), info.find_dlpack_include_path()))]
    link = [str(library), f"-Wl,-rpath,{library.parent}"]
    source = NATIVE / f"{name}.cpp"
    command = [compiler(cpp=True), *CPP, *FLAGS, *includes, str(source), *link, *(links or against_plain())]
    return build.build(f"lib{name}.so", command, [source])


#: For cffi, which has no preprocessor.
DECLARATIONS = """
void noop(void);
int64_t add_i64(int64_t a, int64_t b);
double add_f64(double a, double b);
double sum8(double a, double b, double c, double d, double e, double f, double g, double h);
int64_t bytes_len(const char* data, size_t size);
int64_t opt(const int64_t* value);
int64_t cstr_len(const char* text);
const char* cstr_id(const char* text);
int64_t loop_callback(int64_t (*f)(int64_t), int64_t n);
"""


def cffi_compiled() -> ModuleType:
    """cffi's API mode: a compiled module."""
    ffi = installed("cffi").FFI()
    ffi.cdef(DECLARATIONS + 'extern "Python" int64_t python_callback(int64_t);')
    ffi.set_source("cffi_peer", '#include "plain.h"')
    version = installed("cffi").__version__
    source = build.cache_directory() / f"cffi_peer-{version}-{SUFFIX}.c"
    if not source.exists():
        ffi.emit_c_code(str(source))
    command = [compiler(), *FLAGS, PYTHON_INCLUDE, str(source), *against_plain()]
    return build.load("cffi_peer", build.build(f"cffi_peer{SUFFIX}", command, [source]))


def cffi_loaded() -> SimpleNamespace:
    """cffi's ABI mode: no compiler."""
    ffi = installed("cffi").FFI()
    ffi.cdef(DECLARATIONS)
    return SimpleNamespace(ffi=ffi, lib=ffi.dlopen(str(build.plain())))


def with_ctypes() -> ctypes.CDLL:
    integer, real, text, size = ctypes.c_int64, ctypes.c_double, ctypes.c_char_p, ctypes.c_size_t
    types: dict[str, tuple[Any, ...]] = {
        "noop": (None,),
        "add_i64": (integer, integer, integer),
        "add_f64": (real, real, real),
        "sum8": (real,) * 9,
        "bytes_len": (integer, text, size),
        "opt": (integer, ctypes.POINTER(integer)),
        "cstr_len": (integer, text),
        "cstr_id": (text, text),
        "loop_callback": (integer, ctypes.CFUNCTYPE(integer, integer), integer),
    }
    library = ctypes.CDLL(str(build.plain()))
    for name, (result, *arguments) in types.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


def gathered(makers: dict[str, Any], remarks: list[str]) -> dict[str, Any]:
    """What each maker makes; who is missing is named in *remarks*."""
    made = {}
    for name, make in makers.items():
        try:
            made[name] = make()
        except (Missing, ImportError, OSError, subprocess.SubprocessError) as reason:
            remarks.append(f"{name} is left out: {reason}")
    return made
