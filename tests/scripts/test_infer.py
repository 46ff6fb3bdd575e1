"""Inference: of trees made by hand, and of functions."""

from __future__ import annotations

from typing import Any

import jitffi
from jitffi.scripts.analysis import infer
from jitffi.scripts.api import show
from jitffi.scripts.api.program import Program
from jitffi.scripts.tree import tree
from jitffi.scripts.tree import types as t

P = tree.Place(1, 0, 1, 1)


def v(name):
    return tree.Variable(name)


def local(x):
    return tree.Local(P, x)


def const(x):
    return tree.Const(P, x)


def function(parameters, variables, body):
    for each in parameters:
        each.is_parameter = True
    return tree.Function("f", "f.py", P, parameters, parameters + variables, body)


def assign(x, value):
    return tree.Assign(P, [tree.TargetLocal(P, x)], value)


def test_counting_characters():
    s, n, ch = v("s"), v("n"), v("ch")
    body = [
        assign(n, const(0)),
        tree.For(P, tree.TargetLocal(P, ch), local(s), [
            tree.If(P, tree.Compare(P, [local(ch), const("a")], ["=="]), [
                tree.AugAssign(P, tree.TargetLocal(P, n), "+", const(1))], []),
        ], []),
        tree.Return(P, local(n)),
    ]  # fmt: skip
    f = function([s], [n, ch], body)
    got = infer.infer(f, (t.STR,))
    assert [x.type for x in got.variables] == [t.STR, t.INT, t.CHAR]
    assert got.result == t.INT
    assert s.type == t.NEVER and f.body[0].value.type == t.NEVER
    assert got.body[1].body[0].test.type == t.BOOL
    got = infer.infer(f, (t.ANY,))
    assert [x.type for x in got.variables] == [t.ANY, t.INT, t.ANY]


def test_items_of_lists():
    s, out, ch = v("s"), v("out"), v("ch")
    append = tree.Method(P, local(out), "append", [local(ch)], {})
    body = [
        assign(out, tree.ListOf(P, [])),
        tree.For(P, tree.TargetLocal(P, ch), local(s), [tree.ExprStmt(P, append)], []),
        tree.Return(P, local(out)),
    ]
    got = infer.infer(function([s], [out, ch], body), (t.STR,))
    assert got.result == t.list_of(t.STR)
    assert got.variables[1].type == t.list_of(t.STR)
    assert got.body[0].value.type == t.list_of(t.STR)


def test_recursion():
    n = v("n")
    callee = tree.Callee(script="f")
    call = tree.Call(P, callee, [tree.Binary(P, "-", local(n), const(1))])
    body = [
        tree.If(P, tree.Compare(P, [local(n), const(2)], ["<"]), [tree.Return(P, local(n))], []),
        tree.Return(P, tree.Binary(P, "+", call, const(1))),
    ]
    f = function([n], [], body)
    got = infer.infer_program("f", (t.INT,), {"f": f}.__getitem__)
    assert list(got) == [("f", (t.INT,))]
    typed = got["f", (t.INT,)]
    assert typed.result == t.INT
    assert typed.body[1].value.left.callee.variant == (t.INT,)


# -- of functions ------------------------------------------------------------------------------------------------


def variants(f, *types):
    script = Program({}).script(f)
    return list(infer.infer_program(script, types, lambda each: each.tree).values())


def variables(f, *types):
    """The types of the variables, by name."""
    return {each.name: str(each.type) for each in variants(f, *types)[0].variables}


def reused(text, sep=None):
    if sep is None:
        sep = " "
    text = int(text)
    for i in range(text):
        text += i
    for i in "abc":
        text += len(i)
    return text, sep


def test_a_name_that_is_used_again():
    found = variables(reused, t.STR, t.NONE)
    assert found == {"text": "str", "sep": "none", "text.1": "int", "sep.1": "char", "i": "int", "i.1": "char"}
    assert variables(reused, t.STR, t.STR)["sep"] == "str"
    assert variables(reused, t.INT, t.STR)["text"] == "int"
    assert variables(reused, t.STR, t.ANY)["sep"] == "any"
    assert str(variants(reused, t.STR, t.NONE)[0].result) == "tuple[int, str]"


