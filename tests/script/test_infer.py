"""Inference, on trees made by hand."""

from jitffi.script import infer, tree
from jitffi.script import types as t

P = tree.Place(1, 0, 1, 1)


def v(name):
    return tree.Variable(name)


def local(x):
    return tree.Local(P, x)


def const(x):
    return tree.Const(P, x)


def function(parameters, variables, body):
    return tree.Function("f", "f.py", P, parameters, [], parameters + variables, body)


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
