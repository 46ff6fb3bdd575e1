"""C headers as Python modules: what `jitffi bind` does.

    zlib.h
        | preprocess       the C preprocessor's text, with marks of what came from where; `builtin` where there is none
        v
    units                  one text a declaration; macros
        | declarations     functions with signatures, or the reason that there is none; enums; callbacks
        | constants        macros with values: `macros` expanded, then an `expression` of `literals`
        | comments, groups what the header says of them
        v
    writer                 the module's text

`binding` goes that way from end to end.
"""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from jitffi.bind.binding import Binding


def bind_header(
    header: str | os.PathLike[str], library: str, out: str | os.PathLike[str] | None = None, *,
    include_dirs: Sequence[str] = (), defines: Sequence[str] = (), also: Sequence[str] = (), check: bool = True,
    keep_callbacks: Sequence[str] = (), brief: bool = False, use_compiler: bool = True,
) -> Binding:  # fmt: skip
    """Make a Python module of typed wrappers from a C header; write it to *out*, whole or not at all.

    *header* is a file or what `#include <...>` finds, *library* a soname, a path, or a short name like "z".
    *include_dirs* and *defines* go to the preprocessor; *also* are patterns of further headers whose declarations
    count; functions that one of the patterns *keep_callbacks* fits keep the callables that they are given, as handlers
    need it. With *check* off the library is not loaded, so that what it lacks is found when it is called. *brief* takes
    the first paragraph of each comment. Without *use_compiler* the header is read by ourselves, as it is where there
    is no C compiler.
    HeaderNotFound and HeaderError for the header, OSError for the library and for *out*.

    >>> import jitffi
    >>> made = jitffi.bind_header("math.h", "m")
    >>> [function.prototype for function in made.functions if function.name == "cosh"]
    ['double cosh(double __x)']
    """
    with IMPORTS:
        from jitffi.bind.binding import bind
    return bind(
        header, library, out, include_dirs=include_dirs, defines=defines, also=also, check=check,
        keep_callbacks=keep_callbacks, brief=brief, use_compiler=use_compiler,
    )  # fmt: skip
