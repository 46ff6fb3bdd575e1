"""Functions of text. The name of a parameter says what it is called with: see VALUES in test_texts.py."""

# ruff: noqa: E501, SIM300, UP018, B909, SIM110, PLR1714, UP032, FLY002, FURB188, PLR0124


# -- index, slice, iteration


def length(s):
    return len(s)


def is_there(s):
    return 1 if s else 2


def item(s, i):
    return s[i]


def first_and_last(s):
    return s[0] + s[-1]


def part(s, i, j):
    return s[i:j]


def part_of_step(s, i, j, k):
    return s[i:j:k]


def behind(s, i):
    return s[i:]


def before(s, i):
    return s[:i]


def constant_parts(s):
    return [s[1:], s[:1], s[-1:], s[:-1], s[2:4], s[-3:-1], s[::-1], s[::2], s[:], s[1:1], s[3:1], s[0:100]]


def part_with_none(s, i):
    return [s[None:i], s[i:None], s[None : None : i or None]]


def part_of_bools(s):
    return [s[True:], s[:True], s[False:]]


def characters(s):
    out = []
    for ch in s:
        out.append(ch)
    return out


def by_index(s):
    out = []
    for i in range(len(s)):
        out.append(s[i])
    return out


def backwards(s):
    out = ""
    i = len(s) - 1
    while i >= 0:
        out += s[i]
        i -= 1
    return out


def points(s):
    return [ord(ch) for ch in s]


def next_points(s):
    out = ""
    for ch in s:
        out += chr(ord(ch) + 1)
    return out


def wrong_index(s):
    return s[1.0]


def wrong_step(s):
    return s[::0]


def ord_of_text(s):
    return ord(s)


def chr_of(n):
    return chr(n)


# -- new text


def plus(s, t):
    return s + t


def plus_many(s, t, c):
    return s + t + c + "-" + t + s


def plus_char(s, c):
    return c + s + c


def times(s, i):
    return s * i


def times_left(i, t):
    return i * t


def times_char(c, i):
    return c * i


def grow(s, t):
    out = ""
    for ch in s:
        out += ch
        out += t
    return out


def grow_with_itself(s):
    out = s
    out += out
    out += out[1:]
    out += out[:2]
    return out


def grow_part(s):
    out = s + "x"
    out = out[1:]
    out += "yz"
    out = out[2:]
    out += s
    return out


def grow_and_keep(s):
    out = "a"
    kept = []
    for ch in s:
        before = out
        out += ch
        kept.append(before)
        kept.append(out)
    return kept


def grow_in_turns(s, t):
    a = s
    b = t
    for _ in range(5):
        a += b
        b = a[:3]
        a, b = b, a
    return [a, b]


def grow_parameter(s, t):
    s += t
    s += t
    return s


def grow_times(s):
    s *= 3
    return s


def exchange(s, t):
    a = s[1:]
    b = t + "!"
    a, b = b, a
    a, b = b + a, a + b
    return [a, b]


def keep_parts(s):
    first = s[:2]
    rest = s[2:]
    up = rest.upper()
    rest = up[1:]
    up = first
    first = rest + up
    return [first, rest, up]


def either(s, t):
    a = s if len(s) > len(t) else t[1:]
    b = s and t
    c = s or t
    return [a, b, c]


# -- comparison, in


def compare(s, t):
    return [s == t, s != t, s < t, s <= t, s > t, s >= t]


def compare_parts(s, i, j):
    return [s[i:] == s[j:], s[:i] < s[:j], s[i:j] == "a", s[i:j] != "", s[:i] == "ab"]


def compare_constants(s):
    return [s == "", s == "a", s == "abc", s == "abcdefghi", s == "é", "ab" == s, s == "naïve café", s > "a", s <= "κ"]


def compare_chars(s, c):
    out = []
    for ch in s:
        out.append([ch == c, ch < c, ch >= c, ch == "a", "b" != ch, ch > "k", ch == "", ch != "ab", ch == s, s != ch])
    return out


def compare_others(s):
    return [s == 1, s != None, s == b"a", 1.0 == s, s == [s]]  # noqa: E711


def less_than_int(s):
    return s < 1


def chain(s, t):
    return [s < t < "m", "a" <= s == t, s == s == t]


def vowels(s):
    n = 0
    for ch in s:
        if ch in "aeiouAEIOU":
            n += 1
    return n


def in_constants(s):
    out = []
    for ch in s:
        out.append(
            [
                ch in "",
                ch in "a",
                ch in "abcdef",
                ch in "az09 éκя中🎉",
                ch not in "xyz",
                ch in "αβγδεζηθικλμνξοπρστυφχψω",
            ]
        )
        out.append([ch.lower() in "aeiou", ch.upper() in "ÀÈ", ch + ch in "aabb", ch in ch, ch + ch in ch, "" in ch])
    return out


