"""jitffi/signature/cdecl.py and csource.py: C declarations are read as a C compiler does, or refused by name."""

from __future__ import annotations

import re
import shutil
import struct
import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from jitffi.base.errors import SignatureError
from jitffi.signature.cdecl import parse_declarations, parse_prototype
from jitffi.signature.csource import CHAR, KEYWORD_TYPES, LONG, TYPEDEFS, ULONG
from jitffi.signature.model import Signature
from jitffi.signature.text import parse

CC = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")
needs_cc = pytest.mark.skipif(CC is None, reason="no C compiler to compare with")


@pytest.mark.parametrize(
    ("prototype", "name", "text"),
    [
        ("double hypot(double x, double y);", "hypot", "(x: f64, y: f64) -> f64"),
        ("int rand(void)", "rand", "() -> i32"),
        ("int rand()", "rand", "() -> i32"),
        ("typedef void V; V f(V)", "f", "() -> void"),
        ("const char *gai_strerror(int code)", "gai_strerror", "(code: i32) -> optional[cstr]"),
        ("const char *zError(int)", "zError", "(i32) -> optional[cstr]"),
        ("unsigned char *f(unsigned char *a, const unsigned char *b, signed char *c)", "f",
         "(a: optional[ptr[u8]], b: optional[ptr[const u8]], c: optional[ptr[i8]]) -> optional[ptr[u8]]"),
        ("void f(char *a, const char b[], char c[8], const char *const *d)", "f",
         "(a: optional[ptr[i8]], b: optional[cstr], c: optional[ptr[i8]], d: optional[ptr[cstr]]) -> void"),
        ("void f(char const *a, const volatile char *restrict b)", "f",
         "(a: optional[cstr], b: optional[cstr]) -> void"),
        ("typedef const char *S; typedef char C; void f(S a, const C *b, C *const c)", "f",
         "(a: optional[cstr], b: optional[cstr], c: optional[ptr[i8]]) -> void"),
        ("typedef char *S; void f(const S a)", "f", "(a: optional[ptr[i8]]) -> void"),
        ("typedef char A[4]; void f(A a, const A b, A *c)", "f",
         "(a: optional[ptr[i8]], b: optional[cstr], c: optional[ptr[i8]]) -> void"),
        ("void f(int a[][3], int b[static 3], int (*c)[4])", "f",
         "(a: optional[ptr[i32]], b: optional[ptr[i32]], c: optional[ptr[i32]]) -> void"),
        ("void f(signed char a, short b, unsigned short int c, long long d, unsigned e, _Bool g, float h)", "f",
         "(a: i8, b: i16, c: u16, d: i64, e: u32, g: bool, h: f32) -> void"),
        ("long unsigned int long f(int long long signed x)", "f", "(x: i64) -> u64"),
        ("char f(char, long, unsigned long, size_t, ssize_t)", "f",
         f"({CHAR}, {LONG}, {ULONG}, {ULONG}, {LONG}) -> {CHAR}"),
        ("int8_t f(uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t, bool)", "f",
         "(u8, i16, u16, i32, u32, i64, u64, bool) -> i8"),
        ("enum color { RED, GREEN } f(enum color c, enum other *p)", "f", "(c: i32, p: optional[ptr[i32]]) -> i32"),
        ("typedef enum { A = 1, B } E; typedef struct s S; E f(S *s, union u **u)", "f",
         "(s: optional[ptr[struct s]], u: optional[ptr[ptr[struct u]]]) -> i32"),
        ("size_t fread(void *restrict p, size_t n, size_t m, FILE *__restrict f)", "fread",
         f"(p: ptr, n: {ULONG}, m: {ULONG}, f: ptr) -> {ULONG}"),
        ("void qsort(void *base, size_t n, size_t size, int (*compar)(const void *, const void *))", "qsort",
         f"(base: ptr, n: {ULONG}, size: {ULONG}, "
         "compar: optional[func[(ptr[const void], ptr[const void]) -> i32]]) -> void"),
        ("typedef int cb(void *u, char **v); void f(cb *a, cb b, cb *c[2])", "f",
         "(a: optional[func[(u: ptr, v: optional[ptr[ptr[i8]]]) -> i32]], "
         "b: optional[func[(u: ptr, v: optional[ptr[ptr[i8]]]) -> i32]], "
         "c: optional[ptr[func[(u: ptr, v: optional[ptr[ptr[i8]]]) -> i32]]]) -> void"),
        ("void (*signal(int sig, void (*handler)(int)))(int)", "signal",
         "(sig: i32, handler: optional[func[(i32) -> void]]) -> optional[func[(i32) -> void]]"),
        ("typedef double unary(double x); unary sin;", "sin", "(x: f64) -> f64"),
        ("void f(const char *(*g)(char *s))", "f",
         "(g: optional[func[(s: optional[ptr[i8]]) -> optional[cstr]]]) -> void"),
        ("void f(int lambda, int x, int x_, int class)", "f", "(lambda_: i32, x: i32, x_: i32, class_: i32) -> void"),
        ("void f(int def, int def_)", "f", "(def_: i32, def__: i32) -> void"),
        ("void f(int a, int)", "f", "(i32, i32) -> void"),
        ("extern int f(int x); // the end", "f", "(x: i32) -> i32"),
        ("static inline int f(int x)", "f", "(x: i32) -> i32"),
        ("_Noreturn void exit(int status)", "exit", "(status: i32) -> void"),
        ("__extension__ extern __inline int f(__const char *__restrict s)"
         ' __attribute__((nonnull (1), deprecated(":)")))', "f", "(s: optional[cstr]) -> i32"),
        ("__declspec(dllexport) int f(__signed__ char c, __volatile__ int *v);", "f",
         "(c: i8, v: optional[ptr[i32]]) -> i32"),
        ("/* a \"comment\" */ int f( // another '\n int x /* int y */)", "f", "(x: i32) -> i32"),
        ("#include <x.h>\n#define N \\\n 4\nint f(int x[N]);\n#undef N\n", "f", "(x: optional[ptr[i32]]) -> i32"),
        ("int \\\nf(int x);;", "f", "(x: i32) -> i32"),
        ("typedef unsigned char bool; typedef long size_t; bool f(size_t x)", "f", f"(x: {LONG}) -> u8"),
        ("typedef uint8_t uint8_t; typedef struct _IO_FILE FILE; uint8_t f(FILE *x)", "f",
         "(x: optional[ptr[struct _IO_FILE]]) -> u8"),
    ],
)  # fmt: skip
def test_prototypes_are_read(prototype, name, text):
    assert parse_prototype(prototype) == (name, parse(text))
    assert parse_declarations(prototype).functions == {name: parse(text)}


