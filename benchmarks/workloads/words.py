"""English prose into its words, each kept in a list."""

import jitffi


@jitffi.script
def words(text):
    found = []
    for word in text.split():
        word = word.strip(".,;:!?()\"'`*")
        if word:
            found.append(word)
    return found


def workload(text):
    words(text)
