"""Adapters and the loop around them as one module for LLVM, as a compiler that uses jitffi's halves would emit them.

    loop(closure, n)    inlines  adapter c -> packed    which calls  the state's packed entry    `caller`
    entry(self, ...)    inlines  adapter packed -> c    which inlines  add                       `callee`
    loop(unused, n)     inlines  both, with states that are constants                            `whole`

The adapters are the package's own text. What is a constant here is what a compiler knows at that place; everything
else is in memory, as ever.
"""

from __future__ import annotations

import ctypes
import itertools
from typing import Any

import llvmlite.binding as llvm

from jitffi import _core
from jitffi.adapters import adapter
from jitffi.base import layout
from jitffi.conventions.base import Convention, Options
from jitffi.conventions.c import CONVENTION as C_CONVENTION
from jitffi.conventions.c import C
from jitffi.conventions.packed import CONVENTION as PACKED
from jitffi.ir.emitter import Emitter
from jitffi.llvm import codegen
from jitffi.llvm.target import HOST
from jitffi.runtime import entry_points
from jitffi.signature.model import Signature
from jitffi.signature.text import parse

SIGNATURE = "(i64, i64) -> i64"
_WORD = 8
_names = itertools.count()
_jit: Any = None

ADD = """
define i64 @add(i64 %a, i64 %b) nounwind {
  %sum = add i64 %a, %b
  ret i64 %sum
}
"""

LOOP = """
define i64 @loop(ptr %context, i64 %n) nounwind {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %turn, label %end
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %sum = phi i64 [ 0, %entry ], [ %more, %turn ]
  %one = call i64 @"c.packed"(ptr nest CLOSURE, i64 %i, i64 7)
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %turn, label %end
end:
  %total = phi i64 [ 0, %entry ], [ %more, %turn ]
  ret i64 %total
}
"""


#: Five characters from one of 8 places, as native/text_loops.c has them.
TEXT_LOOP = """
@text = internal constant [21 x i8] c"abcdefghijklmnopqrst\\00"

define i64 @loop(ptr %context, i64 %n) nounwind {
entry:
  %any = icmp sgt i64 %n, 0
  br i1 %any, label %turn, label %end
turn:
  %i = phi i64 [ 0, %entry ], [ %next, %turn ]
  %sum = phi i64 [ 0, %entry ], [ %more, %turn ]
  %at = and i64 %i, 7
  %data = getelementptr i8, ptr @text, i64 %at
  %one = call i64 @"c.packed"(ptr nest %context, ptr %data, i64 5)
  %more = add i64 %sum, %one
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %turn, label %end
end:
  %total = phi i64 [ 0, %entry ], [ %more, %turn ]
  ret i64 %total
}
"""


class Inlined(C):
    """The C entry where it is part of what calls it: whoever comes from C has asked whether an error is pending."""

    def before_run(self, e: Emitter, sig: Signature) -> None:
        pass


def _adapter(entry: Convention, callee: Convention, signature: str = SIGNATURE) -> str:
    symbol = f"{entry.name}.{callee.name}"
    return adapter.build_adapter(symbol, parse(signature), entry, callee, Options(), layout.HOST, keep_registers=True)


def _constant(name: str, words: dict[int, str]) -> str:
    """A constant of pointers: offset in bytes -> value; null elsewhere."""
    size = max(words) // _WORD + 1
    values = ", ".join(f"ptr {words.get(_WORD * i, 'null')}" for i in range(size))
    return f"@{name} = internal constant [{size} x ptr] [{values}]"


def _address(number: int) -> str:
    return f"inttoptr (i64 {number} to ptr)"


