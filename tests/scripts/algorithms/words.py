"""Small functions on words."""

import re


def is_anagram(a, b):
    a, b = (text.lower().replace(" ", "") for text in (a, b))
    if len(a) != len(b):
        return False
    counts = {}
    for x, y in zip(a, b):
        counts[x] = counts.get(x, 0) + 1
        counts[y] = counts.get(y, 0) - 1
    return all(count == 0 for count in counts.values())


def is_palindrome(text):
    letters = [ch.lower() for ch in text if ch.isalnum()]
    return letters == letters[::-1]


def is_pangram(sentence):
    return set("abcdefghijklmnopqrstuvwxyz") <= set(sentence.lower())


def reverse_words(sentence):
    return " ".join(sentence.split()[::-1])


def reverse_long_words(sentence):
    return " ".join("".join(word[::-1]) if len(word) > 4 else word for word in sentence.split())


def to_snake(name):
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def to_camel(name, use_pascal=False):
    if not isinstance(use_pascal, bool):
        raise ValueError(f"Expected boolean as use_pascal parameter, found {type(use_pascal)}")
    first, *rest = name.split("_")
    return "".join([first.capitalize() if use_pascal else first, *(word.capitalize() for word in rest)])


def pig_latin(word):
    if not (word or "").strip():
        return ""
    word = word.lower()
    if word[0] in "aeiou":
        return f"{word}way"
    for i, ch in enumerate(word):
        if ch in "aeiou":
            break
    return f"{word[i:]}{word[:i]}ay"


def count_vowels(s):
    if not isinstance(s, str):
        raise ValueError("Input must be a string")
    return sum(1 for char in s if char in "aeiouAEIOU")


def word_pattern(word):
    next_number = 0
    letters = {}
    result = []
    for letter in word.upper():
        if letter not in letters:
            letters[letter] = str(next_number)
            next_number += 1
        result.append(letters[letter])
    return ".".join(result)


def longest_prefix(words):
    prefix = ""
    for letters in zip(*words):
        if len(set(letters)) != 1:
            break
        prefix += letters[0]
    return prefix


def hamming(a, b):
    if len(a) != len(b):
        raise ValueError("String lengths must match!")
    return sum(map(lambda pair: pair[0] != pair[1], zip(a, b)))


def jaro(a, b):
    def matching(one, two):
        matched = []
        limit = min(len(one), len(two)) // 2
        for i, ch in enumerate(one):
            left = int(max(0, i - limit))
            right = int(min(i + limit + 1, len(two)))
            if ch in two[left:right]:
                matched.append(ch)
                two = f"{two[0 : two.index(ch)]} {two[two.index(ch) + 1 :]}"
        return "".join(matched)

    first, second = matching(a, b), matching(b, a)
    if not first:
        return 0.0
    swaps = len([(x, y) for x, y in zip(first, second) if x != y]) // 2
    n = len(first)
    return (n / len(a) + n / len(b) + (n - swaps) / n) / 3


def soundex(name):
    codes = {
        **dict.fromkeys("BFPV", "1"),
        **dict.fromkeys("CGJKQSXZ", "2"),
        **dict.fromkeys("DT", "3"),
        "L": "4",
        **dict.fromkeys("MN", "5"),
        "R": "6",
    }
    name = name.upper()
    out, before = name[0], codes.get(name[0])
    for ch in name[1:]:
        code = codes.get(ch)
        if code and code != before:
            out += code
        if ch not in "HW":
            before = code
    return (out + "000")[:4]


def split_by(text, separator=" "):
    words, last = [], 0
    for index, ch in enumerate(text):
        if ch == separator:
            words.append(text[last:index])
            last = index + 1
        if index + 1 == len(text):
            words.append(text[last : index + 1])
    return words


def justified(words, width):
    lines, line, size = [], [], 0
    for word in words:
        if size + len(word) + len(line) > width and line:
            gaps = max(len(line) - 1, 1)
            spare = width - size
            lines.append(
                "".join(w + " " * (spare // gaps + (i < spare % gaps) if i < gaps else 0) for i, w in enumerate(line))
            )
            line, size = [], 0
        line.append(word)
        size += len(word)
    return lines + [" ".join(line).ljust(width)]


def _word(rng):
    return "".join(rng.choices("aBcdEi o_", k=rng.randint(1, 9)))


CALLS = {
    is_anagram: lambda rng: ("Listen A", rng.choice(("Silent a", "other", "enlists"))),
    is_palindrome: lambda rng: (_word(rng),),
    is_pangram: lambda rng: (rng.choice(("The quick brown fox jumps over the lazy dog", "no")),),
    reverse_words: lambda rng: (_word(rng),),
    reverse_long_words: lambda rng: ("Hey wollef sroirraw " + _word(rng),),
    to_snake: lambda rng: (_word(rng),),
    to_camel: lambda rng: (_word(rng), rng.choice((True, False, 1))),
    pig_latin: lambda rng: (rng.choice((_word(rng), "", None, "shh")),),
    count_vowels: lambda rng: (rng.choice((_word(rng), 5)),),
    word_pattern: lambda rng: (_word(rng),),
    longest_prefix: lambda rng: (["abc" + _word(rng), "ab" + _word(rng)],),
    hamming: lambda rng: (_word(rng)[:3], _word(rng)[:3]),
    jaro: lambda rng: (_word(rng), _word(rng)),
    soundex: lambda rng: (rng.choice(("Robert", "Ashcraft", "Tymczak", "")),),
    split_by: lambda rng: (_word(rng), rng.choice("c ")),
    justified: lambda rng: ("This is an example of text justification".split(), rng.randint(12, 20)),
}
