"""tvm-ffi's convention: slots of 16 bytes as ours, with codes of its own, and a result of one.

int32_t call(void* handle, const Any* args, int32_t num_args, Any* result)

An entry makes slots of what came and goes on as a packed one; a caller makes Anys of its arguments in their place. What
each type mostly is has its code changed here, which costs a compare and a store; the runtime knows all the others
(runtime_c/include/jitffi/tvm_ffi.h).
"""

from __future__ import annotations

import json

from jitffi.base import layout
from jitffi.conventions.base import call_out, register
from jitffi.conventions.slots import SlotConvention
from jitffi.ir.builder import NULL, Builder, V, const
from jitffi.ir.primitives import head, new_out_slot, store_payload
from jitffi.signature import schema
from jitffi.signature.numbers import FLOATS, INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.conventions.base import ArgumentPlace, Convention, File, Options
    from jitffi.ir.emitter import Emitter
    from jitffi.signature.model import Signature, Type
    from jitffi.types.row import Native

#: What an Any holds (tvm/ffi/c_api.h, TVMFFITypeIndex).
_NONE, _INT, _BOOL, _FLOAT, _POINTER, _DTYPE, _DEVICE = range(7)
_SMALL_STR, _SMALL_BYTES, _STR, _BYTES, _TENSOR = 11, 12, 65, 66, 70
#: Where an object's own fields are: a text's span, an array's DLTensor.
_FIELDS = 24

_SMALL = (layout.SMALL_STR, layout.SMALL_BYTES)
#: Types that no object is made for on the way there; it is for an integer above 2**63 - 1.
_SCALARS = (*INTEGERS[:-1], *FLOATS, "bool", "ptr", "dtype", "device")
#: What values of a type mostly are, there and in our slots; the payload is the same.
_PLAIN = {
    **dict.fromkeys(INTEGERS, ((_INT, layout.INT),)),
    **dict.fromkeys(FLOATS, ((_FLOAT, layout.FLOAT),)),
    "bool": ((_BOOL, layout.BOOL),),
    "void": ((_NONE, layout.NULL),),
    "dtype": ((_DTYPE, layout.DTYPE),),
    "device": ((_DEVICE, layout.DEVICE),),
    "str": ((_SMALL_STR, layout.SMALL_STR),),
    "cstr": ((_SMALL_STR, layout.SMALL_STR),),
    "bytes": ((_SMALL_BYTES, layout.SMALL_BYTES),),
    "ptr": ((_POINTER, layout.HANDLE), (_NONE, layout.NULL)),
    "any": ((_INT, layout.INT), (_FLOAT, layout.FLOAT)),
}
#: Objects that are read where they lie: the code there, and ours for the address of their fields.
_LENT = {
    "str": (_STR, layout.STR_VIEW),
    "bytes": (_BYTES, layout.BYTE_ARRAY),
    "tensor": (_TENSOR, layout.DLTENSOR),
}


def _core(type_: Type) -> Type:
    return type_.inner if type_.is_optional else type_


def _plain(type_: Type) -> list[tuple[int, int]]:
    found = dict(_PLAIN.get(_core(type_).name, ()))
    return list((found | {_NONE: layout.NULL} if type_.is_optional and found else found).items())


def _passed(sig: Signature) -> list[Type]:
    outs = () if sig.in_order else sig.order.outs
    return [param.type for i, param in enumerate(sig.params) if i not in outs]


def _index(e: Emitter, any_: V, type_: Type) -> V:
    """The code of an Any, None for a pointer that is NULL: no slot of ours holds one."""
    code = e.load("i32", any_, layout.SLOT_CODE, "index")
    if _core(type_).name != "ptr":
        return code
    is_null = e.icmp("eq", e.load("i64", any_, layout.SLOT_PAYLOAD, "address"), const("i64", 0), "null")
    is_pointer = e.icmp("eq", code, const("i32", _POINTER), "pointer")
    return e.select(e.and_(is_pointer, is_null, "no.pointer"), const("i32", _NONE), code)


