"""A program that interrupts itself at random moments, and afterwards tries whether everything works.

    python interrupted.py SEED KIND DIRECTORY

Each kind is a function here. It is started several times with an alarm set, whose handler raises what no caller of ours
expects; then once without, on this thread, on another one, and in a child.
"""

import ctypes
import os
import random
import signal
import sys
import threading
import time
import warnings


class Interrupted(BaseException):
    """What the handler raises: KeyboardInterrupt by any other name."""


fired = False


def _raise(*_):
    global fired
    fired = True
    raise Interrupted


def calls(directory, rng):
    """Import, bind, first call, second call."""
    import jitffi

    lib = jitffi.load_library(None)
    labs = lib.bind("labs", "(i64) -> i64")
    strlen = lib.bind("strlen", "(cstr) -> u64")
    atoi = lib.bind("atoi", "(text: cstr = '7') -> i32")
    types = rng.choices(("i8", "i16", "i32", "i64", "f32", "f64", "str", "bytes", "any"), k=4)
    fresh = jitffi.function(f"({', '.join(types[1:])}) -> {types[0]}")(lambda *args: b"x" if types[0] == "bytes" else 1)
    sample = {"str": "a", "bytes": b"b"}
    if types[0] != "str":
        assert fresh(*[sample.get(each, 1) for each in types[1:]]) in (1, b"x")
    assert labs(-3) == 3 and labs(-4) == 4 and strlen("abc") == 3 and atoi() == 7


def callbacks(directory, rng):
    import jitffi

    compare = jitffi.function("(a: ptr, b: ptr) -> i32")(
        lambda a, b: ctypes.c_int.from_address(a).value - ctypes.c_int.from_address(b).value
    )
    qsort = jitffi.load_library(None).bind("qsort", "(ptr, u64, u64, func[(ptr, ptr) -> i32]) -> void")
    for callback in (compare, lambda a, b: compare(a, b)):
        numbers = (ctypes.c_int * 6)(3, 1, 2, 6, 5, 4)
        qsort(ctypes.addressof(numbers), 6, 4, callback)
        assert list(numbers) == [1, 2, 3, 4, 5, 6], list(numbers)
    add = jitffi.Function(jitffi.function("(i64, i64) -> i64")(lambda a, b: a + b))
    assert jitffi.Function.from_native(add.native_address, "(i64, i64) -> i64", keep_alive=add)(3, 4) == 7
    assert jitffi.Function.from_packed(add.packed_address, self_handle=add.handle, keep_alive=add)(3, 4) == 7
    assert jitffi.List([1, "a"])[1] == "a" and jitffi.convert(lambda x: x)(1) == 1


def _vowels(text):
    return sum([1 for each in text if each in "aeiou"])


def _twice(text):
    return [_vowels(text)] * 2


def scripts(directory, rng):
    import jitffi

    twice = jitffi.script(pad=rng.randrange(16))(_twice)
    assert list(twice("queue")) == [4, 4]
    vowels = jitffi.script(signature="(str) -> i64")(_vowels)
    assert vowels("queue") == 4 and "define" in vowels.inspect_llvm()


def files(directory, rng):
    import jitffi

    path = os.path.join(directory, f"{os.getpid()}.o")
    module = jitffi.load_module(jitffi.emit("labs: (x: i64) -> i64", path))
    assert module.labs(-3) == 3
    labs = jitffi.Function(jitffi.load_library(None).bind("labs", "(i64) -> i64"))
    assert ".text" in labs.inspect_asm() and "define" in labs.inspect_llvm()


def others(directory, rng):
    import jitffi

    jitffi.use_profile(None)
    sig = jitffi.Signature.parse("(a: i64) -> i64")
    assert str(sig) == "(a: i64) -> i64"

    @jitffi.register_global_func("of.interrupted", override=True)
    def give(a: jitffi.i64) -> jitffi.i64:
        return a

    assert jitffi.get_global_func("of.interrupted")(3) == 3
    assert jitffi.from_json(jitffi.to_json(jitffi.List([1, 2]))) == [1, 2]


def tuning(directory, rng):
    import jitffi

    twice = jitffi.script(_twice)
    jitffi.autotune(lambda: [twice("queue") for _ in range(50)], budget=1, seed=rng.randrange(100))


def main(seed, kind, directory):
    rng = random.Random(f"{seed} {kind}")
    step = globals()[kind]
    signal.signal(signal.SIGALRM, _raise)
    sys.unraisablehook = lambda _: None  # importlib has callbacks of weak references, whose exceptions come to nothing
    global fired
    lost = 0
    longest = rng.choice((0.005, 0.02, 0.1, 0.3, 0.8) if step is not tuning else (0.3, 2.0))
    for _ in range(rng.randint(1, 12 if step is not tuning else 3)):
        fired = False
        try:
            try:
                signal.setitimer(signal.ITIMER_REAL, rng.uniform(1e-5, longest))
                step(directory, rng)
                lost += fired
            finally:  # where the one alarm may come, too
                signal.setitimer(signal.ITIMER_REAL, 0)
        except Interrupted:
            pass
        if rng.random() < 0.3:
            time.sleep(rng.uniform(0, 0.02))
    step = step if step is not tuning else scripts
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(20)  # whoever hangs then ends by it
    step(directory, rng)
    failed = []

    def on_thread():
        try:
            step(directory, rng)
        except BaseException as error:  # shown below
            failed.append(error)

    thread = threading.Thread(target=on_thread)
    thread.start()
    thread.join()
    if failed:
        raise failed[0]
    warnings.simplefilter("ignore", DeprecationWarning)  # from 3.12 on: of the threads that there are
    pid = os.fork()
    if pid == 0:
        signal.alarm(20)
        step(directory, rng)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0, "the child failed"
    print("lost" if lost else "fine")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3])