def defaulted(x, y=None, z=None):
    y = y or x
    z = "a" if z is None else z
    return y, z


def test_optional_parameters():
    assert str(variants(defaulted, t.INT, t.NONE, t.NONE)[0].result) == "tuple[int, str]"
    assert str(variants(defaulted, t.INT, t.STR, t.INT)[0].result) == "tuple[any, int]"


def by_class(x):
    if isinstance(x, str):
        return len(x)
    elif isinstance(x, (int, float)):
        return x
    return None


def test_tests_that_types_decide():
    assert variants(by_class, t.STR)[0].result == t.INT
    assert variants(by_class, t.FLOAT)[0].result == t.FLOAT
    assert variants(by_class, t.BYTES)[0].result == t.NONE
    assert variants(by_class, t.ANY)[0].result == t.ANY


def table(a, b):
    rows = [[0] * (len(b) + 1) for _ in range(len(a) + 1)]
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            rows[i + 1][j + 1] = rows[i][j] + 1 if x == y else max(rows[i][j + 1], rows[i + 1][j])
    return rows


def groups(words):
    found = {}
    counts = {}
    for word in words.split():
        found.setdefault(word[0], []).append(word)
        counts[word] = counts.get(word, 0) + 1
    return found, sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))


def test_containers_in_containers():
    assert str(variants(table, t.STR, t.STR)[0].result) == "list[list[int]]"
    found = variants(groups, t.STR)
    assert str(found[0].result) == "tuple[dict[str, list[str]], list[tuple[str, int]]]"
    assert str(found[1].parameters[0].type) == "tuple[str, int]"


def put(items, item):
    items.append(item)
    return items


def shared(n):
    a, b = [], []
    c = put(a, n)
    put(b, "s")
    d = put(put([], 1), "s")
    return a, b, c, d


def passed_on(f):
    a, b, c = [1], [1], [1]
    d = [c]
    f(a)
    f(d)
    return a, b, c


def test_containers_that_others_change():
    assert str(variants(shared, t.INT)[0].result) == "tuple[list[int], list[str], list[int], list[any]]"
    assert str(variants(passed_on, t.FUNC)[0].result) == "tuple[list[any], list[int], list[any]]"