def test_signature_reads_prototypes():
    assert Signature.from_c("int abs(int x);") == parse("(x: i32) -> i32")


@pytest.mark.parametrize(
    ("prototype", "caret", "message"),
    [
        ("_Float128 f(int x);", "_Float128", "f: result: there is no type for _Float128"),
        ("int f(long double _Complex x);", "long", "f: parameter 1 'x': there is no type for long double _Complex"),
        ("int f(_Float128 x);", "_Float128", "f: parameter 1 'x': there is no type for _Float128"),
        ("int f(_Float16 x);", "_Float16", "passed in another register than f16 and bf16"),
        ("int f(struct point p);", "point", "f: parameter 1 'p': struct point by value"),
        ("typedef struct { va_list x; } P; int f(int, P);", None, "f: parameter 2: struct {...} by value: x: va_list"),
        ("union u f(void);", "u f", "f: result: union u by value"),
        ("div_t div(int a, int b);", "div_t", "div: result: div_t by value"),
        ("int f(FILE x);", "FILE", "f: parameter 1 'x': FILE by value"),
        ("int f(va_list ap);", "va_list", "f: parameter 1 'ap': va_list, which only C compilers know how to pass"),
        ("int f(int (*)(struct s x));", "s x", "f: parameter 1, a function: parameter 1 'x': struct s by value"),
        ("int f(unsigned float x);", "unsigned", "f: parameter 1 'x': 'unsigned float' is no C type"),
        ("struct s { int a; }; enum e { E = sizeof(struct s) }; int f(int x);", None,
         "its size: struct s by value: its members are not declared"),
        ("int f(void x);", None, "f: parameter 1 'x': void is no parameter"),
        ("int f(int, void);", "void", "f: parameter 2: void is no parameter"),
        ("int f(void) { return 1; }", "f", "f: it has a body; a prototype ends after the parameters"),
        ("int f(a, b) int a; int b; { return 1; }", "f", "f: it has a body"),
        ("int x;", "x", "x: it is not a function"),
        ("int (*f)(void);", "*f", "f: it is not a function"),
        ("int f(int), g(int);", "g", "expected one function, got 2 declarations"),
        ("struct s;", "struct", "expected one function, got none"),
        ("int f(foo);", "foo", "unknown type 'foo'"),
        ("int f(a, b);", "a", "unknown type 'a'"),
        ("int f(int x, size_y y);", "size_y", "unknown type 'size_y'; did you mean 'size_t'?"),
        ("int f(const uint64 *x);", "uint64", "unknown type 'uint64'; did you mean 'uint64_t'?"),
        ("int f(int, foo);", "foo", "unknown type 'foo'; what is not standard needs a typedef"),
        ("int f(void (*cb)(foo x));", "foo", "unknown type 'foo'"),
        ("foo f(int x);", "foo", "unknown type 'foo'"),
        ("dubble *f(int x);", "dubble", "unknown type 'dubble'; did you mean 'double'?"),
        ("typedef foo bar; bar f(int x);", "foo", "unknown type 'foo'"),
        ("struct s { int a; foo b; }; int f(int x);", "foo", "unknown type 'foo'"),
        ("typedef struct { int x; } point_t; int f(point_s *p);", "point_s", "did you mean 'point_t'?"),
        ("hypot(double x);", "hypot", "hypot: the type of its result is missing"),
        ("static f(void);", "f", "f: the type of its result is missing"),
        ("int f(int x int y);", "int y", "unexpected 'int'"),
        ("int f(int x;", ";", "unexpected ';'"),
        ("\tint f(int,\tint,\tfoo);", "foo", "unknown type 'foo'"),
        ("int f(int @x);", "@", "not C: Illegal character '@'"),
        ("int f(int \0x);", "\0", "not C: Illegal character"),
        ("#if X\nint f(void);\n#endif", "#if", "#if is not evaluated; run the C preprocessor first"),
        ("int f(void) __attribute__((ms_abi));", "f", "f: the attribute 'ms_abi' changes what it is in C"),
        ("typedef int v4 __attribute__((__vector_size__(16))); int f(v4 x);", None,
         "v4: the attribute 'vector_size' changes"),
        ("int f(int) __asm__(\"g\");", "f", "f: its symbol has another name, given by asm"),
    ],
)  # fmt: skip
def test_errors_point_at_the_culprit(prototype, caret, message):
    with pytest.raises(SignatureError) as caught:
        parse_prototype(prototype)
    error = caught.value
    assert message in str(error).split("\n")[-3]
    if caret is not None:
        at = prototype.index("f(" if caret == "f" else caret)
        assert error.offset == at, str(error)