def inside(s, t):
    return [t in s, s not in t, "a" in s, "" in s, s[1:2] in t, s in "hello, world"]


def in_wrong(s):
    return 1 in s


# -- formats


def format_all(s, n, c):
    return [
        f"{s}",
        f"<{s}>{n}",
        f"{s}{s}{c}",
        f"{n}{c}{n}",
        f"{n:5}|{s:>8}|{c:^3}",
        f"{s!r} {c!r} {n!r} {s!a}",
        f"{{{n}}}",
    ]


def format_numbers(n, x):
    return [f"{x}", f"{x:.2f}", f"{n:08d}", f"{n:,}", f"{n:x}", f"{n == 1} {None}", f"{x:{n % 20}.3f}", f"{True:d}"]


def format_lists(s, n):
    return f"{[s, n]} {(n,)} {{}}"


def format_wrong(s):
    return f"{s:d}"


def format_nested(s, w):
    return f"{s:*^{w}}|{s:{'<'}{w}}|{s!r:>{w}}"


def str_of(s, n, x):
    return [str(s), str(n), str(x), str(None), str(n == 1), str([s, x]), repr(s), repr(x), str()]


def int_of(p):
    return int(p)


def int_of_base(p):
    return int(p, 16)


def float_of(p):
    return float(p)


# -- methods of a character


def char_methods(s):
    out = []
    for ch in s:
        out.append([ch.isalpha(), ch.isdigit(), ch.isalnum(), ch.isspace(), ch.isupper(), ch.islower(), ch.istitle()])
        out.append([ch.isdecimal(), ch.isnumeric(), ch.isidentifier(), ch.isprintable(), ch.isascii()])
        out.append([ch.lower(), ch.upper(), ch.title(), ch.capitalize(), ch.swapcase(), ch.casefold(), ch.strip()])
        out.append([ch.find("a"), ch.startswith("a"), ch.replace("a", "bb"), ch.zfill(3), ch.join("xyz"), ch.split()])
    return out


def lower_chars(s):
    out = ""
    for ch in s:
        low = ch.lower()
        out = out + low if low.isalnum() else out + "_"
    return out


# -- methods of text: one row each


def cases(s):
    return [s.lower(), s.upper(), s.title(), s.capitalize(), s.swapcase(), s.casefold()]


def tests(s):
    return [
        s.isalpha(),
        s.isdigit(),
        s.isalnum(),
        s.isspace(),
        s.isupper(),
        s.islower(),
        s.istitle(),
        s.isascii(),
        s.isdecimal(),
        s.isnumeric(),
        s.isidentifier(),
        s.isprintable(),
    ]


def strips(s, t):
    return [
        s.strip(),
        s.lstrip(),
        s.rstrip(),
        s.strip(t),
        s.lstrip(t),
        s.rstrip(t),
        s.strip(None),
        s.removeprefix(t),
        s.removesuffix(t),
    ]


def strip_and_keep(s):
    a = s + " "
    a = a.strip()
    b = a.lstrip("aH")
    a = b + "!"
    return [a, b]


def splits(s, t):
    return [
        s.split(),
        s.rsplit(),
        s.split(None, 1),
        s.rsplit(maxsplit=1),
        s.splitlines(),
        s.splitlines(True),
        s.splitlines(keepends=True),
        s.split(sep=None),
    ]


def splits_by(s, t):
    return [s.split(t), s.rsplit(t, 1), s.split(t, maxsplit=2), s.split(sep=t, maxsplit=0)]


def partitions(s, t):
    return [s.partition(t), s.rpartition(t)]


def partition_parts(s):
    head, sep, tail = s.partition(" ")
    return [head, sep, tail, head + tail]


def joins(s, t):
    words = s.split()
    return [
        t.join(words),
        "".join(words),
        " ".join(["a", s, t]),
        t.join([s, s]),
        t.join([s]),
        t.join(("x", "y")),
        ",".join(s),
        "".join([w.upper() for w in words]),
    ]


def join_wrong(s):
    return ",".join([s, 1])


def replaces(s, t):
    return [s.replace(t, "<>"), s.replace("a", t), s.replace(t, ""), s.replace("a", "b", 1), s.replace("", "-", 2)]


def finds(s, t, i):
    return [
        s.find(t),
        s.rfind(t),
        s.count(t),
        s.find(t, i),
        s.rfind(t, i),
        s.count(t, i),
        s.find(t, i, i + 3),
        s.find(t, None, i),
        s.count(t, 0, i),
        s.rfind(t, -3, None),
    ]


def index_of(s, t):
    return s.index(t)