def declared(n: int, words: list[str], out: list[Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for word in words:
        found[word] = out[n]
    words.append(out[0])
    return found


def test_annotations_are_promises():
    typed = variants(declared, t.INT, t.list_of(t.STR), t.list_of(t.ANY))[0]
    assert [str(each.type) for each in typed.variables] == ["int", "list[str]", "list[any]", "dict[str, int]", "str"]
    assert str(typed.result) == "dict[str, int]"


def characters(text: str):
    first: str = text[0]
    last: str = text[0]
    for ch in text:
        last = ch + last
    return first, last


def test_a_str_that_is_given_characters_is_one():
    typed = variants(characters, t.STR)[0]
    assert [str(each.type) for each in typed.variables] == ["str", "char", "str", "char"]


def gcd(a, b):
    return a if b == 0 else gcd(b, a % b)


def nested(n):
    return [nested(n - 1)] if n else []


def forever(n):
    while True:
        n = n + 1


def test_functions_that_call_themselves():
    assert [str(each.result) for each in variants(gcd, t.INT, t.INT)] == ["int"]
    assert str(variants(nested, t.INT)[0].result) == "list[any]"
    assert [each.result for each in variants(forever, t.INT)] == [t.ANY]


def ways(n):
    a = n / 2, n // 2, n % 2.0, n**2, n**n, -n, not n, n << 1, n & 1, True + True, True & True, ~n
    b = (
        min(n, 1),
        max(n, 1.0),
        abs(-1.5),
        round(2.5),
        round(2.5, 1),
        divmod(n, 2),
        sum([1, 2]),
        sum([1.5]),
        sum([1.5], 0.0),
    )
    c = "a" * n, "a" + "b", b"a" + b"b", [1] + [2], (1,) + ("a",), [1] * n, "abc"[n], b"abc"[n], "abc"[1:], 1 + "a"
    return a, b, c


def test_results_of_operators_and_builtins():
    a, b, c = variants(ways, t.INT)[0].result.args
    assert str(a) == "tuple[float, int, float, int, any, int, bool, int, int, int, bool, int]"
    assert str(b) == "tuple[int, any, float, int, float, tuple[int, int], int, any, float]"
    assert str(c) == "tuple[str, str, bytes, list[int], tuple[int, str], list[int], str, int, str, any]"


def test_what_is_shown():
    lines = show.show(variants(reused, t.STR, t.NONE)[0]).splitlines()
    assert lines[0].startswith("reused(text: str, sep: none) -> tuple[int, str]")
    assert any(line.endswith("# text: int") and "text = int(text)" in line for line in lines)
    assert lines[-1].lstrip().startswith(str(reused.__code__.co_firstlineno + 8))
    lines = show.show(variants(mixed, t.INT)[0]).splitlines()
    assert any(line.startswith("any") and "x: any: int and char are assigned" in line for line in lines)
    assert "slower" in lines[-1]


def mixed(n):
    x = 1
    if n:
        x = "a"
    return x


def narrowed(items):
    out = []
    for x in items:
        if isinstance(x, str) and x:
            out.append(x.lower())
        elif not isinstance(x, float):
            continue
        else:
            x = x + 1.0
    return out


def narrowed_for_good(x):
    if not isinstance(x, str):
        return 1
    return x.find("a")


def test_isinstance_tells_the_type():
    found = variables(narrowed, t.list_of(t.ANY))
    assert found == {"items": "list[any]", "out": "list[str]", "x": "any", "x.1": "str", "x.2": "float"}
    assert variables(narrowed, t.list_of(t.STR)) == {"items": "list[str]", "out": "list[str]", "x": "str"}
    assert variables(narrowed_for_good, t.ANY) == {"x": "any", "x.1": "str"}
    assert variables(narrowed_for_good, t.STR) == {"x": "str"}


def vague(s: str, sep: str | None = None, n: Any = 2) -> str | None:
    if sep is None:
        sep = "--"
    return s + sep * n


def test_annotations_of_several_types_promise_nothing():
    assert variables(vague, t.STR, t.NONE, t.INT) == {"s": "str", "sep": "none", "n": "int", "sep.1": "str"}
    assert variants(vague, t.STR, t.STR, t.INT)[0].result == t.STR


def bound_by_type(x=None):
    if x is None:
        y = 1
    return y


def test_what_types_bind_is_bound():
    for type_, is_unbound in ((t.NONE, False), (t.ANY, True)):
        typed = variants(bound_by_type, type_)[0]
        assert [each.maybe_unbound for each in typed.variables] == [False, is_unbound]
        assert typed.body[-1].value.check is is_unbound


def known_ids(text, ids: dict[str, int]):
    found = []
    last = None
    for word in text.split():
        number = ids.get(word)
        if number is not None:
            found.append(number)
        if last is None:
            last = "s"
        elif last:
            word = last + word
        last = word
    return found, last


def test_what_is_left_of_none():
    result = str(variants(known_ids, t.STR, t.dict_of(t.STR, t.INT))[0].result)
    assert result == "tuple[list[int], any]"
    found = variables(known_ids, t.STR, t.dict_of(t.STR, t.INT))
    assert (found["number"], found["number.1"], found["last"], found["word"]) == ("any", "int", "any", "str")


def only_read(x, y):
    if x and isinstance(y, str):
        return y
    return x


def test_parameters_that_are_only_read():
    for types in ((t.STR, t.STR), (t.ANY, t.STR), (t.NONE, t.ANY), (t.INT, t.ANY)):
        typed = variants(only_read, *types)[0]
        assert [each.is_assigned for each in typed.parameters] == [False, False]
    assert [each.name for each in typed.variables] == ["x", "y", "y.1"]


def filled(text, width):
    line, size = [], 0
    for word in text.split():
        if (line and size > width) or not (size or line):
            line, size = [], 0
        line.append(word)
        size += len(word)
    return [each for each in line if each and size]


def test_containers_of_which_only_the_truth_is_asked_are_followed():
    script = jitffi.script(filled)
    assert script("to be or not", 3) == filled("to be or not", 3)
    assert "line: list[str]" in script.inspect_types()
