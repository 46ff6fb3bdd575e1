"""Types and functions as the JSON of tvm-ffi's tools, and back."""

from __future__ import annotations

from jitffi import _core
from jitffi.api.callables import _type_of
from jitffi.api.functions import Function
from jitffi.api.registry import get_global_func
from jitffi.signature import schema
from jitffi.signature.model import Signature, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def type_schema(type_: Any) -> dict[str, Any]:
    """Return what *type_* is in JSON as tvm-ffi's tools write it (TypeSchema): a Type, its text, an annotation, a
    Signature, or a function, which takes what it says. All ints are "int" in it, and what it has no word for is "Any".
    TypeError or SignatureError for what is no type.

    >>> import jitffi
    >>> jitffi.type_schema("optional[list[i32]]")
    {'type': 'Optional', 'args': [{'type': 'ffi.Array', 'args': [{'type': 'int'}]}]}
    >>> jitffi.type_schema(jitffi.Signature.parse("(str) -> void"))
    {'type': 'ffi.Function', 'named_args': {'return': [{'type': 'None'}], 'params': [{'type': 'ffi.String'}]}}
    """
    if isinstance(type_, Signature):
        return schema.of_signature(type_)
    if callable(type_) and not isinstance(type_, (type, Type)) and not getattr(type_, "__args__", None):
        sig = Function(type_).signature if _is_ours(type_) else None
        return {"type": "ffi.Function"} if sig is None else schema.of_signature(sig)
    return schema.of_type(_type_of(type_))


def _is_ours(function: Any) -> bool:
    return _core.function_of(function) is not None


def from_type_schema(told: dict[str, Any]) -> Type:
    """Return the type that a schema, *told*, is of: of ints i64, of functions func[...]. ValueError for what is no
    schema, SignatureError for types that there are not.

    >>> import jitffi
    >>> str(jitffi.from_type_schema({"type": "Map", "args": [{"type": "str"}, {"type": "float"}]}))
    'map[str, f64]'
    """
    return _type_of(schema.text_of(told))


def get_global_func_metadata(name: str) -> dict[str, Any]:
    """Return what is known of the function registered under *name*: its `type_schema` and its `signature` as text,
    where it has one, and the metadata that it was registered with. ValueError where there is none of that name.

    >>> import jitffi
    >>> @jitffi.register_global_func("doc.schemas.twice", metadata={"author": "me"})
    ... @jitffi.function
    ... def twice(x: int) -> int:
    ...     return 2 * x
    >>> told = jitffi.get_global_func_metadata("doc.schemas.twice")
    >>> told["signature"], told["author"]
    ('(x: i64) -> i64', 'me')
    >>> jitffi.remove_global_func("doc.schemas.twice")
    """
    function = get_global_func(name)
    sig = Function(function).signature
    told = {} if sig is None else {"type_schema": schema.of_signature(sig), "signature": str(sig)}
    more = _core.global_metadata(name)
    return told if more is None else told | more.to_python()
