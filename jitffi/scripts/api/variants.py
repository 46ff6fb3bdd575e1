"""Variants: the code of a script for arguments of some types, found in the cache or made through all stages.

Script --key--> cache: image --------------------------------------> in memory, without LLVM
          else  read, infer, generate, LLVM, flatten --> cache --> in memory
                at level 0 --> in memory, and at level 2 meanwhile (improving.py) --> cache --> in its place
"""

from __future__ import annotations

import marshal
from _weakref import ref

from jitffi import _core
from jitffi.adapters import cache
from jitffi.base import pad_policy
from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import IMPORTS, LLVM, SCRIPTS, holding
from jitffi.base.late import Uncollected
from jitffi.base.off_thread import run
from jitffi.link import loaded as images
from jitffi.scripts.api import dispatch, left, options
from jitffi.scripts.api.program import Dependencies, compiler

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.api.script import Script

#: Before the code in the cache: that there is some, with its flags (compiling.py), and bytes with a bit for each
#: parameter that is only read. Else the arguments of the ScriptError.
_COMPILED, _REFUSED = 0x40, b"-"
_READS = 8


class Variant:
    """The code of a script for arguments of some type tags: its packed entry, which parameters it only reads, whether
    it changes nothing outside of itself, so that its call can be made again, whether it has to do with objects of
    Python's, and whether it is made for what lists seem to hold."""

    __slots__ = ("address", "code", "guesses", "python", "quick", "reads", "repeats")

    def __init__(self, address: int, loaded: images.Loaded, reads: int, flags: int) -> None:
        self.address = address
        self.code = loaded
        self.reads = reads
        self.repeats = bool(flags & 1)
        self.python = bool(flags & 2)
        self.guesses = bool(flags & 4)
        #: Better code is being made (improving.py); None: this is it.
        self.quick: _core.Quick | None = None


def variant(script: Script, key: int | None, type_tags: int, compiles: bool = True) -> Variant | None:
    """The code for arguments of those type tags, from the cache or made now; None where it is not there, and this does
    not compile. It may be made quickly: better code is given to the script later, as that of *key*. ScriptError where
    what the script calls cannot be a script."""
    given = script._given
    if given.typed is None and dispatch.structs(given.function, given.strict) != given.structs:
        raise TypeError(f"{script.__name__}: its annotations name other structs than when it was made a script")
    around = Dependencies(given, type_tags=type_tags)
    name = _name(script, type_tags, around)
    flat = cache.load(name)
    if flat is None and not compiles:
        return None
    if pad_policy.current is not None:
        pad_policy.current.compiled(script, type_tags, around)
    elif flat is None and given.typed is None and options.begins_quickly():
        return _quick(script, key, type_tags, around, name)
    if flat is None:
        flat, _ = _made(script, type_tags, around)
        cache.store(name, flat)
    return _loaded(script, around, flat)


def of_signature(script: Script) -> Variant:
    """The code for the types that annotations promise to whoever calls the script by its address. ScriptError for what
    is not native."""
    around = Dependencies(script._given, strict=True)
    name = _name(script, 0, around)
    flat = cache.load(name)
    if flat is None:
        flat, _ = run(_made, script, 0, around)
        cache.store(name, flat)
    return _loaded(script, around, flat)


def _name(script: Script, type_tags: int, around: Dependencies) -> str:
    given, strict = script._given, not around.takes_objects
    return f"script|{compiler()}|{around.digest}|{type_tags:x}|{strict:d}|{given.returns}|{given.text}"


def _loaded(script: Script, around: Dependencies, flat: bytes) -> Variant:
    if flat[:1] == _REFUSED:
        raise ScriptError(*marshal.loads(flat[1:]))
    reads = int.from_bytes(flat[1 : 1 + _READS], "little")
    shown = {dispatch.ENTRY: f"jitffi$script${script.__qualname__}"}
    loaded = images.load(flat[1 + _READS :], around.address, around.natives, shown)
    around.watch(script, _leave)
    return Variant(loaded.functions[dispatch.ENTRY], loaded, reads, flat[0] & ~_COMPILED)


def _leave(script: Script | None) -> None:
    """A class of which it makes objects is another one than when its code was made."""
    if script is not None:
        why, code = "a registered class that it calls was changed after its code was made", script.__code__
        left.leave(script, ScriptError(why, (code.co_filename, code.co_firstlineno, None, None, None, None)))


def _quick(script: Script, key: int | None, type_tags: int, around: Dependencies, name: str) -> Variant:
    """The variant at level 0, while level 2 is being made for the cache and for the script."""
    flat, text = _made(script, type_tags, around, quick=True)
    if not text:
        cache.store(name, flat)
    made = _loaded(script, around, flat)
    if text:
        from jitffi.scripts.api import improving

        made.quick = _core.Quick()
        weak = ref(script)

        def finish(obj: bytes) -> None:
            better = flat[: 1 + _READS] + images.flatten(obj)
            cache.store(name, better)
            alive = weak()
            if alive is not None:
                holding(SCRIPTS, lambda: alive._install(key, _loaded(alive, around, better)))

        improving.ask_for(made.quick, text, finish)
    return made


def wait_for_better(made: Variant) -> None:
    """Return when there is no better code to come: for whoever keeps its address."""
    if made.quick is not None:
        from jitffi.scripts.api import improving

        improving.wait_for(made.quick)


def _made(script: Script, type_tags: int, around: Dependencies, quick: bool = False) -> tuple[bytes, str]:
    """What the cache keeps of a variant, its code or why there is none; and, where the code was made quickly, the text
    that better code is to be made of."""
    try:
        if not script._given.strict:
            around.read()  # what cannot be compiled is found out here, without loading LLVM
        with IMPORTS, Uncollected():  # a fork waits for the lock, and for LLVM's
            from jitffi.llvm.target import HOST

            HOST.load_beside()
            from jitffi.scripts.api import compiling

            compiling.load()
        with IMPORTS, LLVM:
            if quick:
                from jitffi.scripts.api import improving

                quick = improving.is_possible()
            level = 0 if quick else options.level()
            reads, flags, text, made = compiling.image(script, type_tags, around, level)
    except ScriptError as error:
        if script._given.strict:
            raise
        return _REFUSED + marshal.dumps(error.args), ""
    return bytes((_COMPILED | flags,)) + reads.to_bytes(_READS, "little") + made, text if quick else ""


def show_all(script: Script, stage: str) -> str:
    """A stage of all variants, those of calls that the interpreter has made among them; before the first call, of the
    one for arguments as annotated: "types", "llvm", "optimized", "asm"."""
    first = script._given.first
    noted = [] if first is None else [each for each in first.type_tags if each not in script._variants]
    type_tags = [script._tags_of(each) for each in (*script._variants, *noted)] or [dispatch.expected(script._given)[0]]
    return "\n".join([run(holding, SCRIPTS, _show, script, each, stage) for each in type_tags])


def _show(script: Script, type_tags: int, stage: str) -> str:
    """A stage of that variant as text."""
    with IMPORTS, LLVM:
        from jitffi.scripts.api import compiling

        around = Dependencies(script._given, type_tags=type_tags)
        shown: str = compiling.show_stage(script, type_tags, around, stage)
    return shown