def rindex_of(s, t):
    return s.rindex(t)


def affixes(s, t, i):
    return [
        s.startswith(t),
        s.endswith(t),
        s.startswith(t, i),
        s.endswith(t, i, -1),
        s.startswith(("x", t)),
        s.endswith((t, "z"), i),
    ]


def constant_affixes(s):
    return [
        s.startswith("a"),
        s.startswith("ab"),
        s.startswith("Hello"),
        s.endswith("d"),
        s.endswith("ld"),
        s.endswith("café"),
        s.startswith(""),
        s.endswith(""),
        s.startswith(("a", "He", "Κα")),
        s.endswith(()),
        s.startswith("Καλημέρα"),
        s.endswith("العالم"),
    ]


def fills(s, w, c):
    return [
        s.ljust(w),
        s.rjust(w),
        s.center(w),
        s.ljust(w, c),
        s.rjust(w, "*"),
        s.center(w, "é"),
        s.zfill(w),
        s.expandtabs(),
        s.expandtabs(w),
    ]


def fill_wrong(s, t):
    return s.ljust(9, t)


def encodes(s):
    return [
        s.encode(),
        s.encode("utf-8"),
        s.encode("utf-16-le"),
        s.encode(encoding="utf-8", errors="strict"),
        s.encode("ascii", "replace"),
        s.encode("latin-1", errors="ignore"),
    ]


def encode_ascii(s):
    return s.encode("ascii")


def round_trip(s):
    return s.encode().decode() == s


def chained(s):
    return s.strip().lower().replace("a", "o").upper()[1:].title()


def wrong_argument(s):
    return s.find(1)


def wrong_prefix(s):
    return s.startswith(1)


def no_method(s):
    return s.append(1) if s == "ab" else 1


def untyped(s):
    """Methods of what is only known to be something."""
    things = [s, 1]
    thing = things[0]
    return [thing.upper(), thing.split(), thing.find("a"), thing + "!", thing[0:2], thing == s]


def texts_of_lists(s, t):
    words = [s, t, s + t]
    a = words[0]
    b = words[-1]
    words[0] = "gone"
    words[2] = b[1:]
    return [a, b, words, a in words, b[1:] in words]


def counts(s):
    found = {}
    for ch in s:
        found[ch] = found.get(ch, 0) + 1
    for i in range(len(s) - 1):
        pair = s[i : i + 2]
        if pair in found:
            found[pair] += 1
        else:
            found[pair] = 1
    return found


def longest_match(s):
    vocabulary = {"ab": 1, "abc": 2, "He": 3, "llo": 4, "Κα": 5, "世界": 6}
    out = []
    i = 0
    while i < len(s):
        j = min(len(s), i + 4)
        while j > i and s[i:j] not in vocabulary:
            j -= 1
        if j == i:
            out.append(s[i])
            i += 1
        else:
            out.append(s[i:j])
            i = j
    return out


def hashes(s):
    return hash(s) == hash(s + "") and hash(s[1:]) == hash(s[1:])


# -- bytes


def bytes_items(v, i):
    return v[i]


def bytes_parts(v, i, j, k):
    return [v[i:j], v[i:j:k], v[i:], v[:j], v[::-1]]


def bytes_numbers(v):
    out = []
    for x in v:
        out.append(x)
    return out


def bytes_new(v, u):
    return [v + u, v + u + v, v * 2, 2 * u, u.join([v, u, v]), len(v), v == u, v < u, u in v, v == b"abc", v != b""]


def bytes_grow(v, u):
    out = b""
    for _ in range(3):
        out += v
        out += u
    return out


def bytes_contain(v, n):
    return n in v


def bytes_wrong(v):
    return "a" in v


def bytes_methods(v, u):
    return [
        v.lower(),
        v.upper(),
        v.title(),
        v.strip(),
        v.strip(u),
        v.split(),
        v.find(u),
        v.rfind(u),
        v.count(u),
        v.startswith(u),
        v.endswith(b"c"),
        v.replace(b"a", u),
        v.hex(),
        v.isalpha(),
        v.isspace(),
        v.partition(b"b"),
        v.find(97),
        v.splitlines(),
        v.zfill(8),
        v.center(9),
        v.removeprefix(u),
    ]


def bytes_decode(v):
    return v.decode()


def bytes_decode_latin(v):
    return [v.decode("latin-1"), v.decode("utf-8", "replace"), v.decode(errors="ignore")]


def bytes_format(v):
    return [f"{v!r} {v}", repr(v)]


# -- what is done without tuples and copies


