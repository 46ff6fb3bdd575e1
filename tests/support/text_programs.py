"""Expressions and programs on text, and the texts that they are run on."""

# ruff: noqa: E501

from __future__ import annotations

#: Of str and bytes: {a} and {b} are literals of the receiver's type.
TEXT_METHODS = [
    *["s.lower()", "s.upper()", "s.swapcase()", "s.title()", "s.capitalize()", "s.strip()", "s.lstrip()", "s.rstrip()"],
    *["s.strip(t)", "s.lstrip(t)", "s.rstrip(t)", "s.strip(None)", "s.lstrip(None)", "s.rstrip(None)", "s.strip({a})"],
    *["s.removeprefix(t)", "s.removesuffix(t)", "s.removeprefix({a})", "s.removesuffix({b})", "s.split()", "s.rsplit()"],
    *["s.split(t)", "s.rsplit(t)", "s.split({a})", "s.split({b}, 1)", "s.rsplit({a}, 1)", "s.split(None)", "s.split(None, 1)"],
    *["s.split(maxsplit=1)", "s.split(sep=t)", "s.rsplit(sep=t, maxsplit=2)", "s.rsplit(None, 1)", "s.split(t, 0)", "s.split(t, -1)"],
    *["s.rsplit(maxsplit=0)", "s.split(sep=None, maxsplit=2)", "s.splitlines()", "s.splitlines(True)", "s.splitlines(keepends=True)"],
    *["s.splitlines(0)", "s.partition(t)", "s.rpartition(t)", "s.partition({a})", "s.join([])", "s.join([t])", "s.join([t, s, t])"],
    *["s.join((t, t))", "s.join({{t: 1, s: 2}})", "s.join(t.split())", "t.join(s.split())", "s.join([t, 1])", "s.join([None])"],
    *["s.replace(t, s)", "s.replace(t, {a})", "s.replace({a}, t)", "s.replace({a}, {b}, 1)", "s.replace(t, t, 0)", "s.replace({e}, {a})"],
    *["s.replace({a}, {e}, -1)", "s.find(t)", "s.rfind(t)", "s.index(t)", "s.rindex(t)", "s.count(t)", "s.find({a})", "s.count({e})"],
    *["s.find(t, 1)", "s.find(t, None, -1)", "s.rfind(t, -3, 100)", "s.index(t, 2)", "s.rindex(t, 0, 2)", "s.count(t, 1, None)"],
    *["s.find({e}, 5)", "s.rfind({e}, 1, 0)", "s.startswith(t)", "s.endswith(t)", "s.startswith({a}, 1)", "s.endswith({b}, 0, 2)"],
    *["s.startswith((t, {a}))", "s.endswith(({b}, t))", "s.startswith(())", "s.startswith((t,), None, 2)", "s.endswith({e}, 99)"],
    *["s.isalpha()", "s.isdigit()", "s.isalnum()", "s.isspace()", "s.isupper()", "s.islower()", "s.istitle()", "s.isascii()"],
    *["s.zfill(5)", "s.zfill(-1)", "s.ljust(6)", "s.rjust(6)", "s.center(7)", "s.ljust(6, {a})", "s.rjust(7, {b})", "s.center(8, {a})"],
    *["s.ljust(1)", "s.center(6, {a})", "s.expandtabs()", "s.expandtabs(4)", "s.expandtabs(tabsize=0)", "s.ljust(9, t)", "s.center(True)"],
    *["s + t", "s * 2", "3 * s", "s * 0", "s in t", "t in s", "s == t", "s < t", "s >= t", "s[0:2] + t", "s or t", "len(s + t)"],
    *["s[0]", "s[-1]", "s[1:]", "s[::-1]", "s[-2:]", "s[:-1:2]", "[s, t]", "[ch for ch in s]", "min(s, t)", "sorted(s + t)", "bool(s)"],
    *["s.strip().lower().split(t)", "s.upper().find(t.upper())", "[w.strip(t) for w in s.split()]", "{{w: s.count(w) for w in s.split()}}"],
    "n = s\nn += t\nn += n\nreturn n", "n = s\nn *= 2\nreturn n + s", "n = s[:1]\nfor c in t:\n    n += t\nreturn n",
    "a, b, c = s.partition(t)\nreturn [c, b, a]", "a, b = s.split(t, 1)\nreturn b + a",
    "out = []\nfor i, c in enumerate(s):\n    if c in t:\n        continue\n    out.append((i, c))\nelse:\n    out.append(t)\nreturn out",
    "d = {{}}\nfor w in s.split():\n    d[w] = d.get(w, 0) + 1\nd[t] = len(d)\nreturn d",
    "d = {{s: 1}}\nd[t] = 2\nd[s + t] = 3\nreturn [d, t in d, s + s in d]", "return [s, t][len(s) > len(t)]",
]  # fmt: skip


