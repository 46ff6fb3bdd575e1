"""FFTW: plans as owned handles, which are destroyed once, over arrays of real and complex numbers."""

from __future__ import annotations

import gc
from types import SimpleNamespace

import numpy as np
import pytest

ESTIMATE, FORWARD = 1 << 6, -1
PLAN = "owned[ptr[struct fftw_plan_s], fftw_destroy_plan]"
ROOM = "owned[ptr[c128], fftw_free]"
SIGNATURES = {
    "fftw_plan_dft_r2c_1d": f"(n: i32, x: f64[n], y: c128[h], flags: u32) -> {PLAN}",
    "fftw_execute_dft_r2c": "(plan: ptr[struct fftw_plan_s], x: f64[n], y: c128[h]) -> void",
    "fftw_plan_dft_2d": f"(m: i32, n: i32, x: c128[m, n], y: c128[m, n], sign: i32, flags: u32) -> {PLAN}",
    "fftw_execute_dft": "(plan: ptr[struct fftw_plan_s], x: c128[m, n], y: c128[m, n]) -> void",
    "fftw_execute": "(plan: ptr[struct fftw_plan_s]) -> void",
    "fftw_malloc": f"(size: u64) -> {ROOM}",
}


@pytest.fixture(scope="module")
def fftw(system_library) -> SimpleNamespace:
    library = system_library("libfftw3.so.3", "libfftw3-double3")
    return SimpleNamespace(**{name[5:]: library.bind(name, text) for name, text in SIGNATURES.items()})


def test_a_plan_is_made_once_and_executed_over_other_arrays(fftw):
    x, y = np.zeros(100), np.zeros(51, np.complex128)
    plan = fftw.plan_dft_r2c_1d(x, y, ESTIMATE)
    rng = np.random.default_rng(1)
    for _ in range(3):
        x[:] = rng.random(100)
        fftw.execute_dft_r2c(plan, x, y)
        np.testing.assert_allclose(y, np.fft.rfft(x), rtol=1e-12, atol=1e-12)
    plan.close()
    with pytest.raises(ValueError, match="argument 1 'plan'"):
        fftw.execute_dft_r2c(plan, x, y)


def test_two_dimensions_fill_in_two_lengths(fftw):
    rng = np.random.default_rng(2)
    x, y = (rng.random((12, 10)) + 1j * rng.random((12, 10)) for _ in range(2))
    with fftw.plan_dft_2d(x, y, FORWARD, ESTIMATE) as plan:
        fftw.execute_dft(plan, x, y)
    np.testing.assert_allclose(y, np.fft.fft2(x), rtol=1e-12, atol=1e-12)
    with pytest.raises(ValueError, match="n is 9 here and 10 in 'x'"):
        fftw.plan_dft_2d(x, np.zeros((12, 9), complex), FORWARD, ESTIMATE)
    with pytest.raises(TypeError, match=r"argument 1 'x': expected c128\[m, n\], got complex64\[12, 10\]"):
        fftw.plan_dft_2d(x.astype(np.complex64), y, FORWARD, ESTIMATE)


def test_its_own_aligned_memory_is_an_array(fftw):
    x, y = fftw.malloc(64 * 16), fftw.malloc(64 * 16)
    given, made = x.array(8, 8), y.array(8, 8)
    given[:] = np.arange(64).reshape(8, 8)
    plan = fftw.plan_dft_2d(given, made, FORWARD, ESTIMATE)
    fftw.execute(plan)
    np.testing.assert_allclose(made, np.fft.fft2(given), atol=1e-9)
    assert x.address % 16 == 0 and x[63] == 63
    with pytest.raises(BufferError):
        x.close()
    del x, plan
    gc.collect()
    assert given[7, 7] == 63  # the view keeps the memory


def test_a_plan_is_no_memory(fftw):
    x, y = np.zeros(8), np.zeros(5, np.complex128)
    plan = fftw.plan_dft_r2c_1d(x, y, ESTIMATE)
    for wrong in (x, 7, b"plan", None, fftw.malloc(16)):
        with pytest.raises(TypeError, match="execute_dft_r2c: argument 1 'plan'"):
            fftw.execute_dft_r2c(wrong, x, y)
    with pytest.raises(TypeError, match="'y'"):
        fftw.execute_dft_r2c(plan, x, x)
