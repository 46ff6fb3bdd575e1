"""C programs on values without types: any text, lists of anything, ints in boxes, lists that are given away."""

import ctypes
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

FOLDER = Path(__file__).resolve().parent / "values"


def flags(what: str) -> list[str]:
    return shlex.split(subprocess.check_output([sys.executable, "-m", "jitffi", "config", what], text=True))


def load(name: str) -> Path:
    """Compile values/NAME.c, as a program's build would."""
    library = Path(tempfile.mkdtemp(), f"{name}.so")
    command = ["cc", "-O2", "-shared", "-fPIC", "-o", str(library), *flags("--includes"), str(FOLDER / f"{name}.c")]
    subprocess.run([*command, *flags("--libs")], check=True)
    return library


path = load("split")
lib, addresses = jitffi.load_library(path), ctypes.CDLL(str(path))


def packed(name: str) -> jitffi.Function:
    address = ctypes.cast(getattr(addresses, name), ctypes.c_void_p).value
    return jitffi.Function.from_packed(address, name=name, keep_alive=lib)


# A list of what the argument holds, text of any kind or a container; and text alone, with its type known.
unicode_split_any, unicode_split = packed("unicode_split_any"), lib.bind("unicode_split", "(word: ucs4) -> list[ucs4]")
for word in ("word", "größer", "日本語", "🙂", ""):
    assert unicode_split_any(word) == unicode_split(word) == list(word)
print("split:", unicode_split_any("日本語"), unicode_split_any(jitffi.List([1, "two", 3.0])))

# An int out of a map, boxed on its way, is an int where it arrives.
jitffi.register_global_func("example.my_int_func", packed("my_int_func"))
caller = packed("caller")
print("boxed:", caller(jitffi.Map({"x": 41})), jitffi.get_global_func("example.my_int_func")(41))
for wrong in ({"x": "41"}, {"y": 41}):
    try:
        caller(jitffi.Map(wrong))
    except (TypeError, KeyError) as error:
        print(f"       {type(error).__name__}: {error}")

# One routine on slots, one on objects: whoever calls cannot tell.
larger_slot, larger_object = packed("larger_slot"), lib.bind("larger_object", "(a: object, b: object) -> object")
for pair in ((3, 4), (4, 3.5), ("long enough to be on the heap", "short"), (2**64 - 1, 7)):
    assert larger_slot(*pair) == larger_object(*pair) == max(pair)
print("larger:", larger_slot(3, 4), larger_object(3, 4))

# A list that is passed is copied, a list that is given away is not.
numbers = jitffi.List([1, 2])
appended = packed("appended")
print("appended:", appended(numbers, 3), numbers)
lists_needed = lib.bind("lists_needed", "(func, i64) -> i64")
print("lists for 1000 appends:", lists_needed(appended, 1000))
jitffi.remove_global_func("example.my_int_func")
