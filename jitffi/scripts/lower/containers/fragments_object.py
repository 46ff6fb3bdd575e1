"""Fragments that count references to objects of Python's (fragments.py), as Py_INCREF and Py_DECREF do in C.

From 3.12 on the count is a word of 32 bits, which is negative for objects that are immortal (PEP 683) and not counted.
"""

from __future__ import annotations

from jitffi.base.layout import HOST
from jitffi.scripts.lower.containers.fragments import Writer, fragment
from jitffi.scripts.lower.function.emit import V, const


def _count(w: Writer, object_: V, done: str) -> V:
    """The count of an object that has one; else the code goes on at *done*."""
    e = w.e
    if not HOST["immortal"]:
        return e.load("i64", object_, HOST["object.refcnt"], "count")
    count = e.load("i32", object_, HOST["object.refcnt"], "count")
    counted = e.label("counted")
    e.branch(e.icmp("slt", count, const("i32", 0), "is.immortal"), done, counted)
    e.at(counted)
    return count


@fragment("object.retain", "void", "ptr object")
def _retain(w: Writer, object_: V) -> None:
    e, done = w.e, w.e.label("done")
    e.will_lead_to(done)
    count = _count(w, object_, done)
    e.store(e.add(count, const(count.type, 1)), object_, HOST["object.refcnt"])
    e.br(done)
    e.at(done)
    e.ret(None)


@fragment("object.release", "void", "ptr object")
def _release(w: Writer, object_: V) -> None:
    """NULL is nothing."""
    e = w.e
    some, less, last, done = e.label("some"), e.label("less"), e.label("last"), e.label("done")
    e.branch(e.is_null(object_), done, some)
    e.at(some)
    count = _count(w, object_, done)
    e.branch(e.icmp("ugt", count, const(count.type, 1)), less, last)
    e.at(less)
    e.store(e.sub(count, const(count.type, 1)), object_, HOST["object.refcnt"])
    e.br(done)
    e.at(last)
    w.outside("core_op_release", object_)
    e.br(done)
    e.at(done)
    e.ret(None)
