"""Bound functions are pickled by library and name, so they travel to other processes like any function of a module."""

import multiprocessing
import pickle

import jitffi

if __name__ == "__main__":
    hypot = jitffi.load_library("libm.so.6").bind("hypot", "(x: f64, y: f64 = 4.0) -> f64")
    print(len(pickle.dumps(hypot)), "bytes pickled")

    with multiprocessing.get_context("spawn").Pool(1) as pool:
        print("there:", pool.map(hypot, [3.0, 0.0, 7.5]))

    try:
        pickle.dumps(jitffi.function("(i64) -> i64")(lambda x: x))
    except TypeError as error:
        print(error)
