"""English words in UCS4: a packed C function makes a list of them, in slots of the pad that it is given."""

import functools

import jitffi
from benchmarks import build


@functools.cache
def module():
    return jitffi.load_module(build.shared("wide_words", *build.against_runtime()))


@functools.cache
def wide(text):
    return jitffi.UCS4String(text)


def setup(corpus):
    module()
    for text in corpus:
        wide(text)


def workload(text, pad=1):
    module().split(wide(text), pad)
