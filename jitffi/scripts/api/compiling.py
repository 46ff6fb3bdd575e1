"""The way of one variant through all stages, where the cache has not got its code. Loads LLVM."""

from __future__ import annotations

import os

from jitffi.base.errors import ScriptError
from jitffi.link import loaded
from jitffi.llvm import codegen, object_files
from jitffi.llvm.target import HOST
from jitffi.scripts.analysis import growing, guesses, infer, objects, pattern_uses, repeatable, struct_uses
from jitffi.scripts.api import dispatch, options, show
from jitffi.scripts.api.dispatch import ENTRY
from jitffi.scripts.frontend import match_uses
from jitffi.scripts.lower.function.module import module_text
from jitffi.scripts.lower.function.values import TEXTS, Pads
from jitffi.scripts.tree.deep import Room
from jitffi.scripts.tree.types import ANY, OBJECT, U64, is_guessed, is_guessed_native, key_of_items, list_of, object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FunctionType
    from typing import Any

    from jitffi.llvm.target import Target
    from jitffi.scripts.api.program import Dependencies, Node
    from jitffi.scripts.api.script import Script
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type
    from jitffi.signature.model import Signature

    #: Of variants: a function of the program, and the types of its parameters.
    Typed = dict[tuple[Any, tuple[Type, ...]], tree.Function]

#: Of a variant: a call of it can be made again, it has to do with objects of Python's, so it needs the lock, and it is
#: made for lists of items of one type (guesses.py).
REPEATS, OF_PYTHON, GUESSES = 1, 2, 4


def load() -> None:
    """Load what comes behind this module, too."""
    from jitffi.scripts import lower

    lower.load()


def typed(type_tags: int, around: Dependencies) -> Typed:
    """The typed trees of a variant and of all that it calls. ScriptError."""
    excluded: set[FunctionType] = set()
    while True:
        try:
            return _typed(type_tags, around, frozenset(excluded))
        except ScriptError as error:
            # What only types tell to be no script's, of a function that is called: Python calls it.
            called = getattr(error, "function", None)
            if called is None or called in excluded or called is around.functions[0] or not around.takes_objects:
                raise
            excluded.add(called)


def _typed(type_tags: int, around: Dependencies, excluded: frozenset[FunctionType]) -> Typed:
    with Room(around.functions[0]):
        root = around.root(excluded)
        keys = {number: each.key for number, each in around.classes.items()}
        types = dispatch.types_of(type_tags, [parameter.declared for parameter in root.tree.parameters], keys)
        trees = infer.infer_program(root, types, _tree, around.gives)
        unfit = guesses.unfit(list(trees.values()))
        if unfit:
            plain = {"object": object_of("list"), "list": list_of(ANY)}
            types = tuple([plain[each.kind] if i in unfit else each for i, each in enumerate(types)])
            trees = infer.infer_program(root, types, _tree, around.gives)
        if U64 in types and around.takes_objects and not repeatable.is_repeatable(trees.values()):
            # What is larger could not begin anew: what the caller's ints grow to is Python's.
            types = tuple([OBJECT if each == U64 else each for each in types])
            trees = infer.infer_program(root, types, _tree, around.gives)
        functions = trees.values()
        by_script = [(each, script) for (script, _), each in trees.items()]
        if around.takes_objects and repeatable.may_have_changed(functions) and growing.has_growing(by_script):
            trees = infer.infer_program(root, types, _tree, around.gives, ints_grow=True)
        for (node, _), each in trees.items():
            try:
                struct_uses.check(each)
                pattern_uses.check(each)
                match_uses.check(each)
                objects.adapt(each)
            except ScriptError as error:
                error.function = getattr(node, "function", None)  # type: ignore[attr-defined]
                raise
        return trees


def _tree(node: Node) -> tree.Function:
    found: tree.Function = node.tree
    return found


def text(
    trees: Typed, target: Target, around: Dependencies, outside: Callable[[Any, str], str], entry: str = ENTRY,
    signature: Signature | None = None,
) -> str:  # fmt: skip
    """The IR of a module. *outside* gives the symbols of native functions."""

    def pads(node: Node) -> Pads:
        inside = getattr(node, "function", None)
        return Pads(None if inside is None else around.pads.get(inside))  # a lambda has none

    with Room(around.functions[0]):
        return module_text(trees, target, entry=entry, signature=signature, pads=pads, outside=outside)


