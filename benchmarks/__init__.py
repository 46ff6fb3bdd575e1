"""What a call costs, beside those who do the same: `python -m benchmarks`, from the root of the repository.

    calls       Python to native              against a hand-written extension, nanobind, Cython, pybind11, cffi,
                                              tvm_ffi, ctypes
    callbacks   native to Python              against a hand-written extension, and the same peers
    structs     fields, calls, variadic       against a hand-written extension, nanobind, cffi, ctypes
    objects     fields, methods, lists        against a hand-written extension, nanobind, pybind11, tvm_ffi
    cxx         C++ to C++, by objects        against tvm_ffi
    dynamic     packed, without a signature   against tvm_ffi
    tvm         functions of tvm-ffi            against tvm_ffi itself
    native      native to native              against a call through a pointer
    compiling   a wrapper from nothing        in milliseconds
    startup     process to first call         over `python -c pass`
    cold        the same without a cache      against ctypes, cffi
    containers  from Python's and back        against tvm_ffi, matxscript, nanobind, and a loop of C
    strings     native calls with text        against a call through a pointer; and UTF-8 against Python's codec
    memory      bytes an item of a list       and what other designs of it cost
    values      containers from C, by pad     against an array of tagged structs
    files       what was compiled before      made in milliseconds; called, against the same bound at run time
    scripts     text preprocessing            against Python, matxscript, numba, and C++ through nanobind
    tuning      padding, chosen by the tuner  against the best of all pads, measured long

A contender's result is checked before it is timed; contenders take turns in many short rounds, in several processes; a
ratio is the median over the rounds of two times of the same round, its spread the 10th to the 90th percentile. A peer
that is not installed is named and left out: `pip install 'jitffi[bench]'` has them all but matxscript, which asks for
NumPy below 2 without need: `pip install --no-deps matxscript`, as `make bench` does.
"""
