"""What people write to prepare text: a dozen functions, without annotations, as scripts take them."""

from __future__ import annotations

# ruff: noqa: B007, B905, F841, PLR2004

PUNCTUATION = ".,;:!?\"'()[]{}<>«»„“”‘’…،؛؟。、，；：！？（）「」『』"
ENDS = (".", "!", "?", "…", "。", "！", "？", "؟", "।")


def normalise(text):
    out = []
    blank = True
    for ch in text.replace("\r\n", "\n").casefold():
        if ch.isspace():
            if not blank:
                out.append(" ")
            blank = True
        elif ch.isprintable():
            out.append(ch)
            blank = False
    return "".join(out).strip()


def tokens(text):
    out = []
    word = ""
    for ch in text:
        if ch.isalnum() or ch == "_":
            word += ch
            continue
        if word:
            out.append(word)
            word = ""
        if not ch.isspace():
            out.append(ch)
    if word:
        out.append(word)
    return out


def word_counts(text):
    counts = {}
    for word in text.lower().split():
        word = word.strip(PUNCTUATION)
        if word:
            counts[word] = counts.get(word, 0) + 1
    ordered = sorted(counts.items(), key=lambda item: (-item[1], item[0]))
    return ordered[:50]


def ngrams(text, n=3):
    counts = {}
    for i in range(len(text) - n + 1):
        part = text[i : i + n]
        if " " in part or "\n" in part:
            continue
        if part in counts:
            counts[part] += 1
        else:
            counts[part] = 1
    return counts


def fields(line, sep=",", quote='"'):
    out = []
    field = ""
    inside = False
    i = 0
    while i < len(line):
        ch = line[i]
        if inside:
            if ch != quote:
                field += ch
            elif i + 1 < len(line) and line[i + 1] == quote:
                field += quote
                i += 1
            else:
                inside = False
        elif ch == quote:
            inside = True
        elif ch == sep:
            out.append(field)
            field = ""
        else:
            field += ch
        i += 1
    if inside:
        raise ValueError(f"no end of the quoted field {len(out)}: {field[:20]!r}")
    out.append(field)
    return out


def table(text):
    rows = []
    widths = []
    for number, line in enumerate(text.splitlines(), 1):
        if line.count('"') % 2:
            continue
        row = fields(line)
        rows.append((number, row))
        for i, field in enumerate(row):
            if i < len(widths):
                widths[i] = max(widths[i], len(field))
            else:
                widths.append(len(field))
    return [widths, rows]


def snake(name):
    out = ""
    before = ""
    for ch in name:
        if ch.isupper() and before and (before.islower() or before.isdigit()):
            out += "_"
        out += ch.lower()
        before = ch
    return out


def camel(name):
    first, *others = name.split("_")
    return first.lower() + "".join([each.capitalize() for each in others])


def names(text):
    out = []
    for word in text.split():
        there = snake(word)
        back = camel(there)
        out.append((there, back, back == word))
    return out


def slug(text, most=60):
    parts = []
    for ch in text.lower():
        if ch.isalnum():
            parts.append(ch)
        elif parts and parts[-1] != "-":
            parts.append("-")
    return "".join(parts)[:most].strip("-")


def slugs(text):
    return [slug(line) for line in text.splitlines() if line.strip()]


def sentences(text):
    out = []
    start = 0
    for i, ch in enumerate(text):
        if ch in ENDS:
            behind = text[i + 1 : i + 2]
            if not behind or behind.isspace() or ch > "\u0100":
                sentence = " ".join(text[start : i + 1].split())
                if len(sentence) > 1:
                    out.append(sentence)
                start = i + 1
    rest = text[start:].strip()
    if rest:
        out.append(rest)
    return out


