"""The table of types as Markdown, from their rows."""

from __future__ import annotations

from jitffi.signature.plain import plain_types
from jitffi.types.row import Row
from jitffi.types.table import row

#: What is made of other types.
COMPOSED = (
    ("func[(i64) -> i64]", "any callable", "`int64_t (*)(int64_t)`"),
    ("list[T]`, `map[K, V]`, `tuple[T, U]`, `tuple[T, ...]", "the same as without, of these", "`jf_object*`"),
    ("optional[T]", "None or T", "NULL or T; numbers, `dtype` and `device` as `const T*`"),
    ("T \\| U`, `T \\| null`, `union[T, U]", "what either takes: exactly, else from left to right", "`const jf_view*`"),
    ("demo.Point", "an object of the type of that key, or of one below it", "`jf_object*`"),
)


HEAD = "| type | in Python | in C |"


def markdown() -> str:
    rows = [(type_.name, row(type_)) for type_ in plain_types() if type_.name != "void"]
    lines = [(name, facts.doc_python or facts.shown_takes, facts.doc_c or _spelled(facts)) for name, facts in rows]
    table = [f"| `{name}` | {python} | {c} |" for name, python, c in (*lines, *COMPOSED)]
    return "\n".join([HEAD, "|---|---|---|", *table])


def _spelled(facts: Row) -> str:
    return f"`{facts.c}`, `size_t`" if len(facts.parts) > 1 else f"`{facts.c}`"
