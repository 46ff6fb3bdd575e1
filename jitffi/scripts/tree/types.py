"""The lattice of types that inference works on, and what each is at run time.

                         ANY                      a slot, whatever is in it; beside those below OBJECT is in it, too
        /     /    |    |     |      |     \\
    U64 FLOAT BOOL NONE STR BYTES LIST[T] SET[T] DICT[K, V] TUPLE[...] FUNC
     |                   |
    INT                 CHAR                      a str of one character: a number in a register
        \\     \\    |    |     |      |     /
                        NEVER                     of an expression that does not return, and of an empty list's items

    U64     i64, of 0 to 2**64 - 1, checked: what masks of 64 bits give, and an int that meets such a number
    INT     i64, checked           STR, BYTES  address, length and width of the text, and who owns it
    FLOAT   double                 LIST, SET, DICT, TUPLE, FUNC  address of the object
    VECTOR  the same: a LIST of numbers without slots, which inference finds in the end (vectors.py)
    ARRAY   address of an nd-array, which is somebody else's: its elements and its rank are known, as f64[*, *]
    STRUCT, ELEMENTS  address of a struct of the caller's, of an array in one (library/members.py); never in a slot
    BOOL    i1                     NONE  nothing
    CHAR    i32, the code point    ANY   address of a slot
    OBJECT  address of an object of Python's, of a class that is known exactly, OBJECT[list] say, of one that is
            registered (library/instances.py), or of any

Types are immutable and compared by `==`. An int never becomes a float by joining: 1 and 1.0 print differently.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Final


#: What can be Python's own, in the place of a script's, where an annotation says so; and what it may promise of items.
OWN_KINDS: Final = ("list", "dict", "tuple", "set")
#: What an annotation says of results, and objects of Python's need not be exactly.
PROMISED: Final = frozenset((*OWN_KINDS, "none", "bool", "int", "float", "str", "bytes", "func"))
#: The class, and what `Type.default` is of its objects: a missing item is 0, and not put in.
COUNTER: Final = "Counter"
_PROMISED: Final = frozenset(("int", "float", "bool", "str", "bytes"))


class Type:
    """One point of the lattice: its kind, and the types of what is in it."""

    __slots__ = ("args", "default", "kind")

    def __init__(self, kind: str, args: tuple[Type, ...] | None = (), default: str = "") -> None:
        self.kind: Final = kind
        #: LIST, SET: (item,). DICT: (key, value). TUPLE: one an item, or None for a tuple of unknown length. ARRAY: its
        #: element, and one a dimension. STRUCT: (its key,). ELEMENTS: the member, its element, and one a dimension.
        #: OBJECT: (the name of its class,), behind which are an annotation's promises of what is in it; () where the
        #: class is not known. Else ().
        self.args: Final = args
        #: Of a DICT that has values for keys that are not in it: "Counter", or the class that a defaultdict calls. Of
        #: an OBJECT the key of its class, if that is a registered one.
        self.default: Final = default

    @property
    def defaulting(self) -> str:
        """What it has for keys that are not in it; "" of all but a Counter or defaultdict."""
        return self.default if self.kind == "dict" else ""

    @property
    def key(self) -> str:
        """Of the registered class that an OBJECT is of (library/instances.py); "" of others."""
        return self.default if self.kind == "object" else ""

    def with_rank_of(self, given: Type) -> Type:
        """What an annotation says, where that leaves the rank of an array to what is given: of one dimension if that
        is another thing. An int is any of 64 bits. Lengths are no part of what a variant is made for."""
        if self.kind in OWN_KINDS and given.kind == "object":
            return own_of(self, given)
        if (self == INT and given == U64) or (self == FUNC and given.kind == "object"):
            return given
        if self.kind != "array" or self.args is None:
            return self
        if len(self.args) > 1:
            return self.of_rank(len(self.args) - 1)
        return given if given.kind == "array" and given.args and given.args[0] == self.args[0] else self.of_rank(1)

    def of_rank(self, rank: int) -> Type:
        """An ARRAY of the same elements."""
        assert self.args
        return Type("array", (self.args[0], *[Type("*")] * rank), self.default)

    @property
    def is_in_field(self) -> bool:
        """Whether an ARRAY is in a field of a registered class: what fails there fails in NDArray's words."""
        return self.default == "field"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Type)
            and self.kind == other.kind
            and self.args == other.args
            and self.default == other.default
        )

    def __hash__(self) -> int:
        return hash((self.kind, self.args, self.default))

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        """As `inspect_types` prints it: int, str, list[str], dict[str, int], tuple[int, str], any."""
        if self.args is None:
            return "tuple"
        if self.kind == "array":
            return f"{self.args[0]}[{', '.join(map(str, self.args[1:])) or '...'}]"
        if self.kind == "struct":
            return self.args[0].kind
        if self.kind == "elements":
            return f"{self.args[1]}[{', '.join(map(str, self.args[2:]))}]"
        if self.key:
            return self.key
        if self.args:
            kind = self.kind if not self.default else COUNTER if self.default == COUNTER else "defaultdict"
            return f"{kind}[{', '.join([str(each) for each in self.args if each != _GUESS])}]"
        return "tuple[()]" if self.kind == "tuple" else self.kind


