"""script_functions.py once more, with the types that matxscript needs and numba is told."""

# ruff: noqa: UP006, UP035 - the spelling that matxscript reads
from typing import Dict, List


def unicode_split(word: str) -> List:
    out = []
    for ch in word:
        out.append(ch)
    return out


def split(text: str) -> List:
    return text.split()


def lower_strip(text: str) -> str:
    return text.lower().strip()


def word_count(text: str) -> Dict:
    counts = {}
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def join(words: List) -> str:
    return " ".join(words)


def vowels(text: str) -> int:
    n = 0
    for ch in text:
        if ch == "a" or ch == "e" or ch == "i" or ch == "o" or ch == "u":
            n += 1
    return n


def tokenize(text: str, vocabulary: Dict) -> List:
    ids = []
    for word in text.split():
        start = 0
        size = len(word)
        while start < size:
            end = size
            found = -1
            while start < end:
                piece = word[start:end]
                if piece in vocabulary:
                    found = vocabulary[piece]
                    break
                end -= 1
            if found < 0:
                end = start + 1
            ids.append(found)
            start = end
    return ids


def ngrams(text: str, n: int) -> Dict:
    counts = {}
    for i in range(len(text) - n + 1):
        gram = text[i : i + n]
        if gram in counts:
            counts[gram] += 1
        else:
            counts[gram] = 1
    return counts


def edit_distance(a: str, b: str) -> int:
    previous = []
    for i in range(len(b) + 1):
        previous.append(i)
    for i in range(len(a)):
        current = []
        current.append(i + 1)
        for j in range(len(b)):
            cost = int(previous[j])
            if a[i] != b[j]:
                cost = 1 + min(cost, int(previous[j + 1]), int(current[j]))
            current.append(cost)
        previous = current
    return int(previous[len(b)])
