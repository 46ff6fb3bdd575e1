"""The way of one variant through all stages, where the cache has not got its code. Loads LLVM."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from jitffi.compile import codegen
from jitffi.compile.target import HOST
from jitffi.files import objfile
from jitffi.script import code, dispatch, infer, show
from jitffi.script.generate.module import module_text
from jitffi.script.generate.values import Pads
from jitffi.script.program import ENTRY, Node, Program, Surroundings

if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.compile.target import Target
    from jitffi.script import tree
    from jitffi.script.script import Script
    from jitffi.script.types import Type
    from jitffi.signature.model import Signature

    #: Of variants: a function of the program, and the types of its parameters.
    Typed = dict[tuple[Any, tuple[Type, ...]], tree.Function]

#: LLVM's level: scripts are made once and kept.
LEVEL = 2


def typed(script: Script, kinds: int, around: Surroundings) -> Typed:
    """The typed trees of a variant and of all that it calls. ScriptError."""
    root = Program(around.given).script(script._given.function)
    types = dispatch.types_of(kinds, [parameter.declared for parameter in root.tree.parameters])
    return infer.infer_program(root, types, _tree)


def _tree(node: Node) -> tree.Function:
    found: tree.Function = node.tree
    return found


def _pads(node: Node) -> Pads:
    options = getattr(node, "options", None)  # a lambda has none
    return Pads(None if options is None else options.pads)


def text(
    trees: Typed, target: Target, outside: Callable[[Any, str], str], entry: str = ENTRY,
    signature: Signature | None = None,
) -> str:  # fmt: skip
    """The IR of a module. *outside* gives the symbols of native functions."""
    return module_text(trees, target, entry=entry, signature=signature, pads=_pads, outside=outside)


def image(script: Script, kinds: int, around: Surroundings) -> bytes:
    """The variant's code, to be kept and loaded."""
    return code.flatten(_compiled(script, typed(script, kinds, around), around, "o"))


def _compiled(script: Script, trees: Typed, around: Surroundings, form: str) -> bytes:
    """The variant as objfile has it in that form."""
    generated = text(trees, HOST, around.symbol)
    made = objfile.compile_text(generated, HOST, LEVEL, form)
    where = os.environ.get("JITFFI_DUMP")
    if where and form == "o":
        assembly = objfile.compile_text(generated, HOST, LEVEL, "s").decode()
        codegen.dump(where, LEVEL, script.__name__, generated, assembly, made)
    return made


def show_stage(script: Script, kinds: int, stage: str) -> str:
    """That stage of a variant, under a headline."""
    around = Surroundings(script._given)
    trees = typed(script, kinds, around)
    if stage == "types":
        return "\n\n".join([show.show(each) for each in trees.values()]) + "\n"
    function = next(iter(trees.values()))
    parameters = ", ".join([f"{each.name}: {each.type}" for each in function.parameters])
    headline = f"{script.__name__}({parameters}) -> {function.result}"
    if stage == "llvm":
        return f"; {headline}\n{text(trees, HOST, around.symbol)}"
    form = "ll" if stage == "optimized" else "s"
    return f"{';' if form == 'll' else '#'} {headline}\n{_compiled(script, trees, around, form).decode()}"
