"""References of vectors (containers/vectors.py), counted in line, and not atomically: no other thread has one."""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import V, const

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.emit import Emit
    from jitffi.scripts.lower.function.frame import Frame

#: abi.h: `ref_count` of a jf_object.
_COUNT = 4


def retain(e: Emit, vector: V) -> None:
    """One reference more."""
    e.store(e.add(e.load("i32", vector, _COUNT, "references"), const("i32", 1)), vector, _COUNT)


def release(frame: Frame, vector: V) -> None:
    """One less; the last one takes the vector with it."""
    e = frame.e
    last, others, done = e.label("last"), e.label("others"), e.label("released")
    references = e.load("i32", vector, _COUNT, "references")
    e.branch(e.icmp("eq", references, const("i32", 1)), last, others)
    e.at(last)
    frame.call("jf_object_release", vector)
    e.br(done)
    e.at(others)
    e.store(e.sub(references, const("i32", 1)), vector, _COUNT)
    e.br(done)
    e.at(done)
