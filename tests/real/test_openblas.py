"""OpenBLAS over arrays: the functions of levels 1, 2 and 3 for f32 and f64, bound with named lengths and strides.

Operands are slices of larger arrays, strided vectors and matrices with padded rows or columns; what surrounds them must
stay as it is. What NumPy makes of the same, in f64, is the other opinion; cblas.h says that the table has every
function, and that each signature is that of its prototype.
"""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator

import numpy as np
import pytest

import jitffi
from jitffi.bind.source.errors import HeaderNotFound
from jitffi.bind.source.preprocess import compiler
from jitffi.signature.model import Signature

ORDERS = {"rows": 101, "columns": 102}
LENGTHS = {"n": 5, "m": 4, "k": 3, "p": 15, "w": 3, "g": 4}
#: What stands before a matrix; of options without a default all are tried.
OPTIONS = {"trans": (111, 112), "uplo": (121, 122), "diag": (131, 132), "side": (141, 142)}
UPPER, UNIT, TRANSPOSED, LEFT = 121, 132, 112, 141

# T is the element.
X, Y = "x: const T[n @ incx], incx: i32", "y: T[n @ incy], incy: i32"
READ_Y = "y: const T[n @ incy], incy: i32"
IN_X = "x: T[n @ incx], incx: i32"
A_FOR = "n: i32, a: const T[n @ lda, n], lda: i32"
TRIANGLE = "order: i32 = 101, uplo: i32, trans: i32, diag: i32, n: i32"
PART = "order: i32 = 101, uplo: i32, n: i32"

