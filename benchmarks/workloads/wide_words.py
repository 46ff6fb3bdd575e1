"""English words as SentencePiece marks them: the sign for a space in front, which makes each of them UCS4."""

import jitffi


@jitffi.script
def marked(text):
    found = []
    for word in text.split():
        found.append("\u2581" + word)
    return found


def workload(text):
    marked(text)
