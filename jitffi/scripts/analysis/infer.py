"""The types of a variant and of all that it calls: each is inferred again when one that it calls is known better."""

from __future__ import annotations

from collections import Counter

from jitffi.scripts.analysis.inference import MAX_VARIANTS, Inference, parameter_types
from jitffi.scripts.analysis.places import Places
from jitffi.scripts.tree.types import ANY

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from jitffi.scripts.analysis.inference import Results
    from jitffi.scripts.analysis.summaries import Summary
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type


class _CallGraph:
    """Variants of scripts that call each other, each inferred again when one that it calls is known better."""

    def __init__(self, tree_of: Callable[[Any], tree.Function], places: Places) -> None:
        self._tree_of = tree_of
        self.places: Final = places
        #: All that were ever asked for: the places in them are the same when all begins anew.
        self._made: dict[tuple[Any, tuple[Type, ...]], Inference] = {}
        self.begin()

    def begin(self) -> None:
        self.places.grew = False
        self.variants: dict[tuple[Any, tuple[Type, ...]], Inference] = {}
        self._counts: Counter[Any] = Counter()
        self.summaries: dict[tuple[Any, tuple[Type, ...]], Summary] = {}
        self.callees: dict[Any, dict[Any, None]] = {}
        self._callers: dict[Any, dict[Any, None]] = {}
        self._waiting: dict[Any, None] = {}
        self._again: dict[Any, None] = {}
        self._running: Any = None

    def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
        function = self._tree_of(script)
        types = parameter_types(function, list(types))
        if (script, types) not in self.variants:
            if self._counts[script] >= MAX_VARIANTS:
                types = parameter_types(function, [ANY] * len(types))
            self.add(script, types)
        key = (script, types)
        self._callers.setdefault(key, {})[self._running] = None
        self.callees.setdefault(self._running, {})[key] = None
        return types, self.summaries.get(key)

    def add(self, script: Any, types: tuple[Type, ...]) -> None:
        key = (script, types)
        if key not in self.variants:
            made = self._made.get(key)
            if made is None:
                made = self._made[key] = Inference(self._tree_of(script), types, self, self.places, script)
            else:
                made.begin()
            self.variants[key] = made
            self._counts[script] += 1
            self._waiting[key] = None

    def run(self, final: bool) -> None:
        """Until no summary changes. All begins anew where something has turned out to be Python's own (`places.grew`):
        that is found in one go, since large programs have hundreds of such things."""
        if final:
            self._waiting.update(dict.fromkeys(self.variants))
        while self._waiting or self._again:
            # The youngest first, and callers again when nothing else waits: what is called is known before them.
            key = self._waiting.popitem()[0] if self._waiting else next(iter(self._again))
            self._again.pop(key, None)
            self._running = key
            self.callees[key] = {}
            summary = self.variants[key].run(final)
            if self.summaries.get(key) != summary:
                self.summaries[key] = summary
                self._again.update(self._callers.get(key, {}))


def infer_program(
    script: Any,
    types: tuple[Type, ...],
    tree_of: Callable[[Any], tree.Function],
    gives: bool = False,
    ints_grow: bool = False,
) -> dict[tuple[Any, tuple[Type, ...]], tree.Function]:
    """The typed trees of a variant and of all variants that it calls, by script and types; the first is the variant's.

    Scripts are whatever stands in `Callee.script`, and hashable; `tree_of` gives their trees. *gives*: Python gets
    the result, as its own. *ints_grow*: those of growing.py.
    """
    program = _CallGraph(tree_of, Places(tree_of(script).takes_objects, gives, ints_grow))
    while True:
        program.begin()
        program.add(script, types)
        program.variants[script, types].gives = gives
        program.variants[script, types].is_root = True
        program.run(final=False)
        if not program.places.grew:
            program.run(final=True)
        if not program.places.grew:
            break
    found: dict[tuple[Any, tuple[Type, ...]], tree.Function] = {}
    wanted = [(script, types)]
    while wanted:
        key = wanted.pop()
        if key not in found:
            found[key] = program.variants[key].finish()
            wanted += reversed(program.callees.get(key, {}))
    return found


def infer(function: tree.Function, types: tuple[Type, ...], results: Results | None = None) -> tree.Function:
    """The typed tree of one variant, given what is known of the scripts that it calls."""
    places = Places(function.takes_objects)
    inference = Inference(function, types, results or _Nothing(), places)
    inference.is_root = True
    while True:
        inference.run(final=False)
        if not places.grew:
            inference.run(final=True)
        if not places.grew:
            return inference.finish()
        places.grew = False
        inference.begin()


class _Nothing:
    def of(self, script: Any, types: tuple[Type, ...]) -> tuple[tuple[Type, ...], Summary | None]:
        return types, None
