"""C headers as Python modules: what `jitffi bind` does.

    zlib.h
        |  source/preprocess   the C preprocessor's text, with marks of what came from where; or `builtin`'s
        v                      (C++ by `cxx/language`)
    source/units               one text a declaration; macros
        |  read/declarations   functions with signatures, or the reason that there is none; enums; callbacks
        |  read/constants      macros with values: `macros` expanded, then an `expression` of `literals`
        |  read/comments       what the header says of them
        |  side/refine         what a side file says more exactly
        v
    write/writer               the module's text

`binding` goes that way from end to end, `symbols` is the library at its side. `side/suggest`, with `owners`, proposes a
side file instead of writing a module.
"""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from jitffi.bind.source.files import Headers
    from jitffi.bind.write.summary import Binding


def bind_header(
    header: Headers, library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    keep_callbacks: Sequence[str] = (), brief: bool = False, use_compiler: bool = True,
    side: str | os.PathLike[str] | None = None, prefix: str | None = None, cxx: bool = False,
) -> Binding:  # fmt: skip
    """Make a Python module of typed wrappers from a C header; write it to *out*, whole or not at all.

    *header* is a file or what `#include <...>` finds, or several that make one module; *library* a soname, a path, or a
    short name like "z".
    *include_dirs* and *defines* go to the preprocessor; *also* are patterns of further headers whose declarations
    count; functions that one of the patterns *keep_callbacks* fits keep the callables that they are given, as handlers
    need it. With *check* off the library is not loaded, so that what it lacks is found when it is called. *brief* takes
    the first paragraph of each comment. Without *use_compiler* the header is read by ourselves, as it is where there
    is no C compiler. *side* is a side file (see `side/side_file`); without it, one beside the first header that has its
    name counts. *prefix* is what the keys of structs begin with, in the place of the library's name: two modules of one
    process may then have others of the same names. A header that is C++, which its suffix (`.hpp`) or its text tells,
    or *cxx* says, is read by clang++, and what has C linkage counts. HeaderNotFound and HeaderError for the header and
    the side file, OSError for the library and for *out*.

    >>> import jitffi
    >>> made = jitffi.bind_header("math.h", "m")
    >>> [function.prototype for function in made.functions if function.name == "cosh"]
    ['double cosh(double __x)']
    """
    with IMPORTS:
        from jitffi.bind.binding import bind
    return bind(
        header, library, out, include_dirs=include_dirs, defines=defines, also=also, check=check,
        keep_callbacks=keep_callbacks, brief=brief, use_compiler=use_compiler, side=side, prefix=prefix, cxx=cxx,
    )  # fmt: skip


def suggest_side(
    header: Headers, library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    use_compiler: bool = True, prefix: str | None = None, cxx: bool = False,
) -> str:  # fmt: skip
    """Propose a side file for a header; write it to *out*, whole or not at all.

    Lengths beside pointers, handles that are put into a place, and pairs of functions that make and free become exact
    types; what comments say of errno and ownership counts. Each line ends with the reason for the guess. The arguments
    are those of `bind_header`, which takes what is written as its *side*, and so are the errors.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "own.h")
    >>> _ = open(path, "w").write("double total(const double *values, unsigned long n);")
    >>> print(suggest_side(path, "own", check=False).split("\\n\\n")[1].rstrip())
    [functions.total]
    types.values = "optional[const f64[n]]"  # guess: n is its length
    """
    with IMPORTS:
        from jitffi.bind.binding import suggest
    return suggest(
        header, library, out, include_dirs=include_dirs, defines=defines, also=also, check=check,
        use_compiler=use_compiler, prefix=prefix, cxx=cxx,
    )  # fmt: skip