NEVER = Type("never")
NONE = Type("none")
BOOL = Type("bool")
INT = Type("int")
U64 = Type("u64")
FLOAT = Type("float")
CHAR = Type("char")
STR = Type("str")
BYTES = Type("bytes")
FUNC = Type("func")
ANY = Type("any")
#: A match of a regular expression, or None.
MATCH = Type("match")
TUPLE = Type("tuple", None)  # of unknown length
OBJECT = Type("object")  # of Python's, whatever it is


#: What elements of arrays are called, in the order in which type tags count them, and what a script has of each.
ARRAY_ELEMENTS: Final = {
    "f64": FLOAT, "f32": FLOAT, "i64": INT, "i32": INT, "i16": INT, "i8": INT, "u64": INT, "u32": INT, "u16": INT,
    "u8": INT, "bool": BOOL,
}  # fmt: skip


def array_of(element: str, rank: int, where: str = "") -> Type:
    """Rank 0: of any."""
    return Type("array", (Type(element), *[Type("*")] * rank), where)


def array_from(element: str, dims: Iterable[tuple[int | str | None, str | None]]) -> Type | None:
    """That of a signature, with the lengths that it says; None for elements that scripts lack."""
    if element not in ARRAY_ELEMENTS:
        return None
    return Type("array", (Type(element), *[Type("*" if length is None else str(length)) for length, _ in dims]))


def is_open(type_: Type) -> bool:
    """An annotation that leaves it to the values what type that is."""
    return type_ == ANY or (type_.kind == "array" and rank_of(type_) == 0)


def rank_of(array: Type) -> int:
    return len(array.args or ()) - 1


def array_item(array: Type) -> Type:
    """What an index gives: a number, or the array of one dimension less."""
    assert array.args
    rank = rank_of(array)
    return ARRAY_ELEMENTS[array.args[0].kind] if rank == 1 else array.of_rank(rank - 1)


def struct_of(key: str) -> Type:
    """A struct by its key."""
    return Type("struct", (Type(key),))


def elements_of(member: str, element: Type, dims: Iterable[int]) -> Type:
    """The array that a member is, `geo.Line.points`. Its elements are a STRUCT, or called as those of arrays."""
    return Type("elements", (Type(member), element, *[Type(str(length)) for length in dims]))


def object_of(name: str) -> Type:
    """An object of Python's that is exactly of that class: "list", "dict", ..."""
    return Type("object", (Type(name),))


def instance_of(key: str) -> Type:
    """An object of Python's of the registered class of that key."""
    return Type("object", (), key)


def class_of(key: str) -> Type:
    """The registered class of that key itself, an object of Python's."""
    return Type("object", (), f"type[{key}]")


