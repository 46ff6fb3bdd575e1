"""C++ headers: what has C linkage is bound as C declares it, and the rest is left out by name."""

from __future__ import annotations

import shutil
import subprocess
import sys

import pytest

import jitffi
from jitffi.bind.cxx.clang import Clang, compiler
from jitffi.bind.cxx.sheet import read_cxx
from jitffi.bind.source.errors import HeaderError, HeaderNotFound

needs_clang = pytest.mark.skipif(compiler() is None, reason="no clang++")
GXX = shutil.which("g++") or shutil.which("clang++")

FORMS = """
#include <cstddef>
#include <cstdint>
#include <vector>
namespace own {
enum class color : std::uint8_t { red, green = 7, blue };
enum mode { READ, WRITE = 1 << 4, BOTH };
struct point { double x, y = 0; static int count; double length() const; struct inner { int a; } in; };
using visit = void (*)(const point *, void *) noexcept;
class engine;
struct guarded { ~guarded(); int a; };
struct derived : point { int more; };
template <class T> struct box { T value; };
extern "C" {
engine *engine_new(const char *name = nullptr, std::size_t n = 3) noexcept;
point engine_at(engine *e, color c, bool deep, mode m);
void engine_each(engine *, visit each, void *data);
void (*engine_handler(int sig))(int);
auto engine_next(int x) -> int (*)(int);
int engine_log(const char *format, ...);
void by_reference(const engine &e);
void by_value(guarded g);
void in_template(box<int> *b);
void of_derived(derived *d);
void member(int point::*m);
inline int twice(int x) { return 2 * x; }
static int thrice(int x) { return 3 * x; }
extern int engine_count;
extern int (*engine_hook)(const char *text, int length);
extern "C++" int plus(int a);
typedef struct { int q; } unnamed;
typedef struct tag *tag_pointer;
}
int plus(int, int);
extern "C" void single(unnamed, tag_pointer);
int again(int);
static int hidden(int);
}
extern "C" int renamed(int) __asm__("other");
namespace { extern "C" int inside(int); }
"""
WRITTEN = """
enum color { color_red = 0, color_green = 7, color_blue = 8 };
typedef uint8_t color;
enum mode { READ = 0, WRITE = 16, BOTH = 17 };
struct engine *engine_new(const char * name, size_t n);
struct inner { int a; };
struct point { double x; double y; struct inner in; };
struct point engine_at(struct engine * e, color c, _Bool deep, enum mode m);
typedef void (*visit)(const struct point *, void *);
void engine_each(struct engine *, visit each, void * data);
void (*engine_handler(int sig))(int);
int (*engine_next(int x))(int);
int engine_log(const char * format, ...);
void of_derived(struct derived * d);
static int thrice(int x);
extern int engine_count;
extern int (*engine_hook)(const char * text, int length);
typedef struct { int q; } unnamed;
typedef struct tag * tag_pointer;
void single(unnamed, tag_pointer);
int renamed(int) __asm__("other");
"""
LEFT_OUT = {
    "by_reference": "parameter 1 'e': C has no references (const own::engine &)",
    "by_value": "parameter 1 'g': own::guarded by value: copying or destroying it runs code",
    "guarded": "copying or destroying it runs code",
    "derived": "it has a base class",
    "in_template": "parameter 1 'b': it is made from a template (box<int> *)",
    "member": "parameter 1 'm': it is of a class (int own::point::*)",
    "twice": "it is inline: code of the header, no symbol of a library",
    "plus": "it has C++ linkage",
    "again": "it has C++ linkage",
}


def sheet_of(text, folder, name="own.hpp"):
    path = folder / name
    path.write_text(text)
    return read_cxx(Clang(compiler(), [str(path)], [], []), [str(path)], [])


@needs_clang
def test_each_form_is_written_in_c(tmp_path):
    sheet = sheet_of(FORMS, tmp_path)
    own = [unit for unit in sheet.units if unit.file == str(tmp_path / "own.hpp")]
    assert [unit.text for unit in own] == WRITTEN.strip().split("\n")
    spaced = {each.name: each.reason.replace("own::box", "box") for each in sheet.left_out}
    assert spaced == LEFT_OUT
    lines = FORMS.split("\n")
    places = {unit.text: lines[unit.line - 1] for unit in own}
    assert "engine_log" in places["int engine_log(const char * format, ...);"]
    assert "struct inner" in places["struct inner { int a; };"]


