"""An expression IR whose nodes are C++ classes: built and rewritten in Python, optimised in C++, compared, stored.

The types, the visitor and the printer are `examples/cxx/expressions.cpp`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

SOURCES = Path(__file__).resolve().parent / "cxx"
BUILD = Path(tempfile.mkdtemp())


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


cmake_dir = run(sys.executable, "-m", "jitffi", "config", "--cmakedir").strip()
run("cmake", "-S", str(SOURCES), "-B", str(BUILD), f"-Djitffi_DIR={cmake_dir}")
run("cmake", "--build", str(BUILD), "--target", "expressions")
compiler = jitffi.load_module(str(BUILD / "expressions.so"))


# The types are C++'s; Python adds what it likes.
@jitffi.register_object("expr.Expr")
class Expr:
    def __add__(self, other):
        return Binary("+", self, expr(other))

    def __mul__(self, other):
        return Binary("*", self, expr(other))

    def __str__(self):
        return self.text()  # C++'s


@jitffi.register_object("expr.Const")
class Const(Expr):
    pass


@jitffi.register_object("expr.Var")
class Var(Expr):
    pass


@jitffi.register_object("expr.Binary")
class Binary(Expr):
    pass


@jitffi.register_object("expr.Lambda")
class Lambda(Expr):
    pass


def expr(value):
    return value if isinstance(value, Expr) else Const(float(value))


x, y = Var("x"), Var("y")
function = Lambda([x, y], (x + y) * (Const(2.0) * 3 + 1) * 1 + x * 0)
print("built:     ", function)
print("folded:    ", compiler.optimize(function, None))


def rewrite(node):
    """x * 1 is x, x * 0 is 0, x + 0 is x."""
    if isinstance(node, Binary) and isinstance(node.right, Const):
        if node.op == "*" and node.right.value in (0, 1):
            return node.left if node.right.value else node.right
        if node.op == "+" and node.right.value == 0:
            return node.left
    return None


small = compiler.optimize(function, rewrite)
print("rewritten: ", small)

a, b = Var("a"), Var("b")
same = Lambda([a, b], (a + b) * 7)
print("the same:  ", jitffi.structural_equal(small, same), jitffi.structural_equal(small, Lambda([a, b], (b + a) * 7)))
print("difference:", *jitffi.first_structural_mismatch(small, Lambda([a, b], (a + b) * 8)))
loaded = jitffi.from_json(jitffi.to_json(small))
print("loaded:    ", loaded, jitffi.structural_equal(loaded, small))
