"""What the group `scripts` runs: text preprocessing as people write it, without types. Python runs it as it stands,
jitffi compiles it; script_typed.py is the same for compilers that need types."""


def nothing():
    return None


def unicode_split(word):
    out = []
    for ch in word:
        out.append(ch)
    return out


def split(text):
    return text.split()


def lower_strip(text):
    return text.lower().strip()


def word_count(text):
    counts = {}
    for word in text.split():
        if word in counts:
            counts[word] += 1
        else:
            counts[word] = 1
    return counts


def join(words):
    return " ".join(words)


def vowels(text):
    n = 0
    for ch in text:
        if ch == "a" or ch == "e" or ch == "i" or ch == "o" or ch == "u":
            n += 1
    return n


def tokenize(text, vocabulary):
    """Longest match of each word, from the left; -1 for a character that no entry begins with."""
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


def ngrams(text, n):
    counts = {}
    for i in range(len(text) - n + 1):
        gram = text[i : i + n]
        counts[gram] = counts.get(gram, 0) + 1
    return counts


def edit_distance(a, b):
    previous = list(range(len(b) + 1))
    for i in range(len(a)):
        current = [i + 1]
        for j in range(len(b)):
            cost = previous[j]
            if a[i] != b[j]:
                cost = 1 + min(cost, previous[j + 1], current[j])
            current.append(cost)
        previous = current
    return previous[len(b)]
