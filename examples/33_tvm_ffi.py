"""A file of tvm-ffi's convention, loaded by tvm-ffi and by jitffi without it; functions of both in one process."""

import tempfile
from pathlib import Path

import jitffi


@jitffi.script(signature="(words: list[str], shortest: i64) -> i64")
def count(words, shortest):
    found = 0
    for word in words:
        if len(word) >= shortest:
            found += 1
    return found


with tempfile.TemporaryDirectory() as folder:
    library = jitffi.emit([count], Path(folder, "words.so"), entry="tvm_ffi")

    # Whoever knows tvm-ffi's ABI calls it: here jitffi's own loader.
    module = jitffi.load_module(library)
    print("exports:", list(module), module.signatures["count"])
    print("counted:", module.count(["to", "be", "or", "not", "perhaps"], 3))
    try:
        module.count("to be or not", 3)
    except TypeError as error:
        print("refused:", error)

    try:
        import tvm_ffi
    except ImportError:
        print("tvm-ffi is not installed, and was not needed")
    else:
        theirs = tvm_ffi.load_module(str(library))
        print("theirs: ", theirs.count(["to", "be", "or", "not", "perhaps"], 3))

        # Functions go both ways in one process, with lists, arrays, callbacks and errors.
        joined = jitffi.to_tvm_ffi(lambda words, make: " ".join(map(make, words)), "example.joined")
        print("there:  ", joined(["a", "b"], lambda word: word * 2))
        echo = jitffi.from_tvm_ffi(tvm_ffi.get_global_func("testing.echo"), "echo", "(x: list[str]) -> list[str]")
        print("back:   ", echo(["as", "it", "was"]))
