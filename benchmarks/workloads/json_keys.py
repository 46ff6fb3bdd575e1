"""The keys of JSON, found by their quotation marks and colon, and counted."""

import jitffi


@jitffi.script
def keys(text):
    counts = {}
    at = text.find('"')
    while at >= 0:
        end = text.find('"', at + 1)
        if end < 0:
            break
        if text[end + 1 : end + 2] == ":":
            key = text[at + 1 : end]
            counts[key] = counts.get(key, 0) + 1
        at = text.find('"', end + 1)
    return counts


def workload(text):
    keys(text)