#: Name without cblas_ and with T for its letter -> parameters, result, and what it does, for NumPy.
LEVEL_1 = {
    "Tdot": (f"n: i32, {X}, {READ_Y}", "T", "result = x @ y"),
    "Tasum": (f"n: i32, {X}", "T", "result = abs(x).sum()"),
    "Tnrm2": (f"n: i32, {X}", "T", "result = sqrt(x @ x)"),
    "Tsum": (f"n: i32, {X}", "T", "result = x.sum()"),
    "iTamax": (f"n: i32, {X}", "u64", "result = abs(x).argmax()"),
    "iTamin": (f"n: i32, {X}", "u64", "result = abs(x).argmin()"),
    "iTmax": (f"n: i32, {X}", "u64", "result = x.argmax()"),
    "iTmin": (f"n: i32, {X}", "u64", "result = x.argmin()"),
    "Taxpy": (f"n: i32, alpha: T, {X}, {Y}", "void", "y += alpha * x"),
    "Taxpby": (f"n: i32, alpha: T, {X}, beta: T, {Y}", "void", "y[:] = alpha * x + beta * y"),
    "Tcopy": (f"n: i32, {X}, {Y}", "void", "y[:] = x"),
    "Tswap": (f"n: i32, {IN_X}, {Y}", "void", "x[:], y[:] = y.copy(), x.copy()"),
    "Tscal": (f"n: i32, alpha: T, {IN_X}", "void", "x *= alpha"),
    "Trot": (f"n: i32, {IN_X}, {Y}, c: T, s: T", "void", "x[:], y[:] = c * x + s * y, c * y - s * x"),
    "Trotm": (
        f"n: i32, {IN_X}, {Y}, h: const T[5]", "void",
        "h[0] = -1; x[:], y[:] = h[1] * x + h[3] * y, h[2] * x + h[4] * y",
    ),
    "Trotg": ("a: inout[T], b: inout[T], c: out[T], s: out[T]", "void", ""),
    "Trotmg": ("d1: inout[T], d2: inout[T], b1: inout[T], b2: T, h: T[5]", "void", ""),
}  # fmt: skip
LEVEL_2 = {
    "Tgemv": (
        f"order: i32 = 101, trans: i32 = 111, m: i32, n: i32, alpha: T, a: const T[m @ lda, n], lda: i32, {X}, "
        "beta: T, y: T[m @ incy], incy: i32", "void", "y[:] = alpha * a @ x + beta * y",
    ),
    "Tgemv, transposed": (
        "order: i32 = 101, trans: i32 = 112, m: i32, n: i32, alpha: T, a: const T[m @ lda, n], lda: i32, "
        f"x: const T[m @ incx], incx: i32, beta: T, {Y}", "void", "y[:] = alpha * x @ a + beta * y",
    ),
    "Tger": (
        f"order: i32 = 101, m: i32, n: i32, alpha: T, x: const T[m @ incx], incx: i32, {READ_Y}, "
        "a: T[m @ lda, n], lda: i32", "void", "a += alpha * outer(x, y)",
    ),
    "Ttrmv": (f"{TRIANGLE}, a: const T[n @ lda, n], lda: i32, {IN_X}", "void", "x[:] = op(triangle(a)) @ x"),
    "Ttrsv": (f"{TRIANGLE}, a: const T[n @ lda, n], lda: i32, {IN_X}", "void", "x[:] = solve(op(triangle(a)), x)"),
    "Tsymv": (
        f"{PART}, alpha: T, a: const T[n @ lda, n], lda: i32, {X}, beta: T, {Y}", "void",
        "y[:] = alpha * symmetric(a) @ x + beta * y",
    ),
    "Tsyr": (f"{PART}, alpha: T, {X}, a: T[n @ lda, n], lda: i32", "void", "put(a, a + alpha * outer(x, x))"),
    "Tsyr2": (
        f"{PART}, alpha: T, {X}, {READ_Y}, a: T[n @ lda, n], lda: i32", "void",
        "put(a, a + alpha * outer(x, y) + alpha * outer(y, x))",
    ),
}  # fmt: skip
#: Matrices of which only a band, or one triangle, is stored: by rows.
STORED = {
    "Tgbmv": (
        f"order: i32 = 101, trans: i32 = 111, m: i32, n: i32, kl: i32 = 1, ku: i32 = 2, alpha: T, "
        f"a: const T[m @ lda, g], lda: i32, {X}, beta: T, y: T[m @ incy], incy: i32",
        "void", "y[:] = alpha * band(a, 1, 5) @ x + beta * y",
    ),
    "Tsbmv": (
        f"{PART}, k: i32 = 2, alpha: T, a: const T[n @ lda, w], lda: i32, {X}, beta: T, {Y}", "void",
        "y[:] = alpha * symmetric(band(a, below(), 5)) @ x + beta * y",
    ),
    "Ttbmv": (
        f"{TRIANGLE}, k: i32 = 2, a: const T[n @ lda, w], lda: i32, {IN_X}", "void",
        "x[:] = op(triangle(band(a, below(), 5))) @ x",
    ),
    "Ttbsv": (
        f"{TRIANGLE}, k: i32 = 2, a: const T[n @ lda, w], lda: i32, {IN_X}", "void",
        "x[:] = solve(op(triangle(band(a, below(), 5))), x)",
    ),
    "Ttpmv": (f"{TRIANGLE}, a: const T[p], {IN_X}", "void", "x[:] = op(triangle(unpacked(a))) @ x"),
    "Ttpsv": (f"{TRIANGLE}, a: const T[p], {IN_X}", "void", "x[:] = solve(op(triangle(unpacked(a))), x)"),
    "Tspmv": (
        f"{PART}, alpha: T, a: const T[p], {X}, beta: T, {Y}", "void",
        "y[:] = alpha * symmetric(unpacked(a)) @ x + beta * y",
    ),
    "Tspr": (f"{PART}, alpha: T, {X}, a: T[p]", "void", "a += alpha * packed(outer(x, x))"),
    "Tspr2": (f"{PART}, alpha: T, {X}, {READ_Y}, a: T[p]", "void", "a += alpha * packed(outer(x, y) + outer(y, x))"),
}  # fmt: skip
LEVEL_3 = {
    **{
        f"Tgemm, {ta}{tb}": (
            f"order: i32 = 101, transa: i32 = {ta}, transb: i32 = {tb}, m: i32, n: i32, k: i32, alpha: T, "
            f"a: const T[{'m @ lda, k' if ta == 111 else 'k @ lda, m'}], lda: i32, "
            f"b: const T[{'k @ ldb, n' if tb == 111 else 'n @ ldb, k'}], ldb: i32, beta: T, c: T[m @ ldc, n], ldc: i32",
            "void", f"c[:] = alpha * {'a' if ta == 111 else 'a.T'} @ {'b' if tb == 111 else 'b.T'} + beta * c",
        )
        for ta in (111, 112) for tb in (111, 112)
    },
    **{
        f"Tsymm, {side}": (
            f"order: i32 = 101, side: i32 = {side}, uplo: i32, m: i32, n: i32, alpha: T, "
            f"a: const T[{q} @ lda, {q}], lda: i32, b: const T[m @ ldb, n], ldb: i32, "
            "beta: T, c: T[m @ ldc, n], ldc: i32", "void",
            f"c[:] = alpha * {'symmetric(a) @ b' if q == 'm' else 'b @ symmetric(a)'} + beta * c",
        )
        for side, q in ((141, "m"), (142, "n"))
    },
    **{
        f"T{name}, {side}": (
            f"order: i32 = 101, side: i32 = {side}, uplo: i32, trans: i32, diag: i32, m: i32, n: i32, alpha: T, "
            f"a: const T[{q} @ lda, {q}], lda: i32, b: T[m @ ldb, n], ldb: i32", "void", f"b[:] = alpha * {made[q]}",
        )
        for side, q in ((141, "m"), (142, "n"))
        for name, made in {
            "trmm": {"m": "op(triangle(a)) @ b", "n": "b @ op(triangle(a))"},
            "trsm": {"m": "solve(op(triangle(a)), b)", "n": "solve(op(triangle(a)).T, b.T).T"},
        }.items()
    },
    **{
        f"Tsyrk, {trans}": (
            f"order: i32 = 101, uplo: i32, trans: i32 = {trans}, n: i32, k: i32, alpha: T, "
            f"a: const T[{shape}], lda: i32, beta: T, c: T[n @ ldc, n], ldc: i32",
            "void", f"put(c, alpha * {product} + beta * c)",
        )
        for trans, shape, product in ((111, "n @ lda, k", "a @ a.T"), (112, "k @ lda, n", "a.T @ a"))
    },
    **{
        f"Tsyr2k, {trans}": (
            f"order: i32 = 101, uplo: i32, trans: i32 = {trans}, n: i32, k: i32, alpha: T, "
            f"a: const T[{shape}], lda: i32, b: const T[{shape.replace('lda', 'ldb')}], ldb: i32, "
            "beta: T, c: T[n @ ldc, n], ldc: i32",
            "void", f"put(c, alpha * {product} + beta * c)",
        )
        for trans, shape, product in (
            (111, "n @ lda, k", "(a @ b.T + b @ a.T)"), (112, "k @ lda, n", "(a.T @ b + b.T @ a)"),
        )
    },
}  # fmt: skip
#: Which exist for f32 alone.
SINGLE = {
    "sdsdot": (f"n: i32, alpha: f32, {X}, {READ_Y}", "f32", "result = alpha + x @ y"),
    "dsdot": (f"n: i32, {X}, {READ_Y}", "f64", "result = x @ y"),
}
TABLE = {**LEVEL_1, **LEVEL_2, **STORED, **LEVEL_3}
#: Of the header, but of no level, or of other elements.
LEFT_OUT = r"s[hb]\w+|[sd]?bf16\w+|dbf16tod|(sc|dz)(asum|nrm2|sum)|[sd](omatcopy|imatcopy|geadd)"


