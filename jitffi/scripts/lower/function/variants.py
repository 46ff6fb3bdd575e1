"""Variants as functions of a module, and calls of one by another.

    define internal fastcc { T, i1 } @"script.name.0"(arguments..., [ptr out], [i32 depth, i64 stack])  i1: failed

    INT, U64 i64   FLOAT double   BOOL i1   CHAR i32   NONE nothing   LIST, DICT, TUPLE, FUNC, OBJECT ptr, borrowed
    STR ptr data, i64 size, i1 wide   BYTES ptr data, i64 size     the caller keeps it for the call; and the object of
                                      Python's that it is read of, or NULL, where there may be objects of Python's
    ANY ptr, a slot of any pad, borrowed

    T   of INT, U64, FLOAT, BOOL (as i64), CHAR (as i64); of objects ptr, a new reference; nothing of NONE and NEVER;
        nothing of STR, BYTES and ANY, which go to `out`, a null out-slot

Variants that can call themselves have `depth`, which makes a RecursionError as CPython's limit does, and `stack`, the
lowest address that a frame may have, which makes one of what would be the end of the stack.
"""

from __future__ import annotations

from collections import Counter

from jitffi.scripts.analysis.kept_items import given_texts, items_of_guesses
from jitffi.scripts.lower.control import interrupts
from jitffi.scripts.lower.control.control import leave
from jitffi.scripts.lower.function import conversion
from jitffi.scripts.lower.function.body import Body
from jitffi.scripts.lower.function.emit import FALSE, NULL, P, V, const
from jitffi.scripts.lower.function.lifetimes import DoesNotOutlive, outliving_variables
from jitffi.scripts.lower.function.values import COUNTED, MACHINE, NONE_VALUE, OUTLIVES, TEXTS, Value, owned, text
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, OWN_KINDS, STR, Type, join
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.lower.function.emit import Emit
    from jitffi.scripts.lower.function.module import Module

#: As CPython's own limit, where that many frames are no more than so many bytes of the stack.
DEPTH = 1000
STACK = 6 << 20
_SPILLED = 256  # of a frame beside its variables, at least

#: Lines of IR below which a function is worth inlining, and above which it is not optimised: LLVM's analyses go up the
#: chain of blocks above each value, so its time goes with the square of a function's size, and reaches seconds there.
SMALL, HUGE = 120, 8000

Key = tuple["Any", tuple[Type, ...]]


class Variant:
    """One typed tree and the function that it becomes."""

    __slots__ = ("frame", "function", "is_recursive", "key", "symbol")

    def __init__(self, key: Key, function: tree.Function, symbol: str) -> None:
        self.key = key
        self.function = function
        self.symbol = symbol
        self.is_recursive = False
        #: Bytes of its variables; known once it is written.
        self.frame = 0

    @property
    def result(self) -> Type:
        return self.function.result


class Variants:
    """All variants of a module, and which calls which."""

    def __init__(self, functions: dict[Key, tree.Function]) -> None:
        self.by_key: dict[Key, Variant] = {}
        self._of: dict[Any, list[Variant]] = {}
        for n, (key, function) in enumerate(functions.items()):
            variant = Variant(key, function, f"script.{function.name}.{n}")
            self.by_key[key] = variant
            self._of.setdefault(key[0], []).append(variant)
        #: By variant the number of the cycle of calls that it is part of; each is of its own where it calls none back.
        callees = {key: self._callees(key) for key in self.by_key}
        self._cycles = strongly_connected(callees)
        members = Counter(self._cycles.values())
        for key, variant in self.by_key.items():
            variant.is_recursive = members[self._cycles[key]] > 1 or key in callees[key]

    def find(self, script: Any, types: list[Type]) -> Variant:
        """The variant that takes arguments of these types: exactly, or of types that they join to."""
        best: Variant | None = None
        for variant in self._of.get(script, ()):
            given = variant.key[1]
            wanted = zip(variant.function.parameters, given, types, strict=True)
            if all(_declared(p, type_) or parameter == type_ for p, parameter, type_ in wanted):
                return variant
            takes = zip(variant.function.parameters, given, types, strict=True)
            fits = all(_declared(p, type_) or join(parameter, type_) == parameter for p, parameter, type_ in takes)
            if fits and (best is None or given.count(ANY) < best.key[1].count(ANY)):
                best = variant
        assert best is not None, (script, types)
        return best

    def of(self, script: Any) -> list[Variant]:
        """All of a script."""
        return self._of.get(script, [])

    def is_cycle(self, caller: Key, callee: Key) -> bool:
        """Whether a call of the one by the other can come back to the caller."""
        return self._cycles[caller] == self._cycles[callee]

    def _callees(self, key: Key) -> list[Key]:
        """All variants of the scripts that it calls: by name, which is enough to find cycles."""
        scripts = dict.fromkeys(_scripts_in(self.by_key[key].function))
        return [variant.key for script in scripts for variant in self._of.get(script, ())]


def _scripts_in(function: tree.Function) -> list[Any]:
    called = [node.script for node in walk(function.body) if isinstance(node, tree.Callee)]
    return [script for script in called if script is not None]


