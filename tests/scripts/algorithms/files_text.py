"""Line-oriented formats, without files."""

import json
import string
from collections import defaultdict


def csv_totals(text):
    header, *rows = [line.split(",") for line in text.strip().split("\n")]
    totals = defaultdict(float)
    for row in rows:
        record = dict(zip(header, row))
        try:
            totals[record["name"]] += float(record["amount"])
        except (KeyError, ValueError) as problem:
            totals[f"!{type(problem).__name__}"] += 1
    return dict(totals)


def table(rows):
    widths = [max(len(str(cell)) for cell in column) for column in zip(*rows)]
    lines = [" | ".join(str(cell).ljust(width) for cell, width in zip(row, widths)) for row in rows]
    lines.insert(1, "-+-".join("-" * width for width in widths))
    return "\n".join(lines)


def word_frequencies(text):
    counts = {}
    for word in text.lower().translate(str.maketrans("", "", string.punctuation)).split():
        counts[word] = counts.get(word, 0) + 1
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def diff_words(old, new):
    before, after = set(old.split()), set(new.split())
    return {"gone": sorted(before - after), "new": sorted(after - before), "same": len(before & after)}


def nested_lines(text):
    """An indented outline as nested lists."""
    root = []
    stack = [(-1, root)]
    for line in text.splitlines():
        if not line.strip():
            continue
        indent = len(line) - len(line.lstrip())
        while stack[-1][0] >= indent:
            stack.pop()
        node = [line.strip(), []]
        stack[-1][1].append(node)
        stack.append((indent, node[1]))
    return root


def hex_dump(data, width=8):
    lines = []
    for offset in range(0, len(data), width):
        chunk = data[offset : offset + width]
        shown = "".join(chr(b) if 32 <= b < 127 else "." for b in chunk)
        lines.append(f"{offset:04x}  {' '.join('%02x' % b for b in chunk):<{width * 3}} {shown}")
    return lines


def base64(data):
    alphabet = string.ascii_uppercase + string.ascii_lowercase + string.digits + "+/"
    bits = "".join(bin(byte)[2:].zfill(8) for byte in data)
    padding = (3 - len(data) % 3) % 3
    bits += "0" * (2 * padding)
    return "".join(alphabet[int(bits[i : i + 6], 2)] for i in range(0, len(bits), 6)) + "=" * padding


def utf8_lengths(text):
    return [(ch, len(ch.encode()), ord(ch)) for ch in text if not ch.isspace()]


def normalised_json(text):
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        return f"line {error.lineno}: {error.msg}"
    return json.dumps(value, sort_keys=True)


def versions_sorted(versions):
    return sorted(versions, key=lambda version: tuple(int(part) for part in version.split(".")))


def template(text, **values):
    return text.format(**values) if "{" in text else text % values


def parse_size(text):
    units = {"": 1, "K": 2**10, "M": 2**20, "G": 2**30}
    number = text.rstrip("KMGB ")
    unit = text[len(number) :].strip().rstrip("B")
    if unit not in units:
        raise ValueError(f"unknown unit {unit!r} in {text!r}")
    return int(float(number) * units[unit])


def human(size):
    for unit in ("B", "KB", "MB"):
        if size < 1024:
            return f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:,.1f} GB"


CALLS = {
    csv_totals: lambda rng: ("name,amount\na,1\nb,x\na," + str(rng.randint(0, 9)) + rng.choice(("", "\nc")),),
    table: lambda rng: ([["name", "n"], ["é", rng.randint(0, 9999)], [None, 1.5]],),
    word_frequencies: lambda rng: (" ".join(rng.choices(("The", "cat,", "the", "dog."), k=8)),),
    diff_words: lambda rng: ("a b c", " ".join(rng.choices("abcd", k=3))),
    nested_lines: lambda rng: ("\n".join(" " * rng.choice((0, 1, 2)) + ch for ch in "abcdef"),),
    hex_dump: lambda rng: (bytes(rng.choices(range(256), k=rng.randint(0, 20))),),
    base64: lambda rng: (bytes(rng.choices(range(256), k=rng.randint(0, 7))),),
    utf8_lengths: lambda rng: ("aé 日🙂\n"[: rng.randint(0, 6)],),
    normalised_json: lambda rng: (rng.choice(('{"b": 1, "a": [1.5, null]}', "[1,", "7")),),
    versions_sorted: lambda rng: (rng.sample(["1.10", "1.9", "2", "1.9.1", "x" if rng.random() < 0.1 else "0"], 5),),
    template: None,
    parse_size: lambda rng: (rng.choice(("10K", "1.5 MB", "7", "3X", "")),),
    human: lambda rng: (rng.choice((0, 1023, 2048, 10**7, 10**13)),),
}
