"""JSON text of values that brings back what went in.

What JSON has is written as itself. Everything else is an object with one key that begins with "$":

    None True 3 1.5 "text"      as they are            list, List       [...]
    dict, Map                   {"key": value, ...}    tuple, Tuple     {"$tuple": [...]}
    set, Set                    {"$set": [...]}
    bytes, Bytes                {"$bytes": base64}     nan, inf, -inf   {"$float": "nan"}
    UCS4String                  {"$ucs4": text}        Shape            {"$shape": [2, 3]}
    DataType                    {"$dtype": "float32"}  Device           {"$device": "cuda:1"}
    NDArray, NumPy's arrays     {"$ndarray": {"dtype": "float32", "shape": [2, 3], "data": base64}}, in C order

A dict with other keys than str, or whose only key begins with "$", is {"$map": [[key, value], ...]}.
Native containers and objects are written by native code (runtime_c/src/graph_json.c), which also knows graphs:

    {"jitffi": 1, "root": {"$node": 1}, "nodes": [[1], {"type": "demo.Node", "fields": {"next": {"$node": 1}}}]}
"""

from __future__ import annotations

import math
import operator
import sys

from jitffi import _core
from jitffi._core import Bytes, DataType, Device, List, Map, NDArray, Object, Set, Shape, String, Tuple, UCS4String
from jitffi.api.walk import LISTS, SETS, TUPLES, Unfit, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text of *value*, which from_json makes the value of again; *indent*: how many spaces each level begins with
    (None: all on one line).

    Plain JSON where *value* is a tree of containers and values, as the module says; else, with objects of registered
    classes, native containers that stand in several places, or circles, a graph of numbered nodes that keeps these.
    TypeError for what has no such form (functions, Python objects). UCS4 text in a native container comes back as str.

    >>> import jitffi
    >>> jitffi.to_json({"a": [1, None, (2.5, b"x")], "n": float("nan")})
    '{"a": [1, null, {"$tuple": [2.5, {"$bytes": "eA=="}]}], "n": {"$float": "nan"}}'
    >>> shared = jitffi.List([1])
    >>> jitffi.to_json(jitffi.List([shared, shared]))
    '{"jitffi": 1, "root": {"$node": 1}, "nodes": [[1], [{"$node": 0}, {"$node": 0}]]}'
    """
    import json

    if isinstance(value, Object) and (type(value) not in _LEAVES or type(value) is NDArray):  # so is all in it
        return _native_json(value, indent)
    try:
        encoded = fold(value, _encode_leaf, _encode_container, "to_json")
    except (TypeError, ValueError):  # there is an object in it, or a circle
        from jitffi.api.to_native import to_native

        return _native_json(to_native(value), indent)
    if isinstance(value, dict) and "jitffi" in value and type(encoded) is dict and "jitffi" in encoded:
        encoded = {"$map": [list(pair) for pair in encoded.items()]}  # no graph
    try:
        return json.dumps(encoded, indent=indent, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        from jitffi.api import deep

        return deep.dumps(encoded, indent)


def _native_json(value: Any, indent: int | None) -> str:
    return str(_core.to_json(value, -1 if indent is None else operator.index(indent)))


#: How the text of a graph begins.
def _is_graph(text: str) -> bool:
    """Whether its first key is that of a graph; without `re`, which would take longer to load."""
    inside = text.lstrip(_SPACES).removeprefix("{").lstrip(_SPACES)
    return (
        text.lstrip(_SPACES).startswith("{")
        and inside.startswith('"jitffi"')
        and inside[8:].lstrip(_SPACES).startswith(":")
    )


_SPACES = " \t\r\n"


def from_json(text: str | bytes | String) -> Any:
    """The value that *text* stands for. Lists, tuples, maps and sets are native ones, objects of the classes that are
    registered by their keys; their constructors are not called, and fields that are not told have their defaults.
    ValueError where it is no JSON, something with a "$" that nobody writes, or of types and fields that there are not;
    TypeError for what is no text.

    >>> import jitffi
    >>> jitffi.from_json('{"a": [1, {"$tuple": [2.5, {"$bytes": "eA=="}]}]}')
    Map({'a': [1, (2.5, b'x')]})
    """
    import json

    given = str(text) if isinstance(text, String) else text
    if not isinstance(given, str | bytes | bytearray):
        raise TypeError(f"from_json: expected str or bytes, got {type(given).__name__}")
    if not isinstance(given, str):
        given = bytes(given).decode(json.detect_encoding(given), "surrogatepass")
    if _is_graph(given):
        return _read(_core.from_json, given.encode())
    try:
        value = json.loads(given, object_pairs_hook=_decode)
    except RecursionError:
        from jitffi.api import deep

        value = deep.loads(given, _decode, List)
    return List(value) if type(value) is list else value


def to_bytes(value: Any) -> bytes:
    """Return *value* in a compact binary form, which from_bytes makes the value of again: all that to_json can write.

    What is shared, or leads in a circle, stays so. TypeError for what has no such form.

    >>> import jitffi
    >>> jitffi.from_bytes(jitffi.to_bytes({"a": [1, (2.5, b"x")]}))
    Map({'a': [1, (2.5, b'x')]})
    """
    try:
        return bytes(_core.to_bytes(value))
    except RecursionError:
        from jitffi.api.to_native import to_native

        return bytes(_core.to_bytes(to_native(value)))


def from_bytes(data: Any) -> Any:
    """Return the value that the bytes in *data*, from to_bytes, stand for; as from_json does.

    ValueError, with the position, for bytes that stand for nothing: any bytes may be tried.

    >>> import jitffi
    >>> jitffi.from_bytes(b"jfg1")
    Traceback (most recent call last):
        ...
    ValueError: from_bytes: byte 4: the end, in a number
    """
    return _read(_core.from_bytes, data)


def _read(read: Callable[[Any], Any], data: Any) -> Any:
    """What *read* makes of the data of a graph, in which there may be a type of ours whose module is not loaded."""
    try:
        return read(data)
    except ValueError:
        if "jitffi.api.frozen_map" in sys.modules:
            raise
    __import__("jitffi.api.frozen_map")
    return read(data)


# -- to JSON -------------------------------------------------------------------------------------------------


def _float(value: float) -> Any:
    return value if math.isfinite(value) else {"$float": repr(float(value))}


def _bytes(value: bytes | Bytes) -> Any:
    import binascii

    return {"$bytes": binascii.b2a_base64(bytes(value), newline=False).decode()}


def _ndarray(value: NDArray) -> Any:
    try:
        shape, dtype, data = value.__reduce__()[1]
    except BufferError as error:  # of another device
        raise Unfit(str(error)) from None
    return {"$ndarray": {"dtype": dtype, "shape": list(shape), "data": _bytes(data)["$bytes"]}}


#: What a value without items becomes.
_LEAVES: dict[type, Callable[[Any], Any]] = {
    type(None): lambda value: value,
    bool: lambda value: value,
    int: lambda value: value,
    float: _float,
    str: lambda value: value,
    String: str,
    UCS4String: lambda value: {"$ucs4": str(value)},
    bytes: _bytes,
    Bytes: _bytes,
    Shape: lambda value: {"$shape": list(value)},
    DataType: lambda value: {"$dtype": str(value)},
    Device: lambda value: {"$device": str(value)},
    NDArray: _ndarray,
}


def _encode_leaf(value: Any) -> Any:
    leaf = _LEAVES.get(type(value))
    if leaf is not None:
        return leaf(value)
    known = List([value])[0]  # a NumPy scalar, a subclass of int or str
    if type(known) not in _LEAVES:
        raise Unfit(f"expected a value or container, got {type(value).__name__}")
    return _LEAVES[type(known)](known)


def _encode_container(container: Any, encoded: list[Any]) -> Any:
    if isinstance(container, LISTS):
        return encoded
    if isinstance(container, TUPLES):
        return {"$tuple": encoded}
    if isinstance(container, SETS):
        return {"$set": encoded}
    keys, items = encoded[::2], encoded[1::2]
    if not all(type(key) is str for key in keys) or (len(keys) == 1 and keys[0].startswith("$")):
        return {"$map": [list(pair) for pair in zip(keys, items, strict=True)]}
    return dict(zip(keys, items, strict=True))


# -- from JSON -----------------------------------------------------------------------------------------------


def _from_base64(text: str) -> bytes:
    import binascii

    return binascii.a2b_base64(text)


def _array(content: Any) -> NDArray:
    try:
        if content.keys() == {"dtype", "shape", "data"}:
            return NDArray._restore(list(content["shape"]), content["dtype"], _from_base64(content["data"]))
    except (OverflowError, MemoryError) as error:
        raise ValueError(f"from_json: '$ndarray': {error}") from error
    raise ValueError("from_json: '$ndarray': expected dtype, shape and data")


_TAGS: dict[str, Callable[[Any], Any]] = {
    "$tuple": Tuple,
    "$map": Map,
    "$set": Set,
    "$bytes": _from_base64,
    "$float": float,
    "$ucs4": UCS4String,
    "$shape": Shape,
    "$dtype": DataType,
    "$device": Device,
    "$ndarray": _array,
}


def _decode(pairs: list[tuple[str, Any]]) -> Any:
    if len(pairs) != 1 or not pairs[0][0].startswith("$"):
        return Map(pairs)
    tag, content = pairs[0]
    make = _TAGS.get(tag)
    if make is None:
        raise ValueError(f"from_json: unknown {tag!r}; known: {', '.join(_TAGS)}")
    try:
        return make(content)
    except (TypeError, AttributeError) as error:
        raise ValueError(f"from_json: {tag!r}: {error}") from error
