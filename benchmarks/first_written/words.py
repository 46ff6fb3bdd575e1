"""Text functions as they are first written: words, their pieces, counts and distances."""

from __future__ import annotations

import math
import re
import string
from collections import Counter, defaultdict

STOP_WORDS = {
    "a", "an", "and", "are", "as", "at", "be", "by", "for", "in", "is", "it", "of", "on", "or", "that", "the", "to",
    "was", "with",
}  # fmt: skip
WORD = re.compile(r"\w+")
ABBREVIATIONS = {"mr", "mrs", "dr", "prof", "st", "vs", "etc", "e.g", "i.e"}


# -- tokens -----------------------------------------------------------------------------------------------------------


def byte_pairs(word, ranks):
    """Byte pair encoding: the pieces of one word, by the ranks of the pairs that were merged in training."""
    parts = list(word)
    while len(parts) > 1:
        best = min(zip(parts, parts[1:]), key=lambda pair: ranks.get(pair, math.inf))
        if best not in ranks:
            break
        merged = []
        i = 0
        while i < len(parts):
            if i < len(parts) - 1 and (parts[i], parts[i + 1]) == best:
                merged.append(parts[i] + parts[i + 1])
                i += 2
            else:
                merged.append(parts[i])
                i += 1
        parts = merged
    return parts


def train_byte_pairs(text, merges):
    """The pairs that byte pair encoding merges, the most frequent first."""
    vocabulary = Counter(tuple(word) for word in text.split())
    ranks = {}
    for rank in range(merges):
        pairs = Counter()
        for word, count in vocabulary.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += count
        if not pairs:
            break
        best = max(pairs, key=pairs.get)
        ranks[best] = rank
        renewed = Counter()
        for word, count in vocabulary.items():
            pieces = []
            i = 0
            while i < len(word):
                if word[i : i + 2] == best:
                    pieces.append(word[i] + word[i + 1])
                    i += 2
                else:
                    pieces.append(word[i])
                    i += 1
            renewed[tuple(pieces)] += count
        vocabulary = renewed
    return ranks


def word_pieces(text, vocabulary, unknown="[UNK]"):
    """WordPiece: the longest pieces of each word that are in the vocabulary, later ones marked by ##."""
    output = []
    for word in text.lower().split():
        start, pieces = 0, []
        while start < len(word):
            end = len(word)
            while start < end:
                piece = word[start:end]
                if start > 0:
                    piece = "##" + piece
                if piece in vocabulary:
                    break
                end -= 1
            else:
                pieces = [unknown]
                break
            pieces.append(piece)
            start = end
        output.extend(pieces)
    return output


def tokens(source):
    """The tokens of a small language, as (kind, text, line)."""
    keywords = {"if", "else", "while", "return", "def"}
    found = []
    line = 1
    i = 0
    while i < len(source):
        ch = source[i]
        if ch == "\n":
            line += 1
            i += 1
        elif ch.isspace():
            i += 1
        elif ch == "#":
            while i < len(source) and source[i] != "\n":
                i += 1
        elif ch.isdigit():
            start = i
            while i < len(source) and (source[i].isdigit() or source[i] == "."):
                i += 1
            found.append(("number", source[start:i], line))
        elif ch.isalpha() or ch == "_":
            start = i
            while i < len(source) and (source[i].isalnum() or source[i] == "_"):
                i += 1
            name = source[start:i]
            found.append(("keyword" if name in keywords else "name", name, line))
        elif ch in "'\"":
            end = source.find(ch, i + 1)
            if end < 0:
                raise SyntaxError(f"line {line}: string without an end")
            found.append(("string", source[i + 1 : end], line))
            i = end + 1
        else:
            two = source[i : i + 2]
            op = two if two in ("==", "!=", "<=", ">=", "->") else ch
            found.append(("op", op, line))
            i += len(op)
    return found