class Fused:
    """One module, optimised and linked. `address` is its function's; `text` what LLVM has left of it."""

    def __init__(self, functions: str, symbol: str) -> None:
        global _jit
        module = codegen.parse(codegen.module_text(functions))
        for function in module.functions:
            if function.name != symbol and not function.is_declaration:
                function.linkage = llvm.Linkage.internal
                function.add_function_attribute("alwaysinline")
        machine = HOST.machine(2)
        builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
        builder.getModulePassManager().run(module, builder)
        self.text = str(module.get_function(symbol))
        self.assembly: str = machine.emit_assembly(module)
        if _jit is None:
            _jit = llvm.create_lljit_compiler(machine, use_jit_link=False)
        library = llvm.JITLibraryBuilder().add_object_img(machine.emit_object(module)).export_symbol(symbol)
        library.import_symbol("jf_personality", _core.PERSONALITY)
        self._kept = library.link(_jit, f"fused{next(_names)}")
        self.address: int = self._kept[symbol]

    @property
    def calls(self) -> int:
        """Calls in the assembly: what LLVM assumes is a call in its IR only."""
        return sum(line.split()[0].startswith("call") for line in self.assembly.splitlines() if line.strip())

    @property
    def stores(self) -> int:
        return sum(line.startswith("  store ") for line in self.text.splitlines())

    @property
    def loads(self) -> int:
        return sum(" = load " in line for line in self.text.splitlines())


def alone() -> Fused:
    """The loop with the C function in it, and no adapter."""
    return Fused(ADD + LOOP.replace('"c.packed"(ptr nest CLOSURE, ', "add("), "loop")


def caller(callee: Convention = PACKED) -> Fused:
    """A loop with the packing half in it; what it calls is the business of the closure's state that it is given."""
    loop = LOOP.replace("CLOSURE", "%context").replace("c.packed", f"c.{callee.name}")
    return Fused(_adapter(Inlined(), callee) + loop, "loop")


def text_caller() -> Fused:
    """The same for `(str) -> i64`."""
    return Fused(_adapter(Inlined(), PACKED, "(str) -> i64") + TEXT_LOOP, "loop")


def callee(state: int) -> Fused:
    """A packed entry with the C function in it. *state* is that of a Function for a C function of this signature: all
    but its target is used as it is."""
    offsets = layout.HOST.state
    words = {at: _address(ctypes.c_uint64.from_address(state + at).value) for at in offsets.values()}
    words[offsets["target"]] = "@add"
    entry = (
        "define i32 @entry(ptr %self, i32 %n, ptr %args, ptr %out) nounwind {\n"
        '  %status = call i32 @"packed.c"(ptr @function, i32 %n, ptr %args, ptr %out)\n'
        "  ret i32 %status\n}\n"
    )
    constants = [_constant("state", words), _constant("function", {layout.FUNCTION_CAPTURES: "@state"})]
    return Fused("\n".join([*constants, ADD, _adapter(PACKED, C_CONVENTION), entry]), "entry")


def whole(same_types: bool) -> Fused:
    """Caller and callee in one module. That no error is pending is known too: the count is this module's, and nothing
    in it fails. Entry points of the runtime are a function outside, so that LLVM cannot know what a failure would
    do."""
    offsets = layout.HOST.state
    count = len(_core.TABLE)
    table = {_WORD * i: "@outside" for i in range(count)} | {
        _WORD * entry_points.DATA_INDEX["pending_count"]: "@pending"
    }
    known = {layout.FUNCTION_NATIVE: "@add", layout.FUNCTION_TYPES: "@types"} if same_types else {}
    constants = [
        "declare void @outside()\n@types = internal constant i8 0\n@pending = internal global i32 0",
        _constant("table", table),
        _constant("callee", {offsets["target"]: "@add", offsets["table"]: "@table"}),
        _constant("function", {layout.FUNCTION_CAPTURES: "@callee", **known}),
        _constant("caller", {
            offsets["target"]: '@"packed.c"', offsets["table"]: "@table", offsets["self"]: "@function",
            offsets["types"]: "@types",
        }),
        _constant("closure", {layout.CLOSURE_STATE: "@caller"}),
    ]  # fmt: skip
    functions = [ADD, _adapter(PACKED, C_CONVENTION), _adapter(Inlined(), PACKED), LOOP.replace("CLOSURE", "@closure")]
    return Fused("\n".join([*constants, *functions]), "loop")
