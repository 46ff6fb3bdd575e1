"""Writes the tables of Unicode that the text functions of scripts use, as C, from the interpreter that runs this: so a
script built for a version of Python agrees with it about every character.

    python make_tables.py unicode_tables.c

Tables of two stages: the first gives the page of a code point's block of 128, pages that are equal are written once.
"""

from __future__ import annotations

import sys
import unicodedata

SHIFT = 7
COUNT = 0x110000
#: Unassigned, of private use, or half of a pair: six of seven code points, which have no property and no other case.
WITHOUT_PROPERTIES = {"Cn", "Co", "Cs"}
#: From here on an entry says where its several characters are.
EXTENDED = 0x2000000


def is_final(text: str) -> bool:
    """Whether a capital sigma behind it becomes the final one."""
    return (text + "\N{GREEK CAPITAL LETTER SIGMA}").lower()[-1] == "\N{GREEK SMALL LETTER FINAL SIGMA}"


def flags_of(c: str) -> int:
    """In the order of the bits JF_IS_* in script.h."""
    is_upper = c.isupper()
    tests = (
        c.isalpha(),
        c.isdecimal(),
        c.isdigit(),
        c.isnumeric(),
        c.isspace(),
        is_upper,
        c.islower(),
        c.istitle() and not is_upper,
        c.isprintable(),
        c.isidentifier(),
        ("a" + c).isidentifier(),
        len(f"a{c}b".splitlines()) == 2,
        (c + "a").title()[-1] == "a",  # a letter behind a cased one begins no word
        is_final("a" + c) and not is_final("1" + c),  # looked through for what is before it
    )
    return sum(bool(test) << bit for bit, test in enumerate(tests))


def class_of(c: str) -> tuple[int, int]:
    return flags_of(c), unicodedata.decimal(c, -1)


class Mappings:
    """What upper, lower, title and casefold make of a character: the distance to one, or where several are."""

    def __init__(self) -> None:
        self.more: list[int] = []
        self.places: dict[str, int] = {}

    def entry(self, c: str, mapped: str) -> int:
        if len(mapped) == 1:
            return ord(mapped) - ord(c)
        if mapped not in self.places:
            self.places[mapped] = len(self.more)
            self.more += map(ord, mapped)
        return EXTENDED + (len(mapped) << 16) + self.places[mapped]

    def record(self, c: str) -> tuple[int, int, int, int]:
        return tuple(self.entry(c, mapped) for mapped in (c.upper(), c.lower(), c.title(), c.casefold()))  # type: ignore[return-value]


def numbers(name: str, kind: str, values: list[int]) -> str:
    lines = [", ".join(map(str, values[i : i + 24])) for i in range(0, len(values), 24)]
    body = ",\n  ".join(lines)
    return f"const {kind} {name}[{len(values)}] = {{\n  {body}}};\n"


def pages_of(values: list[int]) -> tuple[list[int], list[int]]:
    """First and second stage. Page 0 is all zeros."""
    blank = (0,) * (1 << SHIFT)
    first, second, seen = [], list(blank), {blank: 0}
    for start in range(0, COUNT, 1 << SHIFT):
        page = tuple(values[start : start + (1 << SHIFT)])
        if page not in seen:
            seen[page] = len(seen)
            second += page
        first.append(seen[page])
    return first, second


def numbered(records: list[tuple[int, ...]]) -> tuple[list[int], list[tuple[int, ...]]]:
    """Each one's number among the different ones, and these; the first is number 0."""
    seen: dict[tuple[int, ...], int] = {}
    return [seen.setdefault(record, len(seen)) for record in records], list(seen)


def structs(name: str, kind: str, records: list[tuple[int, ...]]) -> str:
    body = ",\n  ".join("{" + ", ".join(map(str, record)) + "}" for record in records)
    return f"const {kind} {name}[{len(records)}] = {{\n  {body}}};\n"


def main(path: str) -> None:
    characters = [chr(code) for code in range(COUNT)]
    assigned = [unicodedata.category(c) not in WITHOUT_PROPERTIES for c in characters]
    assert not any(c.isprintable() for c, a in zip(characters, assigned, strict=True) if not a)
    found = [class_of(c) if a else (0, -1) for c, a in zip(characters, assigned, strict=True)]
    classes, class_records = numbered(found)
    spaces = {code for code, c in enumerate(characters) if c.isspace() and code >= 128}
    assert max(spaces) <= 0x3000 and {code for code in spaces if code < 0x1680} == {0x85, 0xA0}, "see jf_is_wide_space"
    ends = {code for code, c in enumerate(characters) if assigned[code] and len(f"a{c}b".splitlines()) == 2}
    assert ends == {*range(10, 14), *range(28, 31), 0x85, 0x2028, 0x2029}, "see jf_is_line_break"
    mappings = Mappings()
    nothing = (0, 0, 0, 0)
    records = [mappings.record(c) if a else nothing for c, a in zip(characters, assigned, strict=True)]
    cases, case_records = numbered([nothing, *records])
    class_first, class_second = pages_of(classes)
    case_first, case_second = pages_of(cases[1:])
    assert max(class_first) < 65536 and len(class_records) < 256 and max(case_first) < 256 and len(case_records) < 65536
    ascii_flags = [class_records[classes[code]][0] for code in range(128)]
    version = sys.version_info
    parts = [
        f"/* Made by make_tables.py: Unicode {unicodedata.unidata_version}, of Python {version[0]}.{version[1]}. */\n",
        '#include "unicode_tables.h"\n',
        numbers("jf_ascii_flags", "uint16_t", ascii_flags),
        numbers("jf_class_pages", "uint16_t", class_first),
        numbers("jf_class_numbers", "uint8_t", class_second),
        structs("jf_classes", "jf_char_class", class_records),
        numbers("jf_case_pages", "uint8_t", case_first),
        numbers("jf_case_numbers", "uint16_t", case_second),
        structs("jf_cases", "jf_char_case", case_records),
        numbers("jf_case_more", "uint32_t", mappings.more),
    ]
    with open(path, "w", encoding="ascii", newline="\n") as file:
        file.write("\n".join(parts))


if __name__ == "__main__":
    main(sys.argv[1])