@pytest.mark.parametrize(
    "text", ["int f(", "int f(int x", "int", "int f(int (*g)(void)", "int f(void) __attribute__((pure)"]
)
def test_a_declaration_that_ends_early_is_shown(text):
    with pytest.raises(SignatureError):
        parse_prototype(text)


def test_the_place_is_right_after_comments_and_directives():
    text = "#define X 1 \\\n  2\n/* one\n * two */ typedef int t; /* three */\n  int f(t a, /* x */ fop b);"
    with pytest.raises(SignatureError) as caught:
        parse_prototype(text)
    error = caught.value
    assert (error.line, error.column) == (5, 21)
    assert str(error).split("\n")[1:] == ["  int f(t a, /* x */ fop b);", " " * 21 + "^^^"]
    assert str(error).startswith("line 5: unknown type 'fop'")


def test_empty_texts_and_other_objects_are_refused():
    for text in ("", " \n", "/* nothing */"):
        with pytest.raises(SignatureError, match="the text is empty|expected one function, got none"):
            parse_prototype(text)
    for call in (parse_prototype, parse_declarations):
        with pytest.raises(TypeError, match="expected str for C declarations, got bytes"):
            call(b"int f(void);")


def test_declarations_are_sorted_into_functions_and_refusals():
    found = parse_declarations(
        """
        typedef struct db db;               // opaque
        typedef int (*row)(void *, int, char **, char **);
        extern int open_db(const char *path, db **out);
        int run(db *, const char *sql, row callback, void *user), stop(db *);
        void log_to(const char *format, ...);
        struct point { double x, y; };
        struct point middle(struct point a, struct point b);
        int version;
        int stop(db *which);
        long changed(db *);
        int changed(db *);
        int changed(db *);
        static int twice(int x) { return 2 * x; }
        int f64(double) __asm__("f");
        int after(int x);
        """,
        "sorted",
    )
    texts, db = "optional[ptr[ptr[i8]]]", "optional[ptr[struct db]]"
    row = f"optional[func[(ptr, i32, {texts}, {texts}) -> i32]]"
    assert {name: str(sig) for name, sig in found.functions.items()} == {
        "open_db": "(path: optional[cstr], out: optional[ptr[ptr[struct db]]]) -> i32",
        "run": f"({db}, optional[cstr], {row}, ptr) -> i32",
        "log_to": "(format: optional[cstr], ...) -> void",
        "stop": f"({db}) -> i32",
        "middle": "(a: sorted.point, b: sorted.point) -> sorted.point",
        "after": "(x: i32) -> i32",
    }
    assert {name: str(variable) for name, variable in found.variables.items()} == {"version": "i32"}
    assert found.refused == {
        "changed": f"declared twice, as ({db}) -> {LONG} and as ({db}) -> i32",
        "twice": "it has a body; a prototype ends after the parameters",
        "f64": "its symbol has another name, given by asm",
    }


