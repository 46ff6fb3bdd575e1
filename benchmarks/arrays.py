"""Python to native with arrays of NumPy: one call from a Python loop, for each way to take one.

The functions (native/kernels.c) touch an element of each array, so that a call's time is that of passing arrays. The
limit is native/handmade_arrays.c, an extension on NumPy's C API that makes the checks that our signatures ask for;
nanobind's `ndarray` has most of them as constraints, and tvm_ffi's functions make them in C++. ctypes with ndpointer
checks elements and contiguity, cffi that there is a buffer; both are given lengths and strides by the caller. numba's
are the same functions in Python, compiled for one signature, with the bodies inside. Tensors have `f32[n]` beside them:
their rows are about what a DLTensor costs more than an address.
"""

from __future__ import annotations

import ctypes
import zlib
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Python to native with arrays, ns a call"
RELATION = "ratio"
LIMIT = "NumPy's C API"
OURS = "jitffi"

#: Row -> what its ratio to the limit may be; None: no goal.
GOALS = {
    "f32[n]": 1.1,
    "3 x f32[n], 2 x f32": 1.15,
    "f64[m @ lda, n]": 1.2,
    "ptr[f32]": 1.1,
    "f64[n @ inc]": 1.2,
    "out[f64[n]]": None,
    "tensor[f32, n]": None,
    "tensor[f32]": None,
    "tensor[f32, n], torch": None,
}
#: Tensors of NumPy's arrays take at most so many times what an array parameter takes.
ARRAY, TENSOR_GOAL = "jitffi, f32[n]", 2.0
#: And less than this share of tvm_ffi's time where they are torch's.
TORCH_GOAL = 0.5
#: Each row takes less than this share of the time of these peers.
FAR_BELOW, FAR = 0.2, ("nanobind", "tvm_ffi")

SIGNATURES = {
    "vector": "(n: u64, x: f32[n]) -> f64",
    "scaled": "(n: u64, a: f32, x: const f32[n], b: f32, y: const f32[n], z: f32[n]) -> void",
    "matrix": "(m: i64, n: i64, a: const f64[m @ lda, n], lda: i64) -> f64",
    "pointer": "(x: ptr[f32]) -> f64",
    "strided": "(n: u64, x: const f64[n @ inc], inc: i64) -> f64",
    "filled": "(n: u64, x: out[f64[n]]) -> void",
}
#: Of one function.
TENSORS = {"ranked": "(x: tensor[f32, n]) -> f64", "tensor": "(x: tensor[f32]) -> f64"}


def bind() -> SimpleNamespace:
    import jitffi

    library = jitffi.load_library(str(build.shared("kernels")))
    bound = {name: library.bind(name, text) for name, text in SIGNATURES.items()}
    return SimpleNamespace(**bound, **{name: library.bind("tensor", text) for name, text in TENSORS.items()})


def operands() -> SimpleNamespace:
    import numpy as np

    x, y = np.arange(8, dtype=np.float32), np.arange(8, dtype=np.float32) * 2
    whole = np.arange(96.0)
    matrix, strided = whole.reshape(8, 12)[2:5, 1:5], whole[1:20:3]
    return SimpleNamespace(x=x, y=y, z=np.zeros(8, np.float32), matrix=matrix, strided=strided)


def cases(m: Any, **statements: str) -> dict[str, Case]:
    """Every row that *m* has a function for, under the names of kernels.h; *statements* for those that are called in
    another way."""
    data = operands()
    rows = {
        "f32[n]": ("vector", "f(x)", {"x": data.x}, 7.0),
        "3 x f32[n], 2 x f32": ("scaled", "f(a, x, b, y, z)", {"a": 2.0, "b": 3.0, **_three(data)}, None),
        "f64[m @ lda, n]": ("matrix", "f(a)", {"a": data.matrix}, 52.0),
        "ptr[f32]": ("pointer", "f(x)", {"x": data.x}, 0.0),
        "f64[n @ inc]": ("strided", "f(x)", {"x": data.strided}, 19.0),
    }
    helpers = getattr(m, "helpers", {})
    made = {
        row: Case(statements.get(name, call), {"f": getattr(m, name), **names, **helpers}, equals(result))
        for row, (name, call, names, result) in rows.items()
    }
    made["3 x f32[n], 2 x f32"] = _written(made["3 x f32[n], 2 x f32"], data)
    if hasattr(m, "filled"):
        made["out[f64[n]]"] = Case("f(n)", {"f": m.filled, "n": 8}, _filled)
    return made


def tensors(m: Any, x: Any) -> dict[str, Case]:
    """The rows of tensors, of NumPy's array *x* and of torch's tensor on its memory, where that is installed."""
    made = {row: Case("f(x)", {"f": f, "x": x}, equals(0.0)) for row, f in _tensor_rows(m)}
    try:
        torch = build.installed("torch")
    except build.Missing:
        return made
    return made | {"tensor[f32, n], torch": Case("f(x)", {"f": m.ranked, "x": torch.from_numpy(x)}, equals(0.0))}


def _tensor_rows(m: Any) -> list[tuple[str, Any]]:
    return [("tensor[f32, n]", m.ranked), ("tensor[f32]", m.tensor)]


def _three(data: SimpleNamespace) -> dict[str, Any]:
    return {"x": data.x, "y": data.y, "z": data.z}


def _written(case: Case, data: SimpleNamespace) -> Case:
    """It returns nothing: what is right is what it has written."""
    return Case(case.statement, case.names, lambda result: result is None and data.z[7] == 2 * 7 + 3 * 14)


def _filled(made: Any) -> bool:
    return made.shape == (8,) and str(made.dtype) == "float64" and bool(made[7] == 8.0)


