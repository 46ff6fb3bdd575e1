"""Identifiers of source code, counted, and renamed to lower case with their number."""

import jitffi


@jitffi.script
def names(text):
    counts = {}
    for name in text.split():
        plain = name.strip("_").lower()
        counts[plain] = counts.get(plain, 0) + 1
    return counts


def workload(text):
    names(text)
