"""Functions of text that fail, whatever they are given."""

# ruff: noqa: E501


def strip_int(s):
    return s.strip(1)


def split_int(s):
    return s.split(1)


def encoding_int(s):
    return "é".encode(len(s))


def fill_int(s):
    return "a".ljust(len(s), len(s))


def fill_str(s):
    return b"a".ljust(len(s), "a")


def find_none(s):
    return "abc".find(None)


def find_bytes(s):
    return "abc".find(b"a")


def find_str(s):
    return b"abc".find("a")


def partition_int(s):
    return s.partition(1)


def prefix_none(s):
    return s.removeprefix(None)


def replace_none(s):
    return "a".replace("a", None)


def replace_bytes(s):
    return "a".replace(b"a", "b")


def replace_str(s):
    return b"a".replace("a", b"")


def find_from_str(s):
    return "ab".find("a", "b")


def starts_int(s):
    return s.startswith(1)


def starts_bytes(s):
    return "a".startswith(b"a")


def rsplit_none(s):
    return s.rsplit(s, None)


def plus_int(s):
    return s + 1


def int_plus(s):
    return 1 + s


def plus_other(s):
    return b"a" + "b" + s


def times_float(s):
    return s * 1.5


def bytes_in_str(s):
    return b"a" in "abc" and s


def str_in_bytes(s):
    return "a" in b"abc" and s


def byte_beyond(s):
    return 300 in b"a" and s


def join_wrong(s):
    return "-".join(["a", 1, s])


def join_str(s):
    return b"-".join(["a", s])


def empty_separator(s):
    return s.split(s[:0])


def empty_partition(s):
    return s.partition(s[2:])


def step_zero(s):
    return s[::0]


def index_beyond(s):
    return s[5]


def index_float(s):
    return s[1.5]


def slice_str(s):
    return s["a":]


def less(s):
    return s < 1


def negated(s):
    return -s


def chr_beyond(s):
    return chr(len(s) + 0x110000)


def chr_negative(s):
    return chr(-len(s))


def ord_text(s):
    return ord(s)


def index_missing(s):
    return s.index(s + s)


def rindex_missing(s):
    return s.rindex(s + s)


def spec_wrong(s):
    return f"{s!r:d}"


def no_int(s):
    return int(s)


def no_float(s):
    return float(s)


def unknown_encoding(s):
    return "é".encode("no" + "ne") if s else ""
