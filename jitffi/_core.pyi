# The extension module, built from runtime_c/python.
from collections.abc import Callable
from typing import Any

class Object:
    type_key: str
    type_code: int
    handle: int
    ref_count: int

class Error(Object):
    kind: str
    message: str
    traceback: str | None
    cause: Error | None

class Function:
    _native: int
    _packed: int
    _callable: Callable[..., Any] | None
    __name__: str
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class Code:
    size: int
    address: int
    def __init__(self, bytes: bytes, eternal: bool = False) -> None: ...

class Library:
    def __init__(self, path: str | None, /) -> None: ...
    def find(self, name: str, /) -> int | None: ...

BUILD: str
CPU: str
LAYOUT: dict[str, int]
NO_DEFAULT: object
TABLE: tuple[str, ...]
VERSION: str

def abi_version() -> int: ...
def builtin(function: Function, /) -> Any: ...
def function_object(address: int, /) -> tuple[int, str | None]: ...
def function_of(function: object, /) -> Any: ...
def global_get(name: str, /) -> Any: ...
def global_list() -> list[str]: ...
def global_remove(name: str, /) -> None: ...
def global_set(name: str, function: Callable[..., Any], override: bool, /) -> None: ...
def handle(function: object, /) -> int: ...
def live_objects() -> int: ...
def new_function(
    cls: type,
    name: str,
    doc: bytes | None,
    names: tuple[str | None, ...] | None,
    types: tuple[str, ...] | None,
    types_text: str | None,
    defaults: tuple[Any, ...] | None,
    callee: str,
    target: object,
    self_handle: int,
    owner: object,
    on_error: int,
    keep_callbacks: bool,
    /,
) -> Any: ...
def set_c_entry(function: Function, code: Any, result_class: int, closure: bool, /) -> None: ...
def set_first_call(function: Function, keywords: bool, /) -> None: ...
def set_hooks(from_handle: Callable[[int], Any], convert: Callable[[Any], Any], /) -> None: ...
def set_packed_entry(function: Function, code: Any, /) -> None: ...
def set_python_entry(function: Function, code: Any, keywords: bool, /) -> None: ...