def _declared(parameter: tree.Variable, given: Type) -> bool:
    """Whether it takes what is given as what is declared."""
    declared = parameter.declared
    return declared is not None and not (given.kind == "object" and declared.kind in OWN_KINDS)


def strongly_connected(graph: dict[Any, list[Any]]) -> dict[Any, int]:
    """The number of the strongly connected component of each node: Tarjan's algorithm (SIAM J. Comput. 1972), with a
    stack of its own, as chains of calls are deep."""
    found: dict[Any, int] = {}
    order: dict[Any, int] = {}
    lowest: dict[Any, int] = {}
    waiting: list[Any] = []
    for root in graph:
        if root in order:
            continue
        order[root] = lowest[root] = len(order)
        waiting.append(root)
        way = [(root, iter(graph[root]))]
        while way:
            node, rest = way[-1]
            for each in rest:
                if each not in order:
                    order[each] = lowest[each] = len(order)
                    waiting.append(each)
                    way.append((each, iter(graph[each])))
                    break
                if each not in found:
                    lowest[node] = min(lowest[node], order[each])
            else:
                way.pop()
                if way:
                    lowest[way[-1][0]] = min(lowest[way[-1][0]], lowest[node])
                if lowest[node] == order[node]:
                    cut = waiting.index(node)
                    found.update(dict.fromkeys(waiting[cut:], order[node]))
                    del waiting[cut:]
    return found


# -- the function --------------------------------------------------------------------------------------------


def direct(type_: Type) -> str:
    """The LLVM type of the result that comes in a register, or ""."""
    if type_.kind in COUNTED:
        return "ptr"
    return {"int": "i64", "u64": "i64", "float": "double", "bool": "i64", "char": "i64"}.get(type_.kind, "")


def in_slot(type_: Type) -> bool:
    return type_.kind in TEXTS or type_.kind == "any"


def _returned(type_: Type) -> str:
    machine = direct(type_)
    return f"{{ {machine}, i1 }}" if machine else "i1"


def _status(type_: Type, failed: bool) -> V:
    machine, bit = direct(type_), str(failed).lower()
    if not machine:
        return V("i1", bit)
    zero = {"ptr": "null", "double": "0.0"}.get(machine, "0")
    return V(_returned(type_), f"{{ {machine} {zero}, i1 {bit} }}")


def _machine_parameters(function: tree.Function, type_: Type, name: str) -> list[tuple[str, str, str]]:
    kind = type_.kind
    if kind in MACHINE:
        return [(MACHINE[kind], "", name)]
    if kind in TEXTS:
        parts = [("ptr", "noalias noundef nonnull readonly", f"{name}.data"), ("i64", "", f"{name}.size")]
        parts += [("i1", "", f"{name}.wide")] if kind == "str" else []
        return [*parts, ("ptr", "", f"{name}.given")] if function.takes_objects else parts
    return [] if kind in ("none", "never") else [("ptr", "noundef nonnull", name)]


def define(module: Module, variant: Variant) -> None:
    """Write a variant into the module."""
    try:
        _define(module, variant, outliving_variables(variant.function))
    except DoesNotOutlive:
        _define(module, variant, None)


def _check_depth(b: Body, variant: Variant) -> None:
    """RecursionError where the calls of a variant by itself are too many, or the thread's stack is at its end."""
    e = b.e
    limit = e.load("i32", V("ptr", f'@"{_limit_of(variant)}"'), 0, "limit")
    here = e.cast("ptrtoint", e.alloca("i64", "frame"), "i64")
    for over in (e.icmp("ugt", b.depth, limit, "too.deep"), e.icmp("ult", here, b.stack, "at.the.end")):
        b.frame.raise_if(over, "RecursionError", "maximum recursion depth exceeded")
    interrupts.count_depth(b)


def _define(module: Module, variant: Variant, outliving: set[tree.Variable] | None) -> None:
    function = variant.function
    b = Body(module, function)
    b.variables.outliving, b.variables.guesses = outliving or set(), outliving is not None
    b.variables.items = items_of_guesses(function)
    b.variables.given = given_texts(function)
    b.variant = variant
    e, params, values = b.e, [], []
    for variable in function.parameters:
        named = _machine_parameters(function, variable.type, variable.name)
        given = [(type_, attributes, e.unique(name)) for type_, attributes, name in named]
        params += [" ".join(filter(None, (type_, attributes, f"%{name}"))) for type_, attributes, name in given]
        values.append([V(type_, f"%{name}") for type_, _, name in given])
    if in_slot(function.result):
        b.out = P("%" + e.unique("out"), "nocapture noundef nonnull")
        params.append(f"ptr noalias nocapture noundef nonnull {b.out.text}")
    elif direct(function.result):
        b.out = e.alloca(direct(function.result), "result")
    if variant.is_recursive:
        b.depth = V("i32", "%" + e.unique("depth"))
        b.stack = V("i64", "%" + e.unique("stack"))
        params += [f"i32 {b.depth.text}", f"i64 {b.stack.text}"]
    start = e.label("start")
    e.will_lead_to(start)
    e.at(start)
    b.frame.line = function.place.line
    if variant.is_recursive:
        _check_depth(b, variant)
    for variable, parts in zip(function.parameters, values, strict=True):
        b.variables.set_parameter(variable, parameter(variable.type, parts))
    b.block(function.body)
    if e.is_reached:
        leave(b, NONE_VALUE)
    elif e.is_open:
        e.unreachable()
    b.exits.write_leave(lambda: e.ret(_success(b, function.result)))
    b.frame.write_failures(_status(function.result, failed=True))
    declared = f'@"{variant.symbol}"({", ".join(params)})'
    head = f"define internal fastcc {_returned(function.result)} {declared} {_effort(e)}#0 {{"
    shown = ", ".join([f"{each.name}: {each.type}" for each in function.parameters])
    title = f"; {function.name}({shown}) -> {function.result}\n"
    module.unit.functions.append(title + e.text(head, start))
    module.unit.defined.add(variant.symbol)
    variant.frame = e.frame_size


