"""Phrases of text without spaces inside: how often each comes, and the list of those that are new."""

import jitffi


@jitffi.script
def phrases(text):
    found = []
    seen = {}
    for phrase in text.split(" "):
        phrase = phrase.strip("\u30fc\u3001\u3002")
        if phrase not in seen:
            found.append(phrase)
        seen[phrase] = seen.get(phrase, 0) + 1
    return found


def workload(text):
    phrases(text)
