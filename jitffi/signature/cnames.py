"""Names in C and C++: which of them parameters and functions of a header can have, and what is there already.

Beside keywords these are macros, which replace a name wherever it stands, types, and functions that compilers know
without a header, so that another declaration of them is an error or a warning. Sources: C11 6.4.1, 7.1.3 and chapter 7;
C23 6.4.1; C++20 [lex.key]; POSIX.1-2017, for what its structs' members are macros of; GCC's manual, "Other Builtins".
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature

_C = """
    auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while _Alignas
    _Alignof _Atomic _Bool _Complex _Generic _Imaginary _Noreturn _Static_assert _Thread_local
"""
_CPP = """
    alignas alignof and and_eq asm bitand bitor bool catch char16_t char32_t char8_t class co_await co_return co_yield
    compl concept const_cast consteval constexpr constinit decltype delete dynamic_cast explicit export false friend
    mutable namespace new noexcept not not_eq nullptr operator or or_eq private protected public reinterpret_cast
    requires static_assert static_cast template this thread_local throw true try typeid typename typeof typeof_unqual
    using virtual wchar_t xor xor_eq
"""
#: Keywords of C23, and of C as compilers have it by themselves; macros of headers before.
_C_LATER = """
    alignas alignof asm bool constexpr false nullptr static_assert thread_local true typeof typeof_unqual
"""
#: Macros without arguments, which replace parameters, too; those of compilers among them.
_MACROS = """
    EOF I INFINITY NAN NULL complex d_fileno errno false i386 imaginary linux math_errhandling noreturn s_addr
    sched_priority sigmask stderr stdin stdout true unix
"""
#: Such macros that stand for members of structs: all that begin so.
_MEMBERS = ("s6_addr", "sa_", "si_", "sigev_", "st_")
#: Macros with arguments, and those that C++ knows as operators.
_CALLED_MACROS = """
    alloca and and_eq assert bitand bitor compl fpclassify isfinite isgreater isgreaterequal isinf isless islessequal
    islessgreater isnan isnormal isunordered not not_eq offsetof or or_eq setjmp signbit sigsetjmp static_assert
    strdupa strndupa va_arg va_copy va_end va_start xor xor_eq
