"""BLAS by cblas.h: enums for orders, arrays by address, complex numbers by address and as results; against NumPy."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(scope="module")
def blas(bound_header):
    return bound_header("cblas.h", "openblas", "libopenblas-dev")


@pytest.fixture(scope="module")
def matrices():
    random = np.random.default_rng(5)
    return random.normal(size=(7, 5)), random.normal(size=(5, 6))


def test_products_of_matrices(blas, matrices):
    a, b = matrices
    c = np.ones((7, 6))
    blas.cblas_dgemm(blas.CblasRowMajor, blas.CblasNoTrans, blas.CblasNoTrans, 7, 6, 5, 2.0, a, 5, b, 6, 0.5, c, 6)
    assert np.allclose(c, 2 * a @ b + 0.5)
    transposed = np.asfortranarray(np.zeros((6, 7)))
    blas.cblas_dgemm(
        blas.CBLAS_ORDER.CblasColMajor, blas.CblasTrans, blas.CblasTrans,
        6, 7, 5, 1.0, np.asfortranarray(b), 5, np.asfortranarray(a), 7, 0.0, transposed, 6,
    )  # fmt: skip
    assert np.allclose(transposed, (a @ b).T)


def test_the_side_file_says_what_the_arrays_are(bound_header, tmp_path, matrices):
    (tmp_path / "cblas.toml").write_text(
        '[functions.cblas_dgemv.types]\na = "const f64[m @ lda, n]"\nx = "const f64[n @ incx]"\ny = "f64[m @ incy]"\n'
    )
    blas = bound_header("cblas.h", "openblas", "libopenblas-dev", side=tmp_path / "cblas.toml")
    a, _ = matrices
    x, y = np.arange(10.0)[::2], np.zeros(7)
    blas.cblas_dgemv(order=blas.CblasRowMajor, trans=blas.CblasNoTrans, alpha=1.0, a=a, x=x, beta=0.0, y=y)
    assert np.allclose(y, a @ x)


@pytest.mark.parametrize("count", [0, 1, 1000])
def test_complex_numbers(blas, count):
    random = np.random.default_rng(count)
    x, y = (random.normal(size=count) + 1j * random.normal(size=count) for _ in range(2))
    out = np.zeros(1, complex)
    blas.cblas_zdotu_sub(count, x, 1, y, 1, out)
    assert np.isclose(out[0], x @ y)
    assert np.isclose(blas.cblas_zdotu(count, x, 1, y, 1), x @ y) and type(blas.cblas_zdotu(0, x, 1, y, 1)) is complex
    scaled = x.copy()
    blas.cblas_zscal(count, np.array([2 - 1j]), scaled, 1)
    assert np.allclose(scaled, (2 - 1j) * x)
    single = x.astype("c8")
    assert np.isclose(blas.cblas_cdotc(count, single, 1, single, 1), np.vdot(single, single), rtol=1e-4)
