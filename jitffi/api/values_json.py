"""JSON text of values that brings back what went in.

What JSON has is written as itself. Everything else is an object with one key that begins with "$":

    None True 3 1.5 "text"      as they are            list, List       [...]
    dict, Map                   {"key": value, ...}    tuple, Tuple     {"$tuple": [...]}
    bytes, Bytes                {"$bytes": base64}     nan, inf, -inf   {"$float": "nan"}
    UCS4String                  {"$ucs4": text}        Shape            {"$shape": [2, 3]}
    DataType                    {"$dtype": "float32"}  Device           {"$device": "cuda:1"}
    NDArray, NumPy's arrays     {"$ndarray": {"dtype": "float32", "shape": [2, 3], "data": base64}}, in C order

A dict with other keys than str, or whose only key begins with "$", is {"$map": [[key, value], ...]}.
"""

from __future__ import annotations

import math

from jitffi._core import Bytes, DataType, Device, List, Map, NDArray, Shape, String, Tuple, UCS4String
from jitffi.api.walk import LISTS, TUPLES, Unfit, fold

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def to_json(value: Any, *, indent: int | None = None) -> str:
    """JSON text of *value*, which from_json makes the value of again; the module says how it is written, *indent* how
    many spaces each level begins with (None: all on one line). TypeError for what has no such form (functions, Python
    objects), ValueError for a container within itself. UCS4 text in a native container comes back as str.

    >>> import jitffi
    >>> jitffi.to_json({"a": [1, None, (2.5, b"x")], "n": float("nan")})
    '{"a": [1, null, {"$tuple": [2.5, {"$bytes": "eA=="}]}], "n": {"$float": "nan"}}'
    """
    import json

    encoded = fold(value, _encode_leaf, _encode_container, "to_json")
    try:
        return json.dumps(encoded, indent=indent, ensure_ascii=False, allow_nan=False)
    except RecursionError:
        from jitffi.api import deep

        return deep.dumps(encoded, indent)


def from_json(text: str | bytes | String) -> Any:
    """The value that *text* stands for. Lists, tuples and maps are native ones. ValueError where it is no JSON, or
    something with a "$" that nobody writes.

    >>> import jitffi
    >>> jitffi.from_json('{"a": [1, {"$tuple": [2.5, {"$bytes": "eA=="}]}]}')
    Map({'a': [1, (2.5, b'x')]})
    """
    import json

    given = text if isinstance(text, str | bytes | bytearray) else str(text)
    try:
        value = json.loads(given, object_pairs_hook=_decode)
    except RecursionError:
        from jitffi.api import deep

        value = deep.loads(given, _decode, List)
    return List(value) if type(value) is list else value


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