def _effort(e: Emit) -> str:
    """What LLVM is told of a function's size."""
    if e.line_count < SMALL:
        return "inlinehint "
    return "optnone noinline " if e.line_count > HUGE else ""


def _limit_of(variant: Variant) -> str:
    """The symbol of how deep it may be called by itself."""
    return f"{variant.symbol}.limit"


def define_limits(module: Module) -> None:
    """When all variants are written: those that are no part of a recursion may have become part of frames that are."""
    variants = module.variants.by_key.values()
    inlined = sum([each.frame for each in variants if not each.is_recursive])
    for each in variants:
        if each.is_recursive:
            depth = min(DEPTH, STACK // (each.frame + inlined + _SPILLED))
            module.unit.define(_limit_of(each), f"i32 {depth}, align 4")


def _success(b: Body, type_: Type) -> V:
    status, machine = _status(type_, failed=False), direct(type_)
    if not machine:
        return status
    loaded = b.e.load(machine, b.out, 0, "result")
    return b.e.value(status.type, "returned", f"insertvalue {status}, {loaded}, 0")


def parameter(type_: Type, parts: list[V]) -> Value:
    """The value of a parameter, which outlives the call."""
    if type_.kind in TEXTS:
        found = text(type_, parts[0], parts[1], parts[2] if type_ == STR else FALSE, OUTLIVES)
        found.given = parts[-1] if parts[-1].type == "ptr" else None
        return found
    return Value(type_, parts[0] if parts else None)


# -- the call ------------------------------------------------------------------------------------------------


def call_script(b: Body, callee: tree.Callee, values: list[Value]) -> Value:
    """Call another script, or this one. Values must be lasting; they are converted to what its variant takes."""
    known = b.module.variants.by_key.get((callee.script, getattr(callee, "variant", ())))
    variant = known or b.module.variants.find(callee.script, [value.type for value in values])
    return call(b, variant, values)


def call(b: Body, variant: Variant, values: list[Value], out: P | None = None) -> Value:
    """The result is a temporary's, if it can own anything. *out*: where a result goes that comes through a slot."""
    e, function = b.e, variant.function
    args: list[V] = []
    for variable, value in zip(function.parameters, values, strict=True):
        args += arguments(function, conversion.convert_parameter(b, value, variable), variable.type)
    slot: P | None = None
    if in_slot(function.result):
        slot = out or b.frame.temp_slot()
        args.append(slot)
    if variant.is_recursive:
        here = getattr(b, "variant", None)
        deeper = here is not None and here.is_recursive and b.module.variants.is_cycle(here.key, variant.key)
        args.append(e.add(b.depth, const("i32", 1), "depth") if deeper else const("i32", 0))
        args.append(b.stack if deeper else b.frame.call("jf_script_stack_limit"))
    type_ = _returned(function.result)
    returned = e.call(type_, V("ptr", f'@"{variant.symbol}"'), args, convention="fastcc")
    failed = returned if type_ == "i1" else e.value("i1", "failed", f"extractvalue {returned}, 1")
    b.frame.fail_if(failed)
    if slot is not None:
        return b.storage.read(slot, function.result, owned(slot))
    machine = direct(function.result)
    result = e.value(machine, "result", f"extractvalue {returned}, 0") if machine else NULL
    return _result(b, function.result, result)


def _result(b: Body, type_: Type, result: V) -> Value:
    kind = type_.kind
    if kind in COUNTED:
        return b.storage.new_object(type_, result)
    if kind in ("bool", "char"):
        return Value(type_, b.e.trunc(result, MACHINE[kind]))
    if kind == "never":
        return conversion.never(b)
    return NONE_VALUE if kind == "none" else Value(type_, result)


def arguments(function: tree.Function, value: Value, type_: Type) -> list[V]:
    """What is passed to a variant for a value of exactly that type."""
    if type_.kind in TEXTS:
        given = [value.origin or value.given or NULL] if function.takes_objects else []
        return [value.data, value.size, *([value.wide] if type_ == STR else []), *given]
    return [] if type_.kind in ("none", "never") else [value.ssa]