def parameters(template: str, letter: str, layout: str = "rows") -> str:
    """The parameters for one element type. By columns it is the last dimension that is padded."""
    text = re.sub(r"\bT\b", {"s": "f32", "d": "f64"}[letter], template)
    if layout == "columns":
        text = re.sub(r"\[(\w) @ (\w+), (\w)\]", r"[\1, \3 @ \2]", text).replace("order: i32 = 101", "order: i32 = 102")
    return text


def symbol(name: str, letter: str) -> str:
    return "cblas_" + name.partition(",")[0].replace("T", letter, 1)


@pytest.fixture(scope="module")
def openblas(system_library) -> jitffi.Library:
    return system_library("libopenblas.so.0", "libopenblas-dev")


class Operands:
    """Random values for a function's parameters, by name, each array inside one of which more is there."""

    def __init__(self, signature: Signature, options: dict[str, int], rng: np.random.Generator) -> None:
        self.options, self.values, self.around = options, {}, {}
        for param in signature.params:
            kind = param.type.name
            if kind == "array":
                self.values[param.name] = self._array(param.name, param.type, rng)
            elif param.name in ("alpha", "beta", "c", "s"):
                self.values[param.name] = float(rng.integers(1, 9)) / 4
        self.values.update(options)

    def _array(self, name: str, type_: object, rng: np.random.Generator) -> np.ndarray:
        element, _, dims = type_.args
        shape = [LENGTHS[length] if isinstance(length, str) else length for length, _ in dims]
        strided = next((i for i, (_, stride) in enumerate(dims) if stride), None)
        whole = list(shape)
        if strided is not None:  # a vector with a stride of three, a matrix with two more in each row or column
            other = 1 - strided if len(shape) == 2 else 0
            whole[other] = shape[other] * 3 if len(shape) == 1 else shape[other] + 2
        columns = len(shape) == 2 and strided == 1
        data = rng.uniform(0.5, 1.0, whole[::-1] if columns else whole).astype({"f32": "f4", "f64": "f8"}[element.name])
        data = data * rng.choice([-1, 1], data.shape).astype(data.dtype)
        data = data.T if columns else data
        view = data[::3] if len(shape) == 1 and strided is not None else data[tuple(slice(0, n) for n in shape)]
        self.around[name] = data
        return view

    def mask(self, n: int) -> np.ndarray:
        return np.triu(np.ones((n, n), bool)) if self.options.get("uplo") == UPPER else np.tril(np.ones((n, n), bool))

    def triangle(self, a: np.ndarray) -> np.ndarray:
        made = np.where(self.mask(len(a)), a, 0)
        if self.options["diag"] == UNIT:
            np.fill_diagonal(made, 1)
        return made

    def symmetric(self, a: np.ndarray) -> np.ndarray:
        half = np.where(self.mask(len(a)), a, 0)
        return half + half.T - np.diag(np.diag(a))

    def op(self, a: np.ndarray) -> np.ndarray:
        return a.T if self.options["trans"] == TRANSPOSED else a

    def put(self, a: np.ndarray, made: np.ndarray) -> None:
        a[:] = np.where(self.mask(len(a)), made, a)

    def below(self) -> int:
        """How many of the three stored diagonals are below the main one."""
        return 0 if self.options["uplo"] == UPPER else 2

    @staticmethod
    def band(a: np.ndarray, below: int, columns: int) -> np.ndarray:
        made = np.zeros((len(a), columns))
        for i, d in np.ndindex(a.shape):
            if 0 <= i + d - below < columns:
                made[i, i + d - below] = a[i, d]
        return made

    def unpacked(self, a: np.ndarray) -> np.ndarray:
        made = np.zeros((LENGTHS["n"],) * 2)
        made[self.mask(len(made))] = a
        return made

    def packed(self, a: np.ndarray) -> np.ndarray:
        return a[self.mask(len(a))]

    def expected(self, code: str) -> tuple[object, dict[str, np.ndarray]]:
        """What *code* makes of f64 copies: its result, and what is then in and around each array."""
        around = {name: data.astype(np.float64) for name, data in self.around.items()}
        scope = dict(self.values)
        for name, data in self.around.items():
            view = self.values[name]
            memory = around[name] if around[name].flags.c_contiguous else around[name].T
            strides = [stride * 8 // data.itemsize for stride in view.strides]
            scope[name] = np.ndarray(view.shape, np.float64, memory.data, strides=strides)
        helpers = ("triangle", "symmetric", "op", "put", "below", "band", "unpacked", "packed")
        scope |= {name: getattr(self, name) for name in helpers}
        scope |= {"outer": np.outer, "solve": np.linalg.solve, "sqrt": np.sqrt, "result": None}
        exec(code, scope)
        return scope["result"], around


def combinations(text: str) -> Iterator[dict[str, int]]:
    names = [name for name in OPTIONS if re.search(rf"\b{name}: i32(,|$)", text)]
    for chosen in itertools.product(*(OPTIONS[name] for name in names)):
        yield dict(zip(names, chosen, strict=True))


def check(library: jitffi.Library, cblas: str, params: str, result: str, code: str) -> None:
    signature = Signature.parse(f"({params}) -> {result}")
    function = library.bind(cblas, signature)
    rng = np.random.default_rng(zlib.crc32(f"{cblas}({params})".encode()))
    for options in combinations(params):
        operands = Operands(signature, options, rng)
        if "h" in operands.values:
            operands.values["h"][0] = -1
        wanted, around = operands.expected(code)
        got = function(**operands.values)
        case = f"{cblas} {options}"
        exact = 1e-3 if "f32" in params else 1e-11
        assert got == wanted if wanted is None or result == "u64" else got == pytest.approx(wanted, rel=exact), case
        for name, data in operands.around.items():
            np.testing.assert_allclose(data, around[name], rtol=exact, atol=exact, err_msg=f"{case}: {name}")


@pytest.mark.parametrize("letter", ["s", "d"])
@pytest.mark.parametrize("name", [name for name, (_, _, code) in TABLE.items() if code])
def test_as_numpy_has_it(openblas, name, letter):
    params, result, code = TABLE[name]
    for layout in ORDERS if "@ lda, " in params and name not in STORED else ("rows",):
        made = parameters(params, letter, layout)
        check(openblas, symbol(name, letter), made, parameters(result, letter), code)


@pytest.mark.parametrize("name", SINGLE)
def test_functions_of_f32_alone(openblas, name):
    params, result, code = SINGLE[name]
    check(openblas, f"cblas_{name}", parameters(params, "s"), result, code)


@pytest.mark.parametrize("letter", ["s", "d"])
def test_rotations_come_back_as_values(openblas, letter):
    rotg, rotmg, rotm = (
        openblas.bind(symbol(name, letter), f"({parameters(LEVEL_1[name][0], letter)}) -> void")
        for name in ("Trotg", "Trotmg", "Trotm")
    )
    exact = {"rel": 1e-5, "abs": 1e-6} if letter == "s" else {}
    r, _, c, s = rotg(3.0, 4.0)
    assert (r, c, s) == pytest.approx((5, 0.6, 0.8), **exact)
    h = np.zeros(5, {"s": "f4", "d": "f8"}[letter])
    d1, d2, x1 = rotmg(2.0, 3.0, 4.0, 5.0, h)
    # It makes the second component zero, with the weights: d1 x1'^2 is what d1 x1^2 + d2 y1^2 was.
    assert d1 * x1 * x1 == pytest.approx(2 * 16 + 3 * 25, **exact) and d2 > 0
    x, y = np.full(1, 4, h.dtype), np.full(1, 5, h.dtype)
    rotm(x, y, h)
    assert x[0] == pytest.approx(x1, **exact) and y[0] == pytest.approx(0, abs=1e-5)


def test_transposes_go_in_as_they_are(openblas):
    """One binding for each layout of the operands: a view is never copied, and never refused by all."""
    text = (
        "(order: i32 = 101, transa: i32 = {ta}, transb: i32 = {tb}, m: i32, n: i32, k: i32, alpha: f64, "
        "a: const f64[{a}], lda: i32, b: const f64[{b}], ldb: i32, beta: f64, c: f64[m @ ldc, n], ldc: i32) -> void"
    )
    bound = {
        (ta, tb): openblas.bind("cblas_dgemm", text.format(ta=ta, tb=tb, a=a, b=b))
        for ta, a in ((111, "m @ lda, k"), (112, "m, k @ lda"))
        for tb, b in ((111, "k @ ldb, n"), (112, "k, n @ ldb"))
    }
    rng = np.random.default_rng(5)
    wide, c = rng.random((20, 20)), np.zeros((6, 8))
    for (ta, tb), gemm in bound.items():
        a = wide[:6, 3:7] if ta == 111 else wide[3:7, :6].T
        b = wide[9:13, 2:10] if tb == 111 else wide[2:10, 9:13].T
        gemm(2.0, a, b, 0.0, c)
        np.testing.assert_allclose(c, 2 * a @ b)
        with pytest.raises(ValueError, match="cblas_dgemm: argument 2 'a': expected const f64"):
            gemm(2.0, np.asarray(a, order="F" if ta == 111 else "C"), b, 0.0, c)
        with pytest.raises(ValueError, match="k is 3 here and 4 in 'a'"):
            gemm(2.0, a, b[:3], 0.0, c)


def test_the_header_agrees(openblas, tmp_path):
    """Every function of the header for s and d stands in the table, with its prototype's parameters."""
    if compiler() is None:
        pytest.skip("no C compiler")
    try:
        made = jitffi.bind_header("cblas.h", "openblas", tmp_path / "cblas.py")
    except (HeaderNotFound, OSError) as error:
        pytest.skip(f"{error}; on Debian it is in libopenblas-dev")
    ours = {
        symbol(name, letter): parameters(f"{result}: {params}", letter)
        for name, (params, result, _) in TABLE.items() for letter in "sd"
    }  # fmt: skip
    ours |= {f"cblas_{name}": parameters(f"{result}: {params}", "s") for name, (params, result, _) in SINGLE.items()}
    seen = set()
    for function in made.functions:
        match = re.fullmatch(r"cblas_(i?[sd]\w+)", function.name)
        if match is None or re.fullmatch(LEFT_OUT, match[1]):
            continue
        seen.add(function.name)
        result, _, params = ours[function.name].partition(": ")
        written = Signature.parse(f"({params}) -> {result}")
        stated = function.sig
        assert str(stated.result) == str(written.result), function.name
        assert len(stated.params) == len(written.params), function.name
        for theirs, mine in zip(stated.params, written.params, strict=True):
            is_pointer = mine.type.name in ("array", "out", "inout")
            assert is_pointer == ("ptr" in str(theirs.type)), f"{function.name}: {mine.name}"
            assert is_pointer or str(theirs.type) in (str(mine.type), "u32"), f"{function.name}: {mine.name}"
    assert seen == set(ours)