def sentences(text):
    """The sentences of a text; a full stop behind an abbreviation or within a number ends none."""
    found = []
    start = 0
    for i, ch in enumerate(text):
        if ch not in ".!?":
            continue
        word = text[start:i].rsplit(None, 1)[-1:] or [""]
        if ch == "." and (word[0].lower() in ABBREVIATIONS or text[i + 1 : i + 2].isdigit()):
            continue
        if i + 1 < len(text) and not text[i + 1].isspace():
            continue
        sentence = text[start : i + 1].strip()
        if sentence:
            found.append(sentence)
        start = i + 1
    rest = text[start:].strip()
    return found + [rest] if rest else found


# -- counting ---------------------------------------------------------------------------------------------------------


def top_words(text, count=10):
    """The most frequent words that are no stop words."""
    words = (word.strip(string.punctuation).lower() for word in text.split())
    return Counter(word for word in words if word and word not in STOP_WORDS).most_common(count)


def n_gram_counts(text, n=2):
    """How often each sequence of n words occurs."""
    words = WORD.findall(text.lower())
    counts = defaultdict(int)
    for i in range(len(words) - n + 1):
        counts[tuple(words[i : i + n])] += 1
    return dict(counts)


def inverted_index(documents):
    """For each word the numbers of the documents that have it, sorted."""
    index = defaultdict(set)
    for number, text in enumerate(documents):
        for word in text.lower().split():
            index[word.strip(".,;:!?")].add(number)
    return {word: sorted(numbers) for word, numbers in sorted(index.items())}


def weights(documents):
    """tf-idf: of each document the weight of each of its words."""
    counted = [Counter(document.lower().split()) for document in documents]
    seen = Counter()
    for words in counted:
        seen.update(words.keys())
    total = len(documents)
    return [
        {word: count / sum(words.values()) * math.log(total / seen[word]) for word, count in words.items()}
        for words in counted
    ]


def anagrams(words):
    """Groups of words with the same letters, each group sorted, of two words at least."""
    groups = defaultdict(list)
    for word in words:
        groups["".join(sorted(word.lower()))].append(word)
    return sorted(sorted(group) for group in groups.values() if len(group) > 1)


# -- distances, shapes ------------------------------------------------------------------------------------------------


def corrected(word, counts):
    """The known word that is nearest to a misspelt one, the more frequent of several."""

    def edits(word):
        splits = [(word[:i], word[i:]) for i in range(len(word) + 1)]
        letters = string.ascii_lowercase
        deletes = [left + right[1:] for left, right in splits if right]
        swaps = [left + right[1] + right[0] + right[2:] for left, right in splits if len(right) > 1]
        replaces = [left + ch + right[1:] for left, right in splits if right for ch in letters]
        inserts = [left + ch + right for left, right in splits for ch in letters]
        return set(deletes + swaps + replaces + inserts)

    if word in counts:
        return word
    near = {each for each in edits(word) if each in counts}
    return max(sorted(near), key=counts.get, default=word)


def differences(old, new):
    """The lines of two texts as a list of "  same", "- gone", "+ new"."""
    a, b = old.splitlines(), new.splitlines()
    table = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i in reversed(range(len(a))):
        for j in reversed(range(len(b))):
            table[i][j] = table[i + 1][j + 1] + 1 if a[i] == b[j] else max(table[i + 1][j], table[i][j + 1])
    out, i, j = [], 0, 0
    while i < len(a) or j < len(b):
        if i < len(a) and j < len(b) and a[i] == b[j]:
            out.append("  " + a[i])
            i, j = i + 1, j + 1
        elif j == len(b) or (i < len(a) and table[i + 1][j] >= table[i][j + 1]):
            out.append("- " + a[i])
            i += 1
        else:
            out.append("+ " + b[j])
            j += 1
    return out


def wrapped(text, width=72):
    """The paragraphs of a text in lines of a width; longer words stand alone."""
    lines = []
    for paragraph in text.split("\n\n"):
        line, size = [], 0
        for word in paragraph.split():
            if line and size + len(word) + len(line) > width:
                lines.append(" ".join(line))
                line, size = [], 0
            line.append(word)
            size += len(word)
        if line:
            lines.append(" ".join(line))
        lines.append("")
    return "\n".join(lines).rstrip("\n")
