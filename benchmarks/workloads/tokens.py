"""Words of an alphabet beyond ASCII, in lower case and cut to a stem of at most six letters, kept in a list."""

import jitffi


@jitffi.script
def tokens(text):
    found = []
    for word in text.split():
        word = word.lower()
        found.append(word[:6] if len(word) > 8 else word)
    return found


def workload(text):
    tokens(text)
