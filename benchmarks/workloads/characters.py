"""Long lists of single characters."""

import jitffi


@jitffi.script
def characters(text):
    found = []
    for ch in text:
        found.append(ch)
    return found


def workload(text):
    characters(text)