def in_displays(s, c, n):
    out = [
        s in ("abc", "é", ""),
        s not in ["a", "hello", "世界 你好，世界"],
        c in ("a", "é", "zz"),
        c in (),
        n in (0, 97, -7),
    ]
    for ch in s:
        out.append(ch in ("a", "b", "x", "中", "é", "ß", "🎉", "κ", "世", "я") or ch in ["e", 1, None])
    for thing in [s, c, n, 1.0, None]:
        out.append(thing in ("abc", "a", "é"))
        out.append(thing in (1, "a", None))
        out.append(thing == "abc")
        out.append("é" != thing)
        out.append(c == thing)
    return out


def less_than_anything(s, i):
    things = [s, "k", 1, None]
    return ["b" < things[i], things[i] >= s]


def partitions_unpacked(s, t):
    head, sep, tail = s.partition(t)
    head2, sep2, tail2 = (s + s).rpartition(t)
    s, sep3, rest = s.rpartition(" ")
    s, sep3, rest = rest.partition("l")
    return [head, sep, tail, head2, sep2, tail2, s, sep3, rest]


def bytes_partitions(v, u):
    head, sep, tail = v.partition(u)
    a, b, c = v.rpartition(u)
    return [head, sep, tail, a, b, c]


def grow_by_assignment(s, t):
    out = t
    other = ""
    for ch in s:
        out = out + ch
        other = other + out[-2:] + ch + t
        if len(other) > 50:
            other = other[40:]
    out = out + out[1:]
    return [out, other]


def grow_plainly(s, t):
    out = ""
    for ch in s:
        out = out + ch + t
    return out


def grow_mixed(s, t):
    out = 0
    out = s[:1]
    for thing in [s, t]:
        out += thing
    for ch in s:
        out += ch
    return out


def grow_unbound(s):
    for ch in s:
        out = ch
    out = out + "!"
    return out


def store_anything(s, t):
    kept = []
    x = s
    for thing in [s, t, 1, s[1:], None, [t]]:
        y = x
        x = thing
        kept.append(y)
        thing = x
        kept.append(thing)
    return kept


def grow_anything(s, t, i):
    kept = []
    x = s
    for thing in [t, s, t, "é", s]:
        y = x
        x += thing
        x += x[:i]
        kept.append(y)
    y += x
    y += y
    if i == 3:
        y += 1
    x = [s]
    x += "ab"
    x += [t]
    kept.append(x)
    return [x, y, kept]


def methods_of_anything(s, t, v):
    out = []
    for x in [s, v, t]:
        out.append([x.strip(), x.split(), x.upper(), x.find("a") if x == s else 0, x.isalpha(), x[1:2], len(x.lower())])
    return out


def text_methods_of_anything(s, t):
    out = []
    for x in [s, t, 1]:
        out.append(x.strip("ab") + "!")
        out.append(x.replace("a", t) + x.removeprefix("a") if x.startswith(("a", "H")) else x.ljust(3, "-"))
        out.append([x.endswith("d"), x.partition(" "), x.split("l", 1), x.find(t), "-".join([x, x])])
    return out


def str_methods_of_bytes(v):
    things = [v, "a"]
    return things[0].strip("a")


# -- what asks for no memory


def free_vowels(s):
    n = 0
    for ch in s:
        if ch in "aeiou" or ch.lower() in "xyz" or ch.isdigit():
            n += 1
    return n


def free_slices(s):
    n = 0
    text = s.strip()
    for i in range(len(text)):
        word = text[i : i + 20]
        if word == "hello" or word.startswith("the") or word.endswith(("s", "ω")):
            n += 1
        rest = word[1:].lstrip("eH")
        if rest in text:
            n += len(rest)
    return n


def free_words(s):
    n = 0
    i = 0
    while i < len(s):
        j = i
        while j < len(s) and s[j].isalpha():
            j += 1
        word = s[i:j]
        if word in ("the", "fox", "fωx"):
            n += 1
        i = max(i + 1, j)
    return n


def free_heads(s):
    n = 0
    while s:
        head, s = s[:3], s[3:]
        if head == "the":
            n += 1
    return n


def free_lines(s):
    n = 0
    for line in s.split("."):
        key, sep, value = line.partition(",")
        if sep:
            n += len(key.strip()) * len(value)
    return n


def free_small_text(s):
    n = 0
    for i in range(60):
        label = f"{i}:{s[i]}"
        n += len(label) + len(s[i : i + 5].upper()) + len(str(i) + "-" + s[i] + "-")
    return n


def plus_anything(s, t, i):
    things = [s, t, 1, "é" + s, None, [s]]
    thing = things[i]
    out = s
    out += thing
    kept = [out, "<" + thing + ">", thing + "x", thing + s[1:] + thing]
    out = out + thing + s
    x = things[i]
    x = x + "!"
    x += x
    return [kept, out, x, thing]
