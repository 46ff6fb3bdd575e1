"""What `help` shows and `inspect.signature` reads of a builtin: CPython's text signature, then ours."""

from __future__ import annotations

from jitffi.signature.model import NO_DEFAULT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.signature.model import Signature


def text_signature(name: str, sig: Signature, doc: str, first: str = "self") -> bytes:
    """What `help` shows and `inspect.signature` reads: CPython's text signature, then the signature itself. *first* is
    what the builtin's `__self__` is called."""
    taken = {p.name for p in sig.params}
    last_unnamed = max([i for i, p in enumerate(sig.params) if p.name is None], default=-1)
    parts = ["$" + _free(first, taken)]  # what inspect leaves out
    for i, p in enumerate(sig.params):
        text = p.name or _free(f"arg{i + 1}", taken)
        if p.default is not NO_DEFAULT:
            text += f"={_literal(p.default)}"
        parts.append(text)
        if i == last_unnamed:
            parts.append("/")
    if last_unnamed < 0:
        parts.insert(1, "/")
    # CPython looks for the part of the name behind its last dot (typeobject.c, find_signature).
    head = f"{name.rpartition('.')[2]}({', '.join(parts)})\n--\n\n{name}{sig}"
    return (f"{head}\n\n{doc}" if doc else head).encode("utf-8", "replace").replace(b"\0", b"?")


def _free(name: str, taken: set[str | None]) -> str:
    while name in taken:
        name += "_"
    return name


def _literal(value: object) -> str:
    """A default as `inspect` can read it back; infinity and nan have no literal."""
    if isinstance(value, float) and value - value != 0.0:
        return "1e999" if value > 0 else "-1e999" if value < 0 else "None"
    return ascii(value)  # inspect reads no other characters
