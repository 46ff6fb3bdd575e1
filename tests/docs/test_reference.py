"""The reference has every public name of Python and C and of the command line, and says of each what it must."""

from __future__ import annotations

import doctest
import inspect
import re
import shutil
import subprocess
import sys
import types
from pathlib import Path

import pytest
from pycparser import c_ast, c_parser

import jitffi
from jitffi import _core

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs" / "generators"))

import c_headers  # noqa: E402
import commands  # noqa: E402
import python_names  # noqa: E402

REFERENCE = ROOT / "docs" / "reference"
HEADERS = sorted((ROOT / "runtime_c" / "include" / "jitffi").glob("*.h"))
NAMES = [name for name in python_names.names() if name not in jitffi._ALIASES]
CLASSES = [name for name in NAMES if isinstance(python_names.find(name), type)]


def fences(page: str, language: str) -> list[str]:
    text = (REFERENCE / page).read_text(encoding="utf-8")
    return re.findall(rf"^```\{{{language}\}} ?(.*?)^```$", text, re.MULTILINE | re.DOTALL)


# -- Python ----------------------------------------------------------------------------------------------------------


def test_each_name_of_the_package_stands_in_the_reference_once():
    listed = " ".join(fences("python.md", "python-names")).split()
    assert sorted(listed) == sorted([*jitffi.__all__, *python_names.RETURNED])


@pytest.mark.parametrize("name", CLASSES)
def test_each_public_member_of_a_class_has_an_entry(name):
    found = python_names.find(name)
    public = [getattr(jitffi, other) for other in jitffi.__all__]
    told = {each.name.partition(".")[2] for each in python_names.entry(name).members}
    for base in found.__mro__:
        if base is found or (base.__module__.startswith("jitffi") and base not in public):
            assert {member for member in vars(base) if not member.startswith("_")} <= told, base


#: What can be any value, or what another package's class is.
ANYTHING = {
    "Param.default",
    "DataType.dtype",
    "Pointer.value",
    "AccessStep.key",
    "StructuralKey.key",
    "StructuralKey.value",
    "VisitInterrupt.value",
}


def faults_of(entry) -> list[str]:
    """What an entry does not say."""
    if entry.directive == "py:data":
        return []  # a type of signatures: the table of types tells the rest
    found = [] if entry.doc else ["no docstring"]
    called = entry.directive in ("py:function", "py:method")
    found += [f"no type of the result: {each}" for each in entry.signatures if called and "->" not in each]
    is_field = entry.directive in ("py:property", "py:attribute")
    if is_field and entry.options[0].endswith(" Any") and entry.name not in ANYTHING:
        found.append("no type")
    return found


def test_each_entry_says_what_it_is_and_of_what_types():
    entries = [python_names.entry(name) for name in python_names.names()]
    every = [each for entry in entries for each in (entry, *entry.members)]
    assert {each.name: faults for each in every if (faults := faults_of(each))} == {}


#: Python functions that have no failure of their own.
NEVER_FAIL = {"count_cycles", "collect_cycles", "list_global_func_names", "list_type_keys"}


def test_each_function_tells_of_its_parameters_and_errors():
    """By their names, in its own text or, of a class's methods in C, in that of Python's method of the name."""
    faults = {}
    for name in jitffi.__all__:
        entry = python_names.entry(name)
        functions = [each for each in entry.members if each.directive == "py:method"] + [entry]
        for each in functions if getattr(_core, name, None) is None else []:
            if each.directive not in ("py:function", "py:method"):
                continue
            text = each.doc.partition(">>> ")[0]
            given = set(re.findall(r"[(,] ?\*{0,2}(\w+)(?=[:=])", each.signatures[0].partition(" -> ")[0]))
            lacking = sorted(param for param in given if not re.search(rf"[*`]{param}[*`]", text))
            if lacking or not (name in NEVER_FAIL or re.search(r"Error\b|raises\b", text)):
                faults[each.name] = lacking or "errors"
    assert faults == {}


