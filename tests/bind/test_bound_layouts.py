"""Structs of a header lie in memory as the C compiler lays them out, whatever attributes and pragmas say."""

from __future__ import annotations

import shutil
import subprocess

import pytest

import jitffi
from jitffi.bind.source.errors import HeaderNotFound
from jitffi.signature.structs import Struct

CC = shutil.which("cc") or shutil.which("gcc")
HEADER = """
#define PACKED __attribute__((packed))
struct after { char a; double b; } PACKED;
typedef struct { char a; double b; } __attribute__ ((__packed__)) after_named;
struct __attribute__((packed)) before { char a; double b; };
typedef struct wide { char a; } __attribute__ ((aligned(64))) wide;
struct holder { char a; wide b; char c; };
#pragma pack(push, 2)
struct pushed { char a; double b; };
#pragma pack(1)
struct one { char a; double b; };
#pragma pack(pop)
struct popped { char a; double b; };
_Pragma("pack(4)") struct four { char a; double b; }; _Pragma("pack()")
struct members { char a; int b __attribute__((aligned(32))); short c; };
typedef float quad __attribute__((aligned(16)));
typedef quad again;
struct typed { char a; again b; char c; };
typedef struct { char a; double b; } late __attribute__((aligned(32)));
struct of_late { char a; late b; };
struct bits { char a; unsigned b : 12; } PACKED;
int use(struct after *, after_named *, struct before *);
"""
STRUCTS = [
    "struct after", "after_named", "struct before", "struct wide", "struct holder", "struct pushed", "struct one",
    "struct popped", "struct four", "struct members", "struct typed", "struct of_late", "struct bits",
]  # fmt: skip


@pytest.mark.skipif(CC is None, reason="no C compiler")
@pytest.mark.parametrize("use_compiler", [True, False])
def test_layouts_are_the_compilers(tmp_path, use_compiler):
    header = HEADER if use_compiler else HEADER.replace('_Pragma("pack(4)") ', "#pragma pack(4)\n")
    (tmp_path / "layouts.h").write_text(header.replace(' _Pragma("pack()")', "\n#pragma pack()"))
    lines = [f'printf("%zu %zu\\n", sizeof({name}), _Alignof({name}));' for name in STRUCTS]
    source = f'#include <stdio.h>\n#include "layouts.h"\nint main(void) {{ {" ".join(lines)} return 0; }}\n'
    (tmp_path / "main.c").write_text(source)
    subprocess.run([CC, "-std=gnu11", "-o", tmp_path / "main", tmp_path / "main.c"], check=True)
    said = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.split("\n")
    made = jitffi.bind_header(tmp_path / "layouts.h", "c", check=False, use_compiler=use_compiler)
    assert not [each for each in made.refused if each.kind == "struct"]
    found = {each.c_name: f"{each.layout()[0]} {each.layout()[1]}" for each in made.structs}
    assert {name: found[name] for name in STRUCTS} == dict(zip(STRUCTS, said, strict=False))


def test_a_type_that_is_aligned_to_less_is_refused_by_name(tmp_path):
    (tmp_path / "less.h").write_text(
        "typedef double low __attribute__((aligned(4))); struct s { char a; low b; }; void f(struct s *);"
    )
    made = jitffi.bind_header(tmp_path / "less.h", "c", check=False, use_compiler=CC is not None)
    assert [each.reason for each in made.refused] == ["b: low is aligned to 4, less than what it stands for"]


def placed(struct: Struct) -> list[str]:
    """The members that have addresses and names of C's."""
    return [each.member.name for each in struct.placed() if each.member.bits is None and each.member.name]


@pytest.mark.skipif(CC is None, reason="no C compiler")
@pytest.mark.parametrize(
    ("header", "library"),
    [("sys/epoll.h", "c"), ("signal.h", "c"), ("SDL2/SDL.h", "SDL2"), ("curl/curl.h", "curl"), ("git2.h", "git2")],
)
def test_structs_of_real_headers_are_where_the_compiler_has_them(tmp_path, header, library):
    try:
        made = jitffi.bind_header(header, library)
    except (HeaderNotFound, OSError) as error:
        pytest.skip(str(error))
    structs = [each for each in made.structs if each.key.count(".") == 1]  # those inside others have no names in C
    lines, wanted = [], []
    for struct in structs:
        size, align = struct.layout()[:2]
        lines.append(f'printf("%zu %zu\\n", sizeof({struct.c_name}), _Alignof({struct.c_name}));')
        wanted.append(f"{size} {align}")
        offsets = {each.member.name: each.offset for each in struct.placed()}
        for name in placed(struct):
            lines.append(f'printf("%zu\\n", __builtin_offsetof({struct.c_name}, {name}));')
            wanted.append(str(offsets[name]))
    (tmp_path / "main.c").write_text(
        f"#include <stdio.h>\n#include <{header}>\n#undef main\n"
        f"int main(void) {{\n{chr(10).join(lines)}\nreturn 0; }}\n"
    )
    options = [CC, "-std=gnu11", "-w", "-o", tmp_path / "main", tmp_path / "main.c"]
    done = subprocess.run(options, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    said = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.split("\n")[:-1]
    assert len(wanted) == len(said) > 0
    assert [pair for pair in zip(lines, wanted, said, strict=True) if pair[1] != pair[2]] == []