def test_a_declaration_that_is_no_c_refuses_the_text():
    with pytest.raises(SignatureError, match="line 2: unknown type 'foo'"):
        parse_declarations("int f(int);\nint g(foo);\nint h(int);")


@pytest.mark.parametrize(
    "text",
    [
        "void f(" + "void (*g)(" * 200 + "int" + ")" * 201,
        "void f(" + "void (*g)(" * 40 + "int" + ")" * 41,
        "int f(int " + "*" * 3000 + "x);",
        "int f(" + "(" * 3000 + "x" + ")" * 3000 + ");",
        "int f(int x" + "[2]" * 2000 + ");",
        "typedef struct {" * 2000,
    ],
)
def test_deep_nesting_is_no_crash(text):
    try:
        parse_prototype(text)
    except SignatureError as error:
        assert len(str(error)) < 1000


def test_the_parser_is_loaded_when_it_is_used():
    script = (
        "import sys, jitffi.signature.cdecl as c; print('pycparser' in sys.modules);"
        "c.parse_prototype('int f(void)'); print('pycparser' in sys.modules)"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert ran.stdout.split() == ["False", "True"], ran.stderr


@needs_cc
def test_scalar_types_are_the_compilers(tmp_path):
    """Size, signedness and kind of every C spelling that the tables know."""
    headers = "stdbool stddef stdint sys/types time signal wchar uchar pthread sys/socket".split()  # noqa: SIM905
    lines = ["#define _GNU_SOURCE", *[f"#include <{name}.h>" for name in headers]]
    for spelling, ty in (KEYWORD_TYPES | TYPEDEFS).items():
        if ty == "void":
            continue
        kind = {
            "f": "(T)0.5 != 0", "b": "(T)2 == 1", "i": "(T)-1 < 0 && (T)0.5 == 0", "u": "(T)-1 > 0 && (T)2 == 2",
            "l": "(T)0.5 != 0", "c": "__imag__ (T)1.0iF == 1",
        }[ty[0]]  # fmt: skip
        size = 1 if ty == "bool" else 16 if ty == "longdouble" else int(ty[1:]) // 8
        check = f"sizeof(T) == {size} && {kind}".replace("T", spelling)
        lines.append(f'_Static_assert({check}, "{spelling} is {ty}");')
    source = tmp_path / "types.c"
    source.write_text("\n".join(lines))
    ran = subprocess.run([CC, "-std=gnu11", "-fsyntax-only", str(source)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert struct.calcsize("P") == 8


@needs_cc
@pytest.mark.parametrize("header", ["stdlib", "string", "stdio", "math", "unistd", "pthread", "sys/socket", "complex"])
def test_system_headers_are_read(header):
    ran = subprocess.run(
        [CC, "-E", "-P", "-x", "c", "-"], input=f"#include <{header}.h>\n", capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    found = parse_declarations(ran.stdout)
    assert len(found.functions) + len(found.refused) > 10
    expected = {
        "stdlib": ("bsearch", "(__key: optional[T], ...)"),
        "string": ("memcpy", f"(__dest: ptr, __src: ptr[const void], __n: {ULONG}) -> ptr"),
        "stdio": ("fopen", "(__filename: optional[cstr], __modes: optional[cstr]) -> optional[ptr[c.FILE]]"),
        "math": ("fma", "(__x: f64, __y: f64, __z: f64) -> f64"),
        "unistd": ("read", f"(__fd: i32, __buf: ptr, __nbytes: {ULONG}) -> {LONG}"),
    }
    name, text = expected.get(header, (None, None))
    if name == "bsearch":
        compare = "optional[func[(ptr[const void], ptr[const void]) -> i32]]"
        text = f"(ptr[const void], ptr[const void], {ULONG}, {ULONG}, {compare}) -> ptr"
    if name:
        types = re.sub(r"\bc_\d+\.", "c.", found.functions[name].types)  # where another test has declared a FILE
        assert types == parse(text).types


PIECES = [
    "int", "char", "const", "*", "(", ")", "[", "]", "{", "}", ",", ";", "...", "x", "foo", "f", "(*g)", "struct",
    "enum", "typedef", "void", "size_t", "long", "double", "unsigned", "=", "3", "/*", "*/", "//", "\n", "#", "#define",
    "\\", '"', "'", "'a'", "__attribute__((", "))", "__asm__(", "static", "inline", "\0", "\u00e9", "_Complex",
    "sizeof", "_Atomic(", "_Static_assert(", "__int128", "auto", ":", "_Alignas(",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES), max_size=25).map(" ".join)


@settings(max_examples=1000, deadline=None)
@example("A(int _Atomic(int)")
@given(st.text(max_size=30) | TEXTS | TEXTS.map("int f({});".format) | TEXTS.map("{} f(int x);".format))
def test_any_text_is_read_or_refused(text):
    for call in (parse_prototype, parse_declarations):
        try:
            result = call(text)
        except SignatureError as error:
            str(error).encode()
            assert 0 <= error.offset <= len(text)
        else:
            for sig in [result[1]] if call is parse_prototype else result.functions.values():
                assert parse(str(sig)) == sig
