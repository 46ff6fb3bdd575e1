"""Values of the types' rows, at their edges and at random, and their comparison by bits."""

from __future__ import annotations

import os
import random
import struct

import jitffi
from jitffi import _core
from jitffi.signature.model import TYPES, Type, optional
from jitffi.signature.text import parse_type
from jitffi.types import reference
from jitffi.types.table import row

#: A module is made by what stands above the types.
reference.Module.edge = (jitffi.system_library(),)

CALLBACK = parse_type("func[(i64) -> i64]")
TYPED = [
    parse_type(text)
    for text in (
        "list[i64]", "list[u8]", "list[f64]", "list[f32]", "list[bool]", "list[str]", "list[bytes]", "list[any]",
        "list[optional[i64]]", "list[list[str]]", "list[tuple[i64, str]]", "tuple[i64, str]", "tuple[f64, ...]",
        "tuple[optional[str], list[i64]]", "list[ucs4]", "list[dtype]", "list[device]",
        "map[str, i64]", "map[i64, list[str]]", "map[tuple[i8, str], optional[f64]]", "list[map[str, any]]", "set[str]",
    )
]  # fmt: skip
#: What no slot holds; it has no optional as a result.
WIDE = [type_ for type_ in TYPES.values() if row(type_).slot_refused]
PLAIN = [type_ for name, type_ in TYPES.items() if name != "void" and type_ not in WIDE] + [CALLBACK, *TYPED]
#: Every other row of the table: each type and, beside it, its optional.
ALL = [*PLAIN, *[optional(type_) for type_ in PLAIN]]


def same(got: object, sent: object) -> bool:
    """Equal in type and in every bit. Functions come back as other objects; they are equal when they do the same."""
    if isinstance(got, jitffi.Map):
        pairs = list(got.items())
        return (
            type(sent) is dict
            and len(pairs) == len(sent)
            and all(same(a, b) and same(x, y) for (a, x), (b, y) in zip(pairs, sent.items(), strict=True))
        )
    if isinstance(got, jitffi.Set):
        return type(sent) is set and len(got) == len(sent) and got == sent
    if isinstance(got, (jitffi.List, jitffi.Tuple)):
        kind = list if isinstance(got, jitffi.List) else tuple
        return type(sent) is kind and len(got) == len(sent) and all(map(same, got, sent))
    if callable(sent) and callable(got) and not isinstance(sent, type):
        return got(-5) == sent(-5)
    if isinstance(got, (jitffi.DataType, jitffi.Device)):
        return got == sent  # which a default may name
    if isinstance(got, jitffi.NDArray) and isinstance(sent, jitffi.NDArray):
        return str(got.dtype) == str(sent.dtype) and got.shape == sent.shape and bytes(got) == bytes(sent)
    if isinstance(sent, complex):
        return type(got) is complex and same(got.real, sent.real) and same(got.imag, sent.imag)
    if isinstance(sent, float):
        return type(got) is float and struct.pack("d", got) == struct.pack("d", sent)
    if isinstance(got, _core.Handle):  # where no type says `ptr`
        return type(sent) is int and got == sent
    return type(got) is type(sent) and got == sent


def edges(type_: Type) -> list[object]:
    """The edge values of a row; callables for func[...] as functions that last, others are wrapped for one call."""
    core = type_.inner if type_.is_optional else type_
    if core.signature is None:
        return list(row(type_).edge)
    return [jitffi.function(core.signature)(value) if callable(value) else value for value in row(type_).edge]


def ids(types: list[Type]) -> list[str]:
    return [type_.text.replace(" ", "") for type_ in types]


# -- at random -------------------------------------------------------------------------------------------------------

_FORMS = {"f64": ("d", 64), "f32": ("f", 32), "f16": ("e", 16)}
_ALPHABET = "".join(map(chr, range(1, 128))) + "\xe9\xff\u0394\u20ac\uffff\U0001f600\U0010ffff"


def seed() -> int:
    """The seed of this run's random tests; JITFFI_FUZZ_SEED chooses another."""
    return int(os.environ.get("JITFFI_FUZZ_SEED", "1"))


def cases(default: int) -> int:
    """How many random cases to try; JITFFI_FUZZ_CASES asks for more."""
    return int(os.environ.get("JITFFI_FUZZ_CASES", default))


def _integer(rng: random.Random, name: str) -> int:
    low, high = (-1 << int(name[1:]) - 1, 1 << int(name[1:]) - 1) if name[0] == "i" else (0, 1 << int(name[1:]))
    value = rng.getrandbits(rng.randint(1, int(name[1:])))
    return value if value < high and rng.random() < 0.7 else low + value % (high - low)


def _float(rng: random.Random, name: str) -> float:
    if name == "bf16":
        value: float = struct.unpack("f", struct.pack("I", rng.getrandbits(16) << 16))[0]
    else:
        form, bits = _FORMS[name]
        value = struct.unpack(form, rng.getrandbits(bits).to_bytes(bits // 8, "little"))[0]
    return value if value == value else 0.5  # which bits of a NaN survive is the business of other tests


def _text(rng: random.Random, size: int) -> str:
    return "".join(rng.choices(_ALPHABET if rng.random() < 0.4 else _ALPHABET[:127], k=size))


def random_value(rng: random.Random, type_: Type) -> object:
    """A value that *type_* takes and gives back as it is: often an edge, else anything."""
    if type_.is_optional:
        return None if rng.random() < 0.3 else random_value(rng, type_.inner)
    name = type_.name
    if name == "map":
        key, value = type_.args or (TYPES["str"], TYPES["any"])
        return {random_value(rng, key): random_value(rng, value) for _ in range(rng.choice((0, 1, 3, 20)))}
    if name == "set":
        (item,) = type_.args or (TYPES["str"],)
        return {random_value(rng, item) for _ in range(rng.choice((0, 1, 3, 20)))}
    if name in ("list", "tuple"):
        inner = [ty for ty in type_.args if isinstance(ty, Type)] or [TYPES["any"]]
        if name == "tuple" and type_.args and type_.args[-1] is not ...:
            return tuple([random_value(rng, ty) for ty in inner])
        items = [random_value(rng, inner[0]) for _ in range(rng.choice((0, 1, 3, 20)))]
        return items if name == "list" else tuple(items)
    if rng.random() < 0.4 or name in ("func", "module"):
        return rng.choice(edges(type_))
    if name in ("any", "object"):
        return random_value(rng, TYPES[rng.choice(("bool", "i64", "u64", "f64", "str", "bytes", "dtype", "device"))])
    if name == "bool":
        return rng.random() < 0.5
    if name == "ptr":
        return rng.getrandbits(64) or None
    size = rng.choice((rng.randint(0, 20), rng.randint(0, 300)))
    if name in ("str", "cstr"):
        return _text(rng, size)
    if name == "ucs4":
        text = _text(rng, size)
        return text + "\U0001f600" if rng.random() < 0.3 else text
    if name == "bytes":
        return rng.randbytes(size)
    if name == "dtype":
        return jitffi.DataType(rng.getrandbits(8), rng.getrandbits(8), rng.getrandbits(16))
    if name == "device":
        return jitffi.Device(rng.getrandbits(31), -rng.getrandbits(31))
    if name in ("c64", "c128"):
        return complex(*[_float(rng, "f32" if name == "c64" else "f64") for _ in range(2)])
    if name == "longdouble":
        return _float(rng, "f64")
    return _float(rng, name) if name in ("f16", "bf16", "f32", "f64") else _integer(rng, name)