LAYOUTS = """
#include <cstdint>
struct alignas(16) wide { int x; alignas(8) char c; };
struct packed { char a; int b : 3; unsigned : 0; union { int i; double d; }; struct { short k; } arr[2]; }
    __attribute__((packed));
#pragma pack(push, 2)
struct pushed { char a; double b; };
#pragma pack(pop)
namespace deep { union either { char c; pushed p; enum { ONE, TWO } e; };
struct flag { bool on; wchar_t w; char16_t u; }; }
class accessed { public: long l; char name[3]; void f(); static int s; };
using row = deep::flag[3];
struct all { wide w; packed p; pushed q; deep::either e; deep::flag f; accessed a; row r; int (*call)(all *); };
extern "C" void use(wide *, packed *, pushed *, deep::either *, deep::flag *, accessed *, all *);
"""
STRUCTS = {
    "struct wide": "wide", "struct packed": "packed", "struct pushed": "pushed", "union either": "deep::either",
    "struct flag": "deep::flag", "struct accessed": "accessed", "struct all": "all",
}  # fmt: skip


@needs_clang
def test_layouts_are_the_compilers(tmp_path):
    (tmp_path / "layouts.hpp").write_text(LAYOUTS)
    lines = [f'std::printf("%zu %zu\\n", sizeof({name}), alignof({name}));' for name in STRUCTS.values()]
    source = f'#include <cstdio>\n#include "layouts.hpp"\nint main() {{ {" ".join(lines)} }}\n'
    (tmp_path / "main.cpp").write_text(source)
    subprocess.run([GXX, "-std=c++17", "-o", tmp_path / "main", tmp_path / "main.cpp"], check=True)
    said = subprocess.run([tmp_path / "main"], check=True, capture_output=True, text=True).stdout.split("\n")
    made = jitffi.bind_header(tmp_path / "layouts.hpp", "c", check=False)
    assert not made.refused
    found = {each.c_name: f"{each.layout()[0]} {each.layout()[1]}" for each in made.structs}
    assert {name: found[name] for name in STRUCTS} == dict(zip(STRUCTS, said, strict=False))


CONSTANTS = """
#define LIMIT 12
namespace one {
constexpr int VERSION = 3 + 1;
constexpr int NEXT = VERSION * LIMIT;  // twelve times
constexpr double WHOLE = 1;
const unsigned char SMALL = 260 & 0xFF;
constexpr const char *NAME = "x" "y";
constexpr bool YES = true;
constexpr int SAME = 1, ARRAY[2] = {1, 2};
enum first { A, B };
}
namespace two { constexpr int SAME = 2; constexpr int OF_SAME = SAME + 1; enum second { A = 5, C }; enum { D = -3 }; }
"""


@needs_clang
def test_constants_have_the_values_of_their_scopes(tmp_path):
    (tmp_path / "own.hh").write_text(CONSTANTS)
    made = jitffi.bind_header(tmp_path / "own.hh", "m", tmp_path / "own_constants.py", check=False)
    space: dict[str, object] = {}
    exec((tmp_path / "own_constants.py").read_text(), space)
    names = ["LIMIT", "VERSION", "NEXT", "WHOLE", "SMALL", "NAME", "YES", "first_B", "second_A", "D"]
    assert [space[name] for name in names] == [12, 4, 48, 1.0, 4, "xy", 1, 1, 5, -3]
    assert isinstance(space["WHOLE"], float) and "SAME" not in space and "OF_SAME" not in space
    assert [each.name for each in made.leftovers] == ["OF_SAME"]


@needs_clang
def test_what_is_cxx_is_told_by_suffix_text_or_the_caller(tmp_path):
    for name, text, options in (
        ("a.hxx", 'extern "C" { double cosh(double x = 1); }', {}),
        ("b.h", 'namespace n { extern "C" double cosh(double x); }', {}),
        ("c.h", '#include <vector>\nextern "C" double cosh(double x);', {}),
        ("d.h", '#ifdef __cplusplus\nextern "C" double cosh(double);\n#endif\ndouble sinh(double);', {"cxx": True}),
    ):
        (tmp_path / name).write_text(text)
        made = jitffi.bind_header(tmp_path / name, "m", **options)
        assert made.preprocessor.startswith("clang++")
        assert [each.name for each in made.functions] == ["cosh"]
    assert [each.name for each in jitffi.bind_header(tmp_path / "d.h", "m").functions] == ["sinh"]
    (tmp_path / "plain.h").write_text('#ifdef __cplusplus\nextern "C" {\n#endif\nint abs(int);\n')
    assert not jitffi.bind_header(tmp_path / "plain.h", "c").preprocessor.startswith("clang++")