STR_METHODS = [
    *["s.casefold()", "s.isdecimal()", "s.isnumeric()", "s.isidentifier()", "s.isprintable()", "s.encode()", "s.encode('utf-8')"],
    *["s.encode('ascii', 'ignore')", "s.encode('latin-1', 'replace')", "s.encode(errors='replace', encoding='ascii')", "s.encode('ascii')"],
    *["s.encode('utf-16')", "s.encode('utf-8').decode()", "s.encode('nope')", "ord(s)", "int(s)", "float(s)", "str(s)", "repr(s)"],
    *["f'{s}{t}'", "f'{s!r}:{t:>8}'", "f'{s:^9}|{t:*<5}'", "f'{len(s):03d}{s[:2]:.1}'", "f'{s:{len(t)}}'", "[ord(c) for c in s]"],
    *["''.join([chr(ord(c) + 1) for c in s])", "''.join(reversed(s))", "''.join([c.upper() for c in s if c.isalpha()])", "list(zip(s, t))"],
    "out = ''\nfor c in s:\n    if c.isdigit():\n        out += '#'\n    elif c == t:\n        out += c.upper()\n    elif c in ' \\t\\n':\n        break\n    else:\n        out += c\nelse:\n    out += '.'\nreturn out",
]  # fmt: skip


BYTES_METHODS = ["s.hex()", "s.decode('latin-1')", "s.decode('utf-8', 'replace')", "s.decode(errors='ignore')", "s.decode('ascii', 'ignore')",
                 "s.decode()", "bytes(s)", "list(s)", "sum(s)", "[c + 1 for c in s]", "bytes([255 - c for c in s])", "repr(s)", "f'{s}{t!r}'",
                 "97 in s", "max(s, default=-1)", "str(s, 'latin-1')"]  # fmt: skip


STRINGS = ["", "a", "ab", " a b ", "a\tb\r\nc", "Hello, World 12", "naïve é", "ΣΑΣ ςσ", "日本 日", "a🙂b🙂", "e\u0301x", "ǅ", "İ", "ß1", "x" * 40, "é" * 40]  # fmt: skip


OTHERS = ["", "a", " ", "ab", "é", "日", "🙂", "o, W", "x" * 20]


BLOBS = [b"", b"a", b" a b ", b"a\tb\r\nc", b"Hello, World 12", b"\x80\xff a", b"x" * 40]


OTHER_BLOBS = [b"", b"a", b" ", b"ab", b"\xff", b"o, W"]


#: An argument that may be of the wrong type.
ODD = [
    *["s.strip(o)", "s.split(o)", "s.rsplit(o, 1)", "s.split('a', o)", "s.partition(o)", "s.removeprefix(o)"],
    *["s.join(o)", "s.replace(o, 'b')", "s.replace('a', o)", "s.replace('a', 'b', o)", "s.find(o)", "s.find('a', o)", "s.find('a', 0, o)"],
    *["s.index(o)", "s.count(o)", "s.count('a', o, o)", "s.startswith(o)", "s.endswith(o)", "s.startswith('a', o)", "s.zfill(o)", "s.ljust(o)"],
    *["s.center(9, o)", "s.expandtabs(o and 3)", "s + o", "o + s", "s * o", "o in s", "s in o", "s[o]", "s[o:]"],
    *["s[:o]", "s == o", "s < o", "[o, s]", "{o: s}", "int(s, o)", "isinstance(o, str) and s + o", "f'{o}{s}'", "f'{s:{o}}'", "ord(o)"],
    "s += o\nreturn s", "for x in o:\n    s += x\nreturn s", "raise ValueError(o)", "raise KeyError(o)", "assert not s, o\nreturn o", "return min(s, o)",
]  # fmt: skip
