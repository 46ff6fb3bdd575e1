"""A tokenizer for a page: each word is cut into the longest pieces that the vocabulary has.

The page gives the vocabulary once, as a native map, and the text with each key that is pressed.
"""

import jitffi


@jitffi.script
def tokenize(text: str, vocabulary: dict[str, int]) -> list[tuple[str, int]]:
    """The pieces and their numbers; 0 for a character that no piece begins with."""
    found = []
    for word in text.lower().split():
        start = 0
        while start < len(word):
            end = len(word)
            while end > start + 1 and word[start:end] not in vocabulary:
                end -= 1
            found.append((word[start:end], vocabulary.get(word[start:end], 0)))
            start = end
    return found


@jitffi.script
def pieces(text: str) -> dict[str, int]:
    """A vocabulary: whole words, and the beginnings and ends of others, numbered from 1."""
    found: dict[str, int] = {}
    for word in text.lower().split():
        for size in range(1, 4):
            for part in (word[:size], word[-size:]):
                if part not in found:
                    found[part] = len(found) + 1
        if word not in found:
            found[word] = len(found) + 1
    return found
