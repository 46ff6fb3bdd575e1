"""Vowels counted: no text is kept, so no pad matters."""

import jitffi


@jitffi.script
def vowels(text):
    count = 0
    for ch in text:
        if ch == "a" or ch == "e" or ch == "i" or ch == "o" or ch == "u":
            count += 1
    return count


def workload(text):
    vowels(text)
