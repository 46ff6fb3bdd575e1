"""What goes wrong in scripts: what they do not have is an error where they are written, the rest is as in Python."""

import sys
import traceback

import jitffi


@jitffi.script
def mean(numbers):
    return sum(numbers) / len(numbers)


@jitffi.script
def means(table):
    return {name: mean(numbers) for name, numbers in table.items()}


def unique(words):
    seen = frozenset(words)
    return seen


# At decoration, if it is to be native: file, line, the line itself, and what to write instead.
try:
    jitffi.script(unique, strict=True)
except jitffi.ScriptError as error:
    print("".join(traceback.format_exception_only(error)))

# When it runs: the exceptions and messages of Python, with the script's own lines.
print(means({"a": [1, 2], "b": [3.5]}))
try:
    means({"a": [1, 2], "b": []})
except ZeroDivisionError:
    traceback.print_exc(file=sys.stdout)

# Ints have 64 bits: a call that needs more is made again by the interpreter.
print("\nmean:", mean([2**62, 2**62]))


# In a strict script an annotation is a promise that is checked.
@jitffi.script(strict=True)
def shout(text: str, marks: int) -> str:
    return text.upper() + "!" * marks


for args in (("hear", 3), ("hear", 3.0), (7, 3), ("hear",)):
    try:
        print(shout(*args))
    except TypeError as error:
        print("TypeError:", error)