def _hand_written() -> Any:
    include = f"-I{build.installed('numpy').get_include()}"
    return build.extension("handmade_arrays", include, *_links())


def _links() -> tuple[str, ...]:
    return build.against(build.shared("kernels"))


def _ctypes() -> dict[str, Case]:
    import numpy as np
    from numpy.ctypeslib import ndpointer

    library = build.library("kernels")
    real, size, signed = ctypes.c_double, ctypes.c_uint64, ctypes.c_int64
    single, vector = ctypes.c_float, ndpointer(np.float32, flags="C_CONTIGUOUS")
    types: dict[str, tuple[Any, ...]] = {
        "vector": (real, size, vector),
        "scaled": (None, size, single, vector, single, vector, vector),
        "matrix": (real, signed, signed, ndpointer(np.float64, ndim=2), signed),
        "pointer": (real, vector),
        "strided": (real, size, ndpointer(np.float64, ndim=1), signed),
    }
    for name, (result, *arguments) in types.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    bound = SimpleNamespace(**{name: getattr(library, name) for name in types})
    return cases(bound, **_BY_THE_CALLER)


#: For those who are told lengths and strides.
_BY_THE_CALLER = {
    "vector": "f(x.size, x)",
    "scaled": "f(x.size, a, x, b, y, z)",
    "matrix": "f(a.shape[0], a.shape[1], a, a.strides[0] // a.itemsize)",
    "strided": "f(x.size, x, x.strides[0] // x.itemsize)",
}
_DECLARATIONS = """
double vector(uint64_t n, const float* x);
void scaled(uint64_t n, float a, const float* x, float b, const float* y, float* z);
double matrix(int64_t m, int64_t n, const double* a, int64_t lda);
double pointer(const float* x);
double strided(uint64_t n, const double* x, int64_t inc);
"""


def _cffi() -> dict[str, Case]:
    """API mode, a compiled module. Buffers of cffi are contiguous, so that of strided ones the address is passed."""
    ffi = build.installed("cffi").FFI()
    ffi.cdef(_DECLARATIONS)
    ffi.set_source("cffi_arrays", '#include "kernels.h"')
    made_of = f"{build.installed('cffi').__version__}-{zlib.crc32(_DECLARATIONS.encode()):08x}"
    source = build.cache_directory() / f"cffi_arrays-{made_of}-{build.SUFFIX}.c"
    if not source.exists():
        ffi.emit_c_code(str(source))
    command = [build.compiler(), *build.FLAGS, build.PYTHON_INCLUDE, str(source), *_links()]
    m = build.load("cffi_arrays", build.build(f"cffi_arrays{build.SUFFIX}", command, [source]))
    names = "vector", "scaled", "matrix", "pointer", "strided"
    bound = SimpleNamespace(**{name: getattr(m.lib, name) for name in names})
    bound.helpers = {"b_": m.ffi.from_buffer, "cast": m.ffi.cast}
    address = "cast('double*', {0}.ctypes.data)"
    return cases(
        bound,
        vector="f(x.size, b_('float[]', x))",
        scaled="f(x.size, a, b_('float[]', x), b, b_('float[]', y), b_('float[]', z))",
        matrix=f"f(a.shape[0], a.shape[1], {address.format('a')}, a.strides[0] // a.itemsize)",
        pointer="f(b_('float[]', x))",
        strided=f"f(x.size, {address.format('x')}, x.strides[0] // x.itemsize)",
    )


def _numba() -> dict[str, Case]:
    numba = build.installed("numba")
    import numpy as np

    def scaled(a: float, x: Any, b: float, y: Any, z: Any) -> None:
        n = x.size
        if y.size != n or z.size != n:
            raise ValueError("lengths differ")
        z[n - 1] = a * x[n - 1] + b * y[n - 1]

    def filled(n: int) -> Any:
        x = np.empty(n)
        x[n - 1] = n
        return x

    vector = "float32[::1]"
    bodies = {
        "vector": (f"float64({vector})", lambda x: x[x.size - 1]),
        "scaled": (f"void(float32, {vector}, float32, {vector}, {vector})", scaled),
        "matrix": ("float64(float64[:, :])", lambda a: a[a.shape[0] - 1, a.shape[1] - 1]),
        "pointer": (f"float64({vector})", lambda x: x[0]),
        "strided": ("float64(float64[:])", lambda x: x[x.size - 1]),
        "filled": ("float64[::1](uint64)", filled),
    }
    return cases(SimpleNamespace(**{name: numba.njit(text)(body) for name, (text, body) in bodies.items()}))


def _tvm_ffi() -> dict[str, Case]:
    m = peers.tvm_ffi("tvm_arrays", _links())
    same = SimpleNamespace(ranked=m.pointer, tensor=m.pointer)
    return cases(m) | tensors(same, operands().x)


PEERS = {
    "nanobind": lambda: cases(peers.nanobind("nanobind_arrays", _links())),
    "tvm_ffi": _tvm_ffi,
    "ctypes, ndpointer": _ctypes,
    "cffi": _cffi,
    "numba": _numba,
}


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    x = operands().x
    contenders = {LIMIT: cases(_hand_written()), OURS: cases(bound) | tensors(bound, x)}
    contenders[ARRAY] = {row: Case("f(x)", {"f": bound.vector, "x": x}, equals(7.0)) for row, _ in _tensor_rows(bound)}
    contenders |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    for row in GOALS:
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        if OURS in taking_part:
            measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        limit = GOALS[times.case]
        goals += ratio_goal(times, OURS, LIMIT, limit) if limit else []
        goals += ratio_goal(times, OURS, ARRAY, TENSOR_GOAL)
        for far in FAR:
            limit = TORCH_GOAL if times.case.endswith("torch") else FAR_BELOW
            goals += ratio_goal(times, OURS, far, limit, below=True)
    return goals
