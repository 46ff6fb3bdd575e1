"""Types as tvm-ffi's tools write them: JSON that tells of signatures and fields (TypeSchema in its headers).

    i64                         {"type": "int"}
    optional[list[str]]         {"type": "Optional", "args": [{"type": "ffi.Array", "args": [{"type": "ffi.String"}]}]}
    (f64, any) -> i64           {"type": "ffi.Function", "named_args": {"return": [...], "params": [...]}}

It says less than the text of a type does: all ints are "int", and what it has no word for is "Any".
"""

from __future__ import annotations

from jitffi.signature.model import Signature, Type
from jitffi.signature.numbers import FLOATS, INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

#: What its tools call our types; any other is "Any".
_KEYS = {
    **dict.fromkeys(INTEGERS, "int"),
    **dict.fromkeys(FLOATS, "float"),
    "bool": "bool",
    "void": "None",
    "null": "None",
    "ptr": "void*",
    "dtype": "DataType",
    "device": "Device",
    "str": "ffi.String",
    "ucs4": "ffi.String",
    "cstr": "ffi.String",
    "bytes": "ffi.Bytes",
    "tensor": "ffi.Tensor",
    "ndarray": "ffi.Tensor",
    "shape": "ffi.Shape",
    "error": "ffi.Error",
    "module": "ffi.Module",
    "object": "ffi.Object",
    "func": "ffi.Function",
    "list": "ffi.Array",
    "map": "ffi.Map",
    "tuple": "Tuple",
}
_HOLDING = ("ffi.Array", "ffi.List", "ffi.Map", "ffi.Dict", "Tuple")
#: And what each of its words is here.
_TEXTS = {
    **{
        "int": "i64",
        "float": "f64",
        "bool": "bool",
        "None": "null",
        "Any": "any",
        "void*": "ptr",
        "ctypes.c_void_p": "ptr",
    },
    **{"DataType": "dtype", "dtype": "dtype", "Device": "device", "bytes": "bytes", "str": "str"},
    **dict.fromkeys(("ffi.String", "std::string", "const char*", "ffi.SmallStr"), "str"),
    **dict.fromkeys(("ffi.Bytes", "ffi.SmallBytes", "TVMFFIByteArray*"), "bytes"),
    **dict.fromkeys(("ffi.Tensor", "DLTensor*", "Tensor"), "tensor"),
    **{"ffi.Shape": "shape", "ffi.Error": "error", "ffi.Module": "module", "ffi.Function": "func", "Callable": "func"},
    **{"ffi.Object": "object", "Object": "object", "ObjectRValueRef": "object", "ffi.OpaquePyObject": "any"},
    **dict.fromkeys(("ffi.Array", "ffi.List", "Array", "List", "std::vector"), "list"),
    **dict.fromkeys(("ffi.Map", "ffi.Dict", "Map", "Dict", "std::map", "std::unordered_map"), "map"),
    **dict.fromkeys(("Tuple", "tuple", "std::tuple"), "tuple"),
}


def of_type(type_: Type) -> dict[str, Any]:
    """The schema of a type."""
    if type_.is_optional:
        return {"type": "Optional", "args": [of_type(type_.inner)]}
    if type_.signature is not None:
        return of_signature(type_.signature)
    if type_.name == "union":
        return _of_union(type_)
    if type_.name == "instance":
        key, *held = type_.args
        return {"type": key, "args": [of_type(each) for each in held]} if held else {"type": key}
    if type_.name == "tuple" and type_.args[1:] == (Ellipsis,):
        return {"type": "ffi.Array", "args": [of_type(type_.args[0])]}
    key = _KEYS.get(type_.name, "Any")
    holds = key in _HOLDING and all(isinstance(each, Type) for each in type_.args)
    args = [of_type(each) for each in type_.args] if holds else []
    return {"type": key, "args": args} if args else {"type": key}


def _of_union(type_: Type) -> dict[str, Any]:
    others = [of_type(each) for each in type_.args if each.name != "null"]
    made = others[0] if len(others) == 1 else {"type": "Variant", "args": others}
    return made if len(others) == len(type_.args) else {"type": "Optional", "args": [made]}


def of_signature(sig: Signature) -> dict[str, Any]:
    """The schema of a function: of what is passed to it, without what it only writes."""
    outs = () if sig.in_order else sig.order.outs
    params = [of_type(param.type) for i, param in enumerate(sig.params) if i not in outs]
    return {"type": "ffi.Function", "named_args": {"return": [of_type(sig.result)], "params": params}}


def text_of(schema: Any) -> str:
    """The text of the type that a schema tells of. ValueError for what is none.

    >>> text_of({"type": "Optional", "args": [{"type": "ffi.Map", "args": [{"type": "str"}, {"type": "int"}]}]})
    'optional[map[str, i64]]'
    """
    if not isinstance(schema, dict) or not isinstance(schema.get("type"), str):
        raise ValueError(f"a schema is a dict with a 'type', got {schema!r}")
    word = schema["type"]
    args = schema.get("args", ())
    if word in ("ffi.Function", "Callable", "std::function") and (args or "named_args" in schema):
        return f"func[{signature_text_of(schema)}]"
    texts = [text_of(each) for each in args if isinstance(each, dict)]
    if word in ("Optional", "std::optional"):
        inner = texts[0] if texts else "any"
        return f"{inner} | null" if " | " in inner else inner if inner == "any" else f"optional[{inner}]"
    if word in ("Variant", "Union", "std::variant"):
        return " | ".join(texts)
    name = _TEXTS.get(word) or str(word)
    return f"{name}[{', '.join(texts)}]" if texts else name


def signature_text_of(schema: Any) -> str:
    """The text of the signature that the schema of a function tells of."""
    named = schema.get("named_args")
    if named is None:
        result, *params = schema.get("args", ()) or [{"type": "Any"}]
    else:
        result, params = (named.get("return") or [{"type": "None"}])[0], named.get("params", [])
    end: str = "void" if result.get("type") == "None" else text_of(result)
    return f"({', '.join(text_of(each) for each in params)}) -> {end}"