class _Noted(Pads):
    """The compiler's own choice, and what asks for pads: variables that own text, "[]" where lists or maps are made."""

    def __init__(self, asked: set[str]) -> None:
        super().__init__()
        self._asked = asked

    def of(self, variable: tree.Variable, receives: bool = False) -> int:
        if variable.type.kind in TEXTS or variable.type.kind == "any":
            self._asked.add(variable.name.partition(".")[0])
        return super().of(variable, receives)

    @property
    def pool(self) -> int:
        self._asked.add("[]")
        return super().pool


def padded_variables(type_tags: int, around: Dependencies) -> dict[FunctionType, set[str]]:
    """By function of a variant that does not say its pads: what can have some. None where there is no such variant."""
    function = around.functions[0]
    found: dict[FunctionType, set[str]] = {}
    saying = {each for each, said in around.given.items() if said.pads is not None and said.candidate is None}

    def pads(node: Node) -> Pads:
        inside = getattr(node, "function", None)
        return Pads() if inside is None or inside in saying else _Noted(found.setdefault(inside, set()))

    try:
        trees = typed(type_tags, around)
        with Room(function):
            module_text(trees, HOST, pads=pads, outside=around.symbol)
    except ScriptError:
        return {}
    # Python's own lists and dicts are converted for it.
    if function in found and any(each.type.kind in ("list", "dict") for each in next(iter(trees.values())).parameters):
        found[function].add("[]")
    return found


def image(script: Script, type_tags: int, around: Dependencies, level: int) -> tuple[int, int, str, bytes]:
    """Of a variant: a bit for each parameter whose list or dict it only reads, REPEATS and OF_PYTHON as they are true
    of it, the text of its module, and its code of that level, to be loaded."""
    trees = typed(type_tags, around)
    parameters = next(iter(trees.values())).parameters
    writes = any(struct_uses.writes(each) for each in trees.values())
    reads = [each.only_read or (each.type.kind == "struct" and not writes) for each in parameters[:64]]
    read = sum(1 << i for i, each in enumerate(reads) if each)
    flags = REPEATS if repeatable.is_repeatable(list(trees.values())) else 0
    if any(is_guessed(each.type) or is_guessed_native(each.type, each.declared) for each in parameters):
        flags |= GUESSES | REPEATS
    if any(key_of_items(each.type) for each in parameters):
        flags |= GUESSES
    generated = text(trees, HOST, around, around.symbol)
    if '@"core_op_' in generated:
        flags |= OF_PYTHON
    return read, flags, generated, loaded.flatten(_compiled(script, generated, "o", level))


def _compiled(script: Script, generated: str, form: str, level: int) -> bytes:
    """The variant's IR as objfile has it in that form."""
    made = object_files.compile_text(generated, HOST, level, form)
    where = os.environ.get("JITFFI_DUMP")
    if where and form == "o":
        assembly = object_files.compile_text(generated, HOST, level, "s").decode()
        codegen.dump(where, level, script.__name__, generated, assembly, made)
    return made


def show_stage(script: Script, type_tags: int, around: Dependencies, stage: str) -> str:
    """That stage of a variant, under a headline."""
    trees = typed(type_tags, around)
    if stage == "types":
        given = script._given
        notes = show.annotated_otherwise(dispatch.unexpected(given, type_tags))
        notes += show.conversions(next(iter(trees.values())), given.nogil)
        with Room(given.function):
            return "\n\n".join([show.show(each, trees.values()) for each in trees.values()]) + "\n" + notes
    function = next(iter(trees.values()))
    parameters = ", ".join([f"{each.name}: {each.type}" for each in function.parameters])
    headline = f"{script.__name__}({parameters}) -> {function.result}"
    if stage == "llvm":
        return f"; {headline}\n{text(trees, HOST, around, around.symbol)}"
    form = "ll" if stage == "optimized" else "s"
    made = _compiled(script, text(trees, HOST, around, around.symbol), form, options.level())
    return f"{';' if form == 'll' else '#'} {headline}\n{made.decode()}"