"""
#: Names that the headers have for types; and those of the compilers' own.
_TYPE = re.compile(r"u?int(_least|_fast)?\d+_t|u?int(ptr|max)_t|size_t|ssize_t|ptrdiff_t|wchar_t|max_align_t|nullptr_t")
_LIMITS = re.compile(
    r"U?INT(_LEAST|_FAST)?\d+_(MIN|MAX|WIDTH|C)|U?INT(PTR|MAX)_(MIN|MAX|WIDTH|C)|(PTRDIFF|SIG_ATOMIC|SIZE|WCHAR|WINT)_(MIN|MAX|WIDTH)"
)
_COMPILERS = re.compile(r"__\w*__|__[A-Z]\w*|__func__|__(builtin|sync|atomic|cyg_profile)_\w*|_Pragma")

#: Functions that compilers know, with types that we spell otherwise: who declares them.
_STANDARD = {
    "<string.h>": """
        memccpy memchr memcmp memcpy memmove mempcpy memset stpcpy stpncpy strcat strchr strcmp strcoll strcpy strcspn
        strdup strerror strlcat strlcpy strlen strncat strncmp strncpy strndup strnlen strpbrk strrchr strspn strstr
        strtok strxfrm
    """,
    "<strings.h>": "bcmp bcopy bzero ffsl ffsll index rindex strcasecmp strncasecmp",
    "<stdlib.h>": """
        _Exit abort abs aligned_alloc atexit atof atoi atol atoll bsearch calloc exit free getenv labs llabs malloc
        posix_memalign qsort rand realloc srand strtod strtof strtol strtoll strtoul strtoull system
    """,
    "<stdio.h>": """
        clearerr fclose feof ferror fflush fgetc fgetpos fgets fopen fprintf fputc fputc_unlocked fputs fputs_unlocked
        fread freopen fscanf fseek fsetpos ftell fwrite fwrite_unlocked getc getchar perror printf putc putc_unlocked
        putchar putchar_unlocked puts remove rename rewind scanf setbuf setvbuf snprintf sprintf sscanf tmpfile tmpnam
        ungetc vfprintf vfscanf vprintf vscanf vsnprintf vsprintf vsscanf
    """,
    "<ctype.h>": """
        isalnum isalpha isascii isblank iscntrl isdigit isgraph islower isprint ispunct isspace isupper isxdigit
        toascii tolower toupper
    """,
    "<wctype.h>": """
        iswalnum iswalpha iswblank iswcntrl iswdigit iswgraph iswlower iswprint iswpunct iswspace iswupper iswxdigit
        towlower towupper
    """,
    "<math.h>": """
        frexp frexpf lgamma_r lgammaf_r llrint llrintf llround llroundf lrint lrintf lround lroundf modf modff nan nanf
        remquo remquof scalbln scalblnf sincos sincosf
    """,
    "<time.h>": "asctime clock ctime difftime gmtime localtime mktime strftime time",
    "<unistd.h>": "_exit execl execle execlp execv execve execvp fork vfork",
    "<malloc.h>": "memalign",
    "<wchar.h>": "wcschr wcscmp wcslen wcsncmp wmemchr wmemcmp wmemcpy wmemmove",
    "<fenv.h>": """
        feclearexcept fegetenv fegetexceptflag fegetround feholdexcept feraiseexcept fesetenv fesetexceptflag
        fesetround fetestexcept feupdateenv
    """,
    "<inttypes.h>": "imaxabs",
    "<libintl.h>": "dcgettext dgettext gettext",
    "<monetary.h>": "strfmon",
}  # fmt: skip
#: Functions that compilers know, by types as ours; of float with an f behind.
_TYPED = {
    "(f64) -> f64": """
        acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor gamma j0 j1 lgamma
        log log10 log1p log2 logb nearbyint pow10 rint round roundeven significand sin sinh sqrt tan tanh tgamma trunc
        y0 y1
    """,
    "(f64, f64) -> f64": """
        atan2 copysign drem fdim fmax fmin fmod hypot nextafter pow remainder scalb
    """,
    "(c128) -> f64": "cabs carg cimag creal",
    "(c128) -> c128": """
        cacos cacosh casin casinh catan catanh ccos ccosh cexp clog clog10 conj cproj csin csinh csqrt ctan ctanh
    """,
    "(c128, c128) -> c128": "cpow",
    "(f64, f64, f64) -> f64": "fma",
    "(f64, i32) -> f64": "ldexp scalbn",
    "(i32, f64) -> f64": "jn yn",
    "(f64) -> i32": "finite ilogb isinf isnan",
    "(i32) -> i32": "ffs",
}  # fmt: skip
#: Others of these, with complex numbers of long double and _Float types, in none of which a signature can be, or with
#: pointers that are spelled otherwise.
_UNTYPED = re.compile(
    r"(nexttoward[fl]?|lgammal_r|strtold|(nan|frexp|modf|remquo|sincos|ll?r(int|ound)|scalbln|isinf|isnan)l"
    r"|c(abs|acosh?|arg|asinh?|atanh?|cosh?|exp|imag|log|log10|onj|pow|proj|real|sinh?|sqrt|tanh?)l"
    r"|(ceil|copysign|fabs|floor|fma|fmax|fmin|nan|nearbyint|rint|round|roundeven|sqrt|trunc)f(32x?|64x?|128))\Z"
)

C_KEYWORDS = frozenset(_C.split())
KEYWORDS = C_KEYWORDS | frozenset(_CPP.split())
#: Those of C++ alone: functions that only C has; the name of its library, too.
ONLY_C = KEYWORDS | {"std"}
#: The header by the function.
STANDARD = {name: header for header, names in _STANDARD.items() for name in names.split()}
_NO_PARAMETERS = KEYWORDS | frozenset(_MACROS.split())
_NO_FUNCTIONS = frozenset(_MACROS.split()) | frozenset(_CALLED_MACROS.split())
_TYPES = {name: types for types, names in _TYPED.items() for name in names.split()}
_OF_FLOATS = {name: types for name, types in _TYPES.items() if "f64" in types or "c128" in types}
_TYPES |= {f"{name}f": types.replace("f64", "f32").replace("c128", "c64") for name, types in _OF_FLOATS.items()}
_TYPES |= {f"{name}l": types.replace("f64", "longdouble") for name, types in _OF_FLOATS.items() if "c128" not in types}


def can_name_parameter(name: str) -> bool:
    """Whether C and C++ take it as a parameter's, whatever headers stand before: no keyword, no type and no macro.

    >>> [can_name_parameter(name) for name in ("x", "class", "errno", "size_t", "INT8_MAX", "st_mtime", "jf_view")]
    [True, False, False, False, False, False, False]
    """
    if not name.isascii() or name in _NO_PARAMETERS or name.startswith(("__", "jf_", *_MEMBERS)):
        return False
    return not (name.endswith("_t") or re.match(r"_?[A-Z][A-Z0-9_]", name))


def is_runtimes(name: str) -> bool:
    """Whether it is one of the names that the runtime's headers keep for themselves."""
    return name.startswith(("jf_", "JF_", "JITFFI_", "__jf"))


def why_not_declared(name: str, sig: Signature) -> str:
    """Return why no header can declare a function of that name and these types; "" where one can.

    >>> from jitffi.signature.model import Signature
    >>> why_not_declared("errno", Signature.parse("() -> i32"))
    "it is a macro of C's headers"
    >>> why_not_declared("hypot", Signature.parse("(i64) -> i64"))
    "C's own function of that name is (f64, f64) -> f64"
    """
    if name in C_KEYWORDS or name in _C_LATER.split():
        return "it is a keyword of C"
    if name in _NO_FUNCTIONS or _LIMITS.fullmatch(name) or name.startswith(_MEMBERS) and name not in STANDARD:
        return "it is a macro of C's headers"
    if _TYPE.fullmatch(name) or name in ("char8_t", "char16_t", "char32_t"):
        return "it is a type of C's headers"
    if _COMPILERS.fullmatch(name):
        return "it is a name of the compiler's own"
    if name == "main":
        return "it is where a program begins"
    if _UNTYPED.match(name):
        return "C's own function of that name has types that no signature has"
    types = _TYPES.get(name)
    if types is not None and types != str(sig.types):
        return f"C's own function of that name is {types}"
    return ""
