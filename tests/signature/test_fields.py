"""Where members of structs are, beside what clang says for the same declarations on each target."""

from __future__ import annotations

import random
import re
import shutil
import subprocess

import pytest
from support.structs import MACHINES, Declared

from jitffi.signature import datamodel
from jitffi.signature.fields import Member, place

CLANG = shutil.which("clang")


def said_by_clang(triple: str, source: str) -> dict[str, tuple[int, int, list[tuple[str, int, int]]]]:
    """By name: size, alignment, and each own member with its offset and first bit."""
    command = [CLANG, f"--target={triple}", "-xc", "-Xclang", "-fdump-record-layouts", "-S", "-emit-llvm"]
    done = subprocess.run([*command, "-o", "/dev/null", "-"], input=source, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"this clang has no {triple}: {done.stderr[:200]}")
    found = {}
    for part in done.stdout.split("*** Dumping AST Record Layout")[1:]:
        head = re.search(r"^ +0 \| (?:struct|union) (\w+)$", part, re.MULTILINE)
        end = re.search(r"\[sizeof=(\d+), align=(\d+)", part)
        assert head and end, part
        own = []
        for at, first, name in re.findall(r"^ *(\d+)(?::(\d+)-\d+)? \|   \S.* (m\d+)$", part, re.MULTILINE):
            if name not in [each[0] for each in own]:
                own.append((name, int(at), int(first or 0)))
        found[head[1]] = int(end[1]), int(end[2]), own
    return found


@pytest.mark.skipif(CLANG is None, reason="no clang to compare with")
@pytest.mark.parametrize("triple", MACHINES)
def test_as_clang_places_them(triple):
    rng = random.Random(1)
    made: list[Declared] = []
    for at in range(200):
        made.append(Declared(rng, f"s{at}", made[-5:]))
    machine = datamodel.of(*MACHINES[triple])
    expected = said_by_clang(triple, "".join(each.source for each in made))
    wrong = []
    for each in made:
        layout = each.layout(machine)
        own = [(p.member.name, p.offset, p.bit) for p in layout.members if p.member.name]
        if (layout.size, layout.align, own) != expected[each.name]:
            wrong.append((each.source, (layout.size, layout.align, own), expected[each.name]))
    shortest = min(wrong, key=lambda each: len(each[0]), default=())
    assert not wrong, f"{len(wrong)} of {len(made)}, the shortest: " + "\n".join(map(str, shortest))


def test_what_is_no_member_is_refused():
    with pytest.raises(ValueError, match="x: 9 bits of u8 are no bit-field"):
        place([Member("x", "u8", bits=9)], datamodel.HOST)
    with pytest.raises(ValueError, match="x: only the last member of a struct has no length"):
        place([Member("x", "u8", (-1,)), Member("y", "u8")], datamodel.HOST)
    made = place([Member("n", "u32"), Member("x", "f64", (-1,))], datamodel.HOST)
    assert (made.size, made.align, made.members[1].offset) == (8, 8, 8)
