# cython: language_level=3
"""The contender of Cython: typed functions around the same C functions."""
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeUTF8, PyUnicode_FromString
from libc.stdint cimport int32_t, int64_t

cdef extern from "Python.h":
    const char* PyUnicode_AsUTF8AndSize(object text, Py_ssize_t* size) except NULL

cdef extern from "plain.h" nogil:
    ctypedef struct jf_value:
        pass
    ctypedef struct out_slot:
        jf_value slot
    void out_init(out_slot*)
    const char* out_text(const out_slot*, size_t*)
    void c_noop "noop"()
    int64_t c_add_i64 "add_i64"(int64_t, int64_t)
    double c_add_f64 "add_f64"(double, double)
    double c_sum8 "sum8"(double, double, double, double, double, double, double, double)
    int64_t c_str_len "str_len"(const char*, size_t)
    int64_t c_bytes_len "bytes_len"(const char*, size_t)
    int64_t c_opt "opt"(const int64_t*)
    int64_t c_kw3 "kw3"(int64_t, int64_t, int64_t)
    int32_t c_str_id "str_id"(const char*, size_t, jf_value*)
    const char* c_cstr_id "cstr_id"(const char*)


def noop(): c_noop()


def add_i64(int64_t a, int64_t b): return c_add_i64(a, b)


def add_f64(double a, double b): return c_add_f64(a, b)


def sum8(double a, double b, double c, double d, double e, double f, double g, double h):
    return c_sum8(a, b, c, d, e, f, g, h)


def str_len(str text not None):
    cdef Py_ssize_t size
    cdef const char* data = PyUnicode_AsUTF8AndSize(text, &size)
    return c_str_len(data, size)


def bytes_len(bytes data not None): return c_bytes_len(PyBytes_AS_STRING(data), PyBytes_GET_SIZE(data))


def str_id(str text not None):
    cdef Py_ssize_t size
    cdef size_t length
    cdef out_slot out
    cdef const char* data = PyUnicode_AsUTF8AndSize(text, &size)
    out_init(&out)
    if c_str_id(data, size, &out.slot) != 0:
        raise ValueError("text too long")
    data = out_text(&out, &length)
    return PyUnicode_DecodeUTF8(data, length, NULL)


def cstr_id(str text not None):
    cdef Py_ssize_t size
    return PyUnicode_FromString(c_cstr_id(PyUnicode_AsUTF8AndSize(text, &size)))


def opt(value):
    cdef int64_t number
    if value is None:
        return c_opt(NULL)
    number = value
    return c_opt(&number)


def kw3(int64_t a, int64_t b, int64_t c): return c_kw3(a, b, c)


def loop_callable(f, int64_t n):
    cdef int64_t total = 0, i, one
    for i in range(n):
        one = f(1000 + i)
        total += one
    return total