def made_by(type_: Type) -> str:
    """The key of the registered class that it is, objects of which are made by calling it; "" of others."""
    return type_.key[5:-1] if type_.key.startswith("type[") else ""


def own_of(declared: Type, given: Type) -> Type:
    """A list, dict or tuple of Python's own that is given where one is declared, with what that says of numbers and
    texts in it; an instance of another class of Python's can be one of a class that is derived from these."""
    if not given.args:
        return given
    if given.args[0].kind != declared.kind:
        return declared
    if declared.kind == "set":
        return given
    inner = [each if each.kind in _PROMISED else OBJECT for each in declared.args or ()]
    return Type("object", (given.args[0], *([] if all(each == OBJECT for each in inner) else inner)))


#: Behind the promises of an object that nobody has made: items of a list that are looked at when the call begins.
_GUESS: Final = Type("guess")


def guessed_list(item: Type) -> Type:
    """A list of Python's own whose items are taken to be of that type."""
    return Type("object", (Type("list"), item, _GUESS))


def list_of_registered(key: str) -> Type:
    """A list of Python's own whose items are taken to be of the registered class of that key."""
    return Type("object", (Type("list"), instance_of(key)))


def key_of_items(type_: Type) -> str:
    """Of such a list; "" of others."""
    is_list = (
        type_.kind == "object" and type_.args is not None and len(type_.args) == 2 and type_.args[0].kind == "list"
    )
    return promised(type_).key if is_list else ""


def is_guessed_native(type_: Type, declared: Type | None) -> bool:
    """Of a parameter of the function that is called: a List whose items are looked at when the call begins."""
    return declared is None and type_.kind == "list" and (type_.args or (ANY,))[0].kind in ("str", "int", "float")


def is_guessed(type_: Type) -> bool:
    return type_.kind == "object" and (type_.args or ())[-1:] == (_GUESS,)


def promised(own: Type, i: int = 0) -> Type:
    """What an annotation says of the items of a list, the keys (0) or values (1) of a dict, an item of a tuple."""
    found = own.args[1 + i] if own.args and len(own.args) > 1 + i else OBJECT
    return OBJECT if found == _GUESS else found


def promised_items(own: Type) -> Type:
    """What going through it gives."""
    return OBJECT if own.args and own.args[0].kind == "tuple" else promised(own)


def list_of(item: Type) -> Type:
    return Type("list", (item,))


def set_of(item: Type) -> Type:
    return Type("set", (item,))


def dict_of(key: Type, value: Type) -> Type:
    return Type("dict", (key, value))


def tuple_of(*items: Type) -> Type:
    return Type("tuple", items)


def join(a: Type, b: Type) -> Type:
    """The least type that both are."""
    if a == b or b == NEVER:
        return a
    if a == NEVER:
        return b
    kinds = {a.kind, b.kind}
    if kinds == {"char", "str"}:
        return STR
    if kinds == {"int", "u64"}:
        return U64
    if kinds == {"match", "none"}:
        return MATCH
    if kinds == {"object"} and a.args and b.args and a.args[0] == b.args[0]:
        # The same again where that is what it was: whoever asks for a change asks for another object.
        return a if len(a.args) == 1 else Type("object", (a.args[0],))
    if "object" in kinds and kinds <= {"object", "none"}:
        keyed = a if a.key else b  # which None is, too: nothing is promised
        return keyed if keyed.key and "none" in kinds else OBJECT
    if len(kinds) == 1 and a.kind in ("list", "set", "dict") and a.default == b.default:
        assert a.args and b.args
        return Type(a.kind, tuple([join(x, y) for x, y in zip(a.args, b.args, strict=True)]), a.default)
    if kinds == {"tuple"}:
        if a.args is None or b.args is None or len(a.args) != len(b.args):
            return TUPLE
        return Type("tuple", tuple([join(x, y) for x, y in zip(a.args, b.args, strict=True)]))
    return ANY