def test_each_entry_in_python_has_an_example():
    """They are run with the modules' other doctests."""
    lacking = []
    for name in jitffi.__all__:  # what functions return is shown by their examples
        entry, found = python_names.entry(name), python_names.find(name)
        if entry.directive == "py:data" or getattr(_core, name, None) is found:
            continue
        called = [each for each in entry.members if each.directive in ("py:method", "py:property")]
        own = [
            each
            for each in called
            if isinstance(vars(found).get(each.name.partition(".")[2]), property | types.FunctionType | staticmethod)
        ]
        lacking += [each.name for each in (entry, *own) if ">>> " not in each.doc]
    assert lacking == []


@pytest.mark.parametrize(
    "name", [name for name in jitffi.__all__ if getattr(_core, name, None) is getattr(jitffi, name)]
)
def test_each_class_and_function_in_c_has_an_example_that_runs(name):
    entry = python_names.entry(name)
    runner = doctest.DocTestRunner(verbose=False)
    shown: list[str] = []
    examples = 0
    for each in (entry, *entry.members):
        test = doctest.DocTestParser().get_doctest(each.doc, {"jitffi": jitffi}, each.name, None, None)
        examples += len(test.examples)
        runner.run(test, out=shown.append)
    assert runner.summarize(verbose=False).failed == 0, "".join(shown)
    assert examples, "no example"


# -- C ---------------------------------------------------------------------------------------------------------------


def test_every_header_has_its_page():
    assert [path.name for path in HEADERS] == c_headers.headers()
    assert {each.strip() for path in HEADERS for each in fences(f"c/{path.stem}.md", "c-header")} == {
        path.name for path in HEADERS
    }


@pytest.mark.parametrize("path", HEADERS, ids=lambda path: path.name)
def test_all_that_a_header_declares_has_an_entry(path):
    """As a C compiler and pycparser read it."""
    if not (compiler := shutil.which("cc") or shutil.which("gcc") or shutil.which("clang")):
        pytest.skip("no C compiler")
    told = set(c_headers.names())
    assert declared(compiler, path) <= told
    guard = f"JITFFI_{path.stem.upper()}_H"
    macros = set(re.findall(r"^[ \t]*#\s*define\s+(\w+)", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert macros - {guard} <= told


@pytest.mark.parametrize("header", c_headers.headers())
def test_each_function_in_c_has_a_comment_or_shares_one(header):
    groups = [group for group in c_headers.groups(header) if getattr(group[0], "directive", "") == "c:function"]
    assert [each.name for group in groups for each in group[:1] if not each.comment] == []


def declared(compiler: str, path: Path) -> set[str]:
    """Functions, types, variables and constants of one header."""
    source = f'#include "{path}"\n'
    without = [
        "-D__attribute__(x)=",
        "-D__extension__=",
        "-D_Pragma(x)=",
        "-D__asm__(x)=",
        "-D__restrict=",
        "-D__inline=",
    ]
    text = subprocess.run(
        [compiler, "-E", "-xc", *without, "-"], input=source, capture_output=True, text=True, check=True
    ).stdout  # fmt: skip
    tree = c_parser.CParser().parse(re.sub(r"^#pragma.*$", "", text, flags=re.MULTILINE))
    found: set[str] = set()
    for node in tree.ext:
        if str(path) not in str(node.coord):  # of that name the system has others
            continue
        if isinstance(node, c_ast.FuncDef):
            found.add(node.decl.name)
        else:
            found.add(node.name)
            kind = node.type.type if isinstance(node.type, c_ast.TypeDecl) else node.type
            if isinstance(kind, c_ast.Enum) and kind.values:
                found |= {each.name for each in kind.values.enumerators}
    return {name for name in found if name}


# -- the command line ------------------------------------------------------------------------------------------------


def test_every_command_and_option_has_an_entry():
    from jitffi.cli.commands import jitffi as root

    text = commands.markdown()
    assert fences("command_line.md", "commands")

    def walk(command, path):
        section = text.partition(f"## `{path}`\n")[2].partition("\n## ")[0]
        assert inspect.cleandoc(command.help)[:20] in section, path
        for param in command.params:
            if param.param_type_name == "option":
                assert all(name in section for name in param.opts), (path, param.opts)
            else:
                assert str(param.metavar) in section, (path, param.metavar)
        for name, each in getattr(command, "commands", {}).items():
            walk(each, f"{path} {name}")

    walk(root, "jitffi")
