"""C and C++ headers for what `emit` writes: the entries that an object defines and the callees that it needs.

    // hypot: (x: f64, y: f64 = 1.0) -> f64
    double hypot(double x, double y);  // called: to be linked with
    int32_t __jf_hypot(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);
    extern const char __jfsig_hypot[];  // the signature's text

C11, C++11 and later, clean under -Wall -Wextra -pedantic. Comments are `//`, which no text of a signature can end.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from jitffi.base.errors import ArgumentError
from jitffi.base.symbol_names import SIGNATURE_PREFIX
from jitffi.conventions.table import convention
from jitffi.signature import cnames, compound, spelling, struct_source
from jitffi.signature.model import Signature

_STANDARD = cnames.STANDARD


def text(
    sigs: dict[str, Signature], *, entry: str, callee: str, callee_name: str | None = None,
    file_name: str = "emitted.h", complete: Collection[str] = (),
) -> str:  # fmt: skip
    """Return the header's text; *file_name* gives its include guard. TypeError where C cannot carry a signature,
    ArgumentError where no C function can have the name.

    *complete*: the names of those that call nothing.

    >>> sigs = {"hypot": Signature.parse("(x: f64, y: f64) -> f64")}
    >>> print(text(sigs, entry="c", callee="packed", file_name="demo.h"))
    // demo.h: functions that jitffi made from signatures.
    #ifndef DEMO_H
    #define DEMO_H
    <BLANKLINE>
    #include "jitffi/runtime.h"
    <BLANKLINE>
    #ifdef __cplusplus
    extern "C" {
    #endif
    <BLANKLINE>
    // hypot: (x: f64, y: f64) -> f64
    // defined:
    double hypot(double x, double y);
    // called, for you to define:
    int32_t __jf_hypot(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out);
    <BLANKLINE>
    #ifdef __cplusplus
    }
    #endif
    #endif
    <BLANKLINE>
    """
    _check(sigs, entry, callee, callee_name, complete)
    callees = {name: "" if name in complete else callee for name in sigs}
    blocks = [_block(name, sig, entry, callees[name], callee_name or name) for name, sig in sigs.items()]
    defined = struct_source.definitions(sigs.values())
    code = [*defined, *[line for block in blocks for line in block.splitlines() if not line.startswith("//")]]
    named = [n for name in sigs for n in (*_c_names(entry, name), *_c_names(callees[name], callee_name or name))]
    standard = {_STANDARD[name] for name in named if name in _STANDARD}
    runtime = [name for name in named if cnames.is_runtimes(name)]
    found = dict.fromkeys([*['"jitffi/runtime.h"'] * bool(runtime), *spelling.headers(code), *sorted(standard)])
    includes = "\n".join([f"#include {name}" for name in found])
    # A struct that a parameter list named first would be known in it alone.
    structs = dict.fromkeys(re.findall(r"\bstruct \w+", "\n".join(code[len(defined) :])))
    forward = [line for struct in structs if (line := f"{struct};") not in defined] + defined
    guard = _guard(file_name)
    is_own = guard.endswith(("_H", "_HH", "_HPP", "_HXX")) and not cnames.is_runtimes(guard)
    if guard in sigs or guard == callee_name or not is_own:
        guard = f"EMITTED_{guard}"  # it would be a macro that something else has for its name
    parts = [
        f"// {_printable(file_name)}: functions that jitffi made from signatures.\n#ifndef {guard}\n#define {guard}",
        *([includes] if includes else []),
        '#ifdef __cplusplus\nextern "C" {\n#endif',
        *(["\n".join(forward)] if forward else []),
        *blocks,
        "#ifdef __cplusplus\n}\n#endif\n#endif\n",
    ]
    return "\n\n".join(parts)


def _check(
    sigs: dict[str, Signature], entry: str, callee: str, callee_name: str | None, complete: Collection[str]
) -> None:
    for name, sig in sigs.items():
        defined = _c_names(entry, name)
        for each in (*defined, *_c_names("" if name in complete else callee, callee_name or name)):
            reason = cnames.why_not_declared(each, sig)
            if not reason and each in defined and cnames.is_runtimes(each):
                reason = "such names are the runtime's"
            if reason:
                raise ArgumentError(f"{each}: a header cannot declare it: {reason}")


def _block(name: str, sig: Signature, entry: str, callee: str, callee_name: str) -> str:
    lines = [f"// {name}: {_printable(str(sig))}", *_declared("defined", name, sig, entry)]
    if convention(entry).tells_signature:
        lines += [
            "// the signature's text:",
            f"extern const char {SIGNATURE_PREFIX}{name}[];",
        ]
    lines += _declared("called, for you to define", callee_name, sig, callee) if callee else []
    found = [compound.owned_in(type_) for type_ in (sig.result, *[p.type for p in sig.params])]
    frees = dict.fromkeys([type_.args[1] for type_ in found if type_ is not None])
    return "\n".join([*lines, *[f"// frees what it gives, for you to define: {free}" for free in frees]])


def _c_names(which: str, name: str) -> list[str]:
    """The name, where functions of that convention have their own names; "" is none."""
    return [name] * (which != "" and not convention(which).prefix)


def _declared(what: str, name: str, sig: Signature, which: str) -> list[str]:
    """The lines for one function, what it is and its declaration, unless compilers know better."""
    if _c_names(which, name) and name in _STANDARD:
        return [f"// {what.partition(',')[0]}: {name} of {_STANDARD[name]}"]
    if _c_names(which, name) and cnames.is_runtimes(name):
        return [f"// {what.partition(',')[0]}: {name} of jitffi's runtime"]
    return [f"// {what}:", *convention(which).declaration(name, sig)]


def _guard(file_name: str) -> str:
    """
    >>> _guard("my-lib.hpp"), _guard("2.h"), _guard("_\u00e4.h")
    ('MY_LIB_HPP', 'H_2_H', 'UE4_H')
    """
    words = "".join([c if c.isascii() else f"_u{ord(c):x}_" for c in file_name])  # two files, two guards
    guard = re.sub(r"[^A-Z0-9]+", "_", words.upper()).lstrip("_")
    return guard if guard[:1].isalpha() and guard.isascii() else f"H_{guard}"


def _printable(text: str) -> str:
    r"""What a comment of one line may hold, without a line break and without a backslash that would hide one.

    >>> _printable("a\nb\\")
    'a\ufffdb\\.'
    """
    shown = "".join([c if c.isprintable() else "\ufffd" for c in text])
    return f"{shown}." if shown.endswith(("\\", "??/")) else shown
