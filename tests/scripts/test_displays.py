"""Assignments within expressions, stars in displays, and ints as text and bytes, beside CPython."""

# ruff: noqa: E501

from __future__ import annotations

from tests.scripts.many import check


def test_assignments_within_expressions() -> None:
    check(
        [
            "(y := a) + y",
            "if (n := len(a)) > 1:\n    return n\nreturn n",
            "r = []\nwhile (x := a[len(r)] if len(r) < len(a) else None) is not None:\n    r.append(x)\nreturn r, x",
            "[y := x for x in a], y",
            "[(y := x, y) for x in a if (z := x)], z",
            "s = 'q'\nreturn s + (s := s + 'xyzxyzxyzxyzxyzxyzxyzxyzxyz') + s",
            "a and (k := a[0]), k",
            "(k := a) if a else (j := a)\nreturn k",
            "x = [1]\nreturn x, (x := [2]), x",
            "(x := 1) < (y := 2) < (z := len(a)), x, y, z",
            "t = 0\nfor i in range(3):\n    t += (u := i * 2) + u\nreturn t, u",
            "{(k := c): k for c in a}, k",
            "x = None\nif x is not None and (x := a):\n    return x\nreturn x",
            "x = a\nfor c in x:\n    x = (x := c)\nreturn x",
            "f'{(w := a)!r:>20}{w}'",
            "print((v := 5), end='')\nreturn v",
        ],
        "a",
        [("abc",), ("",), ([1, 2, 3],), ([],), ((1, 2),), ({"a": 1},)],
        strict=True,
    )


def test_stars_in_displays_and_subscripts() -> None:
    check(
        [
            "[*a, 1]",
            "[1, *a, *b]",
            "(*a, 2)",
            "*a, *b",
            "[*a, *range(3), *enumerate(b)]",
            "x = [*a]\nx.append(1)\nreturn x, a",
            "[*b'ab', *a]",
            "{**a}",
            "{**a, 'k': 1, **b}",
            "{'k': 1, **a}",
            "[*[1, 2], 3.5][0]",
            "sum([*range(4)])",
            "x = {}\nx[(*a, 1)] = 2\nreturn x",
            "x = {(1, 2): 3}\nreturn x[*b]",
            "c, d = [*b, *b]\nreturn c, d",
            "[*{'x': 1}, *{'y': 2}.values()]",
            "x = a\nreturn [x, *x]",
        ],
        "a, b",
        [
            ([1], [2]),
            ((1, 2), (1, 2)),
            ("ab", ""),
            ({"a": 1}, {"b": 2}),
            (5, [1]),
            ([1], 5),
            (None, {}),
            ({}, None),
            ({"a": [1]}, {"a": (1,)}),
        ],
        strict=True,
    )


NUMBERS = [
    (x,)
    for x in (
        0,
        1,
        -1,
        255,
        256,
        -128,
        -129,
        2**62,
        2**63 - 1,
        -(2**63),
        True,
        False,
        2.0,
        2.5,
        float("inf"),
        float("nan"),
        "x",
        None,
        b"ab",
        b"",
        b"\xff" * 8,
        b"\x80",
        [1, 2],
        (255,),
        [300],
    )
]


def test_numbers_as_text_and_bytes() -> None:
    check(
        [
            "bin(a)",
            "hex(a)",
            "oct(a)",
            "a.bit_length()",
            "a.bit_count()",
            "a.to_bytes(2, 'big')",
            "a.to_bytes(2, 'little', signed=True)",
            "a.to_bytes(8, 'big', signed=True)",
            "a.to_bytes()",
            "a.to_bytes(0, 'big')",
            "a.to_bytes(-1, 'big')",
        ],
        "a",
        NUMBERS,
        strict=True,
    )
    check(
        [
            "a.to_bytes(9, byteorder='x')",
            "a.to_bytes(20, byteorder='little', signed=True)",
            "int.from_bytes(a, 'big')",
            "int.from_bytes(a, 'little', signed=True)",
            "int.from_bytes(a)",
            "int.from_bytes(a, byteorder='big', signed=True)",
            "float.is_integer(a)",
            "(2.0).is_integer(), (7).bit_length()",
            "ascii(a)",
            "format(a, '')",
            "format(a, '>8')",
            "format(a, a)",
            "f'{a!a:>5}'",
        ],
        "a",
        NUMBERS,
        strict=True,
    )