@needs_clang
def test_headers_beside_it_count_and_comments_are_theirs(tmp_path):
    (tmp_path / "part.hpp").write_text(
        '#include <iostream>\n/// The angle.\nextern "C" double atan2(double y, double x);\n'
    )
    (tmp_path / "own.hpp").write_text('#include "part.hpp"\n// The root.\nextern "C" double sqrt(double) noexcept;\n')
    made = jitffi.bind_header(tmp_path / "own.hpp", "m")
    assert [(each.name, each.line) for each in made.functions] == [("atan2", 3), ("sqrt", 3)]
    assert "The root." in made.text and "The angle." in made.text


C_HEADER = """
#include <stdarg.h>
#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
typedef struct { int a; } untagged;
typedef struct node node;
typedef node other_name;
struct node { node *next; other_name *other; untagged held; struct later *after;
              int (*call)(const char *text, int size); };
struct later { struct node first; struct elsewhere *unknown; };
typedef void (*visit)(const node *at, const char *text, size_t length, void *data);
#define CALLBACK(name) (*name)
typedef int CALLBACK(wrapped)(const char *text, unsigned len);
typedef void plain(const char *bytes, int nbytes);
void walk(node *from, visit each, void (*done)(node *, const char *why), plain *also, wrapped last);
int vlog(const char *format, va_list arguments);
static inline int of_header(int x) { return x; }
enum kind { ONE, TWO = 1 << 3 };
enum kind stat_of(untagged by_value, struct node *at);
#ifdef __cplusplus
}
#endif
"""


@needs_clang
def test_a_header_of_both_languages_is_read_alike(tmp_path):
    (tmp_path / "own.h").write_text(C_HEADER)
    as_c, as_cxx = [jitffi.bind_header(tmp_path / "own.h", "c", check=False, cxx=cxx) for cxx in (False, True)]
    assert [str(each.sig) for each in as_cxx.functions] == [str(each.sig) for each in as_c.functions]
    assert "optional[ptr[const i8]], length: u64" in str(as_cxx.functions[0].sig)
    found = [{each.c_name: (each.text(), each.layout()[:2]) for each in made.structs} for made in (as_c, as_cxx)]
    assert found[0] == found[1] and set(found[0]) == {"untagged", "struct node", "struct later"}
    assert [(each.name, each.reason) for each in as_cxx.refused] == [(each.name, each.reason) for each in as_c.refused]


@needs_clang
def test_errors_are_clangs_first(tmp_path):
    (tmp_path / "own.hpp").write_text("int f(;\nint g(;\n")
    with pytest.raises(HeaderError, match=r"^clang\+\+\S*: own.hpp:1: expected"):
        jitffi.bind_header(tmp_path / "own.hpp", "m")
    with pytest.raises(HeaderNotFound, match="no such header"):
        jitffi.bind_header("none_such.hpp", "m")


def test_without_clang_the_error_says_what_to_install(tmp_path, monkeypatch):
    (tmp_path / "own.hpp").write_text('extern "C" double cosh(double);')
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CXX", raising=False)
    with pytest.raises(HeaderError, match=r"own.hpp: C\+\+ is read by clang\+\+, which is not here: install clang"):
        jitffi.bind_header(tmp_path / "own.hpp", "m")
    with pytest.raises(HeaderError, match=r"own.hpp: C\+\+ is read by clang\+\+ only"):
        jitffi.bind_header(tmp_path / "own.hpp", "m", use_compiler=False)


@needs_clang
def test_the_command_reads_cxx(tmp_path):
    (tmp_path / "own.h").write_text('extern "C" double cosh(double x = 0);\nint over(int);\n')
    command = [sys.executable, "-m", "jitffi", "bind", "own.h", "-l", "m", "--cxx", "-o", "made.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr.split("\n") == [
        "jitffi: bound 1 function; left out 1 function", "jitffi: 1 function with C++ linkage: over", "",
    ]  # fmt: skip
    assert "jitffi bind own.h --library m --cxx" in (tmp_path / "made.py").read_text()
