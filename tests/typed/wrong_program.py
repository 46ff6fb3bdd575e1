"""Mistakes that a type checker finds, since decorated functions keep their signatures: one a line of `mistakes`."""

import jitffi


@jitffi.script
def words(text: str) -> list[str]:
    return text.split()


@jitffi.function("(i64) -> i64")
def twice(x: int) -> int:
    return 2 * x


@jitffi.register_global_func("wrong.half", override=True)
def half(x: float) -> float:
    return x / 2


def mistakes() -> None:
    words(b"bytes")
    words()
    words("text").upper()
    twice("text")
    twice(1, 2)
    half("text")
    jitffi.get_global_func("none", allow_missing=True)()