def stem(word):
    for ending, stands in (("sses", "ss"), ("ies", "i"), ("ing", ""), ("ed", ""), ("ly", ""), ("s", "")):
        if word.endswith(ending) and len(word) - len(ending) > 2:
            return word.removesuffix(ending) + stands
    for ending in ("ами", "ого", "ый", "ая", "ы", "а", "ات", "ون", "ة"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word[: -len(ending)]
    return word


def stems(text):
    found = {}
    for word in text.casefold().split():
        found.setdefault(stem(word.strip(PUNCTUATION)), []).append(word)
    return found


def log_line(line):
    head, sep, message = line.partition(": ")
    if not sep:
        return None
    where, _, number = head.rpartition(" ")
    level = "error" if "rror" in message else "info"
    pairs = {}
    for part in message.split():
        key, equals, value = part.partition("=")
        if equals and key:
            pairs[key] = int(value) if value.isdecimal() and len(value) < 18 else value
    return {"where": where, "number": number, "level": level, "pairs": pairs, "size": len(message)}


def log(text):
    return [log_line(line.rstrip()) for line in text.splitlines()]


def runs(text):
    out = []
    i = 0
    while i < len(text):
        j = i
        while j < len(text) and text[j] == text[i]:
            j += 1
        out.append((text[i], j - i))
        i = j
    return out


def packed(text):
    return "".join([f"{count}{ch}" if count > 1 else ch for ch, count in runs(text)])


def is_palindrome(word):
    i = 0
    j = len(word) - 1
    while i < j:
        if word[i] != word[j]:
            return False
        i += 1
        j -= 1
    return j >= 1


def palindromes(text):
    return [word for word in text.lower().split() if is_palindrome(word) and word == word[::-1]]


def distance(a, b):
    before = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row = [i]
        for j, y in enumerate(b, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y)))
        before = row
    return before[-1]


def neighbours(text):
    words = text.split()[:60]
    return [(a, b, distance(a, b)) for a, b in zip(words, words[1:])]


def rotated(text, by=3):
    out = ""
    for ch in text:
        if "a" <= ch <= "z":
            ch = chr((ord(ch) - 97 + by) % 26 + 97)
        elif "A" <= ch <= "Z":
            ch = chr((ord(ch) - 65 + by) % 26 + 65)
        elif "а" <= ch <= "я":
            ch = chr((ord(ch) - 0x430 + by) % 32 + 0x430)
        out += ch
    return out


ESCAPES = ("\\\\", '\\"', "\\n", "\\r", "\\t", "\\b", "\\f")


def escaped(text):
    out = '"'
    for ch in text:
        at = '\\"\n\r\t\b\f'.find(ch)
        code = ord(ch)
        if at >= 0:
            out += ESCAPES[at]
        elif 32 <= code < 127:
            out += ch
        elif code < 0x10000:
            out += f"\\u{code:04x}"
        else:
            code -= 0x10000
            out += f"\\u{0xD800 + (code >> 10):04x}\\u{0xDC00 + (code & 1023):04x}"
    return out + '"'


def statistics(text):
    upper = lower = digits = spaces = wide = 0
    longest = ""
    for ch in text:
        upper += ch.isupper()
        lower += ch.islower()
        digits += ch.isdigit()
        spaces += ch.isspace()
        wide += ord(ch) > 0xFFFF
    lines = text.splitlines(keepends=True)
    for line in lines:
        if len(line) > len(longest):
            longest = line
    share = spaces / len(text) if text else 0.0
    return [upper, lower, digits, spaces, wide, len(lines), longest, f"{share:.3f}", round(share, 4)]


def through_bytes(text):
    data = text.encode()
    counts = {}
    for byte in data:
        counts[byte] = counts.get(byte, 0) + 1
    back = data.decode("utf-8")
    return [
        len(data),
        back == text,
        sorted(counts.items()),
        data[:40].hex(),
        data.split(b" ")[:20],
        data.decode("ascii", "ignore"),
    ]


def cases(text):
    out = []
    for word in text.split():
        out += [word.upper(), word.title(), word.swapcase(), word.capitalize(), word.center(12, "·"), word[::-1]]
    return out


FUNCTIONS = (
    normalise, tokens, word_counts, ngrams, table, names, slugs, sentences, stems, log, packed, palindromes, neighbours,
    rotated, escaped, statistics, through_bytes, cases,
)  # fmt: skip
