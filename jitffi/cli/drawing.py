"""`inspect --layout`: where a convention puts each parameter, the result and a failure, drawn as text.

entry python   PyObject* hypot(PyObject* self, PyObject* const* args, Py_ssize_t nargs, PyObject* kwnames)
  args[0]        x: f64          float, int
  args[1]        y: f64          float, int
  returns        f64             float; NULL with an exception set

callee c       double hypot(double x, double y)
  xmm0           x: f64          double
  ...
"""

from __future__ import annotations

from jitffi.conventions.table import convention
from jitffi.signature.model import Param, Signature


def draw(name: str, sig: Signature, entry: str, callee: str | None) -> str:
    """Return the drawing of both conventions; of the entry's alone where there is no *callee*.

    >>> print(draw("inc", Signature.parse("(i64) -> i64"), "packed", "python"))
    inc: (i64) -> i64
    <BLANKLINE>
    entry packed   int32_t inc(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out)
      args + 0     1: i64         int, v_int64
      out          i64            int, v_int64
      returns      0              or -1 with the last error set and *out null
    <BLANKLINE>
    callee python  PyObject* inc(PyObject* self, PyObject* const* args, Py_ssize_t nargs)
      args[0]      1: i64         int
      returns      i64            int; NULL with an exception set
    """
    parts = [f"{name}: {sig}"]
    for half, which in (("entry", entry), ("callee", callee)):
        if which is None:
            continue
        drawn = convention(which)
        places = drawn.places(sig, [_label(i, p) for i, p in enumerate(sig.params)])
        width = max(len(what) for _, what, _ in places) if places else 0
        rows = [f"  {where:<13}{what:<{max(width + 1, 14)}} {form}".rstrip() for where, what, form in places]
        head = f"{half} {which} "
        parts.append("\n".join([f"{head:<15}{drawn.prototype(name, sig)}", *rows]))
    return "\n\n".join(parts)


def _label(index: int, param: Param) -> str:
    return str(param) if param.name is not None else f"{index + 1}: {param}"