def _move(e: Emitter, code: V, pairs: list[tuple[int, int]], from_: V, to: V, done: str) -> None:
    """Where *code* is one of the first of *pairs*, move the slot, which gets the second; control goes to *done*."""
    for given, wanted in pairs:
        match, other = e.label("plain"), e.label("other")
        e.branch(e.icmp("eq", code, const("i32", given), "is.plain"), match, other, likely=True)
        e.at(match)
        keeps_length = given in _SMALL or wanted in _SMALL
        length = e.load("i32", from_, layout.SLOT_SMALL_LEN, "length") if keeps_length else const("i32", 0)
        e.store(e.load("i64", from_, layout.SLOT_PAYLOAD, "payload"), to, layout.SLOT_PAYLOAD)
        e.store(length, to, layout.SLOT_SMALL_LEN)
        e.store(const("i32", wanted), to, layout.SLOT_CODE)
        e.br(done)
        e.at(other)


def _has_set(type_: Type) -> bool:
    inside = [arg for arg in type_.args if hasattr(arg, "args")]
    if type_.signature is not None:
        inside = [*[param.type for param in type_.signature.params], type_.signature.result]
    return type_.name == "set" or any(map(_has_set, inside))


class TvmFfi(SlotConvention):
    name = "tvm_ffi"
    prefix = "__tvm_ffi_"

    def refuse(self, sig: Signature, options: Options) -> None:
        super().refuse(sig, options)
        for type_ in (*[param.type for param in sig.params], sig.result):
            if _has_set(type_):
                raise TypeError(f"convention {self.name!r} cannot carry {type_}: tvm-ffi has no set")

    def prototype(self, name: str, sig: Signature) -> str:
        return f"int32_t {name}(void* handle, const jf_tvmffi_any* args, int32_t num_args, jf_tvmffi_any* result)"

    def described(self, name: str, sig: Signature) -> dict[str, str]:
        metadata = {"type_schema": json.dumps(schema.of_signature(sig), separators=(",", ":")), "jitffi": str(sig)}
        return {
            f"{self.prefix}_metadata_{name}": json.dumps(metadata, separators=(",", ":")),
            f"{self.prefix}_doc_{name}": f"{name}{sig}",
        }

    def text_function(self, file: File, symbol: str, text: str) -> str:
        """It gives a String of the file itself, which nobody frees: one reference is the file's."""
        data = text.encode()
        held, size = f".string.{symbol}", file.abi.size
        kinds = f"{{ i64, i32, i32, i64, ptr, {size} }}"
        fields = f"i64 {1 << 32 | 1}, i32 {_STR}, i32 0, i64 0, {file.data(data + bytes(1))}, {size} {len(data)}"
        string = file.define(held, f"{kinds} {{ {fields} }}, align 8", "internal global")
        before, behind = file.head(symbol, is_local=False)
        extension = file.abi.extension("i32", "signext")
        head_ = (
            f'{before} {extension} i32 @"{symbol}"(ptr %handle, ptr %args, i32 {extension} %n, ptr %result) {behind} {{'
        )
        b = Builder(file.abi, "body")
        b.will_lead_to("body")
        b.at("body")
        b.emit(f"atomicrmw add {string}, i32 1 monotonic, align 8")  # the low half of the count
        b.store(head(_STR), V("ptr", "%result"))
        store_payload(b, V("ptr", "%result"), string)
        b.ret(const("i32", 0))
        return b.text(head_, "body")

    def places(self, sig: Signature, labels: list[str]) -> list[ArgumentPlace]:
        slots = super().places(sig, labels)
        return [*slots[:-2], ("result", *slots[-2][1:]), ("returns", "0", "or -1 with tvm-ffi's raised error set")]

    # -- entry -------------------------------------------------------------------------------------------

    def begin(self, e: Emitter, sig: Signature, options: Options) -> None:
        extension = e.abi.extension("i32", "signext")
        params = [("ptr", "", "handle"), ("ptr", "", "args"), ("i32", extension, "num_args"), ("ptr", "", "result")]
        handle, args, num_args, result = e.begin(f"{extension} i32".strip(), params)
        e.linkage.from_function(e, handle)
        passed = _passed(sig)
        views = e.frame(layout.SLOT_SIZE * max(len(passed), 1), "views")
        out = new_out_slot(e, layout.capacity(e.pad), "out")
        e.entry_values = [handle, num_args, views, out, result]
        self.check_number(e, len(passed), options)
        for at, type_ in enumerate(passed):
            self._view(e, type_, e.offset(args, layout.SLOT_SIZE * at), e.offset(views, layout.SLOT_SIZE * at))

    def _view(self, e: Emitter, type_: Type, given: V, view: V) -> None:
        """Make a view of an argument."""
        done, code = e.label("viewed"), _index(e, given, type_)
        _move(e, code, _plain(type_), given, view, done)
        lent = _LENT.get(_core(type_).name)
        if lent is not None:
            match, other = e.label("lent"), e.label("other")
            e.branch(e.icmp("eq", code, const("i32", lent[0]), "is.lent"), match, other)
            e.at(match)
            fields = e.offset(e.load("ptr", given, layout.SLOT_PAYLOAD, "object"), _FIELDS, "fields")
            e.store(head(lent[1]), view)
            store_payload(e, view, fields)
            e.br(done)
            e.at(other)
        e.helper("tvmffi_view", given, view, e.temps())
        e.br(done)
        e.at(done)

    def lower_result(self, e: Emitter, sig: Signature, value: V, borrowed: bool) -> V | None:
        status = super().lower_result(e, sig, value, borrowed)
        out, result, done, other = *e.entry_values[3:], e.label("given"), e.label("other")
        plain = [(ours, theirs) for theirs, ours in _plain(sig.result)]
        if any(ours in _SMALL for ours, _ in plain):  # short text is moved, what is longer there is copied
            short, length = e.label("short"), e.load("i32", out, layout.SLOT_SMALL_LEN, "length")
            e.branch(e.icmp("sle", length, const("i32", layout.SMALL_TEXT), "is.short"), short, other)
            e.at(short)
        code = e.load("i32", out, layout.SLOT_CODE, "code")
        _move(e, code, plain, out, result, done)
        e.br(other)
        e.at(other)
        e.helper("tvmffi_give", out, result)
        e.br(done)
        e.at(done)
        return status

    def fail(self, e: Emitter, where: str) -> None:
        if where == "python":
            e.helper("error_from_python")
            return e.fail("runtime")
        e.run_cleanups(failed=True)
        e.helper("any_release", self.out_slot(e))
        e.helper("tvmffi_raise")
        return e.ret(const("i32", -1))

    # -- callee ------------------------------------------------------------------------------------------

    def call(self, e: Emitter, sig: Signature, values: list[Native], entry: Convention, options: Options) -> V:
        return self.call_slots(e, sig, values, entry, e.linkage.callee_object(e))

    def call_function(self, e: Emitter, callee: V, count: int, args: V, out: V, entry: Convention) -> None:
        for at, type_ in enumerate(_passed(e.sig)):
            slot, done = e.offset(args, layout.SLOT_SIZE * at), e.label("passed")
            code = e.load("i32", slot, layout.SLOT_CODE, "code")
            _move(e, code, [(ours, theirs) for theirs, ours in _plain(type_)], slot, slot, done)
            e.helper("tvmffi_argument", slot, NULL if _core(type_).name in _SCALARS else e.temps())
            e.br(done)
            e.at(done)
        result = e.frame(layout.SLOT_SIZE, "any")
        e.store(const("i64", 0), result)
        e.store(const("i64", 0), result, layout.SLOT_PAYLOAD)
        extension = e.abi.extension("i32", "signext")
        given = [callee, args, const("i32", count), result]
        status = call_out(e, "i32", e.linkage.target(e), given, ["", "", extension, ""], extension, entry)
        failed, returned, done = e.label("callee.failed"), e.label("returned"), e.label("taken")
        e.branch(e.icmp("eq", status, const("i32", 0), "succeeded"), returned, failed, likely=True)
        e.at(failed)
        e.helper("tvmffi_failed")
        e.fail("runtime")
        e.at(returned)
        type_ = e.sig.result
        _move(e, _index(e, result, type_), _plain(type_), result, out, done)
        e.helper("tvmffi_take", result, out)
        e.br(done)
        e.at(done)


#: The one instance.
CONVENTION = TvmFfi()
register(CONVENTION)
