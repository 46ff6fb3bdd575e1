"""The floors of the house: which folder may import which, no circle of imports, and the drawing in docs/design.md.

An import inside a function counts as any other: it is for lateness, not for circles. What is imported for type checkers
alone does not count.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from jitffi.base.version import ADAPTER_FOLDERS, SCRIPT_FOLDERS

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "jitffi"
#: Files beside the floors: the package's public names, its command, and what compilers and type checkers look for.
OUTSIDE = {"__init__.py", "__main__.py", "_core.pyi", "py.typed"}
#: The rooms of a floor, from the ground up. What lies beside them in the floor is above them.
ROOMS = {
    "scripts": ("tree", "library", "regex", "frontend", "analysis", "lower", "api"),
    "bind": ("source", "cxx", "read", "side", "write"),
}

#: What still goes up, and modules that still hang together in circles. These lists can only get shorter.
UPWARD: set[tuple[str, str]] = set()
CIRCULAR: tuple[str, ...] = ()


def drawn_floors() -> list[str]:
    """The folders in the order of the drawing in docs/design.md, from the ground up."""
    text = (ROOT / "docs" / "design.md").read_text()
    drawing = text[text.index("    jitffi/\n") :].partition("\n\n")[0]
    return re.findall(r"^ {6}(\w+)/ ", drawing, re.MULTILINE)[::-1]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


FILES = {module_name(path): path for path in PACKAGE.rglob("*.py")}


class Imports(ast.NodeVisitor):
    """The modules of the package that a module imports when it runs, at once or late."""

    def __init__(self, module: str) -> None:
        self.module = module
        self.found: set[str] = set()
        self.visit(ast.parse(FILES[module].read_text()))

    def visit_If(self, node: ast.If) -> None:
        if "TYPE_CHECKING" not in ast.unparse(node.test):
            self.generic_visit(node)
        for each in node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else ():
            self.visit(each)

    def visit_Import(self, node: ast.Import) -> None:
        self._note(*[alias.name for alias in node.names])

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        assert not node.level, f"{self.module}: a relative import"
        for alias in node.names:
            name = f"{node.module}.{alias.name}"
            self._note(name if name in FILES else str(node.module))

    def visit_Call(self, node: ast.Call) -> None:
        """`__import__("...")` and `import_module("...")` are imports, too."""
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if name in ("__import__", "import_module") and node.args and isinstance(node.args[0], ast.Constant):
            self._note(str(node.args[0].value))
        self.generic_visit(node)

    def _note(self, *names: str) -> None:
        self.found.update(name for name in names if name in FILES and name != self.module)


@functools.cache
def imports() -> dict[str, set[str]]:
    """What each module imports, without the package itself, whose __init__ hands names on."""
    return {module: Imports(module).found - {"jitffi"} for module in FILES if module != "jitffi"}


def room_level(module: list[str]) -> int:
    """How high the room of a module is in its floor."""
    rooms = ROOMS.get(module[1], ())
    return rooms.index(module[2]) if len(module) > 2 and module[2] in rooms else len(rooms)


def upward() -> Iterator[tuple[str, str]]:
    """Imports of a floor from one above it, and in a floor with rooms of a room from one above it."""
    floors = {name: level for level, name in enumerate(drawn_floors())}
    for module, imported in imports().items():
        for other in imported:
            here, there = module.split("."), other.split(".")
            if floors.get(there[1], 0) > floors.get(here[1], len(floors)):
                yield module, other
            if here[1] == there[1] and room_level(there) > room_level(here):
                yield module, other


def test_the_drawing_is_of_the_folders() -> None:
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert sorted(drawn_floors()) == sorted(folders)


def test_no_module_is_outside_of_the_folders() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_file() and path.suffix != ".so"} <= OUTSIDE


def test_imports_lead_down() -> None:
    assert set(upward()) <= UPWARD


def test_imports_are_no_circle() -> None:
    graph = {m: {o for o in imported if not o.startswith(CIRCULAR)} for m, imported in imports().items()}
    try:
        list(TopologicalSorter(graph).static_order())
    except CycleError as error:
        raise AssertionError(f"a circle: {' -> '.join(error.args[1])}") from None


def test_the_key_of_the_cache_knows_every_folder_that_makes_code() -> None:
    """Whoever adds a folder says there whether machine code depends on it."""
    known = {folder.partition("/")[0] for folder in (*ADAPTER_FOLDERS, *SCRIPT_FOLDERS)} - {""}
    others = {"signature", "api", "emission", "profiles", "bind", "remote", "tune", "cli"}
    assert known.isdisjoint(others)
    assert sorted(known | others) == sorted(drawn_floors())
    in_scripts = [path for path in (PACKAGE / "scripts").rglob("*") if path.is_dir() and path.name != "__pycache__"]
    assert {each for each in SCRIPT_FOLDERS if each.startswith("scripts/")} == {
        path.relative_to(PACKAGE).as_posix() for path in in_scripts
    }
